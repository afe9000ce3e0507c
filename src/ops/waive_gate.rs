//! waive-gate: the rest of a gate skipped by an attributed decision, without a receipt (waves spec §14).

use serde::Serialize;

use super::open_gate::View;
use super::wave::{Folder, Place, accept, refuse_a_wave, refuse_beside_a_driver};
use crate::base::path::printable;
use crate::base::{Code, Fail, time};
use crate::host::Host;
use crate::wave::control::{Source, reason_offence};
use crate::wire::gate::{Gate, Status, Waiver};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// agent or human.
    pub source: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The gate.
    #[serde(flatten)]
    pub view: View,
    /// The decision.
    pub waiver: Waiver,
}

/// Waives a gate.
///
/// # Errors
/// `PASS_ACTIVE`, `INVALID_ARGUMENT`, `STATE_MISSING`, `PASS_OPEN` while a wave runs, `GATE_NOT_OPEN` where it is over already.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    refuse_a_wave(host)?;
    let source = request.source.clone().filter(|s| !s.is_empty()).unwrap_or_else(|| Source::Agent.word().to_owned());
    let source = Source::parse(&source)
        .ok_or_else(|| Fail::new(Code::InvalidArgument, format!("`--source {}` is not one of agent, human", printable(&source))))?;
    let reason = request.reason.clone().unwrap_or_default();
    if let Some(why) = reason_offence(&reason) {
        return Err(Fail::new(Code::InvalidArgument, format!("`--reason` {why}: a waiver is attributed and says why")));
    }
    let folder = Folder::find(host, &request.place)?;
    refuse_beside_a_driver(&folder)?;
    let held = folder.hold()?;
    let gate = folder.opened()?;
    match gate.status {
        Status::Completed => {
            return Err(Fail::new(Code::GateNotOpen, format!("the gate `{}` is completed: there is nothing to waive", folder.id)));
        }
        Status::Waived => return Err(Fail::new(Code::GateNotOpen, format!("the gate `{}` is waived already", folder.id))),
        Status::Open | Status::Paused => {}
    }
    if gate.pass.is_some() {
        return Err(Fail::new(Code::PassOpen, format!("the gate `{}` has an open pass", folder.id)));
    }
    let waiver = Waiver { source, reason, at: time::iso_ms(host.now_ms()) };
    let gate = Gate { status: Status::Waived, paused: None, waiver: Some(waiver.clone()), ..gate };
    folder.keep(&held, &gate)?;
    accept::settle(&folder, &gate)?;
    Ok(Answer { view: View::of(&folder, &gate), waiver })
}
