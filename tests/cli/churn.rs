//! diagnose-churn on the worked histories.

use serde_json::Value;

use crate::kit::{Kit, folders, shared};

#[test]
fn every_worked_history_has_its_diagnosis() {
    let kit = Kit::new();
    let mut wrong = Vec::new();
    let cases = folders(&shared("churn"));
    assert!(cases.len() >= 34);
    for case in cases {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let want: Value = serde_json::from_str(&std::fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
        let ran = kit.run(&["diagnose-churn", "--history", &case.join("rounds.json").to_string_lossy()]);
        if let Some(code) = want["error"]["code"].as_str() {
            if ran.status != 2 || ran.json["error"]["code"] != code {
                wrong.push(format!("{name}: {}", ran.stdout));
            }
            continue;
        }
        for key in ["patterns", "advice", "reason_code"] {
            if ran.json[key] != want[key] {
                wrong.push(format!("{name}: {key} is {}\n   wanted {}", ran.json[key], want[key]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn two_unknown_surfaces_are_not_one() {
    let kit = Kit::new();
    let reason = |surface: &str| {
        let round = |n: u64| {
            format!(
                r#"{{"round":{n},"verdict":"approve","findings":[],"dispositions":{{}},"implemented_count":0,"surface_fingerprint":{surface}}}"#
            )
        };
        kit.write("rounds.json", format!("[{},{}]", round(1), round(2)));
        kit.run(&["diagnose-churn", "--history", "rounds.json"]).json["reason_code"].clone()
    };
    assert_eq!(reason(r#""aa""#), "dry_rounds");
    assert_eq!(reason("null"), "needs_confirming_round");
    assert_eq!(reason(r#""""#), "needs_confirming_round");
}
