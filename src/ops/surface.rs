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
    checkout.refuse_shared_folder(state_dir, |name| name == "objects" || name.ends_with(".json") || name.starts_with("loop-"))?;
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

/// A tree of HEAD and the working bytes, its objects in `folder`.
///
/// # Errors
/// As detect-scope.
pub fn of_worktree(checkout: &Checkout, host: &Host, folder: &Path) -> Result<String, Fail> {
    let look = checkout.look(&checkout.own(&[]))?;
    let base = look.head.as_ref().map_or(checkout.empty_tree.to_owned(), |h| h.oid.clone());
    let scope = detect_scope::detect(checkout, host, Some(&base), look)?;
    tree(checkout, host, &scope, folder)
}

/// The tree is made on a copy of the index: what is not in scope stands there as in what the files are compared with.
fn tree(checkout: &Checkout, host: &Host, scope: &Detected, state_dir: &Path) -> Result<String, Fail> {
    let objects = state_dir.join("objects");
    files::make_private_dir(&objects)?;
    let scratch = host.scratch()?;
    let index = scratch.path().join("surface");
    if scope.base_tree.is_some() {
        checkout.copy_index_to(&index)?;
    }
    let git = checkout.git.plain_at(&checkout.top).with("GIT_INDEX_FILE", &index);
    let git = git.with("GIT_OBJECT_DIRECTORY", &objects).with("GIT_ALTERNATE_OBJECT_DIRECTORIES", &checkout.objects);
    let mut removed = Vec::new();
    let mut added = Vec::new();
    let mut hashed: Vec<(&File, &'static str, PathBuf)> = Vec::new();
    for (n, file) in scope.answer.files.iter().enumerate() {
        for gone in [Some(&file.path), file.old_path.as_ref()].into_iter().flatten() {
            entry(&mut removed, b"0", "0".repeat(checkout.empty_tree.len()).as_bytes(), gone);
        }
        match kept(checkout, file, &scratch.path().join(n.to_string()))? {
            Some(Kept::Bytes(mode, source)) => hashed.push((file, mode, source)),
            Some(Kept::Held(mode, oid)) => entry(&mut added, &mode, &oid, &file.path),
            None => {}
        }
    }
    if !hashed.is_empty() {
        let listed: Vec<u8> = hashed.iter().flat_map(|(.., source)| [source.as_os_str().as_bytes(), b"\n"].concat()).collect();
        let oids = git.run(&["-c", "core.fsync=none", "hash-object", "-w", "--no-filters", "--stdin-paths"], &listed)?.text();
        for ((file, mode, _), oid) in hashed.iter().zip(oids.lines()) {
            entry(&mut added, mode.as_bytes(), oid.as_bytes(), &file.path);
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

/// What the tree holds for a file of the scope.
enum Kept {
    /// A mode and the file whose bytes are hashed.
    Bytes(&'static str, PathBuf),
    /// Mode and object id.
    Held(Vec<u8>, Vec<u8>),
}

/// What is kept of a file; none for what is gone, too large, or no file of git's. The target of a link, and a file whose
/// name does not fit on a line, go through `copy`.
fn kept(checkout: &Checkout, file: &File, copy: &Path) -> Result<Option<Kept>, Fail> {
    if let Some(hint) = checkout.left_out(&file.path) {
        return Ok(Some(Kept::Held(hint.held.mode.clone(), hint.held.oid.clone())));
    }
    let full = checkout.full(&file.path);
    let Ok(meta) = full.symlink_metadata() else { return Ok(None) };
    if checkout.is_behind_link(&file.path) {
        return Ok(None);
    }
    let copied = |bytes: &[u8]| {
        let made = std::fs::File::create_new(copy).and_then(|mut file| std::io::Write::write_all(&mut file, bytes));
        made.map(|()| copy.to_path_buf()).map_err(|e| files::io_fail(&e, "write", copy))
    };
    if meta.file_type().is_symlink() {
        let Ok(target) = full.read_link() else { return Ok(None) };
        return copied(target.as_os_str().as_bytes()).map(|source| Some(Kept::Bytes("120000", source)));
    }
    if meta.is_dir() {
        return repository(checkout, file, &full);
    }
    if !meta.is_file() || meta.len() > FILE_LIMIT {
        return Ok(None);
    }
    let executable = std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0;
    let plain = !file.path.iter().any(|b| matches!(b, b'\n' | b'\r'));
    let source = if plain { full } else { copied(&files::read_text(&full, FILE_LIMIT)?)? };
    Ok(Some(Kept::Bytes(if executable { "100755" } else { "100644" }, source)))
}

/// A submodule is its commit; any other folder with a `.git` is not git's to keep.
fn repository(checkout: &Checkout, file: &File, full: &Path) -> Result<Option<Kept>, Fail> {
    if !file.submodule || file.untracked || full.join(".git").symlink_metadata().is_err() {
        return Ok(None);
    }
    let head = checkout.git.plain_at(full).ask(&["rev-parse", "--verify", "-q", "HEAD"], b"")?.text();
    Ok((head.len() >= 40).then(|| Kept::Held(b"160000".to_vec(), head.into_bytes())))
}

fn entry(out: &mut Vec<u8>, mode: &[u8], oid: &[u8], path: &[u8]) {
    for part in [mode, b" ", oid, b"\t", path, b"\0"] {
        out.extend_from_slice(part);
    }
}
