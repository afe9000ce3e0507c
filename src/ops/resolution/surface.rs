//! The surface of a loop as it stands now: what is compared with the base that was captured at the start, or why nothing can be.

use std::collections::BTreeSet;

use super::{Folder, Stored};
use crate::base::digest::{Stream, hex, sha256_hex};
use crate::base::id::is_empty_tree;
use crate::base::{Code, Fail};
use crate::ops::detect_scope::{self, Answer, Kind, raw_diff};
use crate::ops::{Ask, contents, fingerprint_scope};
use crate::scope::fingerprint::Content;
use crate::scope::surface::{File, Legs, join};
use crate::wire::surface::Surface;

/// The surface now.
pub struct Now {
    /// The scope.
    pub scope: Answer,
    /// Its fingerprint.
    pub fingerprint: String,
    /// What stands at each of its paths.
    pub surface: Surface,
    /// Why it cannot be reviewed as it is.
    pub ask: Option<Ask>,
}

impl Now {
    /// The surface, where there is one to speak of.
    ///
    /// # Errors
    /// `STALE_STATE` when what is checked out does not stand on what was reviewed: then nothing is comparable.
    pub fn standing(self) -> Result<Now, Fail> {
        match &self.ask {
            Some(ask) if self.fingerprint.is_empty() => Err(Fail::new(Code::StaleState, ask.question.clone())
                .hint("check out what was reviewed, or open a new loop; check-convergence asks which")),
            _ => Ok(self),
        }
    }
}

/// Looks at the surface of a loop; `last` is the round that was reviewed last.
///
/// # Errors
/// As detect-scope and fingerprint-scope.
pub fn now(folder: &Folder<'_>, last: Option<&Stored>) -> Result<Now, Fail> {
    let (checkout, base) = (&folder.checkout, folder.record.base.as_str());
    let look = checkout.look(&checkout.own(&folder.own()))?;
    let head = look.head.as_ref().map(|h| h.oid.clone());
    let ask = lost(folder, head.as_deref(), last)?;
    if ask.is_some() {
        // Without its base there is nothing to compare with: what is left is the question.
        let empty = Answer {
            kind: Kind::Nothing,
            base: Some(base.to_owned()),
            head,
            files: Vec::new(),
            warnings: BTreeSet::new(),
            empty_tree: checkout.empty_tree,
            pr: None,
        };
        return Ok(Now { scope: empty, fingerprint: String::new(), surface: Surface::new(), ask });
    }
    let dirty: Vec<Vec<u8>> = look.status.tracked.keys().chain(&look.status.untracked).cloned().collect();
    let fingerprint = fingerprint_scope::scope_fingerprint(checkout, Some(base), look.clone())?;
    let scope = match (folder.pull_request(), &head) {
        (Some(pr), Some(head)) => pull_request(folder, pr.clone(), head)?,
        _ => {
            let scope = detect_scope::detect(checkout, folder.host, Some(base), look)?.answer;
            let kind = if scope.files.is_empty() { Kind::Nothing } else { kind(&folder.record.kind) };
            Answer { kind, base: Some(base.to_owned()), ..scope }
        }
    };
    // What differs from HEAD counts too, in scope or not: an edit outside a pull request's files is an edit.
    let surface = contents_of(folder, &scope.files, &dirty)?;
    let ask = if scope.warnings.contains("unmerged") { scope.ask() } else { open(folder, &scope, (&dirty, &surface), last) };
    Ok(Now { scope, fingerprint, surface, ask })
}

fn kind(word: &str) -> Kind {
    Kind::parse(word).unwrap_or(Kind::Worktree)
}

/// Base against the commit that is checked out: what is not committed is none of a pull request.
fn pull_request(folder: &Folder<'_>, pr: crate::scope::pull_request::PullRequest, head: &str) -> Result<Answer, Fail> {
    let (checkout, base) = (&folder.checkout, folder.record.base.as_str());
    let raw = raw_diff(checkout, &[base, head])?;
    let (files, more) = join(&Legs { raw, ..Legs::default() });
    let mut warnings: BTreeSet<&'static str> = checkout.circumstances(folder.host, false).into_iter().collect();
    warnings.extend(more);
    let kind = if files.is_empty() { Kind::Nothing } else { Kind::Pr };
    let (base, head) = (Some(base.to_owned()), Some(head.to_owned()));
    Ok(Answer { kind, base, head, files, warnings, empty_tree: checkout.empty_tree, pr: Some(pr) })
}

/// Whether what is checked out still stands on what was reviewed.
fn lost(folder: &Folder<'_>, head: Option<&str>, last: Option<&Stored>) -> Result<Option<Ask>, Fail> {
    let (checkout, record) = (&folder.checkout, &folder.record);
    let stands_on = |old: &str| -> Result<bool, Fail> {
        if is_empty_tree(old) || head == Some(old) {
            return Ok(true);
        }
        let Some(head) = head else { return Ok(false) };
        Ok(checkout.commit(old)?.is_some() && checkout.merge_bases(head, old)?.iter().any(|b| b == old))
    };
    let again = ("again", "open a new loop on what is checked out now");
    if !stands_on(&record.base)? {
        let question = "the commit that everything is compared with is no longer an ancestor of what is checked out; what now?";
        let back = ("checkout", "check out what was reviewed, keeping the edits that are here, then ask again");
        return Ok(Some(Ask::new("base_lost", question, &[back, again])));
    }
    let Some(pr) = folder.pull_request() else { return Ok(None) };
    let reviewed = last.and_then(|s| s.review.bound.head.as_deref()).unwrap_or(&pr.head_oid);
    if stands_on(reviewed)? {
        return Ok(None);
    }
    let question = "what is checked out does not stand on the head of the pull request that was reviewed; what now?";
    let checkout = ("checkout", "check out the pull request's head, keeping the edits that are here, then ask again");
    Ok(Some(Ask::new("head_mismatch", question, &[checkout, again])))
}

/// Whether the surface can be reviewed: edits of a pull request are committed, and it did not vanish.
fn open(folder: &Folder<'_>, scope: &Answer, (dirty, surface): (&[Vec<u8>], &Surface), last: Option<&Stored>) -> Option<Ask> {
    let in_scope = |path: &Vec<u8>| scope.files.iter().any(|f| f.path == *path || f.old_path.as_ref() == Some(path));
    // What a fix wrote outside the pull request's own files is no less a fix.
    let fixed = |path: &Vec<u8>| {
        let record = last.and_then(|s| s.dispositions.as_ref());
        record.is_some_and(|d| d.landed() && d.moved.contains(&written(path)))
    };
    // And what was edited since the last review, wherever, is nothing that a diff of commits shows a reviewer.
    let fresh = |path: &Vec<u8>| last.is_some_and(|s| s.surface.get(&written(path)) != surface.get(&written(path)));
    if folder.pull_request().is_some() && dirty.iter().any(|p| in_scope(p) || fixed(p) || fresh(p)) {
        let question =
            "files of the pull request or of its fixes hold edits that are not committed, which no diff of commits shows; what now?";
        let options = [
            ("commit", "commit the fixes on the reviewed head, naming their files, then ask again"),
            ("set_aside", "these edits are no fix: put them on a branch of their own, then ask again"),
        ];
        return Some(Ask::new("uncommitted_fix", question, &options));
    }
    if scope.files.is_empty() && last.is_none_or(|s| !s.surface.is_empty()) {
        let (code, question) = match last {
            Some(_) => ("surface_emptied", "the change that was reviewed is gone: nothing differs from its base any more; what now?"),
            None => ("nothing_to_review", "nothing differs from the base; what should be reviewed?"),
        };
        let options = [("restore", "bring the change back, then ask again"), ("again", "open a new loop on what is there now")];
        return Some(Ask::new(code, question, &options));
    }
    None
}

fn contents_of(folder: &Folder<'_>, files: &[File], dirty: &[Vec<u8>]) -> Result<Surface, Fail> {
    let listed = files.iter().flat_map(|f| [Some(f.path.clone()), f.old_path.clone()]).flatten();
    let paths: BTreeSet<Vec<u8>> = listed.chain(dirty.iter().cloned()).collect();
    let read = contents::read(&folder.checkout, &paths)?;
    Ok(read.iter().map(|(path, content)| (written(path), digest(content))).collect())
}

/// A path as a surface names it.
pub fn written(path: &[u8]) -> String {
    std::str::from_utf8(path).map_or_else(|_| format!("hex:{}", hex(path)), str::to_owned)
}

/// What stands at a path in one word; equal words are equal content.
fn digest(content: &Content) -> String {
    match content {
        Content::Missing => "missing".to_owned(),
        Content::Unreadable | Content::Regular(_, None) => "unreadable".to_owned(),
        Content::Special => "special".to_owned(),
        Content::Link(target) => format!("link:{}", sha256_hex(target)),
        Content::Regular(executable, Some(digest)) => format!("{}{}", hex(digest), if *executable { "x" } else { "" }),
        Content::LeftOut(mode, oid) => format!("index:{}:{}", String::from_utf8_lossy(mode), String::from_utf8_lossy(oid)),
        Content::Repository(inner) => {
            let mut stream = Stream::new();
            stream.framed(&inner.head).framed(&inner.status).framed(&inner.diff);
            for (path, content) in &inner.untracked {
                stream.framed(path).framed(digest(content).as_bytes());
            }
            format!("repository:{}", stream.finish_hex())
        }
    }
}

/// The paths that differ between two surfaces.
pub fn moved(before: &Surface, after: &Surface) -> BTreeSet<String> {
    let differs = |(path, digest): (&String, &String)| (after.get(path) != Some(digest)).then(|| path.clone());
    let fresh = after.keys().filter(|p| !before.contains_key(*p)).cloned();
    before.iter().filter_map(differs).chain(fresh).collect()
}
