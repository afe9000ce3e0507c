//! show-gate: how a gate stands and what comes next; readable while waves run (waves spec §21, 10).

use serde::Serialize;

use super::open_gate::View;
use super::wave::fence::{self, Life};
use super::wave::{Folder, Place, issue, refuse_a_wave};
use crate::base::Fail;
use crate::host::Host;
use crate::wire::gate::{Gate, Status};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
}

/// The wave that is under way.
#[derive(Debug, Serialize)]
pub struct Running {
    /// Its session.
    pub session_id: String,
    /// How long it runs, in seconds.
    pub elapsed_s: u64,
    /// How long it may; 0 is no limit.
    pub limit_s: u64,
    /// Its owner's process.
    pub owner_pid: Option<u32>,
    /// Whether the owner is alive, dead or unknown.
    pub owner: &'static str,
}

/// What comes next.
#[derive(Debug, Serialize)]
pub struct Next {
    /// The command; none where a person decides.
    pub command: Option<&'static str>,
    /// Why.
    pub why: String,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The gate.
    #[serde(flatten)]
    pub view: View,
    /// The wave that is under way.
    pub running: Option<Running>,
    /// What comes next.
    pub next: Next,
}

/// Shows a gate.
///
/// # Errors
/// `STATE_MISSING`, and why the state cannot be read.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    refuse_a_wave(host)?;
    let folder = Folder::find(host, &request.place)?;
    let gate = folder.opened()?;
    of(&folder, &gate)
}

/// A gate as it is shown.
///
/// # Errors
/// `OVERRIDE_STATE_INVALID`.
pub fn of(folder: &Folder<'_>, gate: &Gate) -> Result<Answer, Fail> {
    let running = gate.pass.as_ref().map(|pass| {
        let life = gate.owner.as_ref().map(|o| fence::life(folder, o));
        Ok::<_, Fail>(Running {
            session_id: pass.session_id.clone(),
            elapsed_s: u64::try_from((folder.host.now_ms() - pass.issued_ms) / 1000).unwrap_or_default(),
            limit_s: issue::limit(folder, gate, pass)?,
            owner_pid: gate.owner.as_ref().map(|o| o.pid),
            owner: match life {
                Some(Life::Alive) => "alive",
                Some(Life::Dead) => "dead",
                Some(Life::Unknown) | None => "unknown",
            },
        })
    });
    let running = running.transpose()?;
    Ok(Answer { view: View::of(folder, gate), next: next(gate, running.as_ref()), running })
}

/// What comes next for a gate.
pub fn next(gate: &Gate, running: Option<&Running>) -> Next {
    let next = |command, why: &str| Next { command, why: why.to_owned() };
    match (gate.status, running) {
        (Status::Completed, _) => next(Some("check-receipt"), "the gate is completed; its receipt is checked where the work goes on"),
        (Status::Waived, _) => next(None, "the gate was waived: there is no receipt of a clean review"),
        (Status::Paused, _) => {
            let reason = gate.paused.as_ref().map_or("unknown", |p| p.reason.word());
            next(Some("open-gate"), &format!("the gate is paused ({reason}); open-gate goes on once a person has decided"))
        }
        (Status::Open, Some(r)) if r.owner == "dead" => next(Some("recover-review"), "the owner of the open pass is dead"),
        (Status::Open, Some(r)) if r.owner_pid.is_some() => next(None, "a wave runs; wait for it"),
        (Status::Open, Some(_)) => next(Some("close-wave"), "a pass is open; close it once its wave has ended"),
        (Status::Open, None) => next(Some("open-wave"), "another wave is needed"),
    }
}
