//! What a round and a loop come to: the fail-closed aggregation, and which ends are open (design seed, Hardening invariants 7 and 8; issue 6).

use serde::Serialize;
use serde_json::Value;

use super::record::{Lane, Record, Status};
use super::signals;
use crate::base::reason::words;

words! {
    /// What a round lacks.
    Lacks {
        Output "output",
        Retry "retry",
        Reconciliation "reconciliation",
        Blocker "blocker",
        Verdict "verdict",
        FullRound "full_round",
        Answer "answer",
    }
}

/// The questions that every angle answers.
pub const QUESTIONS: [&str; 3] = ["root_proven", "scope_unchanged", "verification_adequate"];

/// One thing that is owed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Owed {
    /// What.
    pub what: Lacks,
    /// Of which lane.
    pub lane: Option<Lane>,
    /// The attempt, finding or blocker.
    pub id: Option<String>,
}

/// What a round comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Aggregate {
    /// Whether every lane passed, nothing is open and nothing owed.
    pub clean: bool,
    /// PASS when it is clean, else REVISE.
    pub verdict: &'static str,
    /// Everything that is owed.
    pub owed: Vec<Owed>,
}

impl Aggregate {
    /// Whether every lane is in: the round can be completed.
    pub fn is_whole(&self) -> bool {
        self.owed.iter().all(|o| !matches!(o.what, Lacks::Output | Lacks::Retry))
    }
}

/// Aggregates the last round. Bound: linear in its lanes.
pub fn of(record: &Record) -> Aggregate {
    let number = record.rounds.len();
    let mut owed: Vec<Owed> = Vec::new();
    let Some(round) = record.last() else { return Aggregate { clean: false, verdict: "REVISE", owed } };
    for lane in Lane::ALL.iter().copied() {
        let id = || round.attempt(lane).map(str::to_owned);
        match round.state(lane) {
            "complete" | "retained" => {}
            _ if round.failure(lane).is_some() => owed.push(Owed { what: Lacks::Retry, lane: Some(lane), id: id() }),
            _ => owed.push(Owed { what: Lacks::Output, lane: Some(lane), id: id() }),
        }
    }
    for lane in [Lane::Surgical, Lane::Deep] {
        let block = record.effective(number, lane);
        let verdict = block.and_then(|b| b.get("verdict")).and_then(Value::as_str);
        if verdict.is_some_and(|v| v != "PASS") {
            owed.push(Owed { what: Lacks::Verdict, lane: Some(lane), id: None });
        }
    }
    // Every angle answers the three questions; a no of any of them is open.
    for lane in Lane::ALL.iter().copied() {
        let Some(block) = record.effective(number, lane) else { continue };
        for question in QUESTIONS.iter().filter(|q| block.get(**q).is_some_and(|a| a["answer"] == "no")) {
            owed.push(Owed { what: Lacks::Answer, lane: Some(lane), id: Some((*question).to_owned()) });
        }
    }
    let blockers = record.open_blockers(number).into_iter().map(|b| Owed { what: Lacks::Blocker, lane: None, id: Some(b.id) });
    let findings = record.unreconciled(number).into_iter();
    let findings = findings.map(|id| Owed { what: Lacks::Reconciliation, lane: Some(Lane::Scout), id: Some(id) });
    owed.extend(blockers.chain(findings));
    // What only some lanes saw is no convergence.
    if owed.is_empty() && round.coverage.is_some() {
        owed.push(Owed { what: Lacks::FullRound, lane: None, id: None });
    }
    let clean = owed.is_empty();
    Aggregate { clean, verdict: if clean { "PASS" } else { "REVISE" }, owed }
}

/// Blockers that survived two rounds.
pub fn stuck(record: &Record) -> Vec<String> {
    signals::stuck(&record.blockers())
}

/// Classes that moved up to the last round and whose mechanism nobody judged since.
pub fn model_owed(record: &Record) -> Vec<String> {
    let after = record.rounds.len() as u64;
    let done = |class: &String| {
        let judged = |m: &super::record::ModelLane| m.state == "complete" && m.after_round == after && signals::folded(&m.class) == *class;
        record.model_lanes.iter().any(judged)
    };
    signals::moved(&record.blockers()).into_iter().filter(|class| !done(class)).collect()
}

/// Why an end is not open; none when it is.
pub fn refuses(record: &Record, outcome: Status) -> Option<&'static str> {
    let last = record.last();
    let complete = last.is_some_and(|r| r.completed_at.is_some());
    let whole = of(record);
    match outcome {
        Status::Converged if !complete => Some("the last round is not complete"),
        Status::Converged if last.is_some_and(|r| r.drift_check.as_ref().is_some_and(|d| d.drifted)) => Some("the loop drifted"),
        Status::Converged if !whole.clean => Some("the last round is not clean"),
        Status::Drift if !last.is_some_and(|r| r.drift_check.as_ref().is_some_and(|d| d.drifted)) => Some("no drift check failed"),
        Status::Deadlock if !complete => Some("the last round is not complete"),
        Status::Deadlock if whole.clean => Some("the last round is clean"),
        Status::Deadlock if (record.rounds.len() as u64) < record.cap && stuck(record).is_empty() => {
            Some("neither the cap is reached nor did a blocker survive two rounds")
        }
        Status::UnverifiedLane if complete => Some("every lane of the last round is in"),
        Status::UnverifiedLane if last.is_some_and(|r| Lane::ALL.iter().all(|l| r.failure(*l).is_none())) => {
            Some("no lane's last attempt failed")
        }
        Status::Running => Some("a loop ends with converged, drift, deadlock, aborted or unverified_lane"),
        _ => None,
    }
}

/// The end that the rounds come to, aborted aside.
pub fn derived(record: &Record) -> Option<Status> {
    [Status::Drift, Status::Converged, Status::Deadlock, Status::UnverifiedLane]
        .into_iter()
        .find(|outcome| refuses(record, *outcome).is_none())
}
