//! retry-lane: a fresh attempt behind a failed one, on the same artifact, three times at most (spec/design-loop.md §1.7 admit-retry).

use serde_json::{Map, Value, json};

use super::design_loop::{self, Change, Done, Folder, Place};
use crate::base::{Code, Fail};
use crate::design::ledger::RETRIES;
use crate::design::record::{Record, admitted};
use crate::host::Host;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// The round.
    pub round: Option<String>,
    /// The lane.
    pub lane: Option<String>,
    /// The attempt that failed.
    pub failed_attempt_id: Option<String>,
}

/// Admits a retry.
///
/// # Errors
/// `ATTEMPT_MISMATCH`, `RETRY_BUDGET_EXHAUSTED`, those of an operation.
pub fn run(request: &Request, host: &Host) -> Result<Done, Fail> {
    let folder = Folder::find(host, &request.place)?;
    let payload = json!({"round": request.round, "lane": request.lane, "failed_attempt_id": request.failed_attempt_id});
    let apply = |folder: &Folder<'_>, record: &mut Option<Record>| -> Result<Map<String, Value>, Fail> {
        let record = design_loop::existing(folder, record)?;
        let number = record.rounds.len();
        let lane = design_loop::lane(request.lane.as_deref())?;
        let round = design_loop::current(record, request.round.as_deref())?;
        design_loop::is_current(round, lane, request.failed_attempt_id.as_deref())?;
        if round.failure(lane).is_none() {
            return Err(Fail::new(Code::AttemptMismatch, "the attempt has not failed"));
        }
        let retries = round.retries(lane);
        if retries >= RETRIES {
            return Err(Fail::new(Code::RetryBudgetExhausted, format!("`{}` was retried {retries} times", lane.word())));
        }
        let fresh = folder.attempt_id(lane.word(), number, &format!("retry-{retries}-{}", folder.host.fresh_id()));
        let failed = request.failed_attempt_id.clone().unwrap_or_default();
        for failure in round.lane_failures.iter_mut().filter(|f| f.lane == lane && f.attempt_id == failed) {
            failure.redispatched_as = Some(fresh.clone());
        }
        *round.lane_mut(lane) = admitted(&fresh, &round.artifact.revision);
        Ok(Map::from_iter([
            ("lane".to_owned(), json!(lane)),
            ("attempt_id".to_owned(), json!(fresh)),
            ("failed_attempt_id".to_owned(), json!(failed)),
            ("retries_left".to_owned(), json!(RETRIES - retries - 1)),
        ]))
    };
    let change = Change { command: "retry-lane", payload, on_ruins: false, apply: Box::new(apply) };
    design_loop::operate(&folder, &request.place, change)
}
