//! fingerprint-scope: the two fingerprints of a checkout (waves spec §6; cases/scope/README.md, Fingerprint).

use std::collections::BTreeSet;

use serde::Serialize;

use super::checkout::{Checkout, Commit, Look};
use super::contents;
pub use super::detect_scope::Request;
use crate::base::id::is_empty_tree;
use crate::base::{Code, Fail};
use crate::host::Host;
use crate::host::git::records;
use crate::scope::change::Status;
use crate::scope::fingerprint::{Comparison, Content, Partial, Tracked, scope, working};

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// `changes` or `codebase`.
    pub mode: &'static str,
    /// What was reviewed.
    pub scope_fingerprint: String,
    /// What the working tree is against HEAD.
    pub working_fingerprint: String,
    /// Sorted.
    pub warnings: BTreeSet<&'static str>,
}

/// Fingerprints the scope.
///
/// # Errors
/// `NOT_A_REPOSITORY`, `BARE_REPOSITORY`, `BASE_NOT_FOUND`, `BASE_MISSING`, `NO_MERGE_BASE`, `GIT_FAILED`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let folder = host.absolute(Some(request.repo.as_deref().unwrap_or(".")), "repository")?;
    let checkout = Checkout::open(host, &folder)?;
    let own = checkout.own(&request.own);
    let Look { head, status, excluded } = checkout.look(&own)?;
    let mut warnings: BTreeSet<&'static str> =
        checkout.circumstances(host, false).into_iter().filter(|w| *w == "git_env_ignored").collect();
    if excluded {
        warnings.insert("own_files_excluded");
    }
    let described = describe(&checkout, head.as_ref(), request.base.as_deref(), &status)?;
    let scope_fingerprint = of_scope(&checkout, head.as_ref(), &described, &status)?;
    let working_fingerprint = of_working(&checkout, head.is_some(), &status)?;
    Ok(Answer { mode: described.mode, scope_fingerprint, working_fingerprint, warnings })
}

/// The scope fingerprint of a checkout that is open and was looked at already, against one base.
///
/// # Errors
/// As [`run`].
pub fn scope_fingerprint(checkout: &Checkout, base: &str, look: &Look) -> Result<String, Fail> {
    let described = describe(checkout, look.head.as_ref(), Some(base), &look.status)?;
    of_scope(checkout, look.head.as_ref(), &described, &look.status)
}

struct Described {
    mode: &'static str,
    comparison: Comparison,
}

fn describe(checkout: &Checkout, head: Option<&Commit>, base: Option<&str>, status: &Status) -> Result<Described, Fail> {
    if let Some(base) = base {
        if is_empty_tree(base) {
            return Ok(Described { mode: "codebase", comparison: Comparison::WholeCodebase });
        }
        let named = checkout.named_base(base)?;
        let message = || format!("HEAD and `{}` share no commit here", crate::base::path::printable(base));
        let head = head.ok_or_else(|| Fail::new(Code::NoMergeBase, message()))?;
        let bases = checkout.merge_bases(&head.oid, &named.oid)?;
        let code = if checkout.shallow { Code::BaseMissing } else { Code::NoMergeBase };
        let first = bases.first().ok_or_else(|| Fail::new(code, message()))?;
        return Ok(Described { mode: "changes", comparison: Comparison::Tree(checkout.tree_of(first)?) });
    }
    let (changed, comparison) = descriptor(checkout, head)?;
    let dirty = !status.tracked.is_empty() || !status.untracked.is_empty();
    Ok(Described { mode: if changed || dirty { "changes" } else { "codebase" }, comparison })
}

/// The descriptor of waves spec §6: remote default, upstream, local default; the first one that differs, else the first
/// one with a merge base.
fn descriptor(checkout: &Checkout, head: Option<&Commit>) -> Result<(bool, Comparison), Fail> {
    let Some(head) = head else {
        return Ok((false, Comparison::WholeCodebase));
    };
    let branch = checkout.branch()?;
    let mut fallback = None;
    let mut groups = BTreeSet::new();
    for candidate in checkout.default_bases(branch.as_deref())? {
        let group = if candidate.name.starts_with("origin/") { 0 } else { 1 + u8::from(candidate.name != "@{upstream}") };
        // Of each group only the first ref that resolves is the default; later groups only count without a fallback.
        if !groups.insert(group) || (fallback.is_some() && group > 0) {
            continue;
        }
        let bases = if candidate.oid == head.oid { vec![head.oid.clone()] } else { checkout.merge_bases(&head.oid, &candidate.oid)? };
        let Some(base) = bases.into_iter().next() else {
            continue;
        };
        let tree = checkout.tree_of(&base)?;
        let own_branch = branch.as_deref() == Some(candidate.name.as_str());
        let changed = if group == 1 { base != head.oid } else { tree != head.tree };
        let comparison = if own_branch { Comparison::WholeCodebase } else { Comparison::Tree(tree) };
        if changed {
            return Ok((true, comparison));
        }
        fallback.get_or_insert(comparison);
    }
    Ok((false, fallback.unwrap_or(Comparison::WholeCodebase)))
}

fn of_scope(checkout: &Checkout, head: Option<&Commit>, described: &Described, status: &Status) -> Result<String, Fail> {
    let mut paths: BTreeSet<Vec<u8>> = status.tracked.keys().chain(&status.untracked).cloned().collect();
    match (&described.comparison, head) {
        (Comparison::Tree(tree), Some(head)) => {
            let words =
                ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", tree, &head.tree];
            paths.extend(records(&checkout.git.run(&words, b"")?.stdout).map(<[u8]>::to_vec));
        }
        _ => paths.extend(records(&checkout.git.run(&["ls-files", "-z"], b"")?.stdout).map(<[u8]>::to_vec)),
    }
    let contents = contents::read(checkout, &paths)?;
    let partial = partial(checkout, status)?;
    Ok(scope(&described.comparison, &contents, partial.as_ref()))
}

/// The halves of paths that are both staged and unstaged, in argument lists of bounded length.
fn partial(checkout: &Checkout, status: &Status) -> Result<Option<Partial>, Fail> {
    let both = status.tracked.iter().filter(|(_, l)| l.staged && l.unstaged && !l.unmerged);
    let paths: Vec<&[u8]> = both.map(|(p, _)| p.as_slice()).collect();
    if paths.is_empty() {
        return Ok(None);
    }
    let mut halves = Partial { index: Vec::new(), worktree: Vec::new() };
    for part in paths.chunks(200) {
        let common = ["diff", "--binary", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"];
        halves.index.extend(checkout.git.run_on_paths(&[&common[..], &["--cached"]].concat(), part)?);
        halves.worktree.extend(checkout.git.run_on_paths(&common, part)?);
    }
    Ok(Some(halves))
}

fn of_working(checkout: &Checkout, born: bool, status: &Status) -> Result<String, Fail> {
    let diff = |more: &[&str]| -> Result<Vec<u8>, Fail> {
        let words = [&["diff", "--binary", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"], more, &["--"]].concat();
        Ok(checkout.git.run(&words, b"")?.stdout)
    };
    let tracked = if born { Tracked::Against(diff(&["HEAD"])?) } else { Tracked::Unborn(diff(&["--cached"])?, diff(&[])?) };
    let untracked: BTreeSet<Vec<u8>> = status.untracked.iter().cloned().collect();
    let contents: std::collections::BTreeMap<Vec<u8>, Content> = contents::read(checkout, &untracked)?;
    Ok(working(&tracked, &contents))
}
