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
    let mut open = File::open(folder).map_err(|e| io_fail(&e, "open", folder))?;
    let deadline = Instant::now() + Duration::from_millis(host.lock_wait_ms);
    let mut pause = Duration::from_millis(1);
    loop {
        match fs4::FileExt::try_lock(&open) {
            Ok(()) if is_still(&open, folder) => {
                return Ok(Held { _folder: open, path: folder.to_path_buf() });
            }
            // The folder was replaced while it was waited for: a lock on the old one protects nothing.
            Ok(()) => {
                std::fs::create_dir_all(folder).map_err(|e| io_fail(&e, "make the folder", folder))?;
                open = File::open(folder).map_err(|e| io_fail(&e, "open", folder))?;
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

/// Whether the open folder is the one that stands at the path now.
fn is_still(open: &File, folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |a: std::fs::Metadata, b: std::fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    open.metadata().ok().zip(folder.metadata().ok()).is_some_and(|(a, b)| same(a, b))
}
