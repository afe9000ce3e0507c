//! The result object and the stream of `claude -p` (spec/clients.md §3 and §4; Claude Code 2.1.197 and 2.1.332).
//!
//! `subtype` is no outcome: a result is believed when it says that it is no error and was completed. The built-in review says
//! neither; there only the notification of its task tells success from failure.

use std::collections::HashMap;

use serde_json::Value;

use super::answer::{Ended, Heard, Look};
use crate::base::case;

/// Listens to a stream, or to the one result object.
pub(super) fn listen(events: &[Value]) -> Heard {
    let mut heard = Heard::default();
    let mut task: Option<bool> = None;
    let mut asked: HashMap<String, Asked> = HashMap::new();
    let (mut started, mut notified) = (0_u64, 0_u64);
    for event in events {
        match event["subtype"].as_str().filter(|_| event["type"] == "system") {
            Some("task_started") => started += 1,
            Some("task_notification") => notified += 1,
            // A stream that begins shows every tool that is used.
            Some("init") => heard.shows_looks = true,
            _ => {}
        }
        let known = match event["type"].as_str().unwrap_or_default() {
            "result" => {
                result(&mut heard, event, task);
                true
            }
            "assistant" => {
                heard.shows_looks = true;
                // Text behind a result belongs to a turn whose end was not seen.
                heard.ended = None;
                parts(event).for_each(|part| spoken(&mut heard, part, &mut asked));
                true
            }
            "user" => {
                heard.shows_looks = true;
                parts(event).for_each(|part| looked(&mut heard, part, &mut asked));
                true
            }
            "system" => {
                system(&mut heard, event, &mut task);
                true
            }
            "stream_event" | "rate_limit_event" | "control_request" | "control_response" | "keep_alive" => true,
            _ => false,
        };
        heard.events += u64::from(known);
        heard.unknown_events += u64::from(!known);
    }
    // A task that failed is a failure whenever it is told, and one whose end was not told is no end.
    if heard.ended == Some(Ended::Completed) {
        if task == Some(false) {
            heard.ended = Some(Ended::Failed);
        } else if started > notified {
            heard.ended = Some(Ended::Unsaid);
        }
    }
    heard
}

/// The parts of a message.
fn parts(event: &Value) -> impl Iterator<Item = &Value> {
    event["message"]["content"].as_array().into_iter().flatten()
}

/// What the model said, and which tools it asked for.
fn spoken(heard: &mut Heard, part: &Value, asked: &mut HashMap<String, Asked>) {
    match part["type"].as_str().unwrap_or_default() {
        "text" => heard.text = part["text"].as_str().map(str::to_owned),
        "tool_use" => {
            let input = &part["input"];
            let name = part["name"].as_str().unwrap_or_default();
            let at = ["file_path", "command", "path"].iter().find_map(|key| input[*key].as_str()).filter(|_| opens(name));
            if let (Some(id), Some(at)) = (part["id"].as_str(), at) {
                asked.insert(id.to_owned(), Asked { at: at.to_owned(), is_shell: name == "Bash" });
            }
        }
        _ => {}
    }
}

/// What a tool was asked for.
struct Asked {
    at: String,
    /// Whether it is a command: one that ends with another status than 0 has shown what it printed all the same.
    is_shell: bool,
}

/// Whether a tool shows what is in files: what searches, lists, writes or asks another agent does not.
fn opens(name: &str) -> bool {
    const OTHER: &[&str] = &["search", "grep", "find", "list", "write", "edit", "task", "agent"];
    let lower = case::lower(name);
    let own = matches!(name, "Grep" | "Glob" | "LS" | "Edit" | "MultiEdit" | "Write" | "NotebookEdit" | "Task" | "Agent" | "TodoWrite");
    !(own || (name.starts_with("mcp__") && OTHER.iter().any(|o| lower.contains(o))))
}

/// What a tool gave back; one that failed showed nothing, but for a command.
fn looked(heard: &mut Heard, part: &Value, asked: &mut HashMap<String, Asked>) {
    if part["type"] != "tool_result" {
        return;
    }
    let Some(asked) = part["tool_use_id"].as_str().and_then(|id| asked.remove(id)) else { return };
    if part["is_error"] == true && !asked.is_shell {
        return;
    }
    let at = asked.at;
    let content = &part["content"];
    let texts = content.as_array().into_iter().flatten().filter_map(|p| p["text"].as_str());
    let shown = content.as_str().map_or_else(|| texts.collect::<Vec<_>>().join("\n"), str::to_owned);
    heard.looks.push(Look { at, shown });
}

fn system(heard: &mut Heard, event: &Value, task: &mut Option<bool>) {
    if let Some(session) = event["session_id"].as_str() {
        heard.session = Some(session.to_owned());
    }
    match event["subtype"].as_str().unwrap_or_default() {
        "api_retry" => heard.reconnects += 1,
        // Of several tasks one that failed is enough.
        "task_notification" => *task = Some(event["status"] == "completed" && *task != Some(false)),
        _ => {}
    }
}

fn result(heard: &mut Heard, event: &Value, task: Option<bool>) {
    heard.usage = event.get("usage").filter(|u| u.is_object()).cloned();
    heard.session = event["session_id"].as_str().map(str::to_owned).or(heard.session.take());
    let structured = event.get("structured_output").filter(|s| s.is_object() || s.is_array()).map(Value::to_string);
    let said = event["result"].as_str().map(str::to_owned);
    let cut = matches!(event["stop_reason"].as_str(), Some("max_tokens" | "refusal")) || !event["api_error_status"].is_null();
    let failed = event["is_error"] != false || event["subtype"] != "success" || task == Some(false) || cut;
    heard.ended = Some(match (failed, event["terminal_reason"].as_str()) {
        (true, _) => Ended::Failed,
        (false, Some("completed")) => Ended::Completed,
        (false, Some(_)) => Ended::Failed,
        (false, None) if task == Some(true) => Ended::Completed,
        (false, None) => Ended::Unsaid,
    });
    if failed {
        // The result of a failure is the client's own prose and no word of the reviewer's.
        heard.errors.extend(said.filter(|t| !t.trim().is_empty()));
        let reason = event["terminal_reason"].as_str().or(event["subtype"].as_str()).filter(|_| heard.errors.is_empty());
        heard.errors.extend(reason.map(str::to_owned));
        return;
    }
    heard.text = structured.or(said);
}
