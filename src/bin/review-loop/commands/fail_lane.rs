//! fail-lane: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::fail_lane::{Request, run};

use crate::design_flags::{DesignFlags, LaneArgs, RunsArgs};
use crate::output::Reply;

/// Record that an attempt erred, died or hit a limit
#[derive(Args)]
pub(crate) struct FailLane {
    #[command(flatten)]
    place: DesignFlags,
    #[command(flatten)]
    of: LaneArgs,
    /// error, died or limit
    #[arg(long, value_name = "KIND")]
    failure: Option<String>,
    /// In words
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// What the run left
    #[arg(long, value_name = "FILE")]
    output_file: Option<String>,
    #[command(flatten)]
    runs: RunsArgs,
}

impl FailLane {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            place: self.place.place(),
            round: self.of.round,
            lane: self.of.lane,
            attempt_id: self.of.attempt_id,
            failure: self.failure,
            reason: self.reason,
            output: self.output_file,
            runs: self.runs.flags(),
        };
        Ok(Reply::yes(&run(&request, host)?.receipt))
    }
}
