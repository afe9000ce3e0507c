//! secret: well-known key shapes, private key blocks, high-entropy assignments. The secret itself is never printed.

use std::sync::LazyLock;

use regex::Regex;

use super::{Issue, Subject};
use crate::base::severity::Grade;

/// A well-known shape: what it is, and how it looks.
const SHAPES: &[(&str, &str)] = &[
    ("a private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
    ("an AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{36,}\b"),
    ("a GitHub token", r"\bgithub_pat_[A-Za-z0-9_]{60,}\b"),
    ("a GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{20,}"),
    ("a Stripe key", r"\b[rs]k_live_[A-Za-z0-9]{20,}\b"),
    ("a Google API key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("an Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{24,}"),
    ("an OpenAI key", r"\bsk-(?:proj-)?[A-Za-z0-9_-]{32,}"),
    ("an npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("a PyPI token", r"\bpypi-[A-Za-z0-9_-]{50,}"),
    ("a SendGrid key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
];

/// An assignment to a name that holds secrets.
const ASSIGNMENT: &str = r#"(?i)(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|credential)s?["']?\s*(?::=|=>|[:=])\s*["']([^"'\s]{16,})["']"#;

struct Patterns {
    shapes: Vec<(&'static str, Regex)>,
    assignment: Option<Regex>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    shapes: SHAPES.iter().filter_map(|(what, shape)| Some((*what, Regex::new(shape).ok()?))).collect(),
    assignment: Regex::new(ASSIGNMENT).ok(),
});

/// Finds secrets on new lines: at most one issue a line.
pub fn find(subject: &Subject<'_>) -> Vec<Issue> {
    let patterns = &*PATTERNS;
    let mut issues = Vec::new();
    for (number, line) in subject.fresh() {
        let shape = patterns.shapes.iter().find_map(|(what, shape)| Some((*what, shape.find(line)?.len())));
        if let Some((what, length)) = shape {
            let message = format!("what looks like {what} ({length} characters, not shown here)");
            issues.push(Issue::at("secret", Grade::Critical, subject, Some(number), message));
            continue;
        }
        let assigned = patterns.assignment.as_ref().and_then(|a| a.captures(line)).and_then(|c| c.get(1));
        if let Some(value) = assigned.filter(|v| is_random(v.as_str())) {
            let message = format!("a high-entropy value is assigned to a secret's name ({} characters, not shown here)", value.len());
            issues.push(Issue::at("secret", Grade::High, subject, Some(number), message));
        }
    }
    issues
}

/// Random enough to be a key: letters and digits, no placeholder, at least 3.4 bits a character.
fn is_random(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let placeholder = [
        "example",
        "changeme",
        "change_me",
        "placeholder",
        "your",
        "xxxx",
        "dummy",
        "redacted",
        "${",
        "{{",
        "<",
        "process.env",
        "://",
        "todo",
    ];
    let mixed = value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_alphabetic());
    mixed && !placeholder.iter().any(|p| lower.contains(p)) && entropy(value) >= 3.4
}

#[expect(clippy::cast_precision_loss, reason = "a line is short")]
fn entropy(value: &str) -> f64 {
    let mut counts = [0usize; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    counts.iter().filter(|c| **c > 0).map(|c| *c as f64 / length).map(|p| -p * p.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::subject;

    // The samples are put together at run time, so that no scanner takes this file for a leak.
    #[test]
    fn known_shapes_are_found_and_never_printed() {
        let key = format!("AKIA{}", "ABCDEFGHIJ234567");
        let line = format!("key = \"{key}\"\n");
        let issues = find(&subject("a.py", &line));
        assert_eq!(issues.len(), 1);
        assert!(!issues[0].message.contains(&key));
        let block = format!("-----BEGIN {} KEY-----\n", "RSA PRIVATE");
        assert_eq!(find(&subject("id", &block))[0].grade, Grade::Critical);
    }

    #[test]
    fn every_shape_compiles() {
        assert_eq!(PATTERNS.shapes.len(), SHAPES.len());
        assert!(PATTERNS.assignment.is_some());
    }

    #[test]
    fn random_assignments_are_found_and_placeholders_are_not() {
        let random = format!("api_key: '{}{}'\n", "f3Kq9ZtLw0", "Rb7YxVn2Pd");
        assert_eq!(find(&subject("a.yml", &random)).len(), 1);
        for line in [
            "password = \"changeme-please-1234\"\n",
            "token = \"aaaaaaaaaaaaaaaaaaaa1\"\n",
            "secret = \"${SECRET_FROM_ENV_12}\"\n",
            "token: 'https://host/path/1234567'\n",
        ] {
            assert!(find(&subject("a.yml", line)).is_empty(), "{line}");
        }
    }
}
