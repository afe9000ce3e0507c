//! start-lane: an attempt is dispatched with its prompt, which carries the objective word for word; for the model lane the history of the
//! class it judges is printed (design seed, Steps 4; spec/design-loop.md §1.7 mark-running; issue 6).

use serde_json::{Map, Value, json};

use super::design_loop::runs::Flags;
use super::design_loop::{self, Change, Done, Folder, Place, handed_text, report};
use crate::base::digest::sha256_hex;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::design::aggregate;
use crate::design::record::{Engine, Failure, ModelLane, Record};
use crate::design::signals;
use crate::host::Host;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// The round.
    pub round: Option<String>,
    /// surgical, deep, scout or model.
    pub lane: Option<String>,
    /// The attempt.
    pub attempt_id: Option<String>,
    /// The class that the model lane judges; the only one that is owed else.
    pub class: Option<String>,
    /// The prompt.
    pub prompt: Option<String>,
    /// Who reviews.
    pub engine: Option<String>,
    /// With which model.
    pub model: Option<String>,
    /// How hard it thinks.
    pub effort: Option<String>,
    /// The run ledger.
    pub runs: Flags,
}

/// Starts an attempt.
///
/// # Errors
/// `ATTEMPT_MISMATCH`, `DRIFT_UNCHECKED`, `INVALID_ARGUMENT` for a prompt without the objective, `OUTCOME_REFUSED` for a model lane that
/// nothing calls for, those of an operation and of append-run.
pub fn run(request: &Request, host: &Host) -> Result<Done, Fail> {
    let folder = Folder::find(host, &request.place)?;
    let engine = design_loop::engine(request.engine.as_deref(), request.model.as_deref(), request.effort.as_deref())?;
    let prompt = handed_text(host, "prompt-file", request.prompt.as_deref())?;
    let prompt_sha256 = sha256_hex(prompt.as_bytes());
    let payload = json!({"round": request.round, "lane": request.lane, "attempt_id": request.attempt_id, "class": request.class,
        "prompt": prompt_sha256, "engine": engine});
    let apply = |folder: &Folder<'_>, record: &mut Option<Record>| -> Result<Map<String, Value>, Fail> {
        let record = design_loop::existing(folder, record)?;
        if !prompt.contains(&record.objective) {
            return Err(Fail::new(Code::InvalidArgument, "the prompt does not carry the pinned objective word for word"));
        }
        if request.lane.as_deref() == Some("model") {
            return model(folder, record, request, &engine, &prompt);
        }
        let lane = design_loop::lane(request.lane.as_deref())?;
        let round = design_loop::current(record, request.round.as_deref())?;
        design_loop::is_current(round, lane, request.attempt_id.as_deref())?;
        if round.drift_check.as_ref().is_none_or(|d| d.drifted) {
            return Err(Fail::new(Code::DriftUnchecked, format!("round {} has no drift check that held", round.round)));
        }
        if round.state(lane) != "admitted" || round.failure(lane).is_some() {
            let message = format!("the attempt is {} already", if round.failure(lane).is_some() { "failed" } else { round.state(lane) });
            return Err(Fail::new(Code::AttemptMismatch, message));
        }
        let attempt = round.attempt(lane).unwrap_or_default().to_owned();
        request.runs.launch(folder, round, lane.word(), &attempt, &engine)?;
        folder.host.failpoint("lane-launched");
        let now = folder.now();
        let block = round.lane_mut(lane);
        block.insert("state".to_owned(), json!("running"));
        block.insert("started_at".to_owned(), json!(now));
        block.insert("requested".to_owned(), json!(engine));
        block.insert("prompt_sha256".to_owned(), json!(prompt_sha256));
        round.phase = crate::design::record::Phase::Collecting;
        Ok(Map::from_iter([("lane".to_owned(), json!(lane)), ("attempt_id".to_owned(), json!(attempt))]))
    };
    let change = Change { command: "start-lane", payload, on_ruins: false, apply: Box::new(apply) };
    design_loop::operate(&folder, &request.place, change)
}

/// Starts the judgement of a mechanism; one that is running is given up as died.
fn model(
    folder: &Folder<'_>,
    record: &mut Record,
    request: &Request,
    engine: &Engine,
    prompt_text: &str,
) -> Result<Map<String, Value>, Fail> {
    let round = design_loop::current(record, request.round.as_deref())?.clone();
    let owed = aggregate::model_owed(record);
    let named = request.class.as_deref().filter(|c| !c.is_empty()).map(signals::folded);
    let class = match (named, &owed[..]) {
        (Some(class), _) if owed.contains(&class) => class,
        (None, [class]) => class.clone(),
        (_, []) => return Err(Fail::new(Code::OutcomeRefused, "no class of defects has moved: the model lane is no correctness round")),
        _ => {
            let shown: Vec<String> = owed.iter().map(|c| printable(c)).collect();
            return Err(Fail::new(Code::InvalidArgument, format!("`--class` is one of {}", shown.join(", "))).with("classes", shown));
        }
    };
    let question = report::model_question(record, &class);
    let places = signals::history(&record.blockers(), &class).into_iter().flat_map(|p| p.locations);
    let unsaid: Vec<String> = places.filter(|place| !prompt_text.contains(place.as_str())).collect();
    if let Some(first) = unsaid.first() {
        let message = format!("the prompt of the model lane does not hold the history: `{}` is missing", printable(first));
        return Err(Fail::new(Code::InvalidArgument, message).with("model", question));
    }
    let now = folder.now();
    for running in record.model_lanes.iter_mut().filter(|m| m.state == "running" && signals::folded(&m.class) == class) {
        running.state = "failed".to_owned();
        running.failure = Some(Failure::Died);
        running.finished_at = Some(now.clone());
        request.runs.settle(folder, &running.attempt_id, "blocked", "none", Vec::new(), "died: another one was started")?;
    }
    // The same operation, repeated after a kill, names the same attempt: its launch may be in the run ledger already.
    let attempt = folder.attempt_id("model", record.rounds.len(), &format!("{}-{}", record.opened_at, record.model_lanes.len()));
    request.runs.launch(folder, &round, "model", &attempt, engine)?;
    folder.host.failpoint("lane-launched");
    record.model_lanes.push(ModelLane {
        attempt_id: attempt.clone(),
        state: "running".to_owned(),
        class: class.clone(),
        after_round: record.rounds.len() as u64,
        history: signals::history(&record.blockers(), &class),
        started_at: now,
        requested: engine.clone(),
        actual: None,
        deviation: None,
        finished_at: None,
        prompt_sha256: Some(sha256_hex(prompt_text.as_bytes())),
        output_sha256: None,
        failure: None,
        outcome: None,
        rationale: None,
        evidence: None,
    });
    Ok(Map::from_iter([("lane".to_owned(), json!("model")), ("attempt_id".to_owned(), json!(attempt)), ("model".to_owned(), question)]))
}
