//! append-event: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::append_event::{Request, run};

use crate::output::Reply;
use crate::wave_flags::WaveFlags;

/// Write one event of a wave loop down, by the list of what may be
#[derive(Args)]
pub(crate) struct AppendEvent {
    #[command(flatten)]
    place: WaveFlags,
    /// The type
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// The payload, an object
    #[arg(long, value_name = "FILE")]
    data: Option<String>,
}

impl AppendEvent {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        Ok(Reply::yes(&run(&Request { place: self.place.place(), kind: self.kind, data: self.data }, host)?))
    }
}
