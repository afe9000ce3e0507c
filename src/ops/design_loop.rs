//! The folder of a design loop: its record, its frozen artifacts and evidence, and the one way in which an operation changes it
//! (spec/design-loop.md §1.7, §1.8; issue 6).
//!
//! An operation takes the lock, puts away what a kill left behind, reads and checks the record, answers a repeated operation with its
//! stored receipt, hashes everything frozen again, applies, checks the whole record and replaces it; then it reads it back.

pub mod report;
pub mod runs;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::base::canon::canonical;
use crate::base::digest::sha256_hex;
use crate::base::path::printable;
use crate::base::{Code, Fail, id, time};
use crate::design::record::{Artifact, Engine, Lane, Operation, Record, Round, Status};
use crate::host::lock::Held;
use crate::host::{Host, files, git, lock, walk};
use crate::wire::{design_loop, json as wire};

/// The record.
const STATE: &str = "state.json";

/// The largest artifact, prompt or output that is read.
pub const LIMIT: u64 = 16 << 20;

/// Which loop.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// A folder of the repository.
    pub repo: Option<String>,
    /// Where the loops lie; `.scratch/reviews` of the repository else.
    pub reviews_dir: Option<String>,
    /// The loop.
    pub loop_id: Option<String>,
    /// The operation.
    pub operation_id: Option<String>,
}

/// A loop's folder.
pub struct Folder<'h> {
    /// The outside world.
    pub host: &'h Host,
    /// The repository's top.
    pub top: PathBuf,
    /// The loops' folder.
    pub reviews: PathBuf,
    /// The loop's own.
    pub dir: PathBuf,
    /// Its id.
    pub id: String,
}

impl<'h> Folder<'h> {
    /// Finds a loop's folder. Nothing is written.
    ///
    /// # Errors
    /// `BAD_ID`, `PATH_ESCAPE`.
    pub fn find(host: &'h Host, place: &Place) -> Result<Folder<'h>, Fail> {
        let start = host.absolute(Some(place.repo.as_deref().filter(|r| !r.is_empty()).unwrap_or(".")), "repo")?;
        let top = walk::repository(&start).unwrap_or(&start).to_path_buf();
        let loop_id = place.loop_id.clone().unwrap_or_default();
        id::check(&loop_id, "loop")?;
        let (root, reviews) = match place.reviews_dir.as_deref().filter(|d| !d.is_empty()) {
            None => (top.clone(), top.join(".scratch/reviews")),
            Some(dir) => {
                let dir = host.absolute(Some(dir), "reviews folder")?;
                if dir.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink()) {
                    let message = format!("`{}` is a link", printable(&dir.to_string_lossy()));
                    return Err(Fail::new(Code::PathEscape, message).with("path", dir.to_string_lossy().as_ref()));
                }
                (dir.clone(), dir)
            }
        };
        let dir = reviews.join(&loop_id);
        let escape = |fail: Fail| Fail::new(Code::PathEscape, fail.message).with("path", dir.to_string_lossy().as_ref());
        files::refuse_links_below(&root, &dir).map_err(escape)?;
        for name in ["artifacts", "evidence"] {
            files::refuse_links_below(&root, &dir.join(name)).map_err(escape)?;
        }
        Ok(Folder { host, top, reviews, dir, id: loop_id })
    }

    /// Locks the loop, whose folder is made when it is missing.
    ///
    /// # Errors
    /// `LOCK_BUSY`, those of the disk.
    pub fn hold(&self) -> Result<Held, Fail> {
        let root = if self.reviews.starts_with(&self.top) { &self.top } else { &self.reviews };
        let missing: Vec<&Path> = self.dir.ancestors().take_while(|a| *a != root.as_path() && !a.exists()).collect();
        for folder in missing.into_iter().rev() {
            files::make_private_dir(folder)?;
        }
        lock::hold(self.host, &self.dir)
    }

    /// The record; none when the loop was never opened.
    ///
    /// # Errors
    /// Why it cannot be read, with its path.
    pub fn record(&self) -> Result<Option<Record>, Fail> {
        let path = self.dir.join(STATE);
        let bytes = match files::read_state(&path) {
            Err(fail) if fail.code == Code::NotFound => return Ok(None),
            other => other?,
        };
        let record = design_loop::read(&bytes).map_err(|fail| fail.with("path", path.to_string_lossy().as_ref()))?;
        if record.loop_id != self.id {
            let message = format!("`{}` is the record of another loop", printable(&path.to_string_lossy()));
            return Err(Fail::new(Code::InvalidLedger, message).with("path", path.to_string_lossy().as_ref()));
        }
        Ok(Some(record))
    }

    /// The record of a loop that was opened.
    ///
    /// # Errors
    /// `STATE_MISSING`, those of [`Folder::record`].
    pub fn opened(&self) -> Result<Record, Fail> {
        self.record()?.ok_or_else(|| self.missing())
    }

    fn missing(&self) -> Fail {
        let message = format!("there is no design loop in `{}`", printable(&self.dir.to_string_lossy()));
        Fail::new(Code::StateMissing, message).with("path", self.dir.to_string_lossy().as_ref())
    }

    /// What a frozen artifact says; none when its commit no longer holds it.
    ///
    /// # Errors
    /// Those of the disk and of git.
    pub fn content(&self, artifact: &Artifact) -> Result<Option<Vec<u8>>, Fail> {
        if let Some(snapshot) = &artifact.snapshot {
            return files::read_state(&self.dir.join(snapshot)).map(Some);
        }
        let (Some(oid), Some(path)) = (artifact.revision.strip_prefix("git:"), &artifact.source) else { return Ok(None) };
        self.blob(oid, path)
    }

    /// A file of a commit; none when it holds no such file.
    fn blob(&self, oid: &str, path: &str) -> Result<Option<Vec<u8>>, Fail> {
        let blob = git::Git::at(self.host, &self.top).ask(&["cat-file", "blob", &format!("{oid}:{path}")], &[])?;
        Ok(Some(blob.stdout).filter(|_| blob.code == 0))
    }

    /// Writes the record and reads it back.
    fn keep(&self, record: &Record) -> Result<(), Fail> {
        let value = serde_json::to_value(record).unwrap_or_default();
        let violations = design_loop::violations(&value);
        if !violations.is_empty() {
            return Err(design_loop::invalid(Code::InvalidResult, &violations));
        }
        let bytes = wire::document(&value);
        let path = self.dir.join(STATE);
        self.host.failpoint("design-keeping");
        files::replace(self.host, &path, &bytes)?;
        self.host.failpoint("design-kept");
        if files::read_state(&path).ok().as_deref() != Some(&bytes[..]) {
            let message = format!("`{}` does not read back as it was written", printable(&path.to_string_lossy()));
            return Err(Fail::new(Code::CommitUncertain, message).with("path", path.to_string_lossy().as_ref()));
        }
        Ok(())
    }

    /// Puts away what a kill left: temporary files, and frozen copies that no record names. Nothing is touched while the record cannot be
    /// read.
    fn recover(&self, record: Option<&Record>) -> Result<(), Fail> {
        files::sweep_stray_temps(self.host, &self.dir.join(STATE));
        let known: BTreeSet<String> = record.map(named).unwrap_or_default();
        for folder in ["artifacts", "evidence"] {
            for entry in self.dir.join(folder).read_dir().into_iter().flatten().flatten() {
                let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
                let ours = name.ends_with(".snapshot") || name.ends_with(".captured") || name.contains(".tmp.");
                if ours && !known.contains(&name) && entry.file_type().is_ok_and(|t| t.is_file()) {
                    files::remove(&entry.path())?;
                }
            }
        }
        Ok(())
    }

    /// Whether everything frozen is what was frozen.
    fn intact(&self, record: &Record) -> Result<(), Fail> {
        let mutated = |path: &Path| {
            let message = format!("`{}` is not what was frozen", printable(&path.to_string_lossy()));
            Fail::new(Code::ArtifactMutated, message).with("path", path.to_string_lossy().as_ref())
        };
        for round in &record.rounds {
            match &round.artifact.snapshot {
                Some(snapshot) => {
                    let path = self.dir.join(snapshot);
                    let bytes = files::read_state(&path).map_err(|_| mutated(&path))?;
                    if format!("sha256:{}", sha256_hex(&bytes)) != round.artifact.revision {
                        return Err(mutated(&path));
                    }
                }
                None => {
                    let oid = round.artifact.revision.strip_prefix("git:").unwrap_or_default();
                    let args = ["cat-file", "-e", &format!("{oid}^{{commit}}")];
                    if git::Git::at(self.host, &self.top).ask(&args, &[])?.code != 0 {
                        let message = format!("the commit `{oid}` is not in this repository");
                        return Err(Fail::new(Code::ArtifactMutated, message).with("path", self.top.to_string_lossy().as_ref()));
                    }
                }
            }
        }
        for evidence in &record.root_evidence {
            let path = self.dir.join(captured_name(&evidence.sha256));
            if files::read_state(&path).map_or(true, |bytes| sha256_hex(&bytes) != evidence.sha256) {
                return Err(mutated(&path));
            }
        }
        Ok(())
    }

    /// Keeps a copy by its content; one that is there has that content.
    ///
    /// # Errors
    /// Those of the disk, `ARTIFACT_MUTATED`.
    pub fn freeze(&self, name: &str, bytes: &[u8]) -> Result<(), Fail> {
        let path = self.dir.join(name);
        if let Some(folder) = path.parent() {
            files::make_private_dir(folder)?;
        }
        if !files::create(self.host, &path, bytes)? && files::read_state(&path)? != bytes {
            let message = format!("`{}` holds something else", printable(&path.to_string_lossy()));
            return Err(Fail::new(Code::ArtifactMutated, message).with("path", path.to_string_lossy().as_ref()));
        }
        self.host.failpoint("design-frozen");
        Ok(())
    }

    /// An id for an attempt that no other attempt has. `seed` tells it from others of its lane and round; with a seed that is the same
    /// every time, an operation that is repeated after a kill names the same attempt.
    pub fn attempt_id(&self, lane: &str, round: usize, seed: &str) -> String {
        let fresh = sha256_hex(format!("{seed}\n{}\n{lane}\n{round}", self.id).as_bytes());
        format!("{lane}-r{round}-{}", &fresh[..12])
    }

    /// Now, as it is written.
    pub fn now(&self) -> String {
        time::iso_ms(self.host.now_ms())
    }
}

/// The frozen copies that a record names.
fn named(record: &Record) -> BTreeSet<String> {
    let artifacts = record.rounds.iter().filter_map(|r| r.artifact.snapshot.clone());
    artifacts.chain(record.root_evidence.iter().map(|e| captured_name(&e.sha256))).collect()
}

/// Where captured evidence is kept.
pub fn captured_name(sha256: &str) -> String {
    format!("evidence/{sha256}.captured")
}

/// What an operation does.
pub struct Change<'a> {
    /// Its command.
    pub command: &'static str,
    /// What it was given, contents as digests.
    pub payload: Value,
    /// Whether it may be carried out on what is no longer intact: ending a loop as aborted.
    pub on_ruins: bool,
    /// Carries it out; gives what its receipt holds beside the common fields.
    #[allow(clippy::type_complexity, reason = "said once")]
    pub apply: Box<dyn FnOnce(&Folder<'_>, &mut Option<Record>) -> Result<Map<String, Value>, Fail> + 'a>,
}

/// What came of an operation.
pub struct Done {
    /// Its receipt.
    pub receipt: Map<String, Value>,
    /// The record as it stands.
    pub record: Record,
    /// Whether it had been carried out before.
    pub replayed: bool,
}

/// Carries out an operation.
///
/// # Errors
/// `BAD_ID`, `LOCK_BUSY`, `RECOVERY_REQUIRED`, `OPERATION_CONFLICT`, `LOOP_CLOSED`, `ARTIFACT_MUTATED`, `COMMIT_UNCERTAIN`, its own.
pub fn operate(folder: &Folder<'_>, place: &Place, change: Change<'_>) -> Result<Done, Fail> {
    let operation_id = place.operation_id.clone().filter(|o| !o.is_empty()).unwrap_or_else(|| folder.host.fresh_id());
    id::check(&operation_id, "operation")?;
    let _held = folder.hold()?;
    let mut record = folder.record().map_err(|fail| match fail.code {
        Code::VersionReadOnly | Code::SchemaNewer => fail,
        _ => Fail { code: Code::RecoveryRequired, reason: Some(fail.code), hint: None, ..fail },
    })?;
    folder.recover(record.as_ref())?;
    let fingerprint = format!("sha256:{}", sha256_hex(&canonical(&json!({"command": change.command, "payload": change.payload}))));
    if let Some(before) = record.as_ref().and_then(|r| r.operations.iter().find(|o| o.id == operation_id)) {
        if before.fingerprint != fingerprint {
            let message = format!("the operation `{operation_id}` was carried out with other input");
            return Err(Fail::new(Code::OperationConflict, message).with("path", folder.dir.to_string_lossy().as_ref()));
        }
        let receipt = before.receipt.clone();
        return Ok(Done { receipt, record: record.ok_or_else(|| Fail::new(Code::StateMissing, "the loop is gone"))?, replayed: true });
    }
    if let Some(record) = &record {
        if record.status != Status::Running {
            let message = format!("the loop ended: {}", record.status.word());
            return Err(Fail::new(Code::LoopClosed, message).with("status", record.status.word()));
        }
        if !change.on_ruins {
            folder.intact(record)?;
        }
    }
    let own = (change.apply)(folder, &mut record)?;
    let Some(mut record) = record else { return Err(Fail::new(Code::Internal, "an operation left no record")) };
    let mut receipt = Map::new();
    receipt.insert("command".to_owned(), json!(change.command));
    receipt.insert("operation_id".to_owned(), json!(operation_id));
    receipt.insert("state".to_owned(), json!(folder.dir.join(STATE).to_string_lossy()));
    receipt.insert("loop_id".to_owned(), json!(record.loop_id));
    receipt.insert("round".to_owned(), json!(record.rounds.len()));
    receipt.insert("artifact_revision".to_owned(), json!(record.last().map(|r| r.artifact.revision.clone())));
    receipt.extend(own);
    record.operations.push(Operation { id: operation_id, fingerprint, receipt: receipt.clone() });
    folder.keep(&record)?;
    Ok(Done { receipt, record, replayed: false })
}

/// The record an operation other than opening works on.
///
/// # Errors
/// `STATE_MISSING`.
pub fn existing<'r>(folder: &Folder<'_>, record: &'r mut Option<Record>) -> Result<&'r mut Record, Fail> {
    record.as_mut().ok_or_else(|| folder.missing())
}

/// The last round, which is the one that was named.
///
/// # Errors
/// `ATTEMPT_MISMATCH`, `INVALID_ARGUMENT`.
pub fn current<'r>(record: &'r mut Record, named: Option<&str>) -> Result<&'r mut Round, Fail> {
    let number = record.rounds.len() as u64;
    let named = named.filter(|n| !n.is_empty()).map(|n| crate::base::number::plain("--round", n, 1..=1000)).transpose()?;
    if named.is_some_and(|n| n != number) {
        let message = format!("the loop is in round {number}");
        return Err(Fail::new(Code::AttemptMismatch, message).with("round", number));
    }
    record.rounds.last_mut().ok_or_else(|| Fail::new(Code::StateMissing, "the loop has no round"))
}

/// The lane that a flag names.
///
/// # Errors
/// `INVALID_ARGUMENT`.
pub fn lane(named: Option<&str>) -> Result<Lane, Fail> {
    let word = named.unwrap_or_default();
    Lane::parse(word)
        .ok_or_else(|| Fail::new(Code::InvalidArgument, format!("`--lane {}` is none of surgical, deep, scout", printable(word))))
}

/// Refuses an attempt that is not the lane's current one.
///
/// # Errors
/// `ATTEMPT_MISMATCH`.
pub fn is_current(round: &Round, lane: Lane, attempt: Option<&str>) -> Result<(), Fail> {
    let now = round.attempt(lane);
    if now.is_none() || now != attempt.filter(|a| !a.is_empty()) {
        let message = format!("the current attempt of `{}` is {}", lane.word(), now.unwrap_or("none: it is retained"));
        return Err(Fail::new(Code::AttemptMismatch, message).with("attempt_id", now.map_or(Value::Null, Value::from)));
    }
    Ok(())
}

/// Who reviews, by flags; the engine has to be named.
///
/// # Errors
/// `INVALID_ARGUMENT`.
pub fn engine(name: Option<&str>, model: Option<&str>, effort: Option<&str>) -> Result<Engine, Fail> {
    let given = |v: Option<&str>| v.map(str::trim).filter(|v| !v.is_empty()).map(str::to_owned);
    let engine = given(name).ok_or_else(|| Fail::new(Code::InvalidArgument, "`--engine` was not given: the record keeps who reviewed"))?;
    Ok(Engine { engine, model: given(model), effort: given(effort) })
}

/// Reads a file that was handed in; blank is none.
///
/// # Errors
/// `INVALID_ARGUMENT`, why it cannot be read.
pub fn handed(host: &Host, flag: &str, path: Option<&str>) -> Result<Vec<u8>, Fail> {
    let bytes = files::read_text(&host.absolute(Some(path.unwrap_or_default()), flag)?, LIMIT)?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Fail::new(Code::InvalidArgument, format!("what `--{flag}` names is blank")));
    }
    Ok(bytes)
}

/// A text that was handed in, without the blanks around it.
///
/// # Errors
/// As [`handed`], `BAD_UTF8`.
pub fn handed_text(host: &Host, flag: &str, path: Option<&str>) -> Result<String, Fail> {
    let bytes = handed(host, flag, path)?;
    let text = String::from_utf8(bytes).map_err(|_| Fail::new(Code::BadUtf8, format!("what `--{flag}` names is not UTF-8")))?;
    Ok(text.trim().to_owned())
}

/// What is reviewed, as flags name it.
#[derive(Debug, Clone, Default)]
pub struct ArtifactFlags {
    /// The file.
    pub file: Option<String>,
    /// A commit that holds it.
    pub revision: Option<String>,
    /// Its path in the commit.
    pub path: Option<String>,
}

/// An artifact that was read and can be frozen.
pub struct Read {
    /// How the record names it, all but the place of its copy.
    pub artifact: Artifact,
    /// What it says.
    pub bytes: Vec<u8>,
}

impl Read {
    /// The artifact as a round has it, with its copy frozen.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn freeze(&self, folder: &Folder<'_>, round: usize) -> Result<Artifact, Fail> {
        let mut artifact = self.artifact.clone();
        if let Some(sha256) = artifact.revision.strip_prefix("sha256:") {
            let name = format!("artifacts/round-{round}-{sha256}.snapshot");
            folder.freeze(&name, &self.bytes)?;
            artifact.snapshot = Some(name);
        }
        Ok(artifact)
    }
}

/// Reads an artifact and refuses one that lacks a part.
///
/// # Errors
/// `INVALID_ARGUMENT`, `BAD_COMMIT`, `NOT_FOUND`, `INVALID_ARTIFACT` with `missing`.
pub fn artifact(folder: &Folder<'_>, flags: &ArtifactFlags) -> Result<Read, Fail> {
    let given = |f: &Option<String>| f.clone().filter(|f| !f.is_empty());
    let read = match (given(&flags.file), given(&flags.revision)) {
        (Some(file), None) => {
            let bytes = handed(folder.host, "artifact-file", Some(&file))?;
            let path = folder.host.absolute(Some(&file), "artifact-file")?;
            let source = path.strip_prefix(&folder.top).unwrap_or(&path).to_string_lossy().into_owned();
            let revision = format!("sha256:{}", sha256_hex(&bytes));
            Read { artifact: Artifact { kind: "snapshot".to_owned(), revision, snapshot: None, source: Some(source) }, bytes }
        }
        (None, Some(revision)) => {
            let Some(path) = given(&flags.path) else {
                return Err(Fail::new(
                    Code::InvalidArgument,
                    "`--git-revision` needs `--artifact-path`: where in the commit the artifact lies",
                ));
            };
            let git = git::Git::at(folder.host, &folder.top);
            let asked = git.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{revision}^{{commit}}")], &[])?;
            let oid = asked.text().trim().to_owned();
            if asked.code != 0 || oid.len() < 40 {
                return Err(Fail::new(Code::BadCommit, format!("`{}` names no commit here", printable(&revision))));
            }
            let Some(bytes) = folder.blob(&oid, &path)? else {
                let message = format!("the commit `{oid}` holds no file `{}`", printable(&path));
                return Err(Fail::new(Code::NotFound, message).with("path", path));
            };
            let artifact = Artifact { kind: "git-commit".to_owned(), revision: format!("git:{oid}"), snapshot: None, source: Some(path) };
            Read { artifact, bytes }
        }
        _ => return Err(Fail::new(Code::InvalidArgument, "one of `--artifact-file` and `--git-revision` names what is reviewed")),
    };
    let text = String::from_utf8_lossy(&read.bytes).into_owned();
    let missing = crate::design::artifact::missing(&text);
    if let Some(first) = missing.first() {
        let message = format!("the artifact lacks `{}`: {}", first.part.word(), first.lacks);
        return Err(Fail::new(Code::InvalidArtifact, message).with("missing", json!(missing)));
    }
    Ok(read)
}
