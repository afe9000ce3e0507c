//! The flags that say which wave loop is meant.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::wave::Place;
use review_loop::ops::{detect_scope, open_gate, select_tier};

#[derive(Args)]
pub(crate) struct WaveFlags {
    /// A folder of the checkout [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) repo: Option<String>,
    /// The root of all state [default: $REVIEW_LOOP_STATE_DIR, else the XDG state folder]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<String>,
    /// The loop [default: that of the branch]
    #[arg(long, value_name = "ID")]
    loop_id: Option<String>,
}

impl WaveFlags {
    pub(crate) fn place(self) -> Place {
        Place { repo: self.repo, state_dir: self.state_dir, loop_id: self.loop_id }
    }
}

/// The flags by which a gate is opened.
#[derive(Args)]
pub(crate) struct GateFlags {
    #[command(flatten)]
    place: WaveFlags,
    /// What to compare with; an empty-tree id means the whole code base [default: the default branch]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// A state or reports folder of ours inside the checkout, left out while untracked; repeatable
    #[arg(long, value_name = "DIR")]
    own_dir: Vec<String>,
    /// A tier that was assessed: small, normal or complex; $REVIEW_LOOP_TIER comes before it
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
}

impl GateFlags {
    pub(crate) fn request(self, host: &Host) -> Result<open_gate::Request, Fail> {
        let own = self.own_dir.iter().map(|d| host.absolute(Some(d), "own folder")).collect::<Result<_, _>>()?;
        let scope = detect_scope::Request { repo: self.place.repo.clone(), base: self.base, own, ..Default::default() };
        let select =
            select_tier::Request { scope, tier: self.tier, reason_codes: self.reason_codes, source: self.source, ..Default::default() };
        Ok(open_gate::Request { place: self.place.place(), select, criteria: self.criteria, approval: self.approval })
    }
}

/// The flags of an attributed decision.
#[derive(Args)]
pub(crate) struct DecisionFlags {
    /// agent or human: who decided [default: agent; of a recovery human]
    #[arg(long, value_name = "SOURCE")]
    pub(crate) source: Option<String>,
    /// Why, in one line
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

/// The flags of an override, set or cleared.
#[derive(Args)]
pub(crate) struct OverrideFlags {
    #[command(flatten)]
    pub(crate) place: WaveFlags,
    /// review.clean-passes, review.pass-timeout, review.max-waves, review.notice-interval or review.recheck-seconds
    #[arg(value_name = "GATE")]
    pub(crate) gate: Option<String>,
    /// The loop as its wave knows it; comes before --loop-id
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// phase (this gate) or session (every later one of the loop too) [default: phase]
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<String>,
    #[command(flatten)]
    pub(crate) decision: DecisionFlags,
}

impl OverrideFlags {
    pub(crate) fn request(self) -> review_loop::ops::set_override::Request {
        review_loop::ops::set_override::Request {
            place: self.place.place(),
            session: self.session,
            gate: self.gate,
            scope: self.scope,
            source: self.decision.source,
            reason: self.decision.reason,
            ..Default::default()
        }
    }
}

/// The flags of a wave's own commands: its session, and where state lies.
#[derive(Args)]
pub(crate) struct SessionFlags {
    /// A folder of the checkout [default: the current folder]
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
    /// The root of all state [default: $REVIEW_LOOP_STATE_DIR, else the XDG state folder]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<String>,
    /// The wave's session [default: $REVIEW_LOOP_SESSION_ID]
    #[arg(long, value_name = "ID")]
    session_id: Option<String>,
}

impl SessionFlags {
    pub(crate) fn place(self) -> (Place, Option<String>) {
        (Place { repo: self.repo, state_dir: self.state_dir, loop_id: None }, self.session_id)
    }
}
