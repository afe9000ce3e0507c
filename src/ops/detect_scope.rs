//! detect-scope: what is under review (cases/scope/README.md; resolution spec §1).

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;

use super::Ask;
use super::checkout::{Candidate, Checkout, Commit, Look};
use super::contents;
use super::pull_request;
use crate::base::id::is_empty_tree;
use crate::base::reason::words;
use crate::base::{Code, Fail};
use crate::host::Host;
use crate::scope::change::{self, Raw, Status};
use crate::scope::pull_request::PullRequest;
use crate::scope::surface::{File, Legs, join, net_zero};

words! {
    /// What kind of scope it is.
    Kind {
        Pr "pr",
        Branch "branch",
        Worktree "worktree",
        Codebase "codebase",
        Nothing "nothing",
    }
}

/// What is asked.
#[derive(Debug, Default, Clone)]
pub struct Request {
    /// A folder of the checkout.
    pub repo: Option<String>,
    /// What to compare with.
    pub base: Option<String>,
    /// The pull request that is asked for.
    pub pr: pull_request::Request,
    /// State and reports folders of ours, left out while untracked.
    pub own: Vec<PathBuf>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The kind.
    pub kind: Kind,
    /// What the files are compared with.
    pub base: Option<String>,
    /// The commit checked out.
    pub head: Option<String>,
    /// Sorted by path bytes.
    pub files: Vec<File>,
    /// Sorted and unique.
    pub warnings: BTreeSet<&'static str>,
    /// The id that stands for the whole code base as a `--base`.
    pub empty_tree: &'static str,
    /// The pull request whose scope it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<PullRequest>,
}

impl Answer {
    /// The question for a person, when this scope cannot be reviewed as it is.
    pub fn ask(&self) -> Option<Ask> {
        if self.warnings.contains("unmerged") {
            let options = [("resolve", "resolve the conflicts, then ask again"), ("abort", "abort the merge or rebase, then ask again")];
            return Some(Ask::new("unmerged", "some files have unresolved conflicts; what should be reviewed?", &options));
        }
        (self.kind == Kind::Nothing).then(|| {
            let options = [("base", "name another base with --base"), ("stop", "there is nothing to review")];
            Ask::new("nothing_to_review", "nothing differs from the base; what should be reviewed?", &options)
        })
    }
}

/// Detects the scope.
///
/// # Errors
/// `NOT_A_REPOSITORY`, `BARE_REPOSITORY`, `BASE_NOT_FOUND`, `BASE_MISSING`, `NO_MERGE_BASE`, `GIT_FAILED`; of a pull request
/// `INVALID_ARGUMENT`, `GH_MISSING`, `GH_UNAUTHENTICATED`, `PR_NOT_FOUND`, `GH_FAILED`, and those of its document.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let folder = host.absolute(Some(request.repo.as_deref().unwrap_or(".")), "repository")?;
    let checkout = Checkout::open(host, &folder)?;
    if request.pr.is_some() {
        if request.base.is_some() {
            return Err(Fail::new(Code::InvalidArgument, "`--base` is not taken with a pull request, whose base is its own"));
        }
        let pr = pull_request::read(&request.pr, host, &checkout)?;
        return pull_request::scope(&checkout, host, pr);
    }
    let own = checkout.own(&request.own);
    Ok(detect(&checkout, host, request.base.as_deref(), checkout.look(&own)?)?.answer)
}

/// A scope, and what was read on the way to it that other rules about the same surface need.
pub struct Detected {
    /// The scope.
    pub answer: Answer,
    /// Staged, unstaged and untracked paths, with no claim left open.
    pub status: Status,
    /// Head and its tree.
    pub head: Option<Commit>,
    /// The tree of the merge base; none for a whole code base.
    pub base_tree: Option<String>,
    /// That tree against the working tree; none where conflicts made HEAD the base of the files instead.
    pub raw: Option<Vec<Raw>>,
}

/// Detects the scope of a checkout that is open and was looked at already.
///
/// # Errors
/// As [`run`].
pub fn detect(checkout: &Checkout, host: &Host, base: Option<&str>, look: Look) -> Result<Detected, Fail> {
    let Look { head, mut status, excluded } = look;
    let detached = status.standing.branch.is_none() && head.is_some();
    let mut warnings: BTreeSet<&'static str> = checkout.circumstances(host, detached).into_iter().collect();
    warnings.extend(excluded.then_some("own_files_excluded"));
    let from = origin(checkout, head.as_ref(), base, &status, &mut warnings)?;
    let differs = from.committed || from.whole || status.is_dirty();
    let raw = if differs { raw_diff(checkout, &[&from.compared])? } else { Vec::new() };
    checkout.settle(&mut status, &raw, head.as_ref().is_some_and(|h| from.compared == h.oid))?;
    let kind = match () {
        () if from.whole => Kind::Codebase,
        () if from.unmerged => Kind::Worktree,
        () if from.committed => Kind::Branch,
        () if status.is_dirty() => Kind::Worktree,
        () if base.is_some() || head.is_none() => Kind::Nothing,
        () => Kind::Codebase,
    };
    let files = match kind {
        Kind::Nothing => Vec::new(),
        Kind::Codebase if !from.whole => whole_codebase(checkout, &mut warnings)?,
        _ => files(checkout, &from, head.as_ref(), (&raw, &status), &mut warnings)?,
    };
    let kind = if kind == Kind::Codebase && files.is_empty() { Kind::Nothing } else { kind };
    let named = match kind {
        _ if from.whole => base.map(str::to_owned),
        Kind::Branch | Kind::Worktree => Some(from.compared),
        Kind::Nothing if base.is_some() => from.merge_base,
        _ => None,
    };
    let head_oid = head.as_ref().map(|h| h.oid.clone());
    let answer = Answer { kind, base: named, head: head_oid, files, warnings, empty_tree: checkout.empty_tree, pr: None };
    Ok(Detected { answer, status, head, base_tree: from.tree, raw: Some(raw).filter(|_| !(from.unmerged && from.committed)) })
}

/// What the working tree is compared with.
struct Origin {
    /// The commit; where nothing was before, the empty tree.
    compared: String,
    /// The tree of the merge base, of HEAD where there is none; none for the empty one.
    tree: Option<String>,
    /// The merge base with the base.
    merge_base: Option<String>,
    /// Whether the trees of merge base and HEAD differ.
    committed: bool,
    /// Whether there are conflicts: then the files are compared with HEAD.
    unmerged: bool,
    /// Whether the empty tree was asked for.
    whole: bool,
}

fn origin(
    checkout: &Checkout,
    head: Option<&Commit>,
    base: Option<&str>,
    status: &Status,
    warnings: &mut BTreeSet<&'static str>,
) -> Result<Origin, Fail> {
    let unmerged = status.tracked.values().any(|l| l.unmerged);
    let nothing =
        |whole| Origin { compared: checkout.empty_tree.to_owned(), tree: None, merge_base: None, committed: false, unmerged, whole };
    if base.is_some_and(is_empty_tree) {
        return Ok(nothing(true));
    }
    let merge_base = merge_base(checkout, head, base, status, warnings)?;
    let Some(head) = head else {
        warnings.insert("unborn_head");
        return Ok(nothing(false));
    };
    let tree = match &merge_base {
        Some(base) if *base != head.oid => checkout.tree_of(base)?,
        _ => head.tree.clone(),
    };
    let committed = tree != head.tree;
    if !committed && merge_base.as_ref().is_some_and(|b| *b != head.oid) {
        warnings.insert("no_net_change");
    }
    let compared = merge_base.clone().filter(|_| committed && !unmerged).unwrap_or_else(|| head.oid.clone());
    Ok(Origin { compared, tree: Some(tree), merge_base, committed, unmerged, whole: false })
}

/// The merge base to compare with: of the named base, else of the first default branch that has one.
fn merge_base(
    checkout: &Checkout,
    head: Option<&Commit>,
    base: Option<&str>,
    status: &Status,
    warnings: &mut BTreeSet<&'static str>,
) -> Result<Option<String>, Fail> {
    if let Some(name) = base {
        let (named, bases) = checkout.bases_with(head, name)?;
        return Ok(Some(noted(&named, bases, warnings)));
    }
    let candidates = checkout.default_bases(&status.standing)?;
    let Some(head) = head else { return Ok(None) };
    if candidates.is_empty() {
        warnings.insert("no_base_branch");
    }
    let mut tried = BTreeSet::new();
    for candidate in candidates {
        if !tried.insert(candidate.oid.clone()) {
            continue;
        }
        let bases = checkout.merge_bases(&head.oid, &candidate.oid)?;
        if !bases.is_empty() {
            return Ok(Some(noted(&candidate, bases, warnings)));
        }
        if checkout.shallow {
            return Err(checkout.no_merge_base(&candidate));
        }
        warnings.insert("no_merge_base");
    }
    Ok(None)
}

/// The first merge base, with what is odd about it.
fn noted(with: &Candidate, bases: Vec<String>, warnings: &mut BTreeSet<&'static str>) -> String {
    warnings.extend((bases.len() > 1).then_some("multiple_merge_bases"));
    let first = bases.into_iter().next().unwrap_or_default();
    warnings.extend((first != with.oid).then_some("behind_base"));
    first
}

fn files(
    checkout: &Checkout,
    from: &Origin,
    head: Option<&Commit>,
    (raw, status): (&[Raw], &Status),
    warnings: &mut BTreeSet<&'static str>,
) -> Result<Vec<File>, Fail> {
    let mut legs = Legs { raw: raw.to_vec(), status: status.clone(), ..Legs::default() };
    if !net_zero(raw, status).is_empty() {
        let base = &from.compared;
        legs.base_to_index = raw_diff(checkout, &["--cached", base])?;
        legs.base_to_head = match head {
            Some(head) if *base != head.oid => raw_diff(checkout, &[base, &head.oid])?,
            _ => Vec::new(),
        };
    }
    legs.binary_untracked = contents::binary_files(checkout, &status.untracked);
    legs.hints.clone_from(&checkout.hints);
    let (files, more) = join(&legs);
    warnings.extend(more);
    Ok(files)
}

/// Base against working tree, with renames at git's default 50 % and without limit.
pub(super) fn raw_diff(checkout: &Checkout, revisions: &[&str]) -> Result<Vec<Raw>, Fail> {
    let form = ["--raw", "--numstat", "-z", "--no-abbrev", "--find-renames=50%", "-l0"];
    Ok(change::raw(&checkout.git.diff(&[&form[..], revisions].concat(), &[])?))
}

/// Every tracked file as an addition.
fn whole_codebase(checkout: &Checkout, warnings: &mut BTreeSet<&'static str>) -> Result<Vec<File>, Fail> {
    // Attributes can call a text binary and the other way round; only git knows all their sources.
    let attributed = checkout.entries().any(|e| e.path == b".gitattributes" || e.path.ends_with(b"/.gitattributes"))
        || checkout.git_dir.join("info/attributes").exists();
    let binary: BTreeSet<Vec<u8>> = if attributed {
        raw_diff(checkout, &[checkout.empty_tree])?.into_iter().filter(|r| r.binary).map(|r| r.path).collect()
    } else {
        let paths: Vec<Vec<u8>> = checkout.entries().filter(|e| !e.submodule).map(|e| e.path.to_vec()).collect();
        contents::binary_files(checkout, &paths)
    };
    let mut files: Vec<File> =
        checkout.entries().map(|e| File::whole(e.path.to_vec(), e.submodule, !e.submodule && binary.contains(e.path))).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    warnings.extend(files.iter().any(|f| std::str::from_utf8(&f.path).is_err()).then_some("non_utf8_path"));
    Ok(files)
}
