//! check-convergence: whether a loop has converged, recomputed from its files and from what stands there now (resolution spec §16).

use serde::Serialize;

use super::Ask;
use super::resolution::claims::{self, Unbound};
use super::resolution::facts;
use super::resolution::surface;
use super::resolution::{Folder, Place, Stored};
use super::track_recurrence::is_judged;
use crate::base::severity::Grade;
use crate::base::{Fail, number, time};
use crate::host::Host;
use crate::resolution::convergence::{Decision, Facts, Owed, Reason, Reviewed, Said, Verdict, decide};
use crate::resolution::decision::Ledger;
use crate::resolution::disposition::{BasisKind, Outcome};
use crate::resolution::recurrence::Route;
use crate::source::conveyance::Exception;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// Whether the person ends the loop.
    pub exit: bool,
    /// A cap on rounds, in place of the loop's own.
    pub max_rounds: Option<String>,
}

/// A finding that stays: deferred, and not closed by anything.
#[derive(Debug, Serialize)]
pub struct Residual {
    /// Its identity.
    pub identity: String,
    /// The last round that deferred it.
    pub round: u64,
    /// Its grade.
    pub severity: Grade,
    /// Its title.
    pub title: String,
    /// Why it was deferred or dismissed.
    pub reason: Option<String>,
    /// What it came to.
    pub outcome: Outcome,
    /// Whether it is critical or high.
    pub grave: bool,
}

/// Facts of one round, for a person: none of them decides.
#[derive(Debug, Serialize)]
pub struct Counted {
    /// The round.
    pub round: u64,
    /// Findings of its review.
    pub findings: usize,
    /// Of them those that an earlier round had.
    pub known: usize,
    /// Of them those that an edit of the round before caused.
    pub caused_by_fix: usize,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The decision.
    #[serde(flatten)]
    pub decision: Decision,
    /// The last round.
    pub round: Option<u64>,
    /// What its review came to.
    pub verdict: Option<&'static str>,
    /// Of the surface that was reviewed.
    pub reviewed_fingerprint: Option<String>,
    /// Of the surface now.
    pub scope_fingerprint: String,
    /// Claims that the files do not bear out.
    pub unbound: Vec<Unbound>,
    /// Findings without a disposition.
    pub undispositioned: Vec<String>,
    /// Identities that await a diagnosis.
    pub awaiting: Vec<String>,
    /// Identities that a person must settle.
    pub gates: Vec<String>,
    /// What stays open.
    pub residual: Vec<Residual>,
    /// By round.
    pub rounds: Vec<Counted>,
}

/// Decides whether a loop has converged.
///
/// # Errors
/// Those of the loop and of its documents, `INVALID_ARGUMENT`, those of detect-scope.
pub fn run(request: &Request, host: &Host) -> Result<(Answer, Option<Ask>), Fail> {
    let mut folder = Folder::open(host, &request.place)?;
    if request.exit && folder.record.exited_at.is_none() {
        // A person's end of a loop is taken whatever became of its files.
        let _held = folder.hold()?;
        folder.record.exited_at = Some(time::iso_ms(host.now_ms()));
        folder.save()?;
    }
    let max_rounds = request.max_rounds.as_deref().filter(|m| !m.is_empty());
    let max_rounds = max_rounds.map(|m| number::plain("--max-rounds", m, 1..=1000)).transpose()?;
    folder.steadily(|folder| of(folder, max_rounds))
}

/// The decision of an open loop.
///
/// # Errors
/// As [`run`].
pub fn of(folder: &Folder<'_>, max_rounds: Option<u64>) -> Result<(Answer, Option<Ask>), Fail> {
    let rounds = folder.rounds()?;
    let (ledger, _) = folder.ledger()?;
    let last = rounds.last();
    // What proves nothing moved nothing: the surface stands on the last review that counts, as for the next one.
    let counted_on = rounds.iter().rev().find(|s| !s.review.is_void());
    let now = surface::now(folder, counted_on)?;
    let unbound = claims::unbound(folder, &rounds, &ledger)?;
    let tracked = facts::track(&rounds, &ledger)?;
    let settled = last.is_some_and(|s| facts::dispositioned(s, &tracked).is_some());
    let awaiting = if settled { Vec::new() } else { facts::on_route(&tracked, Route::Diagnose) };
    let gates = if settled { Vec::new() } else { facts::on_route(&tracked, Route::Gate) };
    let excused = folder.exceptions()?;
    let reviewed = last.map(|last| reviewed(last, &tracked, &ledger, &now, (&awaiting, &gates), &excused)).transpose()?;
    let exited = folder.record.exited_at.is_some();
    let decision = decide(&Facts { exited, reviewed, unbound: unbound.len(), max_rounds: max_rounds.or(folder.record.max_rounds) });
    let undispositioned = match last {
        Some(s) if !settled => s.review.findings.iter().map(|f| f.id.clone()).collect(),
        _ => Vec::new(),
    };
    let ask = if exited || decision.decision == Verdict::Converged {
        None
    } else {
        in_the_way(&now, &decision).or_else(|| question(&decision, &tracked))
    };
    let answer = Answer {
        round: last.map(|s| s.round),
        verdict: last.map(|s| match s.review.said() {
            Said::Approves => "approve",
            Said::Objects => "needs_attention",
            Said::Unreliable | Said::Nothing => "unproven",
        }),
        reviewed_fingerprint: last.map(|s| s.review.bound.scope_fingerprint.clone()),
        scope_fingerprint: now.fingerprint,
        unbound,
        undispositioned,
        awaiting,
        gates,
        residual: residual(&rounds),
        rounds: counted(&rounds),
        decision,
    };
    Ok((answer, ask))
}

fn reviewed(
    last: &Stored,
    tracked: &[facts::Tracked],
    ledger: &Ledger,
    now: &surface::Now,
    (awaiting, gates): (&[String], &[String]),
    excused: &[Exception],
) -> Result<Reviewed, Fail> {
    let bundle = facts::bundle_of(last)?;
    let bound = &last.review.bound;
    Ok(Reviewed {
        round: last.round,
        said: last.review.said(),
        void: last.review.is_void(),
        of_this_version: last.review.is_of_this_version(),
        findings: last.review.findings.len(),
        decisions_in_force: bundle.as_ref().is_none_or(|b| b.decisions.iter().all(|d| ledger.in_force().any(|l| l.entry.text == d.text))),
        dispositions_hold: facts::dispositions_hold(last, tracked, ledger),
        surface_stands: now.ask.is_none() && now.fingerprint == bound.scope_fingerprint,
        conveyed_intent_only: bundle.as_ref().is_none_or(|b| b.conveyed(excused).hits.is_empty()),
        bundle_is_of_surface: bundle.as_ref().is_none_or(|b| b.scope.scope_fingerprint == bound.scope_fingerprint),
        sameness_judged: is_judged(last),
        awaiting: awaiting.len(),
        gates: gates.len(),
        dispositions: facts::dispositioned(last, tracked),
    })
}

/// What is asked when the cap on rounds is reached.
pub fn round_limit() -> Ask {
    let question = "the cap on rounds is reached and the loop has not converged; what now?";
    let options = [
        ("more", "go on with a higher cap: --max-rounds, of run-loop --max"),
        ("split", "the change is too large for one loop: review parts of it"),
    ];
    Ask::new("round_limit", question, &options)
}

/// What the surface asks: that a fix is not committed yet stands in the way of a review alone.
fn in_the_way(now: &surface::Now, decision: &Decision) -> Option<Ask> {
    let review = matches!(decision.owed.first(), Some(Owed::Review | Owed::SourceAnswer | Owed::FullRereview) | None);
    now.ask.clone().filter(|a| a.code != "uncommitted_fix" || review).filter(|_| decision.owed.first() != Some(&Owed::NewLoop))
}

fn question(decision: &Decision, tracked: &[facts::Tracked]) -> Option<Ask> {
    if !decision.asks {
        return None;
    }
    if decision.reasons.contains(&Reason::UnboundClaim) {
        let question = "files of this loop were changed behind it, and another review does not heal that; what now?";
        let options =
            [("new_loop", "open a new loop: open-resolution"), ("restore", "restore the files that `unbound` names, then ask again")];
        return Some(Ask::new("unbound_claims", question, &options));
    }
    if decision.reasons.contains(&Reason::RoundLimit) {
        return Some(round_limit());
    }
    if decision.reasons.contains(&Reason::EmptyNeedsAttention) {
        let question = "the source wants attention and names no finding: nothing can be worked on, and nothing is proven; what now?";
        let options = [("rereview", "review again: run-source"), ("other_source", "review again with another source: run-source --source")];
        return Some(Ask::new("empty_needs_attention", question, &options));
    }
    let history = tracked.iter().filter(|t| t.standing.route == Route::Gate).map(|t| {
        let last = t.last.as_ref().map(|(round, e)| {
            let why = e.gate.as_ref().map(|g| g.words.as_str()).or(e.basis.as_deref()).unwrap_or_default();
            format!(", in round {round} {}: {}", e.outcome.word(), crate::base::path::printable(why))
        });
        format!("{} (reported {} times{})", t.identity, t.standing.appearances, last.unwrap_or_default())
    });
    let question = format!("{} came back although its repair or decision was seen; what holds?", history.collect::<Vec<_>>().join("; "));
    let options = [
        ("decide", "constitute a decision that holds independently of the code: record-decision, then record-disposition"),
        ("settle", "settle this instance: record-disposition with the gate"),
    ];
    Some(Ask::new("design_gate", question, &options))
}

/// What stays open: identities whose last disposition deferred them, and dismissals of instances that came back.
pub fn residual(rounds: &[Stored]) -> Vec<Residual> {
    let all = facts::identities(rounds);
    let mut last: std::collections::BTreeMap<String, Residual> = std::collections::BTreeMap::new();
    for stored in rounds {
        for entry in stored.dispositions.iter().flat_map(|d| &d.entries) {
            let Some(item) = stored.review.findings.iter().find(|f| f.id == entry.finding) else { continue };
            let identity = all[&(stored.round, item.id.clone())].clone();
            let refuted = matches!(entry.basis_kind, BasisKind::Verify | BasisKind::Duplicate);
            let stays = entry.outcome == Outcome::Carried || (entry.outcome == Outcome::Dropped && !refuted);
            if !stays {
                last.remove(&identity);
                continue;
            }
            let residual = Residual {
                identity: identity.clone(),
                round: stored.round,
                severity: item.grade,
                title: item.title.clone(),
                reason: entry.basis.clone(),
                outcome: entry.outcome,
                grave: matches!(item.grade, Grade::Critical | Grade::High),
            };
            last.insert(identity, residual);
        }
    }
    last.into_values().collect()
}

fn counted(rounds: &[Stored]) -> Vec<Counted> {
    let known = |s: &Stored| s.recurrence.iter().flat_map(|r| r.links.values()).filter(|l| l.is_some()).count();
    let caused = |s: &Stored| s.recurrence.as_ref().map_or(0, |r| r.caused_by_fix.len());
    rounds
        .iter()
        .map(|s| Counted { round: s.round, findings: s.review.findings.len(), known: known(s), caused_by_fix: caused(s) })
        .collect()
}
