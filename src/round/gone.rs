//! What earlier rounds found and the last one does not list as open, with what became of it, by what the states say.
//!
//! Takes the rounds of a loop in order; gives nothing when one of them holds no match of its surface
//! with that of the one before. Bound: linear.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::lineage::identities;
use super::record::{Round, RoundFinding};
use super::sameness::all;
use crate::finding::matching::Status;

/// Why a finding is open no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It was not reported again.
    Status(Status),
    /// It may be one of several findings, or none of them.
    Ambiguous,
    /// It is reported still, as information.
    Information,
}

impl Ending {
    /// As printed.
    pub fn word(self) -> &'static str {
        match self {
            Ending::Status(status) => status.word(),
            Ending::Ambiguous => "ambiguous",
            Ending::Information => "reported as information",
        }
    }
}

/// One finding that is open no more.
#[derive(Debug)]
pub struct Gone<'r> {
    /// As it was reported last.
    pub finding: &'r RoundFinding,
    /// What became of it.
    pub ending: Ending,
}

/// The findings that were open in some round and are not in the last, by the order in which they first appeared.
pub fn by_identity(rounds: &[Round]) -> Option<Vec<Gone<'_>>> {
    let matched = |pair: &[Round]| pair[1].matched.as_ref().is_some_and(|m| m.mapped && m.is_with(&pair[0]));
    if rounds.len() < 2 || !rounds.windows(2).all(matched) {
        return None;
    }
    let of_rounds = identities(rounds);
    // Of each identity that was open: the round and the finding of its last appearance.
    let mut latest: BTreeMap<usize, (usize, &RoundFinding)> = BTreeMap::new();
    let mut was_open: HashSet<usize> = HashSet::new();
    for (at, round) in rounds.iter().enumerate() {
        for (place, (finding, identity)) in all(round).zip(&of_rounds[at]).enumerate() {
            latest.insert(*identity, (at, finding));
            if place < round.findings.len() {
                was_open.insert(*identity);
            }
        }
    }
    let last = rounds.len() - 1;
    let open: HashSet<usize> = of_rounds[last].iter().take(rounds[last].findings.len()).copied().collect();
    let statuses: Vec<HashMap<&str, Status>> =
        rounds.iter().map(|r| r.matched.iter().flat_map(|m| &m.resolved).map(|gone| (gone.id.as_str(), gone.status)).collect()).collect();
    let gone = latest.into_iter().filter(|(identity, _)| was_open.contains(identity) && !open.contains(identity));
    let ending = |at: usize, finding: &RoundFinding| match statuses.get(at + 1) {
        None => Ending::Information,
        Some(next) => next.get(finding.id.as_str()).map_or(Ending::Ambiguous, |status| Ending::Status(*status)),
    };
    Some(gone.map(|(_, (at, finding))| Gone { finding, ending: ending(at, finding) }).collect())
}
