//! A run ledger on disk: where it lies, which artifacts exist, and how an event is appended to it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::design::runs::{self, Decoded, Event, Present, Standing};
use crate::host::lock::Held;
use crate::host::{Host, files, journal, lock, walk};

/// The largest ledger that is read.
const LIMIT: u64 = 1 << 30;

/// A ledger and the folders its artifacts are looked for in.
pub struct Place {
    /// The ledger.
    pub path: PathBuf,
    /// Its folder, then the repository's.
    roots: Vec<PathBuf>,
    /// Where archived items lie, when the ledger is one of work items.
    archive: Option<PathBuf>,
}

impl Place {
    /// Finds what belongs to a ledger; the root is the repository it lies in unless it is named.
    pub fn of(path: PathBuf, root: Option<PathBuf>) -> Place {
        let folder = path.parent().unwrap_or(Path::new("/")).to_path_buf();
        let root = root.or_else(|| walk::repository(&folder).map(Path::to_path_buf)).unwrap_or_else(|| folder.clone());
        let archive = folder.ancestors().find(|a| a.file_name().is_some_and(|n| n == "work-items")).map(|items| items.join("archive"));
        Place { path, roots: vec![folder, root], archive }
    }

    /// The ledgers of archived items of the same project, sorted.
    pub fn archived(&self) -> Vec<PathBuf> {
        self.archive.as_deref().map(ledgers_below).unwrap_or_default()
    }

    /// The folder to lock.
    pub fn folder(&self) -> &Path {
        &self.roots[0]
    }

    /// Reads the ledger; absent is an error of its own.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn read(&self) -> Result<Vec<u8>, Fail> {
        files::read_text(&self.path, LIMIT)
    }

    /// Which events' artifacts exist. Bound: a look at the disk for each artifact that is named.
    pub fn present(&self, decoded: &Decoded) -> Present {
        let mut known: HashMap<&str, bool> = HashMap::new();
        let named = decoded.events.iter().enumerate().filter(|(_, (_, e))| e.needs_artifact());
        let named = named.filter_map(|(at, (_, event))| Some((at, event.artifact.as_deref()?)));
        named.filter(|(_, artifact)| *known.entry(*artifact).or_insert_with(|| self.exists(artifact))).map(|(at, _)| at).collect()
    }

    fn exists(&self, artifact: &str) -> bool {
        // Whatever the link is called, what is reviewed lies inside the folder.
        let inside = |root: &Path| {
            let (root, full) = (root.canonicalize().ok()?, root.join(artifact).canonicalize().ok()?);
            Some(full.starts_with(&root) && full.is_file())
        };
        let direct = self.roots.iter().any(|root| inside(root) == Some(true));
        direct || self.moved(artifact)
    }

    /// Whether an artifact of an item lies where the item was archived: `archive/<YYYY-MM>/<item>/…`.
    fn moved(&self, artifact: &str) -> bool {
        let Some((item, rest)) = artifact.strip_prefix("work-items/active/").and_then(|a| a.split_once('/')) else { return false };
        let months = self.archive.iter().filter_map(|a| a.read_dir().ok()).flatten().flatten();
        months.map(|m| m.path().join(item).join(rest)).any(|full| full.is_file())
    }

    /// What the ledger comes to.
    pub fn standing(&self, bytes: &[u8]) -> Standing {
        let decoded = runs::decode(bytes);
        runs::judge(&decoded, &self.present(&decoded))
    }
}

/// Every run ledger below a folder, sorted; links are not followed.
pub fn ledgers_below(folder: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    walk.filter(|e| e.file_type().is_file() && e.file_name() == "agent-runs.jsonl").map(walkdir::DirEntry::into_path).collect()
}

/// What came of an append.
pub struct Appended {
    /// Where a line that a kill cut off was moved to.
    pub torn_tail: Option<String>,
}

/// Locks the ledger's folder.
///
/// # Errors
/// `LOCK_BUSY`, `PATH_ESCAPE`.
pub fn hold(host: &Host, place: &Place) -> Result<Held, Fail> {
    files::check_target(&place.path)?;
    lock::hold(host, place.folder())
}

/// Appends an event that breaks no rule, by itself and beside those that are there; else nothing is written.
///
/// # Errors
/// `INVALID_RUN` with `errors`, `SCHEMA_NEWER`, those of the disk.
pub fn append(host: &Host, held: &Held, place: &Place, event: &Event) -> Result<Appended, Fail> {
    let mut line = serde_json::to_vec(event).unwrap_or_default();
    line.push(b'\n');
    let mut bytes = journal::read(&place.path)?;
    // A last line that lacks nothing but its break was written by somebody else, whole.
    if let Some(tail) = journal::torn_tail(&bytes)
        && serde_json::from_slice::<serde_json::Value>(tail).is_ok()
    {
        bytes.push(b'\n');
        files::replace_keeping_mode(host, &place.path, &bytes)?;
    }
    let whole = bytes.len() - journal::torn_tail(&bytes).map_or(0, <[u8]>::len);
    bytes.truncate(whole);
    let number = bytes.iter().filter(|b| **b == b'\n').count() + 1;
    bytes.extend_from_slice(&line);
    let decoded = runs::decode(&bytes);
    if !decoded.newer.is_empty() {
        let message = format!("`{}` holds events of a version behind this one", printable(&place.path.to_string_lossy()));
        return Err(Fail::new(Code::SchemaNewer, message).with("lines", decoded.newer));
    }
    let standing = runs::judge(&decoded, &place.present(&decoded));
    let errors: Vec<_> = standing.errors.iter().filter(|e| e.line == number).collect();
    if let Some(first) = errors.first() {
        let fail = Fail::new(Code::InvalidRun, first.message.clone()).with("path", place.path.to_string_lossy().as_ref());
        return Err(fail.with("errors", serde_json::to_value(&errors).unwrap_or_default()));
    }
    let name = place.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let moved = journal::append(host, held, &name, &line)?;
    Ok(Appended { torn_tail: moved.map(|p| p.to_string_lossy().into_owned()) })
}
