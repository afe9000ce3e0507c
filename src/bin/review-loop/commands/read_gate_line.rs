//! read-gate-line: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::read_gate_line::{Request, run};

use crate::output::Reply;

/// Read what a finished run comes to: its status, gate and token
#[derive(Args)]
pub(crate) struct ReadGateLine {
    /// The run's result: its last message
    #[arg(long, value_name = "FILE")]
    result: Option<String>,
    /// Its error stream
    #[arg(long, value_name = "FILE")]
    errors: Option<String>,
    /// Its exit status
    #[arg(long, value_name = "N")]
    exit_code: Option<String>,
}

impl ReadGateLine {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let reading = run(&Request { result: self.result, errors: self.errors, exit_code: self.exit_code }, host)?;
        Ok(Reply::check(reading.is_verdict(), &reading))
    }
}
