//! check-receipt: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::check_receipt::{Request, run};

use crate::output::Reply;
use crate::wave_flags::WaveFlags;

/// Check that a gate's receipt holds for what is checked out now
#[derive(Args)]
pub(crate) struct CheckReceipt {
    #[command(flatten)]
    place: WaveFlags,
    /// A copy of the receipt [default: the loop's own]
    #[arg(long, value_name = "FILE")]
    receipt: Option<String>,
}

impl CheckReceipt {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let answer = run(&Request { place: self.place.place(), receipt: self.receipt }, host)?;
        Ok(Reply::check(answer.valid, &answer))
    }
}
