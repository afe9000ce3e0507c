//! recover-review: a pass whose owner is provably dead taken off its gate, without credit (waves spec §13; wave-review seed, Persistence).

use serde::Serialize;
use serde_json::json;

use super::open_gate::View;
use super::wave::fence::{self, Life};
use super::wave::{Folder, Place, accept, events, issue, refuse_a_wave, refuse_beside_a_driver};
use crate::base::{Code, Fail};
use crate::host::Host;
use crate::wave::control::{Source, reason_offence};
use crate::wave::gate::Pause;
use crate::wave::journal::Type;

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
    /// The gate, which stays paused.
    #[serde(flatten)]
    pub view: View,
    /// The dead owner.
    pub owner_pid: u32,
}

/// Recovers a review.
///
/// # Errors
/// `PASS_ACTIVE`, `INVALID_ARGUMENT`, `STATE_MISSING`, `NO_OPEN_PASS`, `OWNER_ALIVE` unless the owner is provably dead.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    refuse_a_wave(host)?;
    let source = request.source.clone().filter(|s| !s.is_empty()).unwrap_or_else(|| Source::Human.word().to_owned());
    let source = Source::parse(&source).ok_or_else(|| Fail::new(Code::InvalidArgument, "`--source` is not one of agent, human"))?;
    if let Some(why) = reason_offence(request.reason.as_deref().unwrap_or_default()) {
        return Err(Fail::new(Code::InvalidArgument, format!("`--reason` {why}: a recovery says why")));
    }
    let folder = Folder::find(host, &request.place)?;
    refuse_beside_a_driver(&folder)?;
    let held = folder.hold()?;
    let mut gate = folder.opened()?;
    if gate.pass.is_none() {
        return Err(Fail::new(Code::NoOpenPass, format!("no pass of the gate `{}` is open", folder.id)));
    }
    let Some(owner) = gate.owner.clone() else {
        return Err(Fail::new(Code::OwnerAlive, "nobody is recorded as the owner of the open pass: close-wave closes it"));
    };
    match fence::life(&folder, &owner) {
        Life::Dead => {}
        Life::Alive => return Err(Fail::new(Code::OwnerAlive, format!("the owner of the open pass, process {}, is alive", owner.pid))),
        Life::Unknown => {
            let message = format!("whether the owner of the open pass, process {}, is alive cannot be said from here", owner.pid);
            return Err(Fail::new(Code::OwnerAlive, message));
        }
    }
    issue::retire(&mut gate);
    issue::pause(&mut gate, Pause::StaleReviewFenceRecovered, None);
    folder.keep(&held, &gate)?;
    accept::settle(&folder, &gate)?;
    events::note(&folder, &held, Type::FenceRecovered, json!({"source": source, "owner_pid": owner.pid, "reason": "none"}));
    accept::ended(&folder, &held, &gate);
    Ok(Answer { view: View::of(&folder, &gate), owner_pid: owner.pid })
}
