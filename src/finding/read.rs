//! Reading reviews: foreign text in, one [`Review`] out, in linear time.
//!
//! One file per format: [`markdown`] with its headings, entries, tables and counts for text, [`json`] with [`schema`], [`item`] and one file for each tool
//! ([`sarif`], [`rdjson`], [`eslint`], [`cargo`], [`github`], [`json_lines`]), [`keyed`] for YAML, TOML and XML, [`records`]
//! for heads with prose. [`lines`] hides fences, quotes and comments; [`location`] reads citations; [`label`] reads verdict
//! and count lines; [`doubt`] looks for what speaks against an approval. Nothing here refuses: a report that says nothing
//! gives a review that says nothing, and its reader decides.

mod against;
mod beside;
pub mod cargo;
pub mod compiler;
mod counts;
mod diagnostics;
pub mod doubt;
pub mod entry;
pub mod eslint;
pub mod github;
mod heading;
pub mod item;
pub mod json;
pub mod json_lines;
pub mod keyed;
pub mod label;
pub mod lines;
pub mod location;
pub mod markdown;
pub mod rdjson;
pub mod records;
pub mod sarif;
pub mod schema;
mod table;
pub mod tool;
mod whole;

use super::{Format, Review, judge};
use crate::base::reason::Contradiction;

/// Reads a review. Invalid UTF-8 is read with replacement and its first offset kept, so that it can never approve; the NUL of
/// a torn file counts as such.
pub fn review(bytes: &[u8]) -> Review {
    review_as(bytes, None)
}

/// Reads a review of a known format.
pub fn review_as(bytes: &[u8], format: Option<Format>) -> Review {
    let (text, bad) = match std::str::from_utf8(bytes) {
        Ok(text) => (std::borrow::Cow::Borrowed(text), None),
        Err(error) => (String::from_utf8_lossy(bytes), Some(error.valid_up_to())),
    };
    let mut review = match format {
        None => self::text(&text, 0),
        Some(format) => of_format(&text, format),
    };
    review.bad_utf8_at = bad.into_iter().chain(memchr::memchr(0, bytes)).min().map(|at| at as u64);
    judge::contradict(&mut review);
    review
}

/// Reads a text as what it was said to be; what it is not is an answer that says nothing.
fn of_format(text: &str, format: Format) -> Review {
    let nothing = || Review { format: Some(format), ..Review::default() };
    let start = text.len() - text.trim_start().len();
    let read = match format {
        Format::Markdown | Format::Canonical => Some(markdown::read(text, 0, 0)),
        Format::Records => records::stream(text).or_else(|| Some(self::text(text, 0)).filter(|r| r.format == Some(Format::Records))),
        Format::Yaml => keyed::yaml(text).and_then(|k| keyed(k, Format::Yaml, 1, 0)),
        Format::Xml => keyed::xml(text).and_then(|k| keyed(k, Format::Xml, 1, 0)),
        Format::Toml => keyed::toml(text).and_then(|k| keyed(k, Format::Toml, 1, 0)),
        Format::Lines => Some(compiler::read(text)),
        Format::Empty => None,
        _ if text[start..].starts_with(['{', '[']) => {
            machine(text, start, 0).filter(|r| format == Format::Json || r.format == Some(format))
        }
        _ => None,
    };
    read.unwrap_or_else(nothing)
}

/// Reads a text, which may stand inside another one; what it says against itself is judged for the whole.
pub(crate) fn text(text: &str, depth: usize) -> Review {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = text.len() - text.trim_start().len();
    match text.as_bytes().get(start) {
        None => return Review { format: Some(Format::Empty), ..Review::default() },
        Some(b'{' | b'[') => {
            if let Some(review) = machine(text, start, depth) {
                return review;
            }
        }
        // A document inside a JSON string.
        Some(b'"') if depth == 0 && text.trim_end().ends_with('"') => {
            if let Some(review) = machine(text, start, depth).filter(schema::is_answer) {
                return review;
            }
        }
        Some(b'<') => {
            if let Some(review) = keyed::xml(&text[start..]).and_then(|k| keyed(k, Format::Xml, 1, depth)).filter(schema::is_answer) {
                return review;
            }
        }
        _ => {}
    }
    if let Some(review) = records::stream(text) {
        return review;
    }
    if let Some(front) = records::front(text) {
        if records::is_finding(&front.head) {
            let found = records::finding(&front.head, &text[front.end..], 1);
            return Review { format: Some(Format::Records), findings: found.into_iter().collect(), ..Review::default() };
        }
        let mut review = markdown::read(text, front.lines, depth);
        review.absorb(records::metadata(&front));
        return review;
    }
    if let Some(review) = yaml(text, 1).or_else(|| toml(text)) {
        return review;
    }
    if compiler::looks_like(text) {
        return compiler::read(text);
    }
    markdown::read(text, 0, depth)
}

/// A text that is one JSON document, or a document a line; none when it is neither.
fn machine(text: &str, start: usize, depth: usize) -> Option<Review> {
    let lines = LineIndex::of(text);
    let document = match json::read(text, start) {
        Ok(document) => document,
        Err(unreadable) => {
            return json_lines::read(text, &lines, depth)
                .or_else(|| Some(Review { format: Some(Format::Json), unreadable_at: Some(unreadable.0 as u64), ..Review::default() }));
        }
    };
    if document.broken || !text[document.end..].trim().is_empty() {
        return json_lines::read(text, &lines, depth);
    }
    let mut review =
        schema::document(&document.node, &lines, depth).unwrap_or_else(|| Review { format: Some(Format::Json), ..Review::default() });
    mark(&mut review, &document);
    Some(review)
}

/// Notes what was odd about a document.
fn mark(review: &mut Review, document: &json::Document) {
    review.contradictions.extend((document.truncated || document.broken).then_some(Contradiction::Truncated));
    review.contradictions.extend(document.duplicate_keys.then_some(Contradiction::DuplicateKeys));
}

/// A text that is a YAML answer with a findings list; none when it is none.
fn yaml(text: &str, first_line: u64) -> Option<Review> {
    let listed = text.lines().take(2000).any(|l| {
        let key = l.split(':').next().unwrap_or_default();
        l.len() > key.len() && matches!(key, "findings" | "issues" | "problems" | "comments" | "violations")
    });
    if listed { keyed(keyed::yaml(text)?, Format::Yaml, first_line, 0) } else { None }
}

/// A text that is a TOML answer with a findings list; none when it is none.
fn toml(text: &str) -> Option<Review> {
    let listed = text.lines().take(2000).any(|l| matches!(l.trim(), "[[findings]]" | "[[issues]]" | "[[problems]]" | "[[comments]]"));
    if listed { keyed(keyed::toml(text)?, Format::Toml, 1, 0) } else { None }
}

/// What a document of keys says, under the name of its format.
fn keyed(document: keyed::Keyed, format: Format, first_line: u64, depth: usize) -> Option<Review> {
    let mut review = schema::document(&document.node, &LineIndex::numbers(first_line), depth).filter(|_| document.node.map().is_some())?;
    review.format = Some(format);
    review.contradictions.extend(document.broken.then_some(Contradiction::Truncated));
    review.contradictions.extend(document.duplicate_keys.then_some(Contradiction::DuplicateKeys));
    Some(review)
}

/// What a fence says whose label names a format of documents; none when it is no review.
fn fenced(label: &str, content: &str, first_line: u64, depth: usize) -> Option<Review> {
    let label = label.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    match label.rsplit('.').next().unwrap_or_default() {
        "json" | "jsonc" | "json5" | "jsonl" | "ndjson" | "sarif" => {
            let start = content.len() - content.trim_start().len();
            let mut review = machine(content, start, depth).filter(schema::is_answer)?;
            review.shift(first_line - 1);
            Some(review)
        }
        "yaml" | "yml" => keyed(keyed::yaml(content)?, Format::Yaml, first_line, depth).filter(schema::is_answer),
        "toml" => keyed(keyed::toml(content)?, Format::Toml, first_line, depth).filter(schema::is_answer),
        "xml" => keyed(keyed::xml(content)?, Format::Xml, first_line, depth).filter(schema::is_answer),
        _ => None,
    }
}

/// Says on which line a place of a document is.
#[derive(Debug, Clone)]
pub enum LineIndex {
    /// Places are bytes; the offsets of line ends.
    Bytes(Vec<usize>),
    /// Places are lines, counted from this one.
    Numbers(u64),
    /// Everything is on one line of the text around it.
    Fixed(u64),
}

impl LineIndex {
    /// Of a text.
    pub fn of(text: &str) -> LineIndex {
        LineIndex::Bytes(memchr::memchr_iter(b'\n', text.as_bytes()).collect())
    }

    /// Of a document whose places are lines from `first` on.
    pub fn numbers(first: u64) -> LineIndex {
        LineIndex::Numbers(first)
    }

    /// Of a text that stands at one place of this one.
    #[must_use]
    pub fn at(&self, place: usize) -> LineIndex {
        LineIndex::Fixed(self.line(place))
    }

    /// The line of a place, from 1.
    pub fn line(&self, place: usize) -> u64 {
        match self {
            LineIndex::Bytes(ends) => ends.partition_point(|e| *e < place) as u64 + 1,
            LineIndex::Numbers(first) => first + (place.max(1) as u64 - 1),
            LineIndex::Fixed(line) => *line,
        }
    }
}

impl Review {
    /// Takes in what another part of the same report says.
    pub fn absorb(&mut self, other: Review) {
        self.format = self.format.or(other.format);
        self.canonical |= other.canonical;
        self.statements.extend(other.statements);
        self.findings.extend(other.findings);
        self.contradictions.extend(other.contradictions);
        self.clean_phrase = self.clean_phrase.take().or(other.clean_phrase);
        self.qualified_phrase |= other.qualified_phrase;
        self.sections_empty |= other.sections_empty;
        self.empty_phrase = self.empty_phrase.take().or(other.empty_phrase);
        self.resolved += other.resolved;
        self.failure = self.failure.or(other.failure);
        self.unreadable_at = self.unreadable_at.or(other.unreadable_at);
        self.suspicious.extend(other.suspicious);
        self.could_not_review = self.could_not_review.take().or(other.could_not_review);
        self.declared = self.declared.take().or(other.declared);
        for (counted, number) in other.counts {
            *self.counts.entry(counted).or_default() += number;
        }
    }

    /// Moves everything down by a number of lines.
    fn shift(&mut self, lines: u64) {
        self.findings.iter_mut().for_each(|f| f.report_line += lines);
        self.statements.iter_mut().for_each(|s| s.report_line += lines);
        self.suspicious = self.suspicious.iter().map(|l| l + lines).collect();
    }
}
