//! run-source: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::resolution::Place;
use review_loop::ops::resolution::review::Reviewed;
use review_loop::ops::run_source::{Request, run};

use crate::output::Reply;
use crate::scope_flags::ScopeFlags;

/// Let one source review the scope, and bind what it says to the surface it read
#[derive(Args)]
pub(crate) struct RunSource {
    #[command(flatten)]
    scope: ScopeFlags,
    /// checks, codex, claude (its built-in review is also called code-review) or command [default: checks]
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Program and arguments of `command`, a JSON array; {scope}, {prompt} and {report} become paths
    #[arg(long, value_name = "JSON")]
    argv: Option<String>,
    /// What a client or command reads from standard input
    #[arg(long, value_name = "FILE")]
    prompt_file: Option<String>,
    /// The client's model [default: the client's own]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// high, xhigh or max [default: high]
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// Seconds a source may take [default: 300]
    #[arg(long, value_name = "N")]
    limit_s: Option<String>,
    /// Where everything it was given and gave is kept [default: a folder of its own below the state root]
    #[arg(long, value_name = "DIR")]
    evidence_dir: Option<String>,
    /// In place of running it: the answer that the agent got from it
    #[arg(long, value_name = "FILE")]
    answer: Option<String>,
    /// The agent's grades of the findings, an object of places (from 0) and words
    #[arg(long, value_name = "FILE")]
    severities: Option<String>,
    /// An approval of a source that shows nothing of what it reads proves nothing
    #[arg(long)]
    require_coverage: bool,
    /// Run the working tree's checks.toml beside that of the base commit
    #[arg(long)]
    trust_worktree_checks: bool,
    /// Review the next round of this loop: its scope, source and prompt are the loop's
    #[arg(long, value_name = "ID")]
    loop_id: Option<String>,
    /// With --loop-id: a cap on rounds, in place of the loop's own
    #[arg(long, value_name = "N")]
    max_rounds: Option<String>,
    /// With --loop-id: the root of all state [default: $REVIEW_LOOP_STATE_DIR, else the XDG state folder]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<String>,
}

impl RunSource {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let scope = self.scope.request(host)?;
        let (repo, state_dir) = (scope.repo.clone(), self.state_dir);
        let request = Request {
            place: self.loop_id.map(|id| Place { repo, state_dir, loop_id: Some(id) }),
            scope,
            source: self.source,
            argv: self.argv,
            prompt_file: self.prompt_file,
            model: self.model,
            effort: self.effort,
            limit_s: self.limit_s,
            evidence_dir: self.evidence_dir,
            answer: self.answer,
            severities: self.severities,
            require_coverage: self.require_coverage,
            trust_worktree_checks: self.trust_worktree_checks,
            max_rounds: self.max_rounds,
        };
        Ok(match run(&request, host)? {
            Reviewed::Ran(ran) => match *ran {
                (answer, Some(ask)) => Reply::ask(&answer, &ask),
                (answer, None) => Reply::check(answer.is_reliable(), &answer),
            },
            Reviewed::Asks(ask) => Reply::ask(&serde_json::json!({}), &ask),
        })
    }
}
