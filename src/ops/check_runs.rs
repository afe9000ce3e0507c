//! check-runs: which REVISE is owed, which launch is lost, and what is wrong with a run ledger; archives included, so that archiving
//! launders nothing (design seed, Verdict closure; spec/design-loop.md §3).

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use super::run_ledger::{Place, ledgers_below};
use crate::base::{Code, Fail};
use crate::host::{Host, walk};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The ledgers; without one those of all active work items.
    pub ledgers: Vec<String>,
    /// The folder artifacts are named from.
    pub root: Option<String>,
    /// Whether archived ledgers are left out.
    pub active_only: bool,
}

/// The answer. Every entry names its ledger where there are several.
#[derive(Debug, Default, Serialize)]
pub struct Answer {
    /// REVISEs that are owed.
    pub open: Vec<Value>,
    /// REVISEs that were closed.
    pub discharged: Vec<Value>,
    /// Launches without an end.
    pub unsettled: Vec<Value>,
    /// Whatever is wrong.
    pub errors: Vec<Value>,
    /// The ledgers that were read.
    pub ledgers: Vec<String>,
}

impl Answer {
    /// Whether nothing is owed and nothing wrong.
    pub fn is_clear(&self) -> bool {
        self.open.is_empty() && self.unsettled.is_empty() && self.errors.is_empty()
    }
}

/// Checks run ledgers.
///
/// # Errors
/// `INVALID_ARGUMENT`, why one cannot be read.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let root = request.root.as_deref().filter(|r| !r.is_empty()).map(|r| host.absolute(Some(r), "root")).transpose()?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for ledger in request.ledgers.iter().filter(|l| !l.is_empty()) {
        paths.push(host.absolute(Some(ledger), "ledger")?);
    }
    if paths.is_empty() {
        let top = root.clone().unwrap_or_else(|| walk::repository(&host.cwd).unwrap_or(&host.cwd).to_path_buf());
        let items = top.join("work-items");
        if !items.is_dir() {
            let message = format!("`--ledger` was not given, and there is no folder `{}`", items.to_string_lossy());
            return Err(Fail::new(Code::InvalidArgument, message).with("path", items.to_string_lossy().as_ref()));
        }
        paths = ledgers_below(&items.join("active"));
        if !request.active_only {
            paths.extend(ledgers_below(&items.join("archive")));
        }
    } else if !request.active_only {
        let archived: Vec<PathBuf> = paths.iter().flat_map(|p| Place::of(p.clone(), root.clone()).archived()).collect();
        paths.extend(archived);
    }
    let mut known = std::collections::BTreeSet::new();
    paths.retain(|p| known.insert(p.clone()));
    let mut answer = Answer::default();
    let several = paths.len() > 1;
    for path in paths {
        let place = Place::of(path, root.clone());
        let bytes = place.read()?;
        let shown = crate::base::path::printable(&place.path.to_string_lossy());
        if bytes.iter().all(u8::is_ascii_whitespace) {
            answer
                .errors
                .push(json!({"rule": "missing_field", "line": 0, "run_id": null, "message": "the ledger holds no event", "ledger": shown}));
        }
        let standing = place.standing(&bytes);
        let told = |value: Value| match value {
            Value::Object(mut fields) if several => {
                fields.insert("ledger".to_owned(), Value::from(shown.clone()));
                Value::Object(fields)
            }
            other => other,
        };
        let each = |values: Value| values.as_array().cloned().unwrap_or_default().into_iter().map(told);
        answer.open.extend(each(json!(standing.open)));
        answer.discharged.extend(each(json!(standing.discharged)));
        answer.unsettled.extend(each(json!(standing.unsettled)));
        answer.errors.extend(each(json!(standing.errors)));
        answer.ledgers.push(shown);
    }
    Ok(answer)
}
