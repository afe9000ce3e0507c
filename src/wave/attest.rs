//! Bindings and attestations: which pass, on what, with which evidence. An [`Attested`] pass can only be made from checked evidence, and
//! only an attested one is credited.
//!
//! Source: waves spec §7, §20.

use serde_json::{Value, json};

use super::evidence::Checked;
use super::tier::Profile;
use crate::base::canon::canonical;
use crate::base::digest::sha256_hex;

/// What a pass is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bindings {
    /// The pass.
    pub pass_id: String,
    /// Of the scope it reviews.
    pub scope_fingerprint: String,
    /// Of the criteria, or `standalone`.
    pub criteria: String,
    /// Of the policy.
    pub policy: String,
}

impl Bindings {
    /// The binding of the pass.
    pub fn pass(&self) -> String {
        let parts = ["dex-review-pass-v1", &self.pass_id, &self.scope_fingerprint, &self.criteria, &self.policy];
        sha256_hex(&canonical(&Value::Array(parts.iter().map(|p| json!(p)).collect())))
    }
}

/// A pass whose evidence was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attested {
    pass_binding: String,
    attestation: String,
}

impl Attested {
    /// The binding of the pass.
    pub fn pass_binding(&self) -> &str {
        &self.pass_binding
    }

    /// The attestation.
    pub fn attestation(&self) -> &str {
        &self.attestation
    }
}

/// Attests checked evidence.
pub fn attest(bindings: &Bindings, profile: Profile, checked: &Checked, evidence: &[u8], context: &[u8]) -> Attested {
    let pass_binding = bindings.pass();
    let attestation = attestation(&pass_binding, checked.result(), profile, checked.findings_hash(), evidence, context);
    Attested { pass_binding, attestation }
}

fn attestation(pass_binding: &str, result: &str, profile: Profile, findings_hash: &str, evidence: &[u8], context: &[u8]) -> String {
    let (evidence, context) = (sha256_hex(evidence), sha256_hex(context));
    let parts = ["dex-review-attestation-v1", pass_binding, result, profile.word(), findings_hash, &evidence, &context];
    sha256_hex(&canonical(&Value::Array(parts.iter().map(|p| json!(p)).collect())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_golden_vectors_hold() {
        let bindings = Bindings {
            pass_id: "20260101T000000Z_1_deadbeef".into(),
            scope_fingerprint: "b4743af6fdc3e3c5db53535339fd5426b65279a9100f12b06981f3eff318e752".into(),
            criteria: "standalone".into(),
            policy: "2bce689e96dcf9f9fd7b327d314c9210cea8d108abd74e27d3163311d1501ca6".into(),
        };
        assert_eq!(bindings.pass(), "d7c7177bdd529b06ea7ad72d7afdc74b9379bb96b846bbbfed96c4f38126134d");
        let golden = attestation(&"ab".repeat(32), "CLEAN", Profile::Light, "a3395601ed5265fe", b"e\n", b"c\n");
        assert_eq!(golden, "33e344528df6621c5149de087a45fdfd0e1b87a2f53d08cc0c91cfb05c9fd283");
    }

    #[test]
    fn another_pass_or_policy_is_another_binding() {
        let bindings = |pass: &str, policy: &str| {
            Bindings { pass_id: pass.into(), scope_fingerprint: "s".into(), criteria: "standalone".into(), policy: policy.into() }.pass()
        };
        assert!(bindings("a", "p") != bindings("b", "p") && bindings("a", "p") != bindings("a", "q"));
    }
}
