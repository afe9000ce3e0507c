//! open-design-round: the next round on a revised artifact, with an answer to everything that was open (design seed, Autonomous
//! convergence; spec/design-loop.md §1.7 next-round; issue 6).

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::design_loop::{self, ArtifactFlags, Change, Done, Folder, Place, Read, handed, handed_text};
use crate::base::{Code, Fail};
use crate::design::aggregate::{self, Lacks};
use crate::design::record::{Coverage, Lane, Phase, Record, Round, admitted};
use crate::host::Host;
use crate::wire::design_loop::answers;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// What is reviewed.
    pub artifact: ArtifactFlags,
    /// What changed and why.
    pub diff: Option<String>,
    /// What answers each open blocker and finding.
    pub answers: Option<String>,
    /// The lanes of a delta round; none is a full one.
    pub affected: Vec<String>,
}

/// Opens a round.
///
/// # Errors
/// `ROUND_OPEN`, `MODEL_OWED`, `DEADLOCKED`, `OUTCOME_REFUSED` after a clean round, `IDENTICAL_ARTIFACT`, `UNANSWERED`, those of an artifact
/// and of an operation.
pub fn run(request: &Request, host: &Host) -> Result<Done, Fail> {
    let folder = Folder::find(host, &request.place)?;
    let diff = handed_text(host, "diff-file", request.diff.as_deref())?;
    let read = design_loop::artifact(&folder, &request.artifact)?;
    let given = request.answers.as_deref().filter(|a| !a.is_empty());
    let answered = given.map(|a| answers(&handed(host, "answers", Some(a))?)).transpose()?.unwrap_or_default();
    let named: BTreeSet<Lane> = request.affected.iter().map(|l| design_loop::lane(Some(l))).collect::<Result<_, Fail>>()?;
    let affected: Vec<Lane> = if named.is_empty() { Lane::ALL.to_vec() } else { named.into_iter().collect() };
    let payload = json!({"diff": diff, "artifact": read.artifact.revision, "answers": answered, "affected": affected});
    let apply = |folder: &Folder<'_>, record: &mut Option<Record>| -> Result<Map<String, Value>, Fail> {
        let record = design_loop::existing(folder, record)?;
        may_open(record, &affected)?;
        is_new(folder, record, &read, affected.len() == Lane::ALL.len())?;
        let number = record.rounds.len();
        let open = record.open_blockers(number).into_iter().map(|b| b.id).chain(record.unreconciled(number));
        let owed: Vec<String> = open.filter(|id| answered.iter().all(|a| a.of != *id)).collect();
        if let Some(first) = owed.first() {
            return Err(Fail::new(Code::Unanswered, format!("`{first}` is answered by nothing")).with("owed", owed));
        }
        let before = record.last().map(|r| r.artifact.revision.clone()).unwrap_or_default();
        let mut round = fresh_round(folder, number + 1, &read, diff.clone(), &affected)?;
        round.answers = answered.clone();
        if affected.len() < Lane::ALL.len() {
            for lane in Lane::ALL.iter().copied().filter(|l| !affected.contains(l)) {
                let from = json!({"round": number, "artifact_revision": before});
                let block = json!({"state": "retained", "applies_to_revision": round.artifact.revision, "retained_from": from});
                *round.lane_mut(lane) = block.as_object().cloned().unwrap_or_default();
            }
            let mode = "delta".to_owned();
            round.coverage =
                Some(Coverage { mode, affected_lanes: affected.clone(), source_round: number as u64, source_revision: before });
        }
        let attempts: Map<String, Value> = affected.iter().map(|l| (l.word().to_owned(), json!(round.attempt(*l)))).collect();
        let mut receipt = Map::from_iter([("attempts".to_owned(), Value::Object(attempts))]);
        if let Some(coverage) = &round.coverage {
            receipt.insert("coverage".to_owned(), json!(coverage));
        }
        record.rounds.push(round);
        Ok(receipt)
    };
    let change = Change { command: "open-design-round", payload, on_ruins: false, apply: Box::new(apply) };
    design_loop::operate(&folder, &request.place, change)
}

/// Whether another round may begin.
fn may_open(record: &Record, affected: &[Lane]) -> Result<(), Fail> {
    let refuse = |code: Code, message: String| Err(Fail::new(code, message).with("derived", json!(aggregate::derived(record))));
    let last = record.last();
    if last.is_some_and(|r| r.drift_check.as_ref().is_some_and(|d| d.drifted)) {
        return refuse(Code::OutcomeRefused, "the loop drifted: it ends, and a person decides".to_owned());
    }
    if last.is_none_or(|r| r.phase != Phase::Complete) {
        return refuse(Code::RoundOpen, format!("round {} is not complete", record.rounds.len()));
    }
    // Moved is judged before the cap.
    if let Some(class) = aggregate::model_owed(record).first() {
        return refuse(Code::ModelOwed, format!("`{}` keeps moving", crate::base::path::printable(class)));
    }
    if record.rounds.len() as u64 >= record.cap {
        return refuse(Code::Deadlocked, format!("the cap of {} rounds is reached", record.cap));
    }
    if let Some(id) = aggregate::stuck(record).first() {
        return refuse(Code::Deadlocked, format!("`{id}` survived two rounds"));
    }
    let whole = aggregate::of(record);
    if whole.clean {
        return refuse(Code::OutcomeRefused, "the last round is clean: the loop converged".to_owned());
    }
    let full_owed = whole.owed.iter().all(|o| o.what == Lacks::FullRound);
    if full_owed && affected.len() < Lane::ALL.len() {
        return refuse(Code::OutcomeRefused, "the last round before convergence is a full one".to_owned());
    }
    for lane in Lane::ALL.iter().filter(|l| !affected.contains(l)) {
        let block = record.effective(record.rounds.len(), *lane);
        let retainable = block.is_some_and(|b| crate::design::ledger::may_retain(&Value::Object(b.clone()), lane.word()));
        if !retainable {
            return refuse(
                Code::OutcomeRefused,
                format!("`{}` has neither passed nor is it reconciled: it is reviewed again", lane.word()),
            );
        }
    }
    Ok(())
}

/// Whether the artifact was not reviewed before: a verdict cannot change on identical input. The full round behind a clean delta round
/// shows the same artifact to the lanes that did not see it.
///
/// # Errors
/// `IDENTICAL_ARTIFACT`, those of the disk.
pub fn is_new(folder: &Folder<'_>, record: &Record, read: &Read, full: bool) -> Result<(), Fail> {
    let confirms = full && record.last().is_some_and(|r| r.coverage.is_some()) && {
        let owed = aggregate::of(record).owed;
        owed.iter().all(|o| o.what == Lacks::FullRound)
    };
    for round in record.rounds.iter().filter(|_| !confirms) {
        let same = round.artifact.revision == read.artifact.revision || folder.content(&round.artifact)?.is_some_and(|c| c == read.bytes);
        if same {
            let message = format!("round {} reviewed this very artifact", round.round);
            return Err(Fail::new(Code::IdenticalArtifact, message).with("round", round.round));
        }
    }
    Ok(())
}

/// A round with its artifact frozen and an attempt for each lane.
///
/// # Errors
/// Those of the disk.
pub fn fresh_round(folder: &Folder<'_>, number: usize, read: &Read, diff: String, lanes: &[Lane]) -> Result<Round, Fail> {
    let artifact = read.freeze(folder, number)?;
    let attempt = |lane: Lane| folder.attempt_id(lane.word(), number, &folder.host.fresh_id());
    let of = |lane: Lane| if lanes.contains(&lane) { admitted(&attempt(lane), &artifact.revision) } else { Map::new() };
    Ok(Round {
        round: number as u64,
        phase: Phase::Admitted,
        diff,
        surgical: of(Lane::Surgical),
        deep: of(Lane::Deep),
        scout: of(Lane::Scout),
        artifact,
        lane_failures: Vec::new(),
        evidence: Vec::new(),
        coverage: None,
        opened_at: folder.now(),
        completed_at: None,
        drift_check: None,
        answers: Vec::new(),
    })
}
