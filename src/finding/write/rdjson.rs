//! Reviewdog's rdjson, and rdjsonl with one diagnostic a line.
//!
//! Its three severities fold the grades: critical and high are ERROR, medium WARNING, low and suggestion INFO, unknown
//! UNKNOWN_SEVERITY. Further places, ids and quotations have no room there.

use serde_json::{Value, json};

use super::{Entry, message};
use crate::base::severity::Grade;

/// One result.
pub fn write(entries: &[Entry]) -> Value {
    json!({"source": {"name": "review-loop"}, "diagnostics": entries.iter().map(diagnostic).collect::<Vec<_>>()})
}

/// One diagnostic a line.
pub fn write_lines(entries: &[Entry]) -> String {
    entries.iter().map(|e| format!("{}\n", diagnostic(e))).collect()
}

fn diagnostic(entry: &Entry) -> Value {
    let finding = &entry.finding;
    let severity = match finding.grade {
        Grade::Critical | Grade::High => "ERROR",
        Grade::Medium => "WARNING",
        Grade::Low | Grade::Suggestion => "INFO",
        Grade::Unknown => "UNKNOWN_SEVERITY",
    };
    let mut diagnostic = json!({"message": message(finding), "severity": severity, "source": {"name": "review-loop"}});
    // A diagnostic without a path is none to reviewdog; the top of the repository stands for it.
    diagnostic["location"] = json!({"path": finding.place.as_ref().map_or(".", |p| p.path.as_str())});
    if let Some(line) = finding.place.as_ref().and_then(|p| p.line) {
        diagnostic["location"]["range"] = json!({"start": {"line": line}});
        if let Some(end) = finding.place.as_ref().and_then(|p| p.end_line) {
            diagnostic["location"]["range"]["end"] = json!({"line": end});
        }
    }
    if let Some(rule) = &finding.rule {
        diagnostic["code"] = json!({"value": rule});
    }
    diagnostic
}
