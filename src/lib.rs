//! The library of `review-loop`: everything in an AI code-review loop that does not need a model.
//!
//! Rooms, from the outside in: [`ops`] gathers, decides and emits, one file per command; [`wire`] owns the shapes of
//! documents and [`host`] the outside world; the rooms of rules ([`scope`], [`finding`], [`report`], [`residue`],
//! [`round`], [`resolution`], [`wave`], [`design`], [`source`], [`check`], [`drive`]) are pure; [`base`] holds the vocabulary. Imports point down only, and
//! `tests/cli/house` fails on any other edge.

pub mod base;
pub mod check;
pub mod design;
pub mod drive;
pub mod finding;
pub mod host;
pub mod ops;
pub mod report;
pub mod residue;
pub mod resolution;
pub mod round;
pub mod scope;
pub mod source;
pub mod wave;
pub mod wire;
