//! The strict JSON reader of our own documents, typed access with a pointer in every refusal, and canonical bytes.
//!
//! Refused: an empty or cut document, NUL bytes, bad UTF-8, NaN, a repeated key, nesting over 128, numbers that cannot
//! be kept exactly. A byte order mark and CRLF are accepted and never written (faults.md rows 26 to 35).
//! Bound: linear in the bytes.

use std::cell::RefCell;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::base::path::printable;
use crate::base::{Code, Fail};

/// Reads one document.
///
/// # Errors
/// `CORRUPT`, `BAD_UTF8`, `BAD_JSON`, `DUPLICATE_KEY`, `TOO_DEEP`, `NUMBER_RANGE`.
pub fn parse(bytes: &[u8]) -> Result<Value, Fail> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Fail::new(Code::Corrupt, "the document is empty"));
    }
    if let Some(at) = bytes.iter().position(|b| *b == 0) {
        return Err(Fail::new(Code::Corrupt, format!("the document holds a NUL byte at offset {at}")).with("offset", at));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let at = e.valid_up_to();
        Fail::new(Code::BadUtf8, format!("the document is not UTF-8 at offset {at}")).with("offset", at)
    })?;
    let refused = RefCell::new(None);
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict { refused: &refused }.deserialize(&mut reader);
    let ended = value.and_then(|v| reader.end().map(|()| v));
    match ended {
        Ok(value) => Ok(value),
        Err(error) => Err(refused.into_inner().unwrap_or_else(|| json_fail(&error))),
    }
}

fn json_fail(error: &serde_json::Error) -> Fail {
    let (line, column) = (error.line(), error.column());
    let said = error.to_string();
    let (code, what) = if error.is_eof() {
        (Code::Corrupt, "is cut off")
    } else if said.starts_with("recursion limit") {
        (Code::TooDeep, "is nested deeper than 128")
    } else if said.starts_with("number out of range") {
        (Code::NumberRange, "holds a number out of range")
    } else {
        (Code::BadJson, "is not JSON")
    };
    Fail::new(code, format!("the document {what} at line {line} column {column}")).with("line", line).with("column", column)
}

struct Strict<'a> {
    refused: &'a RefCell<Option<Fail>>,
}

impl Strict<'_> {
    fn refuse<E: serde::de::Error>(&self, fail: Fail) -> E {
        self.refused.borrow_mut().get_or_insert(fail);
        E::custom("refused")
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
        Ok(Value::Bool(v))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Value, E> {
        Ok(Value::from(v))
    }

    fn visit_u64<E: serde::de::Error>(self, v: u64) -> Result<Value, E> {
        if v > i64::MAX.unsigned_abs() {
            return Err(self.refuse(Fail::new(Code::NumberRange, format!("the number {v} is over 2^63-1"))));
        }
        Ok(Value::from(v))
    }

    fn visit_f64<E: serde::de::Error>(self, v: f64) -> Result<Value, E> {
        // serde_json reads a whole number that fits no integer as a float: its digits are lost, so it is refused.
        if v.fract() == 0.0 && v.abs() >= 9.2e18 {
            return Err(self.refuse(Fail::new(Code::NumberRange, format!("the number {v:e} cannot be kept exactly"))));
        }
        Ok(Value::from(v))
    }

    fn visit_str<E>(self, v: &str) -> Result<Value, E> {
        Ok(Value::String(v.to_owned()))
    }

    fn visit_string<E>(self, v: String) -> Result<Value, E> {
        Ok(Value::String(v))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Strict { refused: self.refused })? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if fields.contains_key(&key) {
                let fail = Fail::new(Code::DuplicateKey, format!("the key `{}` stands twice in one object", printable(&key)));
                return Err(self.refuse(fail.with("key", key)));
            }
            let value = map.next_value_seed(Strict { refused: self.refused })?;
            fields.insert(key, value);
        }
        if fields.is_empty() && self.refused.borrow().is_some() {
            return Err(A::Error::custom("refused"));
        }
        Ok(Value::Object(fields))
    }
}

/// Typed access to one object, with the pointer to it in every refusal.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    at: &'a str,
}

impl<'a> Fields<'a> {
    /// The object `value` at `at`.
    ///
    /// # Errors
    /// `BAD_SHAPE`.
    pub fn of(value: &'a Value, at: &'a str) -> Result<Fields<'a>, Fail> {
        value.as_object().map(|map| Fields { map, at }).ok_or_else(|| shape(at, "", "an object"))
    }

    /// The field, `None` when absent or null.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|v| !v.is_null())
    }

    /// Whether the key stands there, null included.
    pub fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    /// The keys in document order.
    pub fn keys(&self) -> impl Iterator<Item = &'a String> {
        self.map.keys()
    }

    /// Refuses keys that are not of the schema.
    ///
    /// # Errors
    /// `BAD_SHAPE`.
    pub fn only(&self, known: &[&str]) -> Result<(), Fail> {
        match self.map.keys().find(|k| !known.contains(&k.as_str())) {
            Some(stray) => Err(self.wrong(stray, "left out: it is no field of this document")),
            None => Ok(()),
        }
    }

    /// Refuses a `schema_version` that this program does not know.
    ///
    /// # Errors
    /// `SCHEMA_NEWER`, `BAD_SHAPE`.
    pub fn version(&self, known: u64) -> Result<(), Fail> {
        let found = self.count("schema_version")?;
        if found > known {
            let message = format!("the document has schema {found}, this program knows {known}");
            return Err(Fail::new(Code::SchemaNewer, message).with("found", found).with("known", known));
        }
        if found == 0 { Err(self.wrong("schema_version", "a version from 1")) } else { Ok(()) }
    }

    /// A refusal of one field.
    pub fn wrong(&self, key: &str, wanted: &str) -> Fail {
        shape(self.at, key, wanted)
    }

    /// A required text.
    ///
    /// # Errors
    /// `BAD_SHAPE`.
    pub fn text(&self, key: &str) -> Result<&'a str, Fail> {
        self.get(key).and_then(Value::as_str).ok_or_else(|| self.wrong(key, "a string"))
    }

    /// A text or null or nothing.
    ///
    /// # Errors
    /// `BAD_SHAPE` for anything else.
    pub fn maybe_text(&self, key: &str) -> Result<Option<&'a str>, Fail> {
        self.get(key).map(|v| v.as_str().ok_or_else(|| self.wrong(key, "a string or null"))).transpose()
    }

    /// A required whole number from 0.
    ///
    /// # Errors
    /// `BAD_SHAPE`.
    pub fn count(&self, key: &str) -> Result<u64, Fail> {
        self.get(key).and_then(Value::as_u64).ok_or_else(|| self.wrong(key, "a whole number from 0"))
    }

    /// A whole number from 0, or null or nothing.
    ///
    /// # Errors
    /// `BAD_SHAPE` for anything else.
    pub fn maybe_count(&self, key: &str) -> Result<Option<u64>, Fail> {
        self.get(key).map(|v| v.as_u64().ok_or_else(|| self.wrong(key, "a whole number from 0, or null"))).transpose()
    }

    /// A required flag.
    ///
    /// # Errors
    /// `BAD_SHAPE`.
    pub fn flag(&self, key: &str) -> Result<bool, Fail> {
        self.get(key).and_then(Value::as_bool).ok_or_else(|| self.wrong(key, "true or false"))
    }

    /// A required list.
    ///
    /// # Errors
    /// `BAD_SHAPE`.
    pub fn list(&self, key: &str) -> Result<&'a [Value], Fail> {
        self.get(key).and_then(Value::as_array).map(Vec::as_slice).ok_or_else(|| self.wrong(key, "a list"))
    }

    /// A list, empty when absent or null.
    ///
    /// # Errors
    /// `BAD_SHAPE` for anything else.
    pub fn maybe_list(&self, key: &str) -> Result<&'a [Value], Fail> {
        if self.get(key).is_none() { Ok(&[]) } else { self.list(key) }
    }

    /// A required list of texts.
    ///
    /// # Errors
    /// `BAD_SHAPE`.
    pub fn texts(&self, key: &str) -> Result<Vec<String>, Fail> {
        let texts = self.list(key)?.iter().map(|v| v.as_str().map(str::to_owned));
        texts.collect::<Option<Vec<String>>>().ok_or_else(|| self.wrong(key, "a list of strings"))
    }
}

fn shape(at: &str, key: &str, wanted: &str) -> Fail {
    let pointer = if key.is_empty() { at.to_owned() } else { format!("{at}/{key}") };
    let shown = if pointer.is_empty() { "the document".to_owned() } else { format!("`{}`", printable(&pointer)) };
    Fail::new(Code::BadShape, format!("{shown} must be {wanted}")).with("at", pointer)
}

/// Reads a document of ours whose shape is a type that refuses unknown fields; its version is looked at first.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`.
pub fn typed<T: serde::de::DeserializeOwned>(bytes: &[u8], known: u64) -> Result<T, Fail> {
    let value = parse(bytes)?;
    Fields::of(&value, "")?.version(known)?;
    shaped(value)
}

/// A value as a type that refuses unknown fields.
///
/// # Errors
/// `BAD_SHAPE`.
pub fn shaped<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, Fail> {
    serde_json::from_value(value)
        .map_err(|e| Fail::new(Code::BadShape, format!("the document breaks its schema: {}", printable(&e.to_string()))))
}

/// The lines of a journal as documents; a last line that was cut off is left out.
///
/// # Errors
/// As [`typed`], with the number of the line.
pub fn lines<T: serde::de::DeserializeOwned>(bytes: &[u8], known: u64) -> Result<Vec<T>, Fail> {
    let whole = &bytes[..bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1)];
    let lines = whole.split(|b| *b == b'\n').filter(|l| !l.is_empty()).enumerate();
    let numbered = |at: usize, fail: Fail| Fail { message: format!("line {}: {}", at + 1, fail.message), ..fail }.with("line", at + 1);
    lines.map(|(at, line)| typed(line, known).map_err(|fail| numbered(at, fail))).collect()
}

/// Pretty bytes of a document of ours: two blanks of indent, one final newline.
pub fn document<T: serde::Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Compact bytes with one final newline, as the reference writes its files.
pub fn compact<T: serde::Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Code {
        parse(text.as_bytes()).unwrap_err().code
    }

    #[test]
    fn every_kind_of_damage_has_its_own_code() {
        assert_eq!(code(""), Code::Corrupt);
        assert_eq!(code("{\"a\":"), Code::Corrupt);
        assert_eq!(code("{\"a\":1}\0"), Code::Corrupt);
        assert_eq!(code("{\"a\":NaN}"), Code::BadJson);
        assert_eq!(code("{\"a\":1}x"), Code::BadJson);
        assert_eq!(code("{\"a\":1,\"a\":2}"), Code::DuplicateKey);
        assert_eq!(code("{\"x\":[{\"a\":1,\"a\":2}]}"), Code::DuplicateKey);
        assert_eq!(code(&"[".repeat(100_000)), Code::TooDeep);
        assert_eq!(code("{\"a\":1e999}"), Code::NumberRange);
        assert_eq!(code("{\"a\":9223372036854775808}"), Code::NumberRange);
        assert_eq!(code("{\"a\":99999999999999999999999}"), Code::NumberRange);
        assert_eq!(parse(b"\"\xff\"").unwrap_err().code, Code::BadUtf8);
    }

    #[test]
    fn a_byte_order_mark_and_crlf_are_accepted() {
        assert!(parse("\u{feff}{\r\n\"a\":9223372036854775807}\r\n".as_bytes()).is_ok());
    }
}
