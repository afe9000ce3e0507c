//! The changed surface: git's legs joined into one list of files.
//!
//! The rules of cases/scope/README.md, Files. Pure: takes what git said, gives files and warnings.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use super::change::{Hint, Letter, Raw, Status};

/// One file under review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// From the top of the repository, as bytes.
    pub path: Vec<u8>,
    /// Where a renamed file came from.
    pub old_path: Option<Vec<u8>>,
    /// Base against working tree.
    pub status: Letter,
    /// HEAD and index differ.
    pub staged: bool,
    /// Index and working file differ.
    pub unstaged: bool,
    /// Not in the index.
    pub untracked: bool,
    /// What git calls binary.
    pub binary: bool,
    /// A submodule or a nested repository.
    pub submodule: bool,
}

impl File {
    /// A tracked file of a whole-code-base scope.
    pub fn whole(path: Vec<u8>, submodule: bool, binary: bool) -> File {
        File { path, old_path: None, status: Letter::A, staged: false, unstaged: false, untracked: false, binary, submodule }
    }
}

impl Serialize for File {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("path", &String::from_utf8_lossy(&self.path))?;
        if std::str::from_utf8(&self.path).is_err() {
            map.serialize_entry("path_hex", &crate::base::digest::hex(&self.path))?;
        }
        if let Some(old) = &self.old_path {
            map.serialize_entry("old_path", &String::from_utf8_lossy(old))?;
            if std::str::from_utf8(old).is_err() {
                map.serialize_entry("old_path_hex", &crate::base::digest::hex(old))?;
            }
        }
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("staged", &self.staged)?;
        map.serialize_entry("unstaged", &self.unstaged)?;
        map.serialize_entry("untracked", &self.untracked)?;
        map.serialize_entry("binary", &self.binary)?;
        map.serialize_entry("submodule", &self.submodule)?;
        map.end()
    }
}

/// What git said of a checkout against one base.
#[derive(Debug, Default)]
pub struct Legs {
    /// Base against working tree, with renames.
    pub raw: Vec<Raw>,
    /// Index and working tree against HEAD.
    pub status: Status,
    /// Base against index, where a path is equal at both ends.
    pub base_to_index: Vec<Raw>,
    /// Base against HEAD, where a path is equal at both ends.
    pub base_to_head: Vec<Raw>,
    /// Untracked paths with a NUL in their first 8,000 bytes.
    pub binary_untracked: BTreeSet<Vec<u8>>,
    /// Index hints.
    pub hints: BTreeMap<Vec<u8>, Hint>,
}

/// Paths that some leg touches although base and working tree agree: they need the two further legs.
pub fn net_zero(raw: &[Raw], status: &Status) -> Vec<Vec<u8>> {
    let listed: BTreeSet<&[u8]> = raw.iter().flat_map(Raw::ends).collect();
    let touched = status.tracked.iter().filter(|(_, legs)| !legs.unmerged).map(|(path, _)| path);
    touched.filter(|p| !listed.contains(p.as_slice())).cloned().collect()
}

/// Joins the legs. Files are sorted by path bytes, warnings sorted and unique.
pub fn join(legs: &Legs) -> (Vec<File>, BTreeSet<&'static str>) {
    let mut files: BTreeMap<Vec<u8>, File> = BTreeMap::new();
    let mut warnings = BTreeSet::new();
    for record in &legs.raw {
        let touched = record.ends().filter_map(|p| legs.status.tracked.get(p));
        let (staged, unstaged) = touched.fold((false, false), |(s, u), l| (s || l.staged, u || l.unstaged));
        let mut file = file_of(record);
        (file.staged, file.unstaged) = (staged, unstaged);
        files.insert(record.path.clone(), file);
    }
    let quiet = net_zero(&legs.raw, &legs.status);
    let earlier = |path: &[u8]| legs.base_to_index.iter().chain(&legs.base_to_head).find(|r| r.path == path);
    for path in quiet {
        let tracked = legs.status.tracked[&path];
        let mut file =
            earlier(&path).map_or_else(|| File { status: Letter::M, ..File::whole(path.clone(), tracked.submodule, false) }, file_of);
        (file.staged, file.unstaged) = (tracked.staged, tracked.unstaged);
        files.insert(path, file);
        warnings.insert("net_zero");
    }
    for (path, tracked) in &legs.status.tracked {
        if tracked.unmerged {
            let file = File { status: Letter::U, staged: true, unstaged: true, ..File::whole(path.clone(), tracked.submodule, false) };
            files.insert(path.clone(), file);
            warnings.insert("unmerged");
        }
        if tracked.submodule_dirty {
            warnings.insert("submodule_dirty");
        }
        if let Some(hint) = legs.hints.get(path).filter(|_| tracked.unstaged) {
            warnings.extend(hint.assume_unchanged.then_some("assume_unchanged_edit"));
            warnings.extend(hint.skip_worktree.then_some("skip_worktree_edit"));
        }
    }
    for path in &legs.status.untracked {
        let nested = path.last() == Some(&b'/');
        let path = path.strip_suffix(b"/").unwrap_or(path).to_vec();
        if nested {
            warnings.insert("nested_repository");
        }
        let binary = legs.binary_untracked.contains(&path);
        let entry = files.entry(path.clone()).or_insert_with(|| File::whole(path, nested, binary));
        entry.untracked = true;
    }
    let files: Vec<File> = files.into_values().collect();
    let odd = |p: &[u8]| std::str::from_utf8(p).is_err();
    if files.iter().any(|f| odd(&f.path) || f.old_path.as_deref().is_some_and(odd)) {
        warnings.insert("non_utf8_path");
    }
    (files, warnings)
}

fn file_of(record: &Raw) -> File {
    File { old_path: record.old_path.clone(), status: record.letter, ..File::whole(record.path.clone(), record.submodule, record.binary) }
}
