//! set-override: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::set_override::{Request, run};

use crate::output::Reply;
use crate::wave_flags::OverrideFlags;

/// Change a number of the gate for a while, by an attributed decision
#[derive(Args)]
pub(crate) struct SetOverride {
    #[command(flatten)]
    change: OverrideFlags,
    /// The value
    #[arg(value_name = "VALUE")]
    value: Option<String>,
    /// How long it holds, in seconds [default: until it is cleared]
    #[arg(long, value_name = "N")]
    for_seconds: Option<String>,
}

impl SetOverride {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request { value: self.value, for_seconds: self.for_seconds, ..self.change.request() };
        Ok(Reply::yes(&run(&request, host)?))
    }
}
