//! Headings of a report: which open a section of findings, which close one, and which are findings of their own.
//!
//! Source: cases/reports/README.md §2 to §4. Bound: linear in the heading.

use super::entry::{self, Tag};
use super::{label, location};
use crate::base::severity::{self, Grade, Written};

/// What a section holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// Findings of one severity.
    Severity(Written),
    /// Findings of any severity.
    Findings,
    /// Praise, checks passed, items closed: never findings.
    Closed,
    /// Anything else; inherits a severity section it stands in.
    Other,
}

/// Headings of a findings list, folded.
const FINDINGS: &[&str] = &[
    "findings",
    "issues",
    "key issues",
    "problems",
    "review comments",
    "review comment",
    "full review comments",
    "active findings",
    "new findings",
    "remaining findings",
    "remaining issues",
    "detailed findings",
    "amendments",
    "review findings",
    "issues found",
    "bugs",
    "bugs found",
    "problems found",
    "vulnerabilities",
    "security vulnerabilities",
    "security issues",
    "concerns",
    "security concerns",
    "open issues",
    "open findings",
    "action items",
    "unresolved",
    "not fixed",
    "not resolved",
    "not addressed",
    "key findings",
    "main findings",
    "weaknesses",
    "must-fix before merge",
    "must fix before merge",
    "blocking issues before merge",
    "必須対応",
    "要修正",
    "修正必須",
    "問題点",
    "問題",
    "必须修复",
    "반드시 수정",
    "指摘事項",
    "指摘",
    "问题",
    "问题列表",
    "문제",
    "문제점",
    "이슈",
    "지적",
    "지적 사항",
    "지적사항",
    "발견 사항",
    "발견사항",
];

/// Words before the name of a findings list that change nothing of it.
const MORE: &[&str] = &["additional ", "other ", "further ", "more ", "the ", "추가 ", "기타 ", "발견된 ", "其他", "发现的", "その他の"];

/// Starts of headings whose items are not findings.
const CLOSED: &[&str] = &[
    "🟢",
    "✅",
    "passed",
    "resolved findings",
    "closed findings",
    "what works",
    "positive",
    "praise",
    "looks good",
    "what is sound",
    "what's good",
    "what is good",
    "what went well",
    "strengths",
    "positives",
    "good points",
    "fixed",
    "resolved",
    "already fixed",
    "잘된 점",
    "통과",
    "해결",
    "良い点",
    "解決済み",
    "优秀实践",
    "优点",
    "已解决",
    "已修复",
];

/// Whether a heading names what was found and is no longer there.
pub(super) fn settles(heading: &str) -> bool {
    const SETTLED: &[&str] = &["resolved", "fixed", "closed", "already fixed", "해결", "解決済み", "已解决", "已修复"];
    let folded = label::fold(heading.trim_matches(['*', '_', ' ', '✅']));
    SETTLED.iter().any(|s| folded.starts_with(s))
}

/// Words that take a closed heading back: what stands under it is open, or partly so.
const REOPENED: &[&str] = &["reappear", "again", "regress", "weakness", "broken", "not ", "but "];

/// Nouns that may follow a level word in a heading.
const HEADING_NOUNS: &[&str] = &[
    "issues",
    "issue",
    "findings",
    "finding",
    "severity",
    "priority",
    "problems",
    "items",
    "comments",
    "level",
    "risk",
    "risks",
    "notes",
    "warnings",
    "bugs",
    "bug",
    "concerns",
    "concern",
    "defects",
    "errors",
    "vulnerabilities",
    "flaws",
    "blockers",
    "이슈",
    "문제",
    "사항",
    "결함",
    "问题",
    "問題",
    "級",
    "级",
    "度",
];

/// A label that opens a findings list: `FINDINGS:`, `KEY_ISSUES:`, `**Review comments**:`
pub(super) fn opens_list(body: &str) -> bool {
    if !(4..=60).contains(&body.len()) || !body.trim_end().ends_with([':', '：', '*']) {
        return false;
    }
    let plain = body.trim_end().trim_matches(['*', '_', ' ', ':', '：']);
    let folded = label::fold(&plain.replace('_', " "));
    let colon = body.trim_end().trim_end_matches(['*', '_']).ends_with([':', '：']) || body.trim_end().ends_with([':', '：']);
    colon && folded != "issues" && FINDINGS.contains(&folded.as_str()) && !body.starts_with(['-', '+', '|'])
}

/// Nouns that number a finding in its own heading.
const NUMBERED: &[&str] =
    &["finding", "issue", "bug", "problem", "warning", "amendment", "defect", "comment", "문제", "이슈", "指摘", "问题", "問題"];

/// A heading that is a finding of its own: one with a tag, with a level word and a title, one of a severity section, or
/// `Finding 3: …`.
pub(super) fn item(heading: &str, inside: Option<&Kind>) -> Option<Tag> {
    let plain = heading.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' ' | '*' | '`'));
    let lead = heading.len() - plain.len();
    let (noun, behind) = numbered(plain);
    let tagged = &plain[behind..];
    if tagged.starts_with(['[', '【'])
        && let Some(tag) = entry::tag(tagged, &[])
    {
        return Some(Tag { rest: tag.rest + lead + behind, ..tag });
    }
    if let Some((tag, _)) = levelled(plain) {
        return Some(Tag { rest: tag.rest + lead, ..tag });
    }
    if let Some(tag) = placed(heading, inside) {
        return Some(tag);
    }
    if let Some(Kind::Severity(written)) = inside {
        return (!label::is_absence(heading)).then(|| Tag { inherited: true, ..Tag::of(Some(written.clone()), lead + behind) });
    }
    (noun && inside != Some(&Kind::Closed)).then(|| Tag { inherited: true, ..Tag::of(None, lead + behind) })
}

/// A level mark with a place behind it, and where the place starts.
fn marked(plain: &str) -> Option<(Written, usize)> {
    let written = severity::at_start(plain).filter(|_| severity::emoji_at_start(plain))?;
    let rest = plain.len() - plain[written.end..].trim_start().len();
    let placed = location::scan(&plain[rest..]).first().is_some_and(|c| c.span.start == 0 && c.place.line.is_some());
    placed.then_some((written, rest))
}

/// A heading that starts with a place: with a level behind it or at its end, or in a findings section.
fn placed(heading: &str, inside: Option<&Kind>) -> Option<Tag> {
    let lead = heading.len() - heading.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' ')).len();
    let plain = &heading[lead..];
    if let Some((written, rest)) = marked(plain) {
        return Some(Tag::of(Some(written), lead + rest));
    }
    let cites = location::scan(plain);
    cites.first().filter(|c| c.span.start == 0 && c.place.line.is_some())?;
    if let Some(tag) = entry::tag(plain, &cites) {
        return Some(Tag { rest: tag.rest + lead, ..tag });
    }
    if let Some(written) = entry::trailing(plain).filter(|_| inside != Some(&Kind::Closed)) {
        return Some(Tag::of(Some(written), 0));
    }
    matches!(inside, Some(Kind::Findings | Kind::Severity(_))).then(|| match inside {
        Some(Kind::Severity(written)) => Tag { inherited: true, ..Tag::of(Some(written.clone()), 0) },
        _ => Tag { inherited: true, ..Tag::of(None, 0) },
    })
}

/// Whether a heading numbers a finding, and where its title starts: `Issue 1 — title`, `Amendment: title`.
fn numbered(plain: &str) -> (bool, usize) {
    let lower = plain.to_lowercase();
    let Some(noun) = NUMBERED.iter().find(|n| lower.starts_with(**n)) else { return (false, 0) };
    // Lower case keeps the length of these words.
    let rest = &plain[noun.len().min(plain.len())..];
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '#' | '-' | '.'));
    let had = rest[..rest.len() - number.len()].bytes().any(|b| b.is_ascii_digit());
    let title = number.trim_start_matches([':', '：', '—', '–', '-', ')', ' ']);
    let separated = title.len() < number.len() || rest.trim_start().starts_with([':', '：', '—', '–']);
    if !title.is_empty() && (had || separated) { (true, plain.len() - title.len()) } else { (had, 0) }
}

/// `BLOCKER 1: title`, `Critical: title`, `High — title`; true when a number stands behind the level.
fn levelled(plain: &str) -> Option<(Tag, bool)> {
    let written = severity::at_start(plain)?;
    let rest = &plain[written.end..];
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '#' | '*' | '_'));
    let title = [":", "：", "—", "–", "- "].iter().find_map(|s| number.strip_prefix(s))?.trim_start_matches(['*', '_', ' ']);
    let said = title.chars().filter(|c| c.is_alphabetic()).count() > 2 && !label::is_absence(title);
    let nouns = severity_of(title).is_some() || HEADING_NOUNS.contains(&label::fold(title).as_str());
    let numbered = rest[..rest.len() - number.len()].bytes().any(|b| b.is_ascii_digit());
    (said && !nouns).then(|| (Tag { inherited: numbered, ..Tag::of(Some(written), plain.len() - title.len()) }, numbered))
}

/// The heading of an ATX line: its level and text without closing marks.
pub(super) fn atx(body: &str) -> Option<(usize, &str)> {
    let level = body.bytes().take_while(|b| *b == b'#').count();
    let rest = &body[level..];
    let opens = rest.starts_with([' ', '\t', '\u{a0}']) || severity::emoji_at_start(rest);
    ((1..=6).contains(&level) && opens).then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// A line that is a heading without marks: bold or slanted as a whole (`**Issues**`, `*Critical*`), or a short label before a list
/// (`Critical issues:`, `발견된 문제:`). Only what opens a severity or findings section is one.
pub(super) fn label_of_section(body: &str) -> Option<Kind> {
    let line = body.trim_end();
    // No label of a section is shorter than `Bug:`.
    if !(4..=80).contains(&line.len()) || line.starts_with(['-', '+', '|', '#', '>', '`', '[', '<']) || line.starts_with("* ") {
        return None;
    }
    let wrapped = ["**", "__", "*", "_"].iter().find_map(|m| {
        let inner = line.trim_end_matches([':', '：']).strip_prefix(m)?.strip_suffix(m)?;
        (!inner.is_empty() && !inner.contains(['*', '_'])).then_some(inner)
    });
    let ended = || line.strip_suffix([':', '：']).map(|l| l.trim_matches(['*', '_']));
    let text = wrapped.or_else(ended)?.trim().trim_end_matches([':', '：']);
    // A whole sentence is a label only when it announces a list.
    let announces = text.split_whitespace().count() > 4;
    let following = announces && LISTED.iter().any(|l| label::fold(text).ends_with(l));
    match kind(text) {
        _ if following => Some(Kind::Findings),
        Kind::Severity(written) if !announces => Some(Kind::Severity(written)),
        Kind::Findings if !announces => Some(Kind::Findings),
        _ => None,
    }
}

/// Ends of a sentence that a list of findings follows.
const LISTED: &[&str] =
    &["following issues", "following problems", "following findings", "following bugs", "following defects", "following concerns"];

/// `**🔴 Critical**` alone on a line.
pub(super) fn bold(body: &str) -> Option<Written> {
    let inner =
        body.trim_end().strip_prefix("**").filter(|i| !i.starts_with(['[', '【']))?.trim_end_matches([':', '：']).strip_suffix("**")?;
    severity_of(inner.trim_end_matches([':', '：']))
}

pub(super) fn kind(heading: &str) -> Kind {
    let plain = heading.trim_matches(['*', '_', ' ']);
    let folded = label::fold(plain);
    let reopened = REOPENED.iter().any(|w| folded.contains(w));
    if !reopened && CLOSED.iter().any(|c| folded.starts_with(c)) {
        return Kind::Closed;
    }
    let named = folded.split(['(', ':', '（']).next().unwrap_or_default().trim();
    // "Additional issues", "추가 지적": more of the same.
    let named = MORE.iter().find_map(|m| named.strip_prefix(m)).map_or(named, str::trim);
    if FINDINGS.contains(&named) {
        return Kind::Findings;
    }
    if levelled(plain).is_some_and(|(_, number)| number) || marked(plain).is_some() {
        return Kind::Other;
    }
    severity_of(plain).map_or(Kind::Other, Kind::Severity)
}

/// Words that may stand beside a level word in a heading that is a severity.
const BESIDE: &[&str] = &[
    "and",
    "security",
    "code",
    "correctness",
    "to",
    "fix",
    "must",
    "should",
    "design",
    "performance",
    "open",
    "new",
    "remaining",
    "part",
    "section",
];

/// A heading that is a severity: a level word and beside it only nouns of findings, further level words, numbers and marks.
pub(super) fn severity_of(text: &str) -> Option<Written> {
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric() && !severity::emoji_at_start(&c.to_string()));
    let bare = bare.strip_prefix("red_circle:").map_or(bare, str::trim_start);
    if let Some(written) = severity::at_start(bare).filter(|_| severity::emoji_at_start(bare)) {
        return Some(written);
    }
    // What stands behind a dash or in a bracket explains the heading and is not part of it.
    let head = bare.split(['(', '（', '—', '–', '/', '|']).next().unwrap_or_default();
    // Level words of two words ("Must fix") stand alone.
    if let Some(written) = severity::at_start(head).filter(|w| w.end == head.trim_end().len()) {
        return Some(written);
    }
    let mut found: Option<Written> = None;
    for word in
        head.split(|c: char| c.is_whitespace() || matches!(c, ':' | '：' | '.' | ')' | '!' | ',' | '`' | '*' | '_' | ']' | '&' | '-'))
    {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = word.to_lowercase();
        let single = lower.strip_suffix('s').unwrap_or(&lower);
        let level = severity::at_start(word).or_else(|| severity::at_start(single).filter(|w| matches!(w.grade, Grade::Critical)));
        match level {
            Some(written) if written.end == word.len() || written.end == single.len() => {
                found = found.or(Some(Written { text: word.to_owned(), ..written }));
            }
            _ if word.is_empty() || word.len() == 1 || word.bytes().all(|b| b.is_ascii_digit()) => {}
            _ if HEADING_NOUNS.contains(&lower.as_str()) || BESIDE.contains(&lower.as_str()) => {}
            // CJK level words run into their nouns: "심각한 문제", "重大な問題".
            _ if !word.is_ascii() && found.is_none() => found = Some(cjk_level(word)?),
            // "주요 변경 사항" are the main changes, and no findings.
            _ if !word.is_ascii() && CHANGES.iter().any(|c| word.contains(c)) => return None,
            _ if !word.is_ascii() => {}
            _ => return None,
        }
    }
    found
}

/// Nouns that make a heading one of the change and not of findings.
const CHANGES: &[&str] = &["변경", "확인", "내용", "기능", "変更", "確認", "機能", "变更", "改动", "内容", "功能"];

/// Whether a heading says itself that its section is empty: `Critical (0)`, `Findings: none`, `Critical — None`.
pub(super) fn is_empty(heading: &str) -> bool {
    let tail = heading.trim_end_matches(['*', '_', ' ', '#']);
    let behind = tail.rsplit_once([':', '：', '—', '–']).map(|(_, behind)| behind.trim());
    let counted = tail.strip_suffix([')', '）']).and_then(|t| t.rsplit_once(['(', '（'])).map(|(_, inner)| inner.trim());
    behind.or(counted).is_some_and(|said| matches!(said, "0" | "0건" | "0件" | "0个") || label::is_absence(said))
}

/// A level word that a CJK word starts with.
fn cjk_level(word: &str) -> Option<Written> {
    let chars: Vec<usize> = word.char_indices().map(|(i, c)| i + c.len_utf8()).collect();
    let level = chars.iter().rev().find_map(|end| severity::at_start(&word[..*end]).filter(|w| w.end == *end && *end >= 6))?;
    (!CHANGES.iter().any(|c| word[level.end..].contains(c))).then_some(level)
}

/// The level of a line of dashes or equal signs that makes the line above it a heading.
pub(super) fn setext(line: &str) -> Option<usize> {
    let mark = line.trim_end();
    let first = *mark.as_bytes().first()?;
    let level = match first {
        b'=' => 1,
        b'-' => 2,
        _ => return None,
    };
    (mark.len() >= 3 && mark.bytes().all(|b| b == first)).then_some(level)
}
/// How many findings a heading says that its section holds: `Critical (2)`, `High（3건）`, `Warnings (4 issues)`; else 0.
pub(super) fn count(heading: &str) -> u64 {
    let tail = heading.trim_end_matches(['*', '_', ' ', ':', '#']);
    let inner = tail.strip_suffix([')', '）']).and_then(|t| t.rfind(['(', '（']).map(|at| t[at..].trim_start_matches(['(', '（']).trim()));
    let Some(inner) = inner else { return 0 };
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    let unit = inner[digits..].trim();
    let counted = matches!(unit, "" | "건" | "件" | "个" | "issue" | "issues" | "finding" | "findings" | "items" | "item");
    inner[..digits].parse().ok().filter(|n| counted && *n <= 10_000).unwrap_or(0)
}
