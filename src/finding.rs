//! Findings: what a review said, in one shape, however it was written.
//!
//! [`read`] turns foreign text into a [`Review`]; [`judge`] says what it comes to. The model below is what every other room
//! works with.

pub mod churn;
pub mod identity;
pub mod judge;
pub mod matching;
pub mod read;
pub mod write;

use std::collections::{BTreeMap, BTreeSet};

use crate::base::reason::{Contradiction, words};
use crate::base::severity::Grade;
use crate::base::verdict::{Class, RoundVerdict};

/// A place in a file. Lines count from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Location {
    /// The path as written, separators included.
    pub path: String,
    /// The first line, when one was written.
    pub line: Option<u64>,
    /// The last line of a range that was written as one, `9-9` included.
    pub end_line: Option<u64>,
}

/// One item of a review.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finding {
    /// The id the report gives it.
    pub id: Option<String>,
    /// The six-word grade.
    pub grade: Grade,
    /// The level word as written.
    pub severity_text: Option<String>,
    /// The first place the item cites.
    pub place: Option<Location>,
    /// Its further citations.
    pub also: Vec<Location>,
    /// The first sentence of the item, without marks, tags and the leading citation.
    pub title: String,
    /// The first line of the item with every citation taken out: what the reference's title slug is made of.
    pub headline: String,
    /// Bracket tags behind the severity.
    pub tags: Vec<String>,
    /// What the item says behind its title, without marks.
    pub body: String,
    /// Source text the item quotes in a fence of its own.
    pub quote: Option<String>,
    /// The rule of the tool that found it.
    pub rule: Option<String>,
    /// The kind of defect, in the report's own word.
    pub category: Option<String>,
    /// What the report proposes.
    pub fix: Option<String>,
    /// The line of the report the item starts on.
    pub report_line: u64,
}

/// How many findings the report says it has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    /// 🔴
    pub critical: u64,
    /// 🟡
    pub warning: u64,
    /// ℹ️
    pub info: u64,
}

words! {
    /// What a declared count is a count of.
    Counted {
        Critical "critical",
        High "high",
        Medium "medium",
        Low "low",
        Suggestion "suggestion",
        Total "total",
        Actionable "actionable",
        OutsideDiff "outside_diff",
    }
}

impl Counted {
    /// The count of one grade; none for what no report counts.
    pub fn of(grade: Grade) -> Option<Counted> {
        Counted::parse(grade.word())
    }
}

words! {
    /// Why an answer is none, whatever it says besides.
    Failure {
        RateLimited "rate_limited",
        ErrorReported "error_reported",
    }
}

words! {
    /// The shape a review was written in.
    Format {
        Canonical "canonical",
        Cargo "cargo",
        Empty "empty",
        Eslint "eslint",
        Github "github",
        Json "json",
        JsonLines "jsonl",
        Lines "lines",
        Markdown "markdown",
        Rdjson "rdjson",
        Rdjsonl "rdjsonl",
        Records "records",
        Sarif "sarif",
        Toml "toml",
        Xml "xml",
        Yaml "yaml",
    }
}

/// One verdict statement of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it means.
    pub class: Class,
    /// The literal.
    pub text: String,
    /// The rounds word, when it is one.
    pub round_word: Option<RoundVerdict>,
    /// The line it stands on.
    pub report_line: u64,
}

/// A whole review as read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    /// The shape it was written in.
    pub format: Option<Format>,
    /// Whether the report calls itself a canonical one (`# Deep Review Report`).
    pub canonical: bool,
    /// Every verdict statement in order.
    pub statements: Vec<Statement>,
    /// Every finding in document order.
    pub findings: Vec<Finding>,
    /// The Issues line or the three `count_` keys.
    pub declared: Option<Declared>,
    /// Every other count the report declares of itself.
    pub counts: BTreeMap<Counted, u64>,
    /// What the report says against itself; sorted and unique.
    pub contradictions: Vec<Contradiction>,
    /// The phrase in which it says, for the whole report, that there is nothing to report.
    pub clean_phrase: Option<String>,
    /// Whether it says that there is nothing of some kind: a statement that decides nothing.
    pub qualified_phrase: bool,
    /// Whether there is at least one findings section or list and every one is explicitly empty.
    pub sections_empty: bool,
    /// The phrase of the last such section; none for an empty list.
    pub empty_phrase: Option<String>,
    /// Items in item form that the report itself marks as closed.
    pub resolved: u64,
    /// Why it is no answer.
    pub failure: Option<Failure>,
    /// Where a block could not be read (NaN, depth over 128).
    pub unreadable_at: Option<u64>,
    /// Where bytes were not UTF-8.
    pub bad_utf8_at: Option<u64>,
    /// Lines that look like findings and were not read as any (cases/reports/README.md §4, suspicious).
    pub suspicious: BTreeSet<u64>,
    /// The phrase in which the reviewer says that it could not look.
    pub could_not_review: Option<String>,
}
