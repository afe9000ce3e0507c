//! decide-round: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::decide_round::{Request, run};

use crate::output::Reply;

/// Decide whether the loop stops, continues or asks, and whether Respond runs
#[derive(Args)]
pub(crate) struct DecideRound {
    /// The state of this round; leave it out when its review failed
    #[arg(long, value_name = "FILE")]
    current: Option<String>,
    /// The state of the round before
    #[arg(long, value_name = "FILE")]
    previous: Option<String>,
    /// Before Respond: the report of this round, not yet recorded
    #[arg(long, value_name = "FILE")]
    review_report: Option<String>,
    /// The most reviews the loop may execute
    #[arg(long, value_name = "N")]
    cap: Option<String>,
    /// Reviews executed, this one included [default: the number of this round]
    #[arg(long, value_name = "N")]
    rounds_executed: Option<String>,
    /// document or implementation [default: of the state, else implementation]
    #[arg(long, value_name = "PHASE")]
    artifact_phase: Option<String>,
    /// READY_FOR_IMPLEMENTATION or DOCUMENT_BLOCKED [default: of the state]
    #[arg(long, value_name = "WORD")]
    readiness: Option<String>,
    /// The only concern is one the reviewers are split on
    #[arg(long)]
    split_only: bool,
    /// Failures of this round that left no verdict [default: 0]
    #[arg(long, value_name = "N")]
    operational_failures: Option<String>,
    /// Reviewers that answered [default: of the state, when it was routed]
    #[arg(long, value_name = "N")]
    actual_reviewers: Option<String>,
    /// This Codex-only round has no Codex role
    #[arg(long)]
    codex_role_missing: bool,
    /// What the person chose: continue, stop or defer-and-stop
    #[arg(long, value_name = "CHOICE")]
    user_choice: Option<String>,
    /// The code of a question that the choice answers; repeatable [default: the first that is open]
    #[arg(long, value_name = "CODE")]
    answered: Vec<String>,
    /// A privacy warning waits for an answer
    #[arg(long)]
    privacy_warning: bool,
    /// The answer of check-readiness --deferred; its pending ids keep an approval from ending the loop
    #[arg(long, value_name = "FILE")]
    deferred_file: Option<String>,
    /// The person's answer to implemented_unknown
    #[arg(long, value_name = "N")]
    implemented_count: Option<String>,
}

impl DecideRound {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            current: self.current,
            previous: self.previous,
            review_report: self.review_report,
            cap: self.cap,
            rounds_executed: self.rounds_executed,
            artifact_phase: self.artifact_phase,
            readiness: self.readiness,
            split_only: self.split_only,
            operational_failures: self.operational_failures,
            actual_reviewers: self.actual_reviewers,
            codex_role_missing: self.codex_role_missing,
            user_choice: self.user_choice,
            answered: self.answered,
            privacy_warning: self.privacy_warning,
            deferred_file: self.deferred_file,
            implemented_count: self.implemented_count,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
