//! What export-findings is told beside the review: a match with the round before, and what was ruled on.

use std::collections::BTreeMap;

use super::json::{Fields, parse};
use crate::base::Fail;
use crate::finding::write::Baseline;

/// How each current finding compares with the round before, out of an answer of match-findings.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`.
pub fn baselines(bytes: &[u8]) -> Result<BTreeMap<String, Baseline>, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    let mut found = BTreeMap::new();
    for (i, pair) in f.list("pairs")?.iter().enumerate() {
        let at = format!("/pairs/{i}");
        let pair = Fields::of(pair, &at)?;
        let state = if pair.flag("severity_changed")? { Baseline::Updated } else { Baseline::Unchanged };
        found.insert(pair.text("current")?.to_owned(), state);
    }
    for (i, added) in f.list("added")?.iter().enumerate() {
        let at = format!("/added/{i}");
        found.insert(Fields::of(added, &at)?.text("id")?.to_owned(), Baseline::New);
    }
    Ok(found)
}

/// SARIF's status and the justification of every finding that was ruled out: `[{"id","disposition","reason"?}]`. A finding that
/// was applied is not suppressed.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`.
pub fn rulings(bytes: &[u8]) -> Result<BTreeMap<String, (&'static str, String)>, Fail> {
    let value = parse(bytes)?;
    let wrapped = serde_json::json!({"dispositions": value});
    let f = Fields::of(&wrapped, "")?;
    let mut found = BTreeMap::new();
    for (i, entry) in f.list("dispositions")?.iter().enumerate() {
        let at = format!("/{i}");
        let entry = Fields::of(entry, &at)?;
        let status = match entry.text("disposition")? {
            "rejected" | "dismissed" => "accepted",
            "deferred" => "underReview",
            "applied" => continue,
            _ => return Err(entry.wrong("disposition", "applied, rejected, dismissed or deferred")),
        };
        found.insert(entry.text("id")?.to_owned(), (status, entry.maybe_text("reason")?.unwrap_or_default().to_owned()));
    }
    Ok(found)
}
