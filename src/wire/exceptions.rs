//! Exceptions of the conveyance rules: `[{"rule","sha256","reason"}]`, each for one exact text.

use super::json::{Fields, parse};
use crate::base::digest::is_sha256;
use crate::base::{Code, Fail};
use crate::source::conveyance::{Exception, Rule};

/// Reads exceptions.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`.
pub fn read(bytes: &[u8]) -> Result<Vec<Exception>, Fail> {
    let value = parse(bytes)?;
    let list = value.as_array().ok_or_else(|| Fail::new(Code::BadShape, "exceptions are an array"))?;
    let one = |(n, value)| {
        let at = format!("/{n}");
        let f = Fields::of(value, &at)?;
        f.only(&["rule", "sha256", "reason"])?;
        let rule = Rule::parse(f.text("rule")?).ok_or_else(|| f.wrong("rule", "a conveyance rule"))?;
        let (sha256, reason) = (f.text("sha256")?.to_owned(), f.text("reason")?.to_owned());
        if !is_sha256(&sha256) {
            return Err(f.wrong("sha256", "64 hex digits of the exact text"));
        }
        if reason.trim().is_empty() {
            return Err(f.wrong("reason", "a reason"));
        }
        Ok(Exception { rule, sha256, reason })
    };
    list.iter().enumerate().map(one).collect()
}
