//! The flags of every command that asks what is under review.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::detect_scope::Request;

#[derive(Args)]
pub(crate) struct ScopeFlags {
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

impl ScopeFlags {
    pub(crate) fn request(self, host: &Host) -> Result<Request, Fail> {
        let own = self.own_dir.iter().map(|d| host.absolute(Some(d), "own folder")).collect::<Result<_, _>>()?;
        Ok(Request { repo: self.repo, base: self.base, own, ..Request::default() })
    }
}
