//! Reviewdog's diagnostics: rdjson, one result with its defaults, and rdjsonl, one diagnostic a line.
//!
//! Source: cases/reports/README.md §2; spec/ecosystem.md §2.8. Bound: linear.

use super::json::{Map, Node};
use super::{LineIndex, entry, schema};
use crate::base::severity::Grade;
use crate::finding::{Finding, Format, Location, Review};

/// Reads a result; none when the document is none.
pub fn read(map: &Map, lines: &LineIndex) -> Option<Review> {
    let list = map.get("diagnostics")?.list()?;
    if list.is_empty() {
        return Some(schema::empty(Format::Rdjson));
    }
    let default = map.text(&["severity"]);
    let findings = list.iter().filter_map(Node::map).filter_map(|d| diagnostic(d, default, lines)).collect();
    Some(Review { format: Some(Format::Rdjson), findings, ..Review::default() })
}

/// Reads an object that is one diagnostic in reviewdog's own words; none when it is another kind of object.
pub fn read_line(map: &Map, lines: &LineIndex) -> Option<Review> {
    let graded = map.text(&["severity"]).is_some_and(|w| matches!(w, "ERROR" | "WARNING" | "INFO" | "UNKNOWN_SEVERITY"));
    let findings = vec![diagnostic(map, None, lines).filter(|_| graded && is_diagnostic(map))?];
    Some(Review { format: Some(Format::Rdjsonl), findings, ..Review::default() })
}

/// Whether an object is a diagnostic.
pub fn is_diagnostic(map: &Map) -> bool {
    map.get("message").is_some() && map.at(&["location", "path"]).is_some()
}

/// Reads one diagnostic; `default` is the severity of the result around it.
pub fn diagnostic(map: &Map, default: Option<&str>, lines: &LineIndex) -> Option<Finding> {
    let word = map.text(&["severity"]).or(default);
    let grade = match word {
        Some("ERROR") => Grade::High,
        Some("WARNING") => Grade::Medium,
        Some("INFO") => Grade::Suggestion,
        _ => Grade::Unknown,
    };
    let (title, body) = entry::title_and_body(map.text(&["message"])?);
    let at = |end: &str| map.at(&["location", "range", end, "line"]).and_then(Node::number).filter(|n| *n > 0);
    let line = at("start");
    let place = map.at(&["location", "path"]).and_then(Node::text);
    // Our own writer says the top of the repository where there is no path.
    let place = place.filter(|path| *path != ".").map(|path| Location {
        path: path.to_owned(),
        line,
        end_line: at("end").filter(|e| line.is_some_and(|l| *e >= l)),
    });
    let fix = map.get("suggestions").and_then(Node::list).and_then(|s| s.first()?.map()?.text(&["text"]));
    Some(Finding {
        grade,
        severity_text: word.map(str::to_owned),
        place,
        headline: title.clone(),
        title,
        body,
        rule: map.at(&["code", "value"]).and_then(Node::text).map(str::to_owned),
        fix: fix.map(str::to_owned),
        report_line: lines.line(map.at),
        ..Finding::default()
    })
}
