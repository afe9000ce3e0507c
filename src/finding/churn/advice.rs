//! One advice from the patterns and the last rounds: the first row of the table that holds.

use super::{Disposition, Kind, Pattern, Round, Verdict, View};
use crate::base::reason::{StopReason, words};

words! {
    /// What to do.
    Advice {
        Continue "continue",
        StopStalled "stop_stalled",
        StopConverged "stop_converged",
        Adjudicate "adjudicate",
        ModelReview "model_review",
        CutScope "cut_scope",
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Diagnosis {
    /// Active patterns, in the order of their kinds.
    pub patterns: Vec<Pattern>,
    /// What to do.
    pub advice: Advice,
    /// Which row of the table says so.
    pub reason_code: &'static str,
}

impl Diagnosis {
    /// The stop it adds to a loop that would go on.
    pub fn stop(&self) -> Option<StopReason> {
        StopReason::parse(self.reason_code).filter(|_| self.advice == Advice::StopStalled)
    }

    /// What it asks a person before a loop goes on.
    pub fn question(&self) -> Option<&'static str> {
        matches!(self.advice, Advice::Adjudicate | Advice::ModelReview | Advice::CutScope).then_some(self.reason_code)
    }
}

/// An absent review is never a pass, a surface that did not move never progress; then the patterns, then dryness.
pub(super) fn advise(all: &[Round], view: &View<'_>, patterns: Vec<Pattern>) -> Diagnosis {
    let absent = all.iter().rev().take_while(|r| r.verdict == Verdict::Absent).count();
    let has = |kind: Kind| patterns.iter().any(|p| p.kind == kind);
    let last = view.last();
    let unmoved = last.zip(last.and_then(|t| t.checked_sub(1))).is_some_and(|(t, before)| {
        let edited =
            view.rounds[before].implemented > 0 || view.rounds[before].findings.iter().any(|f| f.disposition == Some(Disposition::Applied));
        edited && view.rounds[before].shares_surface(view.rounds[t])
    });
    let dry = |r: usize| view.is_dry(r);
    let dry_twice = last.is_some_and(|t| t > 0 && dry(t) && dry(t - 1) && view.rounds[t].shares_surface(view.rounds[t - 1]));
    let refused = last.is_some_and(|t| view.rounds[t].verdict == Verdict::NeedsAttention && view.rounds[t].findings.is_empty());
    let rows = [
        (absent >= 2, Advice::StopStalled, "review_absent_twice"),
        (absent == 1, Advice::Continue, "review_absent"),
        (unmoved, Advice::StopStalled, "surface_unmoved"),
        (has(Kind::Reversal), Advice::Adjudicate, "reviewer_reversal"),
        (has(Kind::SeverityDrift), Advice::Adjudicate, "severity_without_change"),
        (has(Kind::Cycle), Advice::Adjudicate, "alternating_findings"),
        (has(Kind::Repeat), Advice::ModelReview, "fix_does_not_hold"),
        (has(Kind::RegionChase), Advice::CutScope, "region_chase"),
        (has(Kind::FixInduced), Advice::ModelReview, "fixes_breed_findings"),
        (has(Kind::DiminishingYield), Advice::StopStalled, "only_low_yield"),
        (has(Kind::NonFalling), Advice::StopStalled, "no_convergence"),
        (dry_twice, Advice::StopConverged, "dry_rounds"),
        (last.is_some_and(dry), Advice::Continue, "needs_confirming_round"),
        (refused, Advice::Continue, "unexplained_refusal"),
    ];
    let (advice, reason_code) =
        rows.into_iter().find(|(holds, ..)| *holds).map_or((Advice::Continue, "open_findings"), |(_, advice, code)| (advice, code));
    Diagnosis { patterns, advice, reason_code }
}
