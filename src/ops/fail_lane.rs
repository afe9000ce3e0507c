//! fail-lane: an attempt erred, died or hit a limit; the lane is unverified until a later attempt succeeds (design seed, Hardening
//! invariants 7; spec/design-loop.md §1.7 record-failure).

use serde_json::{Map, Value, json};

use super::design_loop::runs::Flags;
use super::design_loop::{self, Change, Done, Folder, LIMIT, Place};
use crate::base::digest::sha256_hex;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::design::record::{Failed, Failure, Phase, Record};
use crate::host::{Host, files};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// The round.
    pub round: Option<String>,
    /// surgical, deep, scout or model.
    pub lane: Option<String>,
    /// The attempt.
    pub attempt_id: Option<String>,
    /// error, died or limit.
    pub failure: Option<String>,
    /// In words.
    pub reason: Option<String>,
    /// What the run left, when it left something.
    pub output: Option<String>,
    /// The run ledger.
    pub runs: Flags,
}

/// Records a failure.
///
/// # Errors
/// `ATTEMPT_MISMATCH`, `INVALID_ARGUMENT`, those of an operation and of settle-run.
pub fn run(request: &Request, host: &Host) -> Result<Done, Fail> {
    let folder = Folder::find(host, &request.place)?;
    let word = request.failure.as_deref().unwrap_or_default();
    let failure = Failure::parse(word)
        .ok_or_else(|| Fail::new(Code::InvalidArgument, format!("`--failure {}` is none of error, died, limit", printable(word))))?;
    let reason = request.reason.clone().filter(|r| !r.trim().is_empty());
    let output = request.output.as_deref().filter(|o| !o.is_empty());
    let output = output.map(|o| files::read_text(&host.absolute(Some(o), "output-file")?, LIMIT)).transpose()?.map(|b| sha256_hex(&b));
    let payload = json!({"round": request.round, "lane": request.lane, "attempt_id": request.attempt_id, "failure": failure,
        "reason": reason, "output": output});
    let apply = |folder: &Folder<'_>, record: &mut Option<Record>| -> Result<Map<String, Value>, Fail> {
        let record = design_loop::existing(folder, record)?;
        let now = folder.now();
        let notes = format!("{}: {}", failure.word(), reason.as_deref().unwrap_or("no reason was stated"));
        let attempt = request.attempt_id.clone().unwrap_or_default();
        let receipt = |lane: &str| {
            Map::from_iter([
                ("lane".to_owned(), json!(lane)),
                ("attempt_id".to_owned(), json!(attempt)),
                ("failure".to_owned(), json!(failure)),
            ])
        };
        if request.lane.as_deref() == Some("model") {
            let Some(lane) = record.model_lanes.iter_mut().find(|m| m.attempt_id == attempt && m.state == "running") else {
                return Err(Fail::new(Code::AttemptMismatch, format!("`{}` is no running model lane", printable(&attempt))));
            };
            lane.state = "failed".to_owned();
            lane.failure = Some(failure);
            lane.finished_at = Some(now);
            request.runs.settle(folder, &attempt, "blocked", "none", Vec::new(), &notes)?;
            return Ok(receipt("model"));
        }
        let lane = design_loop::lane(request.lane.as_deref())?;
        let round = design_loop::current(record, request.round.as_deref())?;
        design_loop::is_current(round, lane, request.attempt_id.as_deref())?;
        if round.failure(lane).is_some() || round.state(lane) == "complete" {
            let stands = if round.failure(lane).is_some() { "failed" } else { "complete" };
            return Err(Fail::new(Code::AttemptMismatch, format!("the attempt is {stands} already")));
        }
        // One that was never started has no launch to settle.
        if round.state(lane) == "running" {
            request.runs.settle(folder, &attempt, "blocked", "none", Vec::new(), &notes)?;
        }
        round.lane_failures.push(Failed {
            lane,
            attempt_id: attempt.clone(),
            artifact_revision: round.artifact.revision.clone(),
            failure,
            redispatched_as: None,
            failed_at: now,
            reason: reason.clone(),
            output_sha256: output.clone(),
        });
        round.phase = Phase::Collecting;
        Ok(receipt(lane.word()))
    };
    let change = Change { command: "fail-lane", payload, on_ruins: false, apply: Box::new(apply) };
    design_loop::operate(&folder, &request.place, change)
}
