//! The review of a round: the source, and what makes its report one that may be judged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Run;
use crate::base::digest::sha256_hex;
use crate::base::verdict::RoundVerdict;
use crate::base::{Code, Fail, time};
use crate::check;
use crate::drive::rounds::Event;
use crate::finding::read;
use crate::host::{child, files, terminal};
use crate::ops::checkout::Checkout;
use crate::ops::{fingerprint_scope, plan_round, review_checks};
use crate::report::metrics::judge;
use crate::report::name;
use crate::source::printed::{self, Said};

impl Run<'_> {
    pub(super) fn review(&mut self) -> Result<Event, Fail> {
        let private = self.file(self.record.state.round, "review.md");
        if !private.exists() {
            match self.source().and_then(|report| self.same_surface().map(|()| report)) {
                Ok(report) => files::replace(self.host, &private, &report)?,
                Err(fail) => return self.source_failed(fail),
            }
        }
        let bytes = files::read_text(&private, files::TEXT_LIMIT)?;
        self.record.report_sha256 = Some(sha256_hex(&bytes));
        if let Err(fail) = judge(&read::review(&bytes), &private.to_string_lossy()) {
            // What cannot be judged is kept beside the loop and is no report of this round.
            let kept = self.file(self.record.state.round, &format!("refused-{}.md", self.record.state.failures + 1));
            files::replace(self.host, &kept, &bytes)?;
            files::remove(&private)?;
            return self.source_failed(fail);
        }
        let reports = PathBuf::from(&self.record.settings.reports_dir);
        let path = self.publish(&private, &reports, name::review)?;
        self.host.failpoint("review_published");
        Ok(Event::Reviewed(path))
    }

    /// A verdict counts only for what was there when the review began and is there when it ended.
    fn same_surface(&mut self) -> Result<(), Fail> {
        let plan = plan_round::read_plan(self.host, &self.file(self.record.state.round, "plan.json").to_string_lossy())?;
        if self.stands(plan.surface.surface_fingerprint.as_ref())? {
            return Ok(());
        }
        self.warn("surface_changed_during_review");
        Err(Fail::new(Code::ChildFailed, "the tree was changed while it was reviewed; the verdict is of neither state"))
    }

    /// Whether the surface is still the one a fingerprint was taken of; false when none was.
    pub(super) fn stands(&self, then: Option<&String>) -> Result<bool, Fail> {
        let Some(then) = then else { return Ok(false) };
        let s = &self.record.settings;
        let checkout = Checkout::open(self.host, Path::new(&s.repo_root))?;
        let own = checkout.own(&self.own());
        Ok(*then == fingerprint_scope::scope_fingerprint(&checkout, Some(&s.base_commit), checkout.look(&own)?)?)
    }

    /// A source that failed is an operational failure of the round, but for faults of the caller or the repository.
    fn source_failed(&mut self, fail: Fail) -> Result<Event, Fail> {
        if child::signalled().is_some() {
            return Err(self.interrupted());
        }
        match fail.code {
            Code::ChildFailed | Code::InvalidReport | Code::GitFailed => {
                let word = if fail.code == Code::InvalidReport { "source_report_not_trusted" } else { "source_failed" };
                self.warn(word);
                terminal::progress(&fail.message);
                let log = self.file(self.record.state.round, &format!("failure-{}.json", self.record.state.failures + 1));
                let body = serde_json::json!({"code": fail.code.word(), "message": fail.message});
                files::replace(self.host, &log, &crate::wire::json::document(&body))?;
                Ok(Event::ReviewFailed)
            }
            _ => Err(fail),
        }
    }

    fn source(&mut self) -> Result<Vec<u8>, Fail> {
        let s = &self.record.settings.clone();
        if s.source == "checks" {
            let request = review_checks::Request {
                repo_root: Path::new(&s.repo_root),
                base: &s.base_commit,
                own: &self.own(),
                trust_worktree: s.trust_worktree_checks,
            };
            let review = review_checks::run(&request, self.host)?;
            for warning in &review.warnings {
                self.warn(warning);
            }
            return Ok(check::report::render(&review, &time::date(self.host.now_ms())).into_bytes());
        }
        let round = self.record.state.round;
        let scope = self.scope_file(round)?;
        let written = self.file(round, "source.md");
        files::clear(&written)?;
        let ended = self.child(&s.source_argv, &BTreeMap::from([("{scope}", &scope), ("{report}", &written)]), Vec::new(), round)?;
        let said = |bytes: &[u8]| match judge(&read::review(bytes), "").ok().map(|j| j.verdict) {
            Some(RoundVerdict::Approve) => Said::Approves,
            Some(_) => Said::Rejects,
            None => Said::Nothing,
        };
        let report = if written.symlink_metadata().is_ok() {
            // What cannot be read as a file is the source's fault, whatever it left there.
            let regular = written.symlink_metadata().is_ok_and(|m| m.is_file());
            if !regular {
                return Err(Fail::new(Code::ChildFailed, "the source left something at its report's place that is no regular file"));
            }
            Some(files::read_text(&written, files::TEXT_LIMIT).map_err(|f| Fail { code: Code::ChildFailed, ..f })?)
        } else {
            None
        };
        let written = report.as_deref().map(|bytes| (bytes, said(bytes)));
        let taken = printed::report(ended.code, (&ended.stdout, said(&ended.stdout)), written);
        taken.map(<[u8]>::to_vec).map_err(|why| Fail::new(Code::ChildFailed, why))
    }
}
