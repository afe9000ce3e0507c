//! GitHub's review comments and reviews, as its REST interface lists them.
//!
//! A reply is no finding; the level stands in a badge's alternative text or in a line of emphasis; every review's state
//! counts, none supersedes an earlier one. Source: cases/reports/README.md §4. Bound: linear.

use super::json::Map;
use super::{LineIndex, entry};
use crate::base::severity::{self, Grade};
use crate::base::verdict::{self, Class};
use crate::finding::{Finding, Format, Location, Review, Statement};

/// Reads comments and reviews; none when the objects are neither.
pub fn read(objects: &[&Map], lines: &LineIndex) -> Option<Review> {
    // Of a list that somebody trimmed a few objects may have lost what tells them.
    let told = objects.iter().any(|m| is_comment(m) && m.text(&["path"]).is_some());
    let trimmed = |m: &Map| told && m.text(&["path"]).is_some() && m.text(&["body"]).is_some();
    if !objects.iter().all(|m| is_comment(m) || is_review(m) || trimmed(m)) {
        return None;
    }
    let mut review = Review { format: Some(Format::Github), ..Review::default() };
    for map in objects {
        if is_review(map) {
            state(&mut review, map, lines);
        } else if !map.has("in_reply_to_id") || map.get("in_reply_to_id").is_none() {
            review.findings.extend(comment(map, lines));
        }
    }
    Some(review)
}

/// Whether an object is a review comment of GitHub's and not a finding of some schema.
fn is_comment(map: &Map) -> bool {
    let theirs =
        map.get("user").is_some() || map.has("in_reply_to_id") || map.has("original_line") || map.has("diff_hunk") || map.has("side");
    theirs && map.text(&["body"]).is_some()
}

/// What the state of a review may be.
pub(super) const STATES: &[&str] = &["APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED", "PENDING"];

/// Whether an object is a review of GitHub's.
pub fn is_review(map: &Map) -> bool {
    let known = map.text(&["state"]).is_some_and(|s| STATES.contains(&s));
    known && (map.get("user").is_some() || map.has("body") || map.has("submitted_at"))
}

/// Takes in what a review says: its state, and what its body says against it.
pub(super) fn state(review: &mut Review, map: &Map, lines: &LineIndex) {
    let spoken = map.text(&["state"]).filter(|s| !matches!(*s, "DISMISSED" | "PENDING"));
    if let Some((text, stated)) = spoken.and_then(|text| Some((text, verdict::read_value(text)?))) {
        let round_word = stated.round_word();
        review.statements.push(Statement { class: stated.class, text: text.to_owned(), round_word, report_line: lines.line(map.at) });
    }
    // What a review says in its body is read like any report.
    if let Some(body) = map.text(&["body"]) {
        let inner = super::text(body, 1);
        let line = lines.line(map.at);
        review.findings.extend(inner.findings.into_iter().map(|f| Finding { report_line: line, ..f }));
        review.suspicious.extend((!inner.suspicious.is_empty()).then_some(line));
        // A body can only speak against its state, never approve beside it.
        let against = inner.statements.into_iter().filter(|s| matches!(s.class, Class::NeedsAttention | Class::Unproven));
        review.statements.extend(against.map(|s| Statement { report_line: line, ..s }));
    }
}

fn comment(map: &Map, lines: &LineIndex) -> Option<Finding> {
    let body = map.text(&["body"])?;
    let last = map.number(&["line", "original_line"]);
    let first = map.number(&["start_line", "original_start_line"]).filter(|f| last.is_some_and(|l| *f <= l));
    let place = map.text(&["path"]).map(|path| Location { path: path.to_owned(), line: first.or(last), end_line: first.and(last) });
    let (level, title, rest) = head(body);
    let (grade, severity_text) = level.map_or((Grade::Unknown, None), |w| (w.grade, Some(w.text)));
    Some(Finding {
        grade,
        severity_text,
        place,
        headline: title.clone(),
        title,
        body: rest,
        report_line: lines.line(map.at),
        ..Finding::default()
    })
}

/// The level, title and further text of a comment.
pub fn head(body: &str) -> (Option<severity::Written>, String, String) {
    let mut level: Option<severity::Written> = None;
    let mut title = String::new();
    let mut rest = String::new();
    for line in body.lines() {
        let (badge, plain) = without_markup(line);
        let plain = plain.trim_matches(['#', '*', '_', ' ', '\t']);
        level = level.or(badge);
        if plain.is_empty() {
            continue;
        }
        let tag =
            entry::leading_tag(plain).map(|(written, end)| (written, plain[end..].trim_matches(['*', ' ', ':', '-', '—']).to_owned()));
        let alone = severity::at_start(plain).filter(|w| {
            let tail = plain[w.end..].trim_matches(['*', '_', ' ']).to_lowercase();
            matches!(tail.as_str(), "" | "severity" | "priority")
        });
        let cells: Vec<&str> = plain.split('|').collect();
        let cells = entry::level_among(&cells).filter(|_| cells.len() > 1);
        let (found, text) = match (tag, alone, cells) {
            (_, Some(alone), _) => (Some(alone), String::new()),
            (Some((written, text)), ..) => (Some(written), text),
            (_, _, Some(cell)) => (Some(cell), String::new()),
            _ => (None, plain.to_owned()),
        };
        if title.is_empty() {
            level = level.or(found);
            title = text;
        } else {
            // A line of its own that is nothing but a level may stand below the title.
            level = level.or(found.filter(|_| text.is_empty()));
            rest.push_str(line.trim());
            rest.push('\n');
        }
    }
    (level, title.trim_matches(['*', '_', ' ']).to_owned(), rest.trim_end().to_owned())
}

/// A line without tags and images; the level that an image's alternative text names.
fn without_markup(line: &str) -> (Option<severity::Written>, String) {
    let mut out = String::new();
    let mut level = None;
    let mut rest = line;
    while let Some(at) = rest.find(['<', '!']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let image = tail.strip_prefix("![").and_then(|t| Some((t.split_once(']')?.0, t.find(')')?)));
        if let Some((alt, end)) = image {
            level = level.or_else(|| severity::at_start(alt));
            rest = &tail[2 + end + 1..];
        } else if let Some(end) =
            tail.find('>').filter(|_| tail[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!'))
        {
            rest = &tail[end + 1..];
        } else {
            out.push_str(&tail[..1]);
            rest = &tail[1..];
        }
    }
    out.push_str(rest);
    (level, out.trim().to_owned())
}
