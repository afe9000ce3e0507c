//! JSON lines: diagnostics of rdjsonl, cargo's messages, the event streams of clients, or one answer a line.
//!
//! Of a client's stream only what the agent said is an answer: commands, tool results, reasoning and prompts are not. A
//! closing result repeats what was said before and stands for all of it. Source: spec/clients.md §4;
//! cases/reports/README.md §4. Bound: linear.

use super::json::{self, Map, Node};
use super::{LineIndex, cargo, rdjson, schema};
use crate::base::reason::Contradiction;
use crate::finding::{Failure, Format, Review};

/// Reads a text of JSON lines; none when it is none. A last line that is cut off is kept as far as it goes.
pub fn read(text: &str, lines: &LineIndex, depth: usize) -> Option<Review> {
    let mut documents = Vec::new();
    let mut review = Review { format: Some(Format::JsonLines), ..Review::default() };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        let body = line.trim();
        if body.is_empty() {
            continue;
        }
        if !body.starts_with('{') {
            return None;
        }
        match json::read(&text[..at], start) {
            Ok(document) if document.broken || !text[document.end..at].trim().is_empty() => return None,
            Ok(document) => {
                review.contradictions.extend(document.duplicate_keys.then_some(Contradiction::DuplicateKeys));
                review.contradictions.extend(document.truncated.then_some(Contradiction::Truncated));
                documents.push(document.node);
            }
            Err(unreadable) => review.unreadable_at = review.unreadable_at.or(Some(unreadable.0 as u64)),
        }
    }
    let maps: Vec<&Map> = documents.iter().filter_map(Node::map).collect();
    if maps.len() < 2 && review.unreadable_at.is_none() {
        return None;
    }
    let inner = if let Some(cargo) = cargo::read(&maps, lines) {
        cargo
    } else if !maps.is_empty() && maps.iter().all(|m| rdjson::is_diagnostic(m)) {
        let findings = maps.iter().filter_map(|m| rdjson::diagnostic(m, None, lines)).collect();
        Review { format: Some(Format::Rdjsonl), findings, ..Review::default() }
    } else if maps.iter().any(|m| is_event(m)) {
        stream(&maps, lines, depth)
    } else {
        schema::document(&Node::List(documents), lines, depth).unwrap_or_default()
    };
    review.format = inner.format.filter(|f| matches!(f, Format::Cargo | Format::Rdjsonl)).or(review.format);
    review.absorb(inner);
    Some(review)
}

/// Whether an object is an event of a client's stream.
fn is_event(map: &Map) -> bool {
    let item = map.get("item").and_then(Node::map).is_some_and(|i| i.get("type").is_some());
    let message = map.get("message").and_then(Node::map).is_some_and(|m| m.get("content").is_some());
    item || message || (map.text(&["type"]) == Some("result") && map.has("result"))
}

fn stream(events: &[&Map], lines: &LineIndex, depth: usize) -> Review {
    let mut review = Review::default();
    let closing = events.iter().rev().find(|m| m.text(&["type"]) == Some("result"));
    if let Some(result) = closing {
        if let Some(inner) = schema::document(&Node::Map((*result).clone()), lines, depth) {
            review.absorb(inner);
        }
        return review;
    }
    for event in events {
        let kind = event.text(&["type"]).unwrap_or_default();
        if matches!(kind, "error" | "turn.failed" | "thread.failed") {
            let mut said = String::new();
            schema::tell(&Node::Map((*event).clone()), &mut said);
            if !said.contains("Reconnecting") {
                let failure = if super::label::is_rate_limit(&said) { Failure::RateLimited } else { Failure::ErrorReported };
                review.failure = Some(failure);
            }
        }
        for text in speech(event, kind) {
            if let Some(inner) = schema::nested(&Node::Text(text.to_owned()), &lines.at(event.at), depth) {
                review.absorb(inner);
            }
        }
    }
    review
}

/// What the agent itself said in an event.
fn speech<'m>(event: &'m Map, kind: &str) -> Vec<&'m str> {
    if let Some(item) = event.get("item").and_then(Node::map) {
        let said = matches!(item.text(&["type"]), Some("agent_message" | "assistant_message" | "message")) && kind != "item.started";
        return item.text(&["text"]).filter(|_| said).into_iter().collect();
    }
    let Some(message) = event.get("message").and_then(Node::map).filter(|_| kind != "user" && kind != "system") else {
        return event.text(&["text"]).filter(|_| kind == "agent_message").into_iter().collect();
    };
    if message.text(&["role"]).is_some_and(|r| r != "assistant") {
        return Vec::new();
    }
    match message.get("content") {
        Some(Node::Text(text)) => vec![text],
        Some(Node::List(parts)) => {
            let maps = parts.iter().filter_map(Node::map);
            maps.filter(|p| p.text(&["type"]) == Some("text")).filter_map(|p| p.text(&["text"])).collect()
        }
        _ => Vec::new(),
    }
}
