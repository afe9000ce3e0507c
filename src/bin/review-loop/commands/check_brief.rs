//! check-brief: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::check_brief::{Request, run};

use crate::loop_flags::LoopFlags;
use crate::output::Reply;

/// Say whether a fix brief leaves nothing open, and whether what was written is what was briefed
#[derive(Args)]
pub(crate) struct CheckBrief {
    #[command(flatten)]
    place: LoopFlags,
    /// The brief
    #[arg(long, value_name = "FILE")]
    brief: Option<String>,
    /// The writing is over: compare what moved since the loop's review with the brief
    #[arg(long)]
    written: bool,
}

impl CheckBrief {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let answer = run(&Request { place: self.place.place(), brief: self.brief, written: self.written }, host)?;
        Ok(Reply::check(answer.sound, &answer))
    }
}
