//! Churn: what goes wrong in a review history, named from the record, and one word of advice.
//!
//! Takes rounds whose sameness was decided elsewhere (it never compares titles), gives the patterns that are active at the last
//! reviewed round. Source: cases/churn/README.md. Bound: n log n in the findings of the history, with at most a thousand rounds
//! looked through for each pattern.

mod advice;
mod kinds;

use crate::base::reason::words;
use crate::base::severity::Grade;

pub use advice::{Advice, Diagnosis, Reason};

words! {
    /// What a round's review said.
    Verdict {
        Approve "approve",
        NeedsAttention "needs-attention",
        Absent "absent",
    }
}

words! {
    /// What became of a finding.
    Disposition {
        Applied "applied",
        Dismissed "dismissed",
        Deferred "deferred",
        Rejected "rejected",
    }
}

words! {
    /// The patterns, in the order they are listed and weighed.
    Kind {
        Reversal "reversal",
        SeverityDrift "severity_drift",
        Cycle "cycle",
        Repeat "repeat",
        RegionChase "region_chase",
        FixInduced "fix_induced",
        DiminishingYield "diminishing_yield",
        NonFalling "non_falling",
    }
}

/// One finding of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Unique in the history.
    pub id: String,
    /// The defect it is: the index of the first finding held to be the same, counted over the whole history.
    pub identity: usize,
    /// The identity whose repair it asks to undo.
    pub opposes: Option<usize>,
    /// The six-word grade.
    pub grade: Grade,
    /// Its file.
    pub path: Option<String>,
    /// Its line.
    pub line: Option<u64>,
    /// Whether it lies in lines that the previous fix changed.
    pub in_changed_lines: bool,
    /// What became of it.
    pub disposition: Option<Disposition>,
}

/// One round of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Its number.
    pub number: u64,
    /// What its review said.
    pub verdict: Verdict,
    /// In the review's order.
    pub findings: Vec<Finding>,
    /// Edits made after this review.
    pub implemented: u64,
    /// The surface this review read; empty when nobody says which.
    pub surface: String,
}

impl Round {
    /// Whether both read one surface; of an unknown one nobody can say so.
    fn shares_surface(&self, other: &Round) -> bool {
        !self.surface.is_empty() && self.surface == other.surface
    }

    /// Whether both are known to have read different surfaces.
    fn differs_in_surface(&self, other: &Round) -> bool {
        !self.surface.is_empty() && !other.surface.is_empty() && self.surface != other.surface
    }
}

/// One active pattern.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Pattern {
    /// Which.
    pub kind: Kind,
    /// The rounds that show it.
    pub rounds: Vec<u64>,
    /// The findings that show it, in order of round and list.
    pub finding_ids: Vec<String>,
    /// Of a cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<usize>,
}

/// Names the active patterns of a history and gives one advice.
pub fn diagnose(rounds: &[Round]) -> Diagnosis {
    let view = View::of(rounds);
    let patterns = kinds::active(&view);
    advice::advise(rounds, &view, patterns)
}

/// What is known of one finding in its round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    /// Its identity was not reported before.
    new: bool,
    /// It counts: no settled return, and not rejected in its own round.
    live: bool,
    /// The loop made it: new in changed lines, or back after a repair that landed.
    loop_made: bool,
}

/// The reviewed rounds of a history with the terms every pattern speaks in. Indices count reviewed rounds.
struct View<'h> {
    rounds: Vec<&'h Round>,
    standing: Vec<Vec<Standing>>,
    landed: Vec<bool>,
    /// Of each identity: where it was reported, by round and place in its list.
    appearances: std::collections::HashMap<usize, Vec<(usize, usize)>>,
}

impl<'h> View<'h> {
    fn of(all: &'h [Round]) -> View<'h> {
        let rounds: Vec<&Round> = all.iter().filter(|r| r.verdict != Verdict::Absent).collect();
        let landed: Vec<bool> = (0..rounds.len())
            .map(|r| rounds[r].implemented > 0 && rounds.get(r + 1).is_some_and(|n| n.differs_in_surface(rounds[r])))
            .collect();
        let mut view = View { rounds, standing: Vec::new(), landed, appearances: std::collections::HashMap::new() };
        for r in 0..view.rounds.len() {
            let of_round: Vec<Standing> = view.rounds[r].findings.iter().map(|f| view.standing_of(r, f)).collect();
            view.standing.push(of_round);
            for (at, finding) in view.rounds[r].findings.iter().enumerate() {
                view.appearances.entry(finding.identity).or_default().push((r, at));
            }
        }
        view
    }

    fn standing_of(&self, r: usize, finding: &Finding) -> Standing {
        let earlier = self.appearances.get(&finding.identity).map_or(&[][..], Vec::as_slice);
        let new = !earlier.iter().any(|(round, _)| *round < r);
        let latest = earlier.iter().rev().filter(|(round, _)| *round < r);
        let ruled = latest.filter_map(|(round, at)| self.rounds[*round].findings[*at].disposition.map(|d| (d, *round))).next();
        let settled = !new && ruled.is_some_and(|(d, _)| d != Disposition::Applied);
        let back = ruled.is_some_and(|(d, round)| d == Disposition::Applied && self.landed[round]);
        Standing {
            new,
            live: !settled && finding.disposition != Some(Disposition::Rejected),
            loop_made: if new { finding.in_changed_lines } else { back },
        }
    }

    /// The last reviewed round.
    fn last(&self) -> Option<usize> {
        self.rounds.len().checked_sub(1)
    }

    /// The live findings of a round, in its order.
    fn live(&self, r: usize) -> impl Iterator<Item = (&'h Finding, Standing)> {
        let round = self.rounds[r];
        round.findings.iter().zip(self.standing[r].iter().copied()).filter(|(_, s)| s.live)
    }

    /// The new live findings of a round, in its order.
    fn fresh(&self, r: usize) -> impl Iterator<Item = &'h Finding> {
        self.live(r).filter(|(_, s)| s.new).map(|(f, _)| f)
    }

    /// The live identities of a round.
    fn state(&self, r: usize) -> std::collections::BTreeSet<usize> {
        self.live(r).map(|(f, _)| f.identity).collect()
    }

    /// How many live identities a round has, and what they weigh, each at its gravest.
    fn count_and_weight(&self, r: usize) -> (usize, u64) {
        let mut gravest: std::collections::BTreeMap<usize, u64> = std::collections::BTreeMap::new();
        for (finding, _) in self.live(r) {
            let known = gravest.entry(finding.identity).or_default();
            *known = (*known).max(weight(finding.grade));
        }
        (gravest.len(), gravest.values().sum())
    }

    /// No live finding, and an approval or findings that were all ruled on. A refusal without a reason is not dry.
    fn is_dry(&self, r: usize) -> bool {
        self.live(r).next().is_none() && (self.rounds[r].verdict == Verdict::Approve || !self.rounds[r].findings.is_empty())
    }

    fn numbers(&self, rounds: impl IntoIterator<Item = usize>) -> Vec<u64> {
        rounds.into_iter().map(|r| self.rounds[r].number).collect()
    }
}

/// What a finding of a grade weighs; an unknown one weighs as medium.
fn weight(grade: Grade) -> u64 {
    match grade {
        Grade::Critical => 8,
        Grade::High => 4,
        Grade::Medium | Grade::Unknown => 2,
        Grade::Low => 1,
        Grade::Suggestion => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A history out of a seed: few defects, few surfaces, so that patterns are common.
    fn history(mut seed: u64) -> Vec<Round> {
        let mut next = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let rounds = next(9) + 1;
        let mut known: Vec<usize> = Vec::new();
        (1..=rounds)
            .map(|number| {
                let verdict = [Verdict::Approve, Verdict::NeedsAttention, Verdict::NeedsAttention, Verdict::Absent][next(4) as usize];
                let count = if verdict == Verdict::Absent { 0 } else { next(4) };
                let findings = (0..count)
                    .map(|i| {
                        let old = (!known.is_empty() && next(2) == 0).then(|| known[next(known.len() as u64) as usize]);
                        let identity = old.unwrap_or(known.len());
                        known.push(identity);
                        Finding {
                            id: format!("r{number}-{i}"),
                            identity,
                            opposes: (next(6) == 0 && number > 1).then_some(0),
                            grade: Grade::ALL[next(6) as usize],
                            path: Some("a.rs".to_owned()),
                            line: Some(next(60) + 1),
                            in_changed_lines: next(2) == 0,
                            disposition: [None, Some(Disposition::Applied), Some(Disposition::Applied), Some(Disposition::Rejected)]
                                [next(4) as usize],
                        }
                    })
                    .collect();
                Round { number, verdict, findings, implemented: next(3), surface: format!("s{}", next(3)) }
            })
            .collect()
    }

    #[test]
    fn a_diagnosis_speaks_of_its_history_alone_and_never_turns_absence_into_a_pass() {
        for seed in 0..4000 {
            let rounds = history(seed);
            let diagnosis = diagnose(&rounds);
            let numbers: Vec<u64> = rounds.iter().map(|r| r.number).collect();
            let known: Vec<&str> = rounds.iter().flat_map(|r| &r.findings).map(|f| f.id.as_str()).collect();
            for pattern in &diagnosis.patterns {
                assert!(pattern.rounds.iter().all(|r| numbers.contains(r)) && !pattern.rounds.is_empty(), "seed {seed}");
                assert!(pattern.finding_ids.iter().all(|f| known.contains(&f.as_str())) && !pattern.finding_ids.is_empty(), "seed {seed}");
            }
            assert!(diagnosis.patterns.is_sorted_by_key(|p| p.kind), "seed {seed}: {:?}", diagnosis.patterns);
            let absent = rounds.last().is_some_and(|r| r.verdict == Verdict::Absent);
            assert!(!(absent && diagnosis.advice == Advice::StopConverged), "seed {seed}");
        }
    }
}
