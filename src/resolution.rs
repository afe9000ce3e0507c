//! Resolution: what becomes of findings until a loop converges.
//!
//! Dispositions, recurrences, decisions, the trace and the decision to stop, as pure rules over what was recorded. What needs judgement
//! (is it the same defect, is it a bug, is the fix self-evident) comes in as typed input; what follows from it is computed here. Source:
//! the convergence-review seed; resolution spec §13 to §18.

pub mod brief;
pub mod carryover;
pub mod convergence;
pub mod decision;
pub mod disposition;
pub mod recurrence;
pub mod trace;

/// One offence against a rule: which, about what, and in words.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Violation<R: serde::Serialize> {
    /// The rule.
    pub rule: R,
    /// What it is about: a finding's id, or a pointer into the document.
    pub at: String,
    /// The fact.
    pub message: String,
}

impl<R: serde::Serialize> Violation<R> {
    /// An offence.
    pub fn new(rule: R, at: impl Into<String>, message: impl Into<String>) -> Violation<R> {
        Violation { rule, at: at.into(), message: message.into() }
    }
}
