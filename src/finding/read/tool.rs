//! Output of a project's own checks, read by the readers of reviews: cargo, rdjsonl, SARIF, `path:line: message` lines.
//!
//! A document that is not of its kind gives `None`: silence of
//! a broken checker is not a pass. Bound: linear.

use super::{LineIndex, cargo, compiler, json, rdjson, sarif};
use crate::base::severity::Grade;
use crate::finding::{Finding, Location};

/// One finding of a checker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// Its grade.
    pub grade: Grade,
    /// The checker's own rule id.
    pub rule: Option<String>,
    /// Where.
    pub place: Option<Location>,
    /// What, one line.
    pub message: String,
}

/// The formats a project's check may speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `cargo … --message-format=json`
    Cargo,
    /// One diagnostic object a line.
    Rdjsonl,
    /// One SARIF log.
    Sarif,
    /// `path:line[:column]: message`
    Lines,
    /// Nothing is read; the exit status decides.
    Exit,
}

impl Format {
    /// Reads the word of `checks.toml`.
    pub fn parse(word: &str) -> Option<Format> {
        match word {
            "cargo" => Some(Format::Cargo),
            "rdjsonl" => Some(Format::Rdjsonl),
            "sarif" => Some(Format::Sarif),
            "lines" => Some(Format::Lines),
            "exit" => Some(Format::Exit),
            _ => None,
        }
    }
}

/// Reads a checker's output; none when it is not of its format.
pub fn read(format: Format, output: &str) -> Option<Vec<Reported>> {
    let lines = LineIndex::numbers(1);
    let findings = match format {
        Format::Exit => Vec::new(),
        Format::Lines => output.lines().filter_map(|l| compiler::one(l, 1)).collect(),
        Format::Cargo => {
            let maps = objects(output)?;
            cargo::read(&maps.iter().collect::<Vec<_>>(), &lines).map(|r| r.findings).unwrap_or_default()
        }
        Format::Rdjsonl => objects(output)?.iter().filter_map(|m| rdjson::diagnostic(m, None, &lines)).collect(),
        Format::Sarif => {
            let document = json::read(output, 0).ok().filter(|d| !d.truncated && !d.broken)?;
            let review = sarif::read(document.node.map()?, &lines)?;
            // A run that failed, or that lists no results, did not look.
            let looked = review.failure.is_none() && (review.sections_empty || review.resolved > 0 || !review.findings.is_empty());
            Some(review.findings).filter(|_| looked)?
        }
    };
    Some(findings.into_iter().map(|f| reported(f, format)).collect())
}

/// A checker that says no level means a warning.
fn reported(finding: Finding, format: Format) -> Reported {
    let grade = if format == Format::Lines && finding.grade == Grade::Unknown { Grade::Medium } else { finding.grade };
    let message = if finding.title.is_empty() { "(no message)".to_owned() } else { finding.title };
    Reported { grade, rule: finding.rule, place: finding.place, message }
}

/// The objects of a text of JSON lines. Lines that are not JSON (a progress line on stdout) are skipped, as long as one is.
fn objects(output: &str) -> Option<Vec<json::Map>> {
    let lines: Vec<&str> = output.lines().filter(|l| !l.trim().is_empty()).collect();
    let read = |line: &&str| match json::read(line, 0) {
        Ok(document) if !document.truncated && !document.broken && line[document.end..].trim().is_empty() => match document.node {
            json::Node::Map(map) => Some(map),
            _ => None,
        },
        _ => None,
    };
    let maps: Vec<json::Map> = lines.iter().filter_map(read).collect();
    (lines.is_empty() || !maps.is_empty()).then_some(maps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_lines_are_read_and_prose_is_not() {
        let found = read(Format::Lines, "src/a.c:12:5: error: no such thing\nsrc/b.c:3: odd\nIn file included from x\n").unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].grade, found[0].message.as_str()), (Grade::High, "no such thing"));
        assert_eq!((found[1].grade, found[1].place.as_ref().unwrap().line), (Grade::Medium, Some(3)));
    }

    #[test]
    fn cargo_messages_without_spans_only_sum_up() {
        let output = r#"{"reason":"compiler-message","message":{"level":"warning","message":"unused","code":{"code":"unused_variables"},"spans":[{"file_name":"src/a.rs","line_start":3,"line_end":3,"is_primary":true}]}}
{"reason":"compiler-message","message":{"level":"warning","message":"1 warning emitted","code":null,"spans":[]}}
{"reason":"build-finished","success":true}"#;
        let found = read(Format::Cargo, output).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].rule.as_deref(), Some("unused_variables"));
    }

    #[test]
    fn a_broken_checker_is_not_silent() {
        assert_eq!(read(Format::Sarif, "{}"), None);
        assert_eq!(read(Format::Sarif, "oops"), None);
        assert_eq!(read(Format::Cargo, "error: could not compile"), None);
        assert_eq!(read(Format::Rdjsonl, ""), Some(Vec::new()));
        assert_eq!(read(Format::Sarif, r#"{"runs":[{"results":[],"invocations":[{"executionSuccessful":false}]}]}"#), None);
    }

    #[test]
    fn sarif_takes_the_rules_default_level() {
        let log = r#"{"runs":[{"tool":{"driver":{"rules":[{"id":"R1","defaultConfiguration":{"level":"error"}}]}},"results":[
            {"ruleId":"R1","message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.py"},"region":{"startLine":2,"endLine":4}}}]},
            {"ruleId":"R1","kind":"pass","message":{"text":"fine"}}]}]}"#;
        let found = read(Format::Sarif, log).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].grade, found[0].place.clone().unwrap().end_line), (Grade::High, Some(4)));
    }
}
