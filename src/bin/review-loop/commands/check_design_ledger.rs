//! check-design-ledger: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::check_design_ledger::{Request, run};

use crate::output::Reply;

/// Check the ledger of a design loop, every violation at once
#[derive(Args)]
pub(crate) struct CheckDesignLedger {
    /// The ledger: JSON or YAML, of version 1, 2 or 3
    #[arg(long, value_name = "FILE")]
    ledger: Option<String>,
    /// How many rounds a loop may have [default: 3, or the ledger's own]
    #[arg(long, value_name = "N")]
    cap: Option<String>,
    /// Let soundness decide too: order, contradictions, reconciliation, identical re-dispatch
    #[arg(long)]
    strict: bool,
    /// Demand that the loop has ended
    #[arg(long)]
    require_terminal: bool,
    /// Prove each rule on a record that holds and on one that breaks it
    #[arg(long)]
    self_test: bool,
}

impl CheckDesignLedger {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let CheckDesignLedger { ledger, cap, strict, require_terminal, self_test } = self;
        let answer = run(&Request { ledger, cap, strict, require_terminal, self_test }, host)?;
        Ok(Reply::check(answer.valid, &answer))
    }
}
