//! decide-round: stop, continue or ask (deep-review seed §3 and §5).

use serde::Serialize;

use super::{Ask, gather};
use crate::base::path::printable;
use crate::base::reason::StopReason;
use crate::base::severity::Level;
use crate::base::verdict::RoundVerdict;
use crate::base::{Code, Fail, number};
use crate::finding::churn::{Diagnosis, diagnose};
use crate::host::{Host, files};
use crate::report::metrics::judge;
use crate::report::response::Origin;
use crate::round::arguments::MAX_CAP;
use crate::round::compare::compare;
use crate::round::history::history;
use crate::round::plan::Phase;
use crate::round::record::Round;
use crate::round::stop::{
    Action, Compared, Count, Facts, Pattern, Question, RespondSkip, ReviewFacts, Skip, UserChoice, before_respond, decide, respond,
};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The state of this round; none when its review failed.
    pub current: Option<String>,
    /// The state of the round before.
    pub previous: Option<String>,
    /// Before Respond: the report of this round, not yet recorded.
    pub review_report: Option<String>,
    /// The cap.
    pub cap: Option<String>,
    /// Reviews executed, this one included.
    pub rounds_executed: Option<String>,
    /// document or implementation.
    pub artifact_phase: Option<String>,
    /// READY_FOR_IMPLEMENTATION or DOCUMENT_BLOCKED.
    pub readiness: Option<String>,
    /// Whether the only concern is one the reviewers are split on.
    pub split_only: bool,
    /// Failures of this round that left no verdict.
    pub operational_failures: Option<String>,
    /// Reviewers that answered.
    pub actual_reviewers: Option<String>,
    /// Whether this Codex-only round has no Codex role.
    pub codex_role_missing: bool,
    /// continue, stop or defer-and-stop.
    pub user_choice: Option<String>,
    /// The codes of the questions that the choice answers.
    pub answered: Vec<String>,
    /// Whether a privacy warning waits for an answer.
    pub privacy_warning: bool,
    /// The answer of `check-readiness --deferred`.
    pub deferred_file: Option<String>,
    /// What the person answered to `implemented_unknown`.
    pub implemented_count: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// What to do.
    pub action: Action,
    /// Which of the seed's conditions decided it.
    pub condition: Option<u8>,
    /// Why it stops.
    pub stop_reason: Option<StopReason>,
    /// Whether Respond runs in this round.
    pub run_respond: bool,
    /// Why it does not.
    pub respond_skip: Option<RespondSkip>,
    /// The seed's kind of skip.
    pub skip: Option<Skip>,
    /// Whether the review of this round is to be tried once more.
    pub retry_review: bool,
    /// Cap minus executed reviews.
    pub rounds_saved: u64,
    /// Of the last executed report; never inferred.
    pub final_verdict: Option<RoundVerdict>,
    /// The report it stands in.
    pub final_report_path: Option<String>,
    /// What a person must decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<Ask>,
    /// Sorted.
    pub warnings: Vec<&'static str>,
    /// What the loop's recorded rounds show; null before this round is recorded.
    pub churn: Option<Diagnosis>,
}

/// Decides.
///
/// # Errors
/// `INVALID_PATH`, `INVALID_STATE`, `STALE_STATE`, `INVALID_REPORT`, `INVALID_ARGUMENT`, `INVALID_DECISION_INPUT`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let mut warnings = Vec::new();
    let states = States::read(request, host)?;
    let executed = executed(request, &states)?;
    let reviewed = reviewed(request, host, &states, &mut warnings)?;
    let churn = states.current.as_ref().map(|round| churn(host, request, round, &mut warnings)).transpose()?;
    let facts = facts(request, host, &states, executed, reviewed.facts, churn.as_ref())?;
    let skip = facts.review.as_ref().and_then(|r| respond(facts.phase, r));
    let common = Answer {
        action: Action::Continue,
        condition: None,
        stop_reason: None,
        run_respond: false,
        respond_skip: skip,
        skip: None,
        retry_review: false,
        rounds_saved: facts.cap.saturating_sub(executed),
        final_verdict: reviewed.verdict,
        final_report_path: reviewed.report,
        ask: None,
        warnings,
        churn,
    };
    if states.report.is_some() {
        return Ok(before(&facts, skip, common));
    }
    let decision = decide(&facts);
    Ok(Answer {
        action: decision.action,
        condition: decision.condition,
        stop_reason: decision.stop_reason,
        skip: decision.skip,
        retry_review: decision.retry_review,
        ask: decision.question.map(ask),
        ..common
    })
}

/// A flag that is there and not empty.
fn given(flag: &Option<String>) -> Option<&str> {
    flag.as_deref().filter(|f| !f.is_empty())
}

/// A plain number of a flag.
fn plain(flag: &Option<String>, name: &str, max: u64) -> Result<Option<u64>, Fail> {
    given(flag).map(|t| number::plain(name, t, 0..=max)).transpose()
}

/// What a round is decided from: its own state or, before Respond, its report; and the state of the round before.
struct States {
    current: Option<Round>,
    previous: Option<Round>,
    report: Option<String>,
}

impl States {
    fn read(request: &Request, host: &Host) -> Result<States, Fail> {
        let round_at = |flag: &Option<String>| {
            given(flag).map(|f| host.absolute(Some(f), "state file").and_then(|p| gather::whole_round(&p))).transpose()
        };
        let (current, previous) = (round_at(&request.current)?, round_at(&request.previous)?);
        let report = given(&request.review_report).map(str::to_owned);
        if current.is_some() && report.is_some() {
            return Err(Fail::new(
                Code::InvalidDecisionInput,
                "`--current` and `--review-report` exclude each other: the report is of a round not yet recorded",
            ));
        }
        Ok(States { current, previous, report })
    }
}

/// How many reviews were executed; never fewer than the number of the round that is decided.
fn executed(request: &Request, states: &States) -> Result<u64, Fail> {
    let counted = states.current.as_ref().or(states.previous.as_ref()).map(|r| r.round_number);
    let executed = plain(&request.rounds_executed, "--rounds-executed", number::MAX_ROUND)?.or(counted).unwrap_or(0);
    if states.current.as_ref().is_some_and(|r| executed < r.round_number) {
        let message = format!("`--rounds-executed {executed}` is less than the number of the round that is decided");
        return Err(Fail::new(Code::InvalidDecisionInput, message));
    }
    Ok(executed)
}

/// What the last executed review says, and where.
struct Reviewed {
    facts: Option<ReviewFacts>,
    verdict: Option<RoundVerdict>,
    report: Option<String>,
}

fn reviewed(request: &Request, host: &Host, states: &States, warnings: &mut Vec<&'static str>) -> Result<Reviewed, Fail> {
    let told = plain(&request.implemented_count, "--implemented-count", 1_000_000)?;
    if let Some(round) = &states.current {
        let facts = of_round(round, states.previous.as_ref(), request, told, warnings)?;
        let report = Some(round.round_review_report_path.clone());
        return Ok(Reviewed { facts: Some(facts), verdict: Some(round.verdict), report });
    }
    if let Some(flag) = &states.report {
        return of_report(request, host, flag);
    }
    let last = states.previous.as_ref();
    let report = last.map(|r| r.round_review_report_path.clone());
    Ok(Reviewed { facts: None, verdict: last.map(|r| r.verdict), report })
}

/// Before Respond nothing is known but what the report says.
fn of_report(request: &Request, host: &Host, flag: &str) -> Result<Reviewed, Fail> {
    let read = gather::review(host, Some(flag))?;
    let judged = judge(&read.review, &read.path)?;
    let clean = judged.suspicious == 0
        && judged.verdict == RoundVerdict::Approve
        && judged.counts.critical + judged.counts.warning == 0
        && read.review.findings.iter().all(|f| f.grade.level() == Level::Info);
    let facts = ReviewFacts {
        clean,
        ready: readiness(request)?.is_some_and(|r| r == READY),
        split_only: request.split_only,
        compared: None,
        accepted: 0,
        deferred: 0,
        implemented: Count::Known(0),
        halted: false,
    };
    Ok(Reviewed { facts: Some(facts), verdict: Some(judged.verdict), report: Some(read.path) })
}

fn facts(
    request: &Request,
    host: &Host,
    states: &States,
    executed: u64,
    review: Option<ReviewFacts>,
    churn: Option<&Diagnosis>,
) -> Result<Facts, Fail> {
    let cap = plain(&request.cap, "--cap", MAX_CAP)?.filter(|c| *c > 0);
    let wrong = |choice: &str| {
        Fail::new(Code::InvalidArgument, format!("`--user-choice {}` is not continue, stop or defer-and-stop", printable(choice)))
    };
    let routed = states.current.as_ref().filter(|r| r.routing.routing_plan_digest.is_some());
    let counted = routed.map(|r| r.routing.actual_reviewers.len() as u64);
    Ok(Facts {
        phase: phase(request, states.current.as_ref())?,
        cap: cap.ok_or_else(|| Fail::new(Code::InvalidLoopPolicy, "the flag `--cap` is missing or 0"))?,
        executed,
        review,
        operational_failures: plain(&request.operational_failures, "--operational-failures", 1000)?.unwrap_or(0),
        user: given(&request.user_choice).map(|c| UserChoice::parse(c).ok_or_else(|| wrong(c))).transpose()?,
        answered: answered(request)?,
        privacy_warning: request.privacy_warning,
        actual_reviewers: plain(&request.actual_reviewers, "--actual-reviewers", 1000)?.or(counted),
        codex_role_missing: request.codex_role_missing,
        deferred_pending: given(&request.deferred_file).map(|f| pending(host, f)).transpose()?.unwrap_or_default().len() as u64,
        pattern: churn.and_then(|c| Pattern::of(c.reason_code)),
    })
}

/// Before Respond the round is not over: only what ends it at once is decided, else whether Respond runs.
fn before(facts: &Facts, skip: Option<RespondSkip>, common: Answer) -> Answer {
    let decision = before_respond(facts);
    if decision.action != Action::Continue {
        let ask = decision.question.map(ask);
        let (action, condition, stop_reason, skip) = (decision.action, decision.condition, decision.stop_reason, decision.skip);
        return Answer { action, condition, stop_reason, skip, ask, ..common };
    }
    Answer { run_respond: skip.is_none(), skip: skip.map(|_| Skip::Respond), ..common }
}

fn phase(request: &Request, current: Option<&Round>) -> Result<Phase, Fail> {
    let named = request.artifact_phase.clone().filter(|p| !p.is_empty()).or_else(|| current.and_then(|r| r.routing.artifact_phase.clone()));
    let Some(named) = named else {
        return Ok(Phase::Implementation);
    };
    Phase::parse(&named).ok_or_else(|| Fail::new(Code::InvalidLoopPolicy, format!("the artifact phase `{}` is unknown", printable(&named))))
}

fn of_round(
    round: &Round,
    previous: Option<&Round>,
    request: &Request,
    told: Option<u64>,
    warnings: &mut Vec<&'static str>,
) -> Result<ReviewFacts, Fail> {
    let compared = previous.map(|p| compare(p, round)).transpose()?;
    if let Some(previous) = previous.filter(|p| p.round_number >= round.round_number) {
        let message = format!("the previous round {} does not come before round {}", previous.round_number, round.round_number);
        return Err(Fail::new(Code::InvalidDecisionInput, message));
    }
    if previous.is_none() && round.round_number > 1 {
        warnings.push("previous_round_missing");
    }
    let metrics = &round.response_metrics;
    let metrics_stated = metrics.implemented_source != Origin::Missing && metrics.implemented_count <= metrics.accepted_count;
    if told.is_some() && metrics_stated {
        warnings.push("implemented_count_ignored");
    }
    // More done than accepted is a number that contradicts itself: it is asked about like one that is missing.
    let unclear = metrics.implemented_source == Origin::Missing || metrics.implemented_count > metrics.accepted_count;
    let implemented = match (unclear, told) {
        (true, Some(told)) => Count::Known(told),
        (true, None) => Count::Unknown,
        (false, _) => Count::Known(metrics.implemented_count),
    };
    let ready = readiness(request)?.or(round.routing.readiness.as_deref()).is_some_and(|r| r == READY);
    Ok(ReviewFacts {
        clean: round.is_clean(),
        ready,
        split_only: request.split_only,
        compared: compared.map(|c| Compared { stalled: c.stalled, progressed: c.fixed_count.map_or(c.progressed, |n| n > 0) }),
        accepted: metrics.accepted_count,
        deferred: metrics.deferred_count,
        implemented,
        halted: metrics.halted,
    })
}

/// The questions that a choice answers.
fn answered(request: &Request) -> Result<Vec<Question>, Fail> {
    let unknown = |code: &String| {
        let known: Vec<&str> = Question::ALL.iter().map(|q| q.word()).collect();
        Fail::new(Code::InvalidArgument, format!("`--answered {}` is not one of {}", printable(code), known.join(", ")))
    };
    request.answered.iter().map(|code| Question::parse(code).ok_or_else(|| unknown(code))).collect()
}

/// Diagnoses the rounds recorded beside this one, up to it.
fn churn(host: &Host, request: &Request, round: &Round, warnings: &mut Vec<&'static str>) -> Result<Diagnosis, Fail> {
    let path = host.absolute(request.current.as_deref(), "state file")?;
    let (mut rounds, skipped) = gather::rounds(path.parent().unwrap_or(&path), &round.loop_id)?;
    if !skipped.is_empty() {
        warnings.push("states_skipped");
    }
    rounds.retain(|r| r.round_number < round.round_number);
    rounds.push(round.clone());
    Ok(diagnose(&history(&rounds)))
}

const READY: &str = "READY_FOR_IMPLEMENTATION";

/// The readiness that was named; an unknown word is refused rather than taken for the other one.
fn readiness(request: &Request) -> Result<Option<&str>, Fail> {
    match request.readiness.as_deref().filter(|r| !r.is_empty()) {
        Some(word) if word != READY && word != "DOCUMENT_BLOCKED" => {
            Err(Fail::new(Code::InvalidArgument, format!("`--readiness {}` is not one of {READY}, DOCUMENT_BLOCKED", printable(word))))
        }
        known => Ok(known),
    }
}

/// The pending ids out of an answer of `check-readiness --deferred`.
///
/// # Errors
/// `INVALID_READINESS`, or why the file cannot be read.
pub fn pending(host: &Host, flag: &str) -> Result<Vec<String>, Fail> {
    let path = host.absolute(Some(flag), "deferred file")?;
    let invalid = |fail: Fail| {
        let message = format!("the deferred items `{}` cannot be used: {}", printable(&path.to_string_lossy()), fail.message);
        Fail { message, ..fail.within(Code::InvalidReadiness) }
    };
    let value = crate::wire::json::parse(&files::read_text(&path, files::DOCUMENT_LIMIT)?).map_err(invalid)?;
    crate::wire::json::Fields::of(&value, "").and_then(|f| f.texts("pending")).map_err(invalid)
}

/// A question with its answers.
fn ask(question: Question) -> Ask {
    const STOP: (&str, &str) = ("stop", "stop the loop");
    let code = question.word();
    match question {
        Question::Privacy => {
            Ask::new(code, "a privacy warning is open; may this content go to the reviewers?", &[("continue", "go on"), STOP])
        }
        Question::ReviewerReversal | Question::SeverityWithoutChange | Question::AlternatingFindings => Ask::new(
            code,
            "the reviews contradict one another; which demand holds, and does the loop go on?",
            &[("continue", "go on, with the ruling handed to the next response"), STOP],
        ),
        Question::FixDoesNotHold | Question::FixesBreedFindings => Ask::new(
            code,
            "the repairs do not hold or breed findings of their own; has the mechanism been examined, and does the loop go on?",
            &[("continue", "go on with one repair of the mechanism"), STOP],
        ),
        Question::RegionChase => Ask::new(
            code,
            "every round finds something else in one region; is it taken out of the scope, and does the loop go on?",
            &[("continue", "go on"), ("stop", "stop the loop and split the region off")],
        ),
        Question::DeferredItems => Ask::new(
            code,
            "the response deferred items; go on with the loop or stop after this round?",
            &[
                ("continue", "go on; the items stay listed as remaining work"),
                ("defer-and-stop", "stop after this round"),
                ("stop", "stop"),
            ],
        ),
        Question::ImplementedUnknown => Ask::new(
            code,
            "the response neither states nor lets us count what was implemented; how many items were?",
            &[("implemented-count", "hand the number back with --implemented-count"), STOP],
        ),
    }
}
