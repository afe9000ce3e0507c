//! The response of a round: whether one is wanted, and the responder that gives it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Run;
use crate::base::{Code, Fail, time};
use crate::drive::rounds::Event;
use crate::finding::read;
use crate::host::files;
use crate::ops::{respond_fix, surface};
use crate::report::{name, response};
use crate::round::stop;

impl Run<'_> {
    /// Before Respond: whether it runs, and what ends the round at once.
    pub(super) fn judge(&self) -> Result<Event, Fail> {
        let answer = self.decision(None, self.record.state.report.clone())?;
        if answer.action == stop::Action::Stop {
            return Ok(Event::Stop(answer.condition, answer.stop_reason.map(|r| r.word().to_owned()).unwrap_or_default()));
        }
        let wanted = answer.run_respond && self.record.settings.respond != "none";
        Ok(if wanted { Event::RespondWanted } else { Event::RespondSkipped })
    }

    pub(super) fn respond(&mut self) -> Result<Event, Fail> {
        let round = self.record.state.round;
        let private = self.file(round, "response.md");
        if !private.exists() {
            self.happened(Event::RespondStarted)?;
            match self.responder(round) {
                Ok(text) => files::replace(self.host, &private, &text)?,
                Err(fail) if fail.code == Code::ChildFailed => {
                    self.warn("responder_failed");
                    return Ok(Event::RespondFailed);
                }
                Err(fail) => {
                    // Being asked to end is no failure of the responder.
                    if fail.code == Code::Interrupted {
                        self.record.state.responding = false;
                        self.save()?;
                    }
                    return Err(fail);
                }
            }
        }
        self.host.failpoint("response_stored");
        let responses = PathBuf::from(&self.record.settings.responses_dir);
        self.publish(&private, &responses, name::response).map(Event::Responded)
    }

    fn responder(&self, round: u64) -> Result<Vec<u8>, Fail> {
        let s = &self.record.settings;
        let report = PathBuf::from(self.record.state.report.clone().unwrap_or_default());
        let private = self.file(round, "review.md");
        self.still_published(&private, &self.record.state.report)?;
        let bytes = files::read_text(&private, files::TEXT_LIMIT)?;
        if s.respond == "fix" {
            let review = read::review(&bytes);
            // Who writes a report does not choose what is written: only files of this round's scope are touched.
            let (_, scope) = surface::files_of(self.host, Path::new(&s.repo_root), &s.base_commit, &self.own())?;
            let scope = scope.files.iter().filter_map(|f| std::str::from_utf8(&f.path).ok().map(str::to_owned)).collect();
            let journal = self.file(round, "fixes.json");
            let date = time::date(self.host.now_ms());
            let label = report.to_string_lossy();
            let request = respond_fix::Request {
                root: Path::new(&s.repo_root),
                report: &label,
                review: &review,
                scope,
                journal: &journal,
                date: &date,
            };
            return respond_fix::run(self.host, &request).map(String::into_bytes);
        }
        let scope = self.scope_file(round)?;
        let ended = self.child(&s.respond_argv, &BTreeMap::from([("{scope}", &scope), ("{report}", &report)]), bytes, round)?;
        if ended.code != Some(0) {
            return Err(Fail::new(
                Code::ChildFailed,
                format!("the responder ended with {}", ended.code.map_or_else(|| "a signal".to_owned(), |c| c.to_string())),
            ));
        }
        let read = response::read(&String::from_utf8_lossy(&ended.stdout));
        if read.contradictions.contains(&crate::base::reason::Contradiction::NoAnswer) {
            return Err(Fail::new(Code::ChildFailed, "the responder printed no response report"));
        }
        Ok(ended.stdout)
    }
}
