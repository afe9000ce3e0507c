//! One finding written as keys and values: JSON, YAML, TOML and XML answers all come to this.
//!
//! The keys are those of cases/reports/README.md §4 and of the tools of spec/field.md. Bound: linear in the object.

use std::borrow::Cow;

use super::entry;
use super::json::{Map, Node};
use super::location;
use crate::base::case;
use crate::base::severity::{self, Grade};
use crate::finding::{Finding, Location};

const TITLES: &[&str] = &[
    "title",
    "message",
    "summary",
    "feedback",
    "description",
    "issue",
    "problem",
    "claim",
    "comment",
    "text",
    "content",
    "finding",
    "what",
    "issue_text",
];
const BODIES: &[&str] =
    &["body", "explanation", "details", "detail", "failure_scenario", "description", "impact", "rationale", "reason", "why", "evidence"];
const PATHS: &[&str] = &["path", "file", "filePath", "file_name", "filename", "file_path", "absolute_file_path"];
/// Keys of a place that is one text, or an object of its own.
const PLACES: &[&str] = &["location", "code_location", "where", "loc"];
const FIRST_LINES: &[&str] = &["line", "line_start", "start_line", "startLine", "start", "line_number", "lineNumber", "lines"];
const LAST_LINES: &[&str] = &["line_end", "end_line", "endLine", "end"];
/// Keys of a range that is a pair, an object or a text.
const RANGES: &[&str] = &["lines", "line_range", "lineRange", "range"];
const LEVELS: &[&str] = &["severity", "level", "priority", "issue_severity"];
/// Keys that grade an item when their whole value is a level.
const GRADES: &[&str] = &["risk", "impact", "grade", "rating", "criticality", "importance", "type"];
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
    let map = canonical(map);
    let map = map.as_ref();
    let title_key = TITLES.iter().find(|k| said(map, k).is_some());
    let body_key = BODIES.iter().find(|k| Some(*k) != title_key && said(map, k).is_some());
    let title = title_key.and_then(|k| said(map, k));
    let body = body_key.and_then(|k| said(map, k)).unwrap_or_default();
    let fix = || FIXES.iter().find_map(|k| said(map, k)).filter(|_| is_located(map));
    let title = title.or_else(|| (!body.is_empty()).then(|| body.clone())).or_else(fix)?;
    // Who names a line of a file writes of something, whatever the title.
    let placed = |place: &Location| place.line.is_some() && !is_placeholder(&place.path);
    if is_placeholder(&title) && !places(map).iter().any(placed) {
        return Some(Item::Template);
    }
    if map.text(&["status", "state", "resolution"]).is_some_and(|s| CLOSED.contains(&case::lower(s).as_ref())) {
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
    let map = canonical(map);
    let map = map.as_ref();
    let says = TITLES.iter().chain(BODIES).any(|k| said(map, k).is_some());
    says && (is_located(map) || map.text(&["severity", "issue_severity"]).is_some())
}

/// Whether an object says where something is.
fn is_located(map: &Map) -> bool {
    PATHS.iter().chain(PLACES).any(|k| map.get(k).is_some())
}

/// Whether an object says on which line of which file something is, and what.
pub fn is_placed(map: &Map) -> bool {
    let says = || TITLES.iter().chain(BODIES).chain(FIXES).any(|k| said(map, k).is_some());
    is_located(map) && says() && places(map).first().is_some_and(|p| p.line.is_some())
}

/// An object under the names that this reader knows: case, joints and language of its keys aside.
pub fn canonical(map: &Map) -> Cow<'_, Map> {
    let odd = |key: &str| !key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    if !map.entries.iter().any(|(k, _)| odd(k)) {
        return Cow::Borrowed(map);
    }
    let renamed = |key: &str| if odd(key) { known_key(key).unwrap_or(key).to_owned() } else { key.to_owned() };
    Cow::Owned(Map { entries: map.entries.iter().map(|(k, v)| (renamed(k), v.clone())).collect(), at: map.at })
}

/// The name of a key that is written in capitals or in another language.
fn known_key(key: &str) -> Option<&'static str> {
    let folded: String = case::lower(key).chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect();
    Some(match folded.as_str() {
        "findings" | "发现" | "指摘事項" | "指摘" | "지적사항" | "발견사항" => "findings",
        "issues" | "问题列表" | "이슈" => "issues",
        "severity" | "심각도" | "重要度" | "深刻度" | "重大度" | "严重程度" | "严重性" | "严重级别" => "severity",
        "level" | "级别" | "等级" | "レベル" | "등급" => "level",
        "priority" | "우선순위" | "优先级" | "優先度" => "priority",
        "path" | "경로" | "路径" | "パス" => "path",
        "text" => "text",
        "file" | "filename" | "filepath" | "파일" | "文件" | "ファイル" => "file",
        "location" | "pos" | "위치" | "位置" | "場所" => "location",
        "line" | "linenumber" | "줄" | "라인" | "行" | "行号" => "line",
        "title" | "제목" | "标题" | "タイトル" => "title",
        "message" => "message",
        "summary" | "요약" | "摘要" | "概要" => "summary",
        "description" | "설명" | "내용" | "描述" | "内容" | "説明" => "description",
        "issue" => "issue",
        "problem" | "문제" | "问题" | "問題" => "problem",
        "suggestion" | "제안" | "建议" | "提案" => "suggestion",
        "id" => "id",
        _ => return None,
    })
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
    let whole = |key: &&str| map.text(&[key]).and_then(severity::at_start).filter(|w| Some(w.end) == map.text(&[key]).map(str::len));
    let named = || GRADES.iter().find_map(whole).map(|w| (w.grade, w.text));
    LEVELS.iter().find_map(gravest).or_else(named)
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
        Node::Map(map) => {
            map.entries.iter().find(|(k, _)| matches!(k.as_str(), "level" | "name" | "value" | "label")).and_then(|(_, v)| graded(v))
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
    let located =
        ["location", "code_location", "where", "loc", "locations", "file_ranges", "referenced_files", "files", "additional_locations"];
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
            let map = canonical(map);
            let map = map.as_ref();
            let path = map.text(PATHS)?;
            let range = map.get("line_range").or_else(|| map.get("range")).and_then(Node::map).unwrap_or(map);
            Some(with_lines(path, range))
        }
        _ => None,
    }
}

/// A path and the lines an object names; `path:12` in the path itself counts where the object names none.
fn with_lines(path: &str, map: &Map) -> Location {
    let range = RANGES.iter().find_map(|k| map.get(k));
    let pair = range.and_then(Node::list).unwrap_or_default();
    let nested_in = |of: &Map, key: &str| of.get(key).and_then(Node::map).and_then(|m| m.number(&["line", "row"]));
    // `{"start": 4}`, `{"start": {"line": 4}}`
    let inner = |keys: &[&str]| {
        let range = range.and_then(Node::map)?;
        range.number(keys).or_else(|| keys.iter().find_map(|key| nested_in(range, key)))
    };
    let nested = |key: &str| nested_in(map, key);
    let written = map.text(&["line", "lines", "line_range", "lineRange", "range"]).and_then(location::line_range);
    let first = map.number(FIRST_LINES).or_else(|| pair.first().and_then(Node::number)).or_else(|| nested("start"));
    let line = first.or_else(|| inner(&["start", "begin", "first", "from"])).or_else(|| nested("location"));
    let last = map.number(LAST_LINES).or_else(|| pair.get(1).and_then(Node::number)).or_else(|| nested("end"));
    let end = last.or_else(|| inner(&["end", "last", "to"])).or_else(|| nested("end_location"));
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
