//! Folders: the regular files directly inside one, never following a link, and the repository around one.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::files::io_fail;
use crate::base::Fail;

/// The regular files directly in `folder`, sorted by the bytes of their names. A missing folder is an empty list.
///
/// # Errors
/// The system's error for anything but a missing folder.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Fail> {
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).min_depth(1).max_depth(1).follow_links(false).follow_root_links(true) {
        match entry {
            Ok(entry) if entry.file_type().is_file() => found.push(entry.into_path()),
            Ok(_) => {}
            Err(error) => {
                let io = error.io_error().map(|e| (e.kind(), e.raw_os_error()));
                match io {
                    Some((std::io::ErrorKind::NotFound, _)) => {}
                    Some((_, raw)) => {
                        let io = raw.map_or_else(|| std::io::Error::other("walk"), std::io::Error::from_raw_os_error);
                        return Err(io_fail(&io, "list", folder));
                    }
                    None => return Err(io_fail(&std::io::Error::other("walk"), "list", folder)),
                }
            }
        }
    }
    found.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
    Ok(found)
}

/// The innermost folder above a path, itself included, that holds a `.git`: a folder, or the file of a linked worktree. git is not asked.
pub fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|a| a.join(".git").symlink_metadata().is_ok())
}

/// The file name of a path as text; bytes that are not UTF-8 are replaced.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
