//! The agents-mode file: its values, and where in the text its keys and lists stand, so that it can be edited without losing a comment.

use saphyr_parser::{Event, Parser};
use serde_json::Value;

use super::yaml;
use crate::base::Fail;
use crate::design::agents_mode::normal::{Block, Layout, Listed};

/// Reads a file; an empty one states nothing.
///
/// # Errors
/// Those of the YAML reader.
pub fn read(bytes: &[u8]) -> Result<Value, Fail> {
    let blank = |line: &[u8]| line.iter().find(|b| !b.is_ascii_whitespace()).is_none_or(|b| *b == b'#');
    if bytes.split(|b| *b == b'\n').all(blank) {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    yaml::parse(bytes)
}

enum Open {
    Map(Option<String>),
    List,
}

/// Where things stand in a text that [`read`] takes.
pub fn layout(text: &str) -> Layout {
    let mut layout = Layout::default();
    let mut open: Vec<Open> = Vec::new();
    let mut list: Option<(usize, bool, Listed)> = None;
    let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let byte = |index: usize| offsets.get(index).copied().unwrap_or(text.len());
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        let line = span.start.line() - 1;
        let path: Vec<String> = open.iter().filter_map(|o| if let Open::Map(Some(key)) = o { Some(key.clone()) } else { None }).collect();
        match event {
            Event::MappingStart(..) => open.push(Open::Map(None)),
            Event::SequenceStart(..) => {
                if let [key, profile, lane] = &path[..]
                    && key == "externalPriorityProfiles"
                {
                    let flow = text[byte(span.start.index())..].starts_with('[');
                    let from = byte(span.start.index());
                    let listed = Listed {
                        profile: profile.clone(),
                        lane: lane.clone(),
                        flow: flow.then_some(from..from),
                        lines: Vec::new(),
                        providers: Vec::new(),
                    };
                    list = Some((open.len(), flow, listed));
                }
                open.push(Open::List);
            }
            Event::SequenceEnd => {
                open.pop();
                if let Some((depth, flow, mut listed)) = list.take() {
                    if depth != open.len() {
                        list = Some((depth, flow, listed));
                    } else {
                        if let Some(range) = &mut listed.flow {
                            range.end = text[range.start..].find(']').map_or(range.start, |at| range.start + at + 1);
                        }
                        layout.lists.push(listed);
                        valued(&mut open);
                    }
                } else {
                    valued(&mut open);
                }
            }
            Event::MappingEnd => {
                open.pop();
                valued(&mut open);
            }
            Event::Scalar(word, ..) => {
                if let Some((_, _, listed)) = &mut list {
                    listed.providers.push(word.into_owned());
                    listed.lines.push(line);
                    continue;
                }
                let top = open.len() == 1;
                match open.last_mut() {
                    Some(Open::Map(key @ None)) => {
                        if top {
                            layout.blocks.push(Block { key: word.to_string(), first: line, end: line + 1 });
                        }
                        *key = Some(word.into_owned());
                    }
                    Some(Open::Map(_)) => valued(&mut open),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    ends(text, &mut layout);
    layout
}

/// The key of the innermost mapping has its value.
fn valued(open: &mut [Open]) {
    if let Some(Open::Map(key)) = open.last_mut() {
        *key = None;
    }
}

/// A key's lines go on to the next key's, without the blank lines and comments in front of that.
fn ends(text: &str, layout: &mut Layout) {
    let lines: Vec<&str> = text.lines().collect();
    let firsts: Vec<usize> = layout.blocks.iter().map(|b| b.first).chain([lines.len()]).collect();
    for (n, block) in layout.blocks.iter_mut().enumerate() {
        let mut end = firsts[n + 1];
        while end > block.first + 1 && lines.get(end - 1).is_none_or(|l| l.trim().is_empty() || l.starts_with('#')) {
            end -= 1;
        }
        block.end = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::agents_mode::{normal::normal, problems};

    fn normalised(text: &str) -> String {
        normal(text, &read(text.as_bytes()).unwrap(), &layout(text)).0
    }

    #[test]
    fn the_least_edits_keep_comments_order_and_custom_lanes() {
        let text = "# mine\nparallelMode: manual # not at night\nexternalClaudeApiMode: disabled\n# profiles\nexternalPriorityProfiles:\n  balanced:\n    review.security: [claude-secret, codex, codex]  # codex first\n    advisory.design-adr:\n      - reserve\n      - claude\n    my.lane: [codex]\nexternalGeminiWorkdirMode: x\nmcpMode: force\n";
        let out = normalised(text);
        assert!(out.starts_with("# mine\nparallelMode: manual # not at night\nreserveResolver: disabled\n# profiles\nexternalPriorityProfiles:\n  balanced:\n    review.security: [codex, reserve]  # codex first\n    advisory.design-adr:\n      - claude\n      - reserve\n    my.lane: [codex]\nmcpMode: force\n"), "{out}");
        assert!(out.contains("\nconsultantMode: disabled\n") && !out.contains("Gemini"));
        assert_eq!(normalised(&out), out);
        assert!(problems(&read(out.as_bytes()).unwrap()).is_empty());
    }

    #[test]
    fn an_empty_file_gets_every_key() {
        for text in ["", "# only words\n"] {
            let out = normalised(text);
            assert!(out.starts_with(text) && problems(&read(out.as_bytes()).unwrap()).is_empty());
            assert_eq!(normalised(&out), out);
        }
    }
}
