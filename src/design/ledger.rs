//! What makes the ledger of a design loop valid: structure, and soundness behind it.
//!
//! Three versions are read: version 1, which agents wrote by hand; version 2, the reference's engine; version 3, ours. Structure is what the
//! reference's validators check. Soundness is what they do not: that the record can have come about by the loop's rules, and that its
//! status follows from its rounds. All violations are given at once, each with its place. Source: design seed, review-loop-state ledger;
//! spec/design-loop.md §1, §6. Bound: linear in the record, n log n in the attempts of a loop.

mod first;
pub mod proofs;
mod second;
mod shape;
mod sound;

pub use second::{RETRIES, may_retain};
use serde::Serialize;
use serde_json::Value;
pub use sound::declares_confirmed;

use crate::base::reason::words;

words! {
    /// What a rule belongs to.
    Class {
        Structure "structure",
        Soundness "soundness",
    }
}

words! {
    /// The rules, structure first.
    Rule {
        NotAnObject "not_an_object",
        UnknownVersion "unknown_version",
        FieldMissing "field_missing",
        UnknownField "unknown_field",
        WrongType "wrong_type",
        UnknownWord "unknown_word",
        AnchorMissing "anchor_missing",
        AnchorChanged "anchor_changed",
        RoundsMissing "rounds_missing",
        TooManyRounds "too_many_rounds",
        RoundNumber "round_number",
        DiffMissing "diff_missing",
        AngleMissing "angle_missing",
        VerdictMissing "verdict_missing",
        VerdictUnknown "verdict_unknown",
        BareVerdict "bare_verdict",
        AttemptIdMissing "attempt_id_missing",
        AttemptIdShared "attempt_id_shared",
        FindingsMissing "findings_missing",
        ScoutVerdict "scout_verdict",
        FailuresMissing "failures_missing",
        FailureMalformed "failure_malformed",
        FailureUnreconciled "failure_unreconciled",
        OperationRepeated "operation_repeated",
        RevisionMalformed "revision_malformed",
        RevisionMismatch "revision_mismatch",
        EarlyResult "early_result",
        RetryChain "retry_chain",
        RetryBudget "retry_budget",
        LaneUnfinished "lane_unfinished",
        CoverageWrong "coverage_wrong",
        RetainedUnproven "retained_unproven",
        NotTerminal "not_terminal",
        RoundOrder "round_order",
        BlankBlocker "blank_blocker",
        UnspecificRationale "unspecific_rationale",
        PassWithBlockers "pass_with_blockers",
        PassWithNo "pass_with_no",
        Unreconciled "unreconciled",
        AttemptIdReused "attempt_id_reused",
        IdenticalRevision "identical_revision",
        RoundAfterClean "round_after_clean",
        RoundUnfinished "round_unfinished",
        StatusContradicted "status_contradicted",
        RootConfirmed "root_confirmed",
        RootUnproven "root_unproven",
        DriftUnchecked "drift_unchecked",
        BlockerUnanswered "blocker_unanswered",
        EngineDeviation "engine_deviation",
        ModelOwed "model_owed",
        BlockerDropped "blocker_dropped",
        BlockerRepeated "blocker_repeated",
        ReviseWithoutBlocker "revise_without_blocker",
    }
}

impl Rule {
    /// What it belongs to.
    pub fn class(self) -> Class {
        if self < Rule::RoundOrder { Class::Structure } else { Class::Soundness }
    }

    /// What it asks for, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Rule::NotAnObject => "a record, a round and a lane are objects",
            Rule::UnknownVersion => "the version is 1 (or absent), 2 or 3",
            Rule::FieldMissing => "every field of version 2 and 3 is there",
            Rule::UnknownField => "no other field is",
            Rule::WrongType => "a field holds what its name says",
            Rule::UnknownWord => "a word is one of its list",
            Rule::AnchorMissing => "objective, scope and runtime root are pinned",
            Rule::AnchorChanged => "what is pinned stays the same in every round",
            Rule::RoundsMissing => "there is a round",
            Rule::TooManyRounds => "the cap on rounds holds",
            Rule::RoundNumber => "a round's number is a whole number within the cap, in version 2 and 3 its position",
            Rule::DiffMissing => "a round says what changed and why",
            Rule::AngleMissing => "surgical, deep and scout are there in every round",
            Rule::VerdictMissing => "a missing verdict is not clean",
            Rule::VerdictUnknown => "a verdict is PASS or REVISE",
            Rule::BareVerdict => "a verdict names blockers or a rationale",
            Rule::AttemptIdMissing => "every lane names its attempt",
            Rule::AttemptIdShared => "no two lanes of a round share an attempt",
            Rule::FindingsMissing => "missing findings are not clean",
            Rule::ScoutVerdict => "the scout casts no verdict",
            Rule::FailuresMissing => "failures are listed, with [] for none",
            Rule::FailureMalformed => "a failure names lane, attempt, kind and successor",
            Rule::FailureUnreconciled => "a failure's successor is the lane's current attempt",
            Rule::OperationRepeated => "an operation id stands once",
            Rule::RevisionMalformed => "a revision is sha256: with 64 or git: with 40 to 64 lower-case hex digits, as its kind says",
            Rule::RevisionMismatch => "a lane reviewed the round's artifact",
            Rule::EarlyResult => "an attempt that is not complete has no result",
            Rule::RetryChain => "the attempts of a lane are one line that ends at the current one",
            Rule::RetryBudget => "a lane is retried three times at most",
            Rule::LaneUnfinished => "a complete round has complete lanes",
            Rule::CoverageWrong => "a delta round names what it reviews again and what it builds on",
            Rule::RetainedUnproven => "only a PASS or a reconciled scout is retained",
            Rule::NotTerminal => "the loop has ended (asked for by --require-terminal)",
            Rule::RoundOrder => "rounds are numbered 1, 2, 3 in their order",
            Rule::BlankBlocker => "a blocker says something",
            Rule::UnspecificRationale => "a rationale says something specific",
            Rule::PassWithBlockers => "a PASS has no open blocker",
            Rule::PassWithNo => "a PASS answers none of the three questions with no",
            Rule::Unreconciled => "convergence needs every scout finding reconciled, one by one",
            Rule::AttemptIdReused => "an attempt id is used once in a loop",
            Rule::IdenticalRevision => "what was reviewed is not sent again unchanged",
            Rule::RoundAfterClean => "no round follows a clean one",
            Rule::RoundUnfinished => "the round before is complete",
            Rule::StatusContradicted => "the status follows from the rounds",
            Rule::RootConfirmed => "a root is evidenced and never declared confirmed",
            Rule::RootUnproven => "the runtime root has evidence of this session",
            Rule::DriftUnchecked => "a lane is started after the round's drift check held",
            Rule::BlockerUnanswered => "a new round answers every open blocker and every unreconciled finding",
            Rule::EngineDeviation => "an engine other than the requested one has a stated reason",
            Rule::BlockerDropped => "a lane says of every blocker it raised whether it is resolved",
            Rule::BlockerRepeated => "a lane lists a blocker once",
            Rule::ReviseWithoutBlocker => "a REVISE of version 3 has an open blocker",
            Rule::ModelOwed => "a class of defects that keeps moving is answered by a model lane",
        }
    }
}

/// What was broken where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// What it belongs to.
    pub class: Class,
    /// A JSON pointer.
    pub at: String,
    /// What is wrong.
    pub message: String,
}

/// How a record is looked at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terms {
    /// A cap on rounds; a record of version 3 has its own, and the lower one holds.
    pub cap: Option<u64>,
    /// Whether the loop has to have ended.
    pub terminal: bool,
}

/// How many rounds a loop may have unless it says otherwise.
pub const DEFAULT_CAP: u64 = 3;

/// What a record comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// The version.
    pub schema_version: Option<u64>,
    /// What the record says; version 1 says nothing, and gets what its rounds come to.
    pub status: Option<String>,
    /// What its rounds come to: converged, open, or deadlock at the cap.
    pub derived_status: Option<&'static str>,
    /// The rounds.
    pub rounds: usize,
    /// Everything that is wrong.
    pub violations: Vec<Violation>,
}

impl Checked {
    /// Whether the record holds; by soundness too when that is asked for.
    pub fn holds(&self, strict: bool) -> bool {
        self.violations.iter().all(|v| !strict && v.class == Class::Soundness)
    }
}

/// Checks a record.
pub fn check(record: &Value, terms: &Terms) -> Checked {
    let mut found = Found::default();
    let Some(fields) = record.as_object() else {
        found.add(Rule::NotAnObject, "", "the record is no object");
        return Checked { schema_version: None, status: None, derived_status: None, rounds: 0, violations: found.violations };
    };
    let version = match fields.get("schema_version") {
        // Only an engine writes operations down: such a record has lost its version.
        None if fields.contains_key("operations") => None,
        None => Some(1),
        Some(stated) => stated.as_u64().filter(|v| (1..=3).contains(v) && stated.is_u64()),
    };
    match version {
        Some(1) => first::check(record, terms, &mut found),
        Some(2) => second::check(record, terms, 2, &mut found),
        Some(3) => second::check(record, terms, 3, &mut found),
        _ => found.add(Rule::UnknownVersion, "/schema_version", "the version is none of 1, 2 and 3"),
    }
    let rounds = record["rounds"].as_array().map_or(0, Vec::len);
    let derived = version.and_then(|v| sound::check(record, v, terms, &mut found));
    let status = record["status"].as_str().map(str::to_owned).or(derived.filter(|_| version == Some(1)).map(str::to_owned));
    Checked { schema_version: version, status, derived_status: derived, rounds, violations: found.violations }
}

/// Collects violations.
#[derive(Debug, Default)]
struct Found {
    violations: Vec<Violation>,
}

impl Found {
    fn add(&mut self, rule: Rule, at: &str, message: impl Into<String>) {
        self.violations.push(Violation { rule, class: rule.class(), at: at.to_owned(), message: message.into() });
    }

    fn demand(&mut self, holds: bool, rule: Rule, at: &str, message: impl Into<String>) {
        if !holds {
            self.add(rule, at, message);
        }
    }
}

/// The lanes, in their order.
pub const LANES: [&str; 3] = ["surgical", "deep", "scout"];

/// Whether a text says something.
fn is_said(value: &Value) -> bool {
    value.as_str().is_some_and(|s| !s.trim().is_empty())
}

/// Whether it is null, absent or a blank text.
fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|s| s.trim().is_empty())
}

/// A part of a JSON pointer.
fn part(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_is_none_says_so() {
        let checked = check(&Value::Null, &Terms::default());
        assert_eq!(checked.violations[0].rule, Rule::NotAnObject);
        for version in ["4", "0", "\"2\"", "2.0", "true", "null", "-1"] {
            let record = serde_json::from_str(&format!("{{\"schema_version\":{version}}}")).unwrap();
            assert_eq!(check(&record, &Terms::default()).violations[0].rule, Rule::UnknownVersion, "{version}");
        }
    }
}
