//! One recorded round: the state a loop is decided from.
//!
//! The reference's keys come first and in its order; ours follow (rounds spec §1.6; map.md). A plain value: built by
//! [`record`], written and read back by `wire::round_state`.

use std::borrow::Cow;

use serde::Serialize;

use super::disposition;
use super::sameness::Sameness;
use super::slug::slug;
use crate::base::path;
use crate::base::severity::{Grade, Level};
use crate::base::verdict::RoundVerdict;
use crate::finding::churn::Disposition;
use crate::finding::identity::Ids;
use crate::finding::matching::Basis;
use crate::finding::{Finding, Location};
use crate::report::metrics::{Categories, Judged};
use crate::report::response::{Decision, Origin, Response};
use crate::residue::owner::Owner;

/// A finding as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoundFinding {
    /// critical, warning or info.
    pub severity: Level,
    /// Display path; null for an item without a place.
    pub path: Option<String>,
    /// First line.
    pub line: Option<u64>,
    /// The reference's word evidence.
    pub title_slug: String,
    /// Taxonomy category.
    pub category: Cow<'static, str>,
    /// `f-` and 12 hex, or the stated id.
    pub id: String,
    /// stated or assigned.
    pub id_source: &'static str,
    /// The six-word grade.
    pub grade: Grade,
    /// Last line of a range.
    pub end_line: Option<u64>,
    /// Further citations.
    pub also: Vec<Location>,
    /// Quoted source text.
    pub quote: Option<String>,
    /// The title as read.
    pub title: String,
    /// The id of the finding of an earlier round that this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// The number of that round: the one before, or an earlier one when the finding came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as_round: Option<u64>,
    /// What the sameness rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// Of a finding that the round before did not report: whether it lies in code written since; absent when nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix_induced: Option<bool>,
    /// Whether it lies in code written since the round before; absent when nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_new_code: Option<bool>,
    /// What the response decided about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disposition: Option<Disposition>,
}

impl Default for RoundFinding {
    fn default() -> RoundFinding {
        RoundFinding {
            severity: Level::Warning,
            path: None,
            line: None,
            title_slug: String::new(),
            category: Cow::Borrowed("untagged"),
            id: String::new(),
            id_source: "assigned",
            grade: Grade::Unknown,
            end_line: None,
            also: Vec::new(),
            quote: None,
            title: String::new(),
            same_as: None,
            same_as_round: None,
            basis: None,
            fix_induced: None,
            in_new_code: None,
            disposition: None,
        }
    }
}

/// A rejected or deferred item as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answered {
    /// Display path; null without a place.
    pub path: Option<String>,
    /// First line.
    pub line: Option<u64>,
    /// Why.
    pub reason: String,
    /// The item's id in the response.
    pub id: String,
    /// The item's grade.
    pub grade: Grade,
    /// The item's title.
    pub title: String,
}

/// Counts by level.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// 🔴
    pub critical: u64,
    /// 🟡
    pub warning: u64,
    /// ℹ️
    pub info: u64,
}

/// The response's numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResponseMetrics {
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
    /// stated, derived, missing, or skipped when Respond was not run.
    pub implemented_source: Origin,
    /// The same of `halted`.
    pub halted_source: Origin,
}

/// One reviewer's part in a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assignment {
    /// Which reviewer.
    pub reviewer_id: String,
    /// In which role.
    pub assignment_role: String,
    /// With which model, null for the provider's default.
    pub model: Option<String>,
    /// With which effort, null for the provider's default.
    pub effort: Option<String>,
    /// 1, or 2 when it was added by an expansion.
    pub wave: u64,
}

/// What the caller knows of the review beyond its report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Routing {
    /// document or implementation.
    pub artifact_phase: Option<String>,
    /// low to critical.
    pub risk: Option<String>,
    /// 64 lower hex.
    pub routing_plan_digest: Option<String>,
    /// Planned reviewer ids.
    pub planned_reviewers: Vec<String>,
    /// Reviewer ids that answered.
    pub actual_reviewers: Vec<String>,
    /// 1 or 2.
    pub wave: u64,
    /// Whether a reviewer was added.
    pub expansion: bool,
    /// How many calls were saved.
    pub reviewer_calls_saved: u64,
    /// READY_FOR_IMPLEMENTATION or DOCUMENT_BLOCKED.
    pub readiness: Option<String>,
    /// Absolute.
    pub receipt_path: Option<String>,
    /// Who did what.
    pub assignments: Vec<Assignment>,
}

impl Default for Routing {
    fn default() -> Routing {
        Routing {
            artifact_phase: None,
            risk: None,
            routing_plan_digest: None,
            planned_reviewers: Vec::new(),
            actual_reviewers: Vec::new(),
            wave: 1,
            expansion: false,
            reviewer_calls_saved: 0,
            readiness: None,
            receipt_path: None,
            assignments: Vec::new(),
        }
    }
}

/// What the review read, captured by plan-round before it started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Surface {
    /// The commit checked out.
    pub head_commit: Option<String>,
    /// The scope fingerprint.
    pub surface_fingerprint: Option<String>,
    /// The tree of the base plus the scope's working bytes.
    pub surface_tree: Option<String>,
}

/// The whole state of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Round {
    /// Always 2 when written by us.
    pub schema_version: u64,
    /// Always `report-parse`.
    pub source: &'static str,
    /// The loop.
    pub loop_id: String,
    /// From 1.
    pub round_number: u64,
    /// What the review compared with.
    pub base_commit: String,
    /// One of three words.
    pub verdict: RoundVerdict,
    /// By level.
    pub counts: Counts,
    /// Absolute.
    pub round_review_report_path: String,
    /// Absolute, null when Respond was skipped.
    pub response_report_path: Option<String>,
    /// Critical and warning findings.
    pub findings: Vec<RoundFinding>,
    /// Rejected items with a place.
    pub rejected: Vec<Answered>,
    /// How many rejected items have no place.
    pub skipped_rejects: u64,
    /// What the caller knows of the review.
    #[serde(flatten)]
    pub routing: Routing,
    /// The response's numbers.
    pub response_metrics: ResponseMetrics,
    /// Who the loop belongs to.
    pub owner: Option<Owner>,
    /// Suggestions: counted as info, kept here.
    pub info_findings: Vec<RoundFinding>,
    /// Rejected items without a place.
    pub rejected_unlocated: Vec<Answered>,
    /// Deferred items.
    pub deferred: Vec<Answered>,
    /// What the review read.
    #[serde(flatten)]
    pub surface: Surface,
    /// SHA-256 of the review report as read.
    pub review_sha256: String,
    /// SHA-256 of the response report as read.
    pub response_sha256: Option<String>,
    /// What the reports say against themselves, sorted.
    pub warnings: Vec<String>,
    /// Lines that look like findings and were not read as any.
    pub unparsed_suspicious: u64,
    /// The match with the round before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<Sameness>,
    /// Fields that a state read from disk lacks or holds in a wrong shape: it may be compared, and never decided from.
    #[serde(skip)]
    pub damaged: Vec<&'static str>,
}

impl Round {
    /// Whether nothing blocks: APPROVE, zero critical and warning by the counts and by what was read, and the report
    /// does not contradict itself about it.
    pub fn is_clean(&self) -> bool {
        let counted = self.counts.critical + self.counts.warning;
        let read = self.findings.len() as u64 + self.unparsed_suspicious;
        self.verdict == RoundVerdict::Approve && counted == 0 && read == 0 && self.damaged.is_empty()
    }

    /// Whether both were recorded from the same input: the owner, and what was concluded from earlier rounds or from the response,
    /// are none.
    pub fn same_input(&self, other: &Round) -> bool {
        self.input() == other.input()
    }

    fn input(&self) -> Round {
        let mut round = Round { owner: None, matched: None, ..self.clone() };
        for finding in round.findings.iter_mut().chain(&mut round.info_findings) {
            (finding.same_as, finding.same_as_round, finding.basis) = (None, None, None);
            (finding.fix_induced, finding.in_new_code, finding.disposition) = (None, None, None);
        }
        round
    }
}

/// What a round is recorded from.
#[derive(Debug)]
pub struct Input<'a> {
    /// The loop.
    pub loop_id: &'a str,
    /// From 1.
    pub round_number: u64,
    /// What the review compared with.
    pub base_commit: &'a str,
    /// Absolute path and bytes digest of the report.
    pub review_path: String,
    /// The findings as read; taken, so that a report of nothing but findings is held once.
    pub findings: Vec<Finding>,
    /// SHA-256 of its bytes.
    pub review_sha256: String,
    /// Verdict word and counts.
    pub judged: Judged,
    /// Path, digest and content of the response.
    pub response: Option<(String, String, &'a Response)>,
    /// Taxonomy.
    pub categories: &'a Categories,
    /// Cut off cited paths.
    pub repo_root: Option<&'a str>,
    /// What the caller knows.
    pub routing: Routing,
    /// What was captured before the review.
    pub surface: Surface,
    /// Who the loop belongs to.
    pub owner: Option<Owner>,
}

/// Builds the state of a round.
pub fn record(input: Input<'_>) -> Round {
    let mut ids = Ids::default();
    let (mut findings, mut info_findings) = (Vec::new(), Vec::new());
    for finding in input.findings {
        let stored = store(finding, input.categories, input.repo_root, &mut ids);
        if stored.severity == Level::Info { info_findings.push(stored) } else { findings.push(stored) }
    }
    if let Some((_, _, response)) = &input.response {
        disposition::note(findings.iter_mut().chain(&mut info_findings).collect(), &response.items, input.repo_root);
    }
    let answered = |decision: Decision| -> Vec<Answered> {
        let items = input.response.iter().flat_map(|(_, _, r)| r.items.iter()).filter(|i| i.decision == Some(decision));
        items.map(|item| answer(item, input.repo_root)).collect()
    };
    let (rejected, rejected_unlocated): (Vec<_>, Vec<_>) = answered(Decision::Reject).into_iter().partition(|a| a.path.is_some());
    let mut warnings = input.judged.warnings.clone();
    warnings.extend(input.response.iter().flat_map(|(_, _, r)| r.contradictions.iter().map(|c| c.word().to_owned())));
    warnings.sort_unstable();
    warnings.dedup();
    let declared = &input.judged.counts;
    Round {
        schema_version: 2,
        source: "report-parse",
        loop_id: input.loop_id.to_owned(),
        round_number: input.round_number,
        base_commit: input.base_commit.to_owned(),
        verdict: input.judged.verdict,
        counts: Counts { critical: declared.critical, warning: declared.warning, info: declared.info },
        round_review_report_path: input.review_path,
        response_report_path: input.response.as_ref().map(|(path, _, _)| path.clone()),
        findings,
        skipped_rejects: rejected_unlocated.len() as u64,
        rejected,
        routing: input.routing,
        response_metrics: response_metrics(input.response.as_ref().map(|(_, _, r)| *r)),
        owner: input.owner,
        info_findings,
        rejected_unlocated,
        deferred: answered(Decision::Defer),
        surface: input.surface,
        review_sha256: input.review_sha256,
        response_sha256: input.response.map(|(_, sha, _)| sha),
        warnings,
        unparsed_suspicious: input.judged.suspicious,
        matched: None,
        damaged: Vec::new(),
    }
}

/// The numbers of a response; a response that was not run is `skipped` and counts as zero.
pub fn response_metrics(response: Option<&Response>) -> ResponseMetrics {
    let Some(response) = response else {
        return ResponseMetrics {
            accepted_count: 0,
            rejected_count: 0,
            deferred_count: 0,
            implemented_count: 0,
            halted: false,
            execution_path: "n/a".to_owned(),
            implemented_source: Origin::Skipped,
            halted_source: Origin::Skipped,
        };
    };
    let counts = response.counts();
    let (implemented_count, implemented_source) = response.implemented();
    let (halted, halted_source) = response.halted();
    ResponseMetrics {
        accepted_count: counts.accepted,
        rejected_count: counts.rejected,
        deferred_count: counts.deferred,
        implemented_count,
        halted,
        execution_path: response.execution_path.to_owned(),
        implemented_source,
        halted_source,
    }
}

fn answer(item: &crate::report::response::Item, repo_root: Option<&str>) -> Answered {
    let path = item.place.as_ref().and_then(|p| path::display(&p.path, repo_root));
    Answered {
        line: item.place.as_ref().filter(|_| path.is_some()).and_then(|p| p.line),
        path,
        reason: item.reason().to_owned(),
        id: item.id.clone(),
        grade: item.grade,
        title: item.title.clone(),
    }
}

fn store(finding: Finding, categories: &Categories, repo_root: Option<&str>, ids: &mut Ids) -> RoundFinding {
    let path = finding.place.as_ref().and_then(|p| path::display(&p.path, repo_root));
    let line = finding.place.as_ref().filter(|_| path.is_some()).and_then(|p| p.line);
    let also =
        finding.also.iter().filter_map(|p| Some(Location { path: path::display(&p.path, repo_root)?, line: p.line, end_line: p.end_line }));
    let (id, source) = ids.assign(finding.id.as_deref(), path.as_deref(), line, &finding.title);
    RoundFinding {
        severity: finding.grade.level(),
        line,
        title_slug: slug(&finding.headline),
        category: categories.of(path.as_deref(), line),
        id,
        id_source: source.word(),
        grade: finding.grade,
        end_line: finding.place.as_ref().and_then(|p| p.end_line),
        also: also.collect(),
        quote: finding.quote,
        title: finding.title,
        path,
        ..RoundFinding::default()
    }
}
