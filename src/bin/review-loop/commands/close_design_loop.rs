//! close-design-loop: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::close_design_loop::{Request, run};
use review_loop::design::record::Status;

use crate::design_flags::DesignFlags;
use crate::output::Reply;

/// End a design loop as what its rounds come to
#[derive(Args)]
pub(crate) struct CloseDesignLoop {
    #[command(flatten)]
    place: DesignFlags,
    /// converged, drift, deadlock, aborted or unverified_lane
    #[arg(long, value_name = "OUTCOME")]
    outcome: Option<String>,
    /// Why, in words
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl CloseDesignLoop {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let answer = run(&Request { place: self.place.place(), outcome: self.outcome, reason: self.reason }, host)?;
        let decided = matches!(answer.outcome, Status::Converged | Status::Aborted);
        Ok(if decided { Reply::yes(&answer) } else { Reply::asked(&answer) })
    }
}
