//! What the rules decide from, computed out of the rounds of a loop: identities, returns, what a disposition may point back to, and what
//! a review came to.

use std::collections::{BTreeMap, BTreeSet};

use super::{Folder, Stored, document};
use crate::base::Fail;
use crate::resolution::convergence::Dispositioned;
use crate::resolution::decision::{self, Ledger};
use crate::resolution::disposition::{BasisKind, Entry, Outcome, Settled, Subject};
use crate::resolution::recurrence::{History, Past, Route, Standing, standing};
use crate::wire::bundle;
use crate::wire::surface::Surface;

/// One finding of the round under way, as its history makes it.
#[derive(Debug, Clone)]
pub struct Tracked {
    /// Its place in the review.
    pub at: usize,
    /// Its id.
    pub id: String,
    /// Its identity.
    pub identity: String,
    /// Whether an earlier round reported it.
    pub is_known: bool,
    /// What its return means.
    pub standing: Standing,
    /// What it came to last.
    pub last: Option<(u64, Entry)>,
}

/// The identity of every finding of every round, by round and finding.
pub fn identities(rounds: &[Stored]) -> BTreeMap<(u64, String), String> {
    let mut found: BTreeMap<(u64, String), String> = BTreeMap::new();
    for stored in rounds {
        for item in &stored.review.findings {
            let linked = stored.recurrence.as_ref().and_then(|r| r.links.get(&item.id).cloned().flatten());
            let identity = linked.unwrap_or_else(|| format!("r{}/{}", stored.round, item.id));
            found.insert((stored.round, item.id.clone()), identity);
        }
        // A duplicate is the finding that it repeats, from then on.
        for entry in stored.dispositions.iter().flat_map(|d| &d.entries).filter(|e| e.basis_kind == BasisKind::Duplicate) {
            let of = entry.settled_by.as_ref().and_then(|by| found.get(&(stored.round, by.clone())).cloned());
            if let Some(of) = of {
                found.insert((stored.round, entry.finding.clone()), of);
            }
        }
    }
    found
}

/// The canonical identity of a name: an identity, or a finding of an earlier round by `r<round>/<finding>`.
pub fn canonical(all: &BTreeMap<(u64, String), String>, before: u64, name: &str) -> Option<String> {
    let (round, finding) = name.strip_prefix('r')?.split_once('/')?;
    let round: u64 = round.parse().ok().filter(|r| *r < before)?;
    all.get(&(round, finding.to_owned())).cloned()
}

/// The findings of the last round with what their histories make of them. Bound: rounds times findings of an identity.
///
/// # Errors
/// Why a bundle cannot be read.
pub fn track(rounds: &[Stored], ledger: &Ledger) -> Result<Vec<Tracked>, Fail> {
    let all = identities(rounds);
    let mut pasts: BTreeMap<String, Vec<(Past, Entry, &Stored)>> = BTreeMap::new();
    let mut tracked = Vec::new();
    for (n, stored) in rounds.iter().enumerate() {
        let sent = sent(stored, &rounds[..n], &all, ledger)?;
        let last_round = n + 1 == rounds.len();
        let mut now: BTreeMap<String, (Past, Entry, &Stored)> = BTreeMap::new();
        for (at, item) in stored.review.findings.iter().enumerate() {
            let identity = all[&(stored.round, item.id.clone())].clone();
            let history = pasts.get(&identity).map(Vec::as_slice).unwrap_or_default();
            let past: Vec<Past> = history.iter().map(|(p, e, s)| Past { landed: landed(p, e, s, &stored.surface), ..*p }).collect();
            let diagnosis = stored.recurrence.as_ref().and_then(|r| r.diagnoses.get(&identity)).map(|d| d.diagnosis);
            let standing = standing(&History { past: &past, conveyed: sent.contains(&identity), diagnosis });
            let entry = stored.dispositions.as_ref().and_then(|d| d.entries.iter().find(|e| e.finding == item.id));
            if let Some(entry) = entry.filter(|e| e.basis_kind != BasisKind::Duplicate) {
                let escalated = standing.route == Route::Reapply && entry.outcome == Outcome::Applied;
                let past = Past { round: stored.round, outcome: entry.outcome, landed: false, escalated, gated: entry.gate.is_some() };
                now.entry(identity.clone()).or_insert((past, entry.clone(), stored));
            }
            if last_round {
                let last = history.last().map(|(p, e, _)| (p.round, e.clone()));
                tracked.push(Tracked {
                    at,
                    id: item.id.clone(),
                    is_known: last.is_some() || known(&all, &identity, stored.round),
                    identity,
                    standing,
                    last,
                });
            }
        }
        for (identity, entry) in now {
            pasts.entry(identity).or_default().push(entry);
        }
    }
    Ok(tracked)
}

fn known(all: &BTreeMap<(u64, String), String>, identity: &str, round: u64) -> bool {
    all.iter().any(|((r, _), i)| *r < round && i == identity)
}

/// Whether the edit of an earlier disposition is in a surface: a file that it wrote is no longer what its review saw. Bound: the paths
/// of the entry, each looked up.
fn landed(past: &Past, entry: &Entry, then: &Stored, now: &Surface) -> bool {
    if past.outcome != Outcome::Applied {
        return false;
    }
    let cited = then.review.findings.iter().position(|i| i.id == entry.finding).map(|at| &then.review.cited[at]);
    let paths = if entry.paths.is_empty() { cited } else { Some(&entry.paths) };
    match paths.filter(|p| !p.is_empty()) {
        Some(paths) => paths.iter().any(|p| then.surface.get(p) != now.get(p)),
        None => then.surface != *now,
    }
}

/// The identities that a decision of the bundle of a round settles: those it names, and those that were settled at its gate.
fn sent(stored: &Stored, earlier: &[Stored], all: &BTreeMap<(u64, String), String>, ledger: &Ledger) -> Result<BTreeSet<String>, Fail> {
    if stored.review.bound.bundle_sha256.is_none() {
        return Ok(BTreeSet::new());
    }
    let Some((bundle, _)) = document(&stored.dir.join("bundle.json"), bundle::read)? else { return Ok(BTreeSet::new()) };
    let texts: BTreeSet<&str> = bundle.decisions.iter().map(|d| d.text.as_str()).collect();
    let mut found = BTreeSet::new();
    for decision in ledger.decisions.iter().filter(|d| texts.contains(d.entry.text.as_str())) {
        found.extend(decision.entry.settles.iter().cloned());
        for settled in earlier.iter().filter(|s| s.round == decision.round) {
            let entries = settled.dispositions.iter().flat_map(|d| &d.entries);
            let at_gate = entries.filter(|e| e.gate.as_ref().is_some_and(|g| g.id == decision.entry.gate));
            found.extend(at_gate.filter_map(|e| all.get(&(settled.round, e.finding.clone())).cloned()));
        }
    }
    Ok(found)
}

/// What an entry of the last round may point back to.
pub fn settled(rounds: &[Stored], ledger: &Ledger) -> Settled {
    let all = identities(rounds);
    let mut settled = Settled::default();
    for stored in rounds.iter().rev().skip(1) {
        for entry in stored.dispositions.iter().flat_map(|d| &d.entries) {
            let identity = all.get(&(stored.round, entry.finding.clone()));
            let asked = entry.gate.is_some();
            for name in identity.into_iter().chain(entry.gate.as_ref().map(|g| &g.id)) {
                settled.outcomes.entry(name.clone()).or_default().insert(entry.outcome);
                settled.by_person.extend(asked.then(|| name.clone()));
            }
        }
    }
    // What a person decided in this very round was said of what that gate was about, and of nothing else.
    let round = rounds.last().map_or(0, |s| s.round);
    settled.decisions = ledger.in_force().filter(|d| d.round < round).map(|d| d.id.clone()).collect();
    settled
}

/// The identities that go one way, sorted and unique.
pub fn on_route(tracked: &[Tracked], route: Route) -> Vec<String> {
    let found: BTreeSet<&String> = tracked.iter().filter(|t| t.standing.route == route).map(|t| &t.identity).collect();
    found.into_iter().cloned().collect()
}

/// The findings of the last round as dispositions are checked against.
pub fn subjects(stored: &Stored, tracked: &[Tracked]) -> Vec<Subject> {
    let one = |t: &Tracked| Subject {
        id: t.id.clone(),
        identity: t.identity.clone(),
        paths: stored.review.cited[t.at].clone(),
        grade: stored.review.findings[t.at].grade,
        route: t.standing.route,
        last: t.last.as_ref().map(|(_, e)| e.outcome),
    };
    tracked.iter().map(one).collect()
}

/// What the dispositions of the last round came to: an identity is new when no earlier round reported it, and a drop that verification
/// refutes is none.
pub fn dispositioned(stored: &Stored, tracked: &[Tracked]) -> Option<Dispositioned> {
    let record = stored.dispositions.as_ref()?;
    let entries: BTreeMap<&str, &Entry> = record.entries.iter().map(|e| (e.finding.as_str(), e)).collect();
    // A record that leaves a finding out settles nothing.
    if !tracked.iter().all(|t| entries.contains_key(t.id.as_str())) {
        return None;
    }
    // A duplicate is what the finding is that it repeats.
    let refuted = |e: &Entry| {
        let said = match e.basis_kind {
            BasisKind::Duplicate => e.settled_by.as_deref().and_then(|by| entries.get(by).copied()),
            _ => Some(e),
        };
        said.is_some_and(|e| e.outcome == Outcome::Dropped && e.basis_kind == BasisKind::Verify)
    };
    let new = tracked.iter().filter(|t| !t.is_known && entries.get(t.id.as_str()).is_none_or(|e| !refuted(e))).count();
    Some(Dispositioned { landed: record.landed(), new })
}

/// Whether every drop and deferral of a round that rests on a decision rests on one that is in force: the one it names, or one of those that
/// settle its finding.
pub fn dispositions_hold(stored: &Stored, tracked: &[Tracked], ledger: &Ledger) -> bool {
    let identity: BTreeMap<&str, &str> = tracked.iter().map(|t| (t.id.as_str(), t.identity.as_str())).collect();
    let entries = stored.dispositions.iter().flat_map(|d| &d.entries);
    let mut rests = entries.filter(|e| e.outcome != Outcome::Applied && !matches!(e.basis_kind, BasisKind::Verify | BasisKind::Duplicate));
    rests.all(|entry| {
        let own = identity.get(entry.finding.as_str()).copied().unwrap_or_default();
        let names = |d: &&decision::Standing| entry.settled_by.as_deref() == Some(d.id.as_str());
        let settles = |d: &&decision::Standing| {
            let at_gate = d.round == stored.round && entry.gate.as_ref().is_some_and(|g| g.id == d.entry.gate);
            d.entry.settles.iter().any(|s| s == own) || at_gate
        };
        let named = ledger.decisions.iter().find(names);
        let mut settling = ledger.decisions.iter().filter(settles).peekable();
        named.is_none_or(decision::Standing::is_in_force) && (settling.peek().is_none() || settling.any(decision::Standing::is_in_force))
    })
}

/// For each round, whether an edit of the round before caused one of its findings; the round under way counts.
pub fn caused(rounds: &[Stored]) -> Vec<bool> {
    rounds.iter().map(|s| s.recurrence.as_ref().is_some_and(|r| !r.caused_by_fix.is_empty())).collect()
}

/// The bundle of a round, where one was sent.
///
/// # Errors
/// Why it cannot be read.
pub fn bundle_of(stored: &Stored) -> Result<Option<crate::source::bundle::Bundle>, Fail> {
    Ok(document(&stored.dir.join("bundle.json"), bundle::read)?.map(|(b, _)| b).filter(|_| stored.review.bound.bundle_sha256.is_some()))
}

impl Folder<'_> {
    /// The last round, with what its findings' histories make of them.
    ///
    /// # Errors
    /// `NOT_REVIEWED` before the first review, or when the last one proves nothing.
    pub fn last<'s>(&self, rounds: &'s [Stored]) -> Result<&'s Stored, Fail> {
        let last = rounds.last().filter(|s| !s.review.is_void());
        last.ok_or_else(|| {
            let message = match rounds.last() {
                Some(s) => format!("the review of round {} proves nothing: its source is run again", s.round),
                None => format!("the loop `{}` has no review", self.record.loop_id),
            };
            Fail::new(crate::base::Code::NotReviewed, message)
        })
    }
}
