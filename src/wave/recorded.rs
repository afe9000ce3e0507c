//! Recorded checks: what run-check wrote down, held against what is declared. A word is no proof of a check; a record is.
//!
//! Source: issue 5, A wave; waves spec §21 (4). Bound: checks times records.

use serde::{Deserialize, Serialize};

use super::evidence::{Offence, Rule, offence};
use super::signal::Signal;

/// A check that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Always 1.
    pub schema_version: u64,
    /// The pass it was run for.
    pub pass_id: String,
    /// The check.
    pub name: String,
    /// What was started; empty for the built-in checks.
    pub argv: Vec<String>,
    /// The exit status; none when a signal or our limit ended it.
    pub exit_code: Option<i64>,
    /// Whether our limit ended it.
    pub timed_out: bool,
    /// When it was started, ISO 8601 UTC.
    pub started_at: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// SHA-256 of both its streams.
    pub output_sha256: String,
    /// How many findings of medium or above it has.
    pub findings: u64,
    /// Whether it passed.
    pub passed: bool,
    /// Of the working tree before it ran.
    pub working_before: String,
    /// Of the working tree after it ran.
    pub working_fingerprint: String,
}

/// Holds records against declared checks under a result: the last record of each counts.
pub fn check(declared: &[String], records: &[Record], pass_id: &str, working: &str, signal: &Signal) -> Vec<Offence> {
    if !matches!(signal, Signal::Clean | Signal::FindingsFixed(_)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for name in declared {
        let last = records.iter().rev().find(|r| r.name == *name && r.pass_id == pass_id);
        let (rule, why) = match last {
            None => (Rule::CheckMissing, "was not run with run-check in this pass"),
            // What changes the tree by being run has not said anything about the tree that it leaves.
            Some(r) if r.working_fingerprint != working || r.working_before != working => {
                (Rule::CheckStale, "was run on another state of the working tree: run it again")
            }
            Some(r) if !r.passed => (Rule::CheckFailed, "did not pass"),
            Some(_) => continue,
        };
        found.push(offence(rule, name, why));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, passed: bool, working: &str) -> Record {
        Record {
            schema_version: 1,
            pass_id: "p".into(),
            name: name.into(),
            argv: vec![],
            exit_code: Some(0),
            timed_out: false,
            started_at: "2026-11-30T12:00:00.000Z".into(),
            duration_ms: 1,
            output_sha256: String::new(),
            findings: 0,
            passed,
            working_before: working.into(),
            working_fingerprint: working.into(),
        }
    }

    #[test]
    fn a_declared_check_must_have_passed_last_on_this_very_tree() {
        let declared = ["checks".to_owned(), "test".to_owned()];
        let rules = |records: &[Record], signal: &Signal| {
            check(&declared, records, "p", "w", signal).into_iter().map(|o| (o.rule, o.at)).collect::<Vec<_>>()
        };
        let both = [record("checks", true, "w"), record("test", true, "w")];
        assert_eq!(rules(&both, &Signal::Clean), []);
        assert_eq!(rules(&both[..1], &Signal::Clean), [(Rule::CheckMissing, "test".into())]);
        assert_eq!(rules(&[both[0].clone(), record("test", true, "old")], &Signal::FindingsFixed(1)), [(Rule::CheckStale, "test".into())]);
        let failed_last = [both[0].clone(), both[1].clone(), record("test", false, "w")];
        assert_eq!(rules(&failed_last, &Signal::Clean), [(Rule::CheckFailed, "test".into())]);
        let other_pass = [both[0].clone(), Record { pass_id: "q".into(), ..both[1].clone() }];
        assert_eq!(rules(&other_pass, &Signal::Clean), [(Rule::CheckMissing, "test".into())]);
        let formatter = [both[0].clone(), Record { working_before: "old".into(), ..both[1].clone() }];
        assert_eq!(rules(&formatter, &Signal::Clean), [(Rule::CheckStale, "test".into())]);
        assert_eq!(rules(&[], &Signal::Findings(1)), []);
    }
}
