//! render-session-doc: the one page of a loop (rounds spec §1.10; deep-review seed §4a and §6).

use std::path::PathBuf;

use serde::Serialize;

use super::gather::{self, Skipped};
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::{Host, files};
use crate::round::session::{self, FinalSummary};
use crate::wire::summary;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The loop.
    pub loop_id: Option<String>,
    /// Where its states lie.
    pub tmp_dir: Option<String>,
    /// What links are relative to.
    pub reports_dir: Option<String>,
    /// Where the document is written.
    pub output: Option<String>,
    /// The closing data.
    pub final_summary_file: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Absolute.
    pub output_file: String,
    /// The loop.
    pub loop_id: String,
    /// How many rounds it shows.
    pub rounds: usize,
    /// States that could not be read.
    pub skipped_states: Vec<Skipped>,
}

/// Renders the document.
///
/// # Errors
/// `INVALID_ARGUMENT`, `BAD_ID`, `INVALID_PATH`, `INVALID_FINAL_SUMMARY`, `NO_ROUNDS`, or why the file cannot be written.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let Some(loop_id) = gather::loop_id(request.loop_id.as_deref())? else {
        return Err(Fail::new(Code::InvalidArgument, "the flag `--loop-id` is missing or empty"));
    };
    let tmp_dir = host.absolute(request.tmp_dir.as_deref(), "tmp directory")?;
    let reports_dir = host.absolute(request.reports_dir.as_deref(), "reports directory")?;
    let output = host.absolute(request.output.as_deref(), "output")?;
    let closing = request.final_summary_file.as_deref().filter(|f| !f.is_empty()).map(|f| final_summary(host, f)).transpose()?;
    let (rounds, skipped_states) = gather::rounds(&tmp_dir, loop_id.as_str())?;
    if rounds.is_empty() {
        return Err(gather::no_rounds(&tmp_dir, &loop_id));
    }
    let text = session::render(&rounds, &reports_dir, closing.as_ref());
    let reports = rounds.iter().flat_map(|r| [Some(&r.round_review_report_path), r.response_report_path.as_ref()]).flatten();
    let states = rounds.iter().map(|r| tmp_dir.join(gather::state_name(&r.loop_id, r.round_number)));
    let inputs: Vec<PathBuf> = reports.map(PathBuf::from).chain(states).collect();
    gather::refuse_overwriting(&output, &inputs.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    files::replace(host, &output, text.as_bytes())?;
    Ok(Answer {
        output_file: output.to_string_lossy().into_owned(),
        loop_id: loop_id.as_str().to_owned(),
        rounds: rounds.len(),
        skipped_states,
    })
}

fn final_summary(host: &Host, flag: &str) -> Result<FinalSummary, Fail> {
    let path = host.absolute(Some(flag), "final summary file")?;
    let invalid = |fail: Fail| {
        let message = format!("the final summary `{}` cannot be used: {}", printable(&path.to_string_lossy()), fail.message);
        Fail { message, ..fail.within(Code::InvalidFinalSummary) }
    };
    let bytes = files::read_text(&path, files::DOCUMENT_LIMIT).map_err(invalid)?;
    summary::read(&bytes).map_err(invalid)
}
