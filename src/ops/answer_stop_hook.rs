//! answer-stop-hook: the answer to a host's stop hook while a gate is open (spec/ecosystem.md §2.5; issue 5).
//!
//! What it prints is the host's own format and its exit status is 0 whatever happens: any other would be read as a failed hook.

use std::path::Path;

use super::wave::{Folder, Place, is_wave};
use super::{check_receipt, show_gate};
use crate::base::digest::sha256_hex;
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
        // A key or folder that cannot be trusted is a record that cannot be read.
        Err(fail) if matches!(fail.code, Code::UntrustedFile | Code::NotRegularFile | Code::Corrupt | Code::TooLarge) => {
            return Ok(decide(&Standing::Unreadable(unreadable(&fail)), 0, request.cap.unwrap_or(CAP)));
        }
        Err(fail) => return Err(fail),
    };
    let standing = match folder.gate() {
        Ok(None) => Standing::Nothing,
        Ok(Some(gate)) => match gate.status {
            Status::Waived => Standing::Nothing,
            Status::Completed => match check_receipt::of(&folder, &gate, None) {
                Ok(violations) if violations.is_empty() => Standing::Nothing,
                _ => Standing::Open(format!(
                    "the receipt of the review gate no longer holds for what is checked out. Run the loop again: review-loop open-gate --loop-id {}",
                    folder.id
                )),
            },
            Status::Paused => Standing::Paused(gate.paused.as_ref().map_or("unknown", |p| p.reason.word()).to_owned()),
            Status::Open => Standing::Open(open(&folder, &gate)),
        },
        Err(fail) => Standing::Unreadable(unreadable(&fail)),
    };
    let blocked = count(&folder, session);
    let answer = decide(&standing, blocked, request.cap.unwrap_or(CAP));
    remember(&folder, session, if answer.decision.is_some() { blocked + 1 } else { 0 });
    Ok(answer)
}

fn unreadable(fail: &Fail) -> String {
    format!("the review gate's state cannot be trusted ({}): do not go on; a person looks at it", fail.code.word())
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
    let bytes = files::read_state(&counter(folder, session)).unwrap_or_default();
    let kept = json::parse(&bytes).ok();
    kept.as_ref().and_then(|v| v.get("blocked")).and_then(serde_json::Value::as_u64).unwrap_or(0)
}

fn remember(folder: &Folder<'_>, session: &str, blocked: u64) {
    if folder.dir.is_dir() {
        let record = serde_json::json!({"schema_version": 1, "blocked": blocked});
        // A counter that cannot be kept costs a block too many, never a gate.
        let _ = files::replace(folder.host, &counter(folder, session), &json::document(&record));
    }
}

/// The counter of a session: one does not count for another.
fn counter(folder: &Folder<'_>, session: &str) -> std::path::PathBuf {
    folder.dir.join(format!("hook-{}.json", &sha256_hex(session.as_bytes())[..12]))
}
