//! harvest-intent: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::harvest_intent::{Request, run};
use review_loop::ops::{detect_scope, pull_request};

use crate::output::Reply;
use crate::scope_flags::ScopeFlags;

/// Find the rules, guide sections, design comments and mission that touch a scope, as pointers
#[derive(Args)]
pub(crate) struct HarvestIntent {
    #[command(flatten)]
    scope: ScopeFlags,
    /// A ledger of decisions; those in force go along as content
    #[arg(long, value_name = "FILE")]
    decisions: Option<String>,
    /// A capture of an earlier conversation, a file of the checkout; repeatable
    #[arg(long, value_name = "FILE")]
    capture: Vec<String>,
    /// The most rule files [default: 20]
    #[arg(long, value_name = "N")]
    max_rules: Option<String>,
    /// The most design comments [default: 40]
    #[arg(long, value_name = "N")]
    max_comments: Option<String>,
    /// Where the bundle is kept
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
    /// A pull request by its number, through gh; without one the branch's own
    #[arg(long, value_name = "N", num_args = 0..=1)]
    pr: Option<Option<String>>,
    /// What `gh pr view --json` printed of a pull request
    #[arg(long, value_name = "FILE")]
    pr_json: Option<String>,
}

impl HarvestIntent {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let pr = pull_request::Request { number: self.pr, file: self.pr_json };
        let request = Request {
            scope: detect_scope::Request { pr, ..self.scope.request(host)? },
            decisions: self.decisions,
            captures: self.capture,
            max_rules: self.max_rules,
            max_comments: self.max_comments,
            output: self.output,
        };
        Ok(Reply::yes(&run(&request, host)?))
    }
}
