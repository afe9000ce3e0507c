//! Findings that are a YAML head and prose: one file with front matter, or a stream of records behind boundary lines.
//!
//! The first line of the prose is the title. Text before the first boundary is a preamble and never a finding; in a stream
//! every line that belongs to no record is suspicious. Source: cases/reports/README.md §4, Delimited streams. Bound: linear.

use super::json::{Map, Node};
use super::{entry, item, keyed, label, location, schema};
use crate::base::reason::Contradiction;
use crate::finding::{Finding, Format, Review};

const BOUNDARY: &str = "<<<FINDING-BOUNDARY>>>";

/// A text's front matter: the head's values, and where the text behind it starts, in bytes and lines.
pub struct Front {
    /// The head.
    pub head: Map,
    /// The byte behind its closing line.
    pub end: usize,
    /// The number of its closing line.
    pub lines: u64,
}

/// Reads a head between two lines `---` at the start of a text.
pub fn front(text: &str) -> Option<Front> {
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let mark = line.trim_end() == "---";
        if number == 0 && !mark || number > 200 {
            return None;
        }
        at += line.len();
        if number > 0 && mark {
            let keyed = keyed::yaml(&text[4.min(at)..at - line.len()])?;
            let Node::Map(head) = keyed.node else { return None };
            return Some(Front { head, end: at, lines: number as u64 + 1 });
        }
    }
    None
}

/// Whether a head is that of one finding.
pub fn is_finding(head: &Map) -> bool {
    head.text(&["severity", "priority"]).is_some() || head.text(&["finding_id"]).is_some()
}

/// The finding of a head and the prose behind it; none when neither says what was found.
pub fn finding(head: &Map, prose: &str, report_line: u64) -> Option<Finding> {
    let mut map = head.clone();
    let (title, body) = entry::title_and_body(prose);
    if !title.is_empty() {
        map.entries.insert(0, ("title".to_owned(), Node::Text(title)));
    }
    let Some(item::Item::Open(mut found)) = item::read(&map, report_line) else { return None };
    if !body.is_empty() {
        found.body = body;
    }
    if found.place.is_none() {
        let cites = location::scan_text(prose);
        cites.into_iter().flat_map(location::Cite::places).for_each(|p| entry::add_place(&mut found, p));
    }
    Some(*found)
}

/// The preamble's end and the parts between the lines that are boundaries, line ends included; none when no line is one.
fn split(text: &str) -> Option<(usize, Vec<&str>)> {
    let is_boundary = |at: usize| {
        let before = text[..at].rsplit('\n').next().unwrap_or_default();
        let behind = text[at + BOUNDARY.len()..].split('\n').next().unwrap_or_default();
        before.trim().is_empty() && behind.trim().is_empty()
    };
    let found: Vec<usize> = text.match_indices(BOUNDARY).map(|(at, _)| at).filter(|at| is_boundary(*at)).collect();
    let first = *found.first()?;
    let ends = found.iter().skip(1).copied().chain([text.len()]);
    let parts = found.iter().zip(ends).map(|(at, end)| &text[at + BOUNDARY.len()..end]);
    Some((first, std::iter::once(&text[..first]).chain(parts).collect()))
}

/// Reads a stream of records; none when no line is a boundary.
pub fn stream(text: &str) -> Option<Review> {
    let (first, parts) = split(text)?;
    let mut review = Review { format: Some(Format::Records), ..Review::default() };
    let mut line = 1;
    for (n, part) in parts.into_iter().enumerate() {
        if n == 0 {
            // Only what looks like a finding is suspicious in the preamble: it may be the prompt's own words.
            let told = text[..first].lines().zip(1..).filter(|(l, _)| label::is_suspicious(l) || entry::leading_tag(l.trim()).is_some());
            review.suspicious.extend(told.map(|(_, n)| n));
        } else {
            record(&mut review, part, line);
        }
        line += part.matches('\n').count() as u64;
    }
    Some(review)
}

fn record(review: &mut Review, part: &str, line: u64) {
    let body = part.trim_start();
    let line = line + part[..part.len() - body.len()].matches('\n').count() as u64;
    if body.is_empty() {
        return;
    }
    let found = match front(body) {
        Some(front) => finding(&front.head, &body[front.end..], line),
        // A head without its dashes ends at the first blank line.
        None => {
            let (head, prose) = body.split_once("\n\n").unwrap_or((body, ""));
            let keyed = keyed::yaml(head).map(|k| k.node);
            keyed.as_ref().and_then(Node::map).filter(|m| is_finding(m)).and_then(|m| finding(m, prose, line))
        }
    };
    match found {
        Some(found) => review.findings.push(found),
        None if body.starts_with("---") && front(body).is_none() => review.contradictions.push(Contradiction::Truncated),
        None => review.suspicious.extend(body.lines().zip(line..).filter(|(l, _)| !l.trim().is_empty()).map(|(_, n)| n)),
    }
}

/// What a front matter says of the whole text: its verdict key and its counts.
pub fn metadata(front: &Front) -> Review {
    let lines = super::LineIndex::numbers(1);
    let keys = ["verdict", "approved", "overall_correctness", "findings", "issues", "counts"];
    let told = Map { entries: front.head.entries.iter().filter(|(k, _)| keys.contains(&k.as_str())).cloned().collect(), at: 1 };
    schema::document(&Node::Map(told), &lines, 7).unwrap_or_default()
}
