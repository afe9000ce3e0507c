//! `.review-loop/policy.toml`: how many clean waves each tier needs, and which paths the project calls sensitive.

use globset::Glob;

use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::wave::policy::{BUILT_IN, Passes};

/// A policy file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The numbers; those that are not given are built in.
    pub passes: Passes,
    /// How many waves a loop may spend before it pauses with its credit.
    pub wave_budget: Option<u64>,
    /// Globs of sensitive paths.
    pub sensitive: Vec<String>,
}

/// Reads a policy file.
///
/// # Errors
/// `INVALID_POLICY` naming the key; unknown keys are refused.
pub fn read(text: &str) -> Result<Policy, Fail> {
    let wrong = |why: String| Fail::new(Code::InvalidPolicy, why);
    let table: toml::Table = text.parse().map_err(|_| wrong("policy.toml is not TOML".to_owned()))?;
    const KEYS: [&str; 5] = ["small_clean_passes", "normal_clean_passes", "complex_clean_passes", "wave_budget", "sensitive"];
    if let Some(stray) = table.keys().find(|k| !KEYS.contains(&k.as_str())) {
        return Err(wrong(format!("policy.toml has the unknown key `{}`", printable(stray))));
    }
    let number = |key: &str| match table.get(key) {
        None => Ok(None),
        Some(value) => match value.as_integer().and_then(|n| u64::try_from(n).ok()).filter(|n| (1..=30).contains(n)) {
            Some(n) => Ok(Some(n)),
            None => Err(wrong(format!("`{key}` of policy.toml must be a whole number from 1 to 30"))),
        },
    };
    let passes = Passes {
        small: number("small_clean_passes")?.unwrap_or(BUILT_IN.small),
        normal: number("normal_clean_passes")?.unwrap_or(BUILT_IN.normal),
        complex: number("complex_clean_passes")?.unwrap_or(BUILT_IN.complex),
    };
    let passes = passes.check().map_err(|why| wrong(format!("the numbers of policy.toml are no policy: {}", why.word())))?;
    let listed = match table.get("sensitive") {
        None => Some(Vec::new()),
        Some(value) => value.as_array().and_then(|a| a.iter().map(|v| v.as_str().map(str::to_owned)).collect()),
    };
    let sensitive: Vec<String> = listed.ok_or_else(|| wrong("`sensitive` of policy.toml must be a list of globs".to_owned()))?;
    if let Some(bad) = sensitive.iter().find(|g| Glob::new(g).is_err()) {
        return Err(wrong(format!("`sensitive` of policy.toml holds `{}`, which is no glob", printable(bad))));
    }
    Ok(Policy { passes, wave_budget: number("wave_budget")?, sensitive })
}
