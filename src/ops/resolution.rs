//! The folder of a resolution loop: what is kept of each round, read back with what binds it, and the surface as it stands now.
//!
//! `<state root>/<checkout>/resolution/<loop id>/` holds `loop.json`, `decisions.jsonl` and `rounds/NNN/` with `bundle.json`, `prompt`,
//! `surface.json`, `attempt-N/` (evidence), `review.json`, `recurrence.json`, `dispositions.json`. Each of the later ones names the
//! digest of the one before it. Source: issue 4 (state); resolution spec, What a better implementation would do.

pub mod claims;
pub mod facts;
pub mod review;
pub mod surface;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use super::Place;
use super::checkout::Checkout;
use super::gather;
use crate::base::digest::sha256_hex;
use crate::base::id::LoopId;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::lock::{self, Held};
use crate::host::{Host, files};
use crate::resolution::decision::Ledger;
use crate::scope::pull_request::PullRequest;
use crate::source::conveyance::Exception;
use crate::wire::dispositions::Record as Dispositions;
use crate::wire::recurrence::Record as Recurrence;
use crate::wire::resolution_loop::Record;
use crate::wire::review::Review;
use crate::wire::surface::Surface;
use crate::wire::{dispositions, exceptions, recurrence, resolution_loop};

/// An open loop.
pub struct Folder<'h> {
    /// The surroundings.
    pub host: &'h Host,
    /// Its folder.
    pub dir: PathBuf,
    /// The root of all state.
    pub root: PathBuf,
    /// Its settings.
    pub record: Record,
    /// Its checkout.
    pub checkout: Checkout,
}

/// What is kept of a round.
pub struct Stored {
    /// Its number.
    pub round: u64,
    /// Its folder.
    pub dir: PathBuf,
    /// Its review.
    pub review: Review,
    /// SHA-256 of the review's file.
    pub review_sha256: String,
    /// What stood there when it was reviewed.
    pub surface: Surface,
    /// What was said about sameness.
    pub recurrence: Option<Recurrence>,
    /// SHA-256 of that file.
    pub recurrence_sha256: Option<String>,
    /// Its dispositions.
    pub dispositions: Option<Dispositions>,
    /// SHA-256 of that file.
    pub dispositions_sha256: Option<String>,
}

/// The name of the settings.
pub const LOOP: &str = "loop.json";
/// The name of the texts that a person excused.
pub const EXCEPTIONS: &str = "exceptions.json";
/// The name of the ledger.
pub const LEDGER: &str = "decisions.jsonl";

impl<'h> Folder<'h> {
    /// Opens a loop that exists.
    ///
    /// # Errors
    /// `NOT_A_REPOSITORY`, `INVALID_ARGUMENT` without a loop id, `BAD_ID`, `STATE_MISSING`, those of its settings.
    pub fn open(host: &'h Host, place: &Place) -> Result<Folder<'h>, Fail> {
        let folder = host.absolute(Some(place.repo.as_deref().unwrap_or(".")), "repository")?;
        let checkout = Checkout::open(host, &folder)?;
        let id = gather::loop_id(place.loop_id.as_deref())?;
        let id = id.ok_or_else(|| Fail::new(Code::InvalidArgument, "`--loop-id` is missing: open-resolution prints it"))?;
        let root = host.state_root(place.state_dir.as_deref())?;
        let dir = host.loop_dir(&root, &checkout.top, KIND, &id);
        let file = dir.join(LOOP);
        files::refuse_links_below(&root, &dir)?;
        let bytes = files::read_state(&file).map_err(|fail| match fail.code {
            Code::NotFound => Fail::new(Code::StateMissing, format!("there is no loop `{id}` of this checkout in `{}`", shown(&root))),
            _ => fail,
        })?;
        let record = resolution_loop::read(&bytes).map_err(|fail| named(fail, &file))?;
        if record.loop_id != id.as_str() {
            return Err(Fail::new(Code::InvalidState, format!("`{}` is the state of another loop", shown(&file))));
        }
        Ok(Folder { host, dir, root, record, checkout })
    }

    /// Locks the loop for one command, and reads its settings again: what another command wrote meanwhile counts.
    ///
    /// # Errors
    /// `LOCK_BUSY`, or the system's error, and those of its settings.
    pub fn hold(&mut self) -> Result<Held, Fail> {
        let held = lock::hold(self.host, &self.dir)?;
        self.refresh()?;
        Ok(held)
    }

    /// Takes over what a kill left between a file and its digest, and refuses to build on files that something else changed: a writer
    /// that went on would make them its own. Bound: the bytes of the loop's files.
    fn settle(&mut self) -> Result<(), Fail> {
        if let Some((path, digest)) = self.record.pending.take() {
            if self.digest(&path)?.as_ref() == Some(&digest) {
                self.record.heads.insert(path, digest);
            }
            self.save()?;
        }
        match self.changed_files()?.first() {
            Some(path) => {
                let file = self.dir.join(path);
                let message = format!("`{}` is not as this program wrote it", shown(&file));
                Err(Fail::new(Code::ForgedState, message).with("path", file.to_string_lossy().as_ref()))
            }
            None => Ok(()),
        }
    }

    /// Files of the loop that are not as this program wrote them: changed, gone, or put there by somebody else. Sorted. Bound: the bytes
    /// of the loop's files.
    ///
    /// # Errors
    /// Why one cannot be read.
    pub fn changed_files(&self) -> Result<Vec<String>, Fail> {
        const OF_ROUND: [&str; 8] =
            ["review.json", "surface.json", "bundle.json", "prompt", "recurrence.json", "dispositions.json", "draft.json", "brief.json"];
        let rounds = self.dir.join("rounds").read_dir().into_iter().flatten().flatten();
        let rounds = rounds.map(|e| e.file_name().to_string_lossy().into_owned());
        let there = rounds.flat_map(|round| OF_ROUND.map(|name| format!("rounds/{round}/{name}")));
        let there = there.chain([LEDGER.to_owned(), EXCEPTIONS.to_owned()]);
        let all: BTreeSet<String> = there.chain(self.record.heads.keys().cloned()).collect();
        let mut changed = Vec::new();
        for path in all {
            if !self.is_head(&path, self.digest(&path)?.as_deref()) {
                changed.push(path);
            }
        }
        Ok(changed)
    }

    /// SHA-256 of a file of the loop as it stands; of the ledger without a line that was cut off. None when it does not exist.
    fn digest(&self, path: &str) -> Result<Option<String>, Fail> {
        match files::read_state(&self.dir.join(path)) {
            Ok(bytes) if path == LEDGER => Ok(bytes.iter().rposition(|b| *b == b'\n').map(|at| sha256_hex(&bytes[..=at]))),
            Ok(bytes) => Ok(Some(sha256_hex(&bytes))),
            Err(fail) if fail.code == Code::NotFound => Ok(None),
            Err(fail) => Err(fail),
        }
    }

    /// What readers compute without a lock: once more when a writer was at work meanwhile, whose files belong to other settings.
    ///
    /// # Errors
    /// Those of the settings and of what is computed.
    pub fn steadily<T>(&mut self, compute: impl Fn(&Folder<'h>) -> Result<T, Fail>) -> Result<T, Fail> {
        let file = self.dir.join(LOOP);
        for _ in 0..50 {
            let before = files::read_state(&file)?;
            self.refresh()?;
            let computed = compute(self);
            if files::read_state(&file)? == before && self.record.pending.is_none() {
                return computed;
            }
            // One that is killed between its two writes leaves a pending file behind: then the lock is free, and no writer is at work
            // as long as it is ours.
            let free = lock::hold(&Host { lock_wait_ms: 100, ..self.host.clone() }, &self.dir);
            if let Ok(_held) = free {
                self.refresh()?;
                return compute(self);
            }
        }
        compute(self)
    }

    /// Locks the loop for something that a person's end of it forbids.
    ///
    /// # Errors
    /// As [`Folder::hold`], `LOOP_ENDED`, and `FORGED_STATE` when a file of the loop is not as it was written.
    pub fn hold_open(&mut self) -> Result<Held, Fail> {
        let held = self.hold()?;
        self.settle()?;
        match self.record.exited_at {
            Some(_) => Err(Fail::new(Code::LoopEnded, format!("the loop `{}` was ended by a person", self.record.loop_id))),
            None => Ok(held),
        }
    }

    /// Looks at the checkout again: what is read of one is read through a copy of its index, which a program that ran since may have
    /// moved on from.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn look_again(&mut self) -> Result<(), Fail> {
        self.checkout = Checkout::open(self.host, &self.checkout.top)?;
        Ok(())
    }

    /// Reads the settings again.
    ///
    /// # Errors
    /// Those of its settings.
    pub fn refresh(&mut self) -> Result<(), Fail> {
        let file = self.dir.join(LOOP);
        self.record = resolution_loop::read(&files::read_state(&file)?).map_err(|fail| named(fail, &file))?;
        Ok(())
    }

    /// Writes a file of the loop, whose lock is held, and takes its digest into the settings. The digest is stored before the file is:
    /// a kill in between leaves a file that one of the two digests is of.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn keep(&mut self, path: &str, bytes: &[u8]) -> Result<(), Fail> {
        let digest = self.announce(path, bytes)?;
        files::replace(self.host, &self.dir.join(path), bytes)?;
        self.host.failpoint("file-written");
        self.kept(path, digest)
    }

    /// Stores the digest that a file is going to have.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn announce(&mut self, path: &str, bytes: &[u8]) -> Result<String, Fail> {
        let digest = sha256_hex(bytes);
        self.record.pending = Some((path.to_owned(), digest.clone()));
        self.save()?;
        Ok(digest)
    }

    /// Takes the digest of a file that was written.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub fn kept(&mut self, path: &str, digest: String) -> Result<(), Fail> {
        self.record.heads.insert(path.to_owned(), digest);
        self.record.pending = None;
        self.save()
    }

    /// Whether a file's digest is one that this program wrote.
    pub fn is_head(&self, path: &str, digest: Option<&str>) -> bool {
        let pending = self.record.pending.as_ref().filter(|(p, _)| p == path).map(|(_, d)| d.as_str());
        match (digest, self.record.heads.get(path)) {
            (None, None) => true,
            (Some(found), head) => head.is_some_and(|h| h == found) || pending == Some(found),
            (None, Some(_)) => false,
        }
    }

    /// The path of a file of a round, from the loop's folder.
    pub fn round_path(round: u64, name: &str) -> String {
        format!("rounds/{round:03}/{name}")
    }

    /// The folder of a round.
    pub fn round_dir(&self, round: u64) -> PathBuf {
        self.dir.join("rounds").join(format!("{round:03}"))
    }

    /// The pull request that is under review; none where its edits were adopted and the working tree is.
    pub fn pull_request(&self) -> Option<&PullRequest> {
        self.record.pr.as_ref().filter(|_| self.record.kind == "pr")
    }

    /// Our own folders inside the checkout.
    pub fn own(&self) -> Vec<PathBuf> {
        let mine = self.host.checkout_dir(&self.root, &self.checkout.top);
        self.record.own.iter().map(PathBuf::from).chain([mine]).collect()
    }

    /// Writes the settings anew.
    ///
    /// # Errors
    /// Why they cannot be written.
    pub fn save(&self) -> Result<(), Fail> {
        files::replace(self.host, &self.dir.join(LOOP), &crate::wire::json::document(&self.record))
    }

    /// The ledger, and whether its last line was cut off.
    ///
    /// # Errors
    /// As [`gather::ledger`].
    pub fn ledger(&self) -> Result<(Ledger, bool), Fail> {
        gather::ledger(&self.dir.join(LEDGER))
    }

    /// The exact texts that a person excused.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub fn exceptions(&self) -> Result<Vec<Exception>, Fail> {
        Ok(document(&self.dir.join(EXCEPTIONS), exceptions::read)?.map(|(all, _)| all).unwrap_or_default())
    }

    /// Every round that was reviewed, in order. A gap is a refusal: what lies behind it is bound to nothing.
    ///
    /// # Errors
    /// Those of the documents, `INVALID_STATE` for a gap.
    pub fn rounds(&self) -> Result<Vec<Stored>, Fail> {
        let mut rounds = Vec::new();
        for round in 1.. {
            match self.stored(round)? {
                Some(stored) => rounds.push(stored),
                None => break,
            }
        }
        let names = self.dir.join("rounds").read_dir().into_iter().flatten().flatten();
        let behind = names.filter_map(|e| e.file_name().to_str().and_then(|n| n.parse::<u64>().ok()));
        let behind =
            behind.filter(|n| *n > rounds.len() as u64).find(|n| self.round_dir(*n).join("review.json").symlink_metadata().is_ok());
        if let Some(round) = behind {
            let path = self.round_dir(round);
            return Err(Fail::new(Code::InvalidState, format!("`{}` stands behind a round without a review", shown(&path))));
        }
        Ok(rounds)
    }

    fn stored(&self, round: u64) -> Result<Option<Stored>, Fail> {
        let dir = self.round_dir(round);
        let Some((review, review_sha256)) = document(&dir.join("review.json"), crate::wire::review::read)? else { return Ok(None) };
        if review.round != round {
            return Err(Fail::new(Code::InvalidState, format!("`{}` holds the review of another round", shown(&dir))));
        }
        let surface = document(&dir.join("surface.json"), crate::wire::surface::read)?;
        let missing = || Fail::new(Code::InvalidState, format!("`{}` has no surface.json", shown(&dir)));
        let (recurrence, recurrence_sha256) = document(&dir.join("recurrence.json"), recurrence::read)?.unzip();
        let (dispositions, dispositions_sha256) = document(&dir.join("dispositions.json"), dispositions::read)?.unzip();
        let surface = surface.ok_or_else(missing)?.0;
        Ok(Some(Stored { round, dir, review, review_sha256, surface, recurrence, recurrence_sha256, dispositions, dispositions_sha256 }))
    }
}

/// The kind of loop in the path of its folder.
pub const KIND: &str = "resolution";

/// A document of ours with the digest of its bytes; none when it does not exist.
///
/// # Errors
/// Why it cannot be read.
pub fn document<T>(path: &Path, read: impl Fn(&[u8]) -> Result<T, Fail>) -> Result<Option<(T, String)>, Fail> {
    match files::read_state(path) {
        Ok(bytes) => read(&bytes).map(|document| Some((document, sha256_hex(&bytes)))).map_err(|fail| named(fail, path)),
        Err(fail) if fail.code == Code::NotFound => Ok(None),
        Err(fail) => Err(fail),
    }
}

/// A refusal with the path of its document.
fn named(fail: Fail, path: &Path) -> Fail {
    Fail { message: format!("`{}`: {}", shown(path), fail.message), ..fail }.with("path", path.to_string_lossy().as_ref())
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// A fresh loop's folder, made exclusively.
///
/// # Errors
/// `BAD_ID`, `LOOP_MISMATCH` when a loop of that id is there, or why it cannot be written.
pub fn create<'h>(host: &'h Host, root: PathBuf, checkout: Checkout, record: Record) -> Result<Folder<'h>, Fail> {
    let id = LoopId::parse(&record.loop_id)?;
    let dir = host.loop_dir(&root, &checkout.top, KIND, &id);
    files::make_private_below(&root, &dir)?;
    if !files::create(host, &dir.join(LOOP), &crate::wire::json::document(&record))? {
        return Err(Fail::new(Code::LoopMismatch, format!("there is a loop `{id}` already")).hint("leave --loop-id out for a fresh one"));
    }
    Ok(Folder { host, dir, root, record, checkout })
}
