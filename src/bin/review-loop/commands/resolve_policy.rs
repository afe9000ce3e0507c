//! resolve-policy: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::resolve_policy::{Request, run};

use crate::output::Reply;

/// Say how many clean waves each risk tier needs, by the trusted commit
#[derive(Args)]
pub(crate) struct ResolvePolicy {
    /// A folder of the checkout [default: the current folder]
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
}

impl ResolvePolicy {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        Ok(Reply::yes(&run(&Request { repo: self.repo }, host)?))
    }
}
