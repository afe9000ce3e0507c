//! Headings of a report: which open a section of findings, which close one, and which are findings of their own.
//!
//! Source: cases/reports/README.md §2 to §4. Bound: linear in the heading.

use super::entry::{self, Tag};
use super::{label, location};
use crate::base::case;
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
    "nice to have",
    "nice to haves",
    "nice-to-have",
    "non-blocking",
    "non-blocking issues",
    "non-blocking comments",
    "nonblocking",
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
    "必须修改",
    "需要修改",
    "개선이 필요한 점",
    "개선 사항",
    "areas for improvement",
    "comments suppressed due to low confidence",
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
    if over(&label::fold(heading.trim_matches(['*', '_', ' ']))) {
        return true;
    }
    const SETTLED: &[&str] = &["resolved", "fixed", "closed", "already fixed", "해결", "解決済み", "已解决", "已修复"];
    let folded = label::fold(heading.trim_matches(['*', '_', ' ', '✅']));
    SETTLED.iter().any(|s| folded.starts_with(s))
}

/// Whether a heading says behind its name that what it names is over: `이전 지적 사항 (해결됨)`, `Earlier findings — all fixed`.
fn over(folded: &str) -> bool {
    const OVER: &[&str] = &["resolved", "fixed", "closed", "addressed", "해결", "완료", "対応済", "解決済", "修正済", "已解决", "已修复"];
    let bracketed = folded.strip_suffix([')', '）']).and_then(|f| f.rsplit_once(['(', '（'])).map(|(_, inner)| inner);
    let inner = bracketed.or_else(|| folded.rsplit_once(['—', '–']).map(|(_, behind)| behind.trim()));
    inner.is_some_and(|inner| OVER.iter().any(|o| inner.strip_prefix("all ").unwrap_or(inner).starts_with(o)))
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
    // `1. x — High`, `F-01 · High · a.rs:4`, `[F-01] x (High)`: numbered, and graded by a part of its own.
    let numbered = lead > 0 || noun || entry::stated_id(heading).is_some();
    if inside != Some(&Kind::Closed)
        && let Some((written, part)) = entry::part(heading)
        && (numbered || (heading.len() <= part.end + 2 && location::scan(heading).iter().any(|c| c.place.line.is_some())))
    {
        let leads = heading[..part.start].chars().all(|c| !c.is_alphanumeric());
        return Some(Tag::of(Some(written), if leads { part.end } else { lead + behind }));
    }
    // `1. x `[HIGH]``: a tag in back-ticks at its end.
    if let Some(written) = entry::trailing(heading).filter(|_| numbered && inside != Some(&Kind::Closed)) {
        return Some(Tag::of(Some(written), lead + behind));
    }
    if let Some(Kind::Severity(written)) = inside {
        return (!label::is_absence(heading)).then(|| Tag { inherited: true, ..Tag::of(Some(written.clone()), lead + behind) });
    }
    (noun && inside != Some(&Kind::Closed)).then(|| Tag { inherited: true, ..Tag::of(None, lead + behind) })
}

/// `**Finding 1 (High):** title`, `**Issue 2:** title`: an emphasized line that numbers a finding; without a level it is one only where
/// a place follows.
pub(super) fn numbered_line(content: &str) -> Option<Tag> {
    let plain = content.strip_prefix("**").or_else(|| content.strip_prefix("__"))?;
    let (noun, behind) = numbered(plain);
    let lead = content.len() - plain.len();
    if !noun || !plain[..behind].bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    match entry::part(content).filter(|(_, part)| part.start <= lead + behind + 24) {
        Some((written, part)) => Some(Tag::of(Some(written), part.end)),
        None => Some(Tag { inherited: true, candidate: true, ..Tag::of(None, lead + behind) }),
    }
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
    let lower = case::lower(plain);
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
    if !(4..=120).contains(&line.len()) || line.starts_with(['-', '+', '|', '#', '>', '`', '[', '<', '【']) || line.starts_with("* ") {
        return None;
    }
    // `🔴 **Must fix**`: the mark before the emphasis is part of the label.
    let line = EMPHASIZED.iter().find_map(|m| line.strip_prefix(m)).map_or(line, |rest| rest.trim_start_matches(['\u{fe0f}', ' ']));
    let wrapped = ["**", "__", "*", "_"].iter().find_map(|m| {
        let inner = line.trim_end_matches([':', '：']).strip_prefix(m)?.strip_suffix(m)?;
        (!inner.is_empty() && !inner.contains(['*', '_'])).then_some(inner)
    });
    let ended = || line.strip_suffix([':', '：']).map(|l| l.trim_matches(['*', '_']));
    let text = wrapped.or_else(ended)?.trim().trim_end_matches([':', '：']);
    // A tag with a title behind it is an item.
    if text.starts_with(['[', '【']) && !text.ends_with([']', '】']) {
        return None;
    }
    // A whole sentence is a label only when it announces a list.
    let announces = text.split_whitespace().count() > 4;
    let following = announces_findings(text);
    match kind(text) {
        _ if following => Some(Kind::Findings),
        Kind::Severity(written) if !announces => Some(Kind::Severity(written)),
        Kind::Findings if !announces => Some(Kind::Findings),
        _ => None,
    }
}

/// Marks that may stand before an emphasized level.
const EMPHASIZED: &[&str] = &["🔴", "🟠", "🟡", "🔵", "⚠️", "⚠"];

/// Whether a label of a section has a mark before its emphasis.
pub(super) fn is_marked(body: &str) -> bool {
    EMPHASIZED.iter().any(|m| body.strip_prefix(m).is_some_and(|rest| rest.trim_start_matches(['\u{fe0f}', ' ']).starts_with("**")))
}

/// Whether a sentence says that a list of findings follows: `There are two problems`, `I found the following issues`,
/// `다음과 같은 문제를 발견했습니다`, `以下の問題が見つかりました`, `发现以下问题`.
fn announces_findings(text: &str) -> bool {
    const NOUNS: &[&str] = &["issues", "problems", "findings", "bugs", "defects", "concerns", "flaws", "vulnerabilities"];
    const SAYS: &[&str] = &["following", "found", "see", "are", "have", "identified", "noticed", "some", "these", "several"];
    const PIECES: &[(&str, &[&str])] = &[
        ("문제", &["발견", "다음", "있습니다"]),
        ("이슈", &["발견", "다음", "있습니다"]),
        ("問題", &["見つか", "以下", "あります"]),
        ("指摘", &["以下", "あります"]),
        ("问题", &["发现", "以下", "如下", "存在"]),
    ];
    if !text.is_ascii() {
        let denied = ["없", "않", "なし", "ません", "没有", "未发现", "无"].iter().any(|d| text.contains(d));
        return !denied && PIECES.iter().any(|(noun, says)| text.contains(noun) && says.iter().any(|s| text.contains(s)));
    }
    let folded = label::fold(text);
    let words = label::words(&folded);
    let denied = words.iter().any(|w| matches!(*w, "no" | "not" | "without" | "fixed" | "fixes" | "resolved" | "addresses" | "previous"));
    words.len() > 2 && !denied && words.last().is_some_and(|w| NOUNS.contains(w)) && words.iter().any(|w| SAYS.contains(w))
}

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
    // A word beats the mark before it: `🟢 Low` is a level.
    let green = plain.strip_prefix("🟢").and_then(severity_of);
    if let Some(written) = green.filter(|_| severity::at_start(plain).is_some()) {
        return Kind::Severity(written);
    }
    let ended = over(&folded);
    if !reopened && (ended || CLOSED.iter().any(|c| folded.starts_with(c))) {
        return Kind::Closed;
    }
    let (named, behind) = folded.split_at(folded.find(['(', ':', '（', '–', '—']).unwrap_or(folded.len()));
    let named = named.trim();
    // "Additional issues", "추가 지적": more of the same.
    let named = MORE.iter().find_map(|m| named.strip_prefix(m)).map_or(named, str::trim);
    if FINDINGS.contains(&named) {
        // `Findings (High)`, `Findings — High`: those of one level.
        let level = behind.trim_matches(|c: char| !c.is_alphanumeric());
        let level = severity::at_start(level).filter(|w| w.end == level.len());
        return level.map_or(Kind::Findings, Kind::Severity);
    }
    if !severity::may_stand_in(plain) {
        return Kind::Other;
    }
    // `严重程度：低` and `[重要度: 低]` name the level behind the label.
    let keyed = label::split_label(plain.trim_matches(['[', ']', '【', '】'])).filter(|(key, _)| entry::is_severity_key(key));
    if let Some(written) = keyed.and_then(|(_, value)| severity::at_start(value).filter(|w| w.end == value.len())) {
        return Kind::Severity(written);
    }
    if levelled(plain).is_some_and(|(_, number)| number) || marked(plain).is_some() {
        return Kind::Other;
    }
    severity_of(plain).map_or(Kind::Other, Kind::Severity)
}

/// Levels that stand before the word for priority or severity, and the level word they mean.
const PRIORITIES: &[(&str, &str)] = &[
    ("높은 우선순위", "높음"),
    ("높은 심각도", "높음"),
    ("중간 우선순위", "중간"),
    ("낮은 우선순위", "낮음"),
    ("낮은 심각도", "낮음"),
    ("高优先级", "高"),
    ("中优先级", "中"),
    ("低优先级", "低"),
    ("高優先度", "高"),
    ("中優先度", "中"),
    ("低優先度", "低"),
];

/// A list item that is nothing but a level, or an emphasized one: `1. **High**`, `* Critical`.
pub(super) fn level_item(body: &str) -> Option<Written> {
    let content = &body[super::lines::list_mark(body)?..];
    let plain = content.trim().trim_end_matches([':', '：']).trim_matches(['*', '_', ' ']).trim_end_matches([':', '：']);
    severity::at_start(plain).filter(|w| w.end == plain.len() && w.text.chars().any(char::is_alphanumeric) && !entry::is_weak(&w.text))
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
    "for",
    "improvement",
    "improvements",
    "part",
    "section",
];

/// A heading that is a severity: a level word and beside it only nouns of findings, further level words, numbers and marks.
pub(super) fn severity_of(text: &str) -> Option<Written> {
    // An adjective before the name of the level: `높은 우선순위`, `高优先级`.
    let named = PRIORITIES.iter().find(|(said, _)| text.trim_matches(['*', '_', ' ', ':', '：']).starts_with(said));
    if let Some((said, word)) = named {
        return severity::at_start(word).map(|w| Written { text: (*said).to_owned(), ..w });
    }
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
        let lower = case::lower(word);
        let single = lower.strip_suffix('s').unwrap_or(&lower);
        let level = severity::at_start(word).or_else(|| severity::at_start(single).filter(|w| matches!(w.grade, Grade::Critical)));
        match level {
            Some(written) if written.end == word.len() || written.end == single.len() => {
                found = found.or(Some(Written { text: word.to_owned(), ..written }));
            }
            _ if word.is_empty() || word.len() == 1 || word.bytes().all(|b| b.is_ascii_digit()) => {}
            _ if HEADING_NOUNS.contains(&lower.as_ref()) || BESIDE.contains(&lower.as_ref()) => {}
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

/// The level of an alert: `[!WARNING]`, `[!CAUTION]`. The others are notes.
pub(super) fn alert(body: &str) -> Option<Written> {
    let word = body.trim_end().strip_prefix("[!")?.strip_suffix(']')?;
    match word {
        "WARNING" => severity::at_start("WARNING"),
        "CAUTION" => severity::at_start("high").map(|w| Written { text: word.to_owned(), ..w }),
        _ => None,
    }
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
