//! Whether a rationale says something of its own: "cite specific blockers (file:line / evidence) or a specific no-blocker rationale"
//! (design seed, Hardening invariants 3).

use std::collections::BTreeSet;

/// Words that any review could say.
const STOCK: &[&str] = &[
    "a",
    "again",
    "all",
    "am",
    "an",
    "and",
    "any",
    "anything",
    "appears",
    "approve",
    "approved",
    "are",
    "as",
    "at",
    "be",
    "been",
    "blocker",
    "blockers",
    "blocking",
    "by",
    "can",
    "change",
    "changes",
    "checked",
    "checks",
    "code",
    "concern",
    "concerns",
    "correct",
    "design",
    "detected",
    "done",
    "everything",
    "fine",
    "for",
    "found",
    "go",
    "good",
    "great",
    "has",
    "have",
    "here",
    "i",
    "in",
    "is",
    "issue",
    "issues",
    "it",
    "its",
    "just",
    "lgtm",
    "look",
    "looks",
    "me",
    "my",
    "no",
    "none",
    "not",
    "nothing",
    "of",
    "ok",
    "okay",
    "on",
    "open",
    "out",
    "overall",
    "pass",
    "passed",
    "passes",
    "perfect",
    "plan",
    "problem",
    "problems",
    "proceed",
    "proposed",
    "ready",
    "reasonable",
    "remain",
    "remaining",
    "report",
    "review",
    "reviewed",
    "see",
    "seems",
    "ship",
    "solid",
    "sound",
    "that",
    "the",
    "there",
    "these",
    "they",
    "this",
    "to",
    "very",
    "was",
    "we",
    "well",
    "were",
    "with",
    "works",
    "yes",
];

/// Whether a rationale is specific: it cites a place (a path, a `file:line`, code in back-ticks), or at least five different words of it
/// are none that any review could say. Bound: linear.
pub fn is_specific(rationale: &str) -> bool {
    if rationale.split_whitespace().any(cites) || rationale.matches('`').count() >= 2 {
        return true;
    }
    // A language without blanks says as much in one run.
    let wide = rationale.chars().filter(|c| ('\u{2e80}'..='\u{9fff}').contains(c) || ('\u{ac00}'..='\u{d7a3}').contains(c)).count();
    let words = rationale.split(|c: char| !c.is_alphanumeric()).filter(|w| w.chars().count() > 1).map(str::to_lowercase);
    let own: BTreeSet<String> = words.filter(|w| !STOCK.contains(&w.as_str())).collect();
    own.len() >= 5 || wide >= 12
}

/// Whether a rationale is nothing but words that any review could say: the least that a ledger written by hand is held to.
pub fn is_stock(rationale: &str) -> bool {
    let mut words = rationale.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.all(|w| STOCK.contains(&w.to_lowercase().as_str()))
}

/// Whether a word is a path with an ending or a line.
fn cites(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '_'));
    let (path, line) = word.split_once(':').map_or((word, None), |(p, l)| (p, Some(l)));
    let named = path.chars().filter(|c| c.is_alphanumeric()).count() >= 1;
    let lined = line.is_some_and(|l| l.starts_with(|c: char| c.is_ascii_digit()));
    let ending = path.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=5).contains(&end.len())
            && end.bytes().all(|b| b.is_ascii_alphanumeric())
            && !end.bytes().all(|b| b.is_ascii_digit())
    });
    let folders = path.contains('/')
        && path.chars().filter(|c| c.is_alphanumeric()).count() >= 4
        && !matches!(path, "and/or" | "yes/no" | "pass/fail");
    named && (ending || (lined && path.chars().count() > 1) || (folders && path.matches('/').count() > 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rationale_is_specific_or_it_is_none() {
        for said in [
            "no blocker: checked x.rs:10-40",
            "cites x.rs:3",
            "the lock is released on every path because the guard drops in both branches",
            "`Guard::drop` runs on unwind",
            "src/host/lock holds it once",
            "verified trace:42 against it",
            "잠금은 모든 경로에서 해제되며 가드가 두 분기에서 모두 소멸한다",
        ] {
            assert!(is_specific(said), "{said}");
        }
        for said in [
            "ok",
            "LGTM!",
            "Looks good to me, no issues found.",
            "no blockers",
            "",
            "All checks pass and the design is sound overall.",
            "x",
            "good. fine.",
            "1.0",
            "and/or",
        ] {
            assert!(!is_specific(said), "{said}");
        }
        assert!(is_stock("ok") && is_stock("Looks good, no issues found.") && is_stock("—"));
        assert!(!is_stock("r") && !is_stock("checked trace 42"));
    }
}
