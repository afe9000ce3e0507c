//! A bundle as harvest-intent prints and keeps it (schema 1), read back by what checks and renders it.
//!
//! A key that is not of the schema is refused: nothing rides along unread.

use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::Fail;
use crate::scope::change::Letter;
use crate::source::bundle::{Bundle, Decision, File, Pointer};
use crate::source::intent::{Basis, Changed, Comment, Intent, Omission, Omitted, Rule, Section, Why};

/// Reads a bundle.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`.
pub fn read(bytes: &[u8]) -> Result<Bundle, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.version(1)?;
    const KEYS: [&str; 10] =
        ["ok", "schema_version", "scope", "rules", "guides", "comments", "mission", "omitted", "captures", "decisions"];
    f.only(&KEYS)?;
    let mission = f.get("mission").map(|m| section(m, "/mission")).transpose()?;
    let intent = Intent {
        rules: each(&f, "rules", rule)?,
        guides: each(&f, "guides", section)?,
        comments: each(&f, "comments", comment)?,
        mission,
        omitted: each(&f, "omitted", omitted)?,
    };
    Ok(Bundle {
        schema_version: 1,
        scope: pointer(&f)?,
        intent,
        captures: f.texts("captures")?,
        decisions: each(&f, "decisions", decision)?,
    })
}

fn each<T>(f: &Fields<'_>, key: &str, read: impl Fn(&Value, &str) -> Result<T, Fail>) -> Result<Vec<T>, Fail> {
    f.list(key)?.iter().enumerate().map(|(n, value)| read(value, &format!("/{key}/{n}"))).collect()
}

fn pointer(f: &Fields<'_>) -> Result<Pointer, Fail> {
    let value = f.get("scope").ok_or_else(|| f.wrong("scope", "an object"))?;
    let s = Fields::of(value, "/scope")?;
    s.only(&["kind", "base", "head", "scope_fingerprint", "files"])?;
    let kind = s.text("kind")?;
    if !["pr", "branch", "worktree", "codebase"].contains(&kind) {
        return Err(s.wrong("kind", "pr, branch, worktree or codebase"));
    }
    let oid = |key: &str, text: &str| {
        let whole = (7..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
        if whole { Ok(text.to_owned()) } else { Err(s.wrong(key, "a commit id")) }
    };
    let head = s.maybe_text("head")?.map(|h| oid("head", h)).transpose()?;
    let fingerprint = s.text("scope_fingerprint")?;
    if !crate::base::digest::is_sha256(fingerprint) {
        return Err(s.wrong("scope_fingerprint", "64 hex digits"));
    }
    let files = s.list("files")?.iter().enumerate().map(|(n, v)| file(v, &format!("/scope/files/{n}"))).collect::<Result<_, _>>()?;
    Ok(Pointer { kind: kind.to_owned(), base: oid("base", s.text("base")?)?, head, scope_fingerprint: fingerprint.to_owned(), files })
}

fn file(value: &Value, at: &str) -> Result<File, Fail> {
    let f = Fields::of(value, at)?;
    f.only(&["path", "path_hex", "status", "untracked"])?;
    let path = match f.maybe_text("path_hex")? {
        Some(digits) => super::scope::unhex(digits).ok_or_else(|| f.wrong("path_hex", "pairs of hex digits"))?,
        None => f.text("path")?.as_bytes().to_vec(),
    };
    let status = Letter::parse(f.text("status")?).ok_or_else(|| f.wrong("status", "A, M, D, R, T or U"))?;
    Ok(File { path, status, untracked: f.flag("untracked")? })
}

fn changed(f: &Fields<'_>) -> Result<Changed, Fail> {
    Changed::parse(f.text("changed")?).ok_or_else(|| f.wrong("changed", "no, edited or added"))
}

fn rule(value: &Value, at: &str) -> Result<Rule, Fail> {
    let f = Fields::of(value, at)?;
    f.only(&["path", "aliases", "basis", "changed"])?;
    let basis = f.list("basis")?.iter().enumerate().map(|(n, v)| basis(v, &format!("{at}/basis/{n}"))).collect::<Result<_, _>>()?;
    Ok(Rule { path: f.text("path")?.to_owned(), aliases: f.texts("aliases")?, basis, changed: changed(&f)? })
}

fn basis(value: &Value, at: &str) -> Result<Basis, Fail> {
    let f = Fields::of(value, at)?;
    f.only(&["why", "token", "changed_file"])?;
    let why = Why::parse(f.text("why")?).ok_or_else(|| f.wrong("why", "frontmatter, path, component, file_name or always"))?;
    Ok(Basis { why, token: f.text("token")?.to_owned(), changed_file: f.text("changed_file")?.to_owned() })
}

fn lines(f: &Fields<'_>) -> Result<(u64, u64), Fail> {
    let (start, end) = (f.count("start")?, f.count("end")?);
    if start == 0 || end < start { Err(f.wrong("end", "a line from 1 that does not stand before `start`")) } else { Ok((start, end)) }
}

fn section(value: &Value, at: &str) -> Result<Section, Fail> {
    let f = Fields::of(value, at)?;
    f.only(&["path", "aliases", "start", "end", "changed"])?;
    let (start, end) = lines(&f)?;
    Ok(Section { path: f.text("path")?.to_owned(), aliases: f.texts("aliases")?, start, end, changed: changed(&f)? })
}

fn comment(value: &Value, at: &str) -> Result<Comment, Fail> {
    let f = Fields::of(value, at)?;
    f.only(&["path", "start", "end", "word", "added_by_change"])?;
    let (start, end) = lines(&f)?;
    let (path, word) = (f.text("path")?.to_owned(), f.text("word")?.to_owned());
    Ok(Comment { path, start, end, word, added_by_change: f.flag("added_by_change")? })
}

fn omitted(value: &Value, at: &str) -> Result<Omitted, Fail> {
    let f = Fields::of(value, at)?;
    f.only(&["path", "reason"])?;
    let reason = Omission::parse(f.text("reason")?).ok_or_else(|| f.wrong("reason", "a reason of harvest-intent"))?;
    Ok(Omitted { path: f.text("path")?.to_owned(), reason })
}

fn decision(value: &Value, at: &str) -> Result<Decision, Fail> {
    let f = Fields::of(value, at)?;
    f.only(&["text", "basis"])?;
    Ok(Decision { text: f.text("text")?.to_owned(), basis: f.text("basis")?.to_owned() })
}
