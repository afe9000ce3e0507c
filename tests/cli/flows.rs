//! Flows: several commands in the order the skill runs them.

use serde_json::json;

use crate::kit::{Kit, report};

/// One loop as SKILL.md sequences it, from the arguments to the final rendering, with a reviewer that writes files.
#[test]
fn the_skill_sequences_a_whole_loop() {
    let kit = Kit::new();
    kit.repo("r", &[("a.rs", "fn a() {}\n")]);
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    kit.write("r/a.rs", "fn a() { boom() }\n");
    let (tmp, reports) = ("r/.deep-review/tmp", "r/.deep-review/reports");
    kit.write("args.json", json!(["--max=4", "--session-doc"]).to_string());
    let expanded = kit.run(&["expand-loop-args", "--args-file", "args.json", "--host", "claude"]).ok();
    assert_eq!(expanded["session_doc"], true);
    kit.run(&["cleanup-residue", "--tmp-dir", tmp]).ok();
    let mut id = String::new();
    let mut previous = String::new();
    let rounds = [
        (
            report("REQUEST_CHANGES", &["`a.rs:1` boom"], &[], &[]),
            Some("### ITEM-1: boom\n- **Decision**: ACCEPT\n- files_read: `a.rs:1`\n- **Action**: defused\n"),
        ),
        (
            report("CONCERN", &[], &["`a.rs:1` now it leaks"], &[]),
            Some(
                "### ITEM-1: leak\n- **Decision**: REJECT\n- files_read: `a.rs:1`\n- **Action**: it does not: the handle is static\n### ITEM-2: x\n- **Decision**: ACCEPT\n- **Action**: done\n",
            ),
        ),
        (report("APPROVE", &[], &[], &[]), None),
    ];
    for (index, (review, response)) in rounds.into_iter().enumerate() {
        let round = (index + 1).to_string();
        let plan = format!("{tmp}/plan-{round}.json");
        let prior = format!("{tmp}/prior-{round}.md");
        let mut args = vec![
            "plan-round",
            "--round-number",
            &round,
            "--args-file",
            "args.json",
            "--state-dir",
            tmp,
            "--repo-root",
            "r",
            "--base-commit",
            &base,
            "--output",
            &plan,
        ];
        if index > 0 {
            kit.run(&["render-prior-context", "--state-file", &previous, "--output", &prior]).ok();
            args.extend(["--loop-id", &id, "--prior-rounds-file", &prior]);
        }
        let planned = kit.run(&args).ok();
        id = planned["loop_id"].as_str().unwrap().to_owned();
        assert_eq!(planned["prior_rounds_file"].is_string(), index > 0);
        kit.run(&["snapshot-reports", "--reports-dir", reports, "--output", &format!("{tmp}/snap.json")]).ok();
        kit.write(&format!("{reports}/2026-11-30-12000{round}-review.md"), review);
        let snap = format!("{tmp}/snap.json");
        let report = kit.run(&["resolve-round-report", "--reports-dir", reports, "--snapshot-file", &snap]).ok()["report_path"]
            .as_str()
            .unwrap()
            .to_owned();
        let before = kit.run(&["decide-round", "--review-report", &report, "--cap", "4"]).ok();
        assert_eq!(before["run_respond"], response.is_some());
        kit.run(&["assert-same-path", "--expected", &report, "--actual", &report]).ok();
        let state_args = ["--round-number", &round, "--review-report", &report];
        let response_file = format!("r/.deep-review/responses/{round}-response.md");
        let mut more: Vec<&str> = Vec::new();
        if let Some(text) = response {
            kit.write("r/a.rs", format!("fn a() {{ mended({round}) }}\n"));
            kit.write(&response_file, text);
            more.extend(["--response-report", &response_file]);
        }
        kit.run(&[&["collect-metrics"], &state_args[..], &more].concat()).ok();
        let recorded = kit
            .run(
                &[
                    &["record-round"],
                    &state_args[..],
                    &more,
                    &["--base-commit", &base, "--repo-root", "r", "--state-dir", tmp, "--loop-id", &id, "--plan-file", &plan],
                ]
                .concat(),
            )
            .ok();
        assert_eq!(recorded["warnings"], json!([]));
        let current = recorded["state_file"].as_str().unwrap().to_owned();
        let document = format!("{reports}/loop-{id}-review.md");
        kit.run(&["render-session-doc", "--loop-id", &id, "--tmp-dir", tmp, "--reports-dir", reports, "--output", &document]).ok();
        let mut decide = vec!["decide-round", "--current", &current, "--cap", "4"];
        if index > 0 {
            kit.run(&["compare-rounds", "--previous", &previous, "--current", &current]).ok();
            decide.extend(["--previous", &previous]);
        }
        let decision = kit.run(&decide).ok();
        assert_eq!(decision["action"], if index == 2 { "stop" } else { "continue" }, "{decision}");
        previous = current;
    }
    let summary = format!("{tmp}/final.json");
    let summed = kit
        .run(&[
            "summarize-loop",
            "--loop-id",
            &id,
            "--state-dir",
            tmp,
            "--cap",
            "4",
            "--stop-reason",
            "APPROVED",
            "--json-output",
            &summary,
        ])
        .ok();
    assert_eq!(
        (&summed["implemented_total"], &summed["rounds_saved"], &summed["final_verdict"]),
        (&json!(2), &json!(1), &json!("APPROVE"))
    );
    let document = format!("{reports}/loop-{id}-review.md");
    kit.run(&[
        "render-session-doc",
        "--loop-id",
        &id,
        "--tmp-dir",
        tmp,
        "--reports-dir",
        reports,
        "--output",
        &document,
        "--final-summary-file",
        &summary,
    ])
    .ok();
    assert!(kit.read(&document).contains("- **Stop reason**: APPROVED"));
    // The second round's reviewer was told of no rejection yet; the third one was.
    assert!(!kit.read(&format!("{tmp}/prior-2.md")).contains("static"));
    assert!(kit.read(&format!("{tmp}/prior-3.md")).contains("the handle is static"));
    // Our own files are in no scope.
    let scope = kit.run(&["detect-scope", "--repo", "r", "--base", &base]).ok();
    assert_eq!(scope["files"].as_array().unwrap().len(), 1, "{scope}");
}
