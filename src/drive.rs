//! Drivers: one pure `step` per loop. An action is another operation; a killed run resumes from the last state, and the
//! same loop sequenced by a skill runs the same operations.

pub mod design;
pub mod resolution;
pub mod rounds;
