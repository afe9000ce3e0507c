//! fingerprint-scope: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::fingerprint_scope::run;

use crate::output::Reply;
use crate::scope_flags::ScopeFlags;

/// Fingerprint what is under review, so that a verdict can be bound to it
#[derive(Args)]
pub(crate) struct FingerprintScope {
    #[command(flatten)]
    scope: ScopeFlags,
}

impl FingerprintScope {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        run(&self.scope.request(host)?, host).map(|answer| Reply::yes(&answer))
    }
}
