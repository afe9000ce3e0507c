//! detect-scope: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::detect_scope::{Request, run};
use review_loop::ops::pull_request;

use crate::output::Reply;
use crate::scope_flags::ScopeFlags;

/// Say what is under review: kind, base, head and every changed file
#[derive(Args)]
pub(crate) struct DetectScope {
    #[command(flatten)]
    scope: ScopeFlags,
    /// A pull request by its number, through gh; without one the branch's own
    #[arg(long, value_name = "N", num_args = 0..=1)]
    pr: Option<Option<String>>,
    /// What `gh pr view --json` printed of a pull request
    #[arg(long, value_name = "FILE")]
    pr_json: Option<String>,
}

impl DetectScope {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let pr = pull_request::Request { number: self.pr, file: self.pr_json };
        let answer = run(&Request { pr, ..self.scope.request(host)? }, host)?;
        Ok(match answer.ask() {
            Some(ask) => Reply::ask(&answer, &ask),
            None => Reply::yes(&answer),
        })
    }
}
