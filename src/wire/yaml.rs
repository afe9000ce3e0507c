//! The strict YAML reader of our own documents: what JSON can say, in YAML's words.
//!
//! Refused as in JSON: bad UTF-8, a repeated key, nesting over 128, NaN and infinity. Refused besides: aliases, tags, several documents and
//! keys that are no scalars. Plain words mean what YAML 1.2 says: `yes` is a text. Bound: linear in the bytes.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

use crate::base::path::printable;
use crate::base::{Code, Fail};

const DEPTH: usize = 128;

enum Open {
    Object(Map<String, Value>, Option<String>),
    List(Vec<Value>),
}

/// Reads one document.
///
/// # Errors
/// `CORRUPT`, `BAD_UTF8`, `BAD_YAML`, `DUPLICATE_KEY`, `TOO_DEEP`, `NUMBER_RANGE`.
pub fn parse(bytes: &[u8]) -> Result<Value, Fail> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Fail::new(Code::Corrupt, "the document is empty"));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let at = e.valid_up_to();
        Fail::new(Code::BadUtf8, format!("the document is not UTF-8 at offset {at}")).with("offset", at)
    })?;
    let mut open: Vec<Open> = Vec::new();
    let mut whole = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|e| bad(e.marker().line(), "it breaks YAML's grammar"))?;
        let line = span.start.line();
        let value = match event {
            Event::MappingStart(_, None) => {
                open.push(Open::Object(Map::new(), None));
                None
            }
            Event::SequenceStart(_, None) => {
                open.push(Open::List(Vec::new()));
                None
            }
            Event::MappingEnd | Event::SequenceEnd => open.pop().map(|o| match o {
                Open::Object(fields, _) => Value::Object(fields),
                Open::List(items) => Value::Array(items),
            }),
            Event::Scalar(text, style, _, None) => Some(scalar(&text, style == ScalarStyle::Plain, line)?),
            Event::Alias(_) => return Err(bad(line, "an alias stands there")),
            Event::MappingStart(..) | Event::SequenceStart(..) | Event::Scalar(..) => return Err(bad(line, "a tag stands there")),
            Event::DocumentStart(_) if whole.is_some() => return Err(bad(line, "a second document begins there")),
            _ => None,
        };
        if open.len() > DEPTH {
            return Err(Fail::new(Code::TooDeep, format!("the document is nested deeper than {DEPTH} at line {line}")).with("line", line));
        }
        let Some(value) = value else { continue };
        match open.last_mut() {
            None => whole = Some(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Object(fields, key)) => match key.take() {
                None => *key = Some(named(value, line)?),
                Some(key) if fields.contains_key(&key) => {
                    let message = format!("the key `{}` stands twice in one object at line {line}", printable(&key));
                    return Err(Fail::new(Code::DuplicateKey, message).with("key", key));
                }
                Some(key) => drop(fields.insert(key, value)),
            },
        }
    }
    whole.ok_or_else(|| Fail::new(Code::Corrupt, "the document is empty"))
}

fn bad(line: usize, what: &str) -> Fail {
    Fail::new(Code::BadYaml, format!("the document cannot be read at line {line}: {what}")).with("line", line)
}

fn named(key: Value, line: usize) -> Result<String, Fail> {
    match key {
        Value::String(text) => Ok(text),
        Value::Bool(_) | Value::Number(_) => Ok(key.to_string()),
        _ => Err(bad(line, "a key is no scalar")),
    }
}

fn scalar(text: &str, plain: bool, line: usize) -> Result<Value, Fail> {
    if !plain {
        return Ok(Value::from(text));
    }
    let range = || Fail::new(Code::NumberRange, format!("the number `{}` at line {line} cannot be kept exactly", printable(text)));
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.contains(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Err(bad(line, "NaN is no number")),
        _ if digits.eq_ignore_ascii_case(".inf") => return Err(bad(line, "infinity is no number")),
        _ if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => Value::from(text.parse::<i64>().map_err(|_| range())?),
        _ if is_number => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Value::from(number),
            Ok(_) => return Err(range()),
            Err(_) => Value::from(text),
        },
        _ => Value::from(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_means_what_its_json_means() {
        let text = "a: 1\nb: [x, 'y', 2.5, true, null, ~]\nc:\n  d: |\n    two\n    lines\n  e: {}\nyes: no\nf: 2026-07-17\n";
        let wanted =
            json!({"a": 1, "b": ["x", "y", 2.5, true, null, null], "c": {"d": "two\nlines\n", "e": {}}, "yes": "no", "f": "2026-07-17"});
        assert_eq!(parse(text.as_bytes()).unwrap(), wanted);
        assert_eq!(parse(b"[1, 2]").unwrap(), json!([1, 2]));
    }

    #[test]
    fn what_json_refuses_is_refused() {
        let code = |text: &str| parse(text.as_bytes()).unwrap_err().code;
        assert_eq!(code(" \n"), Code::Corrupt);
        assert_eq!(code("a: 1\na: 2\n"), Code::DuplicateKey);
        assert_eq!(code(&"[".repeat(200)), Code::TooDeep);
        assert_eq!(code("a: .nan"), Code::BadYaml);
        assert_eq!(code("a: -.inf"), Code::BadYaml);
        assert_eq!(code("a: 99999999999999999999"), Code::NumberRange);
        for text in ["a: &x 1\nb: *x\n", "a: !!str 1\n", "a: 1\n---\nb: 2\n", "? [1]\n: 2\n", "a: [", "a: \"x"] {
            assert_eq!(code(text), Code::BadYaml, "{text}");
        }
        assert_eq!(parse(b"\xff").unwrap_err().code, Code::BadUtf8);
    }
}
