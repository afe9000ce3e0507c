//! run-waves: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::run_waves::{Outcome, Request, run};
use review_loop::ops::{detect_scope, open_gate, select_tier};

use crate::output::Reply;
use crate::wave_flags::WaveFlags;

/// Run independent review waves in fresh sessions until the tier's gate is reached or stands still
#[derive(Args)]
pub(crate) struct RunWaves {
    #[command(flatten)]
    place: WaveFlags,
    /// Who runs a wave: codex, claude or command
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// The client's model [default: the client's own]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// How hard the client thinks [default: the client's own]
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// What to compare with; an empty-tree id means the whole code base [default: the default branch]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// A state or reports folder of ours inside the checkout, left out while untracked; repeatable
    #[arg(long, value_name = "DIR")]
    own_dir: Vec<String>,
    /// A tier that an agent assessed; $REVIEW_LOOP_TIER comes before it, and without either a fresh session assesses
    #[arg(long, value_name = "TIER")]
    tier: Option<String>,
    /// Its reasons, comma-separated
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
    /// Seconds for the whole run [default: no limit]
    #[arg(long, value_name = "N")]
    limit: Option<String>,
    /// Behind `--`: program and arguments of `command`; it reads the prompt from standard input, and {prompt} becomes its file
    #[arg(last = true, value_name = "ARGV")]
    argv: Vec<String>,
}

impl RunWaves {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let own = self.own_dir.iter().map(|d| host.absolute(Some(d), "own folder")).collect::<Result<_, _>>()?;
        let scope = detect_scope::Request { repo: self.place.repo.clone(), base: self.base, own, ..Default::default() };
        let select =
            select_tier::Request { scope, tier: self.tier, reason_codes: self.reason_codes, source: self.source, ..Default::default() };
        let open = open_gate::Request { place: self.place.place(), select, criteria: self.criteria, approval: self.approval };
        let request =
            Request { open, provider: self.provider, argv: self.argv, model: self.model, effort: self.effort, limit: self.limit };
        Ok(match run(&request, host)? {
            Outcome::Reached(answer) => Reply::yes(&answer),
            Outcome::Paused(answer, ask) => Reply::ask(&answer, &ask),
            Outcome::TimedOut(fail, answer) => Reply::failed(&fail, &answer),
        })
    }
}
