//! cargo's JSON messages: compiler messages with spans, and whether the build finished.
//!
//! The primary span is the place, the others are further ones; a message without spans only sums up. Without the closing
//! `build-finished` nobody knows whether anything was looked at. Source: cases/reports/README.md §2, §3 (V5). Bound: linear.

use super::json::{Map, Node};
use super::{LineIndex, entry};
use crate::base::severity::Grade;
use crate::finding::{Failure, Finding, Format, Location, Review};

/// Reads messages; none when they are not cargo's.
pub fn read(messages: &[&Map], lines: &LineIndex) -> Option<Review> {
    const REASONS: &[&str] = &["compiler-message", "compiler-artifact", "build-script-executed", "build-finished"];
    let reason = |m: &Map| m.text(&["reason"]).filter(|r| REASONS.contains(r)).map(str::to_owned);
    if !messages.iter().any(|m| reason(m).is_some()) {
        return None;
    }
    let mut review = Review { format: Some(Format::Cargo), ..Review::default() };
    let mut finished = None;
    for message in messages {
        match reason(message).as_deref() {
            Some("compiler-message") => review.findings.extend(message.get("message").and_then(Node::map).and_then(|m| read_one(m, lines))),
            Some("build-finished") => finished = message.get("success").cloned(),
            _ => {}
        }
    }
    review.sections_empty = review.findings.is_empty() && finished == Some(Node::Bool(true));
    if finished == Some(Node::Bool(false)) && review.findings.is_empty() {
        review.failure = Some(Failure::ErrorReported);
    }
    Some(review)
}

fn read_one(message: &Map, lines: &LineIndex) -> Option<Finding> {
    let level = message.text(&["level"])?;
    let spans: Vec<&Map> = message.get("spans")?.list()?.iter().filter_map(Node::map).collect();
    let primary = spans.iter().position(|s| s.get("is_primary") == Some(&Node::Bool(true))).unwrap_or(0);
    let grade = match level {
        level if level.starts_with("error") => Grade::High,
        "warning" => Grade::Medium,
        "note" | "help" => Grade::Suggestion,
        _ => Grade::Unknown,
    };
    let (title, _) = entry::title_and_body(message.text(&["message"])?);
    let mut finding = Finding {
        grade,
        severity_text: Some(level.to_owned()),
        place: Some(place(spans.get(primary)?)?),
        headline: title.clone(),
        title,
        body: message.text(&["rendered"]).unwrap_or_default().to_owned(),
        rule: message.at(&["code", "code"]).and_then(Node::text).map(str::to_owned),
        report_line: lines.line(message.at),
        ..Finding::default()
    };
    let others = spans.iter().enumerate().filter(|(i, _)| *i != primary).filter_map(|(_, s)| place(s));
    others.for_each(|p| entry::add_place(&mut finding, p));
    Some(finding)
}

fn place(span: &Map) -> Option<Location> {
    let line = span.number(&["line_start"]).filter(|n| *n > 0);
    let end_line = span.number(&["line_end"]).filter(|e| line.is_some_and(|l| *e >= l));
    Some(Location { path: span.text(&["file_name"])?.to_owned(), line, end_line })
}
