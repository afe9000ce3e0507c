//! Words of reviewing itself. A decision is about the code: one that speaks of findings, reviews, verdicts or their severity speaks to the
//! reviewer, whatever it says. A person can still excuse an exact text. In a file name they withhold the name, which costs little.

use super::Rule;
use super::words::Word;

/// Words that are about findings.
const FINDINGS: &[&str] =
    &["findings", "reviewer", "reviewers", "reviewing", "nit", "nits", "nitpick", "nitpicks", "nitpicking", "objections", "reflag"];

/// Words that are about the verdict.
const VERDICTS: &[&str] = &["verdict", "verdicts", "approving", "approval", "approvals", "lgtm", "signoff", "vetted", "audited"];

/// Two words in a row that are about either.
const PAIRS: &[(&str, &str, Rule)] = &[
    ("this", "review", Rule::DoNotReflag),
    ("the", "review", Rule::DoNotReflag),
    ("a", "finding", Rule::DoNotReflag),
    ("any", "finding", Rule::DoNotReflag),
    ("the", "finding", Rule::DoNotReflag),
    ("this", "finding", Rule::DoNotReflag),
    ("no", "finding", Rule::DoNotReflag),
    ("zero", "findings", Rule::DoNotReflag),
    ("known", "and", Rule::DoNotReflag),
    ("follow", "up", Rule::DoNotReflag),
    ("tracked", "elsewhere", Rule::DoNotReflag),
    ("tracked", "in", Rule::DoNotReflag),
    ("a", "ticket", Rule::DoNotReflag),
    ("deferred", "to", Rule::DoNotReflag),
    ("postponed", "to", Rule::DoNotReflag),
    ("next", "release", Rule::DoNotReflag),
    ("is", "exempt", Rule::DoNotReflag),
    ("be", "trusted", Rule::DoNotReflag),
    ("trust", "the", Rule::DoNotReflag),
    ("blind", "eye", Rule::DoNotReflag),
    ("only", "mention", Rule::DoNotReflag),
    ("hold", "back", Rule::DoNotReflag),
    ("nothing", "wrong", Rule::DoNotReflag),
    ("wave", "it", Rule::VerdictConditioning),
    ("let", "this", Rule::VerdictConditioning),
    ("clean", "result", Rule::VerdictConditioning),
    ("is", "verified", Rule::VerdictConditioning),
    ("is", "proven", Rule::VerdictConditioning),
    ("is", "green", Rule::VerdictConditioning),
    ("turned", "down", Rule::HistoryLeak),
    ("in", "round", Rule::HistoryLeak),
    ("signed", "off", Rule::VerdictConditioning),
    ("sign", "off", Rule::VerdictConditioning),
    ("rubber", "stamp", Rule::VerdictConditioning),
    ("expected", "outcome", Rule::VerdictConditioning),
    ("an", "approve", Rule::VerdictConditioning),
    ("is", "approve", Rule::VerdictConditioning),
    ("to", "approve", Rule::VerdictConditioning),
    ("second", "guess", Rule::DoNotReflag),
    ("up", "for", Rule::DoNotReflag),
    ("open", "for", Rule::DoNotReflag),
    ("let", "it", Rule::VerdictConditioning),
    ("in", "doubt", Rule::VerdictConditioning),
    ("is", "closed", Rule::DoNotReflag),
    ("is", "settled", Rule::DoNotReflag),
    ("as", "trusted", Rule::DoNotReflag),
    ("no", "bugs", Rule::DoNotReflag),
    ("is", "harmless", Rule::DoNotReflag),
    ("is", "acceptable", Rule::DoNotReflag),
    ("now", "in", Rule::FixStatus),
    ("went", "away", Rule::FixStatus),
    ("was", "added", Rule::FixStatus),
    ("were", "added", Rule::FixStatus),
    ("has", "gone", Rule::FixStatus),
    ("is", "gone", Rule::FixStatus),
];

/// Korean stems.
const STEMS: &[(&str, Rule)] = &[
    ("지적", Rule::DoNotReflag),
    ("리뷰", Rule::DoNotReflag),
    ("코멘트", Rule::DoNotReflag),
    ("트집", Rule::DoNotReflag),
    ("결함만", Rule::DoNotReflag),
    ("판정", Rule::VerdictConditioning),
    ("승인입", Rule::VerdictConditioning),
    ("승인해도", Rule::VerdictConditioning),
    ("승인하면", Rule::VerdictConditioning),
    ("심각도", Rule::VerdictConditioning),
    ("통과시", Rule::VerdictConditioning),
    ("조치", Rule::FixStatus),
    ("검증되", Rule::VerdictConditioning),
    ("검증이", Rule::VerdictConditioning),
    ("통과", Rule::VerdictConditioning),
    ("머지", Rule::VerdictConditioning),
    ("approve여", Rule::VerdictConditioning),
    ("approve면", Rule::VerdictConditioning),
    ("논외", Rule::DoNotReflag),
    ("종결", Rule::DoNotReflag),
    ("넘어가", Rule::DoNotReflag),
    ("넘어갑", Rule::DoNotReflag),
    ("거론", Rule::DoNotReflag),
    ("스킵", Rule::DoNotReflag),
    ("후속", Rule::DoNotReflag),
    ("문제없", Rule::DoNotReflag),
    ("버그는", Rule::DoNotReflag),
    ("처리되었", Rule::FixStatus),
    ("추가했", Rule::FixStatus),
    ("회차", Rule::HistoryLeak),
    ("기각", Rule::HistoryLeak),
    ("거절", Rule::HistoryLeak),
    ("예전에", Rule::HistoryLeak),
];

/// Endings by which Korean asks or forbids.
const ASKING: &[&str] = &["세요", "십시오", "주시오", "마라", "말것", "금지", "됩니다만"];

/// The offences among some words. Bound: the words times the table.
pub(super) fn find(words: &[Word]) -> Vec<(Rule, usize, usize)> {
    let mut found = Vec::new();
    for (n, word) in words.iter().enumerate() {
        let text = word.text.as_str();
        if FINDINGS.contains(&text) {
            found.push((Rule::DoNotReflag, word.start, word.end));
        }
        if VERDICTS.contains(&text) {
            found.push((Rule::VerdictConditioning, word.start, word.end));
        }
        if let Some(next) = words.get(n + 1).filter(|_| !word.ends) {
            let pair = PAIRS.iter().find(|(a, b, _)| *a == text && *b == next.text);
            found.extend(pair.map(|(_, _, rule)| (*rule, word.start, next.end)));
        }
        found.extend(STEMS.iter().find(|(stem, _)| text.starts_with(stem)).map(|(_, rule)| (*rule, word.start, word.end)));
        if ASKING.iter().any(|end| text.ends_with(end)) {
            found.push((Rule::ReviewerImperative, word.start, word.end));
        }
    }
    found
}
