//! cleanup-residue: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::cleanup_residue::{Request, run};

use crate::output::Reply;

/// Remove what crashed loops left behind, when their owner is provably gone
#[derive(Args)]
pub(crate) struct CleanupResidue {
    /// The folder of round states
    #[arg(long, value_name = "DIR")]
    tmp_dir: Option<String>,
    /// The grace window in milliseconds [default: 3600000]
    #[arg(long, value_name = "N")]
    stale_ms: Option<String>,
    /// Show the plan and remove nothing
    #[arg(long)]
    dry_run: bool,
}

impl CleanupResidue {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            tmp_dir: self.tmp_dir,
            stale_ms: self.stale_ms,
            dry_run: self.dry_run,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
