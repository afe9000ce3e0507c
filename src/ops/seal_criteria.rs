//! seal-criteria: criteria checked, hashed whole and item by item, and approved (waves spec §4).

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json;

use crate::base::digest::is_sha256;
use crate::base::{Code, Fail};
use crate::host::{Host, files, lock};
use crate::wave::criteria::{LARGEST, Section};
use crate::wire::criteria::{self, Approval};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The criteria.
    pub input: Option<String>,
    /// Where the approval is recorded.
    pub approval: Option<String>,
    /// What was approved before, when they are approved again.
    pub previous: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// What everything is bound to.
    pub criteria_binding: String,
    /// The hash of each item, by section and place.
    pub items: BTreeMap<&'static str, Vec<String>>,
    /// Which approval it is; none without a record.
    pub revision: Option<u64>,
}

/// Seals criteria.
///
/// # Errors
/// `INVALID_CRITERIA` with every violation, those of the documents, `APPROVAL_CONFLICT`, `LOCK_BUSY`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let path = host.absolute(request.input.as_deref(), "criteria")?;
    let criteria = criteria::read(&files::read_text(&path, LARGEST)?)?;
    let offences = criteria.offences();
    if !offences.is_empty() {
        let violations: Vec<_> = offences.iter().map(|(section, at, why)| json!({"section": section, "at": at, "rule": why})).collect();
        let (section, at, why) = offences[0];
        let message = format!("`/{}/{at}` is no criterion: {}", section.word(), why.word());
        return Err(Fail::new(Code::InvalidCriteria, message).with("violations", violations));
    }
    let binding = criteria.binding();
    let revision = match request.approval.as_deref().filter(|a| !a.is_empty()) {
        Some(flag) => Some(approve(host, flag, &binding, request.previous.as_deref().filter(|p| !p.is_empty()))?),
        None => None,
    };
    let items = Section::ALL.iter().map(|s| (s.word(), criteria.hashes(*s))).collect();
    Ok(Answer { criteria_binding: binding, items, revision })
}

/// Records an approval: the first one, the same again, or another one that names what it follows.
fn approve(host: &Host, flag: &str, binding: &str, previous: Option<&str>) -> Result<u64, Fail> {
    let path = host.absolute(Some(flag), "approval")?;
    if let Some(previous) = previous.filter(|p| !is_sha256(p)) {
        let shown = crate::base::path::printable(previous);
        return Err(Fail::new(Code::InvalidArgument, format!("`--previous {shown}` is not 64 hex digits")));
    }
    let folder = path.parent().map(std::path::Path::to_path_buf).unwrap_or_default();
    let _held = lock::hold(host, &folder)?;
    let before = match files::read_state(&path) {
        Ok(bytes) => Some(criteria::approval(&bytes)?),
        Err(fail) if fail.code == Code::NotFound => None,
        Err(fail) => return Err(fail),
    };
    let conflict = |why: &str| Err(Fail::new(Code::ApprovalConflict, why));
    let revision = match (&before, previous) {
        (None, None) => 1,
        (None, Some(_)) => return conflict("nothing was approved before, and `--previous` names something"),
        (Some(known), None) if known.criteria_binding == binding => return Ok(known.revision),
        (Some(_), None) => return conflict("other criteria were approved before: an approval is never replaced in passing"),
        (Some(known), Some(previous)) if known.criteria_binding != previous => return conflict("`--previous` is not what was approved"),
        (Some(known), Some(_)) => known.revision + 1,
    };
    let record = Approval { schema_version: 1, revision, criteria_binding: binding.to_owned() };
    files::replace(host, &path, &crate::wire::json::document(&record))?;
    Ok(revision)
}
