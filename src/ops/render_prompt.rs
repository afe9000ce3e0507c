//! render-prompt: what a reviewer is asked, rendered from a bundle and nothing else (resolution spec §7 and §8).

use serde::Serialize;

use super::checkout::Checkout;
use super::resolution::{self, Place};
use super::{Ask, check_conveyance};
use crate::base::digest::sha256_hex;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::{Host, files};
use crate::source::adapter::Effort;
use crate::source::bundle::{Bundle, Conveyed};
use crate::source::prompt::{self, Target};
use crate::wire::{bundle, exceptions};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// A bundle.
    pub bundle: Option<String>,
    /// Who is asked.
    pub target: Option<String>,
    /// How hard it thinks.
    pub effort: Option<String>,
    /// Excused texts.
    pub exceptions: Option<String>,
    /// A folder of the checkout.
    pub repo: Option<String>,
    /// Where the prompt is kept.
    pub output: Option<String>,
    /// The loop whose next round it is for, in place of a bundle.
    pub place: Option<Place>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Who is asked.
    pub target: Target,
    /// The prompt.
    pub prompt: String,
    /// SHA-256 of the prompt.
    pub prompt_hash: String,
    /// SHA-256 of the bundle it was rendered from.
    pub bundle_hash: String,
    /// The command that shows the change.
    pub diff_command: Option<Vec<String>>,
    /// For the built-in review: what its skill is called with.
    pub skill_args: Option<String>,
    /// Paths whose names speak: the reviewer is not shown them.
    pub withheld: Vec<String>,
    /// Decisions in a language that the conveyance rules do not read.
    pub language_unchecked: Vec<String>,
}

/// Renders a prompt. Nothing is rendered that conveys more than intent.
///
/// # Errors
/// `INVALID_ARGUMENT`, those of the documents, `NOT_A_REPOSITORY`, `CONVEYANCE_BROKEN` with the hits.
pub fn run(request: &Request, host: &Host) -> Result<Result<Answer, Ask>, Fail> {
    let answer = match &request.place {
        Some(place) => match resolution::review::render(place, host)? {
            Ok(answer) => answer,
            Err(ask) => return Ok(Err(ask)),
        },
        None => of_bundle(request, host)?,
    };
    if let Some(output) = request.output.as_deref().filter(|o| !o.is_empty()) {
        files::replace(host, &host.absolute(Some(output), "output")?, answer.prompt.as_bytes())?;
    }
    Ok(Ok(answer))
}

fn of_bundle(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let (target, effort) = addressed(request.target.as_deref(), request.effort.as_deref())?;
    let path = host.absolute(request.bundle.as_deref(), "bundle")?;
    let bundle = bundle::read(&files::read_text(&path, files::DOCUMENT_LIMIT)?)?;
    let exceptions = match request.exceptions.as_deref().filter(|e| !e.is_empty()) {
        Some(flag) => exceptions::read(&files::read_text(&host.absolute(Some(flag), "exceptions")?, files::DOCUMENT_LIMIT)?)?,
        None => Vec::new(),
    };
    let folder = host.absolute(Some(request.repo.as_deref().unwrap_or(".")), "repository")?;
    let conveyed = check_conveyance::of_bundle(&bundle, &exceptions, &Checkout::open(host, &folder)?)?;
    rendered(&bundle, conveyed, target, effort)
}

/// The prompt of a bundle that was read.
pub(super) fn rendered(bundle: &Bundle, conveyed: Conveyed, target: Target, effort: Effort) -> Result<Answer, Fail> {
    if let Some(first) = conveyed.hits.first() {
        let message =
            format!("the bundle conveys more than design intent: {} in `{}`: `{}`", first.rule.word(), first.slot, printable(&first.text));
        let hits = serde_json::to_value(&conveyed.hits).unwrap_or_default();
        return Err(Fail::new(Code::ConveyanceBroken, message).with("hits", hits));
    }
    let prompt = prompt::render(bundle, target, effort);
    Ok(Answer {
        target,
        prompt_hash: sha256_hex(prompt.as_bytes()),
        prompt,
        bundle_hash: sha256_hex(&crate::wire::json::document(bundle)),
        diff_command: bundle.scope.diff_command(),
        skill_args: (target == Target::CodeReview).then(|| prompt::arguments(bundle, effort)),
        withheld: conveyed.withheld,
        language_unchecked: conveyed.language_unchecked,
    })
}

/// Who is asked, and how hard it thinks; codex and high when nobody says otherwise.
///
/// # Errors
/// `INVALID_ARGUMENT`.
pub(super) fn addressed(target: Option<&str>, effort: Option<&str>) -> Result<(Target, Effort), Fail> {
    let wrong = |flag: &str, word: &str, names: &[&str]| {
        Fail::new(Code::InvalidArgument, format!("`{flag} {}` is not one of {}", printable(word), names.join(", ")))
    };
    let word = target.filter(|t| !t.is_empty()).unwrap_or(Target::Codex.word());
    let names: Vec<&str> = Target::ALL.iter().map(|t| t.word()).collect();
    let target = Target::parse(word).ok_or_else(|| wrong("--target", word, &names))?;
    let word = effort.filter(|e| !e.is_empty()).unwrap_or(Effort::High.word());
    let names: Vec<&str> = Effort::ALL.iter().map(|e| e.word()).collect();
    Ok((target, Effort::parse(word).ok_or_else(|| wrong("--effort", word, &names))?))
}
