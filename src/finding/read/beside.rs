//! What an answer in keys holds beside its list of findings: findings under other keys, counts, what was not reviewed, and texts
//! that speak against an approval.
//!
//! An object that grades itself is a finding wherever it stands, and so is a text under a level or a defect. A text is looked into
//! line by line: what looks like a finding is suspicious, and beside an approval what speaks against it as well. Bound: linear in the
//! object.

use super::json::{Map, Node};
use super::lines::Zone;
use super::schema::{LISTS, NEVER, Read, TEXTS, is_by_file, is_verdict, take};
use super::{LineIndex, doubt, github, item, label};
use crate::base::case;
use crate::base::severity;
use crate::base::verdict::Class;
use crate::finding::{Counted, Review};

/// Keys of defects that are no list of ours.
const DEFECTS: &[&str] = &["blockers", "blocking", "blocking_issues", "bugs", "must_fix", "mustFix", "security_issues", "failures"];

/// Keys of further findings beside or inside others.
const FURTHER: &[&str] = &["extra", "additional", "other", "others", "more", "related", "also", "nits"];

/// Starts of keys whose lists are of what is no finding: what is sound, and what was looked at.
const SOUND: &[&str] =
    &["strength", "positive", "praise", "good", "passed", "checked", "verified", "reviewed", "files", "changed", "changes", "context"];

/// Starts of keys whose lists are of what is over.
const OVER: &[&str] = &["resolved", "fixed", "closed", "dismissed", "suppressed", "ignored", "previous"];

/// Keys that say what was not looked at, and the value that says it.
const UNSEEN: &[(&str, bool)] =
    &[("reviewed", false), ("complete", false), ("completed", false), ("incomplete", true), ("truncated", true)];

/// A value that is still to be looked into.
struct Inner<'n> {
    key: &'n str,
    node: &'n Node,
    at: usize,
    /// Whether it is part of a list of findings.
    listed: bool,
    /// The file that an object around it names.
    path: Option<&'n str>,
}

/// The level that a key names, whole or before a noun of findings: `high`, `critical_issues`.
fn level_of(key: &str) -> Option<severity::Written> {
    const NOUNS: &[&str] = &["_issues", "_findings", "_problems", "_bugs", "_items", "_severity", "_priority", "_risk"];
    let bare = NOUNS.iter().find_map(|noun| key.strip_suffix(noun)).unwrap_or(key);
    severity::at_start(bare).filter(|w| w.end == bare.len())
}

/// Whether a key says of what stands below it that it is found, or how grave it is.
pub(super) fn names_findings(key: &str) -> bool {
    level_of(key).is_some() || DEFECTS.contains(&key) || OVER.iter().any(|o| key.starts_with(o))
}

/// Reads what stands beside the findings of an answer, but for what was `read` already.
pub(super) fn read(review: &mut Review, map: &Map, read: &Read, lines: &LineIndex) {
    let approves = review.verdict().0 == Class::Approve;
    let mut open: Vec<Inner<'_>> = Vec::new();
    let path = item::path(map);
    for (key, node) in map.entries.iter().rev() {
        let name = key.as_str();
        let listed = LISTS.contains(&name);
        if (listed && node.list().is_some()) || node.map().is_some_and(|m| listed && is_by_file(m)) {
            // A finding may hold further ones.
            let inside = node.list().into_iter().flatten().filter_map(Node::map).flat_map(|m| m.entries.iter().map(|e| (e, m.at)));
            let further = inside.filter(|((key, _), _)| FURTHER.contains(&key.as_str()));
            open.extend(further.map(|((key, node), at)| Inner { key, node, at, listed: true, path: None }));
        } else if NEVER.contains(&name) || is_verdict(name) || read.contains(&std::ptr::from_ref(node)) {
        } else if let Some(text) = node.text().filter(|_| TEXTS.contains(&name)) {
            if approves {
                suspect(review, text, true, lines.line(map.at));
            }
        } else {
            open.push(Inner { key, node, at: map.at, listed: FURTHER.contains(&name) || listed, path });
        }
    }
    while let Some(inner) = open.pop() {
        look(review, inner, approves, lines, &mut open);
    }
}

fn look<'n>(review: &mut Review, inner: Inner<'n>, approves: bool, lines: &LineIndex, open: &mut Vec<Inner<'n>>) {
    let Inner { key, node, at, listed, path } = inner;
    let path = if key.contains(['.', '/']) { Some(key) } else { path };
    let level = level_of(key);
    let names = level.is_some() || DEFECTS.contains(&key);
    let sound = SOUND.iter().any(|s| key.starts_with(s));
    let said = |text: &str| !text.trim().is_empty() && !label::is_absence(text) && !doubt::is_denied(&case::lower(text));
    match node {
        Node::List(list) if OVER.iter().any(|o| key.starts_with(o)) => {
            review.resolved += list.iter().filter(|n| n.map().is_some_and(item::is_finding)).count() as u64;
        }
        // A level that is a list holds findings in words; a level that is a text says something else of the answer.
        Node::List(list) if names && list.iter().any(|n| n.text().is_some_and(said)) => {
            for text in list.iter().filter_map(Node::text).filter(|t| said(t)) {
                let mut entries = vec![("title".to_owned(), Node::Text(text.to_owned()))];
                entries.extend(level.as_ref().map(|l| ("severity".to_owned(), Node::Text(l.text.clone()))));
                take(review, &Map { entries, at }, lines);
            }
        }
        Node::Text(text) if (DEFECTS.contains(&key) || LISTS.contains(&key)) && said(text) => review.suspicious.extend([lines.line(at)]),
        Node::Text(text) => suspect(review, text, approves, lines.line(at)),
        Node::Number(_) => count(review, key, node.number().unwrap_or(0)),
        Node::Bool(value) if UNSEEN.contains(&(key, *value)) || (*value && DEFECTS.contains(&key)) => unseen(review, key),
        Node::List(list) if ["unreviewed", "skipped", "not_reviewed"].iter().any(|u| key.starts_with(u)) && !list.is_empty() => {
            unseen(review, key);
        }
        Node::Map(inner) if is_graded(inner) || ((listed || names) && item::is_finding(inner)) || (!sound && item::is_placed(inner)) => {
            let mut finding = placed(inner, path);
            if let Some(level) = level.filter(|_| !is_graded(inner)) {
                finding.entries.push(("severity".to_owned(), Node::Text(level.text)));
            }
            take(review, &finding, lines);
        }
        Node::Map(inner) if github::is_review(inner) => github::state(review, inner, lines),
        Node::Map(inner) => {
            let path = item::path(inner).or(path);
            let more = inner.entries.iter().rev().filter(|(name, _)| !NEVER.contains(&name.as_str()));
            open.extend(more.map(|(name, node)| Inner {
                key: name,
                node,
                at: inner.at,
                listed: listed || LISTS.contains(&name.as_str()),
                path,
            }));
        }
        Node::List(list) => open.extend(list.iter().rev().map(|node| Inner { key, node, at, listed, path })),
        _ => {}
    }
}

/// An object with the file it is listed under, where it names none.
pub(super) fn placed(map: &Map, path: Option<&str>) -> Map {
    let mut placed = map.clone();
    if let Some(path) = path.filter(|_| item::path(map).is_none()) {
        placed.entries.push(("path".to_owned(), Node::Text(path.to_owned())));
    }
    placed
}

/// Whether an object says how grave it is and what is wrong.
fn is_graded(map: &Map) -> bool {
    item::is_finding(map) && map.text(&["severity", "level", "priority"]).is_some()
}

fn suspect(review: &mut Review, text: &str, approves: bool, line: u64) {
    let speaks = |l: &str| label::is_suspicious(l) || (approves && doubt::speaks_against(l, Zone::Text));
    if text.lines().any(speaks) {
        review.suspicious.insert(line);
    }
}

/// What was not looked at makes a review one that could not look.
fn unseen(review: &mut Review, key: &str) {
    review.could_not_review = review.could_not_review.take().or(Some(key.to_owned()));
}

/// `critical_count`, `high_issues`, `num_high`, `blockers`: a number that a key declares of a level.
fn count(review: &mut Review, key: &str, number: u64) {
    let named = key.strip_prefix("num_").unwrap_or(key);
    let named = ["_count", "_issues", "_findings", "Count"].iter().find_map(|end| named.strip_suffix(end)).unwrap_or(named);
    let single = named.strip_suffix('s').unwrap_or(named);
    let level = [named, single].into_iter().find_map(|w| severity::at_start(w).filter(|l| l.end == w.len()));
    // A bare level beside a number may be a score.
    let declares = named.len() < key.len() || single.len() < named.len();
    if let Some(counted) = level.filter(|_| declares).and_then(|l| Counted::of(l.grade)) {
        let known = review.counts.entry(counted).or_default();
        *known = (*known).max(number);
    }
}
