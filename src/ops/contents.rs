//! Working-tree contents: read in parallel, never through a link, only for what is in scope.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use super::checkout::Checkout;
use crate::base::Fail;
use crate::base::digest::Stream;
use crate::host::git::{Git, failed, records};
use crate::scope::fingerprint::{Content, Repository};

/// Untracked or tracked regular files with a NUL in their first 8,000 bytes: what git calls binary.
pub fn binary_files(checkout: &Checkout, paths: &[Vec<u8>]) -> BTreeSet<Vec<u8>> {
    let found = in_parallel(paths, |path| {
        let full = checkout.full(path);
        let regular = full.symlink_metadata().is_ok_and(|m| m.is_file()) && !checkout.is_behind_link(path);
        let mut head = [0u8; 8000];
        let read = if regular { open(&full).and_then(|f| read_head(f, &mut head).ok()) } else { None };
        read.is_some_and(|n| head[..n].contains(&0))
    });
    paths.iter().zip(found).filter(|(_, binary)| *binary).map(|(p, _)| p.clone()).collect()
}

fn read_head(mut file: File, head: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < head.len() {
        let n = file.read(&mut head[filled..])?;
        if n == 0 {
            break;
        }
        filled += n;
    }
    Ok(filled)
}

fn open(path: &Path) -> Option<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).ok()?;
    std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path).ok()
}

/// What stands at each path. `git` is asked about folders, which are submodules or nested repositories.
///
/// # Errors
/// `GIT_MISSING`.
pub fn read(checkout: &Checkout, paths: &BTreeSet<Vec<u8>>) -> Result<BTreeMap<Vec<u8>, Content>, Fail> {
    let list: Vec<Vec<u8>> = paths.iter().cloned().collect();
    read_below(checkout, &checkout.git, &checkout.top, &list)
}

fn read_below(checkout: &Checkout, git: &Git, top: &Path, list: &[Vec<u8>]) -> Result<BTreeMap<Vec<u8>, Content>, Fail> {
    let full = |path: &[u8]| top.join(std::ffi::OsStr::from_bytes(path.strip_suffix(b"/").unwrap_or(path)));
    let links = if top == checkout.top { checkout.links_above(list) } else { BTreeSet::new() };
    let linked = |path: &[u8]| !links.is_empty() && links.iter().any(|l| path.starts_with(l) && path.get(l.len()) == Some(&b'/'));
    let plain = in_parallel(list, |path| if linked(path) { Some(Content::Missing) } else { inspect(&full(path)) });
    let mut contents = BTreeMap::new();
    for (path, content) in list.iter().zip(plain) {
        let left_out = || checkout.left_out(path).filter(|_| top == checkout.top);
        let content = match content {
            Some(Content::Missing) => left_out().map_or(Content::Missing, |h| Content::LeftOut(h.held.mode.clone(), h.held.oid.clone())),
            Some(content) => content,
            None => folder(checkout, git, &full(path), path)?,
        };
        contents.insert(path.strip_suffix(b"/").unwrap_or(path).to_vec(), content);
    }
    Ok(contents)
}

/// What stands at a path; none for a folder.
fn inspect(path: &Path) -> Option<Content> {
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Some(Content::Missing);
        }
        Err(_) => return Some(Content::Unreadable),
    };
    let kind = meta.file_type();
    if kind.is_symlink() {
        return Some(path.read_link().map_or(Content::Unreadable, |t| Content::Link(t.as_os_str().as_bytes().to_vec())));
    }
    if kind.is_dir() {
        return None;
    }
    Some(if kind.is_file() { regular(path, &meta) } else { Content::Special })
}

fn regular(path: &Path, meta: &Metadata) -> Content {
    let executable = meta.permissions().mode() & 0o111 != 0;
    let digest = open(path).and_then(|mut file| {
        let mut stream = Stream::new();
        let mut chunk = vec![0u8; usize::try_from(meta.len()).unwrap_or(usize::MAX).clamp(4096, 1 << 18)];
        loop {
            match file.read(&mut chunk) {
                Ok(0) => return Some(stream.finish()),
                Ok(n) => stream.raw(&chunk[..n]),
                Err(_) => return None,
            };
        }
    });
    Content::Regular(executable, digest)
}

/// A folder at a path of the scope. Only one with a `.git` of its own is a repository: git would take any other for a part
/// of the repository around it, or for a bare repository whose configuration came with the change under review.
fn folder(checkout: &Checkout, git: &Git, full: &Path, path: &[u8]) -> Result<Content, Fail> {
    if full.join(".git").symlink_metadata().is_ok() {
        return Ok(Content::Repository(repository(checkout, full)?));
    }
    // A submodule that was never initialised is what the index says; a folder in the place of a file is no content of it.
    let staged = git.run_on_paths(&["ls-files", "--stage", "-z"], &[path.strip_suffix(b"/").unwrap_or(path)])?;
    let gitlink = records(&staged).find_map(|r| r.strip_prefix(b"160000 ")).and_then(|r| r.split(|b| *b == b' ').next());
    Ok(gitlink.map_or(Content::Missing, |head| Content::Repository(Repository { head: head.to_vec(), ..Repository::default() })))
}

/// A repository inside the repository, read on a private copy of its index like the outer one. One that git cannot read is
/// refused: its edits could not be told from none.
fn repository(checkout: &Checkout, folder: &Path) -> Result<Repository, Fail> {
    let inner = checkout.nested(folder)?;
    let words = ["rev-parse", "--verify", "-q", "HEAD"];
    let head = inner.ask(&words, b"")?;
    if !matches!(head.code, 0 | 1) {
        return Err(failed(&words, &head));
    }
    let status = inner.run(&["status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=none"], b"")?;
    let mut repository = Repository { head: head.text().into_bytes(), status: status.stdout, ..Repository::default() };
    if !repository.status.is_empty() {
        repository.diff = if head.code == 0 {
            inner.diff(&["--binary", "HEAD"], &[])?
        } else {
            [inner.diff(&["--binary", "--cached"], &[])?, inner.diff(&["--binary"], &[])?].concat()
        };
        let listed = inner.run(&["ls-files", "-z", "--others", "--exclude-standard"], b"")?.stdout;
        let paths: Vec<Vec<u8>> = records(&listed).filter(|p| p.last() != Some(&b'/')).map(<[u8]>::to_vec).collect();
        repository.untracked = read_below(checkout, &inner, folder, &paths)?;
    }
    Ok(repository)
}

/// Maps a list on as many threads as there are cores; small lists stay on this one.
pub fn in_parallel<T: Send>(list: &[Vec<u8>], each: impl Fn(&[u8]) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    if list.len() < 64 || threads < 2 {
        return list.iter().map(|p| each(p)).collect();
    }
    let chunk = list.len().div_ceil(threads * 4);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let chunks: Vec<&[Vec<u8>]> = list.chunks(chunk).collect();
    let mut done: Vec<(usize, Vec<T>)> = std::thread::scope(|scope| {
        let work = || {
            let mut mine = Vec::new();
            loop {
                let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(part) = chunks.get(at) else {
                    return mine;
                };
                mine.push((at, part.iter().map(|p| each(p)).collect::<Vec<T>>()));
            }
        };
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().flat_map(|(_, part)| part).collect()
}
