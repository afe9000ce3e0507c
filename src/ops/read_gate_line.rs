//! read-gate-line: what a finished run comes to, by its exit status, result and error stream (spec/design-loop.md §2.5, §10).

use crate::base::{Code, Fail, number};
use crate::design::gate_line::{Reading, read};
use crate::host::{Host, files};

/// The largest result that is read.
const RESULT: u64 = 16 << 20;

/// What is asked.
#[derive(Debug, Default, Clone)]
pub struct Request {
    /// The result: the run's last message.
    pub result: Option<String>,
    /// The error stream.
    pub errors: Option<String>,
    /// The exit status.
    pub exit_code: Option<String>,
}

/// Reads a run's end.
///
/// # Errors
/// `INVALID_ARGUMENT`, why a file cannot be read. Bytes that are no text are replaced, and no verdict is read of a line that holds one.
pub fn run(request: &Request, host: &Host) -> Result<Reading, Fail> {
    let stated = request.exit_code.as_deref().filter(|c| !c.is_empty());
    let exit = stated.map(|c| number::plain("--exit-code", c, 0..=255)).transpose()?;
    let exit =
        exit.ok_or_else(|| Fail::new(Code::InvalidArgument, "`--exit-code` was not given: how a run ended is part of what it says"))?;
    let text = |flag: &Option<String>, role: &str, limit: u64| -> Result<String, Fail> {
        match flag.as_deref().filter(|f| !f.is_empty()) {
            None => Ok(String::new()),
            Some(path) => Ok(String::from_utf8_lossy(&files::read_text(&host.absolute(Some(path), role)?, limit)?).into_owned()),
        }
    };
    if request.result.as_deref().is_none_or(str::is_empty) {
        return Err(Fail::new(Code::InvalidArgument, "`--result` was not given"));
    }
    let (result, errors) = (text(&request.result, "result", RESULT)?, text(&request.errors, "errors", RESULT * 16)?);
    Ok(read(i64::try_from(exit).unwrap_or(255), &result, &errors))
}
