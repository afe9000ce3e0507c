//! What a review comes to: its verdict and what it says against itself.
//!
//! Source: cases/reports/README.md §3 (V1 to V6) and §5. Bound: linear in findings and statements.

use std::collections::BTreeMap;

use super::{Counted, Declared, Failure, Finding, Review};
use crate::base::reason::Contradiction;
use crate::base::severity::{Grade, Level};
use crate::base::verdict::{self, Class};

impl Review {
    /// The class of the whole review and the literal that decided it.
    ///
    /// A reviewer who says that it could not look proves nothing, but for one that found something all the same and says so.
    pub fn verdict(&self) -> (Class, Option<&str>) {
        let (class, text) = self.stated();
        if self.failure.is_some() {
            return (Class::Unproven, self.statements.last().map(|s| s.text.as_str()));
        }
        let found = class == Class::NeedsAttention && !self.findings.is_empty();
        if let Some(phrase) = self.could_not_review.as_deref().filter(|_| !found) {
            return (Class::Unproven, Some(phrase));
        }
        if self.unreadable_at.is_some() && class != Class::NeedsAttention {
            return (Class::Unproven, text);
        }
        let damaged = self.contradictions.contains(&Contradiction::Truncated) || self.bad_utf8_at.is_some();
        match class {
            Class::Approve if damaged => (Class::Unproven, text),
            Class::None if damaged && self.findings.is_empty() => (Class::Unproven, text),
            Class::None if self.says_nothing() => (Class::Unproven, text),
            _ => (class, text),
        }
    }

    /// V2 to V6: what the statements, phrases and empty sections say.
    fn stated(&self) -> (Class, Option<&str>) {
        let said = |class: Class| self.statements.iter().rev().find(|s| s.class == class).map(|s| s.text.as_str());
        for class in [Class::NeedsAttention, Class::Unproven, Class::Approve] {
            if let Some(text) = said(class) {
                return (class, Some(text));
            }
        }
        if !self.statements.is_empty() || !self.findings.is_empty() {
            return (Class::None, said(Class::None));
        }
        match (&self.clean_phrase, self.sections_empty) {
            (Some(phrase), _) => (Class::Approve, Some(phrase)),
            (None, true) => (Class::Approve, self.empty_phrase.as_deref()),
            (None, false) => (Class::None, None),
        }
    }

    /// Whether there is neither a finding, nor a statement, nor a phrase.
    fn says_nothing(&self) -> bool {
        let phrases = self.clean_phrase.is_some() || self.qualified_phrase || self.sections_empty;
        self.findings.is_empty() && self.statements.is_empty() && !phrases
    }
}

/// Adds what the review says against itself; the codes come out sorted and unique.
pub fn contradict(review: &mut Review) {
    let (class, _) = review.verdict();
    let mut codes = std::mem::take(&mut review.contradictions);
    let said: Vec<Class> = review.statements.iter().map(|s| s.class).filter(|c| *c != Class::None).collect();
    let grave = review.findings.iter().any(|f| matches!(f.grade, Grade::Critical | Grade::High));
    let blocked = review.statements.iter().any(|s| s.class == Class::Unproven && verdict::read_value(&s.text).is_some_and(|v| v.known));
    let facts = [
        (said.iter().any(|c| *c != said[0]), Contradiction::ConflictingVerdicts),
        (class == Class::NeedsAttention && review.findings.is_empty(), Contradiction::VerdictWithoutFindings),
        (class == Class::Approve && grave, Contradiction::ApproveWithHigh),
        (review.clean_phrase.is_some() && !review.findings.is_empty(), Contradiction::CleanPhraseWithFindings),
        (counts_disagree(review), Contradiction::CountsDisagree),
        (
            class == Class::Unproven && (blocked || (review.could_not_review.is_some() && review.failure.is_none())),
            Contradiction::CouldNotReview,
        ),
        (review.failure == Some(Failure::RateLimited), Contradiction::RateLimited),
        (review.failure == Some(Failure::ErrorReported), Contradiction::ErrorReported),
        (review.says_nothing() && review.could_not_review.is_none(), Contradiction::NoAnswer),
    ];
    codes.extend(facts.into_iter().filter(|(holds, _)| *holds).map(|(_, code)| code));
    // Unproven always comes with a reason; a text that is damaged or unreadable and says nothing else is no answer.
    let reasons = [
        Contradiction::NoAnswer,
        Contradiction::RateLimited,
        Contradiction::ErrorReported,
        Contradiction::CouldNotReview,
        Contradiction::UnrecognizedVerdict,
        Contradiction::Truncated,
    ];
    if class == Class::Unproven && !codes.iter().any(|c| reasons.contains(c)) {
        codes.push(if review.bad_utf8_at.is_some() || review.unreadable_at.is_some() {
            Contradiction::CouldNotReview
        } else {
            Contradiction::NoAnswer
        });
    }
    codes.sort_by_key(|c| c.word());
    codes.dedup();
    review.contradictions = codes;
}

fn counts_disagree(review: &Review) -> bool {
    if review.declared.as_ref().is_some_and(|d| *d != counted(&review.findings)) {
        return true;
    }
    let mut read: BTreeMap<Counted, u64> = BTreeMap::new();
    for counted in review.findings.iter().filter_map(|f| Counted::of(f.grade)) {
        *read.entry(counted).or_default() += 1;
    }
    let total = review.findings.len() as u64;
    review.counts.iter().any(|(counted, declared)| match counted {
        Counted::Total => *declared != total,
        // A bot counts what it posted elsewhere as well, never less than what is here.
        Counted::Actionable => *declared > total,
        Counted::OutsideDiff => false,
        _ => *declared != read.get(counted).copied().unwrap_or(0),
    })
}

/// How many findings were read, by the three levels of a canonical report.
pub fn counted(findings: &[Finding]) -> Declared {
    let mut counted = Declared::default();
    for finding in findings {
        match finding.grade.level() {
            Level::Critical => counted.critical += 1,
            Level::Warning => counted.warning += 1,
            Level::Info => counted.info += 1,
        }
    }
    counted
}
