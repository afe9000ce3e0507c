//! seal-criteria: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::seal_criteria::{Request, run};

use crate::output::Reply;

/// Check approved criteria, hash them whole and item by item, and record their approval
#[derive(Args)]
pub(crate) struct SealCriteria {
    /// The criteria
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// Where the approval is recorded
    #[arg(long, value_name = "FILE")]
    approval: Option<String>,
    /// What was approved before, when they are approved again
    #[arg(long, value_name = "HASH")]
    previous: Option<String>,
}

impl SealCriteria {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        Ok(Reply::yes(&run(&Request { input: self.input, approval: self.approval, previous: self.previous }, host)?))
    }
}
