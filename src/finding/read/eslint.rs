//! ESLint's JSON output: files with messages.
//!
//! Severity 2 is high, 1 is medium; suppressed messages are no findings. Source: cases/reports/README.md §2. Bound: linear.

use super::json::{Map, Node};
use super::{LineIndex, entry};
use crate::base::severity::Grade;
use crate::finding::{Counted, Failure, Finding, Format, Location, Review};

/// Reads a list of files; none when it is no output of ESLint.
pub fn read(files: &[&Map], lines: &LineIndex) -> Option<Review> {
    if !files.iter().all(|f| f.text(&["filePath"]).is_some() && f.get("messages").is_some_and(|m| m.list().is_some())) {
        return None;
    }
    let mut review = Review { format: Some(Format::Eslint), ..Review::default() };
    for file in files {
        for (key, counted) in [("errorCount", Counted::High), ("warningCount", Counted::Medium)] {
            if let Some(number) = file.number(&[key]) {
                *review.counts.entry(counted).or_default() += number;
            }
        }
        let messages = file.get("messages").and_then(Node::list).unwrap_or_default();
        // A file that could not be parsed was not checked; as a rule its message says so.
        if file.number(&["fatalErrorCount"]).is_some_and(|n| n > 0) && messages.is_empty() {
            review.failure = Some(Failure::ErrorReported);
        }
        review.findings.extend(messages.iter().filter_map(Node::map).filter_map(|m| message(file, m, lines)));
    }
    review.sections_empty = review.findings.is_empty();
    Some(review)
}

fn message(file: &Map, message: &Map, lines: &LineIndex) -> Option<Finding> {
    let severity = message.number(&["severity"]);
    let grade = match severity {
        Some(2) => Grade::High,
        Some(1) => Grade::Medium,
        _ => Grade::Unknown,
    };
    let (title, body) = entry::title_and_body(message.text(&["message"])?);
    let line = message.number(&["line"]).filter(|n| *n > 0);
    let end_line = message.number(&["endLine"]).filter(|e| line.is_some_and(|l| *e >= l));
    Some(Finding {
        grade,
        severity_text: severity.map(|s| s.to_string()),
        place: Some(Location { path: file.text(&["filePath"])?.to_owned(), line, end_line }),
        headline: title.clone(),
        title,
        body,
        rule: message.text(&["ruleId"]).map(str::to_owned),
        report_line: lines.line(message.at),
        ..Finding::default()
    })
}
