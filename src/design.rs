//! The design loop's rules: the ledger and what makes it valid, who reviewed what, when a loop may go on or end, and the run ledger in
//! which a REVISE is closed only by the lane that raised it (design seed; spec/design-loop.md). Pure: no file, clock or process.

pub mod agents_mode;
pub mod aggregate;
pub mod answer;
pub mod artifact;
pub mod gate_line;
pub mod ledger;
pub mod prompt;
pub mod record;
pub mod runs;
pub mod signals;
pub mod specific;
