//! Each rule proven on a record that holds and on one that breaks it: what `check-design-ledger --self-test` prints.

use serde::Serialize;
use serde_json::{Value, json};

use super::{Class, Rule, Terms, check};

/// A rule and how it came out.
#[derive(Debug, Clone, Serialize)]
pub struct Proof {
    /// The rule.
    pub rule: Rule,
    /// What it belongs to.
    pub class: Class,
    /// What it asks for.
    pub meaning: &'static str,
    /// Whether the record that holds is free of it.
    pub passes: bool,
    /// Whether the record that breaks it is found out.
    pub fails: bool,
}

/// Proves every rule.
pub fn all() -> Vec<Proof> {
    Rule::ALL.iter().map(|rule| prove(*rule)).collect()
}

fn prove(rule: Rule) -> Proof {
    let (good, terms) = holding(rule);
    let bad = breaking(rule, good.clone());
    let breaks = |record: &Value| check(record, &terms).violations.iter().any(|v| v.rule == rule);
    Proof { rule, class: rule.class(), meaning: rule.meaning(), passes: check(&good, &terms).violations.is_empty(), fails: breaks(&bad) }
}

/// A record without any violation that says something about the rule.
fn holding(rule: Rule) -> (Value, Terms) {
    let strict = Terms::default();
    match rule {
        Rule::NotAnObject
        | Rule::AnchorMissing
        | Rule::AnchorChanged
        | Rule::RoundsMissing
        | Rule::TooManyRounds
        | Rule::AngleMissing
        | Rule::ScoutVerdict
        | Rule::FailuresMissing
        | Rule::FailureMalformed
        | Rule::FailureUnreconciled
        | Rule::RoundOrder
        | Rule::RoundAfterClean
        | Rule::BlankBlocker
        | Rule::UnspecificRationale => (first(), strict),
        Rule::NotTerminal => (closed(third()), Terms { terminal: true, ..strict }),
        Rule::CoverageWrong | Rule::RetainedUnproven => (delta(), strict),
        Rule::RetryChain | Rule::RetryBudget => (retried(), strict),
        Rule::StatusContradicted | Rule::Unreconciled => (closed(third()), strict),
        Rule::BlockerUnanswered
        | Rule::BlockerDropped
        | Rule::BlockerRepeated
        | Rule::ReviseWithoutBlocker
        | Rule::IdenticalRevision
        | Rule::AttemptIdReused
        | Rule::RoundUnfinished => (two_rounds(), strict),
        Rule::ModelOwed => (chased(), Terms { cap: Some(4), ..strict }),
        _ => (third(), strict),
    }
}

/// The record with one thing changed that breaks the rule.
fn breaking(rule: Rule, good: Value) -> Value {
    let with = |pointer: &str, value: Value| put(good.clone(), pointer, value);
    let without = |pointer: &str| take(good.clone(), pointer);
    match rule {
        Rule::NotAnObject => with("/rounds/0", json!([])),
        Rule::UnknownVersion => with("/schema_version", json!(9)),
        Rule::FieldMissing => without("/operations"),
        Rule::UnknownField => with("/mood", json!("bright")),
        Rule::WrongType => with("/operations", json!({})),
        Rule::UnknownWord => with("/status", json!(["running"])),
        Rule::AnchorMissing => without("/objective"),
        Rule::AnchorChanged => with("/rounds/0/scope", json!("everything")),
        Rule::RoundsMissing => with("/rounds", json!([])),
        Rule::TooManyRounds => with("/rounds", json!(vec![good["rounds"][0].clone(); 4])),
        Rule::RoundNumber => with("/rounds/0/round", json!(1.0)),
        Rule::DiffMissing => with("/rounds/0/diff", json!(" ")),
        Rule::AngleMissing => without("/rounds/0/deep"),
        Rule::VerdictMissing => with("/rounds/0/deep/verdict", Value::Null),
        Rule::VerdictUnknown => with("/rounds/0/deep/verdict", json!("MAYBE")),
        Rule::BareVerdict => without("/rounds/0/deep/rationale"),
        Rule::AttemptIdMissing => take(first(), "/rounds/0/deep/attempt_id"),
        Rule::AttemptIdShared => with("/rounds/0/deep/attempt_id", good["rounds"][0]["surgical"]["attempt_id"].clone()),
        Rule::FindingsMissing => with("/rounds/0/scout/findings", Value::Null),
        Rule::ScoutVerdict => with("/rounds/0/scout/verdict", Value::Null),
        Rule::FailuresMissing => without("/rounds/0/lane_failures"),
        Rule::FailureMalformed => with("/rounds/0/lane_failures", json!([{"lane": "scout"}])),
        Rule::FailureUnreconciled => {
            with("/rounds/0/lane_failures", json!([{"lane": "scout", "attempt_id": "c0", "failure": "died", "redispatched_as": "c9"}]))
        }
        Rule::OperationRepeated => {
            let operation = json!({"id": "op-1", "fingerprint": "sha256:x", "receipt": {}});
            with("/operations", json!([operation, operation]))
        }
        Rule::RevisionMalformed => with("/rounds/0/artifact/revision", json!("sha256:ABC")),
        Rule::RevisionMismatch => with("/rounds/0/deep/artifact_revision", json!(revision('f'))),
        Rule::EarlyResult => with("/rounds/0/deep/state", json!("running")),
        Rule::RetryChain => with("/rounds/0/lane_failures/0/redispatched_as", json!("scout-r1-x")),
        Rule::RetryBudget => with("/rounds/0/lane_failures", json!((0..4).map(|n| failure(n, n + 1)).collect::<Vec<_>>())),
        Rule::LaneUnfinished => with("/rounds/0/deep", pending("deep")),
        Rule::CoverageWrong => with("/rounds/1/coverage/affected_lanes", json!(["deep", "surgical"])),
        Rule::RetainedUnproven => {
            put(with("/rounds/0/deep/verdict", json!("REVISE")), "/rounds/0/deep/blockers", json!([blocker("B-2", "race", "b.rs:1")]))
        }
        Rule::NotTerminal => with("/status", json!("running")),
        Rule::RoundOrder => without("/rounds/0/round"),
        Rule::BlankBlocker => with("/rounds/0/deep/blockers", json!([""])),
        Rule::UnspecificRationale => with("/rounds/0/deep/rationale", json!("ok")),
        Rule::PassWithBlockers => with("/rounds/0/deep/blockers", json!([blocker("B-9", "race", "a.rs:1")])),
        Rule::PassWithNo => with("/rounds/0/deep/root_proven/answer", json!("no")),
        Rule::Unreconciled => with("/rounds/0/scout/findings", json!([{"id": "S-1", "text": "`two` is named nowhere"}])),
        Rule::AttemptIdReused => with("/rounds/1/deep/attempt_id", good["rounds"][0]["deep"]["attempt_id"].clone()),
        Rule::IdenticalRevision => with("/rounds/1", good["rounds"][0].clone()),
        Rule::RoundAfterClean => with("/rounds", json!([good["rounds"][0], good["rounds"][0]])),
        Rule::RoundUnfinished => with("/rounds/0/phase", json!("collecting")),
        Rule::StatusContradicted => with("/rounds/0/deep/verdict", json!("REVISE")),
        Rule::RootConfirmed => with("/runtime_root", json!("CONFIRMED: the index is not bounded")),
        Rule::RootUnproven => with("/root_evidence", json!([])),
        Rule::DriftUnchecked => with("/rounds/0/drift_check", Value::Null),
        Rule::BlockerUnanswered => with("/rounds/1/answers", json!([])),
        Rule::BlockerRepeated => {
            let twice = json!([resolved("B-1", "a.rs:1"), resolved("B-1", "a.rs:1")]);
            with("/rounds/1/surgical/blockers", twice)
        }
        Rule::ReviseWithoutBlocker => with("/rounds/0/surgical/blockers", json!([])),
        Rule::BlockerDropped => with("/rounds/1/surgical/blockers", json!([])),
        Rule::EngineDeviation => with("/rounds/0/deep/actual/engine", json!("codex")),
        Rule::ModelOwed => with("/model_lanes", json!([])),
    }
}

const AT: &str = "2026-11-30T12:00:00.000Z";

fn revision(digit: char) -> String {
    format!("sha256:{}", digit.to_string().repeat(64))
}

fn first() -> Value {
    let lane = |id: &str| json!({"attempt_id": id, "verdict": "PASS", "rationale": "no blocker: checked x.rs:10-40"});
    json!({"objective": "fix the crash", "scope": "parser.rs", "runtime_root": "trace:42", "rounds": [{
        "round": 1, "diff": "first draft", "surgical": lane("s1"), "deep": lane("d1"),
        "scout": {"attempt_id": "c1", "findings": []}, "lane_failures": [],
    }]})
}

fn engine(name: &str) -> Value {
    json!({"engine": name, "model": null, "effort": null})
}

fn pending(lane: &str) -> Value {
    json!({"attempt_id": format!("{lane}-r1-x"), "artifact_revision": revision('a'), "state": "admitted"})
}

fn answered(round: u64, lane: &str, digit: char) -> Value {
    let yes = json!({"answer": "yes", "text": "trace:42 shows it"});
    let mut block = json!({
        "attempt_id": format!("{lane}-r{round}-x"), "artifact_revision": revision(digit), "state": "complete",
        "root_proven": yes, "scope_unchanged": yes, "verification_adequate": yes,
        "started_at": AT, "finished_at": AT, "requested": engine("claude"), "actual": engine("claude"),
        "prompt_sha256": "0".repeat(64), "output_sha256": "0".repeat(64),
    });
    if lane == "scout" {
        block["findings"] = json!([]);
        block["reconciliation"] = json!([]);
    } else {
        block["verdict"] = json!("PASS");
        block["blockers"] = json!([]);
        block["rationale"] = json!("no blocker: checked x.rs:10-40");
    }
    block
}

fn round(number: u64, digit: char) -> Value {
    let held = json!({"answer": "unchanged", "text": "the objective is quoted in part one"});
    json!({
        "round": number, "phase": "complete", "diff": "what changed",
        "artifact": {"kind": "snapshot", "revision": revision(digit), "snapshot": format!("artifacts/round-{number}-{}.snapshot", digit.to_string().repeat(64))},
        "surgical": answered(number, "surgical", digit), "deep": answered(number, "deep", digit), "scout": answered(number, "scout", digit),
        "lane_failures": [], "evidence": [], "opened_at": AT, "completed_at": AT, "answers": [],
        "drift_check": {"checked_at": AT, "goal": held, "scope": held, "runtime_root": held, "new_premises": [], "drifted": false},
    })
}

fn third() -> Value {
    json!({
        "schema_version": 3, "loop_id": "l", "objective": "fix the crash", "scope": "parser.rs", "runtime_root": "trace:42",
        "status": "running", "operations": [], "rounds": [round(1, 'a')], "cap": 3, "opened_at": AT, "closed_at": null,
        "close_reason": null, "continues": null, "model_lanes": [],
        "root_evidence": [{"kind": "trace", "ref": "trace:42", "captured_at": AT, "sha256": "0".repeat(64)}],
    })
}

fn closed(mut record: Value) -> Value {
    record["status"] = json!("converged");
    record["closed_at"] = json!(AT);
    record["close_reason"] = json!("both verdicts pass");
    record
}

fn blocker(id: &str, class: &str, location: &str) -> Value {
    json!({"id": id, "class": class, "location": location, "evidence": "trace:42", "status": "open"})
}

fn resolved(id: &str, location: &str) -> Value {
    put(blocker(id, "race", location), "/status", json!("resolved"))
}

/// A round whose surgical lane asks for a revision.
fn revising(number: u64, digit: char, blocker: Value) -> Value {
    let mut round = round(number, digit);
    round["surgical"]["verdict"] = json!("REVISE");
    round["surgical"]["blockers"] = json!([blocker]);
    round
}

fn answer(id: &str) -> Value {
    json!([{"of": id, "by": "diff", "text": "the index is bounded in part four"}])
}

fn two_rounds() -> Value {
    let mut second = round(2, 'b');
    second["answers"] = answer("B-1");
    second["surgical"]["blockers"] = json!([resolved("B-1", "a.rs:1")]);
    put(third(), "/rounds", json!([revising(1, 'a', blocker("B-1", "race", "a.rs:1")), second]))
}

fn delta() -> Value {
    let mut record = two_rounds();
    for lane in ["deep", "scout"] {
        let from = json!({"round": 1, "artifact_revision": revision('a')});
        record["rounds"][1][lane] = json!({"state": "retained", "applies_to_revision": revision('b'), "retained_from": from});
    }
    record["rounds"][1]["coverage"] =
        json!({"mode": "delta", "affected_lanes": ["surgical"], "source_round": 1, "source_revision": revision('a')});
    record
}

fn failure(from: usize, to: usize) -> Value {
    let id = |n: usize| if n >= 4 { "scout-r1-x".to_owned() } else { format!("scout-r1-{n}") };
    json!({"lane": "scout", "attempt_id": id(from), "artifact_revision": revision('a'), "failure": "died", "redispatched_as": id(to), "failed_at": AT})
}

fn retried() -> Value {
    put(third(), "/rounds/0/lane_failures", json!([failure(2, 3), failure(3, 4)]))
}

/// Three rounds in which a class of defects moved, the model lane's outcome, and a fourth.
fn chased() -> Value {
    let mut rounds: Vec<Value> = (1..=3)
        .map(|n: u64| {
            let digit = char::from(b'a' + u8::try_from(n).unwrap_or(0));
            revising(n, digit, blocker(&format!("B-{n}"), "race", &format!("{n}.rs:1")))
        })
        .collect();
    rounds.push(round(4, 'f'));
    for (n, round) in rounds.iter_mut().enumerate().skip(1) {
        round["answers"] = answer(&format!("B-{n}"));
        let before = resolved(&format!("B-{n}"), &format!("{n}.rs:1"));
        if let Some(blockers) = round["surgical"]["blockers"].as_array_mut() {
            blockers.push(before);
        }
    }
    let model = json!([{
        "attempt_id": "model-r3-x", "state": "complete", "class": "race", "after_round": 3,
        "history": [{"round": 1, "locations": ["1.rs:1"]}], "started_at": AT, "finished_at": AT, "requested": engine("claude"),
        "actual": engine("claude"), "output_sha256": "0".repeat(64), "outcome": "replaced", "rationale": "one owner of `state` instead of three",
    }]);
    let mut record = put(third(), "/rounds", json!(rounds));
    record["cap"] = json!(4);
    record["model_lanes"] = model;
    record
}

/// The record with a value at a pointer whose last part is a key or an index that is there.
fn put(mut record: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap_or(("", pointer));
    match record.pointer_mut(parent) {
        Some(Value::Object(fields)) => drop(fields.insert(key.to_owned(), value)),
        Some(Value::Array(items)) => {
            if let Some(slot) = key.parse::<usize>().ok().and_then(|n| items.get_mut(n)) {
                *slot = value;
            }
        }
        _ => {}
    }
    record
}

/// The record without a key.
fn take(mut record: Value, pointer: &str) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap_or(("", pointer));
    if let Some(Value::Object(fields)) = record.pointer_mut(parent) {
        fields.remove(key);
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_free_on_its_holding_record_and_found_on_its_breaking_one() {
        for proof in all() {
            let (good, terms) = holding(proof.rule);
            assert!(proof.passes, "{proof:?}: {:?}", check(&good, &terms).violations);
            assert!(proof.fails, "{proof:?}");
        }
    }

    /// Every value of a record, by its pointer.
    fn pointers(value: &Value, at: &str, into: &mut Vec<String>) {
        into.push(at.to_owned());
        match value {
            Value::Object(fields) => fields.iter().for_each(|(k, v)| pointers(v, &format!("{at}/{k}"), into)),
            Value::Array(items) => items.iter().enumerate().for_each(|(n, v)| pointers(v, &format!("{at}/{n}"), into)),
            _ => {}
        }
    }

    #[test]
    fn every_field_removed_or_retyped_in_turn_is_an_answer_and_in_version_3_a_violation() {
        for record in [first(), retried(), delta(), chased(), closed(third())] {
            let mut all = Vec::new();
            pointers(&record, "", &mut all);
            for pointer in all.iter().filter(|p| !p.is_empty()) {
                let is_item = pointer.rsplit('/').next().is_some_and(|k| k.parse::<usize>().is_ok());
                for other in [Value::Null, json!([[]]), json!({"a": [1]}), json!(-1.5), json!(true), json!("\u{0}")] {
                    let retyped = check(&put(record.clone(), pointer, other.clone()), &Terms { cap: Some(4), terminal: false });
                    let nullable = pointer.ends_with("_at") || pointer.ends_with("/model") || pointer.ends_with("/effort");
                    let same = record
                        .pointer(pointer)
                        .is_some_and(|was| (was.is_boolean() && other.is_boolean()) || (was.is_null() && other.is_null()));
                    let free = nullable
                        || same
                        || pointer.ends_with("_reason")
                        || pointer.ends_with("prompt_sha256")
                        || pointer.ends_with("/deviation");
                    let text = record.pointer(pointer).is_some_and(Value::is_string) && other.is_string();
                    if record["schema_version"] == 3 && !free && !text {
                        assert!(!retyped.holds(true), "{pointer} = {other}");
                    }
                }
                const OPTIONAL: [&str; 4] = ["/rationale", "/prompt_sha256", "/deviation", "/coverage"];
                if record["schema_version"] == 3 && !is_item && OPTIONAL.iter().all(|k| !pointer.ends_with(k)) {
                    assert!(
                        !check(&take(record.clone(), pointer), &Terms { cap: Some(4), terminal: false }).holds(true),
                        "without {pointer}"
                    );
                }
            }
        }
    }
}
