//! The final summary handed to render-session-doc: a private JSON object (deep-review seed §6; rounds spec §1.10).

use serde_json::Value;

use super::json::parse;
use crate::base::{Code, Fail};
use crate::round::session::FinalSummary;

/// Reads the document. Fields of the wrong type count as absent, as in the reference.
///
/// # Errors
/// The strict reader's codes; `BAD_SHAPE` when it is no object. The caller puts them behind `INVALID_FINAL_SUMMARY`.
pub fn read(bytes: &[u8]) -> Result<FinalSummary, Fail> {
    let value = parse(bytes)?;
    let Some(fields) = value.as_object() else {
        return Err(Fail::new(Code::BadShape, "the final summary must be an object"));
    };
    let text = |key: &str| fields.get(key).and_then(Value::as_str).filter(|t| !t.is_empty()).map(str::to_owned);
    let number = |key: &str| fields.get(key).filter(|v| !v.is_null()).map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned));
    let work = fields.get("remaining_work").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    Ok(FinalSummary {
        stop_reason: text("stop_reason"),
        rounds_saved: number("rounds_saved"),
        reviewer_calls_saved: number("reviewer_calls_saved"),
        implemented_total: number("implemented_total"),
        readiness: text("readiness"),
        receipt_path: text("receipt_path"),
        remaining_work: work.iter().filter_map(|w| w.as_str().filter(|t| !t.is_empty()).map(str::to_owned)).collect(),
    })
}
