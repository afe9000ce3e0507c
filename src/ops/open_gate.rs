//! open-gate: a gate opened or gone on with: policy, criteria, floor and tier bound to the scope as it stands (waves spec §3 to §5, §9).

use serde::Serialize;
use serde_json::json;

use super::wave::{Folder, Place, accept, events, issue, proofs, refuse_a_wave};
use super::{check_receipt, detect_scope, fingerprint_scope, resolve_policy, select_tier};
use crate::base::{Code, Fail, time};
use crate::host::lock::Held;
use crate::host::{Host, files};
use crate::wave::criteria::STANDALONE;
use crate::wave::floor::Match;
use crate::wave::journal::Type;
use crate::wave::resume::{Difference, Standing, differences};
use crate::wave::tier::{Profile, ReasonCode, Selection, Source, Tier, higher};
use crate::wire::criteria;
use crate::wire::gate::{Gate, Paused, Policy, Status};

/// What is asked.
#[derive(Debug, Default, Clone)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// How a tier is selected; its scope is the gate's.
    pub select: select_tier::Request,
    /// Approved criteria; without them the loop is standalone.
    pub criteria: Option<String>,
    /// The record of their approval.
    pub approval: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The gate.
    #[serde(flatten)]
    pub view: View,
    /// Whether credit of an earlier run was taken over.
    pub resumed: bool,
    /// What differs from the gate that was there before.
    pub differs: Vec<Difference>,
    /// What made the floor.
    pub matched: Vec<Match>,
}

/// A gate as it is shown.
#[derive(Debug, Clone, Serialize)]
pub struct View {
    /// The loop.
    pub loop_id: String,
    /// `lifecycle` with sealed criteria, else `standalone`.
    pub kind: &'static str,
    /// How it stands.
    pub status: Status,
    /// Why it stands still.
    pub paused: Option<Paused>,
    /// `full current change set` or `entire codebase`.
    pub scope: &'static str,
    /// The tier.
    pub tier: Tier,
    /// The profile of its waves.
    pub profile: Profile,
    /// Who selected the tier.
    pub source: Source,
    /// Why.
    pub reason_codes: Vec<ReasonCode>,
    /// The floor.
    pub floor: Tier,
    /// Whether an operator chose a tier below the floor.
    pub exception: bool,
    /// Waves that were started.
    pub iteration: u64,
    /// Consecutive clean passes.
    pub clean: u64,
    /// How many are required.
    pub required: u64,
    /// How many the policy asks for.
    pub policy_required: u64,
    /// Of the override below the policy.
    pub override_binding: Option<String>,
    /// Findings that were fixed.
    pub findings_fixed: u64,
    /// Of the scope.
    pub scope_fingerprint: String,
    /// Of the criteria, or `standalone`.
    pub criteria_binding: String,
    /// Of the policy.
    pub policy_binding: String,
    /// The session of the open pass.
    pub open_pass: Option<String>,
    /// The receipt's path, once there is one.
    pub receipt: Option<String>,
    /// `completed` or `waived`, once it is over.
    pub outcome: Option<Status>,
}

impl View {
    /// A gate of a loop's folder.
    pub fn of(folder: &Folder<'_>, gate: &Gate) -> View {
        let receipt = gate.receipt.as_ref().map(|_| folder.dir.join("receipt.json").to_string_lossy().into_owned());
        View {
            loop_id: gate.loop_id.clone(),
            kind: if gate.criteria_binding == STANDALONE { STANDALONE } else { "lifecycle" },
            status: gate.status,
            paused: gate.paused.clone(),
            scope: if gate.bound.mode == "codebase" { "entire codebase" } else { "full current change set" },
            tier: gate.selection.tier,
            profile: gate.selection.tier.profile(),
            source: gate.selection.source,
            reason_codes: gate.selection.reason_codes.clone(),
            floor: gate.floor.0,
            exception: gate.exception,
            iteration: gate.iteration,
            clean: gate.clean,
            required: gate.required,
            policy_required: gate.policy.passes.of(gate.selection.tier),
            override_binding: gate.override_binding.clone(),
            findings_fixed: gate.findings_fixed,
            scope_fingerprint: gate.bound.scope_fingerprint.clone(),
            criteria_binding: gate.criteria_binding.clone(),
            policy_binding: gate.policy.policy_binding.clone(),
            open_pass: gate.pass.as_ref().map(|p| p.session_id.clone()),
            receipt,
            outcome: gate.receipt.as_ref().map(|r| r.outcome).or((gate.status == Status::Waived).then_some(Status::Waived)),
        }
    }
}

/// Opens a gate, or goes on with the one that is there.
///
/// # Errors
/// `PASS_ACTIVE`, `PASS_OPEN`, `INVALID_CRITERIA`, `APPROVAL_CONFLICT`, `INVALID_SELECTION`, those of policy, scope and state.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    refuse_a_wave(host)?;
    let mut folder = Folder::find(host, &request.place)?;
    folder.make()?;
    let held = folder.hold()?;
    open(request, &folder, &held)
}

/// As [`run`], in a loop whose lock is held.
///
/// # Errors
/// As [`run`].
pub fn open(request: &Request, folder: &Folder<'_>, held: &Held) -> Result<Answer, Fail> {
    let host = folder.host;
    let before = folder.gate()?;
    if let Some(gate) = before.as_ref().filter(|g| g.pass.is_some())
        && !issue::is_abandoned(folder, gate)
    {
        return Err(Fail::new(Code::PassOpen, format!("the gate `{}` has an open pass", folder.id)));
    }
    let policy = resolve_policy::of(&folder.checkout)?;
    let (criteria_binding, criteria_bytes) = sealed(request, folder)?;
    let base = request.select.scope.base.clone().filter(|b| !b.is_empty());
    let own: Vec<String> = request.select.scope.own.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    let scope = detect_scope::Request { repo: request.place.repo.clone(), base: base.clone(), own: folder.own(&own), ..Default::default() };
    let bound = fingerprint_scope::bound(&folder.checkout, base.as_deref(), &scope.own)?;
    let select = select_tier::Request { scope, criteria_binding: Some(criteria_binding.clone()), ..request.select.clone() };
    let selected = select_tier::of(&folder.checkout, &select, &policy, host)?;
    // A tier that was selected for this very scope never falls.
    let same = |g: &&Gate| g.bound.scope_fingerprint == bound.scope_fingerprint && g.criteria_binding == criteria_binding;
    let selection: Selection = match before.as_ref().filter(same) {
        Some(old) => higher(old.selection.clone(), selected.selection.clone()),
        None => selected.selection.clone(),
    };
    let (differs, kept) = match &before {
        Some(old) => {
            let tier = selection.tier;
            let then = Standing {
                tier: old.selection.tier,
                bound: &old.bound,
                criteria: &old.criteria_binding,
                policy: &old.policy.policy_binding,
            };
            let now = Standing { tier, bound: &bound, criteria: &criteria_binding, policy: &policy.policy_binding };
            let differs = differences(&then, &now);
            let flawless =
                proofs::flaws(folder, old, folder.criteria(&old.criteria_binding).ok().flatten().as_ref()).iter().all(|f| f.0 == 0);
            (differs.clone(), Some(old).filter(|_| differs.is_empty() && flawless))
        }
        None => (Vec::new(), None),
    };
    // A gate that is over stays so while its receipt holds; one whose decision no longer does goes on with its credit.
    let over = match kept {
        Some(gate) if gate.status == Status::Completed => {
            accept::settle(folder, gate)?;
            check_receipt::of(folder, gate, None)?.is_empty() && gate.asked >= selected.required
        }
        Some(gate) => gate.status == Status::Waived,
        None => false,
    };
    if let Some(gate) = kept.filter(|_| over) {
        accept::settle(folder, gate)?;
        return Ok(Answer { view: View::of(folder, gate), resumed: true, differs, matched: selected.floor.matched });
    }
    write_criteria(folder, criteria_bytes.as_deref())?;
    let asked = selected.required.max(policy.passes.of(selection.tier)).max(kept.map_or(0, |g| g.asked));
    let gate = Gate {
        schema_version: 1,
        loop_id: folder.id.clone(),
        opening: before.as_ref().map_or(0, |g| g.opening) + u64::from(kept.is_none()),
        opened_at: kept.map_or_else(|| time::iso_ms(host.now_ms()), |g| g.opened_at.clone()),
        base,
        own,
        policy: Policy {
            passes: policy.passes,
            policy_binding: policy.policy_binding.clone(),
            trusted_ref: policy.trusted_ref.clone(),
            oid: kept.map_or(policy.oid.clone(), |g| g.policy.oid.clone()),
            wave_budget: policy.wave_budget,
            sensitive: policy.sensitive.clone(),
        },
        criteria_binding,
        exception: kept.map_or(selected.exception, |g| g.exception && g.selection == selection),
        floor: (selected.floor.tier, selected.floor.reason_codes.clone()),
        selection,
        asked,
        required: asked,
        override_binding: None,
        bound,
        status: Status::Open,
        paused: None,
        // The counter of waves goes on: a proof's folder is never used for two of them.
        iteration: before.as_ref().map_or(0, |g| g.iteration),
        spent: kept.map_or(0, |g| g.spent + u64::from(g.pass.is_some())),
        clean: kept.map_or(0, |g| g.clean),
        findings_fixed: kept.map_or(0, |g| g.findings_fixed),
        history: kept.map(|g| g.history.clone()).unwrap_or_default(),
        ledger: kept.map(|g| g.ledger.clone()).unwrap_or_default(),
        pass: None,
        owner: None,
        receipt: None,
        waiver: None,
    };
    let gate = aimed(folder, gate)?;
    folder.keep(held, &gate)?;
    accept::settle(folder, &gate)?;
    note(folder, held, &gate);
    accept::ended(folder, held, &gate);
    Ok(Answer { view: View::of(folder, &gate), resumed: kept.is_some(), differs, matched: selected.floor.matched })
}

/// A gate with its target as it is now; credit that reaches it completes it.
///
/// # Errors
/// `OVERRIDE_STATE_INVALID`.
pub fn aimed(folder: &Folder<'_>, mut gate: Gate) -> Result<Gate, Fail> {
    let (required, binding) = issue::target(folder, &gate)?;
    (gate.required, gate.override_binding) = (required, binding);
    if gate.clean >= gate.required {
        // More credit than is required is no more than that.
        gate.clean = gate.required;
        gate.ledger.truncate(usize::try_from(gate.required).unwrap_or(usize::MAX));
        accept::complete(folder, &mut gate);
    }
    Ok(gate)
}

fn note(folder: &Folder<'_>, held: &Held, gate: &Gate) {
    let p = gate.policy.passes;
    let data = json!({
        "tier": gate.selection.tier, "profile": gate.selection.tier.profile(), "required_clean": gate.required,
        "source": gate.selection.source, "reason_codes": gate.selection.reason_codes, "floor": gate.floor.0, "floor_reason": gate.floor.1,
        "policy_small": p.small, "policy_normal": p.normal, "policy_complex": p.complex,
    });
    events::note(folder, held, Type::TierSelected, data);
}

/// The binding of the criteria that were handed in, which their approval has to name; `standalone` without any.
fn sealed(request: &Request, folder: &Folder<'_>) -> Result<(String, Option<Vec<u8>>), Fail> {
    let given = |flag: &Option<String>| flag.clone().filter(|f| !f.is_empty());
    let (criteria, approval) = match (given(&request.criteria), given(&request.approval)) {
        (None, None) => return Ok((STANDALONE.to_owned(), None)),
        (Some(criteria), Some(approval)) => (criteria, approval),
        _ => {
            return Err(Fail::new(Code::InvalidArgument, "`--criteria` and `--approval` go together: criteria count once they are sealed"));
        }
    };
    let bytes = files::read_text(&folder.host.absolute(Some(&criteria), "criteria")?, crate::wave::criteria::LARGEST)?;
    let read = criteria::read(&bytes)?;
    if let Some((section, at, why)) = read.offences().first() {
        return Err(Fail::new(Code::InvalidCriteria, format!("`/{}/{at}` is no criterion: {}", section.word(), why.word())));
    }
    let record = criteria::approval(&files::read_state(&folder.host.absolute(Some(&approval), "approval")?)?)?;
    if record.criteria_binding != read.binding() {
        return Err(Fail::new(Code::ApprovalConflict, "the approval is one of other criteria")
            .hint("seal-criteria --approval --previous records another one"));
    }
    Ok((record.criteria_binding, Some(bytes)))
}

fn write_criteria(folder: &Folder<'_>, bytes: Option<&[u8]>) -> Result<(), Fail> {
    let path = folder.dir.join("criteria.json");
    match bytes {
        Some(bytes) => files::replace(folder.host, &path, bytes),
        None => files::clear(&path),
    }
}
