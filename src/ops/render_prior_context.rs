//! render-prior-context: what the next reviewer is told of earlier rounds, and the check of its reader (rounds spec
//! §1.8, §2.7).

use std::path::Path;

use serde::Serialize;

use super::gather::{self, Skipped};
use crate::base::path::printable;
use crate::base::{Code, Fail, number};
use crate::host::{Host, files};
use crate::round::prior::{self, DEFAULT_MAX_BYTES, READER_LIMIT};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The state of the previous round; the states beside it are read for their rejected items.
    pub state_file: Option<String>,
    /// Where the context is written.
    pub output: Option<String>,
    /// The writer's limit.
    pub max_bytes: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Absolute.
    pub output_file: String,
    /// The loop.
    pub loop_id: String,
    /// The round the context was rendered from.
    pub round_number: u64,
    /// Whether anything was left out.
    pub truncated: bool,
    /// Rejected items left out.
    pub omitted_rejected: usize,
    /// Findings left out.
    pub omitted_findings: usize,
    /// States that could not be read.
    pub skipped_states: Vec<Skipped>,
}

/// Renders the context.
///
/// # Errors
/// `INVALID_PATH`, `INVALID_STATE`, `INVALID_ARGUMENT`, or why the file cannot be written.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let state = host.absolute(request.state_file.as_deref(), "state file")?;
    let last = gather::round(&state)?;
    let output = host.absolute(request.output.as_deref(), "output")?;
    let max_bytes = match request.max_bytes.as_deref().filter(|m| !m.is_empty()) {
        Some(text) => number::plain("--max-bytes", text, 1..=(1 << 40))?,
        None => DEFAULT_MAX_BYTES,
    };
    let folder = state.parent().unwrap_or(Path::new("/"));
    let (siblings, skipped_states) = gather::rounds(folder, &last.loop_id)?;
    let earlier = siblings.iter().filter(|r| r.round_number < last.round_number && r.base_commit == last.base_commit);
    let rounds: Vec<&crate::round::record::Round> = earlier.chain([&last]).collect();
    let rendered = prior::render(&rounds, max_bytes)?;
    gather::refuse_overwriting(&output, &[&state])?;
    files::replace(host, &output, rendered.text.as_bytes())?;
    Ok(Answer {
        output_file: output.to_string_lossy().into_owned(),
        loop_id: last.loop_id.clone(),
        round_number: last.round_number,
        truncated: rendered.truncated,
        omitted_rejected: rendered.omitted_rejected,
        omitted_findings: rendered.omitted_findings,
        skipped_states,
    })
}

/// A context that passed its reader's check.
#[derive(Debug, Serialize)]
pub struct Checked {
    /// Absolute.
    pub prior_file: String,
    /// The loop it speaks of.
    pub loop_id: String,
    /// The base it was made for.
    pub base_commit: String,
    /// Its size.
    pub bytes: usize,
}

/// Checks a context the way its reader must, before it goes into a prompt.
///
/// # Errors
/// `INVALID_PATH`, `INVALID_PRIOR_CONTEXT` for anything but a small regular file with our header and that base.
pub fn check(host: &Host, flag: &str, base: Option<&str>) -> Result<Checked, Fail> {
    let path = host.absolute(Some(flag), "prior context")?;
    let shown = printable(&path.to_string_lossy());
    let refuse = |fail: Fail| {
        let message = format!("the prior context `{shown}` cannot be used: {}", fail.message);
        Fail { message, ..fail.within(Code::InvalidPriorContext) }
    };
    let linked = path.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink());
    if linked {
        return Err(refuse(Fail::new(Code::NotRegularFile, "it is a symbolic link")));
    }
    let bytes = files::read_text(&path, READER_LIMIT).map_err(refuse)?;
    let (loop_id, base_commit) = prior::check(&bytes, &shown, base)?;
    Ok(Checked { prior_file: path.to_string_lossy().into_owned(), loop_id, base_commit, bytes: bytes.len() })
}
