//! Identities over a whole loop: which findings of its rounds are one, by what the states say.
//!
//! Takes the rounds in order, gives every finding the number of its identity. It decides no sameness of its own: a finding whose
//! state names no earlier one is new. Bound: linear.

use std::collections::HashMap;

use super::record::{Round, RoundFinding};
use super::sameness::all;

/// The identities of the findings of each round, in the order of [`all`]. An identity is named by the number of its first
/// finding, counted over the whole loop.
pub fn identities(rounds: &[Round]) -> Vec<Vec<usize>> {
    let mut known: HashMap<(u64, &str), usize> = HashMap::new();
    let mut seen = 0;
    let mut of_rounds = Vec::with_capacity(rounds.len());
    for (at, round) in rounds.iter().enumerate() {
        // A match with a round that was replaced since says nothing of the one that stands there now.
        let stale = round.matched.as_ref().is_none_or(|m| at == 0 || !m.is_with(&rounds[at - 1]));
        let mut of_round = Vec::new();
        for finding in all(round) {
            let earlier = named(finding).filter(|_| !stale).and_then(|key| known.get(&key).copied());
            let identity = earlier.unwrap_or(seen);
            seen += 1;
            known.insert((round.round_number, finding.id.as_str()), identity);
            of_round.push(identity);
        }
        of_rounds.push(of_round);
    }
    of_rounds
}

fn named(finding: &RoundFinding) -> Option<(u64, &str)> {
    Some((finding.same_as_round?, finding.same_as.as_deref()?))
}
