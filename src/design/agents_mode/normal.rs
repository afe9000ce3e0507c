//! The agents-mode file in its present form, by the least edits: comments, order and custom lanes stay as they are (spec/design-loop.md §4).
//!
//! Retired keys go (`externalClaudeApiMode: disabled` becomes `reserveResolver: disabled`), `claude-secret` becomes `reserve`, a provider
//! stands once in a lane, `reserve` last and only where it may, keys that are missing come at the end with their defaults. Values that are
//! none are problems and stay.

use serde::Serialize;
use serde_json::Value;

use super::{KEYS, RETIRED, default, takes_reserve};

/// One edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The key.
    pub key: String,
    /// What is done.
    pub change: String,
}

/// A list of a lane as it stands in the text: where from, where to, and what it holds.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The profile.
    pub profile: String,
    /// The lane.
    pub lane: String,
    /// The bytes of the list, brackets included; none for one that is written as a block.
    pub flow: Option<std::ops::Range<usize>>,
    /// The lines of its items, for a block.
    pub lines: Vec<usize>,
    /// The providers.
    pub providers: Vec<String>,
}

/// Where a key of the top begins and ends, in lines.
#[derive(Debug, Clone)]
pub struct Block {
    /// The key.
    pub key: String,
    /// Its first line.
    pub first: usize,
    /// The line behind its last.
    pub end: usize,
}

/// What a text holds, by its lines.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    /// The keys of the top.
    pub blocks: Vec<Block>,
    /// The lists of lanes.
    pub lists: Vec<Listed>,
}

/// A provider list in its present form.
fn mended(lane: &str, providers: &[String]) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for provider in providers {
        let name = if provider == "claude-secret" { "reserve" } else { provider };
        if !list.iter().any(|p| p == name) {
            list.push(name.to_owned());
        }
    }
    let reserve = list.iter().any(|p| p == "reserve");
    if reserve && list.len() > 1 {
        list.retain(|p| p != "reserve");
        list.extend(takes_reserve(lane).then(|| "reserve".to_owned()));
    }
    list
}

/// The text in its present form and what was changed.
pub fn normal(text: &str, file: &Value, layout: &Layout) -> (String, Vec<Change>) {
    let mut changes: Vec<Change> = Vec::new();
    let mut edits: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let at = |line: usize| starts.get(line).copied().unwrap_or(text.len());
    for block in layout.blocks.iter().filter(|b| RETIRED.contains(&b.key.as_str())) {
        let reserve = block.key == "externalClaudeApiMode" && file[&block.key] == "disabled" && file.get("reserveResolver").is_none();
        let by = if reserve { "reserveResolver: disabled\n".to_owned() } else { String::new() };
        let change = if reserve { "becomes `reserveResolver: disabled`" } else { "is no longer read and goes" };
        changes.push(Change { key: block.key.clone(), change: change.to_owned() });
        edits.push((at(block.first)..at(block.end), by));
    }
    for list in &layout.lists {
        let wanted = mended(&list.lane, &list.providers);
        if wanted == list.providers {
            continue;
        }
        let key = format!("externalPriorityProfiles.{}.{}", list.profile, list.lane);
        changes.push(Change { key, change: format!("becomes [{}]", wanted.join(", ")) });
        match &list.flow {
            Some(range) => edits.push((range.clone(), format!("[{}]", wanted.join(", ")))),
            None => {
                // Each item's line takes the next provider; lines that are left over go.
                for (n, line) in list.lines.iter().enumerate() {
                    let (from, to) = (at(*line), at(*line + 1));
                    let indent: String = text[from..to].chars().take_while(|c| c.is_whitespace()).collect();
                    edits.push((from..to, wanted.get(n).map(|w| format!("{indent}- {w}\n")).unwrap_or_default()));
                }
            }
        }
    }
    let mut out = text.to_owned();
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    for (range, by) in edits {
        out.replace_range(range, &by);
    }
    for (key, holds) in KEYS {
        let comes = *key == "reserveResolver" && file["externalClaudeApiMode"] == "disabled";
        if file.get(*key).is_some() || comes || matches!(holds, super::Holds::Profiles | super::Holds::Counts) {
            continue;
        }
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        let value = default(*holds);
        let word = value.as_str().unwrap_or_default();
        out.push_str(&format!("{key}: {word}\n"));
        changes.push(Change { key: (*key).to_owned(), change: format!("is added as `{word}`") });
    }
    (out, changes)
}
