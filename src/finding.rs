//! Findings: what a review said, in one shape, however it was written.
//!
//! [`read`] turns foreign text into a [`Review`]; the model below is what every other room works with.

pub mod read;

use crate::base::reason::Contradiction;
use crate::base::severity::Grade;
use crate::base::verdict::{Class, RoundVerdict};

/// A place in a file. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The path as written, separators included.
    pub path: String,
    /// The first line, when one was written.
    pub line: Option<u64>,
    /// The last line of a range of more than one line.
    pub end_line: Option<u64>,
}

/// One item of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
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
    /// Source text the item quotes in a fence of its own.
    pub quote: Option<String>,
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
    /// Whether the report calls itself a canonical one (`# Deep Review Report`).
    pub canonical: bool,
    /// Every verdict statement in order.
    pub statements: Vec<Statement>,
    /// Every finding in document order.
    pub findings: Vec<Finding>,
    /// The Issues line or the three `count_` keys.
    pub declared: Option<Declared>,
    /// What the report says against itself; sorted and unique.
    pub contradictions: Vec<Contradiction>,
    /// Whether it says, for the whole report, that there is nothing to report.
    pub clean_phrase: bool,
    /// Whether there is at least one findings section and every one is explicitly empty.
    pub sections_empty: bool,
    /// Where bytes were not UTF-8.
    pub bad_utf8_at: Option<u64>,
    /// Lines that look like findings and were not read as any (cases/reports/README.md §4, suspicious).
    pub suspicious: u64,
    /// The phrase in which the reviewer says that it could not look.
    pub could_not_review: Option<String>,
}

impl Review {
    /// The class of the whole review and the literal that decided it (cases/reports/README.md §3, V1 to V6).
    pub fn verdict(&self) -> (Class, Option<&str>) {
        let said = |class: Class| self.statements.iter().rev().find(|s| s.class == class);
        let spoken = self.statements.iter().any(|s| s.class != Class::None);
        let (class, text) = if let Some(s) = said(Class::NeedsAttention) {
            (Class::NeedsAttention, Some(s.text.as_str()))
        } else if let Some(s) = said(Class::Unproven) {
            (Class::Unproven, Some(s.text.as_str()))
        } else if let Some(s) = said(Class::Approve) {
            (Class::Approve, Some(s.text.as_str()))
        } else if !spoken && self.findings.is_empty() && (self.clean_phrase || self.sections_empty) {
            (Class::Approve, None)
        } else {
            (Class::None, said(Class::None).map(|s| s.text.as_str()))
        };
        if let Some(phrase) = self.could_not_review.as_deref().filter(|_| class == Class::Approve) {
            return (Class::Unproven, Some(phrase));
        }
        let damaged = self.contradictions.contains(&Contradiction::Truncated) || self.bad_utf8_at.is_some();
        if class == Class::Approve && damaged { (Class::Unproven, text) } else { (class, text) }
    }
}
