//! plan-round: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::plan_round::{Request, assignment, run};

use crate::output::Reply;

/// Plan one round: cap, arguments, reviewers, and what the review will read
#[derive(Args)]
pub(crate) struct PlanRound {
    /// The round, from 1
    #[arg(long, value_name = "N")]
    round_number: Option<String>,
    /// The loop; minted and echoed when left out
    #[arg(long, value_name = "ID")]
    loop_id: Option<String>,
    /// The folder of round states; earlier rounds are read from it
    #[arg(long, value_name = "DIR")]
    state_dir: Option<String>,
    /// A JSON array of the loop's argument tokens [default: none]
    #[arg(long, value_name = "FILE")]
    args_file: Option<String>,
    /// document or implementation [default: implementation]
    #[arg(long, value_name = "PHASE")]
    artifact_phase: Option<String>,
    /// low, medium, high or critical; never falls below an earlier round's [default: medium]
    #[arg(long, value_name = "RISK")]
    risk: Option<String>,
    /// The documents are requirements or tests without an implementation plan
    #[arg(long)]
    requirements: bool,
    /// The reviewers that can be called here, comma separated [default: all]
    #[arg(long, value_name = "IDS")]
    available: Option<String>,
    /// The last round reported Codex unavailable
    #[arg(long)]
    codex_unavailable: bool,
    /// The prior context for the reviewers; left out with a warning when it fails its check
    #[arg(long, value_name = "FILE")]
    prior_rounds_file: Option<String>,
    /// The checkout whose surface is captured
    #[arg(long, value_name = "DIR")]
    repo_root: Option<String>,
    /// What the review compares with: 7 to 64 hex digits
    #[arg(long, value_name = "OID")]
    base_commit: Option<String>,
    /// Where the plan is written: a file, or a folder for loop-ID-round-N.plan.json; the surface's objects go beside it
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
    /// Capture no surface
    #[arg(long)]
    no_surface: bool,
    /// Print one reviewer's own assignment out of this plan, and nothing else
    #[arg(long, value_name = "FILE", requires = "reviewer")]
    plan_file: Option<String>,
    /// With --plan-file: whose assignment
    #[arg(long, value_name = "ID", requires = "plan_file")]
    reviewer: Option<String>,
}

impl PlanRound {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        if let (Some(plan), Some(reviewer)) = (&self.plan_file, &self.reviewer) {
            return assignment(host, plan, reviewer).map(|seat| Reply::yes(&seat));
        }
        let request = Request {
            round_number: self.round_number,
            loop_id: self.loop_id,
            state_dir: self.state_dir,
            args_file: self.args_file,
            artifact_phase: self.artifact_phase,
            risk: self.risk,
            requirements: self.requirements,
            available: self.available,
            codex_unavailable: self.codex_unavailable,
            prior_rounds_file: self.prior_rounds_file,
            repo_root: self.repo_root,
            base_commit: self.base_commit,
            output: self.output,
            no_surface: self.no_surface,
            own: Vec::new(),
        };
        run(&request, host).map(|answer| Reply::yes(&answer))
    }
}
