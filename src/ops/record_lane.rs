//! record-lane: what an attempt came to, bound to its output and to what it reviewed (spec/design-loop.md §1.7 record-result; issue 6).

use serde_json::{Map, Value, json};

use super::design_loop::runs::Flags;
use super::design_loop::{self, Change, Done, Folder, Place, handed};
use crate::base::digest::sha256_hex;
use crate::base::{Code, Fail, number};
use crate::design::gate_line;
use crate::design::record::{Engine, Lane, Phase, Record};
use crate::design::specific::is_specific;
use crate::host::Host;
use crate::wire::design_loop::object;

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
    /// What it reviewed.
    pub artifact_revision: Option<String>,
    /// The result.
    pub result: Option<String>,
    /// What the run gave out.
    pub output: Option<String>,
    /// How the run ended.
    pub exit_code: Option<String>,
    /// Who reviewed, when it is another one than was asked for.
    pub engine: Option<String>,
    /// With which model.
    pub model: Option<String>,
    /// How hard it thought.
    pub effort: Option<String>,
    /// Why it is another one.
    pub deviation: Option<String>,
    /// The run ledger.
    pub runs: Flags,
}

/// Records a result.
///
/// # Errors
/// `ATTEMPT_MISMATCH`, `REVISION_MISMATCH`, `INVALID_RESULT` with `violations`, those of an operation and of settle-run.
pub fn run(request: &Request, host: &Host) -> Result<Done, Fail> {
    let folder = Folder::find(host, &request.place)?;
    let result = object(&handed(host, "result-file", request.result.as_deref())?, "result")?;
    let output = handed(host, "output-file", request.output.as_deref())?;
    let output_sha256 = sha256_hex(&output);
    let exit = request.exit_code.as_deref().filter(|c| !c.is_empty()).map(|c| number::plain("--exit-code", c, 0..=255)).transpose()?;
    if exit.is_some_and(|code| code != 0) {
        return Err(refused("the run ended with an error: that is a failed lane, and no result"));
    }
    let payload = json!({"round": request.round, "lane": request.lane, "attempt_id": request.attempt_id, "result": result,
        "revision": request.artifact_revision, "output": output_sha256, "engine": [request.engine, request.model, request.effort, request.deviation]});
    let said = String::from_utf8_lossy(&output).into_owned();
    let taken = Taken { request, result, said, output_sha256 };
    let apply = |folder: &Folder<'_>, record: &mut Option<Record>| -> Result<Map<String, Value>, Fail> {
        let record = design_loop::existing(folder, record)?;
        if request.lane.as_deref() == Some("model") { taken.model(folder, record) } else { taken.lane(folder, record) }
    };
    let change = Change { command: "record-lane", payload, on_ruins: false, apply: Box::new(apply) };
    design_loop::operate(&folder, &request.place, change)
}

/// What is wrong with a result, were it recorded for a lane of the last round.
pub fn offences(record: &Record, lane: Lane, result: &Map<String, Value>) -> Vec<crate::design::ledger::Violation> {
    let mut record = record.clone();
    let at = record.opened_at.clone();
    let Some(round) = record.rounds.last_mut() else { return Vec::new() };
    let engine = json!({"engine": "one", "model": null, "effort": null});
    let hash = "0".repeat(64);
    let block = round.lane_mut(lane);
    block.extend(result.clone());
    for (key, value) in [
        ("state", json!("complete")),
        ("started_at", json!(at)),
        ("finished_at", json!(at)),
        ("requested", engine.clone()),
        ("actual", engine),
        ("prompt_sha256", json!(hash)),
        ("output_sha256", json!(hash)),
    ] {
        block.insert(key.to_owned(), value);
    }
    block.entry(if lane == Lane::Scout { "reconciliation" } else { "blockers" }).or_insert(json!([]));
    round.phase = Phase::Collecting;
    crate::wire::design_loop::violations(&serde_json::to_value(&record).unwrap_or_default())
}

fn refused(message: impl Into<String>) -> Fail {
    Fail::new(Code::InvalidResult, message).with("violations", json!([]))
}

struct Taken<'a> {
    request: &'a Request,
    result: Map<String, Value>,
    said: String,
    output_sha256: String,
}

impl Taken<'_> {
    fn lane(&self, folder: &Folder<'_>, record: &mut Record) -> Result<Map<String, Value>, Fail> {
        let lane = design_loop::lane(self.request.lane.as_deref())?;
        let number = record.rounds.len();
        // Which blockers of its own the lane has to speak of.
        let raised: Vec<String> = record.raised_by(number.saturating_sub(1), lane).into_iter().map(|b| b.id).collect();
        let round = design_loop::current(record, self.request.round.as_deref())?;
        design_loop::is_current(round, lane, self.request.attempt_id.as_deref())?;
        if self.request.artifact_revision.as_deref() != Some(round.artifact.revision.as_str()) {
            let message = format!("the round reviews `{}`", round.artifact.revision);
            return Err(Fail::new(Code::RevisionMismatch, message).with("artifact_revision", round.artifact.revision.as_str()));
        }
        if round.failure(lane).is_some() || round.state(lane) != "running" {
            let stands = if round.failure(lane).is_some() { "failed" } else { round.state(lane) };
            return Err(Fail::new(Code::AttemptMismatch, format!("the attempt is {stands}: a result is taken of one that was started")));
        }
        self.agrees(lane)?;
        let listed: Vec<&str> =
            self.result.get("blockers").and_then(Value::as_array).into_iter().flatten().filter_map(|b| b["id"].as_str()).collect();
        let dropped: Vec<&String> = raised.iter().filter(|id| !listed.contains(&id.as_str())).collect();
        if let Some(first) = dropped.first() {
            let message = format!("`{first}` was raised by this lane: it says whether that is resolved or still open");
            return Err(refused(message).with("owed", json!(dropped)));
        }
        let (attempt, revision) = (round.attempt(lane).unwrap_or_default().to_owned(), round.artifact.revision.clone());
        let now = folder.now();
        let block = round.lane_mut(lane);
        let requested: Engine = serde_json::from_value(block.get("requested").cloned().unwrap_or_default())
            .map_err(|_| Fail::new(Code::Internal, "an attempt that was started names no engine"))?;
        block.extend(self.result.iter().filter(|(key, _)| !block_keys(key)).map(|(k, v)| (k.clone(), v.clone())).collect::<Map<_, _>>());
        if let Some((key, _)) = self.result.iter().find(|(key, _)| block_keys(key)) {
            return Err(refused(format!("`{key}` is not the reviewer's to say")));
        }
        if lane == Lane::Scout {
            block.entry("reconciliation").or_insert(json!([]));
        } else {
            block.entry("blockers").or_insert(json!([]));
        }
        block.insert("state".to_owned(), json!("complete"));
        block.insert("finished_at".to_owned(), json!(now));
        block.insert("actual".to_owned(), json!(self.actual(&requested)));
        block.insert("output_sha256".to_owned(), json!(self.output_sha256));
        if let Some(deviation) = self.request.deviation.as_deref().filter(|d| !d.trim().is_empty()) {
            block.insert("deviation".to_owned(), json!(deviation));
        }
        round.phase = Phase::Collecting;
        let verdict = self.result.get("verdict").and_then(Value::as_str).unwrap_or_default();
        let (status, gate) = match verdict {
            "PASS" => ("completed", "PASS"),
            "REVISE" => ("revise", "REVISE"),
            _ => ("completed", "advisory"),
        };
        // What breaks a rule is refused before the run ledger hears of it.
        let whole = crate::wire::design_loop::violations(&serde_json::to_value(&*record).unwrap_or_default());
        if !whole.is_empty() {
            return Err(crate::wire::design_loop::invalid(Code::InvalidResult, &whole));
        }
        let evidence =
            vec![json!({"kind": "log", "ref": format!("sha256:{}", self.output_sha256)}), json!({"kind": "artifact", "ref": revision})];
        self.request.runs.settle(folder, &attempt, status, gate, evidence, "recorded by record-lane")?;
        folder.host.failpoint("lane-settled");
        Ok(Map::from_iter([("lane".to_owned(), json!(lane)), ("attempt_id".to_owned(), json!(attempt)), ("gate".to_owned(), json!(gate))]))
    }

    /// Whether what the run said at its end is what is recorded of it. With a run ledger it has to have said it.
    fn agrees(&self, lane: Lane) -> Result<(), Fail> {
        if lane == Lane::Scout {
            return Ok(());
        }
        let read = gate_line::read(0, &self.said, "");
        let verdict = self.result.get("verdict").and_then(Value::as_str).unwrap_or_default();
        let silent = read.token == "UNVERIFIED:no-gate-line" && self.request.runs.ledger.as_deref().is_none_or(str::is_empty);
        if !silent && read.gate != verdict {
            let message =
                format!("the output comes to `{}`, and `{}` is recorded of it", read.token, crate::base::path::printable(verdict));
            return Err(refused(message).with("token", read.token));
        }
        Ok(())
    }

    fn actual(&self, requested: &Engine) -> Engine {
        let given = |v: &Option<String>| v.as_deref().map(str::trim).filter(|v| !v.is_empty()).map(str::to_owned);
        match given(&self.request.engine) {
            None => requested.clone(),
            Some(engine) => Engine { engine, model: given(&self.request.model), effort: given(&self.request.effort) },
        }
    }

    fn model(&self, folder: &Folder<'_>, record: &mut Record) -> Result<Map<String, Value>, Fail> {
        let attempt = self.request.attempt_id.clone().unwrap_or_default();
        let (now, number) = (folder.now(), record.rounds.len() as u64);
        let running = record.model_lanes.iter_mut().find(|m| m.attempt_id == attempt && m.state == "running" && m.after_round == number);
        let Some(lane) = running else {
            return Err(Fail::new(Code::AttemptMismatch, format!("`{}` is no running model lane", crate::base::path::printable(&attempt))));
        };
        let text = |key: &str| self.result.get(key).and_then(Value::as_str).map(str::to_owned);
        let outcome = text("outcome").filter(|o| matches!(o.as_str(), "confirmed" | "replaced" | "residual_documented"));
        let rationale = text("rationale").filter(|r| is_specific(r));
        let known = self.result.keys().all(|k| matches!(k.as_str(), "outcome" | "rationale" | "evidence"));
        let (Some(outcome), Some(rationale), true) = (outcome, rationale, known) else {
            let shape = "{outcome: confirmed|replaced|residual_documented, rationale, evidence?}";
            return Err(refused(format!("a model lane answers with {shape}, the rationale a specific one")));
        };
        lane.actual = Some(self.actual(&lane.requested));
        lane.deviation = self.request.deviation.clone().filter(|d| !d.trim().is_empty());
        lane.state = "complete".to_owned();
        lane.finished_at = Some(now);
        lane.output_sha256 = Some(self.output_sha256.clone());
        lane.outcome = Some(outcome.clone());
        lane.rationale = Some(rationale);
        lane.evidence = self
            .result
            .get("evidence")
            .map(|e| serde_json::from_value(e.clone()))
            .transpose()
            .map_err(|_| refused("`evidence` is a list of texts"))?;
        let evidence = vec![json!({"kind": "log", "ref": format!("sha256:{}", self.output_sha256)})];
        self.request.runs.settle(folder, &attempt, "completed", "advisory", evidence, &outcome)?;
        Ok(Map::from_iter([
            ("lane".to_owned(), json!("model")),
            ("attempt_id".to_owned(), json!(attempt)),
            ("outcome".to_owned(), json!(outcome)),
        ]))
    }
}

/// What the engine alone writes into a lane.
fn block_keys(key: &str) -> bool {
    matches!(
        key,
        "attempt_id"
            | "artifact_revision"
            | "state"
            | "started_at"
            | "finished_at"
            | "requested"
            | "actual"
            | "deviation"
            | "prompt_sha256"
            | "output_sha256"
    )
}
