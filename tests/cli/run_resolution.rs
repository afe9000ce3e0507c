//! run-loop `--loop resolution`: end to end with the built-in checks, with programs that judge, with sources that die or lie, after kills.

use serde_json::{Value, json};

use crate::kit::{Kit, Ran};

fn kit() -> Kit {
    let mut kit = Kit::new();
    kit.set("XDG_STATE_HOME", &kit.text("state"));
    kit.repo("r", &[("a.rs", "one\n"), ("b.rs", "b\n")]);
    kit
}

fn drive(kit: &Kit, words: &[&str]) -> Ran {
    kit.run(&[&["run-loop", "--loop", "resolution", "--repo-root", "r"], words].concat())
}

fn go_on(kit: &Kit, first: &Ran, words: &[&str]) -> Ran {
    let id = first.json["loop_id"].as_str().unwrap();
    drive(kit, &[&["--loop-id", id], words].concat())
}

#[test]
fn mechanical_findings_are_mended_and_reviewed_again_until_the_checks_approve() {
    let kit = kit();
    kit.write("r/a.rs", "two  \nthree");
    let ran = drive(&kit, &["--source", "checks", "--respond", "fix"]);
    assert_eq!(
        (ran.status, &ran.json["decision"], &ran.json["converged_by"]),
        (0, &json!("converged"), &json!("approve")),
        "{}",
        ran.stdout
    );
    assert_eq!((ran.json["rounds"].as_u64(), kit.read("r/a.rs").as_str()), (Some(2), "two\nthree\n"));
    assert!(ran.json["trace"].as_str().unwrap().contains("→ [applied]"), "{}", ran.stdout);
    // A loop that has converged answers the same, as long as nothing moves.
    assert_eq!(go_on(&kit, &ran, &[]).status, 0);
    kit.write("r/a.rs", "two\nfour\n");
    assert_eq!(go_on(&kit, &ran, &[]).json["rounds"], 3);
}

#[test]
fn what_no_fix_mends_is_asked_about_and_the_answer_is_kept_verbatim() {
    let kit = kit();
    kit.write("r/a.rs", "two  \n<<<<<<< HEAD\n");
    let first = drive(&kit, &["--source", "checks", "--respond", "fix"]);
    assert_eq!((first.status, &first.json["ask"]["code"]), (3, &json!("dispositions_wanted")), "{}", first.stdout);
    let done = go_on(&kit, &first, &["--user-choice", "defer", "--user-words", "the merge is finished tomorrow"]);
    assert_eq!((done.status, &done.json["converged_by"]), (1, &json!("zero_new")), "{}", done.stdout);
    assert_eq!(
        (&done.json["residual"][0]["reason"], &done.json["residual"][0]["grave"]),
        (&json!("the merge is finished tomorrow"), &json!(true))
    );
    assert!(done.json["trace"].as_str().unwrap().contains("[carried: the merge is finished tomorrow]"));
}

#[test]
fn dispositions_can_be_handed_in_and_the_person_can_end_the_loop() {
    let kit = kit();
    kit.write("r/a.rs", "<<<<<<< HEAD\n");
    let first = drive(&kit, &["--source", "checks"]);
    let finding = first.json["undispositioned"][0].as_str().unwrap();
    let entry = json!({"finding": finding, "class": "judgment", "outcome": "dropped", "basis": "it is a sample", "basis_kind": "user",
                       "gate": {"id": "g", "words": "it is a sample"}});
    kit.write("d", json!({"entries": [entry]}).to_string());
    let done = go_on(&kit, &first, &["--dispositions", "d"]);
    assert_eq!((done.status, &done.json["converged_by"]), (1, &json!("zero_new")), "{}", done.stdout);
    let other = drive(&kit, &["--source", "checks"]);
    let ended = go_on(&kit, &other, &["--user-choice", "exit"]);
    assert_eq!((ended.status, &ended.json["decision"], &ended.json["stop_condition"]), (1, &json!("exit"), &json!("exit")));
    go_on(&kit, &other, &["--source", "codex"]).fails("LOOP_MISMATCH");
    drive(&kit, &["--source", "checks", "--risk", "low"]).fails("INVALID_ARGUMENT");
    kit.run(&["run-loop", "--repo-root", "r", "--codebase"]).fails("INVALID_ARGUMENT");
    drive(&kit, &["--source", "checks", "--respond", "shout"]).fails("INVALID_ARGUMENT");
}

/// A reviewer that says what the file `said` holds, and a responder in Python-free shell: it prints the file `answers/<wanted>`.
fn programs(kit: &Kit) -> (String, String) {
    let source = json!(["cat", kit.text("said")]).to_string();
    let script = format!(
        "w=$(sed -n 's/.*\"wanted\": \"\\([a-z]*\\)\".*/\\1/p' \"$1\"); id=$(sed -n 's/.*\"id\": \"\\(f-[0-9a-f]*\\)\".*/\\1/p' \"$1\" | head -1); [ -f '{edit}' ] && sh '{edit}'; sed \"s/@ID@/$id/g\" '{answers}'/$w",
        edit = kit.text("edit"),
        answers = kit.text("answers")
    );
    kit.write("respond.sh", script);
    let respond = json!(["sh", kit.text("respond.sh"), "{round}"]).to_string();
    (source, respond)
}

const FINDING: &str = "[high] a.rs:1 — the index is not bounded\nVERDICT: needs-attention\n";

#[test]
fn a_program_that_judges_links_diagnoses_and_decides_drives_the_loop_to_its_end() {
    let kit = kit();
    kit.write("r/a.rs", "two\n");
    let (source, respond) = programs(&kit);
    kit.write("said", FINDING);
    kit.write("edit", "echo bounded > a.rs; printf 'No findings.\\nVERDICT: approve\\n' > '".to_owned() + &kit.text("said") + "'\n");
    let entry = json!({"finding": "@ID@", "class": "mechanical", "outcome": "applied", "basis": "out of bounds", "basis_kind": "verify", "risk": "none"});
    kit.write("answers/dispositions", json!({"entries": [entry]}).to_string());
    let ran = drive(&kit, &["--source", "command", "--source-argv", &source, "--respond", "command", "--respond-argv", &respond]);
    assert_eq!((ran.status, &ran.json["decision"], &ran.json["verdict"]), (0, &json!("converged"), &json!("approve")), "{}", ran.stdout);
    assert_eq!(kit.read("r/a.rs"), "bounded\n");
}

#[test]
fn a_repair_that_comes_back_is_asked_about_until_it_is_diagnosed() {
    let kit = kit();
    kit.write("r/a.rs", "two\n");
    let (source, respond) = programs(&kit);
    kit.write("said", FINDING);
    kit.write("edit", "echo x >> a.rs\n");
    let entry = json!({"finding": "@ID@", "class": "mechanical", "outcome": "applied", "basis": "out of bounds", "basis_kind": "verify", "risk": "none"});
    kit.write("answers/dispositions", json!({"entries": [entry]}).to_string());
    kit.write("answers/sameness", json!({"links": {"@ID@": "r1/@ID@"}}).to_string());
    kit.write("answers/diagnosis", "{}");
    let words = ["--source", "command", "--source-argv", &source, "--respond", "command", "--respond-argv", &respond];
    let first = drive(&kit, &words);
    assert_eq!(
        (first.status, &first.json["ask"]["code"], &first.json["rounds"]),
        (3, &json!("diagnosis_wanted"), &json!(2)),
        "{}",
        first.stdout
    );
    let second = go_on(&kit, &first, &["--user-choice", "incomplete_repair", "--user-words", "half of it"]);
    assert_eq!((second.status, &second.json["rounds"]), (3, &json!(3)), "{}", second.stdout);
    // After a completed repair the third return is a person's: the responder's edit is not taken.
    let question = second.json["ask"]["question"].as_str().unwrap();
    assert!(second.json["ask"]["code"] == "design_gate" || question.contains("suppression"), "{}", second.stdout);
    let third = go_on(&kit, &second, &["--user-choice", "dismiss", "--user-words", "it is bounded by the caller"]);
    assert!(third.status == 1 || third.status == 3, "{}", third.stdout);
}

#[test]
fn a_source_that_proves_nothing_is_tried_twice_and_then_no_verdict_is_trusted() {
    let kit = kit();
    kit.write("r/a.rs", "two\n");
    for script in [
        "exit 3",
        "echo 'I will read the diff first.'",
        "kill -9 $$",
        "printf ''",
        "echo changed > a.rs; printf 'No findings.\\nVERDICT: approve\\n'; date +%N >> a.rs",
    ] {
        let argv = json!(["sh", "-c", script]).to_string();
        let ran = drive(&kit, &["--source", "command", "--source-argv", &argv]);
        assert_eq!(
            (ran.status, ran.code(), &ran.json["verdict"]),
            (2, "NO_TRUSTED_VERDICT", &json!("unproven")),
            "{script}: {}",
            ran.stdout
        );
    }
}

#[test]
fn a_source_that_is_too_slow_is_asked_about_and_leaves_nothing_behind() {
    let kit = kit();
    kit.write("r/a.rs", "two\n");
    let argv = json!(["sh", "-c", "echo '[high] a.rs:1 — half'; sleep 300 & echo $! > pid; sleep 300"]).to_string();
    let ran = drive(&kit, &["--source", "command", "--source-argv", &argv, "--limit-s", "1"]);
    assert_eq!(
        (ran.status, &ran.json["ask"]["code"], &ran.json["verdict"]),
        (3, &json!("source_timed_out"), &json!("unproven")),
        "{}",
        ran.stdout
    );
    let pid = kit.read("r/pid").trim().to_owned();
    assert!(!std::path::Path::new(&format!("/proc/{pid}/stat")).exists() || is_zombie(&pid), "the child of the source still runs");
}

fn is_zombie(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|s| s.rsplit(')').next().is_some_and(|r| r.trim_start().starts_with('Z')))
}

#[test]
#[cfg(target_os = "linux")]
fn a_child_in_a_session_of_its_own_ends_with_its_source() {
    let kit = kit();
    kit.write("r/a.rs", "two\n");
    let script =
        "setsid sh -c 'echo $$ > pid; sleep 300' & while [ ! -s pid ]; do :; done; rm -f .x; printf 'No findings.\\nVERDICT: approve\\n'";
    let argv = json!(["sh", "-c", format!("cd '{}'; {script}", kit.text("."))]).to_string();
    let ran = drive(&kit, &["--source", "command", "--source-argv", &argv]);
    assert_eq!(ran.json["verdict"], "approve", "{}", ran.stdout);
    let pid = kit.read("pid").trim().to_owned();
    assert!(!std::path::Path::new(&format!("/proc/{pid}/stat")).exists() || is_zombie(&pid), "the child left its group and still runs");
}

#[test]
fn what_was_handed_in_for_one_round_is_not_taken_for_another() {
    let kit = kit();
    kit.write("r/a.rs", "two\n");
    let (source, _) = programs(&kit);
    kit.write("said", "[low] F-1: a.rs:1 — a name is odd\nVERDICT: needs-attention\n");
    let first = drive(&kit, &["--source", "command", "--source-argv", &source]);
    let id = first.json["undispositioned"][0].as_str().unwrap().to_owned();
    let entry = json!({"finding": id, "class": "judgment", "outcome": "dropped", "basis": "as it is", "basis_kind": "user", "gate": {"id": "g", "words": "leave the name"}});
    kit.write("d", json!({"entries": [entry]}).to_string());
    kit.write("said", "[critical] F-1: a.rs:1 — deletes the database\nVERDICT: needs-attention\n");
    let second = go_on(&kit, &first, &["--dispositions", "d"]);
    assert_eq!(
        (second.status, &second.json["rounds"], &second.json["ask"]["code"]),
        (3, &json!(2), &json!("sameness_wanted")),
        "{}",
        second.stdout
    );
    go_on(&kit, &first, &["--user-choice", "dismiss"]).fails("INVALID_ARGUMENT");
    go_on(&kit, &first, &["--user-choice", "bogus"]).fails("INVALID_ARGUMENT");
}

#[test]
fn an_answer_that_cannot_be_read_whole_ends_and_does_not_loop() {
    let kit = kit();
    kit.write("r/a.rs", "two\n");
    for said in ["[high a.rs:1 broken\nVERDICT: approve\n", "[high] a.rs:1 — x\n[high a.rs:2 broken\nVERDICT: approve\n"] {
        kit.write("said", said);
        let argv = json!(["cat", kit.text("said")]).to_string();
        let ran = drive(&kit, &["--source", "command", "--source-argv", &argv]);
        assert!(ran.json["rounds"].as_u64().unwrap() <= 2 && ran.status != 0, "{said}: {}", ran.stdout);
        assert!(!["ROUND_OPEN"].contains(&ran.code()), "{}", ran.stdout);
    }
}

#[test]
fn a_responder_that_fails_or_prints_nonsense_loses_nothing() {
    let kit = kit();
    kit.write("r/a.rs", "two\n");
    kit.write("said", FINDING);
    let source = json!(["cat", kit.text("said")]).to_string();
    for script in ["exit 1", "echo nonsense", "echo '{\"entries\":[{}]}'", "echo '{\"approve\":true}'"] {
        let respond = json!(["sh", "-c", script]).to_string();
        let ran = drive(&kit, &["--source", "command", "--source-argv", &source, "--respond", "command", "--respond-argv", &respond]);
        assert_eq!((ran.status, &ran.json["ask"]["code"]), (3, &json!("dispositions_wanted")), "{script}: {}", ran.stdout);
        assert!(ran.json["warnings"][0].as_str().unwrap().starts_with("responder_failed"), "{}", ran.stdout);
    }
}

#[test]
#[cfg(debug_assertions)]
fn a_loop_that_is_killed_at_any_action_ends_like_one_that_is_not() {
    for point in ["review", "dispose", "written", "renamed", "fixed_one", "done"] {
        let mut kit = kit();
        kit.write("r/a.rs", "two  \nthree");
        kit.set("REVIEW_LOOP_TEST_FAILPOINT", point);
        let killed = drive(&kit, &["--source", "checks", "--respond", "fix"]);
        assert_eq!(killed.status, -1, "{point}: {}", killed.stdout);
        kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
        let loops = kit.run(&["show-status", "--repo", "r"]).ok()["loops"].clone();
        // A loop whose settings were never written was never opened.
        let Some(id) = loops[0]["loop_id"].as_str().filter(|_| loops[0]["damaged"].is_null()) else {
            assert!(["written", "renamed"].contains(&point), "{point}: the loop was lost");
            continue;
        };
        let done = drive(&kit, &["--loop-id", id]);
        assert_eq!((done.status, &done.json["decision"]), (0, &json!("converged")), "{point}: {}", done.stdout);
        assert_eq!(kit.read("r/a.rs"), "two\nthree\n", "{point}");
    }
}

#[test]
fn two_runs_of_one_loop_do_not_review_twice() {
    let mut kit = kit();
    kit.set("XDG_STATE_HOME", &kit.text("state"));
    kit.write("r/a.rs", "<<<<<<< HEAD\n");
    let first = drive(&kit, &["--source", "checks"]);
    let id = first.json["loop_id"].as_str().unwrap().to_owned();
    let both: Vec<_> = (0..2)
        .map(|_| {
            let words = [
                "run-loop",
                "--loop",
                "resolution",
                "--repo-root",
                "r",
                "--loop-id",
                &id,
                "--user-choice",
                "defer",
                "--user-words",
                "later",
            ];
            kit.command(&words).stdout(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let outcomes: Vec<Value> = both.into_iter().map(|c| serde_json::from_slice(&c.wait_with_output().unwrap().stdout).unwrap()).collect();
    assert!(outcomes.iter().all(|o| o["decision"] == "converged" && o["rounds"] == 2), "{outcomes:?}");
}

#[test]
fn a_source_that_finds_no_end_is_asked_about_and_every_answer_is_taken() {
    let kit = kit();
    kit.write("r/a.rs", "two\n");
    kit.write("slow.sh", "echo '[high] a.rs:1 — the index is not bounded'; exec sleep 1000\n");
    let argv = json!(["sh", kit.text("slow.sh")]).to_string();
    let first = drive(&kit, &["--source", "command", "--source-argv", &argv, "--limit-s", "1"]);
    assert_eq!((first.status, &first.json["ask"]["code"]), (3, &json!("source_timed_out")), "{}", first.stdout);
    assert_eq!((&first.json["decision"], &first.json["owed"]), (&json!("continue"), &json!(["source_answer"])), "{}", first.stdout);
    assert_eq!(first.json["partial_findings"][0]["title"], "the index is not bounded", "{}", first.stdout);
    go_on(&kit, &first, &["--user-choice", "longer"]).fails("INVALID_ARGUMENT");
    go_on(&kit, &first, &["--user-choice", "other_source"]).fails("INVALID_ARGUMENT");
    let unused = go_on(&kit, &first, &["--user-choice", "incomplete_repair"]);
    assert!(unused.json["warnings"][0].as_str().unwrap().contains("answers no question"), "{}", unused.stdout);
    kit.write("slow.sh", "printf 'No findings.\\nVERDICT: approve\\n'\n");
    assert_eq!(go_on(&kit, &first, &["--user-choice", "retry"]).json["decision"], "converged");
    kit.write("slow.sh", "exec sleep 1000\n");
    kit.write("r/a.rs", "three\n");
    let again = go_on(&kit, &first, &[]);
    assert_eq!(again.json["ask"]["code"], "source_timed_out", "{}", again.stdout);
    let other = go_on(&kit, &again, &["--user-choice", "other_source", "--source", "checks"]);
    assert_eq!((other.status, &other.json["decision"]), (0, &json!("converged")), "{}", other.stdout);
    kit.write("r/a.rs", "<<<<<<< HEAD\n");
    assert_eq!(go_on(&kit, &other, &["--user-choice", "exit"]).json["decision"], "exit");
}
