//! One advice from the patterns and the last rounds: the first row of the table that holds.

use super::{Disposition, Kind, Pattern, Round, Verdict, View};
use crate::base::reason::words;

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

words! {
    /// The rows of the table, in its order.
    Reason {
        ReviewAbsentTwice "review_absent_twice",
        ReviewAbsent "review_absent",
        SurfaceUnmoved "surface_unmoved",
        ReviewerReversal "reviewer_reversal",
        SeverityWithoutChange "severity_without_change",
        AlternatingFindings "alternating_findings",
        FixDoesNotHold "fix_does_not_hold",
        RegionChase "region_chase",
        FixesBreedFindings "fixes_breed_findings",
        OnlyLowYield "only_low_yield",
        NoConvergence "no_convergence",
        DryRounds "dry_rounds",
        NeedsConfirmingRound "needs_confirming_round",
        UnexplainedRefusal "unexplained_refusal",
        OpenFindings "open_findings",
    }
}

impl Reason {
    /// What the row advises.
    fn advice(self) -> Advice {
        match self {
            Reason::ReviewAbsentTwice | Reason::SurfaceUnmoved | Reason::OnlyLowYield | Reason::NoConvergence => Advice::StopStalled,
            Reason::ReviewerReversal | Reason::SeverityWithoutChange | Reason::AlternatingFindings => Advice::Adjudicate,
            Reason::FixDoesNotHold | Reason::FixesBreedFindings => Advice::ModelReview,
            Reason::RegionChase => Advice::CutScope,
            Reason::DryRounds => Advice::StopConverged,
            Reason::ReviewAbsent | Reason::NeedsConfirmingRound | Reason::UnexplainedRefusal | Reason::OpenFindings => Advice::Continue,
        }
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
    pub reason_code: Reason,
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
        (absent >= 2, Reason::ReviewAbsentTwice),
        (absent == 1, Reason::ReviewAbsent),
        (unmoved, Reason::SurfaceUnmoved),
        (has(Kind::Reversal), Reason::ReviewerReversal),
        (has(Kind::SeverityDrift), Reason::SeverityWithoutChange),
        (has(Kind::Cycle), Reason::AlternatingFindings),
        (has(Kind::Repeat), Reason::FixDoesNotHold),
        (has(Kind::RegionChase), Reason::RegionChase),
        (has(Kind::FixInduced), Reason::FixesBreedFindings),
        (has(Kind::DiminishingYield), Reason::OnlyLowYield),
        (has(Kind::NonFalling), Reason::NoConvergence),
        (dry_twice, Reason::DryRounds),
        (last.is_some_and(dry), Reason::NeedsConfirmingRound),
        (refused, Reason::UnexplainedRefusal),
    ];
    let reason_code = rows.into_iter().find(|(holds, _)| *holds).map_or(Reason::OpenFindings, |(_, reason)| reason);
    Diagnosis { patterns, advice: reason_code.advice(), reason_code }
}
