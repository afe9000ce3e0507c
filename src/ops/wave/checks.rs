//! The declared checks of a pass, and the records of those that were run.
//!
//! Declared are the built-in checks, those of the trusted commit, and what the working tree declares beside them: a candidate neither
//! removes nor changes a check, it only adds. Source: issue 5, Policy and A wave.

use std::path::Path;

use super::Folder;
use crate::base::{Code, Fail};
use crate::host::files;
use crate::ops::checkout::Checkout;
use crate::ops::{detect_scope, review_checks};
use crate::wave::recorded::Record;
use crate::wire::checks::ProjectCheck;
use crate::wire::gate::{self, Pass};

/// The name of the built-in checks.
pub const BUILTIN: &str = "checks";

/// The folder of the records, one file for each run.
const RECORDS: &str = "checks";

/// What is declared for a scope.
pub struct Declared {
    /// The scope.
    pub scope: detect_scope::Answer,
    /// Built-in rules that the trusted commit switches off.
    pub off: Vec<String>,
    /// Checks of the project that the scope calls for.
    pub project: Vec<ProjectCheck>,
}

impl Declared {
    /// Every name, the built-in checks first.
    pub fn names(&self) -> Vec<String> {
        std::iter::once(BUILTIN.to_owned()).chain(self.project.iter().map(|c| c.name.clone())).collect()
    }
}

/// What is declared for a scope; `oid` is the trusted commit, none before the first one.
///
/// # Errors
/// `INVALID_CHECKS`, and those of detect-scope.
pub fn declared(folder: &Folder<'_>, base: Option<&str>, own: &[String], oid: Option<&str>) -> Result<Declared, Fail> {
    let checkout = &folder.checkout;
    let look = checkout.look(&checkout.own(&folder.own(own)))?;
    let scope = detect_scope::detect(checkout, folder.host, base, look)?.answer;
    let trusted = oid.map(|oid| review_checks::of_commit(checkout, oid)).transpose()?.unwrap_or_default();
    let mut all = trusted.project;
    for extra in review_checks::of_worktree(checkout)?.project {
        // Under a name that is trusted the trusted check runs.
        if !all.iter().any(|c| c.name == extra.name) {
            all.push(extra);
        }
    }
    if all.iter().any(|c| c.name == BUILTIN) {
        return Err(Fail::new(
            Code::InvalidChecks,
            format!("a check of the project is called `{BUILTIN}`, which is the built-in checks' name"),
        ));
    }
    let mut project = Vec::new();
    for check in all {
        if review_checks::concerns(&check, &scope.files)? {
            project.push(check);
        }
    }
    Ok(Declared { scope, off: trusted.off, project })
}

/// What a base is called for the built-in checks: the commit, or the empty tree for a whole code base.
pub fn compared(checkout: &Checkout, scope: &detect_scope::Answer) -> String {
    scope.base.clone().unwrap_or_else(|| checkout.empty_tree.to_owned())
}

/// Keeps a record and what its check printed, the record sealed by the loop's key: one that was written by hand is none.
///
/// # Errors
/// Why it cannot be written.
pub fn keep(folder: &Folder<'_>, dir: &Path, record: &Record, output: &[u8]) -> Result<(), Fail> {
    let place = dir.join(RECORDS);
    files::make_private_dir(&place)?;
    let bytes = gate::seal(record, |b| folder.mac(b));
    let taken = place.read_dir().into_iter().flatten().flatten();
    let last = taken.filter_map(|e| e.file_name().to_str()?.strip_suffix(".json")?.parse::<u32>().ok()).max().unwrap_or(0);
    for n in last + 1..=9999 {
        if files::create(folder.host, &place.join(format!("{n:04}.json")), &bytes)? {
            return files::replace(folder.host, &place.join(format!("{n:04}.output")), output);
        }
    }
    Err(Fail::new(Code::TooLarge, "ten thousand checks were recorded for one pass"))
}

/// Every record of a pass, in the order in which they were kept.
///
/// # Errors
/// `FORGED_STATE` for one that run-check did not write.
pub fn records(folder: &Folder<'_>, dir: &Path, pass: &Pass) -> Result<Vec<Record>, Fail> {
    let place = dir.join(RECORDS);
    let mut names: Vec<_> = place.read_dir().into_iter().flatten().flatten().map(|e| e.path()).collect();
    names.retain(|p| p.extension().is_some_and(|e| e == "json"));
    names.sort();
    let mut all = Vec::new();
    for path in names {
        let record: Record = gate::open(&files::read_private(&path)?, |b| folder.mac(b)).map_err(|fail| super::named(fail, &path))?;
        if record.pass_id == pass.pass_id {
            all.push(record);
        }
    }
    Ok(all)
}
