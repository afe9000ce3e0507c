//! `path:line[:column]: message`, as compilers and linters print it, one finding a line.
//!
//! A text is of this kind when most of its lines are; other lines of it say nothing, unless they look like findings. Bound: linear.

use super::{entry, label, location};
use crate::base::severity::{self, Grade};
use crate::finding::{Finding, Format, Review};

/// Whether most lines of a text are such messages. Looks at the first two hundred.
pub fn looks_like(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).take(200).collect();
    let messages = lines.iter().filter(|l| l.len() < 4096 && one(l, 1).is_some()).count();
    messages > 0 && messages * 2 > lines.len()
}

/// Reads such a text.
pub fn read(text: &str) -> Review {
    let mut review = Review { format: Some(Format::Lines), ..Review::default() };
    for (line, number) in text.lines().zip(1..) {
        match one(line, number) {
            Some(finding) => review.findings.push(finding),
            None if label::is_suspicious(line) => drop(review.suspicious.insert(number)),
            None => {}
        }
    }
    review
}

/// Reads one message; a line without a place at its start says nothing.
pub fn one(line: &str, report_line: u64) -> Option<Finding> {
    let starts = line.as_bytes().first().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'/' | b'_') || !b.is_ascii());
    if !starts {
        return None;
    }
    let cite = location::scan(line).into_iter().next().filter(|c| c.span.start == 0 && c.place.line.is_some())?;
    let behind = &line[cite.span.end..];
    let rest = behind.trim_start_matches([':', ' ', '-', '—', '–', '\t', '|']);
    if rest.len() == behind.len() || rest.is_empty() {
        return None;
    }
    let written = severity::at_start(rest.trim_start_matches(['[', '(']));
    let bracket = rest.len() - rest.trim_start_matches(['[', '(']).len();
    let message = written.as_ref().map(|w| rest[bracket + w.end..].trim_start_matches([':', ' ', '-', '—', '–', ']', ')', '|']));
    let title = message.filter(|m| !m.is_empty()).unwrap_or(rest);
    Some(Finding {
        grade: written.as_ref().map_or(Grade::Unknown, |w| w.grade),
        severity_text: written.map(|w| w.text),
        place: Some(cite.place),
        title: entry::plain(title, 400),
        headline: entry::plain(rest, 400),
        report_line,
        ..Finding::default()
    })
}
