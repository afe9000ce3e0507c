//! The nine reference commands: fields and their order, codes, files, and the faults they no longer have.

use serde_json::{Value, json};

use crate::kit::{Kit, report};

const BASE: &str = "abcdef1234567";

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn record(kit: &Kit, round: &str, id: &str, review: &str, more: &[&str]) -> crate::kit::Ran {
    let mut args = vec![
        "record-round",
        "--round-number",
        round,
        "--review-report",
        review,
        "--base-commit",
        BASE,
        "--state-dir",
        "st",
        "--loop-id",
        id,
    ];
    args.extend(more);
    kit.run(&args)
}

#[test]
fn snapshot_lists_canonical_reports_only_and_in_byte_order() {
    let kit = Kit::new();
    for name in ["2026-b-review.md", "2026-a-review.md", "loop-x-review.md", "notes.md"] {
        kit.write(&format!("reports/{name}"), "x");
    }
    std::fs::create_dir(kit.path("reports/dir-review.md")).unwrap();
    std::os::unix::fs::symlink(kit.path("reports/notes.md"), kit.path("reports/link-review.md")).unwrap();
    let answer = kit.run(&["snapshot-reports", "--reports-dir", "reports", "--output", "deep/snap.json"]).ok();
    assert_eq!(keys(&answer), ["ok", "schema_version", "reports_dir", "reports", "snapshot_file"]);
    assert_eq!(answer["reports"], json!([kit.text("reports/2026-a-review.md"), kit.text("reports/2026-b-review.md")]));
    assert_eq!(keys(&kit.json("deep/snap.json")), ["schema_version", "reports_dir", "reports"]);
    let mode = std::os::unix::fs::PermissionsExt::mode(&kit.path("deep/snap.json").metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_missing_reports_folder_is_an_empty_snapshot() {
    let answer = Kit::new().run(&["snapshot-reports", "--reports-dir", "none"]).ok();
    assert_eq!(answer["reports"], json!([]));
}

#[test]
fn exactly_one_new_report_resolves_and_any_other_number_is_refused() {
    let kit = Kit::new();
    kit.write("reports/old-review.md", "x");
    kit.run(&["snapshot-reports", "--reports-dir", "reports", "--output", "snap.json"]).ok();
    let resolve = ["resolve-round-report", "--reports-dir", "reports", "--snapshot-file", "snap.json"];
    let none = kit.run(&resolve).fails("REPORT_DELTA_COUNT");
    assert_eq!((&none["count"], &none["error"]["count"], &none["reports"]), (&json!(0), &json!(0), &json!([])));
    kit.write("reports/new-review.md", "x");
    let one = kit.run(&resolve).ok();
    assert_eq!((&one["report_path"], &one["count"]), (&json!(kit.text("reports/new-review.md")), &json!(1)));
    kit.write("reports/more-review.md", "x");
    assert_eq!(kit.run(&resolve).fails("REPORT_DELTA_COUNT")["count"], 2);
}

#[test]
fn snapshots_of_another_folder_or_shape_are_refused() {
    let kit = Kit::new();
    kit.run(&["snapshot-reports", "--reports-dir", "a", "--output", "snap.json"]).ok();
    kit.run(&["resolve-round-report", "--reports-dir", "b", "--snapshot-file", "snap.json"]).fails("SNAPSHOT_DIRECTORY_MISMATCH");
    for (content, reason) in [
        ("{", "CORRUPT"),
        ("", "CORRUPT"),
        ("[]", "BAD_SHAPE"),
        ("{\"schema_version\":2,\"reports_dir\":\"/a\",\"reports\":[]}", "SCHEMA_NEWER"),
        ("{\"schema_version\":1,\"schema_version\":1}", "DUPLICATE_KEY"),
    ] {
        kit.write("bad.json", content);
        let failed = kit.run(&["resolve-round-report", "--reports-dir", "a", "--snapshot-file", "bad.json"]);
        assert_eq!(failed.reason(), reason, "{content}");
        failed.fails("INVALID_SNAPSHOT");
    }
    kit.run(&["resolve-round-report", "--reports-dir", "a", "--snapshot-file", "missing.json"]).fails("INVALID_SNAPSHOT");
}

#[test]
fn paths_are_compared_lexically() {
    let kit = Kit::new();
    let same = kit.run(&["assert-same-path", "--expected", "a/./b", "--actual", "a//c/../b/"]).ok();
    assert_eq!(keys(&same), ["ok", "expected", "actual", "same"]);
    let other = kit.run(&["assert-same-path", "--expected", "a", "--actual", "b"]).fails("PATH_MISMATCH");
    assert_eq!((&other["same"], &other["error"]["same"]), (&json!(false), &json!(false)));
    kit.run(&["assert-same-path", "--expected", "", "--actual", "b"]).fails("INVALID_PATH");
}

#[test]
fn usage_errors_have_the_shape_of_every_other_error() {
    let kit = Kit::new();
    kit.run(&[]).fails("INVALID_COMMAND");
    kit.run(&["no-such-command"]).fails("INVALID_COMMAND");
    for args in [
        &["assert-same-path", "--nope", "x"][..],
        &["assert-same-path", "--expected"],
        &["assert-same-path", "--expected", "--actual", "x"],
        &["assert-same-path", "--expected", "a", "--expected", "a"],
        &["assert-same-path", "stray"],
    ] {
        kit.run(args).fails("INVALID_ARGUMENT");
    }
    kit.run(&["collect-metrics", "--round-number", "-5"]).fails("INVALID_ROUND");
    kit.run(&["assert-same-path", "--expected=a", "--actual=a"]).ok();
}

#[test]
fn metrics_have_the_reference_fields_first() {
    let kit = Kit::new();
    kit.write("r.md", report("REQUEST_CHANGES", &["`a.rs:14` — x"], &["`b.rs:7` y"], &[]));
    let answer = kit.run(&["collect-metrics", "--round-number", "1", "--review-report", "r.md"]).ok();
    let reference = [
        "ok",
        "round_number",
        "round_review_report_path",
        "response_report_path",
        "verdict",
        "count_red",
        "count_yellow",
        "count_info",
        "accepted_count",
        "rejected_count",
        "deferred_count",
        "implemented_count",
        "halted",
        "execution_path",
        "findings_signature",
    ];
    assert_eq!(keys(&answer)[..reference.len()], reference);
    assert_eq!(answer["findings_signature"], json!(["critical:a.rs:2:untagged", "warning:b.rs:1:untagged"]));
}

#[test]
fn a_category_comes_from_the_exact_place_in_the_recurring_artifact() {
    let kit = Kit::new();
    kit.write("x/reports/r.md", report("CONCERN", &[], &["`a.rs:14` — x"], &[]));
    kit.write(
        "x/recurring-findings.json",
        r#"{"payload":{"findings":[{"category":"nope","example_files":["a.rs:14"]},{"category":"security","example_files":["a.rs:14"]}]}}"#,
    );
    let answer = kit.run(&["collect-metrics", "--round-number", "1", "--review-report", "x/reports/r.md"]).ok();
    assert_eq!(answer["findings_signature"], json!(["warning:a.rs:2:security"]));
}

#[test]
fn reports_that_state_nothing_that_can_be_trusted_are_invalid() {
    let kit = Kit::new();
    for text in [
        "",
        "All good, I looked at everything.",
        "# Deep Review Report — 2026-11-30\n\n- **Verdict**: APPROVE\n",
        "**Verdict**: MAYBE\n**Issues**: 🔴 0 🟡 0 ℹ️ 0",
        "> **Verdict**: APPROVE\n",
        "```\n**Verdict**: APPROVE\n```\n",
        "**Verdict**: BLOCKED\n",
        "**Verdict**: APPROVE\n\u{fffd}",
    ] {
        kit.write("r.md", text);
        let ran = kit.run(&["collect-metrics", "--round-number", "1", "--review-report", "r.md"]);
        if text.ends_with('\u{fffd}') {
            // A replacement character that was written is text like any other.
            ran.ok();
        } else {
            ran.fails("INVALID_REPORT");
        }
    }
    kit.write("r.md", b"**Verdict**: APPROVE\n\xff\n");
    kit.run(&["collect-metrics", "--round-number", "1", "--review-report", "r.md"]).fails("INVALID_REPORT");
    kit.run(&["collect-metrics", "--round-number", "1", "--review-report", "missing.md"]).fails("ENOENT");
    kit.run(&["collect-metrics", "--round-number", "1", "--review-report", "."]).fails("EISDIR");
}

#[test]
fn an_approval_with_findings_is_said_and_never_clean() {
    let kit = Kit::new();
    kit.write("r.md", "**Verdict**: APPROVE\n**Issues**: 🔴 0, 🟡 0, ℹ️ 0\n### 🔴 Critical\n- `a.rs:1` boom\n");
    let answer = kit.run(&["collect-metrics", "--round-number", "1", "--review-report", "r.md"]).ok();
    assert_eq!(answer["warnings"], json!(["approve_with_high", "counts_disagree"]));
    record(&kit, "1", "L", "r.md", &[]).ok();
    let decided = kit.run(&["decide-round", "--current", "st/loop-L-round-1.state.json", "--cap", "5"]).ok();
    assert_ne!(decided["condition"], 1);
}

#[test]
fn a_recorded_state_has_the_reference_keys_first_and_in_order() {
    let kit = Kit::new();
    kit.write("r.md", report("REQUEST_CHANGES", &["`src/a.rs:14` — Boom goes here"], &["see `b.rs:7` and `c.rs:9`"], &["`d.rs:1` nit"]));
    kit.write("s.md", "- **Items**: accepted 1, rejected 1, deferred 0\n- **implemented_count**: 1\n### ITEM-1: a\n- **Decision**: ACCEPT\n- **Action**: done\n### ITEM-2: b\n- **Decision**: REJECT\n- files_read: `b.rs:7`\n- **Action**: by design\n");
    let answer = record(&kit, "1", "L", "r.md", &["--response-report", "s.md"]).ok();
    assert_eq!(keys(&answer)[..3], ["ok", "loop_id", "state_file"]);
    let state = kit.json("st/loop-L-round-1.state.json");
    let reference = [
        "schema_version",
        "source",
        "loop_id",
        "round_number",
        "base_commit",
        "verdict",
        "counts",
        "round_review_report_path",
        "response_report_path",
        "findings",
        "rejected",
        "skipped_rejects",
        "artifact_phase",
        "risk",
        "routing_plan_digest",
        "planned_reviewers",
        "actual_reviewers",
        "wave",
        "expansion",
        "reviewer_calls_saved",
        "readiness",
        "receipt_path",
        "assignments",
        "response_metrics",
        "owner",
    ];
    assert_eq!(keys(&state)[..reference.len()], reference);
    assert_eq!(state["source"], "report-parse");
    assert_eq!(keys(&state["findings"][0])[..5], ["severity", "path", "line", "title_slug", "category"]);
    assert_eq!(state["findings"][0]["title_slug"], "boom-goes-here");
    assert_eq!(state["findings"][1]["also"], json!([{"path": "c.rs", "line": 9, "end_line": null}]));
    assert_eq!(state["findings"].as_array().unwrap().len(), 2);
    assert_eq!(keys(&state["rejected"][0])[..3], ["path", "line", "reason"]);
    assert_eq!(state["rejected"][0]["reason"], "by design");
    assert_eq!(state["owner"], Value::Null);
    assert_eq!(state["info_findings"][0]["grade"], "suggestion");
    let mode = std::os::unix::fs::PermissionsExt::mode(&kit.path("st/loop-L-round-1.state.json").metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn the_owner_is_the_durable_process_and_its_own_start() {
    let pid = std::process::id().to_string();
    let kit = Kit::new().with("CLAUDE_PID", &pid).with("CLAUDE_CODE_SESSION_ID", " s-1 ");
    let mut kit = kit;
    kit.unset("REVIEW_LOOP_TEST_NOW");
    kit.write("r.md", report("APPROVE", &[], &[], &[]));
    record(&kit, "1", "L", "r.md", &[]).ok();
    let owner = kit.json("st/loop-L-round-1.state.json")["owner"].clone();
    assert_eq!(keys(&owner)[..5], ["host_hash", "pid", "process_start_ms", "session_id", "started_at"]);
    assert_eq!((&owner["pid"], &owner["session_id"]), (&json!(pid), &json!("s-1")));
    let start: i64 = owner["process_start_ms"].as_str().unwrap().parse().unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64;
    assert!(start <= now && now - start < 24 * 3_600_000, "{start} {now}");
    // The very process is alive, so its loop is kept; with another start the pid was reused, and its owner has departed.
    let kept = kit.run(&["cleanup-residue", "--tmp-dir", "st", "--stale-ms", "0"]).ok();
    assert_eq!(kept["kept"][0]["reason"], "live");
    let mut state = kit.json("st/loop-L-round-1.state.json");
    state["owner"]["process_start_ticks"] = json!(1);
    kit.write("st/loop-L-round-1.state.json", state.to_string());
    let swept = kit.run(&["cleanup-residue", "--tmp-dir", "st", "--stale-ms", "0"]).ok();
    assert_eq!(swept["deleted"].as_array().unwrap().len(), 1, "{swept}");
}

#[test]
fn recording_again_with_the_same_input_changes_nothing_and_with_other_input_is_refused() {
    let kit = Kit::new();
    kit.write("r.md", report("CONCERN", &[], &["`a.rs:1` x"], &[]));
    assert_eq!(record(&kit, "1", "L", "r.md", &[]).ok()["recorded"], true);
    let before = kit.read("st/loop-L-round-1.state.json");
    assert_eq!(record(&kit, "1", "L", "r.md", &[]).ok()["recorded"], false);
    kit.write("r.md", report("CONCERN", &[], &["`a.rs:2` y"], &[]));
    let refused = record(&kit, "1", "L", "r.md", &[]).fails("ROUND_EXISTS");
    assert_eq!(refused["loop_id"], "L");
    assert_eq!(kit.read("st/loop-L-round-1.state.json"), before);
    record(&kit, "1", "L", "r.md", &["--replace"]).ok();
    assert_ne!(kit.read("st/loop-L-round-1.state.json"), before);
}

#[test]
fn of_twenty_parallel_recordings_of_one_round_one_succeeds() {
    let kit = Kit::new();
    for n in 0..20 {
        kit.write(&format!("r{n}.md"), report("CONCERN", &[], &[&format!("`a.rs:{n}1` number {n}")], &[]));
    }
    let children: Vec<_> = (0..20)
        .map(|n| {
            let review = format!("r{n}.md");
            let args = [
                "record-round",
                "--round-number",
                "1",
                "--review-report",
                &review,
                "--base-commit",
                BASE,
                "--state-dir",
                "st",
                "--loop-id",
                "L",
            ];
            kit.command(&args).stdout(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let answers: Vec<Value> =
        children.into_iter().map(|c| serde_json::from_slice(&c.wait_with_output().unwrap().stdout).unwrap()).collect();
    assert_eq!(answers.iter().filter(|a| a["ok"] == true).count(), 1);
    assert_eq!(answers.iter().filter(|a| a["error"]["code"] == "ROUND_EXISTS").count(), 19, "{answers:?}");
    assert_eq!(kit.list("st"), ["loop-L-round-1.state.json"]);
}

#[test]
fn ids_and_commits_are_checked_at_the_door() {
    let kit = Kit::new();
    kit.write("r.md", report("APPROVE", &[], &[], &[]));
    for id in ["../x", "/../../../x/pwn", "a/b", "null", "a b", "x\u{7}"] {
        record(&kit, "1", id, "r.md", &[]).fails("BAD_ID");
    }
    assert!(kit.list("st").is_empty());
    let base =
        |b: &str| kit.run(&["record-round", "--round-number", "1", "--review-report", "r.md", "--base-commit", b, "--state-dir", "st"]);
    base("").fails("MISSING_BASE_COMMIT");
    base("b --> <script>").fails("BAD_COMMIT");
    base("abc").fails("BAD_COMMIT");
    for round in ["0", "1e0", "0x1", " 1", "1000001", ""] {
        record(&kit, round, "L", "r.md", &[]).fails("INVALID_ROUND");
    }
}

#[test]
fn gaps_other_bases_and_absolute_citations_are_warnings() {
    let kit = Kit::new();
    kit.write("r.md", report("CONCERN", &[], &["`/repo/src/a.rs:1` x"], &[]));
    let answer = record(&kit, "3", "L", "r.md", &[]).ok();
    assert_eq!(answer["warnings"], json!(["paths_not_relative", "previous_round_missing"]));
    let other = [
        "record-round",
        "--round-number",
        "4",
        "--review-report",
        "r.md",
        "--base-commit",
        "1234567",
        "--state-dir",
        "st",
        "--loop-id",
        "L",
        "--repo-root",
        "/repo",
    ];
    assert_eq!(kit.run(&other).ok()["warnings"], json!(["base_changed"]));
    assert_eq!(kit.json("st/loop-L-round-4.state.json")["findings"][0]["path"], "src/a.rs");
}

#[test]
fn routing_metadata_is_checked_field_by_field() {
    let kit = Kit::new();
    kit.write("r.md", report("APPROVE", &[], &[], &[]));
    let good = json!({"artifact_phase": "implementation", "risk": "high", "routing_plan_digest": "a".repeat(64), "planned_reviewers": ["claude-opus"],
        "actual_reviewers": ["claude-opus"], "wave": 1, "expansion": false, "reviewer_calls_saved": 2, "readiness": null, "receipt_path": "",
        "assignments": [{"reviewer_id": "claude-opus", "assignment_role": "standard", "model": null, "effort": "high", "wave": 1, "extra": 1}]});
    kit.write("m.json", good.to_string());
    record(&kit, "1", "L", "r.md", &["--routing-metadata-file", "m.json"]).ok();
    let state = kit.json("st/loop-L-round-1.state.json");
    assert_eq!(
        state["assignments"],
        json!([{"reviewer_id": "claude-opus", "assignment_role": "standard", "model": null, "effort": "high", "wave": 1}])
    );
    let breaks: [(&str, Value); 9] = [
        ("/artifact_phase", json!("x")),
        ("/risk", json!("none")),
        ("/routing_plan_digest", json!("A")),
        ("/planned_reviewers", json!(["claude-opus", "claude-opus"])),
        ("/actual_reviewers", json!(["gpt"])),
        ("/wave", json!(3)),
        ("/expansion", json!("no")),
        ("/reviewer_calls_saved", json!(-1)),
        ("/assignments/0/assignment_role", json!("boss")),
    ];
    for (pointer, value) in breaks {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        kit.write("bad.json", bad.to_string());
        record(&kit, "2", "L", "r.md", &["--routing-metadata-file", "bad.json"]).fails("INVALID_ROUTING_METADATA");
    }
    kit.write("null.json", "null");
    record(&kit, "2", "L", "r.md", &["--routing-metadata-file", "null.json"]).ok();
}

#[test]
fn rounds_compare_as_the_reference_compares_them() {
    let kit = Kit::new();
    kit.write("a.md", report("REQUEST_CHANGES", &["`a.rs:10` one thing", "`a.rs:40` other thing", "`b.rs:5` third"], &[], &[]));
    kit.write("b.md", report("REQUEST_CHANGES", &["`a.rs:14` one thing", "`a.rs:47` other thing"], &["`b.rs:5` third"], &[]));
    record(&kit, "1", "L", "a.md", &[]).ok();
    record(&kit, "2", "L", "b.md", &[]).ok();
    let files = ["st/loop-L-round-1.state.json", "st/loop-L-round-2.state.json"];
    let answer = kit.run(&["compare-rounds", "--previous", files[0], "--current", files[1]]).ok();
    assert_eq!(
        keys(&answer)[..9],
        ["ok", "repeated_count", "resolved_count", "added_count", "larger_set_size", "repeat_ratio", "stalled", "progressed", "progress"]
    );
    assert_eq!((&answer["repeated_count"], &answer["resolved_count"], &answer["added_count"]), (&json!(1), &json!(2), &json!(2)));
    assert_eq!((&answer["repeat_ratio"], &answer["progress"]), (&json!(1.0 / 3.0), &json!("regression")));
    assert_eq!(answer["severity_changed_count"], 1);
    let same = kit.run(&["compare-rounds", "--previous", files[0], "--current", files[0]]).ok();
    assert_eq!(
        (&same["repeat_ratio"], &same["stalled"], &same["progress"], &same["warnings"]),
        (&json!(1), &json!(true), &json!("stalled"), &json!(["same_round"]))
    );
    record(&kit, "1", "M", "a.md", &[]).ok();
    let stale = kit.run(&["compare-rounds", "--previous", files[0], "--current", "st/loop-M-round-1.state.json"]).fails("STALE_STATE");
    assert_eq!((&stale["previous_loop_id"], &stale["current_loop_id"]), (&json!("L"), &json!("M")));
}

#[test]
fn an_unlocated_finding_that_repeats_stalls() {
    let kit = Kit::new();
    kit.write("a.md", report("REQUEST_CHANGES", &["The design names no owner of the queue"], &[], &[]));
    record(&kit, "1", "L", "a.md", &[]).ok();
    record(&kit, "2", "L", "a.md", &[]).ok();
    let answer =
        kit.run(&["compare-rounds", "--previous", "st/loop-L-round-1.state.json", "--current", "st/loop-L-round-2.state.json"]).ok();
    assert_eq!((&answer["stalled"], &answer["unlocated_count"]), (&json!(true), &json!(1)));
}

#[test]
fn the_reference_states_of_both_schemas_are_read() {
    let kit = Kit::new();
    for schema in [1, 2] {
        let state = json!({"schema_version": schema, "source": "report-parse", "loop_id": "L", "round_number": schema, "base_commit": "abcdef1", "verdict": "CONCERN",
            "counts": {"critical": 0, "warning": 1, "info": 0}, "round_review_report_path": "/r/x-review.md", "response_report_path": null,
            "findings": [{"severity": "warning", "path": "a.js", "line": 3, "title_slug": "x", "category": "untagged"}], "rejected": [], "skipped_rejects": 0});
        kit.write(&format!("st/loop-L-round-{schema}.state.json"), state.to_string());
    }
    let answer =
        kit.run(&["compare-rounds", "--previous", "st/loop-L-round-1.state.json", "--current", "st/loop-L-round-2.state.json"]).ok();
    assert_eq!(answer["repeated_count"], 1);
}

#[test]
fn damaged_states_are_refused_with_the_reason_and_left_as_they_are() {
    let kit = Kit::new();
    kit.write("r.md", report("APPROVE", &[], &[], &[]));
    record(&kit, "1", "L", "r.md", &[]).ok();
    let good = kit.read("st/loop-L-round-1.state.json");
    for (content, reason) in [
        (String::new(), "CORRUPT"),
        (good[..good.len() / 2].to_owned(), "CORRUPT"),
        (good.replace("\"schema_version\":2", "\"schema_version\":3"), "SCHEMA_NEWER"),
        (good.replace("\"round_number\":1", "\"round_number\":1,\"round_number\":9"), "DUPLICATE_KEY"),
        (good.replace("\"round_number\":1", "\"round_number\":\"1\""), "BAD_SHAPE"),
        (good.replace("\"round_number\":1", "\"round_number\":NaN"), "BAD_JSON"),
        (format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), "TOO_DEEP"),
        (format!("{good}\0\0"), "CORRUPT"),
    ] {
        kit.write("bad.json", &content);
        let failed = kit.run(&["compare-rounds", "--previous", "bad.json", "--current", "bad.json"]);
        assert_eq!(failed.reason(), reason, "{}", failed.stdout);
        assert_eq!(failed.json["error"]["kind"], "input");
        failed.fails("INVALID_STATE");
        assert_eq!(kit.read("bad.json"), content);
    }
    kit.write("bom.json", format!("\u{feff}{}", good.replace('\n', "\r\n")));
    kit.run(&["compare-rounds", "--previous", "bom.json", "--current", "bom.json"]).ok();
}

#[test]
fn the_prior_context_puts_rejects_of_all_rounds_first_and_keeps_its_header() {
    let kit = Kit::new();
    let many: Vec<String> = (0..300).map(|n| format!("`src/file{n}.rs:{n}0` — a finding with a rather long title, number {n}")).collect();
    kit.write("r1.md", report("CONCERN", &[], &["`a.rs:1` x"], &[]));
    kit.write("s1.md", "### ITEM-1: keep it --> ```\n- **Severity**: 🟡 Warning\n- **Decision**: REJECT\n- files_read: `a.rs:1`\n- **Action**: wanted <!-- --> `tick`\n");
    kit.write("r2.md", report("CONCERN", &[], &many.iter().map(String::as_str).collect::<Vec<_>>(), &[]));
    record(&kit, "1", "L", "r1.md", &["--response-report", "s1.md"]).ok();
    record(&kit, "2", "L", "r2.md", &[]).ok();
    let state = "st/loop-L-round-2.state.json";
    let answer = kit.run(&["render-prior-context", "--state-file", state, "--output", "p.md"]).ok();
    assert_eq!(keys(&answer)[..5], ["ok", "output_file", "loop_id", "round_number", "truncated"]);
    assert_eq!(answer["truncated"], true);
    let text = kit.read("p.md");
    assert!(
        text.starts_with(&format!("<!-- PRIOR-CONTEXT v1 loop_id=L base_commit={BASE} round=2 -->\n\n# Prior round 2 context (loop L)\n")),
        "{text}"
    );
    assert!(text.len() <= 16_384 && text.contains("left out: 0 rejected, "), "{}", text.len());
    let (rejects, findings) = (text.find("## Previously rejected").unwrap(), text.find("## Open findings from round 2 (300)").unwrap());
    assert!(rejects < findings);
    let reject = &text[rejects..findings];
    assert!(reject.contains("- `a.rs:1` — wanted") && !reject.contains("-->") && !reject.contains("```"), "{reject}");
    kit.run(&["render-prior-context", "--state-file", state, "--output", "q.md", "--max-bytes", "20"]).fails("INVALID_ARGUMENT");
    kit.run(&["render-prior-context", "--state-file", state, "--output", "q.md", "--max-bytes", "abc"]).fails("INVALID_ARGUMENT");
    let small = kit.run(&["render-prior-context", "--state-file", state, "--output", "q.md", "--max-bytes", "400"]).ok();
    assert!(kit.read("q.md").starts_with("<!-- PRIOR-CONTEXT v1 ") && kit.read("q.md").len() <= 400, "{small}");
    kit.run(&["render-prior-context", "--check", "p.md", "--base-commit", BASE]).ok();
    kit.run(&["render-prior-context", "--check", "p.md", "--base-commit", "1234567"]).fails("INVALID_PRIOR_CONTEXT");
    std::os::unix::fs::symlink(kit.path("p.md"), kit.path("link.md")).unwrap();
    kit.run(&["render-prior-context", "--check", "link.md"]).fails("INVALID_PRIOR_CONTEXT");
    kit.write("big.md", format!("{text}{}", "x".repeat(40_000)));
    kit.run(&["render-prior-context", "--check", "big.md"]).fails("INVALID_PRIOR_CONTEXT");
    kit.run(&["render-prior-context", "--check", "r1.md"]).fails("INVALID_PRIOR_CONTEXT");
}

#[test]
fn the_session_document_is_the_same_bytes_for_the_same_states() {
    let kit = Kit::new();
    kit.write("reports/1-review.md", report("REQUEST_CHANGES", &["`a.rs:10` one"], &["`b|c.rs:4` <b>two</b>"], &[]));
    kit.write("reports/2 (x)-review.md", report("APPROVE", &[], &[], &[]));
    record(&kit, "1", "L", "reports/1-review.md", &[]).ok();
    record(&kit, "2", "L", "reports/2 (x)-review.md", &[]).ok();
    let render = |out: &str, more: &[&str]| {
        let mut args = vec!["render-session-doc", "--loop-id", "L", "--tmp-dir", "st", "--reports-dir", "reports", "--output", out];
        args.extend(more);
        kit.run(&args)
    };
    let answer = render("a.md", &[]).ok();
    assert_eq!(keys(&answer)[..4], ["ok", "output_file", "loop_id", "rounds"]);
    render("b.md", &[]).ok();
    let text = kit.read("a.md");
    assert_eq!(text, kit.read("b.md"));
    assert!(text.starts_with(
        "<!-- SESSION-DOC v1 loop_id=L rounds=2 -->\n\n# Deep Review session — loop L\n\n- **Latest verdict**: APPROVE (round 2)\n"
    ));
    assert!(text.contains("| 1 | REQUEST_CHANGES | 1 | 1 | 0 | — |\n| 2 | APPROVE | 0 | 0 | 0 | confirmation |"), "{text}");
    assert!(text.contains("## Open findings (round 2) — 0\n\n- (none)\n") && text.contains("## Resolved (cumulative) — 2\n"), "{text}");
    assert!(text.contains("](2%20%28x%29-review.md)"), "{text}");
    kit.write("f.json", r#"{"stop_reason":"APPROVED","rounds_saved":3,"implemented_total":1,"remaining_work":["a\nb","",3]}"#);
    render("c.md", &["--final-summary-file", "f.json"]).ok();
    let closed = kit.read("c.md");
    assert!(closed.starts_with(text.trim_end_matches('\n')));
    assert!(closed.ends_with("## Final summary\n\n- **Stop reason**: APPROVED\n- **Rounds saved**: 3\n- **Total implemented**: 1\n- **Remaining work**:\n  - a b\n"), "{closed}");
    kit.write("f.json", "[1]");
    render("c.md", &["--final-summary-file", "f.json"]).fails("INVALID_FINAL_SUMMARY");
    kit.run(&["render-session-doc", "--loop-id", "Z", "--tmp-dir", "st", "--reports-dir", "reports", "--output", "z.md"])
        .fails("NO_ROUNDS");
}

#[test]
fn a_torn_sibling_state_is_said_and_skipped() {
    let kit = Kit::new();
    kit.write("r.md", report("CONCERN", &[], &["`a.rs:1` x"], &[]));
    record(&kit, "1", "L", "r.md", &[]).ok();
    kit.write("st/loop-L-round-2.state.json", "{\"schema_version\":2,");
    let answer = kit.run(&["render-session-doc", "--loop-id", "L", "--tmp-dir", "st", "--reports-dir", ".", "--output", "d.md"]).ok();
    assert_eq!(answer["rounds"], 1);
    assert_eq!(answer["skipped_states"][0]["code"], "CORRUPT");
    assert_eq!(kit.read("st/loop-L-round-2.state.json"), "{\"schema_version\":2,");
}

fn owned(pid: &str, started: &str, more: Value) -> String {
    let mut owner = json!({"host_hash": "", "pid": pid, "process_start_ms": "1000", "session_id": null, "started_at": started});
    owner.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"schema_version": 2, "loop_id": "L", "round_number": 1, "base_commit": "abcdef1", "verdict": "APPROVE", "owner": owner})
        .to_string()
}

fn host_hash(kit: &Kit) -> String {
    let mut stamped = Kit::new();
    stamped.set("CLAUDE_CODE_SESSION_ID", "s");
    stamped.write("r.md", report("APPROVE", &[], &[], &[]));
    stamped
        .run(&[
            "record-round",
            "--round-number",
            "1",
            "--review-report",
            "r.md",
            "--base-commit",
            BASE,
            "--state-dir",
            "st",
            "--loop-id",
            "H",
        ])
        .ok();
    let _ = kit;
    stamped.json("st/loop-H-round-1.state.json")["owner"]["host_hash"].as_str().unwrap().to_owned()
}

/// A pid that has ended.
fn dead_pid() -> String {
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let pid = child.id().to_string();
    child.wait().unwrap();
    pid
}

#[test]
fn residue_of_a_departed_owner_goes_after_the_grace_window_priors_first() {
    let kit = Kit::new();
    let hash = host_hash(&kit);
    let old = "2026-11-30T09:00:00Z";
    kit.write("t/loop-L-round-1.state.json", owned(&dead_pid(), old, json!({"host_hash": hash})));
    kit.write("t/loop-L-round-2.prior.md", "x");
    kit.write("t/loop-O-round-2.prior.md", "orphan");
    kit.write("t/other.txt", "x");
    let planned = kit.run(&["cleanup-residue", "--tmp-dir", "t", "--dry-run"]).ok();
    assert_eq!((planned["deleted"].as_array().unwrap().len(), &planned["dry_run"]), (2, &json!(true)));
    assert_eq!(kit.list("t").len(), 4);
    let fresh = kit.run(&["cleanup-residue", "--tmp-dir", "t", "--stale-ms", "999999999"]).ok();
    assert_eq!(fresh["kept"][0]["reason"], "departed-fresh");
    let swept = kit.run(&["cleanup-residue", "--tmp-dir", "t"]).ok();
    assert_eq!(keys(&swept)[..5], ["ok", "scanned", "deleted", "kept", "errors"]);
    assert_eq!((&swept["scanned"], swept["deleted"].as_array().unwrap().len()), (&json!(3), 2));
    assert_eq!(swept["kept"], json!([{"path": kit.text("t/loop-O-round-2.prior.md"), "reason": "no-owner"}]));
    assert_eq!(kit.list("t"), ["loop-O-round-2.prior.md", "other.txt"]);
    kit.run(&["cleanup-residue", "--tmp-dir", "missing"]).ok();
    kit.run(&["cleanup-residue", "--tmp-dir", "t", "--stale-ms", "-1"]).fails("INVALID_ARGUMENT");
}

#[test]
fn whatever_is_not_provably_departed_keeps_its_word() {
    let kit = Kit::new();
    let hash = host_hash(&kit);
    let old = "2026-11-30T09:00:00Z";
    let own = std::process::id().to_string();
    for (owner, reason) in [
        (owned(&own, old, json!({"host_hash": hash})), "live"),
        (owned(&dead_pid(), old, json!({"host_hash": "other"})), "foreign"),
        (owned(&dead_pid(), old, json!({"host_hash": hash, "pid_namespace": "pid:[1]"})), "foreign"),
        (owned(&dead_pid(), old, json!({"host_hash": hash, "boot_id": "another", "machine_hash": "another"})), "foreign"),
        (owned(&dead_pid(), "2027-01-01T00:00:00Z", json!({"host_hash": hash})), "manual"),
        (owned(&dead_pid(), old, json!({"host_hash": hash, "process_start_ms": null})), "manual"),
        (owned("0", old, json!({"host_hash": hash})), "manual"),
        (owned("x", old, json!({"host_hash": hash, "pid": null})), "session-id-only"),
        ("{".to_owned(), "manual"),
    ] {
        kit.write("t/loop-L-round-1.state.json", owner);
        let answer = kit.run(&["cleanup-residue", "--tmp-dir", "t", "--stale-ms", "0"]).ok();
        assert_eq!(answer["kept"][0]["reason"], reason, "{answer}");
    }
}
