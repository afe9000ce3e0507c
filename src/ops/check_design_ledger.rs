//! check-design-ledger: whether the ledger of a design loop holds, by structure and by soundness (design seed, review-loop-state ledger;
//! spec/design-loop.md §1, §6).

use serde::Serialize;

use crate::base::{Code, Fail, number};
use crate::design::ledger::proofs::{self, Proof};
use crate::design::ledger::{Checked, Terms, check};
use crate::host::{Host, files};
use crate::wire::design_ledger;

/// The largest ledger that is read.
const LIMIT: u64 = 64 << 20;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The ledger.
    pub ledger: Option<String>,
    /// The cap on rounds.
    pub cap: Option<String>,
    /// Whether soundness decides too.
    pub strict: bool,
    /// Whether the loop has to have ended.
    pub require_terminal: bool,
    /// Whether the rules are proven instead.
    pub self_test: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether the ledger holds; of the self test, whether every rule was proven.
    pub valid: bool,
    /// The record.
    #[serde(flatten)]
    pub checked: Option<Checked>,
    /// The rules and how they came out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proofs: Option<Vec<Proof>>,
}

/// Checks a ledger.
///
/// # Errors
/// Why it cannot be read; `INVALID_ARGUMENT`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let proofs = request.self_test.then(proofs::all);
    let proven = proofs.iter().flatten().all(|p| p.passes && p.fails);
    let Some(ledger) = request.ledger.as_deref().filter(|l| !l.is_empty()) else {
        return match proofs {
            Some(proofs) => Ok(Answer { valid: proven, checked: None, proofs: Some(proofs) }),
            None => Err(Fail::new(Code::InvalidArgument, "neither `--ledger` nor `--self-test` was given")),
        };
    };
    let cap = request.cap.as_deref().map(|c| number::plain("--cap", c, 1..=1000)).transpose()?;
    let terms = Terms { cap, terminal: request.require_terminal };
    let path = host.absolute(Some(ledger), "ledger")?;
    let extension = path.extension().map(|e| e.to_string_lossy().into_owned());
    let record = design_ledger::read(&files::read_text(&path, LIMIT)?, extension.as_deref())?;
    let checked = check(&record, &terms);
    Ok(Answer { valid: checked.holds(request.strict) && proven, checked: Some(checked), proofs })
}
