//! select-tier: the risk tier of a change: what was assessed or overridden, never below the floor but by an operator, and then as an
//! exception that is said (waves spec §2, §3, §5).

use serde::Serialize;

use super::assess_floor;
use super::checkout::Checkout;
use super::detect_scope;
use super::{fingerprint_scope, resolve_policy, wave};
use crate::base::digest::is_sha256;
use crate::base::path::printable;
use crate::base::{Code, Fail, number};
use crate::host::Host;
use crate::wave::criteria::STANDALONE;
use crate::wave::floor::Floor;
use crate::wave::tier::{Profile, ReasonCode, Selection, Source, Tier, check, codes, higher};

/// What is asked.
#[derive(Debug, Default, Clone)]
pub struct Request {
    /// What is under review.
    pub scope: detect_scope::Request,
    /// The assessed tier; an override of the environment comes before it.
    pub tier: Option<String>,
    /// The assessor's reason codes.
    pub reason_codes: Option<String>,
    /// Who assessed.
    pub source: Option<String>,
    /// What the criteria are bound by, or `standalone`.
    pub criteria_binding: Option<String>,
    /// The tier that was selected before: it never falls.
    pub current: Option<String>,
    /// Its reason codes.
    pub current_reason_codes: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The selection.
    #[serde(flatten)]
    pub selection: Selection,
    /// The profile of its waves.
    pub profile: Profile,
    /// How many consecutive clean waves it needs.
    pub required: u64,
    /// The floor.
    pub floor: Floor,
    /// Whether the floor raised the tier.
    pub raised_by_floor: bool,
    /// Whether an operator chose a tier below the floor.
    pub exception: bool,
    /// What the policy is bound by.
    pub policy_binding: String,
    /// What the criteria are bound by, or `standalone`.
    pub criteria_binding: String,
    /// Of the scope that it was selected for.
    pub scope_fingerprint: String,
}

/// Selects a tier.
///
/// # Errors
/// `INVALID_SELECTION`, `INVALID_ARGUMENT`, and those of detect-scope and resolve-policy.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let folder = host.absolute(Some(request.scope.repo.as_deref().unwrap_or(".")), "repository")?;
    let checkout = Checkout::open(host, &folder)?;
    of(&checkout, request, &resolve_policy::of(&checkout)?, host)
}

/// Selects a tier for an open checkout under its policy.
///
/// # Errors
/// As [`run`].
pub fn of(checkout: &Checkout, request: &Request, policy: &resolve_policy::Answer, host: &Host) -> Result<Answer, Fail> {
    let criteria = request.criteria_binding.clone().filter(|c| !c.is_empty()).unwrap_or_else(|| STANDALONE.to_owned());
    if criteria != STANDALONE && !is_sha256(&criteria) {
        return Err(Fail::new(Code::InvalidArgument, "`--criteria-binding` is neither 64 hex digits nor `standalone`"));
    }
    let floor = assess_floor::of(checkout, &request.scope, &policy.sensitive, host)?;
    let asked = match operator(host)? {
        Some(tier) => Selection { tier, source: Source::Environment, reason_codes: vec![ReasonCode::OperatorOverride] },
        None => assessed(request)?,
    };
    let refused = |why: crate::wave::tier::Refusal| {
        let list: Vec<&str> = asked.reason_codes.iter().map(|c| c.word()).collect();
        let message =
            format!("`{}` with `{}` by `{}` is no selection: {}", asked.tier.word(), list.join(","), asked.source.word(), why.word());
        Fail::new(Code::InvalidSelection, message)
    };
    check(&asked, criteria == STANDALONE).map_err(refused)?;
    let by_operator = asked.source == Source::Environment;
    let raised_by_floor = !by_operator && asked.tier < floor.tier;
    let selection = match raised_by_floor {
        true => Selection { tier: floor.tier, source: Source::DeterministicFloor, reason_codes: floor.reason_codes.clone() },
        false => asked,
    };
    let selection = match given(&request.current).map(|word| tier(&word, "--current")).transpose()? {
        Some(tier) => {
            let text = given(&request.current_reason_codes);
            let text = text.ok_or_else(|| Fail::new(Code::InvalidArgument, "`--current` goes with `--current-reason-codes`"))?;
            let reason_codes = codes(&text).map_err(|why| unread(&text, why))?;
            let kept = Selection { tier, source: own_source(&reason_codes, selection.source), reason_codes };
            check(&kept, criteria == STANDALONE).map_err(|why| unread(&text, why))?;
            higher(kept, selection)
        }
        None => selection,
    };
    let exception = selection.source == Source::Environment && selection.tier < floor.tier;
    let trusted = policy.passes.of(selection.tier);
    let wanted = wanted(host, policy)?;
    let look = checkout.look(&checkout.own(&request.scope.own))?;
    Ok(Answer {
        profile: selection.tier.profile(),
        required: wanted.map_or(trusted, |w| w.max(trusted)),
        selection,
        floor,
        raised_by_floor,
        exception,
        policy_binding: policy.policy_binding.clone(),
        criteria_binding: criteria,
        scope_fingerprint: fingerprint_scope::scope_fingerprint(checkout, request.scope.base.as_deref(), look)?,
    })
}

/// How many clean waves the caller wants. It is measured at the tier that was asked for, small when none was, and only raises later.
///
/// # Errors
/// `INVALID_ARGUMENT` for what is no number, or lowers the policy.
pub fn wanted(host: &Host, policy: &resolve_policy::Answer) -> Result<Option<u64>, Fail> {
    let Some(text) = wave::variable(host, "CLEAN_PASSES")? else { return Ok(None) };
    let wanted = number::plain("REVIEW_LOOP_CLEAN_PASSES", &text, 1..=1_000_000)?;
    let asked = operator(host)?.unwrap_or(Tier::Small);
    let least = policy.passes.of(asked);
    if wanted < least {
        let message = format!("`REVIEW_LOOP_CLEAN_PASSES` {wanted} is below the policy's {least} for `{}`: it only raises", asked.word());
        return Err(Fail::new(Code::InvalidArgument, message));
    }
    Ok(Some(wanted))
}

/// Who selected a tier before, by its codes: those that are reserved name their source.
fn own_source(codes: &[ReasonCode], other: Source) -> Source {
    match codes {
        [ReasonCode::OperatorOverride] => Source::Environment,
        [ReasonCode::WaveEscalation] => Source::WaveEscalation,
        _ if other == Source::Environment => Source::DeterministicFloor,
        _ => other,
    }
}

fn unread(text: &str, why: crate::wave::tier::Refusal) -> Fail {
    Fail::new(Code::InvalidSelection, format!("the reason codes `{}` are none: {}", printable(text), why.word()))
}

fn given(flag: &Option<String>) -> Option<String> {
    flag.clone().filter(|f| !f.is_empty())
}

fn tier(word: &str, flag: &str) -> Result<Tier, Fail> {
    let message = || format!("`{flag} {}` is not one of small, normal, complex", printable(word));
    Tier::find(word).ok_or_else(|| Fail::new(Code::InvalidArgument, message()))
}

/// The tier that the operator set in the environment: the tier, else the profile, which may be `auto`.
///
/// # Errors
/// `INVALID_ARGUMENT` for a word that is no tier, and where two spellings disagree.
pub fn operator(host: &Host) -> Result<Option<Tier>, Fail> {
    if let Some(word) = wave::variable(host, "TIER")? {
        return tier(&word, "REVIEW_LOOP_TIER").map(Some);
    }
    match wave::variable(host, "PROFILE")?.filter(|p| p != "auto") {
        Some(word) => tier(&word, "REVIEW_LOOP_PROFILE").map(Some),
        None => Ok(None),
    }
}

fn assessed(request: &Request) -> Result<Selection, Fail> {
    let missing = |flag: &str| Fail::new(Code::InvalidArgument, format!("`{flag}` is missing, and the environment sets no tier"));
    let word = given(&request.tier).ok_or_else(|| missing("--tier"))?;
    let text = given(&request.reason_codes).ok_or_else(|| missing("--reason-codes"))?;
    let source = given(&request.source).unwrap_or_else(|| Source::StandaloneAssessor.word().to_owned());
    const ASSESSORS: [Source; 3] = [Source::LifecycleAgent, Source::LifecycleAssessor, Source::StandaloneAssessor];
    let source = Source::parse(&source).filter(|s| ASSESSORS.contains(s)).ok_or_else(|| {
        let message = format!("`--source {}` is not one of lifecycle-agent, lifecycle-assessor, standalone-assessor", printable(&source));
        Fail::new(Code::InvalidArgument, message)
    })?;
    let reason_codes = codes(&text).map_err(|why| unread(&text, why))?;
    Ok(Selection { tier: tier(&word, "--tier")?, source, reason_codes })
}
