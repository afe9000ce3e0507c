//! Workflow commands of GitHub Actions: annotations, ten of each kind, then how many were left out.
//!
//! Text of a review is foreign: line breaks and percent signs are encoded, so that no message can start a command of its own.

use super::{Entry, message};
use crate::base::severity::Grade;

/// Annotations of one kind that are shown.
const MOST: usize = 10;

/// One command a line.
pub fn write(entries: &[Entry]) -> String {
    let mut out = String::new();
    let mut left = 0;
    for kind in ["error", "warning", "notice"] {
        let of_kind: Vec<&Entry> = entries.iter().filter(|e| self::kind(e.finding.grade) == kind).collect();
        left += of_kind.len().saturating_sub(MOST);
        of_kind.iter().take(MOST).for_each(|e| out.push_str(&command(kind, e)));
    }
    if left > 0 {
        out.push_str(&format!("::notice title=review-loop::{left} more findings are not shown here\n"));
    }
    out
}

fn kind(grade: Grade) -> &'static str {
    match grade {
        Grade::Critical | Grade::High => "error",
        Grade::Medium | Grade::Unknown => "warning",
        Grade::Low | Grade::Suggestion => "notice",
    }
}

fn command(kind: &str, entry: &Entry) -> String {
    let finding = &entry.finding;
    let mut properties = Vec::new();
    if let Some(place) = &finding.place {
        properties.push(format!("file={}", property(&place.path)));
        properties.extend(place.line.map(|l| format!("line={l}")));
        properties.extend(place.end_line.map(|l| format!("endLine={l}")));
    }
    let title = if finding.title.is_empty() { finding.grade.word() } else { &finding.title };
    properties.push(format!("title={}", property(&title.chars().take(120).collect::<String>())));
    format!("::{kind} {}::{}\n", properties.join(","), text(&message(finding)))
}

/// A message: nothing in it ends the line.
fn text(raw: &str) -> String {
    let plain: String = raw.chars().filter(|c| *c == '\n' || !crate::base::path::is_unsafe(*c)).collect();
    plain.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property: nothing in it ends the property either.
fn property(raw: &str) -> String {
    text(&raw.replace('\n', " ")).replace(':', "%3A").replace(',', "%2C")
}
