//! detect-scope: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::detect_scope::run;

use crate::output::Reply;
use crate::scope_flags::ScopeFlags;

/// Say what is under review: kind, base, head and every changed file
#[derive(Args)]
pub(crate) struct DetectScope {
    #[command(flatten)]
    scope: ScopeFlags,
}

impl DetectScope {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let answer = run(&self.scope.request(host)?, host)?;
        Ok(match answer.ask() {
            Some(ask) => Reply::ask(&answer, &ask),
            None => Reply::yes(&answer),
        })
    }
}
