//! When the loop stops: the total table over deep-review seed §5.
//!
//! The seven conditions in the seed's order; then what only a person can decide; then the seed's sentence for going on; then
//! what a pattern in the loop's history adds to a loop that would go on.
//! What none of them names is a stop with `no_evidence_of_progress`: silence never continues a loop.
//! A new stop condition goes into `CONDITIONS`, in its place of the order, with its word in `base::reason::StopReason`.

use serde::Serialize;

use super::plan::Phase;
use crate::base::reason::{StopReason, words};
use crate::finding::churn::Reason;

words! {
    /// What to do next.
    Action {
        Stop "stop",
        Continue "continue",
        Ask "ask",
    }
}

words! {
    /// What the person at the loop chose.
    UserChoice {
        Continue "continue",
        Stop "stop",
        DeferAndStop "defer-and-stop",
    }
}

words! {
    /// The seed's three kinds of skip, never confused.
    Skip {
        Respond "respond",
        NextReview "next_review",
        User "user",
    }
}

words! {
    /// Why Respond is not run in a round.
    RespondSkip {
        Ready "ready_for_implementation",
        Approved "approved",
        SplitOnly "split_only_concern",
    }
}

/// A number that may be unknown; unknown never counts as zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Stated, derived, or zero because Respond was skipped.
    Known(u64),
    /// Neither stated nor derivable.
    Unknown,
}

/// Everything the decision depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// document or implementation.
    pub phase: Phase,
    /// The most reviews the loop may execute.
    pub cap: u64,
    /// Reviews executed, this one included.
    pub executed: u64,
    /// What the recorded review of this round says; none when the round has no recorded review.
    pub review: Option<ReviewFacts>,
    /// Failures of this round that left no verdict.
    pub operational_failures: u64,
    /// The person's choice.
    pub user: Option<UserChoice>,
    /// The questions that the choice answers; without any, the first one that is open.
    pub answered: Vec<Question>,
    /// Whether a privacy warning waits for an answer.
    pub privacy_warning: bool,
    /// Reviewers that answered; none when unknown.
    pub actual_reviewers: Option<u64>,
    /// Whether this is a Codex-only round and has no Codex role.
    pub codex_role_missing: bool,
    /// Deferred receipt items that are not verified.
    pub deferred_pending: u64,
    /// What the rounds so far show: a stop or a question for a loop that would go on.
    pub pattern: Option<Pattern>,
}

words! {
    /// What only a person can decide.
    Question {
        Privacy "privacy",
        ImplementedUnknown "implemented_unknown",
        DeferredItems "deferred_items",
        ReviewerReversal "reviewer_reversal",
        SeverityWithoutChange "severity_without_change",
        AlternatingFindings "alternating_findings",
        FixDoesNotHold "fix_does_not_hold",
        RegionChase "region_chase",
        FixesBreedFindings "fixes_breed_findings",
    }
}

/// What a pattern in the loop's history adds (cases/churn/README.md, Advice). It never reopens what is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// The loop stops.
    Stops(StopReason),
    /// A person decides whether it goes on.
    Asks(Question),
}

impl Pattern {
    /// What a reason of a diagnosis adds.
    pub fn of(reason: Reason) -> Option<Pattern> {
        Some(match reason {
            Reason::ReviewAbsentTwice => Pattern::Stops(StopReason::OperationalFailures),
            Reason::SurfaceUnmoved => Pattern::Stops(StopReason::SurfaceUnmoved),
            Reason::OnlyLowYield => Pattern::Stops(StopReason::OnlyLowYield),
            Reason::NoConvergence => Pattern::Stops(StopReason::NoConvergence),
            Reason::ReviewerReversal => Pattern::Asks(Question::ReviewerReversal),
            Reason::SeverityWithoutChange => Pattern::Asks(Question::SeverityWithoutChange),
            Reason::AlternatingFindings => Pattern::Asks(Question::AlternatingFindings),
            Reason::FixDoesNotHold => Pattern::Asks(Question::FixDoesNotHold),
            Reason::RegionChase => Pattern::Asks(Question::RegionChase),
            Reason::FixesBreedFindings => Pattern::Asks(Question::FixesBreedFindings),
            Reason::ReviewAbsent | Reason::DryRounds | Reason::NeedsConfirmingRound | Reason::UnexplainedRefusal | Reason::OpenFindings => {
                return None;
            }
        })
    }
}

/// What the recorded review and its response say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewFacts {
    /// Whether nothing blocks.
    pub clean: bool,
    /// Whether a document is ready.
    pub ready: bool,
    /// Whether the only concern is one the reviewers are split on, with nothing accepted.
    pub split_only: bool,
    /// compare-rounds of the previous round; none in round 1.
    pub compared: Option<Compared>,
    /// ACCEPT
    pub accepted: u64,
    /// DEFER
    pub deferred: u64,
    /// Accepted and done.
    pub implemented: Count,
    /// Stopped before it was through.
    pub halted: bool,
}

/// The two flags of compare-rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// At least half repeats.
    pub stalled: bool,
    /// Something went.
    pub progressed: bool,
}

/// The decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What to do.
    pub action: Action,
    /// Which of the seed's conditions decided it.
    pub condition: Option<u8>,
    /// Why it stops.
    pub stop_reason: Option<StopReason>,
    /// What kind of skip this is.
    pub skip: Option<Skip>,
    /// What to ask.
    pub question: Option<Question>,
    /// Whether the review of this round is to be tried once more.
    pub retry_review: bool,
}

/// One stop condition: its number in the seed, and why it holds.
type Condition = (u8, fn(&Facts) -> Option<StopReason>);

/// The seed's conditions in their order.
const CONDITIONS: [Condition; 7] =
    [(1, finished), (2, capped), (3, stuck), (4, failing), (5, stopped_by_user), (6, unreviewed), (7, unanswered)];

fn finished(facts: &Facts) -> Option<StopReason> {
    let review = facts.review.as_ref()?;
    match facts.phase {
        Phase::Document => review.ready.then_some(StopReason::ReadyForImplementation),
        Phase::Implementation => (review.clean && facts.deferred_pending == 0).then_some(StopReason::Approved),
    }
}

fn capped(facts: &Facts) -> Option<StopReason> {
    let word = if facts.phase == Phase::Document { StopReason::DocumentBlocked } else { StopReason::MaxRounds };
    (facts.executed >= facts.cap).then_some(word)
}

fn stuck(facts: &Facts) -> Option<StopReason> {
    let review = facts.review.as_ref()?;
    if review.halted {
        return Some(StopReason::Halted);
    }
    let stalled = review.compared.is_some_and(|c| c.stalled);
    (stalled && review.implemented == Count::Known(0)).then_some(StopReason::Stalled)
}

fn failing(facts: &Facts) -> Option<StopReason> {
    (facts.operational_failures >= 2).then_some(StopReason::OperationalFailures)
}

fn stopped_by_user(facts: &Facts) -> Option<StopReason> {
    match facts.user? {
        UserChoice::Stop => Some(StopReason::UserStop),
        UserChoice::DeferAndStop => Some(StopReason::DeferAndStop),
        UserChoice::Continue => None,
    }
}

fn unreviewed(facts: &Facts) -> Option<StopReason> {
    if facts.actual_reviewers == Some(0) {
        return Some(StopReason::NoReviewers);
    }
    facts.codex_role_missing.then_some(StopReason::NoCodexRole)
}

fn unanswered(facts: &Facts) -> Option<StopReason> {
    let review = facts.review.as_ref()?;
    let nothing = review.accepted == 0 && review.implemented == Count::Known(0) && !review.halted;
    nothing.then_some(StopReason::NothingAccepted)
}

/// The conditions that take the trust away. Where one of them holds there is no verdict that could finish the loop, so
/// neither 1 nor 2 nor 3 is asked: "N_actual == 0: no verdict is trusted" (seed §2).
fn is_untrusted(facts: &Facts) -> bool {
    failing(facts).is_some() || unreviewed(facts).is_some()
}

/// The first condition that holds, in the seed's order.
fn first_condition(facts: &Facts, asked: &[u8]) -> Option<(u8, StopReason)> {
    let untrusted = is_untrusted(facts);
    let open = CONDITIONS.iter().filter(|(n, _)| asked.contains(n) && !(untrusted && *n < 4));
    open.filter_map(|(number, holds)| Some((*number, holds(facts)?))).next()
}

/// Decides what follows a round. Total: every combination of facts gives stop, continue or ask.
pub fn decide(facts: &Facts) -> Decision {
    if let Some((number, reason)) = first_condition(facts, &[1, 2, 3, 4, 5, 6, 7]) {
        return stop(Some(number), reason);
    }
    if let Some(question) = open_question(facts) {
        return ask(question);
    }
    let Some(review) = &facts.review else {
        // One failure in a round is tried again; none at all is no round to go on from.
        return match facts.operational_failures {
            1 => Decision { retry_review: true, ..go_on() },
            _ => stop(None, StopReason::NoEvidenceOfProgress),
        };
    };
    let implemented = matches!(review.implemented, Count::Known(n) if n > 0);
    let moving = review.compared.is_none_or(|c| c.progressed || !c.stalled);
    if review.clean || !implemented || review.halted || !moving {
        return stop(None, StopReason::NoEvidenceOfProgress);
    }
    match facts.pattern {
        Some(Pattern::Stops(reason)) => stop(None, reason),
        Some(Pattern::Asks(question)) if !is_answered(facts, question) => ask(question),
        _ => go_on(),
    }
}

fn ask(question: Question) -> Decision {
    Decision { action: Action::Ask, question: Some(question), ..go_on() }
}

fn stop(condition: Option<u8>, reason: StopReason) -> Decision {
    let skip = if reason == StopReason::DeferAndStop { Skip::User } else { Skip::NextReview };
    Decision { action: Action::Stop, condition, stop_reason: Some(reason), skip: Some(skip), question: None, retry_review: false }
}

fn go_on() -> Decision {
    Decision { action: Action::Continue, condition: None, stop_reason: None, skip: None, question: None, retry_review: false }
}

/// What the seed leaves to the person, and the one number that no rule may guess.
fn open_question(facts: &Facts) -> Option<Question> {
    if facts.privacy_warning && !is_answered(facts, Question::Privacy) {
        return Some(Question::Privacy);
    }
    let review = facts.review.as_ref()?;
    if review.implemented == Count::Unknown {
        return Some(Question::ImplementedUnknown);
    }
    (review.deferred > 0 && !is_answered(facts, Question::DeferredItems)).then_some(Question::DeferredItems)
}

/// Whether the choice to go on answers a question. A choice that does not say what it answers is of the first question that was
/// open: no other one is taken for asked.
fn is_answered(facts: &Facts, question: Question) -> bool {
    let deferred = facts.review.as_ref().is_some_and(|r| r.deferred > 0);
    let pattern = match facts.pattern {
        Some(Pattern::Asks(question)) => Some(question),
        _ => None,
    };
    let open = [facts.privacy_warning.then_some(Question::Privacy), deferred.then_some(Question::DeferredItems), pattern];
    let first = open.into_iter().flatten().next();
    let named = if facts.answered.is_empty() { first == Some(question) } else { facts.answered.contains(&question) };
    facts.user == Some(UserChoice::Continue) && named
}

/// What follows a review before its response: a stop that holds at once, a question about privacy, or Respond, which runs
/// also in the last round the cap allows (deep-review seed §3). The review's own numbers are not known yet.
pub fn before_respond(facts: &Facts) -> Decision {
    if let Some((number, reason)) = first_condition(facts, &[1, 4, 5, 6]) {
        return stop(Some(number), reason);
    }
    let question = Some(Question::Privacy).filter(|q| facts.privacy_warning && !is_answered(facts, *q));
    Decision { action: if question.is_some() { Action::Ask } else { Action::Continue }, question, ..go_on() }
}

/// Whether Respond runs in this round, and if not, why (deep-review seed §3).
pub fn respond(phase: Phase, review: &ReviewFacts) -> Option<RespondSkip> {
    if phase == Phase::Document && review.ready {
        return Some(RespondSkip::Ready);
    }
    if review.clean {
        return Some(RespondSkip::Approved);
    }
    (review.split_only && review.accepted == 0).then_some(RespondSkip::SplitOnly)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn review() -> ReviewFacts {
        ReviewFacts {
            clean: false,
            ready: false,
            split_only: false,
            compared: None,
            accepted: 1,
            deferred: 0,
            implemented: Count::Known(1),
            halted: false,
        }
    }

    fn facts(review: ReviewFacts) -> Facts {
        Facts {
            phase: Phase::Implementation,
            cap: 5,
            executed: 1,
            review: Some(review),
            operational_failures: 0,
            user: None,
            answered: Vec::new(),
            privacy_warning: false,
            actual_reviewers: Some(2),
            codex_role_missing: false,
            deferred_pending: 0,
            pattern: None,
        }
    }

    fn reason(facts: &Facts) -> (Action, Option<u8>, Option<StopReason>) {
        let d = decide(facts);
        (d.action, d.condition, d.stop_reason)
    }

    #[test]
    fn each_condition_stops_with_its_number() {
        let stop = |n: u8, r: StopReason| (Action::Stop, Some(n), Some(r));
        assert_eq!(reason(&facts(ReviewFacts { clean: true, ..review() })), stop(1, StopReason::Approved));
        let document = Facts { phase: Phase::Document, ..facts(ReviewFacts { ready: true, ..review() }) };
        assert_eq!(reason(&document), stop(1, StopReason::ReadyForImplementation));
        assert_eq!(reason(&Facts { executed: 5, ..facts(review()) }), stop(2, StopReason::MaxRounds));
        assert_eq!(reason(&Facts { executed: 5, phase: Phase::Document, ..facts(review()) }), stop(2, StopReason::DocumentBlocked));
        assert_eq!(reason(&facts(ReviewFacts { halted: true, ..review() })), stop(3, StopReason::Halted));
        let stalled =
            ReviewFacts { compared: Some(Compared { stalled: true, progressed: false }), implemented: Count::Known(0), ..review() };
        assert_eq!(reason(&facts(stalled)), stop(3, StopReason::Stalled));
        assert_eq!(reason(&Facts { operational_failures: 2, ..facts(review()) }), stop(4, StopReason::OperationalFailures));
        assert_eq!(reason(&Facts { user: Some(UserChoice::Stop), ..facts(review()) }), stop(5, StopReason::UserStop));
        assert_eq!(reason(&Facts { actual_reviewers: Some(0), ..facts(review()) }), stop(6, StopReason::NoReviewers));
        assert_eq!(
            reason(&facts(ReviewFacts { accepted: 0, implemented: Count::Known(0), ..review() })),
            stop(7, StopReason::NothingAccepted)
        );
    }

    #[test]
    fn a_missing_implemented_count_asks_and_never_counts_as_zero() {
        let unknown = ReviewFacts {
            accepted: 0,
            implemented: Count::Unknown,
            compared: Some(Compared { stalled: true, progressed: false }),
            ..review()
        };
        let decision = decide(&facts(unknown));
        assert_eq!((decision.action, decision.question), (Action::Ask, Some(Question::ImplementedUnknown)));
    }

    #[test]
    fn stalled_without_change_to_the_count_goes_on_only_with_progress() {
        let with = |stalled, progressed| facts(ReviewFacts { compared: Some(Compared { stalled, progressed }), ..review() });
        assert_eq!(decide(&with(true, true)).action, Action::Continue);
        assert_eq!(reason(&with(true, false)), (Action::Stop, None, Some(StopReason::NoEvidenceOfProgress)));
        assert_eq!(decide(&with(false, false)).action, Action::Continue);
    }

    #[test]
    fn pending_deferred_items_keep_an_approval_from_ending_the_loop() {
        let pending = Facts { deferred_pending: 1, ..facts(ReviewFacts { clean: true, ..review() }) };
        assert_ne!(decide(&pending).condition, Some(1));
    }

    #[test]
    fn a_choice_answers_the_question_it_names_or_the_first_and_no_other() {
        let both = |user, answered: &[Question]| {
            let review = ReviewFacts { deferred: 1, ..review() };
            let pattern = Some(Pattern::Asks(Question::FixDoesNotHold));
            decide(&Facts { user, answered: answered.to_vec(), pattern, ..facts(review) }).question
        };
        let go_on = Some(UserChoice::Continue);
        assert_eq!(both(None, &[]), Some(Question::DeferredItems));
        assert_eq!(both(go_on, &[]), Some(Question::FixDoesNotHold));
        assert_eq!(both(go_on, &[Question::FixDoesNotHold]), Some(Question::DeferredItems));
        assert_eq!(both(go_on, &[Question::FixDoesNotHold, Question::DeferredItems]), None);
    }

    #[test]
    fn one_operational_failure_is_tried_again() {
        let failed = Facts { review: None, operational_failures: 1, ..facts(review()) };
        assert!(decide(&failed).retry_review);
    }

    fn any_facts() -> impl Strategy<Value = Facts> {
        let compared =
            proptest::option::of((any::<bool>(), any::<bool>()).prop_map(|(stalled, progressed)| Compared { stalled, progressed }));
        let count = prop_oneof![Just(Count::Unknown), (0..3u64).prop_map(Count::Known)];
        let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
        let review = (flags, compared, 0..3u64, 0..2u64, count).prop_map(
            |((clean, ready, split_only, halted), compared, accepted, deferred, implemented)| ReviewFacts {
                clean,
                ready,
                split_only,
                compared,
                accepted,
                deferred,
                implemented,
                halted,
            },
        );
        let user = proptest::option::of(proptest::sample::select(UserChoice::ALL));
        let phase = proptest::sample::select(Phase::ALL);
        let pattern = proptest::option::of(prop_oneof![
            Just(Pattern::Stops(StopReason::NoConvergence)),
            Just(Pattern::Asks(Question::ReviewerReversal))
        ]);
        let rest = (1..4u64, 0..4u64, 0..4u64, proptest::option::of(0..3u64), any::<bool>(), 0..2u64, any::<bool>());
        (proptest::option::of(review), user, phase, rest, pattern).prop_map(
            |(review, user, phase, (cap, executed, failures, actual, codex, pending, privacy), pattern)| Facts {
                phase,
                cap,
                executed,
                review,
                operational_failures: failures,
                user,
                answered: Vec::new(),
                privacy_warning: privacy,
                actual_reviewers: actual,
                codex_role_missing: codex,
                deferred_pending: pending,
                pattern,
            },
        )
    }

    proptest! {
        #[test]
        fn every_combination_decides_and_continues_only_with_evidence(facts in any_facts()) {
            let decision = decide(&facts);
            match decision.action {
                Action::Stop => prop_assert!(decision.stop_reason.is_some() && decision.skip.is_some()),
                Action::Ask => prop_assert!(decision.question.is_some() && decision.stop_reason.is_none()),
                Action::Continue if decision.retry_review => prop_assert!(facts.review.is_none() && facts.operational_failures == 1),
                Action::Continue => {
                    let review = facts.review.as_ref().unwrap();
                    prop_assert!(!review.clean && !review.halted && facts.executed < facts.cap);
                    prop_assert!(matches!(review.implemented, Count::Known(n) if n > 0));
                }
            }
            let untrusted = facts.actual_reviewers == Some(0) || facts.operational_failures >= 2 || facts.codex_role_missing;
            if untrusted {
                prop_assert!(decision.action == Action::Stop && matches!(decision.condition, Some(4..=6)), "{:?}", decision);
            }
            if decision.stop_reason == Some(StopReason::Approved) {
                prop_assert!(facts.review.as_ref().is_some_and(|r| r.clean) && facts.deferred_pending == 0 && !untrusted);
            }
            if facts.executed >= facts.cap {
                prop_assert_ne!(decision.action, Action::Continue);
            }
            if matches!(facts.user, Some(UserChoice::Stop | UserChoice::DeferAndStop)) {
                prop_assert_eq!(decision.action, Action::Stop);
            }
        }

        #[test]
        fn a_pattern_only_stops_or_asks_where_the_loop_would_go_on(facts in any_facts()) {
            let (plain, decision) = (decide(&Facts { pattern: None, ..facts.clone() }), decide(&facts));
            let goes_on = plain.action == Action::Continue && !plain.retry_review;
            // A choice is of one question: beside another one it does not answer this one.
            let alone = facts.user.is_some() && !facts.privacy_warning && facts.review.as_ref().is_some_and(|r| r.deferred == 0);
            match facts.pattern {
                Some(Pattern::Stops(reason)) if goes_on => prop_assert_eq!(decision.stop_reason, Some(reason)),
                Some(Pattern::Asks(question)) if goes_on && !alone => prop_assert_eq!(decision.question, Some(question)),
                _ => prop_assert_eq!(decision, plain),
            }
        }

        #[test]
        fn before_respond_only_what_holds_at_once_is_decided(facts in any_facts()) {
            let decision = before_respond(&facts);
            prop_assert!(matches!(decision.condition, None | Some(1 | 4 | 5 | 6)));
            if facts.actual_reviewers == Some(0) {
                prop_assert_eq!(decision.action, Action::Stop);
            }
        }
    }
}
