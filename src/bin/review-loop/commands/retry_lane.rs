//! retry-lane: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::retry_lane::{Request, run};

use crate::design_flags::DesignFlags;
use crate::output::Reply;

/// Admit a fresh attempt behind a failed one
#[derive(Args)]
pub(crate) struct RetryLane {
    #[command(flatten)]
    place: DesignFlags,
    /// The round [default: the last]
    #[arg(long, value_name = "N")]
    round: Option<String>,
    /// surgical, deep or scout; a model lane is started again by start-lane
    #[arg(long, value_name = "LANE")]
    lane: Option<String>,
    /// The attempt that failed
    #[arg(long, value_name = "ID")]
    failed_attempt_id: Option<String>,
}

impl RetryLane {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request =
            Request { place: self.place.place(), round: self.round, lane: self.lane, failed_attempt_id: self.failed_attempt_id };
        Ok(Reply::yes(&run(&request, host)?.receipt))
    }
}
