//! Accepting a wave: its result validated, attested, credited, and the gate stepped, in one replacement of the gate.
//!
//! The order is: who and where (criteria, policy, identity), then what (completion, evidence, checks), then the transition. What is wrong
//! in form keeps the pass open for another try; what is wrong in substance pauses. Source: waves spec §8, §12 (acceptance order), §17.

use serde_json::json;

use super::{Folder, checks, events, issue, ledger_sha256, proofs};
use crate::base::digest::sha256_hex;
use crate::base::{Code, Fail, time};
use crate::host::files;
use crate::host::lock::Held;
use crate::ops::{assess_floor, detect_scope, fingerprint_scope, resolve_policy};
use crate::wave::attest::attest;
use crate::wave::churn::{Fixed, remember, repeats};
use crate::wave::evidence::{Checked, Expected, Manifest, Offence, Rule, check, offence};
use crate::wave::gate::{Action, Event, Input, Keeping, Pause, Step, step};
use crate::wave::journal::Type;
use crate::wave::recorded;
use crate::wave::resume::{Bound, Moved, moved};
use crate::wave::signal::{self, Signal};
use crate::wire::criteria;
use crate::wire::evidence::Completion;
use crate::wire::gate::{Gate, Pass, Receipt, Row, Status};

/// What came of closing a pass.
pub enum Closed {
    /// The gate went a step.
    Stepped(Box<Stepped>),
    /// The pass stays open: this is to be mended, and this generation completes it now.
    Rejected {
        /// Every offence.
        mend: Vec<Offence>,
        /// The new generation.
        generation: String,
    },
}

/// A step that was taken.
pub struct Stepped {
    /// The gate afterwards.
    pub gate: Gate,
    /// The step.
    pub step: Step,
    /// What the wave said, in a word.
    pub kind: &'static str,
    /// How many findings it verified.
    pub findings: u64,
    /// Whether the reviewed content changed.
    pub scope_changed: bool,
    /// Whether the working tree against HEAD changed.
    pub working_changed: bool,
}

/// What a wave published, checked.
struct Published {
    signal: Signal,
    completion: Completion,
    manifest: Manifest,
    checked: Checked,
    evidence: Vec<u8>,
    context: Vec<u8>,
}

/// Closes the open pass of a gate whose lock is held; `failure` says what ended the wave where nothing it published counts.
///
/// # Errors
/// `NO_OPEN_PASS`, and why state cannot be read or written.
pub fn close(folder: &Folder<'_>, held: &Held, gate: &Gate, failure: Option<(Pause, Option<String>)>) -> Result<Closed, Fail> {
    let Some(pass) = gate.pass.clone() else {
        return Err(Fail::new(Code::NoOpenPass, format!("no pass of the gate `{}` is open", folder.id)));
    };
    let dir = folder.session_dir(&pass.session_id)?;
    let Ok(after) = fingerprint_scope::bound(&folder.checkout, gate.base.as_deref(), &folder.own(&gate.own)) else {
        return failed(folder, held, gate, &pass, None, Pause::ScopeFingerprintError, None);
    };
    if !criteria_stand(folder, gate, &dir) {
        return failed(folder, held, gate, &pass, Some(&after), Pause::ReviewCriteriaChanged, None);
    }
    match resolve_policy::of(&folder.checkout) {
        Ok(policy) if policy.policy_binding == gate.policy.policy_binding => {}
        Ok(_) => return failed(folder, held, gate, &pass, Some(&after), Pause::PolicyChanged, Some("policy_binding")),
        Err(fail) => return failed(folder, held, gate, &pass, Some(&after), Pause::PolicyChanged, Some(fail.code.word())),
    }
    let stands = super::pass_of(folder, &pass.session_id).ok();
    if let Some((failure, detail)) = failure {
        // What a wave reported counts, however its session ended after that: findings are not lost to a crash of the client.
        if stands.is_some()
            && let Ok(result) = read(folder, gate, &pass, &after)?
            && result.signal != Signal::Clean
        {
            return accept(folder, held, gate, &pass, &after, result);
        }
        return failed(folder, held, gate, &pass, Some(&after), failure, detail.as_deref());
    }
    // The record in the wave's own folder is what it was told; the gate holds what was issued.
    let told = |found: Pass| Pass { generation: pass.generation.clone(), ..found } == pass;
    if stands.is_none_or(|(_, found)| !told(found)) {
        return failed(folder, held, gate, &pass, Some(&after), Pause::PassAttestationInvalid, Some("pass"));
    }
    match read(folder, gate, &pass, &after)? {
        Ok(result) => accept(folder, held, gate, &pass, &after, result),
        Err(mend) => {
            // What was rejected completes nothing: a fresh generation does.
            let generation = sha256_hex(format!("{}\0{}", uuid::Uuid::new_v4(), pass.generation).as_bytes())[..32].to_owned();
            let rotated = Pass { generation: generation.clone(), ..pass };
            // The gate first: what completes the pass is what it says, and the wave's own record follows it.
            folder.keep(held, &Gate { pass: Some(rotated.clone()), ..gate.clone() })?;
            folder.host.failpoint("rotated");
            files::clear(&dir.join("completion.json"))?;
            issue::write(folder, &dir, &rotated)?;
            Ok(Closed::Rejected { mend, generation })
        }
    }
}

/// Why a wave that handed in nothing that could be taken stands still.
pub fn pause_of(mend: &[Offence]) -> Pause {
    match mend.first().map(|o| o.rule) {
        None | Some(Rule::Completion) => Pause::CompletionReceiptMissing,
        Some(Rule::Generation) => Pause::CompletionReceiptInvalid,
        Some(Rule::FindingsHash | Rule::Counts) => Pause::InconsistentFindingsEvidence,
        Some(_) => Pause::EvidenceManifestInvalid,
    }
}

/// The rules that stood in the way, in words: those of the last report that was not taken, where nothing was.
pub fn detail_of(dir: &std::path::Path, mend: &[Offence]) -> String {
    let mut words: Vec<String> = mend.iter().map(|o| o.rule.word().to_owned()).collect();
    if mend.iter().any(|o| o.rule == Rule::Completion) {
        let last = files::read_state(&dir.join("mend.json")).ok().and_then(|bytes| crate::wire::json::parse(&bytes).ok());
        let rules = last.as_ref().and_then(serde_json::Value::as_array).into_iter().flatten();
        let known = rules.filter_map(|o| Rule::parse(o.get("rule")?.as_str()?));
        words.extend(known.map(|r| r.word().to_owned()));
    }
    words.sort();
    words.dedup();
    words.join(",")
}

/// Whether both copies of the criteria are what the gate is bound to, and none appeared where there were none.
fn criteria_stand(folder: &Folder<'_>, gate: &Gate, dir: &std::path::Path) -> bool {
    if issue::approved(gate).is_err() {
        return false;
    }
    let Ok(parent) = folder.criteria(&gate.criteria_binding) else { return false };
    let copy = dir.join("criteria.json");
    match parent {
        None => copy.symlink_metadata().is_err(),
        Some(_) => files::read_state(&copy).and_then(|b| criteria::read(&b)).is_ok_and(|c| c.binding() == gate.criteria_binding),
    }
}

/// What the wave published, or everything that is wrong with its form.
fn read(folder: &Folder<'_>, gate: &Gate, pass: &Pass, after: &Bound) -> Result<Result<Published, Vec<Offence>>, Fail> {
    let one = |rule, at: &str, why: &str| Ok(Err(vec![offence(rule, at, why)]));
    let dir = folder.session_dir(&pass.session_id)?;
    let (completion, evidence, context) = match proofs::published(folder, &dir) {
        Ok(published) => published,
        Err(fail) if fail.code == Code::NotFound => {
            return one(Rule::Completion, "completion", "the wave handed in no report that was taken: compile-wave publishes one");
        }
        Err(fail) => return one(Rule::Completion, "completion", &fail.message),
    };
    if completion.session_id != pass.session_id || completion.pass_id != pass.pass_id || completion.generation != pass.generation {
        return one(Rule::Generation, "completion", "what was handed in completes another pass or generation");
    }
    let (Some(signal), Ok(manifest)) = (signal::parse(&completion.result), crate::wire::evidence::manifest(&evidence)) else {
        return one(Rule::Completion, "completion", "the result or the manifest cannot be read");
    };
    let criteria = folder.criteria(&gate.criteria_binding)?;
    let bindings = pass.bindings();
    let expected = Expected { bindings: &bindings, criteria: criteria.as_ref(), profile: pass.profile };
    let text = String::from_utf8_lossy(&context);
    let checked = match check(&manifest, &text, &signal, &completion.findings_hash, expected) {
        Ok(checked) => checked,
        Err(mend) => return Ok(Err(mend)),
    };
    let scope_changed = pass.bound.scope_fingerprint != after.scope_fingerprint;
    // A clean wave that changed what it reviewed is no matter of form.
    if !(signal == Signal::Clean && scope_changed) {
        let records = match checks::records(folder, &dir, pass) {
            Ok(records) => records,
            Err(fail) => return one(Rule::CheckMissing, "checks", &fail.message),
        };
        let declared = match checks::declared(folder, pass.base.as_deref(), &pass.own, pass.checks_oid.as_deref()) {
            Ok(declared) => declared.names(),
            Err(fail) => return one(Rule::CheckMissing, "checks.toml", &fail.message),
        };
        let mut mend = recorded::check(&declared, &records, &pass.pass_id, &completion.working_fingerprint, &signal);
        if completion.working_fingerprint != after.working_fingerprint && matches!(signal, Signal::Clean | Signal::FindingsFixed(_)) {
            mend.push(offence(Rule::TreeChanged, "tree", "the working tree changed after the report was handed in"));
        }
        if !mend.is_empty() {
            return Ok(Err(mend));
        }
    }
    Ok(Ok(Published { signal, completion, manifest, checked, evidence, context }))
}

fn accept(folder: &Folder<'_>, held: &Held, gate: &Gate, pass: &Pass, after: &Bound, result: Published) -> Result<Closed, Fail> {
    let fixed = matches!(result.signal, Signal::FindingsFixed(_));
    if !is_what_was_reviewed(folder, pass.bound.head.as_deref(), after.head.as_deref())? {
        return failed(folder, held, gate, pass, Some(after), Pause::ReviewIdentityChanged, Some("head"));
    }
    match moved(&pass.bound, after, fixed) {
        Some(Moved::Identity) => return failed(folder, held, gate, pass, Some(after), Pause::ReviewIdentityChanged, None),
        Some(Moved::Boundary) => return failed(folder, held, gate, pass, Some(after), Pause::ScopeBoundaryChanged, None),
        None => {}
    }
    let scope_changed = pass.bound.scope_fingerprint != after.scope_fingerprint;
    let working_changed = pass.bound.working_fingerprint != after.working_fingerprint;
    let changed = scope_changed || working_changed;
    // What is required may have been decided anew while the wave ran.
    let Ok((target, override_binding)) = issue::target(folder, gate) else {
        return failed(folder, held, gate, pass, Some(after), Pause::OverrideStateInvalid, None);
    };
    let gate = &Gate { required: target, override_binding, ..gate.clone() };
    let history = match fixed && changed {
        true => {
            remember(gate.history.clone(), Fixed { hash: result.completion.findings_hash.clone(), keys: result.completion.keys.clone() })
        }
        false => gate.history.clone(),
    };
    let floor = if fixed && changed { Some(floor(folder, gate)?) } else { None };
    let input = Input {
        tier: gate.selection.tier,
        required: gate.required.max(gate.clean + 1),
        clean: gate.clean,
        event: match &result.signal {
            // A tier below the floor of what stands there would earn a receipt that does not hold.
            Signal::Escalate(tier, _) => Event::Escalate((*tier).max(self::floor(folder, gate)?.0)),
            other => event(other),
        },
        scope_changed,
        working_changed,
        repeats: if fixed && changed { repeats(&history) } else { None },
        floor,
        policy: gate.policy.passes,
        invalidate: false,
    };
    let step = stepped(&input)?;
    let mut next = Gate { pass: None, owner: None, ..gate.clone() };
    if step.ledger == Keeping::Append {
        let attested = attest(&pass.bindings(), pass.profile, &result.checked, &result.evidence, &result.context);
        proofs::store(folder, gate, gate.iteration, &result.evidence, &result.context)?;
        folder.host.failpoint("proof-stored");
        next.ledger.push(Row {
            iteration: gate.iteration,
            pass_id: pass.pass_id.clone(),
            profile: pass.profile,
            scope_fingerprint: pass.bound.scope_fingerprint.clone(),
            criteria_binding: pass.criteria_binding.clone(),
            policy_binding: pass.policy_binding.clone(),
            pass_binding: attested.pass_binding().to_owned(),
            attestation: attested.attestation().to_owned(),
        });
    }
    next.spent += 1;
    if step.history == Keeping::Append {
        next.history = history;
    }
    next.findings_fixed += if fixed && changed { result.manifest.fixes_applied } else { 0 };
    apply(&mut next, &step, after);
    if step.pause.is_none() {
        next = crate::ops::open_gate::aimed(folder, next)?;
    }
    let kind = result.signal.kind();
    let data = json!({
        "pass_id": pass.pass_id, "tier": gate.selection.tier, "profile": pass.profile, "iteration": gate.iteration,
        "result_kind": kind, "findings": result.manifest.verified_findings, "fixes": result.manifest.fixes_applied,
        "duration_seconds": u64::try_from((folder.host.now_ms() - pass.issued_ms) / 1000).unwrap_or_default(),
        "clean_before": gate.clean, "clean_after": next.clean, "scope_changed": scope_changed, "working_changed": working_changed,
        "coverage": result.manifest.coverage, "deterministic_checks": result.manifest.deterministic_checks, "verifier": result.manifest.verifier, "evidence_valid": true,
        "reason": step.pause.map_or("none", Pause::word),
    });
    commit(folder, held, gate, &next, &step, data)?;
    Ok(Closed::Stepped(Box::new(Stepped {
        findings: result.manifest.verified_findings,
        gate: next,
        step,
        kind,
        scope_changed,
        working_changed,
    })))
}

/// The step of something that failed around a wave.
fn failed(
    folder: &Folder<'_>,
    held: &Held,
    gate: &Gate,
    pass: &Pass,
    after: Option<&Bound>,
    why: Pause,
    detail: Option<&str>,
) -> Result<Closed, Fail> {
    let scope_changed = after.is_none_or(|a| a.scope_fingerprint != pass.bound.scope_fingerprint);
    let working_changed = after.is_none_or(|a| a.working_fingerprint != pass.bound.working_fingerprint);
    let authorised = !matches!(why, Pause::ReviewCriteriaChanged | Pause::PolicyChanged | Pause::ScopeFingerprintError);
    let input = Input {
        tier: gate.selection.tier,
        required: gate.required.max(gate.clean + 1),
        clean: gate.clean,
        event: Event::Failure(why),
        scope_changed,
        working_changed,
        repeats: None,
        floor: None,
        policy: gate.policy.passes,
        invalidate: !authorised,
    };
    let step = stepped(&input)?;
    let mut next = Gate { pass: None, owner: None, ..gate.clone() };
    next.spent += 1;
    apply(&mut next, &step, after.unwrap_or(&gate.bound));
    // It said something else than CLEAN of what the credit is about, in a form that could not be taken.
    if folder.session_dir(&pass.session_id).is_ok_and(|dir| dir.join("said.json").symlink_metadata().is_ok()) {
        next.clean = 0;
        next.ledger.clear();
    }
    if let (Some(paused), Some(detail)) = (&mut next.paused, detail) {
        paused.detail = Some(detail.to_owned());
    }
    let data = json!({
        "pass_id": pass.pass_id, "tier": gate.selection.tier, "profile": pass.profile, "iteration": gate.iteration,
        "result_kind": "failure", "deterministic_checks": "not-recorded", "verifier": "not-recorded", "evidence_valid": false,
        "duration_seconds": u64::try_from((folder.host.now_ms() - pass.issued_ms) / 1000).unwrap_or_default(),
        "clean_before": gate.clean, "clean_after": next.clean, "scope_changed": scope_changed, "working_changed": working_changed,
        "reason": why.word(),
    });
    commit(folder, held, gate, &next, &step, data)?;
    let stepped = Stepped { gate: next, step, kind: "failure", findings: 0, scope_changed, working_changed };
    Ok(Closed::Stepped(Box::new(stepped)))
}

fn stepped(input: &Input) -> Result<Step, Fail> {
    step(input).map_err(|why| Fail::new(Code::InvalidState, format!("the gate cannot go a step from its state: {}", why.word())))
}

fn event(signal: &Signal) -> Event {
    match signal {
        Signal::Clean => Event::Clean,
        Signal::FindingsFixed(n) => Event::FindingsFixed(*n),
        Signal::Findings(n) => Event::Findings(*n),
        Signal::Blocked(codes) => Event::Blocked(codes.clone()),
        Signal::Churn(codes) => Event::Churn(codes.clone()),
        Signal::Escalate(tier, _) => Event::Escalate(*tier),
    }
}

/// The floor of what stands there after a fix.
fn floor(folder: &Folder<'_>, gate: &Gate) -> Result<(crate::wave::tier::Tier, Vec<crate::wave::tier::ReasonCode>), Fail> {
    let request = detect_scope::Request { base: gate.base.clone(), own: folder.own(&gate.own), ..Default::default() };
    let floor = assess_floor::of(&folder.checkout, &request, &gate.policy.sensitive, folder.host)?;
    Ok((floor.tier, floor.reason_codes))
}

/// Whether a commit that was made since holds what is checked out, in every file that it changed: publishing what was reviewed is no
/// change of it, and a commit of something else is.
///
/// # Errors
/// Those of git.
pub fn is_what_was_reviewed(folder: &Folder<'_>, before: Option<&str>, after: Option<&str>) -> Result<bool, Fail> {
    let (Some(before), Some(after)) = (before, after) else { return Ok(true) };
    if before == after {
        return Ok(true);
    }
    let git = &folder.checkout.git;
    let changed = git.run(&["diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after], b"")?.stdout;
    let paths: Vec<&[u8]> = changed.split(|b| *b == 0).filter(|p| !p.is_empty()).collect();
    let mut blobs = Vec::new();
    for path in &paths {
        let spelt = String::from_utf8_lossy(path);
        let full = folder.checkout.full(path);
        let stands = full.symlink_metadata();
        let committed = folder.checkout.blob_at(after, &spelt)?;
        match (stands.is_ok_and(|m| m.is_file()), committed) {
            (false, None) => {}
            (true, Some(blob)) => blobs.push((full, blob)),
            // A link, a submodule, or a file on one side only: git compares it.
            _ => {
                let differs = git.run_on_paths(&["diff", "--name-only", "-z", "--no-renames", after], &[path])?;
                if !differs.is_empty() {
                    return Ok(false);
                }
            }
        }
    }
    for (full, blob) in blobs {
        let now = files::read_text(&full, 1 << 30)?;
        // Line ends may be converted on the way in.
        let plain = |bytes: &[u8]| bytes.iter().copied().filter(|b| *b != b'\r').collect::<Vec<u8>>();
        if now != blob && plain(&now) != plain(&blob) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Carries a step out on a gate.
fn apply(next: &mut Gate, step: &Step, after: &Bound) {
    next.clean = step.clean;
    if step.ledger == Keeping::Reset {
        next.ledger.clear();
    }
    if let Some(selection) = &step.selection {
        next.selection = selection.clone();
        next.asked = next.asked.max(next.policy.passes.of(selection.tier));
        next.exception = false;
    }
    if matches!(step.selected, Keeping::Refresh | Keeping::Keep) && step.pause.is_none() {
        next.bound = after.clone();
    }
    if let Some(why) = step.pause {
        issue::pause(next, why, None);
    }
}

/// Ends a gate that has reached what it requires.
pub fn complete(folder: &Folder<'_>, gate: &mut Gate) {
    let outcome = if gate.required < gate.policy.passes.of(gate.selection.tier) { Status::Waived } else { Status::Completed };
    gate.status = Status::Completed;
    gate.paused = None;
    gate.receipt = Some(Receipt {
        schema_version: 1,
        loop_id: gate.loop_id.clone(),
        outcome,
        completed_at: time::iso_ms(folder.host.now_ms()),
        selection: gate.selection.clone(),
        exception: gate.exception,
        required: gate.required,
        clean: gate.clean,
        bound: gate.bound.clone(),
        criteria_binding: gate.criteria_binding.clone(),
        policy_binding: gate.policy.policy_binding.clone(),
        override_binding: gate.override_binding.clone(),
        ledger_sha256: ledger_sha256(&gate.ledger),
    });
}

/// One replacement of the gate; what follows it is done again by the next command where a kill left it undone.
fn commit(folder: &Folder<'_>, held: &Held, before: &Gate, next: &Gate, step: &Step, finished: serde_json::Value) -> Result<(), Fail> {
    folder.keep(held, next)?;
    folder.host.failpoint("gate-kept");
    settle(folder, next)?;
    events::note(folder, held, Type::PassFinished, finished);
    if step.action == Action::EscalateContinue {
        let data = json!({
            "from_tier": before.selection.tier, "tier": next.selection.tier, "profile": next.selection.tier.profile(),
            "required_clean": next.required, "iteration": next.iteration, "reason_codes": next.selection.reason_codes,
        });
        events::note(folder, held, Type::TierEscalated, data);
    }
    ended(folder, held, next);
    Ok(())
}

/// Notes that a gate is completed or stands still.
pub fn ended(folder: &Folder<'_>, held: &Held, gate: &Gate) {
    let counts = |reason: &str| {
        json!({
            "tier": gate.selection.tier, "profile": gate.selection.tier.profile(), "required_clean": gate.required,
            "clean_passes": gate.clean, "iterations": gate.iteration, "findings_fixed": gate.findings_fixed, "reason": reason,
            "trusted_required_clean": gate.policy.passes.of(gate.selection.tier),
            "total_duration_seconds": since(folder, &gate.opened_at),
            "waived": gate.receipt.as_ref().is_some_and(|r| r.outcome == Status::Waived),
        })
    };
    match (gate.status, &gate.paused) {
        (Status::Completed, _) => events::note(folder, held, Type::Completed, counts("clean_gate_reached")),
        (Status::Paused, Some(paused)) => events::note(folder, held, Type::Paused, counts(paused.reason.word())),
        _ => {}
    }
}

/// Seconds since a time.
fn since(folder: &Folder<'_>, at: &str) -> u64 {
    time::parse_iso(at).map_or(0, |ms| u64::try_from((folder.host.now_ms() - ms) / 1000).unwrap_or_default())
}

/// Brings what is derived from a gate in line with it: the copy of its receipt, and proofs that no row names.
///
/// # Errors
/// Why they cannot be written.
pub fn settle(folder: &Folder<'_>, gate: &Gate) -> Result<(), Fail> {
    let path = folder.dir.join("receipt.json");
    match &gate.receipt {
        Some(receipt) => {
            let bytes = crate::wire::gate::seal(receipt, |b| folder.mac(b));
            if files::read_state(&path).ok().as_ref() != Some(&bytes) {
                files::replace(folder.host, &path, &bytes)?;
            }
        }
        None => files::clear(&path)?,
    }
    proofs::sweep(folder, gate)
}
