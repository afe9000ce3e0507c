//! record-disposition: what became of every finding of a round, checked and kept once (resolution spec §13).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::resolution::surface::{self, moved};
use super::resolution::{Folder, Place, facts};
use super::track_recurrence::is_judged;
use crate::base::{Code, Fail, time};
use crate::host::{Host, files};
use crate::resolution::Violation;
use crate::resolution::disposition::{self, Class, Entry, Outcome, Risk, Rule};
use crate::resolution::recurrence::Route;
use crate::wire::dispositions::{self, Record};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// The entries.
    pub input: Option<String>,
    /// Whether those that were recorded before give way.
    pub replace: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The round.
    pub round: u64,
    /// Whether they are kept.
    pub recorded: bool,
    /// Whether they were kept before.
    pub already: bool,
    /// Every offence.
    pub violations: Vec<Violation<Rule>>,
    /// Files that moved since the review.
    pub moved: Vec<String>,
    /// Of them those that no applied entry accounts for.
    pub moved_unaccounted: Vec<String>,
    /// Findings that a person was asked about without need.
    pub over_gated: Vec<String>,
    /// How many came to what.
    pub counts: BTreeMap<&'static str, usize>,
}

/// Records the dispositions of the round that was reviewed last. The question behind the exit status: were they taken?
///
/// # Errors
/// Those of the loop and of the document, `NOT_REVIEWED`, `SAMENESS_MISSING`, `ROUND_EXISTS`, `LOOP_ENDED`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let path = host.absolute(request.input.as_deref(), "dispositions")?;
    let entries = dispositions::asked(&files::read_text(&path, files::DOCUMENT_LIMIT)?)?;
    let folder = Folder::open(host, &request.place)?;
    let _held = folder.hold()?;
    record(&folder, entries, request.replace)
}

/// Records entries in a loop whose lock is held.
///
/// # Errors
/// As [`run`].
pub fn record(folder: &Folder<'_>, entries: Vec<Entry>, replace: bool) -> Result<Answer, Fail> {
    if folder.record.exited_at.is_some() {
        return Err(Fail::new(Code::LoopEnded, format!("the loop `{}` was ended by a person", folder.record.loop_id)));
    }
    let rounds = folder.rounds()?;
    let last = folder.last(&rounds)?;
    if let Some(known) = &last.dispositions
        && !replace
    {
        if known.entries == entries {
            return Ok(answer(last.round, known.moved.iter().cloned().collect(), &entries, &[], Vec::new(), true));
        }
        return Err(Fail::new(Code::RoundExists, format!("round {} is settled already, with other dispositions", last.round)));
    }
    if !is_judged(last) {
        return Err(Fail::new(Code::SamenessMissing, format!("which findings of round {} are known was not judged", last.round)));
    }
    let (ledger, _) = folder.ledger()?;
    let tracked = facts::track(&rounds, &ledger)?;
    let subjects = facts::subjects(last, &tracked);
    let now = surface::now(folder, Some(last))?;
    let moved = moved(&last.surface, &now.surface);
    let violations = disposition::check(&entries, &subjects, &facts::settled(&rounds, &ledger), &moved);
    if !violations.is_empty() {
        return Ok(answer(last.round, moved, &entries, &tracked, violations, false));
    }
    let kept = Record {
        schema_version: 1,
        round: last.round,
        recorded_at: time::iso_ms(folder.host.now_ms()),
        review_sha256: last.review_sha256.clone(),
        recurrence_sha256: last.recurrence_sha256.clone(),
        scope_fingerprint: now.fingerprint,
        head: now.scope.head,
        moved: moved.iter().cloned().collect(),
        identities: tracked.iter().map(|t| (t.id.clone(), t.identity.clone())).collect(),
        entries: entries.clone(),
    };
    files::replace(folder.host, &last.dir.join("dispositions.json"), &crate::wire::json::document(&kept))?;
    Ok(answer(last.round, moved, &entries, &tracked, Vec::new(), false))
}

fn answer(
    round: u64,
    moved: BTreeSet<String>,
    entries: &[Entry],
    tracked: &[facts::Tracked],
    violations: Vec<Violation<Rule>>,
    already: bool,
) -> Answer {
    let route: BTreeMap<&str, Route> = tracked.iter().map(|t| (t.id.as_str(), t.standing.route)).collect();
    // One correct edit without a risk, on a way that asks nobody.
    let needless = |e: &&Entry| {
        let plain = e.class == Class::Mechanical && e.risk == Risk::None && !e.pre_existing && e.outcome == Outcome::Applied;
        e.gate.is_some() && plain && route.get(e.finding.as_str()).is_none_or(|r| *r != Route::Gate)
    };
    let written: BTreeSet<&str> =
        entries.iter().filter(|e| e.outcome == Outcome::Applied).flat_map(|e| &e.paths).map(String::as_str).collect();
    let whole = entries.iter().any(|e| e.outcome == Outcome::Applied && e.paths.is_empty());
    let mut counts = BTreeMap::new();
    for entry in entries {
        *counts.entry(entry.outcome.word()).or_default() += 1;
        *counts.entry(entry.slot().word()).or_default() += 1;
    }
    Answer {
        round,
        recorded: violations.is_empty(),
        already,
        violations,
        moved_unaccounted: moved.iter().filter(|p| !whole && !written.contains(p.as_str())).cloned().collect(),
        moved: moved.into_iter().collect(),
        over_gated: entries.iter().filter(needless).map(|e| e.finding.clone()).collect(),
        counts,
    }
}
