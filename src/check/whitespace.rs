//! Whitespace errors: at line ends, before tabs, at the end of the file. Fixed mechanically, but for the tabs.

use super::{Issue, Subject};
use crate::base::severity::Grade;

/// Finds whitespace errors; neighbouring lines with the same one are one issue. In Markdown two blanks at a line end
/// are a line break, not an error.
pub fn find(subject: &Subject<'_>) -> Vec<Issue> {
    let Some(text) = subject.text.filter(|t| !t.is_empty()) else {
        return Vec::new();
    };
    let breaks = matches!(subject.extension().as_str(), "md" | "mdx" | "markdown");
    let patch = matches!(subject.extension().as_str(), "patch" | "diff" | "snap");
    let mut issues = Vec::new();
    if !patch {
        let trailing = subject.fresh().filter(|(_, l)| is_trailing(l, breaks)).map(|(n, _)| n);
        issues.extend(runs(trailing).into_iter().map(|(first, last)| {
            Issue::at("trailing-whitespace", Grade::Low, subject, Some(first), "whitespace at the end of the line").to(last)
        }));
        let tabs = subject.fresh().filter(|(_, l)| space_before_tab(l)).map(|(n, _)| n);
        issues.extend(runs(tabs).into_iter().map(|(first, last)| {
            Issue::at("space-before-tab", Grade::Low, subject, Some(first), "a space before a tab in the indentation").to(last)
        }));
    }
    let count = subject.lines().count() as u64;
    if !text.ends_with('\n') && subject.is_new(count) {
        issues.push(Issue::at("missing-final-newline", Grade::Low, subject, Some(count), "the file does not end with a newline"));
    }
    let blanks = subject.lines().collect::<Vec<_>>().iter().rev().take_while(|(_, l)| l.trim().is_empty()).count() as u64;
    if text.ends_with('\n') && blanks > 0 && blanks < count && subject.is_new(count) {
        issues
            .push(Issue::at("blank-at-eof", Grade::Low, subject, Some(count - blanks + 1), "blank lines at the end of the file").to(count));
    }
    issues
}

/// Whether a line ends with a blank, tab or lone carriage return that is no Markdown line break.
pub fn is_trailing(line: &str, breaks: bool) -> bool {
    let kept = line.trim_end_matches([' ', '\t', '\r']);
    let tail = &line[kept.len()..];
    let line_break = breaks && tail == "  " && !kept.is_empty();
    !(tail.is_empty() || line_break)
}

fn space_before_tab(line: &str) -> bool {
    let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
    indent.contains(" \t")
}

/// Neighbouring numbers as ranges.
pub fn runs(numbers: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::subject;

    fn rules(path: &str, text: &str) -> Vec<(String, Option<u64>, Option<u64>)> {
        find(&subject(path, text)).into_iter().map(|i| (i.rule, i.line, i.end_line)).collect()
    }

    #[test]
    fn each_whitespace_error_has_its_rule_and_range() {
        assert_eq!(rules("a.rs", "a \nb\t\nc\n"), [("trailing-whitespace".to_owned(), Some(1), Some(2))]);
        assert_eq!(rules("a.rs", "a\nb"), [("missing-final-newline".to_owned(), Some(2), None)]);
        assert_eq!(rules("a.rs", "a\n\n\n"), [("blank-at-eof".to_owned(), Some(2), Some(3))]);
        assert_eq!(rules("a.rs", " \tx\n"), [("space-before-tab".to_owned(), Some(1), None)]);
        assert!(rules("a.md", "line  \nnext\n").is_empty());
        assert!(rules("a.rs", "").is_empty());
    }
}
