//! answer-stop-hook: the answer to a host's stop hook while a gate is open (spec/ecosystem.md §2.5; issue 5).
//!
//! What it prints is the host's own format and its exit status is 0 whatever happens: any other would be read as a failed hook.

use std::path::Path;

use super::show_gate;
use super::wave::{Folder, Place, is_wave};
use crate::base::{Code, Fail};
use crate::host::{Host, files};
use crate::wave::hook::{Answer, CAP, Standing, decide};
use crate::wire::gate::Status;
use crate::wire::json;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop; that of the branch of the host's folder without one.
    pub place: Place,
    /// What the host says, as it was read.
    pub input: Vec<u8>,
    /// How often the end of a turn is blocked in a row at most.
    pub cap: Option<u64>,
}

/// Answers a hook.
///
/// # Errors
/// When the tool itself cannot look: the caller decides what that means (`--on-error`).
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    // A wave ends when it has handed in; its parent watches over the gate.
    if is_wave(host)? {
        return Ok(Answer::default());
    }
    let said = json::parse(&request.input).ok();
    let cwd = said.as_ref().and_then(|v| v.get("cwd")).and_then(serde_json::Value::as_str).filter(|c| Path::new(c).is_absolute());
    let session = said.as_ref().and_then(|v| v.get("session_id")).and_then(serde_json::Value::as_str).unwrap_or_default();
    let repo = request.place.repo.clone().or(cwd.map(str::to_owned));
    let folder = match Folder::find(host, &Place { repo, ..request.place.clone() }) {
        Ok(folder) => folder,
        // Outside a repository there is no gate.
        Err(fail) if matches!(fail.code, Code::NotARepository | Code::BareRepository) => return Ok(Answer::default()),
        Err(fail) => return Err(fail),
    };
    let standing = match folder.gate() {
        Ok(None) => Standing::Nothing,
        Ok(Some(gate)) => match gate.status {
            Status::Completed | Status::Waived => Standing::Nothing,
            Status::Paused => Standing::Paused(gate.paused.as_ref().map_or("unknown", |p| p.reason.word()).to_owned()),
            Status::Open => Standing::Open(open(&folder, &gate)),
        },
        Err(fail) => Standing::Unreadable(format!(
            "the review gate's state cannot be trusted ({}): do not go on; a person looks at {}",
            fail.code.word(),
            crate::base::path::printable(&folder.dir.to_string_lossy())
        )),
    };
    let blocked = count(&folder, session);
    let answer = decide(&standing, blocked, request.cap.unwrap_or(CAP));
    remember(&folder, session, if answer.decision.is_some() { blocked + 1 } else { 0 });
    Ok(answer)
}

/// What comes next, as an instruction.
fn open(folder: &Folder<'_>, gate: &crate::wire::gate::Gate) -> String {
    let shown = show_gate::of(folder, gate).ok();
    let id = &folder.id;
    let next = shown.as_ref().map(|s| (s.next.command, s.next.why.clone()));
    match next {
        Some((Some("recover-review"), _)) => format!(
            "the review gate is open and the owner of its pass is dead. Run: review-loop recover-review --loop-id {id} --source agent --reason \"review owner stopped after interrupt\""
        ),
        Some((Some(command), why)) => format!("the review gate is open: {why}. Run: review-loop {command} --loop-id {id}"),
        Some((None, why)) => format!("the review gate is open: {why}. Do not start another review"),
        None => format!("the review gate is open. Run: review-loop show-gate --loop-id {id}"),
    }
}

/// How often the end of this session's turn was blocked in a row.
fn count(folder: &Folder<'_>, session: &str) -> u64 {
    let bytes = files::read_state(&folder.dir.join(COUNTER)).unwrap_or_default();
    let kept = json::parse(&bytes).ok();
    let of = |key: &str| kept.as_ref().and_then(|v| v.get(key));
    let same = of("session_id").and_then(serde_json::Value::as_str) == Some(session);
    of("blocked").and_then(serde_json::Value::as_u64).filter(|_| same).unwrap_or(0)
}

fn remember(folder: &Folder<'_>, session: &str, blocked: u64) {
    if folder.dir.is_dir() {
        let record = serde_json::json!({"schema_version": 1, "session_id": session, "blocked": blocked});
        // A counter that cannot be kept costs a block too many, never a gate.
        let _ = files::replace(folder.host, &folder.dir.join(COUNTER), &json::document(&record));
    }
}

/// The name of the counter.
const COUNTER: &str = "hook.json";
