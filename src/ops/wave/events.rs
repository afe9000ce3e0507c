//! The journal of events: written beside what happens, never asked about it.

use serde_json::{Map, Value, json};

use super::Folder;
use crate::base::{Code, Fail, time};
use crate::host::journal;
use crate::host::lock::Held;
use crate::wave::journal::{Event, Type, payload};
use crate::wire::gate::{Gate, Pass};
use crate::wire::json;

/// The name of the journal.
pub const JOURNAL: &str = "events.jsonl";

/// Every event of a loop.
///
/// # Errors
/// Why the journal cannot be read.
pub fn read(bytes: &[u8]) -> Result<Vec<Event>, Fail> {
    json::lines(bytes, 1)
}

/// Appends an event.
///
/// # Errors
/// `INVALID_EVENT` for a field that may not be written, and those of the journal.
pub fn append(folder: &Folder<'_>, held: &Held, kind: Type, data: &Map<String, Value>) -> Result<Event, Fail> {
    let data = payload(data).map_err(|field| {
        let shown = crate::base::path::printable(&field);
        Fail::new(Code::InvalidEvent, format!("the field `{shown}` may not be written down, or not with this value"))
    })?;
    let bytes = journal::read(&folder.dir.join(JOURNAL))?;
    let event = Event {
        schema_version: 1,
        sequence: bytes.iter().filter(|b| **b == b'\n').count() as u64 + 1,
        loop_digest: crate::base::digest::sha256_hex(folder.id.as_bytes())[..16].to_owned(),
        kind,
        created_at: time::iso_ms(folder.host.now_ms()),
        data,
    };
    journal::append(folder.host, held, JOURNAL, &json::compact(&event))?;
    Ok(event)
}

/// Notes what happened to a gate. What cannot be noted changes nothing.
pub fn note(folder: &Folder<'_>, held: &Held, kind: Type, data: Value) {
    if let Value::Object(data) = data {
        let _ = append(folder, held, kind, &data);
    }
}

/// The fields of a pass that started.
pub fn started(gate: &Gate, pass: &Pass) -> Value {
    json!({
        "pass_id": pass.pass_id,
        "tier": gate.selection.tier,
        "profile": pass.profile,
        "iteration": gate.iteration,
        "clean_before": gate.clean,
        "required_clean": gate.required,
    })
}
