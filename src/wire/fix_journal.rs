//! The journal of the mechanical responder, schema 1: every write that is going to be made, stored before the first one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::json::{Fields, document, parse};
use crate::base::{Code, Fail};

/// One write: a file, what it must hold before, what it holds after, and which findings that fixes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedWrite {
    /// From the top of the repository.
    pub path: String,
    /// SHA-256 of the bytes that must stand there.
    pub before: String,
    /// SHA-256 of the bytes that are written.
    pub after: String,
    /// Rule, first and last line of each finding this fixes.
    pub fixes: Vec<(String, u64, u64)>,
}

/// Everything that is going to be written, and why some files are not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// Always 1.
    pub schema_version: u64,
    /// In the order they are made.
    pub writes: Vec<PlannedWrite>,
    /// The reason by path.
    pub refused: BTreeMap<String, String>,
}

impl Journal {
    /// One with nothing in it.
    pub fn new() -> Journal {
        Journal { schema_version: 1, writes: Vec::new(), refused: BTreeMap::new() }
    }
}

impl Default for Journal {
    fn default() -> Self {
        Journal::new()
    }
}

/// The bytes of a journal.
pub fn bytes(journal: &Journal) -> Vec<u8> {
    document(journal)
}

/// Reads a journal.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`.
pub fn read(bytes: &[u8]) -> Result<Journal, Fail> {
    let value = parse(bytes)?;
    let version = Fields::of(&value, "")?.count("schema_version")?;
    if version != 1 {
        let message = format!("the journal has schema {version}, this program knows 1");
        return Err(Fail::new(Code::SchemaNewer, message).with("found", version).with("known", 1));
    }
    serde_json::from_value(value).map_err(|e| Fail::new(Code::BadShape, e.to_string()))
}
