//! Telemetry: what may be written down of a loop, by type. Never a fingerprint, path, branch, prompt, finding or a word of a wave's own.
//! Nothing decides by it.
//!
//! Source: wave-review seed, Telemetry; waves spec §15, §21 (13). Bound: linear in the events.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::gate::Pause;
use super::signal;
use super::tier::{Profile, ReasonCode, Source, Tier};
use crate::base::reason::words;

words! {
    /// What happened.
    Type {
        TierAssessed "review.tier.assessed",
        TierSelected "review.tier.selected",
        PassStarted "review.pass.started",
        PassFinished "review.pass.finished",
        TierEscalated "review.tier.escalated",
        Completed "review.completed",
        Paused "review.paused",
        GateOverridden "review.gate.overridden",
        FenceRecovered "review.fence.recovered",
    }
}

/// What a field may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Count,
    Flag,
    Id,
    Tier,
    Profile,
    Source,
    Codes,
    Result,
    Reason,
    Checks,
    Verifier,
    Domains,
}

use Shape as S;

/// Every field that may be written, with what it may hold; the same for every type.
const FIELDS: &[(&str, Shape)] = &[
    ("pass_id", S::Id),
    ("tier", S::Tier),
    ("from_tier", S::Tier),
    ("floor", S::Tier),
    ("profile", S::Profile),
    ("source", S::Source),
    ("reason_codes", S::Codes),
    ("floor_reason", S::Codes),
    ("result_kind", S::Result),
    ("reason", S::Reason),
    ("deterministic_checks", S::Checks),
    ("verifier", S::Verifier),
    ("coverage", S::Domains),
    ("iteration", S::Count),
    ("iterations", S::Count),
    ("clean_before", S::Count),
    ("clean_after", S::Count),
    ("clean_passes", S::Count),
    ("required_clean", S::Count),
    ("trusted_required_clean", S::Count),
    ("findings", S::Count),
    ("fixes", S::Count),
    ("findings_fixed", S::Count),
    ("duration_seconds", S::Count),
    ("total_duration_seconds", S::Count),
    ("provider_exit", S::Count),
    ("owner_pid", S::Count),
    ("policy_small", S::Count),
    ("policy_normal", S::Count),
    ("policy_complex", S::Count),
    ("scope_changed", S::Flag),
    ("working_changed", S::Flag),
    ("evidence_valid", S::Flag),
    ("waived", S::Flag),
];

/// The payload as it may be kept: fields by the table, codes of a wave's own as `other`.
///
/// # Errors
/// The field that may not stand there.
pub fn payload(given: &Map<String, Value>) -> Result<BTreeMap<String, Value>, String> {
    let mut kept = BTreeMap::new();
    for (key, value) in given {
        let shape = FIELDS.iter().find(|(name, _)| name == key).map(|(_, shape)| *shape);
        let value = shape.and_then(|shape| admit(shape, value)).ok_or_else(|| key.clone())?;
        kept.insert(key.clone(), value);
    }
    Ok(kept)
}

fn admit(shape: Shape, value: &Value) -> Option<Value> {
    let word = value.as_str();
    let known = match shape {
        S::Count => value.as_u64().is_some(),
        S::Flag => value.is_boolean(),
        S::Id => word.is_some_and(is_pass_id),
        S::Tier => word.and_then(Tier::parse).is_some(),
        S::Profile => word.and_then(Profile::parse).is_some(),
        S::Source => word.is_some_and(|w| Source::parse(w).is_some() || matches!(w, "agent" | "human")),
        S::Result => word.is_some_and(|w| ["clean", "findings_fixed", "findings", "blocked", "churn", "escalate", "failure"].contains(&w)),
        S::Checks => word.and_then(super::evidence::Checks::parse).is_some() || word == Some("not-recorded"),
        S::Verifier => word.and_then(super::evidence::Verifier::parse).is_some() || word == Some("not-recorded"),
        S::Domains => value.as_array().is_some_and(|all| all.iter().all(|d| d.as_str().and_then(super::evidence::Domain::parse).is_some())),
        S::Codes => {
            let words = value.as_array()?.iter().map(|c| c.as_str().map(signal::known)).collect::<Option<Vec<&str>>>()?;
            return Some(Value::from(words));
        }
        S::Reason => {
            let word = word?;
            let ours = Pause::parse(word).is_some() || ReasonCode::parse(word).is_some() || matches!(word, "none" | "clean_gate_reached");
            return Some(Value::from(if ours { word } else { "other" }));
        }
    };
    known.then(|| value.clone())
}

/// Whether a text is a pass id and nothing else: a time, a process, eight hex digits.
fn is_pass_id(text: &str) -> bool {
    let parts: Vec<&str> = text.split('_').collect();
    let digits = |t: &str| !t.is_empty() && t.len() <= 10 && t.bytes().all(|b| b.is_ascii_digit());
    match parts.as_slice() {
        [stamp, pid, tail] => {
            let stamp = stamp.len() == 16 && stamp.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'T' | b'Z'));
            stamp && digits(pid) && tail.len() == 8 && tail.bytes().all(|b| b.is_ascii_hexdigit())
        }
        _ => false,
    }
}

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Always 1.
    pub schema_version: u64,
    /// Its number in the loop's journal, from 1.
    pub sequence: u64,
    /// The loop, by 16 digits of a digest: the name of a branch is no part of telemetry.
    pub loop_digest: String,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: Type,
    /// When, ISO 8601 UTC.
    pub created_at: String,
    /// The payload.
    pub data: BTreeMap<String, Value>,
}

/// What loops came to, all in all.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Summary {
    /// How many loops.
    pub loops: u64,
    /// How many reached their gate.
    pub completed: u64,
    /// How many passes were started, and how many were finished.
    pub passes_started: u64,
    /// Those that were finished.
    pub passes_finished: u64,
    /// Findings that were fixed.
    pub findings_fixed: u64,
    /// Seconds from a loop's first event to its gate, for each loop that reached it, sorted.
    pub seconds_to_gate: Vec<u64>,
    /// How often each tier was selected.
    pub tiers: BTreeMap<String, u64>,
    /// How often a loop paused, by reason.
    pub pauses: BTreeMap<String, u64>,
    /// By the number of a pass in its loop: how many were finished, and how many of them found something.
    pub find_rate: BTreeMap<u64, Rate>,
}

/// How many, and how many of them found something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Rate {
    /// Passes.
    pub passes: u64,
    /// Those that found something.
    pub found: u64,
}

/// Sums up journals, one for each loop.
pub fn summarize(journals: &[Vec<Event>]) -> Summary {
    let mut sum = Summary { loops: journals.len() as u64, ..Summary::default() };
    for journal in journals {
        let at = |e: &Event| crate::base::time::parse_iso(&e.created_at).unwrap_or_default();
        let mut began = None;
        for event in journal {
            // A gate that was reached is over: the next event begins another one.
            let first = *began.get_or_insert_with(|| at(event));
            let text = |key: &str| event.data.get(key).and_then(Value::as_str).unwrap_or("other").to_owned();
            match event.kind {
                Type::TierSelected => *sum.tiers.entry(text("tier")).or_default() += 1,
                Type::PassStarted => sum.passes_started += 1,
                Type::Paused => *sum.pauses.entry(text("reason")).or_default() += 1,
                Type::Completed => {
                    sum.completed += 1;
                    sum.seconds_to_gate.push(u64::try_from((at(event) - first) / 1000).unwrap_or_default());
                    began = None;
                }
                Type::PassFinished => {
                    sum.passes_finished += 1;
                    let count = |key: &str| event.data.get(key).and_then(Value::as_u64).unwrap_or_default();
                    sum.findings_fixed += count("fixes");
                    let rate = sum.find_rate.entry(count("iteration")).or_default();
                    rate.passes += 1;
                    rate.found += u64::from(count("findings") > 0);
                }
                Type::TierAssessed | Type::TierEscalated | Type::GateOverridden | Type::FenceRecovered => {}
            }
        }
    }
    sum.seconds_to_gate.sort_unstable();
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kept(value: Value) -> Result<BTreeMap<String, Value>, String> {
        payload(value.as_object().unwrap())
    }

    #[test]
    fn fields_are_a_closed_list_of_types_and_a_waves_own_words_are_other() {
        let fine =
            kept(json!({"tier": "small", "iteration": 2, "scope_changed": false, "reason_codes": ["concurrency", "my-secret"]})).unwrap();
        assert_eq!(fine["reason_codes"], json!(["concurrency", "other"]));
        assert_eq!(kept(json!({"reason": "acme-corp-token"})).unwrap()["reason"], "other");
        for bad in [
            json!({"scope_fingerprint": "ab"}),
            json!({"tier": "tiny"}),
            json!({"iteration": "2"}),
            json!({"iteration": -1}),
            json!({"branch": "main"}),
            json!({"pass_id": "../x"}),
            json!({"pass_id": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}),
            json!({"scope_changed": 1}),
            json!({"result_kind": "CLEAN"}),
        ] {
            assert!(kept(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn journals_are_summed_up() {
        let event = |kind: Type, s: i64, data: Value| Event {
            schema_version: 1,
            sequence: 1,
            loop_digest: "l".into(),
            kind,
            created_at: crate::base::time::iso_ms(s * 1000),
            data: payload(data.as_object().unwrap()).unwrap(),
        };
        let journal = vec![
            event(Type::TierSelected, 0, json!({"tier": "normal"})),
            event(Type::PassStarted, 1, json!({})),
            event(Type::PassFinished, 2, json!({"iteration": 1, "findings": 2, "fixes": 2})),
            event(Type::PassStarted, 3, json!({})),
            event(Type::PassFinished, 9, json!({"iteration": 2, "findings": 0})),
            event(Type::Completed, 10, json!({})),
        ];
        let sum = summarize(&[journal, vec![event(Type::Paused, 0, json!({"reason": "blocked"}))]]);
        assert_eq!((sum.loops, sum.completed, sum.passes_started, sum.passes_finished, sum.findings_fixed), (2, 1, 2, 2, 2));
        assert_eq!(sum.seconds_to_gate, [10]);
        assert_eq!((sum.find_rate[&1], sum.find_rate[&2]), (Rate { passes: 1, found: 1 }, Rate { passes: 1, found: 0 }));
        assert_eq!(sum.pauses["blocked"], 1);
    }
}
