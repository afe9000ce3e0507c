//! The one reader of reports, on the worked reports of every format.

use std::collections::BTreeSet;

use review_loop::base::reason::Contradiction;
use review_loop::finding::read;
use serde_json::Value;

use crate::kit::{Kit, shared};

fn fold(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !matches!(c, '`' | '*' | '_' | '\\' | '"')).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Folds a literal: no emphasis, emoji or closing punctuation.
fn literal(text: &Value) -> String {
    let plain: String = text
        .as_str()
        .unwrap_or("")
        .chars()
        .filter(|c| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '-' | '_' | '(' | ')'))
        .collect();
    plain.replace('_', " ").trim().to_lowercase()
}

fn alike(want: &Value, got: &Value) -> bool {
    let (a, b) = (literal(want), literal(got));
    want.is_null() == got.is_null() && (a.starts_with(&b) || b.starts_with(&a))
}

fn places(list: &Value) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(|p| format!("{}:{}-{}", p["path"], p["line"], p["end_line"])).collect()
}

fn same(want: &Value, got: &Value) -> bool {
    let title = (fold(want["title"].as_str().unwrap_or("")), fold(got["title"].as_str().unwrap_or("")));
    ["path", "line", "end_line", "severity"].iter().all(|k| want[k] == got[k])
        && (title.1.starts_with(&title.0) || title.0.starts_with(&title.1))
        && !title.1.is_empty()
        && alike(&want["severity_text"], &got["severity_text"])
        && want.get("also").is_none_or(|also| places(also) == places(&got["also"]))
}

fn input_of(case: &std::path::Path) -> std::path::PathBuf {
    let mut files = std::fs::read_dir(case).unwrap().flatten().map(|e| e.path());
    files.find(|p| p.file_stem().is_some_and(|s| s == "input")).unwrap()
}

#[test]
fn every_worked_report_is_read() {
    let kit = Kit::new();
    let mut wrong = Vec::new();
    let cases = crate::kit::folders(&shared("reports"));
    assert!(cases.len() >= 79);
    for case in cases {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let want: Value = serde_json::from_str(&std::fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
        let ran = kit.run(&["parse-findings", "--input", &input_of(&case).to_string_lossy()]);
        let got = &ran.json;
        let reliable = got["contradictions"].as_array().unwrap().iter().all(|c| c == "echoed_template")
            && got["unparsed_suspicious"] == 0
            && got["verdict"] != "unproven"
            && !(got["verdict"] == "none" && got["findings"].as_array().unwrap().is_empty());
        if ran.status != i32::from(!reliable) {
            wrong.push(format!("{name}: exit {}", ran.status));
        }
        for key in ["verdict", "contradictions", "counts_declared"] {
            if got[key] != want[key] {
                wrong.push(format!("{name}: {key} is {}, wanted {}", got[key], want[key]));
            }
        }
        if !alike(&want["verdict_text"], &got["verdict_text"]) {
            wrong.push(format!("{name}: verdict_text is {}, wanted {}", got["verdict_text"], want["verdict_text"]));
        }
        if (got["unparsed_suspicious"] == 0) != (want["unparsed_suspicious"] == 0) {
            wrong.push(format!("{name}: suspicious {} {}", got["unparsed_suspicious"], got["suspicious_lines"]));
        }
        if want.get("resolved_items").is_some_and(|n| *n != got["resolved_items"]) {
            wrong.push(format!("{name}: resolved {}", got["resolved_items"]));
        }
        let mut left: Vec<&Value> = got["findings"].as_array().unwrap().iter().collect();
        for finding in want["findings"].as_array().unwrap() {
            match left.iter().position(|got| same(finding, got)) {
                Some(at) => drop(left.remove(at)),
                None => wrong.push(format!("{name}: not read: {finding}")),
            }
        }
        wrong.extend(left.iter().map(|extra| format!("{name}: read too much: {extra}")));
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nothing_in_a_worked_report_makes_a_false_approval() {
    for case in crate::kit::folders(&shared("reports")) {
        let want: Value = serde_json::from_str(&std::fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
        let input = input_of(&case);
        let review = read::review(&std::fs::read(input).unwrap());
        let approved = review.verdict().0.word() == "approve";
        assert!(!approved || want["verdict"] == "approve", "{case:?}: {:?}", review.verdict());
    }
}

#[test]
fn bytes_that_are_not_utf8_never_approve() {
    let review = read::review(b"**Verdict**: APPROVE\n\xff\xfe\n");
    assert_eq!((review.verdict().0.word(), review.bad_utf8_at), ("unproven", Some(21)));
    assert!(!review.contradictions.contains(&Contradiction::ConflictingVerdicts));
    let torn = read::review(b"# R\n\nVerdict: APPROVE\n\0\0");
    assert_eq!((torn.verdict().0.word(), torn.bad_utf8_at), ("unproven", Some(22)));
}
