//! fingerprint-scope: the two fingerprints of a checkout (waves spec §6; cases/scope/README.md, Fingerprint).

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;

use super::checkout::{Checkout, Commit, Look};
use super::contents;
use super::detect_scope::Detected;
pub use super::detect_scope::Request;
use crate::base::Fail;
use crate::base::digest::Stream;
use crate::base::id::is_empty_tree;
use crate::host::{Host, files};
use crate::scope::change::{self, Raw, Status};
use crate::scope::fingerprint::{Comparison, Content, Partial, Tracked, scope, working};
use crate::wave::resume::Bound;

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
    let look = checkout.look(&own)?;
    let mut warnings: BTreeSet<&'static str> =
        checkout.circumstances(host, false).into_iter().filter(|w| *w == "git_env_ignored").collect();
    warnings.extend(look.excluded.then_some("own_files_excluded"));
    let born = look.head.is_some();
    let described = describe(&checkout, request.base.as_deref(), look)?;
    let scope_fingerprint = described.fingerprint(&checkout)?;
    let working_fingerprint = of_working(&checkout, born, &described.status)?;
    Ok(Answer { mode: described.mode, scope_fingerprint, working_fingerprint, warnings })
}

/// The scope fingerprint of a checkout that is open and was looked at already, against a base or what is its own.
///
/// # Errors
/// As [`run`].
pub fn scope_fingerprint(checkout: &Checkout, base: Option<&str>, look: Look) -> Result<String, Fail> {
    describe(checkout, base, look)?.fingerprint(checkout)
}

/// The scope fingerprint of a scope that was detected against a named base.
///
/// # Errors
/// `GIT_FAILED`.
pub fn of_detected(checkout: &Checkout, scope: &Detected) -> Result<String, Fail> {
    // Where the trees of base and HEAD are equal, it is all the same which of the two the files are compared with.
    let comparison = scope.base_tree.clone().map_or(Comparison::WholeCodebase, Comparison::Tree);
    let fresh = if scope.raw.is_none() { raw(checkout, &comparison)? } else { Vec::new() };
    let differing = scope.raw.as_ref().unwrap_or(&fresh).iter().flat_map(Raw::ends).map(<[u8]>::to_vec).collect();
    Described { mode: "changes", comparison, differing, status: scope.status.clone() }.fingerprint(checkout)
}

/// Both fingerprints and what they are bound to, of a checkout that is open.
///
/// # Errors
/// As [`run`].
pub fn bound(checkout: &Checkout, base: Option<&str>, own: &[PathBuf]) -> Result<Bound, Fail> {
    checkout.distrust()?;
    let look = checkout.look(&checkout.own(own))?;
    let (head, branch) = (look.head.as_ref().map(|h| h.oid.clone()), look.status.standing.branch.clone());
    let described = describe(checkout, base, look)?;
    let boundary = match &described.comparison {
        Comparison::Tree(tree) => tree.clone(),
        Comparison::WholeCodebase => "codebase".to_owned(),
    };
    Ok(Bound {
        mode: described.mode.to_owned(),
        scope_fingerprint: described.fingerprint(checkout)?,
        working_fingerprint: of_working(checkout, head.is_some(), &described.status)?,
        boundary,
        head,
        branch,
        settings: settings(checkout)?,
    })
}

/// A digest of what git was told to overlook: its settings of every scope, and the files that exclude paths and give them attributes.
fn settings(checkout: &Checkout) -> Result<String, Fail> {
    let mut stream = Stream::new();
    let list = checkout.git.run(&["config", "--list", "-z"], b"")?.stdout;
    // What a branch tracks moves with every push and hides nothing.
    let telling = |entry: &&[u8]| !["branch.", "remote.", "user."].iter().any(|p| entry.starts_with(p.as_bytes()));
    for entry in list.split(|b| *b == 0).filter(telling) {
        stream.framed(entry);
    }
    let common = checkout.objects.parent().unwrap_or(&checkout.git_dir).to_path_buf();
    let named = |key: &str| -> Result<Option<PathBuf>, Fail> {
        let path = checkout.git.ask(&["config", "--type=path", "--get", key], b"")?.text();
        Ok(Some(PathBuf::from(path)).filter(|p| p.is_absolute()))
    };
    // Where none is named, git reads the user's own.
    let home = checkout.git.variable("XDG_CONFIG_HOME").filter(|d| !d.is_empty()).map(PathBuf::from);
    let home = home.or_else(|| checkout.git.variable("HOME").map(|h| PathBuf::from(h).join(".config")));
    let usual = |name: &str| home.as_ref().map(|h| h.join("git").join(name));
    let files = [
        Some(common.join("info/attributes")),
        Some(common.join("info/exclude")),
        named("core.attributesFile")?.or_else(|| usual("attributes")),
        named("core.excludesFile")?.or_else(|| usual("ignore")),
    ];
    for path in files.into_iter().flatten() {
        stream.framed(&files::read_text(&path, 4 << 20).unwrap_or_default());
    }
    Ok(stream.finish_hex())
}

/// What is fingerprinted: a comparison, the paths by which the working tree differs from its tree, and the status.
struct Described {
    mode: &'static str,
    comparison: Comparison,
    differing: BTreeSet<Vec<u8>>,
    status: Status,
}

fn describe(checkout: &Checkout, base: Option<&str>, look: Look) -> Result<Described, Fail> {
    let Look { head, mut status, .. } = look;
    let head = head.as_ref();
    let (changed, comparison) = match base {
        Some(base) if is_empty_tree(base) => (false, Comparison::WholeCodebase),
        Some(base) => {
            let (_, bases) = checkout.bases_with(head, base)?;
            (true, Comparison::Tree(checkout.tree_of(&bases[0])?))
        }
        None => descriptor(checkout, head, &status)?,
    };
    let raw = raw(checkout, &comparison)?;
    let of_head = matches!((&comparison, head), (Comparison::Tree(tree), Some(head)) if *tree == head.tree);
    checkout.settle(&mut status, &raw, of_head)?;
    let dirty = base.is_none() && status.is_dirty();
    let mode = if changed || dirty { "changes" } else { "codebase" };
    Ok(Described { mode, comparison, differing: raw.into_iter().map(|r| r.path).collect(), status })
}

/// A tree against the working tree; against nothing every file counts, and there is no need to ask.
fn raw(checkout: &Checkout, comparison: &Comparison) -> Result<Vec<Raw>, Fail> {
    let Comparison::Tree(tree) = comparison else { return Ok(Vec::new()) };
    Ok(change::raw(&checkout.git.diff(&["--raw", "-z", "--no-abbrev", "--no-renames", tree], &[])?))
}

impl Described {
    /// The paths that differ from the tree or from HEAD, for a whole code base all of them, and their contents.
    fn fingerprint(&self, checkout: &Checkout) -> Result<String, Fail> {
        let mut paths: BTreeSet<Vec<u8>> = self.status.tracked.keys().chain(&self.status.untracked).cloned().collect();
        match self.comparison {
            Comparison::Tree(_) => paths.extend(self.differing.iter().cloned()),
            Comparison::WholeCodebase => paths.extend(checkout.entries().map(|e| e.path.to_vec())),
        }
        let contents = contents::read(checkout, &paths)?;
        let partial = partial(checkout, &self.status)?;
        Ok(scope(&self.comparison, &contents, partial.as_ref()))
    }
}

/// The descriptor of waves spec §6: remote default, upstream, local default; the first one that differs, else the first
/// one with a merge base.
fn descriptor(checkout: &Checkout, head: Option<&Commit>, status: &Status) -> Result<(bool, Comparison), Fail> {
    let Some(head) = head else {
        return Ok((false, Comparison::WholeCodebase));
    };
    let branch = status.standing.branch.as_deref();
    let mut fallback = None;
    let mut groups = BTreeSet::new();
    for candidate in checkout.default_bases(&status.standing)? {
        let group = if candidate.name.starts_with("origin/") { 0 } else { 1 + u8::from(candidate.name != "@{upstream}") };
        // Of each group only the first ref that resolves is the default; later groups only count without a fallback.
        if !groups.insert(group) || (fallback.is_some() && group > 0) {
            continue;
        }
        let Some(base) = checkout.merge_bases(&head.oid, &candidate.oid)?.into_iter().next() else {
            continue;
        };
        let tree = checkout.tree_of(&base)?;
        let own_branch = branch == Some(candidate.name.as_str());
        let changed = if group == 1 { base != head.oid } else { tree != head.tree };
        let comparison = if own_branch { Comparison::WholeCodebase } else { Comparison::Tree(tree) };
        if changed {
            return Ok((true, comparison));
        }
        fallback.get_or_insert(comparison);
    }
    Ok((false, fallback.unwrap_or(Comparison::WholeCodebase)))
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
        halves.index.extend(checkout.git.diff(&["--binary", "--no-renames", "--cached"], part)?);
        halves.worktree.extend(checkout.git.diff(&["--binary", "--no-renames"], part)?);
    }
    Ok(Some(halves))
}

fn of_working(checkout: &Checkout, born: bool, status: &Status) -> Result<String, Fail> {
    let diff = |words: &[&str]| checkout.git.diff(words, &[]);
    let tracked = if born {
        Tracked::Against(diff(&["--binary", "HEAD"])?)
    } else {
        Tracked::Unborn(diff(&["--binary", "--cached"])?, diff(&["--binary"])?)
    };
    let untracked: BTreeSet<Vec<u8>> = status.untracked.iter().cloned().collect();
    let contents: std::collections::BTreeMap<Vec<u8>, Content> = contents::read(checkout, &untracked)?;
    Ok(working(&tracked, &contents))
}
