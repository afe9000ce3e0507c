//! diagnose-churn: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::diagnose_churn::{Request, run};

use crate::output::Reply;

/// Name what goes wrong in a loop's history, and give one advice
#[derive(Args)]
pub(crate) struct DiagnoseChurn {
    /// The history: a JSON array of rounds
    #[arg(long, value_name = "FILE")]
    history: Option<String>,
    /// In place of a history: the folder of a loop's round states
    #[arg(long, value_name = "DIR")]
    state_dir: Option<String>,
    /// The loop whose states are read
    #[arg(long, value_name = "ID")]
    loop_id: Option<String>,
}

impl DiagnoseChurn {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        run(&Request { history: self.history, state_dir: self.state_dir, loop_id: self.loop_id }, host).map(|answer| Reply::yes(&answer))
    }
}
