//! Reviewer attempts, as the caller hands them to synthesize-verdict (rounds spec §2.5).
//!
//! `{"attempts":[{"reviewer_id","role","output"|"output_file","before_fingerprint":{"mode","digest"},
//! "after_fingerprint":{…}}],"consensus":{"findings":[{"severity","roles":[…]}]},"readiness_mismatch"?}`. A judgement in
//! place of an output (`verdict`, `status`, `issues`) is refused: attempts are evaluated here.

use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::Fail;
use crate::round::synthesis::{Evidence, Shared};

/// Where an attempt's report is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// In the document.
    Text(String),
    /// In a file of its own.
    File(String),
}

/// One attempt as handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handed {
    /// Which reviewer.
    pub reviewer_id: String,
    /// In which role.
    pub role: String,
    /// The report.
    pub output: Output,
    /// Before and after; none when either is missing, failed or null.
    pub evidence: Option<(Evidence, Evidence)>,
}

/// The whole document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempts {
    /// In the order they were made.
    pub attempts: Vec<Handed>,
    /// Who agrees on what.
    pub consensus: Option<Vec<Shared>>,
    /// Whether reviewers disagree about readiness.
    pub readiness_mismatch: bool,
}

/// Reads the document.
///
/// # Errors
/// The strict reader's codes and `BAD_SHAPE`; the caller puts them behind `INVALID_ATTEMPTS`.
pub fn read(bytes: &[u8]) -> Result<Attempts, Fail> {
    let value = parse(bytes)?;
    if let Some(list) = value.as_array() {
        return Ok(Attempts { attempts: attempts(list)?, consensus: None, readiness_mismatch: false });
    }
    let f = Fields::of(&value, "")?;
    let consensus = f.get("consensus").map(|c| Fields::of(c, "/consensus").and_then(|c| c.list("findings"))).transpose()?;
    let readiness_mismatch = if f.get("readiness_mismatch").is_some() { f.flag("readiness_mismatch")? } else { false };
    Ok(Attempts { attempts: attempts(f.list("attempts")?)?, consensus: consensus.map(shared).transpose()?, readiness_mismatch })
}

fn attempts(list: &[Value]) -> Result<Vec<Handed>, Fail> {
    list.iter().enumerate().map(|(i, entry)| attempt(entry, &format!("/attempts/{i}"))).collect()
}

fn attempt(entry: &Value, at: &str) -> Result<Handed, Fail> {
    let f = Fields::of(entry, at)?;
    if let Some(judged) = ["verdict", "status", "issues", "included"].into_iter().find(|k| f.has(k)) {
        return Err(f.wrong(judged, "absent: an attempt hands in its output and no judgement"));
    }
    let output = match (f.maybe_text("output")?, f.maybe_text("output_file")?) {
        (Some(text), None) => Output::Text(text.to_owned()),
        (None, Some(path)) => Output::File(path.to_owned()),
        _ => return Err(f.wrong("output", "there, or output_file, but not both")),
    };
    let evidence = evidence(&f, "before_fingerprint").zip(evidence(&f, "after_fingerprint"));
    Ok(Handed { reviewer_id: f.text("reviewer_id")?.to_owned(), role: f.text("role")?.to_owned(), output, evidence })
}

fn evidence(f: &Fields<'_>, key: &str) -> Option<Evidence> {
    let value = f.get(key)?;
    let text = |k: &str| value.get(k).and_then(Value::as_str).filter(|t| !t.is_empty()).map(str::to_owned);
    if value.get("error").is_some_and(|e| !e.is_null()) {
        return None;
    }
    Some(Evidence { mode: text("mode")?, digest: text("digest")? })
}

fn shared(list: &[Value]) -> Result<Vec<Shared>, Fail> {
    let one = |(i, entry): (usize, &Value)| {
        let at = format!("/consensus/findings/{i}");
        let f = Fields::of(entry, &at)?;
        let critical = match f.text("severity")? {
            "critical" => true,
            "warning" => false,
            _ => return Err(f.wrong("severity", "critical or warning")),
        };
        Ok(Shared { critical, roles: f.texts("roles")?.into_iter().collect() })
    };
    list.iter().enumerate().map(one).collect()
}
