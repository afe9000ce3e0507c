//! compare-rounds: two rounds of one loop (rounds spec §1.9).

use super::gather;
use crate::base::Fail;
use crate::host::Host;
use crate::round::compare::{Comparison, compare};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The earlier state file.
    pub previous: Option<String>,
    /// The later state file.
    pub current: Option<String>,
}

/// Compares two rounds.
///
/// # Errors
/// `INVALID_PATH`, `INVALID_STATE`, `STALE_STATE`.
pub fn run(request: &Request, host: &Host) -> Result<Comparison, Fail> {
    let previous = gather::round(&host.absolute(request.previous.as_deref(), "state file")?)?;
    let current = gather::round(&host.absolute(request.current.as_deref(), "state file")?)?;
    compare(&previous, &current)
}
