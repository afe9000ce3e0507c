//! The one reader of reports, on the worked reports of the formats this version reads.

use review_loop::base::reason::Contradiction;
use review_loop::finding::{Finding, read};
use serde_json::Value;

use crate::kit::shared;

/// Markdown reports in sections and lists. The other formats of the worked inputs come with parse-findings.
const READ: &[&str] = &[
    "approve-but-first",
    "approve-with-high",
    "bracket-dash-variants",
    "canonical-counts-disagree",
    "canonical-en",
    "canonical-ko",
    "crlf-list",
    "fence-noise",
    "headings-per-severity",
    "korean-clean",
    "unclosed-fence",
    "two-verdict-lines-differ",
    "unknown-verdict-word",
    "anchors-and-links",
];

fn fold(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !matches!(c, '`' | '*' | '_' | '\\' | '"')).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn same(want: &Value, got: &Finding) -> bool {
    let place = got.place.as_ref();
    let title = (fold(want["title"].as_str().unwrap_or("")), fold(&got.title));
    want["path"].as_str() == place.map(|p| p.path.as_str())
        && want["line"].as_u64() == place.and_then(|p| p.line)
        && want["end_line"].as_u64() == place.and_then(|p| p.end_line)
        && want["severity"] == got.grade.word()
        && (title.1.starts_with(&title.0) || title.0.starts_with(&title.1))
        && want.get("also").is_none_or(|also| also.as_array().unwrap().len() == got.also.len())
}

#[test]
fn the_worked_markdown_reports_are_read() {
    let mut wrong = Vec::new();
    for name in READ {
        let case = shared("reports").join(name);
        let want: Value = serde_json::from_str(&std::fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
        let review = read::review(&std::fs::read(case.join("input.md")).unwrap());
        let findings = want["findings"].as_array().unwrap();
        if review.verdict().0.word() != want["verdict"] {
            wrong.push(format!("{name}: verdict {:?}, wanted {}", review.verdict(), want["verdict"]));
        }
        let codes: Vec<&str> = review.contradictions.iter().map(|c| c.word()).collect();
        if serde_json::json!(codes) != want["contradictions"] {
            wrong.push(format!("{name}: contradictions {codes:?}, wanted {}", want["contradictions"]));
        }
        let mut left: Vec<&Finding> = review.findings.iter().collect();
        for finding in findings {
            match left.iter().position(|got| same(finding, got)) {
                Some(at) => drop(left.remove(at)),
                None => wrong.push(format!("{name}: not read: {finding}")),
            }
        }
        wrong.extend(left.iter().map(|extra| format!("{name}: read too much: {extra:?}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_in_a_worked_report_makes_a_false_approval() {
    for case in crate::kit::folders(&shared("reports")) {
        let want: Value = serde_json::from_str(&std::fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
        let input =
            std::fs::read_dir(&case).unwrap().flatten().map(|e| e.path()).find(|p| p.file_stem().is_some_and(|s| s == "input")).unwrap();
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
