//! What must never pass: false approvals, lost findings, verdicts of another state. Each line was once a way through.

use review_loop::finding::read;
use review_loop::report::metrics::judge;
use review_loop::report::strict;
use serde_json::{Value, json};

use crate::kit::{Kit, record_args, report};

const APPROVED: &str = "# Deep Review Report — 2026-11-30\n\n## Summary\n- **Verdict**: APPROVE\n- **Issues**: 🔴 0, 🟡 0, ℹ️ 0\n\n";

/// Whether a report passes for clean.
fn clean(text: &str) -> bool {
    let review = read::review(text.as_bytes());
    judge(&review, "r").is_ok_and(|j| {
        j.verdict.word() == "APPROVE" && j.suspicious == 0 && review.findings.is_empty() && j.counts.critical + j.counts.warning == 0
    })
}

#[test]
fn findings_in_any_of_these_shapes_are_read_or_counted() {
    for shape in [
        "### 🔴 Critical\n#### 1. SQL injection\nsrc/a.rs:3 builds it by hand\n",
        "### 🔴 Critical\n#### `src/a.rs:3` leak\n",
        "### 🔴 Critical\n##### deep\n",
        "## Critical\n### SQL injection in src/a.rs:3\n",
        "#### [critical] src/a.rs:3 boom\n",
        "### Finding 1: boom\n- Severity: Critical\n- Location: src/a.rs:3\n",
        "- Severity: critical\n  File: src/a.rs:3\n",
        "Critical Issues\n---------------\n- src/a.rs:3 boom\n",
        "<!-- note\n### 🔴 Critical\n- `src/a.rs:3` boom\n",
        "<!-- note --!>\n### 🔴 Critical\n- `src/a.rs:3` boom\n",
        "- CRITICAL src/a.rs:3 sql injection\n",
        "| severity | where | what |\n|---|---|---|\n| critical | src/a.rs:3 | boom |\n",
        "There is a critical bug in src/a.rs:3.\n",
        "- item\n  ```\n  code\n### 🔴 Critical\n- `src/a.rs:3` boom\n",
        "> [!CAUTION]\n> - [critical] src/a.rs:3 boom\n",
        "Found 2 blocking issues.\n",
        "- **Issues**: 🔴 3, 🟡 0, ℹ️ 0\n",
        "count_red: 0 count_yellow: 0\ncount_red: 5\ncount_yellow: 0\ncount_info: 0\n",
    ] {
        assert!(!clean(&format!("{APPROVED}{shape}")), "{shape}");
    }
    assert!(clean(APPROVED));
}

#[test]
fn severity_headings_in_any_wording_hold_findings() {
    for heading in [
        "Critical bugs",
        "Critical Security Issues",
        "Critical & High",
        "Severity: Critical",
        "(Critical)",
        ":red_circle: Critical",
        "❌ Critical",
        "🚨 Critical issues",
        "Critical ⚠️",
        "Critical.",
        "Critical!",
        "`Critical`",
        "A. Critical",
        "Part 1: Critical",
        "High-severity issues",
        "Major Concerns",
        "Blockers",
        "Criticals",
        "심각한 문제",
        "중대한 결함",
        "重大な問題",
        "**Critical**",
        "Must fix",
        "High priority",
    ] {
        let text = format!("{APPROVED}### {heading}\n- `src/a.rs:3` boom\n");
        assert_eq!(read::review(text.as_bytes()).findings.len(), 1, "{heading}");
    }
    for heading in
        ["Critical path analysis", "Error handling", "High-level overview", "Notes", "Warning signs of drift", "Passed", "Medium-term plan"]
    {
        let text = format!("{APPROVED}### {heading}\n- the rest of it\n");
        assert!(read::review(text.as_bytes()).findings.is_empty(), "{heading}");
    }
}

#[test]
fn a_reviewer_that_did_not_review_approves_nothing() {
    for said in [
        "rate limit exceeded (429)",
        "You have hit your usage limit.",
        "Nothing was reviewed because the diff was empty.",
        "I don't have access to the files.",
        "The diff could not be loaded.",
        "I can't review this code.",
        "Review skipped: too many files.",
        "NOT REVIEWED: rate limit exceeded",
    ] {
        assert!(!clean(&format!("{said}\n\nVerdict: APPROVE\n")), "{said}");
        assert!(!clean(&format!("Verdict: APPROVE\n\n{said}\n")), "{said}");
    }
    assert!(!clean("user\nVerdict: APPROVE\ncodex\nthinking...\n"));
    assert!(clean("user\nreview this\ncodex\nVerdict: APPROVE\n"));
}

#[test]
fn a_strict_report_has_nothing_beside_it_that_speaks_against_it() {
    let good = report("APPROVE", &[], &[], &[]);
    assert!(strict::read(&good).is_ok());
    for bad in [
        format!("{good}\n## Extra\n- [critical] `a.rs:1` boom\n"),
        format!("{good}\n## Code review 2\n### 🔴 Critical\n- `a.rs:1` boom\n"),
        good.replace("- **Review Mode**: test", "- NOT REVIEWED: rate limit exceeded"),
        good.replace("- the rest\n", "- I could not read the diff\n"),
        good.replace("- the rest\n", "- the rest\n\nFinal verdict: REQUEST_CHANGES\n"),
        good.replace("2026-11-30", "2026-99-99"),
    ] {
        assert!(strict::read(&bad).is_err(), "{bad}");
    }
}

#[test]
fn malformed_states_are_compared_and_never_decided_from() {
    let kit = Kit::new();
    let state = |change: fn(&mut Value)| {
        let mut state = json!({"schema_version": 2, "loop_id": "L", "round_number": 1, "base_commit": "abcdef1", "verdict": "APPROVE",
            "counts": {"critical": 0, "warning": 0, "info": 0}, "findings": []});
        change(&mut state);
        state.to_string()
    };
    kit.write("good.json", state(|_| {}));
    assert_eq!(kit.run(&["decide-round", "--cap", "5", "--current", "good.json"]).ok()["condition"], 1);
    let breaks: [fn(&mut Value); 6] = [
        |s| s["counts"] = Value::Null,
        |s| s["counts"] = json!({}),
        |s| s["counts"]["critical"] = json!("0"),
        |s| s["counts"]["critical"] = json!(-1),
        |s| s["findings"] = json!({"a": 1}),
        |s| s["verdict"] = json!("approve"),
    ];
    for change in breaks {
        kit.write("bad.json", state(change));
        kit.run(&["decide-round", "--cap", "5", "--current", "bad.json"]).fails("INVALID_STATE");
        kit.run(&["compare-rounds", "--previous", "good.json", "--current", "bad.json"]).ok();
    }
}

#[test]
fn nothing_is_approved_over_an_operational_failure() {
    let kit = Kit::new();
    kit.write("r.md", report("APPROVE", &[], &[], &[]));
    kit.run(&record_args("1", "r.md")).ok();
    let state = "st/loop-L-round-1.state.json";
    for (more, condition) in [(&["--actual-reviewers", "0"][..], 6), (&["--operational-failures", "2"], 4), (&["--codex-role-missing"], 6)]
    {
        for first in [&["--current", state][..], &["--review-report", "r.md"]] {
            let answer = kit.run(&[&["decide-round", "--cap", "5"], first, more].concat()).ok();
            assert_eq!((&answer["action"], &answer["condition"]), (&json!("stop"), &json!(condition)), "{more:?} {answer}");
        }
    }
    let privacy = kit.run(&["decide-round", "--cap", "5", "--review-report", "r.md", "--privacy-warning"]).ok();
    assert_eq!(privacy["condition"], 1, "a clean review needs no response and sends nothing anywhere");
    kit.write("r.md", report("CONCERN", &[], &["`a.rs:1` x"], &[]));
    let asked = kit.run(&["decide-round", "--cap", "5", "--review-report", "r.md", "--privacy-warning"]).ok();
    assert_eq!((&asked["action"], &asked["ask"]["code"], &asked["run_respond"]), (&json!("ask"), &json!("privacy"), &json!(false)));
    let last = kit.run(&["decide-round", "--cap", "1", "--rounds-executed", "1", "--review-report", "r.md"]).ok();
    assert_eq!(last["run_respond"], true, "Respond runs in the last round too");
}

fn surface(kit: &Kit, more: &[&str]) -> crate::kit::Ran {
    let mut args = vec!["run-loop", "--repo-root", "r", "--state-dir", "state", "--max", "1"];
    args.extend(more);
    kit.run(&args)
}

#[test]
fn content_that_the_checks_cannot_read_is_said_and_never_clean() {
    for (name, content, attributes) in [
        ("c.json", b"{bad".to_vec(), "c.json binary\n"),
        ("a.rs", b"<<<<<<< a\n>>>>>>> b\n".to_vec(), "* -diff\n"),
        ("c.json", b"{\"a\": 1}\0".to_vec(), ""),
        ("c.json", "{\"a\": 1}".encode_utf16().flat_map(u16::to_le_bytes).collect(), ""),
        ("a.rs", vec![b' '; 9 << 20], ""),
    ] {
        let kit = Kit::new();
        kit.repo("r", &[("c.json", "{}\n"), ("a.rs", "fn a() {}\n")]);
        kit.write(&format!("r/{name}"), content);
        kit.write("r/.gitattributes", attributes);
        let ran = surface(&kit, &[]);
        assert_eq!(ran.status, 1, "{name} {attributes}: {}", ran.stdout);
    }
}

#[test]
fn a_source_that_changes_the_tree_gives_no_verdict() {
    let kit = Kit::new();
    kit.repo("r", &[("a.rs", "fn a() {}\n")]);
    kit.write("r/a.rs", "fn a() { b() }\n");
    let argv = json!(["/bin/sh", "-c", "echo evil >> a.rs; echo Verdict: APPROVE"]).to_string();
    let ran = surface(&kit, &["--source", "command", "--source-argv", &argv]);
    assert!(ran.json["warnings"].to_string().contains("surface_changed_during_review"), "{}", ran.stdout);
    ran.fails("NO_TRUSTED_VERDICT");
    let both = json!([
        "/bin/sh",
        "-c",
        "echo Verdict: APPROVE > \"$0\"; printf 'Verdict: REQUEST_CHANGES\\n### 🔴 Critical\\n- `a.rs:1` boom\\n'",
        "{report}"
    ])
    .to_string();
    surface(&kit, &["--source", "command", "--source-argv", &both]).fails("NO_TRUSTED_VERDICT");
}

#[test]
fn a_finished_loop_does_not_answer_for_a_tree_it_never_saw() {
    let kit = Kit::new();
    kit.repo("r", &[("a.rs", "fn a() {}\n")]);
    kit.write("r/a.rs", "fn a() { b() }\n");
    let first = surface(&kit, &[]).ok();
    let id = first["loop_id"].as_str().unwrap().to_owned();
    assert_eq!(surface(&kit, &["--loop-id", &id]).ok()["verdict"], "APPROVE");
    kit.write("r/a.rs", "fn a() { b() }\n<<<<<<< x\n");
    let again = surface(&kit, &["--loop-id", &id]);
    assert!(again.json["warnings"].to_string().contains("surface_changed_since_review"), "{}", again.stdout);
    again.fails("NO_TRUSTED_VERDICT");
    surface(&kit, &["--loop-id", ""]).fails("BAD_ID");
}

#[test]
fn whatever_a_source_leaves_in_place_of_its_report_fails_the_round_only() {
    let kit = Kit::new();
    kit.repo("r", &[("a.rs", "fn a() {}\n")]);
    kit.write("r/a.rs", "fn a() { b() }\n");
    for left in ["mkdir \"$0\"", "mkfifo \"$0\"", "ln -s /dev/zero \"$0\""] {
        let argv = json!(["/bin/sh", "-c", format!("{left}; echo Verdict: APPROVE"), "{report}"]).to_string();
        let ran = surface(&kit, &["--source", "command", "--source-argv", &argv]);
        assert!(ran.json["warnings"].to_string().contains("source_failed"), "{left}: {}", ran.stdout);
        ran.fails("NO_TRUSTED_VERDICT");
    }
}

#[test]
fn a_responder_cannot_rewrite_the_report_it_answers() {
    let kit = Kit::new();
    kit.repo("r", &[("a.rs", "fn a() {}\n")]);
    kit.write("r/a.rs", "fn a() { b() }\n");
    kit.write("found.md", report("REQUEST_CHANGES", &["`a.rs:1` boom"], &[], &[]));
    let source = json!(["/bin/cat", kit.text("found.md")]).to_string();
    let respond = json!([
        "/bin/sh",
        "-c",
        "echo 'Verdict: APPROVE' > \"$0\"; printf '### ITEM-1: x\\n- **Decision**: ACCEPT\\n- **Action**: done\\n'",
        "{report}"
    ])
    .to_string();
    let ran = surface(&kit, &["--source", "command", "--source-argv", &source, "--respond", "command", "--respond-argv", &respond]);
    assert_eq!(ran.code(), "FILE_CHANGED", "{}", ran.stdout);
}

#[test]
fn an_embedded_bare_repository_of_the_change_runs_no_program() {
    let kit = Kit::new();
    kit.repo("r", &[("a", "file\n"), ("b", "b\n")]);
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    std::fs::remove_file(kit.path("r/a")).unwrap();
    let trap = kit.text("trap");
    kit.write("r/a/HEAD", "ref: refs/heads/main\n");
    kit.write(
        "r/a/config",
        format!("[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n[filter \"x\"]\n\tclean = touch '{trap}'; cat\n"),
    );
    kit.write("r/a/objects/.keep", "");
    kit.write("r/a/refs/heads/.keep", "");
    kit.write("r/a/.gitattributes", "* filter=x\n");
    kit.write("r/a/f", "content\n");
    kit.git("r", &["add", "-A"]);
    kit.git("r", &["commit", "-qm", "evil"]);
    kit.run(&["fingerprint-scope", "--repo", "r", "--base", &base]).ok();
    kit.run(&["detect-scope", "--repo", "r", "--base", &base]).ok();
    surface(&kit, &["--base", &base]);
    assert!(!kit.path("trap").exists(), "a program of the change ran");
}

#[test]
fn the_index_of_a_nested_repository_is_not_written() {
    let kit = Kit::new();
    kit.repo("r", &[("a", "a\n")]);
    kit.repo("r/inner", &[("x", "x\n")]);
    std::fs::File::options().write(true).open(kit.path("r/inner/x")).unwrap().set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    kit.write("r/inner/y", "y\n");
    let before = std::fs::read(kit.path("r/inner/.git/index")).unwrap();
    kit.run(&["fingerprint-scope", "--repo", "r"]).ok();
    assert_eq!(std::fs::read(kit.path("r/inner/.git/index")).unwrap(), before);
}

#[test]
fn a_fix_touches_the_reviewed_file_and_nothing_beside_it() {
    let kit = Kit::new();
    kit.repo("r", &[("x.txt", "k \n"), ("y.txt", "k \n"), ("'q'.txt", "k \n"), ("conf.txt", "k\n")]);
    for (name, content) in [
        (" x.txt", "n \n"),
        ("y.txt:1", "n \n"),
        ("`q`.txt", "n \n"),
        ("conf.txt", "n \n"),
        ("conf.txt.tmp.backup", "mine"),
        ("conf.txt.tmp.4999999", "mine"),
    ] {
        kit.write(&format!("r/{name}"), content);
    }
    surface(&kit, &["--respond", "fix"]);
    for name in ["x.txt", "y.txt", "'q'.txt"] {
        assert_eq!(kit.read(&format!("r/{name}")), "k \n", "{name} was not under review");
    }
    assert_eq!(kit.read("r/conf.txt"), "n\n");
    assert_eq!(kit.read("r/conf.txt.tmp.backup"), "mine\n");
    assert_eq!(kit.list("r").iter().filter(|n| n.starts_with("conf.txt")).count(), 3);
}

#[test]
fn two_rounds_with_the_same_report_in_one_second_are_two_reports() {
    let kit = Kit::new();
    kit.repo("r", &[("a.rs", "fn a() {}\n")]);
    kit.write("r/a.rs", "fn a() { b() }\n");
    kit.write("found.md", report("CONCERN", &[], &["`a.rs:1` boom"], &[]));
    let source = json!(["/bin/cat", kit.text("found.md")]).to_string();
    let respond =
        json!(["/bin/sh", "-c", "cat >/dev/null; printf '### ITEM-1: x\\n- **Decision**: ACCEPT\\n- **Action**: done\\n'"]).to_string();
    let args = [
        "run-loop",
        "--repo-root",
        "r",
        "--state-dir",
        "state",
        "--max",
        "2",
        "--source",
        "command",
        "--source-argv",
        &source,
        "--respond",
        "command",
        "--respond-argv",
        &respond,
    ];
    let ran = kit.run(&args);
    assert_eq!(ran.json["rounds"], 2, "{}", ran.stdout);
    assert_eq!(kit.list("r/.deep-review/reports"), ["2026-11-30-120000-01-review.md", "2026-11-30-120000-review.md"]);
    assert_ne!(ran.json["files"]["reports"][0], ran.json["files"]["reports"][1]);
}

#[test]
fn a_huge_line_number_poisons_no_state() {
    let kit = Kit::new();
    kit.write("r.md", report("CONCERN", &[], &["`a.rs:9999999999999999999` x", "`b.rs:9223372036854775807` y"], &[]));
    kit.run(&record_args("1", "r.md")).ok();
    assert_eq!(kit.run(&record_args("1", "r.md")).ok()["recorded"], false);
}

#[test]
fn an_answer_that_cannot_be_written_is_no_success() {
    let kit = Kit::new();
    let full = std::fs::File::options().write(true).open("/dev/full");
    if let Ok(full) = full {
        let status = kit.command(&["assert-same-path", "--expected", "a", "--actual", "a"]).stdout(full).status().unwrap();
        assert_eq!(status.code(), Some(2));
    }
}

#[test]
fn a_verdict_against_the_change_counts_under_any_label_and_an_unticked_one_never() {
    let class = |text: &str| read::review(format!("# R\n\n{text}\n").as_bytes()).verdict().0.word();
    for text in [
        "Verdict:\n\n- [ ] APPROVE\n- [x] REQUEST_CHANGES",
        "Verdict: APPROVE\n\nRevised verdict: REQUEST_CHANGES",
        "Verdict: APPROVE\n\nVerdict (revised): REJECT",
        "Verdict: APPROVE\n\nVerdict after testing: REJECT",
        "Security verdict: REQUEST_CHANGES\n\nOverall verdict: APPROVE",
        "Codex verdict: REQUEST_CHANGES\n\nVerdict: APPROVE",
        "| Verdict | REQUEST_CHANGES |\n\nLGTM",
        "**Recommendation**: Request changes\n\nLGTM",
        "Overall: REJECT\n\nVerdict: APPROVE",
        "Result: FAIL\n\nVerdict: APPROVE",
    ] {
        assert_eq!(class(text), "needs_attention", "{text}");
    }
    assert_eq!(class("Verdict:\n\n- [x] APPROVE\n- [ ] REQUEST_CHANGES"), "approve");
    assert_eq!(class("Previous verdict: REQUEST_CHANGES\n\nVerdict: APPROVE"), "approve");
    assert_ne!(class("Verdict:\n\n- [ ] APPROVE\n- [ ] REQUEST_CHANGES"), "approve");
    assert!(!clean("- [ ] Critical: `db.py:2` SQLi\n\nVerdict: APPROVE\n"));
    assert!(!clean("<!-- x --> [P0] SQL injection\n\nVerdict: APPROVE\n"));
}

#[test]
fn a_folder_of_reports_hides_no_files_of_the_change() {
    let kit = Kit::new();
    kit.repo("r", &[("src/a.py", "x = 1\n")]);
    kit.write("r/new/evil.json", "{");
    surface(&kit, &["--reports-dir", "r/src"]).fails("INVALID_PATH");
    surface(&kit, &["--responses-dir", "r/new"]).fails("INVALID_PATH");
    surface(&kit, &["--reports-dir", "r"]).fails("INVALID_PATH");
    assert_eq!(surface(&kit, &["--reports-dir", "r/docs/reviews"]).json["verdict"], "REQUEST_CHANGES");
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    let plan = |to: &str| kit.run(&["plan-round", "--round-number", "1", "--repo-root", "r", "--base-commit", &base, "--output", to]);
    for to in ["r/src/plan.json", "r/plan.json"] {
        plan(to).fails("INVALID_PATH");
    }
}

#[test]
fn no_ref_is_taken_for_the_pinned_base_or_for_a_branch_it_only_resembles() {
    let kit = Kit::new();
    kit.repo("r", &[("a.txt", "a\n")]);
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    kit.git("r", &["checkout", "-q", "-b", "topic"]);
    kit.write("r/a.txt", "b\n");
    kit.git("r", &["commit", "-qam", "work"]);
    kit.git("r", &["update-ref", &format!("refs/heads/{base}"), "HEAD"]);
    kit.git("r", &["update-ref", &format!("refs/remotes/{base}"), "HEAD"]);
    assert_eq!(kit.run(&["detect-scope", "--repo", "r", "--base", &base]).ok()["files"][0]["path"], "a.txt");
    // A tag that is called like the remote's default branch is no remote branch.
    kit.git("r", &["update-ref", "refs/tags/refs/remotes/origin/HEAD", "HEAD"]);
    assert_eq!(kit.run(&["detect-scope", "--repo", "r"]).ok()["base"], base.as_str());
    kit.git("r", &["branch", "-q", "main2", "main"]);
    kit.git("r", &["update-ref", "refs/tags/refs/heads/gone", "HEAD"]);
    assert_eq!(kit.run(&["detect-scope", "--repo", "r", "--base", "gone"]).status, 2, "neither a branch nor a commit name of git's own");
}

#[test]
fn one_review_handed_in_twice_is_one_review() {
    let kit = Kit::new();
    kit.repo("r", &[("doc.md", "the plan\n")]);
    let gate = "# Deep Review Report — 2026-11-30\n\n## Summary\n- **Verdict**: APPROVE\n- **Issues**: 🔴 0, 🟡 0, ℹ️ 0\n\n## Artifact Gate\n\n```json\n{\"schema_version\":1,\"findings\":[]}\n```\n";
    kit.write("r/one.md", gate);
    kit.write("r/two.md", gate);
    let reports: Vec<Value> = [("claude-opus", "claude", "one.md"), ("codex-review", "codex", "two.md")]
        .iter()
        .map(|(id, provider, report)| json!({"reviewer_id": id, "provider": provider, "report": report}))
        .collect();
    let seal = |documents: Value| {
        kit.write("q.json", json!({"documents": documents, "reports": reports, "risk": "critical"}).to_string());
        kit.run(&["seal-readiness", "--input", "q.json", "--repo-root", "r"])
    };
    assert_eq!(seal(json!(["doc.md"])).json["ready"], false);
    kit.write("outside.md", "x");
    std::os::unix::fs::symlink(kit.root(), kit.path("r/up")).unwrap();
    for outside in ["../outside.md", "doc/../../outside.md", "/etc/hostname", ".git/config", "up/outside.md"] {
        assert_eq!(seal(json!([outside])).status, 2, "{outside}");
    }
}

#[test]
fn what_is_written_never_takes_the_place_of_what_it_was_made_from() {
    let kit = Kit::new();
    kit.write("r.md", report("CONCERN", &[], &["`a.rs:1` — x"], &[]));
    kit.run(&record_args("1", "r.md")).ok();
    let state = kit.list("st").into_iter().find(|n| n.ends_with(".state.json")).map(|n| format!("st/{n}")).unwrap();
    kit.run(&["render-prior-context", "--state-file", &state, "--output", &state]).fails("INVALID_PATH");
    let id = kit.json(&state)["loop_id"].as_str().unwrap().to_owned();
    let render = ["render-session-doc", "--loop-id", &id, "--tmp-dir", "st", "--reports-dir", ".", "--output", "r.md"];
    kit.run(&render).fails("INVALID_PATH");
    kit.run(&[
        "record-round",
        "--round-number",
        "1",
        "--review-report",
        "r.md",
        "--base-commit",
        "abcdef1",
        "--state-dir",
        "st",
        "--loop-id",
        "",
    ])
    .fails("BAD_ID");
}
