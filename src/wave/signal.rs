//! What a wave says at its end: one line of a closed grammar.
//!
//! Source: waves spec §8 (grammar); wave-review seed, Result Signals.

use super::tier::{ReasonCode, Tier};

/// A result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signal {
    /// Nothing found, nothing changed.
    Clean,
    /// So many findings, all fixed and checked again.
    FindingsFixed(u64),
    /// So many findings remain.
    Findings(u64),
    /// Something is missing; the codes as written.
    Blocked(String),
    /// No reliable progress; the codes as written.
    Churn(String),
    /// The change is riskier than its tier.
    Escalate(Tier, String),
}

impl Signal {
    /// The kind, for journals and answers.
    pub fn kind(&self) -> &'static str {
        match self {
            Signal::Clean => "clean",
            Signal::FindingsFixed(_) => "findings_fixed",
            Signal::Findings(_) => "findings",
            Signal::Blocked(_) => "blocked",
            Signal::Churn(_) => "churn",
            Signal::Escalate(..) => "escalate",
        }
    }

    /// The line.
    pub fn line(&self) -> String {
        match self {
            Signal::Clean => "CLEAN".to_owned(),
            Signal::FindingsFixed(n) => format!("FINDINGS_FIXED:{n}"),
            Signal::Findings(n) => format!("FINDINGS:{n}"),
            Signal::Blocked(codes) => format!("BLOCKED:{codes}"),
            Signal::Churn(codes) => format!("CHURN:{codes}"),
            Signal::Escalate(tier, codes) => format!("ESCALATE:{}:{codes}", tier.word()),
        }
    }
}

/// Reads a line; the older `ESCALATE_THOROUGH:codes` is an escalation to complex. Nothing else is a result.
pub fn parse(line: &str) -> Option<Signal> {
    if line == "CLEAN" {
        return Some(Signal::Clean);
    }
    let (word, rest) = line.split_once(':')?;
    match word {
        "FINDINGS_FIXED" => count(rest).map(Signal::FindingsFixed),
        "FINDINGS" => count(rest).map(Signal::Findings),
        "BLOCKED" => codes(rest).map(Signal::Blocked),
        "CHURN" => codes(rest).map(Signal::Churn),
        "ESCALATE_THOROUGH" => codes(rest).map(|c| Signal::Escalate(Tier::Complex, c)),
        "ESCALATE" => {
            let (tier, rest) = rest.split_once(':')?;
            let tier = [Tier::Normal, Tier::Complex].into_iter().find(|t| t.word() == tier)?;
            codes(rest).map(|c| Signal::Escalate(tier, c))
        }
        _ => None,
    }
}

/// A number from 1 without a leading zero, of at most 18 digits.
fn count(text: &str) -> Option<u64> {
    let plain = (1..=18).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| plain)
}

/// Codes of a wave's own choosing: words of small letters, digits, `_` and `-`, at most 200 characters in all.
fn codes(text: &str) -> Option<String> {
    let word = |w: &str| {
        let first = w.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        first && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-'))
    };
    (text.len() <= 200 && text.split(',').all(word)).then(|| text.to_owned())
}

/// A code as a journal keeps it: what is no word of ours is `other`.
pub fn known(code: &str) -> &str {
    const OURS: [&str; 5] = ["review-session-unavailable", "missing-authority", "missing-context", "missing-tooling", "user-judgment"];
    if ReasonCode::parse(code).is_some() || OURS.contains(&code) { code } else { "other" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_grammar_is_closed() {
        for line in [
            "CLEAN",
            "FINDINGS_FIXED:3",
            "FINDINGS:12",
            "BLOCKED:no-tool",
            "CHURN:a,b",
            "ESCALATE:normal:x",
            "ESCALATE:complex:concurrency",
        ] {
            assert_eq!(parse(line).map(|s| s.line()).as_deref(), Some(line));
        }
        assert_eq!(parse("ESCALATE_THOROUGH:x"), Some(Signal::Escalate(Tier::Complex, "x".into())));
        for line in [
            "",
            "clean",
            "CLEAN ",
            "CLEAN\n",
            "CLEAN:0",
            "FINDINGS_FIXED:0",
            "FINDINGS_FIXED:01",
            "FINDINGS:",
            "FINDINGS:-1",
            "FINDINGS:1 ",
            "FINDINGS:1234567890123456789",
            "BLOCKED:",
            "BLOCKED:Two Words",
            "BLOCKED:a,,b",
            "BLOCKED:-a",
            "ESCALATE:small:x",
            "ESCALATE:normal",
            "ESCALATE:light:x",
            "NOTES:1",
            "MECHANICAL:1",
            "APPROVE",
        ] {
            assert_eq!(parse(line), None, "{line:?}");
        }
        assert_eq!((known("concurrency"), known("my-secret-path")), ("concurrency", "other"));
    }

    proptest! {
        #[test]
        fn what_is_read_prints_as_it_was(line in "(CLEAN|FINDINGS_FIXED|FINDINGS|BLOCKED|CHURN|ESCALATE)(:[a-z0-9:,-]{0,20})?") {
            if let Some(signal) = parse(&line) {
                prop_assert_eq!(signal.line(), line);
            }
        }
    }
}
