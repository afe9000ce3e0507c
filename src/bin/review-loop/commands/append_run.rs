//! append-run: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::append_run::{Request, run};
use serde_json::json;

use crate::output::Reply;
use crate::run_flags::RunFlags;

/// Append one event to a run ledger, when it breaks no rule
#[derive(Args)]
pub(crate) struct AppendRun {
    /// The ledger, agent-runs.jsonl of a work item; made when it is missing
    #[arg(long, value_name = "FILE")]
    ledger: Option<String>,
    /// The folder artifacts are named from [default: the repository of the ledger]
    #[arg(long, value_name = "DIR")]
    root: Option<String>,
    /// The event, or a part of it: an object with the fields' own names
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// launch, terminal or standalone
    #[arg(long, value_name = "KIND")]
    event_kind: Option<String>,
    /// The launch that a terminal ends
    #[arg(long, value_name = "RUN_ID")]
    launch_run_id: Option<String>,
    /// The work item
    #[arg(long, value_name = "NAME")]
    work_item: Option<String>,
    /// The role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// The role it was given
    #[arg(long, value_name = "ROLE")]
    assigned_role: Option<String>,
    /// main, internal, consultant, external-worker, external-reviewer, external-brigade or none
    #[arg(long, value_name = "ROLE")]
    execution_role: Option<String>,
    /// The lane
    #[arg(long, value_name = "LANE")]
    lane: Option<String>,
    /// What is looked at; repeatable
    #[arg(long, value_name = "TEXT")]
    scope: Vec<String>,
    /// Who provides the engine
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// The model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// low, medium, high, xhigh, max or unsupported
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    #[command(flatten)]
    fields: RunFlags,
}

impl AppendRun {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let mut fields = self.fields.fields();
        let texts = [
            ("eventKind", self.event_kind),
            ("launchRunId", self.launch_run_id),
            ("workItem", self.work_item),
            ("role", self.role),
            ("assignedRole", self.assigned_role),
            ("executionRole", self.execution_role),
            ("lane", self.lane),
            ("provider", self.provider),
            ("model", self.model),
            ("effort", self.effort),
        ];
        fields.extend(texts.into_iter().filter_map(|(name, value)| Some((name, json!(value.filter(|v| !v.is_empty())?)))));
        if !self.scope.is_empty() {
            fields.push(("scope", json!(self.scope)));
        }
        Ok(Reply::yes(&run(&Request { ledger: self.ledger, root: self.root, input: self.input, fields }, host)?))
    }
}
