//! parse-response on the worked responses.

use serde_json::Value;

use crate::kit::{Kit, folders, shared};

#[test]
fn every_worked_response_is_read() {
    let kit = Kit::new();
    let cases = folders(&shared("responses"));
    assert!(cases.len() >= 8);
    for case in cases {
        let want: Value = serde_json::from_str(&std::fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
        let ran = kit.run(&["parse-response", "--input", &case.join("input.md").to_string_lossy()]);
        let contradicted = !want["contradictions"].as_array().unwrap().is_empty();
        assert_eq!(ran.status, i32::from(contradicted), "{case:?}");
        for (key, value) in want.as_object().unwrap() {
            let got = &ran.json[key];
            match key.as_str() {
                "items" => compare(value, got, "title", &case),
                "rejected_items" => compare(value, got, "reason", &case),
                _ => assert_eq!(got, value, "{case:?} {key}"),
            }
        }
    }
}

/// Texts are compared by their start.
fn compare(want: &Value, got: &Value, by_start: &str, case: &std::path::Path) {
    let (want, got) = (want.as_array().unwrap(), got.as_array().unwrap());
    assert_eq!(want.len(), got.len(), "{case:?}");
    for (want, got) in want.iter().zip(got) {
        for (key, value) in want.as_object().unwrap() {
            if key == by_start {
                assert!(got[key].as_str().unwrap().starts_with(value.as_str().unwrap()), "{case:?} {got}");
            } else {
                assert_eq!(&got[key], value, "{case:?} {key}");
            }
        }
    }
}

#[test]
fn the_implemented_count_says_where_it_comes_from() {
    let kit = Kit::new();
    for (text, count, source) in [
        ("- **implemented_count**: 3\n", 3, "stated"),
        ("### ITEM-1: a\n- **Decision**: ACCEPT\n- **Action**: renamed\n", 1, "derived"),
        ("### ITEM-1: a\n- **Decision**: ACCEPT\n- **Action**: 미착수\n", 0, "derived"),
        ("Everything is fixed.\n", 0, "missing"),
    ] {
        kit.write("s.md", text);
        let ran = kit.run(&["parse-response", "--input", "s.md"]);
        assert_eq!((&ran.json["implemented"], &ran.json["implemented_source"]), (&count.into(), &source.into()), "{text}");
    }
    kit.run(&["parse-response"]).fails("INVALID_PATH");
}
