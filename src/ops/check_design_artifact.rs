//! check-design-artifact: whether a fix-design artifact has the seed's six parts, all missing ones at once (design seed, Steps 3).

use serde::Serialize;

use super::design_loop::handed;
use crate::base::Fail;
use crate::base::digest::sha256_hex;
use crate::design::artifact::{Missing, missing};
use crate::host::Host;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The artifact.
    pub file: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether nothing is missing.
    pub valid: bool,
    /// What is.
    pub missing: Vec<Missing>,
    /// `sha256:…` of the artifact.
    pub revision: String,
}

/// Checks an artifact.
///
/// # Errors
/// Why it cannot be read.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let bytes = handed(host, "artifact-file", request.file.as_deref())?;
    let missing = missing(&String::from_utf8_lossy(&bytes));
    Ok(Answer { valid: missing.is_empty(), missing, revision: format!("sha256:{}", sha256_hex(&bytes)) })
}
