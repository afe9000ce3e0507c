//! compile-wave: one report of a wave turned into context pack, manifest and completion, or nothing at all (waves spec §7, §21, 3).

use serde::Serialize;

use super::fingerprint_scope;
use super::wave::{Place, checks, issue, wave_of};
use crate::base::digest::sha256_hex;
use crate::base::{Code, Fail, time};
use crate::host::{Host, files};
use crate::wave::evidence::{Expected, Offence, Rule, check, offence};
use crate::wave::report::{compile, offences};
use crate::wave::{recorded, signal::Signal};
use crate::wire::evidence::Completion;
use crate::wire::{gate, json, wave_report};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Where state lies.
    pub place: Place,
    /// The wave's session; `REVIEW_LOOP_SESSION_ID` without one.
    pub session_id: Option<String>,
    /// The report.
    pub report: Option<String>,
    /// What completes the pass.
    pub generation: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether it was taken.
    pub published: bool,
    /// The result's line.
    pub result: String,
    /// The hash of the findings.
    pub findings_hash: String,
    /// Everything that is to be mended.
    pub mend: Vec<Offence>,
    /// What completes the pass: hand in again with it.
    pub generation: String,
}

/// Compiles a report. The question behind the exit status: was it taken?
///
/// # Errors
/// `NO_OPEN_PASS`, `STALE_GENERATION`, `INVALID_WAVE_REPORT`, `BAD_SHAPE` and those of the document, of scope and state.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let path = host.absolute(request.report.as_deref(), "report")?;
    let (folder, dir, pass, gate) = wave_of(host, &request.place, request.session_id.as_deref())?;
    let generation = request.generation.clone().unwrap_or_default();
    if generation != pass.generation {
        let message = "the generation is not the one that completes this pass";
        return Err(Fail::new(Code::StaleGeneration, message).hint(format!("hand in with --generation {}", pass.generation)));
    }
    let bytes = files::read_text(&path, wave_report::LARGEST)?;
    let said = dir.join("said.json");
    let report = match wave_report::read(&bytes) {
        Ok(report) => report,
        Err(fail) => {
            // A slip of form does not unsay what was found.
            if wave_report::states_other_than_clean(&bytes) {
                files::replace(host, &said, &json::document(&serde_json::json!({"schema_version": 1, "result_kind": "unreadable"})))?;
            }
            return Err(fail);
        }
    };
    let criteria = folder.criteria(&pass.criteria_binding)?;
    let bindings = pass.bindings();
    let compiled = compile(&report, &bindings, criteria.as_ref());
    let expected = Expected { bindings: &bindings, criteria: criteria.as_ref(), profile: pass.profile };
    let mut mend = offences(&report);
    let checked = check(&compiled.manifest, &compiled.context, &report.result, &compiled.findings_hash, expected);
    mend.extend(checked.err().unwrap_or_default());
    let evidence = json::document(&compiled.manifest);
    let context = compiled.context.into_bytes();
    if evidence.len().max(context.len()) as u64 > crate::wave::evidence::LARGEST {
        mend.push(offence(Rule::Counts, "report", "the report makes more than 256 KiB of evidence: say less"));
    }
    let limit = issue::limit(&folder, &gate, &pass)?;
    let taken = u64::try_from((host.now_ms() - pass.issued_ms) / 1000).unwrap_or_default();
    if limit > 0 && taken > limit {
        mend.push(offence(Rule::Deadline, "pass", "the time of this pass is over: its parent closes it"));
    }
    let declared = checks::declared(&folder, pass.base.as_deref(), &pass.own, pass.checks_oid.as_deref())?.names();
    let records = checks::records(&folder, &dir, &pass)?;
    let now = fingerprint_scope::bound(&folder.checkout, pass.base.as_deref(), &folder.own(&pass.own))?;
    mend.extend(recorded::check(&declared, &records, &pass.pass_id, &now.working_fingerprint, &report.result));
    if report.result == Signal::Clean && now.scope_fingerprint != pass.bound.scope_fingerprint {
        mend.push(offence(Rule::TreeChanged, "result", "the reviewed content changed since this pass began, so it is not clean"));
    }
    // Findings that were handed in with a slip of form are findings: no later try of the same pass makes them a clean one.
    if report.result == Signal::Clean && said.symlink_metadata().is_ok() {
        mend.push(offence(Rule::ResultChanged, "result", "this pass reported something else than CLEAN before: say what became of it"));
    } else if report.result != Signal::Clean {
        files::replace(host, &said, &json::document(&serde_json::json!({"schema_version": 1, "result_kind": report.result.kind()})))?;
    }
    let answer = |published: bool, mend: Vec<Offence>| Answer {
        published,
        result: report.result.line(),
        findings_hash: compiled.findings_hash.clone(),
        mend,
        generation: pass.generation.clone(),
    };
    if !mend.is_empty() {
        // Why nothing was taken is what a pause says, when nothing ever is.
        files::replace(host, &dir.join("mend.json"), &json::document(&mend))?;
        return Ok(answer(false, mend));
    }
    let completion = Completion {
        schema_version: 1,
        session_id: pass.session_id.clone(),
        pass_id: pass.pass_id.clone(),
        generation: pass.generation.clone(),
        result: report.result.line(),
        findings_hash: compiled.findings_hash.clone(),
        keys: compiled.keys.clone(),
        evidence_sha256: sha256_hex(&evidence),
        context_sha256: sha256_hex(&context),
        working_fingerprint: now.working_fingerprint,
        completed_at: time::iso_ms(host.now_ms()),
    };
    // The completion is the last thing written: before it nothing is handed in.
    files::clear(&dir.join("completion.json"))?;
    files::replace(host, &dir.join("evidence.json"), &evidence)?;
    files::replace(host, &dir.join("context.md"), &context)?;
    host.failpoint("evidence-written");
    files::replace(host, &dir.join("completion.json"), &gate::seal(&completion, |b| folder.mac(b)))?;
    Ok(answer(true, Vec::new()))
}
