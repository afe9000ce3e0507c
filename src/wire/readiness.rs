//! Readiness documents: what seal-readiness is asked, the receipt it seals, and the results of deferred items.

use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::{Code, Fail};
use crate::round::arguments::provider_of;
use crate::round::plan::Risk;
use crate::round::readiness::Bound;

/// One report of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Which reviewer.
    pub reviewer_id: String,
    /// Whose it is.
    pub provider: String,
    /// Its report.
    pub report: String,
}

/// `{"documents":[path],"reports":[{"reviewer_id","provider","report"}],"risk","minimum_reviewers"?,"minimum_families"?}`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The documents under review.
    pub documents: Vec<String>,
    /// The reviewers' reports.
    pub reports: Vec<Asked>,
    /// low to critical.
    pub risk: Risk,
    /// Asked beyond the risk's own.
    pub minimum_reviewers: usize,
    /// Asked beyond the risk's own.
    pub minimum_families: usize,
}

/// Reads the request.
///
/// # Errors
/// The strict reader's codes and `BAD_SHAPE`; the caller puts them behind `INVALID_READINESS`.
pub fn request(bytes: &[u8]) -> Result<Request, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    let mut reports = Vec::new();
    for (i, entry) in f.list("reports")?.iter().enumerate() {
        let at = format!("/reports/{i}");
        let e = Fields::of(entry, &at)?;
        let id = e.text("reviewer_id")?;
        if provider_of(id) != Some(e.text("provider")?) {
            return Err(e.wrong("provider", "the provider of a known reviewer"));
        }
        if reports.iter().any(|r: &Asked| r.reviewer_id == id) {
            return Err(e.wrong("reviewer_id", "named once"));
        }
        reports.push(Asked {
            reviewer_id: e.text("reviewer_id")?.to_owned(),
            provider: e.text("provider")?.to_owned(),
            report: e.text("report")?.to_owned(),
        });
    }
    let documents = f.texts("documents")?;
    if documents.is_empty() {
        return Err(f.wrong("documents", "a list of at least one path"));
    }
    let size = |key: &str| f.maybe_count(key).map(|n| usize::try_from(n.unwrap_or(0)).unwrap_or(usize::MAX));
    Ok(Request {
        documents,
        reports,
        risk: Risk::parse(f.text("risk")?).ok_or_else(|| f.wrong("risk", "low, medium, high or critical"))?,
        minimum_reviewers: size("minimum_reviewers")?,
        minimum_families: size("minimum_families")?,
    })
}

/// A receipt as read: its body as it was sealed, and what it binds.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    /// Everything but the seal.
    pub body: Value,
    /// The seal.
    pub receipt_sha256: String,
    /// The repository it was sealed in.
    pub repository_sha256: String,
    /// The digest of the documents.
    pub scope_sha256: String,
    /// The documents.
    pub documents: Vec<Bound>,
    /// The reports.
    pub reports: Vec<Bound>,
    /// Deferred ids with their criteria.
    pub deferred: Vec<(String, Vec<String>)>,
}

/// Reads a receipt.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`.
pub fn receipt(bytes: &[u8]) -> Result<Receipt, Fail> {
    let mut value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    let version = f.count("schema_version")?;
    if version > 1 {
        return Err(Fail::new(Code::SchemaNewer, format!("the receipt has schema {version}, this program knows 1")));
    }
    if f.text("kind")? != "document-readiness" || f.text("readiness")? != "READY_FOR_IMPLEMENTATION" {
        return Err(f.wrong("kind", "document-readiness"));
    }
    let receipt_sha256 = f.text("receipt_sha256")?.to_owned();
    let repository_sha256 = f.text("repository_sha256")?.to_owned();
    let scope_sha256 = f.text("scope_sha256")?.to_owned();
    let documents = bound(&f, "documents")?;
    let reports = bound(&f, "reports")?;
    let mut deferred = Vec::new();
    for (i, entry) in f.list("deferred")?.iter().enumerate() {
        let at = format!("/deferred/{i}");
        let e = Fields::of(entry, &at)?;
        deferred.push((e.text("id")?.to_owned(), e.texts("acceptance_evidence")?));
    }
    if let Some(object) = value.as_object_mut() {
        object.shift_remove("receipt_sha256");
    }
    Ok(Receipt { body: value, receipt_sha256, repository_sha256, scope_sha256, documents, reports, deferred })
}

fn bound(f: &Fields<'_>, key: &str) -> Result<Vec<Bound>, Fail> {
    let one = |(i, entry): (usize, &Value)| {
        let at = format!("/{key}/{i}");
        let e = Fields::of(entry, &at)?;
        Ok(Bound { path: e.text("path")?.to_owned(), sha256: e.text("sha256")?.to_owned(), bytes: e.count("bytes")? })
    };
    f.list(key)?.iter().enumerate().map(one).collect()
}

/// One criterion of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Criterion {
    /// As the receipt states it.
    pub criterion: String,
    /// Whether it passed.
    pub passed: bool,
    /// The evidence, by path and digest.
    pub evidence: Option<(String, String)>,
}

/// `{"implementation_sha256","results":[{"id","criteria":[{"criterion","status","evidence_file","evidence_sha256"}]}]}`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    /// The scope fingerprint the results were taken on.
    pub implementation_sha256: String,
    /// Per deferred id.
    pub results: Vec<(String, Vec<Criterion>)>,
}

/// Reads the results of deferred items.
///
/// # Errors
/// The strict reader's codes and `BAD_SHAPE`.
pub fn results(bytes: &[u8]) -> Result<Results, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    let mut results: Vec<(String, Vec<Criterion>)> = Vec::new();
    for (i, entry) in f.list("results")?.iter().enumerate() {
        let at = format!("/results/{i}");
        let e = Fields::of(entry, &at)?;
        let id = e.text("id")?;
        if results.iter().any(|(known, _)| known == id) {
            return Err(e.wrong("id", "named once"));
        }
        let mut criteria = Vec::new();
        for (j, criterion) in e.list("criteria")?.iter().enumerate() {
            let at = format!("{at}/criteria/{j}");
            let c = Fields::of(criterion, &at)?;
            let evidence = c.maybe_text("evidence_file")?.zip(c.maybe_text("evidence_sha256")?);
            criteria.push(Criterion {
                criterion: c.text("criterion")?.to_owned(),
                passed: c.text("status")? == "passed",
                evidence: evidence.map(|(p, s)| (p.to_owned(), s.to_owned())),
            });
        }
        results.push((id.to_owned(), criteria));
    }
    Ok(Results { implementation_sha256: f.text("implementation_sha256")?.to_owned(), results })
}
