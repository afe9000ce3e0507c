//! run-check: one declared check of a pass, run and recorded (issue 5, A wave; waves spec §21, 4).

use serde::Serialize;

use super::wave::{Folder, Place, checks, wave_of};
use super::{fingerprint_scope, review_checks};
use crate::base::digest::sha256_hex;
use crate::base::path::printable;
use crate::base::severity::Grade;
use crate::base::{Code, Fail, time};
use crate::check::Issue;
use crate::host::{Host, child};
use crate::wave::recorded::Record;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Where state lies.
    pub place: Place,
    /// The wave's session; `REVIEW_LOOP_SESSION_ID` without one.
    pub session_id: Option<String>,
    /// The check.
    pub name: Option<String>,
}

/// A finding of a check.
#[derive(Debug, Serialize)]
pub struct Found {
    /// Its rule.
    pub rule: String,
    /// Its grade.
    pub severity: Grade,
    /// Where.
    pub path: Option<String>,
    /// The line.
    pub line: Option<u64>,
    /// What it says.
    pub message: String,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The record.
    #[serde(flatten)]
    pub record: Record,
    /// What it found, at most 100.
    pub found: Vec<Found>,
    /// Why it did not check, where it did not.
    pub because: Option<String>,
    /// The last lines of what it printed.
    pub output: String,
}

/// Runs a check and records it. The question behind the exit status: did it pass?
///
/// # Errors
/// `NO_OPEN_PASS`, `UNKNOWN_CHECK`, `CHILD_FAILED`, `INVALID_CHECKS`, those of scope and state.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    child::note_signals();
    let name = request.name.clone().filter(|n| !n.is_empty());
    let name = name.ok_or_else(|| Fail::new(Code::InvalidArgument, "`--name` is missing: the check to run"))?;
    let (mut folder, dir, pass, _) = wave_of(host, &request.place, request.session_id.as_deref())?;
    let declared = checks::declared(&folder, pass.base.as_deref(), &pass.own, pass.checks_oid.as_deref())?;
    if !declared.names().contains(&name) {
        let message = format!("`{}` is none of the declared checks: {}", printable(&name), declared.names().join(", "));
        return Err(Fail::new(Code::UnknownCheck, message));
    }
    let working = |folder: &Folder<'_>| {
        fingerprint_scope::bound(&folder.checkout, pass.base.as_deref(), &folder.own(&pass.own)).map(|b| b.working_fingerprint)
    };
    let (before, began) = (working(&folder)?, host.now_ms());
    let ran = match declared.project.iter().find(|c| c.name == name) {
        None => {
            let issues = review_checks::builtin(&folder.checkout, &declared.scope, &declared.off)?;
            Ran { argv: Vec::new(), exit_code: Some(0), timed_out: false, streams: Vec::new(), issues: Ok(issues) }
        }
        Some(check) => {
            let mut parents = host.clone();
            parents.env.extend(pass.search_path.iter().map(|path| ("PATH".to_owned(), path.clone())));
            let ended = review_checks::launch(&parents, &folder.checkout, check)?;
            let issues = review_checks::judge(&folder.checkout, check, &ended).map_err(|fail| fail.message);
            let streams = [ended.stdout, ended.stderr].concat();
            Ran { argv: check.argv.clone(), exit_code: ended.code.map(i64::from), timed_out: ended.timed_out, streams, issues }
        }
    };
    if let Some(signal) = child::signalled() {
        let fail = Fail::new(Code::Interrupted, format!("ended by signal {signal}; nothing was recorded"));
        return Err(Fail { exit: Some(128 + signal), ..fail });
    }
    folder.look_again()?;
    let serious = |i: &&Issue| !matches!(i.grade, Grade::Low | Grade::Suggestion);
    let (issues, because) = match ran.issues {
        Ok(issues) => (issues, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    let findings = issues.iter().filter(serious).count() as u64;
    let record = Record {
        schema_version: 1,
        pass_id: pass.pass_id.clone(),
        name,
        argv: ran.argv,
        exit_code: ran.exit_code,
        timed_out: ran.timed_out,
        started_at: time::iso_ms(began),
        duration_ms: u64::try_from(host.now_ms() - began).unwrap_or_default(),
        output_sha256: sha256_hex(&ran.streams),
        findings,
        passed: because.is_none() && findings == 0 && ran.exit_code == Some(0),
        working_before: before,
        working_fingerprint: working(&folder)?,
    };
    checks::keep(&folder, &dir, &record, &ran.streams)?;
    let found =
        issues.into_iter().take(100).map(|i| Found { rule: i.rule, severity: i.grade, path: i.path, line: i.line, message: i.message });
    Ok(Answer { found: found.collect(), because, output: tail(&ran.streams), record })
}

struct Ran {
    argv: Vec<String>,
    exit_code: Option<i64>,
    timed_out: bool,
    streams: Vec<u8>,
    issues: Result<Vec<Issue>, String>,
}

/// The last 2000 bytes of an output, printable.
fn tail(bytes: &[u8]) -> String {
    let from = bytes.len().saturating_sub(2000);
    String::from_utf8_lossy(&bytes[from..]).chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}
