//! The evidence of a run: a folder of its own, in which everything a source was given and gave is kept, also after a failure.

use std::path::PathBuf;

use super::Files;
use crate::base::id::LoopId;
use crate::base::{Code, Fail};
use crate::host::{Host, files};
use crate::ops::checkout::Checkout;

/// An open folder.
pub(super) struct Evidence<'h> {
    host: &'h Host,
    dir: PathBuf,
}

impl<'h> Evidence<'h> {
    /// Opens a named folder, or a fresh one below the state root.
    pub(super) fn open(host: &'h Host, flag: Option<&str>, checkout: &Checkout) -> Result<Evidence<'h>, Fail> {
        let dir = match flag.filter(|f| !f.is_empty()) {
            Some(flag) => host.absolute(Some(flag), "evidence folder")?,
            None => {
                let id = LoopId::parse(&host.fresh_id())?;
                host.loop_dir(&host.state_root(None)?, &checkout.top, "sources", &id)
            }
        };
        files::make_private_dir(&dir)?;
        if dir.join(RUN).symlink_metadata().is_ok() {
            let message = format!("the evidence folder `{}` holds another run", crate::base::path::printable(&dir.to_string_lossy()));
            return Err(Fail::new(Code::InvalidPath, message).hint("name a folder of its own for every run"));
        }
        Ok(Evidence { host, dir })
    }

    /// Keeps bytes under a name.
    pub(super) fn keep(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Fail> {
        let path = self.dir.join(name);
        files::replace(self.host, &path, bytes)?;
        Ok(path)
    }

    /// The place of a file that the source itself may write.
    pub(super) fn place(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Where everything lies that was kept.
    pub(super) fn files(&self) -> Files {
        let kept = |name: &str| Some(self.place(name)).filter(|p| p.is_file()).map(|p| p.to_string_lossy().into_owned());
        Files {
            dir: self.dir.to_string_lossy().into_owned(),
            events: kept(EVENTS),
            warnings: kept(WARNINGS),
            prompt: kept(PROMPT),
            answer: kept(ANSWER),
            run: kept(RUN),
        }
    }
}

/// What the source printed.
pub(super) const EVENTS: &str = "events";
/// Its error stream.
pub(super) const WARNINGS: &str = "warnings";
/// What it was asked.
pub(super) const PROMPT: &str = "prompt";
/// Its answer.
pub(super) const ANSWER: &str = "answer";
/// How it was run.
pub(super) const RUN: &str = "run.json";
