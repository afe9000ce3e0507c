//! collect-metrics: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::collect_metrics::{Request, run};

use crate::output::Reply;

/// Read the numbers of one round without storing anything
#[derive(Args)]
pub(crate) struct CollectMetrics {
    /// The round, from 1
    #[arg(long, value_name = "N")]
    round_number: Option<String>,
    /// The review report
    #[arg(long, value_name = "FILE")]
    review_report: Option<String>,
    /// The response report; leave it out when Respond was skipped
    #[arg(long, value_name = "FILE")]
    response_report: Option<String>,
    /// The taxonomy artifact [default: recurring-findings.json beside the reports folder]
    #[arg(long, value_name = "FILE")]
    recurring_findings: Option<String>,
    /// The folder cited paths are made relative to
    #[arg(long, value_name = "DIR")]
    repo_root: Option<String>,
}

impl CollectMetrics {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            round_number: self.round_number,
            review_report: self.review_report,
            response_report: self.response_report,
            recurring_findings: self.recurring_findings,
            repo_root: self.repo_root,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
