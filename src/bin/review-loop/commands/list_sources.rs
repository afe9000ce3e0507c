//! list-sources: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::list_sources::{Request, run};

use crate::output::Reply;

/// Say which sources can review here and why others cannot, and choose one
#[derive(Args)]
pub(crate) struct ListSources {
    /// Choose the named source, or the only one there is
    #[arg(long, value_name = "NAME", num_args = 0..=1)]
    choose: Option<Option<String>>,
    /// The host of the agent that asks has a built-in review (code-review), which the agent runs itself
    #[arg(long)]
    host_review: bool,
}

impl ListSources {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let (answer, ask) = run(&Request { choose: self.choose, host_review: self.host_review }, host)?;
        Ok(match ask {
            Some(ask) => Reply::ask(&answer, &ask),
            None => Reply::yes(&answer),
        })
    }
}
