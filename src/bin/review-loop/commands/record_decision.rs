//! record-decision: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::record_decision::{Request, run};

use crate::loop_flags::LoopFlags;
use crate::output::Reply;

/// Take a decision that a person constituted into the loop's ledger
#[derive(Args)]
pub(crate) struct RecordDecision {
    #[command(flatten)]
    place: LoopFlags,
    /// The decision
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// Exact texts that a person excuses for this loop, a list of rule, sha256 and reason
    #[arg(long, value_name = "FILE")]
    exceptions: Option<String>,
}

impl RecordDecision {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let answer = run(&Request { place: self.place.place(), input: self.input, exceptions: self.exceptions }, host)?;
        Ok(Reply::check(answer.recorded, &answer))
    }
}
