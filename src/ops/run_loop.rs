//! run-loop: a whole rounds loop end to end, with the very same operations the commands run, resumable after a kill.
//!
//! The loop's record is written after every action; the pure driver says what follows. Whatever an action writes is
//! written once: a private copy in the loop's folder first, then the published one (house.md; issue 2).

mod closing;
mod keep;
mod launch;
mod opening;
mod respond;
mod review;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::checkout::Checkout;
use super::{Ask, decide_round, gather, plan_round, record_round, render_prior_context};
use crate::base::path::printable;
use crate::base::verdict::RoundVerdict;
use crate::base::{Code, Fail};
use crate::drive::rounds::{Action, Event};
use crate::host::{Host, child, terminal};
use crate::round::stop;
use crate::round::summary::RoundLine;
use crate::wire::loop_record::LoopRecord;
use opening::Opened;

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
    /// The codes of the questions that the choice answers.
    pub answered: Vec<String>,
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
        return Err(Fail::new(Code::InvalidArgument, format!("`--loop {}` is unknown; there are rounds and resolution", printable(other))));
    }
    let folder = host.absolute(Some(request.repo_root.as_deref().unwrap_or(".")), "repository root")?;
    let checkout = Checkout::open(host, &folder)?;
    let root = host.state_root(request.state_dir.as_deref())?;
    let opened = match gather::loop_id(request.loop_id.as_deref())? {
        Some(id) => opening::resume(request, host, &root, &checkout, &id)?,
        None => opening::start(request, host, &root, &checkout)?,
    };
    drop(checkout);
    let (dir, record, _held) = match opened {
        Opened::Loop(dir, record, held) => (dir, *record, held),
        Opened::Asks(answer, ask) => return Ok(Outcome::Asks(*answer, ask)),
    };
    let mut run = Run {
        host,
        dir,
        record,
        choice: request.user_choice.clone(),
        answered: request.answered.clone(),
        told: request.implemented_count.clone(),
    };
    run.drive()
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

/// A run under way.
struct Run<'a> {
    host: &'a Host,
    dir: PathBuf,
    record: LoopRecord,
    choice: Option<String>,
    answered: Vec<String>,
    told: Option<String>,
}

enum Decided {
    Event(Event),
    Asks(Ask),
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
                    Decided::Asks(ask) => return Ok(Outcome::Asks(self.answer()?.0, ask)),
                },
                Action::Close => self.close()?,
                Action::Done => return self.outcome(),
            };
            self.happened(event)?;
            if child::signalled().is_some() {
                return Err(self.interrupted());
            }
        }
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
            answered: self.answered.clone(),
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
        if self.choice.is_none() {
            self.answered.clear();
        }
        self.told = self.told.take().filter(|_| answer.action == stop::Action::Ask);
        Ok(match (answer.action, answer.ask) {
            (stop::Action::Ask, Some(ask)) => Decided::Asks(ask),
            (stop::Action::Continue, _) if answer.retry_review => Decided::Event(Event::Retry),
            (stop::Action::Continue, _) => Decided::Event(Event::GoOn),
            _ => Decided::Event(Event::Stop(answer.condition, answer.stop_reason.map(|r| r.word().to_owned()).unwrap_or_default())),
        })
    }

    fn interrupted(&self) -> Fail {
        let signal = child::signalled().unwrap_or(15);
        let fail = Fail::new(Code::Interrupted, format!("ended by signal {signal} in round {}", self.record.state.round));
        Fail { exit: Some(128 + signal), ..fail.with("loop_id", self.record.loop_id.as_str()) }
    }
}
