//! waive-gate: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::waive_gate::{Request, run};

use crate::output::Reply;
use crate::wave_flags::{DecisionFlags, WaveFlags};

/// Skip the rest of a gate by an attributed decision, without a receipt
#[derive(Args)]
pub(crate) struct WaiveGate {
    #[command(flatten)]
    place: WaveFlags,
    #[command(flatten)]
    decision: DecisionFlags,
}

impl WaiveGate {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request { place: self.place.place(), source: self.decision.source, reason: self.decision.reason };
        Ok(Reply::yes(&run(&request, host)?))
    }
}
