//! Claims of a loop's files against one another: whatever was bound when it was written is computed again when it is relied on.
//!
//! Nobody who changes one file of a round can make the rest bear it out: a review names the digests of what was sent, of the answer and
//! of the dispositions before it; the prompt is rendered again from its bundle, the answer is read again, and every decision that was
//! sent stands in the ledger.

use serde::Serialize;

use super::{Folder, Stored, document};
use crate::base::Fail;
use crate::base::digest::sha256_hex;
use crate::base::reason::words;
use crate::base::verdict::Class;
use crate::finding::read;
use crate::host::files;
use crate::ops::parse_findings;
use crate::ops::render_prompt::addressed;
use crate::resolution::decision::Ledger;
use crate::source::prompt;
use crate::wire::bundle;

words! {
    /// What the files do not bear out.
    Claim {
        BundleChanged "bundle_changed",
        PromptChanged "prompt_changed",
        PromptDiffers "prompt_differs",
        AnswerChanged "answer_changed",
        AnswerDiffers "answer_differs",
        SurfaceChanged "surface_changed",
        ChainBroken "chain_broken",
        DispositionsOfAnotherReview "dispositions_of_another_review",
        RecurrenceOfAnotherReview "recurrence_of_another_review",
        DecisionNotInLedger "decision_not_in_ledger",
        ConveysMore "conveys_more",
        FileChanged "file_changed",
        NothingSent "nothing_sent",
        PromptOfAttempt "prompt_of_attempt",
    }
}

/// A claim that the files do not bear out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Unbound {
    /// The round.
    pub round: u64,
    /// The claim.
    pub claim: Claim,
}

/// Every claim of the rounds that the files do not bear out.
///
/// # Errors
/// Why a file cannot be read.
pub fn unbound(folder: &Folder<'_>, rounds: &[Stored], ledger: &Ledger) -> Result<Vec<Unbound>, Fail> {
    let mut found = Vec::new();
    found.extend(folder.changed_files()?.iter().map(|path| {
        let round = path.strip_prefix("rounds/").and_then(|p| p.split('/').next()).and_then(|n| n.parse().ok());
        Unbound { round: round.unwrap_or(0), claim: Claim::FileChanged }
    }));
    for (n, stored) in rounds.iter().enumerate() {
        let before = n.checked_sub(1).map(|p| &rounds[p]);
        found.extend(of_round(folder, stored, before, ledger)?.into_iter().map(|claim| Unbound { round: stored.round, claim }));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn of_round(folder: &Folder<'_>, stored: &Stored, before: Option<&Stored>, ledger: &Ledger) -> Result<Vec<Claim>, Fail> {
    let bound = &stored.review.bound;
    let digest = |name: &str| -> Result<Option<String>, Fail> {
        Ok(document(&stored.dir.join(name), |bytes| Ok(bytes.len()))?.map(|(_, sha256)| sha256))
    };
    let mut claims = Vec::new();
    let mut refuse = |holds: bool, claim| claims.extend((!holds).then_some(claim));
    refuse(digest("surface.json")?.as_ref() == Some(&bound.surface_sha256), Claim::SurfaceChanged);
    let chained = before.and_then(|b| b.dispositions_sha256.clone()) == bound.previous_sha256;
    refuse(chained, Claim::ChainBroken);
    let mine = |sha256: &String| *sha256 == stored.review_sha256;
    refuse(stored.dispositions.as_ref().is_none_or(|d| mine(&d.review_sha256)), Claim::DispositionsOfAnotherReview);
    refuse(stored.recurrence.as_ref().is_none_or(|r| mine(&r.review_sha256)), Claim::RecurrenceOfAnotherReview);
    let same = stored.dispositions.as_ref().is_none_or(|d| d.recurrence_sha256 == stored.recurrence_sha256);
    refuse(same, Claim::RecurrenceOfAnotherReview);
    if let Some(wanted) = &bound.bundle_sha256 {
        let sent = document(&stored.dir.join("bundle.json"), bundle::read)?;
        refuse(sent.as_ref().is_some_and(|(_, sha256)| sha256 == wanted), Claim::BundleChanged);
        if let Some((bundle, _)) = sent {
            let (target, effort) = addressed(Some(target(&stored.review.source, &stored.review.obtained_by)), Some(&folder.record.effort))?;
            // Another version may render, and read phrases, otherwise; what was sent stays bound by its digest.
            if stored.review.is_of_this_version() {
                let prompt = prompt::render(&bundle, target, effort);
                refuse(Some(sha256_hex(prompt.as_bytes())) == bound.prompt_sha256, Claim::PromptDiffers);
                refuse(bundle.conveyed(&folder.exceptions()?).hits.is_empty(), Claim::ConveysMore);
            }
            let in_ledger = |text: &str| ledger.decisions.iter().any(|d| d.entry.text == text && d.round < stored.round);
            refuse(bundle.decisions.iter().all(|d| in_ledger(&d.text)), Claim::DecisionNotInLedger);
        }
    }
    let sends = stored.review.source != "checks";
    refuse(!sends || (bound.bundle_sha256.is_some() && bound.prompt_sha256.is_some()), Claim::NothingSent);
    if let Some(wanted) = &bound.prompt_sha256 {
        refuse(digest("prompt")?.as_ref() == Some(wanted), Claim::PromptChanged);
        let given = digest(&format!("{}/prompt", stored.review.evidence))?;
        refuse(given.is_none_or(|g| g == *wanted), Claim::PromptOfAttempt);
    }
    if let Some(wanted) = &bound.answer_sha256 {
        let path = stored.dir.join(&stored.review.evidence).join("answer");
        let bytes = files::read_state(&path).unwrap_or_default();
        refuse(sha256_hex(&bytes) == *wanted, Claim::AnswerChanged);
        let recomputed = !stored.review.is_void() && stored.review.is_of_this_version();
        refuse(!recomputed || says_the_same(folder, stored, &bytes), Claim::AnswerDiffers);
    } else {
        refuse(stored.review.is_void(), Claim::AnswerDiffers);
    }
    claims.sort_unstable();
    claims.dedup();
    Ok(claims)
}

/// Who was asked: the agent's own client has its built-in review.
pub fn target(source: &str, obtained_by: &str) -> &'static str {
    match (source, obtained_by) {
        ("claude", "agent") => "code-review",
        ("claude", _) => "claude",
        ("command", _) => "command",
        _ => "codex",
    }
}

/// Whether an answer, read again, says what the review says it said. A verdict may have been found worth less since it was read, and
/// never more.
fn says_the_same(folder: &Folder<'_>, stored: &Stored, bytes: &[u8]) -> bool {
    let top = folder.checkout.top.to_string_lossy().into_owned();
    let again = parse_findings::answer(read::review(bytes), Some(&top));
    let review = &stored.review;
    let key = |id: &str, path: Option<&str>, title: &str| format!("{id}\0{}\0{title}", path.unwrap_or_default());
    let then: Vec<String> = review.findings.iter().map(|i| key(&i.id, i.path.as_deref(), &i.title)).collect();
    let now: Vec<String> = again.findings.iter().map(|i| key(&i.id, i.path.as_deref(), &i.title)).collect();
    let grades = review.graded || review.findings.iter().zip(&again.findings).all(|(a, b)| a.grade == b.severity);
    let verdict = review.verdict == again.verdict || review.verdict == Class::Unproven;
    let verdict = verdict && review.contradictions == again.contradictions;
    then == now && grades && verdict && review.unparsed_suspicious == again.unparsed_suspicious
}
