//! recover-review: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::recover_review::{Request, run};

use crate::output::Reply;
use crate::wave_flags::{DecisionFlags, WaveFlags};

/// Take a pass whose owner is provably dead off its gate, without credit
#[derive(Args)]
pub(crate) struct RecoverReview {
    #[command(flatten)]
    place: WaveFlags,
    #[command(flatten)]
    decision: DecisionFlags,
}

impl RecoverReview {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request { place: self.place.place(), source: self.decision.source, reason: self.decision.reason };
        Ok(Reply::yes(&run(&request, host)?))
    }
}
