//! The recurring-findings artifact: `{findings:[{category, example_files}]}`, possibly inside a `payload`.
//!
//! It is display only, so anything that is not understood counts for nothing instead of failing (rounds spec §1.4).

use serde_json::Value;

use super::json::parse;
use crate::report::metrics::Categories;

/// Reads the artifact; missing or damaged gives no categories.
pub fn read(bytes: Option<&[u8]>) -> Categories {
    let Some(value) = bytes.and_then(|b| parse(b).ok()) else {
        return Categories::default();
    };
    let payload = value.get("payload").filter(|p| p.is_object()).unwrap_or(&value);
    let findings = payload.get("findings").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    Categories::new(findings.iter().filter_map(|finding| {
        let category = finding.get("category")?.as_str()?.to_owned();
        let examples = finding.get("example_files")?.as_array()?;
        Some((category, examples.iter().filter_map(|e| e.as_str().map(str::to_owned)).collect()))
    }))
}
