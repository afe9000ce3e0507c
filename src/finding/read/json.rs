//! A JSON reader for foreign text: keeps repeated keys, keeps what was read before a cut, and says where it gave up.
//!
//! The reader of our own documents refuses all of this (`wire::json`); a review is somebody else's text, and what it says
//! before it breaks off must not be lost. NaN and depth over 128 make a document unreadable. Bound: linear, a byte is
//! looked at once.

/// A JSON value; a number keeps its spelling.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// null
    Null,
    /// true or false
    Bool(bool),
    /// As written.
    Number(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// An object.
    Map(Map),
}

/// An object: its entries in order, a repeated key as often as it stands there. Where it stands makes no difference between two.
#[derive(Debug, Clone, Default)]
pub struct Map {
    /// Key and value.
    pub entries: Vec<(String, Node)>,
    /// The byte its brace stands at.
    pub at: usize,
}

/// A document, or the part of it in front of a cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// What was read.
    pub node: Node,
    /// The byte behind it, or the one it broke at.
    pub end: usize,
    /// Whether the text ended inside it.
    pub truncated: bool,
    /// Whether it stopped being JSON.
    pub broken: bool,
    /// Whether an object repeats a key.
    pub duplicate_keys: bool,
}

/// Where a document is NaN, an infinity, or too deep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable(pub usize);

/// Why reading stopped before the end of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    End,
    Broken,
}

/// How deep a document may nest.
const DEPTH: usize = 128;

impl Node {
    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        match self {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number, also when it is written as a string.
    pub fn number(&self) -> Option<u64> {
        match self {
            Node::Number(number) => number.parse().ok(),
            Node::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn list(&self) -> Option<&[Node]> {
        match self {
            Node::List(list) => Some(list),
            _ => None,
        }
    }

    /// The object.
    pub fn map(&self) -> Option<&Map> {
        match self {
            Node::Map(map) => Some(map),
            _ => None,
        }
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Map) -> bool {
        self.entries == other.entries
    }
}

impl Map {
    /// The first value of a key that is not null.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|(k, v)| k == key && *v != Node::Null).map(|(_, v)| v)
    }

    /// Whether a key is there, null or not.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(k, _)| k == key)
    }

    /// The value at a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        let (first, rest) = path.split_first()?;
        let found = self.get(first)?;
        if rest.is_empty() { Some(found) } else { found.map()?.at(rest) }
    }

    /// The text of the first of some keys that has one.
    pub fn text(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().find_map(|k| self.get(k).and_then(Node::text).map(str::trim).filter(|t| !t.is_empty()))
    }

    /// The number of the first of some keys that has one.
    pub fn number(&self, keys: &[&str]) -> Option<u64> {
        keys.iter().find_map(|k| self.get(k).and_then(Node::number))
    }
}

/// Reads one document that starts at byte `from` of `text`, blanks before it allowed. Null stands for one of which nothing
/// was read.
///
/// # Errors
/// [`Unreadable`].
pub fn read(text: &str, from: usize) -> Result<Document, Unreadable> {
    let mut reader = Reader { text, at: from, stop: None, duplicate_keys: false };
    let node = reader.value(0)?.unwrap_or(Node::Null);
    let (truncated, broken) = (reader.stop == Some(Stop::End), reader.stop == Some(Stop::Broken));
    Ok(Document { node, end: reader.at.min(text.len()), truncated, broken, duplicate_keys: reader.duplicate_keys })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    stop: Option<Stop>,
    duplicate_keys: bool,
}

impl Reader<'_> {
    /// The next byte that is no blank; none at the end of the text, which stops the reader.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let found = bytes.get(self.at).copied().filter(|_| self.stop.is_none());
        if found.is_none() {
            self.stop = self.stop.or(Some(Stop::End));
        }
        found
    }

    fn broken<T>(&mut self) -> Option<T> {
        self.stop = self.stop.or(Some(Stop::Broken));
        None
    }

    /// A value, as far as it goes; none where there was none.
    fn value(&mut self, depth: usize) -> Result<Option<Node>, Unreadable> {
        let Some(first) = self.peek() else { return Ok(None) };
        if depth > DEPTH {
            return Err(Unreadable(self.at));
        }
        match first {
            b'{' => self.object(depth).map(|m| Some(Node::Map(m))),
            b'[' => self.list(depth).map(|l| Some(Node::List(l))),
            b'"' => Ok(Some(Node::Text(self.string()))),
            b'-' | b'0'..=b'9' => self.number(),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Map, Unreadable> {
        let mut map = Map { entries: Vec::new(), at: self.at };
        let mut keys = std::collections::HashSet::new();
        // Most objects have a few keys, which are compared faster than they are hashed.
        const FEW: usize = 16;
        self.at += 1;
        while let Some(next) = self.peek() {
            match next {
                b'}' => {
                    self.at += 1;
                    break;
                }
                b',' if !map.entries.is_empty() => self.at += 1,
                b'"' => {
                    let key = self.string();
                    if self.peek() != Some(b':') {
                        self.broken::<()>();
                        break;
                    }
                    self.at += 1;
                    let Some(value) = self.value(depth + 1)? else { break };
                    if map.entries.len() < FEW {
                        self.duplicate_keys = self.duplicate_keys || map.has(&key);
                    } else {
                        if keys.is_empty() {
                            keys.extend(map.entries.iter().map(|(k, _)| k.clone()));
                        }
                        self.duplicate_keys |= !keys.insert(key.clone());
                    }
                    map.entries.push((key, value));
                    if !matches!(self.peek(), Some(b',' | b'}')) {
                        self.broken::<()>();
                    }
                }
                _ => {
                    self.broken::<()>();
                }
            }
        }
        Ok(map)
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node>, Unreadable> {
        let mut list = Vec::new();
        self.at += 1;
        while let Some(next) = self.peek() {
            match next {
                b']' => {
                    self.at += 1;
                    break;
                }
                b',' if !list.is_empty() => self.at += 1,
                _ => {
                    let Some(value) = self.value(depth + 1)? else { break };
                    list.push(value);
                    if !matches!(self.peek(), Some(b',' | b']')) {
                        self.broken::<()>();
                    }
                }
            }
        }
        Ok(list)
    }

    /// A string from its opening quote on; one that is cut off is kept as far as it goes.
    fn string(&mut self) -> String {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(stop) = memchr::memchr2(b'"', b'\\', rest.as_bytes()) else {
                out.push_str(rest);
                self.at = self.text.len();
                self.stop = Some(Stop::End);
                return out;
            };
            out.push_str(&rest[..stop]);
            self.at += stop + 1;
            if rest.as_bytes()[stop] == b'"' {
                return out;
            }
            let Some(escape) = self.text.as_bytes().get(self.at).copied() else {
                self.stop = Some(Stop::End);
                return out;
            };
            let plain = match escape {
                b'n' => '\n',
                b't' => '\t',
                b'r' => '\r',
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'"' | b'\\' | b'/' => char::from(escape),
                b'u' => {
                    self.at += 1;
                    out.push(self.unicode());
                    continue;
                }
                // An escape that JSON does not know (a regular expression, a Windows path) is kept as it stands.
                _ => {
                    out.push('\\');
                    continue;
                }
            };
            self.at += 1;
            out.push(plain);
        }
    }

    /// Behind `\u`: a character, of two escapes when it is a pair; U+FFFD for half a pair.
    fn unicode(&mut self) -> char {
        let Some(first) = self.hex() else { return char::REPLACEMENT_CHARACTER };
        if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            let back = self.at;
            self.at += 2;
            if let Some(second) = self.hex().filter(|s| (0xdc00..0xe000).contains(s)) {
                let joined = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER);
            }
            self.at = back;
        }
        char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    fn number(&mut self) -> Result<Option<Node>, Unreadable> {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E')).count();
        let digits = &rest[..length];
        if rest[length..].starts_with("Infinity") {
            return Err(Unreadable(self.at));
        }
        if length == rest.len() {
            // A number that the text ends in may go on.
            self.at += length;
            self.stop = Some(Stop::End);
            return Ok(None);
        }
        if digits.parse::<f64>().is_err() {
            return Ok(self.broken());
        }
        self.at += length;
        Ok(Some(Node::Number(digits.to_owned())))
    }

    fn word(&mut self) -> Result<Option<Node>, Unreadable> {
        let rest = &self.text[self.at..];
        for (word, node) in [("true", Node::Bool(true)), ("false", Node::Bool(false)), ("null", Node::Null)] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(Some(node));
            }
            if word.starts_with(rest) {
                self.at = self.text.len();
                self.stop = Some(Stop::End);
                return Ok(None);
            }
        }
        if rest.starts_with("NaN") || rest.starts_with("Infinity") {
            return Err(Unreadable(self.at));
        }
        Ok(self.broken())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_key_is_kept_as_often_as_it_stands() {
        let document = read(r#"{"a":1,"b":[true,null],"a":"x\u00e9\ud83d\ude00"}"#, 0).unwrap();
        let map = document.node.map().unwrap();
        assert!(document.duplicate_keys && !document.truncated);
        assert_eq!(map.entries.iter().filter(|(k, _)| k == "a").map(|(_, n)| n.text().unwrap_or("1")).collect::<Vec<_>>(), ["1", "xé😀"]);
    }

    #[test]
    fn what_stands_before_a_cut_is_kept() {
        for (text, want) in [(r#"{"a":"x","b":"half"#, 2), (r#"{"a":"x","b"#, 1), (r#"{"a":"x","b":tr"#, 1), (r#"{"a":"x","b":12"#, 1)] {
            let document = read(text, 0).unwrap();
            assert!(document.truncated, "{text}");
            assert_eq!(document.node.map().unwrap().entries.len(), want, "{text}");
        }
    }

    #[test]
    fn what_is_no_json_says_where_it_broke() {
        let broken = |text: &str| read(text, 0).map(|d| (d.broken, d.truncated, d.end)).unwrap();
        assert_eq!(broken("{not json}"), (true, false, 1));
        assert_eq!(broken("[1 2]"), (true, false, 3));
        assert_eq!(broken(r#"{"a":{"b":1} oops}"#), (true, false, 13));
        assert_eq!(read(r#"see {"a":1} there"#, 4).unwrap().end, 11);
    }

    #[test]
    fn nan_infinity_and_depth_make_a_document_unreadable() {
        assert_eq!(read(r#"{"a": NaN}"#, 0), Err(Unreadable(6)));
        assert_eq!(read(r#"{"a": -Infinity}"#, 0), Err(Unreadable(6)));
        assert_eq!(read(&"[".repeat(200), 0), Err(Unreadable(129)));
        assert!(read(&format!("{}{}", "[".repeat(129), "]".repeat(129)), 0).is_ok());
    }
}
