//! Publishing a report: into a shared folder under a name of its own, once, also when the run is killed in between.

use std::path::{Path, PathBuf};

use crate::base::path::printable;
use crate::base::{Code, Fail, time};
use crate::host::{Host, files};

/// Writes `bytes` under the first free name of `named(stem, 0)`, `named(stem, 1)` …. A file of that stem that holds
/// exactly these bytes is the one an earlier, killed run published.
///
/// # Errors
/// Why the folder cannot be written.
pub fn publish(host: &Host, folder: &Path, stem: &str, named: fn(&str, u32) -> String, bytes: &[u8]) -> Result<PathBuf, Fail> {
    for nth in 0..100 {
        let path = folder.join(named(stem, nth));
        if files::create(host, &path, bytes)? || files::read_text(&path, files::TEXT_LIMIT).is_ok_and(|there| there == bytes) {
            return Ok(path);
        }
    }
    let shown = printable(&folder.to_string_lossy());
    Err(Fail::new(Code::LoopStateError, format!("a hundred reports of one second stand in `{shown}`")))
}

/// The stem of a private file: the second it was written in, so that publishing again gives the same name.
///
/// # Errors
/// Why the file cannot be inspected.
pub fn stem_of(path: &Path) -> Result<String, Fail> {
    let meta = path.symlink_metadata().map_err(|e| files::io_fail(&e, "inspect", path))?;
    let seconds = std::os::unix::fs::MetadataExt::mtime(&meta);
    Ok(time::file_stem(seconds * 1000))
}
