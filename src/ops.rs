//! Operations: one file per command, each gathers what it needs, lets pure rules decide, and emits the answer.
//!
//! Takes a request of plain values and a [`Host`](crate::host::Host), gives a value that serialises or a
//! [`Fail`](crate::base::Fail). Drivers call the same functions as commands do.

pub mod answer_stop_hook;
pub mod append_event;
pub mod append_run;
pub mod assert_same_path;
pub mod assess_floor;
pub mod check_brief;
pub mod check_convergence;
pub mod check_conveyance;
pub mod check_design_artifact;
pub mod check_design_ledger;
pub mod check_drift;
pub mod check_readiness;
pub mod check_receipt;
pub mod check_runs;
pub mod check_scope;
pub mod checkout;
pub mod cleanup_residue;
pub mod clear_override;
pub mod close_design_loop;
pub mod close_wave;
pub mod collect_metrics;
pub mod compare_rounds;
pub mod compile_wave;
pub mod complete_design_round;
pub mod contents;
pub mod decide_round;
pub mod design_loop;
pub mod detect_scope;
pub mod diagnose_churn;
pub mod expand_loop_args;
pub mod export_findings;
pub mod fail_lane;
pub mod fingerprint_scope;
pub mod gather;
pub mod harvest_intent;
pub mod list_carryover;
pub mod list_sources;
pub mod match_findings;
pub mod normalize_agents_mode;
pub mod open_design_loop;
pub mod open_design_round;
pub mod open_gate;
pub mod open_resolution;
pub mod open_wave;
pub mod parse_findings;
pub mod parse_response;
pub mod plan_round;
pub mod provider;
pub mod publish;
pub mod pull_request;
pub mod read_answer;
pub mod read_gate_line;
pub mod record_decision;
pub mod record_disposition;
pub mod record_lane;
pub mod record_round;
pub mod recover_review;
pub mod render_prior_context;
pub mod render_prompt;
pub mod render_session_doc;
pub mod render_trace;
pub mod resolution;
pub mod resolve_agents_mode;
pub mod resolve_policy;
pub mod resolve_round_report;
pub mod respond_fix;
pub mod retry_lane;
pub mod review_checks;
pub mod revisions;
pub mod run_check;
pub mod run_design;
pub mod run_ledger;
pub mod run_loop;
pub mod run_resolution;
pub mod run_source;
pub mod run_waves;
pub mod sameness;
pub mod seal_criteria;
pub mod seal_readiness;
pub mod select_tier;
pub mod set_override;
pub mod settle_run;
pub mod show_events;
pub mod show_gate;
pub mod show_status;
pub mod snapshot_reports;
pub mod start_lane;
pub mod summarize_loop;
pub mod surface;
pub mod synthesize_verdict;
pub mod track_recurrence;
pub mod waive_gate;
pub mod wave;

use serde::Serialize;

/// Which loop of a checkout is meant, where its state lies below the state root.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// A folder of the checkout.
    pub repo: Option<String>,
    /// The root of all state.
    pub state_dir: Option<String>,
    /// The loop; without one that of the branch, where the kind of loop has one.
    pub loop_id: Option<String>,
}

/// A question for a person, printed as `ask` at exit 3.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ask {
    /// What kind of question it is.
    pub code: &'static str,
    /// The question in one sentence.
    pub question: String,
    /// The answers that are open.
    pub options: Vec<Choice>,
}

/// One answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// What the caller hands back.
    pub id: &'static str,
    /// What it means.
    pub label: String,
}

impl Ask {
    /// A question with its answers.
    pub fn new(code: &'static str, question: impl Into<String>, options: &[(&'static str, &str)]) -> Ask {
        let options = options.iter().map(|(id, label)| Choice { id, label: (*label).to_owned() }).collect();
        Ask { code, question: question.into(), options }
    }
}
