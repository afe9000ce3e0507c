//! Lines that speak against a change in words of their own: refusals, a label answered with no, a defect behind its label, a count of
//! what was found, and grades in disguise.
//!
//! Takes one line beside an approval, says whether it speaks against it. In English, Korean, Japanese and Chinese, as the reports are.
//! Bound: linear in the line.

use std::borrow::Cow;

use super::{label, location};
use crate::base::case;
use crate::base::severity;

/// Sentences that refuse, whatever stands beside them.
const REFUSALS: &[&str] = &[
    "needs changes",
    "do not approve",
    "don't approve",
    "not approving",
    "cannot be merged",
    "can't be merged",
    "should not be merged",
    "shouldn't be merged",
    "must not be merged",
    "hold off merging",
    "retract",
    "승인하지 않",
    "승인할 수 없",
    "승인 불가",
    "병합하지 마",
    "머지하지 마",
    "不建议合并",
    "请勿合并",
    "不要合并",
    "不能合并",
    "拒绝合并",
    "マージしないで",
    "マージすべきでは",
    "承認しません",
    "承認できません",
];

/// Demands and grave words of the other languages; a denial beside them takes them back.
const DEMANDS: &[&str] = &[
    "수정해야",
    "고쳐야",
    "수정이 필요",
    "수정 필요",
    "필수 수정",
    "심각한 문제",
    "심각한 결함",
    "치명적인 문제",
    "치명적인 결함",
    "치명적인 버그",
    "必须修复",
    "必须修改",
    "需要修复",
    "需要修改",
    "严重问题",
    "严重的问题",
    "修正が必要",
    "修正が必須",
    "修正してください",
    "要修正",
    "重大な問題",
    "重大な欠陥",
    "致命的な問題",
    "致命的な欠陥",
    "致命的なバグ",
];

/// What denies in these languages.
const DENIALS: &[&str] = &[
    "없",
    "않",
    "아니",
    "못했",
    "못하",
    "ありません",
    "ません",
    "なし",
    "ない",
    "没有",
    "未发现",
    "无需",
    "不需要",
    "不存在",
    "無",
    ":无",
    "：无",
    ": 无",
    "无。",
    ":0",
    "：0",
    ": 0",
    " 0,",
    " 0건",
];

/// Labels that ask whether the change may go in.
const ASKED: &[&str] = &[
    "result",
    "recommendation",
    "assessment",
    "overall assessment",
    "conclusion",
    "outcome",
    "overall",
    "status",
    "ready to merge",
    "ready for merge",
    "mergeable",
    "approved",
    "approve",
    "approval",
    "merge",
    "결론",
    "결과",
    "結論",
    "结论",
    "建议",
];

/// Answers of no; behind one stands nothing, or something that explains it.
const NO: &[&str] = &[
    "no",
    "false",
    "reject",
    "rejected",
    "denied",
    "declined",
    "refused",
    "failed",
    "fail",
    "hold",
    "on hold",
    "blocked",
    "needs work",
    "needs changes",
    "needs fixes",
    "not ready",
    "not approved",
    "not mergeable",
    "not yet",
    "not ok",
    "do not merge",
    "do not approve",
    "don't merge",
    "don't approve",
    "request changes",
    "changes requested",
    "반려",
    "불가",
    "거부",
    "승인 불가",
    "却下",
    "差し戻し",
    "拒绝",
    "拒否",
    "不通过",
    "不合格",
    "否",
    "❌",
    "✗",
];

/// Labels of a defect.
const DEFECTS: &[&str] = &[
    "bug",
    "issue",
    "blocker",
    "blocking issue",
    "blocking",
    "must-fix",
    "must fix",
    "vulnerability",
    "security issue",
    "security bug",
    "severe",
    "defect",
    "regression",
    "sev0",
    "sev1",
    "버그",
    "오류",
    "결함",
    "취약점",
    "보안 취약점",
    "错误",
    "缺陷",
    "漏洞",
    "安全漏洞",
    "必须修复",
    "バグ",
    "エラー",
    "不具合",
    "脆弱性",
];

/// Words that grade a line when they are shouted at its start.
const SHOUTED: &[&str] = &["CRITICAL", "HIGH", "SEVERE", "BLOCKER", "BLOCKING", "ERROR", "P0", "P1", "MUST-FIX", "BUG", "VULNERABILITY"];

/// What is counted.
const COUNTED: &[&str] = &[
    "issue",
    "issues",
    "problem",
    "problems",
    "bug",
    "bugs",
    "error",
    "errors",
    "finding",
    "findings",
    "vulnerabilities",
    "vulnerability",
    "defects",
    "failures",
];

/// Words that say of a count that it stands.
const STANDS: &[&str] = &["found", "find", "identified", "detected", "remain", "remains", "remaining", "open", "reported"];

/// Everything without which no line speaks so; what starts a line is matched anywhere.
pub(super) fn phrases() -> impl Iterator<Item = &'static str> {
    let words = REFUSALS.iter().chain(DEMANDS).chain(ASKED).chain(DEFECTS).chain(SHOUTED).chain(COUNTED);
    words.chain(&["failed", "문제", "问题", "問題", "\\[", "［", "{"]).copied()
}

/// Whether a line refuses; asked before anything that might settle it.
pub(super) fn refuses(lower: &str) -> bool {
    let said = lower.replace('’', "'");
    REFUSALS.iter().any(|r| label::holds(&said, r)) || (!denies(lower) && DEMANDS.iter().any(|d| label::holds(lower, d)))
}

/// Whether a line names a defect, answers a label with no, or counts what was found.
pub(super) fn speaks(content: &str, lower: &str) -> bool {
    answers_no(content) || names_defect(content) || shouts(content) || counts(lower)
}

fn denies(lower: &str) -> bool {
    !lower.is_ascii() && DENIALS.iter().any(|d| label::holds(lower, d))
}

/// `Ready to merge: no`, `Ready to merge? No`, `결론: 반려`.
fn answers_no(content: &str) -> bool {
    let split = label::split_label(content).or_else(|| label::bare_line(content).split_once('?'));
    let Some((asked, value)) = split.filter(|(asked, _)| asked.len() <= 32) else { return false };
    if !ASKED.contains(&label::fold(asked).as_str()) {
        return false;
    }
    let value = label::fold(value.trim_matches(['*', '_', '`', ' ', '.']));
    if super::doubt::is_denied(&value) || value.starts_with("none") || value.starts_with("not applicable") {
        return false;
    }
    // "no regressions" is an answer of another kind than "no" and "no, the cache is wrong".
    NO.iter().any(|word| {
        value.strip_prefix(word).is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.is_empty() || rest.starts_with(['.', ',', ';', ':', '—', '–', '-', '(', '（', '。', '、', '，', '!'])
        })
    })
}

/// `Bug: x`, `Blocker - x`, `[BUG] x`, `버그: x`: a defect behind its label. A number or an address behind one refers to something else.
fn names_defect(content: &str) -> bool {
    let bare = label::bare_line(content);
    let bracket = bare.strip_prefix('[').and_then(|inner| inner.split_once(']'));
    let dash = || [" - ", " — ", " – "].iter().filter_map(|d| bare.split_once(d)).min_by_key(|(head, _)| head.len());
    let colon = || label::split_label(content);
    // An issue or bug without a place may be what the change is about.
    let placed = !location::scan(content).is_empty();
    let named = |(head, value): &(&str, &str)| head.len() <= 32 && is_defect(head, placed) && says(value);
    let security = |(head, value): &(&str, &str)| head.eq_ignore_ascii_case("security") && says(value);
    let tagged = |(head, value): &(&str, &str)| is_defect(head, true) && says(value);
    bracket.is_some_and(|b| tagged(&b) || security(&b)) || colon().is_some_and(|c| named(&c)) || dash().is_some_and(|d| named(&d))
}

fn is_defect(head: &str, placed: bool) -> bool {
    const OF_THE_CHANGE: &[&str] = &["bug", "issue", "defect", "regression", "버그", "오류", "错误", "バグ", "エラー"];
    let folded = label::fold(head.trim_matches(['*', '_', '`', ' ']));
    DEFECTS.contains(&folded.as_str()) && (placed || !OF_THE_CHANGE.contains(&folded.as_str()))
}

/// Whether a text says something that is no denial, reference or number.
fn says(value: &str) -> bool {
    let value = value.trim_start_matches(['*', '_', '`', ' ', ':', '-', '—']);
    let refers = value.starts_with(|c: char| matches!(c, '#' | '[') || c.is_ascii_digit()) || value.starts_with("http");
    let lower = value.to_ascii_lowercase();
    let done = ["fixed", "resolved", "covered", "addressed", "closes", "fixes", "resolves", "see "].iter().any(|w| lower.starts_with(w));
    let refers = refers || done;
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let long = letters > 2 || (letters > 0 && !value.is_ascii());
    long && !refers && !label::is_absence(value) && !super::doubt::is_denied(&case::lower(value)) && !denies(value)
}

/// `CRITICAL token is logged`, `- **HIGH** x`, `P1 - x`.
fn shouts(content: &str) -> bool {
    let plain = label::bare_line(content);
    SHOUTED.iter().filter_map(|word| plain.strip_prefix(word)).any(|rest| {
        // "CRITICAL path" and "HIGH-level" are adjectives.
        // With a colon it is a tag, which is read as a finding unless it stands in a legend.
        let apart = rest.starts_with('*') || [" - ", " — ", " – "].iter().any(|d| rest.starts_with(d));
        let apart = apart || (rest.starts_with(' ') && !location::scan(rest).is_empty());
        let value = rest.trim_start_matches(['*', '_', ' ', ':', '-', '—', '–']);
        // "P0: BLOCKER - blocks opening" says what a level means.
        let explains = severity::at_start(value).is_some();
        apart && !explains && says(value) && !value.split_whitespace().any(|w| w.trim_matches([',', '.']) == "0")
    })
}

/// `2 issues found`, `Found 2 problems`, `Issues: 2`, `3 failed`, `문제 2건 발견`.
fn counts(lower: &str) -> bool {
    const OTHERWISE: &[&str] = &[
        "fixed",
        "resolved",
        "addressed",
        "were closed",
        "handled",
        "are gone",
        " when ",
        " if ",
        "exit",
        "first ",
        "수정",
        "해결",
        "修",
        "解决",
        "直",
    ];
    if OTHERWISE.iter().any(|w| label::holds(lower, w)) || denies(lower) {
        return false;
    }
    let of_tests = label::holds(lower, "test") || label::holds(lower, "passed");
    if !lower.is_ascii() && counted_things(lower) {
        return true;
    }
    let number = |word: &str| word.parse::<u32>().is_ok_and(|n| n > 0);
    if let Some((head, value)) = label::split_label(lower)
        && COUNTED.contains(&label::fold(head).as_str())
        && number(value.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default())
        && !value.contains(',')
        && !value.contains("🔴")
    {
        return true;
    }
    let words = label::words(lower);
    words.iter().enumerate().any(|(at, word)| {
        let behind = |n: usize| words.get(at + n).copied().unwrap_or_default();
        let before = at.checked_sub(1).map_or("", |n| words[n]);
        let noun = if COUNTED.contains(&behind(1)) { 1 } else { 2 };
        let stands = STANDS.contains(&before) || (1..=2).any(|n| STANDS.contains(&behind(noun + n)));
        number(word) && ((behind(1) == "failed" && of_tests) || (COUNTED.contains(&behind(noun)) && stands))
    })
}

/// `문제 2건`, `2건의 문제`, `2 个问题`, `2件の問題`: a number above none beside a problem.
fn counted_things(lower: &str) -> bool {
    const COUNTERS: [char; 5] = ['건', '件', '个', '個', '개'];
    let some = |digits: &str| digits.parse::<u32>().is_ok_and(|n| n > 0);
    ["문제", "问题", "問題"].iter().any(|noun| {
        lower.match_indices(noun).any(|(at, _)| {
            let before = lower[..at].trim_end_matches(['의', 'の', ' ']);
            let counted = before.strip_suffix(COUNTERS).unwrap_or(before).trim_end();
            let digits = counted.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let behind = lower[at + noun.len()..].trim_start_matches([' ', ':', '：']);
            let length = behind.bytes().take_while(u8::is_ascii_digit).count();
            (counted.len() < before.len() && some(&counted[digits..]))
                || (some(&behind[..length]) && behind[length..].trim_start().starts_with(COUNTERS))
        })
    })
}

/// A line without what hides a grade in it: escapes, full-width and look-alike letters, emphasis inside a word.
pub(super) fn undisguised(line: &str) -> Cow<'_, str> {
    let plain = line.is_ascii() && !line.contains(['\\', '*', '{', '<']);
    if plain {
        return line.into();
    }
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    let mut open = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek().is_some_and(char::is_ascii_punctuation) => {}
            // Emphasis inside a word joins its halves.
            '*' if out.ends_with(char::is_alphanumeric) && chars.clone().find(|c| *c != '*').is_some_and(char::is_alphanumeric) => {}
            '{' if chars.peek().is_some_and(char::is_ascii_alphabetic) && out.trim().is_empty() => {
                open = true;
                out.push('[');
            }
            '}' if open => out.push(']'),
            '！'..='～' => out.push(char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c)),
            'а' => out.push('a'),
            'с' => out.push('c'),
            'е' => out.push('e'),
            'і' => out.push('i'),
            'о' => out.push('o'),
            'р' => out.push('p'),
            c => out.push(c),
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speaks_against(line: &str) -> bool {
        let line = undisguised(line);
        refuses(&case::lower(&line)) || speaks(&line, &case::lower(&line))
    }

    #[test]
    fn refusals_labels_defects_and_counts_speak_against_a_change() {
        for line in [
            "Result: REJECTED",
            "Recommendation: do not approve",
            "Assessment: not ready",
            "Ready to merge? No",
            "**Mergeable**: no",
            "approve: false",
            "결론: 승인 불가",
            "승인하지 않습니다.",
            "不建议合并。",
            "マージしないでください。",
            "병합 전에 수정이 필요합니다.",
            "存在严重问题：令牌被打印。",
            "발견: 문제 2건 발견",
            "发现 2 个问题",
            "2件の問題が見つかりました",
            "CRITICAL token is logged in auth.py:3",
            "- **HIGH** token is logged",
            "P1 - token is logged",
            "**Bug:** the token is logged (auth.py:3)",
            "[BUG] the token is logged",
            "Blocker - the token is logged",
            "issue: token is logged in auth.py:3",
            "보안 취약점: 토큰",
            "2 issues found",
            "Found 2 problems.",
            "Issues: 2",
            "Tests fail: 3 failed, 10 passed",
        ] {
            assert!(speaks_against(line), "{line}");
        }
    }

    #[test]
    fn denials_references_and_what_is_done_do_not() {
        for line in [
            "Result: no regressions",
            "Recommendation: none",
            "Status: nothing open",
            "Ready to merge: yes",
            "Overall: a small and careful change",
            "심각한 문제는 없습니다.",
            "没有发现严重问题。",
            "修正が必要な箇所はありません。",
            "Issue: #123",
            "Bug: none",
            "Bug: https://example.invalid/1",
            "0 issues found",
            "Issues: 0",
            "The 3 bugs found last round were fixed",
            "HIGH 0, LOW 0",
            "High cohesion, low coupling",
            "120 passed, 0 failed",
            "The error handling is careful",
            "Result: No blocking findings; safe to merge.",
            "Status: no changes needed",
            "Status: not a breaking change",
            "Overall: no surprises, well tested.",
            "Issue: the cache was never evicted. Fix: evict on write.",
            "Bug - fixed in this PR",
            "Issue: PROJ-123",
            "Issues: 12, 13",
            "After 3 failed logins the account is locked, as the spec says.",
            "It exits with code 2 if errors remain.",
            "CRITICAL path is unchanged.",
            "HIGH-level overview: the change splits the parser.",
            "请求被拒绝时返回错误码。",
            "却下された申請の状態遷移を確認しました。",
            "반려 사유 없음",
            "치명적: 0건",
            "严重问题：无",
            "심각한 문제를 찾지 못했습니다.",
            "本次修改修复了 2 个问题。",
        ] {
            assert!(!speaks_against(line), "{line}");
        }
    }

    #[test]
    fn a_grade_in_disguise_is_seen() {
        let shown = |line: &str| undisguised(line).into_owned();
        assert_eq!(shown("\\[high\\] x"), "[high] x");
        assert_eq!(shown("[ｈｉｇｈ] x"), "[high] x");
        assert_eq!(shown("**H**igh: x"), "**High: x");
        assert_eq!(shown("{high} x"), "[high] x");
        assert_eq!(shown("[hіgh] x"), "[high] x");
    }
}
