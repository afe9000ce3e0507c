//! resolve-round-report: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::resolve_round_report::{Request, run};

use crate::output::Reply;

/// Find the one report that a review added since the snapshot
#[derive(Args)]
pub(crate) struct ResolveRoundReport {
    /// The folder of reports
    #[arg(long, value_name = "DIR")]
    reports_dir: Option<String>,
    /// The snapshot from before the review
    #[arg(long, value_name = "FILE")]
    snapshot_file: Option<String>,
}

impl ResolveRoundReport {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            reports_dir: self.reports_dir,
            snapshot_file: self.snapshot_file,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
