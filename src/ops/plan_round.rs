//! plan-round: cap, arguments, reviewers and surface of one round (rounds spec §2.2, §2.3, §2.6).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::gather::{self, Skipped};
use super::{expand_loop_args, render_prior_context, surface};
use crate::base::digest::sha256_hex;
use crate::base::id::CommitId;
use crate::base::path::printable;
use crate::base::{Code, Fail, number};
use crate::host::{Host, files, lock};
use crate::round::arguments::{Expanded, expand, of_round};
use crate::round::compare::{self, Progress};
use crate::round::plan::{Known, Phase, Plan, REVIEWERS, Risk, Seat, cap, choose, floor};
use crate::round::record::{Round, Surface};
use crate::wire::plan;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// From 1.
    pub round_number: Option<String>,
    /// The loop; minted when absent.
    pub loop_id: Option<String>,
    /// Where states lie: earlier rounds are read from it.
    pub state_dir: Option<String>,
    /// A JSON array of the loop's argument tokens.
    pub args_file: Option<String>,
    /// document or implementation.
    pub artifact_phase: Option<String>,
    /// low to critical.
    pub risk: Option<String>,
    /// Whether a document set is requirements or tests without a plan.
    pub requirements: bool,
    /// Reviewers that can be called here, comma separated.
    pub available: Option<String>,
    /// Whether the last round reported Codex unavailable.
    pub codex_unavailable: bool,
    /// The prior context for the reviewers.
    pub prior_rounds_file: Option<String>,
    /// The checkout whose surface is captured.
    pub repo_root: Option<String>,
    /// What the review compares with.
    pub base_commit: Option<String>,
    /// Where the plan is written.
    pub output: Option<String>,
    /// Capture no surface.
    pub no_surface: bool,
    /// Further folders of ours inside the checkout, left out while untracked.
    pub own: Vec<PathBuf>,
}

/// What the classifier is told of the last round.
#[derive(Debug, Serialize)]
pub struct AdaptiveContext {
    /// Always 2.
    pub schema_version: u8,
    /// low to critical.
    pub risk: Risk,
    /// Between the last two rounds.
    pub progress: Progress,
    /// Who answered last round.
    pub used_reviewers: Vec<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The loop.
    pub loop_id: String,
    /// From 1.
    pub round_number: u64,
    /// The most reviews the loop may execute.
    pub cap: u64,
    /// `explicit` or `policy`.
    pub cap_source: &'static str,
    /// Whether one document is kept.
    pub session_doc: bool,
    /// The review's arguments of this round.
    pub argv: Vec<String>,
    /// Whether an ultracode round is behind us.
    pub ultracode_consumed: bool,
    /// The prior context, when it passed its check.
    pub prior_rounds_file: Option<String>,
    /// From round 2, of routed states only.
    pub adaptive_context: Option<AdaptiveContext>,
    /// The plan itself.
    #[serde(flatten)]
    pub plan: PlanView,
    /// Where it was written.
    pub plan_file: Option<String>,
    /// SHA-256 of the plan's bytes.
    pub routing_plan_digest: String,
    /// States that could not be read.
    pub skipped_states: Vec<Skipped>,
    /// Sorted.
    pub warnings: BTreeSet<String>,
}

/// The part of the plan that is printed; reviewers only by id, because each gets its own assignment only.
#[derive(Debug, Serialize)]
pub struct PlanView {
    /// document or implementation.
    pub artifact_phase: Phase,
    /// low to critical.
    pub risk: Risk,
    /// The planned reviewers.
    pub planned_reviewers: Vec<String>,
    /// Below this the verdict is not trusted.
    pub minimum_reviewers: usize,
    /// From how many families.
    pub minimum_families: usize,
    /// Effort tier.
    pub tier: u64,
    /// The commit checked out.
    pub head_commit: Option<String>,
    /// The scope fingerprint.
    pub surface_fingerprint: Option<String>,
    /// The tree.
    pub surface_tree: Option<String>,
}

/// Plans a round.
///
/// # Errors
/// `INVALID_ROUND`, `BAD_ID`, `INVALID_LOOP_ARGUMENTS`, `INVALID_LOOP_POLICY`, `MISSING_BASE_COMMIT`, those of detect-scope,
/// or why a file cannot be read or written.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let round_number = number::round(request.round_number.as_deref())?;
    let loop_id = gather::loop_id(request.loop_id.as_deref())?.map_or_else(|| host.fresh_id(), |id| id.as_str().to_owned());
    let tokens = request.args_file.as_deref().map(|f| expand_loop_args::tokens(host, Some(f))).transpose()?.unwrap_or_default();
    let expanded = expand(&tokens)?;
    let (earlier, skipped_states) = earlier(host, request, &loop_id, round_number)?;
    let phase = word(request.artifact_phase.as_deref(), "implementation", Phase::parse, "the artifact phase")?;
    let asked = word(request.risk.as_deref(), "medium", Risk::parse, "the risk")?;
    let risk = earlier.iter().filter_map(|r| r.routing.risk.as_deref().and_then(Risk::parse)).chain([asked]).max().unwrap_or(asked);
    let mut warnings: BTreeSet<String> = BTreeSet::new();
    if risk > asked {
        warnings.insert("risk_kept".to_owned());
    }
    let cap = cap(phase, risk, expanded.max_explicit.then_some(expanded.max))?;
    if round_number > cap {
        warnings.insert("beyond_cap".to_owned());
    }
    let base = request.base_commit.as_deref().filter(|b| !b.is_empty()).map(|b| CommitId::parse(Some(b))).transpose()?;
    let prior_rounds_file = prior(host, request, round_number, base.as_ref(), &mut warnings);
    let output = output(host, request, &loop_id, round_number)?;
    // A sweep of the same folder must not take the objects of a surface that no plan names yet.
    let _held = output.as_deref().and_then(Path::parent).map(|folder| lock::hold(host, folder)).transpose()?;
    let surface = surface(host, request, base.as_ref(), output.as_deref())?;
    let (plan, context) = assemble(request, (phase, risk, cap), &expanded, &earlier, (&loop_id, round_number), &mut warnings)?;
    let plan = Plan { base_commit: base.map(|b| b.as_str().to_owned()), surface, ..plan };
    let bytes = plan::bytes(&plan);
    if let Some(path) = &output {
        files::replace(host, path, &bytes)?;
    }
    let mut argv = of_round(&expanded, round_number, request.codex_unavailable);
    if let Some(prior) = &prior_rounds_file {
        argv.push(format!("--prior-rounds-file={prior}"));
    }
    Ok(Answer {
        loop_id,
        round_number,
        cap,
        cap_source: if expanded.max_explicit { "explicit" } else { "policy" },
        session_doc: expanded.session_doc,
        argv,
        ultracode_consumed: expanded.ultracode && round_number > 1,
        prior_rounds_file,
        adaptive_context: context,
        plan: PlanView {
            artifact_phase: plan.artifact_phase,
            risk: plan.risk,
            planned_reviewers: plan.seats.iter().map(|s| s.reviewer_id.clone()).collect(),
            minimum_reviewers: plan.floor.minimum_reviewers,
            minimum_families: plan.floor.minimum_families,
            tier: plan.floor.tier,
            head_commit: plan.surface.head_commit.clone(),
            surface_fingerprint: plan.surface.surface_fingerprint.clone(),
            surface_tree: plan.surface.surface_tree.clone(),
        },
        plan_file: output.map(|p| p.to_string_lossy().into_owned()),
        routing_plan_digest: sha256_hex(&bytes),
        skipped_states,
        warnings,
    })
}

fn word<T: Copy>(flag: Option<&str>, default: &str, parse: impl Fn(&str) -> Option<T>, what: &str) -> Result<T, Fail> {
    let text = flag.filter(|f| !f.is_empty()).unwrap_or(default);
    parse(text).ok_or_else(|| Fail::new(Code::InvalidLoopPolicy, format!("{what} `{}` is unknown", printable(text))))
}

fn earlier(host: &Host, request: &Request, loop_id: &str, round: u64) -> Result<(Vec<Round>, Vec<Skipped>), Fail> {
    let Some(dir) = request.state_dir.as_deref().filter(|d| !d.is_empty()) else {
        return Ok((Vec::new(), Vec::new()));
    };
    let dir = host.absolute(Some(dir), "state directory")?;
    let (mut rounds, skipped) = gather::rounds(&dir, loop_id)?;
    rounds.retain(|r| r.round_number < round);
    Ok((rounds, skipped))
}

/// Only a named file is read, only from round 2, and only when it passes its reader's check.
fn prior(host: &Host, request: &Request, round: u64, base: Option<&CommitId>, warnings: &mut BTreeSet<String>) -> Option<String> {
    let file = request.prior_rounds_file.as_deref().filter(|f| !f.is_empty())?;
    if round == 1 {
        warnings.insert("prior_context_ignored_in_round_1".to_owned());
        return None;
    }
    match render_prior_context::check(host, file, base.map(CommitId::as_str)) {
        Ok(checked) => Some(checked.prior_file),
        Err(_) => {
            warnings.insert("prior_context_left_out".to_owned());
            None
        }
    }
}

/// Where the plan goes: the file that was named, or a file named by loop and round in the folder that was named.
fn output(host: &Host, request: &Request, loop_id: &str, round: u64) -> Result<Option<PathBuf>, Fail> {
    let Some(flag) = request.output.as_deref() else { return Ok(None) };
    let path = host.absolute(Some(flag), "output")?;
    Ok(Some(if path.is_dir() { path.join(format!("loop-{loop_id}-round-{round}.plan.json")) } else { path }))
}

fn surface(host: &Host, request: &Request, base: Option<&CommitId>, output: Option<&Path>) -> Result<Surface, Fail> {
    let Some(root) = request.repo_root.as_deref().filter(|r| !r.is_empty() && !request.no_surface) else { return Ok(Surface::default()) };
    let root = host.absolute(Some(root), "repository root")?;
    let Some(base) = base else { return Err(Fail::new(Code::MissingBaseCommit, "the flag `--base-commit` is missing or empty")) };
    let folder = output.and_then(Path::parent);
    let folder =
        folder.ok_or_else(|| Fail::new(Code::InvalidPath, "the flag `--output` is missing: the surface's objects lie beside the plan"))?;
    let own: Vec<PathBuf> = request.own.iter().cloned().chain([folder.to_path_buf()]).collect();
    surface::capture(host, &root, base.as_str(), folder, &own)
}

fn assemble(
    request: &Request,
    (phase, risk, cap): (Phase, Risk, u64),
    expanded: &Expanded,
    earlier: &[Round],
    (loop_id, round_number): (&str, u64),
    warnings: &mut BTreeSet<String>,
) -> Result<(Plan, Option<AdaptiveContext>), Fail> {
    let progress = match earlier {
        [.., previous, last] => Some(compare::progress(&previous.findings, &last.findings).0),
        _ => None,
    };
    // A state of the reference's first schema is evidence of convergence and never of routing.
    let routed = earlier.last().filter(|r| r.schema_version == 2 && r.routing.artifact_phase.is_some());
    let used = routed.map(|r| r.routing.actual_reviewers.clone()).unwrap_or_default();
    let available = available(request.available.as_deref())?;
    let known = Known {
        phase,
        risk,
        progress,
        requirements: request.requirements,
        overrides: &expanded.overrides,
        available: &available,
        used: &used,
    };
    let floor = floor(phase, risk, progress, request.requirements);
    let (seats, candidates, short) = choose(&known, &floor);
    warnings.extend(short.into_iter().map(str::to_owned));
    let context =
        routed.zip(progress).map(|(_, progress)| AdaptiveContext { schema_version: 2, risk, progress, used_reviewers: used.clone() });
    let plan = Plan {
        schema_version: 1,
        loop_id: loop_id.to_owned(),
        round_number,
        cap,
        artifact_phase: phase,
        risk,
        floor,
        seats,
        candidates,
        expansion_waves_used: 0,
        base_commit: None,
        surface: Surface::default(),
    };
    Ok((plan, context))
}

fn available(flag: Option<&str>) -> Result<BTreeSet<String>, Fail> {
    let Some(flag) = flag else {
        return Ok(REVIEWERS.iter().map(|r| (*r).to_owned()).collect());
    };
    let named: BTreeSet<String> = flag.split(',').map(str::trim).filter(|r| !r.is_empty()).map(str::to_owned).collect();
    match named.iter().find(|r| !REVIEWERS.contains(&r.as_str())) {
        Some(unknown) => Err(Fail::new(
            Code::InvalidArgument,
            format!("`--available` names `{}`, the reviewers are {}", printable(unknown), REVIEWERS.join(", ")),
        )),
        None => Ok(named),
    }
}

/// Prints one reviewer's own assignment out of a plan.
///
/// # Errors
/// `INVALID_PLAN` when the plan cannot be read, `INVALID_REVIEWER_IDENTITY` when it has no such seat.
pub fn assignment(host: &Host, plan_file: &str, reviewer: &str) -> Result<Seat, Fail> {
    let plan = read_plan(host, plan_file)?;
    let seat = plan.seats.into_iter().find(|s| s.reviewer_id == reviewer);
    seat.ok_or_else(|| Fail::new(Code::InvalidReviewerIdentity, format!("the plan has no seat for `{}`", printable(reviewer))))
}

/// Reads a plan file.
///
/// # Errors
/// `INVALID_PLAN` with the reason.
pub fn read_plan(host: &Host, flag: &str) -> Result<Plan, Fail> {
    let path = host.absolute(Some(flag), "plan file")?;
    let invalid = |fail: Fail| {
        let message = format!("the plan `{}` cannot be used: {}", printable(&path.to_string_lossy()), fail.message);
        Fail { message, ..fail.within(Code::InvalidPlan) }
    };
    plan::read(&files::read_state(&path).map_err(invalid)?).map_err(invalid)
}
