//! settle-run: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::read_gate_line;
use review_loop::ops::settle_run::{Request, run};

use crate::output::Reply;
use crate::run_flags::RunFlags;

/// Append the terminal of a launch, with the launch's own fields
#[derive(Args)]
pub(crate) struct SettleRun {
    /// The ledger
    #[arg(long, value_name = "FILE")]
    ledger: Option<String>,
    /// The folder artifacts are named from [default: the repository of the ledger]
    #[arg(long, value_name = "DIR")]
    root: Option<String>,
    /// The launch
    #[arg(long, value_name = "RUN_ID")]
    launch: Option<String>,
    /// Read status and gate from the run's result, as read-gate-line does
    #[arg(long, value_name = "FILE")]
    result: Option<String>,
    /// The run's error stream, beside --result
    #[arg(long, value_name = "FILE")]
    errors: Option<String>,
    /// The run's exit status, beside --result
    #[arg(long, value_name = "N")]
    exit_code: Option<String>,
    #[command(flatten)]
    fields: RunFlags,
}

impl SettleRun {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let SettleRun { ledger, root, launch, result, errors, exit_code, fields } = self;
        let outcome = result.is_some().then_some(read_gate_line::Request { result, errors, exit_code });
        Ok(Reply::yes(&run(&Request { ledger, root, launch, outcome, fields: fields.fields() }, host)?))
    }
}
