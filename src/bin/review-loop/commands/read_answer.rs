//! read-answer: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::read_answer::{Request, run};
use review_loop::source::answer::Outcome;

use crate::output::Reply;

/// Say whether a client answered, from its stream
#[derive(Args)]
pub(crate) struct ReadAnswer {
    /// codex or claude
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// What the client printed
    #[arg(long, value_name = "FILE")]
    events: Option<String>,
    /// Its error stream
    #[arg(long, value_name = "FILE")]
    warnings: Option<String>,
    /// Its exit status, where it is known
    #[arg(long, value_name = "N")]
    exit_code: Option<String>,
}

impl ReadAnswer {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request { client: self.client, events: self.events, warnings: self.warnings, exit_code: self.exit_code };
        let answer = run(&request, host)?;
        Ok(Reply::check(answer.outcome == Outcome::Answered, &answer))
    }
}
