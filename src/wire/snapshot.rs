//! The report snapshot, schema 1: `{schema_version, reports_dir, reports}`.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::json::{Fields, parse};
use crate::base::{Code, Fail};
use crate::report::set::Snapshot;

/// The document as written.
#[derive(Debug, Serialize)]
pub struct Wire<'a> {
    /// Always 1.
    pub schema_version: u8,
    /// The folder, absolute.
    pub reports_dir: &'a Path,
    /// Absolute paths, sorted by bytes.
    pub reports: &'a [String],
}

/// The document of a snapshot.
pub fn wire(snapshot: &Snapshot) -> Wire<'_> {
    Wire { schema_version: 1, reports_dir: &snapshot.reports_dir, reports: &snapshot.reports }
}

/// Reads a snapshot document.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`; the caller puts them behind `INVALID_SNAPSHOT`.
pub fn read(bytes: &[u8]) -> Result<Snapshot, Fail> {
    let value = parse(bytes)?;
    let fields = Fields::of(&value, "")?;
    match fields.get("schema_version").and_then(serde_json::Value::as_u64) {
        Some(1) => {}
        Some(n) if n > 1 => {
            return Err(Fail::new(Code::SchemaNewer, format!("the snapshot has schema {n}, this program knows 1")));
        }
        _ => return Err(fields.wrong("schema_version", "1")),
    }
    Ok(Snapshot { reports_dir: PathBuf::from(fields.text("reports_dir")?), reports: fields.texts("reports")? })
}
