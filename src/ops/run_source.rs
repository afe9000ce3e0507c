//! run-source: one review by one source, bound to the surface it read (resolution spec §9 to §12 and §18; map.md).
//!
//! Starts the source in its own process group, keeps both its streams, reads its answer by the one reader, and says which files of
//! the scope it looked at. What it says counts only for the surface that was there before and after.

mod evidence;
mod invoke;

use std::path::PathBuf;

use serde::Serialize;

use super::checkout::Checkout;
use super::list_sources::unknown;
use super::parse_findings::{self, Item};
use super::resolution::review::Reviewed;
use super::{Ask, detect_scope, fingerprint_scope, gather, resolution};
use crate::base::path::printable;
use crate::base::reason::words;
use crate::base::severity::Grade;
use crate::base::verdict::Class;
use crate::base::{Code, Fail, number};
use crate::finding::read;
use crate::host::{Host, child, files};
use crate::source::adapter::{Effort, Name};
use crate::source::answer::Outcome;
use crate::source::coverage::{self, Coverage, Scoped};
use crate::wire::severities;
use evidence::Evidence;

words! {
    /// Why an answer proves nothing, besides what it says itself.
    Unproven {
        NoAnswer "no_answer",
        SurfaceChanged "surface_changed",
        EmptyScope "empty_scope",
        NothingOpened "nothing_opened",
        CoverageUnknown "coverage_unknown",
    }
}

words! {
    /// Who got the answer.
    ObtainedBy {
        Tool "tool",
        Agent "agent",
    }
}

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// What is under review.
    pub scope: detect_scope::Request,
    /// Which source.
    pub source: Option<String>,
    /// Program and arguments of `command`, a JSON array.
    pub argv: Option<String>,
    /// What a client is asked.
    pub prompt_file: Option<String>,
    /// The client's model.
    pub model: Option<String>,
    /// How hard it thinks.
    pub effort: Option<String>,
    /// Seconds.
    pub limit_s: Option<String>,
    /// Where the evidence is kept.
    pub evidence_dir: Option<String>,
    /// An answer that the agent got itself.
    pub answer: Option<String>,
    /// Grades that the agent gives to the findings, by their place in the list.
    pub severities: Option<String>,
    /// Whether an approval of a source that shows nothing of what it reads proves nothing.
    pub require_coverage: bool,
    /// Run the working tree's checks too.
    pub trust_worktree_checks: bool,
    /// The loop whose next round it reviews.
    pub place: Option<resolution::Place>,
    /// A cap on rounds, in place of the loop's own.
    pub max_rounds: Option<String>,
}

/// The files of the answer.
#[derive(Debug, Serialize)]
pub struct Files {
    /// The folder of the evidence.
    pub dir: String,
    /// What the source printed.
    pub events: Option<String>,
    /// Its error stream.
    pub warnings: Option<String>,
    /// What it was asked.
    pub prompt: Option<String>,
    /// Its answer.
    pub answer: Option<String>,
    /// How it was run.
    pub run: Option<String>,
}

/// The answer: that of parse-findings, and what it rests on.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// What was said.
    #[serde(flatten)]
    pub said: parse_findings::Answer,
    /// What the run came to.
    pub outcome: Outcome,
    /// Why it proves nothing.
    pub unproven_because: Option<Unproven>,
    /// Who got it.
    pub obtained_by: ObtainedBy,
    /// The source.
    pub source: Name,
    /// Which files of the scope it looked at.
    pub coverage: Coverage,
    /// Of the surface it read.
    pub scope_fingerprint: String,
    /// SHA-256 of what it was asked.
    pub prompt_hash: Option<String>,
    /// What can be read of an answer that was cut off: for people.
    pub partial_findings: Vec<Item>,
    /// What went wrong, in order.
    pub errors: Vec<String>,
    /// What the client warns of, without what every run prints; and `cap_reached` where a list is as long as its source lets it be.
    pub client_warnings: Vec<String>,
    /// Findings that nobody graded.
    pub ungraded: Vec<String>,
    /// Where everything lies.
    pub files: Files,
}

impl Answer {
    /// Whether the answer can be relied on.
    pub fn is_reliable(&self) -> bool {
        self.outcome == Outcome::Answered && self.unproven_because.is_none() && self.said.is_reliable()
    }
}

/// Whether the source was given up, and what to ask then.
pub type Ran = (Answer, Option<Ask>);

/// Seconds a source may take when nobody says otherwise (convergence seed: 300).
const LIMIT_S: u64 = 300;

/// Runs a source, of its own or as the review of a loop's next round.
///
/// # Errors
/// As [`review`], and those of the loop.
pub fn run(request: &Request, host: &Host) -> Result<Reviewed, Fail> {
    match &request.place {
        Some(place) => resolution::review::run(request, place, host),
        None => Ok(Reviewed::Ran(Box::new(review(request, host)?))),
    }
}

/// Runs a source, or reads the answer that the agent got from one.
///
/// # Errors
/// `INVALID_ARGUMENT`, `INVALID_PATH`, as detect-scope, `CHILD_FAILED` when the source cannot be started, `INVALID_CHECKS`,
/// `BAD_SHAPE` of severities, or why a file cannot be read or written.
pub fn review(request: &Request, host: &Host) -> Result<Ran, Fail> {
    child::note_signals();
    let plan = plan(request, host)?;
    let surface = Surface::of(request, host)?;
    let evidence = Evidence::open(host, request.evidence_dir.as_deref(), &surface.checkout)?;
    let heard = invoke::run(&plan, &surface, &evidence, host)?;
    let still = surface.stands(request, host)?;
    let coverage = match plan.source {
        // The built-in checks look at every file of the scope.
        Name::Checks => Coverage { opened: surface.paths.clone(), ..Coverage::default() },
        _ => coverage::of(&surface.scoped(heard.looks.is_some()), heard.looks.as_deref(), &surface.checkout.top.to_string_lossy()),
    };
    let text = heard.text.as_deref().unwrap_or_default();
    let top = surface.checkout.top.to_string_lossy().into_owned();
    let parse = |text: &str| parse_findings::answer(read::review(text.as_bytes()), Some(&top));
    let mut said = parse(text);
    let unproven_because = prove(&heard, &said, &coverage, &surface, still, request.require_coverage);
    let counts = match heard.outcome {
        Outcome::Answered => true,
        // Nothing shows that this is an answer: what it found is found, and that it found nothing says nothing.
        Outcome::Unconfirmed => !said.findings.is_empty(),
        _ => false,
    };
    if !counts || unproven_because.is_some() {
        said.verdict = Class::Unproven;
    }
    if let Some(flag) = request.severities.as_deref().filter(|s| !s.is_empty()) {
        grade(&mut said.findings, &severities::read(&files::read_text(&host.absolute(Some(flag), "severities")?, 1 << 20)?)?)?;
    }
    let partial_findings = heard.partial_text.as_deref().map(|t| parse(t).findings).unwrap_or_default();
    let question = format!("the source was ended after {} s; what it had found is in `partial_findings`. What now?", plan.limit_s);
    let options = [
        ("retry", "run it again"),
        ("longer", "run it again with a longer --limit-s"),
        ("other_source", "let another source review (--source)"),
        ("stop", "do without this review"),
    ];
    let ask = heard.timed_out.then(|| Ask::new("source_timed_out", question, &options));
    let mut client_warnings = heard.warnings.clone();
    // There may be more than a capped list names.
    let capped = plan.answer.is_some() && plan.source == Name::Claude && said.findings.len() >= plan.effort.cap();
    client_warnings.extend(capped.then(|| "cap_reached".to_owned()));
    let ungraded = said.findings.iter().filter(|f| f.severity == Grade::Unknown).map(|f| f.id.clone()).collect();
    let answer = Answer {
        said,
        outcome: heard.outcome,
        unproven_because,
        obtained_by: if plan.answer.is_some() { ObtainedBy::Agent } else { ObtainedBy::Tool },
        source: plan.source,
        coverage,
        scope_fingerprint: surface.fingerprint,
        prompt_hash: heard.prompt_hash.clone(),
        partial_findings,
        errors: heard.errors.clone(),
        client_warnings,
        ungraded,
        files: evidence.files(),
    };
    if let Some(signal) = child::signalled() {
        let fail = Fail::new(Code::Interrupted, format!("ended by signal {signal} while the source ran"));
        return Err(Fail { exit: Some(128 + signal), ..fail });
    }
    Ok((answer, ask))
}

/// What is to be run.
struct Plan {
    source: Name,
    argv: Vec<String>,
    prompt: Option<Vec<u8>>,
    answer: Option<PathBuf>,
    model: Option<String>,
    effort: Effort,
    limit_s: u64,
    trust_worktree_checks: bool,
}

fn plan(request: &Request, host: &Host) -> Result<Plan, Fail> {
    let wrong = |why: &str| Fail::new(Code::InvalidArgument, why);
    let given = |flag: &Option<String>| flag.clone().filter(|f| !f.is_empty());
    let word = given(&request.source).unwrap_or_else(|| Name::Checks.word().to_owned());
    let source = Name::find(&word).ok_or_else(|| unknown(&word))?;
    let argv = match (source, given(&request.argv)) {
        (Name::Command, Some(flag)) => {
            gather::argv(&flag).ok_or_else(|| wrong("`--argv` is not a JSON array of strings with a program"))?
        }
        (Name::Command, None) if given(&request.answer).is_none() => return Err(wrong("the source `command` needs `--argv`")),
        (_, Some(_)) => return Err(wrong("`--argv` is only taken with the source `command`")),
        (_, None) => Vec::new(),
    };
    let answer = given(&request.answer).map(|f| host.absolute(Some(&f), "answer")).transpose()?;
    if answer.is_some() && source == Name::Checks {
        return Err(wrong("nobody but this program runs the source `checks`: `--answer` names a client or `command`"));
    }
    let prompt = given(&request.prompt_file).map(|f| host.absolute(Some(&f), "prompt")).transpose()?;
    let prompt = prompt.map(|p| files::read_text(&p, files::DOCUMENT_LIMIT)).transpose()?;
    if source.client().is_some() && answer.is_none() && prompt.as_ref().is_none_or(|p| p.trim_ascii().is_empty()) {
        return Err(wrong("a client needs `--prompt-file`: what it is asked to review, and how to answer"));
    }
    let effort = given(&request.effort).unwrap_or_else(|| Effort::High.word().to_owned());
    let effort = Effort::parse(&effort)
        .ok_or_else(|| Fail::new(Code::InvalidArgument, format!("`--effort {}` is not one of high, xhigh, max", printable(&effort))))?;
    let limit_s = given(&request.limit_s).map(|l| number::plain("--limit-s", &l, 1..=86_400)).transpose()?.unwrap_or(LIMIT_S);
    let trust_worktree_checks = request.trust_worktree_checks;
    Ok(Plan { source, argv, prompt, answer, model: given(&request.model), effort, limit_s, trust_worktree_checks })
}

/// What is under review, as it stands now.
struct Surface {
    checkout: Checkout,
    base: Option<String>,
    paths: Vec<String>,
    fingerprint: String,
    own: Vec<PathBuf>,
    document: Vec<u8>,
}

impl Surface {
    fn of(request: &Request, host: &Host) -> Result<Surface, Fail> {
        let folder = host.absolute(Some(request.scope.repo.as_deref().unwrap_or(".")), "repository")?;
        let checkout = Checkout::open(host, &folder)?;
        let own = checkout.own(&request.scope.own);
        let (base, look) = (request.scope.base.as_deref(), checkout.look(&own)?);
        let fingerprint = fingerprint_scope::scope_fingerprint(&checkout, base, look.clone())?;
        let scope = detect_scope::detect(&checkout, host, base, look)?.answer;
        if scope.warnings.contains("unmerged") {
            return Err(Fail::new(Code::InvalidArgument, "some files have unresolved conflicts: there is no surface to review"));
        }
        let paths = scope.files.iter().map(|f| String::from_utf8_lossy(&f.path).into_owned()).collect();
        let base = scope.base.clone().or_else(|| Some(scope.empty_tree.to_owned()));
        let document = crate::wire::json::document(&scope);
        Ok(Surface { checkout, base, paths, fingerprint, own: request.scope.own.clone(), document })
    }

    /// The files with what stands in them and what the change does to them, where that is looked at.
    fn scoped(&self, read: bool) -> Vec<Scoped> {
        const MOST: u64 = 1 << 24;
        if !read {
            return self.paths.iter().map(|path| Scoped { path: path.clone(), ..Scoped::default() }).collect();
        }
        let words = ["--text", "--find-renames", "--no-color", "--ignore-submodules=none", self.base.as_deref().unwrap_or_default()];
        let diff = self.base.as_ref().and_then(|_| self.checkout.git.diff(&words, &[]).ok()).unwrap_or_default();
        let mut changed = coverage::changed(&String::from_utf8_lossy(&diff));
        let text = |path: &str| {
            let full = self.checkout.top.join(path);
            let regular = full.symlink_metadata().is_ok_and(|m| m.is_file()) && !self.checkout.is_behind_link(path.as_bytes());
            let now = if regular { files::read_text(&full, MOST).ok() } else { None };
            let gone = !regular && full.symlink_metadata().is_err();
            // What was removed is known by what stood there.
            let before = || self.base.as_deref().and_then(|base| self.checkout.blob_at(base, path).ok().flatten());
            now.or_else(|| before().filter(|b| gone && b.len() as u64 <= MOST))
        };
        let mut one = |path: &String| {
            // What holds a NUL is shown by no line.
            let text = text(path).filter(|b| !b.contains(&0)).map(|b| String::from_utf8_lossy(&b).into_owned());
            let changed = changed.remove(path).filter(|_| text.is_some()).unwrap_or_default();
            Scoped { path: path.clone(), text, changed }
        };
        self.paths.iter().map(&mut one).collect()
    }

    /// Whether the surface is still what it was.
    fn stands(&self, request: &Request, host: &Host) -> Result<bool, Fail> {
        let checkout = Checkout::open(host, &self.checkout.top)?;
        let look = checkout.look(&checkout.own(&self.own))?;
        Ok(fingerprint_scope::scope_fingerprint(&checkout, request.scope.base.as_deref(), look)? == self.fingerprint)
    }
}

/// Why an answer proves nothing: an approval needs a surface that stood still, files in it, and a reviewer that looked at some.
fn prove(
    heard: &invoke::Heard,
    said: &parse_findings::Answer,
    coverage: &Coverage,
    surface: &Surface,
    still: bool,
    strict: bool,
) -> Option<Unproven> {
    let approves = said.verdict == Class::Approve;
    let reasons = [
        (!matches!(heard.outcome, Outcome::Answered | Outcome::Unconfirmed), Unproven::NoAnswer),
        (!still, Unproven::SurfaceChanged),
        (approves && surface.paths.is_empty(), Unproven::EmptyScope),
        (approves && !coverage.unknown && coverage.opened.is_empty(), Unproven::NothingOpened),
        (approves && coverage.unknown && strict, Unproven::CoverageUnknown),
    ];
    reasons.into_iter().find(|(holds, _)| *holds).map(|(_, why)| why)
}

/// Takes the agent's grades.
fn grade(findings: &mut [Item], grades: &[(usize, Grade)]) -> Result<(), Fail> {
    for (at, grade) in grades {
        let count = findings.len();
        let finding = findings.get_mut(*at).ok_or_else(|| {
            Fail::new(Code::BadShape, format!("the severities grade finding {at}, and the answer has {count} (counted from 0)"))
        })?;
        finding.severity = *grade;
    }
    Ok(())
}
