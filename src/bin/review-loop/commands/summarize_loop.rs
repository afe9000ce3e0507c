//! summarize-loop: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::summarize_loop::{Request, run};

use crate::output::Reply;

/// Sum a loop up from its states
#[derive(Args)]
pub(crate) struct SummarizeLoop {
    /// The loop
    #[arg(long, value_name = "ID")]
    loop_id: Option<String>,
    /// The folder of round states
    #[arg(long, value_name = "DIR")]
    state_dir: Option<String>,
    /// The most reviews the loop was allowed
    #[arg(long, value_name = "N")]
    cap: Option<String>,
    /// Why it stopped, as decide-round said
    #[arg(long, value_name = "WORD")]
    stop_reason: Option<String>,
    /// Further work for people; repeatable
    #[arg(long, value_name = "TEXT")]
    remaining: Vec<String>,
    /// Write the loop-summary document: a file, or a folder for a new one
    #[arg(long, value_name = "PATH")]
    output: Option<String>,
    /// Write the final summary for render-session-doc
    #[arg(long, value_name = "FILE")]
    json_output: Option<String>,
}

impl SummarizeLoop {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            loop_id: self.loop_id,
            state_dir: self.state_dir,
            cap: self.cap,
            stop_reason: self.stop_reason,
            remaining: self.remaining,
            output: self.output,
            json_output: self.json_output,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
