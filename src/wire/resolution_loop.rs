//! The settings of a resolution loop, pinned when it was opened (schema 1).

use std::collections::BTreeMap;

use serde::Serialize;

use super::json::{Fields, parse};
use crate::base::Fail;
use crate::scope::pull_request::PullRequest;

/// A loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// Always 1.
    pub schema_version: u64,
    /// Its id.
    pub loop_id: String,
    /// When it was opened.
    pub opened_at: String,
    /// pr, branch, worktree or codebase.
    pub kind: String,
    /// The commit, or the empty tree, that everything is compared with until the end.
    pub base: String,
    /// The pull request.
    pub pr: Option<PullRequest>,
    /// The source that was designated.
    pub source: String,
    /// Program and arguments of the source `command`.
    pub source_argv: Vec<String>,
    /// The client's model.
    pub model: Option<String>,
    /// How hard it thinks.
    pub effort: String,
    /// Seconds of a review.
    pub limit_s: u64,
    /// Whether an approval of unknown coverage proves nothing.
    pub require_coverage: bool,
    /// Whether the working tree's checks run too.
    pub trust_worktree_checks: bool,
    /// Our own folders inside the checkout.
    pub own: Vec<String>,
    /// Captures of earlier conversations.
    pub captures: Vec<String>,
    /// A cap on rounds.
    pub max_rounds: Option<u64>,
    /// `fix`, `command` or `none`, for a driven loop.
    pub respond: Option<String>,
    /// Program and arguments of the responder.
    pub respond_argv: Vec<String>,
    /// When a person ended it.
    pub exited_at: Option<String>,
    /// SHA-256 of each file of the loop, by its path from the loop's folder.
    pub heads: BTreeMap<String, String>,
    /// The file that is being written: after a kill either digest is the file's.
    pub pending: Option<(String, String)>,
}

/// Reads a loop.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`.
pub fn read(bytes: &[u8]) -> Result<Record, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.version(1)?;
    let text = |key: &str| f.text(key).map(str::to_owned);
    let maybe = |key: &str| f.maybe_text(key).map(|t| t.map(str::to_owned));
    let pr = f.get("pr").map(|pr| pull_request(&Fields::of(pr, "/pr")?)).transpose()?;
    Ok(Record {
        schema_version: 1,
        loop_id: text("loop_id")?,
        opened_at: text("opened_at")?,
        kind: text("kind")?,
        base: text("base")?,
        pr,
        source: text("source")?,
        source_argv: f.texts("source_argv")?,
        model: maybe("model")?,
        effort: text("effort")?,
        limit_s: f.count("limit_s")?,
        require_coverage: f.flag("require_coverage")?,
        trust_worktree_checks: f.flag("trust_worktree_checks")?,
        own: f.texts("own")?,
        captures: f.texts("captures")?,
        max_rounds: f.maybe_count("max_rounds")?,
        respond: maybe("respond")?,
        respond_argv: f.texts("respond_argv")?,
        exited_at: maybe("exited_at")?,
        heads: heads(&f)?,
        pending: pending(&f)?,
    })
}

fn heads(f: &Fields<'_>) -> Result<BTreeMap<String, String>, Fail> {
    let wanted = "an object of digests by path";
    let map = f.get("heads").and_then(serde_json::Value::as_object).ok_or_else(|| f.wrong("heads", wanted))?;
    let one = |(path, digest): (&String, &serde_json::Value)| digest.as_str().map(|d| (path.clone(), d.to_owned()));
    map.iter().map(one).collect::<Option<_>>().ok_or_else(|| f.wrong("heads", wanted))
}

fn pending(f: &Fields<'_>) -> Result<Option<(String, String)>, Fail> {
    if f.get("pending").is_none() {
        return Ok(None);
    }
    match f.texts("pending")?.as_slice() {
        [path, digest] => Ok(Some((path.clone(), digest.clone()))),
        _ => Err(f.wrong("pending", "a path and a digest")),
    }
}

fn pull_request(f: &Fields<'_>) -> Result<PullRequest, Fail> {
    let text = |key: &str| f.text(key).map(str::to_owned);
    let closes = f.list("closes")?.iter().filter_map(serde_json::Value::as_u64).collect();
    Ok(PullRequest {
        number: f.count("number")?,
        state: text("state")?,
        base_ref: text("base_ref")?,
        base_oid: text("base_oid")?,
        head_ref: text("head_ref")?,
        head_oid: text("head_oid")?,
        changed_files: f.maybe_count("changed_files")?,
        cross_repository: f.flag("cross_repository")?,
        closes,
        issues: f.texts("issues")?,
    })
}
