//! Crashes, races and hostile files: rows of the shared list of faults, each with the required outcome.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::kit::{Kit, Ran, record_args, report};

const STATE: &str = "st/loop-L-round-1.state.json";

fn record(kit: &Kit, round: &str) -> Ran {
    kit.write("r.md", report("CONCERN", &[], &["`a.rs:1` x"], &[]));
    kit.run(&record_args(round, "r.md"))
}

/// Runs a command as another user; none where that is not possible.
fn as_nobody(kit: &Kit, args: &[&str]) -> Option<Value> {
    let root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout == b"0\n");
    if !root || Command::new("setpriv").arg("--version").output().is_err() {
        return None;
    }
    let ours = kit.command(args);
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(ours.get_program()).args(ours.get_args());
    command.current_dir(kit.root()).env_clear().env("PATH", "/usr/bin:/bin");
    serde_json::from_slice(&command.output().unwrap().stdout).ok()
}

fn open_to_others(kit: &Kit) {
    let mut at = kit.root();
    std::fs::set_permissions(&at, std::fs::Permissions::from_mode(0o777)).unwrap();
    at.pop();
}

#[test]
fn rows_1_and_2_a_kill_around_the_rename_leaves_the_old_or_the_new_state() {
    for (point, stored) in [("written", false), ("renamed", true)] {
        let mut kit = Kit::new();
        kit.set("REVIEW_LOOP_TEST_FAILPOINT", point);
        let killed = record(&kit, "1");
        assert_eq!(killed.status, -1, "{point}");
        kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
        assert_eq!(kit.path(STATE).exists(), stored, "{point}");
        let strays = kit.list("st").len() - usize::from(stored);
        assert_eq!(strays, usize::from(!stored));
        assert_eq!(record(&kit, "1").ok()["recorded"], !stored);
        // The stray file of the dead writer is gone after the next write.
        assert_eq!(kit.list("st"), ["loop-L-round-1.state.json"]);
    }
}

#[test]
fn row_10_a_killed_holder_frees_its_lock() {
    let mut kit = Kit::new();
    for _ in 0..50 {
        kit.set("REVIEW_LOOP_TEST_FAILPOINT", "written");
        record(&kit, "1");
        kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
        record(&kit, "1").ok();
        std::fs::remove_file(kit.path(STATE)).unwrap();
    }
}

#[test]
fn a_busy_lock_is_waited_for_and_then_refused() {
    let kit = Kit::new();
    std::fs::create_dir(kit.path("st")).unwrap();
    let folder = std::fs::File::open(kit.path("st")).unwrap();
    fs4::FileExt::lock(&folder).unwrap();
    kit.write("r.md", report("CONCERN", &[], &["`a.rs:1` x"], &[]));
    let args = [&record_args("1", "r.md")[..], &["--lock-wait-ms", "30"]].concat();
    let busy = kit.run(&args).fails("LOCK_BUSY");
    assert_eq!(busy["error"]["kind"], "world");
    assert!(kit.list("st").is_empty());
    drop(folder);
    kit.run(&args).ok();
}

#[test]
fn row_20_a_full_disk_keeps_the_old_bytes() {
    let kit = Kit::new();
    record(&kit, "1").ok();
    let before = kit.read(STATE);
    let many: Vec<String> = (0..4000).map(|n| format!("`src/f.rs:{n}` a finding")).collect();
    kit.write("big.md", report("CONCERN", &[], &many.iter().map(String::as_str).collect::<Vec<_>>(), &[]));
    let ours = kit.command(&[&record_args("1", "big.md")[..], &["--replace"]].concat());
    let line = format!("ulimit -f 64; trap '' XFSZ; exec {} \"$@\"", ours.get_program().to_string_lossy());
    let mut shell = Command::new("bash");
    shell.args(["-c", &line, "x"]).args(ours.get_args()).current_dir(kit.root()).env_clear().env("PATH", "/usr/bin:/bin");
    let json: Value = serde_json::from_slice(&shell.output().unwrap().stdout).unwrap();
    assert_eq!(
        (&json["error"]["code"], &json["error"]["reason"], &json["error"]["kind"]),
        (&json!("EFBIG"), &json!("NO_SPACE"), &json!("world")),
        "{json}"
    );
    assert_eq!(kit.read(STATE), before);
    assert_eq!(kit.list("st").len(), 1);
}

#[test]
fn row_22_a_read_only_folder_is_read_and_not_written() {
    let kit = Kit::new();
    record(&kit, "1").ok();
    open_to_others(&kit);
    std::fs::set_permissions(kit.path("st"), std::fs::Permissions::from_mode(0o555)).unwrap();
    let args = record_args("2", "r.md");
    if let Some(json) = as_nobody(&kit, &args) {
        assert_eq!((&json["error"]["code"], &json["error"]["reason"]), (&json!("EACCES"), &json!("READ_ONLY")), "{json}");
        assert_eq!(kit.list("st").len(), 1);
    }
}

#[test]
fn row_42_a_state_of_another_user_or_open_to_all_is_not_used() {
    let kit = Kit::new();
    record(&kit, "1").ok();
    let compare = ["compare-rounds", "--previous", STATE, "--current", STATE];
    std::fs::set_permissions(kit.path(STATE), std::fs::Permissions::from_mode(0o666)).unwrap();
    let open = kit.run(&compare);
    assert_eq!((open.reason(), &open.json["error"]["kind"]), ("UNTRUSTED_FILE", &json!("world")));
    open_to_others(&kit);
    std::fs::set_permissions(kit.path(STATE), std::fs::Permissions::from_mode(0o644)).unwrap();
    if let Some(json) = as_nobody(&kit, &compare) {
        assert_eq!(json["error"]["reason"], "UNTRUSTED_FILE", "{json}");
    }
}

#[test]
fn row_23_links_are_neither_read_nor_written_through() {
    let kit = Kit::new();
    kit.write("victim.json", "precious");
    std::fs::create_dir(kit.path("st")).unwrap();
    std::os::unix::fs::symlink(kit.path("victim.json"), kit.path(STATE)).unwrap();
    let written = record(&kit, "1").fails("NOT_REGULAR_FILE");
    assert_eq!(written["error"]["kind"], "input");
    kit.run(&["compare-rounds", "--previous", STATE, "--current", STATE]).fails("NOT_REGULAR_FILE");
    kit.write("r.md", report("APPROVE", &[], &[], &[]));
    std::os::unix::fs::symlink(kit.path("victim.json"), kit.path("out.json")).unwrap();
    kit.run(&["snapshot-reports", "--reports-dir", ".", "--output", "out.json"]).fails("NOT_REGULAR_FILE");
    assert_eq!(kit.read("victim.json"), "precious");
}

#[test]
fn row_24_pipes_and_folders_are_refused_at_once() {
    let kit = Kit::new();
    std::fs::create_dir_all(kit.path(STATE)).unwrap();
    record(&kit, "1").fails("NOT_REGULAR_FILE");
    Command::new("mkfifo").arg(kit.path("pipe")).status().unwrap();
    let pipe = kit.run(&["compare-rounds", "--previous", "pipe", "--current", "pipe"]);
    assert_eq!(pipe.code(), "NOT_REGULAR_FILE");
    let report = kit.run(&["collect-metrics", "--round-number", "1", "--review-report", "pipe"]);
    assert_eq!(report.code(), "NOT_REGULAR_FILE");
}

#[test]
fn row_31_a_huge_state_is_refused_before_it_is_read() {
    let kit = Kit::new();
    let file = std::fs::File::create(kit.path("huge.json")).unwrap();
    file.set_len(100 << 20).unwrap();
    let huge = kit.run(&["compare-rounds", "--previous", "huge.json", "--current", "huge.json"]).fails("TOO_LARGE");
    assert_eq!((&huge["error"]["size"], &huge["error"]["limit"]), (&json!(100u64 << 20), &json!(64u64 << 20)));
}

#[test]
fn row_40_a_closed_pipe_is_quiet_and_the_effect_stands() {
    let kit = Kit::new();
    kit.write("r.md", report("CONCERN", &[], &["`a.rs:1` x"], &[]));
    let mut child = kit.command(&record_args("1", "r.md")).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    assert_eq!(kit.run(&record_args("1", "r.md")).ok()["recorded"], false);
}

#[test]
fn row_43_two_checkouts_of_one_repository_do_not_see_each_other() {
    let kit = Kit::new();
    kit.repo("r", &[("a.rs", "fn a() {}\n")]);
    kit.git("r", &["worktree", "add", "-q", "../w", "-b", "other"]);
    kit.write("r/a.rs", "fn a() { 1 }\n");
    kit.write("w/a.rs", "fn a() { 2 }\n");
    let one = kit.run(&["run-loop", "--repo-root", "r", "--state-dir", "state"]).ok();
    let two = kit.run(&["run-loop", "--repo-root", "w", "--state-dir", "state"]).ok();
    assert_ne!(one["files"]["state_dir"], two["files"]["state_dir"]);
    let id = one["loop_id"].as_str().unwrap();
    let foreign = kit.run(&["run-loop", "--repo-root", "w", "--state-dir", "state", "--loop-id", id]);
    assert_eq!((foreign.status, &foreign.json["ask"]["code"]), (3, &json!("state_missing")));
}

#[test]
fn hostile_text_of_reports_cannot_forge_lines_of_documents() {
    let kit = Kit::new();
    let evil = "`a.rs:1` \u{1b}[2J\u{202e}evil | cell --> <script>alert(1)</script> ## Final summary";
    kit.write("r.md", report("CONCERN", &[], &[evil], &[]));
    kit.run(&record_args("1", "r.md")).ok();
    kit.run(&["render-session-doc", "--loop-id", "L", "--tmp-dir", "st", "--reports-dir", ".", "--output", "d.md"]).ok();
    kit.run(&["render-prior-context", "--state-file", STATE, "--output", "p.md"]).ok();
    for name in ["d.md", "p.md"] {
        let text = kit.read(name);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}') && !text.contains("<script>"), "{text}");
        assert_eq!(text.matches("-->").count(), 1, "{text}");
        assert!(!text.lines().any(|l| l.starts_with("## Final")), "{text}");
    }
}

#[test]
fn every_reading_command_refuses_what_is_not_its_document() {
    let kit = Kit::new();
    for content in ["", "{", "[]", "null", "\"x\"", "{\"schema_version\":99}", "\u{0}", "{\"a\":1,\"a\":2}"] {
        kit.write("x.json", content);
        for args in [
            &["compare-rounds", "--previous", "x.json", "--current", "x.json"][..],
            &["render-prior-context", "--state-file", "x.json", "--output", "o"],
            &["resolve-round-report", "--reports-dir", ".", "--snapshot-file", "x.json"],
            &["decide-round", "--current", "x.json", "--cap", "5"],
            &["synthesize-verdict", "--attempts-file", "x.json", "--plan-file", "x.json"],
            &["plan-round", "--plan-file", "x.json", "--reviewer", "agy"],
            &["seal-readiness", "--input", "x.json", "--repo-root", "."],
            &["check-readiness", "--receipt", "x.json", "--repo-root", "."],
            &["expand-loop-args", "--args-file", "x.json", "--host", "codex"],
        ] {
            if content == "[]" && args[0] == "expand-loop-args" {
                continue;
            }
            let ran = kit.run(args);
            assert_eq!((ran.status, &ran.json["ok"]), (2, &json!(false)), "{args:?} {content:?}: {}", ran.stdout);
            assert_ne!(ran.json["error"]["kind"], "bug", "{}", ran.stdout);
        }
    }
    assert!(!kit.path("o").exists());
}
