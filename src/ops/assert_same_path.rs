//! assert-same-path: whether a response answers the report it was asked about (rounds spec §1.3).

use serde::Serialize;

use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::Host;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The path that must be meant.
    pub expected: Option<String>,
    /// The path that is meant.
    pub actual: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Absolute.
    pub expected: String,
    /// Absolute.
    pub actual: String,
    /// Always true.
    pub same: bool,
}

/// Compares two paths lexically, without asking the file system.
///
/// # Errors
/// `INVALID_PATH`, `PATH_MISMATCH` with `expected`, `actual` and `same`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let expected = host.absolute(request.expected.as_deref(), "expected path")?.to_string_lossy().into_owned();
    let actual = host.absolute(request.actual.as_deref(), "actual path")?.to_string_lossy().into_owned();
    if expected == actual {
        return Ok(Answer { expected, actual, same: true });
    }
    let message = format!("the paths `{}` and `{}` differ", printable(&expected), printable(&actual));
    Err(Fail::new(Code::PathMismatch, message).with("expected", expected).with("actual", actual).with("same", false))
}
