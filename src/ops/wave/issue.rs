//! Issuing a pass: what a fresh reviewer is given, and nothing else. Source: wave-review seed, Independent Per-Pass Contract; waves spec §12.

use std::path::PathBuf;

use super::{Folder, checks, overrides};
use crate::base::digest::sha256_hex;
use crate::base::{Code, Fail, number, time};
use crate::host::files;
use crate::host::lock::Held;
use crate::ops::{fingerprint_scope, resolve_policy};
use crate::wave::control;
use crate::wave::gate::Pause;
use crate::wave::prompt;
use crate::wave::resume::{Bound, Standing, differences};
use crate::wave::tier::Profile;
use crate::wire::gate::{Gate, Owner, Pass};
use crate::wire::json;

/// A pass, and where everything of it lies.
pub struct Issued {
    /// The pass.
    pub pass: Pass,
    /// Its folder.
    pub dir: PathBuf,
    /// What the wave is told.
    pub prompt: String,
    /// The names of the declared checks.
    pub checks: Vec<String>,
    /// The variables of the wave.
    pub env: Vec<(&'static str, String)>,
}

/// What is required now: the override that holds, else what was asked for.
///
/// # Errors
/// `OVERRIDE_STATE_INVALID`.
pub fn target(folder: &Folder<'_>, gate: &Gate) -> Result<(u64, Option<String>), Fail> {
    let held = overrides::value(folder, control::Gate::CleanPasses, gate)?;
    let trusted = gate.policy.passes.of(gate.selection.tier);
    Ok(match held {
        Some((value, binding)) => (value, Some(binding).filter(|_| value < trusted)),
        None => (gate.asked, None),
    })
}

/// Whether the budget of waves is spent.
///
/// # Errors
/// `OVERRIDE_STATE_INVALID`.
pub fn is_spent(folder: &Folder<'_>, gate: &Gate) -> Result<bool, Fail> {
    let held = overrides::value(folder, control::Gate::MaxWaves, gate)?.map(|(value, _)| value);
    Ok(held.or(gate.policy.wave_budget).is_some_and(|budget| gate.spent >= budget))
}

/// Seconds that a pass may take now: the override that holds, else what it was issued with; 0 is no limit.
///
/// # Errors
/// `OVERRIDE_STATE_INVALID`.
pub fn limit(folder: &Folder<'_>, gate: &Gate, pass: &Pass) -> Result<u64, Fail> {
    Ok(overrides::value(folder, control::Gate::PassTimeout, gate)?.map_or(pass.limit_s, |(value, _)| value))
}

/// Seconds of a pass when nobody says otherwise (waves spec §3).
fn usual(folder: &Folder<'_>, profile: Profile) -> Result<u64, Fail> {
    let set = super::variable(folder.host, "PASS_TIMEOUT")?;
    if let Some(text) = set {
        return number::plain("REVIEW_LOOP_PASS_TIMEOUT", &text, 0..=999_999_999_999_999);
    }
    Ok(match profile {
        Profile::Light => 900,
        Profile::Standard => 1800,
        Profile::Thorough => 3600,
    })
}

/// Why the gate is no longer what it was opened with: its scope, criteria or policy.
///
/// # Errors
/// `BINDING_CHANGED` naming what differs, and those of the checkout.
pub fn still_bound(folder: &Folder<'_>, gate: &Gate) -> Result<Bound, Fail> {
    folder.criteria(&gate.criteria_binding)?;
    approved(gate)?;
    let policy = resolve_policy::of(&folder.checkout)?;
    let now = fingerprint_scope::bound(&folder.checkout, gate.base.as_deref(), &folder.own(&gate.own))?;
    let tier = gate.selection.tier;
    let standing = |bound, policy| Standing { tier, bound, criteria: &gate.criteria_binding, policy };
    let differ = differences(&standing(&gate.bound, &gate.policy.policy_binding), &standing(&now, &policy.policy_binding));
    match differ.as_slice() {
        [] => Ok(now),
        differ => {
            let words: Vec<&str> = differ.iter().map(|d| d.word()).collect();
            let message = format!("the gate was opened with another {}", words.join(" and another "));
            Err(Fail::new(Code::BindingChanged, message).with("differs", words))
        }
    }
}

/// Whether the criteria of a gate are those that are approved now.
///
/// # Errors
/// `BINDING_CHANGED` when others were approved since, or the approval is gone.
pub fn approved(gate: &Gate) -> Result<(), Fail> {
    let Some(path) = &gate.approval else { return Ok(()) };
    let record = files::read_state(std::path::Path::new(path)).and_then(|bytes| crate::wire::criteria::approval(&bytes));
    match record {
        Ok(record) if record.criteria_binding == gate.criteria_binding => Ok(()),
        _ => {
            let message = "the approval of the criteria is no longer of those that the gate was opened with";
            Err(Fail::new(Code::BindingChanged, message).with("differs", vec!["criteria_binding"]))
        }
    }
}

/// Issues the next pass of a gate whose lock is held and whose bindings hold.
///
/// # Errors
/// Why it cannot be written, `INVALID_CHECKS`, `OVERRIDE_STATE_INVALID`.
pub fn issue(folder: &Folder<'_>, held: &Held, gate: &mut Gate, bound: Bound, owner: Option<Owner>) -> Result<Issued, Fail> {
    let host = folder.host;
    let fresh = || sha256_hex(format!("{}\0{}\0{}", host.fresh_id(), uuid::Uuid::new_v4(), gate.iteration).as_bytes());
    let stamp: String = time::iso_ms(host.now_ms()).chars().filter(|c| !matches!(c, '-' | ':')).take(15).collect();
    let pass_id = format!("{stamp}Z_{}_{}", std::process::id(), &fresh()[..8]);
    let session = sha256_hex(format!("{}\0pass\0{pass_id}", folder.id).as_bytes());
    let profile = gate.selection.tier.profile();
    let pass = Pass {
        schema_version: 1,
        session_id: format!("{}-pass-{}", folder.id.chars().take(80).collect::<String>(), &session[..32]),
        loop_id: folder.id.clone(),
        pass_id,
        generation: fresh()[..32].to_owned(),
        issued_ms: host.now_ms(),
        profile,
        bound,
        base: gate.base.clone(),
        own: gate.own.clone(),
        criteria_binding: gate.criteria_binding.clone(),
        policy_binding: gate.policy.policy_binding.clone(),
        checks_oid: gate.policy.oid.clone(),
        limit_s: usual(folder, profile)?,
        search_path: host.var("PATH").map(str::to_owned),
    };
    let dir = folder.session_dir(&pass.session_id)?;
    files::make_private_below(&folder.root, &dir)?;
    if folder.criteria(&pass.criteria_binding)?.is_some() {
        let bytes = files::read_state(&folder.dir.join("criteria.json"))?;
        files::replace(host, &dir.join("criteria.json"), &bytes)?;
    }
    let issued = issued(folder, gate, pass, dir)?;
    files::replace(host, &issued.dir.join("prompt.md"), issued.prompt.as_bytes())?;
    write(folder, &issued.dir, &issued.pass)?;
    host.failpoint("pass-written");
    gate.iteration += 1;
    gate.pass = Some(issued.pass.clone());
    gate.owner = owner;
    folder.keep(held, gate)?;
    Ok(issued)
}

/// Writes the record of a pass.
///
/// # Errors
/// Why it cannot be written.
pub fn write(folder: &Folder<'_>, dir: &std::path::Path, pass: &Pass) -> Result<(), Fail> {
    files::replace(folder.host, &dir.join("pass.json"), &json::document(pass))
}

/// What a pass is given, made again from its record.
///
/// # Errors
/// `INVALID_CHECKS`, `OVERRIDE_STATE_INVALID`, and those of detect-scope.
pub fn issued(folder: &Folder<'_>, gate: &Gate, pass: Pass, dir: PathBuf) -> Result<Issued, Fail> {
    let declared = checks::declared(folder, pass.base.as_deref(), &pass.own, pass.checks_oid.as_deref())?;
    let names = declared.names();
    let text = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let (report, criteria) = (text("report.json"), text("criteria.json"));
    let program = folder.host.program.as_ref().map_or("review-loop".to_owned(), |p| p.to_string_lossy().into_owned());
    let compared = checks::compared(&folder.checkout, &declared.scope);
    let whole = pass.bound.mode == "codebase";
    let prompt = prompt::wave(&prompt::Wave {
        profile: pass.profile,
        base: Some(compared.as_str()).filter(|_| !whole),
        checks: &names,
        criteria_binding: &pass.criteria_binding,
        criteria_file: Some(&criteria),
        report: &report,
        generation: &pass.generation,
        limit_s: limit(folder, gate, &pass)?,
        program: &program,
    });
    let env = env(folder, &pass);
    Ok(Issued { pass, dir, prompt, checks: names, env })
}

/// The variables of a wave: its own session, where state lies, and no way to its parent's.
fn env(folder: &Folder<'_>, pass: &Pass) -> Vec<(&'static str, String)> {
    let root = folder.root.to_string_lossy().into_owned();
    vec![
        ("REVIEW_LOOP_PASS_ACTIVE", "1".to_owned()),
        ("REVIEW_LOOP_SESSION_ID", pass.session_id.clone()),
        ("REVIEW_LOOP_POLICY_SESSION_ID", folder.id.clone()),
        ("REVIEW_LOOP_PHASE_HANDOFF", String::new()),
        ("REVIEW_LOOP_STATE_DIR", root),
    ]
}

/// Puts what a session left aside, where the next session of the same pass is not told of it.
///
/// # Errors
/// Why it cannot be moved.
pub fn put_aside(dir: &std::path::Path, attempt: u64) -> Result<(), Fail> {
    let name = format!("{}.attempt-{attempt}", dir.file_name().unwrap_or_default().to_string_lossy());
    let aside = dir.with_file_name(name);
    files::make_private_dir(&aside)?;
    for name in ["events", "warnings", "report.json", "evidence.json", "context.md", "mend.json"] {
        if dir.join(name).symlink_metadata().is_ok() {
            files::rename(&dir.join(name), &aside.join(name))?;
        }
    }
    Ok(())
}

/// Whether a gate with an open pass may be taken over: nobody runs it, or whoever did is dead.
pub fn is_abandoned(folder: &Folder<'_>, gate: &Gate) -> bool {
    gate.owner.as_ref().is_some_and(|owner| super::fence::life(folder, owner) == super::fence::Life::Dead)
}

/// Takes the pass of a dead owner off a gate, and its credit with it (wave-review seed, Persistence: no clean credit).
pub fn retire(gate: &mut Gate) {
    gate.pass = None;
    gate.owner = None;
    gate.spent += 1;
    gate.clean = 0;
    gate.ledger.clear();
}

/// Puts a gate to a standstill.
pub fn pause(gate: &mut Gate, reason: Pause, detail: Option<String>) {
    gate.status = crate::wire::gate::Status::Paused;
    gate.paused = Some(crate::wire::gate::Paused { reason, detail });
}
