//! record-lane: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::record_lane::{Request, run};

use crate::design_flags::{DesignFlags, LaneArgs, RunsArgs};
use crate::output::Reply;

/// Record what an attempt came to, bound to its output
#[derive(Args)]
pub(crate) struct RecordLane {
    #[command(flatten)]
    place: DesignFlags,
    #[command(flatten)]
    of: LaneArgs,
    /// What it reviewed, as the round names it
    #[arg(long, value_name = "REVISION")]
    artifact_revision: Option<String>,
    /// The result
    #[arg(long, value_name = "FILE")]
    result_file: Option<String>,
    /// What the run gave out, as it was captured
    #[arg(long, value_name = "FILE")]
    output_file: Option<String>,
    /// How the run ended
    #[arg(long, value_name = "N")]
    exit_code: Option<String>,
    /// The engine that answered [default: the one that was asked for]
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Its model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// How hard it thought
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// Why it is another engine
    #[arg(long, value_name = "TEXT")]
    deviation: Option<String>,
    #[command(flatten)]
    runs: RunsArgs,
}

impl RecordLane {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            place: self.place.place(),
            round: self.of.round,
            lane: self.of.lane,
            attempt_id: self.of.attempt_id,
            artifact_revision: self.artifact_revision,
            result: self.result_file,
            output: self.output_file,
            exit_code: self.exit_code,
            engine: self.engine,
            model: self.model,
            effort: self.effort,
            deviation: self.deviation,
            runs: self.runs.flags(),
        };
        Ok(Reply::yes(&run(&request, host)?.receipt))
    }
}
