//! What makes an approval doubtful: lines anywhere in the text, code and quotations included, that speak of a grave
//! finding without being one that was read, and lines that say nobody looked.
//!
//! Only an approval is doubted: who finds something has looked. A doubt is counted as suspicious and never makes a
//! finding (cases/reports/README.md §4; a false pass is worse than a question). Bound: linear, one more pass over the text.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::lines::{Lines, Zone, list_mark};
use super::{against, entry, heading, label, location};
use crate::base::case;
use crate::base::severity::{self, Grade};
use crate::base::verdict::Class;
use crate::finding::Review;

/// Verbs that say, behind a form of to be, that something is no longer there.
const DONE: &[&str] = &["fixed", "closed", "resolved", "addressed", "corrected"];

/// Words before such a verb that make it a statement about the past.
const PAST: &[&str] = &["is", "was", "are", "were", "been", "now", "already", "properly", "correctly", "all"];

/// The same in one piece, and in the other languages of the reports.
const SETTLED: &[&str] = &[
    "no longer",
    "已解决",
    "已修复",
    "已修正",
    "修复了",
    "解决了",
    "改好了",
    "해결",
    "수정됨",
    "수정되었",
    "수정했",
    "수정한",
    "解決済",
    "解決し",
    "修正済",
    "修正しました",
    "直って",
];

/// Words that take such a verb back.
const UNSETTLED: &[&str] = &[
    "not",
    "never",
    "still",
    "must",
    "should",
    "to",
    "partially",
    "again",
    "reappears",
    "reappeared",
    "until",
    "unless",
    "once",
    "when",
    "if",
    "after",
    "but",
    "cannot",
    "can't",
    "isn't",
    "wasn't",
    "aren't",
];

/// Phrases by which a reviewer asks for work before the change may go in, or takes the approval back.
const DEMANDS: &[&str] = &[
    "must be fixed",
    "must be addressed",
    "needs to be fixed",
    "need to be fixed",
    "has to be fixed",
    "fixed first",
    "fix before merg",
    "before merging",
    "withdraw this approval",
    "withdraw the approval",
    "withdraw my approval",
    "on second look",
    "on second thought",
    "actually wait",
    "wait, actually",
    "cannot approve",
    "can't approve",
    "can’t approve",
    "do not merge",
    "don't merge",
    "don’t merge",
    "not ready to merge",
    "hold off on merging",
    "would request changes",
    "needs work",
    "rework",
    "retract",
    "nack",
];

/// Keys whose value is a severity.
const KEYS: &[&str] = &["severity", "priority", "risk", "risk level", "重要度", "深刻度", "严重程度", "严重性", "심각도"];

/// Words that make a number before them a count of grave findings.
const LEVELS: &[&str] = &["critical", "criticals", "high", "blocker", "blockers", "blocking", "severe", "p0", "p1"];

/// The most lines that are doubted.
const MOST: usize = 1000;

/// Marks that open a line as a failure.
const RED: &[&str] = &["🔴", "❌", "🚨", "⛔", "🛑", "🚫", "❗", "‼", "✖", "✗", "✘", "🐛"];

/// Adds what speaks against an approval to its review. `silent` are the severity and findings sections that hold neither an item
/// nor a statement of absence, `settled` the lines that the report marks as closed, `holes` the lines, first and last, that were read as documents of their own. An answer that says
/// nothing is asked only whether its reviewer could look.
pub fn approval(review: &mut Review, text: &str, silent: &BTreeSet<u64>, settled: &BTreeSet<u64>, holes: &[(u64, u64)]) {
    let class = review.verdict().0;
    if class == Class::Unproven && review.findings.is_empty() && review.statements.is_empty() {
        review.could_not_review = text.lines().take(2000).find_map(label::could_not_review).or(review.could_not_review.take());
        return;
    }
    if class != Class::Approve {
        return;
    }
    let read: BTreeSet<u64> = review.findings.iter().map(|f| f.report_line).collect();
    let stated: BTreeSet<u64> = review.statements.iter().map(|s| s.report_line).collect();
    let mut doubts = silent.clone();
    let mut holes = holes.iter().peekable();
    let telling = if text.len() < 1 << 16 { None } else { telling() };
    // Most lines of a long report hold nothing of all this, and are told from one pass of an automaton.
    for line in Lines::new(text).filter(|l| telling.as_ref().is_none_or(|t| t.is_match(l.text))) {
        if line.zone == Zone::Text && review.could_not_review.is_none() {
            review.could_not_review = label::could_not_review(line.text);
        }
        while holes.peek().is_some_and(|(_, last)| *last < line.number) {
            holes.next();
        }
        if holes.peek().is_some_and(|(first, _)| *first <= line.number) {
            continue;
        }
        if !read.contains(&line.number)
            && !settled.contains(&line.number)
            && !stated.contains(&line.number)
            && line.zone != Zone::Blank
            && speaks_against(line.text, line.zone)
        {
            doubts.insert(line.number);
            // So many speak for all of them, and a hostile text must not cost more.
            if doubts.len() >= MOST {
                break;
            }
        }
    }
    review.suspicious.extend(doubts);
}

/// Whether a short line of an answer says that a limit of requests was reached. Asked only where nothing was found.
pub fn is_limited(text: &str) -> bool {
    // Asked of every message of a stream: the phrases are built once.
    static PHRASES: LazyLock<Option<AhoCorasick>> =
        LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(label::LIMITED.iter().chain(&["429"])).ok());
    if PHRASES.as_ref().is_some_and(|p| !p.is_match(text)) {
        return false;
    }
    Lines::new(text).any(|l| l.zone == Zone::Text && l.text.len() <= 160 && label::is_rate_limit(l.text))
}

/// Finds the lines that could say anything against an approval; every phrase of the rules below is in it.
fn telling() -> Option<AhoCorasick> {
    let phrases = label::unable_phrases().chain(severity::words_and_marks()).chain(DEMANDS.iter().copied());
    let phrases = phrases
        .chain(KEYS.iter().copied())
        .chain(RED.iter().copied())
        .chain(LEVELS.iter().copied())
        .chain(SURE.iter().copied())
        .chain(FOUND.iter().copied())
        .chain(ASSERTED_GRAVE.iter().copied())
        .chain(["[!caution]", "fail"])
        .chain(against::phrases());
    let all: Vec<String> = phrases.flat_map(|p| [p.to_owned(), p.replace('\'', "’")]).collect();
    AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(all).ok()
}

/// Whether a line speaks of a grave finding, or against the change.
pub(super) fn speaks_against(line: &str, zone: Zone) -> bool {
    let body = line.trim_start_matches(['>', ' ', '\t', '\u{a0}']);
    let content = against::undisguised(&body[list_mark(body).unwrap_or(0)..]);
    let content = content.as_ref();
    // Nothing shorter than `NACK` or `[P0]` says anything.
    if content.len() < 4 || entry::is_template_item(content) {
        return false;
    }
    let lower = case::lower(content);
    if is_denied(&lower) {
        return false;
    }
    // "Must fix before merging: none"
    if label::split_label(content).is_some_and(|(_, value)| label::is_absence(value)) {
        return false;
    }
    let spoken = zone == Zone::Text && !explains_a_level(body);
    if spoken && DEMANDS.iter().any(|d| label::holds(&lower, d) && demands(&lower, d)) {
        return true;
    }
    // A heading names what its section holds, or does not hold.
    if spoken && !body.starts_with('#') && heading::bold(body).is_none() && against::refuses(&lower) {
        return true;
    }
    if label::bare_line(&lower).starts_with("confidence") {
        return false;
    }
    if is_settled(&lower) {
        return false;
    }
    if zone != Zone::Text {
        // Code is full of brackets and of words: only what opens a line as a finding does counts there.
        return is_tagged(content, &lower) || key_of_json(&lower) || grave_heading(content);
    }
    label::is_suspicious(content)
        || bracketed(&lower)
        || keyed(&lower)
        || red(body, content)
        || counted(&lower)
        || marked_up(content)
        || against::speaks(content, &lower)
        || grave_heading_with_title(body)
        || placed_defect(content, &lower)
        || placed_find(content, &lower)
        || asserts_grave(&lower)
        || lower.starts_with("[!caution]")
        || ["fail:", "failed:", "**fail**"].iter().any(|f| lower.starts_with(f))
        || shouts_failed(content)
}

/// Defects that no change is about by chance, and how a sentence says that there is one.
const SURE: &[&str] = &[
    "data loss",
    "use after free",
    "use-after-free",
    "sql injection",
    "command injection",
    "memory corruption",
    "remote code execution",
    "privilege escalation",
    "buffer overflow",
    "deadlock",
    "critical bug",
    "critical issue",
    "security hole",
];
const ASSERTED: &[&str] =
    &["there is a", "there's a", "there is still", "has a", "introduces", "causes", "leads to", "results in", "leaves a"];

/// A sentence that says, without any mark, that there is a grave defect at a place.
fn placed_defect(content: &str, lower: &str) -> bool {
    let grave = SURE.iter().any(|s| label::holds(lower, s)) && ASSERTED.iter().any(|a| label::holds(lower, a));
    grave && !praises(lower) && location::scan(content).iter().any(|c| c.place.line.is_some())
}

/// Defects that a sentence says were found at a place, and those that one says are there with a grave word before them.
const FOUND: &[&str] = &["bug", "bugs", "defect", "regression", "vulnerability", "issue", "issues", "problem", "problems", "flaw", "race"];
const ASSERTED_GRAVE: &[&str] = &["bug", "defect", "regression", "vulnerability", "flaw", "race", "leak", "security"];

/// `I found a bug: … a.rs:10`, `introduces a regression: a.rs:4`: a sentence that says that there is a defect of some kind, at a place.
fn placed_find(content: &str, lower: &str) -> bool {
    const SAYS: &[&str] = &["found", "find", "see", "noticed", "spotted", "has", "introduces", "causes", "contains", "there"];
    let words = label::words(lower);
    let denies = |w: &&str| matches!(*w, "no" | "not" | "never" | "without" | "none" | "any");
    let says = words.iter().position(|w| SAYS.contains(w)).is_some_and(|at| {
        let what = words[at + 1..].iter().take(6).position(|w| FOUND.contains(w));
        what.is_some_and(|what| !words[at.saturating_sub(3)..at + 1 + what].iter().any(denies))
    });
    says && !is_settled(lower) && !praises(lower) && location::scan(content).iter().any(|c| c.place.line.is_some())
}

/// `There is a serious bug: …`: a grave word before a defect that is asserted, wherever it is.
fn asserts_grave(lower: &str) -> bool {
    const GRAVE: &[&str] = &["serious", "severe", "critical", "major", "grave", "blocking", "dangerous"];
    let words = label::words(lower);
    let pair = words.windows(2).position(|p| GRAVE.contains(&p[0]) && ASSERTED_GRAVE.contains(&p[1]));
    pair.is_some_and(|at| {
        let before = &words[at.saturating_sub(4)..at];
        let said =
            before.windows(2).any(|p| matches!(p, ["there", "is"] | ["there", "s"] | ["has", "a"] | ["introduces", "a"] | ["is", "a"]));
        said && !before.iter().any(|w| matches!(*w, "no" | "not" | "never" | "without"))
    }) && !is_settled(lower)
}

/// `FAILED` outside code, as the outcome of something.
fn shouts_failed(content: &str) -> bool {
    let spoken: String = content.split('`').step_by(2).collect();
    spoken.match_indices("FAILED").any(|(at, word)| {
        let apart = !spoken[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        apart && !spoken[at + word.len()..].starts_with(" to ")
    }) && !["0 FAILED", "FAILED: 0", "no FAILED"].iter().any(|n| spoken.contains(n))
}

/// Whether a line says of itself that it is over.
pub(super) fn is_over(line: &str) -> bool {
    is_settled(&case::lower(line))
}

/// Whether a line speaks of something that is no longer there.
fn is_settled(lower: &str) -> bool {
    if SETTLED.iter().any(|w| label::holds(lower, w)) {
        return true;
    }
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\'' | '’'))).filter(|w| !w.is_empty()).collect();
    const MENDS: &[&str] = &["fixes", "resolves", "closes", "addresses", "corrects"];
    const CHANGE: &[&str] = &["pr", "change", "patch", "commit", "this", "it", "diff"];
    let mends = words.windows(2).any(|p| CHANGE.contains(&p[0]) && MENDS.contains(&p[1]));
    let ends =
        lower.trim_end_matches(['.', ')', ' ', '*']).rsplit_once([':', '—', '–', '~', '(']).is_some_and(|(_, t)| DONE.contains(&t.trim()));
    let done = words.windows(2).any(|p| PAST.contains(&p[0]) && DONE.contains(&p[1])) || opens_as_done(lower) || mends || ends;
    done && !words.iter().any(|w| UNSETTLED.contains(&w.replace('’', "'").as_str()))
}

/// `Fixed: …`, `(resolved) …`, `✅ …`
fn opens_as_done(lower: &str) -> bool {
    let bare = label::bare_line(lower);
    let word = bare.trim_start_matches(['(', '[', '*']);
    bare.starts_with('✅') || DONE.iter().any(|d| word.strip_prefix(d).is_some_and(|rest| rest.starts_with([':', ')', ']', '*'])))
}

/// How a sentence may begin before it denies.
const OPENINGS: &[&str] = &[
    "there are ",
    "there is ",
    "there were ",
    "i found ",
    "i see ",
    "i saw ",
    "i have ",
    "we found ",
    "we see ",
    "found ",
    "i did not find any ",
    "i didn't find any ",
    "i didn’t find any ",
    "did not find any ",
];

/// What is denied.
const DENIED: &[&str] = &[
    "issue",
    "issues",
    "finding",
    "findings",
    "problem",
    "problems",
    "bug",
    "bugs",
    "concern",
    "concerns",
    "blocker",
    "blockers",
    "warning",
    "warnings",
    "defect",
    "defects",
    "vulnerability",
    "vulnerabilities",
    "error",
    "errors",
    "regression",
    "regressions",
    "criticals",
    "comments",
    "suggestions",
    "nits",
    "items",
];

/// Words that may stand beside it in a denial; anything else is a sentence about something.
const BESIDE_DENIED: &[&str] = &[
    "critical",
    "high",
    "blocking",
    "severe",
    "major",
    "serious",
    "important",
    "medium",
    "minor",
    "low",
    "new",
    "other",
    "further",
    "open",
    "remaining",
    "significant",
    "obvious",
    "real",
    "security",
    "code",
    "correctness",
    "performance",
    "style",
    "and",
    "or",
    "found",
    "identified",
    "observed",
    "detected",
    "reported",
    "remain",
    "remains",
    "left",
    "here",
    "in",
    "this",
    "the",
    "change",
    "changes",
    "diff",
    "pr",
    "patch",
    "file",
    "files",
    "section",
    "review",
    "round",
    "were",
    "was",
    "are",
    "have",
    "been",
    "at",
    "all",
    "so",
    "far",
    "to",
    "report",
    "of",
    "note",
    "these",
    "priority",
    "severity",
    "level",
    "p0",
    "p1",
    "p2",
    "p3",
    "any",
    "noted",
    "raised",
    "more",
    "else",
    "wrong",
    "i",
    "we",
    "see",
    "with",
    "findings",
    "none",
    "nothing",
    "no",
    "identifiable",
    "discovered",
    "present",
    "that",
    "block",
    "merge",
    "merging",
    "would",
    "worth",
    "raising",
    "reporting",
    "flagging",
    "could",
    "find",
    "spotted",
    "spot",
    "seen",
    "needs",
    "fixing",
];

/// Whether the first sentence of a line denies that there is anything, and nothing stands behind it that does not. A sentence
/// that only begins like a denial (`No lock around the write (P0)`, `Nothing checks the token`) is none.
pub(super) fn is_denied(lower: &str) -> bool {
    let bare = label::bare_line(lower);
    if label::is_absence(bare) {
        return true;
    }
    let mut sentences =
        bare.split("; ").flat_map(|s| s.split(". ")).flat_map(|s| s.split(['。', '!'])).map(str::trim).filter(|s| !s.is_empty());
    sentences.next().is_some_and(|s| denies(s) || denies_in_cjk(s)) && sentences.all(|s| denies(s) || is_settled(s) || praises(s))
}

/// `발견된 문제가 없습니다`, `未发现问题`, `特にありません`: a short sentence that says there is nothing.
fn denies_in_cjk(sentence: &str) -> bool {
    const NOTHING: &[&str] = &["없습니다", "않았습니다", "없음", "없다", "ありません", "なし", "没有", "未发现", "無"];
    const OF: &[&str] = &["문제", "지적", "이슈", "발견", "결함", "问题", "发现", "指摘", "問題", "特に", "缺陷"];
    let short = !sentence.is_ascii() && sentence.chars().count() <= 24;
    short && NOTHING.iter().any(|n| label::holds(sentence, n)) && OF.iter().any(|o| label::holds(sentence, o))
}

/// A sentence behind a denial that says what is good, and takes nothing back.
fn praises(sentence: &str) -> bool {
    const GOOD: &[&str] = &[
        "tested",
        "covered",
        "checked",
        "verified",
        "good",
        "fine",
        "clean",
        "correct",
        "safe",
        "sound",
        "well",
        "solid",
        "careful",
        "simple",
        "reasonable",
        "좋",
        "양호",
        "良好",
        "问题",
    ];
    const BACK: &[&str] =
        &["but", "however", "except", "missing", "never", "without", "not", "though", "although", "unless", "should", "must"];
    let words = || sentence.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|w| !w.is_empty());
    let good =
        words().any(|w| GOOD.contains(&w)) || (!sentence.is_ascii() && GOOD.iter().any(|g| !g.is_ascii() && label::holds(sentence, g)));
    good && !words().any(|w| BACK.contains(&w)) && location::scan(sentence).is_empty()
}

fn denies(sentence: &str) -> bool {
    let said = OPENINGS.iter().find_map(|o| sentence.strip_prefix(o)).unwrap_or(sentence);
    let found = said.len() < sentence.len() && sentence.contains("find any ");
    let words: Vec<&str> = said.split(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|w| !w.is_empty()).collect();
    let Some(first) = words.first() else { return false };
    let rest = if found { &words[..] } else { &words[1..] };
    let of = rest.iter().any(|w| DENIED.contains(w));
    let plain = rest.iter().all(|w| DENIED.contains(w) || BESIDE_DENIED.contains(w));
    match *first {
        _ if !plain => false,
        _ if found => of,
        "no" | "0" | "zero" => of || rest.len() == 1,
        "none" | "nothing" => true,
        _ => false,
    }
}

/// A row or bullet of a legend: a level word, and what it means.
fn explains_a_level(body: &str) -> bool {
    let bare = label::bare_line(body);
    let level =
        severity::at_start(bare).filter(|w| bare[w.end..].trim_start_matches(['*', '_', '`', ' ']).starts_with([':', '：', '—', '–', '-']));
    if level.is_some() && location::scan(body).is_empty() {
        return true;
    }
    let first = body.strip_prefix('|').and_then(|r| r.split('|').next()).map(|c| c.trim_matches(['*', '_', '`', ' ']));
    first.is_some_and(|c| severity::at_start(c).is_some_and(|w| w.end == c.len())) && location::scan(body).is_empty()
}

/// Whether a demand stands in a line as whole words, in a sentence that does not deny it: "nothing must be fixed" demands nothing,
/// and "squash before merging" no work on the change.
fn demands(lower: &str, phrase: &str) -> bool {
    const WORK: &[&str] = &["must", "need", "fix", "should", "resolve", "address", "require", "has to", "have to"];
    lower.match_indices(phrase).any(|(at, _)| {
        let whole = !lower[..at].ends_with(char::is_alphanumeric) && !lower[at + phrase.len()..].starts_with(char::is_alphanumeric);
        let start = lower[..at].rfind(['.', ';', '!']).map_or(0, |dot| dot + 1);
        let sentence = &lower[start..at];
        let denied = sentence.split(|c: char| !c.is_alphanumeric()).any(|w| matches!(w, "no" | "nothing" | "none"));
        let works = phrase != "before merging" || WORK.iter().any(|w| label::holds(sentence, w));
        let alone = phrase != "nack" || lower.chars().filter(|c| c.is_alphabetic()).count() == phrase.len();
        (whole || phrase.ends_with("merg")) && !denied && works && alone
    })
}

fn is_grave(grade: Grade) -> bool {
    matches!(grade, Grade::Critical | Grade::High)
}

/// The level word that `text` starts with, when it is a grave one.
fn grave(text: &str) -> Option<severity::Written> {
    severity::at_start(text).filter(|w| is_grave(w.grade))
}

/// `[P0]`, `**[critical]**` or a bold level word opening a line.
fn is_tagged(content: &str, lower: &str) -> bool {
    let plain = lower.trim_start_matches(['*', '_', '`']);
    let cites = || !location::scan(content).is_empty();
    plain.strip_prefix('[').and_then(|t| grave(t).filter(|w| t[w.end..].starts_with([']', ' ', '/', '·']))).is_some()
        && (plain.starts_with("[p") || cites())
}

/// `(critical)`, `(P0)`, `【重大】`: a grave word alone in brackets.
fn bracketed(lower: &str) -> bool {
    lower.match_indices(['(', '（', '【', '[']).any(|(at, open)| {
        grave(&lower[at + open.len()..]).is_some_and(|w| lower[at + open.len() + w.end..].starts_with([')', '）', '】', ']']))
    })
}

/// `Severity: critical` anywhere in a line, in the languages of the reports.
fn keyed(lower: &str) -> bool {
    KEYS.iter().filter(|key| label::holds(lower, key)).any(|key| {
        lower.match_indices(key).any(|(at, _)| {
            let rest = lower[at + key.len()..].trim_start_matches(['*', '_', '`', '"', ' ']);
            let value = rest.strip_prefix([':', '：', '=']).map(|v| v.trim_start_matches(['*', '_', '`', '"', ' ']));
            value.is_some_and(|v| grave(v).is_some() || v.starts_with(['高', '重', '致']) || v.starts_with("높음"))
        })
    })
}

fn key_of_json(lower: &str) -> bool {
    lower.contains("\"severity\"") && keyed(lower)
}

/// `- 🔴 text` and `❌ text`: a red mark opening a line that says more than a number.
fn red(body: &str, content: &str) -> bool {
    let heading = body.starts_with('#');
    // `Security: ❌ token is not checked`: the mark may open what stands behind a label.
    let value = || label::split_label(content).and_then(|(_, value)| behind_red(value));
    let Some(rest) = behind_red(content).or_else(value) else { return false };
    let rest = rest.trim_start_matches(['\u{fe0f}', '*', '_', ' ', ':', '|']);
    let legend = RED.iter().any(|m| content.contains(m)) && ["🟡", "🟠", "🔵"].iter().any(|m| content.contains(m));
    let level = legend || grave(rest).is_some_and(|w| heading || rest[w.end..].trim_matches(['*', ':', ' ', '_']).is_empty());
    let said = rest.chars().filter(|c| c.is_alphabetic()).count() > 2;
    said && !level && !label::is_absence(rest) && !is_denied(&case::lower(rest)) && !counts_none(rest)
}

/// What stands behind a red mark that opens a text.
fn behind_red(text: &str) -> Option<&str> {
    let plain = text.trim_start_matches(['#', '*', '_', ' ', '|']);
    RED.iter().find_map(|m| plain.strip_prefix(m))
}

/// `0 critical`, `Critical: 0`, `Critical (0)`: a count of none, and nothing else.
fn counts_none(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let numbers: Vec<&str> = words.clone().filter(|w| w.bytes().all(|b| b.is_ascii_digit())).collect();
    numbers == ["0"] && words.all(|w| w == "0" || w.chars().all(char::is_alphabetic)) && text.split_whitespace().count() <= 4
}

/// `3 critical`, `two critical bugs`, `🔴 2`: a number above none beside a grave word or mark.
fn counted(lower: &str) -> bool {
    const NUMBERS: &[&str] = &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "several", "multiple"];
    let marked = lower.match_indices("🔴").any(|(at, mark)| {
        let rest = lower[at + mark.len()..].trim_start_matches(['\u{fe0f}', ' ', '*', ':']);
        rest.starts_with(|c| matches!(c, '1'..='9'))
    });
    if marked {
        return true;
    }
    let mut before = "";
    for word in lower.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).filter(|w| !w.is_empty()) {
        let some = NUMBERS.contains(&before) || before.parse::<u32>().is_ok_and(|n| n > 0);
        if some && LEVELS.contains(&word) {
            return true;
        }
        before = word;
    }
    false
}

/// `<h2>Critical</h2>`, `<summary>Critical (1)</summary>`, `<li><b>Critical</b>: …`.
pub(super) fn marked_up(content: &str) -> bool {
    if !content.starts_with('<') {
        return false;
    }
    let mut plain = String::new();
    let mut inside = false;
    for c in content.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            _ if !inside => plain.push(c),
            _ => {}
        }
    }
    // `<high>` grades what stands in it.
    let named = content[1..].split(['>', ' ']).next().unwrap_or_default();
    if grave(named).is_some_and(|w| w.end == named.len()) {
        return true;
    }
    let plain = plain.trim();
    let none = plain.ends_with("(0)") || plain.ends_with(": 0") || case::lower(plain).contains("none");
    !none && grave(plain).is_some()
}

/// A severity heading in code or a quotation.
fn grave_heading(content: &str) -> bool {
    let plain = content.trim_start_matches('#');
    plain.len() < content.len() && heading::severity_of(plain.trim()).is_some_and(|w| is_grave(w.grade))
}

/// `### Critical: SQL injection`: a heading that is a finding of its own.
fn grave_heading_with_title(body: &str) -> bool {
    let plain = body.trim_start_matches('#');
    if plain.len() == body.len() {
        return false;
    }
    let plain = plain.trim_start_matches([' ', '*', '_']);
    grave(plain).is_some_and(|w| {
        let title = plain[w.end..].trim_start_matches(['*', '_', ' ']).strip_prefix([':', '：']);
        title.is_some_and(|t| t.chars().filter(|c| c.is_alphabetic()).count() > 2 && !label::is_absence(t))
    })
}

#[cfg(test)]
mod tests {
    fn read(text: &str) -> crate::finding::Review {
        crate::finding::read::review(text.as_bytes())
    }

    /// Lines that are counted as suspicious or read as findings.
    fn doubts(text: &str) -> usize {
        let review = read(&format!("# Review\n\n{text}\n\n**Verdict**: APPROVE\n"));
        review.suspicious.len() + review.findings.len()
    }

    #[test]
    fn an_approval_beside_a_grave_line_in_any_shape_is_doubted() {
        for text in [
            "- **SQL injection** (Critical) — `src/a.rs:12`",
            "- `src/a.rs:12` — SQL injection. Severity: critical",
            "### 1. SQL injection (Critical)\n\n`src/a.rs:12`",
            "### Critical: SQL injection\n\nIn login.",
            "(P0) SQL injection in src/a.rs:12",
            "- 🔴 SQL injection",
            "issue (blocking): SQL injection in src/a.rs:12",
            "Issues: 🔴 1, 🟡 0",
            "- **Issues**: 3 critical",
            "> [P1] the race in `src/a.rs:40` is unresolved",
            "> [P0] SQL injection (un-fixed)",
            "Hold the release (P1) until the race is resolved.",
            "- ❌ SQL injection in db.py:40",
            "- 🔴 SQL injection in OAuth2.0",
            "- **Fixed-size buffer overflow** (Critical) — `db.py:2`",
            "(P0) Secrets disclosed in the log, src/a.rs:12",
            "### Critical: disclosed credentials",
            "I found two critical bugs; 0 fixed.",
            "- **SQL injection** (Critical) — `db.py:2` — confidence: high",
            "- Nothing checks the signature. Severity: critical. db.py:2",
            "Without a lock the counter races (P0), src/a.rs:12",
            "None of the callers checks the token (P0) src/a.rs:12",
            "No issue tracker link; SQL injection (P0) in src/a.rs:12",
            "No issues found. (P0) SQL injection",
            "## Critical\n\nNothing validates the token.",
            "## Critical\n\nWithout a lock the counter races.",
            "## Critical\n\nNo critical section guards the counter.",
            "## Critical\n\n0 is used as the salt.",
            "## Findings\n\nNo concern for authorization: any user can delete any row.",
            "I cannot approve this as is. Do not merge.",
            "Please don't merge yet.",
            "Hold off on merging until the injection is gone.",
            "Needs work.",
            "I would request changes here.",
            "Total findings: 3 (1 critical, 2 high)",
            "I found two critical bugs in the login code.",
            "## Critical\n\nThe login handler concatenates user input.",
            "## Critical\n\nNone found, except that the login handler concatenates user input.",
            "## Critical\n\na) SQL injection",
            "## Critical\n\n> SQL injection in login",
            "## Critical\n\n| login | SQL injection |",
            "## Critical\n\n    1. SQL injection src/a.rs:12",
            "## Findings\n\n| src/a.rs | 12 | SQL injection |",
            "- ❌ auth check missing — src/a.rs:12",
            "- FAIL: login test (src/a.rs:12)",
            "- No lock around the write (P0)",
            "## Critical\n\nNo test covers the token check, so it can be bypassed.",
            "- [ ] free of SQL injection: FAILED src/a.rs:12",
            "`src/a.rs:12` dereferences a null pointer. This must be fixed before merge.",
            "Correction: I withdraw this approval.",
            "Provided that the injection is fixed first.",
            "```markdown\n## Critical\n- **[P1]** SQL injection — src/a.rs:12\n```",
            "```json\n{\"severity\":\"critical\",\"file\":\"src/a.rs\"}\n```",
            "> **[P1]** SQL injection — src/a.rs:12",
            "> [!CAUTION]\n> SQL injection in src/a.rs:12",
            "<details><summary>Critical (1)</summary>\n\n- SQL injection\n\n</details>",
            "<h2>Critical</h2>\n\n- SQL injection",
            "<ul><li><b>Critical</b>: SQL injection</li></ul>",
            "## Passed checks\n\n- **[P0]** SQL injection — src/a.rs:12",
            "- 重要度:高 SQLインジェクション src/a.rs:12",
            "Ready to merge? No",
            "승인하지 않습니다.",
            "日志中打印了令牌，必须修复。",
            "重大な問題：トークンがログに出る",
            "**Issues**\n\n- Token is logged (auth.py:3)",
            "Critical issues:\n\n1. auth.py:3 token is logged",
            "I found the following problems:\n\n1. token is logged (auth.py:3)",
            "- **HIGH** token is logged",
            "[BUG] token is logged",
            "🛑 token is logged",
            "2 issues found",
            "\\[high\\] auth.py:3 token is logged",
            "[ｈｉｇｈ] auth.py:3 token is logged",
            "- [low] z.rs:1 nits [critical] a.rs:2 RCE",
            "- [x] [high] a.rs:12 null deref (not fixed)",
            "## Resolved\n\n- [high] a.rs:12 null deref (still open)",
        ] {
            assert!(doubts(text) > 0, "{text}");
        }
    }

    #[test]
    fn a_long_approval_is_doubted_for_the_same_lines_as_a_short_one() {
        let padding = "word after word of nothing at all\n".repeat(3000);
        for text in [
            "(P0) SQL injection",
            "I can’t review the diff",
            "- ❌ auth check missing",
            "- 重要度:高 注入",
            "This Must Be Fixed now.",
            "I noticed a race: src/a.rs:10 is not locked.",
            "There is a dangerous leak in the pool.",
            "I'm retracting my approval.",
            "Security: ❌ token is not checked",
            "::warning file=src/b.ts,line=2::slow",
        ] {
            let [short, long] = ["", &padding].map(|p| read(&format!("{p}\n{text}\n\n**Verdict**: APPROVE\n")));
            assert!(!short.suspicious.is_empty() || short.could_not_review.is_some() || !short.findings.is_empty(), "{text}");
            assert_eq!(short.findings.len(), long.findings.len(), "{text}");
            assert_eq!((short.suspicious.len(), short.could_not_review), (long.suspicious.len(), long.could_not_review), "{text}");
        }
    }

    #[test]
    fn a_plain_approval_is_not_doubted() {
        for text in [
            "## Critical\n\nNone.\n\n## Warnings\n\nNo warnings.",
            "## 🔴 Critical\n\nNo critical issues in this change.",
            "- **Issues**: 🔴 0, 🟡 0, ℹ️ 0",
            "0 critical, 0 high.",
            "The critical path is short and the error handling is careful.",
            "```rust\nlet x = levels[high];\nassert!(limits[critical] > 1);\n```",
            "- [high] `a.rs:3` from the last round is fixed",
            "> [P1] the race found in function f was addressed",
            "Previously reported [high] src/a.rs:12 null deref: fixed.",
            "~~[high] src/a.rs:12 null deref~~ fixed",
            "This PR fixes the critical race in src/a.rs:12. The fix is right.",
            "- [x] [high] a.rs:12 null deref (fixed)",
            "## Resolved\n\n- [high] a.rs:12 null deref",
            "I was unable to find any issues.",
            "### 치명적\n\n없음\n\n### 경고\n\n없음",
            "## 严重问题\n\n- 无",
            "### Findings\n\nNo findings. The change is small and well tested.",
            "### Findings\n\nI found nothing worth raising.",
            "## 발견 사항\n\n발견된 문제가 없습니다.",
            "## 问题\n\n未发现问题。代码质量良好。",
            "### 🔴 Critical (0)\n\n### 🟡 Warning (0)",
            "### Critical — None",
            "No changes needed before merging.",
            "Nothing needs to be fixed.",
            "Please squash before merging.",
            "The ACK/NACK handling is right.",
            "Must fix before merging: none",
            "The enum gains the state `FAILED`.",
            "## Severity levels\n\n- P0: blocks the release\n- P1: must be fixed before merge",
            "Blocking: none",
            "P0: none\nP1: none",
            "Critical: None found",
            "## Passed\n\n- ✅ locks are released\n- no blocking calls",
            "> earlier: the cache was slow",
            "Confidence: (high)",
            "Tests: 120 passed, 0 FAILED. Severity: none.",
            "## Blocking issues\n\nThere are no blocking issues.\n\n## Critical\n\nI found nothing critical here.",
            "### Findings\n\nNo blocking findings. The previously reported [P1] race in `src/a.rs:40` has been fixed.",
            "<details><summary>Critical (0)</summary></details>",
        ] {
            let review = read(&format!("# Review\n\n{text}\n\n**Verdict**: APPROVE\n"));
            assert!(review.suspicious.is_empty(), "{text}: {:?}", review.suspicious);
        }
    }
}
