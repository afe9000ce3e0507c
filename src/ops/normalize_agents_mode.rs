//! normalize-agents-mode: the agents-mode file in its present form, comments and custom lane orders kept (spec/design-loop.md §4).

use serde::Serialize;
use serde_json::json;

use super::resolve_agents_mode::LIMIT;
use crate::base::{Code, Fail};
use crate::design::agents_mode::normal::{Change, normal};
use crate::design::agents_mode::{Problem, problems};
use crate::host::{Host, files};
use crate::wire::agents_mode;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The file.
    pub file: Option<String>,
    /// Whether it is only looked at.
    pub check: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether the file is in its present form.
    pub normal: bool,
    /// What was changed, or would be.
    pub changes: Vec<Change>,
    /// What only a person can mend.
    pub problems: Vec<Problem>,
    /// Whether the file was written.
    pub written: bool,
}

/// Normalises a file.
///
/// # Errors
/// `INVALID_AGENTS_MODE` with `problems` when a value is none (without `--check`); why it cannot be read or written.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let path = host.absolute(Some(request.file.as_deref().unwrap_or_default()), "file")?;
    let bytes = match files::read_text(&path, LIMIT) {
        Err(fail) if fail.code == Code::NotFound && !request.check => Vec::new(),
        other => other?,
    };
    let file = agents_mode::read(&bytes).map_err(|fail| fail.with("path", path.to_string_lossy().as_ref()))?;
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)).into_owned();
    let wrong: Vec<Problem> = problems(&file).into_iter().filter(|p| !p.mended).collect();
    let (out, changes) = normal(&text, &file, &agents_mode::layout(&text));
    if let Some(first) = wrong.first().filter(|_| !request.check) {
        let fail = Fail::new(Code::InvalidAgentsMode, format!("`{}`: {}", first.key, first.message));
        return Err(fail.with("path", path.to_string_lossy().as_ref()).with("problems", json!(wrong)));
    }
    // Edits by place are only as good as the places: what comes out says the same of every key that stays, or nothing is written.
    let again = agents_mode::read(out.as_bytes())?;
    if problems(&again).iter().any(|p| p.mended) {
        let message = format!("`{}` is written in a way that cannot be edited without losing something", path.to_string_lossy());
        return Err(Fail::new(Code::InvalidAgentsMode, message).with("path", path.to_string_lossy().as_ref()).with("problems", json!([])));
    }
    let written = !changes.is_empty() && !request.check;
    if written {
        files::replace_keeping_mode(host, &path, out.as_bytes())?;
    }
    Ok(Answer { normal: changes.is_empty() && wrong.is_empty(), changes, problems: wrong, written })
}
