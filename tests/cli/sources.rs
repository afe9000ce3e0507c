//! read-answer on the saved streams of the real clients; list-sources and run-source with clients that print them.

use serde_json::{Value, json};

use crate::kit::{Kit, folders, shared};

#[test]
fn every_saved_stream_has_its_outcome() {
    let kit = Kit::new();
    let mut wrong = Vec::new();
    let cases = folders(&shared("streams"));
    assert!(cases.len() >= 70);
    for case in cases {
        let want: Value = serde_json::from_str(&std::fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
        let file = |name: &str| case.join(name).to_string_lossy().into_owned();
        let code = want["exit_code"].to_string();
        let (events, warnings) = (file("stream"), file("warnings.txt"));
        let client = want["client"].as_str().unwrap();
        let ran = kit.run(&["read-answer", "--client", client, "--events", &events, "--warnings", &warnings, "--exit-code", &code]);
        let first = |key: &str| ran.json[key].as_str().and_then(|t| t.lines().next()).map(str::to_owned);
        let texts = ["text", "partial_text"].iter().all(|key| want[*key].is_null() || first(key).as_deref() == want[*key].as_str());
        if ran.json["outcome"] != want["outcome"] || i64::from(ran.status) != want["status"].as_i64().unwrap() || !texts {
            wrong.push(format!("{}: {}\n   wanted {want}", case.display(), ran.stdout));
        }
        // An answer is either one or none; what is shown to people is no answer.
        let answered = matches!(ran.json["outcome"].as_str(), Some("answered" | "unconfirmed"));
        assert_eq!(ran.json["text"].is_string(), answered, "{}", ran.stdout);
        assert!(!(answered && ran.json["partial_text"].is_string()), "{}", ran.stdout);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_client_says_of_its_failure_is_kept_and_its_noise_is_not() {
    let kit = Kit::new();
    let read = |case: &str, code: &str| {
        let file = |name: &str| shared("streams").join(case).join(name).to_string_lossy().into_owned();
        let (events, warnings) = (file("stream"), file("warnings.txt"));
        let client = case.split('-').next().unwrap();
        kit.run(&["read-answer", "--client", client, "--events", &events, "--warnings", &warnings, "--exit-code", code]).json
    };
    let failed = read("codex-closed", "1");
    assert_eq!((&failed["reconnects"], failed["errors"].as_array().unwrap().len()), (&json!(1), 1), "{failed}");
    assert_eq!(read("codex-emptyprompt", "1")["errors"], json!(["No prompt provided via stdin."]));
    let fine = read("codex-ok", "0");
    assert_eq!((&fine["warnings"], &fine["errors"], &fine["usage"]["input_tokens"]), (&json!([]), &json!([]), &json!(100)));
    let login = read("claude-nokey-json", "1");
    assert_eq!(login["errors"], json!(["Not logged in · Please run /login"]));
}

#[test]
fn a_stream_is_read_with_foreign_lines_unknown_events_and_without_an_end_of_line() {
    let kit = Kit::new();
    kit.write(
        "s",
        "boot\n{\"type\":\"turn.started\"}\n{\"type\":\"brand.new\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"VERDICT: approve\"}}\n{\"type\":\"turn.completed\"}",
    );
    let answer = kit.run(&["read-answer", "--client", "codex", "--events", "s"]).ok();
    assert_eq!((&answer["foreign_lines"], &answer["unknown_events"], &answer["text"]), (&json!(1), &json!(1), &json!("VERDICT: approve")));
    kit.run(&["read-answer", "--client", "gemini", "--events", "s"]).fails("INVALID_ARGUMENT");
    kit.run(&["read-answer", "--client", "codex", "--events", "s", "--exit-code", "-1"]).fails("INVALID_ARGUMENT");
    kit.run(&["read-answer", "--client", "codex", "--events", "none"]).fails("NOT_FOUND");
}

/// A program on a `PATH` of its own.
pub fn program(kit: &mut Kit, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = kit.write(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let system = std::env::var("PATH").unwrap_or_default();
    let bin = kit.text("bin");
    kit.set("PATH", &format!("{bin}:{system}"));
}

/// A PATH without clients: whatever the machine has installed is none of ours.
fn bare() -> Kit {
    let mut kit = Kit::new();
    program(&mut kit, "codex", "exit 127");
    program(&mut kit, "claude", "exit 127");
    kit.set("XDG_STATE_HOME", &kit.text("state"));
    kit.repo("r", &[("src/lib.rs", "one\n")]);
    kit.write("r/src/lib.rs", "one\ntwo\n");
    kit.write("prompt", "review this\n");
    kit
}

/// A client that answers a version call, and a review with one saved stream.
fn client(kit: &mut Kit, name: &str, stream: &str, code: u8) {
    let file = shared("streams").join(stream).join("stream").to_string_lossy().into_owned();
    program(
        kit,
        name,
        &format!("[ \"$1\" = --version ] && echo '{name} 1.2.3' && exit 0\ncat > asked\ncat '{file}'\nrm asked\nexit {code}"),
    );
}

#[test]
fn sources_are_chosen_by_name_or_because_there_is_only_one() {
    let mut kit = bare();
    let listed = kit.run(&["list-sources"]).ok();
    let names: Vec<(&str, bool)> =
        listed["sources"].as_array().unwrap().iter().map(|s| (s["name"].as_str().unwrap(), s["invokable"].as_bool().unwrap())).collect();
    assert_eq!(names, [("checks", true), ("claude", false), ("codex", false)]);
    assert_eq!(listed["sources"][1]["reason"], "`claude --version` ended with 127");
    assert!(kit.run(&["list-sources", "--choose", "--host-review"]).json["error"].is_null());
    let only = kit.run(&["list-sources", "--choose"]).ok();
    assert_eq!((&only["chosen"], &only["chosen_because"]), (&json!("checks"), &json!("only_one")));
    let missing = kit.run(&["list-sources", "--choose", "codex"]);
    assert_eq!((missing.status, &missing.json["ask"]["code"], &missing.json["chosen"]), (3, &json!("source_unavailable"), &Value::Null));
    client(&mut kit, "codex", "codex-ok", 0);
    let several = kit.run(&["list-sources", "--choose"]);
    let options: Vec<&str> = several.json["ask"]["options"].as_array().unwrap().iter().map(|o| o["id"].as_str().unwrap()).collect();
    assert_eq!((several.status, options), (3, vec!["checks", "codex", "stop"]));
    assert_eq!(kit.run(&["list-sources", "--choose", "codex"]).ok()["chosen"], "codex");
    kit.run(&["list-sources", "--choose", "gemini"]).fails("INVALID_ARGUMENT");
}

#[test]
fn a_client_is_asked_for_its_stream_and_its_answer_is_bound_to_the_surface() {
    let mut kit = bare();
    client(&mut kit, "codex", "codex-ok", 0);
    let ran = kit.run(&["run-source", "--repo", "r", "--source", "codex", "--prompt-file", "prompt", "--evidence-dir", "ev"]);
    let answer = &ran.json;
    assert_eq!((ran.status, &answer["outcome"], &answer["verdict"]), (0, &json!("answered"), &json!("needs_attention")), "{answer}");
    assert_eq!(answer["findings"].as_array().unwrap().len(), 2);
    let fingerprint = kit.run(&["fingerprint-scope", "--repo", "r"]).ok()["scope_fingerprint"].clone();
    assert_eq!(answer["scope_fingerprint"], fingerprint);
    let run = kit.json("ev/run.json");
    assert_eq!((&run["scope_fingerprint"], &run["prompt_hash"], &run["exit_code"]), (&fingerprint, &answer["prompt_hash"], &json!(0)));
    let argv = run["argv"].as_array().unwrap();
    assert!(argv.contains(&json!("--output-schema")) && argv.contains(&json!("read-only")), "{run}");
    assert_eq!((kit.read("ev/prompt"), kit.list("ev").contains(&"events".to_owned())), ("review this\n".to_owned(), true));
    // Another run needs a folder of its own.
    kit.run(&["run-source", "--repo", "r", "--evidence-dir", "ev"]).fails("INVALID_PATH");
    kit.run(&["run-source", "--repo", "r", "--source", "codex"]).fails("INVALID_ARGUMENT");
    kit.run(&["run-source", "--repo", "r", "--source", "codex", "--prompt-file", "prompt", "--effort", "low"]).fails("INVALID_ARGUMENT");
}

#[test]
fn whatever_a_client_dies_of_its_answer_is_unproven_and_its_evidence_is_kept() {
    for (stream, code, outcome) in
        [("codex-progressdie", 1, "failed"), ("codex-progresshang-sigterm", 124, "truncated"), ("codex-emptyanswer", 0, "no_answer")]
    {
        let mut kit = bare();
        client(&mut kit, "codex", stream, code);
        let ran = kit.run(&["run-source", "--repo", "r", "--source", "codex", "--prompt-file", "prompt", "--evidence-dir", "ev"]);
        assert_eq!((ran.status, &ran.json["outcome"], &ran.json["verdict"]), (1, &json!(outcome), &json!("unproven")), "{}", ran.stdout);
        assert_eq!(ran.json["findings"], json!([]));
        assert!(kit.list("ev").contains(&"events".to_owned()) && kit.json("ev/run.json")["outcome"] == outcome);
    }
    let mut kit = bare();
    client(&mut kit, "claude", "claude-code-review-max", 0);
    let ran = kit.run(&["run-source", "--repo", "r", "--source", "code-review", "--prompt-file", "prompt"]);
    assert_eq!((ran.status, &ran.json["outcome"], &ran.json["verdict"]), (1, &json!("unconfirmed"), &json!("none")), "{}", ran.stdout);
    assert_eq!((&ran.json["source"], ran.json["findings"].as_array().unwrap().len()), (&json!("claude"), 2));
    client(&mut kit, "claude", "claude-code-review-answer-empty", 0);
    let ran = kit.run(&["run-source", "--repo", "r", "--source", "claude", "--prompt-file", "prompt"]);
    assert_eq!((ran.status, &ran.json["verdict"]), (1, &json!("unproven")), "an unconfirmed `[]` is no approval: {}", ran.stdout);
    kit.run(&["run-source", "--repo", "r", "--source", "command", "--argv", "[\"no-such-program\"]"]).fails("CHILD_FAILED");
}

#[test]
fn an_approval_needs_a_reviewer_that_looked_and_a_surface_that_stood_still() {
    let mut kit = bare();
    let because = |kit: &Kit, more: &[&str]| {
        let ran = kit.run(&[&["run-source", "--repo", "r"], more].concat());
        (ran.status, ran.json["verdict"].clone(), ran.json["unproven_because"].clone())
    };
    let codex = ["--source", "codex", "--prompt-file", "prompt"];
    let answer = "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"VERDICT: approve\"}}";
    let stream = |look: &str| format!("{{\"type\":\"turn.started\"}}\n{look}{answer}\n{{\"type\":\"turn.completed\"}}\n");
    let says = |kit: &mut Kit, text: &str, before: &str| {
        kit.write("stream", text);
        let file = kit.text("stream");
        program(kit, "codex", &format!("cat > /dev/null\n{before}\ncat '{file}'"));
    };
    says(&mut kit, &stream(""), "");
    assert_eq!(because(&kit, &codex), (1, json!("unproven"), json!("nothing_opened")));
    let look = "{\"type\":\"item.completed\",\"item\":{\"type\":\"command_execution\",\"command\":\"cat src/lib.rs\",\"aggregated_output\":\"one\\ntwo\",\"exit_code\":0}}\n";
    says(&mut kit, &stream(look), "");
    assert_eq!(because(&kit, &codex), (0, json!("approve"), Value::Null));
    says(&mut kit, &stream(look), "echo three >> src/lib.rs");
    assert_eq!(because(&kit, &codex), (1, json!("unproven"), json!("surface_changed")));
    // An answer that the agent brings shows nothing of what was read: that is said, and refused only when asked for.
    kit.write("answer", "VERDICT: approve\n");
    let brought = ["--source", "claude", "--answer", "answer"];
    assert_eq!(because(&kit, &brought), (0, json!("approve"), Value::Null));
    assert_eq!(because(&kit, &[&brought[..], &["--require-coverage"]].concat()), (1, json!("unproven"), json!("coverage_unknown")));
    let ran = kit.run(&[&["run-source", "--repo", "r"], &brought[..]].concat());
    assert_eq!((&ran.json["obtained_by"], &ran.json["coverage"]["unknown"]), (&json!("agent"), &json!(true)));
    // Bytes that are no text approve nothing, whoever brings them.
    std::fs::write(kit.path("answer"), b"fine \xff\xfe\nVERDICT: approve\n").unwrap();
    let torn = kit.run(&[&["run-source", "--repo", "r"], &brought[..]].concat());
    assert_eq!((torn.status, &torn.json["verdict"]), (1, &json!("unproven")), "{}", torn.stdout);
    kit.write("answer", "VERDICT: approve\n");
    // An empty scope has nothing that could be approved.
    kit.git("r", &["checkout", "-q", "--", "."]);
    let head = kit.git("r", &["rev-parse", "HEAD"]);
    assert_eq!(because(&kit, &[&["--base", &head], &brought[..]].concat()), (1, json!("unproven"), json!("empty_scope")));
}

#[test]
fn a_source_that_takes_too_long_is_ended_with_its_group_and_a_person_is_asked() {
    let mut kit = bare();
    program(&mut kit, "slow", "echo '- [high] `src/lib.rs:1` — found so far'\n(sleep 60; touch left) &\nsleep 60");
    let argv = json!([kit.text("bin/slow")]).to_string();
    let ran = kit.run(&["run-source", "--repo", "r", "--source", "command", "--argv", &argv, "--limit-s", "1", "--evidence-dir", "ev"]);
    assert_eq!((ran.status, &ran.json["ask"]["code"], &ran.json["verdict"]), (3, &json!("source_timed_out"), &json!("unproven")));
    assert_eq!((&ran.json["outcome"], &ran.json["findings"]), (&json!("truncated"), &json!([])));
    assert_eq!(ran.json["partial_findings"][0]["line"], 1, "{}", ran.stdout);
    assert_eq!(kit.json("ev/run.json")["timed_out"], true);
}

#[test]
fn a_source_that_kills_its_guard_leaves_no_child_behind() {
    let mut kit = bare();
    program(
        &mut kit,
        "killer",
        "setsid sh -c 'echo $$ > ../left.pid; exec sleep 600' &\nuntil test -s ../left.pid; do :; done\nkill -9 $PPID",
    );
    let argv = json!([kit.text("bin/killer")]).to_string();
    let ran = kit.run(&["run-source", "--repo", "r", "--source", "command", "--argv", &argv]);
    assert_eq!((ran.status, &ran.json["verdict"]), (1, &json!("unproven")), "{}", ran.stdout);
    let left = kit.read("left.pid");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", left.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
}

#[test]
fn checks_and_commands_review_and_the_agent_grades_by_place() {
    let kit = bare();
    kit.write("r/src/lib.rs", "one\ntwo \n<<<<<<< ours\n");
    let ran = kit.run(&["run-source", "--repo", "r"]);
    assert_eq!((&ran.json["source"], &ran.json["outcome"]), (&json!("checks"), &json!("answered")), "{}", ran.stdout);
    assert!(!ran.json["findings"].as_array().unwrap().is_empty());
    assert_eq!(ran.json["coverage"], json!({"opened": ["src/lib.rs"], "unopened": [], "unknown": false}));
    kit.write("report.md", "- [low] `src/lib.rs:1` — a\n- [low] `src/lib.rs:2` — b\n");
    kit.write("grades", r#"{"1":"high"}"#);
    let argv = json!(["sh", "-c", "cat ../report.md > \"$1\"", "x", "{report}"]).to_string();
    let command = ["run-source", "--repo", "r", "--source", "command", "--argv", &argv];
    let graded = kit.run(&[&command[..], &["--severities", "grades"]].concat()).json;
    assert_eq!((&graded["findings"][0]["severity"], &graded["findings"][1]["severity"]), (&json!("low"), &json!("high")), "{graded}");
    // A report that stood in the folder before is nobody's.
    kit.write("old/report", "Verdict: approve\n");
    let silent = json!(["true"]).to_string();
    let ran = kit.run(&["run-source", "--repo", "r", "--source", "command", "--argv", &silent, "--evidence-dir", "old"]);
    assert_eq!((ran.status, &ran.json["outcome"], &ran.json["verdict"]), (1, &json!("no_answer"), &json!("unproven")), "{}", ran.stdout);
    kit.write("grades", r#"{"2":"high"}"#);
    kit.run(&[&command[..], &["--severities", "grades"]].concat()).fails("BAD_SHAPE");
    kit.write("grades", r#"{"01":"high"}"#);
    kit.run(&[&command[..], &["--severities", "grades"]].concat()).fails("BAD_SHAPE");
}
