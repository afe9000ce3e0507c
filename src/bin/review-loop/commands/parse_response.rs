//! parse-response: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::parse_response::{Request, run};

use crate::output::Reply;

/// Read a response report: items, decisions, counts, contradictions
#[derive(Args)]
pub(crate) struct ParseResponse {
    /// The response report
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
}

impl ParseResponse {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let answer = run(&Request { input: self.input }, host)?;
        Ok(Reply::check(answer.contradictions.is_empty(), &answer))
    }
}
