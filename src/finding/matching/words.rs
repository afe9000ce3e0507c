//! What a finding says, as the defect concepts it speaks of and its own words, so that two wordings of one defect are alike.
//!
//! Bound: linear in the text.

use super::concepts::{Belief, TITLED};
use crate::base::case;
use std::collections::{BTreeSet, HashMap};

/// As much of a body is read: what stands behind that repeats it, or quotes.
const READ: usize = 4000;

/// What a finding says.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    /// Of what it speaks.
    belief: Belief,
    /// Its own words, stemmed.
    words: BTreeSet<String>,
    /// Those of them that stand in the line it is about or in the path: they say where, and not what.
    local: BTreeSet<String>,
}

/// Reads title and body; the title says more. `place` is the line that is meant, and the path.
pub(super) fn read(title: &str, body: &str, place: &str) -> Said {
    let body = &body[..body.floor_char_boundary(READ)];
    let (title_words, body_words) = (tokens(title), tokens(body));
    let mut said = Said::default();
    // Whole, without its folders, and in its parts.
    let lower = case::lower(place);
    let parts = lower.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let names = lower.split(|c: char| c.is_whitespace() || c == '/');
    let there: BTreeSet<String> = tokens(place).iter().map(String::as_str).chain(parts).chain(names).map(stem).collect();
    said.belief = Belief::of(&[(&title_words, TITLED), (&body_words, 1.0)], &there);
    let all = title_words.iter().chain(&body_words).map(String::as_str);
    said.words = all.flat_map(pieces).collect();
    said.local = said.words.intersection(&there).cloned().collect();
    said
}

/// How much more likely two findings say what they say when they speak of one defect than when they do not, as a logarithm, by
/// their concepts; and how much of their words they share, from 0 to 1. Of two that stand at one place (`near`) the words of the
/// place say nothing.
pub(super) fn alike(a: &Said, b: &Said, rarity: &Rarity, near: bool) -> (f64, f64) {
    let of_place = |w: &String| near && (a.local.contains(w) || b.local.contains(w));
    let weight = |words: &BTreeSet<String>| words.iter().filter(|w| !of_place(w)).map(|w| rarity.of(w)).sum::<f64>();
    let shared: f64 = a.words.intersection(&b.words).filter(|w| !of_place(w)).map(|w| rarity.of(w)).sum();
    let total: f64 = weight(&a.words).min(weight(&b.words));
    (a.belief.alike(&b.belief), if total > 0.0 { shared / total } else { 0.0 })
}

/// How rare each word is among all findings of both sides.
#[derive(Debug, Default)]
pub(super) struct Rarity {
    counts: HashMap<String, u32>,
    all: u32,
}

impl Rarity {
    /// Counts the words of all findings.
    pub(super) fn of_all<'s>(said: impl IntoIterator<Item = &'s Said>) -> Rarity {
        let mut rarity = Rarity::default();
        for one in said {
            rarity.all += 1;
            for word in &one.words {
                *rarity.counts.entry(word.clone()).or_default() += 1;
            }
        }
        rarity
    }

    fn of(&self, word: &str) -> f64 {
        let seen = f64::from(self.counts.get(word).copied().unwrap_or(0));
        ((f64::from(self.all) + 1.0) / (seen + 1.0)).ln() + 0.2
    }
}

/// Words that every finding may hold.
const STOP: &[&str] = &[
    "the",
    "and",
    "for",
    "that",
    "this",
    "with",
    "are",
    "was",
    "not",
    "but",
    "from",
    "its",
    "has",
    "have",
    "can",
    "may",
    "will",
    "when",
    "where",
    "which",
    "here",
    "there",
    "then",
    "than",
    "into",
    "only",
    "also",
    "code",
    "line",
    "lines",
    "file",
    "function",
    "method",
    "call",
    "value",
    "should",
    "would",
    "could",
    "must",
    "please",
    "consider",
    "before",
    "after",
    "merge",
    "fix",
    "use",
    "used",
    "uses",
    "instead",
    "still",
    "present",
    "see",
    "any",
    "all",
    "one",
    "two",
    "way",
    "via",
    "per",
    "you",
    "your",
    "our",
    "add",
    "make",
    "does",
    "done",
    "they",
    "them",
    "because",
    "since",
    "while",
    "until",
    "high",
    "medium",
    "low",
    "critical",
    "suggestion",
    "severity",
    "production",
    "users",
    "affects",
    "effort",
    "correct",
    "adding",
    "test",
    "well",
    "seen",
    "reading",
    "diff",
    "callers",
    "part",
    "works",
    "together",
    "statement",
    "reads",
    "around",
    "involves",
    "point",
    "depends",
    "holds",
    "place",
    "second",
    "look",
];

/// Lower-case words; a hyphen, a dot or a slash inside one keeps it together beside its parts.
fn tokens(text: &str) -> Vec<String> {
    let lower = case::lower(text);
    let mut found: Vec<String> = Vec::new();
    for word in
        lower.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '"' | '\'' | '`' | '!' | '?' | '[' | ']' | '{' | '}'))
    {
        let word = word.trim_matches(|c: char| matches!(c, '.' | ')' | '(' | '*' | '_'));
        if word.is_empty() {
            continue;
        }
        if word.contains(['-', '/', '.', '(', '_']) {
            found.extend(word.split(['-', '/', '.', '(', '_']).filter(|p| p.len() > 1).map(str::to_owned));
        }
        found.push(word.to_owned());
    }
    found
}

/// Whether a character is of a script that writes words without blanks: kana, Han.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// A word as it is compared: stemmed, nothing of fewer than three letters; in the scripts of East Asia its pairs of characters, which
/// no ending changes.
fn pieces(word: &str) -> Vec<String> {
    if word.chars().all(|c| c < '\u{1100}') {
        return if word.chars().count() > 2 && !STOP.contains(&word) { vec![stem(word)] } else { Vec::new() };
    }
    let chars: Vec<char> = word.chars().collect();
    chars.windows(2).map(|pair| pair.iter().collect()).collect()
}

/// A word without its most common endings.
pub(super) fn stem(word: &str) -> String {
    for end in ["ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "ly", "s"] {
        if let Some(rest) = word.strip_suffix(end).filter(|r| r.chars().count() >= 4) {
            return rest.to_owned();
        }
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_in_another_language_is_known() {
        let rarity = Rarity::default();
        let llr = |a: &str, b: &str| alike(&read(a, "", ""), &read(b, "", ""), &rarity, false).0;
        for said in ["뮤텍스 잠금 순서로 인한 교착 상태", "ロックの順序によるデッドロック", "加锁顺序不同会导致死锁"]
        {
            assert!(llr("deadlock: both locks are taken in the opposite order", said) > 2.0, "{said}");
            assert!(llr("the password is written to the log", said) < 0.0, "{said}");
        }
        assert!(llr("비밀번호가 로그에 출력됩니다", "credentials end up in the log file") > 1.5);
    }

    #[test]
    fn words_of_the_place_say_nothing_of_two_findings_that_stand_there() {
        let place = "src/queue_reader.rs let depot = parser.open(carrier);";
        let a = read("`depot` is odd", "In queue_reader.rs carrier and depot meet", place);
        let b = read("`carrier` looks wrong", "In queue_reader.rs depot is handed to carrier", place);
        let rarity = Rarity::of_all([&a, &b]);
        assert_eq!(alike(&a, &b, &rarity, true).1, 0.0);
        assert!(alike(&a, &b, &rarity, false).1 > 0.3);
    }
}
