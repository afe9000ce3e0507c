//! Processes: whether one exists, when it started, and which machine, boot and pid namespace this is.

use std::path::Path;

use super::Host;
use super::files::read_text;
use crate::base::digest::{Stream, sha256_hex};

/// What a probe with signal 0 says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// It exists and we may signal it.
    Alive,
    /// It exists and belongs to somebody else.
    Denied,
    /// There is no such process.
    Gone,
    /// The system gave another answer.
    Unclear,
}

/// Probes a pid.
pub fn probe(pid: u32) -> Probe {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else {
        return Probe::Unclear;
    };
    match rustix::process::test_kill_process(pid) {
        Ok(()) => Probe::Alive,
        Err(rustix::io::Errno::PERM) => Probe::Denied,
        Err(rustix::io::Errno::SRCH) => Probe::Gone,
        Err(_) => Probe::Unclear,
    }
}

/// When a process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// Milliseconds since 1970, as exact as the system tells.
    pub ms: i64,
    /// Clock ticks since boot, where the system tells (Linux).
    pub ticks: Option<u64>,
}

/// The start of a live process: `/proc/PID/stat` on Linux, the portable process table elsewhere.
pub fn started(pid: u32) -> Option<Started> {
    if let Some(ticks) = start_ticks(pid) {
        let boot = boot_ms()?;
        return Some(Started { ms: boot + i64::try_from(ticks).ok()? * 10, ticks: Some(ticks) });
    }
    let target = sysinfo::Pid::from_u32(pid);
    let mut table = sysinfo::System::new().ok()?;
    table.refresh_processes(sysinfo::ProcessesToUpdate::Some(&[target]), true);
    let seconds = table.process(target)?.start_time();
    Some(Started { ms: i64::try_from(seconds).ok()? * 1000, ticks: None })
}

/// Whether this process was started by another one, or by one that it started.
pub fn is_below(pid: u32) -> bool {
    let mut at = std::process::id();
    // A chain of parents has an end; a bound keeps a table that changes meanwhile from having none.
    for _ in 0..4096 {
        if at == pid {
            return true;
        }
        let parent = read_proc(&format!("/proc/{at}/stat")).and_then(|stat| {
            let after = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().nth(1)?.parse().ok();
            after.filter(|p: &u32| *p > 0)
        });
        match parent {
            Some(parent) => at = parent,
            None => return false,
        }
    }
    false
}

/// Field 22 of `/proc/PID/stat`, counted after the last `)` because a program name may hold blanks and brackets.
fn start_ticks(pid: u32) -> Option<u64> {
    let stat = read_proc(&format!("/proc/{pid}/stat"))?;
    let after = &stat[stat.rfind(')')? + 1..];
    after.split_ascii_whitespace().nth(19)?.parse().ok()
}

fn boot_ms() -> Option<i64> {
    let stat = read_proc("/proc/stat")?;
    let line = stat.lines().find_map(|l| l.strip_prefix("btime "))?;
    Some(line.trim().parse::<i64>().ok()? * 1000)
}

fn read_proc(path: &str) -> Option<String> {
    read_text(Path::new(path), 1 << 20).ok().and_then(|b| String::from_utf8(b).ok())
}

/// This machine, boot and pid namespace, as far as the system tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// `sha256("deep-review-host-v1" NUL lower(NFC(trim(hostname))))`, as the reference hashes it.
    pub host_hash: String,
    /// The kernel's id of this boot.
    pub boot_id: Option<String>,
    /// The identity of the pid namespace, so that another container's pids are never probed.
    pub pid_namespace: Option<String>,
    /// Hash of the machine's id.
    pub machine_hash: Option<String>,
}

/// The identity of our pid namespace.
pub fn pid_namespace() -> Option<String> {
    Path::new("/proc/self/ns/pid").read_link().ok().map(|l| l.to_string_lossy().into_owned())
}

/// Where we are.
pub fn place(host: &Host) -> Place {
    use unicode_normalization::UnicodeNormalization;
    let named = rustix::system::uname();
    let raw = named.nodename().to_string_lossy().into_owned();
    let name: String = raw.trim().nfc().collect::<String>().to_lowercase();
    let mut stream = Stream::new();
    stream.raw(b"deep-review-host-v1\0").raw(name.as_bytes());
    let boot_id = match host.var("REVIEW_LOOP_TEST_BOOT_ID").filter(|_| cfg!(debug_assertions)) {
        Some("") => None,
        Some(id) => Some(id.to_owned()),
        None => read_proc("/proc/sys/kernel/random/boot_id").map(|t| t.trim().to_owned()),
    };
    let pid_namespace = pid_namespace();
    let machine_id = read_proc("/etc/machine-id").map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
    let machine_hash = machine_id.map(|id| sha256_hex(format!("review-loop-machine-v1\0{id}").as_bytes()));
    Place { host_hash: stream.finish_hex(), boot_id, pid_namespace, machine_hash }
}
