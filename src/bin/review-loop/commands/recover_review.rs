//! recover-review: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::recover_review::{Request, run};

use crate::output::Reply;
use crate::wave_flags::WaveFlags;

/// Take a pass whose owner is provably dead off its gate, without credit
#[derive(Args)]
pub(crate) struct RecoverReview {
    #[command(flatten)]
    place: WaveFlags,
    /// agent or human: who decided [default: human]
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Why, in one line
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl RecoverReview {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request { place: self.place.place(), source: self.source, reason: self.reason };
        Ok(Reply::yes(&run(&request, host)?))
    }
}
