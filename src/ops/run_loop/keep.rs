//! What a run keeps: its record, its files, and published copies that are what it wrote.

use std::path::{Path, PathBuf};

use super::Run;
use crate::base::digest::sha256_hex;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::drive::rounds::{Event, step};
use crate::host::files;
use crate::ops::publish;
use crate::wire::loop_record;

impl Run<'_> {
    pub(super) fn happened(&mut self, event: Event) -> Result<(), Fail> {
        self.record.state = step(self.record.state.clone(), event);
        self.record.publishing = None;
        self.save()
    }

    pub(super) fn save(&mut self) -> Result<(), Fail> {
        let file = self.dir.join("loop.json");
        if !file.exists() {
            let shown = printable(&self.dir.to_string_lossy());
            return Err(Fail::new(Code::StateMissing, format!("the loop's folder `{shown}` was removed while it ran")));
        }
        self.record.revision += 1;
        files::replace(self.host, &file, &loop_record::bytes(&self.record))
    }

    pub(super) fn warn(&mut self, word: &str) {
        if !self.record.warnings.iter().any(|w| w == word) {
            self.record.warnings.push(word.to_owned());
            self.record.warnings.sort_unstable();
        }
    }

    pub(super) fn file(&self, round: u64, what: &str) -> PathBuf {
        self.dir.join(format!("loop-{}-round-{round}.{what}", self.record.loop_id))
    }

    /// Our own folders: the root of all state, reports, responses.
    pub(super) fn own(&self) -> Vec<PathBuf> {
        let s = &self.record.settings;
        let root = self.dir.ancestors().nth(3).unwrap_or(&self.dir);
        vec![root.to_path_buf(), PathBuf::from(&s.reports_dir), PathBuf::from(&s.responses_dir)]
    }

    /// Publishes a private copy under a name that is stored before the file is made.
    pub(super) fn publish(&mut self, private: &Path, folder: &Path, named: fn(&str, u32) -> String) -> Result<String, Fail> {
        let bytes = files::read_text(private, files::TEXT_LIMIT)?;
        loop {
            let path = match &self.record.publishing {
                Some(chosen) => PathBuf::from(chosen),
                None => {
                    let chosen = publish::choose(self.host, folder, named)?;
                    self.record.publishing = Some(chosen.to_string_lossy().into_owned());
                    self.save()?;
                    chosen
                }
            };
            if publish::publish(self.host, &path, &bytes)? {
                return Ok(path.to_string_lossy().into_owned());
            }
            self.record.publishing = None;
        }
    }

    /// The published copy of a private file, made again when somebody removed it; an edited one is nobody's evidence.
    pub(super) fn still_published(&self, private: &Path, published: &Option<String>) -> Result<(), Fail> {
        let Some(published) = published else { return Ok(()) };
        let bytes = files::read_text(private, files::TEXT_LIMIT)?;
        let judged = self.record.report_sha256.as_ref().filter(|_| Some(published) == self.record.state.report.as_ref());
        if judged.is_some_and(|sha| *sha != sha256_hex(&bytes)) {
            let message = format!("the stored report `{}` is not what was judged", printable(&private.to_string_lossy()));
            return Err(Fail::new(Code::FileChanged, message).hint("start a new loop; nothing of this round can be trusted"));
        }
        if publish::publish(self.host, Path::new(published), &bytes)? {
            return Ok(());
        }
        let message = format!("the published report `{}` is not what this loop wrote", printable(published));
        Err(Fail::new(Code::FileChanged, message).hint("restore it, or remove it so that it is published again"))
    }
}
