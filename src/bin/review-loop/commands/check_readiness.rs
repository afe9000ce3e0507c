//! check-readiness: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::check_readiness::{Request, run};

use crate::output::Reply;

/// Check that a readiness receipt still holds, and which deferred items are shown
#[derive(Args)]
pub(crate) struct CheckReadiness {
    /// The receipt
    #[arg(long, value_name = "FILE")]
    receipt: Option<String>,
    /// The repository
    #[arg(long, value_name = "DIR")]
    repo_root: Option<String>,
    /// The results of the deferred items, a JSON document
    #[arg(long, value_name = "FILE")]
    deferred: Option<String>,
    /// What the implementation is compared with [default: the default branch]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
}

impl CheckReadiness {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            receipt: self.receipt,
            repo_root: self.repo_root,
            deferred: self.deferred,
            base: self.base,
        };
        let asked = request.deferred.is_some();
        let answer = run(&request, host)?;
        Ok(Reply::check(answer.holds(asked), &answer))
    }
}
