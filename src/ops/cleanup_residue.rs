//! cleanup-residue: what crashed loops left, removed when their owner is provably gone (rounds spec §1.11).

use std::path::Path;

use serde::Serialize;

use crate::base::{Code, Fail, number};
use crate::host::{Host, files, lock, procs, walk};
use crate::residue::liveness::{Here, Seen, judge, probeable};
use crate::residue::owner::Owner;
use crate::residue::sweep::{self, Entry, Kept, Known, Part};

/// The grace window in milliseconds.
pub const DEFAULT_STALE_MS: u64 = 3_600_000;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Where states lie.
    pub tmp_dir: Option<String>,
    /// The grace window.
    pub stale_ms: Option<String>,
    /// Show the plan and remove nothing.
    pub dry_run: bool,
}

/// A file that could not be removed.
#[derive(Debug, Serialize)]
pub struct Failure {
    /// Absolute.
    pub path: String,
    /// Always `RESIDUE_RM_FAILED`.
    pub code: &'static str,
    /// The system's word.
    pub message: String,
}

/// The answer.
#[derive(Debug, Default, Serialize)]
pub struct Answer {
    /// The sum of the three lists.
    pub scanned: usize,
    /// What was removed.
    pub deleted: Vec<String>,
    /// What stays.
    pub kept: Vec<Kept>,
    /// What could not be removed; it is tried again next time.
    pub errors: Vec<Failure>,
    /// Whether nothing was removed because only the plan was asked for; `deleted` then lists what would go.
    pub dry_run: bool,
}

/// Sweeps a folder.
///
/// # Errors
/// `INVALID_PATH`, `INVALID_ARGUMENT`, `LOCK_BUSY`, or why the folder cannot be listed.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let dir = host.absolute(request.tmp_dir.as_deref(), "tmp directory")?;
    let stale_ms = match request.stale_ms.as_deref() {
        Some(text) => number::plain("--stale-ms", text, 0..=(1 << 52))?,
        None => DEFAULT_STALE_MS,
    };
    if !dir.exists() {
        return Ok(Answer { dry_run: request.dry_run, ..Answer::default() });
    }
    // Without the lock a round could be recorded between the judgement and the removal.
    let _held = if request.dry_run { None } else { Some(lock::hold(host, &dir)?) };
    let entries = entries(&dir, host)?;
    // A driven loop resumes from its own record, which knows of these states: its folder is never swept.
    let driven = dir.join("loop.json").exists();
    let grace = if driven { i64::MAX } else { i64::try_from(stale_ms).unwrap_or(i64::MAX) };
    let plan = sweep::plan(&entries, host.now_ms(), grace);
    let mut answer = carry_out(&plan, request.dry_run);
    answer.kept.extend(plan.keep);
    answer.kept.sort_by(|a, b| a.path.cmp(&b.path));
    answer.deleted.sort_unstable();
    answer.errors.sort_by(|a, b| a.path.cmp(&b.path));
    answer.scanned = answer.deleted.len() + answer.kept.len() + answer.errors.len();
    // The objects of captured surfaces serve every plan and state of the folder: they go with the last of them.
    let served = |path: &str| path.ends_with(".state.json") || path.ends_with(".plan.json");
    let left = answer.kept.iter().map(|k| k.path.as_str()).chain(answer.errors.iter().map(|e| e.path.as_str()));
    if !request.dry_run && !answer.deleted.is_empty() && !left.into_iter().any(served) {
        files::remove_tree(&dir.join("objects"))?;
    }
    Ok(answer)
}

fn entries(dir: &Path, host: &Host) -> Result<Vec<Entry>, Fail> {
    let place = procs::place(host);
    let here = Here {
        host_hash: place.host_hash,
        boot_id: place.boot_id,
        pid_namespace: place.pid_namespace,
        machine_hash: place.machine_hash,
        now_ms: host.now_ms(),
    };
    let mut entries = Vec::new();
    for path in walk::files(dir)? {
        let Some(named) = sweep::named(&walk::name(&path)) else {
            continue;
        };
        let known = if named.part == Part::State { known(&path, &named.loop_id, &here) } else { Known::Nobody };
        entries.push(Entry { path, loop_id: named.loop_id, part: named.part, known });
    }
    Ok(entries)
}

/// What is known of a state's owner: none when it is unreadable or its inner loop is another than its name's.
fn known(path: &Path, loop_id: &str, here: &Here) -> Known {
    let owner = files::read_state(path).ok().and_then(|bytes| {
        let value = crate::wire::json::parse(&bytes).ok()?;
        let inner = value.get("loop_id")?.as_str()?;
        (inner == loop_id).then(|| value.get("owner").and_then(crate::wire::round_state::owner)).flatten()
    });
    match owner {
        None => Known::Nobody,
        Some(owner) if owner.pid.is_none() => Known::SessionOnly,
        Some(owner) => Known::Judged(probed(&owner, here), sweep::recorded_at(&owner.started_at)),
    }
}

fn probed(owner: &Owner, here: &Here) -> crate::residue::liveness::Liveness {
    match probeable(owner, here) {
        Err(stands) => stands,
        Ok(pid) => judge(owner, seen(pid)),
    }
}

fn seen(pid: u32) -> Seen {
    match procs::probe(pid) {
        procs::Probe::Gone => Seen::Gone,
        procs::Probe::Denied => Seen::Denied,
        procs::Probe::Unclear => Seen::Unclear,
        procs::Probe::Alive => {
            let started = procs::started(pid);
            Seen::Alive(started.and_then(|s| s.ticks), started.map(|s| s.ms))
        }
    }
}

fn carry_out(plan: &sweep::Plan, dry_run: bool) -> Answer {
    let mut answer = Answer { dry_run, ..Answer::default() };
    for departed in &plan.delete {
        let failed_before = answer.errors.len();
        for path in &departed.companions {
            remove(path, dry_run, &mut answer);
        }
        if answer.errors.len() > failed_before {
            let pending =
                departed.states.iter().map(|p| Kept { path: p.to_string_lossy().into_owned(), reason: "retry-pending".to_owned() });
            answer.kept.extend(pending);
            continue;
        }
        for path in &departed.states {
            remove(path, dry_run, &mut answer);
        }
    }
    answer
}

fn remove(path: &Path, dry_run: bool, answer: &mut Answer) {
    let shown = path.to_string_lossy().into_owned();
    match if dry_run { Ok(()) } else { files::remove(path) } {
        Ok(()) => answer.deleted.push(shown),
        Err(fail) => answer.errors.push(Failure { path: shown, code: Code::ResidueRemoveFailed.word(), message: fail.message }),
    }
}
