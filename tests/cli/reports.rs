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

/// One block of `tests/cases/reader`.
struct Block {
    id: String,
    /// Verdict, findings, suspicious, codes.
    wanted: Vec<String>,
    text: String,
}

fn blocks() -> Vec<Block> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/reader");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "txt"));
    files.sort();
    let texts = files.iter().map(|f| std::fs::read_to_string(f).unwrap());
    let of = |text: String| {
        let parts = text.split("\n@@@ ").map(|p| p.trim_start_matches("@@@ ").to_owned()).collect::<Vec<_>>();
        parts.into_iter().map(|part| {
            let (head, body) = part.split_once('\n').unwrap();
            let mut cells = head.split('|').map(|c| c.trim().to_owned());
            // The line end before the next block belongs to this one.
            Block { id: cells.next().unwrap(), wanted: cells.collect(), text: format!("{}\n", body.strip_suffix('\n').unwrap_or(body)) }
        })
    };
    texts.flat_map(of).collect()
}

fn answer_of(text: &str) -> Value {
    serde_json::to_value(review_loop::ops::parse_findings::answer(read::review(text.as_bytes()), None)).unwrap()
}

#[test]
fn every_small_report_is_read_as_its_head_says() {
    let mut wrong = Vec::new();
    let blocks = blocks();
    assert!(blocks.len() >= 500);
    for Block { id, wanted, text } in blocks {
        let got = answer_of(&text);
        let verdict = match wanted[0].as_str() {
            "A" => Some("approve"),
            "N" => Some("needs_attention"),
            "U" => Some("unproven"),
            "0" => Some("none"),
            _ => None,
        };
        if verdict.is_some_and(|v| got["verdict"] != v) {
            wrong.push(format!("{id}: verdict {}", got["verdict"]));
        }
        let short = |finding: &Value| {
            let end = finding["end_line"].as_u64().map_or(String::new(), |e| format!("-{e}"));
            let line = finding["line"].as_u64().map_or(String::new(), |l| format!(":{l}"));
            format!("{} {}{line}{end}", &finding["severity"].as_str().unwrap()[..1], finding["path"].as_str().unwrap_or("-"))
        };
        let mut findings: Vec<String> = got["findings"].as_array().unwrap().iter().map(short).collect();
        let mut expected: Vec<String> = wanted[1].split(';').map(|f| f.trim().to_owned()).filter(|f| !f.is_empty()).collect();
        findings.sort();
        expected.sort();
        if wanted[1] != "?" && findings != expected {
            wrong.push(format!("{id}: findings {findings:?}, wanted {expected:?}"));
        }
        if wanted[2] != "?" && (wanted[2] == "0") != (got["unparsed_suspicious"] == 0) {
            wrong.push(format!("{id}: suspicious {}", got["suspicious_lines"]));
        }
        let codes: Vec<&str> = got["contradictions"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let mut expected: Vec<&str> = wanted[3].split(',').filter(|c| !c.is_empty() && *c != "-").collect();
        expected.sort_unstable();
        if wanted[3] != "?" && codes != expected {
            wrong.push(format!("{id}: codes {codes:?}, wanted {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}

/// Of what a report finds nothing is lost without a sign when an approval stands below it, or an item above it.
#[test]
fn an_approval_or_another_item_beside_a_small_report_hides_nothing() {
    let mut wrong = Vec::new();
    for Block { id, wanted, text } in blocks() {
        let expected = wanted[1].split(';').filter(|f| !f.trim().is_empty()).count();
        let document = text.trim_start().starts_with(['{', '[', '<', '"']);
        if expected == 0 || wanted[1] == "?" || document || wanted[0] != "0" {
            continue;
        }
        for (how, text) in
            [("approval", format!("{text}\n\nVerdict: APPROVE\n")), ("item", format!("- [low] src/zz.rs:1 — typo\n\n{text}"))]
        {
            let got = answer_of(&text);
            let read =
                got["findings"].as_array().unwrap().len() - usize::from(how == "item").min(got["findings"].as_array().unwrap().len());
            if read < expected && got["unparsed_suspicious"] == 0 && got["contradictions"].as_array().unwrap().is_empty() {
                wrong.push(format!("{id} beside an {how}: {read} of {expected}, {}", got["verdict"]));
            }
        }
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

/// What a report comes to in one line: the verdict, each finding, how much is suspicious.
fn told(text: &str) -> String {
    let review = read::review(text.as_bytes());
    let mut said = vec![format!("{:?}", review.verdict().0)];
    for finding in &review.findings {
        let place = finding.place.as_ref();
        let line = place.and_then(|p| p.line).map(|l| format!(":{l}")).unwrap_or_default();
        let also = if finding.also.is_empty() { "" } else { " also" };
        said.push(format!("{} {}{line} {}{also}", finding.grade.word(), place.map_or("-", |p| &p.path), finding.title));
    }
    if !review.suspicious.is_empty() {
        said.push("suspicious".to_owned());
    }
    said.join("; ")
}

#[test]
fn what_stands_beside_an_approval_is_graded_as_it_is_written() {
    const SECTION: &str = "## Findings\n\n";
    let cases = [
        ("- 🔴 `app/a.kt:10` null check missing", "critical app/a.kt:10 null check missing"),
        ("- **High** `src/g.go:4` boom", "high src/g.go:4 boom"),
        ("- src/n.go:4: [High] boom", "high src/n.go:4 boom"),
        ("- src/m.go:4 (Critical) boom", "critical src/m.go:4 boom"),
        ("- src/p.go:4 — boom [P0]", "critical src/p.go:4 boom [P0]"),
        ("- `critical` src/j.go:4 boom", "critical src/j.go:4 boom"),
        ("- `src/o.go:4` boom (severity: high)", "high src/o.go:4 boom (severity: high)"),
        ("- ［致命的］src/c.py:4 漏洩", "critical src/c.py:4 漏洩"),
        ("- 【致命的】src/c.py:4 漏洩", "critical src/c.py:4 漏洩"),
        ("error[E0499]: cannot borrow `x` as mutable\n  --> src/lib.rs:9:1", "high src/lib.rs:9 cannot borrow `x` as mutable"),
        ("[low] a.c:1 naming\n[crit] b.c:2 token leak", "low a.c:1 naming; unknown b.c:2 token leak"),
        ("- [high] leak <!-- old: z.c:9 --> in a.c:3", "high a.c:3 leak in a.c:3"),
        ("- [high] a.c:3 an open `<!--` and `-->`", "high a.c:3 an open `<!--` and `-->`"),
        ("- [low] a.c:1 naming\n- `b.c:2` [critical] leak", "low a.c:1 naming; critical b.c:2 leak"),
        ("- [low] a.c:1 naming\n- ❌ [critical] b.c:2 leak", "low a.c:1 naming; critical b.c:2 leak"),
        ("- [low] a.c:1 naming\n- [Severity: Critical] b.c:2 leak", "low a.c:1 naming; critical b.c:2 leak"),
    ];
    let mut wrong = Vec::new();
    for (text, want) in cases {
        let whole = format!("{SECTION}{text}\n\nVerdict: APPROVE\n");
        let got = told(&whole);
        if got != format!("Approve; {want}") {
            wrong.push(format!("{text}\n  {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_bullet_beside_an_item_adds_no_places_to_it() {
    for second in ["- **NEW** [critical] b.c:2 leak", "- F2 [critical] b.c:2 leak", "- see b.c:2 as well"] {
        let got = told(&format!("- [low] a.c:1 naming\n{second}\n"));
        assert!(!got.contains("also"), "{got}");
    }
    assert!(told("- [low] a.c:1 naming\n- **NEW** [critical] b.c:2 leak\n").contains("critical b.c:2"));
}

#[test]
fn no_finding_hides_in_a_container_of_another_name() {
    for (text, want) in [
        (r#"{"verdict":"approve","findings":{"critical":[{"file":"a.py","line":3,"title":"leak"}],"low":[]}}"#, "critical a.py:3 leak"),
        (
            r#"{"verdict":"approve","blocking_issues":[{"severity":"critical","file":"a.py","line":3,"title":"leak"}],"findings":[]}"#,
            "critical a.py:3 leak",
        ),
        (
            r#"{"verdict":"approve","files":[{"path":"a.py","findings":[{"severity":"critical","line":3,"title":"leak"}]}]}"#,
            "critical a.py:3 leak",
        ),
        (r#"{"verdict":"approve","findings":[],"summary":"[P0] token leak in a.py:3 must be fixed before merging"}"#, "suspicious"),
        (
            r#"{"verdict":"approve","findings":[{"severity":"low","severity":"high","file":"a.c","line":1,"title":"one"}]}"#,
            "high a.c:1 one",
        ),
        (r#"{"verdict":"approve","findings":[],"blockers":["token is logged"]}"#, "unknown - token is logged"),
        (r#"{"verdict":"approve","findings":[],"high":["a.rs:1 token is logged"]}"#, "high a.rs:1 a.rs:1 token is logged"),
        (r#"{"verdict":"approve","findings":[],"summary":"the token is logged in auth.py:3, fix before merging"}"#, "suspicious"),
        ("verdict: approve\nfindings: []\n---\nfindings:\n- severity: critical\n  path: a.c\n  line: 2\n  title: x\n", "critical a.c:2 x"),
        ("verdict = \"approve\"\n\n[[findings]]\nseverity = \"high\"\npath = \"src/a.rs\"\nline = 3\ntitle = \"x\"\n", "high src/a.rs:3 x"),
    ] {
        assert_eq!(told(text), format!("Approve; {want}"), "{text}");
    }
}

#[test]
fn the_body_of_a_review_of_github_is_read_whatever_its_state() {
    let review = |state: &str, body: &str| told(&format!(r#"[{{"id":1,"state":"{state}","body":"{body}","user":{{"login":"a"}}}}]"#));
    assert_eq!(review("APPROVED", "LGTM, but must be fixed before merging: [P0] token leak in `a.py:3`"), "Approve; suspicious");
    assert!(review("APPROVED", "Verdict: REQUEST_CHANGES\\n\\ntoken leak").starts_with("NeedsAttention"));
    assert!(review("DISMISSED", "- [high] a.py:3 — race").contains("high a.py:3 race"));
    let comment = |body: &str| {
        let review = read::review(format!(r#"[{{"id":2,"user":{{"login":"c"}},"path":"a.py","line":12,"body":"{body}"}}]"#).as_bytes());
        (review.findings[0].grade.word(), review.findings[0].severity_text.clone().unwrap_or_default())
    };
    assert_eq!(comment("_⚠️ Potential issue_ | _🔴 Critical_\\n\\n**Fix it.**"), ("critical", "🔴 Critical".to_owned()));
    assert_eq!(comment("_⚠️ Potential issue_ | _🟠 Major_\\n\\n**Fix it.**"), ("high", "🟠 Major".to_owned()));
}

#[test]
fn a_verdict_that_was_struck_or_asks_approves_nothing() {
    assert!(!told("Verdict: ~~APPROVE~~\n").starts_with("Approve"));
    assert!(told("Verdict: ~~APPROVE~~ REQUEST_CHANGES\n").starts_with("NeedsAttention"));
    assert!(!told("Verdict: APPROVE?\n").starts_with("Approve"));
    // A word against the change under any label beats the approval.
    for said in ["Result: REJECTED", "결론: 승인 불가", "결론: 반려", "Recommendation: needs changes", "结论：需要修改", "判定：変更要求"]
    {
        assert!(told(&format!("{said}\n\nVerdict: approve\n")).starts_with("NeedsAttention"), "{said}");
    }
}

#[test]
fn an_answer_that_a_sentence_quotes_is_not_the_reviewers() {
    const QUOTED: &str = r#"{"verdict":"approve","findings":[]}"#;
    for text in [
        format!("The tool prints `{QUOTED}` on any input.\n"),
        format!("The tool prints {QUOTED} on any input.\n"),
        format!("It prints `{QUOTED}`\n"),
    ] {
        assert_eq!(told(&text), "Unproven", "{text}");
    }
    assert!(told(&format!("My review: {QUOTED}\n")).starts_with("Approve"));
    assert_eq!(told(&format!("- [high] a.c:3 — prints {QUOTED} always\n")), format!("None; high a.c:3 prints {QUOTED} always"));
    let finding = r#"{"severity":"high","path":"a.c","line":3,"title":"x"}"#;
    assert_eq!(told(&format!("Verdict: APPROVE\n\nIt says `{finding}` here.\n")), "Approve; high a.c:3 x");
}

#[test]
fn a_boundary_inside_a_line_ends_no_record() {
    let text = "- [high] a.c:3 — x <<<FINDING-BOUNDARY>>> y\n- [low] b.c:4 — z\n";
    assert_eq!(told(text), "None; high a.c:3 x <<<FINDING-BOUNDARY>>> y; low b.c:4 z");
}

#[test]
fn an_approval_beside_an_unmarked_grave_defect_or_of_a_reviewer_that_could_not_read_is_doubted() {
    let kit = Kit::new();
    let read = |text: &str| {
        kit.write("x", text);
        kit.run(&["parse-findings", "--input", "x"])
    };
    let defect = read("There is a critical data loss bug in src/loader.rs:3 when x fails.\n\nVERDICT: approve\n");
    assert_eq!((defect.status, &defect.json["unparsed_suspicious"]), (1, &serde_json::json!(1)), "{}", defect.stdout);
    let blind = read("I could not read any file (permission denied).\nVERDICT: approve\n");
    assert_eq!((blind.status, &blind.json["contradictions"]), (1, &serde_json::json!(["could_not_review"])), "{}", blind.stdout);
    for fine in [
        "There is no data loss at src/loader.rs:3.\nVERDICT: approve\n",
        "The change at src/loader.rs:3 avoids a deadlock.\nVERDICT: approve\n",
    ] {
        assert_eq!(read(fine).status, 0, "{fine}");
    }
}
