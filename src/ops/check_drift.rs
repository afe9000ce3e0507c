//! check-drift: whether the round's artifact still serves what was pinned; before dispatch, and mandatory (design seed, Anti-drift).

use serde::Serialize;
use serde_json::{Map, json};

use super::design_loop::{self, Change, Folder, Place, handed};
use crate::base::{Code, Fail};
use crate::design::record::{Drift, Record};
use crate::host::Host;
use crate::wire::design_loop::drift;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// The round.
    pub round: Option<String>,
    /// The answers.
    pub input: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether everything that was pinned holds.
    pub unchanged: bool,
    /// What shifted: goal, scope, runtime_root, new_premises.
    pub shifted: Vec<&'static str>,
    /// The receipt.
    pub receipt: Map<String, serde_json::Value>,
}

/// Records a drift check. One that failed stands: the loop ends. One that held may be followed by another.
///
/// # Errors
/// `BAD_SHAPE`, `OUTCOME_REFUSED`, `ATTEMPT_MISMATCH`, those of an operation.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let folder = Folder::find(host, &request.place)?;
    let bytes = handed(host, "input", request.input.as_deref())?;
    let answers = drift(&bytes)?;
    let parts = [("goal", &answers.goal), ("scope", &answers.scope), ("runtime_root", &answers.runtime_root)];
    let mut shifted: Vec<&'static str> = parts.iter().filter(|(_, held)| held.answer == "shifted").map(|(name, _)| *name).collect();
    shifted.extend((!answers.new_premises.is_empty()).then_some("new_premises"));
    let (named, drifted) = (request.round.clone(), !shifted.is_empty());
    let payload = json!({"round": named, "goal": answers.goal, "scope": answers.scope, "runtime_root": answers.runtime_root,
        "new_premises": answers.new_premises});
    let listed = shifted.clone();
    let apply = move |folder: &Folder<'_>, record: &mut Option<Record>| {
        let round = design_loop::current(design_loop::existing(folder, record)?, named.as_deref())?;
        if round.drift_check.as_ref().is_some_and(|d| d.drifted) {
            return Err(Fail::new(Code::OutcomeRefused, "the loop drifted: it ends, and a person decides"));
        }
        round.drift_check = Some(Drift {
            checked_at: folder.now(),
            goal: answers.goal,
            scope: answers.scope,
            runtime_root: answers.runtime_root,
            new_premises: answers.new_premises,
            drifted,
        });
        Ok(Map::from_iter([("unchanged".to_owned(), json!(!drifted)), ("shifted".to_owned(), json!(listed))]))
    };
    let change = Change { command: "check-drift", payload, on_ruins: false, apply: Box::new(apply) };
    let done = design_loop::operate(&folder, &request.place, change)?;
    Ok(Answer { unchanged: shifted.is_empty(), shifted, receipt: done.receipt })
}
