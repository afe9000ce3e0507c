//! Severities: the six grades, the words that mean them in four languages, and the three levels of a round state.
//!
//! Source: cases/reports/README.md §2 (the table) and map.md, One mapping of words.

use super::reason::words;

words! {
    /// The six-word grade of a finding, gravest first.
    Grade {
        Critical "critical",
        High "high",
        Medium "medium",
        Low "low",
        Suggestion "suggestion",
        Unknown "unknown",
    }
}

words! {
    /// The word a round state keeps in `severity`: the reference knows critical and warning, and counts info.
    Level {
        Critical "critical",
        Warning "warning",
        Info "info",
    }
}

/// A grade that nothing says is unknown.
impl Default for Grade {
    fn default() -> Self {
        Grade::Unknown
    }
}

impl Grade {
    /// critical and high are `critical`; medium, low and unknown are `warning`; suggestion is counted as info.
    pub fn level(self) -> Level {
        match self {
            Grade::Critical | Grade::High => Level::Critical,
            Grade::Medium | Grade::Low | Grade::Unknown => Level::Warning,
            Grade::Suggestion => Level::Info,
        }
    }
}

impl Level {
    /// The grade of a finding whose report knows three levels only.
    pub fn grade(self) -> Grade {
        match self {
            Level::Critical => Grade::Critical,
            Level::Warning => Grade::Medium,
            Level::Info => Grade::Suggestion,
        }
    }

    /// The three marks of a canonical report.
    pub fn emoji(self) -> &'static str {
        match self {
            Level::Critical => "🔴",
            Level::Warning => "🟡",
            Level::Info => "ℹ️",
        }
    }
}

/// One row of the word table: lower-case word and what it means. Longer words stand before their prefixes.
const WORDS: &[(&str, Grade)] = &[
    ("critical", Grade::Critical),
    ("blocker", Grade::Critical),
    ("blocking", Grade::Critical),
    ("fatal", Grade::Critical),
    ("p0", Grade::Critical),
    ("치명적", Grade::Critical),
    ("치명", Grade::Critical),
    ("심각", Grade::Critical),
    ("긴급", Grade::Critical),
    ("致命的", Grade::Critical),
    ("致命", Grade::Critical),
    ("重大", Grade::Critical),
    ("緊急", Grade::Critical),
    ("ブロッカー", Grade::Critical),
    ("严重", Grade::Critical),
    ("阻塞", Grade::Critical),
    ("阻断", Grade::Critical),
    ("required changes", Grade::High),
    ("must fix", Grade::High),
    ("must-fix", Grade::High),
    ("high", Grade::High),
    ("major", Grade::High),
    ("error", Grade::High),
    ("p1", Grade::High),
    ("important", Grade::High),
    ("높음", Grade::High),
    ("중대", Grade::High),
    ("주요", Grade::High),
    ("高危", Grade::High),
    ("高", Grade::High),
    ("重要", Grade::High),
    ("要修正", Grade::High),
    ("should fix", Grade::Medium),
    ("should-fix", Grade::Medium),
    ("medium", Grade::Medium),
    ("moderate", Grade::Medium),
    ("warnings", Grade::Medium),
    ("warning", Grade::Medium),
    ("warn", Grade::Medium),
    ("p2", Grade::Medium),
    ("pre_existing", Grade::Medium),
    ("보통", Grade::Medium),
    ("중간", Grade::Medium),
    ("경고", Grade::Medium),
    ("주의", Grade::Medium),
    ("中危", Grade::Medium),
    ("中等", Grade::Medium),
    ("中", Grade::Medium),
    ("警告", Grade::Medium),
    ("注意", Grade::Medium),
    ("low", Grade::Low),
    ("minor", Grade::Low),
    ("p3", Grade::Low),
    ("낮음", Grade::Low),
    ("경미", Grade::Low),
    ("사소", Grade::Low),
    ("低危", Grade::Low),
    ("低", Grade::Low),
    ("軽微", Grade::Low),
    ("轻微", Grade::Low),
    ("次要", Grade::Low),
    ("recommended improvements", Grade::Suggestion),
    ("suggestions", Grade::Suggestion),
    ("suggestion", Grade::Suggestion),
    ("nitpicks", Grade::Suggestion),
    ("nitpick", Grade::Suggestion),
    ("nits", Grade::Suggestion),
    ("nit", Grade::Suggestion),
    ("trivial", Grade::Suggestion),
    ("info", Grade::Suggestion),
    ("note", Grade::Suggestion),
    ("help", Grade::Suggestion),
    ("optional", Grade::Suggestion),
    ("p4", Grade::Suggestion),
    ("정보", Grade::Suggestion),
    ("참고", Grade::Suggestion),
    ("제안", Grade::Suggestion),
    ("권장", Grade::Suggestion),
    ("提案", Grade::Suggestion),
    ("情報", Grade::Suggestion),
    ("参考", Grade::Suggestion),
    ("任意", Grade::Suggestion),
    ("优化建议", Grade::Suggestion),
    ("建议", Grade::Suggestion),
    ("提示", Grade::Suggestion),
    ("优化", Grade::Suggestion),
];

/// Emoji that are a severity when no word stands beside them.
const EMOJI: &[(&str, Grade)] = &[
    ("🔴", Grade::Critical),
    ("🟠", Grade::High),
    ("🟡", Grade::Medium),
    ("⚠️", Grade::Medium),
    ("⚠", Grade::Medium),
    ("ℹ️", Grade::Suggestion),
    ("ℹ", Grade::Suggestion),
    ("🔵", Grade::Suggestion),
    ("⚪", Grade::Suggestion),
];

/// A mark that grades nothing by itself and may stand before a level word.
const GREEN: &str = "🟢";

/// The bytes a level can start with: most texts are told from their first one.
const FIRST_BYTES: [bool; 256] = {
    let mut first = [false; 256];
    let mut at = 0;
    while at < WORDS.len() {
        first[WORDS[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    at = 0;
    while at < EMOJI.len() {
        first[EMOJI[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    first
};

/// The pairs of bytes a level, or a word that speaks of one, can start with: most lines are told from them.
const FIRST_PAIRS: [[u64; 4]; 256] = {
    let mut pairs = [[0; 4]; 256];
    const fn note(pairs: &mut [[u64; 4]; 256], word: &[u8]) {
        pairs[word[0] as usize][(word[1] >> 6) as usize] |= 1 << (word[1] & 63);
    }
    let mut at = 0;
    while at < WORDS.len() {
        note(&mut pairs, WORDS[at].0.as_bytes());
        at += 1;
    }
    at = 0;
    while at < EMOJI.len() {
        note(&mut pairs, EMOJI[at].0.as_bytes());
        at += 1;
    }
    // `severe`, `high-severity`, `severity: …`
    note(&mut pairs, b"severe");
    pairs
};

/// Whether a level may start anywhere in a text, as a token of its own; false is sure. Bound: linear.
pub fn may_stand_in(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut inside = false;
    for pair in bytes.windows(2) {
        let [first, second] = [pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase()];
        if !inside && FIRST_PAIRS[usize::from(first)][usize::from(second >> 6)] >> (second & 63) & 1 == 1 {
            return true;
        }
        inside = first.is_ascii_alphanumeric();
    }
    false
}

/// A severity as it was written: the grade and the literal text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What the text means.
    pub grade: Grade,
    /// The level word as written, an emoji directly before it included.
    pub text: String,
    /// How many bytes of the input the literal ends at.
    pub end: usize,
}

/// Every word and mark that is read as a severity.
pub fn words_and_marks() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(word, _)| *word).chain(EMOJI.iter().map(|(mark, _)| *mark))
}

/// Reads the severity at the start of `text` (a tag, key value, table cell or heading): an optional emoji and a level
/// word as a whole token. A word beats the emoji beside it; an emoji alone counts.
pub fn at_start(text: &str) -> Option<Written> {
    let lead = text.len() - text.trim_start().len();
    let body = &text[lead..];
    let first = body.as_bytes().first()?.to_ascii_lowercase();
    if !FIRST_BYTES[usize::from(first)] {
        return None;
    }
    let emoji = if first.is_ascii() { None } else { EMOJI.iter().find(|(mark, _)| body.starts_with(mark)) };
    let skipped = emoji.map_or(if body.starts_with(GREEN) { GREEN.len() } else { 0 }, |(mark, _)| mark.len());
    let gap = body[skipped..].len() - body[skipped..].trim_start_matches([' ', '*', '_', '\u{fe0f}']).len();
    let word_at = skipped + gap;
    if let Some((grade, len)) = word_at_start(&body[word_at..]) {
        let end = word_at + len;
        return Some(Written {
            grade,
            text: body[..end].replace(['*', '`'], "").replace(" _", " ").trim_matches(['_', ' ']).to_owned(),
            end: lead + end,
        });
    }
    let (mark, grade) = emoji?;
    Some(Written { grade: *grade, text: (*mark).to_owned(), end: lead + mark.len() })
}

/// The level word that `text` starts with, as a whole token, and its length in bytes.
fn word_at_start(text: &str) -> Option<(Grade, usize)> {
    let first = text.as_bytes().first()?.to_ascii_lowercase();
    if !FIRST_BYTES[usize::from(first)] || LABELS.iter().any(|l| text.starts_with(l)) {
        return None;
    }
    for (word, grade) in WORDS.iter().filter(|(w, _)| w.as_bytes()[0] == first) {
        let Some(head) = text.get(..word.len()) else {
            continue;
        };
        if !head.eq_ignore_ascii_case(word) {
            continue;
        }
        let rest = &text[word.len()..];
        if word.is_ascii() {
            let next = rest.chars().next();
            if next.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                continue;
            }
            // "Medium-1": a number joined by a hyphen belongs to the level word; "low-effort" is another word.
            if let Some(tail) = rest.strip_prefix('-') {
                let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
                if digits == 0 {
                    continue;
                }
                return Some((*grade, word.len() + 1 + digits));
            }
        } else if !cjk_token_ends(rest) {
            continue;
        }
        return Some((*grade, word.len()));
    }
    None
}

/// Labels of a level that start like one.
const LABELS: &[&str] = &["重要度", "重大度"];

/// A CJK word counts as the whole tag, cell or label, or before 级/度/レベル/问题/問題 and the like.
fn cjk_token_ends(rest: &str) -> bool {
    const FOLLOWERS: [&str; 9] = ["级", "級", "度", "レベル", "问题", "問題", "문제", "优先级", "優先度"];
    match rest.chars().next() {
        None => true,
        Some(c) if !c.is_alphanumeric() => true,
        _ => FOLLOWERS.iter().any(|f| rest.starts_with(f)),
    }
}

/// Whether the text starts with one of the severity emoji.
pub fn emoji_at_start(text: &str) -> bool {
    EMOJI.iter().any(|(mark, _)| text.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_beats_the_emoji_beside_it() {
        let written = at_start("🟡 Minor").unwrap();
        assert_eq!((written.grade, written.text.as_str()), (Grade::Low, "🟡 Minor"));
        assert_eq!(at_start("🔴").unwrap().grade, Grade::Critical);
    }

    #[test]
    fn every_level_is_one_that_may_stand_in_a_text() {
        for word in words_and_marks() {
            for text in [word.to_owned(), word.to_uppercase(), format!("a ({word})"), format!("값{word}"), format!("x_{word}")] {
                assert!(may_stand_in(&text), "{text}");
            }
        }
        assert!(!may_stand_in("a: 1") && !may_stand_in("[{\"a\":1}]") && !may_stand_in("xhigh"));
    }

    #[test]
    fn only_whole_tokens_are_levels() {
        assert!(at_start("highlight").is_none());
        assert!(at_start("low-effort pass").is_none());
        assert_eq!(at_start("Medium-1 leak").unwrap().text, "Medium-1");
        assert_eq!(at_start("심각").unwrap().grade, Grade::Critical);
        assert!(at_start("高度な話").is_some());
        assert!(at_start("심각한").is_none());
        assert!(at_start("non-blocking").is_none());
    }

    #[test]
    fn every_grade_has_one_level_and_back() {
        assert_eq!(Grade::High.level(), Level::Critical);
        assert_eq!(Grade::Unknown.level(), Level::Warning);
        for level in Level::ALL {
            assert_eq!(level.grade().level(), *level);
        }
    }
}
