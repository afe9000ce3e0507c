//! Synthesis: reviewer attempts in; one verdict, one more reviewer, or an operational failure out.
//!
//! Source: deep-review seed §2; rounds spec §2.5. At most two waves; no attempt counts whose evidence changed under it
//! or whose report is not strict; at critical risk three trusted reviewers of two families, or no verdict.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::plan::{MAXIMUM_REVIEWERS, Phase, Plan, REVIEWERS, Risk, Seat, supports};
use crate::base::reason::words;
use crate::base::verdict::RoundVerdict;
use crate::base::{Code, Fail};
use crate::finding::Declared;
use crate::report::strict::Strict;

words! {
    /// What the synthesis came to.
    Status {
        Verdict "verdict",
        NeedsExpansion "needs_expansion",
        OperationalFailure "operational_failure",
    }
}

/// The state of the tree around one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// How it was taken.
    pub mode: String,
    /// Its digest.
    pub digest: String,
}

/// One reviewer's attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Which reviewer.
    pub reviewer_id: String,
    /// In which role.
    pub role: String,
    /// The report, or why it is not strict.
    pub report: Result<Strict, String>,
    /// Before and after; none when either is missing or failed.
    pub evidence: Option<(Evidence, Evidence)>,
}

/// One finding of the consensus: who agrees on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// Whether it is critical (else a warning).
    pub critical: bool,
    /// The roles that report it.
    pub roles: BTreeSet<String>,
}

/// What is synthesised.
#[derive(Debug, Clone)]
pub struct Input {
    /// In the order they were made.
    pub attempts: Vec<Attempt>,
    /// Needed for two reviewers or more.
    pub consensus: Option<Vec<Shared>>,
    /// The plan the round was started with.
    pub plan: Plan,
    /// Whether reviewers disagree about readiness.
    pub readiness_mismatch: bool,
    /// Deferred receipt items that are not verified.
    pub deferred_pending: Vec<String>,
}

/// An attempt that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Excluded {
    /// Which reviewer.
    pub reviewer_id: String,
    /// `fingerprint_error`, `fingerprint_mismatch` or `malformed_or_empty_result`.
    pub reason: &'static str,
    /// What is wrong with the report.
    pub detail: Option<String>,
}

/// The outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Synthesis {
    /// What it came to.
    pub status: Status,
    /// Only with status `verdict`.
    pub verdict: Option<RoundVerdict>,
    /// Why there is none.
    pub reason: Option<&'static str>,
    /// How many attempts count.
    pub actual_reviewers: usize,
    /// Who they are.
    pub included: Vec<String>,
    /// Who does not count.
    pub excluded: Vec<Excluded>,
    /// Whether the only concern is one the reviewers are split on.
    pub split_only: bool,
    /// Why another reviewer was wanted.
    pub expansion_reasons: Vec<&'static str>,
    /// Who it is.
    pub next_assignment: Option<Seat>,
    /// Why none was added: `no_unused_candidate` or `maximum_expansion_waves_reached`.
    pub expansion_rejected: Option<&'static str>,
    /// Required reviewers that did not answer.
    pub missing_required_reviewers: Vec<String>,
    /// `floor_not_met`, `deferred_acceptance_pending`, `document_blocked`.
    pub warnings: Vec<&'static str>,
    /// The plan with the added seat.
    #[serde(skip)]
    pub expanded: Option<Plan>,
}

/// How many expansion waves a round may have.
const MAXIMUM_WAVES: u64 = 1;

struct Counted<'a> {
    id: &'a str,
    role: &'a str,
    report: &'a Strict,
}

/// Synthesises one round.
///
/// # Errors
/// `INVALID_REVIEWER_IDENTITY` when an attempt's reviewer or role is unknown to the plan or stands twice.
pub fn synthesize(input: &Input) -> Result<Synthesis, Fail> {
    identities(input)?;
    let (counted, excluded) = sort_out(&input.attempts);
    let mut out = Synthesis {
        status: Status::Verdict,
        verdict: None,
        reason: None,
        actual_reviewers: counted.len(),
        included: counted.iter().map(|c| c.id.to_owned()).collect(),
        excluded,
        split_only: false,
        expansion_reasons: Vec::new(),
        next_assignment: None,
        expansion_rejected: None,
        missing_required_reviewers: missing_required(&input.plan, &counted),
        warnings: Vec::new(),
        expanded: None,
    };
    if counted.is_empty() {
        return Ok(failure(out, "no_trusted_reviewer"));
    }
    if differs(&input.attempts, &out.included) {
        return Ok(failure(out, "evidence_differs"));
    }
    if !out.missing_required_reviewers.is_empty() {
        return Ok(failure(out, "required_reviewer_unavailable"));
    }
    let judged = match judge(&counted, input.consensus.as_deref()) {
        Ok(judged) => judged,
        Err(reason) => return Ok(failure(out, reason)),
    };
    out.split_only = judged.split_only;
    out.expansion_reasons = expansion_reasons(input, &counted, &judged);
    if !out.expansion_reasons.is_empty() {
        match expand(input, &counted, &out.expansion_reasons) {
            Ok((seat, plan)) => {
                out.status = Status::NeedsExpansion;
                out.next_assignment = Some(seat);
                out.expanded = Some(plan);
                return Ok(out);
            }
            Err(why) => out.expansion_rejected = Some(why),
        }
    }
    Ok(with_floors(input, &counted, judged.verdict, out))
}

fn failure(out: Synthesis, reason: &'static str) -> Synthesis {
    Synthesis { status: Status::OperationalFailure, verdict: None, reason: Some(reason), ..out }
}

fn identities(input: &Input) -> Result<(), Fail> {
    let mut seen = BTreeSet::new();
    for attempt in &input.attempts {
        let seat = input.plan.seats.iter().find(|s| s.reviewer_id == attempt.reviewer_id);
        let shown = crate::base::path::printable(&attempt.reviewer_id);
        let refuse = |why: &str| Err(Fail::new(Code::InvalidReviewerIdentity, format!("the attempt of `{shown}` {why}")));
        match seat {
            None => return refuse("has no seat in the plan"),
            Some(seat) if seat.assignment_role != attempt.role => {
                return refuse("names another role than its seat");
            }
            Some(_) if !seen.insert(attempt.reviewer_id.as_str()) => return refuse("stands twice"),
            Some(_) => {}
        }
    }
    Ok(())
}

fn sort_out(attempts: &[Attempt]) -> (Vec<Counted<'_>>, Vec<Excluded>) {
    let (mut counted, mut excluded) = (Vec::new(), Vec::new());
    for attempt in attempts {
        let mut exclude = |reason, detail| excluded.push(Excluded { reviewer_id: attempt.reviewer_id.clone(), reason, detail });
        match (&attempt.evidence, &attempt.report) {
            (None, _) => exclude("fingerprint_error", None),
            (Some((before, after)), _) if before != after => exclude("fingerprint_mismatch", None),
            (_, Err(why)) => exclude("malformed_or_empty_result", Some(why.clone())),
            (_, Ok(report)) => counted.push(Counted { id: &attempt.reviewer_id, role: &attempt.role, report }),
        }
    }
    (counted, excluded)
}

/// Whether counted reviewers read different things: "use the same original evidence" (seed §2).
fn differs(attempts: &[Attempt], included: &[String]) -> bool {
    let counted = attempts.iter().filter(|a| included.contains(&a.reviewer_id));
    let mut evidence = counted.filter_map(|a| a.evidence.as_ref().map(|(before, _)| before));
    let Some(first) = evidence.next() else { return false };
    evidence.any(|other| other != first)
}

fn missing_required(plan: &Plan, counted: &[Counted<'_>]) -> Vec<String> {
    let answered = |id: &str| counted.iter().any(|c| c.id == id);
    let owed = plan.seats.iter().filter(|s| s.required || s.wave > 1);
    owed.filter(|s| !answered(&s.reviewer_id)).map(|s| s.reviewer_id.clone()).collect()
}

struct Judged {
    verdict: RoundVerdict,
    split_only: bool,
    single_critical: bool,
}

/// One reviewer speaks for itself; several need a consensus that accounts for every finding of each of them.
fn judge(counted: &[Counted<'_>], consensus: Option<&[Shared]>) -> Result<Judged, &'static str> {
    if let [only] = counted {
        let counts = &only.report.counts;
        let blocking = counts.critical > 0 || (only.role == "security" && counts.warning > 0) || only.report.security;
        let verdict = match (blocking, counts.warning) {
            (true, _) => RoundVerdict::RequestChanges,
            (false, 0) => RoundVerdict::Approve,
            (false, _) => RoundVerdict::Concern,
        };
        return Ok(Judged { verdict, split_only: false, single_critical: counts.critical > 0 });
    }
    let shared = consensus.ok_or("consensus_required")?;
    let totals = totals(shared);
    let accounted = |c: &Counted<'_>| totals.get(c.role).cloned().unwrap_or_default() == Declared { info: 0, ..c.report.counts.clone() };
    let strangers = shared.iter().flat_map(|s| &s.roles).any(|role| !counted.iter().any(|c| c.role == role));
    if strangers || !counted.iter().all(accounted) || shared.iter().any(|s| s.roles.is_empty()) {
        return Err("consensus_required");
    }
    let everyone = |s: &Shared| s.roles.len() == counted.len();
    let critical = shared.iter().any(|s| s.critical);
    let agreed = shared.iter().any(|s| !s.critical && everyone(s));
    let verdict = if critical || agreed {
        RoundVerdict::RequestChanges
    } else if shared.is_empty() {
        RoundVerdict::Approve
    } else {
        RoundVerdict::Concern
    };
    let voices = shared.iter().filter(|s| s.critical).flat_map(|s| &s.roles).collect::<BTreeSet<_>>().len();
    let security_voices = counted.iter().filter(|c| c.role == "security" && c.report.counts.critical + c.report.counts.warning > 0).count();
    Ok(Judged { verdict, split_only: verdict == RoundVerdict::Concern, single_critical: voices == 1 || security_voices == 1 })
}

fn totals(shared: &[Shared]) -> BTreeMap<&str, Declared> {
    let mut totals: BTreeMap<&str, Declared> = BTreeMap::new();
    for finding in shared {
        for role in &finding.roles {
            let entry = totals.entry(role).or_default();
            if finding.critical { entry.critical += 1 } else { entry.warning += 1 }
        }
    }
    totals
}

fn expansion_reasons(input: &Input, counted: &[Counted<'_>], judged: &Judged) -> Vec<&'static str> {
    let document = input.plan.artifact_phase == Phase::Document;
    let reasons = [
        (counted.len() < input.plan.floor.minimum_reviewers, "reviewer_minimum_broken"),
        (!document && judged.single_critical && counted.len() > 1, "single_critical_or_security"),
        (!document && judged.split_only && counted.len() > 1, "split_concern"),
        (input.readiness_mismatch, "readiness_mismatch"),
    ];
    reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect()
}

/// Seats exactly one unused reviewer in wave 2: of a fitting role first, then of a new family, then by id order.
fn expand(input: &Input, counted: &[Counted<'_>], reasons: &[&'static str]) -> Result<(Seat, Plan), &'static str> {
    let plan = &input.plan;
    if plan.expansion_waves_used >= MAXIMUM_WAVES {
        return Err("maximum_expansion_waves_reached");
    }
    if plan.seats.len() >= MAXIMUM_REVIEWERS {
        return Err("no_unused_candidate");
    }
    let wanted = if reasons.contains(&"readiness_mismatch") {
        "traceability"
    } else if reasons.contains(&"single_critical_or_security") {
        "security"
    } else if reasons.contains(&"split_concern") {
        "adversarial"
    } else {
        "standard"
    };
    // A role stands for one voice: one that is taken already would make the consensus ambiguous.
    let taken: BTreeSet<&str> = plan.seats.iter().map(|s| s.assignment_role.as_str()).collect();
    let role = [wanted, "security", "adversarial", "traceability", "standard", "feasibility"]
        .into_iter()
        .find(|r| !taken.contains(r))
        .unwrap_or(wanted);
    let families: BTreeSet<&str> = counted.iter().filter_map(|c| super::arguments::provider_of(c.id)).collect();
    let rank = |s: &&Seat| {
        let order = REVIEWERS.iter().position(|r| *r == s.reviewer_id).unwrap_or(REVIEWERS.len());
        (!supports(&s.reviewer_id, role), families.contains(s.provider.as_str()), order)
    };
    let chosen = plan.candidates.iter().min_by_key(rank).ok_or("no_unused_candidate")?;
    let replaces = counted.len() < plan.seats.len();
    let seat = Seat { assignment_role: role.to_owned(), wave: 2, required: replaces, ..chosen.clone() };
    let mut expanded = plan.clone();
    expanded.candidates.retain(|c| c.reviewer_id != seat.reviewer_id);
    expanded.seats.push(seat.clone());
    expanded.expansion_waves_used += 1;
    expanded.floor.tier += 1;
    Ok((seat, expanded))
}

/// The floors that stand after the consensus.
fn with_floors(input: &Input, counted: &[Counted<'_>], verdict: RoundVerdict, mut out: Synthesis) -> Synthesis {
    let plan = &input.plan;
    let families = counted.iter().filter_map(|c| super::arguments::provider_of(c.id)).collect::<BTreeSet<_>>().len();
    if plan.artifact_phase == Phase::Implementation && plan.risk == Risk::Critical && (counted.len() < 3 || families < 2) {
        return failure(out, "critical_reviewer_floor");
    }
    let mut verdict = verdict;
    let short = counted.len() < plan.floor.planned_reviewers || families < plan.floor.minimum_families;
    if short {
        out.warnings.push("floor_not_met");
        if verdict == RoundVerdict::Approve {
            verdict = RoundVerdict::Concern;
        }
        if plan.artifact_phase == Phase::Document && matches!(plan.risk, Risk::High | Risk::Critical) {
            out.warnings.push("document_blocked");
        }
    }
    if !input.deferred_pending.is_empty() && plan.artifact_phase == Phase::Implementation {
        out.warnings.push("deferred_acceptance_pending");
        if verdict == RoundVerdict::Approve {
            verdict = RoundVerdict::Concern;
        }
    }
    out.warnings.sort_unstable();
    out.verdict = Some(verdict);
    out
}
