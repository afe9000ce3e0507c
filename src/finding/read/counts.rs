//! Counts a report declares of its own findings, beside the Issues line.
//!
//! Read are lines that hold nothing but levels and numbers, totals, what a bot says it posted, and sentences that say what was
//! found. Numbers in words, logs and counts of an earlier review are not. Source: cases/reports/README.md §5. Bound: linear.

use super::label;
use crate::base::case;
use crate::base::severity::{self, Grade};
use crate::finding::Counted;

/// Labels that a row of counts may stand behind.
const LABELS: &[&str] = &[
    "counts",
    "count",
    "findings",
    "issues",
    "severity",
    "severity counts",
    "summary",
    "totals",
    "stats",
    "통계",
    "건수",
    "件数",
    "数量",
    "指摘",
];

/// Labels of a total.
const TOTALS: &[&str] = &[
    "total",
    "total findings",
    "total issues",
    "findings total",
    "number of findings",
    "findings count",
    "issue count",
    "총 건수",
    "총 지적",
    "지적 건수",
    "合計",
    "指摘数",
    "指摘件数",
    "总数",
    "问题数量",
    "问题总数",
    "总计",
];

/// Verbs of a sentence that says what this review found.
const FOUND: &[&str] = &["found", "identified ", "reports ", "reported ", "raised ", "there are ", "there is ", "발견", "検出", "发现"];

/// Nouns that a count may be of.
const NOUNS: &[&str] = &[
    "issue",
    "issues",
    "finding",
    "findings",
    "problem",
    "problems",
    "bug",
    "bugs",
    "comment",
    "comments",
    "defect",
    "defects",
    "item",
    "items",
    "vulnerability",
    "vulnerabilities",
    "concern",
    "concerns",
    "warning",
    "warnings",
    "suggestion",
    "suggestions",
];

/// The counts of a line that is nothing else: rows of levels and numbers, totals, what a bot posted.
pub(super) fn of_line(line: &str) -> Vec<(Counted, u64)> {
    if line.len() > 240 || !line.bytes().any(|b| b.is_ascii_digit()) {
        return Vec::new();
    }
    let bare = label::bare_line(line);
    if let Some(posted) = after(bare, "Actionable comments posted:") {
        return vec![(Counted::Actionable, posted)];
    }
    if let Some((name, value)) = label::split_label(line) {
        let folded = label::fold(name);
        if TOTALS.contains(&folded.as_str()) {
            return leading(value).filter(|(_, rest)| is_unit(rest)).map(|(n, _)| (Counted::Total, n)).into_iter().collect();
        }
        if LABELS.contains(&folded.as_str()) {
            return row(value);
        }
    }
    if let Some(total) = after(bare, "指摘").or_else(|| after(bare, "총 ")).or_else(|| after(bare, "지적 ")) {
        return vec![(Counted::Total, total)];
    }
    row(bare)
}

/// The counts of a sentence about this review's own findings: a number, at most one word, a level word.
pub(super) fn of_sentence(line: &str) -> Vec<(Counted, u64)> {
    let lower = case::lower(line);
    if line.len() > 1000 || !FOUND.iter().any(|f| lower.contains(f)) {
        return Vec::new();
    }
    let words: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|w| !w.is_empty()).collect();
    let counted = |at: usize| {
        let number: u64 = words[at].parse().ok()?;
        let of = |word: Option<&&str>, next: Option<&&str>| {
            let word = *word?;
            let single = word.strip_suffix('s').unwrap_or(word);
            let grade = level(word).or_else(|| level(single))?;
            // "2 high numbers" counts no findings; "2 warnings" does.
            let plural = word != single || NOUNS.contains(&word);
            (plural || next.is_some_and(|n| NOUNS.contains(n))).then_some(grade)
        };
        let grade = of(words.get(at + 1), words.get(at + 2)).or_else(|| {
            let between = words.get(at + 1).filter(|w| !NOUNS.contains(*w))?;
            (level(between).is_none()).then(|| of(words.get(at + 2), words.get(at + 3)))?
        })?;
        Counted::of(grade).map(|c| (c, number))
    };
    (0..words.len()).filter_map(counted).collect()
}

fn level(word: &str) -> Option<Grade> {
    severity::at_start(word).filter(|w| w.end == word.len()).map(|w| w.grade)
}

/// `Critical: 1, High 2 | 🟡 3건`: only levels, numbers and what joins them.
fn row(text: &str) -> Vec<(Counted, u64)> {
    let mut found = Vec::new();
    let mut pending: Option<Counted> = None;
    let mut number: Option<u64> = None;
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    ',' | ':' | '：' | '=' | '|' | '/' | '·' | '*' | '_' | '(' | ')' | '、' | '，' | ';' | '-' | '—' | '\u{fe0f}'
                )
        });
        if rest.is_empty() {
            break;
        }
        if let Some((n, tail)) = leading(rest) {
            rest = tail.trim_start_matches(['건', '件', '个', '個', '条', '×']);
            match pending.take() {
                Some(counted) => found.push((counted, n)),
                None if number.is_none() => number = Some(n),
                None => return Vec::new(),
            }
            continue;
        }
        let Some(written) = severity::at_start(rest) else { return Vec::new() };
        let Some(counted) = Counted::of(written.grade) else { return Vec::new() };
        rest = &rest[written.end..];
        let plural = rest.strip_prefix('s').unwrap_or(rest);
        rest = if plural.starts_with(char::is_alphanumeric) { rest } else { plural };
        if rest.starts_with(char::is_alphanumeric) && !rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Vec::new();
        }
        match number.take() {
            Some(n) => found.push((counted, n)),
            None if pending.is_none() => pending = Some(counted),
            None => return Vec::new(),
        }
    }
    if pending.is_some() || number.is_some() { Vec::new() } else { found }
}

/// The number a text starts with.
fn leading(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start_matches(['*', '_', ' ']);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    crate::base::number::digits(&text[..digits]).map(|n| (n, &text[digits..]))
}

/// The number behind a phrase, when nothing but a unit follows it.
fn after(text: &str, phrase: &str) -> Option<u64> {
    let rest = text.strip_prefix(phrase)?;
    leading(rest).filter(|(_, tail)| is_unit(tail)).map(|(n, _)| n)
}

fn is_unit(rest: &str) -> bool {
    let word = rest.trim_matches([' ', '*', '_', '.', '。', ')']);
    word.is_empty() || matches!(word, "건" | "件" | "个" | "個" | "条" | "findings" | "issues" | "finding" | "issue")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_levels_and_numbers_are_counts_and_nothing_else_is() {
        let named = |line| of_line(line).iter().map(|(c, n)| format!("{}={n}", c.word())).collect::<Vec<_>>().join(" ");
        for (line, want) in [
            ("Critical: 1, High: 2", "critical=1 high=2"),
            ("- **Counts**: high=1 low=0", "high=1 low=0"),
            ("🔴 2건, 🟡 1건", "critical=2 medium=1"),
            ("1 critical | 3 nits", "critical=1 suggestion=3"),
            ("Total findings: 3", "total=3"),
            ("指摘0件", "total=0"),
            ("问题数量：3个", "total=3"),
            ("**Actionable comments posted: 2**", "actionable=2"),
            ("step 3 ok: 9 rows, 0 errors, low memory mode", ""),
            ("Critical: 1 of the locks", ""),
            ("Medium 3건 확인", ""),
            ("High: the resume path at 3:30", ""),
        ] {
            assert_eq!(named(line), want, "{line}");
        }
    }

    #[test]
    fn sentences_count_what_this_review_found() {
        let named = |line| of_sentence(line).iter().map(|(c, n)| format!("{}={n}", c.word())).collect::<Vec<_>>().join(" ");
        assert_eq!(named("Found **2 blocking issues** and **1 additional warning**."), "critical=2 medium=1");
        assert_eq!(named("I found one critical issue."), "");
        assert_eq!(named("test run: 2 errors"), "");
        assert_eq!(named("We found 3 high numbers."), "");
    }
}
