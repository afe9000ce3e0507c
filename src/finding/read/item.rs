//! One finding written as keys and values: JSON, YAML, TOML and XML answers all come to this.
//!
//! The keys are those of cases/reports/README.md §4 and of the tools of spec/field.md. Bound: linear in the object.

use super::entry;
use super::json::{Map, Node};
use super::location;
use crate::base::severity::{self, Grade};
use crate::finding::{Finding, Location};

const TITLES: &[&str] =
    &["title", "message", "summary", "feedback", "description", "issue", "problem", "claim", "comment", "text", "content"];
const BODIES: &[&str] =
    &["body", "explanation", "details", "detail", "failure_scenario", "description", "impact", "rationale", "reason", "why", "evidence"];
const PATHS: &[&str] = &["path", "file", "filePath", "file_name", "filename", "file_path", "absolute_file_path"];
const FIRST_LINES: &[&str] = &["line", "line_start", "start_line", "startLine", "start", "line_number", "lineNumber", "lines"];
const LAST_LINES: &[&str] = &["line_end", "end_line", "endLine", "end"];
const LEVELS: &[&str] = &["severity", "level", "priority"];
const FIXES: &[&str] = &["fix", "suggested_fix", "suggestion", "recommendation", "remediation", "replacement"];
const QUOTES: &[&str] = &["quote", "snippet", "code_snippet", "existing_code"];
const CATEGORIES: &[&str] = &["category", "type", "kind", "area", "change_type"];
const IDS: &[&str] = &["id", "finding_id", "findingId"];

/// Words of a status that closes an item.
const CLOSED: &[&str] = &["fixed", "resolved", "closed", "won't fix", "wont fix", "wontfix", "done"];

/// What an object is.
#[derive(Debug)]
pub enum Item {
    /// A finding.
    Open(Box<Finding>),
    /// One that the report itself marks as closed.
    Closed,
    /// The placeholder of a schema.
    Template,
}

/// Reads an object of a findings list; none when it holds nothing that says what was found.
pub fn read(map: &Map, report_line: u64) -> Option<Item> {
    let title_key = TITLES.iter().find(|k| said(map, k).is_some());
    let body_key = BODIES.iter().find(|k| Some(*k) != title_key && said(map, k).is_some());
    let title = title_key.and_then(|k| said(map, k));
    let body = body_key.and_then(|k| said(map, k)).unwrap_or_default();
    let title = title.or_else(|| (!body.is_empty()).then(|| body.clone()))?;
    if is_placeholder(&title) {
        return Some(Item::Template);
    }
    if map.text(&["status", "state", "resolution"]).is_some_and(|s| CLOSED.contains(&s.to_lowercase().as_str())) {
        return Some(Item::Closed);
    }
    let tagged = entry::leading_tag(&title).filter(|t| !title[t.1..].trim().is_empty());
    let level = level(map).or_else(|| tagged.as_ref().map(|t| (t.0.grade, t.0.text.clone())));
    // The tag of a codex title says more than its number.
    let level = match (&level, &tagged) {
        (Some((_, digit)), Some((written, _))) if digit.bytes().all(|b| b.is_ascii_digit()) => Some((written.grade, written.text.clone())),
        _ => level,
    };
    let mut places = places(map);
    if places.is_empty() {
        let cited = [title.as_str(), body.as_str()].into_iter().flat_map(location::scan_text);
        places = cited.flat_map(location::Cite::places).collect();
    }
    let mut finding = Finding {
        // An id that another answer of ours assigned is made of path, line and title, and is made again.
        id: map.text(IDS).filter(|_| map.text(&["id_source"]) != Some("assigned")).map(str::to_owned),
        grade: level.as_ref().map_or(Grade::Unknown, |l| l.0),
        severity_text: level.map(|l| l.1),
        title: entry::one_line(tagged.as_ref().map_or(title.as_str(), |t| &title[t.1..])),
        headline: entry::one_line(&title),
        body,
        quote: map.text(QUOTES).map(str::to_owned),
        rule: map.text(&["rule", "rule_id", "ruleId"]).map(str::to_owned),
        category: map.text(CATEGORIES).map(str::to_owned),
        fix: map.text(FIXES).map(str::to_owned),
        report_line,
        ..Finding::default()
    };
    places.into_iter().for_each(|p| entry::add_place(&mut finding, p));
    Some(Item::Open(Box::new(finding)))
}

/// Whether an object that stands in no findings list looks like a finding all the same: it says what and where, or how grave.
pub fn is_finding(map: &Map) -> bool {
    let says = TITLES.iter().chain(BODIES).any(|k| said(map, k).is_some());
    let where_ = PATHS.iter().any(|k| map.get(k).is_some()) || map.get("location").is_some() || map.get("code_location").is_some();
    says && (where_ || map.text(&["severity"]).is_some())
}

/// The file an object names.
pub fn path(map: &Map) -> Option<&str> {
    map.text(PATHS)
}

/// The text of a key, also where it is wrapped as `{"text": …}`.
fn said(map: &Map, key: &str) -> Option<String> {
    let node = map.get(key)?;
    let text = node.text().or_else(|| node.map()?.text(&["text", "markdown"]))?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The grade of an item and the word as written; a number is a priority.
fn level(map: &Map) -> Option<(Grade, String)> {
    // Of a key that is repeated the gravest value counts.
    let gravest = |key: &&str| map.entries.iter().filter(|(k, _)| k == key).filter_map(|(_, v)| graded(v)).min_by_key(|(grade, _)| *grade);
    LEVELS.iter().find_map(gravest)
}

/// The grade that a value of a level key means, and the value as written.
fn graded(value: &Node) -> Option<(Grade, String)> {
    match value {
        Node::Text(text) => {
            let text = text.trim();
            let known = severity::at_start(text).map(|w| (w.grade, w.text));
            Some(known.unwrap_or_else(|| (Grade::Unknown, text.to_owned()))).filter(|_| !text.is_empty())
        }
        Node::Number(digits) => {
            let grade = match digits.as_str() {
                "0" => Grade::Critical,
                "1" => Grade::High,
                "2" => Grade::Medium,
                "3" => Grade::Low,
                _ => Grade::Unknown,
            };
            Some((grade, digits.clone()))
        }
        _ => None,
    }
}

/// A word in angle brackets, an alternative, or nothing but dots: what a schema puts where a reviewer writes.
fn is_placeholder(text: &str) -> bool {
    let plain = text.trim();
    (plain.starts_with('<') && plain.ends_with('>') && !plain[1..].contains('<')) || matches!(plain, "..." | "…" | "string" | "{title}")
}

/// Where an object says it is: its own path and lines, a location object, ranges of files, or a list of files.
fn places(map: &Map) -> Vec<Location> {
    let own = map.text(PATHS).map(|path| with_lines(path, map));
    let located = ["location", "code_location", "locations", "file_ranges", "referenced_files", "files", "additional_locations"];
    let further = located.iter().filter_map(|k| map.get(k)).flat_map(|node| match node {
        Node::List(list) => list.iter().filter_map(|n| place(n, map)).collect::<Vec<_>>(),
        one => place(one, map).into_iter().collect(),
    });
    own.into_iter().chain(further).collect()
}

/// A place written as text or object; a bare path takes the lines that stand beside it.
fn place(node: &Node, beside: &Map) -> Option<Location> {
    match node {
        Node::Text(text) => {
            let text = text.trim();
            let cited = location::scan_text(text).into_iter().next().filter(|c| c.span.start <= 1 && c.span.end + 1 >= text.len());
            let own = cited.map(|c| c.place).unwrap_or_else(|| Location { path: text.to_owned(), ..Location::default() });
            if text.is_empty() || (own.line.is_none() && text.contains(' ') && !text.contains(['/', '.'])) {
                return None;
            }
            Some(if own.line.is_none() { with_lines(&own.path, beside) } else { own })
        }
        Node::Map(map) => {
            let path = map.text(PATHS)?;
            let range = map.get("line_range").or_else(|| map.get("range")).and_then(Node::map).unwrap_or(map);
            Some(with_lines(path, range))
        }
        _ => None,
    }
}

/// A path and the lines an object names; `path:12` in the path itself counts where the object names none.
fn with_lines(path: &str, map: &Map) -> Location {
    let pair = map.get("lines").and_then(Node::list).unwrap_or_default();
    let nested = |key: &str| map.get(key).and_then(Node::map).and_then(|m| m.number(&["line"]));
    let written = map.text(&["line", "lines"]).and_then(location::line_range);
    let line = map.number(FIRST_LINES).or_else(|| pair.first().and_then(Node::number)).or_else(|| nested("start"));
    let end = map.number(LAST_LINES).or_else(|| pair.get(1).and_then(Node::number)).or_else(|| nested("end"));
    let (line, end) = match (line, written) {
        (None, Some((first, last))) => (Some(first), last),
        (line, _) => (line, end),
    };
    let line = line.filter(|l| *l > 0);
    if line.is_none()
        && let Some(cite) = location::scan_text(path).into_iter().next().filter(|c| c.span.start == 0 && c.span.end == path.len())
    {
        return cite.place;
    }
    Location { path: path.to_owned(), line, end_line: end.filter(|e| line.is_some_and(|l| *e >= l)) }
}
