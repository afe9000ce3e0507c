//! Mechanical fixes, as a plan: content in, content out. The same rule that found an issue decides what is fixed.

use super::endings;
use super::whitespace::is_trailing;

/// Rules whose issues can be fixed without understanding the code.
pub const FIXABLE: [&str; 4] = ["trailing-whitespace", "missing-final-newline", "blank-at-eof", "mixed-line-endings"];

/// What is to be fixed in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The rule.
    pub rule: String,
    /// First line.
    pub line: u64,
    /// Last line.
    pub last: u64,
}

/// The fixes among `wanted` whose place holds what they mend: the others would count as done without doing anything.
pub fn effective(path: &str, text: &str, wanted: Vec<Wanted>) -> Vec<Wanted> {
    let breaks = is_markdown(path);
    let lines: Vec<&str> = text.split_inclusive('\n').map(super::without_end).collect();
    let (crlf, lf) = endings::count(text);
    let blank_end = text.ends_with('\n') && lines.last().is_some_and(|l| l.trim().is_empty()) && !text.trim().is_empty();
    let holds = |w: &Wanted| match w.rule.as_str() {
        "trailing-whitespace" => {
            let first = usize::try_from(w.line.max(1) - 1).unwrap_or(usize::MAX);
            let last = usize::try_from(w.last).unwrap_or(usize::MAX).min(lines.len());
            lines.get(first..last).is_some_and(|range| range.iter().any(|l| is_trailing(l, breaks)))
        }
        "missing-final-newline" => !text.is_empty() && !text.ends_with('\n'),
        "blank-at-eof" => blank_end,
        "mixed-line-endings" => crlf > 0 && lf > 0,
        _ => false,
    };
    wanted.into_iter().filter(holds).collect()
}

fn is_markdown(path: &str) -> bool {
    [".md", ".mdx", ".markdown"].iter().any(|e| path.to_ascii_lowercase().ends_with(e))
}

/// Applies fixes to a text; line numbers are those of `text`. Fixing twice changes nothing more.
pub fn apply(path: &str, text: &str, wanted: &[Wanted]) -> String {
    let has = |rule: &str| wanted.iter().any(|w| w.rule == rule);
    let breaks = is_markdown(path);
    let mut ranges: Vec<(u64, u64)> = wanted.iter().filter(|w| w.rule == "trailing-whitespace").map(|w| (w.line, w.last)).collect();
    ranges.sort_unstable();
    let mut ranges = ranges.into_iter().peekable();
    let (crlf, lf) = endings::count(text);
    let unified = has("mixed-line-endings").then_some(if crlf > lf { "\r\n" } else { "\n" });
    let mut out = String::with_capacity(text.len());
    for (number, line) in (1u64..).zip(text.split_inclusive('\n')) {
        let end = if line.ends_with("\r\n") {
            "\r\n"
        } else if line.ends_with('\n') {
            "\n"
        } else {
            ""
        };
        let body = &line[..line.len() - end.len()];
        while ranges.next_if(|(_, last)| *last < number).is_some() {}
        let wanted_here = ranges.peek().is_some_and(|(first, _)| *first <= number);
        out.push_str(if wanted_here && is_trailing(body, breaks) { body.trim_end_matches([' ', '\t', '\r']) } else { body });
        out.push_str(if end.is_empty() { end } else { unified.unwrap_or(end) });
    }
    if has("blank-at-eof") {
        let kept = out.trim_end().len();
        if kept > 0 {
            let end = if out[kept..].contains("\r\n") { "\r\n" } else { "\n" };
            out.truncate(kept);
            out.push_str(end);
        }
    }
    if has("missing-final-newline") && !out.ends_with('\n') {
        out.push_str(unified.unwrap_or(if crlf > lf { "\r\n" } else { "\n" }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{review, subject};
    use proptest::prelude::*;

    fn wanted(text: &str) -> Vec<Wanted> {
        let issues = review(&subject("a.txt", text), &[]);
        let fixable = issues.into_iter().filter(|i| FIXABLE.contains(&i.rule.as_str()));
        fixable.map(|i| Wanted { line: i.line.unwrap_or(1), last: i.end_line.or(i.line).unwrap_or(1), rule: i.rule }).collect()
    }

    #[test]
    fn all_fixes_of_a_file_compose() {
        let text = "a \r\nb\t\nc\n\n \n";
        assert_eq!(apply("a.txt", text, &wanted(text)), "a\nb\nc\n");
        assert_eq!(apply("a.txt", "x", &wanted("x")), "x\n");
    }

    #[test]
    fn a_fix_that_mends_nothing_is_not_effective() {
        let want = |rule: &str, line, last| Wanted { rule: rule.to_owned(), line, last };
        let all = vec![
            want("trailing-whitespace", 1, 1),
            want("trailing-whitespace", 2, 2),
            want("missing-final-newline", 2, 2),
            want("blank-at-eof", 2, 2),
            want("mixed-line-endings", 1, 1),
            want("trailing-whitespace", 90, 99),
        ];
        assert_eq!(effective("a.txt", "a \nb\n", all), [want("trailing-whitespace", 1, 1)]);
    }

    proptest! {
        #[test]
        fn what_is_found_is_effective(text in "[ab \t\r\n]{0,40}") {
            let found = wanted(&text);
            prop_assert_eq!(effective("a.txt", &text, found.clone()), found);
        }

        #[test]
        fn what_was_fixed_is_not_found_again(text in "[ab \t\r\n]{0,40}") {
            let once = apply("a.txt", &text, &wanted(&text));
            let again = apply("a.txt", &once, &wanted(&once));
            prop_assert!(wanted(&again).is_empty(), "{:?} -> {:?} -> {:?}: {:?}", text, once, again, wanted(&again));
        }

        #[test]
        fn fixes_change_nothing_but_white_space(text in "[ab \t\r\n]{0,40}") {
            let fixed = apply("a.txt", &text, &wanted(&text));
            let bare = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(bare(&text), bare(&fixed));
        }
    }
}
