//! open-gate: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::open_gate::{Request, run};
use review_loop::ops::{detect_scope, select_tier};

use crate::output::Reply;
use crate::wave_flags::WaveFlags;

/// Open a wave gate, or go on with it: policy, criteria, floor and tier bound to the scope
#[derive(Args)]
pub(crate) struct OpenGate {
    #[command(flatten)]
    place: WaveFlags,
    /// What to compare with; an empty-tree id means the whole code base [default: the default branch]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// A state or reports folder of ours inside the checkout, left out while untracked; repeatable
    #[arg(long, value_name = "DIR")]
    own_dir: Vec<String>,
    /// The assessed tier: small, normal or complex; $REVIEW_LOOP_TIER comes before it
    #[arg(long, value_name = "TIER")]
    tier: Option<String>,
    /// The assessor's reasons, comma-separated
    #[arg(long, value_name = "CODES")]
    reason_codes: Option<String>,
    /// lifecycle-agent, lifecycle-assessor or standalone-assessor [default: standalone-assessor]
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Approved criteria; without them the loop is standalone
    #[arg(long, value_name = "FILE")]
    criteria: Option<String>,
    /// The record of their approval, as seal-criteria wrote it
    #[arg(long, value_name = "FILE")]
    approval: Option<String>,
}

impl OpenGate {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let own = self.own_dir.iter().map(|d| host.absolute(Some(d), "own folder")).collect::<Result<_, _>>()?;
        let scope = detect_scope::Request { repo: self.place.repo.clone(), base: self.base, own, ..Default::default() };
        let select =
            select_tier::Request { scope, tier: self.tier, reason_codes: self.reason_codes, source: self.source, ..Default::default() };
        let request = Request { place: self.place.place(), select, criteria: self.criteria, approval: self.approval };
        let (answer, ask) = run(&request, host)?;
        Ok(match ask {
            Some(ask) => Reply::ask(&answer, &ask),
            None => Reply::yes(&answer),
        })
    }
}
