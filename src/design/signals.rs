//! What the history of blockers says: one that stays, and a class of them that moves (design seed, Autonomous convergence; issue 6).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// An open blocker of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its id.
    pub id: String,
    /// The class of defect.
    pub class: String,
    /// Where.
    pub location: String,
}

/// Where a class stood in a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Places {
    /// The round.
    pub round: u64,
    /// The places, sorted.
    pub locations: Vec<String>,
}

/// Ids that are open in the last of some rounds and were in the one before: the same id, or the same class at the same place under
/// another. Bound: n log n in their blockers.
pub fn stuck(rounds: &[Vec<Found>]) -> Vec<String> {
    let [.., before, last] = rounds else { return Vec::new() };
    let ids: BTreeSet<String> = before.iter().map(|f| folded(&f.id)).collect();
    let places: BTreeSet<(String, String)> = before.iter().map(|f| (folded(&f.class), folded(&f.location))).collect();
    let stays = |f: &&Found| ids.contains(&folded(&f.id)) || places.contains(&(folded(&f.class), folded(&f.location)));
    let stuck: BTreeSet<String> = last.iter().filter(stays).map(|f| folded(&f.id)).collect();
    stuck.into_iter().collect()
}

/// Classes that stood at a new place in each of the last three rounds: each place of theirs was closed and another one appeared. Classes
/// and places are compared without case and outer blanks; a line number within the same file is another place. Bound: n log n in the
/// blockers of all rounds.
pub fn moved(rounds: &[Vec<Found>]) -> Vec<String> {
    let [.., first, second, third] = rounds else { return Vec::new() };
    let known: Vec<BTreeMap<String, BTreeSet<String>>> = rounds.iter().map(|r| by_class(r)).collect();
    let n = rounds.len();
    let fresh = |class: &str, at: usize| -> bool {
        let seen: BTreeSet<&String> = known[..at].iter().filter_map(|k| k.get(class)).flatten().collect();
        known[at].get(class).is_some_and(|places| places.iter().any(|p| !seen.contains(p)))
    };
    let everywhere = |class: &str| [first, second, third].iter().all(|r| r.iter().any(|f| folded(&f.class) == class));
    known[n - 1].keys().filter(|class| everywhere(class) && fresh(class, n - 2) && fresh(class, n - 1)).cloned().collect()
}

/// Where a class stood, round by round.
pub fn history(rounds: &[Vec<Found>], class: &str) -> Vec<Places> {
    let class = folded(class);
    let places = rounds.iter().enumerate().map(|(n, round)| {
        let at: BTreeSet<String> = round.iter().filter(|f| folded(&f.class) == class).map(|f| f.location.trim().to_owned()).collect();
        Places { round: n as u64 + 1, locations: at.into_iter().collect() }
    });
    places.filter(|p| !p.locations.is_empty()).collect()
}

/// A word as it is compared.
pub fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}

fn by_class(round: &[Found]) -> BTreeMap<String, BTreeSet<String>> {
    let mut classes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for found in round {
        classes.entry(folded(&found.class)).or_default().insert(folded(&found.location));
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(spelt: &[&[(&str, &str, &str)]]) -> Vec<Vec<Found>> {
        let one =
            |(id, class, location): &(&str, &str, &str)| Found { id: (*id).into(), class: (*class).into(), location: (*location).into() };
        spelt.iter().map(|r| r.iter().map(one).collect()).collect()
    }

    #[test]
    fn a_blocker_that_is_open_in_two_rounds_is_stuck() {
        assert_eq!(stuck(&rounds(&[&[("B-1", "race", "a")], &[("b-1", "race", "a"), ("B-2", "x", "y")]])), ["b-1"]);
        assert!(stuck(&rounds(&[&[("B-1", "race", "a")], &[("B-2", "race", "b")]])).is_empty());
        assert_eq!(stuck(&rounds(&[&[("B-1", "race", "a")], &[("B-2", "Race", "a ")]])), ["b-2"], "another id hides nothing");
        assert!(stuck(&rounds(&[&[("B-1", "race", "a")], &[], &[("B-1", "race", "a")]])).is_empty());
        assert!(stuck(&rounds(&[&[("B-1", "race", "a")]])).is_empty());
    }

    #[test]
    fn a_class_that_stands_at_a_new_place_three_rounds_long_has_moved() {
        let chase = rounds(&[&[("1", "Race", "a.rs:1")], &[("2", "race", "b.rs:1")], &[("3", "race ", "c.rs:1")]]);
        assert_eq!(moved(&chase), ["race"]);
        assert_eq!(history(&chase, "race").len(), 3);
        assert!(moved(&chase[..2]).is_empty());
        assert!(moved(&rounds(&[&[("1", "race", "a")], &[("2", "race", "b")], &[("3", "race", "a")]])).is_empty(), "back again is not new");
        assert!(moved(&rounds(&[&[("1", "race", "a")], &[], &[("3", "race", "c")]])).is_empty());
        assert!(moved(&rounds(&[&[("1", "race", "a")], &[("2", "leak", "b")], &[("3", "race", "c")]])).is_empty());
    }
}
