//! Invoking a source: the built-in checks, a client, a command, or an answer that is there already.

use std::time::Duration;

use serde::Serialize;

use super::evidence::{ANSWER, EVENTS, Evidence, PROMPT, RUN, WARNINGS};
use super::{Plan, Surface};
use crate::base::digest::sha256_hex;
use crate::base::verdict::Class;
use crate::base::{Code, Fail, time};
use crate::check;
use crate::finding::read;
use crate::host::child::{self, Ended, Launch};
use crate::host::{Host, files};
use crate::ops::{list_sources, review_checks};
use crate::source::adapter::{self, Call, Name};
use crate::source::answer::{self, Client, Look, Outcome};
use crate::source::printed::{self, Said};

/// The most that is kept of a stream.
const KEEP: usize = 64 << 20;

/// What a source said.
pub(super) struct Heard {
    pub(super) outcome: Outcome,
    pub(super) text: Option<String>,
    pub(super) partial_text: Option<String>,
    pub(super) looks: Option<Vec<Look>>,
    pub(super) errors: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) timed_out: bool,
    pub(super) prompt_hash: Option<String>,
}

/// How it was run, as it is kept.
#[derive(Serialize)]
struct Record<'a> {
    schema_version: u8,
    source: Name,
    version: Option<String>,
    argv: &'a [String],
    started_at: String,
    wall_ms: i64,
    exit_code: Option<i32>,
    signal: Option<i32>,
    timed_out: bool,
    cut: bool,
    outcome: Outcome,
    prompt_hash: Option<&'a String>,
    scope_fingerprint: &'a str,
    base: Option<&'a String>,
}

pub(super) fn run(plan: &Plan, surface: &Surface, evidence: &Evidence<'_>, host: &Host) -> Result<Heard, Fail> {
    let prompt_hash = plan.prompt.as_deref().map(sha256_hex);
    if let Some(prompt) = &plan.prompt {
        evidence.keep(PROMPT, prompt)?;
    }
    let began = host.now_ms();
    let (heard, argv, ended) = match (&plan.answer, plan.source) {
        (Some(path), _) => (brought(&files::read_text(path, files::TEXT_LIMIT)?), Vec::new(), None),
        (None, Name::Checks) => (checks(plan, surface, evidence, host)?, Vec::new(), None),
        (None, Name::Command) => {
            let (argv, ended) = launch(command_argv(plan, surface, evidence)?, plan, surface, evidence, host)?;
            (command(&ended, evidence)?, argv, Some(ended))
        }
        (None, Name::Codex) => client(Client::Codex, plan, surface, evidence, host)?,
        (None, Name::Claude) => client(Client::Claude, plan, surface, evidence, host)?,
    };
    let heard = Heard { prompt_hash, ..heard };
    if let Some(text) = heard.text.as_ref().or(heard.partial_text.as_ref()) {
        evidence.keep(ANSWER, text.as_bytes())?;
    }
    let record = Record {
        schema_version: 1,
        source: plan.source,
        version: plan.source.client().filter(|_| ended.is_some()).and_then(|_| list_sources::probe(host, plan.source).version),
        argv: &argv,
        started_at: time::iso_ms(began),
        wall_ms: host.now_ms() - began,
        exit_code: ended.as_ref().and_then(|e| e.code),
        signal: ended.as_ref().and_then(|e| e.signal),
        timed_out: heard.timed_out,
        cut: ended.as_ref().is_some_and(|e| e.cut),
        outcome: heard.outcome,
        prompt_hash: heard.prompt_hash.as_ref(),
        scope_fingerprint: &surface.fingerprint,
        base: surface.base.as_ref(),
    };
    evidence.keep(RUN, &crate::wire::json::document(&record))?;
    Ok(heard)
}

/// A text, with nothing known of how it came about.
fn told(text: String) -> Heard {
    let outcome = if text.trim().is_empty() { Outcome::NoAnswer } else { Outcome::Answered };
    Heard {
        outcome,
        text: Some(text),
        partial_text: None,
        looks: None,
        errors: Vec::new(),
        warnings: Vec::new(),
        timed_out: false,
        prompt_hash: None,
    }
}

/// An answer that a command printed, or that the agent got from a built-in of its host. Of bytes that are no text the first is kept as a
/// NUL, which no reader of the answer takes for one: replaced without a sign they could approve.
fn brought(bytes: &[u8]) -> Heard {
    let text = String::from_utf8_lossy(bytes);
    let torn = std::str::from_utf8(bytes).is_err();
    told(if torn { text.replacen('\u{fffd}', "\0", 1) } else { text.into_owned() })
}

/// The built-in checks.
fn checks(plan: &Plan, surface: &Surface, evidence: &Evidence<'_>, host: &Host) -> Result<Heard, Fail> {
    let request = review_checks::Request {
        repo_root: &surface.checkout.top,
        base: surface.base.as_deref().unwrap_or_default(),
        own: &surface.own,
        trust_worktree: plan.trust_worktree_checks,
    };
    let review = review_checks::run(&request, host)?;
    let text = check::report::render(&review, &time::date(host.now_ms()));
    evidence.keep(EVENTS, text.as_bytes())?;
    Ok(Heard { errors: review.warnings, ..told(text) })
}

/// The argv of a command with its places filled in: `{scope}`, `{prompt}`, `{report}`.
fn command_argv(plan: &Plan, surface: &Surface, evidence: &Evidence<'_>) -> Result<Vec<String>, Fail> {
    let scope = evidence.keep("scope.json", &surface.document)?;
    // What stood there before is no report of this run.
    files::clear(&evidence.place("report"))?;
    let places = [("{scope}", scope), ("{prompt}", evidence.place(PROMPT)), ("{report}", evidence.place("report"))];
    let fill = |word: &String| places.iter().fold(word.clone(), |w, (mark, path)| w.replace(mark, &path.to_string_lossy()));
    Ok(plan.argv.iter().map(fill).collect())
}

/// Runs a program; both its streams are kept whatever comes of it.
fn launch(argv: Vec<String>, plan: &Plan, surface: &Surface, evidence: &Evidence<'_>, host: &Host) -> Result<(Vec<String>, Ended), Fail> {
    let base = surface.base.clone().unwrap_or_default();
    let launch = Launch {
        argv: &argv,
        cwd: &surface.checkout.top,
        env: &[("REVIEW_LOOP_BASE_COMMIT", base)],
        stdin: plan.prompt.clone().unwrap_or_default(),
        limit: Duration::from_secs(plan.limit_s),
        keep: KEEP,
    };
    let ended = child::run(host, launch)?;
    evidence.keep(EVENTS, &ended.stdout)?;
    evidence.keep(WARNINGS, &ended.stderr)?;
    Ok((argv, ended))
}

/// What a command reviewed: its report counts by how it ended.
fn command(ended: &Ended, evidence: &Evidence<'_>) -> Result<Heard, Fail> {
    let unanswered = |outcome: Outcome, why: String| Heard {
        outcome,
        text: None,
        partial_text: Some(String::from_utf8_lossy(&ended.stdout).into_owned()),
        looks: None,
        errors: vec![why],
        warnings: Vec::new(),
        timed_out: ended.timed_out,
        prompt_hash: None,
    };
    if ended.timed_out || ended.cut {
        let why = if ended.cut { "the source printed more than is kept" } else { "the source was ended at its time limit" };
        return Ok(unanswered(Outcome::Truncated, why.to_owned()));
    }
    let place = evidence.place("report");
    let written = match place.symlink_metadata() {
        Ok(meta) if meta.is_file() => Some(files::read_text(&place, files::TEXT_LIMIT)?),
        Ok(_) => return Err(Fail::new(Code::ChildFailed, "the source left something at its report's place that is no regular file")),
        Err(_) => None,
    };
    let written = written.as_deref().map(|bytes| (bytes, said(bytes)));
    Ok(match printed::report(ended.code, (&ended.stdout, said(&ended.stdout)), written) {
        Ok(report) => brought(report),
        Err(why) => unanswered(Outcome::Failed, why),
    })
}

fn said(bytes: &[u8]) -> Said {
    let review = read::review(bytes);
    match review.verdict().0 {
        Class::Approve => Said::Approves,
        Class::NeedsAttention => Said::Rejects,
        _ if !review.findings.is_empty() => Said::Rejects,
        _ => Said::Nothing,
    }
}

/// A client, whose stream says what its run came to.
fn client(
    client: Client,
    plan: &Plan,
    surface: &Surface,
    evidence: &Evidence<'_>,
    host: &Host,
) -> Result<(Heard, Vec<String>, Option<Ended>), Fail> {
    let schema = evidence.keep("schema.json", adapter::SCHEMA.as_bytes())?;
    let (root, schema) = (surface.checkout.top.to_string_lossy(), schema.to_string_lossy());
    let call = Call { root: &root, model: plan.model.as_deref(), effort: plan.effort, schema: &schema };
    let (argv, ended) = launch(adapter::argv(client, &call), plan, surface, evidence, host)?;
    // What we ended, and what was longer than is kept, has no end of its own.
    let exit_code = if ended.timed_out || ended.cut { Some(124) } else { ended.code.map(i64::from).or(Some(137)) };
    let read = answer::read(client, &ended.stdout, &ended.stderr, exit_code);
    let outcome = if ended.cut { Outcome::Truncated } else { read.outcome };
    let (text, partial_text) = if ended.cut { (None, read.text.or(read.partial_text)) } else { (read.text, read.partial_text) };
    let heard = Heard {
        outcome,
        text,
        partial_text,
        looks: read.looks,
        errors: read.errors,
        warnings: read.warnings,
        timed_out: ended.timed_out,
        prompt_hash: None,
    };
    Ok((heard, argv, Some(ended)))
}
