//! list-carryover: what a loop leaves behind, and the home each decision's reach implies (resolution spec §17).

use serde::Serialize;

use super::check_convergence::{self, Residual};
use super::render_trace;
use super::resolution::{Folder, Place};
use crate::base::Fail;
use crate::host::Host;
use crate::resolution::carryover::{self, Offer, PullRequest};
use crate::resolution::trace;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// One for each decision in force: an offer, and no condition of ending. Nothing is posted.
    pub offers: Vec<Offer>,
    /// What stays open.
    pub residual: Vec<Residual>,
    /// How the loop went.
    pub trace: String,
}

/// Lists what may be carried over.
///
/// # Errors
/// Those of the loop and of its documents.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    of(&Folder::open(host, &request.place)?)
}

/// What an open loop leaves behind.
///
/// # Errors
/// As [`run`].
pub fn of(folder: &Folder<'_>) -> Result<Answer, Fail> {
    let rounds = folder.rounds()?;
    let (ledger, _) = folder.ledger()?;
    let trace = render_trace::of(folder)?.iter().map(trace::render).collect::<Vec<_>>().join("\n");
    let pr = folder.record.pr.as_ref().map(|pr| PullRequest { number: pr.number, closes: pr.issues.clone() });
    Ok(Answer { offers: carryover::offers(ledger.in_force(), pr.as_ref(), &trace), residual: check_convergence::residual(&rounds), trace })
}
