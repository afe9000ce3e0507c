//! The ledger of decisions that a person constituted in this loop: append-only, one successor at most, the current view alone is sent.
//!
//! What enters holds independently of the present code and names its basis; a dismissal, a deferral or a record of a fix never does.
//! Source: convergence seed, Design-intent harvest (4), Recurrence escalation, rule 9; resolution spec §15. Bound: n log n in events.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::reason::words;

words! {
    /// What kind of decision it is.
    Kind {
        Decision "decision",
        Convention "convention",
    }
}

words! {
    /// What an event does.
    Act {
        Add "add",
        Supersede "supersede",
        Retire "retire",
    }
}

words! {
    /// Why an event cannot follow the ledger as it is.
    Refusal {
        RepeatedId "repeated_id",
        UnknownId "unknown_id",
        NotInForce "not_in_force",
        SupersedesItself "supersedes_itself",
    }
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// What it says.
    pub text: String,
    /// The person's words, verbatim.
    pub user_words: String,
    /// What it rests on.
    pub basis: String,
    /// Its kind.
    pub kind: Kind,
    /// The gate it was constituted at.
    pub gate: String,
    /// Whether it redirects the work that the change serves, rather than settling the change.
    pub redirects_work: bool,
    /// Issues, documents and the like.
    pub refs: Vec<String>,
    /// Identities of findings that it settles.
    pub settles: Vec<String>,
}

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What it does.
    pub act: Act,
    /// The decision that is added, or that is retired.
    pub id: String,
    /// The decision that it takes the place of.
    pub supersedes: Option<String>,
    /// The round in which it was constituted.
    pub round: u64,
    /// When.
    pub at: String,
    /// The decision; none of a retirement.
    pub entry: Option<Entry>,
    /// Why it was retired.
    pub reason: Option<String>,
}

/// A decision with its place in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Its id.
    pub id: String,
    /// The round in which it was constituted.
    pub round: u64,
    /// The decision that took its place.
    pub superseded_by: Option<String>,
    /// The round in which it left force.
    pub retired_in: Option<u64>,
    /// The decision.
    #[serde(flatten)]
    pub entry: Entry,
}

impl Standing {
    /// Whether it is in force.
    pub fn is_in_force(&self) -> bool {
        self.retired_in.is_none()
    }

    /// Whether it was in force when the bundle of a round was made: constituted before that round and not retired by then.
    pub fn was_in_force_for(&self, round: u64) -> bool {
        self.round < round && self.retired_in.is_none_or(|r| r >= round)
    }
}

/// The ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// In the order in which they were constituted.
    pub decisions: Vec<Standing>,
    by_id: BTreeMap<String, usize>,
}

impl Ledger {
    /// Takes one more event.
    ///
    /// # Errors
    /// Why it cannot follow.
    pub fn take(&mut self, event: &Event) -> Result<(), Refusal> {
        let old = match event.act {
            Act::Add => None,
            Act::Supersede => Some(event.supersedes.as_deref().unwrap_or_default()),
            Act::Retire => Some(event.id.as_str()),
        };
        let fresh = event.entry.as_ref();
        if fresh.is_some() && self.by_id.contains_key(&event.id) {
            return Err(if event.supersedes.as_ref() == Some(&event.id) { Refusal::SupersedesItself } else { Refusal::RepeatedId });
        }
        if let Some(old) = old {
            let at = *self.by_id.get(old).ok_or(Refusal::UnknownId)?;
            let standing = &mut self.decisions[at];
            if !standing.is_in_force() {
                return Err(Refusal::NotInForce);
            }
            standing.retired_in = Some(event.round);
            standing.superseded_by = fresh.map(|_| event.id.clone());
        }
        if let Some(entry) = fresh {
            self.by_id.insert(event.id.clone(), self.decisions.len());
            let (id, round) = (event.id.clone(), event.round);
            self.decisions.push(Standing { id, round, superseded_by: None, retired_in: None, entry: entry.clone() });
        }
        Ok(())
    }

    /// The decisions in force.
    pub fn in_force(&self) -> impl Iterator<Item = &Standing> {
        self.decisions.iter().filter(|d| d.is_in_force())
    }

    /// A decision by its id.
    pub fn find(&self, id: &str) -> Option<&Standing> {
        self.by_id.get(id).map(|at| &self.decisions[*at])
    }

    /// The id of the next decision.
    pub fn next_id(&self) -> String {
        format!("D-{}", self.decisions.len() + 1)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn add(id: &str, round: u64) -> Event {
        let entry = Entry {
            text: format!("text of {id}"),
            user_words: "yes, keep it".into(),
            basis: "plugins come first".into(),
            kind: Kind::Decision,
            gate: "g1".into(),
            redirects_work: false,
            refs: Vec::new(),
            settles: vec!["r1/F-1".into()],
        };
        Event { act: Act::Add, id: id.into(), supersedes: None, round, at: "t".into(), entry: Some(entry), reason: None }
    }

    fn supersede(id: &str, old: &str, round: u64) -> Event {
        Event { act: Act::Supersede, supersedes: Some(old.into()), ..add(id, round) }
    }

    #[test]
    fn one_decision_takes_the_place_of_another_once() {
        let mut ledger = Ledger::default();
        ledger.take(&add("D-1", 1)).unwrap();
        assert_eq!(ledger.take(&add("D-1", 1)), Err(Refusal::RepeatedId));
        assert_eq!(ledger.take(&supersede("D-1", "D-1", 2)), Err(Refusal::SupersedesItself));
        assert_eq!(ledger.take(&supersede("D-2", "D-9", 2)), Err(Refusal::UnknownId));
        ledger.take(&supersede("D-2", "D-1", 2)).unwrap();
        assert_eq!(ledger.take(&supersede("D-3", "D-1", 3)), Err(Refusal::NotInForce));
        let retire = Event { act: Act::Retire, entry: None, ..add("D-2", 3) };
        assert_eq!(ledger.in_force().map(|d| d.id.as_str()).collect::<Vec<_>>(), ["D-2"]);
        ledger.take(&retire).unwrap();
        assert_eq!((ledger.in_force().count(), ledger.take(&retire)), (0, Err(Refusal::NotInForce)));
        assert_eq!(ledger.find("D-1").and_then(|d| d.superseded_by.as_deref()), Some("D-2"));
    }

    #[test]
    fn a_bundle_holds_what_was_in_force_before_its_round() {
        let mut ledger = Ledger::default();
        ledger.take(&add("D-1", 1)).unwrap();
        ledger.take(&supersede("D-2", "D-1", 3)).unwrap();
        let sent = |round| ledger.decisions.iter().filter(|d| d.was_in_force_for(round)).map(|d| d.id.as_str()).collect::<Vec<_>>();
        assert_eq!((sent(1), sent(2), sent(3), sent(4)), (vec![], vec!["D-1"], vec!["D-1"], vec!["D-2"]));
    }
}
