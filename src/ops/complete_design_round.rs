//! complete-design-round: the fail-closed aggregation of a round (design seed, Hardening invariants 7 and 8; issue 6).

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::design_loop::{self, Change, Folder, Place, handed};
use crate::base::{Code, Fail};
use crate::design::aggregate::{self, Aggregate};
use crate::design::record::{Lane, Phase, Record};
use crate::host::Host;
use crate::wire::json as wire;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// The round.
    pub round: Option<String>,
    /// What the scout's findings come to, one by one.
    pub reconciliation: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether every lane passed, nothing is open and nothing owed.
    pub clean: bool,
    /// PASS or REVISE.
    pub verdict: String,
    /// Everything that is owed.
    pub owed: Value,
    /// Whether the round is complete: every lane is in.
    pub completed: bool,
    /// The end that the rounds come to, when there is one; null while the loop goes on.
    pub derived: Value,
    /// Blockers that survived two rounds.
    pub stuck: Vec<String>,
    /// Classes that keep moving and owe a model lane.
    pub moved: Vec<String>,
    /// The receipt, when something was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Map<String, Value>>,
}

/// Completes a round whose lanes are all in; says what is owed else.
///
/// # Errors
/// `INVALID_RESULT`, `ATTEMPT_MISMATCH`, those of an operation.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let folder = Folder::find(host, &request.place)?;
    let given = request.reconciliation.as_deref().filter(|r| !r.is_empty());
    let entries = match given.map(|r| wire::parse(&handed(host, "reconciliation", Some(r))?)).transpose()? {
        None => Vec::new(),
        Some(Value::Array(entries)) => entries,
        Some(_) => return Err(Fail::new(Code::InvalidResult, "the reconciliation is no list").with("violations", json!([]))),
    };
    let payload = json!({"round": request.round, "reconciliation": entries});
    let apply = |folder: &Folder<'_>, record: &mut Option<Record>| -> Result<Map<String, Value>, Fail> {
        let record = design_loop::existing(folder, record)?;
        let now = folder.now();
        let round = design_loop::current(record, request.round.as_deref())?;
        if !entries.is_empty() {
            if round.state(Lane::Scout) != "complete" {
                return Err(Fail::new(Code::AttemptMismatch, "the scout is not in: there is nothing to reconcile"));
            }
            if let Some(Value::Array(kept)) = round.lane_mut(Lane::Scout).get_mut("reconciliation") {
                kept.extend(entries.iter().cloned());
            }
        }
        let whole = aggregate::of(record);
        if !whole.is_whole() {
            return Err(owing(&whole));
        }
        if let Some(round) = record.rounds.last_mut() {
            round.phase = Phase::Complete;
            round.completed_at.get_or_insert(now);
        }
        Ok(Map::from_iter([
            ("clean".to_owned(), json!(whole.clean)),
            ("verdict".to_owned(), json!(whole.verdict)),
            ("owed".to_owned(), json!(whole.owed)),
        ]))
    };
    let change = Change { command: "complete-design-round", payload, on_ruins: false, apply: Box::new(apply) };
    match design_loop::operate(&folder, &request.place, change) {
        Ok(done) => {
            let of = |key: &str| done.receipt.get(key).cloned().unwrap_or_default();
            Ok(Answer {
                clean: of("clean") == true,
                verdict: of("verdict").as_str().unwrap_or("REVISE").to_owned(),
                owed: of("owed"),
                completed: true,
                derived: json!(aggregate::derived(&done.record)),
                stuck: aggregate::stuck(&done.record),
                moved: aggregate::model_owed(&done.record),
                receipt: Some(done.receipt),
            })
        }
        Err(fail) if fail.code == Code::UnresolvedFailure => {
            let record = folder.opened()?;
            let owed = fail.details.get("owed").cloned().unwrap_or_default();
            let derived = json!(aggregate::derived(&record));
            let verdict = "REVISE".to_owned();
            Ok(Answer { clean: false, verdict, owed, completed: false, derived, stuck: Vec::new(), moved: Vec::new(), receipt: None })
        }
        Err(fail) => Err(fail),
    }
}

fn owing(whole: &Aggregate) -> Fail {
    Fail::new(Code::UnresolvedFailure, "a lane of the round is not in").with("owed", json!(whole.owed))
}
