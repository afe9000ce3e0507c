//! The vocabulary of the product: ids, digests, paths, times, severities, verdicts, reason codes, failures.
//!
//! Takes strings and numbers, gives checked values. Nothing here reads a file, a clock or the environment.

pub mod canon;
pub mod case;
pub mod digest;
pub mod fail;
pub mod id;
pub mod number;
pub mod path;
pub mod reason;
pub mod severity;
pub mod time;
pub mod verdict;

pub use fail::{Code, Fail, Kind};
