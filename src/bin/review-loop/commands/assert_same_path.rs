//! assert-same-path: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::assert_same_path::{Request, run};

use crate::output::Reply;

/// Check that a response answers the report it was asked about
#[derive(Args)]
pub(crate) struct AssertSamePath {
    /// The path that must be meant
    #[arg(long, value_name = "PATH")]
    expected: Option<String>,
    /// The path that is meant
    #[arg(long, value_name = "PATH")]
    actual: Option<String>,
}

impl AssertSamePath {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            expected: self.expected,
            actual: self.actual,
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
