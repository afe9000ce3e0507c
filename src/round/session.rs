//! The session document: one page per loop, a pure function of the states. Same states, same bytes.
//!
//! Layout: rounds spec §1.10; deep-review seed §4a and §6. Text from reports is hostile: table cells and links are
//! escaped (§4 item 27).

use std::fmt::Write as _;
use std::path::Path;

use super::compare;
use super::gone::{self, Ending, Gone};
use super::matching::matching;
use super::prior::{defuse, finding_bullet, header_word};
use super::record::{Assignment, Round, RoundFinding};
use crate::base::path;

/// What the loop knows at its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FinalSummary {
    /// Why it stopped.
    pub stop_reason: Option<String>,
    /// Cap minus executed reviews.
    pub rounds_saved: Option<String>,
    /// Sum over the rounds.
    pub reviewer_calls_saved: Option<String>,
    /// Sum over the rounds.
    pub implemented_total: Option<String>,
    /// READY_FOR_IMPLEMENTATION or DOCUMENT_BLOCKED.
    pub readiness: Option<String>,
    /// The readiness receipt.
    pub receipt_path: Option<String>,
    /// What is left for people.
    pub remaining_work: Vec<String>,
}

/// Renders the document of the rounds (sorted by number, at least one).
pub fn render(rounds: &[Round], reports_dir: &Path, summary: Option<&FinalSummary>) -> String {
    let mut out = String::new();
    let Some(last) = rounds.last() else {
        return out;
    };
    let id = header_word(&last.loop_id);
    let _ = writeln!(out, "<!-- SESSION-DOC v1 loop_id={id} rounds={} -->\n\n# Deep Review session — loop {id}\n", rounds.len());
    let _ = writeln!(out, "- **Latest verdict**: {} (round {})", last.verdict.word(), last.round_number);
    let _ = writeln!(out, "- **Rounds executed**: {}\n- **Base commit**: {}\n", rounds.len(), header_word(&last.base_commit));
    history(&mut out, rounds);
    routing(&mut out, rounds, reports_dir);
    let _ = writeln!(out, "## Open findings (round {}) — {}\n", last.round_number, last.findings.len());
    bullets(&mut out, &last.findings.iter().collect::<Vec<_>>());
    resolved(&mut out, rounds);
    out.push_str("\n## Round reports\n\n");
    for round in rounds {
        let review = link(Some(&round.round_review_report_path), reports_dir);
        let response = link(round.response_report_path.as_deref(), reports_dir);
        let _ = writeln!(out, "- Round {} — review: {review} · response: {response}", round.round_number);
    }
    if let Some(summary) = summary {
        closing(&mut out, summary, reports_dir);
    }
    out
}

fn history(out: &mut String, rounds: &[Round]) {
    out.push_str("## Round history\n\n| Round | Verdict | 🔴 | 🟡 | ℹ️ | Progress |\n| --- | --- | --- | --- | --- | --- |\n");
    for (index, round) in rounds.iter().enumerate() {
        let progress = match index.checked_sub(1).map(|i| &rounds[i]) {
            None => "—".to_owned(),
            Some(previous) => match compare::progress(&previous.findings, &round.findings) {
                (compare::Progress::Regression, added) => format!("regression (+{added})"),
                (other, _) => other.word().to_owned(),
            },
        };
        let (number, verdict, counts) = (round.round_number, round.verdict.word(), &round.counts);
        let _ = writeln!(out, "| {number} | {verdict} | {} | {} | {} | {progress} |", counts.critical, counts.warning, counts.info);
    }
    out.push('\n');
}

fn routing(out: &mut String, rounds: &[Round], reports_dir: &Path) {
    let routed: Vec<&Round> = rounds.iter().filter(|r| r.schema_version == 2 && r.routing.artifact_phase.is_some()).collect();
    if routed.is_empty() {
        return;
    }
    out.push_str("## Adaptive routing\n\n| Round | Phase / risk | Assignments | Wave | Expansion | Calls saved | Readiness | Receipt |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for round in routed {
        let phase = round.routing.artifact_phase.as_deref().unwrap_or_default();
        let risk = round.routing.risk.as_deref().unwrap_or_default();
        let assignments: Vec<String> = round.routing.assignments.iter().map(assignment).collect();
        let assignments = if assignments.is_empty() { "(none)".to_owned() } else { assignments.join("<br>") };
        let expansion = if round.routing.expansion { "yes" } else { "no" };
        let readiness = round.routing.readiness.as_deref().map_or_else(|| "(none)".to_owned(), cell);
        let receipt = link(round.routing.receipt_path.as_deref(), reports_dir);
        let (number, wave, saved) = (round.round_number, round.routing.wave, round.routing.reviewer_calls_saved);
        let _ = writeln!(
            out,
            "| {number} | {} / {} | {assignments} | {wave} | {expansion} | {saved} | {readiness} | {receipt} |",
            cell(phase),
            cell(risk)
        );
    }
    out.push('\n');
}

fn assignment(a: &Assignment) -> String {
    let named = |text: &Option<String>| text.as_deref().map_or_else(|| "provider-default".to_owned(), cell);
    format!("{} ({}; {}/{}; wave {})", cell(&a.reviewer_id), cell(&a.assignment_role), named(&a.model), named(&a.effort), a.wave)
}

fn bullets(out: &mut String, findings: &[&RoundFinding]) {
    if findings.is_empty() {
        out.push_str("- (none)\n");
    }
    for finding in findings {
        out.push_str(&finding_bullet(finding));
    }
}

/// What earlier rounds found and the last one does not list: apart by what became of the code, where the states say it.
fn resolved(out: &mut String, rounds: &[Round]) {
    let Some(gone) = gone::by_identity(rounds) else {
        let pool = pooled(rounds);
        let _ = writeln!(out, "\n## Resolved (cumulative) — {}\n", pool.len());
        return bullets(out, &pool.iter().collect::<Vec<_>>());
    };
    let _ = writeln!(out, "\n## Resolved (cumulative) — {}\n", gone.len());
    let (fixed, silent): (Vec<&Gone<'_>>, Vec<_>) =
        gone.iter().partition(|g| matches!(g.ending, Ending::Status(status) if status.is_repair()));
    for (title, listed) in [("Fixed", fixed), ("No longer reported", silent)] {
        let _ = writeln!(out, "### {title} — {}\n", listed.len());
        if listed.is_empty() {
            out.push_str("- (none)\n");
        }
        for gone in listed {
            let _ = writeln!(out, "{} — {}", finding_bullet(gone.finding).trim_end(), gone.ending.word());
        }
        out.push('\n');
    }
    out.pop();
}

/// Findings of earlier rounds that the last one does not list: each round's list is merged into a pool, a matched entry
/// replaced in place (rounds spec §1.10 item 5).
fn pooled(rounds: &[Round]) -> Vec<RoundFinding> {
    let Some((last, earlier)) = rounds.split_last() else {
        return Vec::new();
    };
    let mut pool: Vec<RoundFinding> = Vec::new();
    for round in earlier {
        let matched = matching(&pool, &round.findings);
        for (old, new) in matched.pairs {
            pool[old] = round.findings[new].clone();
        }
        pool.extend(matched.added.into_iter().map(|i| round.findings[i].clone()));
    }
    let gone = matching(&pool, &last.findings).resolved;
    gone.into_iter().map(|i| pool[i].clone()).collect()
}

fn closing(out: &mut String, summary: &FinalSummary, reports_dir: &Path) {
    let _ = writeln!(
        out,
        "\n## Final summary\n\n- **Stop reason**: {}",
        summary.stop_reason.as_deref().map_or_else(|| "(unspecified)".to_owned(), defuse)
    );
    for (label, value) in [
        ("Rounds saved", summary.rounds_saved.as_ref()),
        ("Reviewer calls saved", summary.reviewer_calls_saved.as_ref()),
        ("Total implemented", summary.implemented_total.as_ref()),
        ("Readiness", summary.readiness.as_ref()),
    ] {
        if let Some(value) = value {
            let _ = writeln!(out, "- **{label}**: {}", defuse(value));
        }
    }
    if let Some(receipt) = &summary.receipt_path {
        let shown = if Path::new(receipt).is_absolute() { path::relative(reports_dir, Path::new(receipt)) } else { receipt.clone() };
        let _ = writeln!(out, "- **Readiness receipt**: {}", defuse(&shown));
    }
    if summary.remaining_work.is_empty() {
        out.push_str("- **Remaining work**: (none)\n");
        return;
    }
    out.push_str("- **Remaining work**:\n");
    for item in &summary.remaining_work {
        let _ = writeln!(out, "  - {}", defuse(item));
    }
}

/// A table cell.
pub fn cell(text: &str) -> String {
    defuse(text).replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}

/// `[rel](rel)` relative to the reports folder, or `(none)`.
pub fn link(target: Option<&str>, reports_dir: &Path) -> String {
    let Some(target) = target.filter(|t| !t.is_empty()) else {
        return "(none)".to_owned();
    };
    let relative = path::relative(reports_dir, Path::new(target));
    let shown = defuse(&relative).replace('[', "\\[").replace(']', "\\]").replace('|', "\\|");
    let mut url = String::new();
    for byte in relative.bytes() {
        match byte {
            b'(' | b')' | b'<' | b'>' | b'|' | b'`' | b'\\' | b'%' | b'"' | 0..=32 | 127 => {
                let _ = write!(url, "%{byte:02X}");
            }
            _ => url.push(char::from(byte)),
        }
    }
    if relative.is_ascii() { format!("[{shown}]({url})") } else { format!("[{shown}](<{}>)", relative.replace(['<', '>', '\n'], "")) }
}
