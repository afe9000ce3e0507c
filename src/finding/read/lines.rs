//! The line reader: which lines of a markdown text a reader sees, and which are code, quotation or comment.
//!
//! Fences of back-ticks and tildes (an unclosed one hides nothing and is reported), indented code after a blank line
//! outside a list, block quotes (GitHub alerts are content), HTML comments. Source: cases/reports/README.md §4, Code.
//! Bound: linear; each line is classified once, and a fence that never closes is looked for once per length.

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// A line that speaks.
    Text,
    /// A blank line.
    Blank,
    /// The opening or closing line of a fence.
    Fence,
    /// A line inside a fence.
    Code,
    /// A quoted line.
    Quote,
    /// A line of an HTML comment or of indented code.
    Hidden,
}

/// One line of a text.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The byte it starts at.
    pub at: usize,
    /// The byte its text starts at, behind what was taken off.
    pub offset: usize,
    /// Counted from 1.
    pub number: u64,
    /// Without its line end.
    pub text: &'a str,
    /// What it is.
    pub zone: Zone,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Marker {
    mark: u8,
    length: usize,
    indent: usize,
}

/// Walks the lines of a text.
pub struct Lines<'a> {
    whole: &'a str,
    rest: &'a str,
    number: u64,
    fence: Option<Marker>,
    never_closes: [usize; 2],
    comment: bool,
    comment_end_ahead: bool,
    after_blank: bool,
    in_list: bool,
    in_alert: bool,
    /// Whether a fence or comment was opened and never closed.
    pub unclosed: bool,
}

impl<'a> Lines<'a> {
    /// A reader at the start of `text`.
    pub fn new(text: &'a str) -> Lines<'a> {
        Lines::from(text, 0, 0)
    }

    /// A reader behind `lines` lines, at byte `at`.
    pub fn from(text: &'a str, at: usize, lines: u64) -> Lines<'a> {
        let rest = &text[at..];
        let rest = if at == 0 { rest.strip_prefix('\u{feff}').unwrap_or(rest) } else { rest };
        Lines {
            whole: text,
            rest,
            number: lines,
            fence: None,
            never_closes: [usize::MAX; 2],
            comment: false,
            comment_end_ahead: true,
            after_blank: true,
            in_list: false,
            in_alert: false,
            unclosed: false,
        }
    }

    /// Goes on behind byte `end`, which lies in the current line or below it: gives what is left of the line it lies in.
    pub fn skip_past(&mut self, end: usize) -> &'a str {
        let next = self.whole.len() - self.rest.len();
        let stop = memchr::memchr(b'\n', &self.whole.as_bytes()[end..]).map_or(self.whole.len(), |n| end + n);
        if end > next {
            self.number += memchr::memchr_iter(b'\n', &self.whole.as_bytes()[next..end]).count() as u64 + 1;
            self.rest = self.whole.get(stop + 1..).unwrap_or_default();
        }
        &self.whole[end..stop]
    }

    /// The number of the line that was given last.
    pub fn number(&self) -> u64 {
        self.number
    }

    fn take_line(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        self.number += 1;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// Whether a fence opened now is closed later on.
    fn closes(&mut self, marker: Marker) -> bool {
        let slot = usize::from(marker.mark == b'~');
        if marker.length >= self.never_closes[slot] {
            return false;
        }
        let found = self.rest.split('\n').any(|l| is_closing(l, marker));
        if !found {
            self.never_closes[slot] = marker.length;
        }
        found
    }

    /// Whether a comment opened now is closed later on; one that is not hides its own line only.
    fn comment_closes(&mut self) -> bool {
        self.comment_end_ahead = self.comment_end_ahead && ends_comment(self.rest);
        self.comment_end_ahead
    }

    fn classify(&mut self, text: &'a str) -> Zone {
        let bytes = text.as_bytes();
        let indent = bytes.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let first = bytes.get(indent).copied();
        if let Some(marker) = self.fence {
            if is_closing(text, marker) {
                self.fence = None;
                return Zone::Fence;
            }
            // A fence inside a list item ends with the item: a heading at the margin is no code of it.
            if !(marker.indent > 0 && indent == 0 && first == Some(b'#')) {
                return Zone::Code;
            }
            self.fence = None;
            self.unclosed = true;
        }
        if self.comment {
            self.comment = !ends_comment(text);
            return Zone::Hidden;
        }
        let Some(first) = first else {
            return Zone::Blank;
        };
        let body = &text[indent..];
        if indent >= 4 && self.after_blank && !self.in_list && !is_list_item(body) {
            return Zone::Hidden;
        }
        match first {
            b'`' | b'~' => {
                if let Some(marker) = opening(body, indent) {
                    if self.closes(marker) {
                        self.fence = Some(marker);
                        return Zone::Fence;
                    }
                    self.unclosed = true;
                    return Zone::Hidden;
                }
            }
            b'>' => return self.quoted(body),
            b'<' if body.starts_with("<!--") && !behind_comment(body).is_empty() => {}
            b'<' if body.starts_with("<!--") => {
                self.comment = !ends_comment(body) && self.comment_closes();
                self.unclosed |= !ends_comment(body) && !self.comment;
                return Zone::Hidden;
            }
            _ => {}
        }
        self.in_alert = false;
        if is_list_item(body) {
            if indent >= 4 && self.after_blank && !self.in_list {
                return Zone::Hidden;
            }
            self.in_list = true;
        } else if indent == 0 && self.after_blank {
            self.in_list = false;
        } else if self.after_blank && !self.in_list && (indent >= 4 || bytes.first() == Some(&b'\t')) {
            return Zone::Hidden;
        }
        Zone::Text
    }

    fn quoted(&mut self, body: &str) -> Zone {
        let inner = body.trim_start_matches(['>', ' ']);
        self.in_alert |= inner.starts_with("[!");
        if self.in_alert { Zone::Text } else { Zone::Quote }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let at = self.whole.len() - self.rest.len();
        let raw = self.take_line()?;
        let zone = self.classify(raw);
        // A line of indented code keeps the next one code as well.
        self.after_blank = matches!(zone, Zone::Blank | Zone::Hidden);
        let quoted = zone == Zone::Text && self.in_alert && raw.trim_start().starts_with('>');
        let text = if quoted { raw.trim_start().trim_start_matches('>').trim_start_matches(' ') } else { raw };
        let text = if zone == Zone::Text && text.trim_start().starts_with("<!--") { behind_comment(text.trim_start()) } else { text };
        Some(Line { at, offset: at + raw.len() - text.len(), number: self.number, text, zone })
    }
}

/// Whether a comment ends in this text.
fn ends_comment(text: &str) -> bool {
    comment_end(text).is_some()
}

/// The place behind the first end of a comment; `--!>` ends one as well.
pub fn comment_end(text: &str) -> Option<usize> {
    let ends = |at: usize| ["-->", "--!>"].iter().find(|e| text[at..].starts_with(**e)).map(|e| at + e.len());
    memchr::memchr_iter(b'-', text.as_bytes()).find_map(ends)
}

/// What stands behind the comments a line starts with.
fn behind_comment(body: &str) -> &str {
    let mut rest = body;
    while rest.starts_with("<!--") {
        let Some(end) = comment_end(rest) else { return "" };
        rest = rest[end..].trim_start();
    }
    rest
}

/// A run of at least three back-ticks or tildes; an info string of back-ticks holds no back-tick.
fn opening(body: &str, indent: usize) -> Option<Marker> {
    let mark = *body.as_bytes().first()?;
    let length = body.bytes().take_while(|b| *b == mark).count();
    let info = &body[length..];
    (length >= 3 && !(mark == b'`' && info.contains('`'))).then_some(Marker { mark, length, indent })
}

/// A line closes a fence when it ends with the fence's own marker, also when text stands before it.
fn is_closing(line: &str, marker: Marker) -> bool {
    let bytes = line.trim_end_matches(['\r', ' ', '\t']).as_bytes();
    bytes.iter().rev().take_while(|b| **b == marker.mark).count() >= marker.length
}

fn is_list_item(body: &str) -> bool {
    list_mark(body).is_some()
}

/// The length of a list mark (`- `, `* `, `+ `, `• `, `1. `, `1) `) at the start of `body`, its blanks included.
pub fn list_mark(body: &str) -> Option<usize> {
    let bytes = body.as_bytes();
    let mark = match bytes.first()? {
        b'-' | b'*' | b'+' => 1,
        b'0'..=b'9' => {
            let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
            if digits <= 4 && body[digits..].starts_with(['、', '）']) {
                return Some(digits + '、'.len_utf8());
            }
            if digits > 4 || !matches!(bytes.get(digits), Some(b'.' | b')')) {
                return None;
            }
            digits + 1
        }
        b'(' | b'a'..=b'z' => lettered(bytes)?,
        b'#' => 1 + bytes[1..].iter().take_while(|b| b.is_ascii_digit()).count().checked_sub(1).filter(|n| *n < 4)? + 1,
        byte if byte.is_ascii() => return None,
        _ => return wide_mark(body),
    };
    let gap = bytes[mark..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    (gap > 0).then_some(mark + gap)
}

/// The length of `(1)` or `a)`.
fn lettered(bytes: &[u8]) -> Option<usize> {
    if bytes[0] != b'(' {
        return (bytes.get(1) == Some(&b')')).then_some(2);
    }
    let digits = bytes[1..].iter().take_while(|b| b.is_ascii_digit()).count();
    ((1..=3).contains(&digits) && bytes.get(digits + 1) == Some(&b')')).then_some(digits + 2)
}

/// The length of a list mark of East Asia or of a bullet of its own: `• `, `・`, `● `, `① `, `（一）`; no blank need follow most of them.
fn wide_mark(body: &str) -> Option<usize> {
    let first = body.chars().next()?;
    let mut mark = match first {
        '•' | '・' | '·' | '●' | '■' | '◆' | '▪' | '‣' | '◦' | '①'..='⑳' => first.len_utf8(),
        '（' => {
            let inner = body.chars().skip(1).take_while(|c| c.is_ascii_digit() || "一二三四五六七八九十".contains(*c)).map(char::len_utf8);
            let length = inner.sum::<usize>() + first.len_utf8();
            (length > first.len_utf8() && body[length..].starts_with('）')).then_some(length + '）'.len_utf8())?
        }
        _ => return None,
    };
    let gap = body[mark..].bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    // A dot in the middle of a line of Latin words stands between them.
    if gap == 0 && matches!(first, '·' | '•' | '●' | '■' | '◆' | '▪' | '‣' | '◦') {
        return None;
    }
    mark += gap;
    Some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zones(text: &str) -> Vec<Zone> {
        Lines::new(text).map(|l| l.zone).collect()
    }

    #[test]
    fn a_fence_hides_and_an_unclosed_one_does_not() {
        assert_eq!(zones("a\n```x\nb\n```\nc"), [Zone::Text, Zone::Fence, Zone::Code, Zone::Fence, Zone::Text]);
        let mut lines = Lines::new("```\nb\n");
        let seen: Vec<Zone> = lines.by_ref().map(|l| l.zone).collect();
        assert_eq!(seen, [Zone::Hidden, Zone::Text]);
        assert!(lines.unclosed);
    }

    #[test]
    fn an_unclosed_comment_hides_its_own_line_only() {
        assert_eq!(zones("<!-- a\nb -->\nc"), [Zone::Hidden, Zone::Hidden, Zone::Text]);
        let mut lines = Lines::new("<!-- a\nb\n<!-- c\nd");
        let seen: Vec<Zone> = lines.by_ref().map(|l| l.zone).collect();
        assert_eq!(seen, [Zone::Hidden, Zone::Text, Zone::Hidden, Zone::Text]);
        assert!(lines.unclosed);
    }

    #[test]
    fn a_longer_fence_is_not_closed_by_a_shorter_marker() {
        assert_eq!(zones("````\n```\n````\nx").last(), Some(&Zone::Text));
        assert_eq!(zones("````\n```\n````\nx")[1], Zone::Code);
    }

    #[test]
    fn indented_code_needs_a_blank_line_and_no_list() {
        assert_eq!(zones("\n    code\n    more")[1..], [Zone::Hidden, Zone::Hidden]);
        assert_eq!(zones("- item\n\n    still the item")[2], Zone::Text);
    }

    #[test]
    fn quotes_are_hidden_and_alerts_are_not() {
        assert_eq!(zones("> old\nx"), [Zone::Quote, Zone::Text]);
        assert_eq!(zones("> [!CAUTION]\n> text"), [Zone::Text, Zone::Text]);
    }
}
