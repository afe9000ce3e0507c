//! Items of a report: the tag that grades one, its title, its keys, its places, and what makes it none.
//!
//! Takes one line or one item, gives what it says. Source: cases/reports/README.md §2 and §4. Bound: linear in the line.

use super::{label, location};
use crate::base::case;
use crate::base::severity::{self, Written};
use crate::finding::{Finding, Location};

/// What grades an item, and where its text starts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tag {
    pub written: Option<Written>,
    pub tags: Vec<String>,
    /// Where the text behind the tags starts.
    pub rest: usize,
    /// The severity is the section's: a key of the item's own beats it.
    pub inherited: bool,
    /// It is an item only if a place or a severity follows.
    pub candidate: bool,
    /// The level stands inside the text, which is its title as a whole.
    pub inside: bool,
}

impl Tag {
    /// A tag of a severity, or of none, before `rest`.
    pub(super) fn of(written: Option<Written>, rest: usize) -> Tag {
        Tag { written, tags: Vec::new(), rest, inherited: false, candidate: false, inside: false }
    }
}

/// The tag at the start of an item: `[high]`, `**[P1]**`, `【重大】`, `[P2 · perf]`, `[high][auth]`, `**High**:`, `🔴 Critical:`,
/// `Severity: high`, `nit|`, `path:3 — important —`, `path:3:5: warning:`.
/// `cites` are the citations of the line.
pub(super) fn tag(content: &str, cites: &[location::Cite]) -> Option<Tag> {
    // A mark before the tag (an hourglass, an arrow) says nothing of it.
    let lead = content.len() - content.trim_start_matches(|c: char| matches!(c, '*' | '_' | ' ' | '`') || is_ornament(c)).len();
    let body = &content[lead..];
    if let Some(found) = bracketed(content, lead) {
        return Some(found);
    }
    if may_be_severity_key(body)
        && let Some((key, value)) = label::split_label(content)
        && is_severity_key(key)
    {
        return severity::at_start(value).map(|written| Tag::of(Some(written), content.len()));
    }
    let Some(written) = severity::at_start(body) else { return behind_place(content, cites) };
    let word = body[..written.end].trim_start_matches(|c: char| !c.is_alphanumeric());
    let upper = word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()) && !is_weak(&written.text);
    // `🔴 HIGH a.rs:4 x`, `🟡 a.rs:9 — x`: a level and a place.
    if upper && body[written.end..].starts_with(' ') && cites.first().is_some_and(|c| c.span.start <= lead + written.end + 2) {
        return Some(Tag::of(Some(written.clone()), lead + written.end));
    }
    let after = without_aside(without_code(&body[written.end..])).trim_start_matches(['*', '_', '`', ' ']);
    let emoji = severity::emoji_at_start(body);
    let separator = [":", "：", "— ", "– ", "- ", "|"].iter().find(|s| after.starts_with(**s));
    let bold = content[..lead].contains(['*', '_', '`']) && body[written.end..].starts_with(['*', '_', '`']);
    let used = match separator {
        Some(s) if !emoji_only(body, &written) => content.len() - after.len() + s.len(),
        _ if bold && (emoji || cites_at(cites, content.len() - after.len())) => content.len() - after.len(),
        _ => return None,
    };
    let candidate = is_weak(&written.text) && separator != Some(&"|");
    Some(Tag { candidate, ..Tag::of(Some(written), used) })
}

/// What stands behind a level word without the code of a compiler: `[E0499]: …` becomes `: …`.
fn without_code(behind: &str) -> &str {
    let code = |inner: &str| (1..=24).contains(&inner.len()) && inner.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_:".contains(&b));
    let closed = behind.strip_prefix('[').and_then(|inner| inner.split_once("]:"));
    closed.filter(|(inner, _)| code(inner)).map_or(behind, |(inner, _)| &behind[inner.len() + 2..])
}

/// What stands behind a level word without an aside in brackets before its colon: `(non-blocking): …` becomes `: …`.
fn without_aside(behind: &str) -> &str {
    let closed = behind.trim_start_matches(['*', '_', ' ']).strip_prefix('(').and_then(|inner| inner.split_once(')'));
    let aside =
        closed.filter(|(inner, rest)| inner.len() <= 40 && rest.trim_start_matches(['*', '_', ' ']).starts_with([':', '：', '—', '-']));
    aside.filter(|(inner, _)| inner.chars().any(char::is_alphabetic)).map_or(behind, |(_, rest)| rest)
}

/// Whether a citation starts where a tag ends.
fn cites_at(cites: &[location::Cite], at: usize) -> bool {
    cites.iter().any(|c| c.span.start.abs_diff(at) <= 2)
}

/// `src/p.go:4 — boom [P0]`, `… (severity: high)`: the level at the end of an item.
pub(super) fn trailing(content: &str) -> Option<Written> {
    let body = content.trim_end_matches(['.', ' ', '*', '_', '`']);
    let open = match body.chars().next_back()? {
        ']' => '[',
        ')' => '(',
        _ => return None,
    };
    only_level(&body[body.rfind(open)? + 1..body.len() - 1])
}

/// A level in brackets behind a short mark of another kind: `**NEW** [critical] …`, `F2 [high] …`, `[Severity: Critical] …`.
pub(super) fn behind_mark(content: &str, cites: &[location::Cite]) -> Option<Tag> {
    const MARK: usize = 24;
    let open = content.bytes().take(MARK).position(|b| b == b'[')?;
    if cites.first().is_some_and(|c| c.span.start < open) {
        return None;
    }
    let inner = &content[open + 1..];
    let end = inner.find(']')?;
    only_level(&inner[..end]).map(|written| Tag::of(Some(written), open + end + 2))
}

/// The level that a text is, whole or behind its key.
fn only_level(text: &str) -> Option<Written> {
    let text = text.trim();
    let value = label::split_label(text).filter(|(key, _)| is_severity_key(key)).map_or(text, |(_, value)| value);
    severity::at_start(value).filter(|w| w.end == value.len() && !is_weak(&w.text))
}

/// `[crit] b.c:2 token leak` among tagged items: a level outside the table, before a place.
pub(super) fn strange(content: &str, cites: &[location::Cite]) -> Option<Tag> {
    let inner = content.strip_prefix('[')?;
    let end = inner.find(']').filter(|e| (2..=12).contains(e))?;
    let named = inner[..end].bytes().all(|b| b.is_ascii_alphabetic());
    let placed = cites.first().is_some_and(|c| c.place.line.is_some() && c.span.start.abs_diff(end + 3) <= 3);
    let written = Written { grade: severity::Grade::Unknown, text: inner[..end].to_owned(), end: end + 1 };
    (named && placed).then(|| Tag::of(Some(written), end + 2))
}

/// Marks between the parts of a line; a part that is a level and nothing else grades the line.
const PARTS: &[char] = &[
    '[', ']', '(', ')', '{', '}', '<', '>', '【', '】', '（', '）', '［', '］', '*', '|', '·', '•', '—', '–', ':', '：', ',', '，', '、',
    ';', '\t', '■', '●',
];

/// Labels whose level is none of a finding.
const OF_ANOTHER: &[&str] =
    &["confidence", "effort", "impact", "risk", "likelihood", "complexity", "cost", "probability", "확신도", "신뢰도", "確信度", "置信度"];

/// `1. **x** — High — a.rs:4`, `(HIGH) a.rs:4 — x`, `x (severity: high)`, `Critical · a.rs:4 · x`: the level that is a part of a line
/// by itself, and where the part stands. What stands in back-ticks is code, and words that start ordinary sentences grade nothing.
pub(super) fn part(content: &str) -> Option<(Written, std::ops::Range<usize>)> {
    // Who grades a line does so near its start or at its end.
    const NEAR: usize = 400;
    if !severity::may_stand_in(content) {
        return None;
    }
    let head = content.floor_char_boundary(NEAR);
    let tail = content.ceil_char_boundary(content.len().saturating_sub(60)).max(head);
    parts(&content[..head], 0).or_else(|| parts(&content[tail..], tail))
}

fn parts(text: &str, base: usize) -> Option<(Written, std::ops::Range<usize>)> {
    let mut at = 0;
    for (nth, span) in text.split('`').enumerate() {
        let mut from = at;
        let mut label = "";
        for piece in span.split(PARTS).flat_map(|p| p.split_inclusive(" - ")).filter(|_| nth % 2 == 0) {
            let start = text[from..].find(piece).map_or(from, |found| from + found);
            from = start + piece.len();
            let graded = level_alone(piece.trim_end_matches([' ', '-'])).filter(|_| !OF_ANOTHER.contains(&label::fold(label).as_str()));
            if let Some(written) = graded {
                return Some((written, base + start..base + from));
            }
            label = if piece.trim().is_empty() { label } else { piece };
        }
        at += span.len() + 1;
    }
    None
}

/// Whether a line opens with a level as a part of its own: `High · a.rs:4 · x`.
pub(super) fn opens_graded(content: &str) -> bool {
    let head = content.split(PARTS).next().unwrap_or_default();
    head.len() < content.len() && level_alone(head).is_some()
}

/// The level that a text is, whole, behind its key (`심각도 높음`) or before the name of one (`High severity`).
fn level_alone(text: &str) -> Option<Written> {
    let text = text.trim_matches([' ', '*', '_', '-', '.', '!']);
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric() && !severity::emoji_at_start(&c.to_string())).trim_start();
    // The longest is a key, a blank and a level of two words.
    if text.is_empty() || text.len() > 48 {
        return None;
    }
    let value = text.split_once(' ').filter(|(key, _)| is_severity_key(key)).map_or(text, |(_, value)| value.trim());
    let named = |rest: &str| matches!(rest.trim(), "" | "severity" | "priority" | "Severity" | "Priority" | "risk" | "우선순위" | "심각도");
    let written = severity::at_start(value).filter(|w| named(&value[w.end..]))?;
    let word = written.text.chars().any(char::is_alphanumeric);
    (word && !is_weak(&written.text)).then_some(written)
}

/// Whether the text of an item holds the tag of another one: a graver level in brackets, or any with a place behind it.
pub(super) fn holds_another(text: &str, own: Option<&Written>) -> bool {
    let grade = own.map_or(severity::Grade::Unknown, |w| w.grade);
    // A line of more brackets than these is no item with another one in it.
    text.match_indices('[').take(16).any(|(at, _)| {
        let inner = &text[at + 1..];
        let Some(end) = inner.bytes().take(13).position(|b| b == b']') else { return false };
        let Some(level) = only_level(&inner[..end]) else { return false };
        let graver = grade != severity::Grade::Unknown && level.grade < grade;
        // A place right behind the tag: no line is looked through once for each of its brackets.
        let behind = &inner[end + 1..];
        let near = &behind[..behind.floor_char_boundary(160)];
        let placed = location::scan(near).first().is_some_and(|c| c.place.line.is_some() && c.span.start <= 3);
        graver || placed
    })
}

/// Whether a line is what a tool prints: `path:12:2: text`, `path(12,5): text`, `path:12 MD009/name text`.
pub(super) fn is_diagnostic(content: &str) -> bool {
    let (head, behind) = content.split_once(' ').unwrap_or((content, ""));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b',');
    let bracketed = head.strip_suffix("):").and_then(|h| h.rsplit_once('(')).is_some_and(|(path, at)| path.contains('.') && digits(at));
    let code = behind.split([' ', '/', ':']).next().unwrap_or_default();
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let coded = (1..=6).contains(&letters) && digits(&code[letters..]);
    let numbered = coded && head.rsplit_once(':').is_some_and(|(path, at)| path.contains('.') && digits(at));
    if (bracketed && !behind.is_empty()) || numbered {
        return true;
    }
    let Some((path, rest)) = content.split_once(':').filter(|(path, _)| path.contains('.') && !path.contains(['`', '*', ' '])) else {
        return false;
    };
    let mut parts = rest.splitn(3, ':');
    let number = |part: Option<&str>| part.is_some_and(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
    !path.is_empty() && number(parts.next()) && number(parts.next()) && parts.next().is_some_and(|text| text.starts_with(' '))
}

/// `[P2 · perf][auth]`, `【重大】`
fn bracketed(content: &str, lead: usize) -> Option<Tag> {
    let body = &content[lead..];
    let (open, close) = [("[", ']'), ("【", '】'), ("［", '］')].into_iter().find(|(open, _)| body.starts_with(open))?;
    let inner = &body[open.len()..];
    let end = inner.find(close)?;
    if inner[..end].eq_ignore_ascii_case("unknown") {
        // Our own writer's tag of a finding that no report graded.
        return Some(Tag::of(None, lead + open.len() + end + close.len_utf8()));
    }
    let keyed = label::split_label(&inner[..end]).filter(|(key, _)| is_severity_key(key)).map(|(_, value)| value);
    if let Some(value) = keyed {
        return severity::at_start(value).map(|written| Tag::of(Some(written), lead + open.len() + end + close.len_utf8()));
    }
    let written = severity::at_start(&inner[..end])?;
    let mut tags: Vec<String> = Vec::new();
    let behind = inner[written.end..end].trim_matches(|c: char| !c.is_alphanumeric());
    if !behind.is_empty() && !behind.bytes().all(|b| b.is_ascii_digit()) {
        tags.push(behind.to_owned());
    }
    let mut rest = lead + open.len() + end + close.len_utf8();
    while let Some(more) = content[rest..].trim_start_matches(['*', ' ']).strip_prefix('[') {
        let Some(end) = more.find(']').filter(|e| *e > 0 && !more[e + 1..].starts_with('(') && !more[..*e].contains(':')) else {
            break;
        };
        tags.push(more[..end].to_owned());
        rest = content.len() - more.len() + end + 1;
    }
    // "[high-speed path] …" is no tag; what stands behind the bracket tells a title from a place alone.
    Some(Tag { tags, ..Tag::of(Some(written), rest) })
}

/// `src/a.rs:40 — important — text`, `src/a.c:41:17: warning: text`: a place, then the level.
fn behind_place(content: &str, cites: &[location::Cite]) -> Option<Tag> {
    let cite = cites.first().filter(|c| c.span.start == 0 && c.place.line.is_some())?;
    let behind = &content[cite.span.end..];
    let body = behind.trim_start_matches([' ', ':', '—', '–', '-', '|', '·', '[', '(', '*', '_']);
    if body.len() == behind.len() {
        return None;
    }
    let written = severity::at_start(body)?;
    let between = &behind[..behind.len() - body.len()];
    let close = [('[', ']'), ('(', ')')].into_iter().find(|(open, _)| between.ends_with(*open)).map(|(_, close)| close);
    if close.is_some_and(|close| body[written.end..].starts_with(close)) {
        return Some(Tag::of(Some(written.clone()), content.len() - body.len() + written.end + 1));
    }
    let after = body[written.end..].trim_start_matches([']', ')', '*', '_', ' ']);
    let separator = [":", "：", "— ", "– ", "- ", "|"].iter().find(|s| after.starts_with(**s))?;
    Some(Tag::of(Some(written), content.len() - after.len() + separator.len()))
}

/// `_⚠️ Potential issue_ | _🟡 Minor_ | _⚡ Quick win_`: cells of emphasis, one of them a level word. The title is on the next line.
pub(super) fn cells_of_emphasis(content: &str) -> Option<Tag> {
    if !content.starts_with('_') || !content.contains('|') {
        return None;
    }
    let cells: Vec<&str> = content.split('|').map(str::trim).collect();
    if !cells.iter().all(|c| c.len() > 2 && c.starts_with('_') && c.ends_with('_')) {
        return None;
    }
    level_among(&cells).map(|written| Tag::of(Some(written), content.len()))
}

/// The level that a cell names; a word beats an emoji that marks another cell.
pub fn level_among(cells: &[&str]) -> Option<Written> {
    let read = || cells.iter().filter_map(|c| severity::at_start(c.trim_matches(['_', '*', ' '])));
    read().find(|w| w.text.chars().any(char::is_alphanumeric))
}

/// `` `41-47`: `` at the start of an item about a known file: the lines and where the title starts.
pub(super) fn ranged(content: &str) -> Option<(u64, Option<u64>, usize)> {
    let inner = content.strip_prefix('`')?;
    let end = inner.find('`')?;
    let (first, last) = location::line_range(&inner[..end])?;
    let rest = inner[end + 1..].strip_prefix(':')?;
    Some((first, last, content.len() - rest.len()))
}

/// A symbol that decorates an item and grades nothing.
fn is_ornament(c: char) -> bool {
    matches!(
        c,
        '⏳' | '→'
            | '▶'
            | '●'
            | '■'
            | '◆'
            | '❗'
            | '‼'
            | '🐛'
            | '🔥'
            | '🔒'
            | '💥'
            | '🛑'
            | '📌'
            | '🆕'
            | '✗'
            | '✘'
            | '❌'
            | '❯'
            | '❱'
            | '\u{fe0f}'
    )
}

/// Level words that start ordinary sentences (`Note: …`, `Warnings: …`): a bracket makes them a tag, a colon only beside a place.
pub(super) fn is_weak(text: &str) -> bool {
    const WEAK: &[&str] = &[
        "warnings",
        "suggestions",
        "nits",
        "note",
        "help",
        "info",
        "error",
        "important",
        "optional",
        "참고",
        "정보",
        "参考",
        "提示",
        "注意",
        "重要",
    ];
    WEAK.contains(&case::lower(text).as_ref())
}

/// An emoji without a word in running text (`🔴 수정 0건 완료`) is no tag.
fn emoji_only(body: &str, written: &Written) -> bool {
    severity::emoji_at_start(body) && !written.text.chars().any(char::is_alphanumeric)
}

/// Whether a text could start with the key of a severity; most lines are told from this alone.
fn may_be_severity_key(body: &str) -> bool {
    body.as_bytes().first().is_some_and(|b| matches!(b | 0x20, b's' | b'l' | b'p') || !b.is_ascii())
}

/// Whether a key names a severity.
pub(super) fn is_severity_key(key: &str) -> bool {
    const KEYS: &[&str] = &[
        "severity",
        "sev",
        "level",
        "priority",
        "심각도",
        "우선순위",
        "重要度",
        "重大度",
        "深刻度",
        "严重程度",
        "严重性",
        "优先级",
        "優先度",
    ];
    KEYS.contains(&label::fold(key).as_str())
}

/// The template's own line, echoed.
pub(super) fn is_template_item(content: &str) -> bool {
    if !content.as_bytes().first().is_some_and(|b| matches!(b, b'[' | b's' | b'S' | b'*' | b'`')) {
        return false;
    }
    let lower = content.to_ascii_lowercase();
    let lower = lower.trim_start_matches(['*', '`', ' ']);
    (lower.starts_with("[severity]") || lower.starts_with("severity|")) && (lower.contains("file:line") || lower.contains("path:line"))
}

/// Struck-through or ticked items are closed.
pub(super) fn is_closed(content: &str) -> bool {
    let said = content.strip_prefix('[').and_then(|inner| inner.split_once(']')).map(|(word, _)| word);
    said.is_some_and(|w| ["resolved", "fixed", "closed"].iter().any(|c| w.eq_ignore_ascii_case(c)))
        || content.starts_with("~~")
        || content.starts_with('✅')
        || content.starts_with("☑")
        || content.starts_with("[x]")
        || content.starts_with("[X]")
}

/// The id an item starts with and where its text goes on: `**R1-F01** (correctness): …`, `C-001: …`, `` `F-1` — … ``.
pub(super) fn stated_id(content: &str) -> Option<(String, Vec<String>, usize)> {
    let lead = content.len() - content.trim_start_matches(['*', '_', '`', '[', ' ', '#']).len();
    let body = &content[lead..];
    let length = body.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')).count();
    let id = body[..length].trim_end_matches(['.', '-', '_']);
    let parts: Vec<&str> = id.split('-').collect();
    let shaped = parts.len() >= 2
        && id.starts_with(|c: char| c.is_ascii_uppercase())
        && parts.iter().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()))
        && parts.last().is_some_and(|p| p.bytes().any(|b| b.is_ascii_digit()))
        && id.len() <= 40;
    if !shaped {
        return None;
    }
    let mut rest = lead + id.len();
    rest += content[rest..].len() - content[rest..].trim_start_matches(['*', '_', '`', ']', ' ']).len();
    let mut tags = Vec::new();
    if let Some(inner) = content[rest..].strip_prefix('(')
        && let Some(end) = inner.find(')').filter(|e| *e <= 40 && !inner[..*e].contains([':', '/', '.']))
    {
        tags.push(inner[..end].to_owned());
        rest += end + 2;
    }
    let tail = content[rest..].trim_start_matches(['*', '_', '`', ' ']);
    let separated = [":", "：", "—", "–", "- ", "|", "·", "•"].iter().find(|s| tail.starts_with(**s));
    let marked = lead > 0 && rest > lead + id.len();
    let rest = match separated {
        Some(s) => content.len() - tail.len() + s.len(),
        None if marked => rest,
        None => return None,
    };
    Some((id.to_owned(), tags, rest))
}

/// Whether a line opens with an id and a tag in brackets: `F-01 [HIGH] …`.
pub(super) fn opens_with_id(content: &str) -> bool {
    content.split_once(" [").is_some_and(|(id, _)| is_stated_id(id))
}

/// `BUG-1 (P1): title`: a line that opens with an id and its level.
pub(super) fn id_and_level(content: &str) -> Option<Tag> {
    let (_, tags, _) = stated_id(content).filter(|_| content.starts_with(|c: char| c.is_ascii_uppercase()))?;
    only_level(tags.first()?).map(|written| Tag::of(Some(written), 0))
}

/// `**Bug:** text`, `issue (blocking): text`: a label that names a defect; the level in its bracket, where one stands.
pub(super) fn named_defect(content: &str) -> Option<Tag> {
    const DEFECTS: &[&str] = &["issue", "bug", "problem", "defect", "vulnerability", "버그", "バグ", "缺陷"];
    let (label, value) = label::split_label(content)?;
    let (noun, aside) = label.split_once('(').unwrap_or((label, ""));
    if !DEFECTS.contains(&label::fold(noun.trim_matches(['*', '_', ' '])).as_str()) || value.is_empty() {
        return None;
    }
    let rest = content.len() - value.len();
    match only_level(aside.trim_end_matches([')', '*', '_', ' '])) {
        Some(written) => Some(Tag::of(Some(written), rest)),
        None => Some(Tag { inherited: true, ..Tag::of(None, rest) }),
    }
}

/// Whether an id is one that an item may start with.
pub fn is_stated_id(id: &str) -> bool {
    stated_id(&format!("**{id}**: x")).is_some_and(|(read, tags, _)| read == id && tags.is_empty())
}

/// What a key of an item says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Key<'t> {
    Id(&'t str),
    Severity(Written),
    Title(&'t str),
    Lines(u64, Option<u64>),
    Place(&'t str),
    Rule(&'t str),
    Category(&'t str),
    Fix(&'t str),
}

/// What kind of thing a key says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Id,
    Severity,
    Title,
    Lines,
    Place,
    Other,
}

impl Key<'_> {
    /// What kind of thing it says.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Key::Id(_) => Kind::Id,
            Key::Severity(_) => Kind::Severity,
            Key::Title(_) => Kind::Title,
            Key::Lines(..) => Kind::Lines,
            Key::Place(_) => Kind::Place,
            Key::Rule(_) | Key::Category(_) | Key::Fix(_) => Kind::Other,
        }
    }
}

/// Reads a line `key: value` of an item; none for any other line.
pub(super) fn key(content: &str) -> Option<Key<'_>> {
    let (name, value) = label::split_label(content)?;
    if name.len() > 32 || name.contains('/') {
        return None;
    }
    let name = label::fold(name.trim_matches(['`', '*', '_', '"']));
    let raw = value.trim();
    let value = raw;
    let value = value.strip_prefix('`').and_then(|v| v.strip_suffix('`')).filter(|v| !v.is_empty()).unwrap_or(value);
    if is_severity_key(&name) {
        return severity::at_start(value).map(Key::Severity);
    }
    Some(match name.as_str() {
        "id" | "finding_id" | "finding id" => Key::Id(value),
        "title" | "message" | "issue" | "problem" | "summary" | "comment" | "description" | "문제" | "내용" | "설명" | "問題"
        | "問題点" | "说明" | "描述" | "问题" | "内容"
            if !value.is_empty() =>
        {
            Key::Title(value)
        }
        "line" | "lines" | "줄" | "行" => {
            let (first, last) = location::line_range(value)?;
            Key::Lines(first, last)
        }
        "file" | "files" | "path" | "location" | "locations" | "referenced_files" | "affected files" | "위치" | "파일" | "位置"
        | "場所" | "ファイル" | "文件" | "where" => Key::Place(raw),
        "rule" | "rule_id" | "check" => Key::Rule(value),
        "category" | "type" | "change_type" | "kind" | "분류" | "分類" | "类别" => Key::Category(value),
        "fix" | "suggested fix" | "suggestion" | "recommendation" | "remediation" | "수정" | "제안" | "修正案" | "建议" => {
            Key::Fix(value)
        }
        _ => return None,
    })
}

/// Whether a bullet is a detail of the item above it: a label of what every item may say of itself.
pub(super) fn is_detail(content: &str) -> bool {
    const DETAILS: &[&str] = &[
        "problem",
        "impact",
        "fix",
        "issue",
        "why",
        "suggestion",
        "suggested fix",
        "recommendation",
        "location",
        "file",
        "severity",
        "details",
        "detail",
        "evidence",
        "cause",
        "root cause",
        "risk",
        "scenario",
        "failure scenario",
        "description",
        "explanation",
        "line",
        "lines",
        "comment",
        "문제",
        "내용",
        "설명",
        "파일",
        "줄",
        "심각도",
        "영향",
        "수정",
        "제안",
        "위치",
        "원인",
        "근거",
        "内容",
        "描述",
        "说明",
        "説明",
        "文件",
        "ファイル",
        "行",
        "行号",
        "重要度",
        "严重程度",
        "影響",
        "修正",
        "修正案",
        "原因",
        "場所",
        "问题",
        "影响",
        "建议",
        "位置",
        "理由",
        "修复",
    ];
    let named = label::split_label(content).map(|(name, _)| label::fold(name.trim_matches(['`', '*', '_'])));
    named.is_some_and(|name| DETAILS.contains(&name.as_str()))
}

/// Whether an item may start with this key.
pub(super) fn opens(key: &Key<'_>) -> bool {
    matches!(key, Key::Id(_) | Key::Title(_) | Key::Place(_))
}

/// The item's text without tags, leading citation and separators.
pub(super) fn title(content: &str, rest: usize, cites: &[location::Cite]) -> String {
    let mut from = rest.min(content.len());
    let skip = |from: usize| {
        let tail = &content[from..];
        let mark = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '—' | '–' | '-' | ':' | '|' | '·' | '：' | ')' | ']');
        from + tail.len() - tail.trim_start_matches(mark).len()
    };
    from = skip(from);
    // A number inside the emphasis (`**1. Title**`) is no part of the title.
    let digits = content[from..].bytes().take_while(u8::is_ascii_digit).count();
    if (1..=3).contains(&digits) && content[from + digits..].starts_with(['.', ')']) && content[from + digits + 1..].starts_with(' ') {
        from = skip(from + digits + 1);
    }
    // Places in front of the title are no part of it, however many there are: `a.rs:1` and `b.rs:2` — title.
    let mut ahead = cites.iter().peekable();
    loop {
        // Citations stand in order, so that each is passed once.
        while ahead.next_if(|c| c.span.end <= from).is_some() {}
        let Some(cite) = ahead.peek().filter(|c| c.span.start <= from + 2 && c.span.start + 4 >= from) else { break };
        from = skip(cite.span.end.min(content.len()));
        while ahead.next_if(|c| c.span.start < from).is_some() {}
        let joined = ["and ", "& ", ", ", "및 ", "と"].iter().find(|j| content[from..].starts_with(**j));
        let next = joined.map(|j| skip(from + j.len()));
        match next.filter(|n| ahead.peek().is_some_and(|c| c.span.start <= n + 2 && c.span.end > *n)) {
            Some(next) => from = next,
            None => break,
        }
    }
    let tail = &content[from..];
    // Of a row of pipes the first cell is the title.
    let tail = tail.split_once('|').filter(|(_, more)| !location::scan(more).is_empty()).map_or(tail, |(cell, _)| cell);
    if tail.trim() == NO_TITLE {
        return String::new();
    }
    plain(tail, 400)
}

/// A text without emphasis and unsafe characters, cut at a length.
pub(super) fn plain(text: &str, most: usize) -> String {
    let text = text.trim().trim_end_matches(['*', '_']).replace("**", "");
    if text.len() <= most && text.bytes().all(|b| (32..127).contains(&b)) {
        return text;
    }
    text.chars().filter(|c| !crate::base::path::is_unsafe(*c)).take(most).collect()
}

/// The first line of a text and the rest of it.
pub fn title_and_body(text: &str) -> (String, String) {
    let text = text.trim();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    (one_line(first), rest.trim().to_owned())
}

/// The first line of a text, without heading marks, emphasis and unsafe characters; what it gives it leaves as it is.
pub fn one_line(text: &str) -> String {
    let first = text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
    let safe: String = first.chars().filter(|c| !crate::base::path::is_unsafe(*c)).collect();
    let line = safe.replace("**", "").trim_start_matches(|c: char| c == '#' || c.is_whitespace()).trim_end().to_owned();
    if line == NO_TITLE { String::new() } else { line }
}

/// What our own writers put in the place of a title that nobody gave.
pub const NO_TITLE: &str = "(no title)";

/// What a JSON string says that is the whole of a value.
pub fn json_string(value: &str) -> Option<String> {
    let quoted = value.len() > 1 && value.starts_with('"') && value.ends_with('"');
    if quoted { serde_json::from_str(value).ok() } else { None }
}

/// The level that a title starts with in brackets, and where its text goes on.
pub fn leading_tag(title: &str) -> Option<(Written, usize)> {
    let tag = tag(title, &location::scan(title)).filter(|t| !t.candidate)?;
    tag.written.map(|w| (w, tag.rest + title[tag.rest..].len() - title[tag.rest..].trim_start_matches([' ', ':', '—', '–', '-']).len()))
}

/// Adds citations to a finding, the first one as its place.
pub(super) fn add_places(finding: &mut Finding, cites: Vec<location::Cite>) {
    cites.into_iter().flat_map(location::Cite::places).for_each(|p| add_place(finding, p));
}

/// The first location is primary; a bare path adds nothing when the item already cites that path.
pub fn add_place(finding: &mut Finding, place: Location) {
    let Some(primary) = &mut finding.place else {
        finding.place = Some(place);
        return;
    };
    if primary.path == place.path && primary.line.is_none() {
        *primary = place;
        return;
    }
    let known = |l: &Location| l.path == place.path && (place.line.is_none() || *l == place);
    if !known(primary) && !finding.also.iter().any(known) && finding.also.len() < 256 {
        finding.also.push(place);
    }
}
