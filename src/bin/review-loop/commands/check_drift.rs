//! check-drift: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::check_drift::{Request, run};

use crate::design_flags::DesignFlags;
use crate::output::Reply;

/// Check that the round still serves what was pinned, and record it
#[derive(Args)]
pub(crate) struct CheckDrift {
    #[command(flatten)]
    place: DesignFlags,
    /// The round [default: the last]
    #[arg(long, value_name = "N")]
    round: Option<String>,
    /// The answers: {goal, scope, runtime_root, new_premises}
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
}

impl CheckDrift {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let answer = run(&Request { place: self.place.place(), round: self.round, input: self.input }, host)?;
        Ok(Reply::check(answer.unchanged, &answer))
    }
}
