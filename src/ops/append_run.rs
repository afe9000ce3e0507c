//! append-run: one event of the run ledger written down, when it breaks no rule (design seed, Verdict closure; spec/design-loop.md §2.4).

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::run_ledger::{self, Place};
use crate::base::{Code, Fail, time};
use crate::design::runs::Event;
use crate::host::{Host, files};
use crate::wire::json;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The ledger.
    pub ledger: Option<String>,
    /// The folder artifacts are named from.
    pub root: Option<String>,
    /// The event, or a part of it: an object.
    pub input: Option<String>,
    /// Fields of it by their name in the ledger.
    pub fields: Vec<(&'static str, Value)>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The event's id.
    pub run_id: String,
    /// The ledger.
    pub ledger: String,
    /// Where a line that a kill cut off was moved to.
    pub torn_tail: Option<String>,
    /// The event as it was written.
    pub event: Value,
}

/// Appends an event.
///
/// # Errors
/// `INVALID_ARGUMENT`, `INVALID_RUN`, `SCHEMA_NEWER`, `LOCK_BUSY`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let mut fields = match request.input.as_deref().filter(|i| !i.is_empty()) {
        None => Map::new(),
        Some(path) => match json::parse(&files::read_text(&host.absolute(Some(path), "input")?, 131_072)?)? {
            Value::Object(fields) => fields,
            _ => return Err(Fail::new(Code::InvalidRun, "the event is no object").with("errors", json!([]))),
        },
    };
    for (name, value) in &request.fields {
        fields.insert((*name).to_owned(), value.clone());
    }
    let place = place(request.ledger.as_deref(), request.root.as_deref(), host)?;
    let event = filled(fields, host)?;
    let held = run_ledger::hold(host, &place)?;
    written(host, &held, &place, &event)
}

/// Appends an event under the lock that is held.
///
/// # Errors
/// As [`run`].
pub fn written(host: &Host, held: &crate::host::lock::Held, place: &Place, event: &Event) -> Result<Answer, Fail> {
    if event.execution_role == "lead" {
        return Err(Fail::new(Code::InvalidRun, "`lead` is read as `main` and no longer written").with("errors", json!([])));
    }
    let appended = run_ledger::append(host, held, place, event)?;
    Ok(Answer {
        run_id: event.run_id.clone(),
        ledger: place.path.to_string_lossy().into_owned(),
        torn_tail: appended.torn_tail,
        event: serde_json::to_value(event).unwrap_or_default(),
    })
}

/// The ledger that a flag names.
///
/// # Errors
/// `INVALID_ARGUMENT`.
pub fn place(ledger: Option<&str>, root: Option<&str>, host: &Host) -> Result<Place, Fail> {
    let path = host.absolute(Some(ledger.unwrap_or_default()), "ledger")?;
    let root = root.filter(|r| !r.is_empty()).map(|r| host.absolute(Some(r), "root")).transpose()?;
    Ok(Place::of(path, root))
}

/// The event with what it need not state: version, id and times.
///
/// # Errors
/// `INVALID_RUN`.
pub fn filled(mut fields: Map<String, Value>, host: &Host) -> Result<Event, Fail> {
    let now = time::iso_ms(host.now_ms());
    let stem = |text: &Value| -> String {
        text.as_str()
            .unwrap_or("run")
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
            .take(40)
            .collect()
    };
    let mut fresh = host.fresh_id();
    fresh.retain(|c| c.is_ascii_alphanumeric());
    let id = format!(
        "{}-{}-{}",
        time::file_stem(host.now_ms()),
        stem(&fields.get("role").cloned().unwrap_or_default()),
        &fresh[..fresh.len().min(8)]
    );
    fields.entry("schemaVersion").or_insert(json!(2));
    fields.entry("runId").or_insert(json!(id));
    fields.entry("startedAt").or_insert(json!(now));
    let started = fields["startedAt"].clone();
    fields.entry("updatedAt").or_insert(started);
    let line = serde_json::to_vec(&fields).unwrap_or_default();
    let decoded = crate::design::runs::decode(&line);
    match decoded.events.into_iter().next() {
        Some((_, event)) => serde_json::from_value(serde_json::to_value(&event).unwrap_or_default())
            .map_err(|_| Fail::new(Code::InvalidRun, "the event cannot be kept").with("errors", json!([]))),
        None => {
            let errors = json!(decoded.problems);
            let said =
                decoded.problems.first().map_or_else(|| "the event is of a version behind this one".to_owned(), |p| p.message.clone());
            Err(Fail::new(Code::InvalidRun, said).with("errors", errors))
        }
    }
}
