//! The English phrases as a table, and the languages that no table holds.
//!
//! A phrase is a row of steps. A step is a word or several (`a|b`), `x*` any word that starts so, `~` up to six words of the same
//! sentence, `?x` a word that may be missing. `^` in front: a clause starts there. `$` at the end: the clause ends there. `!` in front:
//! a file name may hold it without speaking.

use super::Rule;
use super::korean::is_hangul;
use super::words::Word;

const NEVER: &str = "dont|doesnt|never|avoid|stop|skip|neednt|mustnt|shouldnt|maynt|cant|refrain|without";
const FLAG: &str = "flag*|reflag*|reopen*|rereport*|reraise*|recommend*";
const SAY: &str = "report*|raise|raising|mention*|list|listing|comment*|complain*|bring|note|suggest*|warn";
const DEFECT: &str = "bug*|issue*|finding*|defect*|problem*|vulnerabilit*|race*|leak*|crash*|regression*|concern*";
const FIXED: &str = "fixed|resolved|addressed|applied|handled|corrected|patched|repaired|mended|remediated|mitigated|closed|solved";
const TARGET: &str = "issue*|finding*|concern*|comment*|this|that|it|them|these|those|anything|again|style|performance|problem*|warning*";

/// The phrases, `{NAME}` standing for a set above.
const PHRASES: &[(Rule, &str)] = &[
    (Rule::FixStatus, "was|were|been|already|got|gets|now {FIXED}"),
    (Rule::FixStatus, "{FIXED} already|now|since"),
    (Rule::FixStatus, "!is|are {FIXED} $"),
    (Rule::FixStatus, "is|are ?now|?already {FIXED} in|by|with|as|since ?the ?of round*|commit*|pr|sha|review|patch"),
    (Rule::FixStatus, "{DEFECT} ~ is|are|was|were ?now {FIXED}"),
    (Rule::FixStatus, "{DEFECT} {FIXED}"),
    (
        Rule::FixStatus,
        "!we|i ?have ?already fixed|corrected|patched|repaired|resolved|addressed ~ bug*|issue*|finding*|already|it|this|that",
    ),
    (Rule::FixStatus, "no longer an|a|reproduc*|present|exist*"),
    (Rule::DoNotReflag, "{NEVER} ~ {FLAG}"),
    (Rule::DoNotReflag, "no need|reason to {FLAG}"),
    (Rule::DoNotReflag, "no need|reason to {SAY}"),
    (Rule::DoNotReflag, "^ {NEVER} ?from {SAY} {TARGET}"),
    (Rule::DoNotReflag, "^ {NEVER} ?from {SAY} ?the|?any|?more ~ {TARGET}"),
    (Rule::DoNotReflag, "{NEVER} ?from {SAY} ?up {TARGET}"),
    (Rule::DoNotReflag, "refrain from {SAY}"),
    (Rule::DoNotReflag, "skip|skipping|stop|avoid {FLAG}"),
    (Rule::DoNotReflag, "neednt|shouldnt|mustnt|never be flagged|reported|raised|mentioned|reflagged|reopened"),
    (
        Rule::DoNotReflag,
        "ignore|disregard|overlook|skip|dismiss finding*|issue*|it|this|that|these|those|them|any|all|every|following|warning*",
    ),
    (Rule::DoNotReflag, "ignore|disregard|overlook|skip|dismiss the|?of following|finding*|issue*|warning*|above|below|rest|loader|file*"),
    (Rule::DoNotReflag, "!known issue*|bug*|limitation*|finding*"),
    (Rule::DoNotReflag, "!out of scope|bounds for ?this|?the review*|pr|loop|round|change|reviewer*"),
    (Rule::DoNotReflag, "!review*|flag*|finding*|report*|treat|consider ~ out of scope|bounds"),
    (Rule::DoNotReflag, "already ?been reviewed|dismissed|rejected|discussed|refused|reported|flagged|raised|known|accepted|waived"),
    (Rule::DoNotReflag, "previously ?been reviewed|dismissed|rejected|discussed|reported|flagged|raised|accepted"),
    (Rule::DoNotReflag, "isnt|arent|not|isn a|an ?real bug|issue|finding|defect|concern|problem|vulnerability"),
    (Rule::DoNotReflag, "isnt|arent bugs|issues|findings|defects|concerns|problems"),
    (Rule::DoNotReflag, "!false positive*"),
    (Rule::DoNotReflag, "!willnt fix"),
    (Rule::DoNotReflag, "!wontfix"),
    (Rule::DoNotReflag, "!nothing to report|flag|fix|see|review|mention"),
    (Rule::DoNotReflag, "not worth flagging|reporting|mentioning|raising"),
    (Rule::DoNotReflag, "no further|more findings|comments|review*"),
    (Rule::DoNotReflag, "^ leave ~ alone"),
    (Rule::VerdictConditioning, "return|returns|answer|give|say|output|respond|reply|issue|emit|conclude|render ~ approv*"),
    (Rule::VerdictConditioning, "^ approve if|when|unless|once|this|it|the|as|even|anyway"),
    (Rule::VerdictConditioning, "verdict ?is|?must|?should|?be approve|approved|needs"),
    (Rule::VerdictConditioning, "must approve"),
    (Rule::VerdictConditioning, "should|must|shall|can be approved"),
    (Rule::VerdictConditioning, "should|must converge"),
    (Rule::VerdictConditioning, "!review|verdict|round|this|change|changes|diff|loop|pr should|must ?now pass|succeed"),
    (Rule::VerdictConditioning, "final|last round|review|pass|wave"),
    (Rule::VerdictConditioning, "!only ?report|?flag|?list|?the blockers|blocking|critical|severe|serious|major"),
    (Rule::VerdictConditioning, "report|flag|list|mention|raise only"),
    (Rule::VerdictConditioning, "only report|flag|list|mention|raise"),
    (
        Rule::VerdictConditioning,
        "treat|rate|rank|grade|mark|classify|count|consider ~ as|at|to ?most|?a|?an low|suggestion*|info*|nit*|minor|medium|trivial",
    ),
    (Rule::VerdictConditioning, "severity ?is|?at|?be|?must|?should ?most|?of low|medium|suggestion|info|minor"),
    (Rule::VerdictConditioning, "downgrade*"),
    (Rule::VerdictConditioning, "!lgtm"),
    (Rule::VerdictConditioning, "looks good to me"),
    (Rule::HistoryLeak, "!round*|wave 0*|1*|2*|3*|4*|5*|6*|7*|8*|9*"),
    (Rule::HistoryLeak, "!previous|prior|earlier|last|first|second|third|former round*|review*|finding*|reviewer*"),
    (Rule::HistoryLeak, "!0*|1*|2*|3*|4*|5*|6*|7*|8*|9* ?earlier|?previous|?open|?other finding*"),
    (Rule::ReviewerImperative, "reviewer|reviewers|you should|must|shall|may|can|need|shouldnt|mustnt|neednt|maynt|cant|have|are"),
    (Rule::ReviewerImperative, "note|message|attention|instruction* to|for ?the|?all reviewer|reviewers"),
    (Rule::ReviewerImperative, "dear reviewer*"),
    (
        Rule::ReviewerImperative,
        "ignore|disregard|forget|override ?all|?any|?the|?these|?your previous|prior|above|earlier|other|instruction*|rules|template",
    ),
    (Rule::ReviewerImperative, "system|developer|user prompt|message|instruction*"),
];

enum Step<'a> {
    Opens,
    Ends,
    Gap,
    Maybe(Vec<&'a str>),
    One(Vec<&'a str>),
}

fn steps(row: &str) -> Vec<Step<'_>> {
    row.split(' ')
        .map(|step| match step {
            "^" => Step::Opens,
            "$" => Step::Ends,
            "~" => Step::Gap,
            _ if step.starts_with('?') => Step::Maybe(step.split('|').map(|w| w.trim_start_matches('?')).collect()),
            _ => Step::One(step.split('|').collect()),
        })
        .collect()
}

fn is(word: &Word, set: &[&str]) -> bool {
    set.iter().any(|s| s.strip_suffix('*').map_or(word.text == *s, |stem| word.text.starts_with(stem)))
}

/// The index behind the last word of a match of `steps` that starts at `at`.
fn follows(words: &[Word], at: usize, steps: &[Step<'_>], first: bool) -> Option<usize> {
    let Some((step, rest)) = steps.split_first() else { return Some(at) };
    let parted = !first && at > 0 && words[at - 1].ends;
    match step {
        Step::Opens => {
            let led = at
                .checked_sub(1)
                .is_some_and(|b| is(&words[b], &["please", "so", "and", "then", "but", "therefore", "just", "also", "or"]));
            words.get(at).filter(|w| w.opens || led).and_then(|_| follows(words, at, rest, first))
        }
        Step::Ends => {
            let over = at == words.len() || words[at - 1].ends || words[at].opens;
            if over { Some(at) } else { None }
        }
        Step::Gap => (at..=(at + 6).min(words.len()))
            .take_while(|to| *to == at || !words[*to - 1].ends)
            .filter(|_| !parted)
            .find_map(|to| follows(words, to, rest, false)),
        Step::Maybe(set) => {
            let taken = words.get(at).filter(|w| !parted && is(w, set)).and_then(|_| follows(words, at + 1, steps, false));
            taken.or_else(|| follows(words, at, rest, first))
        }
        Step::One(set) => words.get(at).filter(|w| !parted && is(w, set)).and_then(|_| follows(words, at + 1, rest, false)),
    }
}

/// Offences of a text: rule, first byte, last. A file name is read by the phrases that speak.
pub(super) fn find(words: &[Word], path: bool) -> Vec<(Rule, usize, usize)> {
    let sets = [("{NEVER}", NEVER), ("{FLAG}", FLAG), ("{SAY}", SAY), ("{DEFECT}", DEFECT), ("{FIXED}", FIXED), ("{TARGET}", TARGET)];
    let mut found = Vec::new();
    for (rule, row) in PHRASES {
        if path && row.starts_with('!') {
            continue;
        }
        let row = sets.iter().fold(row.trim_start_matches('!').to_owned(), |row, (name, set)| row.replace(name, set));
        let steps = steps(&row);
        for at in 0..words.len() {
            if let Some(end) = follows(words, at, &steps, true).filter(|end| *end > at) {
                found.push((*rule, words[at].start, words[end - 1].end));
            }
        }
    }
    if !path {
        found.extend(records(words));
    }
    found.extend(glued(words));
    found
}

/// Phrases written as one word, as a file name or a spelled-out word has them.
fn glued(words: &[Word]) -> impl Iterator<Item = (Rule, usize, usize)> + '_ {
    const GLUED: &[(&str, Rule)] = &[
        ("donotflag", Rule::DoNotReflag),
        ("dontflag", Rule::DoNotReflag),
        ("donotreport", Rule::DoNotReflag),
        ("ignorethis", Rule::DoNotReflag),
        ("verdictapprove", Rule::VerdictConditioning),
        ("returnapprove", Rule::VerdictConditioning),
        ("ignoreprevious", Rule::ReviewerImperative),
    ];
    words.iter().filter_map(|w| GLUED.iter().find(|(text, _)| w.text.contains(text)).map(|(_, rule)| (*rule, w.start, w.end)))
}

/// What only a record of dispositions holds: ids of findings, check marks before them, outcome words as marks.
fn records(words: &[Word]) -> Vec<(Rule, usize, usize)> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1);
        let number = |w: &Word| w.text.len() <= 4 && w.text.bytes().all(|b| b.is_ascii_digit());
        let hex = |w: &Word| w.text.len() == 12 && w.text.bytes().all(|b| b.is_ascii_hexdigit());
        let id = word.text == "f" && next.is_some_and(|n| n.start == word.start && (number(n) || hex(n)));
        if id {
            found.push((Rule::HistoryLeak, word.start, word.end));
        }
        let ticked = matches!(word.mark, Some('✓' | '✔' | '✅' | '☑')) || (word.text == "x" && word.mark == Some('['));
        if ticked {
            let end = next.map_or(word.end, |n| n.end.max(word.end));
            found.push((Rule::FixStatus, word.start, end));
        }
        let outcome = ["applied", "dropped", "carried", "deferred", "dismissed", "disposition", "direction"].contains(&word.text.as_str());
        if outcome && (word.colon || word.mark == Some('[')) {
            found.push((Rule::HistoryLeak, word.start, word.end));
        }
        let commit =
            word.text.len() >= 7 && word.text.bytes().all(|b| b.is_ascii_hexdigit()) && word.text.bytes().any(|b| b.is_ascii_digit());
        let led = at.checked_sub(2).map(|f| (&words[f], &words[at - 1]));
        let led = led.or(at.checked_sub(1).map(|f| (&words[f], &words[f])));
        if let Some((fixed, link)) = led
            && commit
            && (is(fixed, &FIXED.split('|').collect::<Vec<_>>()) || (is(link, &["commit"]) && at >= 3))
            && is(link, &["in", "by", "with", "commit"])
        {
            found.push((Rule::FixStatus, fixed.start, word.end));
        }
    }
    found
}

/// Whether a text is in a language that no table holds: letters of another script, or many words and none that English needs.
pub(super) fn unchecked(words: &[Word]) -> bool {
    const COMMON: &[&str] = &[
        "the", "a", "an", "is", "are", "and", "or", "of", "to", "in", "for", "with", "because", "not", "must", "by", "as", "on", "be",
        "it", "we", "that", "this", "no", "never", "keep", "use", "only", "from", "at", "so", "but", "all", "every", "when", "than",
        "over",
    ];
    let foreign = |c: char| c.is_alphabetic() && !is_hangul(c) && c as u32 > 0x24f;
    let letters = words.iter().flat_map(|w| w.text.chars()).filter(|c| c.is_alphabetic()).count();
    let other = words.iter().flat_map(|w| w.text.chars()).filter(|c| foreign(*c)).count();
    let hangul = words.iter().any(|w| w.text.chars().any(is_hangul));
    let bare = words.len() >= 5 && !hangul && !words.iter().any(|w| COMMON.contains(&w.text.as_str()));
    other * 4 > letters || bare
}
