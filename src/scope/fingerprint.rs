//! The fingerprints: byte streams that bind a verdict to what was reviewed.
//!
//! The stream of waves spec §6, whose golden vectors bind; the two additions for dirty submodules and hidden edits are
//! those of cases/scope/README.md, Fingerprint. Pure: takes contents, gives hex.

use std::collections::BTreeMap;

use crate::base::digest::Stream;

/// What the reviewed content is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// The tree of the merge base, hex.
    Tree(String),
    /// Nothing: the whole code base.
    WholeCodebase,
}

/// What stands at a path in the working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Missing,
    /// Something that cannot be inspected.
    Unreadable,
    /// A link and its target.
    Link(Vec<u8>),
    /// A regular file: any x bit, and its digest (none when it cannot be read).
    Regular(bool, Option<[u8; 32]>),
    /// A folder: a submodule or nested repository.
    Repository(Repository),
    /// A pipe, socket or device.
    Special,
    /// A file that a sparse checkout leaves out: mode and object id of the index.
    LeftOut(Vec<u8>, Vec<u8>),
}

/// A repository inside the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repository {
    /// Its HEAD, hex.
    pub head: Vec<u8>,
    /// `status --porcelain=v1 -z`.
    pub status: Vec<u8>,
    /// `diff --binary HEAD`, when it is dirty.
    pub diff: Vec<u8>,
    /// Its untracked files.
    pub untracked: BTreeMap<Vec<u8>, Content>,
}

/// The index and working halves of paths that are both staged and unstaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    /// `diff --binary --cached --no-renames -- paths`
    pub index: Vec<u8>,
    /// `diff --binary --no-renames -- paths`
    pub worktree: Vec<u8>,
}

/// The scope fingerprint.
pub fn scope(comparison: &Comparison, contents: &BTreeMap<Vec<u8>, Content>, partial: Option<&Partial>) -> String {
    let mut stream = Stream::new();
    stream.raw(b"SCOPE_CONTENT_V2\0");
    match comparison {
        Comparison::Tree(tree) => stream.raw(b"COMPARISON_TREE\0").raw(tree.as_bytes()).raw(b"\0"),
        Comparison::WholeCodebase => stream.raw(b"WHOLE_CODEBASE\0"),
    };
    let whole = *comparison == Comparison::WholeCodebase;
    for (path, content) in contents {
        // A tracked file that is gone says nothing without a tree to compare with.
        if !(whole && *content == Content::Missing) {
            put(&mut stream, path, content);
        }
    }
    if let Some(partial) = partial {
        stream.raw(b"PARTIAL_INDEX\0").raw(&partial.index).raw(b"\0PARTIAL_WORKTREE\0").raw(&partial.worktree);
    }
    stream.finish_hex()
}

fn put(stream: &mut Stream, path: &[u8], content: &Content) {
    stream.raw(b"PATH\0").framed(path);
    match content {
        Content::Missing => {
            stream.raw(b"\0MISSING\0");
        }
        Content::Unreadable => {
            stream.raw(b"\0MODE\0UNREADABLE\0");
        }
        Content::Link(target) => {
            stream.raw(b"\0MODE\x00120000\0TARGET\0").raw(target);
        }
        Content::Regular(executable, digest) => {
            stream.raw(b"\0MODE\0").raw(mode(*executable)).raw(b"\0CONTENT_SHA256\0");
            stream.raw(digest.as_ref().map_or(&b"UNREADABLE"[..], |d| d));
        }
        Content::Repository(inner) => put_repository(stream, inner),
        Content::Special => {
            stream.raw(b"\0MODE\0SPECIAL\0");
        }
        Content::LeftOut(mode, oid) => {
            stream.raw(b"\0MODE\0").raw(mode).raw(b"\0INDEX\0").raw(oid).raw(b"\0");
        }
    }
}

fn put_repository(stream: &mut Stream, inner: &Repository) {
    stream.raw(b"\0MODE\x00160000\0HEAD\0").raw(&inner.head).raw(b"\0STATUS\0").raw(&inner.status);
    if !inner.status.is_empty() {
        stream.raw(b"\0DIFF\0").framed(&inner.diff);
        for (path, content) in &inner.untracked {
            put(stream, path, content);
        }
    }
}

fn mode(executable: bool) -> &'static [u8] {
    if executable { b"100755" } else { b"100644" }
}

/// How the working tree differs from HEAD, as git's binary diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tracked {
    /// `diff --binary HEAD --`
    Against(Vec<u8>),
    /// On an unborn HEAD: the cached diff and the working diff.
    Unborn(Vec<u8>, Vec<u8>),
}

/// The working fingerprint: changes on every commit, so that the pair tells a fix from its publication.
pub fn working(tracked: &Tracked, untracked: &BTreeMap<Vec<u8>, Content>) -> String {
    let mut stream = Stream::new();
    match tracked {
        Tracked::Against(diff) => stream.raw(b"FINAL_WORKTREE\0").raw(diff),
        Tracked::Unborn(cached, working) => stream.raw(b"UNBORN_CACHED\0").raw(cached).raw(b"UNBORN_WORKTREE\0").raw(working),
    };
    for (path, content) in untracked {
        stream.raw(b"UNTRACKED\0").framed(path).raw(b"\0MODE\0");
        match content {
            Content::Regular(executable, Some(digest)) => stream.raw(mode(*executable)).raw(b"\0CONTENT_SHA256\0").raw(digest),
            Content::Regular(executable, None) => stream.raw(mode(*executable)).raw(b"\0CONTENT_SHA256\0UNREADABLE"),
            Content::Link(target) => stream.raw(b"120000\0CONTENT_SHA256\0").raw(&crate::base::digest::sha256(target)),
            _ => stream.raw(b"OTHER\0CONTENT_SHA256\0SPECIAL"),
        };
    }
    stream.finish_hex()
}
