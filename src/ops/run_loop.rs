//! run-loop: a whole rounds loop end to end, with the very same operations the commands run, resumable after a kill.
//!
//! The loop's record is written after every action; the pure driver says what follows. Whatever an action writes is
//! written once: a private copy in the loop's folder first, then the published one (house.md; issue 2).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::checkout::Checkout;
use super::{
    Ask, decide_round, detect_scope, fingerprint_scope, gather, plan_round, publish, record_round, render_prior_context,
    render_session_doc, respond_fix, review_checks, summarize_loop, surface,
};
use crate::base::digest::sha256_hex;
use crate::base::id::LoopId;
use crate::base::path::printable;
use crate::base::verdict::RoundVerdict;
use crate::base::{Code, Fail, number, time};
use crate::check;
use crate::drive::rounds::{Action, Event, State, step};
use crate::finding::read;
use crate::host::child::{self, Launch};
use crate::host::{Host, files, lock, terminal};
use crate::report::metrics::judge;
use crate::report::{name, response};
use crate::round::arguments::MAX_CAP;
use crate::round::plan::{Phase, Risk, cap};
use crate::round::record::Round;
use crate::round::stop;
use crate::round::summary::{RoundLine, summarize};
use crate::wire::loop_record::{self, LoopRecord, Settings};

/// The most that is kept of what a source or responder prints.
const OUTPUT_LIMIT: usize = 256 << 20;
/// How long a source or responder may take, in seconds, when nothing else was said.
const DEFAULT_LIMIT_S: u64 = 1800;

/// What is asked. A setting that is absent is the default of a new loop, or what a resumed loop was started with.
#[derive(Debug, Default)]
pub struct Request {
    /// Always `rounds`.
    pub kind: Option<String>,
    /// A loop to go on with.
    pub loop_id: Option<String>,
    /// The root of all state.
    pub state_dir: Option<String>,
    /// A folder of the checkout.
    pub repo_root: Option<String>,
    /// What to compare with.
    pub base: Option<String>,
    /// `checks` or `command`.
    pub source: Option<String>,
    /// A JSON array.
    pub source_argv: Option<String>,
    /// `fix`, `command` or `none`.
    pub respond: Option<String>,
    /// A JSON array.
    pub respond_argv: Option<String>,
    /// Seconds.
    pub limit_s: Option<String>,
    /// Run the working tree's checks too.
    pub trust_worktree_checks: bool,
    /// Keep one document.
    pub session_doc: bool,
    /// The cap.
    pub max: Option<String>,
    /// document or implementation.
    pub artifact_phase: Option<String>,
    /// low to critical.
    pub risk: Option<String>,
    /// Where reports go.
    pub reports_dir: Option<String>,
    /// Where responses and summaries go.
    pub responses_dir: Option<String>,
    /// What the person chose.
    pub user_choice: Option<String>,
    /// The person's answer to `implemented_unknown`.
    pub implemented_count: Option<String>,
}

/// The files of the answer.
#[derive(Debug, Default, Serialize)]
pub struct Files {
    /// The loop's folder.
    pub state_dir: String,
    /// Published review reports, by round.
    pub reports: Vec<String>,
    /// Published response reports, by round.
    pub responses: Vec<String>,
    /// The session document.
    pub session_doc: Option<String>,
    /// The loop summary.
    pub summary: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Always `rounds`.
    #[serde(rename = "loop")]
    pub kind: &'static str,
    /// Null when no loop was started.
    pub loop_id: Option<String>,
    /// Of the last executed report.
    pub verdict: Option<RoundVerdict>,
    /// How many reviews were executed.
    pub rounds: usize,
    /// Which of the seed's conditions stopped it.
    pub stop_condition: Option<u8>,
    /// Why it stopped.
    pub stop_reason: Option<String>,
    /// Cap minus executed reviews.
    pub rounds_saved: u64,
    /// Every round.
    pub history: Vec<RoundLine>,
    /// Findings of the last report and deferred items.
    pub remaining_work: Vec<String>,
    /// What was written.
    pub files: Files,
    /// Sorted.
    pub warnings: Vec<String>,
}

/// How it ended.
#[derive(Debug)]
pub enum Outcome {
    /// The last verdict is clean, or the document is ready.
    Clean(Answer),
    /// It stopped otherwise.
    NotClean(Answer),
    /// No verdict may be trusted.
    Untrusted(Fail, Answer),
    /// A person must decide.
    Asks(Answer, Ask),
}

/// Runs a loop to its stop.
///
/// # Errors
/// Those of its operations that are no failure of a round: usage, bad state, the machine.
pub fn run(request: &Request, host: &Host) -> Result<Outcome, Fail> {
    child::note_signals();
    if let Some(other) = request.kind.as_deref().filter(|k| *k != "rounds") {
        return Err(Fail::new(Code::InvalidArgument, format!("`--loop {}` is unknown; there is rounds", printable(other))));
    }
    let folder = host.absolute(Some(request.repo_root.as_deref().unwrap_or(".")), "repository root")?;
    let checkout = Checkout::open(host, &folder)?;
    let root = host.state_root(request.state_dir.as_deref())?;
    let opened = match gather::loop_id(request.loop_id.as_deref())? {
        Some(id) => resume(request, host, &root, &checkout, &id)?,
        None => start(request, host, &root, &checkout)?,
    };
    drop(checkout);
    let (dir, record, _held) = match opened {
        Opened::Loop(dir, record, held) => (dir, *record, held),
        Opened::Asks(answer, ask) => return Ok(Outcome::Asks(*answer, ask)),
    };
    let mut run = Run { host, dir, record, choice: request.user_choice.clone(), told: request.implemented_count.clone() };
    run.drive()
}

enum Opened {
    Loop(PathBuf, Box<LoopRecord>, lock::Held),
    Asks(Box<Answer>, Ask),
}

fn empty_answer(loop_id: Option<String>) -> Answer {
    Answer {
        kind: "rounds",
        loop_id,
        verdict: None,
        rounds: 0,
        stop_condition: None,
        stop_reason: None,
        rounds_saved: 0,
        history: Vec::new(),
        remaining_work: Vec::new(),
        files: Files::default(),
        warnings: Vec::new(),
    }
}

fn start(request: &Request, host: &Host, root: &Path, checkout: &Checkout) -> Result<Opened, Fail> {
    let top = checkout.top.to_string_lossy().into_owned();
    let under = |flag: &Option<String>, default: &str| match flag.as_deref().filter(|f| !f.is_empty()) {
        Some(flag) => host.absolute(Some(flag), "reports directory").map(|p| p.to_string_lossy().into_owned()),
        None => Ok(format!("{top}/{default}")),
    };
    let scope = detect_scope::detect(checkout, host, request.base.as_deref(), &checkout.own(&[root.to_path_buf()]))?;
    if scope.kind == detect_scope::Kind::Nothing {
        let ask = scope.ask().unwrap_or_else(|| Ask::new("nothing_to_review", "there is nothing to review", &[("stop", "stop")]));
        return Ok(Opened::Asks(Box::new(empty_answer(None)), ask));
    }
    let settings = settings(request, top.clone(), scope.base.clone().unwrap_or_else(|| checkout.empty_tree.to_owned()))?;
    let settings = Settings {
        reports_dir: under(&request.reports_dir, ".deep-review/reports")?,
        responses_dir: under(&request.responses_dir, ".deep-review/responses")?,
        ..settings
    };
    refuse_linked_reports(&checkout.top, &settings)?;
    let loop_id = LoopId::parse(&host.fresh_id())?;
    let dir = host.loop_dir(root, &checkout.top, "rounds", &loop_id);
    files::make_private_below(root, &dir)?;
    let held = hold(host, &dir)?;
    let record = LoopRecord {
        loop_id: loop_id.as_str().to_owned(),
        settings,
        state: State::start(),
        publishing: None,
        report_sha256: None,
        summary: None,
        warnings: Vec::new(),
        revision: 0,
    };
    if !files::create(host, &dir.join("loop.json"), &loop_record::bytes(&record))? {
        return Err(Fail::new(Code::LoopMismatch, format!("a loop `{loop_id}` stands there already")).hint("go on with it by --loop-id"));
    }
    Ok(Opened::Loop(dir, Box::new(record), held))
}

/// The run as a whole holds a folder below the loop's own, which each operation locks for itself. It is taken before the
/// record is read, so that nobody drives on with an old one.
fn hold(host: &Host, dir: &Path) -> Result<lock::Held, Fail> {
    lock::hold(host, &dir.join("run"))
}

fn settings(request: &Request, top: String, base_commit: String) -> Result<Settings, Fail> {
    let word = |flag: &Option<String>, name: &str, allowed: &[&str]| -> Result<String, Fail> {
        let text = flag.as_deref().filter(|f| !f.is_empty()).unwrap_or(allowed[0]);
        if allowed.contains(&text) {
            Ok(text.to_owned())
        } else {
            Err(Fail::new(Code::InvalidArgument, format!("`{name} {}` is not one of {}", printable(text), allowed.join(", "))))
        }
    };
    let source = word(&request.source, "--source", &["checks", "command"])?;
    let respond = word(&request.respond, "--respond", &["none", "fix", "command"])?;
    let source_argv = argv(request.source_argv.as_deref(), "--source-argv", source == "command")?;
    let respond_argv = argv(request.respond_argv.as_deref(), "--respond-argv", respond == "command")?;
    let artifact_phase = word(&request.artifact_phase, "--artifact-phase", &["implementation", "document"])?;
    let risk = word(&request.risk, "--risk", &["medium", "low", "high", "critical"])?;
    let explicit = request.max.as_deref().map(|m| number::plain("--max", m, 1..=MAX_CAP)).transpose()?;
    let limit_s = request.limit_s.as_deref().map(|l| number::plain("--limit-s", l, 1..=86_400)).transpose()?;
    let (phase, level) = (Phase::parse(&artifact_phase).unwrap_or(Phase::Implementation), Risk::parse(&risk).unwrap_or(Risk::Medium));
    Ok(Settings {
        source,
        source_argv,
        respond,
        respond_argv,
        limit_s: limit_s.unwrap_or(DEFAULT_LIMIT_S),
        trust_worktree_checks: request.trust_worktree_checks,
        session_doc: request.session_doc,
        cap: cap(phase, level, explicit)?,
        artifact_phase,
        risk,
        repo_root: top,
        base_commit,
        reports_dir: String::new(),
        responses_dir: String::new(),
    })
}

/// A JSON array of strings; needed exactly when a command was chosen.
fn argv(flag: Option<&str>, name: &str, needed: bool) -> Result<Vec<String>, Fail> {
    let wrong = |why: &str| Fail::new(Code::InvalidArgument, format!("`{name}` {why}"));
    let Some(flag) = flag.filter(|f| !f.is_empty()) else {
        return if needed { Err(wrong("is missing: a JSON array of program and arguments")) } else { Ok(Vec::new()) };
    };
    if !needed {
        return Err(wrong("is only taken together with `command`"));
    }
    let words: Option<Vec<String>> = crate::wire::json::parse(flag.as_bytes())
        .ok()
        .and_then(|v| v.as_array().map(|l| l.iter().map(|w| w.as_str().map(str::to_owned)).collect::<Option<_>>()))
        .flatten();
    words.filter(|w| w.first().is_some_and(|p| !p.is_empty())).ok_or_else(|| wrong("is not a JSON array of strings with a program"))
}

fn resume(request: &Request, host: &Host, root: &Path, checkout: &Checkout, id: &LoopId) -> Result<Opened, Fail> {
    let dir = host.loop_dir(root, &checkout.top, "rounds", id);
    let file = dir.join("loop.json");
    files::refuse_links_below(root, &dir)?;
    if file.symlink_metadata().is_err() {
        let question = format!("there is no state of the loop `{id}` for this checkout; nothing is assumed about it");
        let ask = Ask::new("state_missing", question, &[("start", "start a new loop without --loop-id"), ("stop", "stop")]);
        return Ok(Opened::Asks(Box::new(empty_answer(Some(id.as_str().to_owned()))), ask));
    }
    let held = hold(host, &dir)?;
    let damaged =
        |fail: Fail| Fail { message: format!("the loop record `{}`: {}", printable(&file.to_string_lossy()), fail.message), ..fail };
    let record = files::read_state(&file).and_then(|b| loop_record::read(&b)).map_err(damaged)?;
    if record.loop_id != id.as_str() {
        return Err(Fail::new(Code::LoopMismatch, format!("the loop record is of `{}`", printable(&record.loop_id))));
    }
    same_settings(request, host, &record.settings)?;
    same_base(request, checkout, &record.settings)?;
    refuse_linked_reports(&checkout.top, &record.settings)?;
    Ok(Opened::Loop(dir, Box::new(record), held))
}

/// Reports inside the checkout are not written through a link that leads out of it.
fn refuse_linked_reports(top: &Path, settings: &Settings) -> Result<(), Fail> {
    let folders = [&settings.reports_dir, &settings.responses_dir].map(Path::new);
    folders.iter().filter(|f| f.starts_with(top)).try_for_each(|f| files::refuse_links_below(top, f))
}

/// A base that is given again must come to the commit the loop was started with.
fn same_base(request: &Request, checkout: &Checkout, settings: &Settings) -> Result<(), Fail> {
    let Some(base) = request.base.as_deref().filter(|b| *b != settings.base_commit) else { return Ok(()) };
    let named = checkout.named_base(base)?;
    let head = checkout.head()?;
    let bases = head.map(|h| checkout.merge_bases(&h.oid, &named.oid)).transpose()?.unwrap_or_default();
    if bases.first() == Some(&settings.base_commit) || named.oid == settings.base_commit {
        return Ok(());
    }
    Err(Fail::new(Code::LoopMismatch, "`--base` is not what the loop was started with"))
}

/// A setting that is given again must be the one the loop was started with.
fn same_settings(request: &Request, host: &Host, settings: &Settings) -> Result<(), Fail> {
    argv(request.source_argv.as_deref(), "--source-argv", settings.source == "command" && request.source_argv.is_some())?;
    argv(request.respond_argv.as_deref(), "--respond-argv", settings.respond == "command" && request.respond_argv.is_some())?;
    let words = |flag: &Option<String>| flag.as_deref().and_then(|f| crate::wire::json::parse(f.as_bytes()).ok()).map(|v| v.to_string());
    let stored = |argv: &[String]| serde_json::to_string(argv).unwrap_or_default();
    let path = |flag: &Option<String>| {
        flag.as_deref().and_then(|f| host.absolute(Some(f), "folder").ok()).map(|p| p.to_string_lossy().into_owned())
    };
    let given: [(&str, Option<String>, String); 10] = [
        ("--source", request.source.clone(), settings.source.clone()),
        ("--source-argv", words(&request.source_argv), stored(&settings.source_argv)),
        ("--respond", request.respond.clone(), settings.respond.clone()),
        ("--respond-argv", words(&request.respond_argv), stored(&settings.respond_argv)),
        ("--limit-s", request.limit_s.clone(), settings.limit_s.to_string()),
        ("--max", request.max.clone(), settings.cap.to_string()),
        ("--artifact-phase", request.artifact_phase.clone(), settings.artifact_phase.clone()),
        ("--risk", request.risk.clone(), settings.risk.clone()),
        ("--reports-dir", path(&request.reports_dir), settings.reports_dir.clone()),
        ("--responses-dir", path(&request.responses_dir), settings.responses_dir.clone()),
    ];
    let other = given.iter().find(|(_, flag, stored)| flag.as_ref().is_some_and(|f| f != stored)).map(|(name, _, _)| *name);
    let switched = [
        ("--session-doc", request.session_doc && !settings.session_doc),
        ("--trust-worktree-checks", request.trust_worktree_checks && !settings.trust_worktree_checks),
    ];
    let other = other.or_else(|| switched.iter().find(|(_, differs)| *differs).map(|(name, _)| *name));
    match other {
        Some(name) => Err(Fail::new(Code::LoopMismatch, format!("`{name}` is not what the loop was started with"))),
        None => Ok(()),
    }
}

/// A run under way.
struct Run<'a> {
    host: &'a Host,
    dir: PathBuf,
    record: LoopRecord,
    choice: Option<String>,
    told: Option<String>,
}

impl Run<'_> {
    fn drive(&mut self) -> Result<Outcome, Fail> {
        // A responder that was started and never answered was killed with us: it is run again. A kill of ours is no failure of
        // its; one whose answer is stored has answered.
        let started =
            self.record.state.next == Action::Respond && self.record.state.responding && self.record.settings.respond == "command";
        if started && !self.file(self.record.state.round, "response.md").exists() {
            self.warn("responder_was_interrupted");
        }
        loop {
            self.host.failpoint(self.record.state.next.word());
            terminal::progress(&format!("round {}: {}", self.record.state.round, self.record.state.next.word()));
            let event = match self.record.state.next {
                Action::Prior => self.prior()?,
                Action::Plan => self.plan()?,
                Action::Review => self.review()?,
                Action::Judge => self.judge()?,
                Action::Respond => self.respond()?,
                Action::Record => self.record_round()?,
                Action::Document => self.document(None)?,
                Action::Decide => match self.decide()? {
                    Decided::Event(event) => event,
                    Decided::Asks(ask) => return Ok(Outcome::Asks(self.answer()?, ask)),
                },
                Action::Close => self.close()?,
                Action::Done => return self.outcome(),
            };
            self.happened(event)?;
            if let Some(signal) = child::signalled() {
                let fail = Fail::new(Code::Interrupted, format!("ended by signal {signal} in round {}", self.record.state.round));
                return Err(Fail { exit: Some(128 + signal), ..fail.with("loop_id", self.record.loop_id.as_str()) });
            }
        }
    }

    fn happened(&mut self, event: Event) -> Result<(), Fail> {
        self.record.state = step(self.record.state.clone(), event);
        self.record.publishing = None;
        self.save()
    }

    /// Publishes a private copy under a name that is stored before the file is made.
    fn publish(&mut self, private: &Path, folder: &Path, named: fn(&str, u32) -> String) -> Result<String, Fail> {
        let bytes = files::read_text(private, files::TEXT_LIMIT)?;
        loop {
            let path = match &self.record.publishing {
                Some(chosen) => PathBuf::from(chosen),
                None => {
                    let chosen = publish::choose(self.host, folder, named)?;
                    self.record.publishing = Some(chosen.to_string_lossy().into_owned());
                    self.save()?;
                    chosen
                }
            };
            if publish::publish(self.host, &path, &bytes)? {
                return Ok(path.to_string_lossy().into_owned());
            }
            self.record.publishing = None;
        }
    }

    /// The published copy of a private file, made again when somebody removed it; an edited one is nobody's evidence.
    fn still_published(&self, private: &Path, published: &Option<String>) -> Result<(), Fail> {
        let Some(published) = published else { return Ok(()) };
        let bytes = files::read_text(private, files::TEXT_LIMIT)?;
        let judged = self.record.report_sha256.as_ref().filter(|_| Some(published) == self.record.state.report.as_ref());
        if judged.is_some_and(|sha| *sha != sha256_hex(&bytes)) {
            let message = format!("the stored report `{}` is not what was judged", printable(&private.to_string_lossy()));
            return Err(Fail::new(Code::FileChanged, message).hint("start a new loop; nothing of this round can be trusted"));
        }
        if publish::publish(self.host, Path::new(published), &bytes)? {
            return Ok(());
        }
        let message = format!("the published report `{}` is not what this loop wrote", printable(published));
        Err(Fail::new(Code::FileChanged, message).hint("restore it, or remove it so that it is published again"))
    }

    fn save(&mut self) -> Result<(), Fail> {
        let file = self.dir.join("loop.json");
        if !file.exists() {
            let shown = printable(&self.dir.to_string_lossy());
            return Err(Fail::new(Code::StateMissing, format!("the loop's folder `{shown}` was removed while it ran")));
        }
        self.record.revision += 1;
        files::replace(self.host, &file, &loop_record::bytes(&self.record))
    }

    fn warn(&mut self, word: &str) {
        if !self.record.warnings.iter().any(|w| w == word) {
            self.record.warnings.push(word.to_owned());
            self.record.warnings.sort_unstable();
        }
    }

    fn file(&self, round: u64, what: &str) -> PathBuf {
        self.dir.join(format!("loop-{}-round-{round}.{what}", self.record.loop_id))
    }

    /// Our own folders: the root of all state, reports, responses.
    fn own(&self) -> Vec<PathBuf> {
        let s = &self.record.settings;
        let root = self.dir.ancestors().nth(3).unwrap_or(&self.dir);
        vec![root.to_path_buf(), PathBuf::from(&s.reports_dir), PathBuf::from(&s.responses_dir)]
    }

    fn text(path: &Path) -> Option<String> {
        Some(path.to_string_lossy().into_owned())
    }

    fn prior(&self) -> Result<Event, Fail> {
        let round = self.record.state.round;
        let request = render_prior_context::Request {
            state_file: Self::text(&self.file(round - 1, "state.json")),
            output: Self::text(&self.file(round, "prior.md")),
            max_bytes: None,
        };
        render_prior_context::run(&request, self.host)?;
        Ok(Event::PriorWritten)
    }

    fn plan(&self) -> Result<Event, Fail> {
        let s = &self.record.settings;
        let round = self.record.state.round;
        let request = plan_round::Request {
            round_number: Some(round.to_string()),
            loop_id: Some(self.record.loop_id.clone()),
            state_dir: Self::text(&self.dir),
            artifact_phase: Some(s.artifact_phase.clone()),
            risk: Some(s.risk.clone()),
            prior_rounds_file: if round > 1 { Self::text(&self.file(round, "prior.md")) } else { None },
            repo_root: Some(s.repo_root.clone()),
            base_commit: Some(s.base_commit.clone()),
            output: Self::text(&self.file(round, "plan.json")),
            own: self.own(),
            ..plan_round::Request::default()
        };
        plan_round::run(&request, self.host)?;
        Ok(Event::Planned)
    }

    fn review(&mut self) -> Result<Event, Fail> {
        let private = self.file(self.record.state.round, "review.md");
        if !private.exists() {
            match self.source().and_then(|report| self.same_surface().map(|()| report)) {
                Ok(report) => files::replace(self.host, &private, &report)?,
                Err(fail) => return self.source_failed(fail),
            }
        }
        let bytes = files::read_text(&private, files::TEXT_LIMIT)?;
        self.record.report_sha256 = Some(sha256_hex(&bytes));
        if let Err(fail) = judge(&read::review(&bytes), &private.to_string_lossy()) {
            // What cannot be judged is kept beside the loop and is no report of this round.
            let kept = self.file(self.record.state.round, &format!("refused-{}.md", self.record.state.failures + 1));
            files::replace(self.host, &kept, &bytes)?;
            files::remove(&private)?;
            return self.source_failed(fail);
        }
        let reports = PathBuf::from(&self.record.settings.reports_dir);
        let path = self.publish(&private, &reports, name::review)?;
        self.host.failpoint("review_published");
        Ok(Event::Reviewed(path))
    }

    /// A verdict counts only for what was there when the review began and is there when it ended.
    fn same_surface(&mut self) -> Result<(), Fail> {
        let plan = plan_round::read_plan(self.host, &self.file(self.record.state.round, "plan.json").to_string_lossy())?;
        let s = &self.record.settings;
        let checkout = Checkout::open(self.host, Path::new(&s.repo_root))?;
        let own = checkout.own(&self.own());
        let now = fingerprint_scope::scope_fingerprint(&checkout, &s.base_commit, &own)?;
        if plan.surface.surface_fingerprint.as_ref().is_none_or(|then| *then == now) {
            return Ok(());
        }
        self.warn("surface_changed_during_review");
        Err(Fail::new(Code::ChildFailed, "the tree was changed while it was reviewed; the verdict is of neither state"))
    }

    /// A source that failed is an operational failure of the round, but for faults of the caller or the repository.
    fn source_failed(&mut self, fail: Fail) -> Result<Event, Fail> {
        if child::signalled().is_some() {
            return Err(self.interrupted());
        }
        match fail.code {
            Code::ChildFailed | Code::InvalidReport | Code::GitFailed => {
                let word = if fail.code == Code::InvalidReport { "source_report_not_trusted" } else { "source_failed" };
                self.warn(word);
                terminal::progress(&fail.message);
                let log = self.file(self.record.state.round, &format!("failure-{}.json", self.record.state.failures + 1));
                let body = serde_json::json!({"code": fail.code.word(), "message": fail.message});
                files::replace(self.host, &log, &crate::wire::json::document(&body))?;
                Ok(Event::ReviewFailed)
            }
            _ => Err(fail),
        }
    }

    fn interrupted(&self) -> Fail {
        let signal = child::signalled().unwrap_or(15);
        let fail = Fail::new(Code::Interrupted, format!("ended by signal {signal} in round {}", self.record.state.round));
        Fail { exit: Some(128 + signal), ..fail.with("loop_id", self.record.loop_id.as_str()) }
    }

    fn source(&mut self) -> Result<Vec<u8>, Fail> {
        let s = &self.record.settings.clone();
        if s.source == "checks" {
            let request = review_checks::Request {
                repo_root: Path::new(&s.repo_root),
                base: &s.base_commit,
                own: &self.own(),
                trust_worktree: s.trust_worktree_checks,
            };
            let review = review_checks::run(&request, self.host)?;
            for warning in &review.warnings {
                self.warn(warning);
            }
            return Ok(check::report::render(&review, &time::date(self.host.now_ms())).into_bytes());
        }
        let round = self.record.state.round;
        let scope = self.scope_file(round)?;
        let written = self.file(round, "source.md");
        if written.exists() {
            files::remove(&written)?;
        }
        let ended = self.child(&s.source_argv, &BTreeMap::from([("{scope}", &scope), ("{report}", &written)]), Vec::new(), round)?;
        let approves = |bytes: &[u8]| judge(&read::review(bytes), "").is_ok_and(|j| j.verdict == RoundVerdict::Approve);
        let report = if written.exists() {
            let report = files::read_text(&written, files::TEXT_LIMIT)?;
            let against = judge(&read::review(&ended.stdout), "").is_ok_and(|j| j.verdict != RoundVerdict::Approve);
            if approves(&report) && against {
                return Err(Fail::new(Code::ChildFailed, "the source wrote an approval and printed findings; neither is taken"));
            }
            report
        } else {
            ended.stdout
        };
        if ended.code == Some(0) {
            return Ok(report);
        }
        // A reviewer may exit with 1 to say that it found something; one that dies never approves.
        let negative = judge(&read::review(&report), "").is_ok_and(|j| j.verdict != RoundVerdict::Approve);
        if ended.code == Some(1) && negative {
            return Ok(report);
        }
        Err(Fail::new(
            Code::ChildFailed,
            format!("the source ended with {}", ended.code.map_or_else(|| "a signal".to_owned(), |c| c.to_string())),
        ))
    }

    fn scope_file(&self, round: u64) -> Result<PathBuf, Fail> {
        let s = &self.record.settings;
        let (_, scope) = surface::files_of(self.host, Path::new(&s.repo_root), &s.base_commit, &self.own())?;
        let path = self.file(round, "scope.json");
        files::replace(self.host, &path, &crate::wire::json::document(&scope))?;
        Ok(path)
    }

    fn child(&self, argv: &[String], places: &BTreeMap<&str, &PathBuf>, stdin: Vec<u8>, round: u64) -> Result<child::Ended, Fail> {
        let fill = |word: &String| places.iter().fold(word.clone(), |w, (mark, path)| w.replace(mark, &path.to_string_lossy()));
        let argv: Vec<String> = argv.iter().map(fill).collect();
        let s = &self.record.settings;
        let prior = self.file(round, "prior.md");
        let mut env = vec![
            ("REVIEW_LOOP_ID", self.record.loop_id.clone()),
            ("REVIEW_LOOP_ROUND", round.to_string()),
            ("REVIEW_LOOP_BASE_COMMIT", s.base_commit.clone()),
        ];
        if prior.exists() {
            env.push(("REVIEW_LOOP_PRIOR_CONTEXT", prior.to_string_lossy().into_owned()));
        }
        let launch = Launch {
            argv: &argv,
            cwd: Path::new(&s.repo_root),
            env: &env,
            stdin,
            limit: Duration::from_secs(s.limit_s),
            keep: OUTPUT_LIMIT,
        };
        let ended = child::run(self.host, launch)?;
        if child::signalled().is_some() {
            return Err(self.interrupted());
        }
        if ended.timed_out {
            return Err(Fail::new(Code::ChildFailed, format!("`{}` was ended after {} s", printable(&argv[0]), s.limit_s)));
        }
        if ended.cut {
            return Err(Fail::new(Code::ChildFailed, format!("`{}` printed more than is read", printable(&argv[0]))));
        }
        Ok(ended)
    }

    /// Before Respond: whether it runs, and what ends the round at once.
    fn judge(&self) -> Result<Event, Fail> {
        let answer = self.decision(None, self.record.state.report.clone())?;
        if answer.action == stop::Action::Stop {
            return Ok(Event::Stop(answer.condition, answer.stop_reason.map(|r| r.word().to_owned()).unwrap_or_default()));
        }
        let wanted = answer.run_respond && self.record.settings.respond != "none";
        Ok(if wanted { Event::RespondWanted } else { Event::RespondSkipped })
    }

    fn respond(&mut self) -> Result<Event, Fail> {
        let round = self.record.state.round;
        let private = self.file(round, "response.md");
        if !private.exists() {
            self.happened(Event::RespondStarted)?;
            match self.responder(round) {
                Ok(text) => files::replace(self.host, &private, &text)?,
                Err(fail) if fail.code == Code::ChildFailed => {
                    self.warn("responder_failed");
                    return Ok(Event::RespondFailed);
                }
                Err(fail) => {
                    // Being asked to end is no failure of the responder.
                    if fail.code == Code::Interrupted {
                        self.record.state.responding = false;
                        self.save()?;
                    }
                    return Err(fail);
                }
            }
        }
        self.host.failpoint("response_stored");
        let responses = PathBuf::from(&self.record.settings.responses_dir);
        self.publish(&private, &responses, name::response).map(Event::Responded)
    }

    fn responder(&self, round: u64) -> Result<Vec<u8>, Fail> {
        let s = &self.record.settings;
        let report = PathBuf::from(self.record.state.report.clone().unwrap_or_default());
        let private = self.file(round, "review.md");
        self.still_published(&private, &self.record.state.report)?;
        let bytes = files::read_text(&private, files::TEXT_LIMIT)?;
        if s.respond == "fix" {
            let review = read::review(&bytes);
            // Who writes a report does not choose what is written: only files of this round's scope are touched.
            let (_, scope) = surface::files_of(self.host, Path::new(&s.repo_root), &s.base_commit, &self.own())?;
            let scope = scope.files.iter().filter_map(|f| std::str::from_utf8(&f.path).ok().map(str::to_owned)).collect();
            let journal = self.file(round, "fixes.json");
            let date = time::date(self.host.now_ms());
            let label = report.to_string_lossy();
            let request = respond_fix::Request {
                root: Path::new(&s.repo_root),
                report: &label,
                review: &review,
                scope,
                journal: &journal,
                date: &date,
            };
            return respond_fix::run(self.host, &request).map(String::into_bytes);
        }
        let scope = self.scope_file(round)?;
        let ended = self.child(&s.respond_argv, &BTreeMap::from([("{scope}", &scope), ("{report}", &report)]), bytes, round)?;
        if ended.code != Some(0) {
            return Err(Fail::new(
                Code::ChildFailed,
                format!("the responder ended with {}", ended.code.map_or_else(|| "a signal".to_owned(), |c| c.to_string())),
            ));
        }
        let read = response::read(&String::from_utf8_lossy(&ended.stdout));
        if read.contradictions.contains(&crate::base::reason::Contradiction::NoAnswer) {
            return Err(Fail::new(Code::ChildFailed, "the responder printed no response report"));
        }
        Ok(ended.stdout)
    }

    fn record_round(&mut self) -> Result<Event, Fail> {
        let round = self.record.state.round;
        self.still_published(&self.file(round, "review.md"), &self.record.state.report)?;
        self.still_published(&self.file(round, "response.md"), &self.record.state.response)?;
        let s = &self.record.settings;
        let request = record_round::Request {
            round_number: Some(round.to_string()),
            review_report: self.record.state.report.clone(),
            response_report: self.record.state.response.clone(),
            loop_id: Some(self.record.loop_id.clone()),
            base_commit: Some(s.base_commit.clone()),
            state_dir: Self::text(&self.dir),
            repo_root: Some(s.repo_root.clone()),
            // The seats of the plan are for model reviewers; a source of ours or a command is none of them.
            plan_file: None,
            ..record_round::Request::default()
        };
        let plan = plan_round::read_plan(self.host, &self.file(round, "plan.json").to_string_lossy())?;
        let answer = record_round::run_with_surface(&request, self.host, plan.surface)?;
        for warning in answer.warnings {
            self.warn(&warning);
        }
        Ok(Event::Recorded)
    }

    fn session_doc(&self) -> PathBuf {
        Path::new(&self.record.settings.reports_dir).join(format!("loop-{}-review.md", self.record.loop_id))
    }

    fn document(&self, summary: Option<&Path>) -> Result<Event, Fail> {
        if self.record.settings.session_doc {
            let request = render_session_doc::Request {
                loop_id: Some(self.record.loop_id.clone()),
                tmp_dir: Self::text(&self.dir),
                reports_dir: Some(self.record.settings.reports_dir.clone()),
                output: Self::text(&self.session_doc()),
                final_summary_file: summary.and_then(Self::text),
            };
            render_session_doc::run(&request, self.host)?;
        }
        Ok(Event::Documented)
    }

    fn decision(&self, current: Option<String>, report: Option<String>) -> Result<decide_round::Answer, Fail> {
        let round = self.record.state.round;
        let previous = self.file(round.saturating_sub(1), "state.json");
        let recorded = if current.is_some() || report.is_some() { round } else { round - 1 };
        let request = decide_round::Request {
            current,
            previous: if round > 1 { Self::text(&previous) } else { None },
            review_report: report,
            cap: Some(self.record.settings.cap.to_string()),
            rounds_executed: Some(recorded.to_string()),
            artifact_phase: Some(self.record.settings.artifact_phase.clone()),
            operational_failures: Some(self.record.state.failures.to_string()),
            user_choice: self.choice.clone(),
            implemented_count: self.told.clone(),
            ..decide_round::Request::default()
        };
        decide_round::run(&request, self.host)
    }

    fn decide(&mut self) -> Result<Decided, Fail> {
        let state = self.file(self.record.state.round, "state.json");
        let current = if self.record.state.recorded { Self::text(&state) } else { None };
        let answer = self.decision(current, None)?;
        // A choice answers one question; the next round asks anew.
        self.choice = self.choice.take().filter(|_| answer.action == stop::Action::Ask);
        self.told = self.told.take().filter(|_| answer.action == stop::Action::Ask);
        Ok(match (answer.action, answer.ask) {
            (stop::Action::Ask, Some(ask)) => Decided::Asks(ask),
            (stop::Action::Continue, _) if answer.retry_review => Decided::Event(Event::Retry),
            (stop::Action::Continue, _) => Decided::Event(Event::GoOn),
            _ => Decided::Event(Event::Stop(answer.condition, answer.stop_reason.map(|r| r.word().to_owned()).unwrap_or_default())),
        })
    }

    /// The closing documents: with a session document its last rendering, else one loop summary. Prior files go, states
    /// stay.
    fn close(&mut self) -> Result<Event, Fail> {
        let (rounds, _) = gather::rounds(&self.dir, &self.record.loop_id)?;
        if !rounds.is_empty() {
            let s = &self.record.settings;
            let json = self.dir.join("summary.json");
            let private = self.dir.join("summary.md");
            let request = summarize_loop::Request {
                loop_id: Some(self.record.loop_id.clone()),
                state_dir: Self::text(&self.dir),
                cap: Some(s.cap.to_string()),
                stop_reason: self.record.state.stop_reason.clone(),
                remaining: Vec::new(),
                output: None,
                json_output: Self::text(&json),
            };
            let answer = summarize_loop::run(&request, self.host)?;
            if s.session_doc {
                self.document(Some(&json))?;
            } else {
                let folder = PathBuf::from(&s.responses_dir);
                if !private.exists() {
                    let text = crate::round::summary::render(&answer.summary, &folder);
                    files::replace(self.host, &private, text.as_bytes())?;
                }
                self.record.summary = Some(self.publish(&private, &folder, name::summary)?);
            }
        }
        for round in 1..=self.record.state.round {
            let prior = self.file(round, "prior.md");
            if prior.exists() {
                files::remove(&prior)?;
            }
        }
        Ok(Event::Closed)
    }

    fn answer(&self) -> Result<Answer, Fail> {
        let (rounds, skipped) = gather::rounds(&self.dir, &self.record.loop_id)?;
        let s = &self.record.settings;
        let reason = self.record.state.stop_reason.clone().unwrap_or_default();
        let summary = summarize(&rounds, s.cap, &reason, &[]);
        let (history, remaining_work) = summary.map(|s| (s.rounds, s.remaining_work)).unwrap_or_default();
        let mut warnings = self.record.warnings.clone();
        if !skipped.is_empty() {
            warnings.push("state_skipped".to_owned());
            warnings.sort_unstable();
        }
        Ok(Answer {
            loop_id: Some(self.record.loop_id.clone()),
            verdict: rounds.last().map(|r| r.verdict),
            rounds: rounds.len(),
            stop_condition: self.record.state.condition,
            stop_reason: self.record.state.stop_reason.clone(),
            rounds_saved: s.cap.saturating_sub(rounds.len() as u64),
            history,
            remaining_work,
            files: Files {
                state_dir: self.dir.to_string_lossy().into_owned(),
                reports: rounds.iter().map(|r| r.round_review_report_path.clone()).collect(),
                responses: rounds.iter().filter_map(|r| r.response_report_path.clone()).collect(),
                session_doc: Some(self.session_doc()).filter(|p| s.session_doc && p.exists()).map(|p| p.to_string_lossy().into_owned()),
                summary: self.record.summary.clone(),
            },
            warnings,
            ..empty_answer(None)
        })
    }

    fn outcome(&self) -> Result<Outcome, Fail> {
        let answer = self.answer()?;
        let untrusted = matches!(self.record.state.condition, Some(4 | 6)) || answer.verdict.is_none();
        if untrusted {
            let fail = Fail::new(
                Code::NoTrustedVerdict,
                format!("the loop `{}` ended without a verdict that may be trusted", self.record.loop_id),
            );
            return Ok(Outcome::Untrusted(fail, answer));
        }
        let (rounds, _) = gather::rounds(&self.dir, &self.record.loop_id)?;
        let ready = self.record.state.stop_reason.as_deref() == Some("READY_FOR_IMPLEMENTATION");
        Ok(if ready || rounds.last().is_some_and(Round::is_clean) { Outcome::Clean(answer) } else { Outcome::NotClean(answer) })
    }
}

enum Decided {
    Event(Event),
    Asks(Ask),
}
