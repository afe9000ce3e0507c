//! summarize-loop: the final summary of a loop, computed from its states (deep-review seed §6).

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::gather::{self, Skipped};
use super::publish;
use crate::base::{Code, Fail, number};
use crate::host::{Host, files};
use crate::report::name;
use crate::round::arguments::MAX_CAP;
use crate::round::summary::{Summary, render, summarize};
use crate::wire::json;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The loop.
    pub loop_id: Option<String>,
    /// Where states lie.
    pub state_dir: Option<String>,
    /// The cap.
    pub cap: Option<String>,
    /// Why it stopped.
    pub stop_reason: Option<String>,
    /// Further work for people.
    pub remaining: Vec<String>,
    /// The loop-summary document: a file, or a folder in which a new one is made.
    pub output: Option<String>,
    /// The final summary for render-session-doc.
    pub json_output: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The summary.
    #[serde(flatten)]
    pub summary: Summary,
    /// Where the document was written.
    pub summary_file: Option<String>,
    /// Where the JSON was written.
    pub json_file: Option<String>,
    /// States that could not be read.
    pub skipped_states: Vec<Skipped>,
}

/// Sums up a loop.
///
/// # Errors
/// `INVALID_ARGUMENT`, `BAD_ID`, `INVALID_PATH`, `NO_ROUNDS`, or why a file cannot be written.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let loop_id = gather::loop_id(request.loop_id.as_deref())?
        .ok_or_else(|| Fail::new(Code::InvalidArgument, "the flag `--loop-id` is missing or empty"))?;
    let dir = host.absolute(request.state_dir.as_deref(), "state directory")?;
    let cap = number::plain("--cap", request.cap.as_deref().unwrap_or_default(), 1..=MAX_CAP)?;
    let reason = request.stop_reason.as_deref().filter(|r| !r.is_empty());
    let reason = reason.ok_or_else(|| Fail::new(Code::InvalidArgument, "the flag `--stop-reason` is missing or empty"))?;
    let (rounds, skipped_states) = gather::rounds(&dir, loop_id.as_str())?;
    let Some(summary) = summarize(&rounds, cap, reason, &request.remaining) else {
        return Err(gather::no_rounds(&dir, &loop_id));
    };
    let output = request.output.as_deref().map(|o| host.absolute(Some(o), "output")).transpose()?;
    let summary_file = output.map(|path| write_document(host, &path, &summary)).transpose()?;
    let json_file = request.json_output.as_deref().map(|o| host.absolute(Some(o), "output")).transpose()?;
    if let Some(path) = &json_file {
        files::replace(host, path, &json::document(&summary))?;
    }
    let shown = |p: PathBuf| p.to_string_lossy().into_owned();
    Ok(Answer { summary, summary_file: summary_file.map(shown), json_file: json_file.map(shown), skipped_states })
}

/// Writes the document: to the file that was named, or to a new one in the folder that was named.
fn write_document(host: &Host, path: &Path, summary: &Summary) -> Result<PathBuf, Fail> {
    if !path.is_dir() {
        let folder = path.parent().unwrap_or(Path::new("/"));
        files::replace(host, path, render(summary, folder).as_bytes())?;
        return Ok(path.to_path_buf());
    }
    loop {
        let file = publish::choose(host, path, name::summary)?;
        if files::create(host, &file, render(summary, path).as_bytes())? {
            return Ok(file);
        }
    }
}
