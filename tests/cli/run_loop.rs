//! run-loop end to end: sources, responders, stops, and kills at every step.

use serde_json::{Value, json};

use crate::kit::{Kit, Ran, report};

/// A repository with a fixable defect, and one that only a person can mend.
fn planted() -> Kit {
    let kit = Kit::new();
    kit.repo("r", &[("a.rs", "fn a() {}\n"), ("c.json", "{}\n")]);
    kit.write("r/a.rs", "fn a() {}  \n// FIXME soon\n");
    kit.write("r/b.txt", "no newline");
    kit
}

fn run(kit: &Kit, more: &[&str]) -> Ran {
    let mut args = vec!["run-loop", "--loop", "rounds", "--repo-root", "r", "--state-dir", "state"];
    args.extend(more);
    kit.run(&args)
}

fn reports(kit: &Kit) -> Vec<String> {
    kit.list("r/.deep-review/reports")
}

#[test]
fn a_clean_surface_ends_with_approve_and_exit_0() {
    let kit = Kit::new();
    kit.repo("r", &[("a.rs", "fn a() {}\n")]);
    kit.write("r/a.rs", "fn a() { b() }\n");
    let answer = run(&kit, &[]).ok();
    assert_eq!(
        (&answer["verdict"], &answer["rounds"], &answer["stop_condition"], &answer["stop_reason"]),
        (&json!("APPROVE"), &json!(1), &json!(1), &json!("APPROVED"))
    );
    assert_eq!(reports(&kit).len(), 1);
    let summary = answer["files"]["summary"].as_str().unwrap();
    assert!(std::fs::read_to_string(summary).unwrap().contains("- **Stop reason**: APPROVED"));
    assert_eq!(answer["files"]["session_doc"], Value::Null);
}

#[test]
fn mechanical_fixes_land_and_what_needs_a_person_remains() {
    let kit = planted();
    let ran = run(&kit, &["--respond", "fix", "--session-doc"]);
    assert_eq!(ran.status, 1, "{}", ran.stdout);
    assert_eq!((&ran.json["rounds"], &ran.json["verdict"]), (&json!(2), &json!("CONCERN")));
    assert_eq!(kit.read("r/a.rs"), "fn a() {}\n// FIXME soon\n");
    assert_eq!(kit.read("r/b.txt"), "no newline\n");
    assert_eq!(ran.json["history"][0]["implemented"], 2);
    let document = std::fs::read_to_string(ran.json["files"]["session_doc"].as_str().unwrap()).unwrap();
    assert!(document.contains("## Final summary") && document.contains("todo-without-reference"), "{document}");
    assert_eq!(ran.json["files"]["summary"], Value::Null);
    assert!(!kit.list("r/.deep-review/responses").iter().any(|f| f.contains("loop-summary")));
    let state_dir = ran.json["files"]["state_dir"].as_str().unwrap();
    let left: Vec<String> = std::fs::read_dir(state_dir).unwrap().flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    assert!(!left.iter().any(|f| f.ends_with("prior.md")), "{left:?}");
    assert_eq!(left.iter().filter(|f| f.ends_with(".state.json")).count(), 2);
}

#[test]
fn without_a_session_document_everything_else_is_the_same_bytes() {
    let gather = |more: &[&str]| {
        let kit = planted().with("REVIEW_LOOP_TEST_ID", "same");
        let mut args = vec!["--respond", "fix"];
        args.extend(more);
        run(&kit, &args);
        let folder = kit.path("state");
        let files =
            walkdir::WalkDir::new(&folder).into_iter().flatten().filter(|e| e.file_name().to_string_lossy().ends_with(".state.json"));
        let root = kit.root().to_string_lossy().into_owned();
        let mut states: Vec<Value> =
            files.map(|e| serde_json::from_str(&std::fs::read_to_string(e.path()).unwrap().replace(&root, "ROOT")).unwrap()).collect();
        states.sort_by_key(|s: &Value| s["round_number"].as_u64());
        for state in &mut states {
            // Names hold the second a report was written in.
            state["round_review_report_path"] = json!("");
            state["response_report_path"] = json!("");
            state["response_sha256"] = json!("");
        }
        states
    };
    assert_eq!(gather(&[]), gather(&["--session-doc"]));
}

#[test]
fn nothing_to_review_is_a_question_and_no_approval() {
    let kit = Kit::new();
    kit.repo("r", &[("a.rs", "fn a() {}\n")]);
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    let ran = run(&kit, &["--base", &base]);
    assert_eq!((ran.status, &ran.json["ask"]["code"], &ran.json["verdict"]), (3, &json!("nothing_to_review"), &Value::Null));
}

/// A program that prints the report of the round it is in: `one.md`, then `two.md`.
fn source(kit: &Kit, script: &str) -> String {
    let path = kit.write("source.sh", format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    json!([path, "{scope}", "{report}"]).to_string()
}

#[test]
fn any_program_can_be_the_source_and_the_responder() {
    let kit = planted();
    kit.write("one.md", report("REQUEST_CHANGES", &["`a.rs:1` boom"], &[], &[]));
    kit.write("two.md", report("APPROVE", &[], &[], &[]));
    let one = kit.text("one.md");
    let two = kit.text("two.md");
    let argv = source(
        &kit,
        &format!(
            "test -s \"$1\" || exit 9\nif [ \"$REVIEW_LOOP_ROUND\" = 1 ]; then cat '{one}'; else test -s \"$REVIEW_LOOP_PRIOR_CONTEXT\" || exit 8; cat '{two}'; fi"
        ),
    );
    let answer = kit.write("respond.sh", "#!/bin/sh\ngrep -q boom || exit 7\ntest -s \"$1\" || exit 6\nprintf -- '- **Items**: accepted 1, rejected 0, deferred 0\\n### ITEM-1: boom\\n- **Decision**: ACCEPT\\n- **Action**: defused\\n'\n");
    std::fs::set_permissions(&answer, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let respond = json!([answer, "{report}"]).to_string();
    let answer = run(&kit, &["--source", "command", "--source-argv", &argv, "--respond", "command", "--respond-argv", &respond]).ok();
    assert_eq!((&answer["verdict"], &answer["rounds"], &answer["history"][0]["implemented"]), (&json!("APPROVE"), &json!(2), &json!(1)));
}

#[test]
fn a_source_that_dies_twice_leaves_no_trusted_verdict() {
    let kit = planted();
    for script in ["exit 5", "echo 'APPROVE'; exit 3", "echo 'all fine'", "kill -9 $$", "true", "cat /dev/zero | head -c 100"] {
        let argv = source(&kit, script);
        let ran = run(&kit, &["--source", "command", "--source-argv", &argv]);
        let json = ran.fails("NO_TRUSTED_VERDICT");
        assert_eq!((&json["verdict"], &json["rounds"], &json["stop_condition"]), (&Value::Null, &json!(0), &json!(4)), "{script}");
        assert_eq!(json["error"]["kind"], "world");
    }
    assert!(reports(&kit).is_empty());
    let missing = run(&kit, &["--source", "command", "--source-argv", "[\"no-such-program\"]"]);
    assert_eq!(missing.code(), "NO_TRUSTED_VERDICT");
}

#[test]
fn a_source_that_hangs_is_ended_with_its_whole_group() {
    let kit = planted();
    let mark = kit.text("alive");
    let argv = source(&kit, &format!("(sleep 30; echo x > '{mark}') & sleep 30"));
    let began = std::time::Instant::now();
    run(&kit, &["--source", "command", "--source-argv", &argv, "--limit-s", "1"]).fails("NO_TRUSTED_VERDICT");
    assert!(began.elapsed().as_secs() < 20);
    assert!(!group_alive(&kit.text("source.sh")));
}

/// Whether any process still runs this script.
fn group_alive(script: &str) -> bool {
    let procs = std::fs::read_dir("/proc").unwrap().flatten();
    procs.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok()).any(|c| String::from_utf8_lossy(&c).contains(script))
}

/// Waits until the script itself runs: the command line of run-loop names it too.
fn wait_for_source(script: &str) {
    let began = std::time::Instant::now();
    let runs = |c: &[u8]| c.starts_with(b"/bin/sh\0") && String::from_utf8_lossy(c).contains(script);
    while !std::fs::read_dir("/proc").unwrap().flatten().any(|p| std::fs::read(p.path().join("cmdline")).is_ok_and(|c| runs(&c))) {
        assert!(began.elapsed().as_secs() < 20, "the source never started");
        std::thread::yield_now();
    }
}

#[test]
fn settings_are_pinned_and_a_lost_state_is_a_question() {
    let kit = planted();
    let first = run(&kit, &[]);
    let id = first.json["loop_id"].as_str().unwrap().to_owned();
    let again = run(&kit, &["--loop-id", &id]);
    assert_eq!((again.status, &again.json["rounds"], &again.json["stop_reason"]), (1, &first.json["rounds"], &first.json["stop_reason"]));
    run(&kit, &["--loop-id", &id, "--max", "3"]).fails("LOOP_MISMATCH");
    run(&kit, &["--loop-id", "../x"]).fails("BAD_ID");
    std::fs::remove_dir_all(kit.path("state")).unwrap();
    let lost = run(&kit, &["--loop-id", &id]);
    assert_eq!((lost.status, &lost.json["ask"]["code"]), (3, &json!("state_missing")));
}

#[test]
fn usage_is_refused_before_anything_is_written() {
    let kit = planted();
    for args in [
        &["--source", "gpt"][..],
        &["--source", "command"],
        &["--source", "command", "--source-argv", "ls -l"],
        &["--source", "command", "--source-argv", "[]"],
        &["--source-argv", "[\"ls\"]"],
        &["--respond", "pray"],
        &["--max", "0"],
        &["--max", "1e3"],
        &["--limit-s", "0"],
    ] {
        run(&kit, args).fails("INVALID_ARGUMENT");
    }
    assert!(kit.list("state").is_empty());
    let outside = kit.run(&["run-loop", "--repo-root", "home", "--state-dir", "state"]);
    assert_eq!(outside.code(), "NOT_A_REPOSITORY");
}

#[test]
fn a_deferred_item_asks_and_the_loop_goes_on_with_the_answer() {
    let kit = planted();
    let answer = kit.write("respond.sh", "#!/bin/sh\ncat >/dev/null\nprintf '### ITEM-1: a\\n- **Decision**: ACCEPT\\n- **Action**: done\\n### ITEM-2: b\\n- **Decision**: DEFER\\n- **Action**: later\\n'\n");
    std::fs::set_permissions(&answer, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let respond = json!([answer]).to_string();
    let asked = run(&kit, &["--respond", "command", "--respond-argv", &respond]);
    assert_eq!((asked.status, &asked.json["ask"]["code"], &asked.json["rounds"]), (3, &json!("deferred_items"), &json!(1)));
    let id = asked.json["loop_id"].as_str().unwrap();
    let stopped = run(&kit, &["--loop-id", id, "--user-choice", "defer-and-stop"]);
    assert_eq!((stopped.status, &stopped.json["stop_condition"]), (1, &json!(5)));
    assert!(stopped.json["remaining_work"].to_string().contains("deferred in round 1"));
}

#[test]
fn project_checks_come_from_the_base_commit_and_fail_closed() {
    let kit = Kit::new();
    let lint = "#!/bin/sh\necho 'a.rs:1:1: error: lint says no'\nexit 1\n";
    let toml = "[builtin]\ntodo-without-reference = false\n[[check]]\nname = \"lint\"\nargv = [\"sh\", \"lint.sh\"]\nglobs = [\"*.rs\"]\nparser = \"lines\"\n";
    kit.repo("r", &[("a.rs", "fn a() {}\n"), ("lint.sh", lint), (".review-loop/checks.toml", toml)]);
    kit.write("r/a.rs", "fn a() {} // FIXME\n");
    // A candidate that removes the check still has it run.
    kit.write("r/.review-loop/checks.toml", "");
    let ran = run(&kit, &["--max", "1"]);
    assert_eq!(ran.status, 1, "{}", ran.stdout);
    let text = std::fs::read_to_string(ran.json["files"]["reports"][0].as_str().unwrap()).unwrap();
    assert!(text.contains("[high · lint] `a.rs:1` — lint says no") && !text.contains("FIXME"), "{text}");
    // A check that cannot run proves nothing.
    kit.write("r/.review-loop/checks.toml", toml.replace("\"sh\", \"lint.sh\"", "\"no-such-linter\""));
    run(&kit, &["--max", "1", "--trust-worktree-checks"]).fails("NO_TRUSTED_VERDICT");
    kit.write("r/.review-loop/checks.toml", "surprise = true\n");
    run(&kit, &["--max", "1", "--trust-worktree-checks"]).fails("INVALID_CHECKS");
}

#[test]
fn fixes_never_leave_the_repository_or_follow_a_link() {
    let kit = Kit::new();
    kit.repo("r", &[("real/a.txt", "x\n")]);
    kit.write("outside.txt", "secret  \n");
    kit.write(
        "hostile.md",
        report(
            "CONCERN",
            &[],
            &[
                "[low · trailing-whitespace] `../outside.txt:1` — x",
                "[low · trailing-whitespace] `link.txt:1` — y",
                "[low · trailing-whitespace] `.git/config:1` — z",
            ],
            &[],
        ),
    );
    std::os::unix::fs::symlink(kit.path("outside.txt"), kit.path("r/link.txt")).unwrap();
    let hostile = kit.text("hostile.md");
    let argv = source(&kit, &format!("cat '{hostile}'"));
    let ran = run(&kit, &["--source", "command", "--source-argv", &argv, "--respond", "fix", "--max", "2"]);
    assert_eq!(ran.json["history"][0]["implemented"], 0, "{}", ran.stdout);
    assert_eq!(kit.read("outside.txt"), "secret  \n");
    let response = std::fs::read_to_string(ran.json["files"]["responses"][0].as_str().unwrap()).unwrap();
    assert_eq!(response.matches("- **Action**: failed: ").count(), 3, "{response}");
}

fn loop_of(kit: &Kit) -> String {
    let found = walkdir::WalkDir::new(kit.path("state")).into_iter().flatten().find(|e| e.file_name() == "loop.json").unwrap();
    found.path().parent().unwrap().file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn a_run_that_is_killed_at_any_step_goes_on_to_the_same_end() {
    let whole = planted();
    let whole = (run(&whole, &["--respond", "fix"]), whole);
    let points = [
        "plan",
        "review",
        "judge",
        "respond",
        "record",
        "document",
        "decide",
        "prior",
        "close",
        "written",
        "renamed",
        "review_published",
        "fixed_one",
    ];
    for point in points {
        let mut kit = planted();
        kit.set("REVIEW_LOOP_TEST_FAILPOINT", point);
        let killed = run(&kit, &["--respond", "fix"]);
        assert_eq!(killed.status, -1, "{point}: {}", killed.stdout);
        kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
        let started = walkdir::WalkDir::new(kit.path("state")).into_iter().flatten().any(|e| e.file_name() == "loop.json");
        let id = if started { loop_of(&kit) } else { String::new() };
        let args: Vec<&str> = if started { vec!["--loop-id", &id] } else { vec!["--respond", "fix"] };
        let ended = run(&kit, &args);
        assert_eq!(ended.status, whole.0.status, "{point}: {}", ended.stdout);
        let plain = |kit: &Kit, value: &Value| value.to_string().replace(&kit.root().to_string_lossy().into_owned(), "ROOT");
        for key in ["verdict", "rounds", "stop_reason", "history", "remaining_work"] {
            assert_eq!(plain(&kit, &ended.json[key]), plain(&whole.1, &whole.0.json[key]), "{point}: {key}");
        }
        assert_eq!(reports(&kit).len(), 2, "{point}: a report was published twice or not at all");
        assert_eq!(kit.list("r/.deep-review/responses").len(), 3, "{point}");
        assert_eq!(kit.read("r/a.rs"), whole.1.read("r/a.rs"), "{point}");
    }
}

#[test]
fn a_signal_ends_the_run_and_its_source_and_the_state_stays() {
    let kit = planted();
    let argv = source(&kit, "sleep 60");
    let args = ["run-loop", "--repo-root", "r", "--state-dir", "state", "--source", "command", "--source-argv", &argv];
    let child = kit.command(&args).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let script = kit.text("source.sh");
    wait_for_source(&script);
    std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["error"]["code"], "INTERRUPTED");
    assert!(!group_alive(&script));
    assert!(!loop_of(&kit).is_empty());
}

#[test]
fn a_killed_run_takes_its_source_with_it() {
    let kit = planted();
    let argv = source(&kit, "sleep 60 & wait");
    let args = ["run-loop", "--repo-root", "r", "--state-dir", "state", "--source", "command", "--source-argv", &argv];
    let mut child = kit.command(&args).stdout(std::process::Stdio::null()).spawn().unwrap();
    let script = kit.text("source.sh");
    wait_for_source(&script);
    child.kill().unwrap();
    child.wait().unwrap();
    let began = std::time::Instant::now();
    while group_alive(&script) {
        assert!(began.elapsed().as_secs() < 20, "the source outlived the run");
        std::thread::yield_now();
    }
}
