//! Child processes: own process group, clean environment, a time limit, both streams kept, and always ended.
//!
//! A child is started in its own process group; when its limit passes, or this program is asked to end, the whole
//! group gets TERM, and after a grace of two seconds KILL. Streams are drained by threads up to a bound, so that no
//! child can block on a full pipe or fill our memory.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::{Duration, Instant};

use super::Host;
use crate::base::path::printable;
use crate::base::{Code, Fail};

/// What is started and how long it may take.
#[derive(Debug, Clone)]
pub struct Launch<'a> {
    /// Program and arguments; never a shell.
    pub argv: &'a [String],
    /// The folder it runs in.
    pub cwd: &'a Path,
    /// Additional variables.
    pub env: &'a [(&'a str, String)],
    /// What it reads; empty is a closed stdin.
    pub stdin: Vec<u8>,
    /// After this long the group is ended.
    pub limit: Duration,
    /// The most that is kept of each stream, in bytes.
    pub keep: usize,
}

/// How a child ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// The exit status, or `None` when a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether our limit ended it.
    pub timed_out: bool,
    /// Standard output, up to the bound.
    pub stdout: Vec<u8>,
    /// Standard error, up to the bound.
    pub stderr: Vec<u8>,
    /// Whether a stream was longer than the bound.
    pub cut: bool,
}

static SIGNALLED: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// From here on TERM, INT and HUP are noted instead of ending us at once, so that children can be ended first.
pub fn note_signals() {
    let flag = SIGNALLED.get_or_init(|| Arc::new(AtomicUsize::new(0)));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        let number = usize::try_from(signal).unwrap_or_default();
        let _ = signal_hook::flag::register_usize(signal, Arc::clone(flag), number);
    }
}

/// The signal that asked us to end, once there was one.
pub fn signalled() -> Option<u8> {
    let number = SIGNALLED.get()?.load(Ordering::Relaxed);
    u8::try_from(number).ok().filter(|n| *n > 0)
}

/// Runs a program to its end.
///
/// # Errors
/// `CHILD_FAILED` when it cannot be started.
pub fn run(host: &Host, launch: Launch<'_>) -> Result<Ended, Fail> {
    let limit = launch.limit;
    run_live(host, launch, &|| limit)
}

/// As [`run`], with a limit that is asked for again each second: whoever needs more time can be given it while it runs.
///
/// # Errors
/// As [`run`].
#[expect(clippy::disallowed_methods, reason = "the one place that starts a program other than git")]
pub fn run_live(host: &Host, launch: Launch<'_>, limit: &dyn Fn() -> Duration) -> Result<Ended, Fail> {
    let Some((program, args)) = launch.argv.split_first() else {
        return Err(Fail::new(Code::ChildFailed, "the argv is empty"));
    };
    let found = resolve(host, launch.cwd, program)?;
    let mut command = match host.program.as_deref().filter(|_| cfg!(target_os = "linux")) {
        Some(own) => {
            let mut guard = Command::new(own);
            guard.arg(super::guard::WORD).arg(std::process::id().to_string()).arg("--").arg(&found);
            guard
        }
        None => Command::new(&found),
    };
    command.args(args).current_dir(launch.cwd).process_group(0);
    command.env_clear().envs(&host.env).envs(launch.env.iter().map(|(k, v)| (*k, v)));
    command.stdin(if launch.stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    super::guard::adopt();
    let mut child = command.spawn().map_err(|e| {
        let word = e.kind();
        Fail::new(Code::ChildFailed, format!("cannot start `{}`: {word}", printable(program))).with("program", program.as_str())
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        let bytes = launch.stdin;
        std::thread::spawn(move || stdin.write_all(&bytes));
    }
    let out = drain(child.stdout.take(), launch.keep);
    let err = drain(child.stderr.take(), launch.keep);
    let (status, timed_out) = wait(&mut child, limit);
    // A guard that was killed has ended nothing.
    if status.as_ref().is_ok_and(|s| std::os::unix::process::ExitStatusExt::signal(s).is_some()) {
        super::guard::end_adopted();
    }
    let (stdout, out_cut) = collect(&out);
    let (stderr, err_cut) = collect(&err);
    let status = status.ok();
    let signal = status.and_then(|s| std::os::unix::process::ExitStatusExt::signal(&s));
    Ok(Ended { code: status.and_then(|s| s.code()), signal, timed_out, stdout, stderr, cut: out_cut || err_cut })
}

/// The program a word names: a path as it is, a bare name looked up in `PATH`. Behind a guard nobody else would say that
/// it is missing.
fn resolve(host: &Host, cwd: &Path, program: &str) -> Result<std::path::PathBuf, Fail> {
    let missing =
        || Fail::new(Code::ChildFailed, format!("cannot start `{}`: no such program", printable(program))).with("program", program);
    if program.contains('/') {
        let full = cwd.join(program);
        return if super::is_runnable(&full) { Ok(full) } else { Err(missing()) };
    }
    host.find_program(program).ok_or_else(missing)
}

/// What a stream has given so far.
#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    cut: bool,
}

struct Drained {
    kept: Arc<Mutex<Kept>>,
    ended: mpsc::Receiver<()>,
}

fn drain<R: Read + Send + 'static>(stream: Option<R>, keep: usize) -> Drained {
    let (send, ended) = mpsc::channel();
    let kept = Arc::new(Mutex::new(Kept::default()));
    if let Some(mut stream) = stream {
        let kept = Arc::clone(&kept);
        std::thread::spawn(move || {
            let mut chunk = [0u8; 65536];
            while let Ok(n) = stream.read(&mut chunk) {
                if n == 0 {
                    break;
                }
                let Ok(mut kept) = kept.lock() else { break };
                let room = keep.saturating_sub(kept.bytes.len()).min(n);
                kept.bytes.extend_from_slice(&chunk[..room]);
                kept.cut |= room < n;
            }
            let _ = send.send(());
        });
    }
    Drained { kept, ended }
}

/// A descendant that left the group may keep a pipe open for ever; it is waited for a second, and what was printed counts.
fn collect(drained: &Drained) -> (Vec<u8>, bool) {
    let _ = drained.ended.recv_timeout(Duration::from_secs(1));
    drained.kept.lock().map(|mut k| (std::mem::take(&mut k.bytes), k.cut)).unwrap_or((Vec::new(), true))
}

fn wait(child: &mut Child, limit: &dyn Fn() -> Duration) -> (std::io::Result<std::process::ExitStatus>, bool) {
    let began = Instant::now();
    let mut asked = began;
    let mut deadline = began.checked_add(limit());
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                end_group(child, rustix::process::Signal::KILL);
                return (Ok(status), false);
            }
            Err(e) => return (Err(e), false),
            Ok(None) => {}
        }
        let now = Instant::now();
        if now.duration_since(asked) >= Duration::from_secs(1) {
            (asked, deadline) = (now, began.checked_add(limit()));
        }
        // A limit that no clock can hold is none.
        let late = deadline.is_some_and(|d| now >= d);
        if late || signalled().is_some() {
            return (end(child), late);
        }
        std::thread::park_timeout(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn end(child: &mut Child) -> std::io::Result<std::process::ExitStatus> {
    end_group(child, rustix::process::Signal::TERM);
    let grace = Instant::now() + Duration::from_secs(2);
    while Instant::now() < grace {
        if let Some(status) = child.try_wait()? {
            end_group(child, rustix::process::Signal::KILL);
            return Ok(status);
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
    end_group(child, rustix::process::Signal::KILL);
    child.wait()
}

fn end_group(child: &Child, signal: rustix::process::Signal) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(pid, signal);
    }
}
