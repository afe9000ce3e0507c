//! Routing metadata: what the caller tells record-round of the review beyond its report (rounds spec §1.6).

use std::path::Path;

use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::digest::is_sha256;
use crate::base::{Fail, path};
use crate::round::plan::{REVIEWERS, ROLES};
use crate::round::record::{Assignment, Routing};

/// Reads the document; JSON null is no metadata. `cwd` makes the receipt's path absolute.
///
/// # Errors
/// The strict reader's codes and `BAD_SHAPE`; the caller puts them behind `INVALID_ROUTING_METADATA`.
pub fn read(bytes: &[u8], cwd: &Path) -> Result<Routing, Fail> {
    let value = parse(bytes)?;
    if value.is_null() {
        return Ok(Routing::default());
    }
    let f = Fields::of(&value, "")?;
    let word = |key: &str, allowed: &[&str]| -> Result<Option<String>, Fail> {
        let text = f.text(key)?;
        if allowed.contains(&text) { Ok(Some(text.to_owned())) } else { Err(f.wrong(key, &format!("one of {}", allowed.join(", ")))) }
    };
    let digest = f.text("routing_plan_digest")?;
    if !is_sha256(digest) {
        return Err(f.wrong("routing_plan_digest", "64 lower-case hex digits"));
    }
    let actual_reviewers = reviewers(&f, "actual_reviewers")?;
    let wave = f.count("wave")?;
    if !(1..=2).contains(&wave) {
        return Err(f.wrong("wave", "1 or 2"));
    }
    let readiness = match f.maybe_text("readiness")? {
        None => None,
        Some(word) if matches!(word, "READY_FOR_IMPLEMENTATION" | "DOCUMENT_BLOCKED") => Some(word.to_owned()),
        Some(_) => {
            return Err(f.wrong("readiness", "READY_FOR_IMPLEMENTATION, DOCUMENT_BLOCKED or null"));
        }
    };
    let receipt = match f.get("receipt_path") {
        None | Some(Value::Bool(false)) => None,
        Some(Value::String(text)) if text.is_empty() => None,
        Some(Value::String(text)) => Some(path::absolute(cwd, Some(text), "readiness receipt")?.to_string_lossy().into_owned()),
        Some(_) => return Err(f.wrong("receipt_path", "a path or null")),
    };
    Ok(Routing {
        artifact_phase: word("artifact_phase", &["document", "implementation"])?,
        risk: word("risk", &["low", "medium", "high", "critical"])?,
        routing_plan_digest: Some(digest.to_owned()),
        planned_reviewers: reviewers(&f, "planned_reviewers")?,
        assignments: assignments(&f, &actual_reviewers)?,
        actual_reviewers,
        wave,
        expansion: f.flag("expansion")?,
        reviewer_calls_saved: f.count("reviewer_calls_saved")?,
        readiness,
        receipt_path: receipt,
    })
}

fn reviewers(f: &Fields<'_>, key: &str) -> Result<Vec<String>, Fail> {
    let ids = f.texts(key)?;
    let unique = ids.iter().collect::<std::collections::BTreeSet<_>>().len() == ids.len();
    if unique && ids.iter().all(|id| REVIEWERS.contains(&id.as_str())) {
        return Ok(ids);
    }
    Err(f.wrong(key, &format!("a list of different ids of {}", REVIEWERS.join(", "))))
}

fn assignments(f: &Fields<'_>, actual: &[String]) -> Result<Vec<Assignment>, Fail> {
    let mut read: Vec<Assignment> = Vec::new();
    for (index, entry) in f.list("assignments")?.iter().enumerate() {
        let at = format!("/assignments/{index}");
        let e = Fields::of(entry, &at)?;
        let id = e.text("reviewer_id")?;
        if !actual.iter().any(|a| a == id) || read.iter().any(|a| a.reviewer_id == id) {
            return Err(e.wrong("reviewer_id", "an actual reviewer, named once"));
        }
        let role = e.text("assignment_role")?;
        if !ROLES.contains(&role) {
            return Err(e.wrong("assignment_role", &format!("one of {}", ROLES.join(", "))));
        }
        let wave = e.count("wave")?;
        if !(1..=2).contains(&wave) {
            return Err(e.wrong("wave", "1 or 2"));
        }
        let opaque = |key: &str| -> Result<Option<String>, Fail> {
            let text = if e.has(key) {
                e.maybe_text(key)?
            } else {
                return Err(e.wrong(key, "a non-empty string or null"));
            };
            if text == Some("") { Err(e.wrong(key, "a non-empty string or null")) } else { Ok(text.map(str::to_owned)) }
        };
        read.push(Assignment {
            reviewer_id: id.to_owned(),
            assignment_role: role.to_owned(),
            model: opaque("model")?,
            effort: opaque("effort")?,
            wave,
        });
    }
    Ok(read)
}
