//! Version 1: the record that agents wrote by hand, by the rules of the seed's own validator (spec/design-loop.md §1.3).

use serde_json::Value;

use super::{DEFAULT_CAP, Found, LANES, Rule, Terms, is_blank, is_said};

const ANCHORS: [&str; 3] = ["objective", "scope", "runtime_root"];

/// Checks the structure of a version 1 record.
pub(super) fn check(record: &Value, terms: &Terms, found: &mut Found) {
    for anchor in ANCHORS {
        found.demand(!is_blank(&record[anchor]), Rule::AnchorMissing, &format!("/{anchor}"), format!("`{anchor}` is missing or blank"));
    }
    let Some(rounds) = record["rounds"].as_array().filter(|r| !r.is_empty()) else {
        found.add(Rule::RoundsMissing, "/rounds", "there is no list of rounds, or none in it");
        return;
    };
    let (count, cap) = (rounds.len() as u64, terms.cap.unwrap_or(DEFAULT_CAP));
    found.demand(count <= cap, Rule::TooManyRounds, "/rounds", format!("{count} rounds are over the cap of {}", cap));
    for (n, round) in rounds.iter().enumerate() {
        let at = format!("/rounds/{n}");
        if round.is_object() {
            of_round(record, round, cap, &at, found);
        } else {
            found.add(Rule::NotAnObject, &at, "the round is no object");
        }
    }
}

fn of_round(record: &Value, round: &Value, cap: u64, at: &str, found: &mut Found) {
    let number = &round["round"];
    // A truth value counts as a number there.
    let stated = number.as_u64().or(number.as_bool().map(u64::from));
    let fits = number.is_null() || stated.is_some_and(|n| (1..=cap).contains(&n));
    found.demand(fits, Rule::RoundNumber, &format!("{at}/round"), format!("the round's number is none from 1 to {}", cap));
    for anchor in ANCHORS.iter().filter(|a| !is_blank(&record[**a])) {
        let same = round.get(anchor).is_none_or(|again| *again == record[*anchor]);
        found.demand(same, Rule::AnchorChanged, &format!("{at}/{anchor}"), format!("`{anchor}` is not what was pinned"));
    }
    found.demand(!is_blank(&round["diff"]), Rule::DiffMissing, &format!("{at}/diff"), "the round does not say what changed and why");
    let mut current: Vec<(&str, Value)> = Vec::new();
    for lane in LANES {
        if let Some(id) = of_lane(round, lane, at, found) {
            if current.iter().any(|(_, other)| *other == id) {
                let message = format!("`{lane}` shares its attempt with another lane");
                found.add(Rule::AttemptIdShared, &format!("{at}/{lane}/attempt_id"), message);
            }
            current.push((lane, id));
        }
    }
    of_failures(&round["lane_failures"], &current, &format!("{at}/lane_failures"), found);
}

/// Checks a lane; gives its attempt.
fn of_lane(round: &Value, lane: &str, at: &str, found: &mut Found) -> Option<Value> {
    let at = format!("{at}/{lane}");
    let Some(block) = round.get(lane) else {
        found.add(Rule::AngleMissing, &at, format!("the angle `{lane}` is missing"));
        return None;
    };
    if !block.is_object() {
        found.add(Rule::NotAnObject, &at, format!("the angle `{lane}` is no object"));
        return None;
    }
    if lane == "scout" {
        found.demand(block["findings"].is_array(), Rule::FindingsMissing, &format!("{at}/findings"), "the scout's findings are no list");
        found.demand(block.get("verdict").is_none(), Rule::ScoutVerdict, &format!("{at}/verdict"), "the scout casts no verdict");
    } else {
        verdict(block, &at, found);
    }
    let id = attempt(&block["attempt_id"]);
    found.demand(id.is_some(), Rule::AttemptIdMissing, &format!("{at}/attempt_id"), format!("`{lane}` names no attempt"));
    id
}

fn verdict(block: &Value, at: &str, found: &mut Found) {
    let stated = &block["verdict"];
    let place = format!("{at}/verdict");
    if stated.is_null() {
        found.add(Rule::VerdictMissing, &place, "there is no verdict");
    } else {
        let known = stated.as_str().is_some_and(|v| matches!(v.trim().to_uppercase().as_str(), "PASS" | "REVISE"));
        found.demand(known, Rule::VerdictUnknown, &place, "the verdict is neither PASS nor REVISE");
    }
    let founded = block["blockers"].as_array().is_some_and(|b| !b.is_empty()) || is_said(&block["rationale"]);
    found.demand(founded, Rule::BareVerdict, at, "the verdict names neither a blocker nor a rationale");
}

/// The id of an attempt as it is compared: any scalar, texts without the blanks around them.
fn attempt(id: &Value) -> Option<Value> {
    match id {
        Value::String(text) => Some(Value::from(text.trim())).filter(|_| !text.trim().is_empty()),
        Value::Number(_) | Value::Bool(_) => Some(id.clone()),
        _ => None,
    }
}

fn of_failures(failures: &Value, current: &[(&str, Value)], at: &str, found: &mut Found) {
    let Some(failures) = failures.as_array() else {
        found.add(Rule::FailuresMissing, at, "the failures are no list; [] says that there was none");
        return;
    };
    for (n, failure) in failures.iter().enumerate() {
        let at = format!("{at}/{n}");
        const KEYS: [&str; 4] = ["lane", "attempt_id", "failure", "redispatched_as"];
        let Some(fields) = failure.as_object() else {
            found.add(Rule::FailureMalformed, &at, "the failure is no object");
            continue;
        };
        let exact = fields.len() == KEYS.len() && KEYS.iter().all(|k| fields.contains_key(*k));
        if !exact {
            found.add(Rule::FailureMalformed, &at, "a failure has exactly lane, attempt_id, failure and redispatched_as");
            continue;
        }
        let lane = failure["lane"].as_str().filter(|l| LANES.contains(l));
        found.demand(lane.is_some(), Rule::FailureMalformed, &format!("{at}/lane"), "the lane is none of surgical, deep and scout");
        let kind = failure["failure"].as_str().is_some_and(|f| matches!(f, "error" | "died" | "limit"));
        found.demand(kind, Rule::FailureMalformed, &format!("{at}/failure"), "the failure is none of error, died and limit");
        let (failed, next) = (attempt(&failure["attempt_id"]), attempt(&failure["redispatched_as"]));
        found.demand(failed.is_some(), Rule::FailureMalformed, &format!("{at}/attempt_id"), "the attempt that failed is not named");
        found.demand(next.is_some(), Rule::FailureMalformed, &format!("{at}/redispatched_as"), "the attempt that followed is not named");
        let (Some(lane), Some(failed), Some(next)) = (lane, failed, next) else { continue };
        let is_current = current.iter().any(|(l, id)| *l == lane && *id == next);
        let message = format!("the failure of `{lane}` is not followed by the lane's current attempt");
        found.demand(failed != next && is_current, Rule::FailureUnreconciled, &format!("{at}/redispatched_as"), message);
    }
}
