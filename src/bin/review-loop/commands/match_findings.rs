//! match-findings: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::match_findings::{Request, run};

use crate::output::Reply;

/// Say who is who between the findings of two rounds, and what became of the others
#[derive(Args)]
pub(crate) struct MatchFindings {
    /// The findings of the round before: {"findings":[…]}
    #[arg(long, value_name = "FILE")]
    previous: Option<String>,
    /// The findings of this round
    #[arg(long, value_name = "FILE")]
    current: Option<String>,
    /// The checkout; with both revisions
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
    /// The commit or tree the previous round read
    #[arg(long, value_name = "REV")]
    previous_rev: Option<String>,
    /// The commit or tree this round read, or WORKTREE
    #[arg(long, value_name = "REV")]
    current_rev: Option<String>,
    /// A folder of objects beside the repository's, such as objects of a state folder; repeatable
    #[arg(long, value_name = "DIR")]
    objects: Vec<String>,
    /// Links that an agent asserts or forbids: [{"previous","current","same"}]
    #[arg(long, value_name = "FILE")]
    links: Option<String>,
}

impl MatchFindings {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            previous: self.previous,
            current: self.current,
            repo: self.repo,
            previous_rev: self.previous_rev,
            current_rev: self.current_rev,
            objects: self.objects,
            links: self.links,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
