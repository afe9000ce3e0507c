//! Comparing two rounds of one loop: what repeats, what went, what came, and whether the loop stalls.
//!
//! Source: rounds spec §1.9; deep-review seed §5 condition 3. Bound: that of [`matching`].

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::matching::{Matching, matching};
use super::record::{Round, RoundFinding};
use crate::base::reason::words;
use crate::base::{Code, Fail};
use crate::finding::matching::Resolved;

words! {
    /// What happened between two rounds, in the order of precedence.
    Progress {
        Regression "regression",
        Confirmation "confirmation",
        Stalled "stalled",
        Changed "changed",
    }
}

/// The comparison of two rounds; the reference's fields first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Pairs.
    pub repeated_count: usize,
    /// Previous findings without a partner.
    pub resolved_count: usize,
    /// Current findings without a partner.
    pub added_count: usize,
    /// The larger of the two lists.
    pub larger_set_size: usize,
    /// repeated / larger, 0 for two empty lists.
    #[serde(serialize_with = "plain_ratio")]
    pub repeat_ratio: f64,
    /// At least half of the larger list repeats.
    pub stalled: bool,
    /// Something went.
    pub progressed: bool,
    /// The class.
    pub progress: Progress,
    /// Findings that went and came again at the same place with another severity.
    pub severity_changed_count: usize,
    /// Current findings without a path or a line.
    pub unlocated_count: usize,
    /// Previous findings that were not reported again and whose code changed or went with its file; null when the later state
    /// holds no match of the two surfaces.
    pub fixed_count: Option<usize>,
    /// Previous findings that were not reported again and that nothing shows to be repaired; null as above.
    pub unreported_count: Option<usize>,
    /// `same_round`, `rounds_reversed`, `rounds_not_adjacent`.
    pub warnings: Vec<&'static str>,
}

/// Whole ratios print as `0` and `1`, as the reference prints them.
fn plain_ratio<S: serde::Serializer>(ratio: &f64, to: S) -> Result<S::Ok, S::Error> {
    if *ratio == 0.0 {
        to.serialize_u8(0)
    } else if (*ratio - 1.0).abs() < f64::EPSILON {
        to.serialize_u8(1)
    } else {
        to.serialize_f64(*ratio)
    }
}

/// Compares two rounds.
///
/// # Errors
/// `STALE_STATE` when they belong to different loops or bases.
pub fn compare(previous: &Round, current: &Round) -> Result<Comparison, Fail> {
    if previous.loop_id != current.loop_id || previous.base_commit != current.base_commit {
        let fail = Fail::new(Code::StaleState, "the two rounds belong to different loops or bases");
        return Err(fail
            .with("previous_loop_id", previous.loop_id.as_str())
            .with("current_loop_id", current.loop_id.as_str())
            .with("previous_base_commit", previous.base_commit.as_str())
            .with("current_base_commit", current.base_commit.as_str()));
    }
    let mut comparison = of_findings(&previous.findings, &current.findings);
    comparison.warnings = order_warnings(previous.round_number, current.round_number);
    if let Some((fixed, unreported)) = gone(previous, current) {
        (comparison.fixed_count, comparison.unreported_count) = (Some(fixed), Some(unreported));
    }
    Ok(comparison)
}

/// How many of the previous findings are fixed and how many merely went, by the match that the later state holds.
fn gone(previous: &Round, current: &Round) -> Option<(usize, usize)> {
    let matched = current.matched.as_ref().filter(|m| m.mapped && m.is_with(previous))?;
    let counted: HashSet<&str> = previous.findings.iter().map(|f| f.id.as_str()).collect();
    let (fixed, unreported): (Vec<&Resolved>, Vec<_>) =
        matched.resolved.iter().filter(|r| counted.contains(r.id.as_str())).partition(|r| r.status.is_repair());
    Some((fixed.len(), unreported.len()))
}

fn order_warnings(previous: u64, current: u64) -> Vec<&'static str> {
    if previous == current {
        vec!["same_round"]
    } else if previous > current {
        vec!["rounds_reversed"]
    } else if current - previous > 1 {
        vec!["rounds_not_adjacent"]
    } else {
        Vec::new()
    }
}

/// The progress class of two lists.
pub fn progress(previous: &[RoundFinding], current: &[RoundFinding]) -> (Progress, usize) {
    let comparison = of_findings(previous, current);
    (comparison.progress, comparison.added_count)
}

fn of_findings(previous: &[RoundFinding], current: &[RoundFinding]) -> Comparison {
    let matched = matching(previous, current);
    let larger = previous.len().max(current.len());
    let repeated = matched.pairs.len();
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let ratio = if larger == 0 { 0.0 } else { repeated as f64 / larger as f64 };
    let stalled = larger > 0 && repeated * 2 >= larger;
    let progressed = !matched.resolved.is_empty();
    let progress = if !matched.added.is_empty() {
        Progress::Regression
    } else if progressed {
        Progress::Confirmation
    } else if stalled {
        Progress::Stalled
    } else {
        Progress::Changed
    };
    Comparison {
        repeated_count: repeated,
        resolved_count: matched.resolved.len(),
        added_count: matched.added.len(),
        larger_set_size: larger,
        repeat_ratio: ratio,
        stalled,
        progressed,
        progress,
        severity_changed_count: severity_changes(previous, current, &matched),
        unlocated_count: current.iter().filter(|f| f.path.is_none() || f.line.is_none()).count(),
        fixed_count: None,
        unreported_count: None,
        warnings: Vec::new(),
    }
}

/// Unmatched findings that stand at the same place with the same words under another severity.
fn severity_changes(previous: &[RoundFinding], current: &[RoundFinding], matched: &Matching) -> usize {
    let key = |f: &RoundFinding| (f.path.clone(), f.line, f.title_slug.clone());
    let mut gone: HashMap<_, usize> = HashMap::new();
    for finding in matched.resolved.iter().map(|i| &previous[*i]) {
        *gone.entry(key(finding)).or_default() += 1;
    }
    let came = matched.added.iter().map(|i| &current[*i]).filter(|f| !f.title_slug.is_empty());
    came.filter(|f| gone.get_mut(&key(f)).filter(|n| **n > 0).map(|n| *n -= 1).is_some()).count()
}
