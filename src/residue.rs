//! Residue: what crashed loops leave behind, whose it is, and what may be swept.

pub mod liveness;
pub mod owner;
pub mod sweep;
