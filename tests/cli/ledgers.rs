//! The worked ledgers: design loops of all versions and runs.

use serde_json::Value;

use crate::kit::{Kit, Ran, package};

fn cases(suite: &str) -> Vec<Value> {
    let all = std::fs::read(package().join("tests/cases/shared/ledgers.json")).unwrap();
    let all: Vec<Value> = serde_json::from_slice(&all).unwrap();
    all.into_iter().filter(|c| c["suite"].as_str().unwrap().starts_with(suite)).collect()
}

#[test]
fn every_worked_design_ledger_gets_its_structural_and_its_strict_verdict() {
    let kit = Kit::new();
    let mut wrong = Vec::new();
    for case in cases("rls") {
        kit.write("l.json", case["ledger"].to_string());
        let mut words = vec!["check-design-ledger", "--ledger", "l.json"];
        if case["flags"]["require_terminal"] == true {
            words.push("--require-terminal");
        }
        let wanted = case.get("v1_old").or(case.get("v2")).unwrap().as_str().unwrap();
        for (flag, wanted) in [(None, wanted), (Some("--strict"), case["strict"].as_str().unwrap())] {
            let ran = kit.run(&words.iter().copied().chain(flag).collect::<Vec<_>>());
            let status = i32::from(wanted != "accept");
            if ran.status != status || ran.json["valid"] != (status == 0) {
                wrong.push(format!("{} {} {flag:?}: wanted {wanted}, got {}", case["id"], case["title"], ran.stdout));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_ledger_in_yaml_means_what_its_json_means() {
    let kit = Kit::new();
    for case in cases("rls-v1") {
        // JSON is YAML.
        kit.write("l.yaml", case["ledger"].to_string());
        kit.write("l.json", case["ledger"].to_string());
        let of = |name: &str| kit.run(&["check-design-ledger", "--strict", "--ledger", name]).stdout;
        assert_eq!(of("l.yaml"), of("l.json"), "{}", case["id"]);
    }
    kit.write("l", "objective: fix\nscope: a.rs\nruntime_root: 'trace:4'\nrounds:\n- round: 1\n  diff: first\n  surgical: {attempt_id: s1, verdict: PASS, rationale: \"checked a.rs:1\"}\n  deep: {attempt_id: d1, verdict: PASS, rationale: \"checked a.rs:1\"}\n  scout: {attempt_id: c1, findings: []}\n  lane_failures: []\n");
    let ok = kit.run(&["check-design-ledger", "--strict", "--ledger", "l"]).ok();
    assert_eq!((&ok["schema_version"], &ok["status"]), (&serde_json::json!(1), &serde_json::json!("converged")));
    kit.write("l.yml", "a: 1\na: 2\n");
    kit.run(&["check-design-ledger", "--ledger", "l.yml"]).fails("DUPLICATE_KEY");
}

#[test]
fn the_self_test_proves_every_rule_and_prints_the_table() {
    let kit = Kit::new();
    let table = kit.run(&["check-design-ledger", "--self-test"]).ok();
    let proofs = table["proofs"].as_array().unwrap();
    assert!(proofs.len() > 40 && proofs.iter().all(|p| p["passes"] == true && p["fails"] == true), "{table}");
    kit.run(&["check-design-ledger"]).fails("INVALID_ARGUMENT");
    kit.run(&["check-design-ledger", "--ledger", "none.json"]).fails("NOT_FOUND");
}

fn lines(events: &Value) -> String {
    events.as_array().unwrap().iter().map(|e| format!("{e}\n")).collect()
}

#[test]
fn every_worked_run_ledger_gets_its_verdict() {
    let mut wrong = Vec::new();
    for case in cases("closure") {
        let kit = Kit::new();
        for file in case["files"].as_array().unwrap() {
            kit.write(&format!("item/{}", file.as_str().unwrap()), "text");
        }
        kit.write("item/agent-runs.jsonl", lines(&case["events"]));
        let wanted = case["ours"].as_str().or(case["closure"].as_str()).unwrap();
        let ran = kit.run(&["check-runs", "--ledger", "item/agent-runs.jsonl"]);
        if ran.status != i32::from(wanted != "accept") || ran.json["ok"] != true {
            wrong.push(format!("{} {}: wanted {wanted}, got {}", case["id"], case["title"], ran.stdout));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An event of the lane `deep` on the file it reviews.
fn append(kit: &Kit, more: &[&str]) -> Ran {
    kit.write("item/rev.md", "text");
    let who = ["--role", "design-reviewer", "--execution-role", "external-reviewer", "--work-item", "item", "--lane", "deep"];
    let what = ["--scope", "rev.md", "--artifact", "rev.md", "--effort", "high"];
    kit.run(&[&["append-run", "--ledger", "item/agent-runs.jsonl"][..], &who, &what, more].concat())
}

/// A launch of that lane.
fn launch(kit: &Kit, id: &str) -> Value {
    append(kit, &["--event-kind", "launch", "--status", "running", "--gate", "none", "--run-id", id]).ok()
}

#[test]
fn a_revise_is_closed_by_its_own_lane_and_by_nothing_else() {
    let kit = Kit::new();
    let check = || kit.run(&["check-runs", "--ledger", "item/agent-runs.jsonl"]);
    let settle = |launch: &str, more: &[&str]| {
        let words = ["settle-run", "--ledger", "item/agent-runs.jsonl", "--launch", launch, "--evidence", "log:out.txt"];
        kit.run(&[&words[..], more].concat())
    };
    launch(&kit, "launch-01");
    assert_eq!(check().json["unsettled"][0]["run_id"], "launch-01");
    kit.write("out.txt", "two blockers\n**GATE: REVISE**\n");
    let read = ["--result", "out.txt", "--exit-code", "0"];
    let settled = settle("launch-01", &read).ok();
    assert_eq!((&settled["gate"], &settled["run_id"], &settled["already"]), (&"REVISE".into(), &"launch-01.end".into(), &false.into()));
    assert_eq!(settle("launch-01", &read).ok()["already"], true);
    settle("launch-01", &["--status", "blocked", "--gate", "none"]).fails("SETTLE_CONFLICT");
    let owed = check();
    assert_eq!((owed.status, &owed.json["open"][0]["run_id"]), (1, &Value::from("launch-01.end")), "{}", owed.stdout);
    // A PASS that names it, from the same lane.
    launch(&kit, "launch-02");
    kit.write("out.txt", "GATE: PASS\n");
    settle("launch-02", &[&read[..], &["--closes", "launch-01.end"]].concat()).ok();
    let clear = check().ok();
    assert_eq!((&clear["discharged"][0]["by"], &clear["open"]), (&Value::from("launch-02.end"), &Value::Array(Vec::new())));
    // What breaks a rule is not written.
    let before = kit.read("item/agent-runs.jsonl");
    launch(&kit, "launch-03");
    let refused = settle("launch-03", &["--status", "running", "--gate", "PASS"]).fails("INVALID_RUN");
    assert_eq!(refused["error"]["errors"][0]["rule"], "status_contradicts_gate");
    kit.run(&["append-run", "--ledger", "item/agent-runs.jsonl", "--role", "r"]).fails("INVALID_RUN");
    kit.run(&["settle-run", "--ledger", "item/agent-runs.jsonl", "--launch", "nobody-1", "--gate", "none"]).fails("NOT_FOUND");
    assert!(kit.read("item/agent-runs.jsonl").starts_with(&before));
}

#[test]
fn a_torn_tail_is_moved_aside_and_a_whole_line_without_its_break_is_kept() {
    let kit = Kit::new();
    launch(&kit, "launch-01");
    let whole = kit.read("item/agent-runs.jsonl");
    kit.write("item/agent-runs.jsonl", whole.trim_end());
    launch(&kit, "launch-02");
    assert_eq!(kit.read("item/agent-runs.jsonl").lines().count(), 2);
    let whole = kit.read("item/agent-runs.jsonl");
    kit.write("item/agent-runs.jsonl", format!("{whole}{{\"schemaVersion\":2,\"ru"));
    let torn = kit.run(&["check-runs", "--ledger", "item/agent-runs.jsonl"]);
    assert_eq!(torn.json["errors"][0]["rule"], "torn_tail", "{}", torn.stdout);
    let moved = launch(&kit, "launch-03");
    assert!(moved["torn_tail"].as_str().unwrap().ends_with(".torn-1"), "{moved}");
    assert_eq!(kit.read("item/agent-runs.jsonl").lines().count(), 3);
}

#[test]
fn archiving_launders_no_obligation_and_all_items_are_checked_at_once() {
    let kit = Kit::new();
    let revise = cases("closure").into_iter().find(|c| c["id"] == "C01").unwrap();
    kit.write("work-items/active/one/agent-runs.jsonl", lines(&cases("closure").into_iter().find(|c| c["id"] == "C02").unwrap()["events"]));
    kit.run(&["check-runs", "--root", "."]).ok();
    kit.write("work-items/archive/2026-07/two/agent-runs.jsonl", lines(&revise["events"]));
    for words in [&["check-runs", "--root", "."][..], &["check-runs", "--ledger", "work-items/active/one/agent-runs.jsonl"]] {
        let ran = kit.run(words);
        assert_eq!(ran.status, 1, "{}", ran.stdout);
        assert!(ran.json["open"][0]["ledger"].as_str().unwrap().contains("archive"), "{}", ran.stdout);
    }
    kit.run(&["check-runs", "--root", ".", "--active-only"]).ok();
    kit.run(&["check-runs", "--root", "work-items"]).fails("INVALID_ARGUMENT");
}

#[test]
fn a_run_s_end_is_read_with_its_exit_status_or_not_at_all() {
    let kit = Kit::new();
    kit.write("out", "I looked at it.\n\n### GATE: PASS\nThanks!\n");
    let read = |words: &[&str]| kit.run(&[&["read-gate-line", "--result", "out"], words].concat());
    let passed = read(&["--exit-code", "0"]).ok();
    assert_eq!((&passed["status"], &passed["gate"], &passed["token"]), (&"completed".into(), &"PASS".into(), &"COMPLETE:PASS".into()));
    assert_eq!(read(&["--exit-code", "1"]).json["token"], "FAILED:nonzero-exit");
    assert_eq!(read(&["--exit-code", "1"]).status, 1);
    read(&[]).fails("INVALID_ARGUMENT");
    kit.write("err", "API Error: quota\n");
    assert_eq!(read(&["--exit-code", "0", "--errors", "err"]).json["token"], "UNVERIFIED:err-markers");
    kit.write("out", b"GATE: PASS\xff\n");
    assert_ne!(read(&["--exit-code", "0"]).status, 0);
}

#[test]
fn agents_mode_settings_say_which_layer_decided_them_and_a_typo_is_no_setting() {
    let kit = Kit::new();
    kit.write("p/.git/HEAD", "");
    kit.write("p/.agents/.agents-mode.yaml", "parallelMode: manual\nreserveResolver: wrapper:./mine\n");
    kit.write("home/.codex/.agents-mode.yaml", "parallelMode: force\nmcpMode: force\n");
    let resolve = |words: &[&str]| kit.run(&[&["resolve-agents-mode", "--repo", "p"], words].concat());
    let ok = resolve(&["--explain", "--lane", "review.pre-pr", "--host-line", "codex"]).ok();
    assert_eq!((&ok["values"]["parallelMode"], &ok["layers"]["parallelMode"]["rank"]), (&"manual".into(), &1.into()));
    assert_eq!((&ok["values"]["mcpMode"], &ok["layers"]["mcpMode"]["rank"]), (&"force".into(), &2.into()));
    assert_eq!((&ok["reserveResolverTrust"], &ok["dispatch"]["provider"]), (&"project-UNCONFIRMED".into(), &"claude".into()));
    assert!(ok["dispatch"]["available"].is_null());
    resolve(&["--lane", "review.pre-pr"]).fails("INVALID_ARGUMENT");
    resolve(&["--lane", "review.none", "--host-line", "codex"]).fails("INVALID_ARGUMENT");
    // A profile of the user's that the project names, and what only normalising would mend.
    kit.write("home/.agents-mode.yaml", "externalPriorityProfiles:\n  mine:\n    review.pre-pr: [codex]\n");
    kit.write("p/.agents/.agents-mode.yaml", "externalPriorityProfile: mine\n");
    let chosen = resolve(&["--lane", "review.pre-pr", "--host-line", "claude"]).ok();
    assert_eq!(chosen["dispatch"]["provider"], "codex");
    kit.write("p/.agents/.agents-mode.yaml", "externalPriorityProfiles:\n  balanced:\n    worker.ui-implementation: [codex, reserve]\n    review.pre-pr: [claude-secret, codex]\n");
    assert_eq!(resolve(&["--lane", "worker.ui-implementation", "--host-line", "codex"]).ok()["dispatch"]["provider"], Value::Null);
    assert_eq!(resolve(&["--lane", "review.pre-pr", "--host-line", "codex"]).ok()["dispatch"]["provider"], "reserve");
    kit.write("p/.agents/.agents-mode.yaml", "paralelMode: manual\n");
    let refused = resolve(&[]).fails("INVALID_AGENTS_MODE");
    assert_eq!(refused["error"]["problems"][0]["suggestion"], "parallelMode");
    kit.write("p/.agents/.agents-mode.yaml", "a: 1\na: 2\n");
    resolve(&[]).fails("DUPLICATE_KEY");
}

#[test]
fn an_agents_mode_file_is_normalised_once_and_only_looked_at_with_check() {
    let kit = Kit::new();
    kit.write("m", "# ours\nexternalClaudeApiMode: disabled\nparallelMode: manual # by day\n");
    let look = kit.run(&["normalize-agents-mode", "--file", "m", "--check"]);
    assert_eq!((look.status, &look.json["written"]), (1, &false.into()), "{}", look.stdout);
    assert!(kit.read("m").starts_with("# ours\nexternalClaudeApiMode"));
    assert_eq!(kit.run(&["normalize-agents-mode", "--file", "m"]).ok()["written"], true);
    assert!(kit.read("m").starts_with("# ours\nreserveResolver: disabled\nparallelMode: manual # by day\n"), "{}", kit.read("m"));
    kit.run(&["normalize-agents-mode", "--file", "m", "--check"]).ok();
    assert_eq!(kit.run(&["normalize-agents-mode", "--file", "m"]).ok()["written"], false);
    kit.write("m", "externalProvider: bogus\n");
    kit.run(&["normalize-agents-mode", "--file", "m"]).fails("INVALID_AGENTS_MODE");
    assert_eq!(kit.read("m"), "externalProvider: bogus\n");
    kit.run(&["normalize-agents-mode", "--file", "none", "--check"]).fails("NOT_FOUND");
}

#[test]
fn a_launch_is_no_verdict_and_closes_nothing() {
    let kit = Kit::new();
    launch(&kit, "launch-01");
    kit.write("out.txt", "GATE: REVISE\n");
    let words = ["settle-run", "--ledger", "item/agent-runs.jsonl", "--launch", "launch-01", "--result", "out.txt", "--exit-code", "0"];
    kit.run(&words).ok();
    let verdict = ["--event-kind", "launch", "--status", "completed", "--gate", "PASS", "--evidence", "log:x", "--closes", "launch-01.end"];
    append(&kit, &verdict).fails("INVALID_RUN");
    assert_eq!(kit.run(&["check-runs", "--ledger", "item/agent-runs.jsonl"]).json["open"][0]["run_id"], "launch-01.end");
}
