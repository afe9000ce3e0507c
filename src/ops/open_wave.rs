//! open-wave: one pass issued to a fresh reviewer (waves spec §7, §12; wave-review seed, Independent Per-Pass Contract).

use std::collections::BTreeMap;

use serde::Serialize;

use super::Ask;
use super::open_gate::{View, aimed};
use super::wave::{Folder, Place, accept, events, issue, refuse_a_wave, refuse_beside_a_driver};
use crate::base::{Code, Fail};
use crate::host::Host;
use crate::host::lock::Held;
use crate::wave::gate::Pause;
use crate::wave::journal::Type;
use crate::wire::gate::{Gate, Owner, Status};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
}

/// What a wave is started with.
#[derive(Debug, Serialize)]
pub struct Wave {
    /// Its session.
    pub session_id: String,
    /// Its pass.
    pub pass_id: String,
    /// What completes it.
    pub generation: String,
    /// What the pass is bound to.
    pub pass_binding: String,
    /// Its folder.
    pub dir: String,
    /// What it is told, as a file.
    pub prompt_file: String,
    /// Its own copy of the criteria.
    pub criteria_file: Option<String>,
    /// The declared checks.
    pub checks: Vec<String>,
    /// Its variables.
    pub env: BTreeMap<&'static str, String>,
    /// Seconds it may take; 0 is no limit.
    pub limit_s: u64,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The gate.
    #[serde(flatten)]
    pub view: View,
    /// The wave; none where none is needed any more, or a person must decide.
    pub wave: Option<Wave>,
}

/// What came of opening a wave.
pub enum Opened {
    /// A pass was issued.
    Issued(Box<(Gate, issue::Issued)>),
    /// The gate needs no further wave, or stands still.
    Ended(Box<Gate>),
}

/// Issues a pass.
///
/// # Errors
/// `PASS_ACTIVE`, `STATE_MISSING`, `GATE_NOT_OPEN`, `PASS_OPEN`, `BINDING_CHANGED`, `REVIEW_BUSY`, `OVERRIDE_STATE_INVALID`, `INVALID_CHECKS`.
pub fn run(request: &Request, host: &Host) -> Result<(Answer, Option<Ask>), Fail> {
    refuse_a_wave(host)?;
    let folder = Folder::find(host, &request.place)?;
    refuse_beside_a_driver(&folder)?;
    if let Some(other) = folder.other_open_pass() {
        return Err(Fail::new(Code::ReviewBusy, format!("the wave loop `{other}` of this checkout has an open pass")));
    }
    let held = folder.hold()?;
    let gate = folder.opened()?;
    Ok(match open(&folder, &held, gate, None)? {
        Opened::Issued(issued) => {
            let (gate, issued) = *issued;
            let limit_s = issue::limit(&folder, &gate, &issued.pass)?;
            (Answer { view: View::of(&folder, &gate), wave: Some(shown(&issued, limit_s)) }, None)
        }
        Opened::Ended(gate) => {
            let ask = gate.paused.as_ref().map(|p| asked(p.reason));
            (Answer { view: View::of(&folder, &gate), wave: None }, ask)
        }
    })
}

/// Issues a pass of a gate whose lock is held.
///
/// # Errors
/// As [`run`].
pub fn open(folder: &Folder<'_>, held: &Held, gate: Gate, owner: Option<Owner>) -> Result<Opened, Fail> {
    if gate.status != Status::Open {
        return Err(Fail::new(Code::GateNotOpen, format!("the gate `{}` is {}", folder.id, gate.status.word())));
    }
    if gate.pass.is_some() {
        return Err(Fail::new(Code::PassOpen, format!("the gate `{}` has an open pass", folder.id)));
    }
    let bound = issue::still_bound(folder, &gate)?;
    let before = gate.required;
    let mut gate = aimed(folder, gate)?;
    if gate.required != before {
        let data =
            serde_json::json!({"required_clean": gate.required, "trusted_required_clean": gate.policy.passes.of(gate.selection.tier)});
        events::note(folder, held, Type::GateOverridden, data);
    }
    if gate.status == Status::Open && issue::is_spent(folder, &gate)? {
        issue::pause(&mut gate, Pause::WaveBudgetExhausted, None);
    }
    if gate.status != Status::Open {
        folder.keep(held, &gate)?;
        accept::settle(folder, &gate)?;
        accept::ended(folder, held, &gate);
        return Ok(Opened::Ended(Box::new(gate)));
    }
    // Staging and committing what was reviewed leaves the scope as it is and moves HEAD.
    gate.bound = bound.clone();
    let issued = issue::issue(folder, held, &mut gate, bound, owner)?;
    events::note(folder, held, Type::PassStarted, events::started(&gate, &issued.pass));
    Ok(Opened::Issued(Box::new((gate, issued))))
}

/// A pass as it is shown.
pub fn shown(issued: &issue::Issued, limit_s: u64) -> Wave {
    let text = |name: &str| issued.dir.join(name).to_string_lossy().into_owned();
    let standalone = issued.pass.criteria_binding == crate::wave::criteria::STANDALONE;
    Wave {
        session_id: issued.pass.session_id.clone(),
        pass_id: issued.pass.pass_id.clone(),
        generation: issued.pass.generation.clone(),
        pass_binding: issued.pass.bindings().pass(),
        dir: issued.dir.to_string_lossy().into_owned(),
        prompt_file: text("prompt.md"),
        criteria_file: (!standalone).then(|| text("criteria.json")),
        checks: issued.checks.clone(),
        env: issued.env.iter().cloned().collect(),
        limit_s,
    }
}

/// The question of a pause: what is needed, in plain words.
pub fn asked(reason: Pause) -> Ask {
    let again = ("resume", "open-gate again, once that is done; credit that still holds is kept");
    let waive = ("waive", "skip the rest of the gate without a receipt: waive-gate, with a person's reason");
    Ask::new("gate_paused", format!("the gate is paused ({}): {}", reason.word(), intervention(reason)), &[again, waive])
}

/// What a pause needs.
pub fn intervention(reason: Pause) -> &'static str {
    match reason {
        Pause::UnresolvedFindings => "findings remain that the wave could not fix safely; fix or decide them",
        Pause::Blocked => "the wave misses a tool, context, authority or judgement; provide it",
        Pause::WaveReportedChurn | Pause::RepeatedFingerprint | Pause::AlternatingFingerprints | Pause::RepeatedFinding => {
            "waves find the same things again; a person looks at the direction of the fixes"
        }
        Pause::CleanMutatedScope | Pause::EscalationMutatedScope => {
            "a wave changed what it reviewed and said that it had not; look at the change"
        }
        Pause::ClaimedFixWithoutChange => "a wave claims fixes and nothing changed; look at its report",
        Pause::InvalidEscalation => "a wave asked for a tier that is not higher; look at its report",
        Pause::InvalidResult
        | Pause::CompletionReceiptMissing
        | Pause::CompletionReceiptInvalid
        | Pause::EvidenceManifestInvalid
        | Pause::InconsistentFindingsEvidence => "a wave ended without a report that could be taken; run another wave",
        Pause::ReceiptValidationFailed => "the receipt does not hold for what is checked out; open the gate again",
        Pause::PassAttestationInvalid | Pause::LedgerInvalid => {
            "records of the loop are not as they were written; find out who changed them"
        }
        Pause::PassTimeout => "a wave reached its time limit; raise review.pass-timeout, or run it again",
        Pause::ProviderError => "the client of a wave failed; see its streams in the pass's folder, and run it again",
        Pause::HumanIntervention | Pause::UserInterrupt => "a person stopped the loop; run it again to go on",
        Pause::ReviewCriteriaChanged => "the approved criteria changed under a wave; approve and seal them again",
        Pause::ScopeFingerprintError => "the scope could not be fingerprinted; mend the checkout",
        Pause::ScopeBoundaryChanged | Pause::SelectionScopeChanged => {
            "what is compared with moved under a wave; open the gate again on what is there now"
        }
        Pause::ReviewIdentityChanged => "branch or HEAD moved under a wave; check out what is to be reviewed and open the gate again",
        Pause::PolicyChanged => "the trusted policy changed; open the gate again under it",
        Pause::OverrideStateInvalid => "the journal of overrides cannot be read; a person looks at it",
        Pause::AssessmentInvalid | Pause::AssessmentTimeout | Pause::AssessmentProviderError => {
            "the risk could not be assessed; name a tier, or run it again"
        }
        Pause::AssessmentMutatedScope => "an assessor changed what it was to assess; look at the change",
        Pause::WaveBudgetExhausted => "the budget of waves is spent; raise review.max-waves, or look at why the gate is not reached",
        Pause::ReviewSessionUnavailable => "no fresh review session can be started here; make the client available",
        Pause::StaleReviewFenceRecovered => "a dead owner's pass was retired; run another wave, or skip on the user's wish alone",
    }
}
