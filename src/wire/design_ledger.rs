//! The ledger of a design loop as it is found: JSON or YAML, by the name of its file (spec/design-loop.md §1.2).

use serde_json::Value;

use super::{json, yaml};
use crate::base::{Code, Fail};

/// Reads a ledger. `.json` is JSON, `.yaml` and `.yml` are YAML; anything else is JSON, and YAML where it is no JSON.
///
/// # Errors
/// Those of the readers.
pub fn read(bytes: &[u8], extension: Option<&str>) -> Result<Value, Fail> {
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("json") => json::parse(bytes),
        Some("yaml" | "yml") => yaml::parse(bytes),
        _ => json::parse(bytes).or_else(|fail| if fail.code == Code::BadJson { yaml::parse(bytes).map_err(|_| fail) } else { Err(fail) }),
    }
}
