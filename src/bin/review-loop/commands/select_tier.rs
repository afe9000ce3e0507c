//! select-tier: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::select_tier::{Request, run};

use crate::output::Reply;
use crate::scope_flags::ScopeFlags;

/// Select the risk tier of the change, never below its floor
#[derive(Args)]
pub(crate) struct SelectTier {
    #[command(flatten)]
    scope: ScopeFlags,
    /// The assessed tier: small, normal or complex
    #[arg(long, value_name = "TIER")]
    tier: Option<String>,
    /// The assessor's reasons, comma-separated
    #[arg(long, value_name = "CODES")]
    reason_codes: Option<String>,
    /// lifecycle-agent, lifecycle-assessor or standalone-assessor [default: standalone-assessor]
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// What seal-criteria printed, or standalone [default: standalone]
    #[arg(long, value_name = "HASH")]
    criteria_binding: Option<String>,
    /// The tier that was selected before: it never falls
    #[arg(long, value_name = "TIER")]
    current: Option<String>,
    /// Its reason codes
    #[arg(long, value_name = "CODES")]
    current_reason_codes: Option<String>,
}

impl SelectTier {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            scope: self.scope.request(host)?,
            tier: self.tier,
            reason_codes: self.reason_codes,
            source: self.source,
            criteria_binding: self.criteria_binding,
            current: self.current,
            current_reason_codes: self.current_reason_codes,
        };
        Ok(Reply::yes(&run(&request, host)?))
    }
}
