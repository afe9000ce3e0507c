//! The rounds loop as a state machine: prior → plan → review → judge → respond → record → document → decide, until a stop,
//! then the closing documents. Recovery is no action of its own: whatever is owed is done again.
//!
//! [`step`] takes what happened and says what to do next; it knows no file and no clock. Every action may be done twice:
//! a run that was killed does its last action again.

use crate::base::reason::words;

words! {
    /// What is to be done next.
    Action {
        Prior "prior",
        Plan "plan",
        Review "review",
        Judge "judge",
        Respond "respond",
        Record "record",
        Document "document",
        Decide "decide",
        Close "close",
        Done "done",
    }
}

/// Where a loop stands. `next` is the action that is owed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The round under way, from 1.
    pub round: u64,
    /// The action that is owed.
    pub next: Action,
    /// Operational failures of this round.
    pub failures: u64,
    /// Whether a responder was started and has not answered.
    pub responding: bool,
    /// Whether the review of this round was recorded.
    pub recorded: bool,
    /// The published review report of this round.
    pub report: Option<String>,
    /// The published response report of this round.
    pub response: Option<String>,
    /// Which condition stopped the loop.
    pub condition: Option<u8>,
    /// Why it stopped.
    pub stop_reason: Option<String>,
}

impl State {
    /// A loop that has not done anything.
    pub fn start() -> State {
        State {
            round: 1,
            next: Action::Plan,
            failures: 0,
            responding: false,
            recorded: false,
            report: None,
            response: None,
            condition: None,
            stop_reason: None,
        }
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The prior context was written.
    PriorWritten,
    /// The plan was written.
    Planned,
    /// The review is published there.
    Reviewed(String),
    /// The source left no report that can be trusted.
    ReviewFailed,
    /// Before Respond: it runs.
    RespondWanted,
    /// Before Respond: it is skipped.
    RespondSkipped,
    /// The responder was started.
    RespondStarted,
    /// The response is published there.
    Responded(String),
    /// The responder left no response.
    RespondFailed,
    /// The round's state is written.
    Recorded,
    /// The session document is written (or not wanted).
    Documented,
    /// The decision: go on with the next round.
    GoOn,
    /// The decision: try the review of this round once more.
    Retry,
    /// The decision: stop.
    Stop(Option<u8>, String),
    /// The closing documents are written.
    Closed,
}

/// What follows an event. Events that do not belong to the owed action leave the state as it is.
#[must_use]
pub fn step(state: State, event: Event) -> State {
    use Action as A;
    use Event as E;
    let next = |state: State, next: Action| State { next, ..state };
    match (state.next, event) {
        (A::Prior, E::PriorWritten) => next(state, A::Plan),
        (A::Plan, E::Planned) => next(state, A::Review),
        (A::Review, E::Reviewed(report)) => State { report: Some(report), next: A::Judge, ..state },
        // Without a report there is nothing to respond to: the decision says whether the review is tried again.
        (A::Review, E::ReviewFailed) => State { failures: state.failures + 1, next: A::Decide, ..state },
        (A::Judge, E::RespondWanted) => next(state, A::Respond),
        (A::Judge, E::RespondSkipped) => next(state, A::Record),
        (A::Judge, E::Stop(condition, reason)) => stop(state, condition, reason),
        (A::Respond, E::RespondStarted) => State { responding: true, ..state },
        (A::Respond, E::Responded(response)) => State { response: Some(response), responding: false, next: A::Record, ..state },
        // A responder that fails twice leaves the round without a response, and the round is still recorded: its findings
        // are not lost.
        (A::Respond, E::RespondFailed) => {
            let failures = state.failures + 1;
            State { failures, responding: false, next: if failures >= 2 { A::Record } else { A::Respond }, ..state }
        }
        (A::Record, E::Recorded) => State { recorded: true, next: A::Document, ..state },
        // A stop that was decided before Respond needs no second decision.
        (A::Document, E::Documented) if state.stop_reason.is_some() => next(state, A::Close),
        (A::Document, E::Documented) => next(state, A::Decide),
        (A::Decide, E::GoOn) => {
            State { round: state.round + 1, failures: 0, recorded: false, report: None, response: None, next: A::Prior, ..state }
        }
        // What the review reads is captured anew: the tree may be what went wrong.
        (A::Decide, E::Retry) => next(state, A::Plan),
        (A::Decide, E::Stop(condition, reason)) => stop(state, condition, reason),
        (A::Close, E::Closed) => next(state, A::Done),
        _ => state,
    }
}

fn stop(state: State, condition: Option<u8>, reason: String) -> State {
    // A clean or ready review that skips Respond is recorded before the loop closes.
    let owed = if state.report.is_some() && !state.recorded { Action::Record } else { Action::Close };
    State { condition, stop_reason: Some(reason), next: owed, ..state }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(events: Vec<Event>) -> State {
        events.into_iter().fold(State::start(), step)
    }

    fn report() -> Event {
        Event::Reviewed("r.md".to_owned())
    }

    #[test]
    fn one_round_goes_through_every_action() {
        let round = vec![
            Event::Planned,
            report(),
            Event::RespondWanted,
            Event::RespondStarted,
            Event::Responded("s.md".into()),
            Event::Recorded,
            Event::Documented,
            Event::GoOn,
        ];
        let state = run(round);
        assert_eq!((state.round, state.next, state.report), (2, Action::Prior, None));
    }

    #[test]
    fn a_stop_before_respond_is_recorded_and_then_closes() {
        let state = run(vec![Event::Planned, report(), Event::Stop(Some(1), "APPROVED".into()), Event::Recorded, Event::Documented]);
        assert_eq!((state.next, state.condition, state.recorded), (Action::Close, Some(1), true));
    }

    #[test]
    fn a_failed_review_is_decided_and_tried_once_more() {
        let state = run(vec![
            Event::Planned,
            Event::ReviewFailed,
            Event::Retry,
            Event::Planned,
            Event::ReviewFailed,
            Event::Stop(Some(4), "operational_failures".into()),
        ]);
        assert_eq!((state.failures, state.next, state.condition), (2, Action::Close, Some(4)));
    }

    #[test]
    fn a_responder_that_fails_twice_still_leaves_a_recorded_round() {
        let state =
            run(vec![Event::Planned, report(), Event::RespondWanted, Event::RespondFailed, Event::RespondStarted, Event::RespondFailed]);
        assert_eq!((state.next, state.failures, state.response), (Action::Record, 2, None));
    }

    fn any_event() -> impl Strategy<Value = Event> {
        proptest::sample::select(vec![
            Event::PriorWritten,
            Event::Planned,
            report(),
            Event::ReviewFailed,
            Event::RespondWanted,
            Event::RespondSkipped,
            Event::RespondStarted,
            Event::Responded("s.md".into()),
            Event::RespondFailed,
            Event::Recorded,
            Event::Documented,
            Event::GoOn,
            Event::Retry,
            Event::Stop(None, "x".into()),
            Event::Closed,
        ])
    }

    proptest! {
        #[test]
        fn no_sequence_of_events_skips_a_recorded_review(events in proptest::collection::vec(any_event(), 0..60)) {
            let mut state = State::start();
            for event in events {
                let before = state.clone();
                state = step(state, event);
                // A new round or the end is only reached with this round's review recorded, or without any review.
                let left = state.round > before.round || (state.next == Action::Close && before.next != Action::Close);
                prop_assert!(!left || before.recorded || state.recorded || before.report.is_none());
            }
        }
    }
}
