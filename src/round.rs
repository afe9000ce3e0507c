//! Rounds: what one round is, how two compare, what the next reviewer is told, when the loop stops.

pub mod arguments;
pub mod compare;
pub mod disposition;
pub mod gone;
pub mod history;
pub mod lineage;
pub mod matching;
pub mod plan;
pub mod prior;
pub mod readiness;
pub mod record;
pub mod sameness;
pub mod session;
pub mod slug;
pub mod stop;
pub mod summary;
pub mod synthesis;
