//! open-resolution: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::open_resolution::{Request, run};
use review_loop::ops::pull_request;

use crate::loop_flags::LoopFlags;
use crate::output::Reply;

/// Open a resolution loop: detect its scope, capture its base, designate its source
#[derive(Args)]
pub(crate) struct OpenResolution {
    #[command(flatten)]
    place: LoopFlags,
    /// A pull request by its number, through gh; without one the branch's own
    #[arg(long, value_name = "N", num_args = 0..=1)]
    pr: Option<Option<String>>,
    /// What `gh pr view --json` printed of a pull request
    #[arg(long, value_name = "FILE")]
    pr_json: Option<String>,
    /// Review the branch against this
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// Review everything that is tracked
    #[arg(long)]
    codebase: bool,
    /// Do not ask gh whether the branch has a pull request
    #[arg(long)]
    no_gh: bool,
    /// checks, codex, claude (its built-in review is also called code-review) or command [default: the only one that can be invoked]
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// The host of the agent that asks has a built-in review (code-review), which the agent runs itself
    #[arg(long)]
    host_review: bool,
    /// Uncommitted edits of the pull request's files belong to it: review the working tree
    #[arg(long)]
    adopt: bool,
    /// Program and arguments of `command`, a JSON array
    #[arg(long, value_name = "JSON")]
    argv: Option<String>,
    /// The client's model [default: the client's own]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// high, xhigh or max [default: high]
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// Seconds a review may take [default: 300]
    #[arg(long, value_name = "N")]
    limit_s: Option<String>,
    /// A cap on rounds; reaching it asks and never converges [default: none]
    #[arg(long, value_name = "N")]
    max_rounds: Option<String>,
    /// A capture of an earlier conversation, a file of the checkout; repeatable
    #[arg(long, value_name = "FILE")]
    capture: Vec<String>,
    /// A state or reports folder of ours inside the checkout, left out while untracked; repeatable
    #[arg(long, value_name = "DIR")]
    own_dir: Vec<String>,
    /// An approval of a source that shows nothing of what it reads proves nothing
    #[arg(long)]
    require_coverage: bool,
    /// Run the working tree's checks.toml beside that of the base commit
    #[arg(long)]
    trust_worktree_checks: bool,
}

impl OpenResolution {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            place: self.place.place(),
            pr: pull_request::Request { number: self.pr, file: self.pr_json },
            base: self.base,
            codebase: self.codebase,
            no_gh: self.no_gh,
            source: self.source,
            host_review: self.host_review,
            adopt: self.adopt,
            argv: self.argv,
            model: self.model,
            effort: self.effort,
            limit_s: self.limit_s,
            max_rounds: self.max_rounds,
            captures: self.capture,
            own: self.own_dir,
            require_coverage: self.require_coverage,
            trust_worktree_checks: self.trust_worktree_checks,
            ..Request::default()
        };
        let (answer, ask) = run(&request, host)?;
        Ok(match ask {
            Some(ask) => Reply::ask(&answer, &ask),
            None => Reply::yes(&answer),
        })
    }
}
