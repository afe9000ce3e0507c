//! Diagnostics of semgrep (`results`) and pyright (`generalDiagnostics`) in JSON.
//!
//! Both wrap what they say and where in objects of their own; lines of pyright count from 0. Bound: linear.

use super::json::{Map, Node};
use super::{LineIndex, entry};
use crate::base::severity::Grade;
use crate::finding::{Finding, Format, Location, Review};

/// Reads a report; none when it is of neither.
pub(super) fn read(map: &Map, lines: &LineIndex) -> Option<Review> {
    let list = |key: &str| map.get(key).and_then(Node::list);
    let findings: Vec<Finding> = if let Some(results) = list("results").filter(|r| all_hold(r, "check_id")) {
        results.iter().filter_map(Node::map).map(|m| semgrep(m, lines)).collect()
    } else if let Some(diagnostics) = list("generalDiagnostics") {
        diagnostics.iter().filter_map(Node::map).map(|m| pyright(m, lines)).collect()
    } else {
        return None;
    };
    let sections_empty = findings.is_empty();
    Some(Review { format: Some(Format::Json), findings, sections_empty, ..Review::default() })
}

fn all_hold(list: &[Node], key: &str) -> bool {
    !list.is_empty() && list.iter().all(|n| n.map().is_some_and(|m| m.get(key).is_some()))
}

fn semgrep(map: &Map, lines: &LineIndex) -> Finding {
    let text = |path: &[&str]| map.at(path).and_then(Node::text);
    let line = |end: &str| map.at(&[end, "line"]).and_then(Node::number);
    diagnostic(text(&["extra", "message"]), text(&["extra", "severity"]), map, (line("start"), line("end")), lines, text(&["check_id"]))
}

fn pyright(map: &Map, lines: &LineIndex) -> Finding {
    let line = |end: &str| map.at(&["range", end, "line"]).and_then(Node::number).map(|n| n + 1);
    diagnostic(map.text(&["message"]), map.text(&["severity"]), map, (line("start"), line("end")), lines, map.text(&["rule"]))
}

fn diagnostic(
    message: Option<&str>,
    word: Option<&str>,
    map: &Map,
    (line, end_line): (Option<u64>, Option<u64>),
    lines: &LineIndex,
    rule: Option<&str>,
) -> Finding {
    let grade = match word.unwrap_or_default().to_ascii_lowercase().as_str() {
        "critical" => Grade::Critical,
        "error" | "high" => Grade::High,
        "warning" | "medium" => Grade::Medium,
        "low" => Grade::Low,
        "info" | "information" | "inventory" | "experiment" => Grade::Suggestion,
        _ => Grade::Unknown,
    };
    let (title, body) = entry::title_and_body(message.or(rule).unwrap_or_default());
    let end_line = end_line.filter(|end| line.is_some_and(|l| *end > l));
    let place = map.text(&["path", "file"]).map(|path| Location { path: path.to_owned(), line, end_line });
    Finding {
        grade,
        severity_text: word.map(str::to_owned),
        place,
        headline: title.clone(),
        title,
        body,
        rule: rule.map(str::to_owned),
        report_line: lines.line(map.at),
        ..Finding::default()
    }
}
