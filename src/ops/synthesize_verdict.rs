//! synthesize-verdict: reviewer attempts to one verdict (rounds spec §2.5).

use serde::Serialize;

use super::plan_round::read_plan;
use crate::base::digest::sha256_hex;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::files::TEXT_LIMIT;
use crate::host::{Host, files};
use crate::report::strict;
use crate::round::synthesis::{Attempt, Input, Status, Synthesis, synthesize};
use crate::wire::attempts::{Attempts, Output};
use crate::wire::{attempts, plan};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The attempts.
    pub attempts_file: Option<String>,
    /// The plan of the round.
    pub plan_file: Option<String>,
    /// Where the expanded plan is written, should one be needed.
    pub output: Option<String>,
    /// The answer of `check-readiness --deferred`.
    pub deferred_file: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The outcome.
    #[serde(flatten)]
    pub synthesis: Synthesis,
    /// Where the expanded plan was written.
    pub expanded_plan_file: Option<String>,
    /// SHA-256 of the plan the routing metadata has to name: the expanded one when there is one.
    pub routing_plan_digest: String,
}

/// Synthesises a round.
///
/// # Errors
/// `INVALID_ATTEMPTS`, `INVALID_PLAN`, `INVALID_REVIEWER_IDENTITY`, or why a file cannot be read or written.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let handed = read_attempts(host, request.attempts_file.as_deref())?;
    let plan = read_plan(host, request.plan_file.as_deref().unwrap_or_default())?;
    let deferred_pending =
        request.deferred_file.as_deref().filter(|f| !f.is_empty()).map(|f| super::decide_round::pending(host, f)).transpose()?;
    let mut attempts = Vec::new();
    for attempt in handed.attempts {
        let text = match attempt.output {
            Output::Text(text) => text,
            Output::File(file) => {
                let path = host.absolute(Some(&file), "output file")?;
                String::from_utf8_lossy(&files::read_text(&path, TEXT_LIMIT)?).into_owned()
            }
        };
        let report = strict::read(&text).map_err(str::to_owned);
        attempts.push(Attempt { reviewer_id: attempt.reviewer_id, role: attempt.role, report, evidence: attempt.evidence });
    }
    let input = Input {
        attempts,
        consensus: handed.consensus,
        plan,
        readiness_mismatch: handed.readiness_mismatch,
        deferred_pending: deferred_pending.unwrap_or_default(),
    };
    let synthesis = synthesize(&input)?;
    let routing_plan_digest = sha256_hex(&plan::bytes(synthesis.expanded.as_ref().unwrap_or(&input.plan)));
    let output = request.output.as_deref().filter(|o| !o.is_empty()).filter(|_| synthesis.status == Status::NeedsExpansion);
    let output = output.map(|o| host.absolute(Some(o), "output")).transpose()?;
    if let (Some(path), Some(expanded)) = (&output, &synthesis.expanded) {
        files::replace(host, path, &plan::bytes(expanded))?;
    }
    Ok(Answer { synthesis, expanded_plan_file: output.map(|p| p.to_string_lossy().into_owned()), routing_plan_digest })
}

fn read_attempts(host: &Host, flag: Option<&str>) -> Result<Attempts, Fail> {
    let path = host.absolute(flag, "attempts file")?;
    let invalid = |fail: Fail| {
        let message = format!("the attempts `{}` cannot be used: {}", printable(&path.to_string_lossy()), fail.message);
        Fail { message, ..fail.within(Code::InvalidAttempts) }
    };
    let bytes = files::read_text(&path, files::DOCUMENT_LIMIT).map_err(invalid)?;
    attempts::read(&bytes).map_err(invalid)
}
