//! A checkout as the operations see it: found once, read through a private copy of its index, and never written.
//!
//! `git diff` rewrites a stat-dirty index even with optional locks off, so every call goes to a copy
//! (cases/scope/README.md, Other warnings). Index hints that hide edits are cleared in the copy alone.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::base::id::EMPTY_TREES;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::git::{Git, failed};
use crate::host::{Host, git};
use crate::scope::change::{self, Hint, Status};
use crate::scope::own::Own;

/// A checkout.
pub struct Checkout {
    /// Its top level.
    pub top: PathBuf,
    /// Its git folder (of a linked worktree: its own).
    pub git_dir: PathBuf,
    /// Whether its history is cut off.
    pub shallow: bool,
    /// The empty tree of its hash algorithm.
    pub empty_tree: &'static str,
    /// git on the private index.
    pub git: Git,
    /// Hints of the real index.
    pub hints: BTreeMap<Vec<u8>, Hint>,
    scratch: tempfile::TempDir,
}

/// What a checkout holds beside its commits, looked at once: every rule about one surface speaks of the same look.
#[derive(Debug, Clone)]
pub struct Look {
    /// The commit of HEAD; `None` before the first one.
    pub head: Option<Commit>,
    /// Staged, unstaged and untracked paths, ours taken out.
    pub status: Status,
    /// Whether untracked files of ours were there.
    pub excluded: bool,
}

/// A commit and its tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Commit id.
    pub oid: String,
    /// Tree id.
    pub tree: String,
}

/// A ref the change may be compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its short name.
    pub name: String,
    /// The commit it names.
    pub oid: String,
}

/// The remote and local default branches, in the order they are tried.
const DEFAULTS: [&str; 3] = ["main", "master", "trunk"];

impl Checkout {
    /// Finds the checkout that holds `folder`.
    ///
    /// # Errors
    /// `NOT_A_REPOSITORY`, `BARE_REPOSITORY`, `GIT_MISSING`, `GIT_FAILED`.
    pub fn open(host: &Host, folder: &Path) -> Result<Checkout, Fail> {
        let shown = printable(&folder.to_string_lossy());
        let none = || Fail::new(Code::NotARepository, format!("`{shown}` is not inside a git working tree"));
        if !folder.is_dir() {
            return Err(none());
        }
        let plain = Git::at(host, folder);
        let words = [
            "rev-parse",
            "--is-bare-repository",
            "--is-inside-work-tree",
            "--is-shallow-repository",
            "--show-object-format",
            "--absolute-git-dir",
            "--show-toplevel",
        ];
        let answer = plain.ask(&words, b"")?;
        let text = answer.text();
        let mut lines = text.splitn(6, '\n');
        let (bare, inside) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        if bare == "true" {
            return Err(Fail::new(Code::BareRepository, format!("`{shown}` is a bare repository")));
        }
        if answer.code != 0 || inside != "true" {
            let said = String::from_utf8_lossy(&answer.stderr);
            if said.contains("safe.bareRepository") {
                return Err(Fail::new(Code::BareRepository, format!("`{shown}` is inside a bare repository")));
            }
            let absent = said.contains("not a git repository") || said.contains("must be run in a work tree");
            return Err(if absent || answer.code == 0 { none() } else { failed(&words, &answer) });
        }
        let shallow = lines.next() == Some("true");
        let sha256 = lines.next() == Some("sha256");
        let git_dir = PathBuf::from(lines.next().unwrap_or_default());
        let top = PathBuf::from(lines.next().unwrap_or_default());
        let scratch = tempfile::Builder::new().prefix("review-loop-").tempdir_in(host.temp_dir());
        let scratch = scratch.map_err(|e| crate::host::files::io_fail(&e, "make a folder in", &host.temp_dir()))?;
        let index = scratch.path().join("index");
        copy_index(&git_dir.join("index"), &index)?;
        let git = plain.moved(&top).with("GIT_INDEX_FILE", &index);
        let mut checkout =
            Checkout { top, git_dir, shallow, empty_tree: EMPTY_TREES[usize::from(sha256)], git, hints: BTreeMap::new(), scratch };
        checkout.reveal_hidden_edits()?;
        Ok(checkout)
    }

    /// Clears the hints of files that are there, in the private index: their edits are listed like any other. A file
    /// that a sparse checkout leaves out keeps its hint.
    fn reveal_hidden_edits(&mut self) -> Result<(), Fail> {
        self.hints = change::hints(&self.git.run(&["ls-files", "-v", "-z"], b"")?.stdout);
        let mut there = Vec::new();
        for path in self.hints.keys().filter(|p| self.full(p).symlink_metadata().is_ok()) {
            there.extend_from_slice(path);
            there.push(0);
        }
        if !there.is_empty() {
            self.git.run(&["update-index", "--no-assume-unchanged", "-z", "--stdin"], &there)?;
            self.git.run(&["update-index", "--no-skip-worktree", "-z", "--stdin"], &there)?;
        }
        Ok(())
    }

    /// git in a repository inside this one, on a private copy of its index.
    ///
    /// # Errors
    /// `GIT_MISSING`, or why the index cannot be copied.
    pub fn nested(&self, folder: &Path) -> Result<Git, Fail> {
        let plain = self.git.plain_at(folder);
        let git_dir = PathBuf::from(plain.ask(&["rev-parse", "--absolute-git-dir"], b"")?.text());
        let key = crate::base::digest::sha256_hex(folder.as_os_str().as_bytes());
        let index = self.scratch.path().join(&key[..24]);
        if git_dir.is_absolute() {
            copy_index(&git_dir.join("index"), &index)?;
        }
        Ok(plain.with("GIT_INDEX_FILE", &index))
    }

    /// The full path of a repository path.
    pub fn full(&self, path: &[u8]) -> PathBuf {
        self.top.join(std::ffi::OsStr::from_bytes(path))
    }

    /// The repository path of a folder inside the checkout.
    pub fn inside(&self, folder: &Path) -> Option<Vec<u8>> {
        let real = |p: &Path| p.canonicalize().unwrap_or_else(|_| p.to_path_buf());
        let rest = real(folder).strip_prefix(real(&self.top)).ok()?.as_os_str().as_bytes().to_vec();
        (!rest.is_empty()).then_some(rest)
    }

    /// Our own folders: the usual ones and those of `named` that lie inside.
    pub fn own(&self, named: &[PathBuf]) -> Own {
        Own::with(named.iter().filter_map(|n| self.inside(n)))
    }

    /// The name of the branch that is checked out; none when HEAD is detached.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn branch(&self) -> Result<Option<String>, Fail> {
        let answer = self.git.ask(&["symbolic-ref", "-q", "HEAD"], b"")?;
        Ok((answer.code == 0).then(|| answer.text().trim_start_matches("refs/heads/").to_owned()))
    }

    /// The object ids of names, in order; none for what does not resolve. Names go in over stdin, so that none can be
    /// an option.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn resolve(&self, names: &[String]) -> Result<Vec<Option<String>>, Fail> {
        let asked: String = names.iter().map(|n| format!("{}\n", n.replace(['\n', '\0'], " "))).collect();
        let answer = self.git.run(&["cat-file", "--batch-check=%(objectname)"], asked.as_bytes())?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let oid = |line: &str| (!line.contains(' ') && line.len() >= 40).then(|| line.to_owned());
        let mut found: Vec<Option<String>> = text.lines().map(oid).collect();
        found.resize(names.len(), None);
        Ok(found)
    }

    /// HEAD; none on an unborn branch.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn head(&self) -> Result<Option<Commit>, Fail> {
        let found = self.resolve(&["HEAD^{commit}".to_owned(), "HEAD^{tree}".to_owned()])?;
        Ok(match found.as_slice() {
            [Some(oid), Some(tree)] => Some(Commit { oid: oid.clone(), tree: tree.clone() }),
            _ => None,
        })
    }

    /// The commit a `--base` names: as branch, then remote branch, then any commit name.
    ///
    /// # Errors
    /// `BASE_NOT_FOUND`, in a shallow repository `BASE_MISSING`.
    pub fn named_base(&self, name: &str) -> Result<Candidate, Fail> {
        let names = [format!("refs/heads/{name}^{{commit}}"), format!("refs/remotes/{name}^{{commit}}"), format!("{name}^{{commit}}")];
        let found = self.resolve(&names)?.into_iter().flatten().next();
        let code = if self.shallow { Code::BaseMissing } else { Code::BaseNotFound };
        let oid = found.filter(|_| !name.is_empty() && !name.contains(['\n', '\0']));
        let oid = oid.ok_or_else(|| Fail::new(code, format!("the base `{}` names no commit here", printable(name))))?;
        Ok(Candidate { name: name.to_owned(), oid })
    }

    /// The full name of the upstream of a branch. `@{upstream}` itself would be fatal where there is none.
    fn upstream(&self, branch: Option<&str>) -> Result<Option<String>, Fail> {
        let Some(branch) = branch else {
            return Ok(None);
        };
        let named = format!("refs/heads/{branch}");
        let answer = self.git.run(&["for-each-ref", "--format=%(refname)%00%(upstream)", &named], b"")?;
        let text = answer.text();
        let found = text.lines().find_map(|l| l.split_once('\0').filter(|(name, _)| *name == named));
        Ok(found.map(|(_, up)| up.to_owned()).filter(|up| !up.is_empty()))
    }

    /// The remote default branch, the upstream, and the local default branch, as far as they resolve, in that order.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn default_bases(&self, branch: Option<&str>) -> Result<Vec<Candidate>, Fail> {
        let remote = ["HEAD"].into_iter().chain(DEFAULTS).map(|n| (format!("origin/{n}"), format!("refs/remotes/origin/{n}^{{commit}}")));
        let local = DEFAULTS.map(|n| (n.to_owned(), format!("refs/heads/{n}^{{commit}}")));
        let upstream = self.upstream(branch)?.map(|full| ("@{upstream}".to_owned(), format!("{full}^{{commit}}")));
        let named: Vec<(String, String)> = remote.chain(upstream).chain(local).collect();
        let found = self.resolve(&named.iter().map(|(_, full)| full.clone()).collect::<Vec<_>>())?;
        let pairs = named.into_iter().zip(found);
        Ok(pairs.filter_map(|((name, _), oid)| Some(Candidate { name, oid: oid? })).collect())
    }

    /// The merge bases of HEAD and a commit, git's first one first.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn merge_bases(&self, head: &str, other: &str) -> Result<Vec<String>, Fail> {
        let words = ["merge-base", "--all", head, other];
        let answer = self.git.ask(&words, b"")?;
        match answer.code {
            0 => Ok(answer.text().lines().map(str::to_owned).collect()),
            1 => Ok(Vec::new()),
            _ if self.shallow => Ok(Vec::new()),
            _ => Err(failed(&words, &answer)),
        }
    }

    /// The tree of a commit.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn tree_of(&self, commit: &str) -> Result<String, Fail> {
        let found = self.resolve(&[format!("{commit}^{{tree}}")])?.into_iter().next().flatten();
        found.ok_or_else(|| Fail::new(Code::GitFailed, format!("git knows no tree of `{}`", printable(commit))))
    }

    /// Looks at HEAD and at the working tree.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn look(&self, own: &Own) -> Result<Look, Fail> {
        let head = self.head()?;
        let (status, excluded) = self.status(own)?;
        Ok(Look { head, status, excluded })
    }

    /// What is staged, unstaged and untracked; our own untracked files taken out. True when there were any.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    fn status(&self, own: &Own) -> Result<(Status, bool), Fail> {
        let words = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none"];
        let mut status = change::status(&self.git.run(&words, b"")?.stdout);
        let before = status.untracked.len();
        status.untracked.retain(|p| !own.holds(p));
        self.confirm_unstaged(&mut status)?;
        let excluded = status.untracked.len() < before;
        Ok((status, excluded))
    }

    /// `git status` takes a file of another size for changed; under line-end conversion only `git diff` looks at what
    /// the content comes to. Paths it does not list are no change.
    fn confirm_unstaged(&self, status: &mut Status) -> Result<(), Fail> {
        let claimed = status.tracked.iter().filter(|(_, l)| l.unstaged && !l.unmerged && !l.submodule);
        let paths: Vec<&[u8]> = claimed.map(|(p, _)| p.as_slice()).collect();
        if paths.is_empty() {
            return Ok(());
        }
        let words = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"];
        let listed = if paths.len() <= 400 { self.git.run_on_paths(&words, &paths)? } else { self.git.run(&words, b"")?.stdout };
        let real: std::collections::BTreeSet<&[u8]> = git::records(&listed).collect();
        let unreal: Vec<Vec<u8>> = paths.into_iter().filter(|p| !real.contains(p)).map(<[u8]>::to_vec).collect();
        for path in unreal {
            if let Some(legs) = status.tracked.get_mut(&path) {
                legs.unstaged = false;
                if !legs.staged {
                    status.tracked.remove(&path);
                }
            }
        }
        Ok(())
    }

    /// What is going on in the git folder, and what was dropped from the environment.
    pub fn circumstances(&self, host: &Host, detached: bool) -> Vec<&'static str> {
        let there = |name: &str| self.git_dir.join(name).exists();
        let rebase = there("rebase-merge") || there("rebase-apply");
        let facts = [
            (detached, "detached_head"),
            (there("MERGE_HEAD"), "merge_in_progress"),
            (rebase, "rebase_in_progress"),
            (there("CHERRY_PICK_HEAD") && !rebase, "cherry_pick_in_progress"),
            (there("REVERT_HEAD"), "revert_in_progress"),
            (self.shallow, "shallow_repository"),
            (git::environment_points_elsewhere(host), "git_env_ignored"),
        ];
        facts.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect()
    }
}

/// A missing index is an empty one. The copy keeps the time of the original: git tells from it which entries may have been
/// changed within the second they were added in, and a later time would hide such edits.
fn copy_index(from: &Path, to: &Path) -> Result<(), Fail> {
    let copied = std::fs::File::open(from).and_then(|mut original| {
        let modified = original.metadata()?.modified()?;
        let mut copy = std::fs::File::create(to)?;
        std::io::copy(&mut original, &mut copy)?;
        copy.set_modified(modified)
    });
    match copied {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(crate::host::files::io_fail(&e, "copy", from)),
    }
}
