//! run-loop: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::run_loop::{Outcome, Request, run};

use crate::output::Reply;

/// Run a whole review loop end to end: review, respond, record, compare, decide, until it stops
#[derive(Args)]
pub(crate) struct RunLoop {
    /// Which loop: rounds
    #[arg(long = "loop", value_name = "KIND")]
    kind: Option<String>,
    /// Go on with this loop; its settings are those it was started with
    #[arg(long, value_name = "ID")]
    loop_id: Option<String>,
    /// The root of all state [default: $REVIEW_LOOP_STATE_DIR, else below $XDG_STATE_HOME or ~/.local/state]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<String>,
    /// A folder of the checkout [default: the current folder]
    #[arg(long, value_name = "DIR")]
    repo_root: Option<String>,
    /// What to compare with [default: as detect-scope]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// Who reviews: checks (built in) or command [default: checks]
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// With --source command: program and arguments as a JSON array; {scope} and {report} are replaced by paths
    #[arg(long, value_name = "JSON")]
    source_argv: Option<String>,
    /// Who responds: none, fix (mechanical) or command [default: none]
    #[arg(long, value_name = "RESPONDER")]
    respond: Option<String>,
    /// With --respond command: program and arguments as a JSON array; {scope} and {report} are replaced by paths
    #[arg(long, value_name = "JSON")]
    respond_argv: Option<String>,
    /// How long a source or responder may take, in seconds [default: 1800]
    #[arg(long, value_name = "N")]
    limit_s: Option<String>,
    /// Run the checks.toml of the working tree too, not only that of the base commit
    #[arg(long)]
    trust_worktree_checks: bool,
    /// Keep one document of the whole loop in the reports folder
    #[arg(long)]
    session_doc: bool,
    /// The most reviews the loop may execute [default: 5; a document 2, of high or critical risk 3]
    #[arg(long, value_name = "N")]
    max: Option<String>,
    /// implementation or document [default: implementation]
    #[arg(long, value_name = "PHASE")]
    artifact_phase: Option<String>,
    /// low, medium, high or critical [default: medium]
    #[arg(long, value_name = "RISK")]
    risk: Option<String>,
    /// Where reports go [default: .deep-review/reports of the checkout]
    #[arg(long, value_name = "DIR")]
    reports_dir: Option<String>,
    /// Where responses and summaries go [default: .deep-review/responses of the checkout]
    #[arg(long, value_name = "DIR")]
    responses_dir: Option<String>,
    /// What the person chose when the loop asked: continue, stop or defer-and-stop
    #[arg(long, value_name = "CHOICE")]
    user_choice: Option<String>,
    /// The code of a question that the choice answers; repeatable [default: the first that is open]
    #[arg(long, value_name = "CODE")]
    answered: Vec<String>,
    /// The person's answer to implemented_unknown
    #[arg(long, value_name = "N")]
    implemented_count: Option<String>,
}

impl RunLoop {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            kind: self.kind,
            loop_id: self.loop_id,
            state_dir: self.state_dir,
            repo_root: self.repo_root,
            base: self.base,
            source: self.source,
            source_argv: self.source_argv,
            respond: self.respond,
            respond_argv: self.respond_argv,
            limit_s: self.limit_s,
            trust_worktree_checks: self.trust_worktree_checks,
            session_doc: self.session_doc,
            max: self.max,
            artifact_phase: self.artifact_phase,
            risk: self.risk,
            reports_dir: self.reports_dir,
            responses_dir: self.responses_dir,
            user_choice: self.user_choice,
            answered: self.answered,
            implemented_count: self.implemented_count,
        };
        Ok(match run(&request, host)? {
            Outcome::Clean(answer) => Reply::check(true, &answer),
            Outcome::NotClean(answer) => Reply::check(false, &answer),
            Outcome::Untrusted(fail, answer) => Reply::failed(&fail, &answer),
            Outcome::Asks(answer, ask) => Reply::ask(&answer, &ask),
        })
    }
}
