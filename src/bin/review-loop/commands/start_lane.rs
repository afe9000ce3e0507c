//! start-lane: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::start_lane::{Request, run};

use crate::design_flags::{DesignFlags, LaneArgs, RunsArgs};
use crate::output::Reply;

/// Start an attempt of a lane with its prompt
#[derive(Args)]
pub(crate) struct StartLane {
    #[command(flatten)]
    place: DesignFlags,
    #[command(flatten)]
    of: LaneArgs,
    /// The class that the model lane judges [default: the one that is owed]
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// The prompt, which carries the objective word for word
    #[arg(long, value_name = "FILE")]
    prompt_file: Option<String>,
    /// The engine that is asked for
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Its model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// How hard it thinks
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    #[command(flatten)]
    runs: RunsArgs,
}

impl StartLane {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            place: self.place.place(),
            round: self.of.round,
            lane: self.of.lane,
            attempt_id: self.of.attempt_id,
            class: self.class,
            prompt: self.prompt_file,
            engine: self.engine,
            model: self.model,
            effort: self.effort,
            runs: self.runs.flags(),
        };
        Ok(Reply::yes(&run(&request, host)?.receipt))
    }
}
