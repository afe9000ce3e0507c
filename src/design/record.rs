//! The ledger of a design loop as the engine writes it: version 3, the version 2 record and what issue 6 adds.
//!
//! A stored record comes here only after `ledger::check` found nothing wrong with its shape; what is written is checked again, whole.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::signals::{Found, Places};
use crate::base::reason::words;

words! {
    /// A lane of a round.
    Lane {
        Surgical "surgical",
        Deep "deep",
        Scout "scout",
    }
}

words! {
    /// How a loop stands.
    Status {
        Running "running",
        Converged "converged",
        Drift "drift",
        Deadlock "deadlock",
        Aborted "aborted",
        UnverifiedLane "unverified_lane",
    }
}

words! {
    /// How a round stands.
    Phase {
        Admitted "admitted",
        Collecting "collecting",
        Complete "complete",
    }
}

words! {
    /// How an attempt failed.
    Failure {
        Error "error",
        Died "died",
        Limit "limit",
    }
}

words! {
    /// An answer to one of the three questions.
    Answered {
        Yes "yes",
        No "no",
        Partial "partial",
    }
}

/// The record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// 3.
    pub schema_version: u64,
    /// The loop.
    pub loop_id: String,
    /// What is to be achieved, word for word.
    pub objective: String,
    /// What may be changed.
    pub scope: String,
    /// The root cause as it was observed.
    pub runtime_root: String,
    /// How it stands.
    pub status: Status,
    /// What was done, with the receipts.
    pub operations: Vec<Operation>,
    /// The rounds.
    pub rounds: Vec<Round>,
    /// How many rounds there may be.
    pub cap: u64,
    /// When it was opened.
    pub opened_at: String,
    /// When it ended.
    pub closed_at: Option<String>,
    /// Why it ended.
    pub close_reason: Option<String>,
    /// What the root rests on.
    pub root_evidence: Vec<RootEvidence>,
    /// The loop it goes on from.
    pub continues: Option<Continues>,
    /// Judgements of the mechanism.
    pub model_lanes: Vec<ModelLane>,
}

/// An operation and its receipt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// Its id.
    pub id: String,
    /// `sha256:` over its command and input.
    pub fingerprint: String,
    /// What was answered.
    pub receipt: Map<String, Value>,
}

/// A captured observation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootEvidence {
    /// command or trace.
    pub kind: String,
    /// The command, or which trace.
    #[serde(rename = "ref")]
    pub reference: String,
    /// When.
    pub captured_at: String,
    /// Of what was captured, which is kept beside the record.
    pub sha256: String,
}

/// What a loop takes over from another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Continues {
    /// The other loop.
    pub loop_id: String,
    /// What was open there.
    pub blockers: Vec<Blocker>,
    /// Which lane raised each of them, by its id.
    pub raised_by: BTreeMap<String, Lane>,
    /// What was judged of the mechanism.
    pub model: Vec<ModelLane>,
}

/// A judgement of the mechanism.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are those of an attempt")]
pub struct ModelLane {
    pub attempt_id: String,
    pub state: String,
    pub class: String,
    pub after_round: u64,
    pub history: Vec<Places>,
    pub started_at: String,
    pub requested: Engine,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<Engine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Vec<String>>,
}

/// Who reviews.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// The engine.
    pub engine: String,
    /// The model; null for the engine's own.
    pub model: Option<String>,
    /// How hard it thinks; null for the engine's own.
    pub effort: Option<String>,
}

/// Something that stands in the way of a PASS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocker {
    /// Its id, which it keeps over rounds.
    pub id: String,
    /// The class of defect.
    pub class: String,
    /// Where.
    pub location: String,
    /// What shows it.
    pub evidence: String,
    /// open or resolved.
    pub status: String,
}

/// One review of one frozen artifact by all lanes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Its number.
    pub round: u64,
    /// How it stands.
    pub phase: Phase,
    /// What changed and why.
    pub diff: String,
    /// What is reviewed.
    pub artifact: Artifact,
    /// A verdict.
    pub surgical: Map<String, Value>,
    /// A verdict.
    pub deep: Map<String, Value>,
    /// Findings.
    pub scout: Map<String, Value>,
    /// Attempts that failed.
    pub lane_failures: Vec<Failed>,
    /// Evidence beside the lanes' own.
    pub evidence: Vec<Value>,
    /// What a delta round reviews again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// When it was opened.
    pub opened_at: String,
    /// When its last lane was in.
    pub completed_at: Option<String>,
    /// Whether it still serves what was pinned.
    pub drift_check: Option<Drift>,
    /// What answers the blockers and findings of the round before.
    pub answers: Vec<Answer>,
}

/// What is reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// snapshot or git-commit.
    pub kind: String,
    /// `sha256:…` or `git:…`.
    pub revision: String,
    /// Where the frozen copy lies, from the loop's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The path it was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// An attempt that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failed {
    /// The lane.
    pub lane: Lane,
    /// The attempt.
    pub attempt_id: String,
    /// What it reviewed.
    pub artifact_revision: String,
    /// How it failed.
    pub failure: Failure,
    /// The attempt that followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redispatched_as: Option<String>,
    /// When.
    pub failed_at: String,
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of what it left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_sha256: Option<String>,
}

/// What a delta round reviews again, and what it builds on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// delta.
    pub mode: String,
    /// The lanes.
    pub affected_lanes: Vec<Lane>,
    /// The round before.
    pub source_round: u64,
    /// Its artifact.
    pub source_revision: String,
}

/// A check against what was pinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// When.
    pub checked_at: String,
    /// The goal.
    pub goal: Held,
    /// The admitted scope.
    pub scope: Held,
    /// The runtime root.
    pub runtime_root: Held,
    /// Premises that nobody verified.
    pub new_premises: Vec<String>,
    /// Whether anything shifted.
    pub drifted: bool,
}

/// Whether one anchor holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// unchanged or shifted.
    pub answer: String,
    /// By what, or how.
    pub text: String,
}

/// What answers a blocker or a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Its id.
    pub of: String,
    /// diff or reason.
    pub by: String,
    /// What was changed, or why nothing was.
    pub text: String,
}

impl Round {
    /// A lane's block.
    pub fn lane(&self, lane: Lane) -> &Map<String, Value> {
        match lane {
            Lane::Surgical => &self.surgical,
            Lane::Deep => &self.deep,
            Lane::Scout => &self.scout,
        }
    }

    /// A lane's block, to be changed.
    pub fn lane_mut(&mut self, lane: Lane) -> &mut Map<String, Value> {
        match lane {
            Lane::Surgical => &mut self.surgical,
            Lane::Deep => &mut self.deep,
            Lane::Scout => &mut self.scout,
        }
    }

    /// How a lane's current attempt stands: admitted, running, complete or retained.
    pub fn state(&self, lane: Lane) -> &str {
        self.lane(lane).get("state").and_then(Value::as_str).unwrap_or_default()
    }

    /// A lane's current attempt.
    pub fn attempt(&self, lane: Lane) -> Option<&str> {
        self.lane(lane).get("attempt_id").and_then(Value::as_str)
    }

    /// The failure of a lane's current attempt.
    pub fn failure(&self, lane: Lane) -> Option<&Failed> {
        let current = self.attempt(lane)?;
        self.lane_failures.iter().find(|f| f.lane == lane && f.attempt_id == current)
    }

    /// How often a lane was retried.
    pub fn retries(&self, lane: Lane) -> usize {
        self.lane_failures.iter().filter(|f| f.lane == lane && f.redispatched_as.is_some()).count()
    }
}

impl Record {
    /// The last round.
    pub fn last(&self) -> Option<&Round> {
        self.rounds.last()
    }

    /// What each lane came to in a round: its own result, or the one it is retained from.
    pub fn effective(&self, number: usize, lane: Lane) -> Option<&Map<String, Value>> {
        self.rounds[..number].iter().rev().map(|r| r.lane(lane)).find(|block| block.get("state").is_none_or(|s| s != "retained"))
    }

    /// The open blockers of each round, those of retained lanes included.
    pub fn blockers(&self) -> Vec<Vec<Found>> {
        (1..=self.rounds.len()).map(|n| self.open_blockers(n).iter().map(found).collect()).collect()
    }

    /// The open blockers of a round.
    pub fn open_blockers(&self, number: usize) -> Vec<Blocker> {
        let blocks = [Lane::Surgical, Lane::Deep].into_iter().filter_map(|lane| self.effective(number, lane)?.get("blockers")?.as_array());
        let all = blocks.flatten().filter_map(|b| serde_json::from_value::<Blocker>(b.clone()).ok());
        let mut known = BTreeSet::new();
        all.filter(|b| b.status == "open" && known.insert(b.id.clone())).collect()
    }

    /// What is still open over the whole loop: the blockers of its last complete round, else those it took over; each with its lane.
    pub fn carried(&self) -> Vec<(Blocker, Lane)> {
        let Some(number) = (1..=self.rounds.len()).rev().find(|n| self.rounds[n - 1].phase == Phase::Complete) else {
            let taken = self.continues.iter().flat_map(|c| c.blockers.iter().map(move |b| (b.clone(), c.raised_by.get(&b.id).copied())));
            return taken.map(|(b, lane)| (b, lane.unwrap_or(Lane::Deep))).collect();
        };
        let open = |lane: Lane| self.raised_by(number, lane).into_iter().map(move |b| (b, lane));
        let mut known = BTreeSet::new();
        open(Lane::Surgical).chain(open(Lane::Deep)).filter(|(b, _)| known.insert(b.id.clone())).collect()
    }

    /// What a lane has open in a round; before the first one what was taken over of it.
    pub fn raised_by(&self, number: usize, lane: Lane) -> Vec<Blocker> {
        if number == 0 {
            let taken = self.continues.iter().flat_map(|c| c.blockers.iter().filter(|b| c.raised_by.get(&b.id) == Some(&lane)));
            return taken.cloned().collect();
        }
        let block = self.effective(number, lane).and_then(|b| b.get("blockers")?.as_array().cloned()).unwrap_or_default();
        block.into_iter().filter_map(|b| serde_json::from_value(b).ok()).filter(|b: &Blocker| b.status == "open").collect()
    }

    /// Findings of a round's scout without a disposition, by id.
    pub fn unreconciled(&self, number: usize) -> Vec<String> {
        let Some(scout) = self.effective(number, Lane::Scout) else { return Vec::new() };
        let list = |key: &str| scout.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        // What is folded in is in the next revision, which this round has not seen.
        let done = list("reconciliation").iter().filter(|r| r["disposition"] != "folded");
        let done: BTreeSet<&str> = done.filter_map(|r| r["finding"].as_str()).collect();
        let ids = list("findings").iter().filter_map(|f| f["id"].as_str());
        ids.filter(|id| !done.contains(id)).map(str::to_owned).collect()
    }
}

/// The block of an attempt that was not started yet.
pub fn admitted(attempt: &str, revision: &str) -> Map<String, Value> {
    let block = [("attempt_id", attempt), ("artifact_revision", revision), ("state", "admitted")];
    block.into_iter().map(|(key, value)| (key.to_owned(), Value::from(value))).collect()
}

fn found(blocker: &Blocker) -> Found {
    Found { id: blocker.id.clone(), class: blocker.class.clone(), location: blocker.location.clone() }
}
