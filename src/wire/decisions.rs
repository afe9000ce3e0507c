//! The ledger of decisions: one JSON object a line (schema 1), and the document that one decision is handed in by.

use serde_json::{Value, json};

use super::json::{Fields, parse};
use crate::base::{Code, Fail};
use crate::resolution::decision::{Act, Entry, Event, Kind, Ledger};

/// Reads a ledger. What stands behind its last line break is a line that was cut off, and counts for nothing.
///
/// # Errors
/// The strict reader's codes and `BAD_SHAPE` with the line, `SCHEMA_NEWER`, `INVALID_LEDGER`.
pub fn read(bytes: &[u8]) -> Result<Ledger, Fail> {
    let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(&bytes[..0], |at| &bytes[..at]);
    let mut ledger = Ledger::default();
    for (n, line) in whole.split(|b| *b == b'\n').enumerate().filter(|(_, l)| !l.is_empty()) {
        let at =
            |fail: Fail| Fail { message: format!("line {} of the ledger: {}", n + 1, fail.message), ..fail }.with("line", n as u64 + 1);
        let event = event(line).map_err(at)?;
        ledger.take(&event).map_err(|why| {
            let message = format!("line {} of the ledger cannot follow the lines before it: {}", n + 1, why.word());
            Fail::new(Code::InvalidLedger, message).with("line", n as u64 + 1)
        })?;
    }
    Ok(ledger)
}

fn event(line: &[u8]) -> Result<Event, Fail> {
    let value = parse(line)?;
    let f = Fields::of(&value, "")?;
    f.version(1)?;
    let act = Act::parse(f.text("event")?).ok_or_else(|| f.wrong("event", "add, supersede or retire"))?;
    let text = |key: &str| f.maybe_text(key).map(|t| t.map(str::to_owned));
    Ok(Event {
        act,
        id: f.text("id")?.to_owned(),
        supersedes: text("supersedes")?,
        round: f.count("round")?,
        at: f.text("at")?.to_owned(),
        entry: if act == Act::Retire { None } else { Some(entry(&f)?) },
        reason: text("reason")?,
    })
}

fn entry(f: &Fields<'_>) -> Result<Entry, Fail> {
    let said = |key: &str| -> Result<String, Fail> {
        let text = f.text(key)?;
        if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
            return Err(f.wrong(key, "a text without control characters"));
        }
        if text.trim().is_empty() { Err(f.wrong(key, "a text that says something")) } else { Ok(text.to_owned()) }
    };
    let kind = Kind::parse(f.text("kind")?).ok_or_else(|| f.wrong("kind", "decision or convention"))?;
    if !f.flag("holds_independent_of_code")? {
        return Err(f.wrong("holds_independent_of_code", "true: what depends on the present code is a disposition, and no decision"));
    }
    let list = |key: &str| if f.has(key) { f.texts(key) } else { Ok(Vec::new()) };
    Ok(Entry {
        text: said("text")?,
        user_words: said("user_words")?,
        basis: said("basis")?,
        kind,
        gate: said("gate")?,
        redirects_work: f.get("redirects_work").map_or(Ok(false), |_| f.flag("redirects_work"))?,
        refs: list("refs")?,
        settles: list("settles")?,
    })
}

/// A decision as it is handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// What is to be done.
    pub act: Act,
    /// The decision that is retired or replaced.
    pub old: Option<String>,
    /// The decision; none of a retirement.
    pub entry: Option<Entry>,
    /// Why one is retired.
    pub reason: Option<String>,
}

/// Reads what record-decision is handed.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`.
pub fn asked(bytes: &[u8]) -> Result<Asked, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    const KEYS: [&str; 13] = [
        "event",
        "id",
        "supersedes",
        "text",
        "user_words",
        "basis",
        "kind",
        "holds_independent_of_code",
        "gate",
        "redirects_work",
        "refs",
        "settles",
        "reason",
    ];
    f.only(&KEYS)?;
    let act = f.maybe_text("event")?.map_or(Ok(Act::Add), |w| Act::parse(w).ok_or_else(|| f.wrong("event", "add, supersede or retire")))?;
    let text = |key: &str| f.text(key).map(str::to_owned);
    Ok(match act {
        Act::Add => Asked { act, old: None, entry: Some(entry(&f)?), reason: None },
        Act::Supersede => Asked { act, old: Some(text("supersedes")?), entry: Some(entry(&f)?), reason: None },
        Act::Retire => Asked { act, old: Some(text("id")?), entry: None, reason: Some(text("reason")?) },
    })
}

/// An event as a line of the ledger.
pub fn line(event: &Event) -> Vec<u8> {
    let mut value = json!({"schema_version": 1, "event": event.act, "id": event.id});
    if let Value::Object(map) = &mut value {
        map.extend(event.supersedes.as_ref().map(|s| ("supersedes".to_owned(), json!(s))));
        map.insert("round".to_owned(), json!(event.round));
        map.insert("at".to_owned(), json!(event.at));
        if let Some(entry) = &event.entry {
            if let Ok(Value::Object(fields)) = serde_json::to_value(entry) {
                map.extend(fields);
            }
            map.insert("holds_independent_of_code".to_owned(), json!(true));
        }
        map.extend(event.reason.as_ref().map(|r| ("reason".to_owned(), json!(r))));
    }
    super::json::compact(&value)
}
