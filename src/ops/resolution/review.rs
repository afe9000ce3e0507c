//! The review of a loop's next round: intent harvested anew, a prompt rendered from it, the source run, and its answer bound to all of it.

use serde::Serialize;

use super::claims::target;
use super::surface::{self, Now};
use super::{Folder, Place, Stored, document};
use crate::base::digest::sha256_hex;
use crate::base::verdict::Class;
use crate::base::{Code, Fail, number, time};
use crate::host::{Host, files};
use crate::ops::harvest_intent::Harvest;
use crate::ops::run_source::{self, Answer, Ran, Unproven};
use crate::ops::{Ask, check_convergence, check_conveyance, gather, list_sources, render_prompt};
use crate::resolution::convergence::Said;
use crate::source::adapter::Name;
use crate::source::bundle::Bundle;
use crate::source::intent::Limits;
use crate::wire::bundle;
use crate::wire::review::Bound;

/// What came of it.
pub enum Reviewed {
    /// The source was run, or its answer read.
    Ran(Box<Ran>),
    /// There is nothing that can be reviewed as it is.
    Asks(Ask),
}

#[derive(Serialize)]
struct Kept<'a> {
    schema_version: u64,
    round: u64,
    version: &'static str,
    recorded_at: String,
    attempts: u64,
    evidence: &'a str,
    graded: bool,
    bound: &'a Bound,
    answer: &'a Answer,
}

/// Reviews the next round of the loop that `place` names.
///
/// # Errors
/// `LOOP_ENDED`, `ROUND_OPEN`, `CONVEYANCE_BROKEN`, those of run-source and of the loop's documents.
pub fn run(request: &run_source::Request, place: &Place, host: &Host) -> Result<Reviewed, Fail> {
    let mut folder = Folder::open(host, place)?;
    // One lock for everything that writes: what a review is bound to does not change while it runs.
    let _held = folder.hold_open()?;
    let rounds = folder.rounds()?;
    let next = Next::of(&rounds)?;
    let cap = request.max_rounds.as_deref().filter(|m| !m.is_empty());
    let cap = cap.map(|m| number::plain("--max-rounds", m, 1..=1000)).transpose()?.or(folder.record.max_rounds);
    if cap.is_some_and(|cap| next.round > cap) {
        return Ok(Reviewed::Asks(check_convergence::round_limit()));
    }
    let now = surface::now(&folder, next.before)?;
    if let Some(ask) = now.ask {
        return Ok(Reviewed::Asks(ask));
    }
    let objects_to_nothing = |s: &Stored| s.review.findings.is_empty() && s.review.said() == Said::Objects;
    let void = next.attempts > 0 || rounds.last().is_some_and(objects_to_nothing);
    let source = source_of(&mut folder, request, void)?;
    let brought = request.answer.as_deref().is_some_and(|a| !a.is_empty());
    let dir = folder.round_dir(next.round);
    files::make_private_below(&folder.dir, &dir)?;
    let bundle = match source {
        Name::Checks => None,
        _ if brought => Some(sent_before(&folder, &dir, target(source.word(), "agent"))?),
        _ => Some(prepare(&mut folder, &now, next.round, target(source.word(), "tool"))?.0),
    };
    folder.keep(&Folder::round_path(next.round, "surface.json"), &crate::wire::surface::document(&now.surface))?;
    let attempt = next.attempt(&dir);
    let evidence = dir.join(&attempt);
    let record = &folder.record;
    let own = |given: &Option<String>, kept: Option<String>| given.clone().filter(|g| !g.is_empty()).or(kept);
    let mut asked = run_source::Request {
        scope: crate::ops::detect_scope::Request {
            repo: place.repo.clone(),
            base: Some(record.base.clone()),
            own: folder.own(),
            ..Default::default()
        },
        source: Some(source.word().to_owned()),
        argv: (source == Name::Command && !brought).then(|| serde_json::to_string(&record.source_argv).unwrap_or_default()),
        prompt_file: bundle.as_ref().map(|_| dir.join("prompt").to_string_lossy().into_owned()),
        model: own(&request.model, record.model.clone()),
        effort: Some(record.effort.clone()),
        limit_s: own(&request.limit_s, Some(record.limit_s.to_string())),
        evidence_dir: Some(evidence.to_string_lossy().into_owned()),
        answer: request.answer.clone(),
        severities: request.severities.clone(),
        require_coverage: record.require_coverage || request.require_coverage,
        trust_worktree_checks: record.trust_worktree_checks,
        place: None,
        max_rounds: None,
    };
    asked.argv = asked.argv.or(request.argv.clone().filter(|a| !a.is_empty()));
    let (mut answer, ask) = run_source::review(&asked, host)?;
    // An answer counts for the surface that its prompt was made of.
    let of_this = bundle.as_ref().is_none_or(|b| b.scope.scope_fingerprint == answer.scope_fingerprint);
    if !of_this || answer.scope_fingerprint != now.fingerprint {
        answer.unproven_because = Some(Unproven::SurfaceChanged);
        answer.said.verdict = Class::Unproven;
    }
    keep(&mut folder, &next, &attempt, &now, bundle.is_some(), request, &answer)?;
    Ok(Reviewed::Ran(Box::new((answer, ask))))
}

/// The round that is reviewed next.
struct Next<'s> {
    round: u64,
    attempts: u64,
    before: Option<&'s Stored>,
}

impl<'s> Next<'s> {
    fn of(rounds: &'s [Stored]) -> Result<Next<'s>, Fail> {
        let before = |n: usize| n.checked_sub(1).map(|p| &rounds[p]);
        match rounds.last() {
            None => Ok(Next { round: 1, attempts: 0, before: None }),
            // What proves nothing is no review of its round: the source is run again.
            Some(last) if last.review.is_void() => {
                Ok(Next { round: last.round, attempts: last.review.attempts, before: before(rounds.len() - 1) })
            }
            Some(last) if !last.review.findings.is_empty() && last.dispositions.is_none() => {
                let message = format!("round {} has {} findings without a disposition", last.round, last.review.findings.len());
                Err(Fail::new(Code::RoundOpen, message))
            }
            Some(last) => Ok(Next { round: last.round + 1, attempts: 0, before: Some(last) }),
        }
    }

    /// The first folder of evidence that is not taken: one of a run that was killed is kept.
    fn attempt(&self, dir: &std::path::Path) -> String {
        let names = (self.attempts + 1..).map(|n| format!("attempt-{n}"));
        names.into_iter().find(|name| dir.join(name).symlink_metadata().is_err()).unwrap_or_default()
    }
}

/// The source of a loop. Another one takes its place only when a person names it and the designated one cannot be invoked, or proved
/// nothing last; then the loop goes on with it.
fn source_of(folder: &mut Folder<'_>, request: &run_source::Request, void: bool) -> Result<Name, Fail> {
    let kept = Name::find(&folder.record.source);
    let asked = request.source.as_deref().filter(|s| !s.is_empty()).map(|s| Name::find(s).ok_or_else(|| list_sources::unknown(s)));
    match (asked.transpose()?, kept) {
        (None, Some(kept)) => Ok(kept),
        // The same kind with another program is another source.
        (Some(asked), Some(kept)) if asked == kept && !(asked == Name::Command && void && request.argv.is_some()) => Ok(kept),
        (Some(asked), kept) if void || kept.is_none_or(|k| !list_sources::probe(folder.host, k).invokable) => {
            let argv = request.argv.as_deref().and_then(gather::argv);
            if asked == Name::Command && argv.is_none() {
                return Err(Fail::new(Code::InvalidArgument, "the source `command` needs `--argv`"));
            }
            folder.record.source = asked.word().to_owned();
            folder.record.source_argv = argv.unwrap_or_default();
            folder.save()?;
            Ok(asked)
        }
        _ => {
            let message = format!("the loop was opened with the source `{}`, which can be invoked", folder.record.source);
            Err(Fail::new(Code::LoopMismatch, message).hint("a source is changed where it fails, and never in passing"))
        }
    }
}

/// Harvests and renders for a round, and keeps both; nothing that conveys more than intent is kept.
///
/// # Errors
/// `CONVEYANCE_BROKEN`, `INVALID_ARGUMENT`, or why it cannot be written.
pub fn prepare(folder: &mut Folder<'_>, now: &Now, round: u64, target: &str) -> Result<(Bundle, render_prompt::Answer), Fail> {
    let dir = folder.round_dir(round);
    files::make_private_below(&folder.dir, &dir)?;
    let harvest = Harvest { checkout: &folder.checkout, scope: &now.scope, fingerprint: &now.fingerprint };
    let bundle = harvest.bundle(Limits::default(), gather::sent(&folder.ledger()?.0), folder.record.captures.clone())?;
    let conveyed = check_conveyance::of_bundle(&bundle, &folder.exceptions()?, &folder.checkout)?;
    let (target, effort) = render_prompt::addressed(Some(target), Some(&folder.record.effort))?;
    let rendered = render_prompt::rendered(&bundle, conveyed, target, effort)?;
    folder.keep(&Folder::round_path(round, "bundle.json"), &crate::wire::json::document(&bundle))?;
    folder.keep(&Folder::round_path(round, "prompt"), rendered.prompt.as_bytes())?;
    Ok((bundle, rendered))
}

/// Renders the prompt of the next round for an agent that asks a built-in of its host.
///
/// # Errors
/// As [`run`] before the source is started.
pub fn render(place: &Place, host: &Host) -> Result<Result<render_prompt::Answer, Ask>, Fail> {
    let mut folder = Folder::open(host, place)?;
    let _held = folder.hold_open()?;
    let rounds = folder.rounds()?;
    let next = Next::of(&rounds)?;
    let now = surface::now(&folder, next.before)?;
    if let Some(ask) = now.ask {
        return Ok(Err(ask));
    }
    let target = target(&folder.record.source, "agent");
    Ok(Ok(prepare(&mut folder, &now, next.round, target)?.1))
}

/// The bundle that the agent asked with: its prompt was rendered for this very target.
fn sent_before(folder: &Folder<'_>, dir: &std::path::Path, target: &str) -> Result<Bundle, Fail> {
    let kept = document(&dir.join("bundle.json"), bundle::read)?.map(|(b, _)| b);
    let (target, effort) = render_prompt::addressed(Some(target), Some(&folder.record.effort))?;
    let rendered =
        |b: &Bundle| files::read_state(&dir.join("prompt")).is_ok_and(|p| p == crate::source::prompt::render(b, target, effort).as_bytes());
    kept.filter(rendered).ok_or_else(|| {
        let message = "an answer that the agent got belongs to a prompt, and none was rendered for it in this round";
        Fail::new(Code::InvalidArgument, message).hint("render-prompt --loop-id first, ask with it, then hand the answer in")
    })
}

fn keep(
    folder: &mut Folder<'_>,
    next: &Next<'_>,
    attempt: &str,
    now: &Now,
    sent: bool,
    request: &run_source::Request,
    answer: &Answer,
) -> Result<(), Fail> {
    let dir = folder.round_dir(next.round);
    let digest = |path: &std::path::Path| files::read_state(path).map(|bytes| sha256_hex(&bytes));
    let bound = Bound {
        scope_fingerprint: answer.scope_fingerprint.clone(),
        head: now.scope.head.clone(),
        surface_sha256: digest(&dir.join("surface.json"))?,
        bundle_sha256: if sent { Some(digest(&dir.join("bundle.json"))?) } else { None },
        prompt_sha256: if sent { Some(digest(&dir.join("prompt"))?) } else { None },
        answer_sha256: answer.files.answer.as_ref().map(|p| digest(std::path::Path::new(p))).transpose()?,
        previous_sha256: next.before.and_then(|b| b.dispositions_sha256.clone()),
    };
    let kept = Kept {
        schema_version: 1,
        round: next.round,
        version: env!("CARGO_PKG_VERSION"),
        recorded_at: time::iso_ms(folder.host.now_ms()),
        attempts: next.attempts + 1,
        evidence: attempt,
        graded: request.severities.as_deref().is_some_and(|s| !s.is_empty()),
        bound: &bound,
        answer,
    };
    let bytes = crate::wire::json::document(&kept);
    folder.keep(&Folder::round_path(next.round, "review.json"), &bytes)
}
