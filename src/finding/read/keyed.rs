//! YAML, TOML and XML answers as the values a JSON answer has, so that one schema reads them all.
//!
//! Aliases are not followed and depth is bounded, as with JSON. Bound: linear.

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::json::{Map, Node};

/// A document and what was odd about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyed {
    /// What was read. The place of an object is the line it starts on.
    pub node: Node,
    /// Whether an object repeats a key.
    pub duplicate_keys: bool,
    /// Whether it stopped being readable before its end.
    pub broken: bool,
}

/// How deep a document may nest.
const DEPTH: usize = 128;

/// A container that is still open.
enum Open {
    Map(Map, Option<String>),
    List(Vec<Node>),
}

/// Reads the YAML documents of a text as far as they go; several are a list. None when there is nothing in it.
pub fn yaml(text: &str) -> Option<Keyed> {
    let mut open: Vec<Open> = Vec::new();
    let mut keyed = Keyed { node: Node::Null, duplicate_keys: false, broken: false };
    let mut whole = Node::Null;
    for event in Parser::new_from_str(text) {
        let Ok((event, span)) = event else {
            keyed.broken = true;
            break;
        };
        let line = span.start.line();
        let done = match event {
            Event::MappingStart(..) => {
                open.push(Open::Map(Map { entries: Vec::new(), at: line }, None));
                None
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                None
            }
            Event::MappingEnd | Event::SequenceEnd => open.pop().map(close),
            Event::Scalar(value, style, ..) => Some(scalar(&value, style == ScalarStyle::Plain)),
            Event::Alias(_) => Some(Node::Null),
            Event::DocumentEnd => {
                join(&mut whole, std::mem::replace(&mut keyed.node, Node::Null));
                None
            }
            _ => None,
        };
        if open.len() > DEPTH {
            keyed.broken = true;
            break;
        }
        if let Some(node) = done {
            put(&mut open, &mut keyed, node);
        }
    }
    while let Some(last) = open.pop() {
        put(&mut open, &mut keyed, close(last));
    }
    join(&mut whole, std::mem::replace(&mut keyed.node, Node::Null));
    keyed.node = whole;
    (keyed.node != Node::Null).then_some(keyed)
}

/// Adds a further document to what the ones before it say: its keys, or what it is, under a key of its own.
fn join(whole: &mut Node, document: Node) {
    match (whole, document) {
        (_, Node::Null) => {}
        (whole @ Node::Null, document) => *whole = document,
        (Node::Map(known), Node::Map(more)) => known.entries.extend(more.entries),
        (Node::Map(known), list @ Node::List(_)) => known.entries.push(("findings".to_owned(), list)),
        (Node::Map(known), other) => known.entries.push(("prose".to_owned(), other)),
        (Node::List(known), Node::List(more)) => known.extend(more),
        (Node::List(known), other) => known.push(other),
        _ => {}
    }
}

fn close(open: Open) -> Node {
    match open {
        Open::Map(map, _) => Node::Map(map),
        Open::List(list) => Node::List(list),
    }
}

/// Puts a value where the innermost open container takes it: a key first, then its value.
fn put(open: &mut [Open], keyed: &mut Keyed, node: Node) {
    match open.last_mut() {
        None => keyed.node = node,
        Some(Open::List(list)) => list.push(node),
        Some(Open::Map(map, key)) => match key.take() {
            None => *key = Some(word(&node)),
            Some(key) => {
                keyed.duplicate_keys |= map.has(&key);
                map.entries.push((key, node));
            }
        },
    }
}

fn word(node: &Node) -> String {
    match node {
        Node::Text(text) | Node::Number(text) => text.clone(),
        Node::Bool(b) => b.to_string(),
        _ => String::new(),
    }
}

fn scalar(value: &str, plain: bool) -> Node {
    match value {
        "" | "~" | "null" | "Null" | "NULL" if plain => Node::Null,
        "true" | "True" | "TRUE" if plain => Node::Bool(true),
        "false" | "False" | "FALSE" if plain => Node::Bool(false),
        _ if plain && value.starts_with(|c: char| c.is_ascii_digit()) && value.parse::<f64>().is_ok() => Node::Number(value.to_owned()),
        _ => Node::Text(value.trim_end().to_owned()),
    }
}

/// Reads a TOML document; none when it is none.
pub fn toml(text: &str) -> Option<Keyed> {
    let table: toml::Table = text.parse().ok()?;
    Some(Keyed { node: of_toml(toml::Value::Table(table)), duplicate_keys: false, broken: false })
}

fn of_toml(value: toml::Value) -> Node {
    match value {
        toml::Value::String(text) => Node::Text(text),
        toml::Value::Boolean(b) => Node::Bool(b),
        toml::Value::Array(list) => Node::List(list.into_iter().map(of_toml).collect()),
        toml::Value::Table(table) => Node::Map(Map { entries: table.into_iter().map(|(k, v)| (k, of_toml(v))).collect(), at: 0 }),
        toml::Value::Datetime(date) => Node::Text(date.to_string()),
        number => Node::Number(number.to_string()),
    }
}

/// Reads `<verdict>…</verdict>` and `<finding …>…</finding>` elements wherever they stand, with attributes or child elements
/// as keys; none when there are none. Other markup is left to the text around it.
pub fn xml(text: &str) -> Option<Keyed> {
    let mut entries = Vec::new();
    let mut findings = Vec::new();
    let mut file = None;
    // Behind the last end of an element nothing can begin that ends.
    let last = text.rfind("</").unwrap_or(0);
    for (at, _) in text[..last].match_indices('<') {
        let tail = &text[at + 1..];
        if let Some(attributes) = tail.strip_prefix("review ").and_then(|t| t.split_once('>')).map(|(a, _)| a) {
            entries.extend(attributes_of(attributes).into_iter().filter(|(name, _)| name == "verdict"));
        } else if let Some(name) = tail.strip_prefix("file ").and_then(|t| t.split_once('>')).map(|(a, _)| attributes_of(a)) {
            // Checkstyle lists errors below the file they are in.
            file = name.into_iter().find(|(name, _)| name == "name").map(|(_, value)| value);
        } else if let Some((attributes, _)) = element(tail, "error").filter(|_| file.is_some()) {
            let mut entries = attributes_of(attributes);
            entries.extend(file.clone().map(|path| ("path".to_owned(), path)));
            findings.push(Node::Map(Map { entries, at: 0 }));
        } else if let Some(value) = element(tail, "verdict") {
            entries.push(("verdict".to_owned(), Node::Text(plain(value.1))));
        } else if let Some((attributes, inner)) = ["finding", "issue", "comment"].iter().find_map(|n| element(tail, n)) {
            let mut map = Map { entries: attributes_of(attributes), at: 0 };
            children(inner, &mut map);
            if map.entries.is_empty() || !map.has("title") && !map.has("message") && !map.has("description") {
                map.entries.push(("title".to_owned(), Node::Text(plain(inner))));
            }
            findings.push(Node::Map(map));
        }
    }
    let clean = text.contains("<findings") || text.contains("<checkstyle");
    let listed = clean || !findings.is_empty();
    if entries.is_empty() && findings.is_empty() {
        return None;
    }
    if listed {
        entries.push(("findings".to_owned(), Node::List(findings)));
    }
    Some(Keyed { node: Node::Map(Map { entries, at: 0 }), duplicate_keys: false, broken: false })
}

/// How far an element of a finding may reach, in bytes: what is never closed is not searched for again and again.
const REACH: usize = 1 << 12;

/// The attributes and the inner text of an element that starts at `tail`, its bracket left out.
fn element<'t>(tail: &'t str, name: &str) -> Option<(&'t str, &'t str)> {
    let rest = tail.strip_prefix(name).filter(|r| r.starts_with(['>', ' ', '\n', '\t', '/']))?;
    let window = &rest[..rest.floor_char_boundary(REACH)];
    let (attributes, inner) = window.split_once('>')?;
    if let Some(attributes) = attributes.strip_suffix('/') {
        return Some((attributes, ""));
    }
    let close = format!("</{name}>");
    let end = memchr::memmem::find(inner.as_bytes(), close.as_bytes())?;
    Some((attributes, &inner[..end]))
}

fn attributes_of(text: &str) -> Vec<(String, Node)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, tail)) = rest.split_once('=') {
        let Some(quote) = tail.trim_start().chars().next().filter(|c| matches!(c, '"' | '\'')) else { break };
        let Some((value, more)) = tail.trim_start()[1..].split_once(quote) else { break };
        found.push((name.trim().to_owned(), Node::Text(unescaped(value))));
        rest = more;
    }
    found
}

fn children(inner: &str, map: &mut Map) {
    for (at, _) in inner.match_indices('<') {
        let tail = &inner[at + 1..];
        let length = tail.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        if let Some((_, value)) = element(tail, &tail[..length]).filter(|_| length > 0) {
            map.entries.push((tail[..length].to_owned(), Node::Text(plain(value))));
        }
    }
}

fn plain(text: &str) -> String {
    unescaped(text.trim().trim_start_matches("<![CDATA[").trim_end_matches("]]>").trim())
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'").replace("&amp;", "&")
}
