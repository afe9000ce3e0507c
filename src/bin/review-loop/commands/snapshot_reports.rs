//! snapshot-reports: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::snapshot_reports::{Request, run};

use crate::output::Reply;

/// List the canonical reports of a folder before a review starts
#[derive(Args)]
pub(crate) struct SnapshotReports {
    /// The folder of reports
    #[arg(long, value_name = "DIR")]
    reports_dir: Option<String>,
    /// Where the snapshot is written
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
}

impl SnapshotReports {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            reports_dir: self.reports_dir,
            output: self.output,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
