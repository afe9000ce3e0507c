//! Files: bounded reads of regular files, and writes that are whole or not there.
//!
//! Rejected: writing in place (a crash leaves half a file), following links at a target (another file is overwritten),
//! and reading without a limit (memory is the caller's). Sources: house.md State; faults.md rows 1, 2, 20 to 24, 42, 44.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::Host;
use crate::base::path::printable;
use crate::base::{Code, Fail};

/// The most that is read of a document of ours.
pub const DOCUMENT_LIMIT: u64 = 64 << 20;
/// The most that is read of a report or any other text from outside.
pub const TEXT_LIMIT: u64 = 1 << 30;

/// An I/O error as a failure: house code, the system's own name, the path always.
pub fn io_fail(error: &io::Error, doing: &str, path: &Path) -> Fail {
    use io::ErrorKind as K;
    let system = name_of(error);
    let code = match error.kind() {
        K::NotFound => Code::NotFound,
        K::PermissionDenied => Code::AccessDenied,
        K::ReadOnlyFilesystem => Code::ReadOnly,
        K::StorageFull | K::QuotaExceeded | K::FileTooLarge => Code::NoSpace,
        K::IsADirectory => Code::IsDirectory,
        _ => Code::LoopStateError,
    };
    let word = system.unwrap_or("error");
    let mut fail = Fail::new(code, format!("cannot {doing} `{}`: {word}", printable(&path.to_string_lossy())));
    fail.system = system;
    fail.with("path", path.to_string_lossy().as_ref())
}

/// The system's name of an error; from its kind where a library wrapped it and the number is lost.
fn name_of(error: &io::Error) -> Option<&'static str> {
    use io::ErrorKind as K;
    if let Some(raw) = error.raw_os_error() {
        return system_name(raw);
    }
    Some(match error.kind() {
        K::NotFound => "ENOENT",
        K::PermissionDenied => "EACCES",
        K::ReadOnlyFilesystem => "EROFS",
        K::StorageFull => "ENOSPC",
        K::QuotaExceeded => "EDQUOT",
        K::FileTooLarge => "EFBIG",
        K::IsADirectory => "EISDIR",
        K::NotADirectory => "ENOTDIR",
        K::AlreadyExists => "EEXIST",
        _ => return None,
    })
}

/// The same for a write: a folder that may not be written is `READ_ONLY`, whatever the system calls it.
fn write_fail(error: &io::Error, doing: &str, path: &Path) -> Fail {
    let mut fail = io_fail(error, doing, path);
    if fail.code == Code::AccessDenied {
        fail.code = Code::ReadOnly;
    }
    fail
}

fn system_name(raw: i32) -> Option<&'static str> {
    use rustix::io::Errno as E;
    const NAMES: &[(E, &str)] = &[
        (E::NOENT, "ENOENT"),
        (E::ISDIR, "EISDIR"),
        (E::NOTDIR, "ENOTDIR"),
        (E::ACCESS, "EACCES"),
        (E::PERM, "EPERM"),
        (E::ROFS, "EROFS"),
        (E::NOSPC, "ENOSPC"),
        (E::DQUOT, "EDQUOT"),
        (E::FBIG, "EFBIG"),
        (E::EXIST, "EEXIST"),
        (E::LOOP, "ELOOP"),
        (E::NAMETOOLONG, "ENAMETOOLONG"),
        (E::MFILE, "EMFILE"),
        (E::NFILE, "ENFILE"),
        (E::NOTEMPTY, "ENOTEMPTY"),
        (E::IO, "EIO"),
        (E::INVAL, "EINVAL"),
        (E::BUSY, "EBUSY"),
        (E::XDEV, "EXDEV"),
    ];
    NAMES.iter().find(|(e, _)| e.raw_os_error() == raw).map(|(_, n)| *n)
}

/// Reads a regular file somebody else wrote (a link to one is followed).
///
/// # Errors
/// `NOT_FOUND`, `IS_DIRECTORY`, `NOT_REGULAR_FILE`, `TOO_LARGE` before reading it whole, or the system's error.
pub fn read_text(path: &Path, limit: u64) -> Result<Vec<u8>, Fail> {
    read_open(open_nonblocking(path, 0)?, path, limit)
}

/// Reads a state file of ours: never through a link, owned by us, not writable by everybody.
///
/// # Errors
/// As [`read_text`], and `UNTRUSTED_FILE`.
pub fn read_state(path: &Path) -> Result<Vec<u8>, Fail> {
    let nofollow = rustix::fs::OFlags::NOFOLLOW.bits();
    let file = open_nonblocking(path, nofollow)?;
    let meta = file.metadata().map_err(|e| io_fail(&e, "inspect", path))?;
    trusted(&meta, path)?;
    read_open(file, path, DOCUMENT_LIMIT)
}

/// As [`read_state`], and nobody but us may read or write it: what a gate is decided by.
///
/// # Errors
/// As [`read_state`].
pub fn read_private(path: &Path) -> Result<Vec<u8>, Fail> {
    let bytes = read_state(path)?;
    let meta = path.symlink_metadata().map_err(|e| io_fail(&e, "inspect", path))?;
    if meta.mode() & 0o077 != 0 {
        let shown = path.to_string_lossy();
        return Err(Fail::new(Code::UntrustedFile, format!("`{}` is open to others", printable(&shown))).with("path", shown.as_ref()));
    }
    Ok(bytes)
}

fn open_nonblocking(path: &Path, flags: u32) -> Result<File, Fail> {
    let flags = i32::try_from(flags | rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    opened.map_err(|e| {
        let linked = path.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink());
        if linked && e.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
            return not_regular(path, "a symbolic link");
        }
        io_fail(&e, "open", path)
    })
}

fn not_regular(path: &Path, what: &str) -> Fail {
    let shown = path.to_string_lossy();
    Fail::new(Code::NotRegularFile, format!("`{}` is {what}, not a regular file", printable(&shown))).with("path", shown.as_ref())
}

fn trusted(meta: &Metadata, path: &Path) -> Result<(), Fail> {
    let foreign = meta.uid() != rustix::process::geteuid().as_raw();
    if meta.is_file() && (foreign || meta.mode() & 0o002 != 0) {
        let why = if foreign { "belongs to another user" } else { "can be written by everybody" };
        let shown = path.to_string_lossy();
        return Err(Fail::new(Code::UntrustedFile, format!("`{}` {why}", printable(&shown))).with("path", shown.as_ref()));
    }
    Ok(())
}

fn read_open(file: File, path: &Path, limit: u64) -> Result<Vec<u8>, Fail> {
    let meta = file.metadata().map_err(|e| io_fail(&e, "inspect", path))?;
    if meta.is_dir() {
        let mut fail = Fail::new(Code::IsDirectory, format!("`{}` is a folder", printable(&path.to_string_lossy())));
        fail.system = Some("EISDIR");
        return Err(fail.with("path", path.to_string_lossy().as_ref()));
    }
    if !meta.is_file() {
        return Err(not_regular(path, "a pipe, socket or device"));
    }
    if meta.len() > limit {
        return Err(too_large(path, meta.len(), limit));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or_default());
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| io_fail(&e, "read", path))?;
    if bytes.len() as u64 > limit {
        return Err(too_large(path, bytes.len() as u64, limit));
    }
    Ok(bytes)
}

fn too_large(path: &Path, size: u64, limit: u64) -> Fail {
    let shown = path.to_string_lossy();
    let message = format!("`{}` has {size} bytes, the limit is {limit}", printable(&shown));
    Fail::new(Code::TooLarge, message).with("path", shown.as_ref()).with("size", size).with("limit", limit)
}

/// Replaces the whole content of `path`: temporary file beside it, write, sync, rename, sync the folder. Mode 0600;
/// missing parents are made; a link or a foreign owner at the target is refused.
///
/// # Errors
/// `NOT_REGULAR_FILE`, `UNTRUSTED_FILE`, `NO_SPACE`, `READ_ONLY`, or the system's error. The old bytes are kept.
pub fn replace(host: &Host, path: &Path, bytes: &[u8]) -> Result<(), Fail> {
    sweep_stray_temps(host, path);
    let (folder, temp) = prepare(host, path, bytes)?;
    temp.persist(path).map_err(|e| write_fail(&e.error, "replace", path))?;
    host.failpoint("renamed");
    sync_folder(&folder)
}

/// Creates `path` with `bytes`, whole, or leaves what is there. `Ok(false)` when something is there already.
///
/// # Errors
/// As [`replace`].
pub fn create(host: &Host, path: &Path, bytes: &[u8]) -> Result<bool, Fail> {
    sweep_stray_temps(host, path);
    let (folder, temp) = prepare(host, path, bytes)?;
    match temp.persist_noclobber(path) {
        Ok(_) => {
            host.failpoint("renamed");
            sync_folder(&folder)?;
            Ok(true)
        }
        Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(write_fail(&e.error, "create", path)),
    }
}

fn prepare(host: &Host, path: &Path, bytes: &[u8]) -> Result<(PathBuf, tempfile::NamedTempFile), Fail> {
    check_target(path)?;
    let folder = path.parent().unwrap_or(Path::new("/")).to_path_buf();
    std::fs::create_dir_all(&folder).map_err(|e| write_fail(&e, "make the folder", &folder))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let prefix = format!("{name}.tmp.{}.", std::process::id());
    let made = tempfile::Builder::new().prefix(&prefix).rand_bytes(8).tempfile_in(&folder);
    let mut temp = made.map_err(|e| write_fail(&e, "write in", &folder))?;
    let written = temp.write_all(bytes).and_then(|()| temp.as_file().sync_all());
    written.map_err(|e| write_fail(&e, "write", path))?;
    host.failpoint("written");
    Ok((folder, temp))
}

/// Refuses a target that is a link, no regular file, or somebody else's.
///
/// # Errors
/// `NOT_REGULAR_FILE`, `UNTRUSTED_FILE`.
pub fn check_target(path: &Path) -> Result<(), Fail> {
    let Ok(meta) = path.symlink_metadata() else {
        return Ok(());
    };
    if meta.file_type().is_symlink() {
        return Err(not_regular(path, "a symbolic link"));
    }
    if !meta.is_file() {
        return Err(not_regular(path, "a folder, pipe or device"));
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        let shown = path.to_string_lossy();
        let fail = Fail::new(Code::UntrustedFile, format!("`{}` belongs to another user", printable(&shown)));
        return Err(fail.with("path", shown.as_ref()));
    }
    Ok(())
}

/// Gives a file or folder that was made ready its name, durably.
///
/// # Errors
/// The system's error.
#[expect(clippy::disallowed_methods, reason = "there is no other way to a name, and the folder around it is synced")]
pub fn rename(from: &Path, to: &Path) -> Result<(), Fail> {
    std::fs::rename(from, to).map_err(|e| write_fail(&e, "rename", from))?;
    sync_folder(to.parent().unwrap_or(to))
}

/// Removes temporary files that a killed writer of this very target left: exactly our own shape of name, and its process
/// is gone or an hour has passed. Anything else beside a file is somebody's.
pub fn sweep_stray_temps(host: &Host, path: &Path) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some(entries) = path.parent().and_then(|f| f.read_dir().ok()) else { return };
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|f| temp_owner(f, &name)) else { continue };
        let gone = super::procs::probe(pid) == super::procs::Probe::Gone;
        let old = entry.metadata().is_ok_and(|m| host.now_ms() / 1000 - m.mtime() > 3600);
        if gone || old {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The pid in `<name>.tmp.<pid>.<8 letters or digits>`.
fn temp_owner(file: &str, name: &str) -> Option<u32> {
    let (pid, random) = file.strip_prefix(name)?.strip_prefix(".tmp.")?.split_once('.')?;
    let shaped = random.len() == 8 && random.bytes().all(|b| b.is_ascii_alphanumeric());
    pid.parse().ok().filter(|_| shaped)
}

/// Makes a rename or a removal durable.
///
/// # Errors
/// The system's error.
pub fn sync_folder(folder: &Path) -> Result<(), Fail> {
    File::open(folder).and_then(|f| f.sync_all()).map_err(|e| write_fail(&e, "sync", folder))
}

/// Removes one file.
///
/// # Errors
/// The system's error.
pub fn remove(path: &Path) -> Result<(), Fail> {
    std::fs::remove_file(path).map_err(|e| write_fail(&e, "remove", path))
}

/// Makes sure that nothing stands at `path`, whatever somebody left there; a link is removed and never followed.
///
/// # Errors
/// The system's error.
pub fn clear(path: &Path) -> Result<(), Fail> {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => remove_tree(path),
        Ok(_) => remove(path),
        Err(_) => Ok(()),
    }
}

/// Removes a folder that this program made, without following a link at its top.
///
/// # Errors
/// `NOT_REGULAR_FILE` for a link, or the system's error. A missing folder is fine.
#[expect(clippy::disallowed_methods, reason = "the one place that removes a folder")]
pub fn remove_tree(folder: &Path) -> Result<(), Fail> {
    match folder.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(meta) if meta.file_type().is_symlink() => Err(not_regular(folder, "a symbolic link")),
        Ok(_) => std::fs::remove_dir_all(folder).map_err(|e| write_fail(&e, "remove", folder)),
    }
}

/// Makes a private folder (0700) with its parents.
///
/// # Errors
/// `NOT_REGULAR_FILE` when a link stands there, or the system's error.
pub fn make_private_dir(folder: &Path) -> Result<(), Fail> {
    if folder.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink()) {
        return Err(not_regular(folder, "a symbolic link"));
    }
    std::fs::create_dir_all(folder).map_err(|e| write_fail(&e, "make the folder", folder))?;
    let private = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(folder, private).map_err(|e| write_fail(&e, "protect", folder))
}

/// Makes every folder from `root` down to `folder` private; a link on the way is refused. `root` itself may be one.
///
/// # Errors
/// As [`make_private_dir`].
pub fn make_private_below(root: &Path, folder: &Path) -> Result<(), Fail> {
    std::fs::create_dir_all(root).map_err(|e| write_fail(&e, "make the folder", root))?;
    let mut at = root.to_path_buf();
    for part in folder.strip_prefix(root).unwrap_or(folder).components() {
        at.push(part);
        make_private_dir(&at)?;
    }
    Ok(())
}

/// Refuses a link between `root` and `folder`.
///
/// # Errors
/// `NOT_REGULAR_FILE`.
pub fn refuse_links_below(root: &Path, folder: &Path) -> Result<(), Fail> {
    let mut at = root.to_path_buf();
    for part in folder.strip_prefix(root).unwrap_or(folder).components() {
        at.push(part);
        if at.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink()) {
            return Err(not_regular(&at, "a symbolic link"));
        }
    }
    Ok(())
}

/// Writes a working file of the user's through the same safe replacement, keeping its permission bits. Nothing beside it
/// is swept: the folder is the user's.
///
/// # Errors
/// As [`replace`].
pub fn replace_keeping_mode(host: &Host, path: &Path, bytes: &[u8]) -> Result<(), Fail> {
    check_target(path)?;
    let mode = path.symlink_metadata().map(|m| m.permissions());
    let (folder, temp) = prepare(host, path, bytes)?;
    if let Ok(mode) = mode {
        temp.as_file().set_permissions(mode).map_err(|e| write_fail(&e, "protect", path))?;
    }
    temp.persist(path).map_err(|e| write_fail(&e.error, "replace", path))?;
    sync_folder(&folder)
}
