//! Locks: a kernel lock on the open state folder itself, held for one command.
//!
//! There is no lock file to leave behind, to race on or to clean; the lock dies with its process (faults.md rows 10 to
//! 16 and 19 hold by construction).

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Host;
use super::files::io_fail;
use crate::base::path::printable;
use crate::base::{Code, Fail};

/// A held lock. State files of a shared folder are only written with one in hand.
#[derive(Debug)]
pub struct Held {
    _folder: File,
    path: PathBuf,
}

impl Held {
    /// The locked folder.
    pub fn folder(&self) -> &Path {
        &self.path
    }
}

/// Locks `folder` (made when missing), waiting up to `host.lock_wait_ms`.
///
/// # Errors
/// `LOCK_BUSY`, or the system's error.
pub fn hold(host: &Host, folder: &Path) -> Result<Held, Fail> {
    std::fs::create_dir_all(folder).map_err(|e| io_fail(&e, "make the folder", folder))?;
    let open = File::open(folder).map_err(|e| io_fail(&e, "open", folder))?;
    let deadline = Instant::now() + Duration::from_millis(host.lock_wait_ms);
    let mut pause = Duration::from_millis(1);
    loop {
        match fs4::FileExt::try_lock(&open) {
            Ok(()) => {
                return Ok(Held { _folder: open, path: folder.to_path_buf() });
            }
            Err(fs4::TryLockError::Error(e)) => return Err(io_fail(&e, "lock", folder)),
            Err(fs4::TryLockError::WouldBlock) => {}
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let shown = folder.to_string_lossy();
            let message = format!("`{}` is locked by another command", printable(&shown));
            return Err(Fail::new(Code::LockBusy, message).with("path", shown.as_ref()));
        }
        // The kernel lock has no wait with a limit; a growing pause keeps 20 waiters from spinning.
        std::thread::park_timeout(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}
