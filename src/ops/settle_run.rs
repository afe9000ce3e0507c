//! settle-run: the terminal of a launch, with the launch's own fields and the gate its result comes to (spec/design-loop.md §2.4, §2.5).

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::read_gate_line;
use super::run_ledger::{self, Place};
use crate::base::path::printable;
use crate::base::{Code, Fail, time};
use crate::design::runs::{Event, decode};
use crate::host::lock::Held;
use crate::host::{Host, journal};
use crate::ops::append_run;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The ledger.
    pub ledger: Option<String>,
    /// The folder artifacts are named from.
    pub root: Option<String>,
    /// The launch.
    pub launch: Option<String>,
    /// What the run left, when the gate is read from it.
    pub outcome: Option<read_gate_line::Request>,
    /// Fields of the terminal by their name in the ledger.
    pub fields: Vec<(&'static str, Value)>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The terminal's id.
    pub run_id: String,
    /// The launch.
    pub launch_run_id: String,
    /// Whether the launch was settled so before.
    pub already: bool,
    /// The terminal's status.
    pub status: String,
    /// Its gate.
    pub gate: String,
    /// Where a line that a kill cut off was moved to.
    pub torn_tail: Option<String>,
}

/// What a launch never changes.
const KEPT: [&str; 11] =
    ["workItem", "role", "executionRole", "assignedRole", "provider", "model", "effort", "lane", "scope", "promptFile", "reviewedRole"];

/// Settles a launch.
///
/// # Errors
/// `NOT_FOUND` of the launch, `SETTLE_CONFLICT`, `INVALID_RUN`, `LOCK_BUSY`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let place = append_run::place(request.ledger.as_deref(), request.root.as_deref(), host)?;
    let launch = request.launch.clone().unwrap_or_default();
    let mut fields: Map<String, Value> = request.fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    if let Some(outcome) = &request.outcome {
        let read = read_gate_line::run(outcome, host)?;
        fields.insert("status".to_owned(), json!(read.status));
        fields.insert("gate".to_owned(), json!(read.gate));
        fields.entry("notes").or_insert(json!(format!("{}: {}", read.token, read.reason)));
        if read.gate != "PASS" {
            fields.remove("closesRunIds");
        }
    }
    let held = run_ledger::hold(host, &place)?;
    settle(host, &held, &place, &launch, fields)
}

/// Settles a launch under the lock that is held.
///
/// # Errors
/// As [`run`].
pub fn settle(host: &Host, held: &Held, place: &Place, launch: &str, mut fields: Map<String, Value>) -> Result<Answer, Fail> {
    let bytes = journal::read(&place.path)?;
    let decoded = decode(&bytes);
    let is_launch = |e: &Event| e.run_id == launch && e.event_kind.as_deref() == Some("launch");
    let Some((_, started)) = decoded.events.iter().find(|(_, e)| is_launch(e)) else {
        let message = format!("`{}` is no launch of `{}`", printable(launch), printable(&place.path.to_string_lossy()));
        return Err(Fail::new(Code::NotFound, message).with("path", place.path.to_string_lossy().as_ref()));
    };
    let started = serde_json::to_value(started).unwrap_or_default();
    for name in KEPT.iter().chain(["artifact", "artifactRevision"].iter()) {
        if let Some(value) = started.get(*name)
            && (KEPT.contains(name) || !fields.contains_key(*name))
        {
            fields.insert((*name).to_owned(), value.clone());
        }
    }
    fields.insert("eventKind".to_owned(), json!("terminal"));
    fields.insert("launchRunId".to_owned(), json!(launch));
    fields.insert("startedAt".to_owned(), started["startedAt"].clone());
    fields.entry("updatedAt").or_insert(json!(time::iso_ms(host.now_ms())));
    fields.entry("runId").or_insert(json!(format!("{launch}.end")));
    let event = append_run::filled(fields, host)?;
    let before = decoded.events.iter().find(|(_, e)| e.launch_run_id.as_deref() == Some(launch));
    let answer = |run_id: &str, already: bool, torn_tail: Option<String>| Answer {
        run_id: run_id.to_owned(),
        launch_run_id: launch.to_owned(),
        already,
        status: event.status.clone(),
        gate: event.gate.clone(),
        torn_tail,
    };
    if let Some((line, before)) = before {
        let timeless = |e: &Event| Event { updated_at: String::new(), ..e.clone() };
        if serde_json::to_value(timeless(before)).ok() == serde_json::to_value(timeless(&event)).ok() {
            return Ok(answer(&before.run_id, true, None));
        }
        let message = format!("`{}` was settled at line {line}, by another event", printable(launch));
        return Err(Fail::new(Code::SettleConflict, message).with("line", *line).with("run_id", before.run_id.as_str()));
    }
    let written = append_run::written(host, held, place, &event)?;
    Ok(answer(&written.run_id, false, written.torn_tail))
}
