//! The surface of a round: what the review reads, captured before it starts.
//!
//! HEAD, the scope fingerprint, and a git tree of the base plus the scope's working bytes, without filters and without
//! files over 1 MiB. Its objects go into the state folder, with the repository's as alternate: the repository is not
//! written, no ref is needed, nothing is ever pushed, and the objects go with the loop's residue.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::checkout::Checkout;
use super::detect_scope::{self, Detected};
use super::fingerprint_scope;
use crate::base::Fail;
use crate::host::{Host, files};
use crate::round::record::Surface;
use crate::scope::surface::File;

/// Files larger than this are left out of the tree.
pub const FILE_LIMIT: u64 = 1 << 20;

/// Captures the surface of the checkout that holds `root`, against `base`; `own` are folders of ours that are no part of it.
///
/// # Errors
/// As detect-scope, and why the state folder cannot be written.
pub fn capture(host: &Host, root: &Path, base: &str, state_dir: &Path, own: &[PathBuf]) -> Result<Surface, Fail> {
    let checkout = Checkout::open(host, root)?;
    let own = checkout.own(own);
    let scope = detect_scope::detect(&checkout, host, Some(base), checkout.look(&own)?)?;
    let surface_fingerprint = fingerprint_scope::of_detected(&checkout, &scope)?;
    let tree = tree(&checkout, host, &scope, state_dir)?;
    Ok(Surface { head_commit: scope.answer.head, surface_fingerprint: Some(surface_fingerprint), surface_tree: Some(tree) })
}

/// The changed files of a round, as its reviewer sees them.
///
/// # Errors
/// As detect-scope.
pub fn files_of(host: &Host, root: &Path, base: &str, own: &[PathBuf]) -> Result<(Checkout, detect_scope::Answer), Fail> {
    let checkout = Checkout::open(host, root)?;
    let own = checkout.own(own);
    let scope = detect_scope::detect(&checkout, host, Some(base), checkout.look(&own)?)?;
    Ok((checkout, scope.answer))
}

/// The tree is made on a copy of the index: what is not in scope is the same there as in the base.
fn tree(checkout: &Checkout, host: &Host, scope: &Detected, state_dir: &Path) -> Result<String, Fail> {
    let objects = state_dir.join("objects");
    files::make_private_dir(&objects)?;
    let scratch = tempfile::Builder::new().prefix("review-loop-").tempdir_in(host.temp_dir());
    let scratch = scratch.map_err(|e| files::io_fail(&e, "make a folder in", &host.temp_dir()))?;
    let index = scratch.path().join("surface");
    if scope.base_tree.is_some() {
        checkout.copy_index_to(&index)?;
    }
    let git = checkout.git.plain_at(&checkout.top).with("GIT_INDEX_FILE", &index);
    let git = git.with("GIT_OBJECT_DIRECTORY", &objects).with("GIT_ALTERNATE_OBJECT_DIRECTORIES", &checkout.objects);
    let scope = &scope.answer;
    let mut removed = Vec::new();
    let mut added = Vec::new();
    for file in &scope.files {
        for gone in [Some(&file.path), file.old_path.as_ref()].into_iter().flatten() {
            removed.extend(format!("0 {}\t", "0".repeat(checkout.empty_tree.len())).into_bytes());
            removed.extend_from_slice(gone);
            removed.push(0);
        }
    }
    let (plain, odd): (Vec<&File>, Vec<&File>) =
        scope.files.iter().partition(|f| regular(checkout, f).is_some() && !f.path.iter().any(|b| matches!(b, b'\n' | b'\r')));
    let listed: Vec<u8> = plain.iter().flat_map(|f| [checkout.full(&f.path).as_os_str().as_bytes(), b"\n"].concat()).collect();
    if !plain.is_empty() {
        let hashed = git.run(&["-c", "core.fsync=none", "hash-object", "-w", "--no-filters", "--stdin-paths"], &listed)?.text();
        for (file, oid) in plain.iter().zip(hashed.lines()) {
            entry(&mut added, regular(checkout, file).unwrap_or("100644"), oid, &file.path);
        }
    }
    for file in odd {
        if let Some((mode, oid)) = odd_entry(checkout, &git, file)? {
            entry(&mut added, mode, &oid, &file.path);
        }
    }
    removed.extend(added);
    git.run(&["update-index", "-z", "--index-info"], &removed)?;
    let tree = git.run(&["-c", "core.fsync=none", "write-tree", "--missing-ok"], b"")?.text();
    // One sync for all objects in place of one for each.
    if let Ok(open) = std::fs::File::open(&objects) {
        let _ = rustix::fs::syncfs(&open);
    }
    Ok(tree)
}

/// The mode of a regular file that is small enough to be kept.
fn regular(checkout: &Checkout, file: &File) -> Option<&'static str> {
    use std::os::unix::fs::PermissionsExt;
    let meta = checkout.full(&file.path).symlink_metadata().ok()?;
    let executable = meta.permissions().mode() & 0o111 != 0;
    (meta.is_file() && meta.len() <= FILE_LIMIT).then_some(if executable { "100755" } else { "100644" })
}

/// Links, submodules, and names that do not fit on a line.
fn odd_entry(checkout: &Checkout, git: &crate::host::git::Git, file: &File) -> Result<Option<(&'static str, String)>, Fail> {
    let full = checkout.full(&file.path);
    let Ok(meta) = full.symlink_metadata() else {
        return Ok(None);
    };
    let hash = |bytes: &[u8]| Ok(git.run(&["-c", "core.fsync=none", "hash-object", "-w", "--stdin"], bytes)?.text());
    if meta.file_type().is_symlink() {
        let Ok(target) = full.read_link() else {
            return Ok(None);
        };
        return hash(target.as_os_str().as_bytes()).map(|oid| Some(("120000", oid)));
    }
    if meta.is_dir() {
        if full.join(".git").symlink_metadata().is_err() {
            return Ok(None);
        }
        let head = git.plain_at(&full).ask(&["rev-parse", "--verify", "-q", "HEAD"], b"")?.text();
        return Ok((file.submodule && !file.untracked && head.len() >= 40).then_some(("160000", head)));
    }
    match regular(checkout, file) {
        Some(mode) => hash(&files::read_text(&full, FILE_LIMIT)?).map(|oid| Some((mode, oid))),
        None => Ok(None),
    }
}

fn entry(out: &mut Vec<u8>, mode: &str, oid: &str, path: &[u8]) {
    out.extend_from_slice(format!("{mode} {oid}\t").as_bytes());
    out.extend_from_slice(path);
    out.push(0);
}
