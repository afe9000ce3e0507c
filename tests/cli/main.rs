//! The binary end to end, the house rules, and the worked inputs.
#![allow(missing_docs, unreachable_pub, reason = "tests are read by their names")]
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail loudly")]

mod churn;
mod clients;
mod design;
mod docs;
mod export;
mod faults;
mod flows;
mod fuzz;
mod golden;
mod house;
mod intent;
mod kit;
mod ledgers;
mod matching;
mod nine;
mod planning;
mod readiness;
mod reports;
mod resolution;
mod responses;
mod run_design;
mod run_loop;
mod run_resolution;
mod sameness;
mod scope;
mod skills;
mod sources;
mod trust;
mod waves;
