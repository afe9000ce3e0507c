//! show-status: where a loop stands and what comes next, from its files alone: a lost conversation loses nothing.

use std::path::Path;

use serde::Serialize;

use super::checkout::Checkout;
use super::resolution::{Folder, KIND, LOOP, Place};
use super::track_recurrence::{self, WriteTier};
use super::{Ask, check_brief, check_convergence, design_loop, gather, record_disposition, show_gate, wave};
use crate::base::{Code, Fail};
use crate::drive::{self, design::Action};
use crate::host::{Host, files};
use crate::resolution::convergence::{Owed, Verdict};
use crate::resolution::decision::Standing;
use crate::wire::{loop_record, resolution_loop};

/// Where design loops lie in a repository.
const REVIEWS: &str = ".scratch/reviews";

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop; every loop of the checkout without one.
    pub place: Place,
}

/// A loop of the checkout.
#[derive(Debug, Serialize)]
pub struct Listed {
    /// rounds, resolution, waves or design.
    #[serde(rename = "loop")]
    pub kind: &'static str,
    /// Its id.
    pub loop_id: String,
    /// Where it stands, in a word.
    pub status: String,
    /// Its last round.
    pub round: Option<u64>,
    /// What cannot be read of it: the code of the refusal.
    pub damaged: Option<&'static str>,
}

/// What comes next.
#[derive(Debug, Serialize)]
pub struct Next {
    /// The command; none when nothing is owed.
    pub command: Option<&'static str>,
    /// Why.
    pub why: String,
}

/// A resolution loop in full.
#[derive(Debug, Serialize)]
pub struct Resolution {
    /// The source.
    pub source: String,
    /// pr, branch, worktree or codebase.
    pub kind: String,
    /// What everything is compared with.
    pub base: String,
    /// When it was opened.
    pub opened_at: String,
    /// When a person ended it.
    pub exited_at: Option<String>,
    /// Who writes the fixes of this round.
    pub write_tier: WriteTier,
    /// Decisions in force.
    pub decisions: Vec<Standing>,
    /// The last line of the ledger was cut off: the next decision moves it aside.
    pub torn_tail: bool,
    /// Findings of this round whose entries are kept for later.
    pub drafted: Vec<String>,
    /// The brief of this round, where a sound one was checked.
    pub brief: Option<String>,
    /// Whether it converged, and what is owed.
    pub convergence: check_convergence::Answer,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The loops that were asked for.
    pub loops: Vec<Listed>,
    /// What comes next, of one loop.
    pub next: Option<Next>,
    /// One resolution loop in full.
    pub resolution: Option<Resolution>,
}

/// Shows where loops stand.
///
/// # Errors
/// `NOT_A_REPOSITORY`, `BAD_ID`, `STATE_MISSING`, those of the loop's documents.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let folder = host.absolute(Some(request.place.repo.as_deref().unwrap_or(".")), "repository")?;
    let checkout = Checkout::open(host, &folder)?;
    let root = host.state_root(request.place.state_dir.as_deref())?;
    let Some(id) = gather::loop_id(request.place.loop_id.as_deref())? else {
        let place = |id: String| Place { repo: request.place.repo.clone(), state_dir: request.place.state_dir.clone(), loop_id: Some(id) };
        let waves = names(host, &root, &checkout, wave::KIND).into_iter().map(|id| waves(host, &place(id.clone()), &id));
        let designs = folders(&checkout.top.join(REVIEWS)).into_iter().filter_map(|id| design(host, request, &id));
        let loops = all(host, &root, &checkout).into_iter().chain(waves).chain(designs.map(|(listed, _)| listed)).collect();
        return Ok(Answer { loops, next: None, resolution: None });
    };
    let there = |kind: &str| host.loop_dir(&root, &checkout.top, kind, &id).join(LOOP);
    if there("rounds").symlink_metadata().is_ok() {
        let listed = rounds(&there("rounds"), id.as_str());
        let why = if listed.status == "done" { "the loop is done".to_owned() } else { format!("`{}` is owed", listed.status) };
        let command = (listed.status != "done").then_some("run-loop");
        return Ok(Answer { loops: vec![listed], next: Some(Next { command, why }), resolution: None });
    }
    if let Some((listed, next)) = design(host, request, id.as_str()) {
        return Ok(Answer { loops: vec![listed], next: Some(next), resolution: None });
    }
    if host.loop_dir(&root, &checkout.top, wave::KIND, &id).join(wave::GATE).symlink_metadata().is_ok() {
        let place = request.place.clone();
        let listed = waves(host, &place, id.as_str());
        let shown = show_gate::run(&show_gate::Request { place }, host)?;
        let next = Next { command: shown.next.command, why: shown.next.why };
        return Ok(Answer { loops: vec![listed], next: Some(next), resolution: None });
    }
    if there(KIND).symlink_metadata().is_err() {
        let shown = crate::base::path::printable(&root.to_string_lossy());
        return Err(Fail::new(Code::StateMissing, format!("there is no loop `{id}` of this checkout in `{shown}`")));
    }
    drop(checkout);
    Folder::open(host, &request.place)?.steadily(|folder| whole(folder, id.as_str()))
}

/// One resolution loop in full.
fn whole(folder: &Folder<'_>, id: &str) -> Result<Answer, Fail> {
    let stored = folder.rounds()?;
    let (ledger, torn_tail) = folder.ledger()?;
    let tracked = super::resolution::facts::track(&stored, &ledger)?;
    let (convergence, ask) = check_convergence::of(folder, None)?;
    let status = convergence.decision.decision.word().to_owned();
    let listed = Listed { kind: KIND, loop_id: id.to_owned(), status, round: convergence.round, damaged: None };
    let open = stored.last().filter(|s| s.dispositions.is_none());
    let drafted = open.map(record_disposition::drafted).transpose()?.unwrap_or_default().into_iter().map(|e| e.finding).collect();
    let brief = open.map(|s| s.dir.join(check_brief::BRIEF)).filter(|p| p.is_file()).map(|p| p.to_string_lossy().into_owned());
    let record = &folder.record;
    let next = next(&convergence, ask.as_ref());
    let resolution = Resolution {
        source: record.source.clone(),
        kind: record.kind.clone(),
        base: record.base.clone(),
        opened_at: record.opened_at.clone(),
        exited_at: record.exited_at.clone(),
        write_tier: track_recurrence::answer(&stored, &tracked).write_tier,
        decisions: ledger.in_force().cloned().collect(),
        torn_tail,
        drafted,
        brief,
        convergence,
    };
    Ok(Answer { loops: vec![listed], next: Some(next), resolution: Some(resolution) })
}

fn next(answer: &check_convergence::Answer, ask: Option<&Ask>) -> Next {
    let next = |command, why: &str| Next { command, why: why.to_owned() };
    match (answer.decision.decision, ask) {
        (Verdict::Converged, _) => return next(Some("list-carryover"), "the loop has converged; what it decided may be carried over"),
        (Verdict::Exit, _) => return next(Some("list-carryover"), "a person ended the loop; what it decided may be carried over"),
        (_, Some(ask)) => return Next { command: None, why: format!("a person decides: {}", ask.question) },
        _ => {}
    }
    match answer.decision.owed.first() {
        Some(Owed::Review) => next(Some("run-source"), "nothing was reviewed yet"),
        Some(Owed::SourceAnswer) => next(Some("run-source"), "the last review proves nothing; its source is run again for the same round"),
        Some(Owed::Sameness) => next(Some("track-recurrence"), "which findings are known from earlier rounds is to be judged"),
        Some(Owed::Diagnosis) => {
            next(Some("track-recurrence"), "findings came back after their repair or decision was seen; diagnose them")
        }
        Some(Owed::Gate) => next(None, "a person settles what came back"),
        Some(Owed::Disposition) => next(Some("record-disposition"), "every finding of the review is owed a disposition"),
        Some(Owed::NewLoop) => next(Some("open-resolution"), "files of this loop were changed behind it"),
        Some(Owed::FullRereview) | None => {
            next(Some("run-source"), "the surface or its findings moved past the verdict: review again in full")
        }
    }
}

fn all(host: &Host, root: &Path, checkout: &Checkout) -> Vec<Listed> {
    let mut found = Vec::new();
    for kind in ["rounds", KIND] {
        let folder = host.checkout_dir(root, &checkout.top).join(kind);
        for name in names(host, root, checkout, kind) {
            let file = folder.join(&name).join(LOOP);
            found.push(if kind == KIND { resolution(&file, &name) } else { rounds(&file, &name) });
        }
    }
    found
}

/// The loops of a kind, sorted.
fn names(host: &Host, root: &Path, checkout: &Checkout, kind: &str) -> Vec<String> {
    folders(&host.checkout_dir(root, &checkout.top).join(kind))
}

/// The folders in a folder whose names are ids of loops, sorted.
fn folders(within: &Path) -> Vec<String> {
    let entries = within.read_dir();
    let folders = entries.into_iter().flatten().flatten().filter(|e| e.path().is_dir());
    let mut names: Vec<String> = folders.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|n| crate::base::id::check(n, "loop id").is_ok());
    names.sort();
    names
}

/// A design loop and what comes next in it; none when there is none of that id.
fn design(host: &Host, request: &Request, id: &str) -> Option<(Listed, Next)> {
    let place = design_loop::Place { repo: request.place.repo.clone(), loop_id: Some(id.to_owned()), ..design_loop::Place::default() };
    let folder = design_loop::Folder::find(host, &place).ok()?;
    let record = match folder.record() {
        Ok(record) => record?,
        Err(fail) => {
            let damaged = damaged("design", id, &fail);
            return Some((damaged, Next { command: Some("check-design-ledger"), why: fail.message }));
        }
    };
    let (command, why) = match drive::design::next(&record, true) {
        Action::Done => (None, format!("the loop ended: {}", record.status.word())),
        Action::CheckDrift => (Some("check-drift"), "the round was not checked against what was pinned".to_owned()),
        Action::Dispatch(lanes) => {
            let words: Vec<&str> = lanes.iter().map(|l| l.word()).collect();
            (Some("start-lane"), format!("not in yet: {}", words.join(", ")))
        }
        Action::Complete => (Some("complete-design-round"), "every lane is in".to_owned()),
        Action::Reconcile => (Some("complete-design-round"), "findings of the scout have no disposition".to_owned()),
        Action::Judge(class) => {
            (Some("start-lane"), format!("`{}` keeps moving: the model lane judges the mechanism", crate::base::path::printable(&class)))
        }
        Action::Revise { .. } => {
            (Some("open-design-round"), "the artifact is revised and every open blocker and finding answered".to_owned())
        }
        Action::Close(outcome) => (Some("close-design-loop"), format!("the rounds come to {}", outcome.word())),
    };
    let (status, round) = (record.status.word().to_owned(), Some(record.rounds.len() as u64));
    Some((Listed { kind: "design", loop_id: id.to_owned(), status, round, damaged: None }, Next { command, why }))
}

fn waves(host: &Host, place: &Place, id: &str) -> Listed {
    match wave::Folder::find(host, place).and_then(|folder| folder.opened()) {
        Ok(gate) => Listed {
            kind: wave::KIND,
            loop_id: id.to_owned(),
            status: gate.status.word().to_owned(),
            round: Some(gate.iteration),
            damaged: None,
        },
        Err(fail) => damaged(wave::KIND, id, &fail),
    }
}

fn damaged(kind: &'static str, id: &str, fail: &Fail) -> Listed {
    Listed { kind, loop_id: id.to_owned(), status: "damaged".to_owned(), round: None, damaged: Some(fail.code.word()) }
}

fn rounds(file: &Path, id: &str) -> Listed {
    match files::read_state(file).and_then(|bytes| loop_record::read(&bytes)) {
        Ok(record) => {
            let status = record.state.next.word().to_owned();
            Listed { kind: "rounds", loop_id: id.to_owned(), status, round: Some(record.state.round), damaged: None }
        }
        Err(fail) => damaged("rounds", id, &fail),
    }
}

fn resolution(file: &Path, id: &str) -> Listed {
    match files::read_state(file).and_then(|bytes| resolution_loop::read(&bytes)) {
        Ok(record) => {
            let reviewed = |n: u64| file.with_file_name("rounds").join(format!("{n:03}")).join("review.json").is_file();
            let round = (1..).take_while(|n| reviewed(*n)).last();
            let status = if record.exited_at.is_some() { "exit" } else { "open" }.to_owned();
            Listed { kind: KIND, loop_id: id.to_owned(), status, round, damaged: None }
        }
        Err(fail) => damaged(KIND, id, &fail),
    }
}
