//! What a person needs at the gate: verdicts and reconciliations, which anchor would shift, the open blockers by round (design seed, Steps 6).

use serde_json::{Map, Value, json};

use crate::design::aggregate;
use crate::design::record::{Lane, Record, Status};
use crate::design::signals;
use crate::ops::Ask;

/// The question at the end of a loop, with what it is decided by.
pub fn ask(record: &Record) -> Value {
    let (code, question, options): (&'static str, String, Vec<(&'static str, &str)>) = match record.status {
        Status::Converged => (
            "converged",
            "the design converged; is it accepted?".to_owned(),
            vec![
                ("implement", "implement it with every guard the lanes named, and run its validation plan"),
                ("reject", "do not implement it"),
            ],
        ),
        Status::Drift => (
            "drift",
            "the revised design no longer serves what was pinned; what now?".to_owned(),
            vec![
                ("repin", "open a new loop with the anchors as they should be"),
                ("return", "open a new loop on a design that serves the pinned ones"),
                ("drop", "leave it"),
            ],
        ),
        Status::Deadlock => (
            "deadlock",
            format!("the loop did not converge in {} rounds; what now?", record.rounds.len()),
            vec![
                ("continue", "go on in a new loop: open-design-loop --continues, with rounds of its own"),
                ("accept_residual", "accept the design with its open blockers documented"),
                ("drop", "leave it"),
            ],
        ),
        Status::UnverifiedLane => (
            "unverified_lane",
            "a lane could not be verified; what now?".to_owned(),
            vec![("continue", "go on in a new loop once the lane can be run"), ("drop", "leave it: nothing was verified")],
        ),
        Status::Aborted | Status::Running => ("aborted", "the loop was ended".to_owned(), vec![("drop", "leave it")]),
    };
    let mut fields = match serde_json::to_value(Ask::new(code, question, &options)) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    fields.insert("lanes".to_owned(), lanes(record));
    fields.insert("blockers_by_round".to_owned(), blockers(record));
    if let Some(drift) = record.last().and_then(|r| r.drift_check.as_ref()).filter(|d| d.drifted) {
        fields.insert("drift".to_owned(), json!(drift));
    }
    let judged: Vec<_> = record.model_lanes.iter().filter(|m| m.state == "complete").collect();
    if !judged.is_empty() {
        fields.insert("model".to_owned(), json!(judged));
    }
    fields.insert("owed".to_owned(), json!(aggregate::of(record).owed));
    Value::Object(fields)
}

/// The verdicts and reconciliations of the last round.
fn lanes(record: &Record) -> Value {
    let number = record.rounds.len();
    let of = |lane: Lane| {
        let block = record.effective(number, lane).cloned().unwrap_or_default();
        const SHOWN: [&str; 10] = [
            "attempt_id",
            "verdict",
            "rationale",
            "blockers",
            "findings",
            "reconciliation",
            "root_proven",
            "scope_unchanged",
            "verification_adequate",
            "actual",
        ];
        let shown: Map<String, Value> = SHOWN.iter().filter_map(|k| Some(((*k).to_owned(), block.get(*k)?.clone()))).collect();
        (lane.word().to_owned(), Value::Object(shown))
    };
    Value::Object(Lane::ALL.iter().copied().map(of).collect())
}

/// The open blockers of each round.
fn blockers(record: &Record) -> Value {
    let each = (1..=record.rounds.len()).map(|n| json!({"round": n, "blockers": record.open_blockers(n)}));
    Value::Array(each.collect())
}

/// What the model lane is asked and shown of a class: its places by round, never the latest diff.
pub fn model_question(record: &Record, class: &str) -> Value {
    json!({
        "question": "is the mechanism right, or is the chase a symptom of a model mismatch?",
        "class": class,
        "history": signals::history(&record.blockers(), class),
        "outcomes": ["confirmed", "replaced", "residual_documented"],
    })
}
