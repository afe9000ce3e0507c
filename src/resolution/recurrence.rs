//! Recurrence: what a finding's return means. A state machine over the record of one identity.
//!
//! Whether two findings are the same defect is a judgement that comes in; whether the source was informed when it brought one back is
//! computed: from the surfaces before and after a fix, and from what the bundle of the round held. Source: convergence seed, Recurrence
//! escalation and rule 9; resolution spec §14. Bound: linear in the rounds of the identity.

use serde::Serialize;

use super::disposition::Outcome;
use crate::base::reason::words;

words! {
    /// What the source had seen when it brought a finding back.
    Informed {
        No "no",
        ByFix "by_fix",
        ByDecision "by_decision",
    }
}

words! {
    /// What a return after its repair or its decision comes from.
    Diagnosis {
        IncompleteRepair "incomplete_repair",
        DesignDisagreement "design_disagreement",
    }
}

words! {
    /// What is owed to a finding.
    Route {
        New "new",
        Absorb "absorb",
        FixNotLanded "fix_not_landed",
        Diagnose "diagnose",
        Reapply "reapply",
        Gate "gate",
    }
}

/// One earlier disposition of an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Past {
    /// The round.
    pub round: u64,
    /// What it came to.
    pub outcome: Outcome,
    /// Whether a later review saw its edit: the files it wrote differ between the two surfaces.
    pub landed: bool,
    /// Whether it completed a repair, written by the session itself.
    pub escalated: bool,
    /// Whether a person was asked.
    pub gated: bool,
}

/// An identity as it stands before the disposition of the round under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History<'a> {
    /// Earlier dispositions, by round.
    pub past: &'a [Past],
    /// Whether the bundle of this round's review held a decision that settles it.
    pub conveyed: bool,
    /// The agent's diagnosis in this round.
    pub diagnosis: Option<Diagnosis>,
}

/// What a return means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// What the source had seen.
    pub informed: Informed,
    /// What is owed.
    pub route: Route,
    /// How often the identity appeared, this round included.
    pub appearances: usize,
}

/// Where an identity that this round's review reports stands.
pub fn standing(history: &History<'_>) -> Standing {
    let appearances = history.past.len() + 1;
    let at = |informed, route| Standing { informed, route, appearances };
    let Some(last) = history.past.last() else { return at(Informed::No, Route::New) };
    let applied = last.outcome == Outcome::Applied;
    if history.conveyed {
        // A decision that was sent along is contested. That an earlier repair was incomplete can still be the diagnosis.
        let repairable = applied && last.landed && !escalated(history.past);
        return at(Informed::ByDecision, diagnosed(history.diagnosis, repairable));
    }
    match (applied, last.landed) {
        (false, _) => at(Informed::No, Route::Absorb),
        (true, false) => at(Informed::No, Route::FixNotLanded),
        (true, true) if escalated(history.past) => at(Informed::ByFix, Route::Gate),
        (true, true) => at(Informed::ByFix, diagnosed(history.diagnosis, true)),
    }
}

fn escalated(past: &[Past]) -> bool {
    past.iter().any(|p| p.escalated && p.landed)
}

fn diagnosed(diagnosis: Option<Diagnosis>, repairable: bool) -> Route {
    match diagnosis {
        None => Route::Diagnose,
        Some(Diagnosis::IncompleteRepair) if repairable => Route::Reapply,
        Some(_) => Route::Gate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(outcome: Outcome, landed: bool, escalated: bool) -> Past {
        Past { round: 1, outcome, landed, escalated, gated: false }
    }

    fn route(past: &[Past], conveyed: bool, diagnosis: Option<Diagnosis>) -> (Informed, Route) {
        let s = standing(&History { past, conveyed, diagnosis });
        (s.informed, s.route)
    }

    #[test]
    fn the_state_machine() {
        use Diagnosis::{DesignDisagreement as D, IncompleteRepair as I};
        use Outcome::{Applied, Carried, Dropped};
        assert_eq!(route(&[], false, None), (Informed::No, Route::New));
        assert_eq!(route(&[past(Dropped, false, false)], false, None), (Informed::No, Route::Absorb));
        // An instance that was never conveyed is absorbed for ever.
        assert_eq!(route(&[past(Carried, false, false); 5], false, None), (Informed::No, Route::Absorb));
        assert_eq!(route(&[past(Applied, false, false)], false, None), (Informed::No, Route::FixNotLanded));
        let fixed = [past(Applied, true, false)];
        assert_eq!(route(&fixed, false, None), (Informed::ByFix, Route::Diagnose));
        assert_eq!(route(&fixed, false, Some(I)), (Informed::ByFix, Route::Reapply));
        assert_eq!(route(&fixed, false, Some(D)), (Informed::ByFix, Route::Gate));
        // The third appearance after a completed repair is a person's, whatever the agent says.
        let again = [past(Applied, true, false), past(Applied, true, true)];
        assert_eq!(route(&again, false, Some(I)), (Informed::ByFix, Route::Gate));
        // A conveyed decision is contested at once.
        let dismissed = [past(Dropped, false, false)];
        assert_eq!(route(&dismissed, true, None), (Informed::ByDecision, Route::Diagnose));
        assert_eq!(route(&dismissed, true, Some(I)), (Informed::ByDecision, Route::Gate));
        assert_eq!(route(&dismissed, true, Some(D)), (Informed::ByDecision, Route::Gate));
    }
}
