//! check-scope: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::check_scope::{Request, run};

use crate::output::Reply;

/// Say whether what is checked out is what a scope describes
#[derive(Args)]
pub(crate) struct CheckScope {
    /// A folder of the checkout [default: the current folder]
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
    /// An answer of detect-scope
    #[arg(long, value_name = "FILE")]
    scope: Option<String>,
}

impl CheckScope {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let (answer, ask) = run(&Request { repo: self.repo, scope: self.scope }, host)?;
        Ok(match ask {
            Some(ask) => Reply::ask(&answer, &ask),
            None => Reply::check(answer.is_sound(), &answer),
        })
    }
}
