//! Readiness receipts: sealed over everything they rest on, and stale when any of it moves.

use serde_json::{Value, json};

use crate::kit::Kit;

fn gate(findings: Value, issues: &str) -> String {
    let fence = serde_json::to_string_pretty(&json!({"schema_version": 1, "findings": findings})).unwrap();
    format!(
        "# Deep Review Report — 2026-11-30\n\n## Summary\n- **Verdict**: CONCERN\n- **Issues**: {issues}\n\n## Artifact Gate\n\n```json\n{fence}\n```\n"
    )
}

fn request(kit: &Kit, risk: &str, reports: &[(&str, &str)]) {
    let reports: Vec<Value> =
        reports.iter().map(|(id, file)| json!({"reviewer_id": id, "provider": id.split('-').next(), "report": file})).collect();
    kit.write("q.json", json!({"documents": ["doc.md"], "reports": reports, "risk": risk}).to_string());
}

fn repository() -> Kit {
    let kit = Kit::new();
    kit.repo("r", &[("doc.md", "the plan\n"), ("a.rs", "fn a() {}\n")]);
    kit
}

fn seal(kit: &Kit) -> crate::kit::Ran {
    kit.run(&["seal-readiness", "--input", "q.json", "--repo-root", "r"])
}

#[test]
fn a_document_without_open_findings_is_sealed_and_checks() {
    let kit = repository();
    kit.write("r/one.md", gate(json!([{"id": "D-1", "severity": "warning", "stage": "implementation_verification", "acceptance_evidence": ["bench under 5 ms"]}]), "🔴 0, 🟡 1, ℹ️ 0"));
    request(&kit, "low", &[("claude-opus", "one.md")]);
    let sealed = seal(&kit).ok();
    assert_eq!(
        (&sealed["ready"], &sealed["verdict"], &sealed["state"]),
        (&json!(true), &json!("CONCERN"), &json!("READY_FOR_IMPLEMENTATION"))
    );
    let receipt = sealed["receipt_path"].as_str().unwrap().to_owned();
    let name = format!("{}-{}.json", sealed["scope_sha256"].as_str().unwrap(), sealed["receipt_sha256"].as_str().unwrap());
    assert!(receipt.ends_with(&format!(".deep-review/receipts/document-readiness/{name}")));
    let check = |more: &[&str]| {
        let mut args = vec!["check-readiness", "--receipt", &receipt, "--repo-root", "r"];
        args.extend(more);
        kit.run(&args)
    };
    assert_eq!(check(&[]).ok()["pending"], json!(["D-1"]));
    // The deferred item is shown by evidence that is bound to the implementation as it is.
    kit.write("r/a.rs", "fn a() { fast() }\n");
    kit.write("evidence.txt", "4 ms\n");
    let evidence = kit.text("evidence.txt");
    let now = kit.run(&["fingerprint-scope", "--repo", "r"]).ok()["scope_fingerprint"].clone();
    let sha = "b6d2ddba7ecfcd4ccafbd3c32d6bc4d2aa7cec3dc0bbd2a9a5c8d4c2a2b2f1c0";
    let results = |sha: &str, now: &Value| json!({"implementation_sha256": now, "results": [{"id": "D-1", "criteria": [{"criterion": "bench under 5 ms", "status": "passed", "evidence_file": evidence, "evidence_sha256": sha}]}]});
    kit.write("w.json", results(sha, &now).to_string());
    let unbound = check(&["--deferred", "../w.json"]);
    assert_eq!(unbound.status, 2, "a path is taken from the working folder: {}", unbound.stdout);
    let unbound = check(&["--deferred", "w.json"]);
    assert_eq!((unbound.status, &unbound.json["pending"]), (1, &json!(["D-1"])));
    let real = review_loop::base::digest::sha256_hex(b"4 ms\n");
    kit.write("w.json", results(&real, &now).to_string());
    assert_eq!(check(&["--deferred", "w.json"]).ok()["verified"], json!(["D-1"]));
    kit.write("pending.json", check(&["--deferred", "w.json"]).stdout);
    kit.write("r/a.rs", "fn a() { slow() }\n");
    assert_eq!(check(&["--deferred", "w.json"]).status, 1);
    // A document that moved makes the receipt stale.
    kit.write("r/doc.md", "another plan\n");
    let stale = check(&[]);
    assert_eq!((stale.status, &stale.json["valid"], &stale.json["problems"][0]["code"]), (1, &json!(false), &json!("document_changed")));
}

#[test]
fn a_receipt_that_was_edited_does_not_hold() {
    let kit = repository();
    kit.write("r/one.md", gate(json!([]), "🔴 0, 🟡 0, ℹ️ 0"));
    request(&kit, "low", &[("claude-opus", "one.md")]);
    let receipt = seal(&kit).ok()["receipt_path"].as_str().unwrap().to_owned();
    let text = std::fs::read_to_string(&receipt).unwrap().replace("\"low\"", "\"critical\"");
    std::fs::write(&receipt, text).unwrap();
    let ran = kit.run(&["check-readiness", "--receipt", &receipt, "--repo-root", "r"]);
    assert_eq!((ran.status, &ran.json["problems"][0]["code"]), (1, &json!("seal_broken")));
}

#[test]
fn what_is_open_or_short_blocks() {
    let kit = repository();
    let open = json!([{"id": "P-1", "severity": "critical", "stage": "pre_implementation", "acceptance_evidence": "decided"}]);
    kit.write("r/one.md", gate(open, "🔴 1, 🟡 0, ℹ️ 0"));
    request(&kit, "high", &[("claude-opus", "one.md")]);
    let ran = seal(&kit);
    assert_eq!((ran.status, &ran.json["state"], &ran.json["verdict"]), (1, &json!("DOCUMENT_BLOCKED"), &json!("REQUEST_CHANGES")));
    assert_eq!(ran.json["blocking"], json!(["required_reviewers", "provider_families", "pre_implementation_findings"]));
    assert_eq!(ran.json["receipt_path"], Value::Null);
}

#[test]
fn gates_that_break_a_rule_are_refused() {
    let kit = repository();
    for (findings, issues) in [
        (json!([{"id": "a b", "severity": "info", "stage": "advisory"}]), "🔴 0, 🟡 0, ℹ️ 1"),
        (json!([{"id": "A", "severity": "critical", "stage": "advisory", "acceptance_evidence": "x"}]), "🔴 1, 🟡 0, ℹ️ 0"),
        (json!([{"id": "A", "severity": "warning", "stage": "pre_implementation"}]), "🔴 0, 🟡 1, ℹ️ 0"),
        (json!([{"id": "A", "severity": "info", "stage": "advisory"}]), "🔴 0, 🟡 0, ℹ️ 0"),
    ] {
        kit.write("r/one.md", gate(findings, issues));
        request(&kit, "low", &[("claude-opus", "one.md")]);
        seal(&kit).fails("INVALID_READINESS");
    }
    kit.write("r/one.md", "no gate at all");
    seal(&kit).fails("INVALID_READINESS");
}
