//! close-wave: a wave's result validated, attested, credited, and the gate stepped (waves spec §8, §12).

use serde::Serialize;

use super::Ask;
use super::open_gate::View;
use super::open_wave::asked;
use super::wave::accept::{self, Closed, Stepped};
use super::wave::fence::{self, Life};
use super::wave::{Folder, Place, refuse_a_wave, refuse_beside_a_driver};
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::Host;
use crate::wave::evidence::Offence;
use crate::wave::gate::{Action, Pause};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// What ended the wave, where nothing it published counts.
    pub failure: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether the result was taken and the gate stepped.
    pub accepted: bool,
    /// What the gate does next.
    pub action: Option<Action>,
    /// What the wave said, in a word.
    pub result_kind: Option<&'static str>,
    /// How many findings it verified.
    pub findings: u64,
    /// Whether the reviewed content changed.
    pub scope_changed: bool,
    /// Everything that is to be mended: the pass stays open.
    pub mend: Vec<Offence>,
    /// What completes the pass now.
    pub generation: Option<String>,
    /// The gate.
    #[serde(flatten)]
    pub view: View,
}

/// What a caller may say ended a wave.
pub const FAILURES: [Pause; 6] = [
    Pause::PassTimeout,
    Pause::ProviderError,
    Pause::HumanIntervention,
    Pause::UserInterrupt,
    Pause::ReviewSessionUnavailable,
    Pause::CompletionReceiptMissing,
];

/// Closes the open pass. The question behind the exit status: was it accepted?
///
/// # Errors
/// `PASS_ACTIVE`, `NO_OPEN_PASS`, `OWNER_ALIVE`, `INVALID_ARGUMENT`, and those of scope and state.
pub fn run(request: &Request, host: &Host) -> Result<(Answer, Option<Ask>), Fail> {
    refuse_a_wave(host)?;
    let folder = Folder::find(host, &request.place)?;
    refuse_beside_a_driver(&folder)?;
    let failure = request.failure.as_deref().filter(|f| !f.is_empty()).map(|word| {
        Pause::parse(word).filter(|p| FAILURES.contains(p)).ok_or_else(|| {
            let known: Vec<&str> = FAILURES.iter().map(|p| p.word()).collect();
            Fail::new(Code::InvalidArgument, format!("`--failure {}` is not one of {}", printable(word), known.join(", ")))
        })
    });
    let failure = failure.transpose()?;
    let held = folder.hold()?;
    let gate = folder.opened()?;
    if let Some(owner) = gate.owner.as_ref().filter(|o| fence::life(&folder, o) == Life::Alive) {
        let message = format!("the open pass is run by process {}, which closes it", owner.pid);
        return Err(Fail::new(Code::OwnerAlive, message).hint("wait for it; recover-review is for a dead owner alone"));
    }
    accept::settle(&folder, &gate)?;
    Ok(match accept::close(&folder, &held, &gate, failure.map(|why| (why, None)))? {
        Closed::Stepped(stepped) => {
            let Stepped { gate, step, kind, findings, scope_changed, .. } = *stepped;
            let ask = step.pause.map(asked);
            let answer = Answer {
                accepted: true,
                action: Some(step.action),
                result_kind: Some(kind),
                findings,
                scope_changed,
                mend: Vec::new(),
                generation: None,
                view: View::of(&folder, &gate),
            };
            (answer, ask)
        }
        Closed::Rejected { mend, generation } => {
            let answer = Answer {
                accepted: false,
                action: None,
                result_kind: None,
                findings: 0,
                scope_changed: false,
                mend,
                generation: Some(generation),
                view: View::of(&folder, &folder.opened()?),
            };
            (answer, None)
        }
    })
}
