//! synthesize-verdict: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::synthesize_verdict::{Request, run};

use crate::output::Reply;

/// Turn reviewer attempts into one verdict, one more reviewer, or an operational failure
#[derive(Args)]
pub(crate) struct SynthesizeVerdict {
    /// The attempts, a JSON document
    #[arg(long, value_name = "FILE")]
    attempts_file: Option<String>,
    /// The plan of the round
    #[arg(long, value_name = "FILE")]
    plan_file: Option<String>,
    /// Where the expanded plan is written, should another reviewer be needed
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
    /// The answer of check-readiness --deferred
    #[arg(long, value_name = "FILE")]
    deferred_file: Option<String>,
}

impl SynthesizeVerdict {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            attempts_file: self.attempts_file,
            plan_file: self.plan_file,
            output: self.output,
            deferred_file: self.deferred_file,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
