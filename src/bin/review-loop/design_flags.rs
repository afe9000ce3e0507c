//! The flags that the commands of a design loop share.

use clap::Args;
use review_loop::ops::design_loop::runs::Flags;
use review_loop::ops::design_loop::{ArtifactFlags, Place};

/// Which loop and which operation.
#[derive(Args)]
pub(crate) struct DesignFlags {
    /// A folder of the repository [default: the current folder]
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
    /// Where design loops lie [default: .scratch/reviews of the repository]
    #[arg(long, value_name = "DIR")]
    reviews_dir: Option<String>,
    /// The loop
    #[arg(long, value_name = "ID")]
    loop_id: Option<String>,
    /// The operation: repeated with the same input it gives its stored receipt [default: a fresh one]
    #[arg(long, value_name = "ID")]
    operation_id: Option<String>,
}

impl DesignFlags {
    pub(crate) fn place(self) -> Place {
        Place { repo: self.repo, reviews_dir: self.reviews_dir, loop_id: self.loop_id, operation_id: self.operation_id }
    }
}

/// What is reviewed.
#[derive(Args)]
pub(crate) struct ArtifactArgs {
    /// The fix-design artifact, which is frozen
    #[arg(long, value_name = "FILE")]
    artifact_file: Option<String>,
    /// A commit that holds it, instead
    #[arg(long, value_name = "REV")]
    git_revision: Option<String>,
    /// Its path in that commit
    #[arg(long, value_name = "PATH")]
    artifact_path: Option<String>,
}

impl ArtifactArgs {
    pub(crate) fn flags(self) -> ArtifactFlags {
        ArtifactFlags { file: self.artifact_file, revision: self.git_revision, path: self.artifact_path }
    }
}

/// The run ledger beside it.
#[derive(Args)]
pub(crate) struct RunsArgs {
    /// A run ledger to write launch and terminal into
    #[arg(long, value_name = "FILE")]
    runs: Option<String>,
    /// The work item there [default: the loop]
    #[arg(long, value_name = "NAME")]
    work_item: Option<String>,
    /// The role there [default: design-reviewer]
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
}

impl RunsArgs {
    pub(crate) fn flags(self) -> Flags {
        Flags { ledger: self.runs, work_item: self.work_item, role: self.role }
    }
}

/// Which attempt of which lane.
#[derive(Args)]
pub(crate) struct LaneArgs {
    /// The round [default: the last]
    #[arg(long, value_name = "N")]
    pub(crate) round: Option<String>,
    /// surgical, deep, scout or model
    #[arg(long, value_name = "LANE")]
    pub(crate) lane: Option<String>,
    /// The attempt
    #[arg(long, value_name = "ID")]
    pub(crate) attempt_id: Option<String>,
}
