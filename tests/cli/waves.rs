//! The wave loop: policy, floor, criteria, one pass after the other by hand and driven, and everything that may go wrong with one.

use serde_json::{Value, json};

use crate::kit::{Kit, Ran};

/// A repository whose branch changes one file, and a reviewer that does what the file `plan` says, a line for each wave.
struct Waves {
    kit: Kit,
}

/// Plays a wave: `$1` is the program under test, `$2` the folder of the plan. Its prompt comes by standard input.
const REVIEWER: &str = r#"
rl=$1; dir=$2
cat > "$dir/prompt.$$"
env > "$dir/env.$$"
gen=$(sed -n 's/.*--generation \([0-9a-f]\{32\}\).*/\1/p' "$dir/prompt.$$" | head -1)
if [ "$REVIEW_LOOP_ASSESSMENT_ACTIVE" = 1 ]; then
  gen=$(sed -n 's/.*completion_generation": "\([0-9a-f]*\)".*/\1/p' "$dir/prompt.$$" | head -1)
  echo x >> "$dir/assessments"
  [ -f "$dir/assess.sh" ] && . "$dir/assess.sh"
  sed "s/@GEN@/$gen/" "$dir/assessment"
  exit 0
fi
n=$(cat "$dir/n" 2>/dev/null || echo 0); n=$((n + 1)); echo $n > "$dir/n"
act=$(sed -n "${n}p" "$dir/plan"); [ -n "$act" ] || act=$(tail -1 "$dir/plan")
report() { # result findings fixes verifier checks
  cat > "$dir/report.json" <<EOF
{"version":1,"result":"$1","context":{"scope":"every changed file of the branch was in scope","checks":"the declared checks were run by run-check","coverage":"read line by line, with callers and callees","verification":"each candidate was tried against the code"},
"criteria":$(cat "$dir/criteria-answer" 2>/dev/null || echo '{}'),
"deterministic_checks":"${5:-pass}","coverage":["correctness","security","contracts","tests","architecture","frontend","devops","performance","observability"],
"verifier":"${4:-pass}","findings":$2,"fixes_applied":$3}
EOF
}
checks() { for c in $(cat "$dir/checks" 2>/dev/null || echo checks); do "$rl" run-check --name $c > "$dir/check.out"; done; }
hand_in() { "$rl" compile-wave --report "$dir/report.json" --generation "$gen" > "$dir/compiled.$n" 2>&1; }
found() { echo "[{\"description\":\"the value of $1 is not bounded at all\",\"file\":\"a.rs\",\"symbol\":\"$1\",\"category\":\"bounds\"}]"; }
case "$act" in
  clean) checks; report CLEAN '[]' 0; hand_in ;;
  fix*) echo "$act" >> a.rs; checks; report FINDINGS_FIXED:1 "$(found ${act#fix})" 1; hand_in ;;
  same) echo "$n" >> a.rs; checks; report FINDINGS_FIXED:1 "$(found same)" 1; hand_in ;;
  commit) echo more >> a.rs; git -c user.name=A -c user.email=a@b.invalid commit -qam fix; checks; report FINDINGS_FIXED:1 "$(found commit)" 1; hand_in ;;
  publish) git -c user.name=A -c user.email=a@b.invalid commit -qam publish; checks; report CLEAN '[]' 0; hand_in ;;
  empty) git -c user.name=A -c user.email=a@b.invalid commit -q --allow-empty -m none; checks; report FINDINGS_FIXED:1 "$(found empty)" 1; hand_in ;;
  fake) checks; report FINDINGS_FIXED:1 "$(found fake)" 1; hand_in ;;
  lie) checks; report CLEAN '[]' 0; hand_in; echo sneaked >> a.rs ;;
  left) report FINDINGS:1 "$(found left)" 0; hand_in ;;
  blocked) report BLOCKED:missing-tooling '[]' 0 not-run unavailable; hand_in ;;
  churn) report CHURN:lost '[]' 0 not-run partial; hand_in ;;
  up) report ESCALATE:complex:concurrency '[]' 0; hand_in ;;
  down) report ESCALATE:normal:concurrency '[]' 0; hand_in ;;
  nothing) : ;;
  die) exit 7 ;;
  hang) sleep 1000 & echo $! > "$dir/pid"; wait ;;
  branch) git checkout -q -b other; checks; report CLEAN '[]' 0; hand_in ;;
  unchecked) report CLEAN '[]' 0; hand_in ;;
  slip) if [ -f "$dir/slipped" ]; then checks; report CLEAN '[]' 0; hand_in; else touch "$dir/slipped"; echo '{' > "$dir/report.json"; hand_in; fi; echo $((n - 1)) > "$dir/n" ;;
  *) . "$dir/act-$act.sh" ;;
esac
rm -f "$dir/env.last"; cp "$dir/env.$$" "$dir/env.last"; cp "$dir/prompt.$$" "$dir/prompt.last"
exit 0
"#;

impl Waves {
    fn new(plan: &str) -> Waves {
        let mut kit = Kit::new();
        kit.set("XDG_STATE_HOME", &kit.text("state"));
        kit.unset("REVIEW_LOOP_TEST_NOW");
        kit.repo("r", &[("a.rs", "one\n"), ("b.rs", "b\n")]);
        kit.git("r", &["checkout", "-q", "-b", "topic"]);
        kit.write("r/a.rs", "two\n");
        kit.git("r", &["commit", "-q", "-am", "change"]);
        kit.write("play/reviewer.sh", REVIEWER);
        kit.write("play/plan", plan.replace(' ', "\n") + "\n");
        kit.write(
            "play/assessment",
            r#"{"tier":"small","reason_codes":["localized-change","focused-verification"],"completion_generation":"@GEN@"}"#,
        );
        Waves { kit }
    }

    fn tier(mut self, tier: &str) -> Waves {
        self.kit.set("REVIEW_LOOP_TIER", tier);
        self
    }

    fn run(&self, words: &[&str]) -> Ran {
        self.kit.run(&[words, &["--repo", "r"]].concat())
    }

    fn program(&self) -> String {
        self.kit.command(&[]).get_program().to_string_lossy().into_owned()
    }

    fn drive(&self, words: &[&str]) -> Ran {
        let (program, reviewer, play) = (self.program(), self.kit.text("play/reviewer.sh"), self.kit.text("play"));
        let head = [&["run-waves", "--repo", "r", "--provider", "command"], words].concat();
        self.kit.run(&[&head[..], &["--", "sh", &reviewer, &program, &play]].concat())
    }

    /// How many waves were played.
    fn played(&self) -> usize {
        std::fs::read_to_string(self.kit.path("play/n")).ok().and_then(|n| n.trim().parse().ok()).unwrap_or(0)
    }

    /// The folder of the one loop, relative to the kit.
    fn dir(&self) -> String {
        let key = self.kit.list("state/review-loop").remove(0);
        let id = self.kit.list(&format!("state/review-loop/{key}/waves")).remove(0);
        format!("state/review-loop/{key}/waves/{id}")
    }

    fn valid(&self) -> Ran {
        self.run(&["check-receipt"])
    }

    #[track_caller]
    fn reaches(&self, waves: usize) -> Value {
        let ran = self.drive(&[]);
        assert_eq!((ran.status, &ran.json["exit_reason"]), (0, &json!("clean_gate_reached")), "{}", ran.stdout);
        assert_eq!(self.played(), waves, "{}", ran.stdout);
        self.valid().ok();
        ran.json
    }

    #[track_caller]
    fn pauses(&self, reason: &str) -> Value {
        let ran = self.drive(&[]);
        assert_eq!((ran.status, &ran.json["exit_reason"]), (3, &json!(reason)), "{}", ran.stdout);
        assert_eq!(ran.json["ask"]["code"], "gate_paused");
        assert_ne!(self.valid().status, 0);
        ran.json
    }

    fn criteria(&self) -> [String; 4] {
        let criteria = json!({"version": 1, "source": "approved-plan", "objectives": ["The value is bounded."],
                              "acceptance_criteria": ["A test shows it."], "verification_requirements": ["The suite passes."]});
        let file = self.kit.write("criteria.json", criteria.to_string());
        let approval = self.kit.text("approval.json");
        self.kit.run(&["seal-criteria", "--input", &file, "--approval", &approval]).ok();
        let met = json!([{"outcome": "met", "evidence": [{"kind": "test", "detail": "the test of that name passes"}]}]);
        let answer = json!({"objectives": met, "acceptance_criteria": met, "verification_requirements": met});
        self.kit.write("play/criteria-answer", answer.to_string());
        ["--criteria".into(), file, "--approval".into(), approval]
    }
}

#[test]
fn each_tier_needs_exactly_its_number_of_clean_waves_and_no_assessor_when_it_is_named() {
    for (tier, waves) in [("small", 1), ("normal", 3), ("complex", 6)] {
        let w = Waves::new("clean").tier(tier);
        let done = w.reaches(waves);
        assert_eq!(
            (&done["gate"]["tier"], &done["gate"]["outcome"], &done["gate"]["kind"]),
            (&json!(tier), &json!("completed"), &json!("standalone"))
        );
        assert!(w.kit.list("play").iter().all(|n| n != "assessments"));
    }
}

#[test]
fn without_a_tier_a_fresh_session_assesses_once_and_the_floor_raises_what_it_says() {
    let w = Waves::new("clean");
    let done = w.reaches(1);
    assert_eq!((&done["gate"]["source"], w.kit.read("play/assessments").as_str()), (&json!("standalone-assessor"), "x\n"));
    let w = Waves::new("clean");
    w.kit.write("r/auth.rs", "fn login() {}\n");
    let done = w.reaches(6);
    assert_eq!((&done["gate"]["source"], &done["gate"]["reason_codes"]), (&json!("deterministic-floor"), &json!(["security-sensitive"])));
}

#[test]
fn an_assessor_that_answers_nothing_valid_is_asked_twice_and_one_that_edits_once() {
    let w = Waves::new("clean");
    w.kit.write("play/assessment", r#"{"tier":"small","reason_codes":["concurrency"],"completion_generation":"@GEN@"}"#);
    w.pauses("assessment_invalid");
    assert_eq!((w.kit.read("play/assessments").as_str(), w.played()), ("x\nx\n", 0));
    let w = Waves::new("clean");
    w.kit.write("play/assess.sh", "echo mutated >> a.rs\n");
    w.pauses("assessment_mutated_scope");
    assert_eq!((w.kit.read("play/assessments").as_str(), w.played()), ("x\n", 0));
    // Asked again, it assesses again.
    std::fs::remove_file(w.kit.path("play/assess.sh")).unwrap();
    w.reaches(1);
}

#[test]
fn a_fix_resets_the_streak_and_is_reviewed_by_fresh_waves() {
    let w = Waves::new("clean fixA clean clean clean").tier("normal");
    let done = w.reaches(5);
    assert_eq!((&done["gate"]["clean"], &done["findings_fixed_this_run"]), (&json!(3), &json!(1)));
    let actions: Vec<&str> = done["waves"].as_array().unwrap().iter().map(|v| v["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["count", "reset_continue", "count", "count", "complete"]);
    // A committed fix is one too, and what is reviewed may be published by a clean wave.
    Waves::new("commit clean").tier("small").reaches(2);
    let w = Waves::new("clean publish clean").tier("normal");
    w.kit.write("r/a.rs", "three\n");
    w.reaches(3);
}

#[test]
fn every_reason_to_stand_still_has_its_word_and_earns_no_receipt() {
    for (plan, reason) in [
        ("left", "unresolved_findings"),
        ("blocked", "blocked"),
        ("churn", "wave_reported_churn"),
        ("fake", "claimed_fix_without_change"),
        ("empty", "claimed_fix_without_change"),
        ("lie", "clean_mutated_scope"),
        ("down", "invalid_escalation"),
        ("branch", "review_identity_changed"),
        ("nothing", "completion_receipt_missing"),
        ("unchecked", "completion_receipt_missing"),
        ("die", "provider_error"),
        ("same", "repeated_fingerprint"),
        ("fixA fixB fixA fixB", "alternating_fingerprints"),
    ] {
        let w = Waves::new(plan).tier("normal");
        let paused = w.pauses(reason);
        assert_eq!(paused["gate"]["clean"], 0, "{plan}");
        assert!(paused["intervention"].as_str().unwrap().len() > 20);
    }
}

#[test]
fn a_wave_may_raise_the_tier_and_what_is_required_with_it() {
    let w = Waves::new("clean up clean").tier("small");
    w.kit.run(&["resolve-policy", "--repo", "r"]).ok();
    let mut w = Waves { kit: w.kit };
    w.kit.set("REVIEW_LOOP_CLEAN_PASSES", "2");
    let done = w.reaches(8);
    assert_eq!(
        (&done["gate"]["tier"], &done["gate"]["required"], &done["gate"]["source"]),
        (&json!("complex"), &json!(6), &json!("wave-escalation"))
    );
}

#[test]
fn a_slip_of_form_costs_another_session_of_the_same_pass_and_no_credit() {
    let w = Waves::new("slip").tier("small");
    let ran = w.drive(&[]);
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    assert_eq!(ran.json["iterations"], 1);
    assert!(w.kit.read("play/compiled.1").contains("\"published\":true"));
    let w = Waves::new("clean nothing").tier("normal");
    let paused = w.pauses("completion_receipt_missing");
    assert_eq!(paused["gate"]["clean"], 1, "earlier credit is kept: {paused}");
    let w = Waves::new("clean clean die clean").tier("normal");
    assert_eq!(w.drive(&[]).json["gate"]["clean"], 2);
    let again = w.drive(&[]);
    assert_eq!((again.status, &again.json["resumed"], w.played()), (0, &json!(true), 4), "{}", again.stdout);
}

#[test]
fn a_wave_is_told_nothing_of_earlier_ones_and_gets_a_session_of_its_own() {
    let w = Waves::new("fixA clean clean clean").tier("normal");
    w.kit.write("r/c.rs", "c\n");
    w.reaches(4);
    let prompt = w.kit.read("play/prompt.last");
    for leak in ["bounded at all", "streak", "iteration", "FINDINGS_FIXED:1", "fixA", "clean_before", "of 3"] {
        assert!(!prompt.contains(leak), "{leak}: {prompt}");
    }
    assert!(!prompt.contains("{{") && prompt.contains("full current change set"));
    let env = w.kit.read("play/env.last");
    let value = |name: &str| env.lines().find_map(|l| l.strip_prefix(&format!("{name}="))).map(str::to_owned);
    assert_eq!(value("REVIEW_LOOP_PASS_ACTIVE").as_deref(), Some("1"));
    assert_eq!(value("REVIEW_LOOP_PHASE_HANDOFF").as_deref(), Some(""));
    assert_eq!(value("REVIEW_LOOP_TIER"), None);
    assert!(value("REVIEW_LOOP_POLICY_SESSION_ID").unwrap().starts_with("branch-topic-"));
    let key = w.kit.read(&format!("{}/key", w.dir()));
    assert!(!env.contains(&key) && !prompt.contains(&key));
    let sessions = w.kit.list(&format!("{}/passes", w.dir().rsplit_once("/waves/").unwrap().0));
    assert_eq!(sessions.len(), 4);
}

#[test]
fn a_wave_that_finds_no_end_is_ended_with_everything_it_started() {
    let mut w = Waves::new("clean hang clean clean").tier("normal");
    w.kit.set("REVIEW_LOOP_PASS_TIMEOUT", "2");
    let ran = w.drive(&[]);
    assert_eq!(
        (ran.status, &ran.json["exit_reason"], &ran.json["gate"]["clean"]),
        (3, &json!("pass_timeout"), &json!(1)),
        "{}",
        ran.stdout
    );
    let pid: i32 = w.kit.read("play/pid").trim().parse().unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    w.kit.unset("REVIEW_LOOP_PASS_TIMEOUT");
    assert_eq!((w.drive(&[]).status, w.played()), (0, 4));
    let w = Waves::new("hang").tier("small");
    let ran = w.drive(&["--limit", "1"]);
    assert_eq!((ran.status, ran.code(), &ran.json["result"]), (124, "TIME_LIMIT", &json!("PAUSED")), "{}", ran.stdout);
}

#[test]
fn a_second_loop_is_refused_before_it_touches_anything() {
    let w = Waves::new("hang").tier("small");
    let (program, reviewer, play) = (w.program(), w.kit.text("play/reviewer.sh"), w.kit.text("play"));
    let words = ["run-waves", "--repo", "r", "--provider", "command", "--", "sh", &reviewer, &program, &play];
    let mut first = w.kit.command(&words).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    while !w.kit.path("play/pid").exists() {
        std::thread::yield_now();
    }
    let before = w.kit.read(&format!("{}/gate.json", w.dir()));
    w.drive(&[]).fails("REVIEW_BUSY");
    for words in [&["open-wave"][..], &["waive-gate", "--reason", "no"], &["close-wave"], &["recover-review", "--reason", "it is slow"]] {
        w.run(words).fails("REVIEW_BUSY");
    }
    let shown = w.run(&["show-gate"]).ok();
    assert_eq!((&shown["running"]["owner"], &shown["next"]["command"]), (&json!("alive"), &Value::Null));
    let hook = w.kit.command(&["answer-stop-hook", "--repo", "r"]).output().unwrap();
    assert!(String::from_utf8_lossy(&hook.stdout).contains("a wave runs; wait for it"));
    assert_eq!(w.kit.read(&format!("{}/gate.json", w.dir())), before);
    rustix_kill(first.id(), "TERM");
    let output = first.wait().unwrap();
    assert_eq!(output.code(), Some(143));
    let gate = w.kit.json(&format!("{}/gate.json", w.dir()));
    assert_eq!((&gate["status"], &gate["paused"]["reason"], &gate["pass"]), (&json!("paused"), &json!("user_interrupt"), &Value::Null));
}

fn rustix_kill(pid: u32, signal: &str) {
    assert!(std::process::Command::new("kill").args([format!("-{signal}"), pid.to_string()]).status().unwrap().success());
}

#[test]
fn a_killed_owner_is_recovered_once_it_is_provably_dead_and_the_gate_stays_paused() {
    let mut w = Waves::new("clean clean clean").tier("normal");
    w.kit.set("REVIEW_LOOP_TEST_FAILPOINT", "wave-issued");
    assert_eq!(w.drive(&[]).status, -1);
    w.kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
    let shown = w.run(&["show-gate"]).ok();
    assert_eq!((&shown["running"]["owner"], &shown["next"]["command"]), (&json!("dead"), &json!("recover-review")));
    let status = w.run(&["show-status"]).ok()["loops"][0].clone();
    assert_eq!((&status["loop"], &status["status"]), (&json!("waves"), &json!("open")));
    let status = w.run(&["show-status", "--loop-id", status["loop_id"].as_str().unwrap()]).ok();
    assert_eq!(status["next"]["command"], "recover-review");
    w.run(&["recover-review"]).fails("INVALID_ARGUMENT");
    let recovered = w.run(&["recover-review", "--reason", "review owner stopped after interrupt", "--source", "agent"]).ok();
    assert_eq!(recovered["paused"]["reason"], "stale-review-fence-recovered");
    w.run(&["recover-review", "--reason", "again"]).fails("NO_OPEN_PASS");
    w.run(&["open-wave"]).fails("GATE_NOT_OPEN");
    w.reaches(3);
    // Without recovery the next run takes a dead owner's pass off by itself.
    w.kit.set("REVIEW_LOOP_TEST_FAILPOINT", "wave-issued");
    w.kit.write("r/a.rs", "other\n");
    assert_eq!(w.drive(&[]).status, -1);
    w.kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
    assert_eq!(w.drive(&[]).status, 0);
}

#[test]
fn a_kill_at_any_point_of_an_acceptance_counts_a_pass_once_or_not_at_all() {
    for point in ["proof-stored", "gate-kept", "evidence-written", "pass-written", "wave-issued"] {
        let mut w = Waves::new("clean").tier("normal");
        w.kit.set("REVIEW_LOOP_TEST_FAILPOINT", point);
        let killed = w.drive(&[]);
        w.kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
        let credit = |w: &Waves| w.run(&["show-gate"]).json["clean"].as_u64();
        let before = credit(&w).unwrap_or(0);
        assert!(before <= 1, "{point}");
        assert_eq!(before, u64::from(point == "gate-kept"), "{point} {}", killed.stdout);
        let ran = w.drive(&[]);
        assert_eq!((ran.status, &ran.json["gate"]["clean"]), (0, &json!(3)), "{point} {}", ran.stdout);
        let ledger = w.kit.json(&format!("{}/gate.json", w.dir()))["ledger"].as_array().unwrap().len();
        assert_eq!((ledger, w.kit.list(&format!("{}/proofs", w.dir())).len()), (3, 3), "{point}");
        w.valid().ok();
    }
}

#[test]
fn criteria_are_bound_and_every_item_is_answered() {
    let w = Waves::new("clean").tier("small");
    let flags = w.criteria();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let ran = w.drive(&flags);
    assert_eq!((ran.status, &ran.json["gate"]["kind"]), (0, &json!("lifecycle")), "{}", ran.stdout);
    let proof = w.kit.list(&format!("{}/proofs", w.dir())).remove(0);
    let context = w.kit.read(&format!("{}/proofs/{proof}/context.md", w.dir()));
    assert!(context.contains("## Acceptance Criteria\n\nCriteria binding: "), "{context}");
    assert!(context.contains("Evidence-Ref: criteria:objectives:1:e1 | test | the test of that name passes"));
    // An item that is left out is no criterion that was met.
    w.kit.write("play/criteria-answer", json!({"objectives": [], "acceptance_criteria": [], "verification_requirements": []}).to_string());
    w.kit.write("r/a.rs", "three\n");
    let ran = w.drive(&flags);
    assert_eq!(ran.json["exit_reason"], "completion_receipt_missing", "{}", ran.stdout);
    // Without their seal they are no criteria.
    w.kit.write("approval.json", "{\"schema_version\":1,\"revision\":1,\"criteria_binding\":\"".to_owned() + &"a".repeat(64) + "\"}\n");
    w.drive(&flags).fails("APPROVAL_CONFLICT");
    w.drive(&flags[..2]).fails("INVALID_ARGUMENT");
}

#[test]
fn criteria_that_change_under_a_wave_earn_nothing() {
    let parent = "sed -i 's/bounded/unbounded/' \"$(dirname \"$dir\")\"/state/review-loop/*/waves/*/criteria.json";
    let child = "sed -i 's/bounded/unbounded/' \"$(dirname \"$dir\")\"/state/review-loop/*/passes/*/criteria.json";
    for tamper in [parent, child] {
        let w = Waves::new("clean x").tier("normal");
        let flags = w.criteria();
        w.kit.write("play/act-x.sh", format!("checks; report CLEAN '[]' 0; hand_in; {tamper}\n"));
        let ran = w.drive(&flags.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(
            (ran.status, &ran.json["exit_reason"], &ran.json["gate"]["clean"]),
            (3, &json!("review_criteria_changed"), &json!(0)),
            "{}",
            ran.stdout
        );
    }
    let w = Waves::new("x").tier("small");
    w.kit.write("play/act-x.sh", "checks; report CLEAN '[]' 0; hand_in; echo '{}' > \"$(dirname \"$dir\")\"/state/review-loop/*/passes/$REVIEW_LOOP_SESSION_ID/criteria.json\n");
    w.kit.write("play/act-x.sh", "checks; report CLEAN '[]' 0; hand_in; for d in \"$(dirname \"$dir\")\"/state/review-loop/*/passes/*; do echo '{}' > \"$d/criteria.json\"; done\n");
    w.pauses("review_criteria_changed");
}

#[test]
fn a_wave_can_forge_neither_evidence_nor_its_parents_records() {
    let state = "state=$(dirname \"$dir\")/state/review-loop; pass=$(ls -d \"$state\"/*/passes/$REVIEW_LOOP_SESSION_ID); loop=$(ls -d \"$state\"/*/waves/*)";
    for (forge, reason) in [
        // A check record written by hand.
        (
            "mkdir -p \"$pass/checks\"; echo '{\"schema_version\":1}' > \"$pass/checks/0001.json\"; report CLEAN '[]' 0; hand_in",
            "completion_receipt_missing",
        ),
        // Evidence edited after it was handed in.
        (
            "checks; report CLEAN '[]' 0; hand_in; sed -i 's/\"verified_findings\": 0/\"verified_findings\": 1/' \"$pass/evidence.json\"",
            "completion_receipt_missing",
        ),
        ("checks; report CLEAN '[]' 0; hand_in; echo more >> \"$pass/context.md\"", "completion_receipt_missing"),
        // Another pass's completion.
        (
            "checks; report FINDINGS:1 \"$(found x)\" 0; hand_in; sed -i 's/FINDINGS:1/CLEAN/' \"$pass/completion.json\"",
            "completion_receipt_missing",
        ),
        // Its own record.
        (
            "checks; report CLEAN '[]' 0; hand_in; sed -i 's/\"profile\": \"[a-z]*\"/\"profile\": \"thorough\"/' \"$pass/pass.json\"",
            "pass_attestation_invalid",
        ),
    ] {
        let w = Waves::new("x").tier("normal");
        w.kit.write("play/act-x.sh", format!("{state}\n{forge}\n"));
        let paused = w.pauses(reason);
        assert_eq!(paused["gate"]["clean"], 0, "{forge}");
    }
    // The parent's gate.
    let w = Waves::new("x").tier("normal");
    w.kit.write(
        "play/act-x.sh",
        format!("{state}\nchecks; report CLEAN '[]' 0; hand_in; sed -i 's/\"required\": 3/\"required\": 1/' \"$loop/gate.json\"\n"),
    );
    w.drive(&[]).fails("FORGED_STATE");
    w.run(&["show-gate"]).fails("FORGED_STATE");
    assert_eq!(w.valid().json["violations"][0]["rule"], "state");
    // Its own gate, by command.
    let w = Waves::new("x clean").tier("normal");
    let script = "for c in 'set-override review.clean-passes 1 --reason easy' 'waive-gate --reason easy' 'recover-review --reason x' 'close-wave' 'open-wave' 'open-gate' 'append-event --type review.completed'; do \"$rl\" $c >> \"$dir/refused\"; done\n\"$rl\" set-override review.pass-timeout 4000 --reason 'the suite is slow' > \"$dir/allowed\"\nchecks; report CLEAN '[]' 0; hand_in\n";
    w.kit.write("play/act-x.sh", script);
    w.reaches(3);
    let refused = w.kit.read("play/refused");
    assert_eq!(refused.matches("PASS_ACTIVE").count(), 7, "{refused}");
    assert!(w.kit.read("play/allowed").contains("\"in_force\":4000"));
}

#[test]
fn a_clean_result_needs_every_declared_check_on_this_very_tree() {
    let w = Waves::new("clean").tier("small");
    w.kit.git("r", &["checkout", "-q", "main"]);
    w.kit.write(
        "r/.review-loop/checks.toml",
        "[[check]]\nname = \"suite\"\nargv = [\"sh\", \"-c\", \"test ! -f broken\"]\nparser = \"exit\"\n",
    );
    w.kit.git("r", &["add", "-A"]);
    w.kit.git("r", &["commit", "-q", "-m", "checks"]);
    w.kit.git("r", &["checkout", "-q", "topic"]);
    w.kit.git("r", &["merge", "-q", "--no-edit", "main"]);
    // The candidate takes the check away and adds one of its own: both run.
    w.kit.write("r/.review-loop/checks.toml", "[[check]]\nname = \"extra\"\nargv = [\"true\"]\nparser = \"exit\"\n");
    w.pauses("completion_receipt_missing");
    let mend = w.kit.read("play/compiled.1");
    assert!(mend.contains("CHECK_MISSING") && mend.contains("\"suite\"") && mend.contains("\"extra\""), "{mend}");
    w.kit.write("play/checks", "checks suite extra");
    w.kit.write("r/broken", "x\n");
    std::fs::remove_file(w.kit.path("play/n")).unwrap();
    w.pauses("completion_receipt_missing");
    assert!(w.kit.read("play/compiled.1").contains("CHECK_FAILED"));
    std::fs::remove_file(w.kit.path("r/broken")).unwrap();
    std::fs::remove_file(w.kit.path("play/n")).unwrap();
    w.reaches(1);
    let w = Waves::new("x").tier("small");
    w.kit.write("play/act-x.sh", "checks; echo late >> a.rs; report FINDINGS_FIXED:1 \"$(found late)\" 1; hand_in\n");
    w.pauses("completion_receipt_missing");
    assert!(w.kit.read("play/compiled.1").contains("CHECK_STALE"));
}

#[test]
fn an_override_lowers_the_gate_keeps_credit_and_is_bound_to_the_receipt() {
    let w = Waves::new("clean die clean").tier("normal");
    assert_eq!(w.drive(&[]).json["gate"]["clean"], 1);
    w.run(&["set-override", "review.clean-passes", "31", "--reason", "x"]).fails("INVALID_ARGUMENT");
    w.run(&["set-override", "review.clean-passes", "2"]).fails("INVALID_ARGUMENT");
    w.run(&["set-override", "review.nothing", "2", "--reason", "x"]).fails("INVALID_ARGUMENT");
    w.run(&["set-override", "review.clean-passes", "2", "--reason", "the change is a comment", "--source", "human"]).ok();
    let done = w.drive(&[]);
    assert_eq!(
        (done.status, w.played(), &done.json["gate"]["outcome"], &done.json["gate"]["required"]),
        (0, 3, &json!("waived"), &json!(2)),
        "{}",
        done.stdout
    );
    assert_eq!(w.valid().ok()["outcome"], "waived");
    w.run(&["clear-override", "review.clean-passes", "--reason", "asked for by nobody"]).ok();
    assert_eq!(w.valid().json["violations"][0]["rule"], "override_binding");
    // A torn or malformed journal is no decision at all.
    let journal = format!("{}/overrides.jsonl", w.dir());
    w.kit.write(&journal, w.kit.read(&journal) + "{\"schema_version\":1}\n");
    w.run(&["set-override", "review.max-waves", "3", "--reason", "x"]).fails("OVERRIDE_STATE_INVALID");
    // Opening the gate anew puts it aside, and with it what was earned under it.
    let anew = w.run(&["open-gate"]).ok();
    assert_eq!((&anew["clean"], &anew["differs"]), (&json!(0), &json!(["state"])));
    assert!(w.kit.path(&format!("{journal}.damaged-1")).exists());
    let w = Waves::new("clean").tier("normal");
    w.run(&["open-gate"]).ok();
    w.run(&["set-override", "review.clean-passes", "1", "--reason", "short", "--for-seconds", "1000"]).ok();
    w.run(&["set-override", "review.max-waves", "1", "--reason", "small budget", "--scope", "session"]).ok();
    w.reaches(1);
}

#[test]
fn a_budget_of_waves_pauses_with_credit_kept() {
    let w = Waves::new("fixA clean fixB clean clean").tier("normal");
    w.run(&["open-gate"]).ok();
    w.run(&["set-override", "review.max-waves", "3", "--reason", "three are enough for one sitting"]).ok();
    let paused = w.pauses("wave_budget_exhausted");
    assert_eq!((&paused["gate"]["iteration"], &paused["gate"]["clean"]), (&json!(3), &json!(0)));
    w.run(&["set-override", "review.max-waves", "9", "--reason", "more time"]).ok();
    w.reaches(6);
}

#[test]
fn a_receipt_holds_for_what_was_reviewed_and_for_nothing_else() {
    let w = Waves::new("clean").tier("normal");
    w.reaches(3);
    // Staging and committing the same content changes nothing.
    w.kit.write("r/b.rs", "b\n");
    w.valid().ok();
    let dir = w.dir();
    let again = w.drive(&[]);
    assert_eq!((again.status, w.played()), (0, 3));
    w.kit.write("r/a.rs", "later\n");
    assert_eq!(w.valid().json["violations"][0]["rule"], "scope_fingerprint");
    w.kit.write("r/a.rs", "two\n");
    w.valid().ok();
    // Every proof is opened again.
    let proofs = w.kit.list(&format!("{dir}/proofs"));
    let place = w.kit.path(&format!("{dir}/proofs/{}", proofs[0]));
    let mode =
        |path: &std::path::Path, bits: u32| std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(bits)).unwrap();
    let flaw = || w.valid().json["violations"][0]["rule"].as_str().unwrap().to_owned();
    mode(&place.join("context.md"), 0o600);
    assert_eq!(flaw(), "proof_mode");
    let text = std::fs::read(place.join("context.md")).unwrap();
    std::fs::write(place.join("context.md"), [&text[..], b"\nmore words at the end\n"].concat()).unwrap();
    mode(&place.join("context.md"), 0o400);
    assert_eq!(flaw(), "proof_attestation");
    mode(&place.join("context.md"), 0o600);
    std::fs::write(place.join("context.md"), &text).unwrap();
    mode(&place.join("context.md"), 0o400);
    w.valid().ok();
    mode(&place, 0o700);
    std::fs::write(place.join("extra"), "x").unwrap();
    assert_eq!(flaw(), "proof_orphan");
    std::fs::remove_file(place.join("extra")).unwrap();
    mode(&place, 0o500);
    std::fs::create_dir(w.kit.path(&format!("{dir}/proofs/99"))).unwrap();
    assert_eq!(flaw(), "proof_orphan");
    std::fs::remove_dir(w.kit.path(&format!("{dir}/proofs/99"))).unwrap();
    let receipt = w.kit.read(&format!("{dir}/receipt.json"));
    w.kit.write(&format!("{dir}/receipt.json"), receipt.replace("\"clean\": 3", "\"clean\": 4"));
    assert_eq!(flaw(), "receipt_file");
    w.kit.write("copy.json", &receipt);
    w.run(&["check-receipt", "--receipt", "copy.json"]).ok();
    // The policy of the default branch counts, the candidate's does not.
    w.kit.write(&format!("{dir}/receipt.json"), &receipt);
    w.valid().ok();
}

#[test]
fn credit_is_taken_over_only_while_every_binding_holds_and_what_differs_is_said() {
    let w = Waves::new("clean die clean").tier("normal");
    assert_eq!(w.drive(&[]).json["gate"]["clean"], 1);
    let same = w.run(&["open-gate"]).ok();
    assert_eq!((&same["resumed"], &same["clean"], &same["differs"]), (&json!(true), &json!(1), &json!([])));
    w.kit.write("r/a.rs", "three\n");
    let moved = w.run(&["open-gate"]).ok();
    assert_eq!((&moved["resumed"], &moved["clean"], &moved["differs"]), (&json!(false), &json!(0), &json!(["scope_fingerprint"])));
    w.kit.write("r/a.rs", "four\n");
    let refused = w.run(&["open-wave"]).fails("BINDING_CHANGED");
    assert_eq!(refused["error"]["differs"], json!(["scope_fingerprint"]));
    // A policy that the default branch changes.
    w.kit.git("r", &["checkout", "-q", "-f", "main"]);
    w.kit.write("r/.review-loop/policy.toml", "small_clean_passes = 2\nnormal_clean_passes = 2\ncomplex_clean_passes = 2\n");
    w.kit.git("r", &["add", "-A"]);
    w.kit.git("r", &["commit", "-q", "-m", "policy"]);
    w.kit.git("r", &["checkout", "-q", "topic"]);
    let policy = w.run(&["open-gate"]).ok();
    assert!(policy["differs"].as_array().unwrap().contains(&json!("policy_binding")), "{policy}");
    assert_eq!(policy["required"], 2);
    // A tier never falls for the same scope.
    let mut w = w;
    w.kit.set("REVIEW_LOOP_TIER", "complex");
    w.run(&["open-gate"]).ok();
    w.kit.set("REVIEW_LOOP_TIER", "small");
    assert_eq!(w.run(&["open-gate"]).ok()["tier"], "complex");
}

#[test]
fn the_policy_is_the_trusted_commits_and_never_the_candidates() {
    let kit = Kit::new();
    kit.repo("r", &[("a", "a\n")]);
    let policy = |kit: &Kit| kit.run(&["resolve-policy", "--repo", "r"]);
    let built_in = policy(&kit).ok();
    assert_eq!(
        (&built_in["provenance"], &built_in["small"], &built_in["normal"], &built_in["complex"]),
        (&json!("built_in"), &json!(1), &json!(3), &json!(6))
    );
    assert_eq!(built_in["policy_binding"], "2bce689e96dcf9f9fd7b327d314c9210cea8d108abd74e27d3163311d1501ca6");
    kit.write(
        "r/.review-loop/policy.toml",
        "small_clean_passes = 2\nnormal_clean_passes = 4\ncomplex_clean_passes = 8\nwave_budget = 20\nsensitive = [\"core/**\"]\n",
    );
    assert_eq!(policy(&kit).ok()["provenance"], "built_in", "a working tree decides nothing");
    kit.git("r", &["add", "-A"]);
    kit.git("r", &["commit", "-q", "-m", "policy"]);
    let own = policy(&kit).ok();
    assert_eq!(
        (&own["provenance"], &own["complex"], &own["wave_budget"], &own["sensitive"]),
        (&json!("policy_toml"), &json!(8), &json!(20), &json!(["core/**"]))
    );
    kit.git("r", &["checkout", "-q", "-b", "topic"]);
    kit.write("r/.review-loop/policy.toml", "small_clean_passes = 1\n");
    kit.git("r", &["commit", "-q", "-am", "easier"]);
    assert_eq!(policy(&kit).ok()["small"], 2, "nor does a candidate branch");
    kit.git("r", &["checkout", "-q", "main"]);
    for (text, code) in [
        ("small_clean_passes = 5\nnormal_clean_passes = 4\n", "INVALID_POLICY"),
        ("complex_clean_passes = 31\n", "INVALID_POLICY"),
        ("small_clean_passes = 0\n", "INVALID_POLICY"),
        ("pass = 1\n", "INVALID_POLICY"),
        ("not toml", "INVALID_POLICY"),
    ] {
        kit.write("r/.review-loop/policy.toml", text);
        kit.git("r", &["commit", "-q", "-am", "bad"]);
        policy(&kit).fails(code);
    }
    kit.git("r", &["rm", "-q", "-r", ".review-loop"]);
    let table = "# x\n\n## Review Policy\n\n| Setting | Value |\n|---|---|\n| small_clean_passes | 1 |\n| normal_clean_passes | 2 |\n| complex_clean_passes | 3 |\n";
    kit.write("r/.dex/dex.md", table);
    kit.git("r", &["add", "-A"]);
    kit.git("r", &["commit", "-q", "-m", "table"]);
    assert_eq!(policy(&kit).ok()["provenance"], "dex_md");
    kit.write("r/.review-loop/policy.toml", "small_clean_passes = 2\n");
    kit.git("r", &["add", "-A"]);
    kit.git("r", &["commit", "-q", "-m", "both"]);
    policy(&kit).fails("POLICY_CONFLICT");
    // Before the first commit the built-in numbers hold; with commits and no default branch none do.
    std::fs::create_dir(kit.path("u")).unwrap();
    kit.git("u", &["init", "-q", "-b", "main"]);
    assert_eq!(kit.run(&["resolve-policy", "--repo", "u"]).ok()["provenance"], "unborn");
    kit.repo("d", &[("a", "a\n")]);
    kit.git("d", &["checkout", "-q", "--detach"]);
    kit.git("d", &["branch", "-q", "-D", "main"]);
    kit.run(&["resolve-policy", "--repo", "d"]).fails("NO_TRUSTED_COMMIT");
}

#[test]
fn the_floor_names_what_it_matched_and_a_move_out_of_a_sensitive_folder_counts() {
    let kit = Kit::new();
    kit.repo(
        "r",
        &[("src/auth/x.rs", "one\ntwo\nthree\n"), ("core/y.rs", "y\n"), (".review-loop/policy.toml", "sensitive = [\"core/**\"]\n")],
    );
    kit.git("r", &["checkout", "-q", "-b", "topic"]);
    kit.git("r", &["mv", "src/auth/x.rs", "src/x.rs"]);
    let floor = kit.run(&["assess-floor", "--repo", "r"]).ok();
    assert_eq!((&floor["tier"], &floor["reason_codes"]), (&json!("complex"), &json!(["security-sensitive"])));
    assert_eq!(floor["matched"][0]["path"], "src/auth/x.rs");
    kit.git("r", &["reset", "-q", "--hard"]);
    kit.write("r/core/y.rs", "z\n");
    assert_eq!(kit.run(&["assess-floor", "--repo", "r"]).ok()["reason_codes"], json!(["declared-sensitive-path"]));
    kit.git("r", &["reset", "-q", "--hard"]);
    kit.write("r/README.md", "words\n");
    assert_eq!(kit.run(&["assess-floor", "--repo", "r"]).ok()["tier"], "small");
    kit.git("r", &["reset", "-q", "--hard"]);
    std::fs::remove_file(kit.path("r/README.md")).unwrap();
    assert_eq!(kit.run(&["assess-floor", "--repo", "r"]).ok()["reason_codes"], json!(["broad-impact"]), "a whole code base");
}

#[test]
fn a_selection_keeps_codes_tiers_and_sources_together_and_never_falls() {
    let mut kit = Kit::new();
    kit.repo("r", &[("a.rs", "a\n")]);
    kit.write("r/a.rs", "b\n");
    let select = |kit: &Kit, words: &[&str]| kit.run(&[&["select-tier", "--repo", "r"], words].concat());
    let fine = select(&kit, &["--tier", "small", "--reason-codes", "localized-change,focused-verification"]).ok();
    assert_eq!((&fine["tier"], &fine["profile"], &fine["required"]), (&json!("small"), &json!("light"), &json!(1)));
    select(&kit, &["--tier", "small", "--reason-codes", "concurrency"]).fails("INVALID_SELECTION");
    select(&kit, &["--tier", "complex", "--reason-codes", "operator-override"]).fails("INVALID_SELECTION");
    select(&kit, &["--tier", "complex", "--reason-codes", "concurrency", "--source", "lifecycle-agent"]).fails("INVALID_SELECTION");
    select(&kit, &["--tier", "tiny", "--reason-codes", "concurrency"]).fails("INVALID_ARGUMENT");
    assert_eq!(
        select(
            &kit,
            &[
                "--tier",
                "small",
                "--reason-codes",
                "localized-change,focused-verification",
                "--current",
                "normal",
                "--current-reason-codes",
                "bounded-production-change"
            ]
        )
        .ok()["tier"],
        "normal"
    );
    kit.set("DEX_REVIEW_PROFILE", "thorough");
    assert_eq!(select(&kit, &[]).ok()["tier"], "complex", "the seed's spelling is read");
    kit.set("REVIEW_LOOP_PROFILE", "light");
    select(&kit, &[]).fails("INVALID_ARGUMENT");
    kit.unset("DEX_REVIEW_PROFILE");
    kit.write("r/auth.rs", "x\n");
    let lowered = select(&kit, &[]).ok();
    assert_eq!((&lowered["tier"], &lowered["exception"], &lowered["floor"]["tier"]), (&json!("small"), &json!(true), &json!("complex")));
    kit.set("REVIEW_LOOP_CLEAN_PASSES", "0");
    select(&kit, &[]).fails("INVALID_ARGUMENT");
    kit.set("REVIEW_LOOP_CLEAN_PASSES", "4");
    assert_eq!(select(&kit, &[]).ok()["required"], 4);
}

#[test]
fn criteria_are_approved_once_and_again_only_by_naming_what_they_follow() {
    let kit = Kit::new();
    let write = |text: &str| {
        kit.write("c", json!({"version": 1, "source": "approved-plan", "objectives": [text], "acceptance_criteria": ["A"], "verification_requirements": ["V"]}).to_string())
    };
    write("Ship é.");
    let first = kit.run(&["seal-criteria", "--input", "c", "--approval", "a"]).ok();
    assert_eq!(first["criteria_binding"], "5cec2efe6dbf28a940a9ca035f6f87f5a4a35741044985a62b1680579ca19fec");
    assert_eq!(
        (&first["revision"], &first["items"]["objectives"][0]),
        (&json!(1), &json!("68cca17090217058b515b73023583ed8a4f3698d616a45c11ae44032d26f42c2"))
    );
    assert_eq!(kit.run(&["seal-criteria", "--input", "c", "--approval", "a"]).ok()["revision"], 1);
    write("Ship it.");
    kit.run(&["seal-criteria", "--input", "c", "--approval", "a"]).fails("APPROVAL_CONFLICT");
    kit.run(&["seal-criteria", "--input", "c", "--approval", "a", "--previous", &"0".repeat(64)]).fails("APPROVAL_CONFLICT");
    let binding = first["criteria_binding"].as_str().unwrap();
    assert_eq!(kit.run(&["seal-criteria", "--input", "c", "--approval", "a", "--previous", binding]).ok()["revision"], 2);
    for bad in [
        json!({"version": true}),
        json!({"version": 1, "source": "me", "objectives": ["x"], "acceptance_criteria": ["A"], "verification_requirements": ["V"]}),
    ] {
        kit.write("c", bad.to_string());
        assert_eq!(kit.run(&["seal-criteria", "--input", "c"]).status, 2);
    }
    write("TBD");
    let refused = kit.run(&["seal-criteria", "--input", "c"]).fails("INVALID_CRITERIA");
    assert_eq!(refused["error"]["violations"][0]["rule"], "placeholder");
}

#[test]
fn by_hand_a_wave_is_opened_checked_compiled_and_closed() {
    let w = Waves::new("clean").tier("small");
    w.run(&["open-wave"]).fails("STATE_MISSING");
    w.run(&["show-gate"]).fails("STATE_MISSING");
    let gate = w.run(&["open-gate"]).ok();
    assert_eq!((&gate["status"], &gate["clean"], &gate["required"]), (&json!("open"), &json!(0), &json!(1)));
    w.run(&["close-wave"]).fails("NO_OPEN_PASS");
    let wave = w.run(&["open-wave"]).ok()["wave"].clone();
    w.run(&["open-wave"]).fails("PASS_OPEN");
    w.run(&["open-gate"]).fails("PASS_OPEN");
    let session = wave["session_id"].as_str().unwrap();
    let inside = |words: &[&str]| w.run(&[words, &["--session-id", session]].concat());
    inside(&["run-check", "--name", "nothing"]).fails("UNKNOWN_CHECK");
    w.kit.run(&["run-check", "--repo", "r", "--name", "checks"]).fails("INVALID_ARGUMENT");
    assert_eq!(inside(&["run-check", "--name", "checks"]).ok()["passed"], true);
    let generation = wave["generation"].as_str().unwrap();
    w.kit.write("report", "{");
    let hand_in = |generation: &str| inside(&["compile-wave", "--report", "report", "--generation", generation]);
    hand_in("0").fails("STALE_GENERATION");
    hand_in(generation).fails("CORRUPT");
    let long = "said in a sentence of its own, long enough to be worth something";
    let mut report = json!({"version": 1, "result": "CLEAN", "context": {"scope": long, "checks": long, "coverage": long, "verification": "ok"},
        "criteria": {}, "deterministic_checks": "pass", "coverage": ["correctness"], "verifier": "pass", "findings": [], "fixes_applied": 0});
    w.kit.write("report", report.to_string());
    let mend = hand_in(generation);
    let rules: Vec<&str> = mend.json["mend"].as_array().unwrap().iter().map(|m| m["rule"].as_str().unwrap()).collect();
    assert_eq!((mend.status, rules), (1, vec!["context_too_short", "coverage"]));
    // Nothing was handed in: the pass stays open, and another generation completes it.
    let rejected = w.run(&["close-wave"]);
    assert_eq!((rejected.status, &rejected.json["mend"][0]["rule"], &rejected.json["clean"]), (1, &json!("completion"), &json!(0)));
    hand_in(generation).fails("STALE_GENERATION");
    let generation = rejected.json["generation"].as_str().unwrap().to_owned();
    report["context"]["verification"] = json!(long);
    report["coverage"] = json!(["correctness", "security", "contracts", "tests", "architecture"]);
    report["extra"] = json!(1);
    w.kit.write("report", report.to_string());
    hand_in(&generation).fails("BAD_SHAPE");
    report.as_object_mut().unwrap().remove("extra");
    report["result"] = json!("APPROVE");
    w.kit.write("report", report.to_string());
    hand_in(&generation).fails("INVALID_WAVE_REPORT");
    report["result"] = json!("CLEAN");
    w.kit.write("report", report.to_string());
    let taken = hand_in(&generation).ok();
    assert_eq!((&taken["published"], &taken["findings_hash"]), (&json!(true), &json!("a3395601ed5265fe")));
    let closed = w.run(&["close-wave"]).ok();
    assert_eq!((&closed["action"], &closed["status"], &closed["outcome"]), (&json!("complete"), &json!("completed"), &json!("completed")));
    hand_in(&generation).fails("NO_OPEN_PASS");
    w.valid().ok();
    w.run(&["waive-gate", "--reason", "x"]).fails("GATE_NOT_OPEN");
    let failed = Waves::new("clean").tier("normal");
    failed.run(&["open-gate"]).ok();
    failed.run(&["open-wave"]).ok();
    failed.run(&["close-wave", "--failure", "bad_mood"]).fails("INVALID_ARGUMENT");
    let paused = failed.run(&["close-wave", "--failure", "review-session-unavailable"]);
    assert_eq!((paused.status, &paused.json["paused"]["reason"]), (3, &json!("review-session-unavailable")));
    let waived = failed.run(&["waive-gate", "--reason", "no client here", "--source", "human"]).ok();
    assert_eq!((&waived["status"], &waived["outcome"], &waived["receipt"]), (&json!("waived"), &json!("waived"), &Value::Null));
    assert_eq!(failed.valid().json["violations"][0]["rule"], "receipt_missing");
}

#[test]
fn the_stop_hook_blocks_an_open_gate_up_to_its_cap_and_always_exits_0() {
    let w = Waves::new("clean").tier("small");
    let hook = |words: &[&str], input: &str| {
        use std::io::Write;
        let mut child = w
            .kit
            .command(&[&["answer-stop-hook"], words].concat())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // Who refuses its flags reads nothing.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let said = json!({"session_id": "s", "cwd": w.kit.text("r"), "hook_event_name": "Stop"}).to_string();
    assert_eq!(hook(&[], &said), json!({}), "no loop, nothing to say");
    w.run(&["open-gate"]).ok();
    let blocked = hook(&["--cap", "2"], &said);
    assert_eq!((&blocked["decision"], blocked.as_object().unwrap().len()), (&json!("block"), 2));
    assert!(blocked["reason"].as_str().unwrap().contains("review-loop open-wave"), "{blocked}");
    assert_eq!(hook(&["--cap", "2"], &said)["decision"], "block");
    assert_eq!(hook(&["--cap", "2"], &said)["decision"], Value::Null);
    assert_eq!(hook(&["--cap", "2"], &said)["decision"], "block", "it counts anew after it let a turn end");
    // What cannot be trusted blocks; what cannot be asked lets the turn end, or blocks when told to.
    let path = format!("{}/gate.json", w.dir());
    let gate = w.kit.read(&path);
    w.kit.write(&path, "{}");
    assert_eq!(hook(&[], &said)["decision"], "block");
    w.kit.write(&path, gate);
    assert!(hook(&["--bogus"], &said)["systemMessage"].is_string());
    assert_eq!(hook(&["--bogus", "--on-error", "block"], &said)["decision"], "block");
    assert!(hook(&["--cap", "many"], &said)["systemMessage"].is_string());
    assert_eq!(hook(&[], "not json").get("decision"), None, "outside a repository there is no gate");
    w.reaches(1);
    assert_eq!(hook(&[], &said), json!({}));
}

#[test]
fn events_are_typed_and_say_nothing_of_what_was_reviewed() {
    let w = Waves::new("fixA clean").tier("small");
    w.reaches(2);
    let shown = w.run(&["show-events"]).ok();
    let kinds: Vec<&str> = shown["events"].as_array().unwrap().iter().map(|e| e["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "review.tier.selected",
            "review.pass.started",
            "review.pass.finished",
            "review.pass.started",
            "review.pass.finished",
            "review.completed"
        ]
    );
    let text = shown.to_string();
    let secret = w.kit.json(&format!("{}/gate.json", w.dir()));
    for leak in [secret["bound"]["scope_fingerprint"].as_str().unwrap(), "a.rs", "bounded", "topic\"", "a3395601"] {
        assert!(!text.contains(leak), "{leak}");
    }
    let sum = w.run(&["show-events", "--summary"]).ok()["summary"].clone();
    assert_eq!(
        (&sum["loops"], &sum["completed"], &sum["passes_finished"], &sum["find_rate"]["1"]["found"]),
        (&json!(1), &json!(1), &json!(2), &json!(1))
    );
    w.kit.write("d", json!({"scope_fingerprint": "x"}).to_string());
    w.run(&["append-event", "--type", "review.paused", "--data", "d"]).fails("INVALID_EVENT");
    w.run(&["append-event", "--type", "review.invented"]).fails("INVALID_EVENT");
    w.kit.write("d", json!({"reason": "my-secret-project"}).to_string());
    assert_eq!(w.run(&["append-event", "--type", "review.paused", "--data", "d"]).ok()["data"]["reason"], "other");
}

#[test]
fn a_driver_refuses_what_it_cannot_mean() {
    let mut w = Waves::new("clean").tier("small");
    w.run(&["run-waves"]).fails("INVALID_ARGUMENT");
    w.run(&["run-waves", "--provider", "gemini"]).fails("INVALID_ARGUMENT");
    w.run(&["run-waves", "--provider", "command"]).fails("INVALID_ARGUMENT");
    w.kit.set("DEX_REVIEW_TIER", "complex");
    w.drive(&[]).fails("INVALID_ARGUMENT");
    w.kit.unset("DEX_REVIEW_TIER");
    w.kit.set("REVIEW_LOOP_TIER", "tiny");
    w.drive(&[]).fails("INVALID_ARGUMENT");
    w.kit.set("REVIEW_LOOP_TIER", "small");
    w.kit.set("REVIEW_LOOP_PASS_ACTIVE", "1");
    w.drive(&[]).fails("PASS_ACTIVE");
    w.kit.unset("REVIEW_LOOP_PASS_ACTIVE");
    let missing = w.kit.run(&["run-waves", "--repo", "r", "--provider", "command", "--", "/no/such/program"]);
    assert_eq!((missing.status, &missing.json["exit_reason"]), (3, &json!("review-session-unavailable")), "{}", missing.stdout);
    assert!(!w.kit.path("play/n").exists());
}

/// What every wave of these tests ends with.
const FIN: &str = "checks; report CLEAN '[]' 0; hand_in\n";

impl Waves {
    fn act(self, script: &str) -> Waves {
        self.kit.write("play/act-x.sh", script);
        self
    }

    /// Where state lies, in a wave's own words.
    const STATE: &'static str = "state=$(dirname \"$dir\")/state/review-loop; pass=$(ls -d \"$state\"/*/passes/$REVIEW_LOOP_SESSION_ID); loop=$(ls -d \"$state\"/*/waves/*)\n";
}

#[test]
fn a_receipt_answers_for_what_is_asked_now_and_not_for_less() {
    let mut w = Waves::new("clean").tier("small");
    w.reaches(1);
    let flags = w.criteria();
    let ran = w.drive(&flags.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((ran.status, &ran.json["gate"]["kind"], w.played()), (0, &json!("lifecycle"), 2), "{}", ran.stdout);
    std::fs::remove_file(w.kit.path("play/criteria-answer")).unwrap();
    let plain = w.drive(&[]);
    assert_eq!((plain.status, w.played()), (0, 3), "{}", plain.stdout);
    w.kit.git("r", &["commit", "-q", "--allow-empty", "-m", "more"]);
    let based = w.drive(&["--base", "main"]);
    assert_eq!((based.status, w.played()), (0, 3), "the same change set keeps its credit: {}", based.stdout);
    w.kit.set("REVIEW_LOOP_CLEAN_PASSES", "3");
    assert_eq!((w.drive(&["--base", "main"]).json["gate"]["clean"].clone(), w.played()), (json!(3), 5));
    w.kit.unset("REVIEW_LOOP_CLEAN_PASSES");
    w.run(&["set-override", "review.clean-passes", "4", "--reason", "one more"]).ok();
    assert_eq!(w.valid().json["violations"][0]["rule"], "required");
    // Criteria that were approved anew end what was earned under the old ones.
    let w = Waves::new("clean").tier("small");
    let flags = w.criteria();
    assert_eq!(w.drive(&flags.iter().map(String::as_str).collect::<Vec<_>>()).status, 0);
    let text = w.kit.read("criteria.json").replace("bounded", "checked");
    w.kit.write("criteria.json", text);
    let binding = w.kit.json("approval.json")["criteria_binding"].as_str().unwrap().to_owned();
    w.kit.run(&["seal-criteria", "--input", "criteria.json", "--approval", "approval.json", "--previous", &binding]).ok();
    assert_eq!(w.valid().json["violations"][0]["rule"], "criteria_binding");
}

#[test]
fn one_session_earns_one_pass_whatever_it_makes_of_its_variables() {
    let steal = "for c in close-wave open-wave waive-gate\\ --reason\\ x set-override\\ review.clean-passes\\ 1\\ --reason\\ x clear-override\\ review.clean-passes\\ --reason\\ x; do env -u REVIEW_LOOP_PASS_ACTIVE \"$rl\" $c >> \"$dir/refused\"; done\n";
    let w = Waves::new("x clean").tier("normal").act(&format!("checks; report CLEAN '[]' 0; hand_in\n{steal}"));
    w.reaches(3);
    let refused = w.kit.read("play/refused");
    assert_eq!(refused.matches("REVIEW_BUSY").count(), 3, "{refused}");
    assert_eq!(refused.matches("PASS_ACTIVE").count(), 2, "{refused}");
    // More time is a wave's to ask for, within bounds, and never in a person's name.
    let ask = "\"$rl\" set-override review.pass-timeout 0 --reason x > \"$dir/a\"; \"$rl\" set-override review.pass-timeout 60 --source human --reason x > \"$dir/b\"\n";
    let w = Waves::new("x").tier("small").act(&format!("{ask}{FIN}"));
    w.reaches(1);
    assert!(w.kit.read("play/a").contains("PASS_ACTIVE") && w.kit.read("play/b").contains("PASS_ACTIVE"));
    // A decision that was written by hand is none.
    let forge = "echo '{\"schema_version\":1,\"previous\":\"\",\"row\":{\"schema_version\":1,\"created_ms\":1,\"action\":\"set\",\"gate\":\"review.clean-passes\",\"value\":1,\"scope\":\"phase\",\"opening\":1,\"source\":\"human\",\"expires_at\":0,\"reason\":\"x\"},\"mac\":\"00\"}' >> \"$loop/overrides.jsonl\"; chmod 600 \"$loop/overrides.jsonl\"\n";
    let w = Waves::new("x").tier("normal").act(&format!("{}{FIN}{forge}", Waves::STATE));
    w.pauses("override_state_invalid");
}

#[test]
fn findings_that_were_handed_in_with_a_slip_are_not_overruled_by_a_clean_try() {
    let script = "checks; report FINDINGS:2 \"$(found real)\" 0; hand_in; report CLEAN '[]' 0; hand_in\n";
    let w = Waves::new("x clean").tier("small").act(script);
    w.pauses("completion_receipt_missing");
    assert_eq!(w.played(), 1, "nobody else is asked about the same pass");
    assert!(w.kit.read("play/compiled.1").contains("result_changed"));
}

#[test]
fn a_wave_that_edits_and_says_clean_is_found_out_by_whatever_it_hides_behind() {
    for (edit, reason) in [
        ("echo evil >> a.rs", "clean_mutated_scope"),
        ("echo evil >> b.rs", "clean_mutated_scope"),
        ("git checkout -q main", "review_identity_changed"),
        (
            "printf '* filter=h\\n' > .git/info/attributes; git config filter.h.clean 'git cat-file blob HEAD:%f'; echo evil >> b.rs",
            "review_identity_changed",
        ),
        (
            "git config core.trustctime false; git config core.checkStat minimal; touch -r b.rs ../ref; printf 'e\\n' > b.rs; touch -r ../ref b.rs",
            "review_identity_changed",
        ),
        ("git config core.fileMode false; chmod +x b.rs", "review_identity_changed"),
        ("echo evil.rs >> .git/info/exclude; echo evil > evil.rs", "review_identity_changed"),
    ] {
        let w = Waves::new("x").tier("normal").act(&format!("{edit}\n{FIN}"));
        w.pauses(reason);
    }
}

#[test]
fn an_escalation_reaches_the_floor_and_a_decision_of_the_last_minute_counts() {
    let w = Waves::new("x clean").tier("small").act("report ESCALATE:normal:bounded '[]' 0; hand_in\n");
    w.kit.write("r/auth.rs", "fn login() {}\n");
    let done = w.reaches(7);
    assert_eq!(done["gate"]["tier"], "complex");
    // An override that is cleared while the last wave runs.
    let w = Waves::new("clean x clean").tier("normal");
    let w = w.act("touch \"$dir/waits\"; while [ ! -f \"$dir/go\" ]; do :; done; checks; report CLEAN '[]' 0; hand_in\n");
    w.run(&["open-gate"]).ok();
    w.run(&["set-override", "review.clean-passes", "2", "--reason", "short", "--source", "human"]).ok();
    let (program, reviewer, play) = (w.program(), w.kit.text("play/reviewer.sh"), w.kit.text("play"));
    let words = ["run-waves", "--repo", "r", "--provider", "command", "--", "sh", &reviewer, &program, &play];
    let mut first = w.kit.command(&words).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    while !w.kit.path("play/waits").exists() {
        std::thread::yield_now();
    }
    w.run(&["clear-override", "review.clean-passes", "--reason", "taken back"]).ok();
    w.kit.write("play/go", "");
    assert_eq!(first.wait().unwrap().code(), Some(0));
    assert_eq!((w.valid().ok()["outcome"].clone(), w.played()), (json!("completed"), 3));
}

#[test]
fn records_that_are_open_to_others_or_no_longer_ours_are_refused_or_put_aside() {
    let w = Waves::new("clean die clean").tier("normal");
    assert_eq!(w.drive(&[]).json["gate"]["clean"], 1);
    let path = format!("{}/gate.json", w.dir());
    let mode = |bits: u32| std::fs::set_permissions(w.kit.path(&path), std::os::unix::fs::PermissionsExt::from_mode(bits)).unwrap();
    mode(0o664);
    w.run(&["show-gate"]).fails("UNTRUSTED_FILE");
    let hook = w.kit.command(&["answer-stop-hook", "--repo", "r"]).output().unwrap();
    assert!(String::from_utf8_lossy(&hook.stdout).contains("\"block\""));
    mode(0o600);
    let gate = w.kit.read(&path);
    for damage in [
        "",
        "{",
        "{\"schema_version\":1}",
        &gate.replace("\"clean\": 1", "\"clean\": 2"),
        &gate.replace("\"required\": 3", "\"required\": 1"),
    ] {
        w.kit.write(&path, damage);
        assert_eq!(w.run(&["show-gate"]).status, 2, "{damage:.20}");
        let fresh = w.run(&["open-gate"]).ok();
        assert_eq!((&fresh["clean"], &fresh["resumed"], &fresh["differs"]), (&json!(0), &json!(false), &json!(["state"])));
    }
    w.kit.write(&path, gate.replace("\"schema_version\": 1", "\"schema_version\": 9"));
    w.run(&["open-gate"]).fails("SCHEMA_NEWER");
    std::fs::remove_file(w.kit.path(&path)).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", w.kit.path(&path)).unwrap();
    w.run(&["open-gate"]).fails("NOT_REGULAR_FILE");
}

#[test]
fn what_a_wave_leaves_in_its_folder_stops_the_loop_with_a_reason_and_never_the_driver() {
    let junk = format!("{}checks; report CLEAN '[]' 0; hand_in; echo '{{}}' > \"$pass/checks/0900.json\"\n", Waves::STATE);
    let w = Waves::new("x").tier("small").act(&junk);
    let ran = w.drive(&[]);
    assert_eq!(ran.status, 3, "{}", ran.stdout);
    let w = Waves::new("x").tier("small").act(&format!("{FIN}mkdir -p .review-loop; echo 'not toml' > .review-loop/checks.toml\n"));
    assert_eq!(w.drive(&[]).status, 3);
    // A kill between the gate and the wave's own record of its new generation.
    let mut w = Waves::new("nothing clean").tier("small");
    w.kit.set("REVIEW_LOOP_TEST_FAILPOINT", "rotated");
    assert_eq!(w.drive(&[]).status, -1);
    w.kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
    let ran = w.drive(&[]);
    assert_eq!((ran.status, w.played()), (0, 2), "{}", ran.stdout);
}

#[test]
fn lowering_and_clearing_keeps_credit_and_a_waived_gate_can_be_opened_anew() {
    let w = Waves::new("clean clean die clean").tier("normal");
    w.run(&["open-gate"]).ok();
    w.run(&["set-override", "review.clean-passes", "5", "--reason", "more"]).ok();
    assert_eq!(w.drive(&[]).json["gate"]["clean"], 2);
    w.run(&["set-override", "review.clean-passes", "1", "--reason", "less", "--source", "human"]).ok();
    let low = w.drive(&[]);
    assert_eq!((low.status, &low.json["gate"]["outcome"], w.played()), (0, &json!("waived"), 3), "{}", low.stdout);
    w.valid().ok();
    w.run(&["clear-override", "review.clean-passes", "--reason", "as it was"]).ok();
    assert_eq!((w.drive(&[]).status, w.played()), (0, 4));
    let w = Waves::new("left clean").tier("small");
    w.drive(&[]);
    w.run(&["waive-gate", "--source", "human", "--reason", "go"]).ok();
    assert_eq!((w.drive(&[]).status, w.played()), (0, 2));
    // A loop on no branch is not lost by a commit.
    let w = Waves::new("commit clean die clean").tier("normal");
    w.kit.git("r", &["checkout", "-q", "--detach"]);
    assert_eq!(w.drive(&[]).json["gate"]["clean"], 1);
    let again = w.drive(&[]);
    assert_eq!((again.status, &again.json["resumed"]), (0, &json!(true)), "{}", again.stdout);
}

#[test]
fn recovery_earns_no_credit_and_a_stale_receipt_blocks_the_end_of_a_turn() {
    let mut w = Waves::new("clean clean clean clean").tier("normal");
    w.kit.set("REVIEW_LOOP_TEST_FAILPOINT", "gate-kept");
    assert_eq!(w.drive(&[]).status, -1);
    w.kit.set("REVIEW_LOOP_TEST_FAILPOINT", "wave-issued");
    assert_eq!(w.drive(&[]).status, -1);
    w.kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
    assert_eq!(w.run(&["show-gate"]).ok()["clean"], 1);
    assert_eq!(w.run(&["recover-review", "--reason", "killed"]).ok()["clean"], 0);
    let ran = w.drive(&[]);
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    let hook = |w: &Waves| w.kit.command(&["answer-stop-hook", "--repo", "r"]).output().unwrap().stdout;
    assert_eq!(hook(&w), b"{}\n");
    w.kit.write("r/a.rs", "later\n");
    assert!(String::from_utf8_lossy(&hook(&w)).contains("no longer holds"));
}

#[test]
fn findings_in_a_form_that_cannot_be_taken_are_no_clean_pass_and_cost_the_streak() {
    let slip = "checks; report FINDINGS:1 \"$(found left)\" 0; sed -i 's/\"version\":1,/\"version\":1,\"note\":\"x\",/' \"$dir/report.json\"; hand_in\n";
    let w = Waves::new("x clean").tier("small").act(slip);
    let ran = w.drive(&[]);
    assert_eq!((ran.status, w.played()), (3, 1), "{}", ran.stdout);
    assert_eq!(ran.json["gate"]["clean"], 0);
    // Published, and then the client crashed: it is what was published.
    let w = Waves::new("clean clean x").tier("normal").act("checks; report FINDINGS:1 \"$(found left)\" 0; hand_in; exit 7\n");
    let ran = w.drive(&[]);
    assert_eq!(
        (ran.status, &ran.json["exit_reason"], &ran.json["gate"]["clean"]),
        (3, &json!("unresolved_findings"), &json!(0)),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_commit_of_something_else_than_what_was_reviewed_is_no_publishing() {
    let evil = "cp a.rs \"$dir/k\"; echo EVIL > a.rs; git -c user.name=x -c user.email=x commit -qam evil; cp \"$dir/k\" a.rs; ";
    let w = Waves::new("x").tier("small").act(&format!("{evil}checks; report CLEAN '[]' 0; hand_in\n"));
    assert_eq!(w.pauses("review_identity_changed")["gate"]["clean"], 0);
    // After the receipt, too.
    let w = Waves::new("clean").tier("small");
    w.reaches(1);
    let kept = w.kit.read("r/a.rs");
    w.kit.write("r/a.rs", "EVIL\n");
    w.kit.git("r", &["commit", "-q", "-am", "evil"]);
    w.kit.write("r/a.rs", kept);
    let rules = w.valid().json["violations"].to_string();
    assert!(rules.contains("\"head\""), "{rules}");
}

#[test]
fn nobody_plays_a_gate_beside_its_driver_whatever_variables_it_drops() {
    let steal = "for c in open-gate open-wave close-wave waive-gate\\ --reason\\ x recover-review\\ --reason\\ x; do env -u REVIEW_LOOP_PASS_ACTIVE -u REVIEW_LOOP_SESSION_ID \"$rl\" $c >> \"$dir/refused\"; done\n";
    let w = Waves::new("x").tier("small").act(&format!("{steal}checks; report CLEAN '[]' 0; hand_in\n"));
    w.reaches(1);
    let refused = w.kit.read("play/refused");
    assert_eq!(refused.matches("\"ok\":false").count(), 5, "{refused}");
    assert!(refused.matches("REVIEW_BUSY").count() >= 4, "{refused}");
}

#[test]
fn a_link_in_the_place_of_the_proofs_leads_nowhere_and_a_lost_journal_is_no_dead_end() {
    let w = Waves::new("clean x clean clean clean").tier("normal").act(&format!(
        "{}mv \"$loop/proofs\" \"$loop/kept\"; ln -s \"$dir/victim\" \"$loop/proofs\"; checks; report CLEAN '[]' 0; hand_in\n",
        Waves::STATE
    ));
    w.kit.write("play/victim/1/mine", "keep me");
    w.kit.write("play/victim/9", "me too");
    for _ in 0..3 {
        w.drive(&[]);
    }
    assert_eq!((w.kit.read("play/victim/1/mine"), w.kit.read("play/victim/9")), ("keep me".to_owned(), "me too".to_owned()));
    let w = Waves::new("x clean clean clean").tier("normal").act(&format!("{}rm -f \"$loop/overrides.jsonl\"; exit 0\n", Waves::STATE));
    w.run(&["open-gate"]).ok();
    w.run(&["set-override", "review.pass-timeout", "500", "--reason", "slow"]).ok();
    let first = w.drive(&[]);
    assert_eq!(first.status, 3, "{}", first.stdout);
    w.reaches(4);
}

#[test]
fn a_check_is_run_by_the_parent_s_programs_and_stays_when_its_files_are_moved_away() {
    let mut w = Waves::new("x").tier("small").act(
        "mkdir -p \"$dir/bin\"; printf '#!/bin/sh\\nexit 0\\n' > \"$dir/bin/mytest\"; chmod +x \"$dir/bin/mytest\"; PATH=\"$dir/bin:$PATH\"; export PATH; checks; report CLEAN '[]' 0; hand_in\n",
    );
    w.kit.write("theirs/mytest", "#!/bin/sh\nexit 1\n");
    std::fs::set_permissions(w.kit.path("theirs/mytest"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    w.kit.git("r", &["checkout", "-q", "main"]);
    w.kit.write("r/.review-loop/checks.toml", "[[check]]\nname = \"test\"\nargv = [\"mytest\"]\nglobs = [\"b.rs\"]\nparser = \"exit\"\n");
    w.kit.git("r", &["add", "-A"]);
    w.kit.git("r", &["commit", "-q", "-m", "checks"]);
    w.kit.git("r", &["checkout", "-q", "topic"]);
    w.kit.git("r", &["rebase", "-q", "main"]);
    w.kit.git("r", &["mv", "b.rs", "c.rs"]);
    w.kit.git("r", &["commit", "-q", "-m", "move"]);
    let path = format!("{}:{}", w.kit.text("theirs"), std::env::var("PATH").unwrap());
    w.kit.set("PATH", &path);
    let ran = w.drive(&[]);
    assert_eq!(ran.status, 3, "{}", ran.stdout);
}

#[test]
fn an_index_that_was_forged_to_hide_an_edit_hides_nothing() {
    use std::os::unix::fs::MetadataExt;
    let mut w = Waves::new("hold").tier("small");
    w.run(&["open-gate"]).ok();
    let before = w.run(&["show-gate"]).ok()["scope_fingerprint"].clone();
    w.kit.write("r/b.rs", "E\n");
    // What a wave could do: the index says of the new file what it said of the old one, with the new one's looks.
    let meta = std::fs::metadata(w.kit.path("r/b.rs")).unwrap();
    let path = w.kit.path("r/.git/index");
    let mut index = std::fs::read(&path).unwrap();
    let at = index.windows(4).position(|part| part == b"b.rs").unwrap() - 62;
    let looks = [meta.ctime(), meta.ctime_nsec(), meta.mtime(), meta.mtime_nsec(), 0, i64::try_from(meta.ino()).unwrap()];
    for (n, value) in looks.iter().enumerate().filter(|(n, _)| *n != 4) {
        let word = u32::try_from(value & 0xffff_ffff).unwrap().to_be_bytes();
        index[at + n * 4..at + n * 4 + 4].copy_from_slice(&word);
    }
    std::fs::write(&path, index).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    assert_eq!(w.kit.git("r", &["status", "--porcelain"]), "", "git itself is taken in");
    w.kit.set("REVIEW_LOOP_TIER", "small");
    let after = w.run(&["open-gate"]).ok();
    assert_ne!(after["scope_fingerprint"], before);
}
