//! The Korean phrases: endings cling to their words and blanks are optional, so a sentence is read without its blanks.

use super::Rule;
use super::words::Word;

/// A rule, what stands first, and what stands behind it within eight letters; nothing when the first says it all.
type Phrase = (Rule, &'static [&'static str], &'static [&'static str]);

const REPORTING: &[&str] =
    &["지적", "보고", "언급", "제기", "플래그", "신고", "표시", "권장", "추천", "거론", "리포트", "재보고", "문제삼", "다루"];
const NOT: &[&str] = &[
    "하지마",
    "하지말",
    "지마세요",
    "지말",
    "지않아도",
    "할필요없",
    "할필요는없",
    "할필요가없",
    "금지",
    "생략",
    "말것",
    "안해도",
    "하지않는다",
    "하지않을것",
    "하지않도록",
    "되지않는다",
];
const FIXING: &[&str] = &["수정", "해결", "반영", "처리", "조치", "패치", "보완", "교정"];
const DONE: &[&str] = &["했", "됨", "되었", "됐", "완료", "된상태", "해두었", "마쳤"];

const PHRASES: &[Phrase] = &[
    (Rule::DoNotReflag, REPORTING, NOT),
    (Rule::DoNotReflag, &["무시하세요", "무시하십시오", "무시하라", "무시해", "무시할것", "무시바랍", "넘어가세요", "건너뛰세요"], &[]),
    (Rule::DoNotReflag, &["알려진이슈", "알려진문제", "오탐", "범위밖", "범위를벗어"], &[]),
    (Rule::DoNotReflag, &["이미"], &["검토", "논의", "기각", "거절", "거부", "반려", "보고", "지적"]),
    (Rule::FixStatus, FIXING, DONE),
    (Rule::FixStatus, &["고쳤", "고쳐졌", "고친상태", "바로잡았"], &[]),
    (Rule::VerdictConditioning, &["승인"], &["주세요", "하세요", "하십시오", "바랍니다", "해야", "하라", "할것", "해라", "으로판정"]),
    (Rule::VerdictConditioning, &["approve로", "approve를", "approve하", "통과시켜", "통과시키", "통과해야"], &[]),
    (Rule::VerdictConditioning, &["마지막라운드", "최종라운드", "최종리뷰", "마지막리뷰"], &[]),
    (
        Rule::VerdictConditioning,
        &["심각한것만", "치명적인것만", "중요한것만", "심각한문제만", "치명적인문제만", "blocker만", "critical만"],
        &[],
    ),
    (Rule::HistoryLeak, &["이전", "지난", "앞선", "직전"], &["리뷰", "라운드", "지적", "검토"]),
    (Rule::ReviewerImperative, &["리뷰어는", "리뷰어에게", "리뷰어가", "검토자는", "검토자에게", "당신은"], &[]),
];

/// Offences of Korean text: rule, first byte, last.
pub(super) fn find(words: &[Word]) -> Vec<(Rule, usize, usize)> {
    if !words.iter().any(|w| w.text.chars().any(is_hangul)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for sentence in words.split_inclusive(|w| w.ends) {
        let mut text = String::new();
        let mut owner = Vec::new();
        for (at, word) in sentence.iter().enumerate() {
            text.push_str(&word.text);
            owner.resize(text.len(), at);
        }
        let span = |rule, first: usize, last: usize| (rule, sentence[owner[first]].start, sentence[owner[last]].end);
        for (rule, first, then) in PHRASES {
            for (at, word) in first.iter().flat_map(|f| text.match_indices(f)) {
                let end = at + word.len();
                if then.is_empty() {
                    found.push(span(*rule, at, end - 1));
                    continue;
                }
                let near: String = text[end..].chars().take(8).collect();
                let behind = then.iter().filter_map(|t| near.find(t).map(|p| p + t.len())).min();
                found.extend(behind.map(|b| span(*rule, at, end + b - 1)));
            }
        }
        found.extend(rounds(&text).map(|(first, last)| span(Rule::HistoryLeak, first, last)));
    }
    found
}

/// `3라운드`, `라운드3`, `2차리뷰`.
fn rounds(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let digit = |b: Option<&u8>| b.is_some_and(u8::is_ascii_digit);
    ["라운드", "차리뷰", "차검토"].into_iter().flat_map(move |word| {
        text.match_indices(word).filter_map(move |(at, _)| {
            let (first, last) = (at.checked_sub(1), at + word.len());
            let before = digit(first.and_then(|f| text.as_bytes().get(f)));
            let after = word == "라운드" && digit(text.as_bytes().get(last));
            (before || after).then(|| (if before { at - 1 } else { at }, if after { last } else { last - 1 }))
        })
    })
}

/// Whether a letter is Hangul.
pub(super) fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}' | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}')
}
