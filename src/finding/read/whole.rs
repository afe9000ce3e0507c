//! What only the whole report can tell: legends, items that stand twice, and the file of items that have only a line.
//!
//! Source: cases/reports/README.md §4, Identity inside one report. Bound: linear, with a hash of each item.

use std::collections::{BTreeSet, HashMap};

use super::label;
use crate::base::severity::Grade;
use crate::finding::{Finding, Location, Review};

/// Where an item came from.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Origin {
    /// The section it stands in, counted.
    pub section: u32,
    /// Whether that is a section of findings.
    pub in_list: bool,
    /// Whether the text before it announces levels and their meaning.
    pub announced: bool,
    /// Whether another reader found it in a document of keys.
    pub document: bool,
    /// Lines it names without a file.
    pub lines: Option<(u64, Option<u64>)>,
}

/// Settles the findings of a report; `origins` go with them one by one, `files` are those named outside of items.
pub(super) fn settle(review: &mut Review, origins: &[Origin], files: &BTreeSet<String>) {
    let legend = legends(&review.findings, origins);
    let only = if files.len() == 1 { files.first() } else { None };
    let mut kept: Vec<(Finding, Origin)> = Vec::with_capacity(review.findings.len());
    for ((mut finding, origin), is_legend) in std::mem::take(&mut review.findings).into_iter().zip(origins.iter().copied()).zip(legend) {
        if is_legend {
            continue;
        }
        if let Some((line, end_line)) = origin.lines {
            match &mut finding.place {
                Some(place) if place.line.is_none() => (place.line, place.end_line) = (Some(line), end_line),
                Some(_) => {}
                None => finding.place = only.map(|path| Location { path: path.clone(), line: Some(line), end_line }),
            }
        }
        kept.push((finding, origin));
    }
    review.findings = once(kept);
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
fn once(items: Vec<(Finding, Origin)>) -> Vec<Finding> {
    let mut kept: Vec<(Finding, Origin)> = Vec::with_capacity(items.len());
    let mut by_words: HashMap<(Grade, Option<Location>, String), usize> = HashMap::new();
    let mut by_id: HashMap<String, usize> = HashMap::new();
    let mut by_place: HashMap<(Grade, Location), Vec<usize>> = HashMap::new();
    for (finding, origin) in items {
        let words = label::fold(&finding.title);
        let same_words = by_words.get(&(finding.grade, finding.place.clone(), words.clone())).copied();
        let same_id = finding.id.as_ref().and_then(|id| by_id.get(id).copied()).filter(|at| alike(&kept[*at].0.title, &finding.title));
        let same_place = finding.place.as_ref().filter(|p| p.line.is_some()).and_then(|place| {
            let there = by_place.get(&(finding.grade, place.clone()))?;
            there.iter().copied().find(|at| alike(&kept[*at].0.title, &finding.title))
        });
        let twin = same_words.or(same_id).or(same_place).filter(|at| kept[*at].1.section != origin.section);
        if let Some(at) = twin {
            merge(&mut kept[at].0, finding);
            continue;
        }
        let at = kept.len();
        by_words.entry((finding.grade, finding.place.clone(), words)).or_insert(at);
        if let Some(id) = &finding.id {
            by_id.entry(id.clone()).or_insert(at);
        }
        if let Some(place) = finding.place.clone().filter(|p| p.line.is_some()) {
            let there = by_place.entry((finding.grade, place)).or_default();
            // A few are looked through; a place with more is no summary of anything.
            if there.len() < 8 {
                there.push(at);
            }
        }
        kept.push((finding, origin));
    }
    kept.into_iter().map(|(f, _)| f).collect()
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
