//! The resolution loop as one pure step: what is done next follows from what is owed, and what is owed is computed from the files of the
//! loop. There is no state of the driver's own, so a run that was killed goes on by looking again.

use crate::base::reason::words;
use crate::resolution::convergence::{Decision, Owed, Verdict};

words! {
    /// What is to be done next.
    Action {
        Review "review",
        Sameness "sameness",
        Diagnose "diagnose",
        Dispose "dispose",
        Ask "ask",
        Stop "stop",
        Done "done",
    }
}

/// How many reviews in a row may prove nothing before nothing more is tried.
pub const ATTEMPTS: u64 = 2;

/// What follows a decision. `void` is how many reviews in a row proved nothing in this run.
pub fn next(decision: &Decision, void: u64) -> Action {
    match decision.decision {
        Verdict::Converged | Verdict::Exit => return Action::Done,
        Verdict::Blocked => return Action::Ask,
        // A gate is asked about where dispositions are taken.
        Verdict::Continue if decision.owed.first() == Some(&Owed::Gate) => return Action::Dispose,
        Verdict::Continue if decision.asks => return Action::Ask,
        Verdict::Continue => {}
    }
    match decision.owed.first() {
        Some(Owed::Review | Owed::FullRereview) | None => Action::Review,
        Some(Owed::SourceAnswer) if void >= ATTEMPTS => Action::Stop,
        Some(Owed::SourceAnswer) => Action::Review,
        Some(Owed::Sameness) => Action::Sameness,
        Some(Owed::Diagnosis) => Action::Diagnose,
        Some(Owed::Gate | Owed::Disposition) => Action::Dispose,
        Some(Owed::NewLoop) => Action::Ask,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolution::convergence::{Facts, Reviewed, Said, decide};

    fn on(change: impl Fn(&mut Reviewed)) -> Action {
        let mut reviewed = Reviewed {
            round: 1,
            said: Said::Objects,
            void: false,
            of_this_version: true,
            findings: 1,
            decisions_in_force: true,
            dispositions_hold: true,
            surface_stands: true,
            conveyed_intent_only: true,
            bundle_is_of_surface: true,
            sameness_judged: true,
            awaiting: 0,
            gates: 0,
            dispositions: None,
        };
        change(&mut reviewed);
        next(&decide(&Facts { reviewed: Some(reviewed), ..Facts::default() }), 0)
    }

    #[test]
    fn what_is_owed_first_is_done_first() {
        assert_eq!(next(&decide(&Facts::default()), 0), Action::Review);
        assert_eq!(on(|_| ()), Action::Dispose);
        assert_eq!(on(|r| r.sameness_judged = false), Action::Sameness);
        assert_eq!(on(|r| r.awaiting = 1), Action::Diagnose);
        assert_eq!(next(&decide(&Facts { unbound: 1, ..Facts::default() }), 0), Action::Ask);
        assert_eq!(on(|r| (r.said, r.void, r.findings) = (Said::Nothing, true, 0)), Action::Review);
        assert_eq!(on(|r| r.said = Said::Unreliable), Action::Dispose);
        assert_eq!(on(|r| (r.said, r.findings) = (Said::Approves, 0)), Action::Done);
    }

    #[test]
    fn a_source_that_proves_nothing_twice_is_not_tried_for_ever() {
        let void = decide(&Facts {
            reviewed: Some(Reviewed {
                round: 1,
                said: Said::Nothing,
                void: true,
                of_this_version: true,
                findings: 0,
                decisions_in_force: true,
                dispositions_hold: true,
                surface_stands: true,
                conveyed_intent_only: true,
                bundle_is_of_surface: true,
                sameness_judged: true,
                awaiting: 0,
                gates: 0,
                dispositions: None,
            }),
            ..Facts::default()
        });
        assert_eq!((next(&void, 1), next(&void, ATTEMPTS)), (Action::Review, Action::Stop));
    }
}
