//! show-events: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::show_events::{Request, run};

use crate::output::Reply;
use crate::wave_flags::WaveFlags;

/// Show the journal of a wave loop, or sum up every loop of the checkout
#[derive(Args)]
pub(crate) struct ShowEvents {
    #[command(flatten)]
    place: WaveFlags,
    /// Sum up every loop of the checkout
    #[arg(long)]
    summary: bool,
}

impl ShowEvents {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        Ok(Reply::yes(&run(&Request { place: self.place.place(), summary: self.summary }, host)?))
    }
}
