//! parse-response: a response report as items, counts and contradictions (cases/reports/README.md §6).

use serde::Serialize;

use super::gather;
use crate::base::Fail;
use crate::base::reason::Contradiction;
use crate::base::severity::Grade;
use crate::host::Host;
use crate::report::response::{Counts, Decision, Item, Origin};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The response report.
    pub input: Option<String>,
}

/// One item.
#[derive(Debug, Serialize)]
pub struct ItemAnswer {
    /// As written.
    pub id: String,
    /// Null when missing or a template.
    pub decision: Option<Decision>,
    /// The six-word grade.
    pub severity: Grade,
    /// As written.
    pub path: Option<String>,
    /// First line.
    pub line: Option<u64>,
    /// Last line of a range.
    pub end_line: Option<u64>,
    /// Behind the id.
    pub title: String,
}

/// A rejected item.
#[derive(Debug, Serialize)]
pub struct RejectedAnswer {
    /// As written.
    pub id: String,
    /// As written.
    pub path: Option<String>,
    /// First line.
    pub line: Option<u64>,
    /// Why.
    pub reason: String,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// ACCEPT
    pub accepted: u64,
    /// REJECT
    pub rejected: u64,
    /// DEFER
    pub deferred: u64,
    /// Accepted and done.
    pub implemented: u64,
    /// stated, derived or missing.
    pub implemented_source: Origin,
    /// Stopped before it was through.
    pub halted: bool,
    /// stated, derived or missing.
    pub halted_source: Origin,
    /// subagent, main_fallback, mixed or n/a.
    pub execution_path: &'static str,
    /// The Items line.
    pub counts_declared: Option<Counts>,
    /// In document order.
    pub items: Vec<ItemAnswer>,
    /// In document order.
    pub rejected_items: Vec<RejectedAnswer>,
    /// Sorted.
    pub contradictions: Vec<Contradiction>,
}

/// Reads a response report. The question behind the exit status: does it agree with itself?
///
/// # Errors
/// `INVALID_PATH`, or why the file cannot be read.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let Some((_, _, response)) = gather::response(host, request.input.as_deref())? else {
        return Err(crate::base::path::absolute(&host.cwd, None, "response report")
            .err()
            .unwrap_or_else(|| Fail::new(crate::base::Code::InvalidPath, "no response report")));
    };
    let counts = response.counts();
    let (implemented, implemented_source) = response.implemented();
    let (halted, halted_source) = response.halted();
    let place = |i: &Item| i.place.clone().map_or((None, None, None), |p| (Some(p.path), p.line, p.end_line));
    let items = response.items.iter().map(|i| {
        let (path, line, end_line) = place(i);
        ItemAnswer { id: i.id.clone(), decision: i.decision, severity: i.grade, path, line, end_line, title: i.title.clone() }
    });
    let rejected = response.items.iter().filter(|i| i.decision == Some(Decision::Reject));
    let rejected_items = rejected.map(|i| {
        let (path, line, _) = place(i);
        RejectedAnswer { id: i.id.clone(), path, line, reason: i.reason().to_owned() }
    });
    Ok(Answer {
        accepted: counts.accepted,
        rejected: counts.rejected,
        deferred: counts.deferred,
        implemented,
        implemented_source,
        halted,
        halted_source,
        execution_path: response.execution_path,
        items: items.collect(),
        rejected_items: rejected_items.collect(),
        counts_declared: response.declared,
        contradictions: response.contradictions,
    })
}
