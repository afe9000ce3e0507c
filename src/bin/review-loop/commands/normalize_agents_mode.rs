//! normalize-agents-mode: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::normalize_agents_mode::{Request, run};

use crate::output::Reply;

/// Bring an agents-mode file into its present form, comments and custom lane orders kept
#[derive(Args)]
pub(crate) struct NormalizeAgentsMode {
    /// The file; made when it is missing
    #[arg(long, value_name = "FILE")]
    file: Option<String>,
    /// Only say what would change
    #[arg(long)]
    check: bool,
}

impl NormalizeAgentsMode {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let check = self.check;
        let answer = run(&Request { file: self.file, check }, host)?;
        Ok(if check { Reply::check(answer.normal, &answer) } else { Reply::yes(&answer) })
    }
}
