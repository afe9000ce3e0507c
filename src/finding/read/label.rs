//! Labelled lines: verdict statements, declared counts, and phrases that say there is nothing to report.
//!
//! Source: cases/reports/README.md §3 and §5; rounds spec §1.4 (Issues line and the three `count_` keys).

use super::super::Declared;
use super::lines::{comment_end, list_mark};
use crate::base::case;
use crate::base::number;
use crate::base::severity::{self, Grade};
use crate::base::verdict::{self, Class, Stated};

/// Labels of a verdict, folded. A label with a word before it (`Original Verdict`) is history and no match.
const VERDICTS: &[&str] = &[
    "verdict",
    "final verdict",
    "overall verdict",
    "decision",
    "final decision",
    "review verdict",
    "review result",
    "판정",
    "최종 판정",
    "결론",
    "判定",
    "最終判定",
    "結論",
    "结论",
    "审查结果",
    "最终结论",
];

/// Labels of the Issues line.
const ISSUES: &[&str] = &["issues", "issue counts", "이슈", "지적", "問題", "问题"];

/// Phrases that say a section or a report is empty, folded and without final punctuation.
const EMPTY: &[&str] = &[
    "none",
    "none observed",
    "none found",
    "none identified",
    "n/a",
    "na",
    "nil",
    "nothing",
    "nothing to report",
    "no findings",
    "no issues",
    "no issues found",
    "no findings found",
    "no problems",
    "no problems found",
    "no comments",
    "(none)",
    "[]",
    "없음",
    "해당 없음",
    "해당없음",
    "지적 사항 없음",
    "지적사항 없음",
    "문제 없음",
    "이슈 없음",
    "なし",
    "該当なし",
    "指摘なし",
    "指摘事項なし",
    "指摘事項はありません",
    "問題なし",
    "特になし",
    "无",
    "没有",
    "未发现问题",
    "未发现任何问题",
    "没有问题",
    "無",
];

/// A line without its list mark, heading marks and emphasis at the start.
pub fn bare_line(line: &str) -> &str {
    let mut rest = line.trim_start();
    rest = rest.trim_start_matches('#').trim_start();
    if let Some(mark) = list_mark(rest) {
        rest = &rest[mark..];
    }
    rest.trim_start_matches(['*', '_', '#', '>', ' '])
}

/// Splits a labelled line at its first `:`, `：` or ` — ` within the first 48 bytes; both sides without emphasis.
pub fn split_label(line: &str) -> Option<(&str, &str)> {
    let body = bare_line(line);
    // A JSON key is no label: JSON answers have readers of their own, which know what stands beside the key.
    if body.starts_with('"') {
        return None;
    }
    let mut window = body.len().min(48);
    while !body.is_char_boundary(window) {
        window -= 1;
    }
    let (at, length) = label_end(&body[..window])?;
    let label = body[..at].trim_end_matches(['*', '_', '`', ' ']).trim_start_matches('`');
    let value = body[at + length..].trim_start_matches(['*', '_', ' ', '\t']);
    Some((label, value.trim_end()))
}

/// Where the first mark that ends a label stands, and its length.
fn label_end(head: &str) -> Option<(usize, usize)> {
    if head.is_ascii() {
        return memchr::memchr(b':', head.as_bytes()).map(|at| (at, 1));
    }
    let ends = |(at, c): (usize, char)| match c {
        ':' => Some((at, 1)),
        '：' => Some((at, c.len_utf8())),
        ' ' => [" — ", " – "].iter().find(|dash| head[at..].starts_with(**dash)).map(|dash| (at, dash.len())),
        _ => None,
    };
    head.char_indices().find_map(ends)
}

/// The value behind a verdict label; empty when the value stands on the next line.
pub fn verdict_value(line: &str) -> Option<&str> {
    if !may_be_label(bare_line(line)) {
        return None;
    }
    let (label, value) = split_label(line)?;
    is_verdict_label(label).then_some(value)
}

/// Whether a heading or label names the verdict.
pub fn is_verdict_label(label: &str) -> bool {
    label.len() <= 48 && may_be_label(label) && VERDICTS.contains(&fold(label).as_str())
}

/// Words that make a verdict one of the past.
const HISTORY: &[&str] = &["original", "previous", "prior", "earlier", "last", "round", "old", "former", "initial", "first"];

/// Labels that say how it ends without the word verdict.
const ENDS: &[&str] =
    &["overall", "gate", "result", "recommendation", "conclusion", "outcome", "assessment", "overall assessment", "status"];

/// Whether a text starts with a letter of one of [`ENDS`].
fn may_end(bare: &str) -> bool {
    ENDS.iter().any(|e| bare.get(..e.len()).is_some_and(|head| head.eq_ignore_ascii_case(e)))
}

/// A verdict against the change under any other label: `Revised verdict`, `Security verdict`, `Verdict (codex)`, `Overall`.
/// Only a word of the table that is no approval counts there, so that such a label never approves and prose never speaks.
pub fn verdict_against(line: &str) -> Option<Stated> {
    let bare = bare_line(line);
    let head = &bare.as_bytes()[..bare.len().min(48)];
    let holds = |word: &[u8]| head.windows(word.len()).any(|w| w.eq_ignore_ascii_case(word));
    if !may_end(bare) && !holds(b"verdict") {
        return None;
    }
    let (label, value) = split_label(line)?;
    let folded = fold(label);
    let words = words(&folded);
    let named =
        ENDS.contains(&folded.as_str()) || (words.len() <= 5 && words.contains(&"verdict") && !words.iter().any(|w| HISTORY.contains(w)));
    if !named || VERDICTS.contains(&folded.as_str()) || is_template(value) {
        return None;
    }
    let against = |s: &Stated| s.known && matches!(s.class, Class::NeedsAttention | Class::Unproven);
    verdict::read_value(value).filter(against)
}

/// The value of a row of two cells whose first one is a verdict label.
pub fn verdict_row(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let (label, value) = inner.split_once('|')?;
    let plain = label.trim_matches([' ', '*', '_', '`']);
    (is_verdict_label(plain) && !value.contains('|')).then(|| value.trim())
}

/// What a tick box at the start of a text says: its text, and whether it is ticked.
pub fn tick_box(text: &str) -> Option<(bool, &str)> {
    let rest = text.strip_prefix('[')?;
    let mark = rest.chars().next()?;
    let behind = rest[mark.len_utf8()..].strip_prefix(']')?.trim_start();
    match mark {
        ' ' | '_' => Some((false, behind)),
        'x' | 'X' | '✓' | '✔' => Some((true, behind)),
        _ => None,
    }
}

/// Labels start with one of a few letters; anything else is prose and not worth searching.
fn may_be_label(text: &str) -> bool {
    let first = text.bytes().find(|b| *b != b'`').unwrap_or(b' ');
    !first.is_ascii() || matches!(first | 0x20, b'v' | b'f' | b'o' | b'd' | b'r' | b'i')
}

/// `Review: APPROVE` and `Final Review: APPROVE` as headings.
pub fn review_heading(heading: &str) -> Option<&str> {
    let (label, value) = split_label(heading)?;
    let folded = fold(label);
    (folded == "review" || folded == "final review").then_some(value)
}

/// A value without what is struck through: it was taken back.
pub fn without_struck(value: &str) -> std::borrow::Cow<'_, str> {
    if !value.contains("~~") {
        return value.into();
    }
    value.split("~~").step_by(2).collect::<Vec<_>>().join(" ").into()
}

/// A line without the comments inside it, which nobody sees; one in back-ticks is text.
pub fn without_comments(line: &str) -> std::borrow::Cow<'_, str> {
    if !line.contains("<!--") {
        return line.into();
    }
    let (mut shown, mut rest) = (String::new(), line);
    let (mut ticked, mut closes) = (false, true);
    while let Some(open) = rest.find("<!--") {
        ticked ^= rest[..open].bytes().filter(|b| *b == b'`').count() % 2 == 1;
        shown.push_str(&rest[..open]);
        // Where none closes, none of the following ones does.
        let end = if closes && !ticked { comment_end(&rest[open..]).map(|end| open + end) } else { None };
        closes &= ticked || end.is_some();
        let skipped = end.unwrap_or(open + 4);
        shown.push_str(if end.is_some() { "" } else { &rest[open..skipped] });
        rest = rest[skipped..].trim_start_matches(if shown.ends_with(' ') && end.is_some() { ' ' } else { '\0' });
    }
    shown.push_str(rest);
    shown.into()
}

/// Whether a verdict value is the template's and not a reviewer's.
pub fn is_template(value: &str) -> bool {
    value.contains('|') || value.contains('{') || (value.contains('/') && value.matches('/').count() >= 2)
}

/// The counts of an Issues line.
pub fn issues_line(line: &str) -> Option<Declared> {
    if !may_be_label(bare_line(line)) {
        return None;
    }
    let (label, value) = split_label(line)?;
    if label.len() > 48 || !ISSUES.contains(&fold(label).as_str()) {
        return None;
    }
    by_emoji(value).or_else(|| by_words(value))
}

/// `🔴 1, 🟡 2건, ℹ️ 0`, in this order, whatever stands between.
fn by_emoji(value: &str) -> Option<Declared> {
    let (critical, rest) = count_after(value, "🔴")?;
    let (warning, rest) = count_after(rest, "🟡")?;
    let (info, _) = count_after(rest, "ℹ")?;
    Some(Declared { critical, warning, info })
}

fn count_after<'a>(text: &'a str, mark: &str) -> Option<(u64, &'a str)> {
    let mut rest = text;
    loop {
        rest = &rest[rest.find(mark)? + mark.len()..];
        let body = rest.trim_start_matches(['\u{fe0f}', ' ', '\t', '\u{a0}']);
        let digits = body.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(count) = number::digits(&body[..digits]) {
            return Some((count, &body[digits..]));
        }
    }
}

/// `1 critical, 0 warning, 2 info`.
fn by_words(value: &str) -> Option<Declared> {
    let folded = case::lower(value);
    let words = words(&folded);
    let count = |names: &[&str]| {
        let at = words.iter().position(|w| names.contains(w))?;
        let before = at.checked_sub(1).and_then(|i| number::digits(words[i]));
        before.or_else(|| words.get(at + 1).and_then(|w| number::digits(w)))
    };
    Some(Declared {
        critical: count(&["critical", "criticals"])?,
        warning: count(&["warning", "warnings"])?,
        info: count(&["info", "infos"])?,
    })
}

/// The `count_red`, `count_yellow`, `count_info` keys of a line, by slot.
pub fn count_keys(line: &str) -> Vec<(usize, u64)> {
    const KEYS: [&str; 3] = ["count_red", "count_yellow", "count_info"];
    if memchr::memchr(b'_', line.as_bytes()).is_none() {
        return Vec::new();
    }
    let lower = line.to_ascii_lowercase();
    let count = |key: &str| {
        let rest = lower[lower.find(key)? + key.len()..].trim_start_matches(['"', '*', '`', ' ']);
        let rest = rest.strip_prefix([':', '='])?.trim_start_matches(['*', '"', ' ', '`']);
        number::digits(&rest[..rest.bytes().take_while(u8::is_ascii_digit).count()])
    };
    KEYS.iter().enumerate().filter_map(|(slot, key)| Some((slot, count(key)?))).collect()
}

/// Whether a phrase of [`EMPTY`] may start with a character, marks before it included.
fn may_be_absence(first: char) -> bool {
    const STARTS: &str = "nN([`~.。!✅없해지문이な該指問特无没未無";
    STARTS.contains(first) || (!first.is_ascii() && first.is_whitespace())
}

/// Whether a whole line or item says that there is nothing here.
pub fn is_absence(text: &str) -> bool {
    let bare = bare_line(text);
    if text.len() > 80 || !bare.starts_with(may_be_absence) {
        return false;
    }
    let plain = bare.trim_matches(|c: char| matches!(c, '*' | '_' | '`' | ' ' | '.' | '。' | '!' | '✅' | '~'));
    if !plain.starts_with(may_be_absence) {
        return false;
    }
    let folded = fold(plain);
    if EMPTY.contains(&folded.as_str()) {
        return true;
    }
    // "No critical issues.", "No warnings found": an absence of one class, said in a short sentence of its own.
    const NOUNS: &[&str] = &[
        "issues",
        "issue",
        "findings",
        "finding",
        "problems",
        "warnings",
        "warning",
        "criticals",
        "critical",
        "info",
        "items",
        "suggestions",
        "errors",
        "concerns",
    ];
    denied_words(&folded).is_some_and(|(_, noun)| NOUNS.contains(&noun))
}

/// What a short sentence of absence says between `No` and its noun, and the noun.
fn denied_words(folded: &str) -> Option<(Vec<&str>, &str)> {
    let words: Vec<&str> = folded.split(' ').collect();
    let last = words.last().filter(|w| matches!(**w, "found" | "identified" | "observed" | "detected"));
    let tail = last.map_or(words.len(), |_| words.len() - 1);
    let said = words.first() == Some(&"no") && (2..=4).contains(&tail);
    said.then(|| (words[1..tail - 1].to_vec(), words[tail - 1]))
}

/// Whether a statement of absence speaks of one kind only: `No blocking issues found`, `No warnings.` Such a one says nothing of the
/// rest (cases/reports/README.md §3, V4).
pub fn is_of_one_kind(absence: &str) -> bool {
    const ALL: &[&str] = &["issues", "issue", "findings", "finding", "problems", "concerns", "comments"];
    let folded = fold(bare_line(absence).trim_matches(|c: char| matches!(c, '*' | '_' | '`' | ' ' | '.' | '。' | '!' | '✅' | '~')));
    denied_words(&folded).is_some_and(|(between, noun)| !between.is_empty() || !ALL.contains(&noun))
}

/// Whether a line takes back that something is closed: `(not fixed)`, `still open`.
pub fn is_open_still(line: &str) -> bool {
    const OPEN: &[&str] = &[
        "not fixed",
        "not resolved",
        "not addressed",
        "unfixed",
        "unresolved",
        "unaddressed",
        "still open",
        "still leaks",
        "still broken",
        "still there",
        "still present",
        "still fails",
        "reopened",
        "re-opened",
        "미해결",
        "未修复",
        "未解决",
        "未解決",
        "未修正",
    ];
    let lower = case::lower(line);
    OPEN.iter().any(|o| holds(&lower, o))
}

/// Whether a line is a thematic break: three or more of one mark, and nothing else.
pub fn is_break(line: &str) -> bool {
    let mut marks = line.bytes().filter(|b| !matches!(b, b' ' | b'\t'));
    let Some(first) = marks.next().filter(|b| matches!(b, b'*' | b'-' | b'_')) else { return false };
    marks.clone().all(|b| b == first) && marks.count() >= 2
}

/// Nouns that make a level word before them a grade.
const GRADED: &[&str] = &[
    "severity",
    "issue",
    "issues",
    "bug",
    "bugs",
    "gap",
    "race",
    "defect",
    "defects",
    "problem",
    "problems",
    "risk",
    "vulnerability",
    "vulnerabilities",
    "finding",
    "findings",
    "flaw",
    "flaws",
    "leak",
    "regression",
    "injection",
    "concern",
    "concerns",
    "blocker",
    "blockers",
];

/// Whether a line that belongs to no finding looks like one: a severity tag in brackets, a table row or a grade beside a
/// citation, or a count of grave issues. Lines that say something is fixed are none.
pub fn is_suspicious(line: &str) -> bool {
    // No tag and no level word is shorter.
    if line.len() < "[p1]".len() {
        return false;
    }
    // What a workflow prints to annotate a line.
    if line.starts_with("::error ") || line.starts_with("::warning ") {
        return true;
    }
    if !severity::may_stand_in(line) {
        return false;
    }
    let lower = case::lower(line);
    const ENDED: &[&str] = &[
        "fixed",
        "closed",
        "resolved",
        "this pr fixes",
        "this change fixes",
        "patch fixes",
        "commit fixes",
        "this fixes",
        "已解决",
        "해결",
        "解決",
    ];
    const OPEN: &[&str] = &["be fixed", "be resolved", "be closed", "not fixed", "not resolved", "unfixed", "unresolved", "never fixed"];
    if ENDED.iter().any(|w| lower.contains(w)) && !OPEN.iter().any(|w| lower.contains(w)) {
        return false;
    }
    let grave = |t: &str| severity::at_start(t).filter(|w| !matches!(w.grade, Grade::Suggestion | Grade::Unknown));
    if lower
        .match_indices('[')
        .any(|(at, _)| grave(&lower[at + 1..]).is_some_and(|w| lower[at + 1 + w.end..].starts_with([']', ' ', '·', '/', ':'])))
    {
        return true;
    }
    // `severity=high file=…`, `'severity': 'high'`
    let valued = |(at, key): (usize, &str)| {
        let behind = &lower[at + key.len()..];
        let value = behind.trim_start_matches(['"', '\'', ':', '=', ' ']);
        behind[..behind.len() - value.len()].contains(['=', '\'']) && grave(value).is_some()
    };
    if lower.match_indices("severity").take(8).any(valued) {
        return true;
    }
    let words: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).filter(|w| !w.is_empty()).collect();
    let level = |w: &str| {
        let bare = w.strip_suffix("-severity").unwrap_or(w);
        let plain = matches!(bare, "critical" | "blocker" | "blocking" | "high" | "major" | "severe" | "medium");
        plain || (bare.starts_with(|c: char| !c.is_ascii()) && grave(bare).is_some_and(|g| g.end == bare.len()))
    };
    let graded = words.windows(2).any(|p| level(p[0]) && GRADED.contains(&p[1])) || words.iter().any(|w| w.ends_with("-severity"));
    let counted = words.windows(3).any(|p| p[0].parse::<u32>().is_ok_and(|n| n > 0) && level(p[1]) && GRADED.contains(&p[2]));
    let row = line.trim_start().starts_with('|') && words.iter().any(|w| level(w));
    counted || ((graded || row) && !super::location::scan(line).is_empty())
}

/// Words before what a reviewer could not do.
const UNABLE: &[&str] =
    &["unable to ", "could not ", "couldn't ", "cannot ", "can't ", "was not able to ", "were not able to ", "failed to "];

/// Phrases that say so in the other languages of the reports.
const OTHER: &[&str] = &[
    "无法访问",
    "未能完成审查",
    "无法完成审查",
    "レビュー不可",
    "レビューできません",
    "无法审查",
    "无法读取",
    "검토 불가",
    "검토할 수 없",
    "읽을 수 없",
    "리뷰를 수행하지 못",
    "검토하지 못",
    "읽지 못",
    "読み取れません",
    "確認できません",
    "読み込めません",
    "読めませんでした",
];

/// Phrases that say in themselves that nobody looked, folded.
const SAID: &[&str] = &[
    "nothing was reviewed",
    "review skipped",
    "skipped the review",
    "not reviewed",
    "could not be loaded",
    "could not be read",
    "rate limit exceeded",
    "rate limited",
    "rate-limited",
    "usage limit",
    "quota exceeded",
    "too many requests",
    "i can't review",
    "i cannot review",
    "unable to review",
    "don't have access to the",
    "do not have access to the",
    "no access to the repository",
    "i was unable to",
    "nothing for me to look at",
    "nothing for me to review",
    "diff was empty",
    "diff is empty",
    "only reviewed the first",
    "only looked at the first",
    "only read the first",
    "output was cut off",
    "output was truncated",
    "diff was truncated",
    "context length exceeded",
    "not have permission to",
    "command not found",
    "did not look at",
    "didn't look at",
    "could only review",
    "not able to run",
    "no access to the files",
    "no diff was provided",
    "no diff provided",
    "nothing to review",
    "i skipped",
    "review timed out",
    "partial result",
];

/// Every phrase without which no line says that nobody looked.
pub fn unable_phrases() -> impl Iterator<Item = &'static str> {
    UNABLE.iter().chain(OTHER).chain(SAID).copied()
}

/// The phrase of a line in which a reviewer says that it could not look at what it was asked about.
pub fn could_not_review(line: &str) -> Option<String> {
    const LOOK: &[&str] =
        &["run ", "execute ", "read ", "review ", "access ", "open ", "see ", "view ", "fetch ", "load ", "inspect ", "find "];
    const WHAT: &[&str] = &[
        "git diff",
        "`git diff",
        "the diff",
        "the change",
        "the code",
        "the pull request",
        "the pr",
        "the patch",
        "the repository",
        "the files",
        "this change",
        "this diff",
        "any files",
        "any file",
        "any of the files",
        "a single file",
        "any changes",
    ];
    if let Some(phrase) = OTHER.iter().find(|p| !line.is_ascii() && holds(line, p)) {
        return Some((*phrase).to_owned());
    }
    let lower = case::lower(line);
    let lower = if line.is_ascii() { lower } else { lower.replace('’', "'").into() };
    // Who could not find any problem has looked.
    const FOUND_NONE: &[&str] = &["unable to find", "unable to identify", "unable to spot", "unable to detect", "unable to break"];
    if FOUND_NONE.iter().any(|f| holds(&lower, f)) && !lower.contains("the diff") {
        return None;
    }
    if let Some(said) = SAID.iter().find(|s| holds(&lower, s)).filter(|_| !lower.contains('`')) {
        return Some((*said).to_owned());
    }
    for unable in UNABLE.iter().filter(|u| holds(&lower, u)) {
        for (at, _) in lower.match_indices(unable) {
            let rest = &lower[at + unable.len()..];
            let Some(look) = LOOK.iter().find(|l| rest.starts_with(**l)) else { continue };
            if let Some(what) = WHAT.iter().find(|w| rest[look.len()..].starts_with(**w)) {
                let length = unable.len() + look.len() + what.len();
                return Some(lower[at..at + length].trim_start_matches("was ").to_owned());
            }
        }
    }
    None
}

/// Phrases that say that a limit of requests was reached.
pub const LIMITED: &[&str] = &[
    "rate limit exceeded",
    "rate limit reached",
    "rate_limit",
    "rate limited",
    "rate-limited",
    "hit your limit",
    "usage limit",
    "quota is used up",
    "quota exceeded",
    "exceeded your current quota",
    "too many requests",
    "limit reached",
    "resource_exhausted",
    "レート制限",
    "速率限制",
    "사용 한도",
];

/// Whether a text says that a limit of requests was reached.
pub fn is_rate_limit(text: &str) -> bool {
    let lower = case::lower(text);
    LIMITED.iter().any(|s| lower.contains(s)) || lower.split(|c: char| !c.is_alphanumeric()).any(|w| w == "429")
}

/// Whether a text opens or closes with what a program prints when it fails.
pub fn reports_error(text: &str) -> bool {
    const STARTS: &[&str] =
        &["error:", "api error", "fatal:", "execution error", "traceback (most recent", "panic:", "thread 'main' panicked", "unhandled"];
    let filled = || text.lines().map(str::trim).filter(|l| !l.is_empty());
    let near = filled().take(3).chain(text.lines().rev().map(str::trim).filter(|l| !l.is_empty()).take(3));
    near.into_iter().any(|l| STARTS.iter().any(|s| l.get(..s.len()).is_some_and(|head| head.eq_ignore_ascii_case(s))))
}

/// Whether a line says that there is nothing of some kind: `No blocking findings`, `no issues found yet`. Such a phrase decides
/// nothing, but it is a statement.
pub fn is_qualified_phrase(line: &str) -> bool {
    const NOUNS: &[&str] = &[
        "finding", "findings", "issue", "issues", "problem", "problems", "bug", "bugs", "concern", "concerns", "blocker", "blockers",
        "defects",
    ];
    static NO: std::sync::LazyLock<memchr::memmem::Finder<'static>> = std::sync::LazyLock::new(|| memchr::memmem::Finder::new("o "));
    let says_no = NO.find_iter(line.as_bytes()).any(|at| at > 0 && line.as_bytes()[at - 1] | 0x20 == b'n');
    if !says_no && line.is_ascii() {
        return false;
    }
    let denied = says_no
        && case::lower(line).split(['.', ';', '。', ',']).any(|sentence| {
            let mut words = sentence.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
            let opening = words.clone().take(2).collect::<Vec<_>>().join(" ");
            let skipped = if matches!(opening.as_str(), "there are" | "there were" | "i found" | "i see" | "we found") { 2 } else { 0 };
            let mut words = words.by_ref().skip(skipped);
            words.next() == Some("no") && words.take(4).any(|w| NOUNS.contains(&w))
        });
    denied
        || ["指摘はありません", "問題はありません", "没有新的问题", "没有发现", "严重以上", "이상의 문제는 없", "문제는 없"]
            .iter()
            .any(|p| holds(line, p))
}

/// Whether a needle stands in a text; in a short one a searcher would cost more to set up than it saves.
pub fn holds(text: &str, needle: &str) -> bool {
    if text.len() > 256 {
        return text.contains(needle);
    }
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    let ([first, ..], [.., last]) = (needle, needle) else { return true };
    // Both ends first: letters of East Asia share their first byte.
    text.windows(needle.len()).any(|w| w[0] == *first && w[w.len() - 1] == *last && w == needle)
}

/// The words of a text, without what stands between them.
pub fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect()
}

/// Lower case with folded blanks.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        if word.is_ascii() {
            folded.push_str(word);
        } else {
            folded.push_str(&case::lower(word));
        }
    }
    folded.make_ascii_lowercase();
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdict_labels_are_read_in_every_emphasis() {
        for line in [
            "**Verdict**: APPROVE",
            "- **Verdict:** APPROVE",
            "Verdict — APPROVE",
            "__Final verdict__: APPROVE",
            "판정: APPROVE",
            "* *Verdict*：APPROVE",
        ] {
            assert_eq!(verdict_value(line), Some("APPROVE"), "{line}");
        }
        for line in ["- **Original Verdict**: APPROVE", "The verdict was: APPROVE", "Previous verdict: APPROVE"] {
            assert_eq!(verdict_value(line), None, "{line}");
        }
    }

    #[test]
    fn issue_counts_are_read_with_marks_counters_and_words() {
        let three = |line| issues_line(line).map(|d| (d.critical, d.warning, d.info));
        assert_eq!(three("- **Issues**: 🔴 1건, 🟡 2건, ℹ️ 3건"), Some((1, 2, 3)));
        assert_eq!(three("- **Issues:** 🔴 1, 🟡 2, ℹ 0"), Some((1, 2, 0)));
        assert_eq!(three("Issues: 1 critical, 0 warnings, 2 info"), Some((1, 0, 2)));
        assert_eq!(three("**Issues**: 🔴 1"), None);
        assert_eq!(count_keys("  \"count_red\": 4, count_yellow: 1"), [(0, 4), (1, 1)]);
        assert_eq!(count_keys("count_info = 9"), [(2, 9)]);
    }

    #[test]
    fn lines_that_look_like_findings_are_suspicious() {
        for line in [
            "see [high] src/a.rs:3 too",
            "There is a critical bug in src/a.rs:3.",
            "| critical | src/a.rs:3 | boom |",
            "Found 2 blocking issues and more",
            "a high-severity thing in `b.rs:1`",
        ] {
            assert!(is_suspicious(line), "{line}");
        }
        for line in [
            "the critical path is src/a.rs:3",
            "a high number of calls in src/a.rs:3",
            "[high] src/a.rs:3 was fixed",
            "No critical issue.",
            "[1] see src/a.rs:3",
            "highlight src/a.rs:3",
        ] {
            assert!(!is_suspicious(line), "{line}");
        }
    }

    #[test]
    fn a_reviewer_that_could_not_look_says_so() {
        assert_eq!(could_not_review("I'm unable to read the diff: it is empty").as_deref(), Some("unable to read the diff"));
        assert!(could_not_review("Sorry, I couldn’t access the repository.").is_some());
        assert!(could_not_review("The parser cannot read the trailing comma").is_none());
        assert!(could_not_review("I could not find any problem").is_none());
    }

    #[test]
    fn every_phrase_of_absence_starts_with_a_character_that_is_looked_for() {
        for phrase in EMPTY {
            assert!(phrase.starts_with(may_be_absence), "{phrase}");
        }
    }

    #[test]
    fn absence_is_a_statement_of_its_own() {
        for text in ["None.", "- None observed.", "없음", "N/A", "No critical issues found.", "_None_"] {
            assert!(is_absence(text), "{text}");
        }
        for text in ["None of the callers checks the result", "No lock is taken here", "No test covers warnings in the parser"] {
            assert!(!is_absence(text), "{text}");
        }
    }
}
