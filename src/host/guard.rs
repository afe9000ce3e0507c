//! The guard: a small process between us and a child, so that the child's whole group ends when we are killed.
//!
//! A killed program cannot end its children; the kernel can tell a child that its parent died, but only the child
//! itself may ask for that. So we start ourselves as a guard (`--guard-child PID -- argv`): it leads the group, asks for
//! the signal, starts the program, and ends the group when the signal comes. It is also the one that orphans below it are
//! given to, so that what left the group by a session of its own is found by its parentage and ended too. Linux only;
//! elsewhere children are started directly.

use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use rustix::process::{Pid, WaitOptions, waitpid};

/// The word that makes this program a guard.
pub const WORD: &str = "--guard-child";

/// Runs as a guard; gives the exit status. `words` are what stands behind [`WORD`].
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the guard is what makes starting a program safe")]
pub fn run(words: &[std::ffi::OsString]) -> u8 {
    let [parent, dashes, argv @ ..] = words else {
        return 126;
    };
    let parent: Option<i32> = parent.to_str().and_then(|p| p.parse().ok());
    let Some((program, args)) = argv.split_first() else {
        return 126;
    };
    if dashes != "--" {
        return 126;
    }
    let ended = Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::clone(&ended));
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let orphaned = || rustix::process::getppid().map(Pid::as_raw_pid) != parent;
    if orphaned() {
        return 143;
    }
    let Ok(mut child) = Command::new(program).args(args).spawn() else {
        return 127;
    };
    let mut pause = Duration::from_millis(1);
    while !ended.load(Ordering::Relaxed) {
        if let Ok(Some(status)) = child.try_wait() {
            end_orphans();
            return exit_of(status);
        }
        std::thread::park_timeout(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    end_group(&mut child)
}

/// Makes what a killed guard leaves behind come to us.
#[cfg(target_os = "linux")]
pub(super) fn adopt() {
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Elsewhere there is no guard.
#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() {}

/// Kills what came to us because its guard was killed: below us, in another group than ours, and below no guard that still runs.
#[cfg(target_os = "linux")]
pub(super) fn end_adopted() {
    let own = rustix::process::getpid().as_raw_pid();
    let group = rustix::process::getpgrp().as_raw_pid();
    let adopted = || {
        let all = processes();
        let roots = all.iter().filter(|p| p.parent == own && p.group != group && !is_guard(p.pid)).map(|p| p.pid).collect();
        with_descendants(roots, &all)
    };
    // Other children of ours are awaited by whoever started them.
    let bury = |below: &[Pid]| {
        for pid in below {
            let _ = waitpid(Some(*pid), WaitOptions::NOHANG);
        }
    };
    end_all(&adopted, &bury);
}

/// Elsewhere nothing is adopted.
#[cfg(not(target_os = "linux"))]
pub(super) fn end_adopted() {}

/// Whether a process is one of our guards.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "what the kernel prints of a process is no file of anybody's")]
fn is_guard(pid: i32) -> bool {
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    words.split(|b| *b == 0).nth(1) == Some(WORD.as_bytes())
}

/// A process as the kernel prints it.
#[cfg(target_os = "linux")]
struct Process {
    pid: i32,
    parent: i32,
    group: i32,
}

/// Kills and buries everything that descends from this guard, until nothing does: a child of a killed process is given to us and is seen
/// in the next look.
#[cfg(target_os = "linux")]
fn end_orphans() {
    let own = rustix::process::getpid().as_raw_pid();
    let below = || with_descendants(vec![own], &processes()).split_off(1);
    let bury = |_: &[Pid]| while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {};
    end_all(&below, &bury);
}

/// Kills and buries what is found until nothing is.
#[cfg(target_os = "linux")]
fn end_all(find: &dyn Fn() -> Vec<Pid>, bury: &dyn Fn(&[Pid])) {
    let deadline = Instant::now() + Duration::from_millis(400);
    loop {
        let found = find();
        for pid in &found {
            let _ = rustix::process::kill_process(*pid, rustix::process::Signal::KILL);
        }
        bury(&found);
        if found.is_empty() || Instant::now() >= deadline {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

/// Every process that has not ended, by what `/proc` says of it.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "what the kernel prints of a process is no file of anybody's")]
fn processes() -> Vec<Process> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // The name stands in brackets and may hold blanks; behind it come the state and the parent.
            let mut words = stat.rsplit_once(')')?.1.split_whitespace();
            let state = words.next()?;
            let parent = words.next()?.parse().ok()?;
            let group = words.next()?.parse().ok()?;
            (state != "Z").then_some(Process { pid, parent, group })
        })
        .collect()
}

/// Some processes, and every process below them.
#[cfg(target_os = "linux")]
fn with_descendants(mut found: Vec<i32>, all: &[Process]) -> Vec<Pid> {
    let mut at = 0;
    while at < found.len() {
        let of = found[at];
        found.extend(all.iter().filter(|p| p.parent == of).map(|p| p.pid));
        at += 1;
    }
    found.into_iter().filter_map(Pid::from_raw).collect()
}

/// Ends the whole group, this guard last: TERM, a grace of two seconds while the program is still there, then KILL. What
/// ignores TERM does not outlive the program it was started by.
#[cfg(target_os = "linux")]
fn end_group(child: &mut std::process::Child) -> u8 {
    signal_group(rustix::process::Signal::TERM);
    // Shorter than the grace of the one who sent the signal: that one kills this guard too.
    let deadline = Instant::now() + Duration::from_millis(1500);
    while Instant::now() < deadline && !matches!(child.try_wait(), Ok(Some(_))) {
        std::thread::park_timeout(Duration::from_millis(10));
    }
    let _ = child.kill();
    end_orphans();
    signal_group(rustix::process::Signal::KILL);
    143
}

/// Elsewhere nothing is guarded.
#[cfg(not(target_os = "linux"))]
pub fn run(_words: &[std::ffi::OsString]) -> u8 {
    126
}

#[cfg(target_os = "linux")]
fn signal_group(signal: rustix::process::Signal) {
    let _ = rustix::process::kill_current_process_group(signal);
}

#[cfg(target_os = "linux")]
fn exit_of(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code & 255).unwrap_or(255)
}
