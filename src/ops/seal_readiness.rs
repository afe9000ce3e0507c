//! seal-readiness: judge a document's reviews and seal a receipt when it is ready (rounds spec §2.8).

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::base::digest::sha256_hex;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::finding::Declared;
use crate::finding::read;
use crate::host::{Host, files};
use crate::report::gate;
use crate::round::readiness::{Bound, Readiness, Report, body, judge, requirements, scope_digest, seal};
use crate::wire::{json, readiness};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The request document.
    pub input: Option<String>,
    /// The repository.
    pub repo_root: Option<String>,
    /// Where receipts lie; `.deep-review/receipts/document-readiness` of the repository when absent.
    pub output_dir: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The judgement.
    #[serde(flatten)]
    pub readiness: Readiness,
    /// `READY_FOR_IMPLEMENTATION` or `DOCUMENT_BLOCKED`.
    pub state: &'static str,
    /// The sealed receipt, when ready.
    pub receipt_path: Option<String>,
    /// Its seal.
    pub receipt_sha256: Option<String>,
    /// The digest of the documents.
    pub scope_sha256: String,
}

/// Judges and seals. The question behind the exit status: is the document ready?
///
/// # Errors
/// `INVALID_READINESS`, or why a file cannot be read or written.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let input = host.absolute(request.input.as_deref(), "readiness request")?;
    let root = host.absolute(request.repo_root.as_deref(), "repository root")?;
    let asked = files::read_text(&input, files::DOCUMENT_LIMIT).and_then(|b| readiness::request(&b));
    let asked = asked.map_err(|fail| invalid(&input, fail))?;
    let mut documents = Vec::new();
    for document in &asked.documents {
        refuse_outside(host, &root, document)?;
        documents.push(bind(host, &root, document)?.0);
    }
    documents.sort();
    documents.dedup();
    let mut reports = Vec::new();
    for report in &asked.reports {
        let (file, bytes) = bind(host, &root, &report.report)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (gate_sha256, findings) = gate_of(&text)
            .map_err(|why| Fail::new(Code::InvalidReadiness, format!("the report `{}`: {why}", printable(&report.report))))?;
        reports.push(Report { reviewer_id: report.reviewer_id.clone(), provider: report.provider.clone(), file, gate_sha256, findings });
    }
    let needed = requirements(asked.risk, asked.minimum_reviewers, asked.minimum_families);
    let judged = judge(&reports, needed)
        .map_err(|id| Fail::new(Code::InvalidReadiness, format!("the reviewers disagree about the finding `{}`", printable(&id))))?;
    let scope_sha256 = scope_digest(&documents);
    if !judged.ready {
        return Ok(Answer { readiness: judged, state: "DOCUMENT_BLOCKED", receipt_path: None, receipt_sha256: None, scope_sha256 });
    }
    let mut sealed = body(&repository(&root), asked.risk, &documents, &reports, needed, &judged);
    let receipt_sha256 = seal(&sealed);
    if let Some(object) = sealed.as_object_mut() {
        object.insert("receipt_sha256".to_owned(), Value::from(receipt_sha256.as_str()));
    }
    let folder = match request.output_dir.as_deref().filter(|d| !d.is_empty()) {
        Some(dir) => host.absolute(Some(dir), "output directory")?,
        None => root.join(".deep-review/receipts/document-readiness"),
    };
    if folder.starts_with(&root) {
        files::refuse_links_below(&root, &folder)?;
    }
    let path = folder.join(format!("{scope_sha256}-{receipt_sha256}.json"));
    files::replace(host, &path, &json::document(&sealed))?;
    Ok(Answer {
        readiness: judged,
        state: "READY_FOR_IMPLEMENTATION",
        receipt_path: Some(path.to_string_lossy().into_owned()),
        receipt_sha256: Some(receipt_sha256),
        scope_sha256,
    })
}

fn invalid(path: &Path, fail: Fail) -> Fail {
    let message = format!("the readiness document `{}` cannot be used: {}", printable(&path.to_string_lossy()), fail.message);
    Fail { message, ..fail.within(Code::InvalidReadiness) }
}

/// Which repository a receipt belongs to: the digest of its real path.
pub fn repository(root: &Path) -> String {
    let real = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    sha256_hex(real.as_os_str().as_encoded_bytes())
}

/// A document belongs to the repository: below its root, not inside `.git`, and not through a link.
fn refuse_outside(host: &Host, root: &Path, named: &str) -> Result<(), Fail> {
    let full = if Path::new(named).is_absolute() { PathBuf::from(named) } else { root.join(named) };
    let full = host.absolute(full.to_str(), "document")?;
    let below = full.strip_prefix(root).ok();
    let inside = below.is_some_and(|b| b.components().all(|c| !c.as_os_str().eq_ignore_ascii_case(".git") && c.as_os_str() != ".."));
    if !inside {
        return Err(Fail::new(Code::InvalidReadiness, format!("the document `{}` is not one of the repository", printable(named))));
    }
    files::refuse_links_below(root, full.parent().unwrap_or(root))
}

/// Reads a file and binds it by path, digest and size. Paths below the repository are kept relative to it.
///
/// # Errors
/// Why the file cannot be read.
pub fn bind(host: &Host, root: &Path, named: &str) -> Result<(Bound, Vec<u8>), Fail> {
    let path = if Path::new(named).is_absolute() { PathBuf::from(named) } else { root.join(named) };
    let path = host.absolute(path.to_str(), "bound file")?;
    if path.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink()) {
        return Err(Fail::new(Code::NotRegularFile, format!("`{}` is a symbolic link", printable(&path.to_string_lossy()))));
    }
    let bytes = files::read_text(&path, files::TEXT_LIMIT)?;
    let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
    Ok((Bound { path: shown, sha256: sha256_hex(&bytes), bytes: bytes.len() as u64 }, bytes))
}

/// The gate of a report: its digest and findings; its counts must equal the Issues line.
fn gate_of(text: &str) -> Result<(String, Vec<gate::GateFinding>), String> {
    let fence = gate::fence(text)?;
    let value = json::parse(fence.as_bytes()).map_err(|f| f.message)?;
    let findings = gate::findings(&value)?;
    let count = |level| findings.iter().filter(|f| f.severity == level).count() as u64;
    use crate::base::severity::Level;
    let counted = Declared { critical: count(Level::Critical), warning: count(Level::Warning), info: count(Level::Info) };
    if read::review(text.as_bytes()).declared != Some(counted) {
        return Err("the Artifact Gate and the Issues line count differently".to_owned());
    }
    Ok((sha256_hex(fence.as_bytes()), findings))
}
