//! run-loop --loop design: the driver of a design loop. It calls the operations that the commands call and keeps nothing of its own: what
//! comes next follows from the record (design seed; issue 6). It commits, pushes and installs nothing.

mod lanes;

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use super::Ask;
use super::design_loop::{ArtifactFlags, Folder, Place, report, runs};
use super::{check_drift, close_design_loop, complete_design_round, open_design_loop, open_design_round};
use crate::base::{Code, Fail, number};
use crate::design::record::{Record, Status};
use crate::drive::design::{Action, next};
use crate::host::{Host, child, files, lock, terminal};
use crate::ops::gather;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The loop, and what it is opened with.
    pub open: open_design_loop::Request,
    /// The line the host belongs to: codex or claude.
    pub host_line: Option<String>,
    /// Another source for every lane: codex, claude or command.
    pub source: Option<String>,
    /// Program and arguments of `command`.
    pub source_argv: Option<String>,
    /// The client's model.
    pub model: Option<String>,
    /// How hard it thinks.
    pub effort: Option<String>,
    /// Program and arguments that answer what the loop asks of its author.
    pub respond_argv: Option<String>,
    /// Seconds a lane or an answer may take.
    pub limit_s: Option<String>,
    /// The run ledger.
    pub runs: runs::Flags,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// design.
    #[serde(rename = "loop")]
    pub kind: &'static str,
    /// The loop.
    pub loop_id: String,
    /// How it stands.
    pub status: Status,
    /// The rounds.
    pub rounds: usize,
    /// PASS when it converged, else REVISE.
    pub verdict: &'static str,
    /// What was done in this run.
    pub steps: Vec<String>,
    /// The record.
    pub state: String,
    /// Where answers to what the loop asks are put.
    pub handed: String,
    /// What the person decides by, at an end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<Value>,
}

/// How a run ended.
pub enum Outcome {
    /// It converged.
    Clean(Answer),
    /// A person decides, by the answer's `ask`.
    Gate(Answer),
    /// The author of the design has to hand something in.
    Asks(Answer, Ask),
}

/// What the author hands in, by its file.
struct Needed {
    code: &'static str,
    question: String,
    files: Vec<&'static str>,
}

struct Run<'a> {
    host: &'a Host,
    request: &'a Request,
    folder: Folder<'a>,
    limit_s: u64,
    steps: Vec<String>,
}

/// Runs a design loop to its end, or to what its author owes.
///
/// # Errors
/// Those of the operations, `INVALID_ARGUMENT`, `CHILD_FAILED`, `INTERRUPTED`.
pub fn run(request: &Request, host: &Host) -> Result<Outcome, Fail> {
    child::note_signals();
    let folder = Folder::find(host, &request.open.place)?;
    let limit = request.limit_s.as_deref().filter(|l| !l.is_empty());
    let limit_s = limit.map(|l| number::plain("--limit-s", l, 1..=86_400)).transpose()?.unwrap_or(3600);
    let mut run = Run { host, request, folder, limit_s, steps: Vec::new() };
    if run.folder.record()?.is_none() {
        open_design_loop::run(&request.open, host)?;
        run.steps.push("open".to_owned());
    }
    // Two drivers would take each other's sessions for dead.
    let lanes = run.folder.dir.join("lanes");
    files::make_private_below(&run.folder.dir, &lanes)?;
    let _alone = lock::hold(&Host { lock_wait_ms: 0, ..host.clone() }, &lanes).map_err(|fail| match fail.code {
        Code::LockBusy => Fail::new(Code::ReviewBusy, format!("the design loop `{}` is being driven already", run.folder.id)),
        _ => fail,
    })?;
    run.goes()
}

impl Run<'_> {
    fn desk(&self) -> lanes::Desk<'_> {
        lanes::Desk { host: self.host, request: self.request, folder: &self.folder, limit_s: self.limit_s }
    }

    fn place(&self) -> Place {
        Place { operation_id: None, ..self.request.open.place.clone() }
    }

    fn goes(&mut self) -> Result<Outcome, Fail> {
        loop {
            if let Some(signal) = child::signalled() {
                let mut fail = Fail::new(Code::Interrupted, "a signal ended the run; the record is kept");
                fail.exit = Some(128 + signal);
                return Err(fail);
            }
            let record = self.folder.opened()?;
            let number = record.rounds.len();
            let reconciles = self.request.respond_argv.is_some() || self.handed(number).join("reconciliation.json").exists();
            let action = next(&record, reconciles && !self.handed(number).join("reconciled").exists());
            terminal::progress(&format!("round {number}: {action:?}"));
            match action {
                Action::Done => return Ok(self.ended(&record)),
                Action::CheckDrift => {
                    let question = "does the artifact still serve the pinned objective, scope and root?";
                    let needed = Needed { code: "drift_check", question: question.to_owned(), files: vec!["drift.json"] };
                    if let Some(ask) = self.needs(&record, &needed)? {
                        return Ok(ask);
                    }
                    let input = Some(self.handed(number).join("drift.json").to_string_lossy().into_owned());
                    check_drift::run(&check_drift::Request { place: self.place(), round: None, input }, self.host)?;
                    self.steps.push(format!("check-drift {number}"));
                }
                Action::Dispatch(open) => {
                    let done = self.desk().dispatch(&record, &open)?;
                    self.steps.extend(done);
                }
                Action::Judge(class) => {
                    let done = self.desk().judge(&record, &class)?;
                    self.steps.push(done);
                }
                Action::Reconcile => self.reconcile(&record)?,
                Action::Complete => {
                    complete_design_round::run(
                        &complete_design_round::Request { place: self.place(), round: None, reconciliation: None },
                        self.host,
                    )?;
                    self.steps.push(format!("complete {number}"));
                }
                Action::Close(outcome) => {
                    let reason = (outcome == Status::Aborted).then(|| "the model lane failed three times".to_owned());
                    let request = close_design_loop::Request { place: self.place(), outcome: Some(outcome.word().to_owned()), reason };
                    close_design_loop::run(&request, self.host)?;
                    self.steps.push(format!("close {}", outcome.word()));
                }
                Action::Revise { confirms } => {
                    if let Some(ask) = self.revise(&record, confirms)? {
                        return Ok(ask);
                    }
                }
            }
        }
    }

    /// Where the author's answers of a round are put.
    fn handed(&self, round: usize) -> PathBuf {
        self.folder.dir.join(format!("handed/round-{round}"))
    }

    /// Asks the author for files that are not there: the responder, else whoever runs the loop.
    fn needs(&mut self, record: &Record, needed: &Needed) -> Result<Option<Outcome>, Fail> {
        let dir = self.handed(record.rounds.len());
        let missing = |dir: &PathBuf| needed.files.iter().any(|f| !dir.join(f).is_file());
        if !missing(&dir) {
            return Ok(None);
        }
        files::make_private_below(&self.folder.dir, &dir)?;
        if let Some(argv) = self.request.respond_argv.as_deref() {
            let argv = gather::argv(argv).ok_or_else(|| {
                Fail::new(Code::InvalidArgument, "`--respond-argv` is a JSON array of a program and its arguments, all texts")
            })?;
            self.respond(record, needed, &argv, &dir)?;
            if !missing(&dir) {
                return Ok(None);
            }
        }
        let files: Vec<String> = needed.files.iter().map(|f| dir.join(f).to_string_lossy().into_owned()).collect();
        let question = format!("{} Write {} and run the loop again.", needed.question, files.join(", "));
        let ask = Ask::new(
            needed.code,
            question,
            &[("hand_in", "write the files, then run the same command"), ("abort", "close-design-loop --outcome aborted")],
        );
        Ok(Some(Outcome::Asks(self.answer(record, None), ask)))
    }

    /// Runs the responder: what is asked on its standard input, files in the folder it is told.
    fn respond(&self, record: &Record, needed: &Needed, argv: &[String], dir: &std::path::Path) -> Result<(), Fail> {
        let number = record.rounds.len();
        let source = record.last().and_then(|r| r.artifact.source.clone()).unwrap_or_default();
        let asked = json!({
            "step": needed.code, "question": needed.question, "files": needed.files, "folder": dir.to_string_lossy(),
            "loop_id": record.loop_id, "round": number, "artifact_file": self.folder.top.join(source).to_string_lossy(),
            "objective": record.objective, "scope": record.scope, "runtime_root": record.runtime_root,
            "gate": report::ask(record),
        });
        let fill = |w: &String| w.replace("{dir}", &dir.to_string_lossy());
        let argv: Vec<String> = argv.iter().map(fill).collect();
        let env = [("REVIEW_LOOP_DESIGN_FOLDER", dir.to_string_lossy().into_owned())];
        let launch = child::Launch {
            argv: &argv,
            cwd: &self.folder.top,
            env: &env,
            stdin: serde_json::to_vec(&asked).unwrap_or_default(),
            limit: std::time::Duration::from_secs(self.limit_s),
            keep: 1 << 20,
        };
        let ended = child::run(self.host, launch)?;
        if ended.code != Some(0) || ended.timed_out {
            let how = if ended.timed_out { "was ended at its limit".to_owned() } else { format!("ended with {:?}", ended.code) };
            return Err(Fail::new(Code::ChildFailed, format!("the responder of `{}` {how}", needed.code)));
        }
        Ok(())
    }

    /// Has the scout's findings reconciled. One that has no disposition after that is answered by the next round.
    fn reconcile(&mut self, record: &Record) -> Result<(), Fail> {
        let number = record.rounds.len();
        let question = "what does each finding of the scout come to: folded, refuted or out of scope?".to_owned();
        let needed = Needed { code: "reconcile", question, files: vec!["reconciliation.json"] };
        self.needs(record, &needed)?;
        let file = self.handed(number).join("reconciliation.json");
        let reconciliation = file.is_file().then(|| file.to_string_lossy().into_owned());
        complete_design_round::run(&complete_design_round::Request { place: self.place(), round: None, reconciliation }, self.host)?;
        files::replace(self.host, &self.handed(number).join("reconciled"), b"")?;
        self.steps.push(format!("reconcile {number}"));
        Ok(())
    }

    /// Has the artifact revised and opens the next round.
    fn revise(&mut self, record: &Record, confirms: bool) -> Result<Option<Outcome>, Fail> {
        let number = record.rounds.len();
        let question = "revise the artifact: fold in every open blocker and unreconciled finding, and answer each.".to_owned();
        let needed = Needed { code: "revise", question, files: vec!["answers.json", "diff.md"] };
        if !confirms && let Some(ask) = self.needs(record, &needed)? {
            return Ok(Some(ask));
        }
        let dir = self.handed(number);
        if confirms {
            files::make_private_below(&self.folder.dir, &dir)?;
            files::replace(self.host, &dir.join("diff.md"), b"unchanged: every lane sees what the delta round saw\n")?;
            files::replace(self.host, &dir.join("answers.json"), b"[]\n")?;
        }
        let file = |name: &str| Some(dir.join(name).to_string_lossy().into_owned());
        let artifact = match (&self.request.open.artifact, record.last().and_then(|r| r.artifact.source.clone())) {
            (given, _) if given.revision.is_some() => given.clone(),
            (given, None) => given.clone(),
            (_, Some(source)) => {
                ArtifactFlags { file: Some(self.folder.top.join(source).to_string_lossy().into_owned()), revision: None, path: None }
            }
        };
        let request = open_design_round::Request {
            place: self.place(),
            artifact,
            diff: file("diff.md"),
            answers: file("answers.json"),
            affected: Vec::new(),
        };
        match open_design_round::run(&request, self.host) {
            Ok(_) => {
                self.steps.push(format!("open-design-round {}", number + 1));
                Ok(None)
            }
            // What was handed in is not enough: it is said, and asked for again.
            Err(fail) if matches!(fail.code, Code::IdenticalArtifact | Code::Unanswered | Code::InvalidArtifact) => {
                let ask = Ask::new(
                    "revise",
                    format!("{} ({})", needed.question, fail.message),
                    &[("hand_in", "mend the files, then run the same command")],
                );
                Ok(Some(Outcome::Asks(self.answer(record, None), ask)))
            }
            Err(fail) => Err(fail),
        }
    }

    fn ended(&self, record: &Record) -> Outcome {
        let answer = self.answer(record, Some(report::ask(record)));
        if record.status == Status::Converged { Outcome::Clean(answer) } else { Outcome::Gate(answer) }
    }

    fn answer(&self, record: &Record, ask: Option<Value>) -> Answer {
        Answer {
            kind: "design",
            loop_id: record.loop_id.clone(),
            status: record.status,
            rounds: record.rounds.len(),
            verdict: if record.status == Status::Converged { "PASS" } else { "REVISE" },
            steps: self.steps.clone(),
            state: self.folder.dir.join("state.json").to_string_lossy().into_owned(),
            handed: self.handed(record.rounds.len()).to_string_lossy().into_owned(),
            ask,
        }
    }
}
