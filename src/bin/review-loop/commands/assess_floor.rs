//! assess-floor: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::assess_floor::{Request, run};

use crate::output::Reply;
use crate::scope_flags::ScopeFlags;

/// Say the lowest risk tier that the change may have, and what made it so
#[derive(Args)]
pub(crate) struct AssessFloor {
    #[command(flatten)]
    scope: ScopeFlags,
}

impl AssessFloor {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        Ok(Reply::yes(&run(&Request { scope: self.scope.request(host)? }, host)?))
    }
}
