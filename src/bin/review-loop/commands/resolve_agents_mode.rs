//! resolve-agents-mode: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::resolve_agents_mode::{Request, run};

use crate::output::Reply;

/// Resolve the agents-mode settings of a project and its user, and who takes a lane
#[derive(Args)]
pub(crate) struct ResolveAgentsMode {
    /// A folder of the project [default: the current folder]
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
    /// A lane somebody is to take, such as review.pre-pr
    #[arg(long, value_name = "LANE")]
    lane: Option<String>,
    /// The line the host belongs to, which reviews nothing itself: codex or claude
    #[arg(long, value_name = "LINE")]
    host_line: Option<String>,
    /// Ask the provider of the lane for its version
    #[arg(long)]
    probe: bool,
    /// Say of each value which layer decided it
    #[arg(long)]
    explain: bool,
}

impl ResolveAgentsMode {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let ResolveAgentsMode { repo, lane, host_line, probe, explain } = self;
        Ok(Reply::yes(&run(&Request { repo, lane, host_line, probe, explain }, host)?))
    }
}
