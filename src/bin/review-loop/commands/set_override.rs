//! set-override: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::set_override::{Request, run};

use crate::output::Reply;
use crate::wave_flags::WaveFlags;

/// Change a number of the gate for a while, by an attributed decision
#[derive(Args)]
pub(crate) struct SetOverride {
    #[command(flatten)]
    place: WaveFlags,
    /// review.clean-passes, review.pass-timeout, review.max-waves, review.notice-interval or review.recheck-seconds
    #[arg(value_name = "GATE")]
    gate: Option<String>,
    /// The value
    #[arg(value_name = "VALUE")]
    value: Option<String>,
    /// The loop as its wave knows it; comes before --loop-id
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// phase (this gate) or session (every later one of the loop too) [default: phase]
    #[arg(long, value_name = "SCOPE")]
    scope: Option<String>,
    /// agent or human: who decided [default: agent]
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Why, in one line
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// How long it holds, in seconds [default: until it is cleared]
    #[arg(long, value_name = "N")]
    for_seconds: Option<String>,
}

impl SetOverride {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            place: self.place.place(),
            session: self.session,
            gate: self.gate,
            value: self.value,
            clear: false,
            scope: self.scope,
            source: self.source,
            reason: self.reason,
            for_seconds: self.for_seconds,
        };
        Ok(Reply::yes(&run(&request, host)?))
    }
}
