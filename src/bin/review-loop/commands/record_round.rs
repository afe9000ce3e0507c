//! record-round: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::record_round::{Request, run};

use crate::output::Reply;

/// Record the state of one round, once
#[derive(Args)]
pub(crate) struct RecordRound {
    /// The round, from 1
    #[arg(long, value_name = "N")]
    round_number: Option<String>,
    /// The review report
    #[arg(long, value_name = "FILE")]
    review_report: Option<String>,
    /// The response report; leave it out when Respond was skipped
    #[arg(long, value_name = "FILE")]
    response_report: Option<String>,
    /// The loop; minted and echoed when left out
    #[arg(long, value_name = "ID")]
    loop_id: Option<String>,
    /// What the review compared with: 7 to 64 hex digits
    #[arg(long, value_name = "OID")]
    base_commit: Option<String>,
    /// The folder of round states
    #[arg(long, value_name = "DIR")]
    state_dir: Option<String>,
    /// The folder cited paths are made relative to
    #[arg(long, value_name = "DIR")]
    repo_root: Option<String>,
    /// The taxonomy artifact [default: recurring-findings.json beside the reports folder]
    #[arg(long, value_name = "FILE")]
    recurring_findings: Option<String>,
    /// What the caller knows of the review: phase, risk, reviewers, readiness
    #[arg(long, value_name = "FILE")]
    routing_metadata_file: Option<String>,
    /// The plan the round was started with: what the review read, and who was to review
    #[arg(long, value_name = "FILE")]
    plan_file: Option<String>,
    /// Overwrite a round that was recorded with other input
    #[arg(long)]
    replace: bool,
}

impl RecordRound {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            round_number: self.round_number,
            review_report: self.review_report,
            response_report: self.response_report,
            loop_id: self.loop_id,
            base_commit: self.base_commit,
            state_dir: self.state_dir,
            repo_root: self.repo_root,
            recurring_findings: self.recurring_findings,
            routing_metadata_file: self.routing_metadata_file,
            plan_file: self.plan_file,
            replace: self.replace,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
