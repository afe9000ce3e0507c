//! The plan of one round: cap, reviewers with role, model and effort, and what the review will read.
//!
//! Source: deep-review seed §1, §2; rounds spec §2.2, §2.6. Ids, roles and floors are tables; models are opaque.

use std::collections::BTreeSet;

use serde::Serialize;

use super::arguments::{DEFAULT_CAP, MAX_CAP, Overrides, provider_of};
use super::compare::Progress;
use super::record::{Routing, Surface};
use crate::base::reason::words;
use crate::base::{Code, Fail};

/// Reviewer ids in id order.
pub const REVIEWERS: [&str; 4] = ["claude-opus", "codex-review", "codex-adversarial", "agy"];
/// Roles of an assignment.
pub const ROLES: [&str; 6] = ["standard", "feasibility", "traceability", "adversarial", "security", "confirmation"];
/// The most reviewers one round may have.
pub const MAXIMUM_REVIEWERS: usize = 4;

words! {
    /// What is under review.
    Phase {
        Document "document",
        Implementation "implementation",
    }
}

words! {
    /// How much hangs on it; ordered.
    Risk {
        Low "low",
        Medium "medium",
        High "high",
        Critical "critical",
    }
}

/// The round cap: what was asked for, else 5 for an implementation, 3 for a document of high or critical risk, 2 for any
/// other document. It counts reviews (rounds spec §2.2).
///
/// # Errors
/// `INVALID_LOOP_POLICY` outside 1 to 1000.
pub fn cap(phase: Phase, risk: Risk, explicit: Option<u64>) -> Result<u64, Fail> {
    if let Some(explicit) = explicit {
        if !(1..=MAX_CAP).contains(&explicit) {
            return Err(Fail::new(Code::InvalidLoopPolicy, format!("the cap `{explicit}` is not from 1 to {MAX_CAP}")));
        }
        return Ok(explicit);
    }
    Ok(match (phase, risk) {
        (Phase::Implementation, _) => DEFAULT_CAP,
        (Phase::Document, Risk::High | Risk::Critical) => 3,
        (Phase::Document, _) => 2,
    })
}

/// How many reviewers of how many provider families a round needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Floor {
    /// Below this no verdict is trusted at critical risk, and none is clean elsewhere.
    pub minimum_reviewers: usize,
    /// How many are dispatched.
    pub planned_reviewers: usize,
    /// From how many provider families.
    pub minimum_families: usize,
    /// Effort tier, from 0.
    pub tier: u64,
    /// The roles in order.
    pub roles: Vec<&'static str>,
}

/// The floor of a round (rounds spec §2.6). `requirements` says that a document set is requirements or tests without a
/// plan, whose primary role is traceability.
pub fn floor(phase: Phase, risk: Risk, progress: Option<Progress>, requirements: bool) -> Floor {
    let base_tier = risk as u64 + 1;
    let calm = matches!(risk, Risk::Low | Risk::Medium);
    if progress == Some(Progress::Confirmation) && calm {
        return Floor { minimum_reviewers: 1, planned_reviewers: 1, minimum_families: 1, tier: base_tier - 1, roles: vec!["confirmation"] };
    }
    let primary = if requirements { "traceability" } else { "feasibility" };
    let second = if requirements { "adversarial" } else { "traceability" };
    let (minimum, planned, families, mut roles) = match (phase, risk) {
        (Phase::Document, Risk::Low | Risk::Medium) => (1, 1, 1, vec![primary]),
        (Phase::Document, _) => (2, 2, 2, vec![primary, second]),
        (Phase::Implementation, Risk::Low | Risk::Medium) => (2, 2, 2, vec!["standard", "adversarial"]),
        (Phase::Implementation, Risk::High) => (2, 3, 2, vec!["standard", "adversarial", "security"]),
        (Phase::Implementation, Risk::Critical) => (3, 3, 2, vec!["standard", "adversarial", "security"]),
    };
    let worse = matches!(progress, Some(Progress::Regression | Progress::Stalled));
    if worse {
        let unused = ["security", "adversarial", "standard"].into_iter().find(|r| !roles.contains(r));
        roles.push(unused.unwrap_or("standard"));
    }
    let planned = (planned + usize::from(worse)).min(MAXIMUM_REVIEWERS);
    Floor { minimum_reviewers: minimum, planned_reviewers: planned, minimum_families: families, tier: base_tier + u64::from(worse), roles }
}

/// One reviewer's part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seat {
    /// Which reviewer.
    pub reviewer_id: String,
    /// Whose it is.
    pub provider: String,
    /// In which role.
    pub assignment_role: String,
    /// Null for the provider's default.
    pub model: Option<String>,
    /// Null for the provider's default.
    pub effort: Option<String>,
    /// 1, or 2 when added by an expansion.
    pub wave: u64,
    /// Whether the round fails without it.
    pub required: bool,
}

/// What is known when reviewers are chosen.
#[derive(Debug, Clone)]
pub struct Known<'a> {
    /// document or implementation.
    pub phase: Phase,
    /// low to critical.
    pub risk: Risk,
    /// Of the previous two rounds.
    pub progress: Option<Progress>,
    /// See [`floor`].
    pub requirements: bool,
    /// What the arguments override.
    pub overrides: &'a Overrides,
    /// Which reviewers can be called here.
    pub available: &'a BTreeSet<String>,
    /// Which answered last round.
    pub used: &'a [String],
}

/// The plan of one round as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// Always 1.
    pub schema_version: u64,
    /// The loop.
    pub loop_id: String,
    /// From 1.
    pub round_number: u64,
    /// The most reviews this loop may execute.
    pub cap: u64,
    /// document or implementation.
    pub artifact_phase: Phase,
    /// low to critical.
    pub risk: Risk,
    /// The floor.
    #[serde(flatten)]
    pub floor: Floor,
    /// The reviewers.
    pub seats: Vec<Seat>,
    /// Reviewers an expansion may still use.
    pub candidates: Vec<Seat>,
    /// How many expansion waves were used.
    pub expansion_waves_used: u64,
    /// What the review compares with.
    pub base_commit: Option<String>,
    /// What the review reads.
    #[serde(flatten)]
    pub surface: Surface,
}

impl Plan {
    /// Checks routing metadata against the plan, and fills what the metadata leaves out.
    ///
    /// # Errors
    /// Why they contradict.
    pub fn admit(&self, routing: &mut Routing) -> Result<(), String> {
        let seats: BTreeSet<&str> = self.seats.iter().map(|s| s.reviewer_id.as_str()).collect();
        if routing.artifact_phase.is_none() {
            routing.artifact_phase = Some(self.artifact_phase.word().to_owned());
            routing.risk = Some(self.risk.word().to_owned());
            routing.planned_reviewers = self.seats.iter().map(|s| s.reviewer_id.clone()).collect();
            return Ok(());
        }
        let planned: BTreeSet<&str> = routing.planned_reviewers.iter().map(String::as_str).collect();
        if planned != seats {
            return Err(format!("it names {planned:?} as planned, the plan has {seats:?}"));
        }
        if let Some(stranger) = routing.actual_reviewers.iter().find(|r| !seats.contains(r.as_str())) {
            return Err(format!("`{stranger}` answered and was not planned"));
        }
        let wave = self.seats.iter().map(|s| s.wave).max().unwrap_or(1);
        if routing.wave != wave || routing.expansion != (wave > 1) {
            return Err(format!("it says wave {} and expansion {}, the plan has wave {wave}", routing.wave, routing.expansion));
        }
        let seat = |id: &str| self.seats.iter().find(|s| s.reviewer_id == id);
        for part in &routing.assignments {
            let planned = seat(&part.reviewer_id);
            let same = |s: &Seat| {
                s.assignment_role == part.assignment_role && s.model == part.model && s.effort == part.effort && s.wave == part.wave
            };
            if !planned.is_some_and(same) {
                return Err(format!("the assignment of `{}` is not the planned one", part.reviewer_id));
            }
        }
        Ok(())
    }
}

/// Whether a reviewer can take a role.
pub fn supports(reviewer: &str, role: &str) -> bool {
    match reviewer {
        "codex-review" => !matches!(role, "adversarial" | "security"),
        "codex-adversarial" => matches!(role, "adversarial" | "security" | "standard"),
        _ => true,
    }
}

/// Chooses the reviewers of a round: per role a required provider first, then a family not yet in, then one that was not
/// used last round, then id order. `static` takes every reviewer that can be called.
pub fn choose(known: &Known<'_>, floor: &Floor) -> (Vec<Seat>, Vec<Seat>, Vec<&'static str>) {
    let callable: Vec<&str> = REVIEWERS.into_iter().filter(|id| is_callable(known, id)).collect();
    let fixed = known.overrides.reviewer_strategy.as_deref() == Some("static");
    let wanted = if fixed { callable.len() } else { floor.planned_reviewers.max(required(known, &callable).len()) };
    let mut seats: Vec<Seat> = Vec::new();
    for index in 0..wanted {
        let role = floor.roles.get(index).or(floor.roles.first()).copied().unwrap_or("standard");
        let families: BTreeSet<&str> = seats.iter().map(|s| s.provider.as_str()).collect();
        let free = callable.iter().filter(|id| !seats.iter().any(|s| s.reviewer_id == **id));
        let rank = |id: &&&str| {
            let provider = provider_of(id).unwrap_or_default();
            let named = known.overrides.required_reviewers.contains(**id) || known.overrides.required_providers.contains(provider);
            (!named || families.contains(provider), !supports(id, role), families.contains(provider), known.used.iter().any(|u| u == **id))
        };
        let Some(id) = free.min_by_key(rank) else {
            break;
        };
        seats.push(seat(known, id, role, 1, known.overrides.required_reviewers.contains(*id)));
    }
    let left = callable.iter().filter(|id| !seats.iter().any(|s| s.reviewer_id == **id));
    let candidates = left.map(|id| seat(known, id, "standard", 2, false)).collect();
    let families: BTreeSet<&str> = seats.iter().map(|s| s.provider.as_str()).collect();
    let mut warnings = Vec::new();
    if families.len() < floor.minimum_families {
        warnings.push("family_shortage");
    }
    if seats.is_empty() {
        warnings.push("no_reviewers");
    }
    if seats.len() < floor.minimum_reviewers {
        warnings.push("reviewer_shortage");
    }
    (seats, candidates, warnings)
}

fn is_callable(known: &Known<'_>, id: &str) -> bool {
    let provider = provider_of(id).unwrap_or_default();
    let optional = provider == "agy" && !known.overrides.required_providers.contains("agy");
    known.available.contains(id) && !known.overrides.disabled_providers.contains(provider) && !(optional && known.overrides.codex_only)
}

fn required<'a>(known: &Known<'_>, callable: &[&'a str]) -> Vec<&'a str> {
    callable.iter().copied().filter(|id| known.overrides.required_reviewers.contains(*id)).collect()
}

/// A seat with the model and effort the arguments chose.
pub fn seat(known: &Known<'_>, id: &str, role: &str, wave: u64, required: bool) -> Seat {
    let choice = known.overrides.choice(id);
    Seat {
        reviewer_id: id.to_owned(),
        provider: provider_of(id).unwrap_or_default().to_owned(),
        assignment_role: role.to_owned(),
        model: choice.model,
        effort: choice.effort,
        wave,
        required,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round::arguments::expand;

    fn plan_of(line: &str, phase: Phase, risk: Risk, progress: Option<Progress>, used: &[String]) -> (Vec<Seat>, Vec<&'static str>) {
        let tokens: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let expanded = expand(&tokens).unwrap();
        let available = REVIEWERS.iter().map(|r| (*r).to_owned()).collect();
        let known = Known { phase, risk, progress, requirements: false, overrides: &expanded.overrides, available: &available, used };
        let (seats, _, warnings) = choose(&known, &floor(phase, risk, progress, false));
        (seats, warnings)
    }

    fn ids(seats: &[Seat]) -> Vec<&str> {
        seats.iter().map(|s| s.reviewer_id.as_str()).collect()
    }

    #[test]
    fn the_cap_follows_phase_and_risk() {
        assert_eq!(cap(Phase::Implementation, Risk::Critical, None).unwrap(), 5);
        assert_eq!(cap(Phase::Document, Risk::High, None).unwrap(), 3);
        assert_eq!(cap(Phase::Document, Risk::Medium, None).unwrap(), 2);
        assert_eq!(cap(Phase::Document, Risk::Low, Some(9)).unwrap(), 9);
        assert!(cap(Phase::Document, Risk::Low, Some(1001)).is_err());
    }

    #[test]
    fn reviewers_come_from_two_families_and_fit_their_roles() {
        let (seats, warnings) = plan_of("", Phase::Implementation, Risk::Low, None, &[]);
        assert_eq!(ids(&seats), ["claude-opus", "codex-adversarial"]);
        assert!(warnings.is_empty());
        let (seats, _) = plan_of("", Phase::Implementation, Risk::Critical, None, &[]);
        assert_eq!(seats.len(), 3);
        let (seats, _) = plan_of("--reviewer-model codex-review=x", Phase::Implementation, Risk::Low, None, &[]);
        assert_eq!(seats.iter().find(|s| s.reviewer_id == "codex-review").unwrap().model.as_deref(), Some("x"));
    }

    #[test]
    fn codex_only_stays_codex_only_and_says_what_is_short() {
        let (seats, warnings) = plan_of("--codex-only", Phase::Implementation, Risk::Low, None, &[]);
        assert_eq!(ids(&seats), ["codex-review", "codex-adversarial"]);
        assert_eq!(warnings, ["family_shortage"]);
    }

    #[test]
    fn a_regression_adds_one_reviewer_and_a_tier() {
        let calm = floor(Phase::Implementation, Risk::Medium, None, false);
        let worse = floor(Phase::Implementation, Risk::Medium, Some(Progress::Regression), false);
        assert_eq!((worse.planned_reviewers, worse.tier), (calm.planned_reviewers + 1, calm.tier + 1));
        let confirmed = floor(Phase::Implementation, Risk::Medium, Some(Progress::Confirmation), false);
        assert_eq!((confirmed.planned_reviewers, confirmed.tier), (1, calm.tier - 1));
    }
}
