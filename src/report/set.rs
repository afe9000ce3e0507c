//! The set of reports in a folder, before and after a review: exactly one new one is the round's report.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The reports of a folder at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The folder, absolute.
    pub reports_dir: PathBuf,
    /// Absolute paths, sorted by bytes.
    pub reports: Vec<String>,
}

/// Takes the canonical reports out of the regular files of a folder.
pub fn snapshot(reports_dir: &Path, files: &[PathBuf]) -> Snapshot {
    let names = files.iter().filter(|f| f.file_name().is_some_and(|n| super::name::is_canonical(&n.to_string_lossy())));
    let mut reports: Vec<String> = names.map(|f| f.to_string_lossy().into_owned()).collect();
    reports.sort_unstable();
    Snapshot { reports_dir: reports_dir.to_path_buf(), reports }
}

/// What is new since `before`, by exact absolute path; an overwritten old report is not new.
pub fn delta(before: &Snapshot, now: &Snapshot) -> Vec<String> {
    let known: BTreeSet<&String> = before.reports.iter().collect();
    now.reports.iter().filter(|r| !known.contains(r)).cloned().collect()
}
