//! A pull request as `gh pr view --json` prints it.

use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::Fail;
use crate::scope::pull_request::{PullRequest, closes};

/// The fields that are asked for.
pub const FIELDS: &str =
    "number,state,title,body,headRefName,headRefOid,baseRefName,baseRefOid,changedFiles,closingIssuesReferences,isCrossRepository";

/// Reads a pull request.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE` for a field that is missing, of another type, or no commit id.
pub fn read(bytes: &[u8]) -> Result<PullRequest, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    let oid = |key: &str| -> Result<String, Fail> {
        let text = f.text(key)?;
        let whole = matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if whole { Ok(text.to_owned()) } else { Err(f.wrong(key, "a commit id of 40 or 64 hex digits")) }
    };
    let number = f.count("number")?;
    if number == 0 {
        return Err(f.wrong("number", "a number from 1"));
    }
    let closing = f.maybe_list("closingIssuesReferences")?;
    let listed: Vec<String> = closing.iter().filter_map(written).collect();
    Ok(PullRequest {
        number,
        state: f.text("state")?.to_owned(),
        base_ref: f.text("baseRefName")?.to_owned(),
        base_oid: oid("baseRefOid")?,
        head_ref: f.text("headRefName")?.to_owned(),
        head_oid: oid("headRefOid")?,
        changed_files: f.maybe_count("changedFiles")?,
        cross_repository: f.get("isCrossRepository").and_then(Value::as_bool).unwrap_or(false),
        closes: closing.iter().filter_map(|issue| issue.get("number")?.as_u64()).collect(),
        issues: if listed.is_empty() { closes(f.maybe_text("body")?.unwrap_or_default()) } else { listed },
    })
}

/// `#3`, or `owner/name#3` where the host says which repository it is of.
fn written(issue: &Value) -> Option<String> {
    let number = issue.get("number")?.as_u64()?;
    let repository = issue.get("repository");
    let owner = repository.and_then(|r| r.get("owner")?.get("login")?.as_str());
    let name = repository.and_then(|r| r.get("name")?.as_str());
    Some(owner.zip(name).map_or_else(|| format!("#{number}"), |(owner, name)| format!("{owner}/{name}#{number}")))
}
