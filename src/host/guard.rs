//! The guard: a small process between us and a child, so that the child's whole group ends when we are killed.
//!
//! A killed program cannot end its children; the kernel can tell a child that its parent died, but only the child
//! itself may ask for that. So we start ourselves as a guard (`--guard-child PID -- argv`): it leads the group, asks for
//! the signal, starts the program, and ends the group when the signal comes. Linux only; elsewhere children are started
//! directly.

use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
    let orphaned = || rustix::process::getppid().map(rustix::process::Pid::as_raw_pid) != parent;
    if orphaned() {
        return 143;
    }
    let Ok(mut child) = Command::new(program).args(args).spawn() else {
        return 127;
    };
    let mut pause = Duration::from_millis(1);
    while !ended.load(Ordering::Relaxed) {
        if let Ok(Some(status)) = child.try_wait() {
            return exit_of(status);
        }
        std::thread::park_timeout(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    end_group(&mut child)
}

/// Ends the whole group, this guard last: TERM, a grace of two seconds while the program is still there, then KILL. What
/// ignores TERM does not outlive the program it was started by.
#[cfg(target_os = "linux")]
fn end_group(child: &mut std::process::Child) -> u8 {
    signal_group(rustix::process::Signal::TERM);
    let deadline = Instant::now() + Duration::from_secs(2);
    while Instant::now() < deadline && !matches!(child.try_wait(), Ok(Some(_))) {
        std::thread::park_timeout(Duration::from_millis(10));
    }
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
