//! open-gate: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::open_gate::run;

use crate::output::Reply;
use crate::wave_flags::GateFlags;

/// Open a wave gate, or go on with it: policy, criteria, floor and tier bound to the scope
#[derive(Args)]
pub(crate) struct OpenGate {
    #[command(flatten)]
    gate: GateFlags,
}

impl OpenGate {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        Ok(Reply::yes(&run(&self.gate.request(host)?, host)?))
    }
}
