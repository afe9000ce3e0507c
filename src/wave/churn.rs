//! Churn: waves that find the same things again.
//!
//! The seed's rules over hashes (three equal, two alternating), beside one over structured keys: the same file, symbol and category in
//! three fixing waves in a row, whatever the words. Source: waves spec §8 (churn detection), §21 (8). Bound: linear.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::gate::Repeats;
use crate::base::digest::sha256_hex;

/// How many waves are remembered.
pub const REMEMBERED: usize = 4;

/// What is looked up of a finding: never its words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// The file.
    pub file: String,
    /// What encloses the place.
    pub symbol: String,
    /// The kind of defect.
    pub category: String,
}

/// What is remembered of a wave that fixed something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// The hash of its findings.
    pub hash: String,
    /// Their keys, sorted and unique.
    pub keys: Vec<Key>,
}

/// The hash of findings: of their descriptions, sorted, with a line end each; of none, of the word EMPTY.
pub fn findings_hash(descriptions: &[String]) -> String {
    let mut sorted: Vec<&str> = descriptions.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    let text = if sorted.is_empty() { "EMPTY\n".to_owned() } else { format!("{}\n", sorted.join("\n")) };
    sha256_hex(text.as_bytes())[..16].to_owned()
}

/// How a history repeats; the newest wave is its last.
pub fn repeats(history: &[Fixed]) -> Option<Repeats> {
    let hashes: Vec<&str> = history.iter().map(|f| f.hash.as_str()).collect();
    if let [.., a, b, c] = hashes.as_slice()
        && a == b
        && b == c
    {
        return Some(Repeats::Repeated);
    }
    if let [.., a, b, c, d] = hashes.as_slice()
        && a == c
        && b == d
        && a != b
    {
        return Some(Repeats::Alternating);
    }
    let [.., first, second, third] = history else { return None };
    let keys = |f: &Fixed| f.keys.iter().cloned().collect::<BTreeSet<Key>>();
    let both: BTreeSet<Key> = keys(first).intersection(&keys(second)).cloned().collect();
    (!both.is_disjoint(&keys(third))).then_some(Repeats::SameFinding)
}

/// A history with one more wave, the newest ones alone.
#[must_use]
pub fn remember(mut history: Vec<Fixed>, fixed: Fixed) -> Vec<Fixed> {
    history.push(fixed);
    history.drain(..history.len().saturating_sub(REMEMBERED));
    history
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(words: &str) -> Vec<Fixed> {
        let key = |c: char| Key { file: c.to_string(), symbol: String::new(), category: "x".into() };
        words.split(' ').map(|w| Fixed { hash: w.to_owned(), keys: w.chars().map(key).collect() }).collect()
    }

    #[test]
    fn repetition_alternation_and_the_same_finding_are_told() {
        assert_eq!(repeats(&history("a a a")), Some(Repeats::Repeated));
        assert_eq!(repeats(&history("a b a b")), Some(Repeats::Alternating));
        assert_eq!(repeats(&history("ax bx cx")), Some(Repeats::SameFinding));
        for fine in ["a a", "a b a", "a b c d", "ax bx c", "a a b"] {
            assert_eq!(repeats(&history(fine)), None, "{fine}");
        }
        assert_eq!(remember(history("a b c d"), history("e").remove(0)), history("b c d e"));
    }

    #[test]
    fn the_golden_hash_of_nothing_holds_and_order_does_not_matter() {
        assert_eq!(findings_hash(&[]), "a3395601ed5265fe");
        assert_eq!(findings_hash(&["b".into(), "a".into()]), findings_hash(&["a".into(), "b".into()]));
    }
}
