//! check-design-artifact: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::check_design_artifact::{Request, run};

use crate::output::Reply;

/// Check that a fix-design artifact has its six parts, all missing ones at once
#[derive(Args)]
pub(crate) struct CheckDesignArtifact {
    /// The artifact
    #[arg(long, value_name = "FILE")]
    artifact_file: Option<String>,
}

impl CheckDesignArtifact {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let answer = run(&Request { file: self.artifact_file }, host)?;
        Ok(Reply::check(answer.valid, &answer))
    }
}
