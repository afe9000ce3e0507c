//! The outside world: files, locks, folders, git, processes, children, the terminal.
//!
//! Moves bytes and knows no document. [`Host`] is a plain value filled by `main.rs`, which alone reads the environment;
//! tests fill it with a fixed clock and fixed ids.

pub mod child;
pub mod files;
pub mod git;
pub mod guard;
pub mod journal;
pub mod lock;
pub mod procs;
pub mod terminal;
pub mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::base::{Fail, digest, path};

/// Where the time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The system's clock.
    System,
    /// One fixed instant, in milliseconds since 1970.
    Fixed(i64),
}

/// Where fresh ids come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ids {
    /// Random version-4 UUIDs.
    Random,
    /// Always this id.
    Fixed(String),
}

/// Everything a command may know of its surroundings.
#[derive(Debug, Clone)]
pub struct Host {
    /// The folder the command was started in, absolute.
    pub cwd: PathBuf,
    /// The environment, UTF-8 entries only.
    pub env: BTreeMap<String, String>,
    /// The clock.
    pub clock: Clock,
    /// The source of ids.
    pub ids: Ids,
    /// How long a busy lock is waited for.
    pub lock_wait_ms: u64,
    /// This program, for starting a guard; none where there is none to start.
    pub program: Option<PathBuf>,
    /// Names the instruction at which a debug build kills itself, for crash tests.
    pub failpoint: Option<String>,
}

impl Host {
    /// A variable that is set, also when it is empty.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str)
    }

    /// Milliseconds since 1970.
    #[expect(clippy::disallowed_methods, reason = "the one place that asks the clock")]
    pub fn now_ms(&self) -> i64 {
        match self.clock {
            Clock::Fixed(ms) => ms,
            Clock::System => {
                let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                since.map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX))
            }
        }
    }

    /// A fresh id.
    pub fn fresh_id(&self) -> String {
        match &self.ids {
            Ids::Random => uuid::Uuid::new_v4().to_string(),
            Ids::Fixed(id) => id.clone(),
        }
    }

    /// An absolute path from an argument; the message of a refusal names the `role`.
    ///
    /// # Errors
    /// `INVALID_PATH`.
    pub fn absolute(&self, text: Option<&str>, role: &str) -> Result<PathBuf, Fail> {
        path::absolute(&self.cwd, text, role)
    }

    /// The folder for private scratch files.
    pub fn temp_dir(&self) -> PathBuf {
        self.var("TMPDIR").filter(|v| v.starts_with('/')).map_or_else(|| PathBuf::from("/tmp"), PathBuf::from)
    }

    /// A private scratch folder, removed when it is dropped.
    ///
    /// # Errors
    /// Why it cannot be made.
    pub fn scratch(&self) -> Result<tempfile::TempDir, Fail> {
        let made = tempfile::Builder::new().prefix("review-loop-").tempdir_in(self.temp_dir());
        made.map_err(|e| files::io_fail(&e, "make a folder in", &self.temp_dir()))
    }

    /// The root of all state: `--state-dir`, `$REVIEW_LOOP_STATE_DIR`, `$XDG_STATE_HOME/review-loop`,
    /// `~/.local/state/review-loop` (house.md, State).
    pub fn state_root(&self, flag: Option<&str>) -> Result<PathBuf, Fail> {
        if let Some(flag) = flag.filter(|f| !f.is_empty()) {
            return self.absolute(Some(flag), "state directory");
        }
        if let Some(dir) = self.var("REVIEW_LOOP_STATE_DIR").filter(|v| !v.is_empty()) {
            return self.absolute(Some(dir), "state directory");
        }
        if let Some(dir) = self.var("XDG_STATE_HOME").filter(|v| v.starts_with('/')) {
            return Ok(Path::new(dir).join("review-loop"));
        }
        let home = self.var("HOME").filter(|v| v.starts_with('/'));
        home.map(|h| Path::new(h).join(".local/state/review-loop"))
            .ok_or_else(|| Fail::new(crate::base::Code::InvalidPath, "no state directory: `HOME` is not set"))
    }

    /// The folder of one checkout: `<root>/<24 hex of its real path>`.
    pub fn checkout_dir(&self, root: &Path, checkout: &Path) -> PathBuf {
        let real = checkout.canonicalize().unwrap_or_else(|_| checkout.to_path_buf());
        root.join(&digest::sha256_hex(real.as_os_str().as_encoded_bytes())[..24])
    }

    /// The folder of one loop: `<root>/<24 hex of the checkout's real path>/<kind>/<loop id>`.
    pub fn loop_dir(&self, root: &Path, checkout: &Path, kind: &str, id: &crate::base::id::LoopId) -> PathBuf {
        self.checkout_dir(root, checkout).join(kind).join(id.as_str())
    }

    /// A program by its bare name: the first runnable one in the absolute entries of `PATH`.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let folders = self.var("PATH").unwrap_or("/usr/local/bin:/usr/bin:/bin").split(':').filter(|f| f.starts_with('/'));
        folders.map(|f| Path::new(f).join(name)).find(|p| is_runnable(p))
    }

    /// Kills this process when a crash test named this instruction; nothing at all in a release build.
    pub fn failpoint(&self, name: &str) {
        if cfg!(debug_assertions) && self.failpoint.as_deref() == Some(name) {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    }
}

/// Whether a path is a regular file with an x bit.
pub fn is_runnable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
