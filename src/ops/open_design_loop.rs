//! open-design-loop: pins objective, scope and runtime root, freezes the artifact and the evidence of the root, and opens round 1
//! (design seed, Steps 1 to 4; spec/design-loop.md §1.7 begin; issue 6).

use serde_json::{Map, Value, json};

use super::design_loop::{self, ArtifactFlags, Change, Done, Folder, Place, captured_name, handed, handed_text};
use crate::base::digest::sha256_hex;
use crate::base::{Code, Fail, id, number, time};
use crate::design::ledger::declares_confirmed;
use crate::design::record::{Continues, Lane, Record, RootEvidence, Status};
use crate::host::Host;
use crate::ops::open_design_round::{fresh_round, is_new};
use crate::wire::design_loop::{answers, captured};

/// How old evidence of this session may be, in milliseconds: twelve hours.
pub const SESSION_MS: i64 = 12 * 3_600_000;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// The objective.
    pub objective: Option<String>,
    /// The scope.
    pub scope: Option<String>,
    /// The runtime root.
    pub runtime_root: Option<String>,
    /// The evidence of the root.
    pub evidence: Option<String>,
    /// What is reviewed.
    pub artifact: ArtifactFlags,
    /// What is new about it.
    pub diff: Option<String>,
    /// How many rounds there may be.
    pub cap: Option<String>,
    /// The loop it goes on from.
    pub continues: Option<String>,
    /// What answers that loop's open blockers.
    pub answers: Option<String>,
}

/// Opens a loop.
///
/// # Errors
/// `BAD_ID`, `PATH_ESCAPE`, `INVALID_ARGUMENT`, `INVALID_ARTIFACT`, `INVALID_EVIDENCE`, `UNANSWERED`, `IDENTICAL_ARTIFACT`, those of an
/// operation.
pub fn run(request: &Request, host: &Host) -> Result<Done, Fail> {
    let folder = Folder::find(host, &request.place)?;
    let cap = request.cap.as_deref().filter(|c| !c.is_empty()).map(|c| number::plain("--cap", c, 1..=30)).transpose()?.unwrap_or(3);
    let before = request.continues.as_deref().filter(|c| !c.is_empty()).map(|c| continued(&folder, &request.place, c)).transpose()?;
    let pinned = |flag: &str, file: &Option<String>, old: Option<&String>| -> Result<String, Fail> {
        match (file.as_deref().filter(|f| !f.is_empty()), old) {
            (None, Some(old)) => Ok(old.clone()),
            (Some(_), Some(_)) => {
                Err(Fail::new(Code::InvalidArgument, format!("`--{flag}` is taken over from the loop that is continued")))
            }
            (file, None) => handed_text(host, flag, file),
        }
    };
    let objective = pinned("objective-file", &request.objective, before.as_ref().map(|b| &b.objective))?;
    let scope = pinned("scope-file", &request.scope, before.as_ref().map(|b| &b.scope))?;
    let runtime_root = pinned("runtime-root-file", &request.runtime_root, before.as_ref().map(|b| &b.runtime_root))?;
    if declares_confirmed(&runtime_root) {
        return Err(Fail::new(Code::InvalidEvidence, "the root is declared confirmed; it is evidenced, and open to every lane"));
    }
    let evidence = evidence(request, host)?;
    let diff = handed_text(host, "diff-file", request.diff.as_deref())?;
    let read = design_loop::artifact(&folder, &request.artifact)?;
    let given = request.answers.as_deref().filter(|a| !a.is_empty());
    let answered = given.map(|a| answers(&handed(host, "answers", Some(a))?)).transpose()?.unwrap_or_default();
    let continues = before.as_ref().map(|b| {
        let carried = b.carried();
        let raised_by = carried.iter().map(|(blocker, lane)| (blocker.id.clone(), *lane)).collect();
        Continues {
            loop_id: b.loop_id.clone(),
            blockers: carried.into_iter().map(|(blocker, _)| blocker).collect(),
            raised_by,
            model: b.model_lanes.clone(),
        }
    });
    let open = continues.iter().flat_map(|c| &c.blockers).map(|b| b.id.clone());
    let owed: Vec<String> = open.filter(|id| answered.iter().all(|a| a.of != *id)).collect();
    if let Some(first) = owed.first() {
        let message = format!("`{first}` is open in the loop that is continued, and answered by nothing");
        return Err(Fail::new(Code::Unanswered, message).with("owed", owed));
    }
    if let Some(before) = &before {
        let theirs = Folder::find(host, &Place { loop_id: Some(before.loop_id.clone()), ..request.place.clone() })?;
        is_new(&theirs, before, &read, false)?;
    }
    let payload = json!({
        "objective": objective, "scope": scope, "runtime_root": runtime_root, "cap": cap, "diff": diff,
        "artifact": read.artifact.revision, "continues": continues.as_ref().map(|c| &c.loop_id),
        "evidence": evidence.iter().map(|(e, _)| json!(e)).collect::<Vec<Value>>(), "answers": answered,
    });
    let apply = |folder: &Folder<'_>, record: &mut Option<Record>| -> Result<Map<String, Value>, Fail> {
        if record.is_some() {
            let message = format!("the loop `{}` is open already, by another operation", folder.id);
            return Err(Fail::new(Code::OperationConflict, message).with("path", folder.dir.to_string_lossy().as_ref()));
        }
        for (entry, bytes) in &evidence {
            folder.freeze(&captured_name(&entry.sha256), bytes)?;
        }
        let mut round = fresh_round(folder, 1, &read, diff.clone(), Lane::ALL)?;
        round.answers = answered.clone();
        let attempts: Map<String, Value> = Lane::ALL.iter().map(|l| (l.word().to_owned(), json!(round.attempt(*l)))).collect();
        *record = Some(Record {
            schema_version: 3,
            loop_id: folder.id.clone(),
            objective: objective.clone(),
            scope: scope.clone(),
            runtime_root: runtime_root.clone(),
            status: Status::Running,
            operations: Vec::new(),
            rounds: vec![round],
            cap,
            opened_at: folder.now(),
            closed_at: None,
            close_reason: None,
            root_evidence: evidence.iter().map(|(e, _)| e.clone()).collect(),
            continues: continues.clone(),
            model_lanes: Vec::new(),
        });
        Ok(Map::from_iter([("attempts".to_owned(), Value::Object(attempts))]))
    };
    let change = Change { command: "open-design-loop", payload, on_ruins: false, apply: Box::new(apply) };
    design_loop::operate(&folder, &request.place, change)
}

/// The loop that is continued: it has ended, and not by convergence.
fn continued(folder: &Folder<'_>, place: &Place, named: &str) -> Result<Record, Fail> {
    id::check(named, "loop")?;
    let before = Folder::find(folder.host, &Place { loop_id: Some(named.to_owned()), ..place.clone() })?.opened()?;
    match before.status {
        Status::Running => {
            Err(Fail::new(Code::RoundOpen, format!("the loop `{named}` is still running")).with("status", before.status.word()))
        }
        Status::Converged => Err(Fail::new(Code::LoopClosed, format!("the loop `{named}` converged: there is nothing to go on with"))),
        _ => Ok(before),
    }
}

/// The evidence of the root with what was captured: of this session, and there.
fn evidence(request: &Request, host: &Host) -> Result<Vec<(RootEvidence, Vec<u8>)>, Fail> {
    let refuse = |message: String| Fail::new(Code::InvalidEvidence, message);
    let Some(path) = request.evidence.as_deref().filter(|e| !e.is_empty()) else {
        return Err(refuse("`--root-evidence` was not given: a root that was not captured in this session is verified first".to_owned()));
    };
    let entries = captured(&handed(host, "root-evidence", Some(path))?)?;
    if entries.is_empty() {
        return Err(refuse("the list of evidence is empty".to_owned()));
    }
    let mut kept = Vec::new();
    for (n, entry) in entries.into_iter().enumerate() {
        let at = n + 1;
        if !matches!(entry.kind.as_str(), "command" | "trace") || entry.reference.trim().is_empty() {
            return Err(refuse(format!("evidence {at} is a command or a trace, with a `ref` that says which")));
        }
        let captured_ms =
            time::parse_iso(&entry.captured_at).ok_or_else(|| refuse(format!("evidence {at} does not say when it was captured")))?;
        let age = host.now_ms() - captured_ms;
        if !(-60_000..=SESSION_MS).contains(&age) {
            return Err(refuse(format!(
                "evidence {at} was not captured in this session: it is of {}",
                crate::base::path::printable(&entry.captured_at)
            )));
        }
        let bytes = handed(host, "root-evidence", Some(&entry.file))?;
        let captured_at = time::iso_ms(captured_ms);
        let evidence = RootEvidence { kind: entry.kind, reference: entry.reference, captured_at, sha256: sha256_hex(&bytes) };
        kept.push((evidence, bytes));
    }
    Ok(kept)
}
