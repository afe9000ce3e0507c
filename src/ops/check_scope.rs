//! check-scope: whether what is checked out is what a scope describes, and whether edits that are not of it lie in its files
//! (resolution spec §2).

use std::collections::BTreeSet;

use serde::Serialize;

use super::checkout::{Checkout, Look};
use super::{Ask, detect_scope};
use crate::base::Fail;
use crate::base::path::printable;
use crate::host::{Host, files};
use crate::scope::pull_request::{Relation, relation};
use crate::wire::scope;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// A folder of the checkout.
    pub repo: Option<String>,
    /// An answer of detect-scope.
    pub scope: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether the head of the scope is checked out.
    pub head_matches: bool,
    /// How the commit that is checked out stands to it.
    pub relation: Relation,
    /// The commit that is checked out.
    pub local_head: Option<String>,
    /// Whether the base is here.
    pub base_present: bool,
    /// Whether the head is here.
    pub head_present: bool,
    /// Tracked and untracked files that differ from HEAD.
    pub dirty: Vec<String>,
    /// Those of them that the scope holds.
    pub overlap: Vec<String>,
    /// Sorted.
    pub warnings: BTreeSet<&'static str>,
}

/// Checks a scope against the checkout. The question behind the exit status: is what is checked out what is to be reviewed?
///
/// # Errors
/// `INVALID_PATH`, those of the document, `NOT_A_REPOSITORY`, `GIT_FAILED`.
pub fn run(request: &Request, host: &Host) -> Result<(Answer, Option<Ask>), Fail> {
    let path = host.absolute(request.scope.as_deref(), "scope")?;
    let named = |fail: Fail| Fail { message: format!("the scope `{}`: {}", printable(&path.to_string_lossy()), fail.message), ..fail };
    let scope = files::read_text(&path, files::DOCUMENT_LIMIT).and_then(|bytes| scope::read(&bytes).map_err(named))?;
    let folder = host.absolute(Some(request.repo.as_deref().unwrap_or(".")), "repository")?;
    let checkout = Checkout::open(host, &folder)?;
    let look = checkout.look(&checkout.own(&[]))?;
    of(&scope, &checkout, look)
}

/// Checks a scope that was just detected.
///
/// # Errors
/// `GIT_FAILED`.
pub fn of_scope(scope: &detect_scope::Answer, checkout: &Checkout, look: Look) -> Result<(Answer, Option<Ask>), Fail> {
    let paths = scope.files.iter().flat_map(|f| [Some(f.path.clone()), f.old_path.clone()]).flatten().collect();
    of(&scope::Scope { kind: scope.kind.word().to_owned(), base: scope.base.clone(), head: scope.head.clone(), paths }, checkout, look)
}

fn of(scope: &scope::Scope, checkout: &Checkout, look: Look) -> Result<(Answer, Option<Ask>), Fail> {
    let local = look.head.as_ref().map(|h| h.oid.clone());
    let present = |oid: &Option<String>| -> Result<bool, Fail> {
        oid.as_ref().map_or(Ok(true), |oid| Ok(crate::base::id::is_empty_tree(oid) || checkout.commit(oid)?.is_some()))
    };
    let (base_present, head_present) = (present(&scope.base)?, present(&scope.head)?);
    let relation = stands(checkout, local.as_deref(), scope.head.as_deref(), head_present)?;
    let dirty: BTreeSet<Vec<u8>> = look.status.tracked.keys().cloned().chain(look.status.untracked.iter().cloned()).collect();
    let fold = checkout.ignores_case()?;
    let paths: BTreeSet<Vec<u8>> = scope.paths.iter().map(|p| plain(p, fold)).collect();
    let overlap: Vec<&Vec<u8>> = dirty.iter().filter(|d| touches(&plain(d, fold), &paths)).collect();
    let shown = |path: &Vec<u8>| String::from_utf8_lossy(path).into_owned();
    let pr = scope.kind == "pr";
    let mut warnings = BTreeSet::new();
    warnings.extend((pr && overlap.len() < dirty.len()).then_some("dirty_elsewhere"));
    let hidden = scope.paths.iter().any(|p| checkout.hints.contains_key(p));
    warnings.extend(hidden.then_some("index_hints"));
    let based = match (&scope.base, &local) {
        (Some(base), Some(local)) if base_present && !crate::base::id::is_empty_tree(base) => {
            checkout.merge_bases(local, base)?.contains(base)
        }
        (Some(_), _) => base_present,
        (None, _) => true,
    };
    let answer = Answer {
        head_matches: relation == Relation::Same,
        relation,
        local_head: local,
        base_present,
        head_present,
        dirty: dirty.iter().map(shown).collect(),
        overlap: if pr { overlap.into_iter().map(shown).collect() } else { Vec::new() },
        warnings,
    };
    let ask = question(&answer, pr, based);
    Ok((answer, ask))
}

fn stands(checkout: &Checkout, local: Option<&str>, head: Option<&str>, present: bool) -> Result<Relation, Fail> {
    let (Some(local), Some(head)) = (local, head) else {
        return Ok(if local == head { Relation::Same } else { Relation::Unknown });
    };
    if local == head || !present {
        return Ok(relation(local, head, None));
    }
    let bases = checkout.merge_bases(local, head)?;
    Ok(relation(local, head, Some(bases.first().map(String::as_str))))
}

/// A path without the slash of a folder, and without case where the file system does not tell.
fn plain(path: &[u8], fold: bool) -> Vec<u8> {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    if fold { String::from_utf8_lossy(path).to_lowercase().into_bytes() } else { path.to_vec() }
}

/// Whether a path is one of these, or lies in or around one. Bound: the depth of the path, each looked up.
fn touches(dirty: &[u8], paths: &BTreeSet<Vec<u8>>) -> bool {
    let folders = dirty.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(at, _)| &dirty[..at]);
    let inside = [dirty, b"/"].concat();
    let below = paths.range(inside.clone()..).next().is_some_and(|p| p.starts_with(&inside));
    folders.chain([dirty]).any(|path| paths.contains(path)) || below
}

/// What a person decides. Nothing advises to throw edits away: they may be the fix.
fn question(answer: &Answer, pr: bool, based: bool) -> Option<Ask> {
    const STOP: (&str, &str) = ("stop", "do not review");
    if pr && !answer.head_matches {
        let question = format!(
            "the pull request's head is not checked out (what is checked out is {}); what should be reviewed?",
            answer.relation.word()
        );
        let options = [
            ("checkout", "check out the pull request's head, keeping the edits that are here, then ask again"),
            ("worktree", "review what is checked out here instead (open-resolution --no-gh, without --pr)"),
            STOP,
        ];
        return Some(Ask::new("head_mismatch", question, &options));
    }
    if pr && !answer.overlap.is_empty() {
        let options = [
            ("adopt", "these edits belong to it: review the working tree (open-resolution --adopt)"),
            ("keep", "they do not: put them on a branch of their own first, then ask again"),
            STOP,
        ];
        let question =
            "files of the pull request hold edits that are not committed; they may be a fix. Do they belong to what is reviewed?";
        return Some(Ask::new("dirty_overlap", question, &options));
    }
    if !pr && !based {
        let options = [("again", "detect the scope again from what is checked out"), STOP];
        let question =
            "the commit that the scope is compared with is no longer an ancestor of what is checked out; what should be reviewed?";
        return Some(Ask::new("base_lost", question, &options));
    }
    None
}

impl Answer {
    /// Whether the scope can be reviewed as it is.
    pub fn is_sound(&self) -> bool {
        self.base_present && self.head_present
    }
}
