//! Who runs a wave: an owner record that tells a dead owner from a slow one.

use super::Folder;
use crate::host::Host;
use crate::host::procs::{self, Probe};
use crate::wire::gate::Owner;

/// This process as an owner; none where the system does not tell when it started.
pub fn me(host: &Host) -> Option<Owner> {
    let pid = std::process::id();
    let started = procs::started(pid)?;
    let place = procs::place(host);
    Some(Owner {
        pid,
        started_ms: started.ms,
        started_ticks: started.ticks,
        boot_id: place.boot_id,
        pid_namespace: place.pid_namespace,
        host_hash: place.host_hash,
    })
}

/// What is known of an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// It is this process or another that runs.
    Alive,
    /// It is provably gone.
    Dead,
    /// Nothing can be said from here.
    Unknown,
}

/// Whether an owner is dead: another boot of this machine ended it, or its pid is gone or was given to another process since.
pub fn life(folder: &Folder<'_>, owner: &Owner) -> Life {
    let here = procs::place(folder.host);
    if owner.host_hash != here.host_hash {
        return Life::Unknown;
    }
    if owner.boot_id.is_some() && here.boot_id.is_some() && owner.boot_id != here.boot_id {
        return Life::Dead;
    }
    if owner.pid_namespace != here.pid_namespace {
        return Life::Unknown;
    }
    match procs::probe(owner.pid) {
        Probe::Gone => Life::Dead,
        Probe::Denied | Probe::Unclear => Life::Unknown,
        Probe::Alive => match procs::started(owner.pid).map(|s| (s.ticks, s.ms)) {
            // A process that started at another time was given the number of one that is gone.
            Some((Some(now), _)) if owner.started_ticks.is_some_and(|then| then != now) => Life::Dead,
            Some((None, ms)) if owner.started_ticks.is_none() && (ms - owner.started_ms).abs() > 2_000 => Life::Dead,
            _ => Life::Alive,
        },
    }
}
