//! The design loop as one pure step: what is done next follows from the record alone, so a run that was killed goes on by reading it again
//! (design seed, Steps 4 to 6).

use crate::design::aggregate;
use crate::design::ledger::RETRIES;
use crate::design::record::{Lane, Phase, Record, Status};

/// What is done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// The round is checked against what was pinned.
    CheckDrift,
    /// These lanes are reviewed; those that failed under a fresh attempt.
    Dispatch(Vec<Lane>),
    /// The round is aggregated.
    Complete,
    /// The scout's findings are reconciled, or answered in the next round.
    Reconcile,
    /// The mechanism behind a class of defects is judged.
    Judge(String),
    /// The artifact is revised and the next round opened; whether as a full round on the same artifact.
    Revise {
        /// Every lane sees again what only some saw.
        confirms: bool,
    },
    /// The loop ends so.
    Close(Status),
    /// It has ended.
    Done,
}

/// How often a model lane may fail before the loop ends unverified.
pub const MODEL_ATTEMPTS: usize = 3;

/// What follows from a record.
pub fn next(record: &Record, reconciles: bool) -> Action {
    if record.status != Status::Running {
        return Action::Done;
    }
    let Some(round) = record.last() else { return Action::Done };
    match &round.drift_check {
        None => return Action::CheckDrift,
        Some(check) if check.drifted => return Action::Close(Status::Drift),
        Some(_) => {}
    }
    let out = |lane: &Lane| !matches!(round.state(*lane), "complete" | "retained");
    let open: Vec<Lane> = Lane::ALL.iter().copied().filter(out).collect();
    if open.iter().any(|lane| round.failure(*lane).is_some() && round.retries(*lane) >= RETRIES) {
        return Action::Close(Status::UnverifiedLane);
    }
    if !open.is_empty() {
        return Action::Dispatch(open);
    }
    if reconciles && !record.unreconciled(record.rounds.len()).is_empty() {
        return Action::Reconcile;
    }
    if round.phase != Phase::Complete {
        return Action::Complete;
    }
    let whole = aggregate::of(record);
    if whole.clean {
        return Action::Close(Status::Converged);
    }
    if let Some(class) = aggregate::model_owed(record).into_iter().next() {
        let failed = record.model_lanes.iter().filter(|m| m.state == "failed" && m.after_round == record.rounds.len() as u64);
        return if failed.count() >= MODEL_ATTEMPTS { Action::Close(Status::Aborted) } else { Action::Judge(class) };
    }
    if aggregate::refuses(record, Status::Deadlock).is_none() {
        return Action::Close(Status::Deadlock);
    }
    Action::Revise { confirms: whole.owed.iter().all(|o| o.what == aggregate::Lacks::FullRound) }
}
