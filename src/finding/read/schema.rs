//! What a JSON document is: machine output, a client's envelope, an answer with findings, or nothing of ours.
//!
//! Takes a document of any spelling and gives what it says, or nothing when it is no review at all. A text inside it is
//! read like any other text. Source: cases/reports/README.md §3 to §5; spec/clients.md §4. Bound: linear in the document.

use super::json::{Map, Node};
use super::{LineIndex, beside, cargo, diagnostics, eslint, github, item, rdjson, sarif};
use crate::base::case;
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

/// Keys of a verdict that is a word, folded.
const VERDICTS: &[&str] =
    &["verdict", "finalverdict", "overallverdict", "overallcorrectness", "decision", "finaldecision", "reviewdecision", "reviewverdict"];

/// Keys whose `false` speaks against the change, folded. Of a `true` only that of `approved` approves.
const APPROVES: &[&str] = &[
    "approve",
    "approved",
    "isapproved",
    "lgtm",
    "pass",
    "passed",
    "ispassed",
    "accepted",
    "mergeable",
    "readytomerge",
    "canmerge",
    "safetomerge",
    "shouldmerge",
];

/// Keys whose `true` speaks against the change, folded.
const REJECTS: &[&str] = &["rejected", "blocked", "requestchanges", "changesrequested", "needschanges", "blocksmerge", "blockmerge"];

/// Keys that sort or name a thing: their words are no statement about the change, folded.
const SORTS: &[&str] =
    &["type", "kind", "category", "severity", "level", "priority", "risk", "mode", "name", "id", "title", "path", "file"];

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

/// Whether a key is that of a verdict.
pub(super) fn is_verdict(key: &str) -> bool {
    VERDICTS.contains(&folded(key).as_str()) || super::label::is_verdict_label(key)
}

/// A key without case and joints: `reviewVerdict` and `review_verdict` are one.
fn folded(key: &str) -> String {
    case::lower(key).chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect()
}

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
        // A list in a list.
        let inner = list.first().filter(|n| list.len() == 1 && depth < DEPTH && n.list().is_some_and(|l| !l.is_empty()));
        return inner.and_then(|n| document(n, lines, depth + 1));
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
    let map = item::canonical(map);
    let map = map.as_ref();
    let mut review = Review { format: Some(Format::Json), ..Review::default() };
    let mut known = fail(&mut review, map);
    // What a scanner could not scan stands beside what it found.
    let unscanned = map.get("errors").filter(|e| {
        map.get("results").is_some_and(|r| r.list().is_some())
            && e.list().is_some_and(|l| l.iter().any(|n| n.map().is_some_and(|m| !item::is_placed(m))))
    });
    if unscanned.is_some() {
        known = true;
        review.failure = review.failure.or(Some(Failure::ErrorReported));
    }
    let (mut read, mut lists) = (Read::new(), Vec::new());
    read.extend(unscanned.map(std::ptr::from_ref));
    for (key, value) in &map.entries {
        known |= state(&mut review, key, value, lines.line(map.at));
        let listed = LISTS.contains(&key.as_str());
        match value {
            Node::List(list) if listed => {
                read.insert(value);
                // A list that stands under two names was found once; nobody gives it more than a few.
                if list.is_empty() || !lists.iter().take(8).any(|known| *known == list) {
                    known |= findings(&mut review, list, item::path(map), lines);
                }
                lists.push(list);
            }
            Node::Map(files) if is_by_file(files) && (listed || map.entries.len() == 1) => {
                read.insert(value);
                known |= by_file(&mut review, files, lines);
            }
            // Grouped by something else, or a text: what stands beside the lists is read for both.
            Node::Map(_) | Node::Text(_) if listed => known |= key != "comments",
            _ => {}
        }
        if let Some(counts) = value.map().filter(|_| matches!(key.as_str(), "counts" | "summary" | "totals" | "stats")) {
            count(&mut review, counts);
        }
    }
    if !known && is_by_file(map) {
        known = by_file(&mut review, map, lines);
        read.extend(map.entries.iter().map(|(_, v)| std::ptr::from_ref(v)));
    }
    if github::is_review(map) {
        known = true;
    }
    if !known && item::is_finding(map) {
        take(&mut review, map, lines);
        return Some(review);
    }
    if depth < DEPTH && !known && item::path(map).is_none() {
        for node in answers(map) {
            if let Some(inner) = nested(node, lines, depth) {
                known = true;
                read.insert(node);
                review.absorb(inner);
            }
        }
    } else if review.failure.is_none() && depth < DEPTH && review.findings.is_empty() {
        // A verdict may stand beside a text that holds the findings.
        let inner = answers(map).filter(|n| n.text().is_some_and(|t| t.contains('\n'))).filter_map(|n| nested(n, lines, depth));
        inner.filter(|r| !r.findings.is_empty()).collect::<Vec<_>>().into_iter().for_each(|r| review.absorb(r));
    }
    if depth < DEPTH && known {
        beside::read(&mut review, map, &read, lines);
    } else if depth < DEPTH {
        // An object of which nothing else is known is an answer when something in it grades itself.
        let mut inner = Review::default();
        beside::read(&mut inner, map, &read, lines);
        known = !inner.findings.is_empty();
        review.absorb(inner);
    }
    known.then_some(review)
}

/// The values of an object that were read already, by where they are.
pub(super) type Read = std::collections::HashSet<*const Node>;

/// What may hold an answer: the known keys first, else every text of some length that is not the caller's own.
fn answers(map: &Map) -> impl Iterator<Item = &Node> {
    let known = map.entries.iter().any(|(k, v)| TEXTS.contains(&k.as_str()) && !matches!(v, Node::Null | Node::Bool(_) | Node::Number(_)));
    map.entries
        .iter()
        .filter(move |(k, v)| {
            let key = k.as_str();
            let long = matches!(v, Node::Map(_) | Node::List(_)) || v.text().is_some_and(|t| t.len() > 24);
            // What is graded by its key, or grouped below it, is read with it.
            let grouped = (LISTS.contains(&key) && v.list().is_none()) || beside::names_findings(key);
            let other = NEVER.contains(&key) || grouped;
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

/// Reads a findings list, of a file where the object around it names one; true when it is one.
fn findings(review: &mut Review, list: &[Node], path: Option<&str>, lines: &LineIndex) -> bool {
    if list.is_empty() {
        review.sections_empty = review.findings.is_empty();
        return true;
    }
    let before = (review.findings.len(), review.resolved, review.contradictions.len());
    for node in list {
        match node {
            Node::Map(map) if path.is_some() => take(review, &beside::placed(map, path), lines),
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

/// Reads a verdict key; true when it was one. Under any key of its own a word against the change counts, and so does a `false`
/// under one that asks for approval: such an answer is none that approves.
fn state(review: &mut Review, key: &str, value: &Node, report_line: u64) -> bool {
    let name = folded(key);
    let name = name.as_str();
    let mut say = |class, text: &str, round_word| {
        review.statements.push(Statement { class, text: text.to_owned(), round_word, report_line });
        true
    };
    match value {
        Node::Bool(true) if name == "approved" => say(Class::Approve, "true", verdict::read_value("APPROVE").and_then(|s| s.round_word())),
        Node::Bool(false) if APPROVES.contains(&name) || is_verdict(key) => say(Class::NeedsAttention, "false", None),
        Node::Bool(true) if REJECTS.contains(&name) => say(Class::NeedsAttention, key, None),
        Node::Text(text) | Node::Number(text) if APPROVES.contains(&name) => match case::lower(text.trim()).as_ref() {
            "no" | "false" | "0" => say(Class::NeedsAttention, text.trim(), None),
            _ => against(review, value, report_line),
        },
        Node::Text(text) if is_verdict(key) && !text.trim().is_empty() => verdict_text(review, key, text, report_line),
        Node::List(list) if is_verdict(key) => list.iter().filter_map(Node::text).fold(false, |known, text| {
            let read = verdict_text(review, key, text, report_line);
            known || read
        }),
        Node::Map(map) if is_verdict(key) => map.entries.iter().fold(false, |known, (inner, value)| {
            let named = state(review, inner, value, report_line);
            known || named
        }),
        Node::Text(text) if name == "state" && github::STATES.contains(&text.as_str()) => {
            verdict_text(review, "verdict", text, report_line)
        }
        Node::Text(_) if !SORTS.contains(&name) => against(review, value, report_line),
        _ => false,
    }
}

/// Reads a word under a key that is none of a verdict: only what speaks against the change counts.
fn against(review: &mut Review, value: &Node, report_line: u64) -> bool {
    const LONGEST: usize = 40;
    let Some(text) = value.text().map(str::trim).filter(|t| t.len() <= LONGEST) else { return false };
    let failed = matches!(case::lower(text).as_ref(), "failure" | "rejected");
    let stated = verdict::read_value(text).filter(|s| (s.known || failed) && s.text.len() + 1 >= text.len());
    let class = if failed { Class::NeedsAttention } else { stated.as_ref().map_or(Class::None, |s| s.class) };
    let counts = class == Class::NeedsAttention;
    if let Some(stated) = stated.filter(|_| counts) {
        let round_word = stated.round_word();
        review.statements.push(Statement { class, text: text.to_owned(), round_word, report_line });
    }
    counts
}

/// Reads the text of a verdict; true when it is one.
fn verdict_text(review: &mut Review, key: &str, text: &str, report_line: u64) -> bool {
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

/// Words of a status that says so.
const FAILED: &[&str] =
    &["failed", "timeout", "timed_out", "timed out", "cancelled", "canceled", "aborted", "incomplete", "interrupted", "crashed"];

/// Reads what says that the source failed; true when it did.
fn fail(review: &mut Review, map: &Map) -> bool {
    let error =
        map.get("error").filter(|e| !matches!(e, Node::Bool(false)) && e.text() != Some("") && e.list().is_none_or(|l| !l.is_empty()));
    let failed = map.get("is_error") == Some(&Node::Bool(true))
        || map.get("success") == Some(&Node::Bool(false))
        || ["status", "type", "subtype"].iter().any(|k| map.text(&[k]).is_some_and(|s| s == "error" || s.starts_with("error_")))
        || map.text(&["status"]).is_some_and(|s| FAILED.contains(&case::lower(s).as_ref()));
    let cut = ["stop_reason", "finish_reason"].iter().any(|k| map.text(&[k]).is_some_and(|s| matches!(s, "max_tokens" | "length")));
    review.contradictions.extend(cut.then_some(Contradiction::Truncated));
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
