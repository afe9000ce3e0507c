//! The metrics of one round: verdict word, counts, signatures, taxonomy category.
//!
//! Source: rounds spec §1.4; map.md, One mapping of words.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::base::severity::{Grade, Level};
use crate::base::verdict::{Class, RoundVerdict};
use crate::base::{Code, Fail, path};
use crate::finding::judge::counted;
use crate::finding::{Declared, Finding, Review};

/// The categories the recurring-findings artifact knows.
pub const CATEGORIES: [&str; 7] =
    ["error-handling", "naming-convention", "type-safety", "test-coverage", "security", "performance", "architecture"];

/// Categories by exact `path:line`, first entry wins.
#[derive(Debug, Clone, Default)]
pub struct Categories(HashMap<String, &'static str>);

impl Categories {
    /// Takes `(category, example_files)` entries in document order; others than [`CATEGORIES`] are skipped.
    pub fn new(entries: impl IntoIterator<Item = (String, Vec<String>)>) -> Categories {
        let mut by_place = HashMap::new();
        for (category, examples) in entries {
            if let Some(known) = CATEGORIES.into_iter().find(|c| *c == category) {
                for example in examples {
                    by_place.entry(example).or_insert(known);
                }
            }
        }
        Categories(by_place)
    }

    /// The category of a place, `untagged` without one.
    pub fn of(&self, path: Option<&str>, line: Option<u64>) -> Cow<'static, str> {
        let (Some(path), Some(line), false) = (path, line, self.0.is_empty()) else { return Cow::Borrowed("untagged") };
        self.0.get(&format!("{path}:{line}")).map_or(Cow::Borrowed("untagged"), |c| Cow::Borrowed(c))
    }
}

/// The verdict word of a round and its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// One of the three words.
    pub verdict: RoundVerdict,
    /// Of the Issues line when there is one, else of the findings read.
    pub counts: Declared,
    /// `counts_disagree`, `bad_utf8`, `unparsed_suspicious` and the report's other contradictions, sorted.
    pub warnings: Vec<String>,
    /// Lines that look like findings and were not read as any.
    pub suspicious: u64,
}

/// Maps a review onto the words of the rounds loop.
///
/// # Errors
/// `INVALID_REPORT` when the review proves nothing, says nothing, or is a canonical report without counts.
pub fn judge(review: &Review, shown: &str) -> Result<Judged, Fail> {
    let shown = path::printable(shown);
    let refuse = |why: &str| {
        let codes: Vec<&str> = review.contradictions.iter().map(|c| c.word()).collect();
        Fail::new(Code::InvalidReport, format!("the report `{shown}` {why}")).with("contradictions", codes)
    };
    if review.canonical && review.declared.is_none() {
        return Err(refuse("is a canonical report without an Issues line or the three count keys"));
    }
    let (class, _) = review.verdict();
    let grave = review.findings.iter().any(|f| matches!(f.grade, Grade::Critical | Grade::High));
    let verdict = match class {
        Class::Approve => RoundVerdict::Approve,
        Class::NeedsAttention => stated_word(review).unwrap_or_else(|| by_severity(grave)),
        Class::None if !review.findings.is_empty() => by_severity(grave),
        Class::None => return Err(refuse("states no verdict")),
        Class::Unproven => {
            return Err(refuse("proves nothing: it could not review, or states no verdict that is known"));
        }
    };
    let counts = review.declared.clone().unwrap_or_else(|| counted(&review.findings));
    let mut warnings: Vec<String> = review.contradictions.iter().map(|c| c.word().to_owned()).collect();
    if review.bad_utf8_at.is_some() {
        warnings.push("bad_utf8".to_owned());
    }
    if !review.suspicious.is_empty() {
        warnings.push("unparsed_suspicious".to_owned());
    }
    warnings.sort_unstable();
    warnings.dedup();
    Ok(Judged { verdict, counts, warnings, suspicious: review.suspicious.len() as u64 })
}

/// REQUEST_CHANGES and CONCERN as written; where both stand, the graver one.
fn stated_word(review: &Review) -> Option<RoundVerdict> {
    let words: Vec<RoundVerdict> =
        review.statements.iter().filter(|s| s.class == Class::NeedsAttention).filter_map(|s| s.round_word).collect();
    [RoundVerdict::RequestChanges, RoundVerdict::Concern].into_iter().find(|w| words.contains(w))
}

fn by_severity(grave: bool) -> RoundVerdict {
    if grave { RoundVerdict::RequestChanges } else { RoundVerdict::Concern }
}

/// `severity:path:floor(line/7):category` of every located critical or warning finding; display only (rounds spec §1.4).
pub fn signatures(findings: &[Finding], categories: &Categories, repo_root: Option<&str>) -> Vec<String> {
    let mut all = Vec::new();
    for finding in findings.iter().filter(|f| f.grade.level() != Level::Info) {
        let Some(place) = &finding.place else {
            continue;
        };
        let (Some(path), Some(line)) = (path::display(&place.path, repo_root), place.line) else {
            continue;
        };
        let category = categories.of(Some(&path), Some(line));
        all.push(format!("{}:{path}:{}:{category}", finding.grade.level().word(), line / 7));
    }
    all.sort_unstable();
    all.dedup();
    all
}
