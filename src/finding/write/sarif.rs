//! SARIF 2.1.0 that GitHub code scanning accepts.
//!
//! Critical and high are `error`, medium and unknown `warning`, low and suggestion `note`; the six-word grade goes into
//! `properties["review-loop/grade"]`, which our reader takes before the level. A finding without a line stands at line 1 and one
//! without a file at the top of the repository, and says so in `properties["review-loop/unlocated"]`. Limits: 25,000 results and
//! 1,000 locations of each; what is over them is left out from the least grave on, and counted.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Entry, message};
use crate::base::severity::Grade;
use crate::finding::{Finding, Location};

/// Results GitHub takes of one run.
pub const MOST: usize = 25_000;
const LOCATIONS: usize = 1000;

/// Writes a log. `failed` says that the review proves nothing: an empty log must not read as clean.
pub fn write(entries: &[Entry], failed: bool, category: Option<&str>) -> Value {
    let shown = &entries[..entries.len().min(MOST)];
    let mut rules: BTreeMap<&str, Grade> = BTreeMap::new();
    let mut security: BTreeMap<&str, bool> = BTreeMap::new();
    for entry in shown {
        let rule = rule(&entry.finding);
        let known = rules.entry(rule).or_insert(entry.finding.grade);
        *known = (*known).min(entry.finding.grade);
        *security.entry(rule).or_default() |= is_security(&entry.finding);
    }
    let index: BTreeMap<&str, usize> = rules.keys().enumerate().map(|(i, r)| (*r, i)).collect();
    let listed: Vec<Value> = rules.iter().map(|(id, grade)| of_rule(id, *grade, security[id])).collect();
    let results: Vec<Value> = shown.iter().map(|e| result(e, index[rule(&e.finding)])).collect();
    let mut run = json!({
        "tool": {"driver": {"name": "review-loop", "version": env!("CARGO_PKG_VERSION"), "rules": listed}},
        "invocations": [{"executionSuccessful": !failed}],
        "columnKind": "utf16CodeUnits",
        "results": results,
    });
    if let Some(category) = category.filter(|c| !c.is_empty()) {
        run["automationDetails"] = json!({"id": category});
    }
    if entries.len() > MOST {
        run["properties"] = json!({"review-loop/left_out": entries.len() - MOST});
    }
    json!({"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]})
}

/// The rule of a finding: the tool's, else its category, else one for all.
fn rule(finding: &Finding) -> &str {
    let named = |t: &Option<String>| t.as_deref().map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned);
    let own = if named(&finding.rule).is_some() { &finding.rule } else { &finding.category };
    own.as_deref().map(str::trim).filter(|t| !t.is_empty()).unwrap_or("review")
}

fn is_security(finding: &Finding) -> bool {
    finding.category.iter().chain(&finding.tags).any(|t| t.eq_ignore_ascii_case("security"))
}

fn of_rule(id: &str, grade: Grade, security: bool) -> Value {
    let text = format!("Findings of the kind {id}");
    let text: String = text.chars().take(1000).collect();
    let mut rule = json!({
        "id": id,
        "shortDescription": {"text": text},
        "fullDescription": {"text": text},
        "help": {"text": "Said by a reviewer; the message of each result holds the reason."},
        "defaultConfiguration": {"level": level(grade)},
    });
    if security {
        let score = match grade {
            Grade::Critical => "9.5",
            Grade::High => "8.0",
            Grade::Medium | Grade::Unknown => "5.5",
            Grade::Low | Grade::Suggestion => "2.0",
        };
        rule["properties"] = json!({"tags": ["security"], "security-severity": score});
    }
    rule
}

fn level(grade: Grade) -> &'static str {
    match grade {
        Grade::Critical | Grade::High => "error",
        Grade::Medium | Grade::Unknown => "warning",
        Grade::Low | Grade::Suggestion => "note",
    }
}

fn result(entry: &Entry, rule_index: usize) -> Value {
    let finding = &entry.finding;
    let mut properties = Map::new();
    let mut note = |key: &str, value: Value| drop(properties.insert(format!("review-loop/{key}"), value));
    note("grade", json!(finding.grade.word()));
    let (id, source) = entry.stated();
    note("id", json!(id));
    note("id_source", json!(source.word()));
    let unlocated = match &finding.place {
        None => Some("path"),
        Some(place) if place.line.is_none() => Some("line"),
        Some(_) => None,
    };
    if let Some(what) = unlocated {
        note("unlocated", json!(what));
    }
    if let Some(fix) = &finding.fix {
        note("fix", json!(fix));
    }
    if let Some(category) = &finding.category {
        note("category", json!(category));
    }
    if !finding.tags.is_empty() {
        properties.insert("tags".to_owned(), json!(finding.tags.iter().take(10).collect::<Vec<_>>()));
    }
    let places = finding.place.iter().chain(&finding.also).take(LOCATIONS);
    let mut locations: Vec<Value> =
        places.map(|p| location(p, finding.quote.as_deref().filter(|_| Some(p) == finding.place.as_ref()))).collect();
    if locations.is_empty() {
        locations.push(location(&Location { path: ".".to_owned(), ..Location::default() }, None));
    }
    let mut prints = Map::new();
    prints.insert("reviewLoop/id/v1".to_owned(), json!(entry.id));
    if let Some(hash) = &entry.line_hash {
        prints.insert("primaryLocationLineHash".to_owned(), json!(hash));
    }
    let mut result = json!({
        "ruleId": rule(finding),
        "ruleIndex": rule_index,
        "level": level(finding.grade),
        "message": {"text": message(finding)},
        "locations": locations,
        "partialFingerprints": prints,
        "properties": properties,
    });
    if let Some(baseline) = entry.baseline {
        result["baselineState"] = json!(baseline.word());
    }
    if let Some((status, why)) = &entry.suppression {
        let justification = if why.trim().is_empty() { "ruled out by the loop" } else { why.trim() };
        result["suppressions"] = json!([{"kind": "external", "status": status, "justification": justification}]);
    }
    result
}

fn location(place: &Location, quote: Option<&str>) -> Value {
    let mut region = json!({"startLine": place.line.unwrap_or(1)});
    if let Some(end) = place.end_line {
        region["endLine"] = json!(end);
    }
    if let Some(quote) = quote.filter(|q| !q.is_empty()) {
        region["snippet"] = json!({"text": quote});
    }
    json!({"physicalLocation": {"artifactLocation": {"uri": encoded(&place.path)}, "region": region}})
}

/// A path as a relative URI: every byte that a path segment may not hold is percent-encoded, back-slashes too.
fn encoded(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'@' | b'+' | b'=' | b',' | b'(' | b')' => {
                out.push(char::from(byte))
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}
