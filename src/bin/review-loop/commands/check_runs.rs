//! check-runs: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::check_runs::{Request, run};

use crate::output::Reply;

/// Check that no REVISE is owed, no launch lost and nothing wrong in run ledgers, archived ones included
#[derive(Args)]
pub(crate) struct CheckRuns {
    /// A ledger; repeatable [default: those of all work items, active and archived]
    #[arg(long = "ledger", value_name = "FILE")]
    ledgers: Vec<String>,
    /// The folder artifacts are named from [default: the repository]
    #[arg(long, value_name = "DIR")]
    root: Option<String>,
    /// Leave archived ledgers out
    #[arg(long)]
    active_only: bool,
}

impl CheckRuns {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let answer = run(&Request { ledgers: self.ledgers, root: self.root, active_only: self.active_only }, host)?;
        Ok(Reply::check(answer.is_clear(), &answer))
    }
}
