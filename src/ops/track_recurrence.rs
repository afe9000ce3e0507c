//! track-recurrence: what each finding's return means, by what was said about sameness and what was conveyed and landed (resolution
//! spec §14).

use std::collections::BTreeMap;

use serde::Serialize;

use super::resolution::facts::{self, Tracked};
use super::resolution::{Folder, Place, Stored};
use crate::base::path::printable;
use crate::base::reason::words;
use crate::base::{Code, Fail};
use crate::finding::matching::{self, Item};
use crate::host::{Host, files};
use crate::resolution::disposition::{BasisKind, Outcome, writes_itself};
use crate::resolution::recurrence::{Informed, Route};
use crate::wire::recurrence::{self, Record, Said};

words! {
    /// Who writes the fixes of a round.
    WriteTier {
        Low "low",
        Session "session",
    }
}

words! {
    /// What speaks against a judgement of sameness.
    Doubt {
        OtherFile "other_file",
        Graver "graver",
        ResemblesAnother "resembles_another",
    }
}

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// For every finding of the round the identity it is known by, or null.
    pub links: Option<String>,
    /// For identities that came back informed, what their return comes from.
    pub diagnoses: Option<String>,
}

/// What an identity came to in an earlier round.
#[derive(Debug, Serialize)]
pub struct Last {
    /// The round.
    pub round: u64,
    /// The outcome.
    pub outcome: Outcome,
    /// What the basis was.
    pub basis_kind: BasisKind,
    /// The basis.
    pub basis: Option<String>,
    /// The person's words, where one was asked.
    pub words: Option<String>,
}

/// A finding of the round.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Its id.
    pub finding: String,
    /// Its identity.
    pub identity: String,
    /// Whether an earlier round reported it.
    pub is_known: bool,
    /// How often it appeared, this round included.
    pub appearances: usize,
    /// What the source had seen.
    pub informed: Informed,
    /// What is owed.
    pub route: Route,
    /// What it came to last.
    pub last: Option<Last>,
    /// Identities that its place and words resemble: a hint, and no judgement.
    pub resembles: Vec<String>,
    /// What speaks against what was said about sameness: hints, too.
    pub doubts: Vec<Doubt>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The round.
    pub round: u64,
    /// Whether sameness was judged for every finding.
    pub judged: bool,
    /// In the order of the review.
    pub findings: Vec<Row>,
    /// Identities that await a diagnosis.
    pub awaiting: Vec<String>,
    /// Identities that a person must settle.
    pub gates: Vec<String>,
    /// Who writes the fixes of this round.
    pub write_tier: WriteTier,
}

/// Tracks the findings of the round that was reviewed last.
///
/// # Errors
/// Those of the loop and of the documents, `NOT_REVIEWED`, `ROUND_EXISTS` when the round is settled, `BAD_SHAPE` and `UNKNOWN_SAME_AS`
/// for links that name no finding of the round, leave one out, or name no earlier identity.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let mut folder = Folder::open(host, &request.place)?;
    let given = |flag: &Option<String>| flag.clone().filter(|f| !f.is_empty());
    let (links, diagnoses) = (given(&request.links), given(&request.diagnoses));
    let _held = if links.is_some() || diagnoses.is_some() { Some(folder.hold_open()?) } else { None };
    let mut rounds = folder.rounds()?;
    let round = folder.last(&rounds)?.round;
    if _held.is_some() {
        let read = |flag: &str, what| files::read_text(&host.absolute(Some(flag), what)?, files::DOCUMENT_LIMIT);
        let links = links.map(|f| recurrence::links(&read(&f, "links")?)).transpose()?;
        let diagnoses = diagnoses.map(|f| recurrence::diagnoses(&read(&f, "diagnoses")?)).transpose()?;
        let record = said(&folder, &rounds, links, diagnoses)?;
        folder.keep(&Folder::round_path(round, "recurrence.json"), &crate::wire::json::document(&record))?;
        rounds = folder.rounds()?;
    }
    let tracked = facts::track(&rounds, &folder.ledger()?.0)?;
    Ok(answer(&rounds, &tracked))
}

/// What is kept of the round after what was said now.
///
/// # Errors
/// As [`run`].
pub fn said(
    folder: &Folder<'_>,
    rounds: &[Stored],
    links: Option<Said>,
    diagnoses: Option<BTreeMap<String, recurrence::Diagnosed>>,
) -> Result<Record, Fail> {
    let last = folder.last(rounds)?;
    if last.dispositions.is_some() {
        return Err(Fail::new(Code::RoundExists, format!("round {} is settled; sameness is judged before its dispositions", last.round)));
    }
    let before = last.recurrence.clone();
    let (known, old_diagnoses) = before.map(|r| (Said { links: r.links, caused_by_fix: r.caused_by_fix }, r.diagnoses)).unwrap_or_default();
    let (links, caused_by_fix) = match links {
        Some(said) => (canonical(rounds, last, said.links)?, said.caused_by_fix),
        None => (known.links, known.caused_by_fix),
    };
    let ids: Vec<&String> = last.review.findings.iter().map(|f| &f.id).collect();
    if let Some(stray) = caused_by_fix.iter().find(|c| !ids.contains(c)) {
        let message = format!("`caused_by_fix` names `{}`, which is no finding of round {}", printable(stray), last.round);
        return Err(Fail::new(Code::BadShape, message));
    }
    let record = Record {
        schema_version: 1,
        round: last.round,
        review_sha256: last.review_sha256.clone(),
        links,
        caused_by_fix,
        diagnoses: old_diagnoses.into_iter().chain(diagnoses.unwrap_or_default()).collect(),
    };
    let named: Vec<&String> = record.links.values().flatten().collect();
    if let Some(stray) = record.diagnoses.keys().find(|d| !named.contains(d)) {
        let message = format!("the diagnosed `{}` is no identity that this round's findings are linked to", printable(stray));
        return Err(Fail::new(Code::UnknownSameAs, message));
    }
    Ok(record)
}

/// Links with every identity by the name it first had.
fn canonical(rounds: &[Stored], last: &Stored, links: BTreeMap<String, Option<String>>) -> Result<BTreeMap<String, Option<String>>, Fail> {
    let ids: Vec<&String> = last.review.findings.iter().map(|f| &f.id).collect();
    if let Some(stray) = links.keys().find(|k| !ids.contains(k)) {
        return Err(Fail::new(
            Code::BadShape,
            format!("the links name `{}`, which is no finding of round {}", printable(stray), last.round),
        ));
    }
    if let Some(left) = ids.iter().find(|id| !links.contains_key(**id)) {
        let message =
            format!("the links say nothing about `{}`: every finding is the same as an earlier one, or null for new", printable(left));
        return Err(Fail::new(Code::BadShape, message));
    }
    let all = facts::identities(rounds);
    let one = |(finding, name): (String, Option<String>)| match name {
        None => Ok((finding, None)),
        Some(name) => facts::canonical(&all, last.round, &name).map(|identity| (finding, Some(identity))).ok_or_else(|| {
            let message = format!("`{}` names no finding of an earlier round", printable(&name));
            Fail::new(Code::UnknownSameAs, message).hint("an identity is r<round>/<finding>, as track-recurrence prints it")
        }),
    };
    links.into_iter().map(one).collect()
}

/// The round as it stands.
pub fn answer(rounds: &[Stored], tracked: &[Tracked]) -> Answer {
    let last = rounds.last();
    let likely = last.map(|_| resemblances(rounds)).unwrap_or_default();
    let row = |t: &Tracked| Row {
        finding: t.id.clone(),
        identity: t.identity.clone(),
        is_known: t.is_known,
        appearances: t.standing.appearances,
        informed: t.standing.informed,
        route: t.standing.route,
        last: t.last.as_ref().map(|(round, e)| Last {
            round: *round,
            outcome: e.outcome,
            basis_kind: e.basis_kind,
            basis: e.basis.clone(),
            words: e.gate.as_ref().map(|g| g.words.clone()),
        }),
        resembles: likely.get(&t.id).cloned().unwrap_or_default(),
        doubts: doubts(rounds, t, likely.get(&t.id).map(Vec::as_slice).unwrap_or_default()),
    };
    Answer {
        round: last.map_or(0, |s| s.round),
        judged: last.is_some_and(is_judged),
        findings: tracked.iter().map(row).collect(),
        awaiting: facts::on_route(tracked, Route::Diagnose),
        gates: facts::on_route(tracked, Route::Gate),
        write_tier: if writes_itself(&facts::caused(rounds)) { WriteTier::Session } else { WriteTier::Low },
    }
}

/// Whether sameness was judged for every finding of a round; a first review has nothing to be the same as.
pub fn is_judged(stored: &Stored) -> bool {
    let said = |id: &String| stored.recurrence.as_ref().is_some_and(|r| r.links.contains_key(id));
    stored.round == 1 || stored.review.findings.iter().all(|f| said(&f.id))
}

/// What speaks against what was said about a finding: it lies in another file or is graver than when it was reported first, or it
/// resembles what it was not linked to.
fn doubts(rounds: &[Stored], tracked: &Tracked, resembles: &[String]) -> Vec<Doubt> {
    let Some(last) = rounds.last().filter(|s| s.recurrence.is_some()) else { return Vec::new() };
    let item = &last.review.findings[tracked.at];
    let first = tracked.identity.strip_prefix('r').and_then(|i| i.split_once('/')).and_then(|(round, id)| {
        let stored = rounds.iter().find(|s| Some(s.round) == round.parse().ok())?;
        stored.review.findings.iter().find(|f| f.id == id)
    });
    let rows = [
        (tracked.is_known && first.is_some_and(|f| f.path.is_some() && f.path != item.path), Doubt::OtherFile),
        (tracked.is_known && first.is_some_and(|f| item.grade < f.grade), Doubt::Graver),
        (!resembles.is_empty() && !resembles.contains(&tracked.identity), Doubt::ResemblesAnother),
    ];
    rows.into_iter().filter(|(holds, _)| *holds).map(|(_, doubt)| doubt).collect()
}

/// Earlier identities that a finding's place and words resemble, the last round first.
fn resemblances(rounds: &[Stored]) -> BTreeMap<String, Vec<String>> {
    let Some((last, earlier)) = rounds.split_last() else { return BTreeMap::new() };
    let all = facts::identities(rounds);
    let current: &[Item] = &last.review.findings;
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for stored in earlier.iter().rev() {
        let previous: &[Item] = &stored.review.findings;
        let (old, new) = (matching::as_cited(previous), matching::as_cited(current));
        let matched = matching::run((previous, &old), (current, &new), &[], false);
        let pairs = matched.pairs.iter().map(|p| (p.previous, p.current));
        let unclear = matched.ambiguous.iter().flat_map(|a| a.current.iter().flat_map(|c| a.previous.iter().map(|p| (*p, *c))));
        for (p, c) in pairs.chain(unclear) {
            let identity = &all[&(stored.round, previous[p].id.clone())];
            let list = found.entry(current[c].id.clone()).or_default();
            if !list.contains(identity) {
                list.push(identity.clone());
            }
        }
    }
    found
}
