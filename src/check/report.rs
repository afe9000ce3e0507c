//! The canonical report of the built-in checks, with the verdict of the strict-report rule (rounds spec §2.5, §3).

use std::fmt::Write as _;

use super::Issue;
use crate::base::digest;
use crate::base::path::{self, printable};
use crate::base::severity::{Grade, Level};
use crate::base::verdict::RoundVerdict;
use crate::finding::read::location;

/// What was reviewed.
#[derive(Debug, Clone, Default)]
pub struct Review {
    /// Sorted by path and line.
    pub issues: Vec<Issue>,
    /// How many files were looked at.
    pub files: usize,
    /// Names of the checks that found nothing.
    pub passed: Vec<String>,
    /// What detect-scope warned of.
    pub warnings: Vec<String>,
}

/// The verdict that follows from the issues: critical or high requires REQUEST_CHANGES, other warnings CONCERN.
pub fn verdict(issues: &[Issue]) -> RoundVerdict {
    let has = |level: Level| issues.iter().any(|i| i.grade.level() == level);
    if has(Level::Critical) {
        RoundVerdict::RequestChanges
    } else if has(Level::Warning) {
        RoundVerdict::Concern
    } else {
        RoundVerdict::Approve
    }
}

/// Renders the report. One item is one line: place, rule, grade, message.
pub fn render(review: &Review, date: &str) -> String {
    let of = |level: Level| -> Vec<&Issue> { review.issues.iter().filter(|i| i.grade.level() == level).collect() };
    let (critical, warning, info) = (of(Level::Critical), of(Level::Warning), of(Level::Info));
    let mut out = format!("# Deep Review Report — {date}\n\n## Summary\n- **Verdict**: {}\n", verdict(&review.issues).word());
    let _ = writeln!(out, "- **Issues**: 🔴 {}, 🟡 {}, ℹ️ {}", critical.len(), warning.len(), info.len());
    let _ = writeln!(out, "- **Review Mode**: built-in checks, {} files\n\n## Code Review", review.files);
    for (title, issues) in [("🔴 Critical", critical), ("🟡 Warning", warning), ("ℹ️ Info", info)] {
        let _ = writeln!(out, "### {title}");
        if issues.is_empty() {
            out.push_str("None.\n");
        }
        for issue in issues {
            let _ = writeln!(out, "- {}", line(issue));
        }
        out.push('\n');
    }
    out.push_str("### 🟢 Passed\n");
    if review.passed.is_empty() {
        out.push_str("None.\n");
    }
    for name in &review.passed {
        let _ = writeln!(out, "- {}", printable(name));
    }
    out
}

/// Whether a path in back-ticks is read as this very path again.
fn reads_back(path: &str) -> bool {
    let cites = location::scan(&format!("`{path}:1`"));
    let [cite] = &cites[..] else { return false };
    let stored = path::display(&cite.place.path, None);
    cite.place.line == Some(1) && stored.as_deref() == Some(path) && printable(path) == path
}

/// ``[high · secret] `path:3-4` — message``: the tag carries the grade that the section cannot tell, and the rule id.
fn line(issue: &Issue) -> String {
    let place = issue.path.as_deref().map(|p| {
        if !reads_back(p) {
            // A name that the reader would take for another file is named by its bytes, and cited nowhere.
            return format!("(a file with an unusual name, in hex {}) ", digest::hex(p.as_bytes()));
        }
        let lines = match (issue.line, issue.end_line) {
            (Some(first), Some(last)) => format!(":{first}-{last}"),
            (Some(first), None) => format!(":{first}"),
            _ => String::new(),
        };
        format!("`{}{lines}` ", printable(p))
    });
    let grade = if issue.grade == Grade::Unknown { Grade::Low } else { issue.grade };
    format!("[{} · {}] {}— {}", grade.word(), printable(&issue.rule), place.unwrap_or_default(), printable(&issue.message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{review, subject};
    use crate::finding::read;
    use crate::report::strict;

    #[test]
    fn the_report_is_strict_and_reads_back_as_it_was_found() {
        let issues = review(&subject("src/a b.rs", "let x = dbg!(1); \n// TODO x\n<<<<<<< a\n>>>>>>> b\n"), &[]);
        let text =
            render(&Review { issues: issues.clone(), files: 1, passed: vec!["secret".to_owned()], ..Review::default() }, "2026-11-30");
        let strict = strict::read(&text).unwrap();
        assert_eq!(strict.verdict, RoundVerdict::RequestChanges);
        let read = read::review(text.as_bytes());
        assert!(read.canonical && read.contradictions.is_empty(), "{:?}", read.contradictions);
        assert_eq!(read.findings.len(), issues.len());
        for finding in &read.findings {
            let issue = issues.iter().find(|i| Some(&i.rule) == finding.tags.first() && i.line == finding.place.as_ref().unwrap().line);
            let issue = issue.unwrap_or_else(|| panic!("{finding:?}"));
            assert_eq!((finding.grade, finding.place.as_ref().unwrap().path.as_str()), (issue.grade, "src/a b.rs"));
        }
    }

    #[test]
    fn a_name_that_would_be_read_as_another_file_is_cited_nowhere() {
        for name in [" x.txt", "y.txt:1", "d\\x.txt", "a|b<!--.txt", "`q`.txt", "a\u{1b}.txt", "line\nbreak.txt"] {
            let issues = review(&subject(name, "x \n"), &[]);
            let text = render(&Review { issues, files: 1, ..Review::default() }, "2026-11-30");
            let read = read::review(text.as_bytes());
            assert_eq!((read.findings.len(), read.findings[0].place.clone()), (1, None), "{name:?}: {text}");
        }
    }

    #[test]
    fn nothing_found_is_an_approval() {
        let text = render(&Review { files: 3, passed: vec!["secret".to_owned()], ..Review::default() }, "2026-11-30");
        assert_eq!(strict::read(&text).unwrap().verdict, RoundVerdict::Approve);
    }
}
