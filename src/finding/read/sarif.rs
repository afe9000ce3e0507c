//! SARIF 2.1.0: results of every run, with the level, suppression and baseline rules of the standard.
//!
//! Source: cases/reports/README.md §2 and §4; spec/ecosystem.md §2.7. Bound: linear in results and rules.

use std::collections::HashMap;

use super::json::{Map, Node};
use super::{LineIndex, entry, location};
use crate::base::severity::Grade;
use crate::finding::{Failure, Finding, Format, Location, Review};

/// Reads a log; none when the document is no SARIF.
pub fn read(log: &Map, lines: &LineIndex) -> Option<Review> {
    let runs = log.get("runs")?.list()?;
    let named = log.text(&["$schema"]).is_some_and(|s| s.contains("sarif")) || log.text(&["version"]).is_some_and(|v| v.starts_with("2."));
    if !named && !runs.iter().any(|r| r.map().is_some_and(|m| m.get("tool").is_some())) {
        return None;
    }
    let mut review = Review { format: Some(Format::Sarif), ..Review::default() };
    let mut said = !runs.is_empty();
    for run in runs.iter().filter_map(Node::map) {
        let invocations = run.get("invocations").and_then(Node::list).unwrap_or_default();
        if invocations.iter().filter_map(Node::map).any(failed) {
            review.failure = Some(Failure::ErrorReported);
        }
        let Some(results) = run.get("results").and_then(Node::list) else {
            said = false;
            continue;
        };
        let rules = rules(run);
        for result in results.iter().filter_map(Node::map) {
            self::result(&mut review, result, &rules, lines);
        }
    }
    review.sections_empty = said && review.findings.is_empty() && review.failure.is_none();
    Some(review)
}

/// Whether an invocation says that it failed, as a whole or in a part.
fn failed(invocation: &Map) -> bool {
    let notified = ["toolExecutionNotifications", "toolConfigurationNotifications"];
    let notes = notified.iter().filter_map(|k| invocation.get(k)?.list()).flatten().filter_map(Node::map);
    invocation.get("executionSuccessful") == Some(&Node::Bool(false)) || notes.into_iter().any(|n| n.text(&["level"]) == Some("error"))
}

/// A rule's id and default level, by id.
fn rules(run: &Map) -> HashMap<&str, &str> {
    let tools = [&["tool", "driver", "rules"][..]].into_iter().filter_map(|p| run.at(p)?.list()).flatten();
    let extensions = run.at(&["tool", "extensions"]).and_then(Node::list).unwrap_or_default();
    let extended = extensions.iter().filter_map(|e| e.map()?.get("rules")?.list()).flatten();
    let rules = tools.chain(extended).filter_map(Node::map);
    rules.filter_map(|r| Some((r.text(&["id"])?, r.at(&["defaultConfiguration", "level"])?.text()?))).collect()
}

fn result<'m>(review: &mut Review, result: &'m Map, rules: &HashMap<&'m str, &'m str>, lines: &LineIndex) {
    let kind = result.text(&["kind"]).unwrap_or("fail");
    if matches!(kind, "pass" | "notApplicable" | "informational") {
        return;
    }
    let suppressed = result.get("suppressions").and_then(Node::list).is_some_and(|all| {
        let status = |s: &Node| s.map().and_then(|m| m.text(&["status"])).unwrap_or("accepted").to_owned();
        !all.is_empty() && all.iter().all(|s| status(s) == "accepted")
    });
    if result.text(&["baselineState"]) == Some("absent") || suppressed {
        review.resolved += 1;
        return;
    }
    let rule = result.text(&["ruleId"]).or_else(|| result.at(&["rule", "id"])?.text());
    let level = result.text(&["level"]).or_else(|| rules.get(rule?).copied()).unwrap_or("warning");
    let own = result.at(&["properties", "review-loop/grade"]).and_then(Node::text).and_then(Grade::parse);
    let grade = own.unwrap_or(match level {
        "error" => Grade::High,
        "note" | "none" => Grade::Suggestion,
        _ => Grade::Medium,
    });
    let message = result.at(&["message", "text"]).and_then(Node::text);
    let message = message.or_else(|| result.at(&["message", "markdown"])?.text()).or(rule).unwrap_or("(no message)");
    let (title, body) = entry::title_and_body(message);
    let ours = |key: &str| result.at(&["properties", &format!("review-loop/{key}")]).and_then(Node::text);
    let mut finding = Finding {
        id: ours("id").filter(|_| ours("id_source") != Some("assigned")).map(str::to_owned),
        grade,
        severity_text: Some(own.map_or_else(|| level.to_owned(), |g| g.word().to_owned())),
        headline: title.clone(),
        title,
        body,
        rule: rule.map(str::to_owned),
        report_line: lines.line(result.at),
        ..Finding::default()
    };
    finding.category = ours("category").map(str::to_owned);
    if let Some(tags) = result.at(&["properties", "tags"]).and_then(Node::list) {
        finding.tags = tags.iter().filter_map(Node::text).map(str::to_owned).collect();
    }
    for location in result.get("locations").and_then(Node::list).unwrap_or_default().iter().filter_map(Node::map) {
        if let Some(place) = place(location) {
            entry::add_place(&mut finding, place);
        }
    }
    match ours("unlocated") {
        Some("path") => finding.place = None,
        Some(_) => {
            if let Some(place) = &mut finding.place {
                (place.line, place.end_line) = (None, None);
            }
        }
        None => {}
    }
    let fix = result.get("fixes").and_then(Node::list).and_then(|f| f.first()?.map()?.at(&["description", "text"])?.text());
    finding.fix = fix.or(ours("fix")).map(str::to_owned);
    finding.quote = result
        .get("locations")
        .and_then(Node::list)
        .and_then(|l| l.first()?.map()?.at(&["physicalLocation", "region", "snippet", "text"])?.text())
        .map(|t| t.trim().to_owned());
    review.findings.push(finding);
}

/// A URI relative to a base stays relative; percent signs are decoded.
fn place(location: &Map) -> Option<Location> {
    let uri = location.at(&["physicalLocation", "artifactLocation", "uri"])?.text()?;
    let region = |key: &str| location.at(&["physicalLocation", "region", key]).and_then(Node::number).filter(|n| *n > 0);
    let line = region("startLine");
    let path = location::percent_decoded(uri.strip_prefix("file://").unwrap_or(uri));
    Some(Location { path, line, end_line: region("endLine").filter(|e| line.is_some_and(|l| *e >= l)) })
}
