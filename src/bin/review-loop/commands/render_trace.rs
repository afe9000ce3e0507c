//! render-trace: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::render_trace::{Request, run};

use crate::loop_flags::LoopFlags;
use crate::output::Reply;

/// Render what became of each finding, round by round, or read such a trace back
#[derive(Args)]
pub(crate) struct RenderTrace {
    #[command(flatten)]
    place: LoopFlags,
    /// One round alone
    #[arg(long, value_name = "N")]
    round: Option<String>,
    /// A trace to read back, in place of a loop
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// Where the text is kept
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
}

impl RenderTrace {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request { place: self.place.place(), round: self.round, input: self.input, output: self.output };
        Ok(Reply::yes(&run(&request, host)?))
    }
}
