//! check-receipt: whether a gate's receipt holds for what stands there now: every pass is opened again and everything made again.
//!
//! Source: waves spec §11; wave-review seed, Persistence and Receipt.

use serde::Serialize;

use super::open_gate::View;
use super::wave::{Folder, Place, accept, issue, ledger_sha256, proofs, refuse_a_wave};
use super::{assess_floor, detect_scope, fingerprint_scope, resolve_policy};
use crate::base::{Code, Fail};
use crate::host::{Host, files};
use crate::wave::criteria::STANDALONE;
use crate::wave::tier::{Source, check};
use crate::wire::gate::{Gate, Receipt, Status, open};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// A copy of the receipt, in place of the loop's own.
    pub receipt: Option<String>,
}

/// What does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The rule, in a word.
    pub rule: &'static str,
    /// What is wrong.
    pub message: String,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether it holds.
    pub valid: bool,
    /// `completed`, or `waived` where fewer passes were required than the policy asks for; none without a valid receipt.
    pub outcome: Option<Status>,
    /// Everything that does not hold.
    pub violations: Vec<Violation>,
    /// The gate; none where it cannot be read.
    pub gate: Option<View>,
}

/// Checks a receipt. The question behind the exit status: does it hold?
///
/// # Errors
/// Those of the checkout and the policy; `STATE_MISSING` where there is no gate at all.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    refuse_a_wave(host)?;
    let folder = Folder::find(host, &request.place)?;
    let gate = match folder.opened() {
        Ok(gate) => gate,
        Err(fail) if fail.code == Code::StateMissing => return Err(fail),
        Err(fail) => {
            let violations = vec![Violation { rule: "state", message: fail.message }];
            return Ok(Answer { valid: false, outcome: None, violations, gate: None });
        }
    };
    let violations = of(&folder, &gate, request.receipt.as_deref())?;
    let valid = violations.is_empty();
    let outcome = gate.receipt.as_ref().map(|r| r.outcome).filter(|_| valid);
    Ok(Answer { valid, outcome, violations, gate: Some(View::of(&folder, &gate)) })
}

/// Everything that does not hold of a gate's receipt.
///
/// # Errors
/// As [`run`].
pub fn of(folder: &Folder<'_>, gate: &Gate, copy: Option<&str>) -> Result<Vec<Violation>, Fail> {
    let mut found = Vec::new();
    let mut refuse = |holds: bool, rule: &'static str, message: &str| {
        if !holds {
            found.push(Violation { rule, message: message.to_owned() });
        }
    };
    let Some(receipt) = &gate.receipt else {
        refuse(false, "receipt_missing", &format!("the gate is {} and has no receipt", gate.status.word()));
        return Ok(found);
    };
    let file = match copy.filter(|c| !c.is_empty()) {
        Some(copy) => files::read_text(&folder.host.absolute(Some(copy), "receipt")?, 65_536),
        None => files::read_private(&folder.dir.join("receipt.json")),
    };
    let file = file.and_then(|bytes| open::<Receipt>(&bytes, |b| folder.mac(b)));
    refuse(file.as_ref().is_ok_and(|r| r == receipt), "receipt_file", "the receipt's file is not the one that the gate holds");
    let policy = resolve_policy::of(&folder.checkout)?;
    let own = folder.own(&gate.own);
    let now = fingerprint_scope::bound(&folder.checkout, gate.base.as_deref(), &own)?;
    let same = receipt.bound.scope_fingerprint == now.scope_fingerprint;
    refuse(same, "scope_fingerprint", "what is checked out is not what was reviewed");
    let published = accept::is_what_was_reviewed(folder, receipt.bound.head.as_deref(), now.head.as_deref())?;
    refuse(published, "head", "a commit made since holds something else than what is checked out");
    refuse(receipt.bound.boundary == now.boundary, "scope_boundary", "it is compared with something else than it was");
    refuse(receipt.policy_binding == policy.policy_binding, "policy_binding", "the trusted policy has other numbers");
    let criteria = folder.criteria(&receipt.criteria_binding);
    refuse(
        criteria.is_ok() && receipt.criteria_binding == gate.criteria_binding,
        "criteria_binding",
        "the criteria are not those that were approved",
    );
    refuse(issue::approved(gate).is_ok(), "criteria_binding", "other criteria were approved since");
    let trusted = policy.passes.of(receipt.selection.tier);
    let held = issue::target(folder, gate);
    let bound = held.as_ref().is_ok_and(|(required, binding)| *required == receipt.required && *binding == receipt.override_binding);
    let lowered = receipt.required < trusted;
    let enough = lowered || held.as_ref().is_ok_and(|(required, _)| *required <= receipt.required);
    refuse(enough, "required", "more clean passes are required now");
    refuse(held.is_ok(), "override_state", "the journal of overrides cannot be read");
    refuse(!lowered || bound, "override_binding", "fewer passes were required than the policy asks for, and the decision no longer holds");
    refuse(lowered || receipt.override_binding.is_none(), "override_binding", "a decision is named where none is needed");
    refuse(lowered == (receipt.outcome == Status::Waived), "outcome", "completed and waived are told by what was required");
    refuse(receipt.clean >= receipt.required && receipt.required > 0, "incomplete", "not as many clean passes as were required");
    refuse(
        check(&receipt.selection, receipt.criteria_binding == STANDALONE).is_ok(),
        "selection",
        "the tier and its reasons do not go together",
    );
    let request = detect_scope::Request { base: gate.base.clone(), own, ..Default::default() };
    let floor = assess_floor::of(&folder.checkout, &request, &policy.sensitive, folder.host)?;
    let above = receipt.selection.tier >= floor.tier || (receipt.exception && receipt.selection.source == Source::Environment);
    refuse(above, "floor", "the tier is below the floor of what is checked out, and no operator chose it");
    refuse(receipt.selection == gate.selection, "selection", "the receipt was made for another selection");
    let rows = &gate.ledger;
    refuse(rows.len() as u64 == receipt.clean, "ledger", "the ledger does not have a row for each clean pass");
    refuse(ledger_sha256(rows) == receipt.ledger_sha256, "ledger", "the ledger is not the one that the receipt was made over");
    let of_scope = rows.iter().all(|r| {
        r.scope_fingerprint == receipt.bound.scope_fingerprint
            && r.criteria_binding == receipt.criteria_binding
            && r.policy_binding == receipt.policy_binding
            && r.profile == receipt.selection.tier.profile()
    });
    refuse(of_scope, "ledger", "a credited pass reviewed another scope, under other criteria, policy or profile");
    let unique =
        |of: fn(&crate::wire::gate::Row) -> &str| rows.iter().map(of).collect::<std::collections::BTreeSet<_>>().len() == rows.len();
    refuse(unique(|r| &r.pass_id) && unique(|r| &r.attestation), "ledger", "a pass is credited twice");
    refuse(gate.status == Status::Completed, "paused", "the gate is not completed");
    for (iteration, flaw) in proofs::flaws(folder, gate, criteria.ok().flatten().as_ref()) {
        refuse(false, flaw.word(), &format!("the proof of wave {iteration} does not hold"));
    }
    Ok(found)
}
