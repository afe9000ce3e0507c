//! record-round: one round's state, written once (rounds spec §1.6; deep-review seed §4).

use std::path::Path;

use serde::Serialize;

use super::gather;
use super::sameness::{Surfaces, settle};
use crate::base::digest::sha256_hex;
use crate::base::id::CommitId;
use crate::base::path::{is_absolute, printable};
use crate::base::{Code, Fail, number, time};
use crate::finding::Review;
use crate::host::{Host, files, lock, procs};
use crate::report::metrics::judge;
use crate::residue::owner::{Owner, identity};
use crate::round::record::{Input, Round, Routing, Surface, record};
use crate::wire::{plan, round_state, routing};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// From 1.
    pub round_number: Option<String>,
    /// The review report.
    pub review_report: Option<String>,
    /// The response report; absent when Respond was skipped.
    pub response_report: Option<String>,
    /// The loop; minted when absent.
    pub loop_id: Option<String>,
    /// What the review compared with.
    pub base_commit: Option<String>,
    /// Where states lie.
    pub state_dir: Option<String>,
    /// Cut off cited paths.
    pub repo_root: Option<String>,
    /// The taxonomy artifact.
    pub recurring_findings: Option<String>,
    /// What the caller knows of the review.
    pub routing_metadata_file: Option<String>,
    /// The plan the round was started with.
    pub plan_file: Option<String>,
    /// Overwrite a round that was recorded with other input.
    pub replace: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The loop.
    pub loop_id: String,
    /// Absolute.
    pub state_file: String,
    /// Whether this call wrote it; false when the same round stood there already.
    pub recorded: bool,
    /// Sorted.
    pub warnings: Vec<String>,
}

/// Records a round. The same round with the same input (every field but `owner`) is a success that changes nothing.
///
/// # Errors
/// `INVALID_ROUND`, `MISSING_BASE_COMMIT`, `BAD_COMMIT`, `INVALID_PATH`, `INVALID_REPORT`, `INVALID_ROUTING_METADATA`,
/// `INVALID_PLAN`, `BAD_ID`, `ROUND_EXISTS`, `LOCK_BUSY`, or why a file cannot be read or written.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    record_with(request, host, None)
}

/// Records a round whose surface the caller captured itself: a driven loop has no seats that a plan could be checked for.
///
/// # Errors
/// As [`run`].
pub fn run_with_surface(request: &Request, host: &Host, surface: Surface) -> Result<Answer, Fail> {
    record_with(request, host, Some(surface))
}

fn record_with(request: &Request, host: &Host, captured: Option<Surface>) -> Result<Answer, Fail> {
    let round_number = number::round(request.round_number.as_deref())?;
    let base = CommitId::parse(request.base_commit.as_deref())?;
    let mut read = gather::review(host, request.review_report.as_deref())?;
    let judged = judge(&read.review, &read.path)?;
    let response = gather::response(host, request.response_report.as_deref())?;
    let routing = routing_metadata(host, request.routing_metadata_file.as_deref())?;
    let categories = gather::categories(host, request.recurring_findings.as_deref(), &read.path);
    let repo_root = gather::repo_root(host, request.repo_root.as_deref());
    let loop_id = gather::loop_id(request.loop_id.as_deref())?;
    let loop_id = loop_id.map_or_else(|| host.fresh_id(), |id| id.as_str().to_owned());
    let dir = host.absolute(request.state_dir.as_deref(), "state directory")?;
    let (surface, routing) = planned(host, request.plan_file.as_deref(), round_number, &base, &loop_id, routing)?;
    let surface = captured.unwrap_or(surface);
    let mut warnings = Vec::new();
    if repo_root.is_none() && cites_absolute(&read.review) {
        warnings.push("paths_not_relative".to_owned());
    }
    let mut round = record(Input {
        loop_id: &loop_id,
        round_number,
        base_commit: base.as_str(),
        review_path: read.path,
        findings: std::mem::take(&mut read.review.findings),
        review_sha256: read.sha256,
        judged,
        response: response.as_ref().map(|(path, sha, r)| (path.clone(), sha.clone(), r)),
        categories: &categories,
        repo_root: repo_root.as_deref(),
        routing,
        surface,
        owner: owner(host),
    });
    warnings.extend(round.warnings.iter().cloned());
    let root = repo_root.as_deref().map(Path::new).filter(|r| r.is_absolute());
    let surfaces = Surfaces { host, root, folder: &dir };
    let before = surfaces.before(&round, round_number);
    let state = dir.join(gather::state_name(&loop_id, round_number));
    // The same round again is answered from what stands there: nothing is compared anew.
    let stands = gather::round(&state).ok().filter(|stored| !request.replace && stored.same_input(&round));
    match (stands, &before) {
        (Some(stored), _) => round = Round { owner: round.owner, ..stored },
        (None, Ok(previous)) => settle(&mut round, previous, &surfaces),
        (None, Err(_)) => {}
    }
    warnings.extend(surfaces.warning(&round, &before).map(str::to_owned));
    let held = lock::hold(host, &dir)?;
    let recorded = store(host, &held, &state, &round, request.replace)?;
    warnings.sort_unstable();
    warnings.dedup();
    Ok(Answer { loop_id, state_file: state.to_string_lossy().into_owned(), recorded, warnings })
}

fn routing_metadata(host: &Host, flag: Option<&str>) -> Result<Routing, Fail> {
    let Some(flag) = flag.filter(|f| !f.is_empty()) else {
        return Ok(Routing::default());
    };
    let path = host.absolute(Some(flag), "routing metadata file")?;
    let invalid = |fail: Fail| {
        let message = format!("the routing metadata `{}` cannot be used: {}", printable(&path.to_string_lossy()), fail.message);
        Fail { message, ..fail.within(Code::InvalidRoutingMetadata) }
    };
    let bytes = files::read_text(&path, files::DOCUMENT_LIMIT).map_err(invalid)?;
    routing::read(&bytes, &host.cwd).map_err(invalid)
}

/// What the plan captured before the review, and the reviewers checked against it.
fn planned(
    host: &Host,
    flag: Option<&str>,
    round: u64,
    base: &CommitId,
    loop_id: &str,
    mut routing: Routing,
) -> Result<(Surface, Routing), Fail> {
    let Some(flag) = flag.filter(|f| !f.is_empty()) else {
        return Ok((Surface::default(), routing));
    };
    let path = host.absolute(Some(flag), "plan file")?;
    let shown = printable(&path.to_string_lossy());
    let invalid = |fail: Fail| {
        let message = format!("the plan `{shown}` cannot be used: {}", fail.message);
        Fail { message, ..fail.within(Code::InvalidPlan) }
    };
    let bytes = files::read_state(&path).map_err(invalid)?;
    let plan = plan::read(&bytes).map_err(invalid)?;
    let digest = sha256_hex(&bytes);
    if routing.routing_plan_digest.as_ref().is_some_and(|d| *d != digest) {
        let message = format!("the routing metadata is of another plan than `{shown}`, whose digest is {digest}");
        return Err(Fail::new(Code::InvalidRoutingMetadata, message));
    }
    let other = |what: &str| Err(Fail::new(Code::InvalidPlan, format!("the plan `{shown}` is of another {what}")));
    if plan.round_number != round {
        return other("round");
    }
    if plan.base_commit.as_deref().is_some_and(|b| b != base.as_str()) {
        return other("base commit");
    }
    if plan.loop_id != loop_id {
        return other("loop");
    }
    plan.admit(&mut routing).map_err(|why| {
        Fail::new(Code::InvalidRoutingMetadata, format!("the routing metadata does not follow the plan `{shown}`: {why}"))
    })?;
    Ok((plan.surface, routing))
}

fn cites_absolute(review: &Review) -> bool {
    review.findings.iter().filter_map(|f| f.place.as_ref()).any(|p| is_absolute(&p.path))
}

/// Writes the state unless the same one stands there. Only called with the folder's lock in hand.
fn store(host: &Host, _held: &lock::Held, state: &Path, round: &Round, replace: bool) -> Result<bool, Fail> {
    let bytes = round_state::bytes(round);
    files::check_target(state)?;
    if state.symlink_metadata().is_ok() {
        let stored = gather::round(state).ok();
        // What was concluded from earlier rounds may be another thing since one of them was replaced.
        let same = |stored: &Round| Round { owner: None, ..stored.clone() } == Round { owner: None, ..round.clone() };
        if stored.is_some_and(|stored| if replace { same(&stored) } else { stored.same_input(round) }) {
            return Ok(false);
        }
        if !replace {
            let message =
                format!("round {} is recorded already in `{}` with other input", round.round_number, printable(&state.to_string_lossy()));
            return Err(Fail::new(Code::RoundExists, message)
                .with("loop_id", round.loop_id.as_str())
                .with("round_number", round.round_number));
        }
        files::replace(host, state, &bytes)?;
        return Ok(true);
    }
    files::create(host, state, &bytes)
}

/// The owner stamp of this environment: none when no durable identity is known.
pub fn owner(host: &Host) -> Option<Owner> {
    let identity = identity(|name| host.var(name))?;
    let place = procs::place(host);
    let started = identity.pid.and_then(procs::started);
    Some(Owner {
        host_hash: place.host_hash,
        pid: identity.pid.map(|p| p.to_string()),
        process_start_ms: started.map(|s| s.ms.to_string()),
        session_id: identity.session_id,
        started_at: time::iso_ms(host.now_ms()),
        boot_id: place.boot_id,
        process_start_ticks: started.and_then(|s| s.ticks),
        pid_namespace: place.pid_namespace,
        machine_hash: place.machine_hash,
    })
}
