//! clear-override: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::clear_override::run;

use crate::output::Reply;
use crate::wave_flags::OverrideFlags;

/// End the overrides of a gate in one scope, by an attributed decision
#[derive(Args)]
pub(crate) struct ClearOverride {
    #[command(flatten)]
    change: OverrideFlags,
}

impl ClearOverride {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        Ok(Reply::yes(&run(self.change.request(), host)?))
    }
}
