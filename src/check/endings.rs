//! mixed-line-endings: a file that ends some lines with CRLF and others with LF. Fixed to the more frequent one.

use super::{Issue, Subject};
use crate::base::severity::Grade;

/// How many lines end with CRLF and with LF alone.
pub fn count(text: &str) -> (usize, usize) {
    let crlf = text.matches("\r\n").count();
    (crlf, text.matches('\n').count() - crlf)
}

/// Finds files with both, when the change touches them; the line is the first one of the rarer kind.
pub fn find(subject: &Subject<'_>) -> Vec<Issue> {
    let text = subject.text.unwrap_or_default();
    let (crlf, lf) = count(text);
    if crlf == 0 || lf == 0 || !subject.has_new_lines() {
        return Vec::new();
    }
    let rare_is_crlf = crlf < lf;
    let rare = text.split_inclusive('\n').position(|l| l.ends_with("\r\n") == rare_is_crlf);
    let line = rare.map(|at| at as u64 + 1);
    vec![Issue::at("mixed-line-endings", Grade::Low, subject, line, format!("{crlf} lines end with CRLF and {lf} with LF"))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::subject;

    #[test]
    fn the_first_line_of_the_rarer_kind_is_named() {
        let issues = find(&subject("a.txt", "a\nb\r\nc\n"));
        assert_eq!(issues[0].line, Some(2));
        assert!(find(&subject("a.txt", "a\r\nb\r\n")).is_empty());
    }
}
