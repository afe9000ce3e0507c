//! Scope: what is under review. Git's answers in, one list of changed files and one fingerprint out.

pub mod change;
pub mod fingerprint;
pub mod line_map;
pub mod own;
pub mod pull_request;
pub mod surface;
