//! Verdicts: the classes, the words that mean them, and the three words of the rounds loop.
//!
//! Source: cases/reports/README.md §3 and map.md, One mapping of words.

use super::reason::words;

words! {
    /// What a review says as a whole. `None` is an answer that states nothing.
    Class {
        Approve "approve",
        NeedsAttention "needs_attention",
        Unproven "unproven",
        None "none",
    }
}

words! {
    /// The verdict of one round (deep-review seed §2).
    RoundVerdict {
        Approve "APPROVE",
        RequestChanges "REQUEST_CHANGES",
        Concern "CONCERN",
    }
}

/// Words of each class, lower-case, with `-` and `_` as spaces.
const WORDS: &[(&str, Class)] = &[
    ("approve", Class::Approve),
    ("approved", Class::Approve),
    ("lgtm", Class::Approve),
    ("pass", Class::Approve),
    ("clean", Class::Approve),
    ("ok to merge", Class::Approve),
    ("satisfied", Class::Approve),
    ("no findings", Class::Approve),
    ("no amendments", Class::Approve),
    ("patch is correct", Class::Approve),
    ("승인", Class::Approve),
    ("통과", Class::Approve),
    ("承認", Class::Approve),
    ("合格", Class::Approve),
    ("通过", Class::Approve),
    ("批准", Class::Approve),
    ("request changes", Class::NeedsAttention),
    ("changes requested", Class::NeedsAttention),
    ("concern", Class::NeedsAttention),
    ("revise", Class::NeedsAttention),
    ("needs attention", Class::NeedsAttention),
    ("needs fixes", Class::NeedsAttention),
    ("fail", Class::NeedsAttention),
    ("reject", Class::NeedsAttention),
    ("block", Class::NeedsAttention),
    ("suggestions", Class::NeedsAttention),
    ("amendments", Class::NeedsAttention),
    ("patch is incorrect", Class::NeedsAttention),
    ("not approved", Class::NeedsAttention),
    ("do not merge", Class::NeedsAttention),
    ("수정 필요", Class::NeedsAttention),
    ("변경 요청", Class::NeedsAttention),
    ("반려", Class::NeedsAttention),
    ("要修正", Class::NeedsAttention),
    ("差し戻し", Class::NeedsAttention),
    ("却下", Class::NeedsAttention),
    ("需修改", Class::NeedsAttention),
    ("需要修改", Class::NeedsAttention),
    ("请求修改", Class::NeedsAttention),
    ("拒绝", Class::NeedsAttention),
    ("変更要求", Class::NeedsAttention),
    ("승인 불가", Class::NeedsAttention),
    ("거부", Class::NeedsAttention),
    ("rejected", Class::NeedsAttention),
    ("needs changes", Class::NeedsAttention),
    ("needs rework", Class::NeedsAttention),
    ("rework required", Class::NeedsAttention),
    ("changes required", Class::NeedsAttention),
    ("nack", Class::NeedsAttention),
    ("不通过", Class::NeedsAttention),
    ("驳回", Class::NeedsAttention),
    ("条件付き承認", Class::NeedsAttention),
    ("有条件通过", Class::NeedsAttention),
    ("blocked", Class::Unproven),
    ("unverified", Class::Unproven),
    ("inconclusive", Class::Unproven),
    ("not reviewed", Class::Unproven),
    ("could not review", Class::Unproven),
    ("unable to read the diff", Class::Unproven),
    ("レビュー不可", Class::Unproven),
    ("无法审查", Class::Unproven),
    ("검토 불가", Class::Unproven),
    ("comment", Class::None),
    ("commented", Class::None),
];

/// Words that turn an approval into a qualified one when they follow it.
const QUALIFIERS: &[&str] = &[
    "but",
    "if",
    "once",
    "after",
    "with",
    "pending",
    "except",
    "when",
    "not",
    "conditional",
    "conditionally",
    "provided",
    "unless",
    "until",
    "assuming",
    "subject",
    "before",
    "however",
    "contingent",
    "long",
    "provisional",
    "provisionally",
    "remain",
    "remains",
    "remaining",
    "outstanding",
    "unresolved",
    "fix",
    "first",
    "must",
    "needs",
    "blocking",
    "단",
    "조건부",
];

/// Pieces of other scripts that do the same wherever they stand.
const QUALIFYING_PIECES: &[&str] = &["条件", "조건", "需修改", "ただし", "但"];

/// A verdict value as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// What it means; `Unproven` for a word outside the table.
    pub class: Class,
    /// The literal without emphasis.
    pub text: String,
    /// Whether the word stands in the table.
    pub known: bool,
}

impl Stated {
    /// The rounds word, when the literal is one of the three.
    pub fn round_word(&self) -> Option<RoundVerdict> {
        match fold(&self.text).as_str() {
            "request changes" => Some(RoundVerdict::RequestChanges),
            "concern" => Some(RoundVerdict::Concern),
            _ if self.class == Class::Approve => Some(RoundVerdict::Approve),
            _ => None,
        }
    }
}

/// Reads the value behind a verdict label. `None` when nothing is written there. Behind a label an approval that is not given is one
/// against the change, in whatever words.
pub fn read_value(raw: &str) -> Option<Stated> {
    let stated = read_token(raw)?;
    let withheld = !stated.known && withholds(&fold(&stated.text));
    Some(if withheld { Stated { class: Class::NeedsAttention, known: true, ..stated } } else { stated })
}

/// Reads a value that stands without a label: a word of the table, or one with its qualifier.
pub fn read_token(raw: &str) -> Option<Stated> {
    // Nobody approves in a line this long without a condition; what stands behind it is not looked through.
    const LONG: usize = 4096;
    if raw.len() > LONG {
        let stated = read_token(&raw[..raw.floor_char_boundary(LONG)])?;
        let class = if stated.class == Class::Approve { Class::NeedsAttention } else { stated.class };
        return Some(Stated { class, ..stated });
    }
    let denied = ["❌", "🚫", "⛔", "✗", "✘", "🔴"].iter().any(|m| raw.trim_start_matches(['*', '_', ' ', '`']).starts_with(m));
    let plain: String = raw.chars().filter(|c| !matches!(c, '*' | '`' | '"')).collect();
    let plain = plain.trim_matches(|c: char| c.is_whitespace() || c == '_').trim_start_matches(|c: char| !c.is_alphanumeric() && c != '(');
    let plain = plain.trim_start();
    if plain.is_empty() {
        return None;
    }
    let (head, tail) = split_value(plain);
    let literal = head.trim_end_matches(|c: char| !(c.is_alphanumeric() || matches!(c, ')' | ']')));
    let folded = fold(literal);
    // "APPROVE?" asks.
    let asked = plain.contains(['?', '？']);
    let qualified = is_qualified(tail) || denied || asked;
    if let Some((_, class)) = WORDS.iter().find(|(word, _)| *word == folded) {
        let class = if *class == Class::Approve && qualified { Class::NeedsAttention } else { *class };
        return Some(Stated { class, text: literal.to_owned(), known: true });
    }
    // "APPROVE WITH NITS", "PASS - with warnings": the literal itself carries the qualifier.
    if let Some(class) = qualified_literal(&folded) {
        return Some(Stated { class, text: literal.to_owned(), known: true });
    }
    Some(Stated { class: Class::Unproven, text: literal.to_owned(), known: false })
}

/// Words before or behind an approval that take it back, whole words in English and pieces elsewhere.
const WITHHOLDS: &[&str] = &["not", "never", "don't", "cannot", "can't", "conditionally", "conditional", "almost", "nearly", "would", "no"];
const WITHHOLDING_PIECES: &[&str] = &[
    "보류",
    "불가",
    "않",
    "조건부",
    "후 ",
    "못",
    "できません",
    "しません",
    "ない",
    "後に",
    "保留",
    "条件",
    "不予",
    "不",
    "未",
    "后",
    "暂",
];

/// Whether a value names an approval and does not give it: `Not LGTM`, `Conditionally approved`, `승인 보류`, `修改后通过`.
fn withholds(folded: &str) -> bool {
    if !folded.is_ascii() {
        let approves = |(word, class): &(&str, Class)| *class == Class::Approve && !word.is_ascii() && folded.contains(word);
        return WORDS.iter().any(approves) && WITHHOLDING_PIECES.iter().any(|p| folded.contains(p));
    }
    let words: Vec<&str> = folded.split(|c: char| !c.is_ascii_alphanumeric() && c != '\'').filter(|w| !w.is_empty()).collect();
    let named = words.iter().any(|w| matches!(*w, "approve" | "approved" | "approval" | "lgtm" | "merge" | "pass"));
    named && words.iter().any(|w| WITHHOLDS.contains(w))
}

/// The value ends at ` — `, ` - `, `(`, `;`, `,`, a sentence end or the line end.
fn split_value(text: &str) -> (&str, &str) {
    let marks = [" — ", " – ", " - ", "(", "（", ";", ",", "，", ". ", "。"];
    let cut = marks.iter().filter_map(|m| text.find(m)).filter(|at| *at > 0).min().unwrap_or(text.len());
    text.split_at(cut)
}

fn is_qualified(tail: &str) -> bool {
    if tail.trim().is_empty() {
        return false;
    }
    let folded = fold(&tail.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { ' ' }).collect::<String>());
    let negative = WORDS.iter().filter(|(w, class)| w.is_ascii() && matches!(class, Class::NeedsAttention | Class::Unproven));
    // Whole words only: each place where the word stands has no letter beside it.
    let holds = |word: &str| {
        let ends = |before: &str, after: &str| (before.is_empty() || before.ends_with(' ')) && (after.is_empty() || after.starts_with(' '));
        folded.match_indices(word).any(|(at, _)| ends(&folded[..at], &folded[at + word.len()..]))
    };
    if negative.map(|(w, _)| *w).filter(|w| !matches!(*w, "suggestions" | "amendments")).any(holds) {
        return true;
    }
    // "No issues remain." takes nothing back.
    let speaks = |part: &&str| !["no ", "none", "nothing "].iter().any(|n| part.trim_start().to_lowercase().starts_with(n));
    let parts = tail.split(['.', ';', ',', '—', '–', '(', ')', '。', '，']).filter(speaks);
    parts.flat_map(|p| p.split(|c: char| !c.is_alphanumeric())).map(str::to_lowercase).any(|w| QUALIFIERS.contains(&w.as_str()))
        || QUALIFYING_PIECES.iter().any(|p| tail.contains(p))
}

fn qualified_literal(folded: &str) -> Option<Class> {
    let approving = WORDS.iter().filter(|(w, class)| *class == Class::Approve && w.is_ascii());
    let rests = approving.filter_map(|(w, _)| folded.strip_prefix(w)).filter(|rest| rest.starts_with(' '));
    let rest = rests.min_by_key(|rest| rest.len())?;
    if is_qualified(rest) { Some(Class::NeedsAttention) } else { None }
}

/// Lower case, `-` and `_` as spaces, spaces folded.
pub fn fold(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '-' | '_')).filter(|w| !w.is_empty());
    let mut folded = String::with_capacity(text.len());
    for word in words {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    if folded.is_ascii() {
        folded.make_ascii_lowercase();
        return folded;
    }
    super::case::lower(&folded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> Class {
        read_value(text).unwrap().class
    }

    #[test]
    fn whole_words_decide_and_prefixes_do_not() {
        assert_eq!(class("**APPROVE**"), Class::Approve);
        assert_eq!(class("APPROVED_WITH_NITS"), Class::NeedsAttention);
        assert_eq!(class("APPROVE, but fix the race first"), Class::NeedsAttention);
        assert_eq!(class("REQUEST_CHANGES — two blockers"), Class::NeedsAttention);
        assert_eq!(class("BLOCKED"), Class::Unproven);
        assert_eq!(class("BLOCK"), Class::NeedsAttention);
        assert_eq!(class("PASS (round 2)"), Class::Approve);
        assert_eq!(class("판단 보류"), Class::Unproven);
        assert!(!read_value("MAYBE").unwrap().known);
        assert_eq!(class("⚠️ Request changes."), Class::NeedsAttention);
    }

    #[test]
    fn an_approval_with_anything_against_it_is_none() {
        for text in [
            "APPROVE — REQUEST_CHANGES",
            "APPROVE - do not merge",
            "APPROVE (NOT)",
            "APPROVE — not yet",
            "APPROVE. Do not merge before CI",
            "APPROVE (conditional)",
            "승인 (조건부)",
            "通过（需修改）",
            "APPROVE, provided that CI passes",
            "❌ APPROVE",
            "APPROVE (REQUEST_CHANGES for b.rs)",
            "LGTM once the tests pass",
            "APPROVE, blocking issue remains in db.py:2",
            "APPROVE, contingent on fixing db.py:2",
            "APPROVE, as long as a.rs:12 is fixed",
            "APPROVE. Fix the SQL injection first.",
            "🔴 APPROVE",
        ] {
            assert_eq!(class(text), Class::NeedsAttention, "{text}");
        }
        for text in
            ["APPROVE (round 2)", "APPROVE — all three reviewers agree", "✅ APPROVE", "LGTM!", "APPROVE. No blocking issues remain."]
        {
            assert_eq!(class(text), Class::Approve, "{text}");
        }
    }

    #[test]
    fn the_three_round_words_are_kept_as_written() {
        assert_eq!(read_value("request-changes").unwrap().round_word(), Some(RoundVerdict::RequestChanges));
        assert_eq!(read_value("CONCERN").unwrap().round_word(), Some(RoundVerdict::Concern));
        assert_eq!(read_value("LGTM").unwrap().round_word(), Some(RoundVerdict::Approve));
        assert_eq!(read_value("REVISE").unwrap().round_word(), None);
    }
}
