//! Output of other checkers: cargo JSON messages, rdjsonl, SARIF 2.1.0, `path:line: message` lines.
//!
//! Severity words are those of cases/reports/README.md §2. A document that is not of its kind gives `None`: silence of
//! a broken checker is not a pass. Bound: linear.

use serde_json::Value;

use crate::base::severity::Grade;
use crate::finding::Location;
use crate::finding::read::location;

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
    match format {
        Format::Exit => Some(Vec::new()),
        Format::Lines => Some(output.lines().filter_map(compiler_line).collect()),
        Format::Cargo => json_lines(output, cargo),
        Format::Rdjsonl => json_lines(output, rdjson),
        Format::Sarif => sarif(output),
    }
}

/// Lines that are not JSON (a progress line on stdout) are skipped, as long as one line is.
fn json_lines(output: &str, one: fn(&Value) -> Option<Reported>) -> Option<Vec<Reported>> {
    let lines: Vec<&str> = output.lines().filter(|l| !l.trim().is_empty()).collect();
    let values: Vec<Value> = lines.iter().filter_map(|l| serde_json::from_str(l).ok()).collect();
    (lines.is_empty() || !values.is_empty()).then(|| values.iter().filter_map(one).collect())
}

fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}

fn number(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer)?.as_u64()
}

fn range(path: String, line: Option<u64>, end: Option<u64>) -> Location {
    Location { path, line, end_line: end.filter(|e| line.is_some_and(|l| *e > l)) }
}

/// The primary span first; messages without spans only sum up.
fn cargo(value: &Value) -> Option<Reported> {
    if value.get("reason")?.as_str()? != "compiler-message" {
        return None;
    }
    let message = value.get("message")?;
    let spans = message.get("spans")?.as_array()?;
    let span = spans.iter().find(|s| s.get("is_primary").and_then(Value::as_bool) == Some(true)).or(spans.first())?;
    let grade = match message.get("level")?.as_str()? {
        level if level.starts_with("error") => Grade::High,
        "warning" => Grade::Medium,
        _ => Grade::Suggestion,
    };
    Some(Reported {
        grade,
        rule: text(message, "/code/code"),
        place: Some(range(text(span, "/file_name")?, number(span, "/line_start"), number(span, "/line_end"))),
        message: text(message, "/message")?,
    })
}

fn rdjson(value: &Value) -> Option<Reported> {
    let grade = match value.get("severity").and_then(Value::as_str) {
        Some("ERROR") => Grade::High,
        Some("WARNING") => Grade::Medium,
        Some("INFO") => Grade::Suggestion,
        _ => Grade::Unknown,
    };
    let place = text(value, "/location/path")
        .map(|path| range(path, number(value, "/location/range/start/line"), number(value, "/location/range/end/line")));
    Some(Reported { grade, rule: text(value, "/code/value"), place, message: text(value, "/message")? })
}

fn sarif(output: &str) -> Option<Vec<Reported>> {
    let log: Value = serde_json::from_str(output).ok()?;
    let mut found = Vec::new();
    for run in log.get("runs")?.as_array()? {
        let failed = run
            .pointer("/invocations")
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().any(|i| i.get("executionSuccessful") == Some(&Value::Bool(false))));
        let results = run.get("results").and_then(Value::as_array)?;
        if failed {
            return None;
        }
        found.extend(results.iter().filter_map(|r| sarif_result(run, r)));
    }
    Some(found)
}

fn sarif_result(run: &Value, result: &Value) -> Option<Reported> {
    let kind = result.get("kind").and_then(Value::as_str).unwrap_or("fail");
    let absent = result.get("baselineState").and_then(Value::as_str) == Some("absent");
    let suppressed = result.get("suppressions").and_then(Value::as_array).is_some_and(|s| !s.is_empty());
    if matches!(kind, "pass" | "notApplicable") || absent || suppressed {
        return None;
    }
    let rule = text(result, "/ruleId").or_else(|| text(result, "/rule/id"));
    let rules = run.pointer("/tool/driver/rules").and_then(Value::as_array);
    let default = rules.and_then(|all| all.iter().find(|r| text(r, "/id") == rule)).and_then(|r| text(r, "/defaultConfiguration/level"));
    let grade = match text(result, "/level").or(default).as_deref() {
        Some("error") => Grade::High,
        Some("note" | "none") => Grade::Suggestion,
        _ => Grade::Medium,
    };
    let place = text(result, "/locations/0/physicalLocation/artifactLocation/uri").map(|path| {
        let region = "/locations/0/physicalLocation/region";
        range(path, number(result, &format!("{region}/startLine")), number(result, &format!("{region}/endLine")))
    });
    Some(Reported { grade, rule, place, message: text(result, "/message/text").unwrap_or_else(|| "(no message)".to_owned()) })
}

/// `path:line[:column]: [error|warning|note:] message`; a line without a citation at its start says nothing.
fn compiler_line(line: &str) -> Option<Reported> {
    let cite = location::scan(line).into_iter().next().filter(|c| c.span.start == 0 && c.place.line.is_some())?;
    let rest = line[cite.span.end..].trim_start_matches([':', ' ', '-', '—', '\t']);
    let written = crate::base::severity::at_start(rest);
    let grade = written.as_ref().map_or(Grade::Medium, |w| w.grade);
    let message = written.map_or(rest, |w| rest[w.end..].trim_start_matches([':', ' ', '-', ']']));
    let message = if message.is_empty() { rest } else { message };
    (!message.is_empty()).then(|| Reported { grade, rule: None, place: Some(cite.place), message: message.to_owned() })
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
