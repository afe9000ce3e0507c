//! What a JSON document is: machine output, a client's envelope, an answer with findings, or nothing of ours.
//!
//! Takes a document of any spelling and gives what it says, or nothing when it is no review at all. A text inside it is
//! read like any other text. Source: cases/reports/README.md §3 to §5; spec/clients.md §4. Bound: linear in the document.

use super::json::{Map, Node};
use super::{LineIndex, beside, cargo, diagnostics, eslint, github, item, rdjson, sarif};
use crate::base::reason::Contradiction;
use crate::base::severity;
use crate::base::verdict::{self, Class};
use crate::finding::{Counted, Failure, Format, Review, Statement};

/// Keys of a findings list.
pub(super) const LISTS: &[&str] = &[
    "findings",
    "issues",
    "problems",
    "comments",
    "review_comments",
    "reviewComments",
    "key_issues",
    "defects",
    "violations",
    "vulnerabilities",
    "amendments",
    "required_changes",
];

/// Keys of a verdict that is a word.
pub(super) const VERDICTS: &[&str] = &["verdict", "final_verdict", "overall_verdict", "overall_correctness", "decision", "review_decision"];

/// Keys whose text may be an answer.
pub(super) const TEXTS: &[&str] = &[
    "result",
    "structured_output",
    "output",
    "stdout",
    "text",
    "message",
    "content",
    "response",
    "answer",
    "review",
    "body",
    "item",
    "codex",
    "claude",
    "data",
    "payload",
    "choices",
    "parts",
];

/// Keys whose text is never the reviewer's answer.
pub(super) const NEVER: &[&str] = &["prompt", "input", "instructions", "stderr", "cmd", "command", "diff", "patch", "arguments", "system"];

/// How deep answers may lie in answers.
const DEPTH: usize = 8;

/// What a document says; none when it is no review.
pub fn document(node: &Node, lines: &LineIndex, depth: usize) -> Option<Review> {
    match node {
        Node::Map(map) => object(map, lines, depth),
        Node::List(list) if list.is_empty() => Some(empty(Format::Json)),
        Node::List(list) => objects(list, lines, depth),
        Node::Text(text) if depth < DEPTH => Some(super::text(text, depth + 1)).filter(says_something),
        _ => None,
    }
}

/// An explicitly empty list: nothing was found, and that was said.
pub fn empty(format: Format) -> Review {
    Review { format: Some(format), sections_empty: true, ..Review::default() }
}

/// Whether a review holds anything that a reader could act upon.
pub fn says_something(review: &Review) -> bool {
    let phrases = review.clean_phrase.is_some() || review.qualified_phrase || review.sections_empty;
    let failed = review.failure.is_some() || review.could_not_review.is_some();
    !review.findings.is_empty() || !review.statements.is_empty() || !review.suspicious.is_empty() || phrases || failed
}

/// Whether a review answers: it states a verdict, finds something, or says that a list is empty.
pub fn is_answer(review: &Review) -> bool {
    !review.findings.is_empty() || !review.statements.is_empty() || review.sections_empty || review.resolved > 0
}

fn objects(list: &[Node], lines: &LineIndex, depth: usize) -> Option<Review> {
    let maps: Vec<&Map> = list.iter().filter_map(Node::map).collect();
    if maps.is_empty() {
        return None;
    }
    if let Some(review) = eslint::read(&maps, lines).or_else(|| github::read(&maps, lines)).or_else(|| cargo::read(&maps, lines)) {
        return Some(review);
    }
    let mut review = Review { format: Some(Format::Json), ..Review::default() };
    let mut known = false;
    for map in maps {
        if item::is_finding(map) && !LISTS.iter().any(|k| map.get(k).is_some()) {
            known = true;
            take(&mut review, map, lines);
        } else if let Some(inner) = object(map, lines, depth) {
            known = true;
            review.absorb(inner);
        }
    }
    known.then_some(review)
}

fn object(map: &Map, lines: &LineIndex, depth: usize) -> Option<Review> {
    if let Some(review) = sarif::read(map, lines)
        .or_else(|| rdjson::read(map, lines))
        .or_else(|| rdjson::read_line(map, lines))
        .or_else(|| diagnostics::read(map, lines))
    {
        return Some(review);
    }
    let mut review = Review { format: Some(Format::Json), ..Review::default() };
    let mut known = fail(&mut review, map);
    for (key, value) in &map.entries {
        known |= state(&mut review, key, value, lines.line(map.at));
        if let Some(list) = value.list().filter(|_| LISTS.contains(&key.as_str())) {
            known |= findings(&mut review, list, lines);
        }
        if let Some(files) = value.map().filter(|_| LISTS.contains(&key.as_str())) {
            known |= by_file(&mut review, files, lines);
        }
        if let Some(counts) = value.map().filter(|_| matches!(key.as_str(), "counts" | "summary" | "totals" | "stats")) {
            count(&mut review, counts);
        }
    }
    if github::is_review(map) {
        known = true;
    }
    if !known && item::is_finding(map) {
        take(&mut review, map, lines);
        return Some(review);
    }
    if depth < DEPTH && !known {
        let inner: Vec<Review> = answers(map).filter_map(|n| nested(n, lines, depth)).collect();
        known = !inner.is_empty();
        inner.into_iter().for_each(|r| review.absorb(r));
    } else if review.failure.is_none() && depth < DEPTH && review.findings.is_empty() {
        // A verdict may stand beside a text that holds the findings.
        let inner = answers(map).filter(|n| n.text().is_some_and(|t| t.contains('\n'))).filter_map(|n| nested(n, lines, depth));
        inner.filter(|r| !r.findings.is_empty()).collect::<Vec<_>>().into_iter().for_each(|r| review.absorb(r));
    }
    if known && depth < DEPTH {
        beside::read(&mut review, map, lines);
    }
    known.then_some(review)
}

/// What may hold an answer: the known keys first, else every text of some length that is not the caller's own.
fn answers(map: &Map) -> impl Iterator<Item = &Node> {
    let known = map.entries.iter().any(|(k, v)| TEXTS.contains(&k.as_str()) && !matches!(v, Node::Null | Node::Bool(_) | Node::Number(_)));
    map.entries
        .iter()
        .filter(move |(k, v)| {
            let key = k.as_str();
            let long = matches!(v, Node::Map(_) | Node::List(_)) || v.text().is_some_and(|t| t.len() > 24);
            let read = LISTS.contains(&key) && v.map().is_some_and(is_by_file);
            let other = NEVER.contains(&key) || read;
            !other && (TEXTS.contains(&key) || (!known && long))
        })
        .map(|(_, v)| v)
}

/// What an answer inside an answer says: a text is read like any other, on the line it stands on.
pub fn nested(node: &Node, lines: &LineIndex, depth: usize) -> Option<Review> {
    match node {
        Node::Text(text) => {
            let mut inner = super::text(text, depth + 1);
            let line = lines.line(0);
            inner.findings.iter_mut().for_each(|f| f.report_line = line);
            inner.statements.iter_mut().for_each(|s| s.report_line = line);
            inner.suspicious = if inner.suspicious.is_empty() { inner.suspicious } else { [line].into() };
            Some(inner).filter(says_something)
        }
        Node::List(list) if list.is_empty() => None,
        other => document(other, lines, depth + 1),
    }
}

/// Reads a findings list; true when it is one.
fn findings(review: &mut Review, list: &[Node], lines: &LineIndex) -> bool {
    if list.is_empty() {
        review.sections_empty = review.findings.is_empty();
        return true;
    }
    let before = (review.findings.len(), review.resolved, review.contradictions.len());
    for node in list {
        match node {
            Node::Map(map) => take(review, map, lines),
            Node::Text(text) => {
                let map = Map { entries: vec![("title".to_owned(), Node::Text(text.clone()))], at: 0 };
                take(review, &map, lines);
            }
            _ => {}
        }
    }
    review.sections_empty = false;
    before != (review.findings.len(), review.resolved, review.contradictions.len())
}

/// Findings listed under the files they are about: `{"a.rs": [{…}]}`; true when it is such an object.
fn by_file(review: &mut Review, files: &Map, lines: &LineIndex) -> bool {
    if !is_by_file(files) {
        return false;
    }
    for (path, list) in files.entries.iter().filter_map(|(path, node)| Some((path.as_str(), node.list()?))) {
        for map in list.iter().filter_map(Node::map) {
            take(review, &beside::placed(map, Some(path)), lines);
        }
    }
    true
}

/// Whether an object lists something under names of files, and nothing else.
pub(super) fn is_by_file(map: &Map) -> bool {
    !map.entries.is_empty() && map.entries.iter().all(|(path, node)| path.contains(['.', '/']) && node.list().is_some())
}

pub(super) fn take(review: &mut Review, map: &Map, lines: &LineIndex) {
    match item::read(map, lines.line(map.at)) {
        Some(item::Item::Open(finding)) => review.findings.push(*finding),
        Some(item::Item::Closed) => review.resolved += 1,
        Some(item::Item::Template) => review.contradictions.push(Contradiction::EchoedTemplate),
        // An object of a findings list that says nothing a reader knows is still one that somebody put there.
        None => drop(review.suspicious.insert(lines.line(map.at))),
    }
}

/// Reads a verdict key; true when it was one.
fn state(review: &mut Review, key: &str, value: &Node, report_line: u64) -> bool {
    let mut say = |class, text: &str, round_word| {
        review.statements.push(Statement { class, text: text.to_owned(), round_word, report_line });
        true
    };
    match (key, value) {
        ("approved", Node::Bool(true)) => say(Class::Approve, "true", verdict::read_value("APPROVE").and_then(|s| s.round_word())),
        ("approved", Node::Bool(false)) => say(Class::NeedsAttention, "false", None),
        (key, Node::Text(text)) if VERDICTS.contains(&key) && !text.trim().is_empty() => {
            if super::label::is_template(text) {
                review.contradictions.push(Contradiction::EchoedTemplate);
                return true;
            }
            // Our own answers say so of a review in which nothing decides.
            if text.trim() == "none" {
                return true;
            }
            let Some(mut stated) = verdict::read_value(text) else { return false };
            stated.known |= text.trim() == "unproven";
            if !stated.known {
                // A decision may be about anything; a verdict is about the review.
                if key.contains("decision") {
                    return false;
                }
                review.contradictions.push(Contradiction::UnrecognizedVerdict);
            }
            let word = stated.round_word();
            review.statements.push(Statement { class: stated.class, text: text.trim().to_owned(), round_word: word, report_line });
            true
        }
        _ => false,
    }
}

/// Reads what says that the source failed; true when it did.
fn fail(review: &mut Review, map: &Map) -> bool {
    let error =
        map.get("error").filter(|e| !matches!(e, Node::Bool(false)) && e.text() != Some("") && e.list().is_none_or(|l| !l.is_empty()));
    let failed = map.get("is_error") == Some(&Node::Bool(true))
        || map.get("success") == Some(&Node::Bool(false))
        || map.text(&["status", "type", "subtype"]).is_some_and(|s| s == "error" || s.starts_with("error_"));
    if error.is_none() && !failed {
        return false;
    }
    let mut said = String::new();
    for part in [error, map.get("result"), map.get("message"), map.get("api_error_status")].into_iter().flatten() {
        tell(part, &mut said);
    }
    review.failure = Some(if super::label::is_rate_limit(&said) { Failure::RateLimited } else { Failure::ErrorReported });
    true
}

/// The words of an error, whatever they are wrapped in.
pub fn tell(node: &Node, into: &mut String) {
    match node {
        Node::Text(text) | Node::Number(text) => {
            into.push_str(text);
            into.push(' ');
        }
        Node::Map(map) => map.entries.iter().for_each(|(_, v)| tell(v, into)),
        Node::List(list) => list.iter().for_each(|v| tell(v, into)),
        _ => {}
    }
}

/// `{"high": 1, "low": 2}`
fn count(review: &mut Review, counts: &Map) {
    for (key, value) in &counts.entries {
        let known =
            Counted::parse(key).or_else(|| severity::at_start(key).filter(|w| w.end == key.len()).and_then(|w| Counted::of(w.grade)));
        if let Some((known, number)) = known.zip(value.number()) {
            *review.counts.entry(known).or_default() += number;
        }
    }
}
