//! The design loop driven end to end: played lanes, a played author, and what a lane may do wrong.

use serde_json::{Value, json};

use crate::kit::{ANCHORS, Kit, Ran};

/// A lane that plays `play/<lane>-<n>`, n counting its calls, else `play/<lane>`.
const LANE: &str = r#"dir=$1; lane=$2
cat > "$dir/prompt-$lane"
n=$(cat "$dir/n-$lane" 2>/dev/null || echo 0); n=$((n + 1)); echo $n > "$dir/n-$lane"
if [ -f "$dir/$lane-$n.sh" ]; then . "$dir/$lane-$n.sh"; fi
if [ -f "$dir/$lane-$n" ]; then cat "$dir/$lane-$n"; else cat "$dir/$lane"; fi
"#;

/// An author that holds to the anchors, refutes the scout and revises the artifact.
const AUTHOR: &str = r#"dir=$1; play=$2; asked=$(cat)
echo "$asked" >> "$play/asked"
case "$asked" in
*'"step":"drift_check"'*) cat "$play/drift" > "$dir/drift.json" ;;
*'"step":"reconcile"'*) cat "$play/reconciliation" > "$dir/reconciliation.json" ;;
*) echo "note $(cat "$play/n-surgical")" >> "$play/../r/design.md"; echo 'bounded' > "$dir/diff.md"; cat "$play/answers" > "$dir/answers.json" ;;
esac
"#;

struct Driven {
    kit: Kit,
}

fn yes() -> Value {
    json!({"answer": "yes", "text": "trace:42 shows it"})
}

fn said(verdict: &str, blockers: Value) -> String {
    let result = json!({"verdict": verdict, "rationale": "checked the bound at src/a.rs:12", "blockers": blockers,
        "root_proven": yes(), "scope_unchanged": yes(), "verification_adequate": yes()});
    format!("I looked.\n\n```json\n{result}\n```\n\nGATE: {verdict}\n")
}

fn seen(findings: Value) -> String {
    let result = json!({"findings": findings, "root_proven": yes(), "scope_unchanged": yes(), "verification_adequate": yes()});
    format!("```json\n{result}\n```\n")
}

fn blocker(id: &str, location: &str, status: &str) -> Value {
    json!({"id": id, "class": "race", "location": location, "evidence": "trace:42", "status": status})
}

impl Driven {
    fn new() -> Driven {
        let mut kit = Kit::new();
        kit.unset("REVIEW_LOOP_TEST_NOW");
        kit.repo("r", &[("src/a.rs", "one\n"), (".gitignore", ".scratch/\n")]);
        kit.pin_now();
        kit.write("play/lane.sh", LANE);
        kit.write("play/author.sh", AUTHOR);
        kit.write("play/surgical", said("PASS", json!([])));
        kit.write("play/deep", said("PASS", json!([])));
        kit.write("play/scout", seen(json!([])));
        let held = json!({"answer": "unchanged", "text": "quoted in part one"});
        kit.write("play/drift", json!({"goal": held, "scope": held, "runtime_root": held, "new_premises": []}).to_string());
        kit.write("play/answers", json!([{"of": "B-1", "by": "diff", "text": "the sketch bounds it now"}]).to_string());
        kit.write("play/reconciliation", "[]");
        Driven { kit }
    }

    fn run(&self, more: &[&str]) -> Ran {
        let lane = json!(["sh", self.kit.text("play/lane.sh"), self.kit.text("play"), "{lane}"]).to_string();
        let words = ["run-loop", "--loop", "design", "--repo-root", "r", "--loop-id", "L", "--source", "command", "--source-argv", &lane];
        self.kit.run(&[&words[..], &ANCHORS, more].concat())
    }

    fn authored(&self, more: &[&str]) -> Ran {
        let author = json!(["sh", self.kit.text("play/author.sh"), "{dir}", self.kit.text("play")]).to_string();
        self.run(&[&["--respond", "command", "--respond-argv", &author][..], more].concat())
    }

    fn state(&self) -> Value {
        let state = self.kit.json("r/.scratch/reviews/L/state.json");
        self.kit.run(&["check-design-ledger", "--strict", "--ledger", "r/.scratch/reviews/L/state.json"]).ok();
        state
    }
}

#[test]
fn a_design_is_reviewed_revised_and_converges_without_a_person_in_between() {
    let d = Driven::new();
    d.kit.write("play/surgical-1", said("REVISE", json!([blocker("B-1", "src/a.rs:1", "open")])));
    d.kit.write("play/surgical-2", said("PASS", json!([blocker("B-1", "src/a.rs:1", "resolved")])));
    d.kit.write("play/scout-2", seen(json!([{"id": "S-1", "text": "`two` is named nowhere"}])));
    d.kit.write("play/reconciliation", json!([{"finding": "S-1", "disposition": "refuted", "basis": "src/a.rs:1 names it"}]).to_string());
    let done = d.authored(&[]);
    assert_eq!((done.status, &done.json["status"], &done.json["rounds"]), (0, &"converged".into(), &2.into()), "{}", done.stdout);
    assert_eq!((&done.json["verdict"], &done.json["ask"]["code"]), (&"PASS".into(), &"converged".into()));
    let prompt = d.kit.read("play/prompt-surgical");
    assert!(
        prompt.contains("The index never leaves the slice.") && prompt.contains("B-1") && prompt.contains("/artifacts/round-2-"),
        "{prompt}"
    );
    assert!(
        prompt.contains("What you raised before") && !d.kit.read("play/prompt-deep").contains("What you raised before"),
        "each lane speaks of its own"
    );
    let state = d.state();
    assert_eq!(state["rounds"][0]["surgical"]["actual"]["engine"], "command");
    // Run again, it is over, and nothing is run.
    let again = d.authored(&[]);
    assert_eq!((again.status, &again.json["steps"]), (0, &json!([])), "{}", again.stdout);
    assert_eq!(d.kit.read("play/n-deep").trim(), "2");
}

#[test]
fn without_an_author_the_loop_says_which_files_it_needs_and_goes_on_with_them() {
    let d = Driven::new();
    let asks = d.run(&[]);
    assert_eq!((asks.status, &asks.json["ask"]["code"]), (3, &"drift_check".into()), "{}", asks.stdout);
    let file = format!("{}/drift.json", asks.json["handed"].as_str().unwrap());
    std::fs::write(file, d.kit.read("play/drift")).unwrap();
    let done = d.run(&[]);
    assert_eq!((done.status, &done.json["status"]), (0, &"converged".into()), "{}", done.stdout);
}

#[test]
fn a_lane_that_dies_errs_or_says_nothing_readable_is_dispatched_again_and_ends_the_loop_after_three_retries() {
    for (name, script) in [("dies", "kill -9 $$"), ("errs", "exit 3"), ("silent", "exit 0"), ("mumbles", "echo 'GATE: PASS'; exit 0")] {
        let d = Driven::new();
        d.kit.write("play/deep-1.sh", script);
        let done = d.authored(&[]);
        assert_eq!((done.status, &done.json["status"]), (0, &"converged".into()), "{name}: {}", done.stdout);
        let state = d.state();
        assert_eq!(state["rounds"][0]["lane_failures"][0]["lane"], "deep", "{name}");
    }
    let d = Driven::new();
    d.kit.write("play/scout", "GATE: PASS\n");
    let ended = d.authored(&[]);
    assert_eq!((ended.status, &ended.json["ask"]["code"]), (3, &"unverified_lane".into()), "{}", ended.stdout);
    assert_eq!(d.kit.read("play/n-scout").trim(), "4");
    d.state();
}

#[test]
fn a_lane_whose_last_line_and_result_differ_has_not_answered() {
    let d = Driven::new();
    d.kit.write("play/deep-1", said("PASS", json!([])).replace("GATE: PASS", "GATE: REVISE"));
    d.kit.write("play/deep-2", said("PASS", json!([blocker("B-1", "src/a.rs:1", "open")])));
    let done = d.authored(&[]);
    assert_eq!((done.status, &done.json["status"]), (0, &"converged".into()), "{}", done.stdout);
    assert_eq!(d.state()["rounds"][0]["lane_failures"].as_array().map(Vec::len), Some(2));
}

#[test]
fn drift_and_deadlock_are_put_to_the_person() {
    let d = Driven::new();
    let shifted = json!({"answer": "shifted", "text": "it now rewrites the parser"});
    let held = json!({"answer": "unchanged", "text": "quoted"});
    d.kit.write("play/drift", json!({"goal": held, "scope": shifted, "runtime_root": held, "new_premises": []}).to_string());
    let drifted = d.authored(&[]);
    assert_eq!((drifted.status, &drifted.json["ask"]["code"]), (3, &"drift".into()), "{}", drifted.stdout);
    assert!(!d.kit.path("play/n-deep").exists());
    let d = Driven::new();
    d.kit.write("play/surgical", said("REVISE", json!([blocker("B-1", "src/a.rs:1", "open")])));
    let stuck = d.authored(&[]);
    assert_eq!((stuck.status, &stuck.json["ask"]["code"], &stuck.json["rounds"]), (3, &"deadlock".into(), &2.into()), "{}", stuck.stdout);
    d.state();
}

#[test]
fn a_chase_is_judged_by_the_model_lane_before_the_cap_is_put_to_the_person() {
    let d = Driven::new();
    for n in 1..=3 {
        let mut blockers = vec![blocker(&format!("B-{n}"), &format!("src/{n}.rs:1"), "open")];
        if n > 1 {
            blockers.push(blocker(&format!("B-{}", n - 1), &format!("src/{}.rs:1", n - 1), "resolved"));
        }
        d.kit.write(&format!("play/surgical-{n}"), said("REVISE", json!(blockers)));
    }
    let answers: Vec<Value> = (1..=3).map(|n| json!({"of": format!("B-{n}"), "by": "diff", "text": "bounded"})).collect();
    d.kit.write("play/answers", json!(answers).to_string());
    d.kit.write(
        "play/model",
        "```json\n{\"outcome\": \"replaced\", \"rationale\": \"`state` has three owners; src/a.rs:1 becomes the only one\"}\n```\n",
    );
    let ended = d.authored(&[]);
    assert_eq!((ended.status, &ended.json["ask"]["code"]), (3, &"deadlock".into()), "{}", ended.stdout);
    assert_eq!(ended.json["ask"]["model"][0]["outcome"], "replaced");
    assert!(d.kit.read("play/prompt-model").contains("src/2.rs:1"));
    d.state();
}

#[test]
fn a_run_that_was_killed_goes_on_and_what_it_left_running_is_a_failed_attempt() {
    let mut d = Driven::new();
    d.kit.set("REVIEW_LOOP_TEST_FAILPOINT", "lane-launched");
    assert_ne!(d.authored(&[]).status, 0);
    d.kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
    let done = d.authored(&["--runs", "r/work-items/active/i/agent-runs.jsonl"]);
    assert_eq!((done.status, &done.json["status"]), (0, &"converged".into()), "{}", done.stdout);
    d.kit.run(&["check-runs", "--ledger", "r/work-items/active/i/agent-runs.jsonl", "--root", "r"]).ok();
    d.state();
}

#[test]
fn flags_of_other_loops_and_half_a_setting_are_refused() {
    let d = Driven::new();
    d.authored(&["--base", "main"]).fails("INVALID_ARGUMENT");
    d.run(&["--respond", "command"]).fails("INVALID_ARGUMENT");
    d.kit.run(&["run-loop", "--loop", "rounds", "--host-line", "codex"]).fails("INVALID_ARGUMENT");
    let words = ["run-loop", "--loop", "design", "--repo-root", "r", "--loop-id", "M"];
    d.kit.run(&words).fails("INVALID_PATH");
    assert!(!d.kit.path("r/.scratch").exists());
}

/// A client that prints the events kept for it: the scout's when the prompt is the scout's, else those of its next call.
const CLIENT: &str = r#"#!/bin/sh
play=@PLAY@; me=$(basename "$0")
[ "$1" = "--version" ] && { echo "$me 1"; exit 0; }
prompt=$(cat)
case "$prompt" in *'# The scout'*) cat "$play/$me-scout"; exit 0 ;; esac
n=$(cat "$play/calls-$me" 2>/dev/null || echo 0); n=$((n + 1)); echo $n > "$play/calls-$me"
if [ -f "$play/$me-$n" ]; then cat "$play/$me-$n"; else cat "$play/$me-any"; fi
"#;

/// The stream of a client that says a text and is through.
fn stream(client: &str, text: &str) -> String {
    let events = match client {
        "codex" => vec![
            json!({"type": "thread.started", "thread_id": "t"}),
            json!({"type": "turn.started"}),
            json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": text}}),
            json!({"type": "turn.completed", "usage": {}}),
        ],
        _ => vec![
            json!({"type": "system", "subtype": "init", "session_id": "s"}),
            json!({"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}}),
            json!({"type": "result", "subtype": "success", "is_error": false, "terminal_reason": "completed", "result": text}),
        ],
    };
    events.iter().map(|e| format!("{e}\n")).collect()
}

#[test]
fn every_opinion_of_a_lane_is_held_to_what_one_alone_would_be_and_the_other_line_takes_the_deep_angle() {
    let no = said("PASS", json!([])).replace("\"root_proven\":{\"answer\":\"yes\"", "\"root_proven\":{\"answer\":\"no\"");
    let bare = said("PASS", json!([])).replace("checked the bound at src/a.rs:12", "ok");
    let revise = said("REVISE", json!([blocker("B-1", "src/a.rs:1", "open")]));
    for (second, failures, rounds) in [(said("PASS", json!([])), 0, 1), (no, 1, 1), (bare, 1, 1), (revise, 0, 2)] {
        let mut d = Driven::new();
        d.kit.write("r/.agents/.agents-mode.yaml", "externalOpinionCounts:\n  advisory.design-adr: 2\nparallelMode: manual\n");
        for client in ["codex", "claude"] {
            let file = d.kit.write(&format!("bin/{client}"), CLIENT.replace("@PLAY@", &format!("'{}'", d.kit.text("play"))));
            std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
            d.kit.write(&format!("play/{client}-scout"), stream(client, &seen(json!([]))));
            d.kit.write(&format!("play/{client}-any"), stream(client, &said("PASS", json!([blocker("B-1", "src/a.rs:1", "resolved")]))));
        }
        for n in 1..=4 {
            d.kit.write(&format!("play/codex-{n}"), stream("codex", &said("PASS", json!([]))));
        }
        d.kit.write("play/claude-1", stream("claude", &said("PASS", json!([]))));
        d.kit.write("play/claude-2", stream("claude", &second));
        if failures == 1 {
            d.kit.write("play/claude-any", stream("claude", &said("PASS", json!([]))));
        }
        d.kit.write("play/n-surgical", "1");
        let path = format!("{}:{}", d.kit.text("bin"), std::env::var("PATH").unwrap());
        d.kit.set("PATH", &path);
        let author = json!(["sh", d.kit.text("play/author.sh"), "{dir}", d.kit.text("play")]).to_string();
        let words = ["run-loop", "--loop", "design", "--repo-root", "r", "--loop-id", "L", "--host-line", "codex"];
        let words = [&words[..], &["--respond", "command", "--respond-argv", &author], &ANCHORS].concat();
        let ran = d.kit.run(&words);
        assert_eq!((ran.status, &ran.json["rounds"]), (0, &json!(rounds)), "{}", ran.stdout);
        let state = d.state();
        assert_eq!(state["rounds"][0]["lane_failures"].as_array().map(Vec::len), Some(failures), "{}", ran.stdout);
        assert_eq!(
            (&state["rounds"][0]["surgical"]["actual"]["engine"], &state["rounds"][0]["deep"]["actual"]["engine"]),
            (&"codex".into(), &"claude".into())
        );
        assert_eq!(state["rounds"][0]["deep"]["requested"]["effort"], "xhigh");
    }
}
