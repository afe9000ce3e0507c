//! A checkout as the operations see it: found once, read through a private copy of its index, and never written.
//!
//! `git diff` rewrites a stat-dirty index even with optional locks off, so every call goes to a copy
//! (cases/scope/README.md, Other warnings). Index hints that hide edits are cleared in the copy alone.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::base::id::EMPTY_TREES;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::git::{Git, Looked, Names, failed};
use crate::host::{Host, git};
use crate::scope::change::{self, Entry, Hint, Raw, Standing, Status};
use crate::scope::own::{self, Own};

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
    /// Where its objects lie.
    pub objects: PathBuf,
    /// git on the private index.
    pub git: Git,
    /// Hints of the real index.
    pub hints: BTreeMap<Vec<u8>, Hint>,
    /// What the index lists, as git prints it.
    listing: Vec<u8>,
    /// The process that looks names up, once there was one to look up.
    names: Mutex<Option<Names>>,
    scratch: tempfile::TempDir,
}

/// What a checkout holds beside its commits, looked at once: every rule about one surface speaks of the same look.
#[derive(Debug, Clone)]
pub struct Look {
    /// The commit of HEAD; `None` before the first one.
    pub head: Option<Commit>,
    /// Staged, unstaged and untracked paths, ours taken out; its claims are still to be settled.
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
        if folder.as_os_str().as_bytes().contains(&b'\n') {
            return Err(Fail::new(
                Code::InvalidPath,
                format!("the path `{shown}` holds a line break, which git cannot tell from an answer's end"),
            ));
        }
        let plain = Git::at(host, folder);
        let words = [
            "rev-parse",
            "--is-bare-repository",
            "--is-inside-work-tree",
            "--is-shallow-repository",
            "--show-object-format",
            "--absolute-git-dir",
            "--path-format=absolute",
            "--git-path",
            "objects",
            "--show-toplevel",
        ];
        let answer = plain.ask(&words, b"")?;
        let text = answer.text();
        let mut lines = text.splitn(7, '\n');
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
        let objects = PathBuf::from(lines.next().unwrap_or_default());
        let top = PathBuf::from(lines.next().unwrap_or_default());
        let scratch = host.scratch()?;
        let index = scratch.path().join("index");
        copy_index(&git_dir.join("index"), &index)?;
        let git = plain.plain_at(&top).with("GIT_INDEX_FILE", &index);
        let listing = git.run(&["ls-files", "-v", "--stage", "-z"], b"")?.stdout;
        let checkout = Checkout {
            top,
            git_dir,
            shallow,
            empty_tree: EMPTY_TREES[usize::from(sha256)],
            objects,
            git,
            hints: change::hints(&listing),
            listing,
            names: Mutex::new(None),
            scratch,
        };
        checkout.reveal_hidden_edits()?;
        Ok(checkout)
    }

    /// What the index lists; an unmerged path once for each stage.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        change::entries(&self.listing)
    }

    /// Makes one more private copy of the index, for a tree of it.
    ///
    /// # Errors
    /// Why it cannot be copied.
    pub fn copy_index_to(&self, path: &Path) -> Result<(), Fail> {
        copy_index(&self.scratch.path().join("index"), path)
    }

    /// Takes no entry of the private index for unchanged by its looks: with an index older than every file git compares contents. Who may
    /// have written the index is believed nothing of it. Bound: the bytes of the tracked files.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn distrust(&self) -> Result<(), Fail> {
        let index = self.scratch.path().join("index");
        let Ok(file) = std::fs::File::options().write(true).open(&index) else { return Ok(()) };
        let oldest = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1);
        file.set_modified(oldest).map_err(|e| crate::host::files::io_fail(&e, "date", &index))
    }

    /// Clears hints in the private index, so that what they hide is listed like anything else. Only a file that a sparse
    /// checkout leaves out keeps its hint: that it is not there is no edit.
    fn reveal_hidden_edits(&self) -> Result<(), Fail> {
        let unhinted = |clear: &str, hinted: &dyn Fn(&Vec<u8>, &Hint) -> bool| {
            let paths: Vec<u8> =
                self.hints.iter().filter(|(p, h)| hinted(p, h)).flat_map(|(p, _)| [p.as_slice(), b"\0"].concat()).collect();
            if paths.is_empty() { Ok(()) } else { self.git.run(&["update-index", clear, "-z", "--stdin"], &paths).map(drop) }
        };
        unhinted("--no-assume-unchanged", &|_, h| h.assume_unchanged)?;
        unhinted("--no-skip-worktree", &|p, h| h.skip_worktree && self.full(p).symlink_metadata().is_ok())
    }

    /// The index entry of a file that a sparse checkout leaves out: it is what the index says, and no deletion.
    pub fn left_out(&self, path: &[u8]) -> Option<&Hint> {
        self.hints.get(path).filter(|h| h.skip_worktree && self.full(path).symlink_metadata().is_err())
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

    /// Whether a folder on the way to a path is a link: what stands behind it is no content of the repository.
    pub fn is_behind_link(&self, path: &[u8]) -> bool {
        let folders = path.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(at, _)| &path[..at]);
        folders.filter(|f| !f.is_empty()).any(|folder| self.is_link(folder))
    }

    /// The folders on the way to some paths that are links.
    pub fn links_above(&self, paths: &[Vec<u8>]) -> BTreeSet<Vec<u8>> {
        let above = |p: &Vec<u8>| p.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(at, _)| p[..at].to_vec()).collect::<Vec<_>>();
        let mut folders: BTreeSet<Vec<u8>> = BTreeSet::new();
        let mut last: &[u8] = b"/";
        for path in paths {
            let folder = &path[..path.iter().rposition(|b| *b == b'/').unwrap_or(0)];
            if folder != last {
                folders.extend(above(path));
                last = folder;
            }
        }
        folders.into_iter().filter(|f| !f.is_empty() && self.is_link(f)).collect()
    }

    fn is_link(&self, folder: &[u8]) -> bool {
        self.full(folder).symlink_metadata().is_ok_and(|m| m.file_type().is_symlink())
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

    /// What lies in a folder of ours is left out of the scope while it is untracked, so nothing else may lie there: a folder
    /// inside the checkout that holds other files, or any that is tracked, is refused.
    ///
    /// # Errors
    /// `INVALID_PATH`.
    pub fn refuse_shared_folder(&self, folder: &Path, ours: impl Fn(&str) -> bool) -> Result<(), Fail> {
        let Some(mut below) = self.inside_or_top(folder) else { return Ok(()) };
        if own::is_usual(&below) {
            return Ok(());
        }
        let refuse = |what: &str| {
            let message = format!("the folder `{}` lies in the checkout and {what}", printable(&folder.to_string_lossy()));
            Err(Fail::new(Code::InvalidPath, message).hint("name a folder of its own, such as .deep-review/reports"))
        };
        if below.is_empty() {
            return refuse("is its top");
        }
        below.push(b'/');
        let named = |p: &[u8]| ours(&String::from_utf8_lossy(p.rsplit(|b| *b == b'/').next().unwrap_or(p)));
        if self.entries().any(|e| e.path.starts_with(&below) && !named(e.path)) {
            return refuse("holds tracked files");
        }
        let there = folder.read_dir().into_iter().flatten().flatten();
        let foreign = there.filter(|e| !ours(&e.file_name().to_string_lossy())).find(|e| e.file_type().is_ok_and(|t| !t.is_dir()));
        match foreign {
            Some(entry) => refuse(&format!("holds `{}`, which is not ours", printable(&entry.file_name().to_string_lossy()))),
            None => Ok(()),
        }
    }

    /// As [`Checkout::inside`], with the top as the empty path; a folder that does not exist yet counts by its parent.
    fn inside_or_top(&self, folder: &Path) -> Option<Vec<u8>> {
        let existing = folder.ancestors().find(|a| a.exists())?;
        let rest = folder.strip_prefix(existing).ok()?;
        let real = existing.canonicalize().ok()?.join(rest);
        let top = self.top.canonicalize().unwrap_or_else(|_| self.top.clone());
        Some(real.strip_prefix(top).ok()?.as_os_str().as_bytes().to_vec())
    }

    /// Our own folders: the usual ones and those of `named` that lie inside.
    pub fn own(&self, named: &[PathBuf]) -> Own {
        Own::with(named.iter().filter_map(|n| self.inside(n)))
    }

    /// The object id of a name; none for what does not resolve.
    ///
    /// # Errors
    /// `GIT_MISSING`, `GIT_FAILED`.
    fn resolve(&self, name: &str) -> Result<Option<String>, Fail> {
        let mut names = self.names.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let running = match names.as_mut() {
            Some(running) => running,
            None => names.insert(self.git.names()?),
        };
        match running.resolve(name)? {
            Looked::Up(found) => Ok(found),
            // git gives up at some names (`@{upstream}` where there is none); the next name gets a new process.
            Looked::Ended => {
                *names = None;
                Ok(None)
            }
        }
    }

    /// The commit of HEAD; none before the first one.
    ///
    /// # Errors
    /// `GIT_MISSING`, `GIT_FAILED`.
    pub fn head(&self) -> Result<Option<String>, Fail> {
        self.resolve("HEAD^{commit}")
    }

    /// The commit of a ref by its full name, and of nothing else: git would take a tag `refs/heads/x` for the branch of
    /// that name where there is no such branch.
    fn commit_of(&self, full: &str) -> Result<Option<String>, Fail> {
        let Some(found) = self.resolve(&format!("{full}^{{commit}}"))? else { return Ok(None) };
        for other in ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"] {
            if self.resolve(&format!("{other}{full}"))?.is_some() {
                let there = self.git.ask(&["show-ref", "--verify", "-q", full], b"")?.code == 0;
                return Ok(Some(found).filter(|_| there));
            }
        }
        Ok(Some(found))
    }

    /// The commit a `--base` names: as branch, then remote branch, then any commit name.
    ///
    /// # Errors
    /// `BASE_NOT_FOUND`, in a shallow repository `BASE_MISSING`.
    pub fn named_base(&self, name: &str) -> Result<Candidate, Fail> {
        // A whole object id is that commit, whatever branches are called; and what no ref can be called is an expression.
        let id = matches!(name.len(), 40 | 64) && name.bytes().all(|b| b.is_ascii_hexdigit());
        let expression = name.contains(['^', '~', ':', '?', '*', '[', ' ']) || name.contains("@{") || name == "@";
        let mut found = None;
        for from in ["refs/heads/", "refs/remotes/"] {
            if found.is_none() && !id && !expression {
                found = self.commit_of(&format!("{from}{name}"))?;
            }
        }
        let found = if found.is_some() { found } else { self.resolve(&format!("{name}^{{commit}}"))? };
        let code = if self.shallow { Code::BaseMissing } else { Code::BaseNotFound };
        let oid = found.filter(|_| !name.is_empty() && !name.contains(['\n', '\0']));
        let oid = oid.ok_or_else(|| Fail::new(code, format!("the base `{}` names no commit here", printable(name))))?;
        Ok(Candidate { name: name.to_owned(), oid })
    }

    /// The remote default branch, the upstream, and the local default branch, as far as they resolve, in that order.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn default_bases(&self, standing: &Standing) -> Result<Vec<Candidate>, Fail> {
        let mut found = Vec::new();
        let mut take = |name: String, oid: Option<String>| found.extend(oid.map(|oid| Candidate { name, oid }));
        for name in ["HEAD"].into_iter().chain(DEFAULTS) {
            take(format!("origin/{name}"), self.commit_of(&format!("refs/remotes/origin/{name}"))?);
        }
        if let Some(full) = self.upstream(standing)? {
            take("@{upstream}".to_owned(), self.commit_of(&full)?);
        }
        for name in DEFAULTS {
            take(name.to_owned(), self.commit_of(&format!("refs/heads/{name}"))?);
        }
        Ok(found)
    }

    /// The full name of the branch's upstream. `status` says that there is one, but shortens its name; `@{upstream}` would
    /// be fatal where it does not exist.
    fn upstream(&self, standing: &Standing) -> Result<Option<String>, Fail> {
        let (Some(branch), Some(_)) = (&standing.branch, &standing.upstream) else { return Ok(None) };
        let named = format!("refs/heads/{branch}");
        let answer = self.git.run(&["for-each-ref", "--format=%(refname)%00%(upstream)", &named], b"")?;
        let text = answer.text();
        let found = text.lines().find_map(|l| l.split_once('\0').filter(|(name, _)| *name == named));
        Ok(found.map(|(_, up)| up.to_owned()).filter(|up| !up.is_empty()))
    }

    /// The commit a `--base` names and its merge bases with HEAD, of which there is one at least.
    ///
    /// # Errors
    /// `BASE_NOT_FOUND`, `BASE_MISSING`, `NO_MERGE_BASE`.
    pub fn bases_with(&self, head: Option<&Commit>, name: &str) -> Result<(Candidate, Vec<String>), Fail> {
        let named = self.named_base(name)?;
        let bases = head.map(|h| self.merge_bases(&h.oid, &named.oid)).transpose()?.unwrap_or_default();
        if bases.is_empty() {
            return Err(self.no_merge_base(&named));
        }
        Ok((named, bases))
    }

    /// A commit by its full id; none when it is not here.
    ///
    /// # Errors
    /// `GIT_MISSING`, `GIT_FAILED`.
    pub fn commit(&self, oid: &str) -> Result<Option<String>, Fail> {
        self.resolve(&format!("{oid}^{{commit}}"))
    }

    /// Whether the file system does not tell upper from lower case, as git found it.
    ///
    /// # Errors
    /// `GIT_MISSING`, `GIT_FAILED`.
    pub fn ignores_case(&self) -> Result<bool, Fail> {
        Ok(self.git.ask(&["config", "--type=bool", "--get", "core.ignorecase"], b"")?.text() == "true")
    }

    /// A file of a commit; none where the commit has none of that path. A folder there, or content that cannot be read, is no absence.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn blob_at(&self, oid: &str, path: &str) -> Result<Option<Vec<u8>>, Fail> {
        if self.git.run(&["ls-tree", "-z", "--full-tree", oid, "--", path], b"")?.stdout.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.git.run(&["cat-file", "blob", &format!("{oid}:{path}")], b"")?.stdout))
    }

    /// What it means that HEAD and a commit share none.
    pub fn no_merge_base(&self, with: &Candidate) -> Fail {
        let code = if self.shallow { Code::BaseMissing } else { Code::NoMergeBase };
        Fail::new(code, format!("HEAD and `{}` share no commit here", printable(&with.name)))
    }

    /// The merge bases of HEAD and a commit, git's first one first.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn merge_bases(&self, head: &str, other: &str) -> Result<Vec<String>, Fail> {
        if head == other {
            return Ok(vec![head.to_owned()]);
        }
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
        let found = self.resolve(&format!("{commit}^{{tree}}"))?;
        found.ok_or_else(|| Fail::new(Code::GitFailed, format!("git knows no tree of `{}`", printable(commit))))
    }

    /// Looks at HEAD and at the working tree.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn look(&self, own: &Own) -> Result<Look, Fail> {
        let words = ["status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--untracked-files=all", "--no-renames"];
        let words = [&words[..], &["--ignore-submodules=none"]].concat();
        let answer = self.git.run(&words, b"")?;
        // git passes over what it cannot open; nobody can say that nothing is in there.
        if String::from_utf8_lossy(&answer.stderr).contains("could not open directory") {
            return Err(failed(&words, &answer).hint("a folder of the working tree cannot be read; mend its rights, or have git ignore it"));
        }
        let mut status = change::status(&answer.stdout);
        // git cannot hash what is no file, link or folder, and ends with that later on: here it can still be named.
        for path in status.tracked.keys().chain(status.claimed.keys()) {
            let kind = self.full(path).symlink_metadata().map(|m| m.file_type());
            if kind.is_ok_and(|k| !k.is_file() && !k.is_symlink() && !k.is_dir()) {
                let shown = String::from_utf8_lossy(path).into_owned();
                let message = format!("a pipe, socket or device stands where the tracked file `{}` must be", printable(&shown));
                let fail = Fail::new(Code::NotRegularFile, message).with("path", shown);
                return Err(fail.hint("restore the file or remove what stands there: nothing of it can be reviewed"));
            }
        }
        let before = status.untracked.len();
        status.untracked.retain(|p| !own.holds(p));
        let head = match status.standing.commit.clone() {
            Some(oid) => Some(Commit { tree: self.tree_of(&oid)?, oid }),
            None => None,
        };
        let excluded = status.untracked.len() < before;
        Ok(Look { head, status, excluded })
    }

    /// Settles what `status` only claims: by a comparison of a tree with the working tree as far as it can know, else by
    /// asking git for those paths. `of_head` says that the tree is that of HEAD.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn settle(&self, status: &mut Status, raw: &[Raw], of_head: bool) -> Result<(), Fail> {
        let open = status.settle(raw, of_head);
        let paths: Vec<&[u8]> = open.iter().map(Vec::as_slice).collect();
        if paths.is_empty() {
            return Ok(());
        }
        let few = if paths.len() <= 400 { paths.as_slice() } else { &[] };
        let listed = self.git.diff(&["--name-only", "-z", "--no-renames"], few)?;
        let real: BTreeSet<&[u8]> = git::records(&listed).collect();
        paths.into_iter().filter(|p| !real.contains(p)).for_each(|p| status.deny(p));
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
