//! Publishing a report: into a shared folder, under a name of its own, once, also when the run is killed in between.
//!
//! The name is chosen and stored by the caller before the file is made: a run that was killed finds what it published
//! under the name it had chosen, and never takes somebody else's file of the same content for its own.

use std::path::{Path, PathBuf};

use crate::base::path::printable;
use crate::base::{Code, Fail, time};
use crate::host::{Host, files};

/// The first free name of `named(stem, 0)`, `named(stem, 1)` … in a folder, for the second it is now.
///
/// # Errors
/// `LOOP_STATE_ERROR` when a hundred names of this second are taken.
pub fn choose(host: &Host, folder: &Path, named: fn(&str, u32) -> String) -> Result<PathBuf, Fail> {
    let stem = time::file_stem(host.now_ms());
    let free = (0..100).map(|nth| folder.join(named(&stem, nth))).find(|p| p.symlink_metadata().is_err());
    let shown = printable(&folder.to_string_lossy());
    free.ok_or_else(|| Fail::new(Code::LoopStateError, format!("a hundred reports of one second stand in `{shown}`")))
}

/// Makes `path` with `bytes`, or finds them there already. False when something else took the name meanwhile.
///
/// # Errors
/// Why the folder cannot be written.
pub fn publish(host: &Host, path: &Path, bytes: &[u8]) -> Result<bool, Fail> {
    Ok(files::create(host, path, bytes)? || files::read_text(path, files::TEXT_LIMIT).is_ok_and(|there| there == bytes))
}
