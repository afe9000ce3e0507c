//! diagnose-churn: what goes wrong in a loop's history, and one advice (cases/churn/README.md).

use serde::Serialize;

use super::gather::{self, Skipped};
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::finding::churn::{self, Diagnosis, diagnose};
use crate::host::{Host, files};
use crate::round::history::history;
use crate::wire;

/// What is asked: a history, or a loop of which states lie in a folder.
#[derive(Debug, Default)]
pub struct Request {
    /// The history.
    pub history: Option<String>,
    /// The folder of the loop's states.
    pub state_dir: Option<String>,
    /// The loop.
    pub loop_id: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// What was found.
    #[serde(flatten)]
    pub diagnosis: Diagnosis,
    /// States that could not be read, which leave a gap in the history.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped_states: Vec<Skipped>,
}

/// Diagnoses a history, or the recorded rounds of a loop.
///
/// # Errors
/// `INVALID_ARGUMENT` when both or neither are named, `INVALID_PATH`, `BAD_ID`, `NO_ROUNDS`, those of the history, or why a file
/// cannot be read.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let named = |flag: &Option<String>| flag.as_deref().is_some_and(|f| !f.is_empty());
    if named(&request.history) == (named(&request.state_dir) || request.loop_id.is_some()) {
        return Err(Fail::new(Code::InvalidArgument, "diagnose-churn takes either `--history` or `--state-dir` with `--loop-id`"));
    }
    if named(&request.history) {
        return Ok(Answer { diagnosis: diagnose(&read(request, host)?), skipped_states: Vec::new() });
    }
    let Some(loop_id) = gather::loop_id(request.loop_id.as_deref())? else {
        return Err(Fail::new(Code::InvalidArgument, "the flag `--loop-id` is missing"));
    };
    let folder = host.absolute(request.state_dir.as_deref(), "state directory")?;
    let (rounds, skipped_states) = gather::rounds(&folder, loop_id.as_str())?;
    if rounds.is_empty() {
        return Err(gather::no_rounds(&folder, &loop_id));
    }
    Ok(Answer { diagnosis: diagnose(&history(&rounds)), skipped_states })
}

fn read(request: &Request, host: &Host) -> Result<Vec<churn::Round>, Fail> {
    let path = host.absolute(request.history.as_deref(), "history")?;
    let shown = printable(&path.to_string_lossy());
    let named = |fail: Fail| Fail { message: format!("the history `{shown}`: {}", fail.message), ..fail };
    files::read_text(&path, files::DOCUMENT_LIMIT).and_then(|bytes| wire::history::read(&bytes).map_err(named))
}
