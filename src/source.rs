//! Sources: the programs that review, what they printed, and what that comes to.
//!
//! Takes streams and facts about a run, gives outcomes; it starts nothing and reads no file.

pub mod adapter;
pub mod answer;
pub mod bundle;
mod claude;
mod codex;
pub mod conveyance;
pub mod coverage;
pub mod intent;
pub mod printed;
pub mod prompt;
pub mod shell;
mod stderr;
