//! show-gate: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::show_gate::{Request, run};

use crate::output::Reply;
use crate::wave_flags::WaveFlags;

/// Show how a gate stands and what comes next; readable while waves run
#[derive(Args)]
pub(crate) struct ShowGate {
    #[command(flatten)]
    place: WaveFlags,
}

impl ShowGate {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        Ok(Reply::yes(&run(&Request { place: self.place.place() }, host)?))
    }
}
