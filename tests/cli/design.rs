//! The design loop, command by command: what converges, what never does, what may end it, and what survives.

use serde_json::{Value, json};

use crate::kit::{ANCHORS, DESIGN, Kit, Ran};

struct Design {
    kit: Kit,
}

/// A result of a verdict lane.
fn verdict(word: &str, blockers: Value) -> Value {
    let yes = json!({"answer": "yes", "text": "trace:42 shows it"});
    json!({"verdict": word, "blockers": blockers, "rationale": "checked the bound at src/a.rs:12", "root_proven": yes,
        "scope_unchanged": yes, "verification_adequate": yes})
}

fn scout(findings: Value) -> Value {
    let yes = json!({"answer": "yes", "text": "trace:42 shows it"});
    json!({"findings": findings, "root_proven": yes, "scope_unchanged": yes, "verification_adequate": yes})
}

fn blocker(id: &str, class: &str, location: &str, status: &str) -> Value {
    json!({"id": id, "class": class, "location": location, "evidence": "trace:42", "status": status})
}

impl Design {
    fn new() -> Design {
        let kit = Kit::new();
        kit.repo("r", &[("src/a.rs", "one\n"), (".gitignore", ".scratch/\n")]);
        kit.pin("2026-11-30T11:59:00Z");
        Design { kit }
    }

    fn open() -> Design {
        let d = Design::new();
        d.opens(&[]).ok();
        d
    }

    fn run(&self, words: &[&str]) -> Ran {
        self.kit.run(&[words, &["--repo", "r", "--loop-id", "L"]].concat())
    }

    fn opens(&self, more: &[&str]) -> Ran {
        self.run(&[&["open-design-loop"][..], &ANCHORS, more].concat())
    }

    fn state(&self) -> Value {
        self.kit.json("r/.scratch/reviews/L/state.json")
    }

    fn last(&self) -> Value {
        self.state()["rounds"].as_array().unwrap().last().unwrap().clone()
    }

    fn attempt(&self, lane: &str) -> String {
        self.last()[lane]["attempt_id"].as_str().unwrap_or_default().to_owned()
    }

    fn drift(&self, answer: &str) -> Ran {
        let held = json!({"answer": "unchanged", "text": "quoted in part one"});
        let goal = json!({"answer": answer, "text": "the objective"});
        self.kit.write("drift", json!({"goal": goal, "scope": held, "runtime_root": held, "new_premises": []}).to_string());
        self.run(&["check-drift", "--input", "drift"])
    }

    fn start(&self, lane: &str) -> Ran {
        self.kit.write("prompt", format!("The index never leaves the slice.\nYou are the angle {lane}.\n"));
        self.run(&["start-lane", "--lane", lane, "--attempt-id", &self.attempt(lane), "--prompt-file", "prompt", "--engine", "claude"])
    }

    fn record(&self, lane: &str, result: &Value, more: &[&str]) -> Ran {
        self.kit.write("result", result.to_string());
        let word = result["verdict"].as_str().map_or_else(String::new, |v| format!("GATE: {v}\n"));
        self.kit.write("out", format!("I looked at it.\n{word}"));
        let (attempt, revision) = (self.attempt(lane), self.last()["artifact"]["revision"].as_str().unwrap().to_owned());
        let words = ["record-lane", "--lane", lane, "--attempt-id", &attempt, "--artifact-revision", &revision];
        self.run(&[&words[..], &["--result-file", "result", "--output-file", "out"], more].concat())
    }

    /// A whole round: drift check, three lanes, aggregation.
    #[track_caller]
    fn round(&self, surgical: Value, deep: Value, found: Value) -> Ran {
        self.drift("unchanged").ok();
        for (lane, result) in [("surgical", surgical), ("deep", deep), ("scout", found)] {
            if self.last()[lane]["state"] == "retained" {
                continue;
            }
            self.start(lane).ok();
            self.record(lane, &result, &[]).ok();
        }
        self.complete()
    }

    fn complete(&self) -> Ran {
        self.run(&["complete-design-round"])
    }

    fn revise(&self, note: &str, answers: Value, more: &[&str]) -> Ran {
        self.kit.write("r/design.md", format!("{DESIGN}{note}\n"));
        self.kit.write("answers", answers.to_string());
        self.run(
            &[&["open-design-round", "--artifact-file", "r/design.md", "--diff-file", "diff", "--answers", "answers"][..], more].concat(),
        )
    }

    fn close(&self, outcome: &str) -> Ran {
        self.run(&["close-design-loop", "--outcome", outcome, "--reason", "as it is"])
    }

    #[track_caller]
    fn valid(&self) {
        self.kit.run(&["check-design-ledger", "--strict", "--ledger", "r/.scratch/reviews/L/state.json"]).ok();
    }
}

fn answer(id: &str) -> Value {
    json!({"of": id, "by": "diff", "text": "the sketch bounds it now"})
}

fn pass() -> Value {
    verdict("PASS", json!([]))
}

#[test]
fn the_status_says_what_comes_next_of_a_design_loop_too() {
    let d = Design::open();
    let next = || d.kit.run(&["show-status", "--repo", "r", "--loop-id", "L"]).ok()["next"]["command"].clone();
    assert_eq!(next(), "check-drift");
    d.drift("unchanged").ok();
    assert_eq!(next(), "start-lane");
    let all = d.kit.run(&["show-status", "--repo", "r"]).ok();
    assert_eq!((&all["loops"][0]["loop"], &all["loops"][0]["status"]), (&"design".into(), &"running".into()));
    d.close("aborted").ok();
    assert_eq!(next(), Value::Null);
    d.kit.write("r/.scratch/reviews/L/state.json", "{");
    assert_eq!(d.kit.run(&["show-status", "--repo", "r"]).ok()["loops"][0]["damaged"], "CORRUPT");
}

#[test]
fn two_passes_and_a_reconciled_scout_converge() {
    let d = Design::open();
    let open = d.round(pass(), pass(), scout(json!([{"id": "S-1", "text": "`two` is used twice"}])));
    assert_eq!((open.status, &open.json["verdict"], &open.json["completed"]), (1, &"REVISE".into(), &true.into()), "{}", open.stdout);
    assert_eq!(open.json["owed"][0], json!({"what": "reconciliation", "lane": "scout", "id": "S-1"}));
    d.close("converged").fails("OUTCOME_REFUSED");
    d.kit.write("rec", json!([{"finding": "S-1", "disposition": "refuted", "basis": "src/a.rs:12 uses it once"}]).to_string());
    let clean = d.run(&["complete-design-round", "--reconciliation", "rec"]).ok();
    assert_eq!((&clean["clean"], &clean["derived"]), (&true.into(), &"converged".into()));
    d.valid();
    let closed = d.close("converged").ok();
    assert_eq!((&closed["ask"]["code"], &closed["ask"]["lanes"]["surgical"]["verdict"]), (&"converged".into(), &"PASS".into()));
    d.valid();
    d.close("aborted").fails("LOOP_CLOSED");
    assert_eq!(
        d.kit.run(&["check-design-ledger", "--require-terminal", "--strict", "--ledger", "r/.scratch/reviews/L/state.json"]).ok()["status"],
        "converged"
    );
}

#[test]
fn an_operation_is_carried_out_once() {
    let d = Design::new();
    let first = d.opens(&["--operation-id", "op-1"]);
    let before = d.kit.read("r/.scratch/reviews/L/state.json");
    assert_eq!(d.opens(&["--operation-id", "op-1"]).stdout, first.stdout);
    assert_eq!(d.kit.read("r/.scratch/reviews/L/state.json"), before);
    d.kit.write("r/design.md", format!("{DESIGN}more\n"));
    d.opens(&["--operation-id", "op-1"]).fails("OPERATION_CONFLICT");
    d.opens(&["--operation-id", "op-2"]).fails("OPERATION_CONFLICT");
    assert_eq!(d.kit.read("r/.scratch/reviews/L/state.json"), before);
    let closed = d.run(&["close-design-loop", "--outcome", "aborted", "--reason", "no need", "--operation-id", "op-9"]);
    assert_eq!(
        d.run(&["close-design-loop", "--outcome", "aborted", "--reason", "no need", "--operation-id", "op-9"]).stdout,
        closed.stdout
    );
}

#[test]
fn a_loop_begins_with_a_root_of_this_session_and_a_whole_artifact() {
    let d = Design::new();
    d.kit.write("r/design.md", "# Fix\n## Root\nsrc/a.rs:1\n");
    let refused = d.opens(&[]).fails("INVALID_ARTIFACT");
    assert_eq!(refused["error"]["missing"].as_array().unwrap().len(), 5);
    let check = d.kit.run(&["check-design-artifact", "--artifact-file", "r/design.md"]);
    assert_eq!((check.status, check.json["missing"].as_array().unwrap().len()), (1, 5));
    d.kit.write("r/design.md", DESIGN);
    d.kit.run(&["check-design-artifact", "--artifact-file", "r/design.md"]).ok();
    d.kit.write("root", "CONFIRMED: the index is not bounded\n");
    d.opens(&[]).fails("INVALID_EVIDENCE");
    d.kit.write("root", "The index is not bounded.\n");
    for (time, file) in [("2026-11-29T11:00:00Z", "trace"), ("2026-12-09T11:00:00Z", "trace"), ("yesterday", "trace")] {
        d.kit.write("old", json!([{"kind": "command", "ref": "x", "captured_at": time, "file": d.kit.text(file)}]).to_string());
        let words = [
            "open-design-loop",
            "--objective-file",
            "objective",
            "--scope-file",
            "scope",
            "--runtime-root-file",
            "root",
            "--artifact-file",
            "r/design.md",
            "--diff-file",
            "diff",
            "--root-evidence",
            "old",
        ];
        d.run(&words).fails("INVALID_EVIDENCE");
        d.run(&words[..words.len() - 2]).fails("INVALID_EVIDENCE");
    }
    assert!(!d.kit.path("r/.scratch").exists(), "a refusal leaves nothing behind");
    d.opens(&["--loop-id", "../x"]).fails("INVALID_ARGUMENT");
}

#[test]
fn no_lane_starts_without_a_drift_check_and_a_prompt_with_the_objective() {
    let d = Design::open();
    d.start("deep").fails("DRIFT_UNCHECKED");
    d.drift("unchanged").ok();
    d.kit.write("prompt", "Review it.\n");
    d.run(&["start-lane", "--lane", "deep", "--attempt-id", &d.attempt("deep"), "--prompt-file", "prompt", "--engine", "claude"])
        .fails("INVALID_ARGUMENT");
    d.start("deep").ok();
    d.start("deep").fails("ATTEMPT_MISMATCH");
    d.close("drift").fails("OUTCOME_REFUSED");
    let drifted = d.drift("shifted");
    assert_eq!((drifted.status, &drifted.json["shifted"][0]), (1, &"goal".into()), "{}", drifted.stdout);
    d.drift("unchanged").fails("OUTCOME_REFUSED");
    d.start("surgical").fails("DRIFT_UNCHECKED");
    d.close("converged").fails("OUTCOME_REFUSED");
    let closed = d.close("drift");
    assert_eq!(
        (closed.status, &closed.json["ask"]["code"], &closed.json["ask"]["drift"]["goal"]["answer"]),
        (3, &"drift".into(), &"shifted".into())
    );
    d.valid();
}

#[test]
fn what_is_no_verdict_is_not_recorded() {
    let d = Design::open();
    d.drift("unchanged").ok();
    d.record("deep", &pass(), &[]).fails("ATTEMPT_MISMATCH");
    d.start("deep").ok();
    let refused = |result: Value, rule: &str| {
        let ran = d.record("deep", &result, &[]).fails("INVALID_RESULT");
        let said = ran["error"]["violations"].to_string();
        assert!(rule.is_empty() || said.contains(rule), "{rule}: {ran}");
    };
    let with = |key: &str, value: Value| {
        let mut result = pass();
        result[key] = value;
        result
    };
    refused(with("rationale", "looks good".into()), "unspecific_rationale");
    refused(with("rationale", " ".into()), "bare_verdict");
    refused(with("blockers", json!([blocker("B-1", "race", "src/a.rs:1", "open")])), "pass_with_blockers");
    refused(with("root_proven", json!({"answer": "no", "text": "nobody ran it"})), "pass_with_no");
    refused(with("root_proven", "yes".into()), "not_an_object");
    refused(with("verdict", "MAYBE".into()), "");
    refused(with("mood", "bright".into()), "unknown_field");
    refused(with("state", "complete".into()), "");
    d.record("deep", &pass(), &["--engine", "codex"]).fails("INVALID_RESULT");
    d.record("deep", &pass(), &["--exit-code", "1"]).fails("INVALID_RESULT");
    let revision = format!("sha256:{}", "0".repeat(64));
    d.run(&[
        "record-lane",
        "--lane",
        "deep",
        "--attempt-id",
        &d.attempt("deep"),
        "--artifact-revision",
        &revision,
        "--result-file",
        "result",
        "--output-file",
        "out",
    ])
    .fails("REVISION_MISMATCH");
    // What the run said at its end is what is recorded of it.
    d.kit.write("result", pass().to_string());
    d.kit.write("out2", "GATE: REVISE\n");
    let revision = d.last()["artifact"]["revision"].as_str().unwrap().to_owned();
    let words =
        ["record-lane", "--lane", "deep", "--attempt-id", &d.attempt("deep"), "--artifact-revision", &revision, "--result-file", "result"];
    d.run(&[&words[..], &["--output-file", "out2"]].concat()).fails("INVALID_RESULT");
    d.kit.write("out2", " \n");
    d.run(&[&words[..], &["--output-file", "out2"]].concat()).fails("INVALID_ARGUMENT");
    d.record("deep", &pass(), &["--engine", "codex", "--deviation", "claude was at its limit"]).ok();
    d.record("deep", &pass(), &[]).fails("ATTEMPT_MISMATCH");
    d.valid();
}

#[test]
fn a_failed_lane_is_unverified_until_a_retry_succeeds_and_after_three_the_loop_can_still_end() {
    let d = Design::open();
    d.drift("unchanged").ok();
    for lane in ["surgical", "deep"] {
        d.start(lane).ok();
        d.record(lane, &pass(), &[]).ok();
    }
    let fail = || d.run(&["fail-lane", "--lane", "scout", "--attempt-id", &d.attempt("scout"), "--failure", "died", "--reason", "killed"]);
    let retry = || d.run(&["retry-lane", "--lane", "scout", "--failed-attempt-id", &d.attempt("scout")]);
    retry().fails("ATTEMPT_MISMATCH");
    d.start("scout").ok();
    for left in [2, 1, 0] {
        fail().ok();
        fail().fails("ATTEMPT_MISMATCH");
        let owed = d.complete();
        assert_eq!(
            (owed.status, &owed.json["completed"], &owed.json["owed"][0]["what"]),
            (1, &false.into(), &"retry".into()),
            "{}",
            owed.stdout
        );
        assert_eq!(retry().ok()["retries_left"], left);
        d.valid();
    }
    d.close("unverified_lane").fails("OUTCOME_REFUSED");
    fail().ok();
    retry().fails("RETRY_BUDGET_EXHAUSTED");
    d.close("deadlock").fails("OUTCOME_REFUSED");
    d.close("converged").fails("OUTCOME_REFUSED");
    let closed = d.close("unverified_lane");
    assert_eq!((closed.status, &closed.json["ask"]["owed"][0]["lane"]), (3, &"scout".into()), "{}", closed.stdout);
    d.valid();
}

#[test]
fn a_round_answers_everything_and_never_sends_the_same_artifact_again() {
    let d = Design::open();
    d.revise("x", json!([]), &[]).fails("ROUND_OPEN");
    let raised = verdict("REVISE", json!([blocker("B-1", "race", "src/a.rs:1", "open")]));
    let revise = d.round(raised, pass(), scout(json!([{"id": "S-1", "text": "`two`"}])));
    assert_eq!(revise.json["derived"], Value::Null, "{}", revise.stdout);
    let refused = d.revise("bounded", json!([answer("B-1")]), &[]).fails("UNANSWERED");
    assert_eq!(refused["error"]["owed"], json!(["S-1"]));
    d.kit.write("r/design.md", DESIGN);
    d.run(&["open-design-round", "--artifact-file", "r/design.md", "--diff-file", "diff", "--answers", "answers"])
        .fails("IDENTICAL_ARTIFACT");
    d.close("deadlock").fails("OUTCOME_REFUSED");
    d.revise("bounded", json!([answer("B-1"), answer("S-1")]), &[]).ok();
    d.valid();
    // A lane says of what it raised whether it is resolved.
    d.drift("unchanged").ok();
    d.start("surgical").ok();
    let dropped = d.record("surgical", &pass(), &[]).fails("INVALID_RESULT");
    assert_eq!(dropped["error"]["owed"], json!(["B-1"]));
    d.record("surgical", &verdict("PASS", json!([blocker("B-1", "race", "src/a.rs:1", "resolved")])), &[]).ok();
    for (lane, result) in [("deep", pass()), ("scout", scout(json!([])))] {
        d.start(lane).ok();
        d.record(lane, &result, &[]).ok();
    }
    d.complete().ok();
    d.revise("again", json!([]), &[]).fails("OUTCOME_REFUSED");
    d.close("converged").ok();
    d.valid();
}

#[test]
fn a_blocker_that_survives_two_rounds_ends_the_loop_before_its_cap() {
    let d = Design::open();
    let raised = |id: &str| verdict("REVISE", json!([blocker(id, "race", "src/a.rs:1", "open")]));
    d.round(raised("B-1"), pass(), scout(json!([])));
    d.revise("one", json!([answer("B-1")]), &[]).ok();
    let stuck = d.round(raised("B-1"), pass(), scout(json!([])));
    assert_eq!((&stuck.json["stuck"][0], &stuck.json["derived"]), (&"b-1".into(), &"deadlock".into()), "{}", stuck.stdout);
    d.revise("two", json!([answer("B-1")]), &[]).fails("DEADLOCKED");
    let closed = d.close("deadlock");
    assert_eq!((closed.status, &closed.json["ask"]["blockers_by_round"][1]["blockers"][0]["id"]), (3, &"B-1".into()));
    d.valid();
}

/// Three rounds in which a class of defects moves.
fn chased() -> Design {
    let d = Design::open();
    for n in 1..=3 {
        let mut blockers = vec![blocker(&format!("B-{n}"), "race", &format!("src/{n}.rs:1"), "open")];
        if n > 1 {
            blockers.push(blocker(&format!("B-{}", n - 1), "race", &format!("src/{}.rs:1", n - 1), "resolved"));
            d.revise(&format!("note {n}"), json!([answer(&format!("B-{}", n - 1))]), &[]).ok();
        }
        d.round(verdict("REVISE", json!(blockers)), pass(), scout(json!([])));
    }
    d
}

#[test]
fn a_class_that_moves_is_judged_by_a_model_lane_before_the_cap_counts() {
    let d = chased();
    d.revise("four", json!([answer("B-3")]), &[]).fails("MODEL_OWED");
    d.close("deadlock").fails("MODEL_OWED");
    d.kit.write("prompt", "The index never leaves the slice.\nIs the mechanism right?\n");
    let asked = d.run(&["start-lane", "--lane", "model", "--prompt-file", "prompt", "--engine", "claude"]).fails("INVALID_ARGUMENT");
    assert_eq!(asked["error"]["model"]["history"][2]["locations"][0], "src/3.rs:1", "what the prompt has to hold is printed");
    d.kit.write("prompt", "The index never leaves the slice.\nIs the mechanism right? src/1.rs:1 src/2.rs:1 src/3.rs:1\n");
    let start =
        |class: &[&str]| d.run(&[&["start-lane", "--lane", "model", "--prompt-file", "prompt", "--engine", "claude"][..], class].concat());
    start(&["--class", "leak"]).fails("INVALID_ARGUMENT");
    let started = start(&[]).ok();
    assert_eq!(
        started["model"]["history"],
        json!([{"round": 1, "locations": ["src/1.rs:1"]}, {"round": 2, "locations": ["src/2.rs:1"]}, {"round": 3, "locations": ["src/3.rs:1"]}])
    );
    let attempt = started["attempt_id"].as_str().unwrap();
    d.run(&["fail-lane", "--lane", "model", "--attempt-id", attempt, "--failure", "limit"]).ok();
    let attempt = start(&[]).ok()["attempt_id"].as_str().unwrap().to_owned();
    d.kit.write("out", "one owner\n");
    let record = |result: Value| {
        d.kit.write("result", result.to_string());
        d.run(&["record-lane", "--lane", "model", "--attempt-id", &attempt, "--result-file", "result", "--output-file", "out"])
    };
    record(json!({"outcome": "replaced", "rationale": "ok"})).fails("INVALID_RESULT");
    record(json!({"outcome": "replaced", "rationale": "`state` has three owners; src/a.rs:1 becomes the only one"})).ok();
    start(&[]).fails("OUTCOME_REFUSED");
    d.revise("four", json!([answer("B-3")]), &[]).fails("DEADLOCKED");
    let closed = d.close("deadlock");
    assert_eq!(closed.status, 3, "{}", closed.stdout);
    assert_eq!(closed.json["ask"]["model"].as_array().unwrap().len(), 1);
    assert_eq!(closed.json["ask"]["model"][0]["outcome"], "replaced");
    d.valid();
    // Correctness goes on in a loop of its own.
    d.kit.write("r/design.md", format!("{DESIGN}one owner\n"));
    let words = [
        "open-design-loop",
        "--repo",
        "r",
        "--loop-id",
        "M",
        "--continues",
        "L",
        "--root-evidence",
        "evidence",
        "--artifact-file",
        "r/design.md",
        "--diff-file",
        "diff",
    ];
    let refused = d.kit.run(&words).fails("UNANSWERED");
    assert_eq!(refused["error"]["owed"], json!(["B-3"]));
    d.kit.write("answers", json!([answer("B-3")]).to_string());
    d.kit.run(&[&words[..], &["--answers", "answers"]].concat()).ok();
    let record = d.kit.json("r/.scratch/reviews/M/state.json");
    assert_eq!(
        (&record["objective"], &record["continues"]["model"][1]["outcome"]),
        (&"The index never leaves the slice.".into(), &"replaced".into())
    );
    d.kit.run(&["check-design-ledger", "--strict", "--ledger", "r/.scratch/reviews/M/state.json"]).ok();
}

#[test]
fn a_delta_round_retains_what_passed_and_a_full_one_comes_last() {
    let d = Design::open();
    d.round(verdict("REVISE", json!([blocker("B-1", "race", "src/a.rs:1", "open")])), pass(), scout(json!([])));
    d.revise("one", json!([answer("B-1")]), &["--affected-lane", "deep"]).fails("OUTCOME_REFUSED");
    d.revise("one", json!([answer("B-1")]), &["--affected-lane", "surgical"]).ok();
    assert_eq!(d.last()["deep"]["state"], "retained");
    let resolved = verdict("PASS", json!([blocker("B-1", "race", "src/a.rs:1", "resolved")]));
    let delta = d.round(resolved, pass(), scout(json!([])));
    assert_eq!((delta.status, &delta.json["owed"][0]["what"]), (1, &"full_round".into()), "{}", delta.stdout);
    d.valid();
    d.close("converged").fails("OUTCOME_REFUSED");
    d.revise("one", json!([]), &["--affected-lane", "surgical"]).fails("OUTCOME_REFUSED");
    d.revise("one", json!([]), &[]).ok();
    d.round(pass(), pass(), scout(json!([]))).ok();
    d.close("converged").ok();
    d.valid();
}

#[test]
fn what_was_frozen_stays_or_the_loop_can_only_be_aborted() {
    let d = Design::open();
    let snapshot = d.kit.list("r/.scratch/reviews/L/artifacts").remove(0);
    d.kit.write(&format!("r/.scratch/reviews/L/artifacts/{snapshot}"), "something else");
    d.drift("unchanged").fails("ARTIFACT_MUTATED");
    d.close("aborted").ok();
    let d = Design::open();
    let captured = d.kit.list("r/.scratch/reviews/L/evidence").remove(0);
    std::fs::remove_file(d.kit.path(&format!("r/.scratch/reviews/L/evidence/{captured}"))).unwrap();
    d.drift("unchanged").fails("ARTIFACT_MUTATED");
}

#[test]
fn nothing_is_read_or_written_through_a_link_or_of_another_version() {
    let d = Design::new();
    d.kit.write("outside/keep", "x");
    std::fs::create_dir_all(d.kit.path("r/.scratch")).unwrap();
    std::os::unix::fs::symlink(d.kit.path("outside"), d.kit.path("r/.scratch/reviews")).unwrap();
    d.opens(&[]).fails("PATH_ESCAPE");
    assert_eq!(d.kit.list("outside"), ["keep"]);
    let d = Design::open();
    let state = d.kit.read("r/.scratch/reviews/L/state.json");
    d.kit.write("r/.scratch/reviews/L/state.json", state.replace("\"schema_version\": 3", "\"schema_version\": 2"));
    d.drift("unchanged").fails("VERSION_READ_ONLY");
    d.kit.write("r/.scratch/reviews/L/state.json", state.replace("\"schema_version\": 3", "\"schema_version\": 9"));
    d.drift("unchanged").fails("SCHEMA_NEWER");
    d.kit.write("r/.scratch/reviews/L/state.json", state.replace("admitted", "complete"));
    d.kit.write("r/.scratch/reviews/L/artifacts/round-9-x.snapshot", "left behind");
    let refused = d.drift("unchanged").fails("RECOVERY_REQUIRED");
    assert!(refused["error"]["violations"].as_array().is_some_and(|v| !v.is_empty()), "{refused}");
    assert_eq!(d.kit.list("r/.scratch/reviews/L/artifacts").len(), 2, "nothing is cleaned while the state cannot be read");
    d.kit.write("r/.scratch/reviews/L/state.json", &state);
    d.drift("unchanged").ok();
    assert_eq!(d.kit.list("r/.scratch/reviews/L/artifacts").len(), 1);
}

#[test]
fn a_kill_between_any_two_writes_leaves_a_loop_that_goes_on() {
    for point in ["design-frozen", "design-keeping", "written", "renamed", "design-kept"] {
        let mut d = Design::new();
        d.kit.set("REVIEW_LOOP_TEST_FAILPOINT", point);
        let killed = d.opens(&["--operation-id", "op-1"]);
        assert_ne!(killed.status, 0, "{point}");
        d.kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
        d.opens(&["--operation-id", "op-1"]).ok();
        d.valid();
        d.drift("unchanged").ok();
        assert_eq!(d.kit.list("r/.scratch/reviews/L/artifacts").len(), 1, "{point}");
        d.kit.set("REVIEW_LOOP_TEST_FAILPOINT", point);
        d.start("deep");
        d.kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
        d.valid();
        if d.last()["deep"]["state"] == "admitted" {
            d.start("deep").ok();
        }
        d.record("deep", &pass(), &[]).ok();
        d.valid();
    }
}

#[test]
fn with_a_run_ledger_every_lane_s_launch_and_verdict_are_on_record() {
    let d = Design::open();
    let runs = ["--runs", "r/work-items/active/item/agent-runs.jsonl", "--work-item", "item"];
    let check = || d.kit.run(&["check-runs", "--ledger", "r/work-items/active/item/agent-runs.jsonl", "--root", "r"]);
    let lane = |lane: &str, result: &Value| {
        d.kit.write("prompt", "The index never leaves the slice.\n");
        d.run(
            &[
                &[
                    "start-lane",
                    "--lane",
                    lane,
                    "--attempt-id",
                    &d.attempt(lane),
                    "--prompt-file",
                    "prompt",
                    "--engine",
                    "claude",
                    "--effort",
                    "high",
                ][..],
                &runs,
            ]
            .concat(),
        )
        .ok();
        d.record(lane, result, &runs).ok();
    };
    d.drift("unchanged").ok();
    lane("surgical", &verdict("REVISE", json!([blocker("B-1", "race", "src/a.rs:1", "open")])));
    lane("deep", &pass());
    lane("scout", &scout(json!([])));
    d.complete();
    let owed = check();
    assert_eq!(
        (owed.status, owed.json["open"].as_array().map(Vec::len), &owed.json["unsettled"]),
        (1, Some(1), &json!([])),
        "{}",
        owed.stdout
    );
    d.revise("one", json!([answer("B-1")]), &[]).ok();
    d.drift("unchanged").ok();
    lane("surgical", &verdict("PASS", json!([blocker("B-1", "race", "src/a.rs:1", "resolved")])));
    let clear = check();
    assert_eq!((clear.status, clear.json["discharged"].as_array().map(Vec::len)), (0, Some(1)), "{}", clear.stdout);
    d.start("deep").ok();
    d.run(&[&["fail-lane", "--lane", "deep", "--attempt-id", &d.attempt("deep"), "--failure", "died"][..], &runs].concat())
        .fails("NOT_FOUND");
    d.run(&["fail-lane", "--lane", "deep", "--attempt-id", &d.attempt("deep"), "--failure", "died"]).ok();
}

/// A generator of our own: the same sequence for the same seed, everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// One operation of a random sequence, as words; nothing where the loop has none of that kind.
fn operation(d: &Design, dice: &mut Dice, step: usize) -> Vec<String> {
    let lane = ["surgical", "deep", "scout"][dice.roll(3)];
    let attempt = d.attempt(lane);
    let word = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<String>>();
    match dice.roll(8) {
        0 => {
            let held = json!({"answer": "unchanged", "text": "quoted in part one"});
            d.kit.write("drift", json!({"goal": held, "scope": held, "runtime_root": held, "new_premises": []}).to_string());
            word(&["check-drift", "--input", "drift"])
        }
        1 | 2 => {
            d.kit.write("prompt", "The index never leaves the slice.\n");
            word(&["start-lane", "--lane", lane, "--attempt-id", &attempt, "--prompt-file", "prompt", "--engine", "claude"])
        }
        3 | 4 => {
            let known: Vec<Value> = d.state()["rounds"]
                .as_array()
                .unwrap()
                .iter()
                .flat_map(|r| r[lane]["blockers"].as_array().cloned().unwrap_or_default())
                .collect();
            let mut blockers: Vec<Value> = Vec::new();
            for mut old in known.into_iter().filter(|b| b["status"] == "open") {
                old["status"] = json!("resolved");
                blockers.retain(|b| b["id"] != old["id"]);
                blockers.push(old);
            }
            let result = match (lane, dice.roll(3)) {
                ("scout", 0) => scout(json!([{"id": format!("S-{step}"), "text": "`two` is used twice"}])),
                ("scout", _) => scout(json!([])),
                (_, 0) => {
                    blockers.push(blocker(&format!("B-{step}"), "race", &format!("src/{step}.rs:1"), "open"));
                    verdict("REVISE", json!(blockers))
                }
                _ => verdict("PASS", json!(blockers)),
            };
            d.kit.write("result", result.to_string());
            d.kit.write("out", "I looked at it.\n");
            let revision = d.last()["artifact"]["revision"].as_str().unwrap().to_owned();
            let words =
                ["record-lane", "--lane", lane, "--attempt-id", &attempt, "--artifact-revision", &revision, "--result-file", "result"];
            [word(&words), word(&["--output-file", "out"])].concat()
        }
        5 => word(&["fail-lane", "--lane", lane, "--attempt-id", &attempt, "--failure", "died"]),
        6 if dice.roll(2) == 0 => word(&["retry-lane", "--lane", lane, "--failed-attempt-id", &attempt]),
        6 => word(&["complete-design-round"]),
        _ => {
            d.kit.write("r/design.md", format!("{DESIGN}note {step}\n"));
            let open: Vec<Value> = (0..=step).flat_map(|n| [answer(&format!("B-{n}")), answer(&format!("S-{n}"))]).collect();
            d.kit.write("answers", json!(open).to_string());
            word(&["open-design-round", "--artifact-file", "r/design.md", "--diff-file", "diff", "--answers", "answers"])
        }
    }
}

#[test]
fn random_sequences_with_kills_leave_a_valid_record_equal_replays_and_an_open_end() {
    for seed in 1..=6_u64 {
        let mut dice = Dice(seed);
        let mut d = Design::open();
        let mut carried = 0;
        for step in 0..45 {
            let mut words = operation(&d, &mut dice, step);
            words.extend(["--operation-id".to_owned(), format!("op-{step}")]);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let kill = ["design-keeping", "written", "renamed", "design-kept", "lane-launched"][dice.roll(5)];
            if dice.roll(3) == 0 {
                d.kit.set("REVIEW_LOOP_TEST_FAILPOINT", kill);
                d.run(&words);
                d.kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
                d.valid();
            }
            let before = d.state()["operations"].as_array().unwrap().len();
            let ran = d.run(&words);
            d.valid();
            let operations = d.state()["operations"].as_array().unwrap().clone();
            // Nothing that was carried out is ever gone.
            assert!(operations.len() >= before, "seed {seed}, step {step}");
            if operations.last().is_some_and(|o| o["id"] == format!("op-{step}")) {
                carried += 1;
                let state = d.kit.read("r/.scratch/reviews/L/state.json");
                assert_eq!(d.run(&words).stdout, ran.stdout, "seed {seed}, step {step}: {words:?}");
                assert_eq!(d.kit.read("r/.scratch/reviews/L/state.json"), state);
            } else {
                assert_ne!(ran.status, 0, "seed {seed}, step {step}: {words:?} did nothing and said that it did: {}", ran.stdout);
            }
        }
        assert!(carried > 8, "seed {seed}: {carried}");
        d.close("aborted").ok();
        d.valid();
    }
}

#[test]
fn a_no_of_the_scout_and_a_finding_that_was_folded_in_are_no_convergence() {
    let d = Design::open();
    let mut no = scout(json!([]));
    no["root_proven"] = json!({"answer": "no", "text": "nobody ran it"});
    let open = d.round(pass(), pass(), no);
    assert_eq!(
        (open.status, &open.json["owed"][0]),
        (1, &json!({"what": "answer", "lane": "scout", "id": "root_proven"})),
        "{}",
        open.stdout
    );
    d.close("converged").fails("OUTCOME_REFUSED");
    let d = Design::open();
    d.round(pass(), pass(), scout(json!([{"id": "S-1", "text": "`foo` does not exist"}])));
    d.kit.write("rec", json!([{"finding": "S-1", "disposition": "folded", "basis": "the sketch calls `bar` now"}]).to_string());
    let folded = d.run(&["complete-design-round", "--reconciliation", "rec"]);
    assert_eq!((folded.status, &folded.json["owed"][0]["id"]), (1, &"S-1".into()), "nobody has seen the revision yet: {}", folded.stdout);
    d.revise("folded", json!([answer("S-1")]), &[]).ok();
    d.round(pass(), pass(), scout(json!([]))).ok();
    d.close("converged").ok();
    d.valid();
}

#[test]
fn the_cap_ends_a_loop_that_only_lacks_a_reconciliation() {
    let d = Design::new();
    d.opens(&["--cap", "1"]).ok();
    let open = d.round(pass(), pass(), scout(json!([{"id": "S-1", "text": "`foo` does not exist"}])));
    assert_eq!(open.json["derived"], "deadlock", "{}", open.stdout);
    assert_eq!(d.close("deadlock").status, 3);
    d.valid();
}

#[test]
fn what_was_open_goes_along_from_loop_to_loop_until_its_lane_says_what_became_of_it() {
    let d = Design::open();
    d.round(verdict("REVISE", json!([blocker("B-1", "race", "src/a.rs:1", "open")])), pass(), scout(json!([])));
    d.revise("one", json!([answer("B-1")]), &[]).ok();
    d.close("aborted").ok();
    let open = |id: &str, before: &str, note: &str, answers: Value| {
        d.kit.write("r/design.md", format!("{DESIGN}{note}\n"));
        d.kit.write("answers", answers.to_string());
        let words = ["open-design-loop", "--repo", "r", "--loop-id", id, "--continues", before, "--root-evidence", "evidence"];
        d.kit.run(&[&words[..], &["--artifact-file", "r/design.md", "--diff-file", "diff", "--answers", "answers"]].concat())
    };
    open("M", "L", "two", json!([])).fails("UNANSWERED");
    open("M", "L", "one", json!([answer("B-1")])).fails("IDENTICAL_ARTIFACT");
    open("M", "L", "two", json!([answer("B-1")])).ok();
    d.kit.run(&["close-design-loop", "--repo", "r", "--loop-id", "M", "--outcome", "aborted", "--reason", "x"]).ok();
    open("N", "M", "three", json!([])).fails("UNANSWERED");
    open("N", "M", "three", json!([answer("B-1")])).ok();
    let state = || d.kit.json("r/.scratch/reviews/N/state.json")["rounds"][0]["surgical"].clone();
    let at = |words: &[&str]| d.kit.run(&[words, &["--repo", "r", "--loop-id", "N"]].concat());
    at(&["check-drift", "--input", "drift"]).ok();
    let attempt = state()["attempt_id"].as_str().unwrap().to_owned();
    at(&["start-lane", "--lane", "surgical", "--attempt-id", &attempt, "--prompt-file", "prompt", "--engine", "claude"]).ok();
    d.kit.write("result", pass().to_string());
    let revision = state()["artifact_revision"].as_str().unwrap().to_owned();
    let words = ["record-lane", "--lane", "surgical", "--attempt-id", &attempt, "--artifact-revision", &revision];
    let refused = at(&[&words[..], &["--result-file", "result", "--output-file", "objective"]].concat()).fails("INVALID_RESULT");
    assert_eq!(refused["error"]["owed"], json!(["B-1"]));
}

#[test]
fn a_kill_between_the_run_ledger_and_the_record_is_no_dead_end() {
    let mut d = Design::open();
    let runs = ["--runs", "r/agent-runs.jsonl"];
    d.drift("unchanged").ok();
    d.kit.write("prompt", "The index never leaves the slice.\n");
    let attempt = d.attempt("deep");
    let words = ["start-lane", "--lane", "deep", "--attempt-id", &attempt, "--prompt-file", "prompt", "--engine", "claude"];
    d.run(&[&words[..], &runs].concat()).ok();
    d.kit.set("REVIEW_LOOP_TEST_FAILPOINT", "lane-settled");
    assert_ne!(d.record("deep", &pass(), &runs).status, 0);
    d.kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
    d.record("deep", &pass(), &runs).ok();
    d.valid();
    assert_eq!(d.kit.read("r/agent-runs.jsonl").lines().count(), 2);
}

#[test]
fn a_model_lane_that_was_killed_behind_its_launch_is_started_under_the_same_attempt() {
    let mut d = chased();
    d.kit.write("prompt", "The index never leaves the slice.\nIs the mechanism right? src/1.rs:1 src/2.rs:1 src/3.rs:1\n");
    let words = ["start-lane", "--lane", "model", "--prompt-file", "prompt", "--engine", "claude", "--runs", "r/agent-runs.jsonl"];
    d.kit.set("REVIEW_LOOP_TEST_FAILPOINT", "lane-launched");
    assert_ne!(d.run(&words).status, 0);
    d.kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
    let started = d.run(&words).ok();
    let ledger = d.kit.read("r/agent-runs.jsonl");
    assert_eq!(ledger.lines().count(), 1, "{ledger}");
    assert!(ledger.contains(started["attempt_id"].as_str().unwrap()));
    d.valid();
}
