//! What the findings of a round are to those of earlier rounds, as the round's own state keeps it.
//!
//! Takes two rounds and their matching, gives each finding the one that it is and the round the status of what was not reported
//! again. The state names what it was matched with: a previous round that was replaced since is no longer that one, and nothing
//! is concluded from the match. Source: map.md, match-findings; cases/churn/README.md. Bound: linear.

use std::collections::HashMap;

use serde::Serialize;

use super::record::{Round, RoundFinding};
use crate::finding::identity::Source;
use crate::finding::matching::{Item, Matched, Pair, Resolved, Side, Unclear};

/// The match of a round with the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sameness {
    /// The number of the round before.
    pub round: u64,
    /// SHA-256 of its review report.
    pub review_sha256: String,
    /// The tree its review read.
    pub surface_tree: Option<String>,
    /// Whether lines were mapped through the diff between both surfaces; without it every status is `unknown`.
    pub mapped: bool,
    /// Its findings that were not reported again.
    pub resolved: Vec<Resolved>,
    /// What only a reader can tell.
    pub ambiguous: Vec<Unclear>,
}

impl Sameness {
    /// Whether this is a match with that round as it stands now.
    pub fn is_with(&self, previous: &Round) -> bool {
        self.round == previous.round_number
            && self.review_sha256 == previous.review_sha256
            && self.surface_tree == previous.surface.surface_tree
    }
}

/// The findings of a round as the matching takes them, graver ones first as they are stored.
pub fn items(round: &Round) -> Vec<Item> {
    all(round).map(item).collect()
}

/// Every finding of a round.
pub fn all(round: &Round) -> impl Iterator<Item = &RoundFinding> {
    round.findings.iter().chain(&round.info_findings)
}

/// A finding as the matching takes it.
pub fn item(finding: &RoundFinding) -> Item {
    Item {
        id: finding.id.clone(),
        stated: finding.id_source == Source::Stated.word(),
        grade: finding.grade,
        path: finding.path.clone(),
        line: finding.line,
        end_line: finding.end_line,
        title: finding.title.clone(),
        body: String::new(),
        quote: finding.quote.clone(),
        category: Some(finding.category.to_string()).filter(|c| c != "untagged"),
    }
}

/// Notes the match with the round before: who is who, what was not reported again, and what lies in code written since.
pub fn note(round: &mut Round, previous: &Round, matched: &Matched, old: Side<'_>, new: Side<'_>, mapped: bool) {
    tie(round, previous.round_number, matched, old.0, new.0);
    let mut findings: Vec<&mut RoundFinding> = all_mut(round).collect();
    for added in &matched.added {
        findings[*added].fix_induced = new.1[*added].in_new_code;
    }
    round.matched = Some(Sameness {
        round: previous.round_number,
        review_sha256: previous.review_sha256.clone(),
        surface_tree: previous.surface.surface_tree.clone(),
        mapped,
        resolved: matched.resolved_of(old),
        ambiguous: matched.unclear(old.0, new.0),
    });
}

/// Notes which findings are those of an earlier round; `new` are those of this round that were matched.
pub fn tie(round: &mut Round, earlier: u64, matched: &Matched, old: &[Item], new: &[Item]) {
    let pairs: HashMap<&str, &Pair> = matched.pairs.iter().map(|p| (new[p.current].id.as_str(), p)).collect();
    for finding in all_mut(round) {
        if let Some(pair) = pairs.get(finding.id.as_str()) {
            finding.same_as = Some(old[pair.previous].id.clone());
            finding.same_as_round = Some(earlier);
            finding.basis = Some(pair.basis);
        }
    }
}

fn all_mut(round: &mut Round) -> impl Iterator<Item = &mut RoundFinding> {
    round.findings.iter_mut().chain(&mut round.info_findings)
}
