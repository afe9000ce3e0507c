//! The run ledger: what was launched, what came of it, and which REVISE is still owed (design seed, Verdict closure;
//! spec/design-loop.md §2, §3).

pub mod event;
mod obligations;

pub use event::{Decoded, Effort, Event, Flaw, decode};
pub use obligations::{Discharged, Open, Present, Standing, Unsettled, Why, judge};
