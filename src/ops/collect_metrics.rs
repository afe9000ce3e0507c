//! collect-metrics: the numbers of one round, without storing anything (rounds spec §1.4).

use serde::Serialize;

use super::gather;
use crate::base::verdict::RoundVerdict;
use crate::base::{Fail, number};
use crate::host::Host;
use crate::report::metrics::{judge, signatures};
use crate::report::response::Origin;
use crate::round::record::response_metrics;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// From 1.
    pub round_number: Option<String>,
    /// The review report.
    pub review_report: Option<String>,
    /// The response report; absent when Respond was skipped.
    pub response_report: Option<String>,
    /// The taxonomy artifact.
    pub recurring_findings: Option<String>,
    /// Cut off cited paths.
    pub repo_root: Option<String>,
}

/// The answer; the reference's fields first.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// From 1.
    pub round_number: u64,
    /// Absolute.
    pub round_review_report_path: String,
    /// Absolute.
    pub response_report_path: Option<String>,
    /// One of three words.
    pub verdict: RoundVerdict,
    /// 🔴
    pub count_red: u64,
    /// 🟡
    pub count_yellow: u64,
    /// ℹ️
    pub count_info: u64,
    /// ACCEPT
    pub accepted_count: u64,
    /// REJECT
    pub rejected_count: u64,
    /// DEFER
    pub deferred_count: u64,
    /// Accepted and done.
    pub implemented_count: u64,
    /// Stopped before it was through.
    pub halted: bool,
    /// subagent, main_fallback, mixed or n/a.
    pub execution_path: String,
    /// Display only.
    pub findings_signature: Vec<String>,
    /// stated, derived, missing or skipped.
    pub implemented_source: Origin,
    /// stated, derived, missing or skipped.
    pub halted_source: Origin,
    /// Findings read, suggestions included.
    pub findings_count: usize,
    /// Findings without a path or line.
    pub unlocated_count: usize,
    /// Lines that look like findings and were not read as any.
    pub unparsed_suspicious: u64,
    /// What the reports say against themselves, sorted.
    pub warnings: Vec<String>,
}

/// Reads the numbers of a round.
///
/// # Errors
/// `INVALID_ROUND`, `INVALID_PATH`, `INVALID_REPORT`, or why a file cannot be read.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let round_number = number::round(request.round_number.as_deref())?;
    let read = gather::review(host, request.review_report.as_deref())?;
    let response = gather::response(host, request.response_report.as_deref())?;
    let judged = judge(&read.review, &read.path)?;
    let categories = gather::categories(host, request.recurring_findings.as_deref(), &read.path);
    let repo_root = gather::repo_root(host, request.repo_root.as_deref());
    let metrics = response_metrics(response.as_ref().map(|(_, _, r)| r));
    let mut warnings = judged.warnings;
    warnings.extend(response.iter().flat_map(|(_, _, r)| r.contradictions.iter().map(|c| c.word().to_owned())));
    warnings.sort_unstable();
    warnings.dedup();
    let placed = |f: &crate::finding::Finding| f.place.as_ref().is_some_and(|p| p.line.is_some());
    Ok(Answer {
        round_number,
        findings_signature: signatures(&read.review.findings, &categories, repo_root.as_deref()),
        round_review_report_path: read.path,
        response_report_path: response.map(|(path, _, _)| path),
        verdict: judged.verdict,
        count_red: judged.counts.critical,
        count_yellow: judged.counts.warning,
        count_info: judged.counts.info,
        accepted_count: metrics.accepted_count,
        rejected_count: metrics.rejected_count,
        deferred_count: metrics.deferred_count,
        implemented_count: metrics.implemented_count,
        halted: metrics.halted,
        execution_path: metrics.execution_path,
        implemented_source: metrics.implemented_source,
        halted_source: metrics.halted_source,
        findings_count: read.review.findings.len(),
        unlocated_count: read.review.findings.iter().filter(|f| !placed(f)).count(),
        unparsed_suspicious: judged.suspicious,
        warnings,
    })
}
