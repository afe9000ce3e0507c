//! The events of `codex exec --json` (spec/clients.md §2; codex 0.171.0).

use serde_json::Value;

use super::answer::{Ended, Heard, Look};

/// Listens to a stream. Of several turns the last one counts.
pub(super) fn listen(events: &[Value]) -> Heard {
    let mut heard = Heard { shows_looks: true, ..Heard::default() };
    for event in events {
        let known = match event["type"].as_str().unwrap_or_default() {
            "thread.started" => {
                heard.session = event["thread_id"].as_str().map(str::to_owned);
                true
            }
            "turn.started" => {
                (heard.text, heard.ended) = (None, None);
                true
            }
            "turn.completed" => {
                // A turn that failed stays so.
                if heard.ended != Some(Ended::Failed) {
                    heard.ended = Some(Ended::Completed);
                }
                heard.usage = event.get("usage").filter(|u| u.is_object()).cloned();
                true
            }
            "turn.failed" => {
                heard.ended = Some(Ended::Failed);
                note(&mut heard, event["error"]["message"].as_str());
                true
            }
            "error" => {
                let before = heard.errors.len();
                note(&mut heard, event["message"].as_str());
                // Behind the end of a turn it is about one whose end was not seen.
                if heard.errors.len() > before && heard.ended == Some(Ended::Completed) {
                    heard.ended = None;
                }
                true
            }
            "item.started" | "item.updated" => {
                if heard.ended == Some(Ended::Completed) {
                    heard.ended = None;
                }
                true
            }
            "item.completed" => item(&mut heard, &event["item"]),
            _ => false,
        };
        heard.events += u64::from(known);
        heard.unknown_events += u64::from(!known);
    }
    heard
}

/// An error that the client says it recovers from is counted, every other one is kept once.
fn note(heard: &mut Heard, message: Option<&str>) {
    let Some(message) = message else { return };
    if message.starts_with("Reconnecting...") {
        heard.reconnects += 1;
    } else if heard.errors.last().is_none_or(|last| last != message) {
        heard.errors.push(message.to_owned());
    }
}

/// An item that is through; false when its type is unknown.
fn item(heard: &mut Heard, item: &Value) -> bool {
    match item["type"].as_str().unwrap_or_default() {
        "agent_message" => {
            // Text behind the end of a turn belongs to one whose end was not seen.
            if heard.ended == Some(Ended::Completed) {
                heard.ended = None;
            }
            heard.text = item["text"].as_str().map(str::to_owned);
        }
        "command_execution" => {
            let text = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
            // What was shown is told by its lines, whatever the exit status: a search that found nothing ends a line with 1.
            // A command that nobody allowed did not run.
            if item["status"] != "declined" {
                heard.looks.push(Look { at: text("command"), shown: text("aggregated_output") });
            }
        }
        "error" => note(heard, item["message"].as_str()),
        "reasoning" | "file_change" | "mcp_tool_call" | "web_search" | "todo_list" => {}
        _ => {
            heard.unknown_events += 1;
            return true;
        }
    }
    true
}
