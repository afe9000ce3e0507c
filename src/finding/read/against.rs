//! Lines that speak against a change in words of their own: refusals, a label answered with no, a defect behind its label, a count of
//! what was found, and grades in disguise.
//!
//! Takes one line beside an approval, says whether it speaks against it. In English, Korean, Japanese and Chinese, as the reports are.
//! Bound: linear in the line.

use std::borrow::Cow;

use super::label;
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
    "승인하지 않",
    "승인할 수 없",
    "승인 불가",
    "병합하지 마",
    "머지하지 마",
    "반려",
    "不建议合并",
    "请勿合并",
    "不要合并",
    "不能合并",
    "拒绝",
    "マージしないで",
    "マージすべきでは",
    "承認しません",
    "承認できません",
    "却下",
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
    "치명적",
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
    "致命的な",
];

/// What denies in these languages.
const DENIALS: &[&str] = &["없", "않", "아니", "ありません", "ません", "なし", "ない", "没有", "未发现", "无需", "不需要", "不存在", "無"];

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

/// How an answer of no begins.
const NO: &[&str] = &[
    "no",
    "not ",
    "not_",
    "reject",
    "denied",
    "deny",
    "declined",
    "false",
    "refuse",
    "failed",
    "fail",
    "hold",
    "needs ",
    "blocked",
    "do not",
    "don't",
    "request changes",
    "changes requested",
    "반려",
    "불가",
    "거부",
    "승인 불가",
    "却下",
    "差し戻",
    "拒",
    "不",
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
    let ends = |word: &str| !word.ends_with(char::is_alphanumeric) || !value[word.len()..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let stems = |word: &str| matches!(word, "reject" | "refuse") || !word.is_ascii();
    NO.iter().any(|word| value.starts_with(word) && (stems(word) || ends(word)))
}

/// `Bug: x`, `Blocker - x`, `[BUG] x`, `버그: x`: a defect behind its label. A number or an address behind one refers to something else.
fn names_defect(content: &str) -> bool {
    let bare = label::bare_line(content);
    let bracket = bare.strip_prefix('[').and_then(|inner| inner.split_once(']'));
    let dash = || [" - ", " — ", " – "].iter().filter_map(|d| bare.split_once(d)).min_by_key(|(head, _)| head.len());
    let colon = || label::split_label(content);
    let named = |(head, value): &(&str, &str)| head.len() <= 32 && is_defect(head) && says(value);
    let security = |(head, value): &(&str, &str)| head.eq_ignore_ascii_case("security") && says(value);
    bracket.is_some_and(|b| named(&b) || security(&b)) || colon().is_some_and(|c| named(&c)) || dash().is_some_and(|d| named(&d))
}

fn is_defect(head: &str) -> bool {
    let folded = label::fold(head.trim_matches(['*', '_', '`', ' ']));
    DEFECTS.contains(&folded.as_str())
}

/// Whether a text says something that is no denial, reference or number.
fn says(value: &str) -> bool {
    let value = value.trim_start_matches(['*', '_', '`', ' ', ':', '-', '—']);
    let refers = value.starts_with(|c: char| c == '#' || c.is_ascii_digit()) || value.starts_with("http");
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let long = letters > 2 || (letters > 0 && !value.is_ascii());
    long && !refers && !label::is_absence(value) && !super::doubt::is_denied(&value.to_lowercase()) && !denies(value)
}

/// `CRITICAL token is logged`, `- **HIGH** x`, `P1 - x`.
fn shouts(content: &str) -> bool {
    let plain = label::bare_line(content);
    SHOUTED.iter().filter_map(|word| plain.strip_prefix(word)).any(|rest| {
        let apart = rest.starts_with([' ', '*', ':', '-', '—', '\t']);
        let value = rest.trim_start_matches(['*', '_', ' ', ':', '-', '—', '–']);
        // "P0: BLOCKER - blocks opening" says what a level means.
        let explains = severity::at_start(value).is_some();
        apart && !explains && says(value) && !value.split_whitespace().any(|w| w.trim_matches([',', '.']) == "0")
    })
}

/// `2 issues found`, `Found 2 problems`, `Issues: 2`, `3 failed`, `문제 2건 발견`.
fn counts(lower: &str) -> bool {
    if ["fixed", "resolved", "addressed", "were closed"].iter().any(|w| label::holds(lower, w)) || denies(lower) {
        return false;
    }
    if !lower.is_ascii() && counted_things(lower) {
        return true;
    }
    let number = |word: &str| word.parse::<u32>().is_ok_and(|n| n > 0);
    if let Some((head, value)) = label::split_label(lower)
        && COUNTED.contains(&label::fold(head).as_str())
        && number(value.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default())
        && !value.contains("🔴")
    {
        return true;
    }
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    words.iter().enumerate().any(|(at, word)| {
        let behind = |n: usize| words.get(at + n).copied().unwrap_or_default();
        let before = at.checked_sub(1).map_or("", |n| words[n]);
        let noun = if COUNTED.contains(&behind(1)) { 1 } else { 2 };
        let stands = STANDS.contains(&before) || (1..=2).any(|n| STANDS.contains(&behind(noun + n)));
        number(word) && (behind(1) == "failed" || (COUNTED.contains(&behind(noun)) && stands))
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
        refuses(&line.to_lowercase()) || speaks(&line, &line.to_lowercase())
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
            "**Bug:** the token is logged",
            "[BUG] the token is logged",
            "Blocker - the token is logged",
            "issue: token is logged in auth.py",
            "버그: 토큰",
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
