//! The decision to stop: converged only on a verdict that is proven, bound to what stands there now, with nothing owed.
//!
//! Takes facts that were recomputed from the files of a loop, gives the decision with its reasons and what is owed. Source: convergence
//! seed, Phase 5, Convergence and rules 4 and 9; resolution spec §16. Bound: linear in the lists of the facts.

use serde::Serialize;

use crate::base::reason::words;
use crate::base::verdict::Class;

words! {
    /// The decision.
    Verdict {
        Converged "converged",
        Continue "continue",
        Blocked "blocked",
        Exit "exit",
    }
}

words! {
    /// By which of the seed's conditions a loop converged.
    By {
        Approve "approve",
        ZeroNew "zero_new",
    }
}

words! {
    /// What is owed, in the order in which it is paid.
    Owed {
        Review "review",
        SourceAnswer "source_answer",
        Sameness "sameness",
        Diagnosis "diagnosis",
        Gate "gate",
        Disposition "disposition",
        FullRereview "full_rereview",
        NewLoop "new_loop",
    }
}

words! {
    /// Why.
    Reason {
        NotReviewed "not_reviewed",
        UnboundClaim "unbound_claim",
        Unproven "unproven",
        AnswerNotReliable "answer_not_reliable",
        SurfaceMoved "surface_moved",
        ConveyanceBroken "conveyance_broken",
        BundleNotOfSurface "bundle_not_of_surface",
        FindingsUndispositioned "findings_undispositioned",
        SamenessUnjudged "sameness_unjudged",
        AwaitingDiagnosis "awaiting_diagnosis",
        AwaitingGate "awaiting_gate",
        EditLanded "edit_landed",
        SourceApproves "source_approves",
        NothingNew "nothing_new",
        SourceDidNotApprove "source_did_not_approve",
        NewFindings "new_findings",
        FirstReview "first_review",
        EmptyNeedsAttention "empty_needs_attention",
        RoundLimit "round_limit",
        OtherVersion "other_version",
        DecisionRetired "decision_retired",
        DismissalReopened "dismissal_reopened",
        UserExit "user_exit",
    }
}

/// What a review came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// It approves, and every line of it was read.
    Approves,
    /// It does not, and every line of it was read.
    Objects,
    /// It answered, and something in it could not be read or contradicts it.
    Unreliable,
    /// It proves nothing.
    Nothing,
}

/// What a review came to, by its verdict, how many findings it has, whether every line of it was read and nothing in it contradicts it.
pub fn said(verdict: Class, findings: usize, reliable: bool) -> Said {
    match (verdict, findings) {
        (Class::Unproven, _) | (Class::None, 0) => Said::Nothing,
        _ if !reliable => Said::Unreliable,
        (Class::Approve, _) => Said::Approves,
        (Class::NeedsAttention | Class::None, _) => Said::Objects,
    }
}

/// The facts of the last review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviewed {
    /// Its round.
    pub round: u64,
    /// What it came to.
    pub said: Said,
    /// Whether its source is run again for the same round: it proves nothing, and nothing of it can be worked on.
    pub void: bool,
    /// Whether this version of the program read it.
    pub of_this_version: bool,
    /// How many findings it has.
    pub findings: usize,
    /// Whether every decision that was sent still holds.
    pub decisions_in_force: bool,
    /// Whether every decision that a disposition of this review rests on still holds.
    pub dispositions_hold: bool,
    /// Whether the surface is still the one it read.
    pub surface_stands: bool,
    /// Whether what was sent carried intent alone.
    pub conveyed_intent_only: bool,
    /// Whether the bundle that was sent is of the surface that was read.
    pub bundle_is_of_surface: bool,
    /// Whether sameness was judged for every finding; of a first review there is nothing to judge.
    pub sameness_judged: bool,
    /// Identities that came back and await their diagnosis.
    pub awaiting: usize,
    /// Identities that a person must settle.
    pub gates: usize,
    /// Its dispositions; none before they are recorded.
    pub dispositions: Option<Dispositioned>,
}

/// What the dispositions of a review came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dispositioned {
    /// Whether one of them landed an edit.
    pub landed: bool,
    /// Findings that are new and were not refuted.
    pub new: usize,
}

/// What is decided from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Whether the person ended the loop.
    pub exited: bool,
    /// The last review.
    pub reviewed: Option<Reviewed>,
    /// Claims of the loop's files that they do not bear out, whether or not a review is left.
    pub unbound: usize,
    /// A cap on rounds, where one was set.
    pub max_rounds: Option<u64>,
}

/// The decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What is decided.
    pub decision: Verdict,
    /// By which condition.
    pub converged_by: Option<By>,
    /// Why, in the order in which it was seen.
    pub reasons: Vec<Reason>,
    /// What is owed, in the order in which it is paid.
    pub owed: Vec<Owed>,
    /// Whether a person has to say what follows.
    #[serde(skip)]
    pub asks: bool,
}

/// Decides.
pub fn decide(facts: &Facts) -> Decision {
    let decision = |decision, reasons: &[Reason], owed: &[Owed]| Decision {
        decision,
        converged_by: None,
        reasons: reasons.to_vec(),
        owed: owed.to_vec(),
        asks: false,
    };
    if facts.exited {
        return decision(Verdict::Exit, &[Reason::UserExit], &[]);
    }
    // What is not borne out is not healed by another review: nothing of this loop can be built upon.
    if facts.unbound > 0 {
        let mut reasons = facts.reviewed.as_ref().map(|r| open(r).0).unwrap_or_default();
        reasons.insert(0, Reason::UnboundClaim);
        return Decision { asks: true, ..decision(Verdict::Blocked, &reasons, &[Owed::NewLoop]) };
    }
    let Some(review) = &facts.reviewed else {
        return decision(Verdict::Continue, &[Reason::NotReviewed], &[Owed::Review]);
    };
    let (mut reasons, mut owed) = open(review);
    if !owed.is_empty() {
        owed.sort_unstable();
        owed.dedup();
        // The cap is one on reviews: what is paid without one is paid first.
        let capped = facts.max_rounds.is_some_and(|max| review.round >= max) && owed.first() == Some(&Owed::FullRereview);
        reasons.extend(capped.then_some(Reason::RoundLimit));
        let verdict = if capped { Verdict::Blocked } else { Verdict::Continue };
        let blocked = capped;
        let asks = blocked || owed.first() == Some(&Owed::Gate);
        return Decision { asks, ..decision(verdict, &reasons, &owed) };
    }
    let converged = |by, reasons: &[Reason]| Decision { converged_by: Some(by), ..decision(Verdict::Converged, reasons, &[]) };
    let new = review.dispositions.map_or(review.findings, |d| d.new);
    match review.said {
        Said::Approves => converged(By::Approve, &[Reason::SourceApproves]),
        Said::Objects if review.findings == 0 => {
            Decision { asks: true, ..decision(Verdict::Continue, &[Reason::EmptyNeedsAttention], &[Owed::FullRereview]) }
        }
        Said::Objects if new == 0 && review.round > 1 => converged(By::ZeroNew, &[Reason::NothingNew, Reason::SourceDidNotApprove]),
        // Nothing new converges on a re-review alone; and what is new and stays is reviewed again.
        _ => {
            let why = if new == 0 { Reason::FirstReview } else { Reason::NewFindings };
            let capped = facts.max_rounds.is_some_and(|max| review.round >= max);
            let mut reasons = vec![Reason::SourceDidNotApprove, why];
            reasons.extend(capped.then_some(Reason::RoundLimit));
            let verdict = if capped { Verdict::Blocked } else { Verdict::Continue };
            Decision { asks: capped, ..decision(verdict, &reasons, &[Owed::FullRereview]) }
        }
    }
}

/// Everything that stands between a review and convergence, whatever it says.
fn open(review: &Reviewed) -> (Vec<Reason>, Vec<Owed>) {
    let undispositioned = review.findings > 0 && review.dispositions.is_none();
    let landed = review.dispositions.is_some_and(|d| d.landed);
    // What it found is found, whatever else it is worth: then its findings are settled first, and the next round reviews again.
    let again = if review.void { Owed::SourceAnswer } else { Owed::FullRereview };
    let undispositioned = undispositioned && !review.void;
    let rows = [
        (review.said == Said::Nothing, Reason::Unproven, again),
        (review.said == Said::Unreliable, Reason::AnswerNotReliable, again),
        (!review.of_this_version, Reason::OtherVersion, Owed::FullRereview),
        (!review.conveyed_intent_only, Reason::ConveyanceBroken, Owed::FullRereview),
        // An approval rests on what was sent; what is objected to was settled by a person who knew.
        (!review.decisions_in_force && review.said == Said::Approves, Reason::DecisionRetired, Owed::FullRereview),
        (!review.dispositions_hold && review.dispositions.is_some(), Reason::DismissalReopened, Owed::FullRereview),
        (!review.bundle_is_of_surface, Reason::BundleNotOfSurface, Owed::FullRereview),
        (review.findings > 0 && !review.void && !review.sameness_judged, Reason::SamenessUnjudged, Owed::Sameness),
        (review.awaiting > 0, Reason::AwaitingDiagnosis, Owed::Diagnosis),
        (review.gates > 0 && undispositioned, Reason::AwaitingGate, Owed::Gate),
        (undispositioned, Reason::FindingsUndispositioned, Owed::Disposition),
        (landed, Reason::EditLanded, Owed::FullRereview),
        (!review.surface_stands, Reason::SurfaceMoved, Owed::FullRereview),
    ];
    rows.into_iter().filter(|(holds, ..)| *holds).map(|(_, reason, owed)| (reason, owed)).unzip()
}

#[cfg(test)]
mod tests {
    use super::super::disposition::Outcome;
    use super::super::recurrence::{Diagnosis, History, Past, Route, standing};
    use super::*;

    fn review(said: Said, findings: usize) -> Reviewed {
        Reviewed {
            round: 1,
            said,
            void: matches!(said, Said::Nothing | Said::Unreliable) && findings == 0,
            of_this_version: true,
            findings,
            decisions_in_force: true,
            dispositions_hold: true,
            surface_stands: true,
            conveyed_intent_only: true,
            bundle_is_of_surface: true,
            sameness_judged: true,
            awaiting: 0,
            gates: 0,
            dispositions: (findings == 0).then_some(Dispositioned { landed: false, new: 0 }),
        }
    }

    fn on(reviewed: Reviewed) -> Decision {
        decide(&Facts { reviewed: Some(reviewed), ..Facts::default() })
    }

    #[test]
    fn a_first_approval_without_findings_converges_at_once() {
        let decision = on(review(Said::Approves, 0));
        assert_eq!((decision.decision, decision.converged_by), (Verdict::Converged, Some(By::Approve)));
        assert_eq!(decide(&Facts::default()).owed, [Owed::Review]);
        let exited = decide(&Facts { exited: true, reviewed: Some(review(Said::Approves, 0)), ..Facts::default() });
        assert_eq!(exited.decision, Verdict::Exit);
    }

    #[test]
    fn findings_beside_an_approval_are_dispositioned_and_an_edit_owes_a_review() {
        let with = |landed| Some(Dispositioned { landed, new: 1 });
        assert_eq!(on(review(Said::Approves, 1)).owed, [Owed::Disposition]);
        assert_eq!(on(Reviewed { dispositions: with(false), ..review(Said::Approves, 1) }).decision, Verdict::Converged);
        assert_eq!(on(Reviewed { dispositions: with(true), ..review(Said::Approves, 1) }).owed, [Owed::FullRereview]);
    }

    #[test]
    fn nothing_new_converges_on_a_re_review_alone_and_an_empty_objection_asks() {
        let done = Some(Dispositioned { landed: false, new: 0 });
        let first = Reviewed { dispositions: done, ..review(Said::Objects, 2) };
        assert_eq!((on(first.clone()).decision, on(first.clone()).owed), (Verdict::Continue, vec![Owed::FullRereview]));
        let second = on(Reviewed { round: 2, ..first });
        assert_eq!((second.decision, second.converged_by), (Verdict::Converged, Some(By::ZeroNew)));
        let empty = on(Reviewed { round: 2, ..review(Said::Objects, 0) });
        assert_eq!((empty.decision, empty.asks, empty.reasons), (Verdict::Continue, true, vec![Reason::EmptyNeedsAttention]));
    }

    #[test]
    fn a_cap_blocks_and_never_converges() {
        let open = Reviewed { round: 3, dispositions: Some(Dispositioned { landed: true, new: 1 }), ..review(Said::Objects, 1) };
        let decision = decide(&Facts { reviewed: Some(open.clone()), max_rounds: Some(3), ..Facts::default() });
        assert_eq!((decision.decision, decision.asks), (Verdict::Blocked, true));
        assert!(decision.reasons.contains(&Reason::RoundLimit));
        // What needs no further review is paid under a cap as without one.
        let undisposed =
            decide(&Facts { reviewed: Some(Reviewed { dispositions: None, ..open }), max_rounds: Some(3), ..Facts::default() });
        assert_eq!((undisposed.decision, undisposed.owed.first()), (Verdict::Continue, Some(&Owed::Disposition)));
    }

    #[test]
    fn a_file_that_was_changed_behind_the_loop_blocks_before_and_after_a_review() {
        for reviewed in [None, Some(review(Said::Approves, 0))] {
            let decision = decide(&Facts { reviewed, unbound: 1, ..Facts::default() });
            assert_eq!((decision.decision, decision.owed.as_slice()), (Verdict::Blocked, [Owed::NewLoop].as_slice()));
        }
        let retired = on(Reviewed { decisions_in_force: false, ..review(Said::Approves, 0) });
        assert_eq!(
            (retired.owed.as_slice(), retired.reasons.as_slice()),
            ([Owed::FullRereview].as_slice(), [Reason::DecisionRetired].as_slice())
        );
    }

    /// Every fact of a review in every combination: whatever is open, it does not converge.
    #[test]
    fn nothing_open_ever_converges() {
        let mut converged = 0;
        for bits in 0u32..1 << 15 {
            let bit = |n: u32| bits >> n & 1 == 1;
            for said in [Said::Approves, Said::Objects, Said::Unreliable, Said::Nothing] {
                for findings in [0, 2] {
                    let reviewed = Reviewed {
                        round: 1 + u64::from(bit(0)),
                        said,
                        void: matches!(said, Said::Nothing | Said::Unreliable) && findings == 0,
                        of_this_version: bit(12),
                        findings,
                        decisions_in_force: bit(13),
                        dispositions_hold: bit(14),
                        surface_stands: bit(2),
                        conveyed_intent_only: bit(3),
                        bundle_is_of_surface: bit(4),
                        sameness_judged: bit(5),
                        awaiting: usize::from(bit(6)),
                        gates: usize::from(bit(7)),
                        dispositions: bit(8).then_some(Dispositioned { landed: bit(9), new: usize::from(bit(10)) }),
                    };
                    let unbound = usize::from(bit(1));
                    let facts = Facts { exited: bit(11), reviewed: Some(reviewed.clone()), unbound, max_rounds: None };
                    if decide(&facts).decision != Verdict::Converged {
                        continue;
                    }
                    converged += 1;
                    assert!(matches!(said, Said::Approves | Said::Objects), "{reviewed:?}");
                    assert!(
                        bit(2) && bit(3) && bit(4) && bit(12) && (bit(13) || said == Said::Objects) && !bit(1) && !bit(6) && !bit(11),
                        "{reviewed:?}"
                    );
                    assert!(!bit(8) || bit(14), "a dismissal rests on nothing: {reviewed:?}");
                    assert!(findings == 0 || !bit(7) || bit(8), "a gate is open: {reviewed:?}");
                    assert!(findings == 0 || (bit(8) && bit(5)), "{reviewed:?}");
                    assert!(!(bit(8) && bit(9)), "{reviewed:?}");
                    assert!(said == Said::Approves || (findings > 0 && bit(0) && !bit(10)), "{reviewed:?}");
                }
            }
        }
        assert!(converged > 0);
    }

    /// Every history of one identity over up to four rounds, through the recurrence rules and the decision.
    #[test]
    fn no_short_history_converges_with_an_identity_awaiting_or_an_edit_after_the_verdict() {
        const OUTCOMES: [Outcome; 3] = [Outcome::Applied, Outcome::Dropped, Outcome::Carried];
        let (mut checked, mut converged) = (0, 0);
        let mut walk: Vec<Vec<Past>> = vec![Vec::new()];
        while let Some(past) = walk.pop() {
            for conveyed in [false, true] {
                for diagnosis in [None, Some(Diagnosis::IncompleteRepair), Some(Diagnosis::DesignDisagreement)] {
                    let route = standing(&History { past: &past, conveyed, diagnosis }).route;
                    for outcome in OUTCOMES.map(Some).into_iter().chain([None]) {
                        let awaiting = usize::from(route == Route::Diagnose);
                        let applied = outcome == Some(Outcome::Applied);
                        let refuted = past.is_empty() && outcome == Some(Outcome::Dropped);
                        let new = usize::from(past.is_empty() && !refuted);
                        for said in [Said::Approves, Said::Objects] {
                            let reviewed = Reviewed {
                                round: past.len() as u64 + 1,
                                awaiting,
                                gates: usize::from(route == Route::Gate),
                                dispositions: outcome.map(|_| Dispositioned { landed: applied, new }),
                                ..review(said, 1)
                            };
                            checked += 1;
                            if on(reviewed).decision == Verdict::Converged {
                                converged += 1;
                                assert!(awaiting == 0 && outcome.is_some() && !applied, "{past:?} {route:?} {outcome:?}");
                            }
                        }
                        if let Some(outcome) = outcome.filter(|_| past.len() < 3 && route != Route::Diagnose) {
                            for landed in [false, true] {
                                let escalated = route == Route::Reapply && outcome == Outcome::Applied;
                                let next = Past { round: past.len() as u64 + 1, outcome, landed, escalated, gated: route == Route::Gate };
                                walk.push(past.iter().copied().chain([next]).collect());
                            }
                        }
                    }
                }
            }
        }
        assert!(checked > 10_000 && converged > 0, "{checked} {converged}");
    }
}
