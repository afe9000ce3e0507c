//! The built-in deterministic reviewer: one file per check, no model, no network.
//!
//! Takes one [`Subject`] at a time (a changed file, what of it is new), gives [`Issue`]s with a rule id, a grade, a
//! place and, where it is mechanical, a fix. Checks look at new lines only, except where a file is right or wrong as a
//! whole (syntax, line ends). Bound: linear in the bytes of the subject. Never here: files, processes, reports.

pub mod binary;
pub mod conflict;
pub mod debug;
pub mod endings;
pub mod fix;
pub mod link;
pub mod report;
pub mod secret;
pub mod syntax;
pub mod todo;
pub mod whitespace;

use crate::base::severity::Grade;

/// One changed file.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    /// From the top of the repository.
    pub path: &'a str,
    /// New line ranges, first and last included; none means every line.
    pub new_lines: Option<&'a [(u64, u64)]>,
    /// The whole content; empty for links and files over the limit.
    pub text: Option<&'a str>,
    /// Its size.
    pub size: u64,
    /// Whether git calls it binary.
    pub binary: bool,
    /// Whether it is new in this change.
    pub added: bool,
    /// Where a symbolic link points.
    pub link: Option<&'a str>,
}

impl Subject<'_> {
    /// The lines of the text with their numbers, without line ends.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &str)> {
        let text = self.text.unwrap_or_default();
        (1..).zip(text.split_inclusive('\n').map(without_end))
    }

    /// The new lines among them.
    pub fn fresh(&self) -> impl Iterator<Item = (u64, &str)> {
        let mut ranges = self.new_lines.unwrap_or(&[(1, u64::MAX)]).iter().copied().peekable();
        self.lines().filter(move |(number, _)| {
            while ranges.next_if(|(_, last)| last < number).is_some() {}
            ranges.peek().is_some_and(|(first, _)| first <= number)
        })
    }

    /// Whether a line is new.
    pub fn is_new(&self, number: u64) -> bool {
        self.new_lines.is_none_or(|ranges| {
            let at = ranges.partition_point(|(_, last)| *last < number);
            ranges.get(at).is_some_and(|(first, _)| *first <= number)
        })
    }

    /// Whether anything of it is new.
    pub fn has_new_lines(&self) -> bool {
        self.new_lines.is_none_or(|ranges| !ranges.is_empty())
    }

    /// The lower-case extension.
    pub fn extension(&self) -> String {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        name.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase()).unwrap_or_default()
    }

    /// Whether it is a test by its folder or name.
    pub fn is_test(&self) -> bool {
        let folder = self
            .path
            .split('/')
            .rev()
            .skip(1)
            .any(|f| matches!(f, "test" | "tests" | "spec" | "specs" | "__tests__" | "testdata" | "fixtures" | "e2e"));
        let name = self.path.rsplit('/').next().unwrap_or(self.path).to_ascii_lowercase();
        folder || name.starts_with("test_") || [".test.", ".spec.", "_test.", "_spec.", "tests."].iter().any(|m| name.contains(m))
    }
}

/// A line without its line end; a lone carriage return is none.
fn without_end(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |l| l.strip_suffix('\r').unwrap_or(l))
}

/// Something a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The rule id.
    pub rule: String,
    /// How grave it is.
    pub grade: Grade,
    /// From the top of the repository; none for a check of the whole.
    pub path: Option<String>,
    /// First line.
    pub line: Option<u64>,
    /// Last line of a range.
    pub end_line: Option<u64>,
    /// One sentence that holds no text of a secret.
    pub message: String,
}

impl Issue {
    /// An issue at a line of a subject.
    pub fn at(rule: &'static str, grade: Grade, subject: &Subject<'_>, line: Option<u64>, message: impl Into<String>) -> Issue {
        Issue { rule: rule.to_owned(), grade, path: Some(subject.path.to_owned()), line, end_line: None, message: message.into() }
    }

    /// The same over a range.
    #[must_use]
    pub fn to(mut self, last: u64) -> Issue {
        self.end_line = self.line.filter(|first| last > *first).map(|_| last);
        self
    }
}

/// A check: its rule ids, and what finds them.
struct Check {
    rules: &'static [&'static str],
    find: fn(&Subject<'_>) -> Vec<Issue>,
}

/// Every built-in check.
const CHECKS: [Check; 9] = [
    Check { rules: &["conflict-marker"], find: conflict::find },
    Check { rules: &["trailing-whitespace", "space-before-tab", "missing-final-newline", "blank-at-eof"], find: whitespace::find },
    Check { rules: &["mixed-line-endings"], find: endings::find },
    Check { rules: &["secret"], find: secret::find },
    Check { rules: &["oversized-file", "binary-file"], find: binary::find },
    Check { rules: &["debug-leftover"], find: debug::find },
    Check { rules: &["broken-json", "broken-toml", "broken-yaml"], find: syntax::find },
    Check { rules: &["symlink-escape"], find: link::find },
    Check { rules: &["todo-without-reference"], find: todo::find },
];

/// Every built-in rule id, in the order of the checks.
pub fn rules() -> impl Iterator<Item = &'static str> {
    // The last rule is not a check of a file's text: whole repositories inside the repository are not read at all.
    CHECKS.iter().flat_map(|c| c.rules.iter().copied()).chain(["unread-file", "unread-repository"])
}

/// Runs every check on one subject; rules in `off` are silent. Sorted by line, then rule.
pub fn review(subject: &Subject<'_>, off: &[String]) -> Vec<Issue> {
    let wanted = |c: &&Check| c.rules.iter().any(|r| !off.iter().any(|o| o == r));
    let mut issues: Vec<Issue> = CHECKS.iter().filter(wanted).flat_map(|c| (c.find)(subject)).collect();
    issues.retain(|i| !off.contains(&i.rule));
    issues.sort_by(|a, b| (a.line, &a.rule).cmp(&(b.line, &b.rule)));
    issues
}

#[cfg(test)]
pub(crate) fn subject<'a>(path: &'a str, text: &'a str) -> Subject<'a> {
    Subject { path, new_lines: None, text: Some(text), size: text.len() as u64, binary: false, added: true, link: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_lines_are_looked_at() {
        let text = "a \nb \nc \nd \n";
        let seen = Subject { new_lines: Some(&[(2, 2), (4, 4)]), ..subject("x.txt", text) };
        let lines: Vec<u64> = seen.fresh().map(|(n, _)| n).collect();
        assert_eq!(lines, [2, 4]);
        assert!(seen.is_new(4) && !seen.is_new(3));
    }

    #[test]
    fn a_rule_that_is_off_is_silent() {
        assert_eq!(review(&subject("x.txt", "a \n"), &[]).len(), 1);
        assert!(review(&subject("x.txt", "a \n"), &["trailing-whitespace".to_owned()]).is_empty());
    }
}
