//! Whether an owner is still there. Deleting needs a proof, keeping needs none.
//!
//! Source: rounds spec §1.11 and §4 item 29; faults.md rows 10 to 18.

use super::owner::Owner;
use crate::base::reason::words;
use crate::base::{number, time};

words! {
    /// What is known of an owner. The reference's words.
    Liveness {
        Departed "departed",
        Live "live",
        Uncertain "uncertain",
        Foreign "foreign",
        Manual "manual",
    }
}

/// What the system says of the owner's pid now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// It exists; when it started, where that is known (ticks since boot, milliseconds since 1970).
    Alive(Option<u64>, Option<i64>),
    /// It exists and belongs to somebody else.
    Denied,
    /// No such process.
    Gone,
    /// The system gave no answer.
    Unclear,
}

/// Where the question is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Here {
    /// Hash of the host name.
    pub host_hash: String,
    /// This boot.
    pub boot_id: Option<String>,
    /// This pid namespace.
    pub pid_namespace: Option<String>,
    /// Hash of this machine's id.
    pub machine_hash: Option<String>,
    /// Now, in milliseconds since 1970.
    pub now_ms: i64,
}

/// The owner's pid, when it may be probed here at all: the time line holds and host, boot and namespace are ours.
///
/// # Errors
/// The liveness that stands without a probe.
pub fn probeable(owner: &Owner, here: &Here) -> Result<u32, Liveness> {
    let start = owner.process_start_ms.as_deref().and_then(number::digits).and_then(|n| i64::try_from(n).ok());
    let recorded = time::parse_iso(&owner.started_at);
    let (Some(start), Some(recorded)) = (start, recorded) else {
        return Err(Liveness::Manual);
    };
    if start > recorded || recorded > here.now_ms || start > here.now_ms {
        return Err(Liveness::Manual);
    }
    if owner.host_hash != here.host_hash {
        return Err(Liveness::Foreign);
    }
    // A host name alone proves nothing. Another boot of this very machine has ended every process of the boot before;
    // another boot of an unknown machine, or another container, has a pid table that we cannot see.
    let differs = |then: &Option<String>, now: &Option<String>| then.is_some() && now.is_some() && then != now;
    if differs(&owner.boot_id, &here.boot_id) {
        let rebooted = owner.machine_hash.is_some() && owner.machine_hash == here.machine_hash;
        return Err(if rebooted { Liveness::Departed } else { Liveness::Foreign });
    }
    if differs(&owner.machine_hash, &here.machine_hash) {
        return Err(Liveness::Foreign);
    }
    if differs(&owner.pid_namespace, &here.pid_namespace) {
        return Err(Liveness::Foreign);
    }
    let pid = owner.pid.as_deref().and_then(number::digits).and_then(|p| u32::try_from(p).ok()).filter(|p| *p > 0);
    pid.ok_or(Liveness::Manual)
}

/// Judges a probe. A pid that lives but started at another moment is a reused one: its owner has departed.
pub fn judge(owner: &Owner, seen: Seen) -> Liveness {
    match seen {
        Seen::Gone => Liveness::Departed,
        Seen::Denied => Liveness::Uncertain,
        Seen::Unclear => Liveness::Manual,
        Seen::Alive(ticks, _) => match (owner.process_start_ticks, ticks) {
            (Some(then), Some(now)) if then != now => Liveness::Departed,
            _ => Liveness::Live,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner() -> Owner {
        Owner {
            host_hash: "h".into(),
            pid: Some("77".into()),
            process_start_ms: Some("1000".into()),
            session_id: None,
            started_at: "1970-01-01T00:00:05Z".into(),
            boot_id: Some("b".into()),
            process_start_ticks: Some(9),
            pid_namespace: Some("n".into()),
            machine_hash: Some("m".into()),
        }
    }

    fn here() -> Here {
        Here {
            host_hash: "h".into(),
            boot_id: Some("b".into()),
            pid_namespace: Some("n".into()),
            machine_hash: Some("m".into()),
            now_ms: 10_000,
        }
    }

    #[test]
    fn a_reused_pid_is_told_apart_by_its_start() {
        assert_eq!(probeable(&owner(), &here()), Ok(77));
        assert_eq!(judge(&owner(), Seen::Alive(Some(9), None)), Liveness::Live);
        assert_eq!(judge(&owner(), Seen::Alive(Some(10), None)), Liveness::Departed);
        assert_eq!(judge(&owner(), Seen::Alive(None, None)), Liveness::Live);
        assert_eq!(judge(&owner(), Seen::Gone), Liveness::Departed);
        assert_eq!(judge(&owner(), Seen::Denied), Liveness::Uncertain);
    }

    #[test]
    fn another_host_machine_or_container_is_never_probed() {
        for change in [
            (|h: &mut Here| h.host_hash = "x".into()) as fn(&mut Here),
            |h| (h.boot_id, h.machine_hash) = (Some("x".into()), Some("y".into())),
            |h| (h.boot_id, h.machine_hash) = (Some("x".into()), None),
            |h| h.pid_namespace = Some("x".into()),
        ] {
            let mut there = here();
            change(&mut there);
            assert_eq!(probeable(&owner(), &there), Err(Liveness::Foreign));
        }
    }

    #[test]
    fn a_reboot_of_the_same_machine_has_ended_every_owner() {
        let rebooted = Here { boot_id: Some("later".into()), ..here() };
        assert_eq!(probeable(&owner(), &rebooted), Err(Liveness::Departed));
    }

    #[test]
    fn a_time_line_that_does_not_hold_is_nobodys_proof() {
        let late = Owner { started_at: "1970-01-01T00:00:20Z".into(), ..owner() };
        let upside_down = Owner { process_start_ms: Some("6000".into()), ..owner() };
        let wordless = Owner { process_start_ms: None, ..owner() };
        let zero = Owner { pid: Some("0".into()), ..owner() };
        for broken in [late, upside_down, wordless, zero] {
            assert_eq!(probeable(&broken, &here()), Err(Liveness::Manual));
        }
    }
}
