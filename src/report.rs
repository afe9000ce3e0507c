//! Reports: their names, the set of them in a folder, response reports, and the metrics of one round.

pub mod gate;
pub mod metrics;
pub mod name;
pub mod response;
pub mod set;
pub mod strict;
