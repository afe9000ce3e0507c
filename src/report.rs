//! Reports: their names, the set of them in a folder, response reports, and the metrics of one round.

pub mod metrics;
pub mod name;
pub mod response;
pub mod set;
