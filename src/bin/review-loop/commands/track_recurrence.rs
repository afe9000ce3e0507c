//! track-recurrence: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::track_recurrence::{Request, run};

use crate::loop_flags::LoopFlags;
use crate::output::Reply;

/// Say what each finding's return means, by what was conveyed and what landed
#[derive(Args)]
pub(crate) struct TrackRecurrence {
    #[command(flatten)]
    place: LoopFlags,
    /// For every finding of the round the identity it is known by, or null
    #[arg(long, value_name = "FILE")]
    links: Option<String>,
    /// For identities that came back informed, what their return comes from
    #[arg(long, value_name = "FILE")]
    diagnoses: Option<String>,
}

impl TrackRecurrence {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request { place: self.place.place(), links: self.links, diagnoses: self.diagnoses };
        Ok(Reply::yes(&run(&request, host)?))
    }
}
