//! run-loop: words in, one operation, one answer.

use clap::Args;
use review_loop::base::{Code, Fail};
use review_loop::host::Host;
use review_loop::ops::resolution::Place;
use review_loop::ops::run_loop::{Outcome, Request, run};
use review_loop::ops::{design_loop, open_design_loop, open_resolution, pull_request, run_design, run_resolution};

use crate::output::Reply;

/// Run a whole review loop end to end: review, respond, record, compare, decide, until it stops
#[derive(Args)]
pub(crate) struct RunLoop {
    /// Which loop: rounds, resolution or design [default: rounds]
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
    /// How long a source or responder may take, in seconds [default: rounds 1800, resolution 300]
    #[arg(long, value_name = "N")]
    limit_s: Option<String>,
    /// Run the checks.toml of the working tree too, not only that of the base commit
    #[arg(long)]
    trust_worktree_checks: bool,
    /// Keep one document of the whole loop in the reports folder
    #[arg(long)]
    session_doc: bool,
    /// The most reviews the loop may execute [default: rounds 5, a document 2, of high or critical risk 3; resolution 20]
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
    /// Resolution: the person's words, kept verbatim with what they decide
    #[arg(long, value_name = "TEXT")]
    user_words: Option<String>,
    /// Resolution: dispositions of what the responder left open, as record-disposition takes them
    #[arg(long, value_name = "FILE")]
    dispositions: Option<String>,
    /// Resolution: a pull request by its number, through gh; without one the branch's own
    #[arg(long, value_name = "N", num_args = 0..=1)]
    pr: Option<Option<String>>,
    /// Resolution: what `gh pr view --json` printed of a pull request
    #[arg(long, value_name = "FILE")]
    pr_json: Option<String>,
    /// Resolution: review everything that is tracked
    #[arg(long)]
    codebase: bool,
    /// Resolution: do not ask gh whether the branch has a pull request
    #[arg(long)]
    no_gh: bool,
    /// Resolution: the client's model [default: the client's own]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Resolution: high, xhigh or max [default: high]
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// Design: what is to be achieved, word for word
    #[arg(long, value_name = "FILE")]
    objective_file: Option<String>,
    /// Design: what may be changed
    #[arg(long, value_name = "FILE")]
    scope_file: Option<String>,
    /// Design: the root cause as it was observed
    #[arg(long, value_name = "FILE")]
    runtime_root_file: Option<String>,
    /// Design: what shows the root, captured in this session
    #[arg(long, value_name = "FILE")]
    root_evidence: Option<String>,
    /// Design: the fix-design artifact
    #[arg(long, value_name = "FILE")]
    artifact_file: Option<String>,
    /// Design: what is new about it and why
    #[arg(long, value_name = "FILE")]
    diff_file: Option<String>,
    /// Design: a loop that ended without convergence, to go on from
    #[arg(long, value_name = "ID")]
    continues: Option<String>,
    /// Design: what answers that loop's open blockers
    #[arg(long, value_name = "FILE")]
    answers: Option<String>,
    /// Design: where design loops lie [default: .scratch/reviews of the repository]
    #[arg(long, value_name = "DIR")]
    reviews_dir: Option<String>,
    /// Design: the line the host belongs to, codex or claude
    #[arg(long, value_name = "LINE")]
    host_line: Option<String>,
    /// Design: a run ledger to write launches and verdicts into
    #[arg(long, value_name = "FILE")]
    runs: Option<String>,
    /// Design: the work item there [default: the loop]
    #[arg(long, value_name = "NAME")]
    work_item: Option<String>,
    /// Resolution: an approval of a source that shows nothing of what it reads proves nothing
    #[arg(long)]
    require_coverage: bool,
}

impl RunLoop {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        match self.kind.as_deref() {
            Some("resolution") => self.resolution(host),
            Some("design") => self.design(host),
            _ => self.rounds(host),
        }
    }

    /// The flags of the design loop alone.
    fn of_design(&self) -> [(&'static str, bool); 12] {
        [
            ("--objective-file", self.objective_file.is_some()),
            ("--scope-file", self.scope_file.is_some()),
            ("--runtime-root-file", self.runtime_root_file.is_some()),
            ("--root-evidence", self.root_evidence.is_some()),
            ("--artifact-file", self.artifact_file.is_some()),
            ("--diff-file", self.diff_file.is_some()),
            ("--continues", self.continues.is_some()),
            ("--answers", self.answers.is_some()),
            ("--reviews-dir", self.reviews_dir.is_some()),
            ("--host-line", self.host_line.is_some()),
            ("--runs", self.runs.is_some()),
            ("--work-item", self.work_item.is_some()),
        ]
    }

    fn design(self, host: &Host) -> Result<Reply, Fail> {
        let strangers = [
            ("--state-dir", self.state_dir.is_some()),
            ("--base", self.base.is_some()),
            ("--trust-worktree-checks", self.trust_worktree_checks),
            ("--session-doc", self.session_doc),
            ("--artifact-phase", self.artifact_phase.is_some()),
            ("--risk", self.risk.is_some()),
            ("--reports-dir", self.reports_dir.is_some()),
            ("--responses-dir", self.responses_dir.is_some()),
            ("--user-choice", self.user_choice.is_some()),
            ("--answered", !self.answered.is_empty()),
            ("--implemented-count", self.implemented_count.is_some()),
            ("--user-words", self.user_words.is_some()),
            ("--dispositions", self.dispositions.is_some()),
            ("--pr", self.pr.is_some()),
            ("--pr-json", self.pr_json.is_some()),
            ("--codebase", self.codebase),
            ("--no-gh", self.no_gh),
            ("--require-coverage", self.require_coverage),
        ];
        Self::refuse(&strangers, "design")?;
        let responds = match self.respond.as_deref() {
            None | Some("none") => false,
            Some("command") => true,
            Some(other) => {
                let message = format!("`--respond {other}`: an author is `none` or `command`");
                return Err(Fail::new(Code::InvalidArgument, message));
            }
        };
        if responds != self.respond_argv.is_some() {
            return Err(Fail::new(Code::InvalidArgument, "`--respond command` and `--respond-argv` go together"));
        }
        let open = open_design_loop::Request {
            place: design_loop::Place { repo: self.repo_root, reviews_dir: self.reviews_dir, loop_id: self.loop_id, operation_id: None },
            objective: self.objective_file,
            scope: self.scope_file,
            runtime_root: self.runtime_root_file,
            evidence: self.root_evidence,
            artifact: design_loop::ArtifactFlags { file: self.artifact_file, revision: None, path: None },
            diff: self.diff_file,
            cap: self.max,
            continues: self.continues,
            answers: self.answers,
        };
        let request = run_design::Request {
            open,
            host_line: self.host_line,
            source: self.source,
            source_argv: self.source_argv,
            model: self.model,
            effort: self.effort,
            respond_argv: self.respond_argv,
            limit_s: self.limit_s,
            runs: design_loop::runs::Flags { ledger: self.runs, work_item: self.work_item, role: None },
        };
        use run_design::Outcome;
        Ok(match run_design::run(&request, host)? {
            Outcome::Clean(answer) => Reply::yes(&answer),
            Outcome::Gate(answer) => Reply::asked(&answer),
            Outcome::Asks(answer, ask) => Reply::ask(&answer, &ask),
        })
    }

    /// Refuses flags that mean nothing to the loop that was asked for: a setting that is not heeded is a trap.
    fn refuse(flags: &[(&str, bool)], kind: &str) -> Result<(), Fail> {
        match flags.iter().find(|(_, given)| *given) {
            Some((name, _)) => Err(Fail::new(Code::InvalidArgument, format!("`{name}` means nothing to the {kind} loop"))),
            None => Ok(()),
        }
    }

    fn resolution(self, host: &Host) -> Result<Reply, Fail> {
        let strangers = [
            ("--session-doc", self.session_doc),
            ("--artifact-phase", self.artifact_phase.is_some()),
            ("--risk", self.risk.is_some()),
            ("--reports-dir", self.reports_dir.is_some()),
            ("--responses-dir", self.responses_dir.is_some()),
            ("--answered", !self.answered.is_empty()),
            ("--implemented-count", self.implemented_count.is_some()),
        ];
        Self::refuse(&strangers, "resolution")?;
        Self::refuse(&self.of_design(), "resolution")?;
        let open = open_resolution::Request {
            place: Place { repo: self.repo_root, state_dir: self.state_dir, loop_id: self.loop_id },
            pr: pull_request::Request { number: self.pr, file: self.pr_json },
            base: self.base,
            codebase: self.codebase,
            no_gh: self.no_gh,
            source: self.source,
            argv: self.source_argv,
            model: self.model,
            effort: self.effort,
            limit_s: self.limit_s,
            max_rounds: self.max,
            require_coverage: self.require_coverage,
            trust_worktree_checks: self.trust_worktree_checks,
            respond: self.respond,
            respond_argv: self.respond_argv,
            ..open_resolution::Request::default()
        };
        let request = run_resolution::Request {
            open,
            user_choice: self.user_choice,
            user_words: self.user_words,
            dispositions: self.dispositions,
        };
        use run_resolution::Outcome;
        Ok(match run_resolution::run(&request, host)? {
            Outcome::Clean(answer) => Reply::check(true, &answer),
            Outcome::NotClean(answer) => Reply::check(false, &answer),
            Outcome::Untrusted(fail, answer) => Reply::failed(&fail, &answer),
            Outcome::Asks(answer, ask) => Reply::ask(&answer, &ask),
        })
    }

    fn rounds(self, host: &Host) -> Result<Reply, Fail> {
        let strangers = [
            ("--user-words", self.user_words.is_some()),
            ("--dispositions", self.dispositions.is_some()),
            ("--pr", self.pr.is_some()),
            ("--pr-json", self.pr_json.is_some()),
            ("--codebase", self.codebase),
            ("--no-gh", self.no_gh),
            ("--model", self.model.is_some()),
            ("--effort", self.effort.is_some()),
            ("--require-coverage", self.require_coverage),
        ];
        Self::refuse(&strangers, "rounds")?;
        Self::refuse(&self.of_design(), "rounds")?;
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
