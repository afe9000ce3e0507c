//! expand-loop-args: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::expand_loop_args::{Request, run};

use crate::output::Reply;

/// Expand and validate the arguments of a rounds loop
#[derive(Args)]
pub(crate) struct ExpandLoopArgs {
    /// A JSON array of the argument tokens, as the user gave them
    #[arg(long, value_name = "FILE")]
    args_file: Option<String>,
    /// claude or codex
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
}

impl ExpandLoopArgs {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            args_file: self.args_file,
            host: self.host,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
