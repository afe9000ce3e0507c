//! What the findings of a round are to those of earlier rounds, as the round's own state keeps it.
//!
//! Takes two rounds and their matching, gives each finding the one that it is and the round the status of what was not reported
//! again. The state names what it was matched with: a previous round that was replaced since is no longer that one, and nothing
//! is concluded from the match. Source: map.md, match-findings; cases/churn/README.md. Bound: linear.

use std::collections::HashMap;

use serde::Serialize;

use super::record::{Round, RoundFinding};
use crate::base::digest::Stream;
use crate::finding::identity::Source;
use crate::finding::matching::{Item, Matched, Pair, Resolved, Side, Unclear};

/// The match of a round with the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sameness {
    /// The number of the round before.
    pub round: u64,
    /// Digest of what was matched of it ([`digest`]).
    pub digest: String,
    /// Whether lines were mapped through the diff between both surfaces; without it every status is `unknown`.
    pub mapped: bool,
    /// Its findings that were not reported again.
    pub resolved: Vec<Resolved>,
    /// What only a reader can tell.
    pub ambiguous: Vec<Unclear>,
    /// The rounds before that one in which findings were found that came back.
    pub earlier: Vec<Bound>,
}

/// A round as it stood when it was matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bound {
    /// Its number.
    pub round: u64,
    /// Its digest.
    pub digest: String,
}

/// A digest of everything a match reads of a round: its surface, and of each finding what it is told by.
pub fn digest(round: &Round) -> String {
    let mut stream = Stream::new();
    stream.framed(round.surface.surface_tree.as_deref().unwrap_or_default().as_bytes());
    for finding in all(round) {
        let number = |n: Option<u64>| n.map(|n| n.to_string()).unwrap_or_default();
        stream.framed(finding.id.as_bytes()).framed(finding.path.as_deref().unwrap_or_default().as_bytes());
        stream.framed(number(finding.line).as_bytes()).framed(number(finding.end_line).as_bytes());
        stream.framed(finding.grade.word().as_bytes()).framed(finding.title.as_bytes());
        stream.framed(finding.quote.as_deref().unwrap_or_default().as_bytes());
    }
    stream.finish_hex()
}

impl Sameness {
    /// Whether this is a match with that round as it stands now.
    pub fn is_with(&self, previous: &Round) -> bool {
        self.round == previous.round_number && self.digest == digest(previous)
    }

    /// The digest that a round had when findings of it were found again.
    pub fn digest_of(&self, round: u64) -> Option<&str> {
        let earlier = self.earlier.iter().find(|b| b.round == round).map(|b| b.digest.as_str());
        if round == self.round { Some(&self.digest) } else { earlier }
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
        // A state of the reference holds no title, only what it made of one.
        title: if finding.title.is_empty() { finding.title_slug.replace('-', " ") } else { finding.title.clone() },
        body: String::new(),
        quote: finding.quote.clone(),
        category: Some(finding.category.to_string()).filter(|c| c != "untagged"),
    }
}

/// Notes the match with the round before: who is who, what was not reported again, and what lies in code written since.
pub fn note(round: &mut Round, previous: &Round, matched: &Matched, old: Side<'_>, new: Side<'_>, mapped: bool) {
    tie(round, previous.round_number, matched, old.0, new.0);
    let mut findings: Vec<&mut RoundFinding> = all_mut(round).collect();
    for (finding, anchor) in findings.iter_mut().zip(new.1) {
        finding.in_new_code = anchor.in_new_code;
    }
    for added in &matched.added {
        findings[*added].fix_induced = new.1[*added].in_new_code;
    }
    round.matched = Some(Sameness {
        round: previous.round_number,
        digest: digest(previous),
        mapped,
        resolved: matched.resolved_of(old),
        ambiguous: matched.unclear(old.0, new.0),
        earlier: Vec::new(),
    });
}

/// Notes which findings came back from a round before the previous one.
pub fn note_return(round: &mut Round, earlier: &Round, matched: &Matched, old: &[Item], new: &[Item]) {
    tie(round, earlier.round_number, matched, old, new);
    if let Some(known) = round.matched.as_mut().filter(|_| !matched.pairs.is_empty()) {
        known.earlier.push(Bound { round: earlier.round_number, digest: digest(earlier) });
    }
}

/// Notes which findings are those of an earlier round; `new` are those of this round that were matched.
fn tie(round: &mut Round, earlier: u64, matched: &Matched, old: &[Item], new: &[Item]) {
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
