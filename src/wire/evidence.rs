//! What a wave publishes: the manifest, and the completion that ties it to context, result and generation (schema 1, with a mac).

use serde::{Deserialize, Serialize};

use super::json::{parse, shaped};
use crate::base::Fail;
use crate::wave::churn::Key;
use crate::wave::evidence::Manifest;

/// A completion: the last thing that a wave writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Completion {
    /// Always 1.
    pub schema_version: u64,
    /// The wave's session.
    pub session_id: String,
    /// Its pass.
    pub pass_id: String,
    /// The generation it completes.
    pub generation: String,
    /// The line of the result.
    pub result: String,
    /// The hash of its findings.
    pub findings_hash: String,
    /// Their keys.
    pub keys: Vec<Key>,
    /// SHA-256 of `evidence.json`.
    pub evidence_sha256: String,
    /// SHA-256 of `context.md`.
    pub context_sha256: String,
    /// Of the working tree it was compiled on.
    pub working_fingerprint: String,
    /// When, ISO 8601 UTC.
    pub completed_at: String,
}

/// Reads a manifest; its version is for the rules to judge.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`.
pub fn manifest(bytes: &[u8]) -> Result<Manifest, Fail> {
    shaped(parse(bytes)?)
}
