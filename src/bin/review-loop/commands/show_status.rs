//! show-status: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::show_status::{Request, run};

use crate::loop_flags::LoopFlags;
use crate::output::Reply;

/// Show where loops stand and what comes next, from their files alone
#[derive(Args)]
pub(crate) struct ShowStatus {
    #[command(flatten)]
    place: LoopFlags,
}

impl ShowStatus {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        Ok(Reply::yes(&run(&Request { place: self.place.place() }, host)?))
    }
}
