//! Journals: files of one line each record, only ever appended to, under a held lock.
//!
//! A line that a kill cut off has no line break. Readers take no notice of it; the next append moves it to a side file, so that it is
//! neither lost nor glued to the next record.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::Host;
use super::files::{self, check_target, io_fail, sync_folder};
use super::lock::Held;
use crate::base::{Code, Fail};

/// What is behind the last line break of a journal: a line that was cut off.
pub fn torn_tail(bytes: &[u8]) -> Option<&[u8]> {
    let at = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    Some(&bytes[at..]).filter(|tail| !tail.is_empty())
}

/// Reads a journal; one that does not exist is empty.
///
/// # Errors
/// As [`files::read_state`].
pub fn read(path: &Path) -> Result<Vec<u8>, Fail> {
    match files::read_state(path) {
        Err(fail) if fail.code == Code::NotFound => Ok(Vec::new()),
        other => other,
    }
}

/// Appends one line (its line break included) durably. Gives where a torn tail was moved to.
///
/// # Errors
/// As [`read`], and the system's error.
pub fn append(host: &Host, held: &Held, name: &str, line: &[u8]) -> Result<Option<PathBuf>, Fail> {
    let path = held.folder().join(name);
    check_target(&path)?;
    let bytes = read(&path)?;
    let mut moved = None;
    if let Some(tail) = torn_tail(&bytes) {
        let side = (1..1000).map(|n| held.folder().join(format!("{name}.torn-{n}"))).find(|p| p.symlink_metadata().is_err());
        let side = side.ok_or_else(|| Fail::new(Code::LoopStateError, format!("a thousand torn tails of `{name}` were kept already")))?;
        files::replace(host, &side, tail)?;
        files::replace(host, &path, &bytes[..bytes.len() - tail.len()])?;
        moved = Some(side);
    }
    let nofollow = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default();
    let opened = OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(nofollow).open(&path);
    let mut file = opened.map_err(|e| io_fail(&e, "open", &path))?;
    host.failpoint("appending");
    file.write_all(line).and_then(|()| file.sync_all()).map_err(|e| io_fail(&e, "write", &path))?;
    host.failpoint("appended");
    sync_folder(held.folder())?;
    Ok(moved)
}
