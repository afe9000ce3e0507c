//! The shapes of documents: one file per kind, versions inside it, and the strict reader all of them go through.
//!
//! Takes bytes, gives checked domain values, and the other way round. Knows no file.

pub mod agents_mode;
pub mod assessment;
pub mod attempts;
pub mod brief;
pub mod bundle;
pub mod checks;
pub mod criteria;
pub mod decisions;
pub mod design_ledger;
pub mod design_loop;
pub mod dispositions;
pub mod evidence;
pub mod exceptions;
pub mod export;
pub mod finding_set;
pub mod fix_journal;
pub mod gate;
pub mod history;
pub mod json;
pub mod loop_record;
pub mod plan;
pub mod policy;
pub mod pull_request;
pub mod readiness;
pub mod recurrence;
pub mod recurring;
pub mod resolution_loop;
pub mod review;
pub mod round_state;
pub mod routing;
pub mod scope;
pub mod severities;
pub mod snapshot;
pub mod summary;
pub mod surface;
pub mod wave_report;
pub mod yaml;
