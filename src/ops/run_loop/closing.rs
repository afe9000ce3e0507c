//! The end of a loop: its documents, its answer, and how it ended.

use std::path::{Path, PathBuf};

use super::{Answer, Files, Outcome, Run, empty_answer};
use crate::base::{Code, Fail};
use crate::drive::rounds::Event;
use crate::host::files;
use crate::ops::{gather, render_session_doc, summarize_loop};
use crate::report::name;
use crate::round::record::Round;
use crate::round::summary::summarize;

impl Run<'_> {
    fn session_doc(&self) -> PathBuf {
        Path::new(&self.record.settings.reports_dir).join(format!("loop-{}-review.md", self.record.loop_id))
    }

    pub(super) fn document(&self, summary: Option<&Path>) -> Result<Event, Fail> {
        if self.record.settings.session_doc {
            let request = render_session_doc::Request {
                loop_id: Some(self.record.loop_id.clone()),
                tmp_dir: Self::text(&self.dir),
                reports_dir: Some(self.record.settings.reports_dir.clone()),
                output: Self::text(&self.session_doc()),
                final_summary_file: summary.and_then(Self::text),
            };
            render_session_doc::run(&request, self.host)?;
        }
        Ok(Event::Documented)
    }

    /// The closing documents: with a session document its last rendering, else one loop summary. Prior files go, states
    /// stay.
    pub(super) fn close(&mut self) -> Result<Event, Fail> {
        let (rounds, _) = gather::rounds(&self.dir, &self.record.loop_id)?;
        if !rounds.is_empty() {
            let s = &self.record.settings;
            let json = self.dir.join("summary.json");
            let private = self.dir.join("summary.md");
            let request = summarize_loop::Request {
                loop_id: Some(self.record.loop_id.clone()),
                state_dir: Self::text(&self.dir),
                cap: Some(s.cap.to_string()),
                stop_reason: self.record.state.stop_reason.clone(),
                remaining: Vec::new(),
                output: None,
                json_output: Self::text(&json),
            };
            let answer = summarize_loop::run(&request, self.host)?;
            if s.session_doc {
                self.document(Some(&json))?;
            } else {
                let folder = PathBuf::from(&s.responses_dir);
                if !private.exists() {
                    let text = crate::round::summary::render(&answer.summary, &folder);
                    files::replace(self.host, &private, text.as_bytes())?;
                }
                self.record.summary = Some(self.publish(&private, &folder, name::summary)?);
            }
        }
        for round in 1..=self.record.state.round {
            let prior = self.file(round, "prior.md");
            if prior.exists() {
                files::remove(&prior)?;
            }
        }
        Ok(Event::Closed)
    }

    /// The answer, and the last recorded round that it speaks of.
    pub(super) fn answer(&self) -> Result<(Answer, Option<Round>), Fail> {
        let (mut rounds, skipped) = gather::rounds(&self.dir, &self.record.loop_id)?;
        let s = &self.record.settings;
        let reason = self.record.state.stop_reason.clone().unwrap_or_default();
        let summary = summarize(&rounds, s.cap, &reason, &[]);
        let (history, remaining_work) = summary.map(|s| (s.rounds, s.remaining_work)).unwrap_or_default();
        let mut warnings = self.record.warnings.clone();
        if !skipped.is_empty() {
            warnings.push("state_skipped".to_owned());
            warnings.sort_unstable();
        }
        let answer = Answer {
            loop_id: Some(self.record.loop_id.clone()),
            verdict: rounds.last().map(|r| r.verdict),
            rounds: rounds.len(),
            stop_condition: self.record.state.condition,
            stop_reason: self.record.state.stop_reason.clone(),
            rounds_saved: s.cap.saturating_sub(rounds.len() as u64),
            history,
            remaining_work,
            files: Files {
                state_dir: self.dir.to_string_lossy().into_owned(),
                reports: rounds.iter().map(|r| r.round_review_report_path.clone()).collect(),
                responses: rounds.iter().filter_map(|r| r.response_report_path.clone()).collect(),
                session_doc: Some(self.session_doc()).filter(|p| s.session_doc && p.exists()).map(|p| p.to_string_lossy().into_owned()),
                summary: self.record.summary.clone(),
            },
            warnings,
            ..empty_answer(None)
        };
        Ok((answer, rounds.pop()))
    }

    pub(super) fn outcome(&self) -> Result<Outcome, Fail> {
        let (mut answer, last) = self.answer()?;
        let untrusted = matches!(self.record.state.condition, Some(4 | 6)) || answer.verdict.is_none();
        if untrusted {
            let fail = Fail::new(
                Code::NoTrustedVerdict,
                format!("the loop `{}` ended without a verdict that may be trusted", self.record.loop_id),
            );
            return Ok(Outcome::Untrusted(fail, answer));
        }
        let clean = last.filter(Round::is_clean);
        // A loop that is asked again answers for what it reviewed, and not for what the tree became since.
        if let Some(last) = clean.as_ref().filter(|r| r.response_report_path.is_none())
            && !self.stands(last.surface.surface_fingerprint.as_ref())?
        {
            answer.warnings.push("surface_changed_since_review".to_owned());
            answer.warnings.sort_unstable();
            let message = format!("the tree is no longer the one that the loop `{}` approved", self.record.loop_id);
            return Ok(Outcome::Untrusted(Fail::new(Code::NoTrustedVerdict, message).hint("start a new loop"), answer));
        }
        let ready = self.record.state.stop_reason.as_deref() == Some("READY_FOR_IMPLEMENTATION");
        Ok(if ready || clean.is_some() { Outcome::Clean(answer) } else { Outcome::NotClean(answer) })
    }
}
