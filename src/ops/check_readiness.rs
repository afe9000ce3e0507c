//! check-readiness: whether a receipt still holds, and which deferred items are shown (rounds spec §2.8).

use std::path::Path;

use serde::Serialize;

use super::fingerprint_scope;
use super::seal_readiness::{bind, repository};
use crate::base::digest::is_sha256;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::{Host, files};
use crate::round::readiness::{Shown, scope_digest, seal, settle};
use crate::wire::readiness::{self, Receipt, Results};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The receipt.
    pub receipt: Option<String>,
    /// The repository.
    pub repo_root: Option<String>,
    /// The results of the deferred items.
    pub deferred: Option<String>,
    /// What the implementation is compared with, for the binding of its results.
    pub base: Option<String>,
}

/// One thing that does not hold.
#[derive(Debug, Serialize)]
pub struct Problem {
    /// `seal_broken`, `wrong_repository`, `scope_changed`, `document_changed`, `report_changed`, `wrong_name`.
    pub code: &'static str,
    /// What it is about.
    pub subject: String,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether everything the receipt binds is as it was.
    pub valid: bool,
    /// Everything that does not hold.
    pub problems: Vec<Problem>,
    /// Deferred ids that are shown.
    pub verified: Vec<String>,
    /// Deferred ids that are not.
    pub pending: Vec<String>,
    /// The receipt.
    pub receipt_path: String,
}

impl Answer {
    /// Whether the receipt holds and, where results were asked about, nothing is pending.
    pub fn holds(&self, asked: bool) -> bool {
        self.valid && (!asked || self.pending.is_empty())
    }
}

/// Checks a receipt.
///
/// # Errors
/// `INVALID_READINESS` when the receipt or the results cannot be read at all.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let path = host.absolute(request.receipt.as_deref(), "readiness receipt")?;
    let root = host.absolute(request.repo_root.as_deref(), "repository root")?;
    let receipt = files::read_state(&path).and_then(|b| readiness::receipt(&b)).map_err(|f| invalid(&path, f))?;
    let problems = problems(host, &root, &path, &receipt);
    let results = match request.deferred.as_deref().filter(|f| !f.is_empty()) {
        Some(flag) => {
            let file = host.absolute(Some(flag), "deferred results")?;
            let results =
                files::read_text(&file, files::DOCUMENT_LIMIT).and_then(|b| readiness::results(&b)).map_err(|f| invalid(&file, f))?;
            shown(host, &root, request, &results)?
        }
        None => Vec::new(),
    };
    // A receipt that does not hold defers nothing that anybody could show.
    let (verified, pending) = if problems.is_empty() {
        settle(&receipt.deferred, &results)
    } else {
        (Vec::new(), receipt.deferred.iter().map(|(id, _)| id.clone()).collect())
    };
    Ok(Answer { valid: problems.is_empty(), problems, verified, pending, receipt_path: path.to_string_lossy().into_owned() })
}

fn invalid(path: &Path, fail: Fail) -> Fail {
    let message = format!("the readiness document `{}` cannot be used: {}", printable(&path.to_string_lossy()), fail.message);
    Fail { message, ..fail.within(Code::InvalidReadiness) }
}

fn problems(host: &Host, root: &Path, path: &Path, receipt: &Receipt) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut add = |code, subject: &str| problems.push(Problem { code, subject: subject.to_owned() });
    if seal(&receipt.body) != receipt.receipt_sha256 {
        add("seal_broken", &receipt.receipt_sha256);
    }
    let name = format!("{}-{}.json", receipt.scope_sha256, receipt.receipt_sha256);
    if crate::host::walk::name(path) != name {
        add("wrong_name", &name);
    }
    if receipt.repository_sha256 != repository(root) {
        add("wrong_repository", &root.to_string_lossy());
    }
    if scope_digest(&receipt.documents) != receipt.scope_sha256 {
        add("scope_changed", &receipt.scope_sha256);
    }
    for (code, bound) in
        receipt.documents.iter().map(|d| ("document_changed", d)).chain(receipt.reports.iter().map(|r| ("report_changed", r)))
    {
        let same = bind(host, root, &bound.path).is_ok_and(|(now, _)| now.sha256 == bound.sha256 && now.bytes == bound.bytes);
        if !same {
            add(code, &bound.path);
        }
    }
    problems
}

/// The results as far as they are bound: to the implementation as it is now, and to evidence that has not changed.
fn shown(host: &Host, root: &Path, request: &Request, results: &Results) -> Result<Vec<Shown>, Fail> {
    if !is_sha256(&results.implementation_sha256) {
        return Err(Fail::new(Code::InvalidReadiness, "the results name no implementation fingerprint of 64 hex digits"));
    }
    let scope = fingerprint_scope::Request {
        repo: Some(root.to_string_lossy().into_owned()),
        base: request.base.clone(),
        own: Vec::new(),
        ..fingerprint_scope::Request::default()
    };
    let now = fingerprint_scope::run(&scope, host)?.scope_fingerprint;
    let current = now == results.implementation_sha256;
    let bound = |evidence: &Option<(String, String)>| {
        evidence.as_ref().is_some_and(|(path, sha)| bind(host, root, path).is_ok_and(|(now, _)| now.sha256 == *sha))
    };
    let criteria =
        |list: &[readiness::Criterion]| list.iter().map(|c| (c.criterion.clone(), c.passed, current && bound(&c.evidence))).collect();
    Ok(results.results.iter().map(|(id, list)| Shown { id: id.clone(), criteria: criteria(list) }).collect())
}
