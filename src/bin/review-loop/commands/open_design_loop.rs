//! open-design-loop: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::open_design_loop::{Request, run};

use crate::design_flags::{ArtifactArgs, DesignFlags};
use crate::output::Reply;

/// Open a design loop: anchors pinned, artifact and evidence frozen, round 1
#[derive(Args)]
pub(crate) struct OpenDesignLoop {
    #[command(flatten)]
    place: DesignFlags,
    /// What is to be achieved, word for word
    #[arg(long, value_name = "FILE")]
    objective_file: Option<String>,
    /// What may be changed
    #[arg(long, value_name = "FILE")]
    scope_file: Option<String>,
    /// The root cause as it was observed
    #[arg(long, value_name = "FILE")]
    runtime_root_file: Option<String>,
    /// What shows the root: a list of {kind, ref, captured_at, file}, captured in this session
    #[arg(long, value_name = "FILE")]
    root_evidence: Option<String>,
    #[command(flatten)]
    artifact: ArtifactArgs,
    /// What is new about the artifact and why
    #[arg(long, value_name = "FILE")]
    diff_file: Option<String>,
    /// How many rounds there may be [default: 3]
    #[arg(long, value_name = "N")]
    cap: Option<String>,
    /// A loop that ended without convergence, whose anchors and open blockers are taken over
    #[arg(long, value_name = "ID")]
    continues: Option<String>,
    /// What answers those blockers: a list of {of, by, text}
    #[arg(long, value_name = "FILE")]
    answers: Option<String>,
}

impl OpenDesignLoop {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            place: self.place.place(),
            objective: self.objective_file,
            scope: self.scope_file,
            runtime_root: self.runtime_root_file,
            evidence: self.root_evidence,
            artifact: self.artifact.flags(),
            diff: self.diff_file,
            cap: self.cap,
            continues: self.continues,
            answers: self.answers,
        };
        Ok(Reply::yes(&run(&request, host)?.receipt))
    }
}
