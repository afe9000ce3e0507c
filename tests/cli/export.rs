//! export-findings: what is written is read back the same, and is what the other programs take.

use serde_json::{Value, json};

use crate::kit::{Kit, folders, shared};

fn input_of(case: &std::path::Path) -> String {
    let mut files = std::fs::read_dir(case).unwrap().flatten().map(|e| e.path());
    files.find(|p| p.file_stem().is_some_and(|s| s == "input")).unwrap().to_string_lossy().into_owned()
}

fn parsed(kit: &Kit, file: &str) -> Value {
    kit.run(&["parse-findings", "--input", file]).json
}

/// Id, grade, place and title of every finding, in an order of their own.
fn told(answer: &Value, fold: bool) -> Vec<String> {
    let grade = |g: &str| match g {
        "critical" | "high" => "high".to_owned(),
        "low" | "suggestion" => "suggestion".to_owned(),
        other => other.to_owned(),
    };
    let mut all: Vec<String> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            let severity = f["severity"].as_str().unwrap();
            let (id, severity) = if fold { (Value::Null, grade(severity)) } else { (f["id"].clone(), severity.to_owned()) };
            format!("{id} {severity} {} {} {} {}", f["path"], f["line"], f["end_line"], f["title"])
        })
        .collect();
    all.sort();
    all
}

/// Whether a format can hold the review at all.
fn proves_something(answer: &Value) -> bool {
    answer["verdict"] != "unproven" && !(answer["verdict"] == "none" && answer["findings"].as_array().unwrap().is_empty())
}

#[test]
fn every_worked_report_survives_its_export() {
    let kit = Kit::new();
    let mut wrong = Vec::new();
    for case in folders(&shared("reports")) {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let input = input_of(&case);
        let before = parsed(&kit, &input);
        for (format, file) in [("sarif", "o.sarif"), ("rdjson", "o.json"), ("rdjsonl", "o.jsonl"), ("markdown", "o.md")] {
            let ran = kit.run(&["export-findings", "--input", &input, "--format", format, "--output", file]);
            if !proves_something(&before) && format != "sarif" {
                ran.fails("INVALID_REPORT");
                continue;
            }
            assert_eq!(ran.status, 0, "{name} {format}: {}", ran.stdout);
            let after = parsed(&kit, file);
            let fold = format.starts_with("rdjson");
            if told(&before, fold) != told(&after, fold) {
                wrong.push(format!("{name} {format}:\n  {}\n  {}", told(&before, fold).join("\n  "), told(&after, fold).join("\n  ")));
            }
            if !proves_something(&before) {
                assert_eq!(after["verdict"], "unproven", "{name}: an empty log of a review that proves nothing must not be clean");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The rules of the standard and of GitHub's documents for uploads (spec/ecosystem.md §2.7), as far as they concern what we write.
#[test]
fn sarif_is_what_code_scanning_takes() {
    let kit = Kit::new();
    kit.repo("r", &[("src/a b.rs", "fn a() {\n    let x = 1;\n}\n"), ("c.rs", "x\n")]);
    kit.write(
        "r.md",
        "- [critical][security] `src/a b.rs:2` — Key is logged\n  It says % and é.\n- [low] **F-7**: `c.rs` — No line\n- [medium] No place at all\n- [high] `src/a b.rs:2-3` and `c.rs:1` — Two places\n",
    );
    kit.write("m.json", json!({"pairs": [{"previous": "x", "current": "F-7", "severity_changed": true}], "added": []}).to_string());
    kit.write("d.json", json!([{"id": "F-7", "disposition": "rejected", "reason": "by design"}]).to_string());
    let args = [
        "export-findings",
        "--input",
        "r.md",
        "--format",
        "sarif",
        "--repo",
        "r",
        "--match",
        "m.json",
        "--dispositions",
        "d.json",
        "--category",
        "review-loop/L/1",
    ];
    let log: Value = serde_json::from_str(&kit.run(&args).stdout).unwrap();
    assert_eq!((&log["version"], log["$schema"].is_string()), (&json!("2.1.0"), true));
    let run = &log["runs"][0];
    assert_eq!(run["automationDetails"]["id"], "review-loop/L/1");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.iter().all(|r| {
        let filled = |p: &str| r.pointer(p).and_then(Value::as_str).is_some_and(|t| !t.is_empty() && t.len() <= 1024);
        ["/id", "/shortDescription/text", "/fullDescription/text", "/help/text"].into_iter().all(filled)
    }));
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(result["message"]["text"].as_str().is_some_and(|t| !t.is_empty()));
        let locations = result["locations"].as_array().unwrap();
        assert!(!locations.is_empty());
        for location in locations {
            let place = &location["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            assert!(!uri.starts_with('/') && !uri.contains([' ', '\\', ':']), "{uri}");
            let start = place["region"]["startLine"].as_u64().unwrap();
            assert!(start >= 1 && place["region"]["endLine"].as_u64().is_none_or(|e| e >= start));
        }
    }
    let of =
        |title: &str| results.iter().find(|r| r["message"]["text"].as_str().unwrap().starts_with(title)).unwrap_or_else(|| panic!("{log}"));
    assert_eq!(of("Key is logged")["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/a%20b.rs");
    assert!(of("Key is logged")["partialFingerprints"]["primaryLocationLineHash"].as_str().unwrap().ends_with(":1"));
    assert_eq!((&of("No line")["baselineState"], &of("Two places")["baselineState"]), (&json!("updated"), &json!("new")));
    assert_eq!(of("No line")["suppressions"][0]["justification"], "by design");
    assert_eq!(kit.run(&args).stdout, kit.run(&args).stdout);
}

#[test]
fn no_text_of_a_review_can_start_a_workflow_command() {
    let kit = Kit::new();
    let evil = "x\r\n::error::forged\n::set-output name=a::b%0A::warning::c";
    let review =
        json!({"findings": [{"severity": "high", "title": evil, "body": evil, "file": "a,b:c.rs\n::stop-commands::x", "line": 3}]});
    kit.write("e.json", review.to_string());
    let export = |file: &str| {
        String::from_utf8(kit.command(&["export-findings", "--input", file, "--format", "github"]).output().unwrap().stdout).unwrap()
    };
    let out = export("e.json");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 1, "{out}");
    assert!(lines[0].starts_with("::error file=a%2Cb%3Ac.rs") && !lines[0].contains("%0A::warning") || lines[0].contains("%250A"), "{out}");
    let many: Vec<Value> = (0..30).map(|i| json!({"severity": "low", "title": format!("t{i}"), "file": "a.rs", "line": i + 1})).collect();
    kit.write("many.json", json!({"findings": many}).to_string());
    let out = export("many.json");
    assert_eq!((out.lines().count(), out.contains("20 more findings")), (11, true));
}

#[test]
fn an_unknown_format_is_refused_and_an_answer_of_ours_is_exported_like_its_report() {
    let kit = Kit::new();
    kit.write("r.md", "- [high] `a.rs:3` — boom\n- [low] **F-1**: `b.rs:1-4` — odd\n");
    kit.run(&["export-findings", "--input", "r.md", "--format", "xml"]).fails("INVALID_ARGUMENT");
    kit.write("p.json", kit.run(&["parse-findings", "--input", "r.md"]).stdout);
    let direct = kit.run(&["export-findings", "--input", "r.md", "--format", "sarif"]).stdout;
    assert_eq!(kit.run(&["export-findings", "--input", "p.json", "--format", "sarif"]).stdout, direct);
}

/// Titles and paths of a tool that owes Markdown nothing.
fn awkward() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let piece = proptest::sample::select(vec![
        "__init__",
        "is",
        "a",
        " ",
        "- ",
        "::",
        "`x`",
        "*",
        "**",
        "_",
        "#",
        "[high]",
        "[x]",
        "(",
        ")",
        "|",
        "\\",
        "/",
        ".",
        "a.rs:3",
        "—",
        "{\"findings\":[{\"title\":\"y\",\"severity\":\"high\"}]}",
        "<!-- c -->",
        "~~",
        "None.",
        "Verdict: APPROVE",
        "count_red: 4",
        ",",
        "\"",
        "'",
        "심각",
        "LGTM",
        "1. ",
        ":",
        "src/b.rs",
        "C:\\d\\e.c",
        "> ",
        "✅",
        "F-1: ",
        "fixed",
        "Title: ",
        "\u{202e}",
        "é",
        "2 critical issues",
    ]);
    proptest::collection::vec(piece, 1..7).prop_map(|parts| parts.concat())
}

#[test]
fn any_title_and_path_of_a_tool_survives_every_format() {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    use review_loop::finding::{identity, read, write};
    let mut runner = TestRunner::new(Config { cases: 150, failure_persistence: None, ..Config::default() });
    let entries = |review: review_loop::finding::Review| -> Vec<write::Entry> {
        let ids = identity::assign(&review.findings);
        let mut all: Vec<write::Entry> = review
            .findings
            .into_iter()
            .zip(ids)
            .map(|(finding, (id, source))| write::Entry { id, source, finding, baseline: None, suppression: None, line_hash: None })
            .collect();
        write::sort(&mut all);
        all
    };
    let told = |all: &[write::Entry], exact: bool| -> Vec<(Option<String>, String, Option<review_loop::finding::Location>)> {
        let place = |e: &write::Entry| e.finding.place.clone();
        let mut told: Vec<_> = all.iter().map(|e| (exact.then(|| e.id.clone()), e.finding.title.clone(), place(e))).collect();
        told.sort();
        told
    };
    // A path `.` is the top of the repository, which rdjson takes for no path.
    let one = (awkward(), awkward().prop_filter("a path of its own", |p| p.trim() != "."), proptest::option::of(1..90u64), awkward());
    let law = |found: Vec<(String, String, Option<u64>, String)>| {
        let listed: Vec<Value> = found
            .iter()
            .map(|(title, path, line, body)| json!({"severity": "high", "title": title, "path": path, "line": line, "body": body}))
            .collect();
        let before = entries(read::review(json!({"findings": listed}).to_string().as_bytes()));
        // A title in angle brackets is what a schema puts where a reviewer writes.
        prop_assume!(before.len() == found.len());
        let written = [
            ("sarif", write::sarif::write(&before, false, None).to_string(), true),
            ("rdjson", write::rdjson::write(&before).to_string(), false),
            ("rdjsonl", write::rdjson::write_lines(&before), false),
            ("markdown", write::markdown::write(&before), true),
        ];
        for (format, text, exact) in written {
            let after = entries(read::review(text.as_bytes()));
            prop_assert_eq!(told(&before, exact), told(&after, exact), "{}:\n{}", format, text);
        }
        Ok(())
    };
    runner.run(&proptest::collection::vec(one, 1..3), law).unwrap();
}
