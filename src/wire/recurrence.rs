//! What was said about sameness in a round: for every finding the identity that it is known by, or that it is new; and diagnoses.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::Fail;
use crate::resolution::recurrence::Diagnosis;

/// A diagnosis with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnosed {
    /// The diagnosis.
    pub diagnosis: Diagnosis,
    /// What it rests on.
    pub basis: String,
}

/// What was said about a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// Always 1.
    pub schema_version: u64,
    /// The round.
    pub round: u64,
    /// SHA-256 of the review that it is about.
    pub review_sha256: String,
    /// Identity by finding; null for a new one.
    pub links: BTreeMap<String, Option<String>>,
    /// Findings that an edit of the round before caused.
    pub caused_by_fix: Vec<String>,
    /// Diagnosis by identity.
    pub diagnoses: BTreeMap<String, Diagnosed>,
}

/// Reads what was kept.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`.
pub fn read(bytes: &[u8]) -> Result<Record, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.version(1)?;
    let review_sha256 = f.text("review_sha256")?.to_owned();
    let said = said(&f)?;
    let round = f.count("round")?;
    Ok(Record {
        schema_version: 1,
        round,
        review_sha256,
        links: said.links,
        caused_by_fix: said.caused_by_fix,
        diagnoses: diagnoses_of(&f)?,
    })
}

/// What is said about the findings of a round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// Identity by finding; null for a new one.
    pub links: BTreeMap<String, Option<String>>,
    /// Findings that an edit of the round before caused.
    pub caused_by_fix: Vec<String>,
}

/// Reads `{"links":{finding: identity or null},"caused_by_fix":[finding]}`.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`.
pub fn links(bytes: &[u8]) -> Result<Said, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.only(&["links", "caused_by_fix"])?;
    said(&f)
}

fn said(f: &Fields<'_>) -> Result<Said, Fail> {
    let caused_by_fix = if f.get("caused_by_fix").is_some() { f.texts("caused_by_fix")? } else { Vec::new() };
    Ok(Said { links: links_of(f)?, caused_by_fix })
}

/// Reads `{"diagnoses":{identity: {"diagnosis","basis"}}}`.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`.
pub fn diagnoses(bytes: &[u8]) -> Result<BTreeMap<String, Diagnosed>, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.only(&["diagnoses"])?;
    diagnoses_of(&f)
}

fn links_of(f: &Fields<'_>) -> Result<BTreeMap<String, Option<String>>, Fail> {
    let wanted = "an object of identities or nulls by finding";
    let map = f.get("links").and_then(Value::as_object).ok_or_else(|| f.wrong("links", wanted))?;
    let one = |(k, v): (&String, &Value)| match v {
        Value::Null => Some((k.clone(), None)),
        Value::String(text) => Some((k.clone(), Some(text.clone()))),
        _ => None,
    };
    map.iter().map(one).collect::<Option<_>>().ok_or_else(|| f.wrong("links", wanted))
}

fn diagnoses_of(f: &Fields<'_>) -> Result<BTreeMap<String, Diagnosed>, Fail> {
    let map = f.get("diagnoses").and_then(Value::as_object).ok_or_else(|| f.wrong("diagnoses", "an object by identity"))?;
    let one = |(identity, value): (&String, &Value)| {
        let at = format!("/diagnoses/{identity}");
        let f = Fields::of(value, &at)?;
        f.only(&["diagnosis", "basis"])?;
        let diagnosis = Diagnosis::parse(f.text("diagnosis")?);
        let diagnosis = diagnosis.ok_or_else(|| f.wrong("diagnosis", "incomplete_repair or design_disagreement"))?;
        let basis = f.text("basis")?.to_owned();
        if basis.trim().is_empty() {
            return Err(f.wrong("basis", "what was verified"));
        }
        Ok((identity.clone(), Diagnosed { diagnosis, basis }))
    };
    map.iter().map(one).collect()
}
