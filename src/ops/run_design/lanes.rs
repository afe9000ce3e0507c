//! Lanes as fresh sessions: who takes which, how it is told, and what its output comes to. A lane whose process died, erred or ran into its
//! limit is a failed attempt, and so is one whose output cannot be read as a result (design seed, Hardening invariants 5 and 7).

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::Request;
use crate::base::{Code, Fail, Kind};
use crate::design::gate_line;
use crate::design::prompt::{self, Where};
use crate::design::record::{Failure, Lane, Record};
use crate::host::{Host, files};
use crate::ops::design_loop::{Folder, Place, report};
use crate::ops::provider::{self, Came, Provider, Session};
use crate::ops::{fail_lane, record_lane, resolve_agents_mode, retry_lane, start_lane};

/// What lanes are run with.
pub(super) struct Desk<'a> {
    pub(super) host: &'a Host,
    pub(super) request: &'a Request,
    pub(super) folder: &'a Folder<'a>,
    /// Seconds a session may take.
    pub(super) limit_s: u64,
}

/// What of a lane is to be run.
enum Admitted {
    /// This attempt.
    Run(String),
    /// Nothing: its result was there.
    In(String),
    /// Nothing more.
    OutOfRetries,
}

/// A lane that was started and is to be run.
struct Ready {
    lane: &'static str,
    attempt: String,
    taken: Taken,
    text: String,
    dir: PathBuf,
}

/// Who takes a lane, where it works, and how many opinions are asked for.
struct Taken {
    provider: Provider,
    neutral: bool,
    opinions: u64,
}

impl Desk<'_> {
    /// Runs the lanes that are open, side by side unless the project says otherwise. Gives what was done, in the lanes' order. Whatever
    /// one lane comes to, the others are recorded.
    ///
    /// # Errors
    /// Those of the operations; `CHILD_FAILED` when a session cannot be started.
    pub(super) fn dispatch(&self, record: &Record, open: &[Lane]) -> Result<Vec<String>, Fail> {
        let settings = resolve_agents_mode::run(&settings(self.request), self.host)?;
        // Who takes each lane is settled before any attempt is made.
        let taken: Vec<Taken> = open.iter().map(|lane| self.takes(&settings, lane.word())).collect::<Result<_, Fail>>()?;
        let (mut ready, mut steps) = (Vec::new(), Vec::new());
        for (lane, taken) in open.iter().copied().zip(taken) {
            let attempt = match self.admitted(record, lane)? {
                Admitted::Run(attempt) => attempt,
                Admitted::In(step) => {
                    steps.push(step);
                    continue;
                }
                Admitted::OutOfRetries => {
                    steps.push(format!("{} is out of retries", lane.word()));
                    return Ok(steps);
                }
            };
            let dir = self.session_dir(&attempt)?;
            let artifact = self.artifact_file(record, &dir)?;
            let at = Where { artifact: &artifact, repository: &self.folder.top.to_string_lossy() };
            let text = prompt::of_lane(record, lane, &record.raised_by(record.rounds.len().saturating_sub(1), lane), &at);
            self.start(lane.word(), &attempt, &taken.provider, &text, &dir, None)?;
            ready.push(Ready { lane: lane.word(), attempt, taken, text, dir });
        }
        let came: Vec<Result<Vec<Came>, Fail>> = if settings.values.get("parallelMode").is_some_and(|m| m == "manual") {
            ready.iter().map(|one| self.opinions(one)).collect()
        } else {
            std::thread::scope(|scope| {
                let running: Vec<_> = ready.iter().map(|one| scope.spawn(move || self.opinions(one))).collect();
                let lost = || Err(Fail::new(Code::Internal, "a lane's supervisor panicked"));
                running.into_iter().map(|r| r.join().unwrap_or_else(|_| lost())).collect()
            })
        };
        // In the lanes' order, whatever order they ended in: concurrent or not, the record is the same.
        let taken: Vec<Result<String, Fail>> = ready.iter().zip(came).map(|(one, came)| self.take(record, one, came)).collect();
        for step in taken {
            steps.push(step?);
        }
        Ok(steps)
    }

    /// Has the mechanism behind a class judged.
    ///
    /// # Errors
    /// As [`Desk::dispatch`].
    pub(super) fn judge(&self, record: &Record, class: &str) -> Result<String, Fail> {
        let settings = resolve_agents_mode::run(&settings(self.request), self.host)?;
        let taken = Taken { opinions: 1, ..self.takes(&settings, "model")? };
        let dir = self.session_dir(&format!("model-{}-{}", record.rounds.len(), record.model_lanes.len()))?;
        let artifact = self.artifact_file(record, &dir)?;
        let question = report::model_question(record, class);
        let text = prompt::of_model(record, &question, &Where { artifact: &artifact, repository: &self.folder.top.to_string_lossy() });
        let attempt = self.start("model", "", &taken.provider, &text, &dir, Some(class))?;
        let one = Ready { lane: "model", attempt, taken, text, dir };
        self.take(record, &one, self.opinions(&one))
    }

    fn place(&self) -> Place {
        Place { operation_id: None, ..self.request.open.place.clone() }
    }

    /// What of a lane is to be run: its current attempt, or a fresh one behind a failure. One whose session ended before this run took
    /// its result is taken now.
    fn admitted(&self, record: &Record, lane: Lane) -> Result<Admitted, Fail> {
        let current = self.folder.opened()?;
        let round = current.last().ok_or_else(|| Fail::new(Code::StateMissing, "the loop has no round"))?;
        let attempt = round.attempt(lane).unwrap_or_default().to_owned();
        if round.failure(lane).is_none() && round.state(lane) != "running" {
            return Ok(Admitted::Run(attempt));
        }
        if round.failure(lane).is_none() {
            let dir = self.session_dir(&attempt)?;
            if dir.join("said.md").is_file()
                && let Ok(step) = self.recorded(record, lane.word(), &attempt, &dir)
            {
                return Ok(Admitted::In(step));
            }
            // No other driver is at work, and this one leaves none behind.
            self.fail(lane.word(), &attempt, Failure::Died, "its process is gone", None)?;
        }
        let retry =
            retry_lane::Request { place: self.place(), round: None, lane: Some(lane.word().to_owned()), failed_attempt_id: Some(attempt) };
        match retry_lane::run(&retry, self.host) {
            Err(fail) if fail.code == Code::RetryBudgetExhausted => Ok(Admitted::OutOfRetries),
            other => Ok(Admitted::Run(other?.receipt["attempt_id"].as_str().unwrap_or_default().to_owned())),
        }
    }

    /// The folder of a session, below the loop's.
    fn session_dir(&self, name: &str) -> Result<PathBuf, Fail> {
        let dir = self.folder.dir.join("lanes").join(name);
        files::make_private_below(&self.folder.dir, &dir)?;
        Ok(dir)
    }
}

fn settings(request: &Request) -> resolve_agents_mode::Request {
    resolve_agents_mode::Request { repo: request.open.place.repo.clone(), ..resolve_agents_mode::Request::default() }
}

impl Desk<'_> {
    /// Who takes a lane: whom the caller names for all, else the host's own line for the surgical angle and the scout, and for the deep and the
    /// model angle whom agents-mode chooses. One that cannot be run is never replaced by another.
    fn takes(&self, settings: &resolve_agents_mode::Answer, lane: &str) -> Result<Taken, Fail> {
        let (host, request) = (self.host, self.request);
        let given = |v: &Option<String>| v.clone().filter(|v| !v.is_empty());
        let line = given(&request.host_line);
        let strategic = matches!(lane, "deep" | "model");
        let named = given(&request.source);
        let mut opinions = 1;
        let name = match (&named, line) {
            (Some(named), _) => named.clone(),
            (None, None) => {
                let message = "`--host-line` is codex or claude, or `--source` names who reviews every lane";
                return Err(Fail::new(Code::InvalidArgument, message));
            }
            (None, Some(line)) if !strategic => line,
            (None, Some(line)) => {
                let asked = resolve_agents_mode::Request {
                    lane: Some("advisory.design-adr".to_owned()),
                    host_line: Some(line),
                    ..self::settings(request)
                };
                let chosen = resolve_agents_mode::run(&asked, host)?.dispatch;
                opinions = chosen.as_ref().map_or(1, |c| c.opinions);
                chosen.and_then(|c| c.provider).filter(|p| matches!(p.as_str(), "codex" | "claude")).ok_or_else(|| {
                    Fail::new(Code::InvalidAgentsMode, format!("no provider that can be run is set for `{lane}`"))
                        .with("problems", json!([]))
                })?
            }
        };
        let text = |key: &str| settings.values.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let profile = match name.as_str() {
            "codex" => text("externalCodexProfile"),
            "claude" => text("externalClaudeProfile"),
            _ => String::new(),
        };
        // A profile is a model and how hard it thinks; the model is only named when the project pins it.
        let (model, effort) = profile.rsplit_once('-').filter(|(_, e)| matches!(*e, "high" | "xhigh" | "max")).unwrap_or(("", ""));
        let pinned = text("externalModelMode") == "pinned-top-pro";
        let model = given(&request.model).or_else(|| Some(model.to_owned()).filter(|m| pinned && !m.is_empty()));
        let effort = given(&request.effort).or_else(|| Some(effort.to_owned()).filter(|e| !e.is_empty()));
        let argv = match given(&request.source_argv) {
            None => Vec::new(),
            Some(argv) => crate::ops::gather::argv(&argv).ok_or_else(|| {
                Fail::new(Code::InvalidArgument, "`--source-argv` is a JSON array of a program and its arguments, all texts")
            })?,
        };
        let key = if name == "codex" { "externalCodexWorkdirMode" } else { "externalClaudeWorkdirMode" };
        let argv: Vec<String> = argv.iter().map(|w| w.replace("{lane}", lane)).collect();
        Ok(Taken { provider: provider::of(Some(&name), &argv, model, effort)?, neutral: text(key) != "project", opinions })
    }

    /// The frozen artifact as a file that a lane can read.
    fn artifact_file(&self, record: &Record, dir: &Path) -> Result<String, Fail> {
        let Some(round) = record.last() else { return Err(Fail::new(Code::StateMissing, "the loop has no round")) };
        if let Some(snapshot) = &round.artifact.snapshot {
            return Ok(self.folder.dir.join(snapshot).to_string_lossy().into_owned());
        }
        let gone = || Fail::new(Code::ArtifactMutated, format!("`{}` no longer holds the artifact", round.artifact.revision));
        let bytes = self.folder.content(&round.artifact)?.ok_or_else(gone)?;
        let copy = dir.join("artifact.md");
        files::replace(self.host, &copy, &bytes)?;
        Ok(copy.to_string_lossy().into_owned())
    }

    /// Starts an attempt with its prompt; gives its id.
    fn start(&self, lane: &str, attempt: &str, provider: &Provider, text: &str, dir: &Path, class: Option<&str>) -> Result<String, Fail> {
        let file = dir.join("prompt.md");
        files::replace(self.host, &file, text.as_bytes())?;
        let started = start_lane::Request {
            place: self.place(),
            round: None,
            lane: Some(lane.to_owned()),
            attempt_id: Some(attempt.to_owned()),
            class: class.map(str::to_owned),
            prompt: Some(file.to_string_lossy().into_owned()),
            engine: Some(provider.name.word().to_owned()),
            model: provider.model.clone(),
            effort: provider.effort.clone(),
            runs: self.request.runs.clone(),
        };
        let done = start_lane::run(&started, self.host)?;
        Ok(done.receipt["attempt_id"].as_str().unwrap_or_default().to_owned())
    }

    /// Runs as many sessions as opinions are asked for, one after the other, each in a folder of its own.
    fn opinions(&self, one: &Ready) -> Result<Vec<Came>, Fail> {
        let limit = || Duration::from_secs(self.limit_s);
        let mut came = Vec::new();
        for n in 1..=one.taken.opinions.max(1) {
            let own = if n == 1 { one.dir.clone() } else { one.dir.join(format!("opinion-{n}")) };
            files::make_private_below(&self.folder.dir, &own)?;
            files::replace(self.host, &own.join("prompt.md"), one.text.as_bytes())?;
            let empty = self.host.scratch()?;
            let top: &Path = if one.taken.neutral { empty.path() } else { &self.folder.top };
            let env = [("REVIEW_LOOP_LANE_ACTIVE", "1".to_owned())];
            let reads = Some(self.folder.top.as_path());
            let session = Session { dir: &own, top, prompt: &one.text, env: &env, assesses: true, reads, limit: &limit };
            came.push(provider::run(&one.taken.provider, &session, self.host)?);
        }
        Ok(came)
    }

    /// Records what sessions came to, or that the attempt failed.
    fn take(&self, record: &Record, one: &Ready, came: Result<Vec<Came>, Fail>) -> Result<String, Fail> {
        let (lane, dir) = (one.lane, &one.dir);
        let came = match came {
            // Nothing could be started: that is said, and the attempt has failed.
            Err(fail) => {
                self.fail(lane, &one.attempt, Failure::Error, &fail.message, None)?;
                return Err(fail);
            }
            Ok(came) => came,
        };
        let output = came.iter().map(|c| c.text.as_str()).collect::<Vec<_>>().join("\n\n");
        let file = dir.join("output.md");
        files::replace(self.host, &file, output.as_bytes())?;
        let failed = |kind: Failure, why: &str| {
            self.fail(lane, &one.attempt, kind, why, Some(&file))?;
            Ok(format!("{lane} failed: {why}"))
        };
        if crate::host::child::signalled().is_some() {
            return failed(Failure::Died, "the run was interrupted");
        }
        if came.iter().any(|c| c.ended.timed_out) {
            return failed(Failure::Limit, "it ran into its limit");
        }
        if came.iter().any(|c| c.ended.signal.is_some()) {
            return failed(Failure::Died, "a signal ended it");
        }
        if came.iter().any(|c| !c.went_through) {
            return failed(Failure::Error, "its client reports an error");
        }
        let results: Vec<Value> = match came.iter().map(|c| result(&c.text)).collect::<Option<_>>() {
            Some(results) => results,
            None => return failed(Failure::Error, "its output holds no result that can be read"),
        };
        // Several opinions pass when each of them passes, and each of them says so at its end.
        let verdicts = matches!(lane, "surgical" | "deep");
        if verdicts
            && came.iter().zip(&results).any(|(c, r)| gate_line::read(0, &c.text, "").gate != r["verdict"].as_str().unwrap_or_default())
        {
            return failed(Failure::Error, "its last line and its result do not agree");
        }
        // Each opinion is held to what one alone would be.
        if let Some(lane) = Lane::parse(lane).filter(|_| results.len() > 1) {
            let bad = results.iter().filter_map(Value::as_object).flat_map(|r| record_lane::offences(record, lane, r)).next();
            if let Some(bad) = bad {
                return failed(Failure::Error, &format!("one of its opinions breaks a rule: {}", bad.message));
            }
        }
        let merged = merged(results);
        let result_file = dir.join("result.json");
        files::replace(self.host, &result_file, &serde_json::to_vec_pretty(&merged).unwrap_or_default())?;
        let said = dir.join("said.md");
        // What is recorded states one verdict: that of all opinions.
        let line = if verdicts { format!("\n\nGATE: {}\n", merged["verdict"].as_str().unwrap_or_default()) } else { String::new() };
        let spoken = if came.len() > 1 { output.replace("GATE:", "gate of one opinion:") + &line } else { output.clone() };
        files::replace(self.host, &said, spoken.as_bytes())?;
        match self.recorded(record, lane, &one.attempt, dir) {
            Ok(step) => Ok(step),
            // Whatever is wrong with what it said is the lane's to say better.
            Err(refused) if refused.code.kind() != Kind::World && refused.code != Code::Internal => {
                failed(Failure::Error, &refused.message)
            }
            Err(other) => Err(other),
        }
    }

    /// Records what is kept in a session's folder: its result, and what it said.
    fn recorded(&self, record: &Record, lane: &str, attempt: &str, dir: &Path) -> Result<String, Fail> {
        let recorded = record_lane::Request {
            place: self.place(),
            round: None,
            lane: Some(lane.to_owned()),
            attempt_id: Some(attempt.to_owned()),
            artifact_revision: record.last().map(|r| r.artifact.revision.clone()),
            result: Some(dir.join("result.json").to_string_lossy().into_owned()),
            output: Some(dir.join("said.md").to_string_lossy().into_owned()),
            exit_code: None,
            engine: None,
            model: None,
            effort: None,
            deviation: None,
            runs: self.request.runs.clone(),
        };
        let done = record_lane::run(&recorded, self.host)?;
        let word = done.receipt.get("gate").or(done.receipt.get("outcome")).and_then(Value::as_str);
        Ok(format!("{lane}: {}", word.unwrap_or("recorded")))
    }

    /// Records that an attempt failed.
    fn fail(&self, lane: &str, attempt: &str, failure: Failure, why: &str, output: Option<&Path>) -> Result<(), Fail> {
        let failed = fail_lane::Request {
            place: self.place(),
            round: None,
            lane: Some(lane.to_owned()),
            attempt_id: Some(attempt.to_owned()),
            failure: Some(failure.word().to_owned()),
            reason: Some(crate::base::path::printable(why)),
            output: output.map(|o| o.to_string_lossy().into_owned()),
            runs: self.request.runs.clone(),
        };
        fail_lane::run(&failed, self.host)?;
        Ok(())
    }
}

/// The result in an output: its last JSON object that holds what a result holds; none when two of them differ in their verdict.
fn result(text: &str) -> Option<Value> {
    let fits = |v: &Value| v.is_object() && ["verdict", "findings", "outcome"].iter().any(|k| v.get(*k).is_some());
    if let Ok(whole) = crate::wire::json::parse(text.trim().as_bytes())
        && fits(&whole)
    {
        return Some(whole);
    }
    let blocks = crate::design::answer::blocks(text);
    let mut all = blocks.iter().filter_map(|block| crate::wire::json::parse(block.as_bytes()).ok().filter(fits));
    let first = all.next()?;
    // Two results that say different things are none.
    let mut last = first.clone();
    for next in all {
        if next["verdict"] != first["verdict"] {
            return None;
        }
        last = next;
    }
    Some(last)
}

/// Several results as one: PASS when each passes, and everything that any of them found.
fn merged(mut results: Vec<Value>) -> Value {
    if results.len() == 1 {
        return results.remove(0);
    }
    let pick = results.iter().position(|r| r["verdict"] != "PASS").unwrap_or(0);
    let mut all = results[pick].clone();
    // The worst answer to each question holds.
    for question in crate::design::aggregate::QUESTIONS {
        let rank = |r: &&Value| match r[question]["answer"].as_str() {
            Some("yes") => 0,
            Some("partial") => 1,
            _ => 2,
        };
        if let Some(worst) = results.iter().max_by_key(rank) {
            all[question] = worst[question].clone();
        }
    }
    for key in ["blockers", "findings"] {
        let mut known: std::collections::BTreeMap<String, Value> = std::collections::BTreeMap::new();
        for (n, item) in results.iter().enumerate().flat_map(|(n, r)| r[key].as_array().into_iter().flatten().map(move |i| (n, i.clone())))
        {
            let id = item["id"].as_str().unwrap_or_default().to_owned();
            match known.get(&id) {
                // An open one is open, whoever says that it is resolved; another thing under the same id gets an id of its own.
                Some(same) if same["location"] == item["location"] => {
                    if item["status"] == "open" {
                        known.insert(id, item);
                    }
                }
                Some(_) => {
                    let mut item = item;
                    let own = format!("{id}.{}", n + 1);
                    item["id"] = json!(own);
                    known.insert(own, item);
                }
                None => drop(known.insert(id, item)),
            }
        }
        if all.get(key).is_some() || !known.is_empty() {
            all[key] = Value::Array(known.into_values().collect());
        }
    }
    all
}
