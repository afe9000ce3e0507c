//! Readiness of a document: the gate over its reviewers, the sealed receipt, and the deferred items.
//!
//! Source: deep-review seed §2; rounds spec §2.8. Pure: takes digests and gate findings, gives a body to seal.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};

use super::plan::Risk;
use crate::base::canon::canonical;
use crate::base::digest::{Stream, sha256_hex};
use crate::base::severity::Level;
use crate::base::verdict::RoundVerdict;
use crate::report::gate::{GateFinding, Stage};

/// One bound file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Bound {
    /// Relative to the repository, or absolute.
    pub path: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
}

/// One reviewer's report with its gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Which reviewer.
    pub reviewer_id: String,
    /// Whose it is.
    pub provider: String,
    /// The report.
    pub file: Bound,
    /// SHA-256 of the gate's text.
    pub gate_sha256: String,
    /// The gate.
    pub findings: Vec<GateFinding>,
}

/// What must hold beyond the risk's own minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Requirements {
    /// Reviewers.
    pub minimum_reviewers: usize,
    /// Provider families.
    pub minimum_families: usize,
}

/// The requirements of a risk, raised to what was asked for.
pub fn requirements(risk: Risk, reviewers: usize, families: usize) -> Requirements {
    let floor = if matches!(risk, Risk::High | Risk::Critical) { 2 } else { 1 };
    Requirements { minimum_reviewers: floor.max(reviewers), minimum_families: floor.max(families) }
}

/// The judgement over a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Readiness {
    /// Whether it may be implemented.
    pub ready: bool,
    /// APPROVE, CONCERN (ready with deferred items) or REQUEST_CHANGES.
    pub verdict: RoundVerdict,
    /// `required_reviewers`, `provider_families`, `pre_implementation_findings`.
    pub blocking: Vec<&'static str>,
    /// The findings that block.
    pub blocking_ids: Vec<String>,
    /// What the implementation has to show.
    pub deferred: Vec<GateFinding>,
}

/// Judges the reports of a document. Reviewers that name the same id must agree about it.
///
/// # Errors
/// The id they disagree about.
pub fn judge(reports: &[Report], needed: Requirements) -> Result<Readiness, String> {
    let mut findings: BTreeMap<&str, &GateFinding> = BTreeMap::new();
    for finding in reports.iter().flat_map(|r| &r.findings) {
        if *findings.entry(&finding.id).or_insert(finding) != finding {
            return Err(finding.id.clone());
        }
    }
    // The same text is one review, whoever hands it in.
    let mut texts = BTreeSet::new();
    let own: Vec<&Report> = reports.iter().filter(|r| texts.insert(r.file.sha256.as_str())).collect();
    let reviewers = own.iter().map(|r| r.reviewer_id.as_str()).collect::<BTreeSet<_>>().len();
    let families = own.iter().map(|r| r.provider.as_str()).collect::<BTreeSet<_>>().len();
    let grave = |f: &&&GateFinding| f.severity != Level::Info;
    let blockers: Vec<String> =
        findings.values().filter(grave).filter(|f| f.stage == Stage::PreImplementation).map(|f| f.id.clone()).collect();
    let deferred: Vec<GateFinding> =
        findings.values().filter(grave).filter(|f| f.stage == Stage::ImplementationVerification).map(|f| (*f).clone()).collect();
    let reasons = [
        (reviewers < needed.minimum_reviewers, "required_reviewers"),
        (families < needed.minimum_families, "provider_families"),
        (!blockers.is_empty(), "pre_implementation_findings"),
    ];
    let blocking: Vec<&'static str> = reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect();
    let ready = blocking.is_empty();
    let verdict = match (ready, deferred.is_empty()) {
        (false, _) => RoundVerdict::RequestChanges,
        (true, true) => RoundVerdict::Approve,
        (true, false) => RoundVerdict::Concern,
    };
    Ok(Readiness { ready, verdict, blocking, blocking_ids: blockers, deferred })
}

/// The digest of what was reviewed: every document by path, content and size.
pub fn scope_digest(documents: &[Bound]) -> String {
    let mut stream = Stream::new();
    stream.raw(b"review-loop-document-scope-v1\0");
    for document in documents {
        stream.framed(document.path.as_bytes()).framed(document.sha256.as_bytes()).framed(&document.bytes.to_be_bytes());
    }
    stream.finish_hex()
}

/// The body of a receipt, without its seal.
pub fn body(
    repository_sha256: &str,
    risk: Risk,
    documents: &[Bound],
    reports: &[Report],
    needed: Requirements,
    readiness: &Readiness,
) -> Value {
    let reports: Vec<Value> = reports
        .iter()
        .map(|r| json!({"reviewer_id": r.reviewer_id, "provider": r.provider, "path": r.file.path, "sha256": r.file.sha256, "bytes": r.file.bytes, "gate_sha256": r.gate_sha256}))
        .collect();
    json!({
        "schema_version": 1,
        "kind": "document-readiness",
        "repository_sha256": repository_sha256,
        "risk": risk.word(),
        "scope_sha256": scope_digest(documents),
        "documents": documents,
        "reports": reports,
        "requirements": needed,
        "verdict": readiness.verdict,
        "readiness": "READY_FOR_IMPLEMENTATION",
        "deferred": readiness.deferred,
    })
}

/// The seal of a body: SHA-256 over its canonical bytes.
pub fn seal(body: &Value) -> String {
    sha256_hex(&canonical(body))
}

/// One answer to a deferred finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The finding.
    pub id: String,
    /// Criterion, whether it passed, and whether its evidence is bound and unchanged.
    pub criteria: Vec<(String, bool, bool)>,
}

/// Which deferred findings are shown by results, and which are not: every criterion must be there, passed, with its
/// evidence bound.
pub fn settle(deferred: &[(String, Vec<String>)], results: &[Shown]) -> (Vec<String>, Vec<String>) {
    let shown = |id: &str, wanted: &[String]| {
        let Some(result) = results.iter().find(|r| r.id == id) else {
            return false;
        };
        wanted.iter().all(|w| result.criteria.iter().any(|(c, passed, bound)| c == w && *passed && *bound))
    };
    let (verified, pending): (Vec<_>, Vec<_>) = deferred.iter().partition(|(id, wanted)| shown(id, wanted));
    let ids = |list: Vec<&(String, Vec<String>)>| list.into_iter().map(|(id, _)| id.clone()).collect();
    (ids(verified), ids(pending))
}
