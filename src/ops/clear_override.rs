//! clear-override: an override that no longer holds, as attributed as the one that it ends (waves spec §14).

use super::set_override::{self, Answer};
use crate::base::Fail;
use crate::host::Host;

pub use super::set_override::Request;

/// Clears every override of a gate in one scope.
///
/// # Errors
/// As set-override.
pub fn run(request: Request, host: &Host) -> Result<Answer, Fail> {
    set_override::run(&Request { clear: true, value: None, for_seconds: None, ..request }, host)
}
