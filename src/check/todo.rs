//! todo-without-reference: a promise nobody can find again.

use super::{Issue, Subject};
use crate::base::severity::Grade;

/// Finds new TODO, FIXME and XXX marks without an issue number, a ticket or a URL on the line.
pub fn find(subject: &Subject<'_>) -> Vec<Issue> {
    if matches!(subject.extension().as_str(), "md" | "txt" | "rst" | "lock" | "snap") {
        return Vec::new();
    }
    let marks = [("FIXME", Grade::Low), ("XXX", Grade::Low), ("TODO", Grade::Suggestion)];
    let mut issues = Vec::new();
    for (number, line) in subject.fresh() {
        let found = marks.into_iter().find(|(mark, _)| has_mark(line, mark));
        if let Some((mark, grade)) = found.filter(|_| !has_reference(line)) {
            issues.push(Issue::at(
                "todo-without-reference",
                grade,
                subject,
                Some(number),
                format!("a `{mark}` without an issue, ticket or URL"),
            ));
        }
    }
    issues
}

fn has_mark(line: &str, mark: &str) -> bool {
    line.match_indices(mark).any(|(at, _)| {
        let bound = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '"' | '\''));
        bound(line[..at].chars().next_back()) && bound(line[at + mark.len()..].chars().next())
    })
}

/// `#12`, `GH-12`, `ABC-123` or a URL.
fn has_reference(line: &str) -> bool {
    if line.contains("://") {
        return true;
    }
    let number = |mark: char| {
        line.match_indices(mark).any(|(at, _)| {
            let digits = line[at + 1..].starts_with(|c: char| c.is_ascii_digit());
            let key = line[..at].chars().next_back().is_some_and(|c| c.is_ascii_uppercase());
            digits && (mark == '#' || key)
        })
    };
    number('#') || number('-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::subject;

    #[test]
    fn a_mark_needs_a_reference() {
        assert_eq!(find(&subject("a.rs", "// TODO: later\n"))[0].grade, Grade::Suggestion);
        assert_eq!(find(&subject("a.rs", "// FIXME now\n"))[0].grade, Grade::Low);
        for line in [
            "// TODO(#12): x\n",
            "// TODO ABC-123\n",
            "// TODO see https://x.invalid/1\n",
            "let todo = 1;\n",
            "let x = \"TODO\";\n",
            "TODOS\n",
        ] {
            assert!(find(&subject("a.rs", line)).is_empty(), "{line}");
        }
    }
}
