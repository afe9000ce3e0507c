//! conflict-marker: a merge that was not finished.

use super::{Issue, Subject};
use crate::base::severity::Grade;

/// Finds conflict blocks; `=======` counts only between the two outer marks, since it is a heading elsewhere.
pub fn find(subject: &Subject<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    let mut open: Option<u64> = None;
    for (number, line) in subject.fresh() {
        if is_mark(line, '<') || is_mark(line, '|') {
            open.get_or_insert(number);
        } else if is_mark(line, '>') {
            let first = open.take().unwrap_or(number);
            issues.push(issue(subject, first, number));
        }
    }
    issues.extend(open.map(|first| issue(subject, first, first)));
    issues
}

fn issue(subject: &Subject<'_>, first: u64, last: u64) -> Issue {
    Issue::at("conflict-marker", Grade::Critical, subject, Some(first), "a merge conflict was left in the file").to(last)
}

fn is_mark(line: &str, mark: char) -> bool {
    let rest = line.trim_start_matches(mark);
    line.len() - rest.len() == 7 && (rest.is_empty() && mark != '|' || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::subject;

    #[test]
    fn a_conflict_is_one_issue_over_its_block() {
        let issues = find(&subject("a.rs", "x\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"));
        assert_eq!(issues.len(), 1);
        assert_eq!((issues[0].line, issues[0].end_line), (Some(2), Some(6)));
    }

    #[test]
    fn a_heading_underline_is_no_conflict() {
        assert!(find(&subject("a.rst", "Title\n=======\n\n| a | b |\n")).is_empty());
    }
}
