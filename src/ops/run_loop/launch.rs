//! Programs of the user: what they are given, and when their end is no answer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Run;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::child::Launch;
use crate::host::{child, files};
use crate::ops::surface;

/// The most that is kept of what a source or responder prints.
const OUTPUT_LIMIT: usize = 256 << 20;

impl Run<'_> {
    pub(super) fn scope_file(&self, round: u64) -> Result<PathBuf, Fail> {
        let s = &self.record.settings;
        let (_, scope) = surface::files_of(self.host, Path::new(&s.repo_root), &s.base_commit, &self.own())?;
        let path = self.file(round, "scope.json");
        files::replace(self.host, &path, &crate::wire::json::document(&scope))?;
        Ok(path)
    }

    pub(super) fn child(
        &self,
        argv: &[String],
        places: &BTreeMap<&str, &PathBuf>,
        stdin: Vec<u8>,
        round: u64,
    ) -> Result<child::Ended, Fail> {
        let fill = |word: &String| places.iter().fold(word.clone(), |w, (mark, path)| w.replace(mark, &path.to_string_lossy()));
        let argv: Vec<String> = argv.iter().map(fill).collect();
        let s = &self.record.settings;
        let prior = self.file(round, "prior.md");
        let mut env = vec![
            ("REVIEW_LOOP_ID", self.record.loop_id.clone()),
            ("REVIEW_LOOP_ROUND", round.to_string()),
            ("REVIEW_LOOP_BASE_COMMIT", s.base_commit.clone()),
        ];
        if prior.exists() {
            env.push(("REVIEW_LOOP_PRIOR_CONTEXT", prior.to_string_lossy().into_owned()));
        }
        let launch = Launch {
            argv: &argv,
            cwd: Path::new(&s.repo_root),
            env: &env,
            stdin,
            limit: Duration::from_secs(s.limit_s),
            keep: OUTPUT_LIMIT,
        };
        let ended = child::run(self.host, launch)?;
        if child::signalled().is_some() {
            return Err(self.interrupted());
        }
        if ended.timed_out {
            return Err(Fail::new(Code::ChildFailed, format!("`{}` was ended after {} s", printable(&argv[0]), s.limit_s)));
        }
        if ended.cut {
            return Err(Fail::new(Code::ChildFailed, format!("`{}` printed more than is read", printable(&argv[0]))));
        }
        Ok(ended)
    }
}
