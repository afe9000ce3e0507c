//! Waves: the risk-tiered clean gate, as pure rules over records.
//!
//! Independent reviews in fresh sessions until the tier's number of consecutive clean ones is reached. Source: the wave-review seed;
//! waves spec, generation S with the report compiler of N1.

pub mod attest;
pub mod churn;
pub mod control;
pub mod criteria;
pub mod evidence;
pub mod floor;
pub mod gate;
pub mod hook;
pub mod journal;
pub mod policy;
pub mod prompt;
pub mod recorded;
pub mod report;
pub mod resume;
pub mod signal;
pub mod tier;
