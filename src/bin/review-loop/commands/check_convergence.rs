//! check-convergence: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::check_convergence::{Request, run};
use review_loop::resolution::convergence::Verdict;

use crate::loop_flags::LoopFlags;
use crate::output::Reply;

/// Say whether a loop has converged, recomputed from its files and the tree
#[derive(Args)]
pub(crate) struct CheckConvergence {
    #[command(flatten)]
    place: LoopFlags,
    /// The person ends the loop
    #[arg(long)]
    exit: bool,
    /// A cap on rounds, in place of the loop's own
    #[arg(long, value_name = "N")]
    max_rounds: Option<String>,
}

impl CheckConvergence {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request { place: self.place.place(), exit: self.exit, max_rounds: self.max_rounds };
        let (answer, ask) = run(&request, host)?;
        Ok(match ask {
            Some(ask) => Reply::ask(&answer, &ask),
            None => Reply::check(answer.decision.decision == Verdict::Converged, &answer),
        })
    }
}
