//! render-session-doc: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::render_session_doc::{Request, run};

use crate::output::Reply;

/// Render the one page of a loop from its states
#[derive(Args)]
pub(crate) struct RenderSessionDoc {
    /// The loop
    #[arg(long, value_name = "ID")]
    loop_id: Option<String>,
    /// The folder of round states
    #[arg(long, value_name = "DIR")]
    tmp_dir: Option<String>,
    /// The folder that links are relative to
    #[arg(long, value_name = "DIR")]
    reports_dir: Option<String>,
    /// Where the document is written
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
    /// The closing data, a JSON object
    #[arg(long, value_name = "FILE")]
    final_summary_file: Option<String>,
}

impl RenderSessionDoc {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            loop_id: self.loop_id,
            tmp_dir: self.tmp_dir,
            reports_dir: self.reports_dir,
            output: self.output,
            final_summary_file: self.final_summary_file,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
