//! record-disposition: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::record_disposition::{Request, run};

use crate::loop_flags::LoopFlags;
use crate::output::Reply;

/// Keep what became of every finding of a round
#[derive(Args)]
pub(crate) struct RecordDisposition {
    #[command(flatten)]
    place: LoopFlags,
    /// The entries, one for each finding
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// Take the place of what was recorded for this round
    #[arg(long)]
    replace: bool,
    /// Keep the entries for later; the round stays open until every finding has one
    #[arg(long)]
    draft: bool,
}

impl RecordDisposition {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let answer = run(&Request { place: self.place.place(), input: self.input, replace: self.replace, draft: self.draft }, host)?;
        Ok(Reply::check(answer.violations.is_empty(), &answer))
    }
}
