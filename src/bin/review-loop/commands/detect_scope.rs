//! detect-scope: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::detect_scope::{Request, run};

use crate::output::Reply;

/// Say what is under review: kind, base, head and every changed file
#[derive(Args)]
pub(crate) struct DetectScope {
    /// A folder of the checkout [default: the current folder]
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
    /// What to compare with [default: the default branch]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// A state or reports folder of ours inside the checkout, left out while untracked; repeatable
    #[arg(long, value_name = "DIR")]
    own_dir: Vec<String>,
}

impl DetectScope {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let own = self.own_dir.iter().map(|d| host.absolute(Some(d), "own folder")).collect::<Result<_, _>>()?;
        let answer = run(&Request { repo: self.repo, base: self.base, own }, host)?;
        Ok(match answer.ask() {
            Some(ask) => Reply::ask(&answer, &ask),
            None => Reply::yes(&answer),
        })
    }
}
