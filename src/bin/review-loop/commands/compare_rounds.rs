//! compare-rounds: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::compare_rounds::{Request, run};

use crate::output::Reply;

/// Compare two rounds of one loop
#[derive(Args)]
pub(crate) struct CompareRounds {
    /// The earlier round state
    #[arg(long, value_name = "FILE")]
    previous: Option<String>,
    /// The later round state
    #[arg(long, value_name = "FILE")]
    current: Option<String>,
}

impl CompareRounds {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            previous: self.previous,
            current: self.current,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
