//! The worked ledgers: design loops of all versions and runs.

use serde_json::Value;

use crate::kit::{Kit, package};

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
