//! What only the whole report can tell: legends, items that stand twice, and the file of items that have only a line.
//!
//! Source: cases/reports/README.md §4, Identity inside one report. Bound: linear, with a hash of each item.

use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasher;

use super::lines::{Lines, Zone};
use super::{label, location};
use crate::finding::{Finding, Location, Review};

/// Where an item came from.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Origin {
    /// The section it stands in, counted.
    pub section: u32,
    /// Whether that is a section of findings.
    pub in_list: bool,
    /// Whether the text before it announces levels and what they mean.
    pub announced: bool,
    /// Whether another reader found it in a document of keys.
    pub document: bool,
    /// Lines it names without a file.
    pub lines: Option<(u64, Option<u64>)>,
}

/// Settles the findings of a report; `origins` go with them one by one.
pub(super) fn settle(review: &mut Review, origins: &[Origin], text: &str) {
    let findings = &mut review.findings;
    let only = if origins.iter().zip(&*findings).any(|(o, f)| o.lines.is_some() && f.place.is_none()) { only_file(text) } else { None };
    for (finding, origin) in findings.iter_mut().zip(origins) {
        let Some((line, end_line)) = origin.lines else { continue };
        match &mut finding.place {
            Some(place) if place.line.is_none() => (place.line, place.end_line) = (Some(line), end_line),
            Some(_) => {}
            None => finding.place = only.clone().map(|path| Location { path, line: Some(line), end_line }),
        }
    }
    let mut gone = legends(findings, origins);
    if origins.iter().any(|o| o.section != origins[0].section) {
        once(findings, origins, &mut gone);
    }
    let mut gone = gone.into_iter();
    findings.retain(|_| !gone.next().unwrap_or(false));
}

/// The one file that the text of a report names.
fn only_file(text: &str) -> Option<String> {
    let mut only: Option<String> = None;
    for line in Lines::new(text).filter(|l| l.zone == Zone::Text) {
        for cite in location::scan(line.text) {
            match &only {
                Some(path) if *path != cite.place.path => return None,
                Some(_) => {}
                None => only = Some(cite.place.path),
            }
        }
    }
    only
}

/// Which items only explain a level word: a run of them in one section, each with another word and no place.
fn legends(findings: &[Finding], origins: &[Origin]) -> Vec<bool> {
    let mut out = vec![false; findings.len()];
    let bare = |i: usize| {
        let f: &Finding = &findings[i];
        !origins[i].in_list && !origins[i].document && f.place.is_none() && f.body.is_empty() && f.id.is_none() && f.tags.is_empty()
    };
    let mut at = 0;
    while at < findings.len() {
        let mut end = at;
        while end < findings.len() && bare(end) && origins[end].section == origins[at].section {
            end += 1;
        }
        let run = &findings[at..end];
        let words: BTreeSet<&str> = run.iter().filter_map(|f| f.severity_text.as_deref()).collect();
        let falling = run.windows(2).all(|p| p[0].grade < p[1].grade);
        let explains = words.len() == run.len() && run.len() >= 2 && (origins[at].announced || (run.len() >= 3 && falling));
        out[at..end].fill(explains);
        at = end.max(at + 1);
    }
    out
}

/// Takes items that stand twice once: the same words in another section, the same id with the same words, and a summary line
/// beside its detail. Different words at one place are two.
fn once(findings: &mut [Finding], origins: &[Origin], gone: &mut [bool]) {
    // What may make two items one, hashed; a hit is looked at before it counts.
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    let hasher = std::hash::RandomState::new();
    for at in 0..findings.len() {
        if gone[at] {
            continue;
        }
        let finding = &findings[at];
        let words = label::fold(&finding.title);
        let placed = finding.place.as_ref().filter(|p| p.line.is_some());
        let keys = [
            Some(hasher.hash_one((1, finding.grade, &finding.place, &words))),
            finding.id.as_ref().map(|id| hasher.hash_one((2, id))),
            placed.map(|place| hasher.hash_one((3, finding.grade, place))),
        ];
        let twin = |other: &usize| {
            let known = &findings[*other];
            let same = known.grade == finding.grade && known.place == finding.place;
            let named = finding.id.is_some() && known.id == finding.id;
            let apart = origins[*other].section != origins[at].section;
            apart
                && ((same && label::fold(&known.title) == words)
                    || ((named || (same && placed.is_some())) && alike(&known.title, &finding.title)))
        };
        let found = keys.iter().flatten().filter_map(|k| seen.get(k)).find_map(|there| there.iter().copied().find(|o| twin(o)));
        if let Some(first) = found {
            let other = std::mem::take(&mut findings[at]);
            merge(&mut findings[first], other);
            gone[at] = true;
            continue;
        }
        for key in keys.into_iter().flatten() {
            let there = seen.entry(key).or_default();
            // A few are looked through; what more of them share is no sign of a twin.
            if there.len() < 8 {
                there.push(at);
            }
        }
    }
}

/// Whether two titles share their first two words.
fn alike(a: &str, b: &str) -> bool {
    let first = |t: &str| -> Vec<String> {
        let folded = label::fold(&t.replace(['`', '*', '_', '"'], ""));
        folded.split(' ').take(2).map(str::to_owned).collect()
    };
    let (a, b) = (first(a), first(b));
    !a.is_empty() && a == b
}

/// The detail's words stand, with what only the other one says.
fn merge(kept: &mut Finding, other: Finding) {
    let (detail, summary) = if other.body.len() > kept.body.len() { (other, std::mem::take(kept)) } else { (std::mem::take(kept), other) };
    let place = detail.place.clone().filter(|p| p.line.is_some()).or(summary.place).or(detail.place.clone());
    *kept = Finding { place, id: detail.id.or(summary.id), quote: detail.quote.or(summary.quote), ..detail };
}
