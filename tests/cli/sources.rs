//! read-answer on the saved streams of the real clients.

use serde_json::{Value, json};

use crate::kit::{Kit, folders, shared};

#[test]
fn every_saved_stream_has_its_outcome() {
    let kit = Kit::new();
    let mut wrong = Vec::new();
    let cases = folders(&shared("streams"));
    assert!(cases.len() >= 70);
    for case in cases {
        let want: Value = serde_json::from_str(&std::fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
        let file = |name: &str| case.join(name).to_string_lossy().into_owned();
        let code = want["exit_code"].to_string();
        let (events, warnings) = (file("stream"), file("warnings.txt"));
        let client = want["client"].as_str().unwrap();
        let ran = kit.run(&["read-answer", "--client", client, "--events", &events, "--warnings", &warnings, "--exit-code", &code]);
        let first = |key: &str| ran.json[key].as_str().and_then(|t| t.lines().next()).map(str::to_owned);
        let texts = ["text", "partial_text"].iter().all(|key| want[*key].is_null() || first(key).as_deref() == want[*key].as_str());
        if ran.json["outcome"] != want["outcome"] || i64::from(ran.status) != want["status"].as_i64().unwrap() || !texts {
            wrong.push(format!("{}: {}\n   wanted {want}", case.display(), ran.stdout));
        }
        // An answer is either one or none; what is shown to people is no answer.
        let answered = matches!(ran.json["outcome"].as_str(), Some("answered" | "unconfirmed"));
        assert_eq!(ran.json["text"].is_string(), answered, "{}", ran.stdout);
        assert!(!(answered && ran.json["partial_text"].is_string()), "{}", ran.stdout);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_client_says_of_its_failure_is_kept_and_its_noise_is_not() {
    let kit = Kit::new();
    let read = |case: &str, code: &str| {
        let file = |name: &str| shared("streams").join(case).join(name).to_string_lossy().into_owned();
        let (events, warnings) = (file("stream"), file("warnings.txt"));
        let client = case.split('-').next().unwrap();
        kit.run(&["read-answer", "--client", client, "--events", &events, "--warnings", &warnings, "--exit-code", code]).json
    };
    let failed = read("codex-closed", "1");
    assert_eq!((&failed["reconnects"], failed["errors"].as_array().unwrap().len()), (&json!(1), 1), "{failed}");
    assert_eq!(read("codex-emptyprompt", "1")["errors"], json!(["No prompt provided via stdin."]));
    let fine = read("codex-ok", "0");
    assert_eq!((&fine["warnings"], &fine["errors"], &fine["usage"]["input_tokens"]), (&json!([]), &json!([]), &json!(100)));
    let login = read("claude-nokey-json", "1");
    assert_eq!(login["errors"], json!(["Not logged in · Please run /login"]));
}

#[test]
fn a_stream_is_read_with_foreign_lines_unknown_events_and_without_an_end_of_line() {
    let kit = Kit::new();
    kit.write(
        "s",
        "boot\n{\"type\":\"turn.started\"}\n{\"type\":\"brand.new\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"VERDICT: approve\"}}\n{\"type\":\"turn.completed\"}",
    );
    let answer = kit.run(&["read-answer", "--client", "codex", "--events", "s"]).ok();
    assert_eq!((&answer["foreign_lines"], &answer["unknown_events"], &answer["text"]), (&json!(1), &json!(1), &json!("VERDICT: approve")));
    kit.run(&["read-answer", "--client", "gemini", "--events", "s"]).fails("INVALID_ARGUMENT");
    kit.run(&["read-answer", "--client", "codex", "--events", "s", "--exit-code", "-1"]).fails("INVALID_ARGUMENT");
    kit.run(&["read-answer", "--client", "codex", "--events", "none"]).fails("NOT_FOUND");
}
