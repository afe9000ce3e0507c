//! The flags that say what an event of the run ledger holds, for append-run and settle-run.

use clap::Args;
use serde_json::{Value, json};

/// Fields of an event; each flag is the field of the same name.
#[derive(Args)]
pub(crate) struct RunFlags {
    /// planned, running, completed, revise, blocked or cancelled
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// PASS, REVISE, BLOCKED:dependency, BLOCKED:prerequisite, advisory, none, WAIVED:user, WAIVED:security-reviewer or RETURN(ROLE)
    #[arg(long, value_name = "GATE")]
    gate: Option<String>,
    /// What was reviewed: a path relative to the ledger's folder or the repository
    #[arg(long, value_name = "PATH")]
    artifact: Option<String>,
    /// The revision of what was reviewed
    #[arg(long, value_name = "REVISION")]
    artifact_revision: Option<String>,
    /// A REVISE that this closes; repeatable
    #[arg(long, value_name = "RUN_ID")]
    closes: Vec<String>,
    /// KIND:REF, the kind one of command, artifact, visual, review, manual-check, log; repeatable
    #[arg(long, value_name = "KIND:REF")]
    evidence: Vec<String>,
    /// publication-safety, security, correctness, performance, other or legacy-unclassified
    #[arg(long, value_name = "CLASS")]
    finding_class: Option<String>,
    /// inline-sufficient or design-decision
    #[arg(long, value_name = "CLASS")]
    fix_class: Option<String>,
    /// Who wrote how to fix it: a run id or a lane
    #[arg(long, value_name = "WHO")]
    how_author: Option<String>,
    /// Whose verdict verifies the fix: a run id or a lane
    #[arg(long, value_name = "WHO")]
    verifier: Option<String>,
    /// Words beside it
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
    /// The event's id [default: made from time and role, a terminal's from its launch]
    #[arg(long, value_name = "RUN_ID")]
    run_id: Option<String>,
}

impl RunFlags {
    pub(crate) fn fields(self) -> Vec<(&'static str, Value)> {
        let evidence = |text: String| {
            let (kind, reference) = text.split_once(':').unwrap_or((&text, ""));
            json!({"kind": kind, "ref": reference})
        };
        let texts = [
            ("status", self.status),
            ("gate", self.gate),
            ("artifact", self.artifact),
            ("artifactRevision", self.artifact_revision),
            ("findingClass", self.finding_class),
            ("fixClass", self.fix_class),
            ("howAuthor", self.how_author),
            ("verifier", self.verifier),
            ("notes", self.notes),
            ("runId", self.run_id),
        ];
        let texts = texts.into_iter().filter_map(|(name, value)| Some((name, json!(value.filter(|v| !v.is_empty())?))));
        let closes = (!self.closes.is_empty()).then(|| ("closesRunIds", json!(self.closes)));
        let listed: Vec<Value> = self.evidence.into_iter().map(evidence).collect();
        let evidence = (!listed.is_empty()).then(|| ("evidence", json!(listed)));
        texts.chain(closes).chain(evidence).collect()
    }
}
