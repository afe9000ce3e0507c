//! Identities over a whole loop: which findings of its rounds are one, by what the states say.
//!
//! Takes the rounds in order, gives every finding the number of its identity. It decides no sameness of its own: a finding whose
//! state names no earlier one is new, and so is one that was matched with a round which was replaced since. Bound: linear.

use std::collections::HashMap;

use super::record::{Round, RoundFinding};
use super::sameness::{all, digest};

/// The identities of the findings of each round, in the order of [`all`]. An identity is named by the number of its first
/// finding, counted over the whole loop.
pub fn identities(rounds: &[Round]) -> Vec<Vec<usize>> {
    let mut known: HashMap<(u64, &str), usize> = HashMap::new();
    let mut digests: HashMap<u64, String> = HashMap::new();
    let mut seen = 0;
    let mut of_rounds = Vec::with_capacity(rounds.len());
    for round in rounds {
        let stands = |number: u64| {
            let then = round.matched.as_ref().and_then(|m| m.digest_of(number));
            then.is_some() && then == digests.get(&number).map(String::as_str)
        };
        let mut of_round = Vec::new();
        for finding in all(round) {
            let earlier = named(finding).filter(|(number, _)| stands(*number)).and_then(|key| known.get(&key).copied());
            of_round.push(earlier.unwrap_or(seen));
            seen += 1;
        }
        known.extend(all(round).zip(&of_round).map(|(finding, identity)| ((round.round_number, finding.id.as_str()), *identity)));
        digests.insert(round.round_number, digest(round));
        of_rounds.push(of_round);
    }
    of_rounds
}

fn named(finding: &RoundFinding) -> Option<(u64, &str)> {
    Some((finding.same_as_round?, finding.same_as.as_deref()?))
}
