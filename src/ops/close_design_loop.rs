//! close-design-loop: ends a loop as what its rounds come to, and puts what is decided by to the person (design seed, Steps 6; issue 6).

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::design_loop::{self, Change, Folder, Place, report};
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::design::aggregate;
use crate::design::record::{Record, Status};
use crate::host::Host;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// converged, drift, deadlock, aborted or unverified_lane.
    pub outcome: Option<String>,
    /// Why, in words.
    pub reason: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The end.
    pub outcome: Status,
    /// The receipt.
    pub receipt: Map<String, Value>,
    /// What the person decides, and by what.
    pub ask: Value,
}

/// Ends a loop.
///
/// # Errors
/// `OUTCOME_REFUSED` with `derived`, `MODEL_OWED`, `INVALID_ARGUMENT`, those of an operation.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let folder = Folder::find(host, &request.place)?;
    let word = request.outcome.as_deref().unwrap_or_default();
    let outcome = Status::parse(word).filter(|s| *s != Status::Running).ok_or_else(|| {
        let message = format!("`--outcome {}` is none of converged, drift, deadlock, aborted, unverified_lane", printable(word));
        Fail::new(Code::InvalidArgument, message)
    })?;
    let reason = request.reason.clone().map(|r| r.trim().to_owned()).filter(|r| !r.is_empty());
    if reason.is_none() && outcome == Status::Aborted {
        return Err(Fail::new(Code::InvalidArgument, "`--reason` was not given: a loop is aborted for one"));
    }
    let payload = json!({"outcome": outcome, "reason": reason});
    let apply = |folder: &Folder<'_>, record: &mut Option<Record>| -> Result<Map<String, Value>, Fail> {
        let record = design_loop::existing(folder, record)?;
        let derived = json!(aggregate::derived(record));
        if let Some(why) = aggregate::refuses(record, outcome) {
            return Err(Fail::new(Code::OutcomeRefused, format!("not {}: {why}", outcome.word())).with("derived", derived));
        }
        // Moved is judged before the cap.
        if outcome == Status::Deadlock
            && let Some(class) = aggregate::model_owed(record).first()
        {
            return Err(Fail::new(Code::ModelOwed, format!("`{}` keeps moving", printable(class))).with("derived", derived));
        }
        record.status = outcome;
        record.closed_at = Some(folder.now());
        record.close_reason = Some(reason.clone().unwrap_or_else(|| why(record)));
        Ok(Map::from_iter([("outcome".to_owned(), json!(outcome))]))
    };
    let change = Change { command: "close-design-loop", payload, on_ruins: outcome == Status::Aborted, apply: Box::new(apply) };
    let done = design_loop::operate(&folder, &request.place, change)?;
    let ask = report::ask(&done.record);
    Ok(Answer { outcome: done.record.status, receipt: done.receipt, ask })
}

/// What the rounds say for themselves.
fn why(record: &Record) -> String {
    match record.status {
        Status::Converged => "both verdicts pass and every finding of the scout is reconciled".to_owned(),
        Status::Drift => "the drift check of the last round failed".to_owned(),
        Status::Deadlock if record.rounds.len() as u64 >= record.cap => format!("the cap of {} rounds is reached", record.cap),
        Status::Deadlock => format!("{} survived two rounds", aggregate::stuck(record).join(", ")),
        _ => "a lane of the last round is unverified".to_owned(),
    }
}
