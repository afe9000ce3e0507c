//! The error stream of a client: what of it is noise, what a warning, what an error.
//!
//! Source: spec/clients.md §2 (a pattern over all lines matched constant noise and missed real errors).

/// What an error stream says.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// In order.
    pub warnings: Vec<String>,
    /// In order.
    pub errors: Vec<String>,
}

/// Lines that every run may print and that say nothing of it.
const NOISE: &[&str] = &[
    "Reading prompt from stdin...",
    "Reading additional input from stdin...",
    "WARNING: proceeding, even though we could not create PATH aliases",
    "warning: Untrusted project-local configuration is disabled",
];

/// How much of a line is kept.
const LONG: usize = 500;

/// Classifies the lines; at most a hundred of each kind are kept.
pub(super) fn read(text: &str) -> Said {
    let mut said = Said::default();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !NOISE.iter().any(|n| l.starts_with(n))) {
        let lower = line.to_ascii_lowercase();
        let kept = || line.chars().filter(|c| !crate::base::path::is_unsafe(*c)).take(LONG).collect::<String>();
        let starts = |words: &[&str]| words.iter().any(|w| lower.starts_with(w));
        // A log line names its level behind the time.
        let level = lower.split_whitespace().take(2).any(|w| w == "error");
        if (level || starts(&["error", "fatal", "no prompt"]) || lower.contains("invalid_grant")) && said.errors.len() < 100 {
            said.errors.push(kept());
        } else if said.warnings.len() < 100 {
            said.warnings.push(kept());
        }
    }
    said
}
