//! diagnose-churn: what goes wrong in a loop's history, and one advice (cases/churn/README.md).

use crate::base::Fail;
use crate::base::path::printable;
use crate::finding::churn::{Diagnosis, diagnose};
use crate::host::{Host, files};
use crate::wire::history;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The history.
    pub history: Option<String>,
}

/// Diagnoses a history.
///
/// # Errors
/// `INVALID_PATH`, those of the history, or why the file cannot be read.
pub fn run(request: &Request, host: &Host) -> Result<Diagnosis, Fail> {
    let path = host.absolute(request.history.as_deref(), "history")?;
    let shown = printable(&path.to_string_lossy());
    let named = |fail: Fail| Fail { message: format!("the history `{shown}`: {}", fail.message), ..fail };
    let rounds = files::read_text(&path, files::DOCUMENT_LIMIT).and_then(|bytes| history::read(&bytes).map_err(named))?;
    Ok(diagnose(&rounds))
}
