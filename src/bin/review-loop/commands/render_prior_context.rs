//! render-prior-context: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::render_prior_context::{Request, check, run};

use crate::output::Reply;

/// Render what the next reviewer is told of earlier rounds, or check such a file before it is used
#[derive(Args)]
pub(crate) struct RenderPriorContext {
    /// The state of the previous round; the states beside it are read for their rejected items
    #[arg(long, value_name = "FILE")]
    state_file: Option<String>,
    /// Where the context is written
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
    /// The most the context may take, in bytes [default: 16384]
    #[arg(long, value_name = "N")]
    max_bytes: Option<String>,
    /// Check FILE as its reader must: a small regular file with our header
    #[arg(long, value_name = "FILE", conflicts_with_all = ["state_file", "output", "max_bytes"])]
    check: Option<String>,
    /// With --check: the base commit the context must have been made for
    #[arg(long, value_name = "OID", requires = "check")]
    base_commit: Option<String>,
}

impl RenderPriorContext {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        if let Some(file) = self.check {
            return check(host, &file, self.base_commit.as_deref()).map(|answer| Reply::yes(&answer));
        }
        let request = Request { state_file: self.state_file, output: self.output, max_bytes: self.max_bytes };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
