//! The final summary of a loop, computed from its states (deep-review seed §6; rounds spec §2.10).

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::record::Round;
use super::session::{cell, link};
use crate::base::path::printable;
use crate::base::verdict::RoundVerdict;

/// One round in the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoundLine {
    /// From 1.
    pub round_number: u64,
    /// One of three words.
    pub verdict: RoundVerdict,
    /// 🔴
    pub critical: u64,
    /// 🟡
    pub warning: u64,
    /// ℹ️
    pub info: u64,
    /// ACCEPT
    pub accepted: u64,
    /// Accepted and done; null when nobody knows.
    pub implemented: Option<u64>,
    /// Absolute.
    pub review_report_path: String,
    /// Absolute; null when Respond was skipped.
    pub response_report_path: Option<String>,
    /// Who reviewed, in which role.
    pub assignments: Vec<super::record::Assignment>,
    /// Whether a reviewer was added.
    pub expansion: bool,
}

/// The summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The loop.
    pub loop_id: String,
    /// Every executed round.
    pub rounds: Vec<RoundLine>,
    /// Of the last executed report, never inferred.
    pub final_verdict: RoundVerdict,
    /// The report it stands in.
    pub final_report_path: String,
    /// Why it stopped.
    pub stop_reason: String,
    /// Cap minus executed reviews.
    pub rounds_saved: u64,
    /// Sum over the rounds.
    pub reviewer_calls_saved: u64,
    /// Sum over the rounds whose number is known.
    pub implemented_total: u64,
    /// Rounds whose implemented number nobody knows.
    pub implemented_unknown_rounds: Vec<u64>,
    /// Of the last round.
    pub readiness: Option<String>,
    /// Of the last round.
    pub receipt_path: Option<String>,
    /// Open findings, deferred items, and what the caller added.
    pub remaining_work: Vec<String>,
}

/// Sums up the rounds (sorted, at least one).
pub fn summarize(rounds: &[Round], cap: u64, stop_reason: &str, extra_work: &[String]) -> Option<Summary> {
    let last = rounds.last()?;
    let known = |r: &Round| {
        (r.response_metrics.implemented_source != crate::report::response::Origin::Missing).then_some(r.response_metrics.implemented_count)
    };
    let line = |r: &Round| RoundLine {
        round_number: r.round_number,
        verdict: r.verdict,
        critical: r.counts.critical,
        warning: r.counts.warning,
        info: r.counts.info,
        accepted: r.response_metrics.accepted_count,
        implemented: known(r),
        review_report_path: r.round_review_report_path.clone(),
        response_report_path: r.response_report_path.clone(),
        assignments: r.routing.assignments.clone(),
        expansion: r.routing.expansion,
    };
    Some(Summary {
        loop_id: last.loop_id.clone(),
        rounds: rounds.iter().map(line).collect(),
        final_verdict: last.verdict,
        final_report_path: last.round_review_report_path.clone(),
        stop_reason: stop_reason.to_owned(),
        rounds_saved: cap.saturating_sub(rounds.len() as u64),
        reviewer_calls_saved: rounds.iter().map(|r| r.routing.reviewer_calls_saved).sum(),
        implemented_total: rounds.iter().filter_map(known).sum(),
        implemented_unknown_rounds: rounds.iter().filter(|r| known(r).is_none()).map(|r| r.round_number).collect(),
        readiness: last.routing.readiness.clone(),
        receipt_path: last.routing.receipt_path.clone(),
        remaining_work: remaining(last, rounds, extra_work),
    })
}

/// What is left: findings of the last report unless its response did them all, deferred items of all rounds, and what
/// the caller adds. At most 100 findings are named; the rest is counted.
fn remaining(last: &Round, rounds: &[Round], extra: &[String]) -> Vec<String> {
    const NAMED: usize = 100;
    let mut work = Vec::new();
    for finding in last.findings.iter().take(NAMED) {
        let place = match (&finding.path, finding.line) {
            (Some(path), Some(line)) => format!("{path}:{line}"),
            (Some(path), None) => path.clone(),
            _ => "(no location)".to_owned(),
        };
        let title = if finding.title.is_empty() { &finding.title_slug } else { &finding.title };
        work.push(format!("open {}: {} {}", finding.severity.word(), printable(&place), printable(title)));
    }
    if last.findings.len() > NAMED {
        work.push(format!("and {} further findings in the last report", last.findings.len() - NAMED));
    }
    for round in rounds {
        work.extend(
            round
                .deferred
                .iter()
                .map(|d| format!("deferred in round {}: {} {}", round.round_number, printable(&d.id), printable(&d.title))),
        );
    }
    work.extend(extra.iter().map(|e| printable(e)));
    work
}

/// The loop-summary document; `folder` is what links are relative to.
pub fn render(summary: &Summary, folder: &Path) -> String {
    let mut out = format!("# Loop summary — {}\n\n", summary.loop_id);
    let _ = writeln!(
        out,
        "- **Final verdict**: {} (round {})",
        summary.final_verdict.word(),
        summary.rounds.last().map_or(0, |r| r.round_number)
    );
    let _ = writeln!(out, "- **Final report**: {}", link(Some(&summary.final_report_path), folder));
    let _ = writeln!(out, "- **Stop reason**: {}", printable(&summary.stop_reason));
    let _ = writeln!(out, "- **Rounds executed**: {}\n- **Rounds saved**: {}", summary.rounds.len(), summary.rounds_saved);
    let _ = writeln!(
        out,
        "- **Reviewer calls saved**: {}\n- **Total implemented**: {}",
        summary.reviewer_calls_saved, summary.implemented_total
    );
    if !summary.implemented_unknown_rounds.is_empty() {
        let rounds: Vec<String> = summary.implemented_unknown_rounds.iter().map(u64::to_string).collect();
        let _ = writeln!(out, "- **Implemented unknown in rounds**: {}", rounds.join(", "));
    }
    let _ = writeln!(out, "- **Readiness**: {}", summary.readiness.as_deref().unwrap_or("(none)"));
    let _ = writeln!(out, "- **Readiness receipt**: {}", link(summary.receipt_path.as_deref(), folder));
    out.push_str(
        "\n## Rounds\n\n| Round | Verdict | 🔴 | 🟡 | ℹ️ | Accepted | Implemented | Assignments | Expansion | Review | Response |\n",
    );
    out.push_str("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for round in &summary.rounds {
        let seats: Vec<String> =
            round.assignments.iter().map(|a| format!("{} ({})", cell(&a.reviewer_id), cell(&a.assignment_role))).collect();
        let seats = if seats.is_empty() { "(none)".to_owned() } else { seats.join("<br>") };
        let implemented = round.implemented.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
        let expansion = if round.expansion { "yes" } else { "no" };
        let (review, response) = (link(Some(&round.review_report_path), folder), link(round.response_report_path.as_deref(), folder));
        let (number, verdict) = (round.round_number, round.verdict.word());
        let _ = writeln!(
            out,
            "| {number} | {verdict} | {} | {} | {} | {} | {implemented} | {seats} | {expansion} | {review} | {response} |",
            round.critical, round.warning, round.info, round.accepted
        );
    }
    out.push_str("\n## Remaining work\n\n");
    if summary.remaining_work.is_empty() {
        out.push_str("- (none)\n");
    }
    for item in &summary.remaining_work {
        let _ = writeln!(out, "- {item}");
    }
    out
}
