//! open-design-round: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::open_design_round::{Request, run};

use crate::design_flags::{ArtifactArgs, DesignFlags};
use crate::output::Reply;

/// Open the next round of a design loop on a revised artifact
#[derive(Args)]
pub(crate) struct OpenDesignRound {
    #[command(flatten)]
    place: DesignFlags,
    #[command(flatten)]
    artifact: ArtifactArgs,
    /// What changed and why
    #[arg(long, value_name = "FILE")]
    diff_file: Option<String>,
    /// What answers each open blocker and finding: a list of {of, by, text}
    #[arg(long, value_name = "FILE")]
    answers: Option<String>,
    /// A lane that is reviewed again, for a delta round; repeatable [default: all, a full round]
    #[arg(long = "affected-lane", value_name = "LANE")]
    affected: Vec<String>,
}

impl OpenDesignRound {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            place: self.place.place(),
            artifact: self.artifact.flags(),
            diff: self.diff_file,
            answers: self.answers,
            affected: self.affected,
        };
        Ok(Reply::yes(&run(&request, host)?.receipt))
    }
}
