//! check-brief: whether a fix brief leaves nothing open, and whether what was written is what was briefed (resolution spec §18).

use std::collections::BTreeSet;

use serde::Serialize;

use super::checkout::Checkout;
use super::resolution::surface::{self, moved};
use super::resolution::{Folder, Place};
use crate::base::Fail;
use crate::host::{Host, files};
use crate::resolution::Violation;
use crate::resolution::brief::{self, Fix, Lines, Rule};
use crate::resolution::disposition::Risk;

/// The name of a kept brief.
pub const BRIEF: &str = "brief.json";

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The loop, for what moved since its review; the checkout alone without one.
    pub place: Place,
    /// The brief.
    pub brief: Option<String>,
    /// Whether the writing is over.
    pub written: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether nothing is open.
    pub sound: bool,
    /// Every offence.
    pub violations: Vec<Violation<Rule>>,
    /// Places whose writing the harness permits or not: pointers into the brief.
    pub substrate: Vec<String>,
    /// After the writing: files that moved since the review.
    pub moved: Option<Vec<String>>,
}

/// Checks a brief. The question behind the exit status: is nothing open?
///
/// # Errors
/// Those of the document, of the checkout and of the loop; `INVALID_ARGUMENT` for `--written` without a loop.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let path = host.absolute(request.brief.as_deref(), "brief")?;
    let bytes = files::read_text(&path, files::DOCUMENT_LIMIT)?;
    let fixes = crate::wire::brief::read(&bytes)?;
    let substrate = substrate(&fixes);
    if request.written {
        let folder = Folder::open(host, &request.place)?;
        let rounds = folder.rounds()?;
        let last = folder.last(&rounds)?;
        let moved: BTreeSet<String> = moved(&last.surface, &surface::now(&folder, Some(last))?.standing()?.surface);
        let violations = brief::check_written(&fixes, &moved);
        return Ok(Answer { sound: violations.is_empty(), violations, substrate, moved: Some(moved.into_iter().collect()) });
    }
    let folder = host.absolute(Some(request.place.repo.as_deref().unwrap_or(".")), "repository")?;
    let checkout = Checkout::open(host, &folder)?;
    let places = fixes.iter().flat_map(|f| std::iter::once(&f.place).chain(&f.sites));
    let lines: Lines = places.filter_map(|s| s.path.clone()).map(|path| (path.clone(), length(&checkout, &path))).collect();
    let mut violations = brief::check(&fixes, &lines);
    if request.place.loop_id.is_some() {
        let folder = Folder::open(host, &request.place)?;
        let rounds = folder.rounds()?;
        let known = folder.last(&rounds)?.review.findings.iter().map(|f| f.id.as_str()).collect();
        violations.extend(brief::check_findings(&fixes, &known));
    }
    // A sound brief of a loop is kept with its round: it survives a lost conversation.
    if violations.is_empty() && request.place.loop_id.is_some() {
        let mut folder = Folder::open(host, &request.place)?;
        let _held = folder.hold_open()?;
        let rounds = folder.rounds()?;
        let round = folder.last(&rounds)?.round;
        folder.keep(&Folder::round_path(round, BRIEF), &bytes)?;
    }
    Ok(Answer { sound: violations.is_empty(), violations, substrate, moved: None })
}

/// How many lines a file of the checkout has; none for what is no regular file there.
fn length(checkout: &Checkout, path: &str) -> Option<u64> {
    let full = checkout.top.join(path);
    let regular = full.symlink_metadata().is_ok_and(|m| m.is_file()) && !checkout.is_behind_link(path.as_bytes());
    let bytes = if regular { files::read_text(&full, files::DOCUMENT_LIMIT).ok()? } else { return None };
    let breaks = bytes.iter().filter(|b| **b == b'\n').count() as u64;
    Some(breaks + u64::from(bytes.last().is_some_and(|b| *b != b'\n')).max(u64::from(bytes.is_empty())))
}

fn substrate(fixes: &[Fix]) -> Vec<String> {
    let mut found = Vec::new();
    for (n, fix) in fixes.iter().enumerate() {
        let sites = fix.sites.iter().enumerate().map(|(s, site)| (format!("/fixes/{n}/sites/{s}"), site));
        let all = std::iter::once((format!("/fixes/{n}"), &fix.place)).chain(sites);
        found.extend(all.filter(|(_, s)| s.risk == Some(Risk::Substrate)).map(|(at, _)| at));
    }
    found
}
