//! record-disposition: what became of every finding of a round, checked and kept once (resolution spec §13).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::resolution::surface::{self, moved};
use super::resolution::{Folder, Place, Stored, document, facts};
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
    /// Whether they are kept for later, and the round stays open.
    pub draft: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The round.
    pub round: u64,
    /// Whether the round is settled by them.
    pub recorded: bool,
    /// Findings whose entries are kept for later.
    pub drafted: Vec<String>,
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
    let mut folder = Folder::open(host, &request.place)?;
    let _held = folder.hold_open()?;
    if request.draft { draft(&mut folder, entries) } else { record(&mut folder, entries, request.replace) }
}

/// The name of the entries that are kept for later.
pub const DRAFT: &str = "draft.json";

/// Entries that were kept for later.
///
/// # Errors
/// Why they cannot be read.
pub fn drafted(last: &Stored) -> Result<Vec<Entry>, Fail> {
    Ok(document(&last.dir.join(DRAFT), dispositions::asked)?.map(|(entries, _)| entries).unwrap_or_default())
}

/// Keeps entries of a round that is not through yet, each in the place of what was kept for its finding: what a person said and what
/// was verified survives a lost conversation.
fn draft(folder: &mut Folder<'_>, entries: Vec<Entry>) -> Result<Answer, Fail> {
    let rounds = folder.rounds()?;
    let last = folder.last(&rounds)?;
    if last.dispositions.is_some() {
        return Err(Fail::new(Code::RoundExists, format!("round {} is settled already", last.round)));
    }
    let known = |e: &&Entry| last.review.findings.iter().any(|f| f.id == e.finding);
    let stray = entries.iter().find(|e| !known(e));
    if let Some(stray) = stray {
        let violation = Violation::new(Rule::UnknownFinding, &stray.finding, "the review has no finding of this id");
        return Ok(answer(last.round, BTreeSet::new(), &entries, &[], vec![violation], false));
    }
    let mut kept = drafted(last)?;
    kept.retain(|k| !entries.iter().any(|e| e.finding == k.finding));
    kept.extend(entries);
    let bytes = crate::wire::json::document(&serde_json::json!({"entries": kept}));
    folder.keep(&Folder::round_path(last.round, DRAFT), &bytes)?;
    let drafted = kept.iter().map(|e| e.finding.clone()).collect();
    Ok(Answer { recorded: false, drafted, ..answer(last.round, BTreeSet::new(), &[], &[], Vec::new(), false) })
}

/// Records entries in a loop whose lock is held.
///
/// # Errors
/// As [`run`].
pub fn record(folder: &mut Folder<'_>, mut entries: Vec<Entry>, replace: bool) -> Result<Answer, Fail> {
    let rounds = folder.rounds()?;
    let last = folder.last(&rounds)?;
    let earlier = drafted(last)?.into_iter().filter(|d| !entries.iter().any(|e| e.finding == d.finding)).collect::<Vec<_>>();
    entries.extend(earlier);
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
    let now = surface::now(folder, Some(last))?.standing()?;
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
    folder.keep(&Folder::round_path(last.round, "dispositions.json"), &crate::wire::json::document(&kept))?;
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
    let last: BTreeMap<&str, Outcome> = tracked.iter().filter_map(|t| t.last.as_ref().map(|(_, e)| (t.id.as_str(), e.outcome))).collect();
    // One correct edit without a risk, on a way that asks nobody.
    let needless = |e: &&Entry| {
        let plain = e.class == Class::Mechanical && e.risk == Risk::None && !e.pre_existing && e.outcome == Outcome::Applied;
        let route = route.get(e.finding.as_str()).copied();
        // What was settled before, asked again and answered the same.
        let settled = route == Some(Route::Absorb) && last.get(e.finding.as_str()) == Some(&e.outcome);
        e.gate.is_some() && ((plain && route != Some(Route::Gate)) || settled)
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
        drafted: Vec::new(),
        already,
        violations,
        moved_unaccounted: moved.iter().filter(|p| !whole && !written.contains(p.as_str())).cloned().collect(),
        moved: moved.into_iter().collect(),
        over_gated: entries.iter().filter(needless).map(|e| e.finding.clone()).collect(),
        counts,
    }
}
