//! seal-readiness: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::seal_readiness::{Request, run};

use crate::output::Reply;

/// Judge a document's reviews and seal a receipt when it is ready
#[derive(Args)]
pub(crate) struct SealReadiness {
    /// Documents, reports, risk and requirements, a JSON document
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// The repository
    #[arg(long, value_name = "DIR")]
    repo_root: Option<String>,
    /// Where receipts lie [default: .deep-review/receipts/document-readiness of the repository]
    #[arg(long, value_name = "DIR")]
    output_dir: Option<String>,
}

impl SealReadiness {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            input: self.input,
            repo_root: self.repo_root,
            output_dir: self.output_dir,
        };
        let answer = run(&request, host)?;
        Ok(Reply::check(answer.readiness.ready, &answer))
    }
}
