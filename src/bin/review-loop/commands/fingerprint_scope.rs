//! fingerprint-scope: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::fingerprint_scope::{Request, run};

use crate::output::Reply;

/// Fingerprint what is under review, so that a verdict can be bound to it
#[derive(Args)]
pub(crate) struct FingerprintScope {
    /// A folder of the checkout [default: the current folder]
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
    /// What to compare with; an empty-tree id means the whole code base [default: the default branch]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// A state or reports folder of ours inside the checkout, left out while untracked; repeatable
    #[arg(long, value_name = "DIR")]
    own_dir: Vec<String>,
}

impl FingerprintScope {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let own = self.own_dir.iter().map(|d| host.absolute(Some(d), "own folder")).collect::<Result<_, _>>()?;
        run(&Request { repo: self.repo, base: self.base, own }, host).map(|answer| Reply::yes(&answer))
    }
}
