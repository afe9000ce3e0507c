//! list-carryover: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::list_carryover::{Request, run};

use crate::loop_flags::LoopFlags;
use crate::output::Reply;

/// List what a loop leaves behind, with the home each decision's reach implies
#[derive(Args)]
pub(crate) struct ListCarryover {
    #[command(flatten)]
    place: LoopFlags,
}

impl ListCarryover {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        Ok(Reply::yes(&run(&Request { place: self.place.place() }, host)?))
    }
}
