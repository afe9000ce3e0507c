//! The Korean phrases: endings cling to their words and blanks are optional, so a sentence is read without its blanks.

use super::Rule;
use super::words::Word;

/// A rule, what stands first, and what stands behind it within eight letters; nothing when the first says it all.
type Phrase = (Rule, &'static [&'static str], &'static [&'static str]);

const REPORTING: &[&str] = &[
    "지적",
    "보고",
    "언급",
    "제기",
    "플래그",
    "신고",
    "표시",
    "권장",
    "추천",
    "거론",
    "리포트",
    "재보고",
    "문제삼",
    "문제를올리",
    "다루",
    "리뷰",
    "검토",
    "말하",
    "건드리",
    "신경쓰",
    "보지",
    "재논의",
    "재론",
];
/// Orders and refusals; a sentence that only tells what a program does not do has none of them.
const NOT: &[&str] = &[
    "하지마",
    "하지말",
    "지마세요",
    "지마라",
    "지마십시오",
    "지말",
    "지않아도",
    "할필요없",
    "할필요는없",
    "할필요가없",
    "금지",
    "생략",
    "말것",
    "안해도",
    "하면안",
    "해서는안",
    "불필요",
    "받지않",
    "삼가",
    "삼마",
    "대상이아니",
    "대상에서제외",
    "지마",
    "하지않습니다",
    "은불필요",
];
const FIXING: &[&str] = &["수정", "해결", "패치", "보완", "교정"];
const DONE: &[&str] = &["했습", "했다", "했음", "됨", "되었", "됐", "완료", "함", "끝"];
const ENDS: &[&str] = &[
    "없앴",
    "사라졌",
    "사라짐",
    "제거되었",
    "제거됐",
    "정리되었",
    "정리됐",
    "손봤",
    "잡았",
    "더이상없",
    "더이상발생",
    "이제발생하지",
    "고침",
    "고쳤",
    "고쳐졌",
    "고친상태",
    "바로잡았",
];

const PHRASES: &[Phrase] = &[
    (
        Rule::DoNotReflag,
        &[
            "더볼것이없",
            "볼필요가없",
            "볼필요없",
            "의견은받지않",
            "이야기는그만",
            "얘기는그만",
            "만봐주면",
            "에만집중",
            "만확인하면",
            "더듣고싶",
            "논의는끝",
            "논의대상이아니",
            "주어진것으로",
            "목록에서뺀",
            "목록에서제외",
        ],
        &[],
    ),
    (
        Rule::VerdictConditioning,
        &[
            "빈목록",
            "목록은비어",
            "빈배열",
            "가볍게봐",
            "관대하게",
            "사소한것은나중",
            "만중요하다",
            "취향문제",
            "실패로치지않",
            "배포준비가끝",
            "변경은완벽",
            "코드에동의",
            "실제로일어날수없",
        ],
        &[],
    ),
    (Rule::VerdictConditioning, &["누락은", "문제는"], &["low에해당", "취향", "사소"]),
    (Rule::VerdictConditioning, &["레이스는", "누수는", "크래시는", "버그는"], &["의도된", "의도한", "정상"]),
    (Rule::VerdictConditioning, &["인덱스는", "입력은", "코드는"], &["모두안전", "모두올바"]),
    (Rule::HistoryLeak, &["충분히살펴", "이미확인했", "손으로확인", "먼저훑어", "나온말은틀", "받아들이지않았"], &[]),
    (Rule::FixStatus, &["지금들어가있", "어제넣었", "어제고쳤", "가드를달았", "이제괜찮"], &[]),
    (Rule::DoNotReflag, REPORTING, NOT),
    (
        Rule::DoNotReflag,
        &[
            "무시하세요",
            "무시하십시오",
            "무시하라",
            "무시해주세요",
            "무시해라",
            "무시할것",
            "무시바랍",
            "무시하면됩",
            "무시해도",
            "넘어가세요",
            "넘어가주",
            "넘어갑시다",
            "건너뛰세요",
            "패스하세요",
            "그냥두세요",
        ],
        &[],
    ),
    (
        Rule::DoNotReflag,
        &[
            "알려진이슈입",
            "알려진문제입",
            "알려진이슈다",
            "알려진문제다",
            "알려진이슈이",
            "알려진문제이",
            "오탐",
            "위양성",
            "거짓양성",
            "범위밖이",
            "범위밖입",
            "리뷰범위밖",
            "검토범위밖",
        ],
        &[],
    ),
    (Rule::DoNotReflag, &["이미"], &["검토", "논의", "기각", "거절", "거부", "반려", "지적"]),
    (Rule::DoNotReflag, &["버그", "결함", "문제"], &["아니다", "아닙니다", "아님"]),
    (Rule::DoNotReflag, &["더이상논의하지", "수용하기로했", "보류하기로했", "올바르다고가정", "믿어주세요"], &[]),
    (Rule::FixStatus, FIXING, DONE),
    (Rule::FixStatus, &["버그", "결함", "문제", "경쟁", "이슈"], ENDS),
    (Rule::FixStatus, &["고쳤", "고쳐졌", "고친상태", "바로잡았", "고침", "수정함", "수정끝"], &[]),
    (
        Rule::VerdictConditioning,
        &["승인"],
        &["주세요", "하세요", "하십시오", "바랍니다", "바람", "요망", "부탁", "하라", "해라", "으로판정"],
    ),
    (
        Rule::VerdictConditioning,
        &[
            "approve로",
            "approve를",
            "approve하",
            "approve해",
            "통과시켜",
            "통과시키",
            "통과로처리",
            "통과판정",
            "합격으로",
            "lgtm으로",
            "문제없음으로",
            "이파일은통과",
        ],
        &[],
    ),
    (Rule::VerdictConditioning, &["마지막라운드", "최종라운드", "최종리뷰", "마지막리뷰"], &[]),
    (
        Rule::VerdictConditioning,
        &[
            "심각한것만",
            "치명적인것만",
            "중요한것만",
            "심각한문제만",
            "치명적인문제만",
            "큰문제만",
            "보안문제만",
            "blocker만",
            "critical만",
            "low로표시",
        ],
        &[],
    ),
    (Rule::VerdictConditioning, &["심각도"], &["낮음", "낮춰", "낮추"]),
    (Rule::HistoryLeak, &["이전", "지난", "앞선", "직전", "저번", "전"], &["리뷰에서", "라운드에서", "지적", "리뷰에", "번에"]),
    (
        Rule::HistoryLeak,
        &["지난번에", "두번째라운드", "세번째라운드", "전에기각", "사용자가기각", "사용자가보류", "이라운드에서", "당신이전에"],
        &[],
    ),
    (
        Rule::ReviewerImperative,
        &["리뷰어는", "리뷰어에게", "리뷰어가", "리뷰어님", "리뷰어여러분", "검토자는", "검토자에게", "검토하시는분", "당신은"],
        &[],
    ),
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
    ["라운드에", "차리뷰", "차검토"].into_iter().flat_map(move |word| {
        text.match_indices(word).filter_map(move |(at, _)| {
            let (first, last) = (at.checked_sub(1), at + word.len());
            let before = digit(first.and_then(|f| text.as_bytes().get(f)));
            before.then(|| (at - 1, last - 1))
        })
    })
}

/// Whether a letter is Hangul.
pub(super) fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}' | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}')
}
