//! The responder of a driven resolution loop: the mechanical fixes, or a program that judges and writes.
//!
//! A program gets the round as one JSON document (stdin, and the file `{round}`) and prints one: `{"links"?, "diagnoses"?, "decisions"?,
//! "entries"?}`, each part as the command of its kind takes it. What it leaves out is a person's.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::json;

use super::Run;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::finding::matching::Item;
use crate::finding::read;
use crate::host::child::{self, Launch};
use crate::host::files;
use crate::ops::resolution::{Stored, facts, surface};
use crate::ops::{record_decision, respond_fix, track_recurrence};
use crate::resolution::decision::Ledger;
use crate::resolution::disposition::{Entry, Outcome};
use crate::wire::dispositions;
use crate::wire::json::{Fields, parse};
use crate::wire::recurrence::{self, Diagnosed, Said};

/// What a program of the user says about a round.
#[derive(Debug, Default)]
pub(super) struct Response {
    pub(super) links: Option<Said>,
    pub(super) diagnoses: Option<BTreeMap<String, Diagnosed>>,
    entries: Vec<Entry>,
}

/// The most that is kept of what a responder prints.
const KEEP: usize = 64 << 20;

impl Run<'_> {
    /// Entries of the responder for the round under way.
    pub(super) fn responded(&mut self, rounds: &[Stored]) -> Result<Vec<Entry>, Fail> {
        match self.folder.record.respond.as_deref() {
            Some("fix") => self.fixed(rounds),
            Some("command") => Ok(self.response(rounds)?.entries),
            _ => Ok(Vec::new()),
        }
    }

    /// What the built-in fixes mend: each is one correct edit, verified by the check that found it.
    fn fixed(&self, rounds: &[Stored]) -> Result<Vec<Entry>, Fail> {
        let last = self.folder.last(rounds)?;
        let answer = files::read_state(&last.dir.join(&last.review.evidence).join("answer"))?;
        let review = read::review(&answer);
        let now = surface::now(&self.folder, Some(last))?;
        let scope: BTreeSet<String> = now.scope.files.iter().filter_map(|f| std::str::from_utf8(&f.path).ok().map(str::to_owned)).collect();
        let (journal, date) = (self.round_file(last.round, "fixes.json"), self.date());
        let root = self.folder.checkout.top.clone();
        let request = respond_fix::Request { root: &root, report: "review", review: &review, scope, journal: &journal, date: &date };
        let applied = respond_fix::apply(self.host, &request)?;
        let entry = |(n, item): (usize, &Item)| {
            let (path, rule) = applied.fixed(review.findings.get(n)?)?;
            let basis = Some(format!("the check {rule} found it, and finds it again"));
            Some(Entry { basis, paths: vec![path], ..Entry::of(&item.id) })
        };
        Ok(last.review.findings.iter().enumerate().filter_map(entry).collect())
    }

    /// What the program says about the round; run once for a round, and again when it was killed before it had said anything.
    pub(super) fn response(&mut self, rounds: &[Stored]) -> Result<Response, Fail> {
        let last = self.folder.last(rounds)?;
        let tracked = facts::track(rounds, &self.folder.ledger()?.0)?;
        let awaiting = tracked.iter().any(|t| t.standing.route == crate::resolution::recurrence::Route::Diagnose);
        // It is asked again where what it is asked about became another question.
        let stage = if !track_recurrence::is_judged(last) {
            "sameness"
        } else if awaiting {
            "diagnosis"
        } else {
            "dispositions"
        };
        let kept = self.round_file(last.round, &format!("response-{stage}.json"));
        if kept.symlink_metadata().is_err() {
            match self.ask(rounds, last, stage) {
                Ok(bytes) => files::replace(self.host, &kept, &bytes)?,
                Err(fail) if fail.code == Code::ChildFailed && child::signalled().is_none() => {
                    self.warnings.push(format!("responder_failed: {}", fail.message));
                    return Ok(Response::default());
                }
                Err(fail) => return Err(fail),
            }
        }
        let bytes = files::read_state(&kept)?;
        match self.read(&bytes) {
            Ok(response) => Ok(response),
            Err(fail) => {
                // What cannot be read is no answer: the next run asks again, and the person decides meanwhile.
                files::remove(&kept)?;
                files::replace(self.host, &self.round_file(last.round, &format!("refused-{stage}.json")), &bytes)?;
                self.warnings.push(format!("responder_failed: {}: {}", fail.code.word(), fail.message));
                Ok(Response::default())
            }
        }
    }

    fn ask(&self, rounds: &[Stored], last: &Stored, stage: &str) -> Result<Vec<u8>, Fail> {
        let review = files::read_state(&last.dir.join("review.json"))?;
        let tracked = facts::track(rounds, &self.folder.ledger()?.0)?;
        let decisions: Vec<_> = self.folder.ledger()?.0.in_force().cloned().collect();
        let round = json!({
            "schema_version": 1,
            "loop_id": self.folder.record.loop_id,
            "wanted": stage,
            "base": self.folder.record.base,
            "review": parse(&review)?.get("answer"),
            "recurrence": track_recurrence::answer(rounds, &tracked),
            "decisions": decisions,
        });
        let path = self.round_file(last.round, "round.json");
        let document = crate::wire::json::document(&round);
        files::replace(self.host, &path, &document)?;
        let record = &self.folder.record;
        let argv: Vec<String> = record.respond_argv.iter().map(|w| w.replace("{round}", &path.to_string_lossy())).collect();
        let env = [
            ("REVIEW_LOOP_ID", record.loop_id.clone()),
            ("REVIEW_LOOP_ROUND", last.round.to_string()),
            ("REVIEW_LOOP_BASE_COMMIT", record.base.clone()),
        ];
        let limit = Duration::from_secs(record.limit_s);
        let launch = Launch { argv: &argv, cwd: &self.folder.checkout.top, env: &env, stdin: document, limit, keep: KEEP };
        let ended = child::run(self.host, launch)?;
        if child::signalled().is_some() {
            return Err(self.interrupted());
        }
        let why = match () {
            () if ended.timed_out => format!("`{}` was ended after {} s", printable(&argv[0]), record.limit_s),
            () if ended.cut => format!("`{}` printed more than is read", printable(&argv[0])),
            () if ended.code != Some(0) => {
                format!("the responder ended with {}", ended.code.map_or_else(|| "a signal".to_owned(), |c| c.to_string()))
            }
            () => return Ok(ended.stdout),
        };
        Err(Fail::new(Code::ChildFailed, why))
    }

    /// Reads a response; its decisions go into the ledger at once, by the same rules as any other.
    fn read(&mut self, bytes: &[u8]) -> Result<Response, Fail> {
        let value = parse(bytes)?;
        let f = Fields::of(&value, "")?;
        f.only(&["links", "caused_by_fix", "diagnoses", "decisions", "entries"])?;
        let part = |key: &str| f.get(key).map(|v| serde_json::to_vec(&json!({key: v})).unwrap_or_default());
        let said = |links: &serde_json::Value| {
            let caused = f.get("caused_by_fix").cloned().unwrap_or_else(|| json!([]));
            serde_json::to_vec(&json!({"links": links, "caused_by_fix": caused})).unwrap_or_default()
        };
        let links = f.get("links").map(|l| recurrence::links(&said(l))).transpose()?;
        let diagnoses = part("diagnoses").map(|b| recurrence::diagnoses(&b)).transpose()?;
        let entries = part("entries").map(|b| dispositions::asked(&b)).transpose()?.unwrap_or_default();
        for decision in f.maybe_list("decisions")? {
            let bytes = serde_json::to_vec(decision).unwrap_or_default();
            let taken = record_decision::record(&mut self.folder, &crate::wire::decisions::asked(&bytes)?)?;
            if !taken.recorded {
                return Err(Fail::new(Code::ConveyanceBroken, "a decision of the responder says more than intent"));
            }
        }
        Ok(Response { links, diagnoses, entries })
    }
}

/// Findings of the built-in checks that an earlier round had: the same rule at a place that resembles it and nothing else does.
pub(super) fn same_checks(rounds: &[Stored], ledger: &Ledger) -> Result<Said, Fail> {
    let tracked = facts::track(rounds, ledger)?;
    let rows = track_recurrence::answer(rounds, &tracked).findings;
    let Some(last) = rounds.last() else { return Ok(Said::default()) };
    let first = |identity: &str| {
        let (round, finding) = identity.strip_prefix('r')?.split_once('/')?;
        let round: u64 = round.parse().ok()?;
        let stored = rounds.iter().find(|s| s.round == round)?;
        stored.review.findings.iter().find(|f| f.id == finding)
    };
    // What was mended and is found again at another line is another place of the same kind.
    let applied = |identity: &str| {
        let settled = rounds.iter().rev().filter_map(|s| s.dispositions.as_ref());
        let of = |d: &dispositions::Record| d.entries.iter().find(|e| d.identities.get(&e.finding).is_some_and(|i| i == identity)).cloned();
        settled.into_iter().find_map(of).is_some_and(|e| e.outcome == Outcome::Applied)
    };
    let link = |row: &track_recurrence::Row| {
        let item = last.review.findings.iter().find(|f| f.id == row.finding)?;
        let same = |i: &&String| {
            let alike = |f: &Item| f.path == item.path && f.title == item.title && (f.line == item.line || !applied(i));
            first(i).is_some_and(alike)
        };
        let mut candidates = row.resembles.iter().filter(same);
        candidates.next().filter(|_| candidates.next().is_none()).cloned()
    };
    Ok(Said { links: rows.iter().map(|row| (row.finding.clone(), link(row))).collect(), caused_by_fix: Vec::new() })
}
