//! harvest-intent: the design intent that touches a scope, as a bundle of pointers (resolution spec §4 to §6).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::checkout::Checkout;
use super::detect_scope::{self, Answer, Kind};
use super::{fingerprint_scope, gather};
use crate::base::path::lexical;
use crate::base::{Code, Fail, number};
use crate::host::{Host, files};
use crate::scope::change::{self, Letter};
use crate::scope::surface::File;
use crate::source::bundle::{self, Bundle, Decision, Pointer};
use crate::source::intent::{self, Changed, Document, Gathered, Limits, Omission, Omitted, Touched, patch};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// What is under review.
    pub scope: detect_scope::Request,
    /// A ledger of decisions.
    pub decisions: Option<String>,
    /// Captures of earlier conversations, files of the checkout.
    pub captures: Vec<String>,
    /// The most rule files.
    pub max_rules: Option<String>,
    /// The most comments.
    pub max_comments: Option<String>,
    /// Where the bundle is kept.
    pub output: Option<String>,
}

/// Documents larger than this are no rules of anybody.
const DOCUMENT_LIMIT: u64 = 1 << 20;
/// Where rule files lie.
const RULES: &str = ".claude/rules";
/// What guides are called.
const GUIDES: [&str; 3] = ["CLAUDE.md", "AGENTS.md", "CLAUDE.local.md"];

/// Harvests the intent of a scope.
///
/// # Errors
/// As detect-scope and `--decisions`; `INVALID_ARGUMENT` for a limit, or a scope without anything to review.
pub fn run(request: &Request, host: &Host) -> Result<Bundle, Fail> {
    let folder = host.absolute(Some(request.scope.repo.as_deref().unwrap_or(".")), "repository")?;
    let checkout = Checkout::open(host, &folder)?;
    let scope = detect_scope::run(&request.scope, host)?;
    if scope.kind == Kind::Nothing || scope.warnings.contains("unmerged") {
        return Err(Fail::new(Code::InvalidArgument, "there is no scope to harvest for").hint("detect-scope says what is missing"));
    }
    let base = scope.base.clone().unwrap_or_else(|| scope.empty_tree.to_owned());
    let look = checkout.look(&checkout.own(&request.scope.own))?;
    let fingerprint = fingerprint_scope::scope_fingerprint(&checkout, Some(&base), look)?;
    let decisions = match request.decisions.as_deref().filter(|d| !d.is_empty()) {
        Some(flag) => gather::sent(&gather::ledger(&host.absolute(Some(flag), "decisions")?)?.0),
        None => Vec::new(),
    };
    let captures = request.captures.iter().map(|c| capture(&checkout, host, c)).collect::<Result<_, _>>()?;
    let limit = |flag: &Option<String>, name, usual: u64| -> Result<usize, Fail> {
        let given = flag.as_deref().filter(|f| !f.is_empty()).map(|f| number::plain(name, f, 0..=1000)).transpose()?;
        Ok(usize::try_from(given.unwrap_or(usual)).unwrap_or(usize::MAX))
    };
    let limits =
        Limits { rules: limit(&request.max_rules, "--max-rules", 20)?, comments: limit(&request.max_comments, "--max-comments", 40)? };
    let harvest = Harvest { checkout: &checkout, scope: &scope, fingerprint: &fingerprint };
    let bundle = harvest.bundle(limits, decisions, captures)?;
    if let Some(output) = request.output.as_deref().filter(|o| !o.is_empty()) {
        files::replace(host, &host.absolute(Some(output), "output")?, &crate::wire::json::document(&bundle))?;
    }
    Ok(bundle)
}

/// A capture is a file of the checkout: a reviewer in a sandbox reads no other.
pub(super) fn capture(checkout: &Checkout, host: &Host, flag: &str) -> Result<String, Fail> {
    let path = host.absolute(Some(flag), "capture")?;
    let inside = checkout.inside(&path).filter(|_| path.is_file());
    let inside = inside.and_then(|bytes| String::from_utf8(bytes).ok());
    inside.ok_or_else(|| {
        let shown = crate::base::path::printable(flag);
        Fail::new(Code::InvalidPath, format!("the capture `{shown}` is no file inside the checkout"))
    })
}

/// A scope whose intent is wanted.
pub(super) struct Harvest<'a> {
    pub(super) checkout: &'a Checkout,
    pub(super) scope: &'a Answer,
    pub(super) fingerprint: &'a str,
}

impl Harvest<'_> {
    /// The bundle of this scope.
    pub(super) fn bundle(&self, limits: Limits, decisions: Vec<Decision>, captures: Vec<String>) -> Result<Bundle, Fail> {
        let intent = intent::harvest(&self.gather()?, limits);
        let file = |f: &File| bundle::File { path: f.path.clone(), status: f.status, untracked: f.untracked };
        let scope = Pointer {
            kind: self.scope.kind.word().to_owned(),
            base: self.base().to_owned(),
            head: self.scope.head.clone().filter(|_| self.scope.kind == Kind::Pr),
            scope_fingerprint: self.fingerprint.to_owned(),
            files: self.scope.files.iter().map(file).collect(),
        };
        Ok(Bundle { schema_version: 1, scope, intent, captures, decisions })
    }

    fn base(&self) -> &str {
        self.scope.base.as_deref().unwrap_or(self.scope.empty_tree)
    }

    fn gather(&self) -> Result<Gathered, Fail> {
        let mut gathered = Gathered { touched: self.touched()?, unique_names: self.unique_names(), ..Gathered::default() };
        let by_path: BTreeMap<&[u8], &File> = self.scope.files.iter().map(|f| (f.path.as_slice(), f)).collect();
        let tracked = self.checkout.entries().map(|e| e.path.to_vec()).collect();
        let mut reader = Reader { harvest: self, by_path, tracked, read: BTreeMap::new(), omitted: BTreeSet::new() };
        let mut rules = Vec::new();
        for path in reader.rule_files() {
            reader.document(&path, &mut rules)?;
        }
        let mut guides = Vec::new();
        for folder in self.folders() {
            for name in GUIDES {
                reader.guide(&join(&folder, name), &mut guides, 0)?;
            }
        }
        let mut readmes = Vec::new();
        for name in ["README.md", "README", "readme.md", "Readme.md"] {
            if readmes.is_empty() && self.checkout.top.join(name).symlink_metadata().is_ok() {
                reader.document(name, &mut readmes)?;
            }
        }
        let gone = self.scope.files.iter().filter(|f| f.status == Letter::D && f.path.starts_with(RULES.as_bytes()));
        let gone = gone.map(|f| Omitted { path: String::from_utf8_lossy(&f.path).into_owned(), reason: Omission::DeletedByChange });
        gathered.omitted = reader.omitted.into_iter().chain(gone).collect();
        gathered.rules = rules;
        gathered.guides = guides;
        gathered.readme = readmes.pop();
        Ok(gathered)
    }

    /// The folders whose guides reach a changed file, the root first.
    fn folders(&self) -> BTreeSet<String> {
        let mut folders = BTreeSet::from([String::new()]);
        for file in &self.scope.files {
            let Ok(mut path) = std::str::from_utf8(&file.path) else { continue };
            while let Some((folder, _)) = path.rsplit_once('/') {
                if !folders.insert(folder.to_owned()) {
                    break;
                }
                path = folder;
            }
        }
        folders
    }

    fn unique_names(&self) -> BTreeSet<String> {
        let mut counts: BTreeMap<&[u8], usize> = BTreeMap::new();
        let last = |path: &'_ [u8]| path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
        let untracked: Vec<&[u8]> = self.scope.files.iter().filter(|f| f.untracked).map(|f| f.path.as_slice()).collect();
        for path in self.checkout.entries().map(|e| e.path).chain(untracked) {
            *counts.entry(&path[last(path)..]).or_default() += 1;
        }
        let once = counts.into_iter().filter(|(_, n)| *n == 1).map(|(name, _)| String::from_utf8_lossy(name).into_owned());
        once.collect()
    }

    /// The changed files with their patches; of a whole code base the names alone, since nothing of it is a change.
    fn touched(&self) -> Result<Vec<Touched>, Fail> {
        let plain = |f: &File| Touched { path: String::from_utf8_lossy(&f.path).into_owned(), ..Touched::default() };
        if self.scope.kind == Kind::Codebase {
            return Ok(self.scope.files.iter().map(plain).collect());
        }
        let revisions: Vec<&str> = match (self.scope.kind, &self.scope.head) {
            (Kind::Pr, Some(head)) => vec![self.base(), head],
            _ => vec![self.base()],
        };
        let form = ["--patch-with-raw", "-z", "-U0", "--no-abbrev", "--find-renames=50%", "-l0"];
        let (records, patches) = change::raw_records(&self.checkout.git.diff(&[&form[..], &revisions].concat(), &[])?);
        let owners = records.into_iter().filter(|r| r.letter != Letter::U);
        let owners = owners.flat_map(|r| std::iter::repeat_n(r.path, if r.letter == Letter::T { 2 } else { 1 }));
        let patches: BTreeMap<Vec<u8>, Vec<u8>> = owners.zip(patches).collect();
        let readable = |f: &File| f.status != Letter::D && !f.binary && !f.submodule && !self.checkout.is_behind_link(&f.path);
        let read = |f: &File| Touched {
            text: if readable(f) { regular(&self.checkout.full(&f.path)).and_then(|b| String::from_utf8(b).ok()) } else { None },
            patch: patches.get(&f.path).map(|p| patch::read(p)),
            ..plain(f)
        };
        Ok(self.scope.files.iter().map(read).collect())
    }
}

/// Whether a path is one of a rule or guide: what is renamed into one was none before.
fn is_document(path: &[u8]) -> bool {
    let text = String::from_utf8_lossy(path);
    let name = text.rsplit('/').next().unwrap_or_default();
    text.starts_with(RULES) || GUIDES.contains(&name) || name.to_lowercase().starts_with("readme")
}

/// The bytes of a regular file that is not too large; nothing for anything else.
fn regular(path: &Path) -> Option<Vec<u8>> {
    let meta = path.symlink_metadata().ok()?;
    if meta.is_file() { files::read_text(path, DOCUMENT_LIMIT).ok() } else { None }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Reads documents once, whatever links lead to them.
struct Reader<'a> {
    harvest: &'a Harvest<'a>,
    by_path: BTreeMap<&'a [u8], &'a File>,
    /// Every path of the index.
    tracked: BTreeSet<Vec<u8>>,
    /// The real path of what was read, with the path it was first read by.
    read: BTreeMap<PathBuf, String>,
    omitted: BTreeSet<Omitted>,
}

impl Reader<'_> {
    /// Every `.md` below the folder of rules; links are listed, and followed by [`Reader::document`] alone.
    fn rule_files(&mut self) -> Vec<String> {
        let top = &self.harvest.checkout.top;
        let folder = top.join(RULES);
        let linked = [".claude", RULES].into_iter().find(|p| top.join(p).symlink_metadata().is_ok_and(|m| m.file_type().is_symlink()));
        if linked.is_some_and(|p| !self.is_inside(&top.join(p))) {
            self.omit(RULES, Omission::OutsideRepository);
            return Vec::new();
        }
        let walk = WalkDir::new(&folder).follow_root_links(true).max_depth(8).sort_by_file_name().into_iter().flatten();
        let found = walk.filter(|e| !e.file_type().is_dir() && e.path().extension().is_some_and(|x| x == "md"));
        found.filter_map(|e| e.path().strip_prefix(top).ok().and_then(Path::to_str).map(str::to_owned)).collect()
    }

    fn omit(&mut self, path: &str, reason: Omission) {
        self.omitted.insert(Omitted { path: path.to_owned(), reason });
    }

    fn is_inside(&self, path: &Path) -> bool {
        let top = &self.harvest.checkout.top;
        let top = top.canonicalize().unwrap_or_else(|_| top.clone());
        path.canonicalize().is_ok_and(|real| real.starts_with(top))
    }

    /// Reads a guide and, five deep, what it imports by a line `@path`.
    fn guide(&mut self, path: &str, guides: &mut Vec<Document>, depth: usize) -> Result<(), Fail> {
        if self.harvest.checkout.top.join(path).symlink_metadata().is_err() || !self.document(path, guides)? {
            return Ok(());
        }
        let text = guides.last().map(|g| g.text.clone()).unwrap_or_default();
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let imports = text.lines().filter_map(|l| l.trim().strip_prefix('@')).filter(|i| !i.is_empty() && !i.contains([' ', '~']));
        for import in imports.take(50) {
            let full = lexical(&self.harvest.checkout.top.join(folder).join(import));
            match full.strip_prefix(&self.harvest.checkout.top).ok().and_then(Path::to_str).filter(|p| !p.is_empty()) {
                Some(inside) if depth < 5 && full.is_file() => self.guide(inside, guides, depth + 1)?,
                Some(_) => {}
                None => self.omit(import, Omission::OutsideRepository),
            }
        }
        Ok(())
    }

    /// Reads a document into a list; false when it is another name of one that was read, or cannot be.
    fn document(&mut self, path: &str, into: &mut Vec<Document>) -> Result<bool, Fail> {
        let full = self.harvest.checkout.top.join(path);
        let Ok(real) = full.canonicalize() else {
            self.omit(path, Omission::Unreadable);
            return Ok(false);
        };
        if !self.is_inside(&full) {
            self.omit(path, Omission::OutsideRepository);
            return Ok(false);
        }
        if let Some(first) = self.read.get(&real) {
            let known = into.iter_mut().find(|d| d.path == *first);
            known.into_iter().for_each(|d| d.aliases.push(path.to_owned()));
            return Ok(false);
        }
        // What a link leads to is what is pointed at; the link is another name of it.
        let top = &self.harvest.checkout.top;
        let target = real.strip_prefix(top.canonicalize().unwrap_or_else(|_| top.clone())).ok().and_then(Path::to_str).unwrap_or(path);
        let by_path = |p: &str| self.by_path.get(p.as_bytes()).copied();
        let (file, linked) = (by_path(target), target != path);
        let whole = self.harvest.scope.kind == Kind::Codebase;
        let claimed = !self.tracked.contains(target.as_bytes())
            || (linked && (by_path(path).is_some() || !self.tracked.contains(path.as_bytes())))
            || file.is_some_and(|f| f.old_path.as_ref().is_some_and(|old| !is_document(old)));
        let now = || files::read_text(&real, DOCUMENT_LIMIT).map_err(|f| f.code);
        let (bytes, changed) = match file {
            _ if whole => (now(), Changed::No),
            // What no commit holds, and what the change turns into a rule, is the author's own word.
            _ if claimed => (now(), Changed::Added),
            None => (now(), Changed::No),
            Some(file) => match self.before(file)? {
                Some(bytes) => (Ok(bytes), Changed::Edited),
                None => (now(), Changed::Added),
            },
        };
        let text = match bytes {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| Omission::NotUtf8),
            Err(Code::TooLarge) => Err(Omission::TooLarge),
            Err(_) => Err(Omission::Unreadable),
        };
        match text {
            Ok(text) => {
                let same = into.iter_mut().find(|d| d.text == text && d.changed == changed);
                if let Some(same) = same {
                    same.aliases.push(path.to_owned());
                    return Ok(false);
                }
                // The base knows a renamed document by its old name.
                let old = file.filter(|_| changed == Changed::Edited).and_then(|f| f.old_path.as_ref());
                let at = old.and_then(|o| String::from_utf8(o.clone()).ok()).unwrap_or_else(|| target.to_owned());
                let aliases = if linked { vec![path.to_owned()] } else { Vec::new() };
                self.read.insert(real.clone(), at.clone());
                into.push(Document { path: at, aliases, text, changed });
                Ok(true)
            }
            Err(reason) => {
                self.omit(path, reason);
                Ok(false)
            }
        }
    }

    /// What the base holds of a changed file; nothing when the change added it.
    fn before(&self, file: &File) -> Result<Option<Vec<u8>>, Fail> {
        if file.untracked || matches!(file.status, Letter::A) {
            return Ok(None);
        }
        let Ok(path) = std::str::from_utf8(file.old_path.as_ref().unwrap_or(&file.path)) else { return Ok(None) };
        let answer = self.harvest.checkout.git.ask(&["cat-file", "blob", &format!("{}:{path}", self.harvest.base())], b"")?;
        Ok((answer.code == 0).then_some(answer.stdout))
    }
}
