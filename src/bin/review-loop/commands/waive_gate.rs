//! waive-gate: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::waive_gate::{Request, run};

use crate::output::Reply;
use crate::wave_flags::WaveFlags;

/// Skip the rest of a gate by an attributed decision, without a receipt
#[derive(Args)]
pub(crate) struct WaiveGate {
    #[command(flatten)]
    place: WaveFlags,
    /// agent or human: who decided [default: agent]
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Why, in one line
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl WaiveGate {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request { place: self.place.place(), source: self.source, reason: self.reason };
        Ok(Reply::yes(&run(&request, host)?))
    }
}
