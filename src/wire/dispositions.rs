//! Dispositions: as an agent hands them in (`{"entries":[…]}`), and as a round keeps them (schema 1).

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::Fail;
use crate::resolution::disposition::{BasisKind, Class, Entry, Gate, License, Licensed, Outcome, Risk};

/// The dispositions of a round as they are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// Always 1.
    pub schema_version: u64,
    /// The round.
    pub round: u64,
    /// When they were recorded.
    pub recorded_at: String,
    /// SHA-256 of the review that they are about.
    pub review_sha256: String,
    /// SHA-256 of what was said about sameness; none for a first review.
    pub recurrence_sha256: Option<String>,
    /// Of the surface after them.
    pub scope_fingerprint: String,
    /// The commit checked out after them.
    pub head: Option<String>,
    /// Files that moved since the review, sorted.
    pub moved: Vec<String>,
    /// Identity by finding.
    pub identities: BTreeMap<String, String>,
    /// One entry for each finding.
    pub entries: Vec<Entry>,
}

impl Record {
    /// Whether one of them landed an edit.
    pub fn landed(&self) -> bool {
        self.entries.iter().any(|e| e.outcome == Outcome::Applied)
    }
}

/// Reads what record-disposition is handed.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`.
pub fn asked(bytes: &[u8]) -> Result<Vec<Entry>, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.only(&["entries"])?;
    entries(&f)
}

/// Reads the dispositions of a round.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`.
pub fn read(bytes: &[u8]) -> Result<Record, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.version(1)?;
    let map = f.get("identities").and_then(Value::as_object).ok_or_else(|| f.wrong("identities", "an object of texts"))?;
    let one = |(k, v): (&String, &Value)| v.as_str().map(|v| (k.clone(), v.to_owned()));
    let identities = map.iter().map(one).collect::<Option<_>>().ok_or_else(|| f.wrong("identities", "an object of texts"))?;
    let text = |key: &str| f.text(key).map(str::to_owned);
    Ok(Record {
        schema_version: 1,
        round: f.count("round")?,
        recorded_at: text("recorded_at")?,
        review_sha256: text("review_sha256")?,
        recurrence_sha256: f.maybe_text("recurrence_sha256")?.map(str::to_owned),
        scope_fingerprint: text("scope_fingerprint")?,
        head: f.maybe_text("head")?.map(str::to_owned),
        moved: f.texts("moved")?,
        identities,
        entries: entries(&f)?,
    })
}

fn entries(f: &Fields<'_>) -> Result<Vec<Entry>, Fail> {
    f.list("entries")?.iter().enumerate().map(|(n, value)| entry(value, &format!("/entries/{n}"))).collect()
}

fn entry(value: &Value, at: &str) -> Result<Entry, Fail> {
    let f = Fields::of(value, at)?;
    const KEYS: [&str; 13] = [
        "finding",
        "class",
        "outcome",
        "basis",
        "basis_kind",
        "gate",
        "risk",
        "paths",
        "side_effects",
        "settled_by",
        "pre_existing",
        "license",
        "note",
    ];
    f.only(&KEYS)?;
    let text = |key: &str| f.maybe_text(key).map(|t| t.map(str::to_owned));
    let list = |key: &str| if f.get(key).is_some() { f.texts(key) } else { Ok(Vec::new()) };
    let flag = |key: &str| f.get(key).map_or(Ok(false), |_| f.flag(key));
    let class = Class::parse(f.text("class")?).ok_or_else(|| f.wrong("class", "mechanical or judgment"))?;
    let outcome = Outcome::parse(f.text("outcome")?).ok_or_else(|| f.wrong("outcome", "applied, dropped or carried"))?;
    let kinds = "verify, prior, user, risk or duplicate";
    let basis_kind = BasisKind::parse(f.text("basis_kind")?).ok_or_else(|| f.wrong("basis_kind", kinds))?;
    // What was not screened is not known to be without risk: of an edit it has to be said.
    let risk = match f.maybe_text("risk")? {
        Some(word) => Risk::parse(word).ok_or_else(|| f.wrong("risk", "none, substrate or epistemic"))?,
        None if outcome == Outcome::Applied => return Err(f.wrong("risk", "none, substrate or epistemic: every edit is screened")),
        None => Risk::None,
    };
    let gate = f.get("gate").map(|g| gate(g, &format!("{at}/gate"))).transpose()?;
    let license = f.get("license").map(|l| license(l, &format!("{at}/license"))).transpose()?;
    Ok(Entry {
        finding: f.text("finding")?.to_owned(),
        class,
        outcome,
        basis: text("basis")?,
        basis_kind,
        gate,
        risk,
        paths: list("paths")?,
        side_effects: list("side_effects")?,
        settled_by: text("settled_by")?,
        pre_existing: flag("pre_existing")?,
        license,
        note: text("note")?,
    })
}

fn gate(value: &Value, at: &str) -> Result<Gate, Fail> {
    let f = Fields::of(value, at)?;
    f.only(&["id", "words"])?;
    let id = f.text("id")?;
    crate::base::id::check(id, "gate").map_err(|_| f.wrong("id", "1 to 128 of A-Z a-z 0-9 . _ -"))?;
    Ok(Gate { id: id.to_owned(), words: f.text("words")?.to_owned() })
}

fn license(value: &Value, at: &str) -> Result<Licensed, Fail> {
    let f = Fields::of(value, at)?;
    f.only(&["kind", "citation"])?;
    let kind = License::parse(f.text("kind")?).ok_or_else(|| f.wrong("kind", "sweep, pr_purpose or precedent"))?;
    let citation = f.text("citation")?.to_owned();
    if citation.trim().is_empty() { Err(f.wrong("citation", "what is cited")) } else { Ok(Licensed { kind, citation }) }
}
