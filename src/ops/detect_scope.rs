//! detect-scope: what is under review (cases/scope/README.md; resolution spec §1).

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;

use super::Ask;
use super::checkout::{Candidate, Checkout, Commit, Look};
use super::contents;
use crate::base::id::is_empty_tree;
use crate::base::reason::words;
use crate::base::{Code, Fail};
use crate::host::Host;
use crate::host::git::records;
use crate::scope::change::{self, Raw, Status};
use crate::scope::surface::{File, Legs, join, net_zero};

words! {
    /// What kind of scope it is.
    Kind {
        Branch "branch",
        Worktree "worktree",
        Codebase "codebase",
        Nothing "nothing",
    }
}

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// A folder of the checkout.
    pub repo: Option<String>,
    /// What to compare with.
    pub base: Option<String>,
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
/// `NOT_A_REPOSITORY`, `BARE_REPOSITORY`, `BASE_NOT_FOUND`, `BASE_MISSING`, `NO_MERGE_BASE`, `GIT_FAILED`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let folder = host.absolute(Some(request.repo.as_deref().unwrap_or(".")), "repository")?;
    let checkout = Checkout::open(host, &folder)?;
    let own = checkout.own(&request.own);
    detect(&checkout, host, request.base.as_deref(), checkout.look(&own)?)
}

/// Detects the scope of a checkout that is open and was looked at already.
///
/// # Errors
/// As [`run`].
pub fn detect(checkout: &Checkout, host: &Host, base: Option<&str>, look: Look) -> Result<Answer, Fail> {
    if let Some(base) = base.filter(|b| is_empty_tree(b)) {
        return against_nothing(checkout, host, base, look);
    }
    let Look { head, status, excluded } = look;
    let branch = checkout.branch()?;
    let mut warnings: BTreeSet<&'static str> = checkout.circumstances(host, branch.is_none() && head.is_some()).into_iter().collect();
    let merge_base = merge_base(checkout, (head.as_ref(), branch.as_deref()), base, &mut warnings)?;
    if excluded {
        warnings.insert("own_files_excluded");
    }
    let dirty = !status.tracked.is_empty() || !status.untracked.is_empty();
    let unmerged = status.tracked.values().any(|l| l.unmerged);
    let Some(head) = head else {
        warnings.insert("unborn_head");
        let base = checkout.empty_tree.to_owned();
        let kind = if dirty { Kind::Worktree } else { Kind::Nothing };
        let base = (kind == Kind::Worktree).then_some(base);
        let files = files(checkout, base.as_deref(), checkout.empty_tree, status, &mut warnings)?;
        return Ok(Answer { kind, base, head: None, files, warnings, empty_tree: checkout.empty_tree });
    };
    let committed = match &merge_base {
        Some(base) => *base != head.oid && checkout.tree_of(base)? != head.tree,
        None => false,
    };
    if !committed && merge_base.as_ref().is_some_and(|b| *b != head.oid) {
        warnings.insert("no_net_change");
    }
    let kind = match () {
        () if unmerged => Kind::Worktree,
        () if committed => Kind::Branch,
        () if dirty => Kind::Worktree,
        () if base.is_some() => Kind::Nothing,
        () => Kind::Codebase,
    };
    match kind {
        Kind::Codebase => {
            let files = whole_codebase(checkout)?;
            if files.is_empty() {
                return Ok(Answer {
                    kind: Kind::Nothing,
                    base: None,
                    head: Some(head.oid),
                    files,
                    warnings,
                    empty_tree: checkout.empty_tree,
                });
            }
            let odd = files.iter().any(|f| std::str::from_utf8(&f.path).is_err());
            warnings.extend(odd.then_some("non_utf8_path"));
            Ok(Answer { kind, base: None, head: Some(head.oid), files, warnings, empty_tree: checkout.empty_tree })
        }
        Kind::Nothing => {
            Ok(Answer { kind, base: merge_base, head: Some(head.oid), files: Vec::new(), warnings, empty_tree: checkout.empty_tree })
        }
        _ => {
            let against = if kind == Kind::Branch { merge_base.unwrap_or_else(|| head.oid.clone()) } else { head.oid.clone() };
            let files = files(checkout, Some(&against), &head.oid, status, &mut warnings)?;
            Ok(Answer { kind, base: Some(against), head: Some(head.oid), files, warnings, empty_tree: checkout.empty_tree })
        }
    }
}

/// The whole code base, uncommitted work included: everything is an addition to the empty tree.
fn against_nothing(checkout: &Checkout, host: &Host, base: &str, look: Look) -> Result<Answer, Fail> {
    let Look { head, status, excluded } = look;
    let detached = checkout.branch()?.is_none() && head.is_some();
    let mut warnings: BTreeSet<&'static str> = checkout.circumstances(host, detached).into_iter().collect();
    warnings.extend(excluded.then_some("own_files_excluded"));
    let head = head.map(|h| h.oid);
    let files = files(checkout, Some(checkout.empty_tree), checkout.empty_tree, status, &mut warnings)?;
    let kind = if files.is_empty() { Kind::Nothing } else { Kind::Codebase };
    Ok(Answer { kind, base: Some(base.to_owned()), head, files, warnings, empty_tree: checkout.empty_tree })
}

/// The merge base to compare with: of the named base, else of the first default branch that has one.
fn merge_base(
    checkout: &Checkout,
    (head, branch): (Option<&Commit>, Option<&str>),
    base: Option<&str>,
    warnings: &mut BTreeSet<&'static str>,
) -> Result<Option<String>, Fail> {
    let candidates: Vec<Candidate> = match base {
        Some(name) => vec![checkout.named_base(name)?],
        None => checkout.default_bases(branch)?,
    };
    let Some(head) = head else {
        return match base {
            Some(_) => Err(Fail::new(Code::NoMergeBase, "HEAD has no commit yet, so it shares none with the base")),
            None => Ok(None),
        };
    };
    if candidates.is_empty() {
        warnings.insert("no_base_branch");
    }
    let mut tried = BTreeSet::new();
    for candidate in candidates {
        if !tried.insert(candidate.oid.clone()) {
            continue;
        }
        let bases = if candidate.oid == head.oid { vec![head.oid.clone()] } else { checkout.merge_bases(&head.oid, &candidate.oid)? };
        let Some(first) = bases.first() else {
            let message = format!("HEAD and `{}` share no commit here", crate::base::path::printable(&candidate.name));
            if checkout.shallow {
                return Err(Fail::new(Code::BaseMissing, message));
            }
            if base.is_some() {
                return Err(Fail::new(Code::NoMergeBase, message));
            }
            warnings.insert("no_merge_base");
            continue;
        };
        if bases.len() > 1 {
            warnings.insert("multiple_merge_bases");
        }
        if *first != candidate.oid {
            warnings.insert("behind_base");
        }
        return Ok(Some(first.clone()));
    }
    Ok(None)
}

/// Base against working tree, with renames at git's default 50 % and without limit.
const DIFF: [&str; 10] = [
    "diff",
    "--raw",
    "--numstat",
    "-z",
    "--no-abbrev",
    "--find-renames=50%",
    "-l0",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=none",
];

fn files(
    checkout: &Checkout,
    base: Option<&str>,
    head: &str,
    status: Status,
    warnings: &mut BTreeSet<&'static str>,
) -> Result<Vec<File>, Fail> {
    let Some(base) = base else {
        return Ok(Vec::new());
    };
    let raw = raw_diff(checkout, &[base, "--"])?;
    let mut legs = Legs { raw, ..Legs::default() };
    if !net_zero(&legs.raw, &status).is_empty() {
        legs.base_to_index = raw_diff(checkout, &["--cached", base, "--"])?;
        legs.base_to_head = if base == head { Vec::new() } else { raw_diff(checkout, &[base, head, "--"])? };
    }
    legs.binary_untracked = contents::binary_files(checkout, &status.untracked);
    legs.hints.clone_from(&checkout.hints);
    legs.status = status;
    let (files, more) = join(&legs);
    warnings.extend(more);
    Ok(files)
}

fn raw_diff(checkout: &Checkout, revisions: &[&str]) -> Result<Vec<Raw>, Fail> {
    let words: Vec<&str> = DIFF.iter().copied().chain(revisions.iter().copied()).collect();
    Ok(change::raw(&checkout.git.run(&words, b"")?.stdout))
}

/// Every tracked file as an addition.
pub fn whole_codebase(checkout: &Checkout) -> Result<Vec<File>, Fail> {
    let staged = checkout.git.run(&["ls-files", "--stage", "-z"], b"")?.stdout;
    let entries: Vec<(Vec<u8>, bool)> = records(&staged)
        .filter_map(|r| {
            let tab = r.iter().position(|b| *b == b'\t')?;
            Some((r[tab + 1..].to_vec(), r.starts_with(b"160000")))
        })
        .collect();
    // Attributes can call a text binary and the other way round; only git knows all their sources.
    let attributed = entries.iter().any(|(p, _)| p == b".gitattributes" || p.ends_with(b"/.gitattributes"))
        || checkout.git_dir.join("info/attributes").exists();
    let binary: BTreeSet<Vec<u8>> = if attributed {
        raw_diff(checkout, &[checkout.empty_tree, "--"])?.into_iter().filter(|r| r.binary).map(|r| r.path).collect()
    } else {
        let paths: Vec<Vec<u8>> = entries.iter().filter(|(_, sub)| !sub).map(|(p, _)| p.clone()).collect();
        contents::binary_files(checkout, &paths)
    };
    let mut files: Vec<File> = entries
        .into_iter()
        .map(|(path, sub)| {
            let binary = !sub && binary.contains(&path);
            File::whole(path, sub, binary)
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    Ok(files)
}
