//! open-gate: a gate opened or gone on with: policy, criteria, floor and tier bound to the scope as it stands (waves spec §3 to §5, §9).

use serde::Serialize;
use serde_json::json;

use super::wave::{Folder, GATE, Place, accept, events, issue, overrides, proofs, refuse_a_wave, refuse_beside_a_driver};
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

impl Request {
    /// What is compared with, and our own folders inside the checkout.
    pub fn scope(&self) -> (Option<String>, Vec<String>) {
        let base = self.select.scope.base.clone().filter(|b| !b.is_empty());
        (base, self.select.scope.own.iter().map(|p| p.to_string_lossy().into_owned()).collect())
    }
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
    refuse_beside_a_driver(&folder)?;
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
    let (before, damaged) = readable(folder)?;
    if let Some(gate) = before.as_ref().filter(|g| g.pass.is_some())
        && !issue::is_abandoned(folder, gate)
    {
        return Err(Fail::new(Code::PassOpen, format!("the gate `{}` has an open pass", folder.id)));
    }
    let policy = resolve_policy::of(&folder.checkout)?;
    let Sealed { binding: criteria_binding, bytes: criteria_bytes, approval } = sealed(request, host)?;
    let (base, own) = request.scope();
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
    let (mut differs, kept) = match &before {
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
        None => (Vec::from_iter(damaged.then_some(Difference::State)), None),
    };
    // A gate that is over stays so while its receipt holds; one whose decision no longer does goes on with its credit.
    // Whoever opens one that was waived wants it reviewed after all.
    let over = match kept {
        Some(gate) if gate.status == Status::Completed => {
            accept::settle(folder, gate)?;
            check_receipt::of(folder, gate, None)?.is_empty() && gate.asked >= selected.required && gate.base == base && gate.own == own
        }
        _ => false,
    };
    let kept = kept.filter(|g| g.status != Status::Waived);
    if let Some(gate) = kept.filter(|_| over) {
        accept::settle(folder, gate)?;
        return Ok(Answer { view: View::of(folder, gate), resumed: true, differs, matched: selected.floor.matched });
    }
    let asked = selected.required.max(policy.passes.of(selection.tier)).max(kept.map_or(0, |g| g.asked));
    let gate = Gate {
        schema_version: 1,
        loop_id: folder.id.clone(),
        // Nobody knows how often a gate was opened whose state is gone: no decision about an earlier one may hold for this one.
        opening: if damaged {
            u64::try_from(host.now_ms() / 1000).unwrap_or(1).max(1)
        } else {
            before.as_ref().map_or(0, |g| g.opening) + u64::from(kept.is_none())
        },
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
        exception: selection.source == Source::Environment && selection.tier < selected.floor.tier,
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
        overrides_head: before.as_ref().and_then(|g| g.overrides_head.clone()),
        approval,
    };
    let gate = match aimed(folder, gate.clone()) {
        Err(fail) if fail.code == Code::OverrideStateInvalid => {
            // Decisions that cannot be read hold no longer, and what they may have asked for more is kept; the journal is put aside.
            put_journal_aside(folder)?;
            differs.push(Difference::State);
            let asked = gate.asked.max(before.as_ref().map_or(0, |g| g.required));
            aimed(folder, Gate { overrides_head: None, clean: 0, ledger: Vec::new(), asked, required: asked, ..gate })?
        }
        other => other?,
    };
    folder.keep(held, &gate)?;
    host.failpoint("gate-opened");
    write_criteria(folder, criteria_bytes.as_deref())?;
    accept::settle(folder, &gate)?;
    if kept.is_none_or(|g| g.selection != gate.selection || g.required != gate.required) {
        note(folder, held, &gate);
    }
    accept::ended(folder, held, &gate);
    Ok(Answer { view: View::of(folder, &gate), resumed: kept.is_some(), differs, matched: selected.floor.matched })
}

/// The gate that is there, and whether there was one that no longer reads as this program wrote it: that one is put aside, and earns
/// nothing (waves spec §9). A link or a foreign file is nobody's state and is refused.
fn readable(folder: &Folder<'_>) -> Result<(Option<Gate>, bool), Fail> {
    const DAMAGE: [Code; 8] = [
        Code::Corrupt,
        Code::BadJson,
        Code::BadUtf8,
        Code::BadShape,
        Code::DuplicateKey,
        Code::NumberRange,
        Code::ForgedState,
        Code::InvalidState,
    ];
    match folder.gate() {
        Ok(gate) => Ok((gate, false)),
        Err(fail) if DAMAGE.contains(&fail.code) => {
            let place = |n: u32| folder.dir.join(format!("{GATE}.damaged-{n}"));
            let free = (1..1000).map(place).find(|p| p.symlink_metadata().is_err());
            files::rename(&folder.dir.join(GATE), &free.ok_or(fail)?)?;
            Ok((None, true))
        }
        Err(fail) => Err(fail),
    }
}

/// Puts a journal of overrides aside that can no longer be read.
fn put_journal_aside(folder: &Folder<'_>) -> Result<(), Fail> {
    let journal = folder.dir.join(overrides::JOURNAL);
    if journal.symlink_metadata().is_err() {
        return Ok(());
    }
    let place = |n: u32| folder.dir.join(format!("{}.damaged-{n}", overrides::JOURNAL));
    let free = (1..1000).map(place).find(|p| p.symlink_metadata().is_err());
    let full = || Fail::new(Code::OverrideStateInvalid, "a thousand damaged journals were put aside already");
    files::rename(&journal, &free.ok_or_else(full)?)
}

/// A gate with its target as it is now; credit that reaches it completes it.
///
/// # Errors
/// `OVERRIDE_STATE_INVALID`.
pub fn aimed(folder: &Folder<'_>, mut gate: Gate) -> Result<Gate, Fail> {
    let (required, binding) = issue::target(folder, &gate)?;
    (gate.required, gate.override_binding) = (required, binding);
    if gate.clean >= gate.required {
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

/// Criteria that were handed in.
pub struct Sealed {
    /// What they are bound by; `standalone` without any.
    pub binding: String,
    /// Their bytes.
    pub bytes: Option<Vec<u8>>,
    /// Where their approval is recorded.
    pub approval: Option<String>,
}

/// The criteria that were handed in, which their approval has to name.
///
/// # Errors
/// `INVALID_ARGUMENT` for one without the other, `INVALID_CRITERIA`, `APPROVAL_CONFLICT`, and those of the documents.
pub fn sealed(request: &Request, host: &Host) -> Result<Sealed, Fail> {
    let given = |flag: &Option<String>| flag.clone().filter(|f| !f.is_empty());
    let (criteria, approval) = match (given(&request.criteria), given(&request.approval)) {
        (None, None) => return Ok(Sealed { binding: STANDALONE.to_owned(), bytes: None, approval: None }),
        (Some(criteria), Some(approval)) => (criteria, approval),
        _ => {
            return Err(Fail::new(Code::InvalidArgument, "`--criteria` and `--approval` go together: criteria count once they are sealed"));
        }
    };
    let bytes = files::read_text(&host.absolute(Some(&criteria), "criteria")?, crate::wave::criteria::LARGEST)?;
    let read = criteria::read(&bytes)?;
    if let Some((section, at, why)) = read.offences().first() {
        return Err(Fail::new(Code::InvalidCriteria, format!("`/{}/{at}` is no criterion: {}", section.word(), why.word())));
    }
    let approval = host.absolute(Some(&approval), "approval")?;
    let record = criteria::approval(&files::read_state(&approval)?)?;
    if record.criteria_binding != read.binding() {
        return Err(Fail::new(Code::ApprovalConflict, "the approval is one of other criteria")
            .hint("seal-criteria --approval --previous records another one"));
    }
    let approval = Some(approval.to_string_lossy().into_owned());
    Ok(Sealed { binding: record.criteria_binding, bytes: Some(bytes), approval })
}

fn write_criteria(folder: &Folder<'_>, bytes: Option<&[u8]>) -> Result<(), Fail> {
    let path = folder.dir.join("criteria.json");
    match bytes {
        Some(bytes) => files::replace(folder.host, &path, bytes),
        None => files::clear(&path),
    }
}
