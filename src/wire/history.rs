//! A review history as diagnose-churn takes it: an array of rounds, sameness handed in as data (cases/churn/README.md).

use std::collections::HashMap;

use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::severity::Grade;
use crate::base::{Code, Fail, path::printable};
use crate::finding::churn::{Disposition, Finding, Round, Verdict};

/// Reads a history.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`, `ROUNDS_NOT_RISING`, `REPEATED_ID`, `UNKNOWN_SAME_AS`, `UNKNOWN_OPPOSES`.
pub fn read(bytes: &[u8]) -> Result<Vec<Round>, Fail> {
    let value = parse(bytes)?;
    let list = value.as_array().ok_or_else(|| Fail::new(Code::BadShape, "a history is an array of rounds"))?;
    let mut rounds: Vec<Round> = Vec::new();
    // The identity of every finding so far.
    let mut known: HashMap<String, usize> = HashMap::new();
    for (i, entry) in list.iter().enumerate() {
        let round = round(entry, &format!("/{i}"), &mut known)?;
        if rounds.last().is_some_and(|last| last.number >= round.number) {
            let message = format!("round {} does not come after round {}", round.number, rounds[rounds.len() - 1].number);
            return Err(Fail::new(Code::RoundsNotRising, message));
        }
        rounds.push(round);
    }
    Ok(rounds)
}

fn round(entry: &Value, at: &str, known: &mut HashMap<String, usize>) -> Result<Round, Fail> {
    let f = Fields::of(entry, at)?;
    let verdict = match f.text("verdict")? {
        "approve" => Verdict::Approve,
        "needs-attention" | "needs_attention" => Verdict::NeedsAttention,
        "absent" | "unproven" => Verdict::Absent,
        _ => return Err(f.wrong("verdict", "approve, needs-attention or absent")),
    };
    let dispositions = match f.get("dispositions") {
        None | Some(Value::Null) => HashMap::new(),
        Some(Value::Object(map)) => map.iter().map(|(k, v)| Ok((k.as_str(), disposition(&f, v)?))).collect::<Result<_, Fail>>()?,
        Some(_) => return Err(f.wrong("dispositions", "an object of ids")),
    };
    let mut findings = Vec::new();
    for (i, entry) in f.maybe_list("findings")?.iter().enumerate() {
        findings.push(finding(entry, &format!("{at}/findings/{i}"), &dispositions, known)?);
    }
    if let Some(stray) = dispositions.keys().find(|id| !findings.iter().any(|g: &Finding| g.id == **id)) {
        return Err(f.wrong("dispositions", &format!("of findings of this round, and `{}` is none", printable(stray))));
    }
    Ok(Round {
        number: f.count("round")?,
        verdict,
        findings,
        implemented: f.maybe_count("implemented_count")?.unwrap_or(0),
        surface: f.maybe_text("surface_fingerprint")?.unwrap_or_default().to_owned(),
    })
}

fn disposition(f: &Fields<'_>, value: &Value) -> Result<Disposition, Fail> {
    let known = value.as_str().and_then(Disposition::parse);
    known.ok_or_else(|| f.wrong("dispositions", "applied, dismissed, deferred or rejected for each id"))
}

fn finding(
    entry: &Value,
    at: &str,
    dispositions: &HashMap<&str, Disposition>,
    known: &mut HashMap<String, usize>,
) -> Result<Finding, Fail> {
    let f = Fields::of(entry, at)?;
    let id = f.text("id")?.to_owned();
    let shown = printable(&id);
    if known.contains_key(&id) {
        return Err(Fail::new(Code::RepeatedId, format!("the id `{shown}` stands twice in the history")));
    }
    let grade = match f.text("severity")? {
        "info" => Grade::Suggestion,
        word => Grade::parse(word).ok_or_else(|| f.wrong("severity", "critical, high, medium, low, suggestion or unknown"))?,
    };
    let named = |key: &str, code: Code| -> Result<Option<usize>, Fail> {
        let Some(other) = f.maybe_text(key)? else { return Ok(None) };
        let message = || format!("`{key}` of `{shown}` names `{}`, which is no earlier finding", printable(other));
        known.get(other).copied().map(Some).ok_or_else(|| Fail::new(code, message()))
    };
    let same = named("same_as", Code::UnknownSameAs)?;
    let opposes = named("opposes", Code::UnknownOpposes)?;
    // An identity is named by the number of the first finding that has it.
    let identity = same.unwrap_or(known.len());
    known.insert(id.clone(), identity);
    Ok(Finding {
        disposition: dispositions.get(id.as_str()).copied(),
        identity,
        opposes,
        grade,
        path: f.maybe_text("path")?.map(str::to_owned),
        line: f.maybe_count("line")?,
        in_changed_lines: f.get("in_lines_changed_by_previous_fix").is_some_and(|v| *v == Value::Bool(true)),
        id,
    })
}
