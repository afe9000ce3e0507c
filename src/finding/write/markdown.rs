//! A list that people read and our own reader reads back: grade, id, places and title of every finding.
//!
//! What stands behind a title is quoted, so that nothing in it is taken for a finding or a place. An item is written as a reviewer
//! would write it, and read again at once; what does not come back the same is written by keys, and then with every mark escaped.
//! Bound: linear; every item is read once to three times.

use super::Entry;
use crate::base::path::is_unsafe;
use crate::finding::Location;
use crate::finding::identity::Source;
use crate::finding::read::{self, entry::NO_TITLE, entry::is_stated_id};

/// How much of an item is spelled so that no reader takes it for something else.
#[derive(Clone, Copy, PartialEq)]
enum Spelling {
    /// As a reviewer writes it.
    Plain,
    /// Title and id as JSON strings behind their keys, a path in back-ticks behind its own.
    Keyed,
    /// The same, with every character escaped that is no letter, digit or blank.
    Escaped,
}

/// The whole list; one without a finding says so.
pub fn write(entries: &[Entry]) -> String {
    let mut out = String::from(HEAD);
    if entries.is_empty() {
        out.push_str("None.\n");
    }
    for entry in entries {
        let spelled = |spelling: Spelling| Some(item(entry, spelling)).filter(|text| comes_back(entry, text));
        let text = spelled(Spelling::Plain).or_else(|| spelled(Spelling::Keyed)).unwrap_or_else(|| item(entry, Spelling::Escaped));
        out.push_str(&text);
    }
    out
}

const HEAD: &str = "## Findings\n\n";

/// Whether an item is read as the finding it was written of, and as nothing else.
fn comes_back(entry: &Entry, text: &str) -> bool {
    let review = read::review(format!("{HEAD}{text}").as_bytes());
    let [found] = review.findings.as_slice() else { return false };
    let wanted = &entry.finding;
    let named = found.id == wanted.id && found.grade == wanted.grade && found.title == wanted.title.trim();
    let placed = found.place == wanted.place && found.also == wanted.also;
    named && placed && review.suspicious.is_empty() && review.statements.is_empty() && review.counts.is_empty()
}

fn item(entry: &Entry, spelling: Spelling) -> String {
    let finding = &entry.finding;
    let plain = spelling == Spelling::Plain;
    let mut out = format!("- [{}] ", finding.grade.word());
    let mut keys = String::new();
    if let (id, Source::Stated) = entry.stated() {
        match is_stated_id(id) {
            true => out.push_str(&format!("**{id}**: ")),
            false => keys.push_str(&format!("  Id: {}\n", string(id, spelling))),
        }
    }
    if let Some(place) = &finding.place {
        match plain {
            true => out.push_str(&format!("{} — ", cite(place))),
            false => keys.push_str(&by_keys(place, spelling)),
        }
    }
    let title: String = finding.title.chars().filter(|c| !is_unsafe(*c)).collect();
    let title = if title.trim().is_empty() { NO_TITLE } else { title.trim() };
    match plain {
        true => out.push_str(title),
        false => keys.push_str(&format!("  Title: {}\n", string(title, spelling))),
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out.push_str(&keys);
    if !finding.also.is_empty() {
        let also: Vec<String> = finding.also.iter().map(cite).collect();
        out.push_str(&format!("  Also: {}\n", also.join(", ")));
    }
    for line in finding.body.lines().map(str::trim_end).filter(|l| !l.is_empty()) {
        let plain: String = line.chars().filter(|c| !is_unsafe(*c)).collect();
        // A quotation that opens with a mark of its own is shown as text by some readers.
        out.push_str(&format!("  > {}\n", plain.replace("[!", "\\[!")));
    }
    out
}

/// A place behind its keys.
fn by_keys(place: &Location, spelling: Spelling) -> String {
    let path = match spelling {
        Spelling::Escaped => string(&place.path, spelling),
        _ => format!("`{}`", place.path.replace(['`', '\n', '\r'], " ")),
    };
    let lines = place.line.map(|line| format!("  Lines: {line}{}\n", place.end_line.map(|e| format!("-{e}")).unwrap_or_default()));
    format!("  File: {path}\n{}", lines.unwrap_or_default())
}

/// A JSON string; escaped, it holds nothing that any reader could take for a mark.
fn string(text: &str, spelling: Spelling) -> String {
    if spelling != Spelling::Escaped {
        return serde_json::Value::from(text).to_string();
    }
    let mut out = String::from('"');
    for unit in text.encode_utf16() {
        match u8::try_from(unit).map(char::from) {
            Ok(c) if c.is_ascii_alphanumeric() || c == ' ' => out.push(c),
            _ => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out.push('"');
    out
}

fn cite(place: &Location) -> String {
    let lines = match (place.line, place.end_line) {
        (Some(line), Some(end)) => format!(":{line}-{end}"),
        (Some(line), None) => format!(":{line}"),
        _ => String::new(),
    };
    let fence = if place.path.contains('`') { "``" } else { "`" };
    format!("{fence}{}{lines}{fence}", place.path)
}
