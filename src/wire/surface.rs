//! What stood at each path of a surface when it was reviewed: path and digest, so that it can be said later what moved (schema 1).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::json::{Fields, parse};
use crate::base::Fail;

/// Digest of what stands there, by path; a path that is no UTF-8 is `hex:` and its bytes.
pub type Surface = BTreeMap<String, String>;

/// Reads a surface.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`.
pub fn read(bytes: &[u8]) -> Result<Surface, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.version(1)?;
    let wanted = "an object of digests by path";
    let map = f.get("paths").and_then(Value::as_object).ok_or_else(|| f.wrong("paths", wanted))?;
    let one = |(path, digest): (&String, &Value)| digest.as_str().map(|d| (path.clone(), d.to_owned()));
    map.iter().map(one).collect::<Option<_>>().ok_or_else(|| f.wrong("paths", wanted))
}

/// A surface as it is kept.
pub fn document(surface: &Surface) -> Vec<u8> {
    super::json::document(&json!({"schema_version": 1, "paths": surface}))
}
