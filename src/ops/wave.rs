//! The folder of a wave loop: its gate, its key, its proofs, and the pass folders that waves work in.
//!
//! `<state root>/<checkout>/waves/<loop id>/` holds `gate.json` (the one state), `key`, `criteria.json`,
//! `proofs/<iteration>/`, `overrides.jsonl`, `events.jsonl` and `receipt.json`. `<state root>/<checkout>/passes/<session id>/` holds what
//! one wave is given and gives. Everything that changes a gate is one replacement of `gate.json`: a kill before it leaves the gate as it
//! was, a kill after it leaves nothing undone that the next command does not do. Source: waves spec §1, §10, §17, §21.

pub mod accept;
pub mod checks;
pub mod events;
pub mod fence;
pub mod issue;
pub mod overrides;
pub mod proofs;

use std::path::{Path, PathBuf};

pub use super::Place;
use super::checkout::Checkout;
use super::gather;
use crate::base::digest::{hmac_hex, sha256_hex};
use crate::base::id::{self, LoopId};
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::lock::{self, Held};
use crate::host::{Host, files, procs};
use crate::wave::criteria::{Criteria, STANDALONE};
use crate::wire::gate::{self, Gate, Pass};
use crate::wire::{criteria, json};

/// The kind of loop in the path of its folder.
pub const KIND: &str = "waves";

/// The name of the state.
pub const GATE: &str = "gate.json";

/// A loop, whether or not it has a gate yet.
pub struct Folder<'h> {
    /// The surroundings.
    pub host: &'h Host,
    /// The root of all state.
    pub root: PathBuf,
    /// Its folder.
    pub dir: PathBuf,
    /// Its id.
    pub id: String,
    /// Its checkout.
    pub checkout: Checkout,
    key: Vec<u8>,
}

impl<'h> Folder<'h> {
    /// Finds a loop.
    ///
    /// # Errors
    /// `NOT_A_REPOSITORY`, `BAD_ID`, `NOT_REGULAR_FILE` for a link on the way to it.
    pub fn find(host: &'h Host, place: &Place) -> Result<Folder<'h>, Fail> {
        let folder = host.absolute(Some(place.repo.as_deref().unwrap_or(".")), "repository")?;
        let checkout = Checkout::open(host, &folder)?;
        let root = host.state_root(place.state_dir.as_deref())?;
        let id = match gather::loop_id(place.loop_id.as_deref())? {
            Some(id) => id,
            None => LoopId::parse(&of_branch(&checkout)?)?,
        };
        let dir = host.loop_dir(&root, &checkout.top, KIND, &id);
        files::refuse_links_below(&root, &dir)?;
        let key = match files::read_private(&dir.join("key")) {
            Ok(key) => key,
            Err(fail) if fail.code == Code::NotFound => Vec::new(),
            Err(fail) => return Err(fail),
        };
        Ok(Folder { host, root, dir, id: id.as_str().to_owned(), checkout, key })
    }

    /// Looks at the checkout again: what is read of one is read through a copy of its index, which a program that ran since may have
    /// moved on from.
    ///
    /// # Errors
    /// As [`Folder::find`].
    pub fn look_again(&mut self) -> Result<(), Fail> {
        self.checkout = Checkout::open(self.host, &self.checkout.top)?;
        Ok(())
    }

    /// Makes the folder and the key of a loop that has none yet.
    ///
    /// # Errors
    /// Why they cannot be written.
    pub fn make(&mut self) -> Result<(), Fail> {
        files::make_private_below(&self.root, &self.dir)?;
        if self.key.is_empty() {
            let key = sha256_hex(format!("{}\0{}\0{}", uuid::Uuid::new_v4(), uuid::Uuid::new_v4(), self.id).as_bytes()).into_bytes();
            files::create(self.host, &self.dir.join("key"), &key)?;
            self.key = files::read_state(&self.dir.join("key"))?;
        }
        Ok(())
    }

    /// The mac of bytes by the loop's key.
    pub fn mac(&self, bytes: &[u8]) -> String {
        hmac_hex(&self.key, bytes)
    }

    /// Locks the loop for one command.
    ///
    /// # Errors
    /// `LOCK_BUSY`, or the system's error.
    pub fn hold(&self) -> Result<Held, Fail> {
        lock::hold(self.host, &self.dir)
    }

    /// As [`Folder::hold`], for a driver: the result of a wave is worth a longer wait.
    ///
    /// # Errors
    /// As [`Folder::hold`].
    pub fn hold_patiently(&self) -> Result<Held, Fail> {
        lock::hold(&Host { lock_wait_ms: 120_000, ..self.host.clone() }, &self.dir)
    }

    /// The gate; none when none was opened.
    ///
    /// # Errors
    /// Why it cannot be read, `FORGED_STATE`, `INVALID_STATE`.
    pub fn gate(&self) -> Result<Option<Gate>, Fail> {
        let path = self.dir.join(GATE);
        let bytes = match files::read_private(&path) {
            Ok(bytes) => bytes,
            Err(fail) if fail.code == Code::NotFound => return Ok(None),
            Err(fail) => return Err(fail),
        };
        let gate = gate::gate(&bytes, |b| self.mac(b)).map_err(|fail| named(fail, &path))?;
        if gate.loop_id != self.id {
            return Err(Fail::new(Code::ForgedState, format!("`{}` is the gate of another loop", shown(&path))));
        }
        Ok(Some(gate))
    }

    /// The gate of a loop that has one.
    ///
    /// # Errors
    /// `STATE_MISSING`, and those of [`Folder::gate`].
    pub fn opened(&self) -> Result<Gate, Fail> {
        self.gate()?.ok_or_else(|| {
            let message = format!("there is no gate `{}` of this checkout in `{}`", self.id, shown(&self.root));
            Fail::new(Code::StateMissing, message).hint("open-gate opens one")
        })
    }

    /// Replaces the gate, whose lock is held. This is the one instruction that changes a gate.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn keep(&self, _held: &Held, gate: &Gate) -> Result<(), Fail> {
        let bytes = gate::seal(gate, |b| self.mac(b));
        // What is written has to be what is read: a state that no reader takes would end the loop.
        gate::gate(&bytes, |b| self.mac(b))?;
        files::replace(self.host, &self.dir.join(GATE), &bytes)
    }

    /// Another loop of this checkout whose gate has an open pass.
    pub fn other_open_pass(&self) -> Option<String> {
        let all = self.dir.parent()?.read_dir().ok()?;
        let mut names: Vec<String> = all.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names.into_iter().filter(|n| *n != self.id).find(|name| {
            let dir = self.dir.with_file_name(name);
            let key = files::read_private(&dir.join("key")).unwrap_or_default();
            let gate = files::read_private(&dir.join(GATE)).and_then(|bytes| gate::gate(&bytes, |b| hmac_hex(&key, b)));
            gate.is_ok_and(|g| g.pass.is_some())
        })
    }

    /// The folder of a session.
    ///
    /// # Errors
    /// `BAD_ID`.
    pub fn session_dir(&self, session: &str) -> Result<PathBuf, Fail> {
        id::check(session, "session id")?;
        Ok(self.host.checkout_dir(&self.root, &self.checkout.top).join("passes").join(session))
    }

    /// Our own folders inside the checkout.
    pub fn own(&self, named: &[String]) -> Vec<PathBuf> {
        let mine = self.host.checkout_dir(&self.root, &self.checkout.top);
        named.iter().map(PathBuf::from).chain([mine]).collect()
    }

    /// The approved criteria of a gate: the loop's copy, which has to be what its approval names.
    ///
    /// # Errors
    /// `BINDING_CHANGED` when they are not what the gate is bound to.
    pub fn criteria(&self, binding: &str) -> Result<Option<Criteria>, Fail> {
        let changed = |why: &str| Err(Fail::new(Code::BindingChanged, format!("the criteria of the loop {why}")));
        let path = self.dir.join("criteria.json");
        if binding == STANDALONE {
            return if path.symlink_metadata().is_ok() { changed("appeared after it was opened without any") } else { Ok(None) };
        }
        let criteria = files::read_state(&path).and_then(|bytes| criteria::read(&bytes));
        match criteria {
            Ok(criteria) if criteria.binding() == binding && criteria.offences().is_empty() => Ok(Some(criteria)),
            _ => changed("are not what it was opened with"),
        }
    }
}

/// The pass of a session, as it was issued.
///
/// # Errors
/// `NO_OPEN_PASS` for a session that has none, and why it cannot be read.
pub fn pass_of(folder: &Folder<'_>, session: &str) -> Result<(PathBuf, Pass), Fail> {
    let dir = folder.session_dir(session)?;
    let path = dir.join("pass.json");
    let none = || Fail::new(Code::NoOpenPass, format!("there is no pass of the session `{session}` of this checkout"));
    let bytes = files::read_private(&path).map_err(|fail| if fail.code == Code::NotFound { none() } else { fail })?;
    let pass = gate::pass(&bytes).map_err(|fail| named(fail, &path))?;
    if pass.session_id == session { Ok((dir, pass)) } else { Err(Fail::new(Code::ForgedState, "the pass is one of another session")) }
}

/// The loop and the pass that a wave's own commands are about: those of its session.
///
/// # Errors
/// `INVALID_ARGUMENT` without a session, `NO_OPEN_PASS`, `FORGED_STATE` when the pass is not the one that its loop issued.
pub fn wave_of<'h>(host: &'h Host, place: &Place, session: Option<&str>) -> Result<(Folder<'h>, PathBuf, Pass, Gate), Fail> {
    let folder = Folder::find(host, place)?;
    let session = match session.filter(|s| !s.is_empty()) {
        Some(session) => session.to_owned(),
        None => variable_of(host, "REVIEW_LOOP_SESSION_ID", "DEX_SESSION_ID")?
            .ok_or_else(|| Fail::new(Code::InvalidArgument, "`--session-id` is missing, and so is `REVIEW_LOOP_SESSION_ID`"))?,
    };
    let (dir, pass) = pass_of(&folder, &session)?;
    let folder = if folder.id == pass.loop_id {
        folder
    } else {
        Folder::find(host, &Place { loop_id: Some(pass.loop_id.clone()), ..place.clone() })?
    };
    let gate = folder.opened()?;
    match &gate.pass {
        // A kill may leave an older generation in the wave's folder: the gate says which one completes the pass.
        Some(issued) if Pass { generation: issued.generation.clone(), ..pass.clone() } == *issued => {
            let pass = issued.clone();
            Ok((folder, dir, pass, gate))
        }
        Some(issued) if issued.session_id == pass.session_id => Err(Fail::new(Code::ForgedState, "the pass is not as its loop issued it")),
        _ => Err(Fail::new(Code::NoOpenPass, format!("the pass of the session `{session}` is over"))),
    }
}

/// Refuses a wave what only its parent may do.
///
/// # Errors
/// `PASS_ACTIVE`.
pub fn refuse_a_wave(host: &Host) -> Result<(), Fail> {
    match is_wave(host)? {
        true => Err(Fail::new(Code::PassActive, "this is a review wave, and the command is its parent's alone")),
        false => Ok(()),
    }
}

/// Refuses what a parent does by hand while a driver runs on the checkout, whoever asks: a wave or an assessor that dropped its variables
/// plays no gate of its own.
///
/// # Errors
/// `REVIEW_BUSY`.
pub fn refuse_beside_a_driver(folder: &Folder<'_>) -> Result<(), Fail> {
    let asked = lock::hold(&Host { lock_wait_ms: 0, ..folder.host.clone() }, &folder.checkout.git_dir);
    match asked {
        Err(fail) if fail.code == Code::LockBusy => {
            Err(Fail::new(Code::ReviewBusy, "a wave loop runs on this checkout, and its driver alone steps the gate"))
        }
        Err(fail) => Err(fail),
        Ok(_) => Ok(()),
    }
}

/// Refuses whoever runs below the owner of an open pass, whatever its variables say: it is the wave.
///
/// # Errors
/// `PASS_ACTIVE`.
pub fn refuse_below(gate: &Gate) -> Result<(), Fail> {
    let owner = gate.owner.as_ref().filter(|o| o.pid != std::process::id());
    // Whose ancestors cannot be seen, because it put itself into a namespace of its own, is taken for the wave.
    let unseen = owner.is_some_and(|o| o.pid_namespace.is_some() && o.pid_namespace != procs::pid_namespace());
    match unseen || owner.is_some_and(|o| procs::is_below(o.pid)) {
        true => Err(Fail::new(
            Code::PassActive,
            "this process was started by the review wave that is open, and the command is its parent's alone",
        )),
        false => Ok(()),
    }
}

/// Whether the caller is a wave.
///
/// # Errors
/// `INVALID_ARGUMENT` when the two spellings disagree.
pub fn is_wave(host: &Host) -> Result<bool, Fail> {
    Ok(variable(host, "PASS_ACTIVE")?.is_some_and(|v| v != "0"))
}

/// A variable by our name or by the seed's; when both are set they have to agree.
///
/// # Errors
/// `INVALID_ARGUMENT`.
pub fn variable(host: &Host, name: &str) -> Result<Option<String>, Fail> {
    variable_of(host, &format!("REVIEW_LOOP_{name}"), &format!("DEX_REVIEW_{name}"))
}

/// As [`variable`], by both whole names.
///
/// # Errors
/// `INVALID_ARGUMENT`.
pub fn variable_of(host: &Host, ours: &str, older: &str) -> Result<Option<String>, Fail> {
    let read = |name: &str| host.var(name).filter(|v| !v.is_empty()).map(str::to_owned);
    match (read(ours), read(older)) {
        (Some(a), Some(b)) if a != b => Err(Fail::new(Code::InvalidArgument, format!("`{ours}` and `{older}` disagree"))),
        (a, b) => Ok(a.or(b)),
    }
}

/// The loop of a branch, so that a run that ended is found again.
fn of_branch(checkout: &Checkout) -> Result<String, Fail> {
    let branch = checkout.git.ask(&["symbolic-ref", "-q", "--short", "HEAD"], b"")?.text();
    if branch.is_empty() {
        // One for every commit: a loop is not lost by committing.
        return Ok("detached".to_owned());
    }
    let slug: String = branch.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).take(64).collect();
    Ok(format!("branch-{}-{}", slug.trim_matches('-'), &sha256_hex(branch.as_bytes())[..8]))
}

/// A refusal with the path of its document.
pub fn named(fail: Fail, path: &Path) -> Fail {
    Fail { message: format!("`{}`: {}", shown(path), fail.message), ..fail }.with("path", path.to_string_lossy().as_ref())
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// The canonical digest of a ledger.
pub fn ledger_sha256(rows: &[gate::Row]) -> String {
    sha256_hex(&json::compact(&rows))
}
