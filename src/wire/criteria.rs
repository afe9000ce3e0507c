//! Criteria: `{"version":1,"source","objectives","acceptance_criteria","verification_requirements"}`, and the record of their approval.

use serde::Serialize;
use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::digest::is_sha256;
use crate::base::{Code, Fail};
use crate::wave::criteria::{Criteria, Section, Source};

/// Reads criteria. What an item says is the rules' to judge.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`, `INVALID_CRITERIA` for another version or source.
pub fn read(bytes: &[u8]) -> Result<Criteria, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.only(&["version", "source", "objectives", "acceptance_criteria", "verification_requirements"])?;
    if f.get("version") != Some(&Value::from(1)) {
        return Err(Fail::new(Code::InvalidCriteria, "`/version` must be the number 1"));
    }
    let source = Source::parse(f.text("source")?);
    let source = source.ok_or_else(|| Fail::new(Code::InvalidCriteria, "`/source` must be approved-plan or headless-run-spec"))?;
    let list = |section: Section| f.texts(section.word());
    let items = [list(Section::Objectives)?, list(Section::AcceptanceCriteria)?, list(Section::VerificationRequirements)?];
    Ok(Criteria { source, items })
}

/// The record of an approval (schema 1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Approval {
    /// Always 1.
    pub schema_version: u64,
    /// Counts approvals, from 1.
    pub revision: u64,
    /// What was approved.
    pub criteria_binding: String,
}

/// Reads an approval.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`.
pub fn approval(bytes: &[u8]) -> Result<Approval, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.version(1)?;
    f.only(&["schema_version", "revision", "criteria_binding"])?;
    let (revision, criteria_binding) = (f.count("revision")?, f.text("criteria_binding")?.to_owned());
    if revision == 0 || !is_sha256(&criteria_binding) {
        return Err(f.wrong("criteria_binding", "64 hex digits, of a revision from 1"));
    }
    Ok(Approval { schema_version: 1, revision, criteria_binding })
}
