//! A scope as detect-scope prints it, read back by what checks it.

use super::json::{Fields, parse};
use crate::base::Fail;

/// What a check needs of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// pr, branch, worktree, codebase or nothing.
    pub kind: String,
    /// What the files are compared with.
    pub base: Option<String>,
    /// The commit that was reviewed.
    pub head: Option<String>,
    /// Both ends of every file, as bytes.
    pub paths: Vec<Vec<u8>>,
}

/// Reads a scope.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`.
pub fn read(bytes: &[u8]) -> Result<Scope, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    let kind = f.text("kind")?.to_owned();
    if !["pr", "branch", "worktree", "codebase", "nothing"].contains(&kind.as_str()) {
        return Err(f.wrong("kind", "pr, branch, worktree, codebase or nothing"));
    }
    let mut paths = Vec::new();
    for (i, entry) in f.list("files")?.iter().enumerate() {
        let at = format!("/files/{i}");
        let file = Fields::of(entry, &at)?;
        for (plain, hex) in [("path", "path_hex"), ("old_path", "old_path_hex")] {
            let bytes = match file.maybe_text(hex)? {
                Some(digits) => Some(unhex(digits).ok_or_else(|| file.wrong(hex, "pairs of hex digits"))?),
                None => file.maybe_text(plain)?.map(|p| p.as_bytes().to_vec()),
            };
            if plain == "path" && bytes.is_none() {
                return Err(file.wrong("path", "a path"));
            }
            paths.extend(bytes);
        }
    }
    let text = |key: &str| f.maybe_text(key).map(|t| t.map(str::to_owned));
    Ok(Scope { kind, base: text("base")?, head: text("head")?, paths })
}

/// Bytes out of pairs of hex digits.
pub fn unhex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|p| p.len() == 2)?, 16).ok()).collect()
}
