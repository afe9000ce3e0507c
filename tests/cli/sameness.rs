//! What a recorded round knows of the rounds before it, and what follows from it.

use serde_json::{Value, json};

use crate::kit::{Kit, report};

/// A loop `L` on a checkout `r`, with its states in `st`.
struct Loop {
    kit: Kit,
    base: String,
    /// What cited paths are relative to.
    root: &'static str,
}

impl Loop {
    fn on(files: &[(&str, &str)]) -> Loop {
        let kit = Kit::new();
        kit.repo("r", files);
        let base = kit.git("r", &["rev-parse", "HEAD"]);
        Loop { kit, base, root: "r" }
    }

    /// Plans a round on the tree as it stands, and records its review and response.
    fn round(&self, round: &str, review: &str, response: Option<&str>, more: &[&str]) -> Value {
        let plan = format!("st/plan-{round}.json");
        let written = self.kit.write(&format!("review-{round}.md"), review);
        let mut args = vec!["plan-round", "--round-number", round, "--loop-id", "L", "--repo-root", "r"];
        args.extend(["--base-commit", &self.base, "--state-dir", "st", "--output", &plan]);
        self.kit.run(&args).ok();
        let mut args = vec!["record-round", "--round-number", round, "--loop-id", "L", "--repo-root", self.root, "--plan-file", &plan];
        args.extend(["--base-commit", &self.base, "--state-dir", "st", "--review-report", &written]);
        let answered = format!("response-{round}.md");
        if let Some(text) = response {
            self.kit.write(&answered, text);
            args.extend(["--response-report", &answered]);
        }
        args.extend(more);
        self.kit.run(&args).ok();
        self.state(round)
    }

    fn state(&self, round: &str) -> Value {
        self.kit.json(&format!("st/loop-L-round-{round}.state.json"))
    }

    fn compare(&self, previous: &str, current: &str) -> Value {
        let file = |round: &str| format!("st/loop-L-round-{round}.state.json");
        self.kit.run(&["compare-rounds", "--previous", &file(previous), "--current", &file(current)]).ok()
    }

    fn decide(&self, round: &str, more: &[&str]) -> Value {
        let before = format!("st/loop-L-round-{}.state.json", round.parse::<u64>().unwrap() - 1);
        let current = format!("st/loop-L-round-{round}.state.json");
        let mut args = vec!["decide-round", "--current", &current, "--cap", "9"];
        if round != "1" {
            args.extend(["--previous", &before]);
        }
        args.extend(more);
        self.kit.run(&args).ok()
    }
}

/// A file of numbered lines, some of them replaced.
fn numbered(changed: &[(usize, &str)]) -> String {
    (1..=60).map(|n| changed.iter().find(|(at, _)| *at == n).map_or(format!("line {n}\n"), |(_, text)| format!("{text}\n"))).collect()
}

fn accepted(items: &[&str]) -> String {
    items.iter().enumerate().map(|(n, at)| format!("### ITEM-{n}: x\n- `{at}`\n- **Decision**: ACCEPT\n- **Action**: done\n")).collect()
}

#[test]
fn a_state_tells_what_was_reported_again_what_is_fixed_and_what_merely_went() {
    let run = Loop::on(&[("a.rs", &numbered(&[]))]);
    run.kit.write("r/a.rs", numbered(&[(5, "let key = input"), (20, "let size = 0"), (40, "let out = raw")]));
    let first = ["`a.rs:5` the key is not validated", "`a.rs:20` the size may be zero", "`a.rs:40` the output is not escaped"];
    let state = run.round("1", &report("REQUEST_CHANGES", &first, &[], &[]), Some(&accepted(&["a.rs:20", "a.rs:5"])), &[]);
    assert!(state.get("matched").is_none() && state["findings"][0].get("same_as").is_none());
    let decided: Vec<&Value> = state["findings"].as_array().unwrap().iter().map(|f| &f["disposition"]).collect();
    assert_eq!(decided, [&json!("applied"), &json!("applied"), &Value::Null]);
    // A hundred lines above all of it, and a repair of the size.
    let drift = format!(
        "{}{}",
        "// header\n".repeat(100),
        numbered(&[
            (5, "let key = input"),
            (20, "let size = one\nlet kind = other\nlet more = less\nlet name = path"),
            (40, "let out = raw")
        ])
    );
    run.kit.write("r/a.rs", drift);
    let second = ["`a.rs:105` the key is never validated", "`a.rs:123` the name of the file is printed raw"];
    let state = run.round("2", &report("REQUEST_CHANGES", &second, &[], &[]), None, &[]);
    let before = run.state("1");
    let id = |n: usize| before["findings"][n]["id"].clone();
    let key = &state["findings"][0];
    assert_eq!((&key["same_as"], &key["same_as_round"], &key["basis"]), (&id(0), &json!(1), &json!("line_map")));
    assert!(key.get("fix_induced").is_none());
    let fresh = &state["findings"][1];
    assert_eq!((fresh.get("same_as"), &fresh["fix_induced"]), (None, &json!(true)), "{state}");
    let matched = &state["matched"];
    assert_eq!((&matched["round"], &matched["mapped"], matched["digest"].as_str().unwrap().len()), (&json!(1), &json!(true), 64));
    assert_eq!((&key["in_new_code"], &fresh["in_new_code"]), (&json!(false), &json!(true)));
    let statuses = json!([{"id": id(1), "status": "fixed"}, {"id": id(2), "status": "unreported_unchanged"}]);
    assert_eq!(matched["resolved"], statuses);
    // The reference's counts stay the reference's: a hundred lines are beyond its window.
    let compared = run.compare("1", "2");
    assert_eq!((&compared["repeated_count"], &compared["resolved_count"]), (&json!(0), &json!(3)));
    assert_eq!((&compared["fixed_count"], &compared["unreported_count"]), (&json!(1), &json!(1)));
    let args = ["render-session-doc", "--loop-id", "L", "--tmp-dir", "st", "--reports-dir", "."];
    run.kit.run(&[&args[..], &["--output", "doc.md"]].concat()).ok();
    let page = run.kit.read("doc.md");
    let fixed = page.find("### Fixed — 1\n\n- [critical] `a.rs:20`").expect(&page);
    let silent = page.find("### No longer reported — 1\n\n- [critical] `a.rs:40`").expect(&page);
    assert!(page.contains("## Resolved (cumulative) — 2\n") && fixed < silent && page.contains(" — unreported_unchanged\n"), "{page}");
    run.kit.run(&[&args[..], &["--output", "again.md"]].concat()).ok();
    assert_eq!(page, run.kit.read("again.md"));
}

#[test]
fn a_finding_that_comes_back_is_known_again_over_the_rounds_between() {
    let run = Loop::on(&[("a.rs", &numbered(&[]))]);
    run.kit.write("r/a.rs", numbered(&[(5, "one")]));
    let first = run.round("1", &report("CONCERN", &[], &["`a.rs:5` the lock is never released"], &[]), None, &[]);
    run.kit.write("r/a.rs", numbered(&[(5, "one"), (50, "two")]));
    run.round("2", &report("CONCERN", &[], &["`a.rs:50` the name of the file is printed raw"], &[]), None, &[]);
    run.kit.write("r/a.rs", format!("top\n{}", numbered(&[(5, "one"), (50, "two")])));
    let third = run.round("3", &report("CONCERN", &[], &["`a.rs:6` the lock is never released"], &[]), None, &[]);
    let back = &third["findings"][0];
    assert_eq!((&back["same_as"], &back["same_as_round"]), (&first["findings"][0]["id"], &json!(1)));
    // With the round before it has nothing in common.
    assert_eq!(run.compare("2", "3")["unreported_count"], 1);
    run.kit.run(&["render-session-doc", "--loop-id", "L", "--tmp-dir", "st", "--reports-dir", ".", "--output", "doc.md"]).ok();
    assert!(run.kit.read("doc.md").contains("## Resolved (cumulative) — 1\n"), "{}", run.kit.read("doc.md"));
}

#[test]
fn without_surfaces_the_words_match_and_nothing_is_called_fixed() {
    let kit = Kit::new();
    let record = |round: &str, text: &str| {
        let path = kit.write(&format!("{round}.md"), text);
        kit.run(&crate::kit::record_args(round, &path)).ok();
        kit.json(&format!("st/loop-L-round-{round}.state.json"))
    };
    let first = record("1", &report("CONCERN", &[], &["`a.rs:10` the lock is never released", "`b.rs:1` the size may be zero"], &[]));
    let second = record("2", &report("CONCERN", &[], &["`a.rs:30` the lock is never released"], &[]));
    assert_eq!(second["findings"][0]["same_as"], first["findings"][0]["id"]);
    assert_eq!(second["matched"]["mapped"], false);
    assert_eq!(second["matched"]["resolved"], json!([{"id": first["findings"][1]["id"], "status": "unknown"}]));
    let file = |round: &str| format!("st/loop-L-round-{round}.state.json");
    let compared = kit.run(&["compare-rounds", "--previous", &file("1"), "--current", &file("2")]).ok();
    assert_eq!((&compared["fixed_count"], &compared["unreported_count"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_match_with_a_round_that_was_replaced_counts_for_nothing_until_it_is_made_again() {
    let run = Loop::on(&[("a.rs", &numbered(&[]))]);
    run.kit.write("r/a.rs", numbered(&[(5, "one")]));
    let finding = report("CONCERN", &[], &["`a.rs:5` the lock is never released"], &[]);
    run.round("1", &finding, None, &[]);
    run.kit.write("r/a.rs", numbered(&[(5, "two")]));
    let approval = report("APPROVE", &[], &[], &[]);
    run.round("2", &approval, None, &[]);
    assert_eq!(run.compare("1", "2")["fixed_count"], 1);
    let other = report("CONCERN", &[], &["`a.rs:5` the lock is never released", "`a.rs:9` the size may be zero"], &[]);
    run.round("1", &other, None, &["--replace"]);
    assert_eq!(run.compare("1", "2")["fixed_count"], Value::Null);
    run.round("2", &approval, None, &[]);
    assert_eq!(run.compare("1", "2")["fixed_count"], Value::Null, "the same input again changes nothing");
    run.round("2", &approval, None, &["--replace"]);
    // Round 1 read this tree when it was recorded again, so nothing changed since.
    assert_eq!((&run.compare("1", "2")["fixed_count"], &run.compare("1", "2")["unreported_count"]), (&json!(0), &json!(2)));
}

#[test]
fn a_file_too_large_for_a_surface_is_not_taken_for_removed() {
    let run = Loop::on(&[("a.rs", &numbered(&[])), ("big.txt", "small\n")]);
    run.kit.write("r/a.rs", numbered(&[(5, "one")]));
    run.round("1", &report("CONCERN", &[], &["`big.txt:1` the size may be zero"], &[]), None, &[]);
    run.kit.write("r/big.txt", format!("small\n{}", "x".repeat(2 << 20)));
    let state = run.round("2", &report("APPROVE", &[], &[], &[]), None, &[]);
    assert_eq!(state["matched"]["resolved"][0]["status"], "unknown");
    assert_eq!((&run.compare("1", "2")["fixed_count"], &run.compare("1", "2")["unreported_count"]), (&json!(0), &json!(1)));
}

#[test]
fn paths_below_a_root_that_is_no_top_level_are_found_in_the_trees() {
    let run = Loop { root: "r/sub", ..Loop::on(&[("sub/a.rs", &numbered(&[]))]) };
    run.kit.write("r/sub/a.rs", numbered(&[(5, "one")]));
    let rooted = run.kit.text("r/sub");
    let finding = format!("`{rooted}/a.rs:5` the lock is never released");
    run.round("1", &report("CONCERN", &[], &[&finding], &[]), None, &[]);
    run.kit.write("r/sub/a.rs", numbered(&[(5, "two")]));
    let state = run.round("2", &report("APPROVE", &[], &[], &[]), None, &[]);
    assert_eq!(state["matched"]["resolved"][0]["status"], "fixed");
}

#[test]
fn a_repair_that_never_holds_asks_and_a_claimed_one_that_changed_nothing_stops() {
    let run = Loop::on(&[("a.rs", &numbered(&[]))]);
    let review = |line: usize| report("REQUEST_CHANGES", &[&format!("`a.rs:{line}` the lock is never released")], &[], &[]);
    for round in 1..=3 {
        let above = "// more\n".repeat(round * 10);
        run.kit.write("r/a.rs", format!("{above}{}", numbered(&[(5, &format!("let lock = take({round})"))])));
        let at = round * 10 + 5;
        run.round(&round.to_string(), &review(at), Some(&accepted(&[&format!("a.rs:{at}")])), &[]);
        if round < 3 {
            assert_eq!(run.decide(&round.to_string(), &[])["action"], "continue");
        }
    }
    let decision = run.decide("3", &[]);
    assert_eq!((&decision["action"], &decision["ask"]["code"]), (&json!("ask"), &json!("fix_does_not_hold")), "{decision}");
    assert_eq!(decision["churn"]["patterns"][0]["rounds"], json!([1, 2, 3]));
    let named = run.kit.run(&["diagnose-churn", "--state-dir", "st", "--loop-id", "L"]).ok();
    for key in ["patterns", "advice", "reason_code"] {
        assert_eq!(named[key], decision["churn"][key]);
    }
    assert_eq!(run.decide("3", &["--user-choice", "continue"])["action"], "continue");
    assert_eq!(run.decide("3", &["--user-choice", "stop"])["stop_reason"], "user_stop");
    // The next repair is claimed, and the next review reads the very same surface.
    run.round("4", &review(35), Some(&accepted(&["a.rs:35"])), &[]);
    let decision = run.decide("4", &["--user-choice", "continue"]);
    assert_eq!((&decision["action"], &decision["stop_reason"]), (&json!("stop"), &json!("no_evidence_of_progress")));
    assert_eq!(decision["churn"]["reason_code"], "surface_unmoved");
    // A stop of the seed comes first.
    assert_eq!(run.decide("4", &["--rounds-executed", "9"])["condition"], 2);
}

#[test]
fn a_history_is_a_file_or_a_loop_and_never_both_or_nothing() {
    let kit = Kit::new();
    kit.write("h.json", "[]");
    kit.run(&["diagnose-churn"]).fails("INVALID_ARGUMENT");
    kit.run(&["diagnose-churn", "--history", "h.json", "--loop-id", "L"]).fails("INVALID_ARGUMENT");
    kit.run(&["diagnose-churn", "--state-dir", "."]).fails("INVALID_ARGUMENT");
    kit.run(&["diagnose-churn", "--loop-id", "L"]).fails("INVALID_PATH");
    kit.run(&["diagnose-churn", "--state-dir", ".", "--loop-id", ""]).fails("BAD_ID");
    kit.run(&["diagnose-churn", "--state-dir", ".", "--loop-id", "L"]).fails("NO_ROUNDS");
}

#[test]
fn a_tie_to_a_round_that_was_replaced_is_none_and_recording_with_replace_makes_it_anew() {
    let run = Loop::on(&[("a.rs", &numbered(&[]))]);
    run.kit.write("r/a.rs", numbered(&[(5, "one"), (40, "two")]));
    let lock = report("CONCERN", &[], &["`a.rs:5` the lock is never released"], &[]);
    run.round("1", &lock, None, &[]);
    let other = report("CONCERN", &[], &["`a.rs:50` the name of the file is printed raw"], &[]);
    run.round("2", &other, None, &[]);
    assert_eq!(run.round("3", &lock, None, &[])["findings"][0]["same_as_round"], 1);
    let header = report("CONCERN", &[], &["`a.rs:40` the header is sent twice"], &[]);
    run.round("1", &header, None, &["--replace"]);
    run.round("2", &other, None, &["--replace"]);
    let page = |name: &str| {
        run.kit.run(&["render-session-doc", "--loop-id", "L", "--tmp-dir", "st", "--reports-dir", ".", "--output", name]).ok();
        run.kit.read(name)
    };
    let again = run.round("3", &lock, None, &["--replace"]);
    assert!(again["findings"][0].get("same_as").is_none(), "{again}");
    // Neither the header nor the name is open: both are said.
    assert!(page("doc.md").contains("## Resolved (cumulative) — 2\n"), "{}", page("doc.md"));
    assert!(page("doc.md").contains("`a.rs:40` (untagged) — the-header-is-sent-twice"));
}

#[test]
fn a_match_that_is_damaged_is_refused_and_never_more_lenient() {
    let run = Loop::on(&[("a.rs", &numbered(&[]))]);
    run.kit.write("r/a.rs", numbered(&[(5, "one")]));
    let review = report("CONCERN", &[], &["`a.rs:5` the lock is never released"], &[]);
    run.round("1", &review, None, &[]);
    run.round("2", &review, Some(&accepted(&["a.rs:5"])), &[]);
    let file = "st/loop-L-round-2.state.json";
    let whole = run.kit.read(file);
    let decide = |text: String| {
        run.kit.write(file, text);
        run.kit.run(&["decide-round", "--current", file, "--previous", "st/loop-L-round-1.state.json", "--cap", "9"])
    };
    for (sound, broken) in [
        ("\"mapped\":true", "\"mapped\":\"yes\""),
        ("\"resolved\":[]", "\"resolved\":[{\"id\":\"x\",\"status\":\"gone\"}]"),
        ("\"basis\":\"line_map\"", "\"basis\":\"hunch\""),
        ("\"in_new_code\":false", "\"in_new_code\":0"),
        ("\"disposition\":\"applied\"", "\"disposition\":\"done\""),
    ] {
        assert!(whole.contains(sound), "{sound}: {whole}");
        decide(whole.replace(sound, broken)).fails("INVALID_STATE");
    }
    decide(whole.clone()).ok();
    // A round before that cannot be used is said.
    run.kit.write("st/loop-L-round-1.state.json", "{\"schema_version\":2,");
    let args = ["record-round", "--round-number", "2", "--loop-id", "L", "--base-commit", &run.base, "--state-dir", "st"];
    let more =
        ["--review-report", "review-2.md", "--response-report", "response-2.md", "--repo-root", "r", "--plan-file", "st/plan-2.json"];
    let again = run.kit.run(&[&args[..], &more].concat()).ok();
    assert_eq!((&again["recorded"], &again["warnings"]), (&json!(false), &json!(["previous_round_unusable"])));
}

#[test]
fn findings_of_a_reference_state_without_ids_are_told_apart() {
    let kit = Kit::new();
    let finding =
        |line: u64, slug: &str| json!({"severity": "warning", "path": "a.rs", "line": line, "title_slug": slug, "category": "untagged"});
    let state = json!({
        "schema_version": 1, "source": "report-parse", "loop_id": "L", "round_number": 1, "base_commit": "abcdef1", "verdict": "CONCERN",
        "counts": {"critical": 0, "warning": 2, "info": 0}, "round_review_report_path": "/x", "response_report_path": null,
        "findings": [finding(5, "the-lock-is-never-released"), finding(30, "the-size-may-be-zero")],
        "rejected": [], "skipped_rejects": 0
    });
    kit.write("st/loop-L-round-1.state.json", state.to_string());
    let path = kit.write("2.md", report("CONCERN", &[], &["`a.rs:30` the size may be zero", "`a.rs:5` the lock is never released"], &[]));
    kit.run(&crate::kit::record_args("2", &path)).ok();
    let second = kit.json("st/loop-L-round-2.state.json");
    let ties: Vec<&str> = second["findings"].as_array().unwrap().iter().map(|f| f["same_as"].as_str().unwrap()).collect();
    assert!(ties[0] != ties[1] && ties.iter().all(|t| t.starts_with("f-")), "{second}");
}
