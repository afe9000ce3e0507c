//! complete-design-round: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::complete_design_round::{Request, run};

use crate::design_flags::DesignFlags;
use crate::output::Reply;

/// Aggregate a round, fail-closed, and complete it when every lane is in
#[derive(Args)]
pub(crate) struct CompleteDesignRound {
    #[command(flatten)]
    place: DesignFlags,
    /// The round [default: the last]
    #[arg(long, value_name = "N")]
    round: Option<String>,
    /// What the findings of the scout come to: a list of {finding, disposition, basis}
    #[arg(long, value_name = "FILE")]
    reconciliation: Option<String>,
}

impl CompleteDesignRound {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let answer = run(&Request { place: self.place.place(), round: self.round, reconciliation: self.reconciliation }, host)?;
        Ok(Reply::check(answer.clean, &answer))
    }
}
