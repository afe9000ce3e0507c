//! The documents of a design loop: its record, and what commands are handed.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::json;
use crate::base::{Code, Fail};
use crate::design::ledger::{self, Terms, Violation};
use crate::design::record::{Answer, Held, Record};

/// Reads a record that the engine may go on with.
///
/// # Errors
/// Those of the strict reader, `VERSION_READ_ONLY`, `SCHEMA_NEWER`, `INVALID_LEDGER` with `violations`.
pub fn read(bytes: &[u8]) -> Result<Record, Fail> {
    let value = json::parse(bytes)?;
    match value.get("schema_version").and_then(Value::as_u64) {
        Some(3) => {}
        Some(newer) if newer > 3 => return Err(Fail::new(Code::SchemaNewer, format!("the record is of version {newer}"))),
        _ => return Err(Fail::new(Code::VersionReadOnly, "the record is of version 1 or 2, which is read and never written")),
    }
    let violations = violations(&value);
    if !violations.is_empty() {
        return Err(invalid(Code::InvalidLedger, &violations));
    }
    json::shaped(value)
}

/// Everything wrong with a record, soundness included.
pub fn violations(value: &Value) -> Vec<Violation> {
    ledger::check(value, &Terms::default()).violations
}

/// A refusal for violations.
pub fn invalid(code: Code, violations: &[Violation]) -> Fail {
    let said = violations.first().map_or_else(String::new, |v| format!("`{}`: {}", v.at, v.message));
    Fail::new(code, format!("the record breaks its rules: {said}")).with("violations", json!(violations))
}

/// The evidence of a root as it is handed in: each entry with the file that holds what was captured.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Captured {
    /// command or trace.
    pub kind: String,
    /// The command, or which trace.
    #[serde(rename = "ref")]
    pub reference: String,
    /// When.
    pub captured_at: String,
    /// What was captured.
    pub file: String,
}

/// Reads a list of evidence.
///
/// # Errors
/// Those of the strict reader, `INVALID_EVIDENCE`.
pub fn captured(bytes: &[u8]) -> Result<Vec<Captured>, Fail> {
    let value = json::parse(bytes)?;
    let list = if value.is_array() { value } else { json!([value]) };
    serde_json::from_value(list).map_err(|e| Fail::new(Code::InvalidEvidence, format!("the evidence breaks its schema: {e}")))
}

/// The answers of a drift check as they are handed in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriftAnswers {
    /// The goal.
    pub goal: Held,
    /// The admitted scope.
    pub scope: Held,
    /// The runtime root.
    pub runtime_root: Held,
    /// Premises that nobody verified.
    pub new_premises: Vec<String>,
}

/// Reads the answers of a drift check.
///
/// # Errors
/// Those of the strict reader, `BAD_SHAPE`.
pub fn drift(bytes: &[u8]) -> Result<DriftAnswers, Fail> {
    let answers: DriftAnswers = json::shaped(json::parse(bytes)?)?;
    for (name, held) in [("goal", &answers.goal), ("scope", &answers.scope), ("runtime_root", &answers.runtime_root)] {
        if !matches!(held.answer.as_str(), "unchanged" | "shifted") || held.text.trim().is_empty() {
            let message = format!("`{name}` is answered with unchanged or shifted, and a text that says by what");
            return Err(Fail::new(Code::BadShape, message).with("at", format!("/{name}")));
        }
    }
    if answers.new_premises.iter().any(|p| p.trim().is_empty()) {
        return Err(Fail::new(Code::BadShape, "a premise is blank").with("at", "/new_premises"));
    }
    Ok(answers)
}

/// Reads what answers blockers and findings.
///
/// # Errors
/// Those of the strict reader, `BAD_SHAPE`.
pub fn answers(bytes: &[u8]) -> Result<Vec<Answer>, Fail> {
    let answers: Vec<Answer> = json::shaped(json::parse(bytes)?)?;
    let sound = |a: &Answer| matches!(a.by.as_str(), "diff" | "reason") && !a.of.trim().is_empty() && !a.text.trim().is_empty();
    match answers.iter().position(|a| !sound(a)) {
        Some(n) => Err(Fail::new(Code::BadShape, "an answer says of what, by diff or reason, and how").with("at", format!("/{n}"))),
        None => Ok(answers),
    }
}

/// Reads a result or a reconciliation: an object or a list, as `what` says.
///
/// # Errors
/// Those of the strict reader, `INVALID_RESULT`.
pub fn object(bytes: &[u8], what: &str) -> Result<Map<String, Value>, Fail> {
    match json::parse(bytes)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(Fail::new(Code::InvalidResult, format!("the {what} is no object")).with("violations", json!([]))),
    }
}
