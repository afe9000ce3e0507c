//! The documents of a gate: its one state file, the pass it issued, and its receipt (schema 1 each).
//!
//! State and receipt end with `mac`, an HMAC-SHA-256 by the loop's own key over the canonical bytes of all other fields.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::{parse, shaped, typed};
use crate::base::canon::canonical;
use crate::base::digest::is_sha256;
use crate::base::reason::words;
use crate::base::{Code, Fail};
use crate::wave::attest::Bindings;
use crate::wave::churn::Fixed;
use crate::wave::criteria::STANDALONE;
use crate::wave::gate::Pause;
use crate::wave::policy::Passes;
use crate::wave::resume::Bound;
use crate::wave::tier::{Profile, ReasonCode, Selection, Tier, check};

words! {
    /// How a gate stands.
    Status {
        Open "open",
        Paused "paused",
        Completed "completed",
        Waived "waived",
    }
}

/// The policy of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The numbers.
    pub passes: Passes,
    /// What they are bound by.
    pub policy_binding: String,
    /// The trusted ref; none before the first commit.
    #[serde(rename = "ref")]
    pub trusted_ref: Option<String>,
    /// Its commit: the declared checks are read from it as long as the gate is open.
    pub oid: Option<String>,
    /// How many waves a loop may spend.
    pub wave_budget: Option<u64>,
    /// Globs of sensitive paths.
    pub sensitive: Vec<String>,
}

/// Why a gate stands still.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paused {
    /// The normalised reason.
    pub reason: Pause,
    /// Which binding differed, or what the wave said, as far as it may be said.
    pub detail: Option<String>,
}

/// A decision to skip the gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    /// Who decided.
    pub source: crate::wave::control::Source,
    /// Why.
    pub reason: String,
    /// When, ISO 8601 UTC.
    pub at: String,
}

/// Who runs a wave, so that a dead one can be told from a slow one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owner {
    /// The process.
    pub pid: u32,
    /// When it started, in milliseconds since 1970.
    pub started_ms: i64,
    /// Clock ticks since boot at which it started, where the system tells.
    pub started_ticks: Option<u64>,
    /// The kernel's id of the boot.
    pub boot_id: Option<String>,
    /// The pid namespace.
    pub pid_namespace: Option<String>,
    /// Hash of the host's name.
    pub host_hash: String,
}

/// A pass that was issued.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// Always 1.
    pub schema_version: u64,
    /// The wave's session.
    pub session_id: String,
    /// The loop it belongs to.
    pub loop_id: String,
    /// Its id.
    pub pass_id: String,
    /// What completes it.
    pub generation: String,
    /// When it was issued, in milliseconds since 1970.
    pub issued_ms: i64,
    /// Its profile.
    pub profile: Profile,
    /// The scope as it stood.
    pub bound: Bound,
    /// What is compared with; none for the default branch.
    pub base: Option<String>,
    /// Our own folders inside the checkout.
    pub own: Vec<String>,
    /// Of the criteria, or `standalone`.
    pub criteria_binding: String,
    /// Of the policy.
    pub policy_binding: String,
    /// The commit that the declared checks are read from.
    pub checks_oid: Option<String>,
    /// Seconds it may take unless an override says otherwise; 0 is no limit.
    pub limit_s: u64,
    /// Where its parent looks for programs: declared checks are run by these, whatever the wave makes of its own variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_path: Option<String>,
}

impl Pass {
    /// What it is bound to.
    pub fn bindings(&self) -> Bindings {
        Bindings {
            pass_id: self.pass_id.clone(),
            scope_fingerprint: self.bound.scope_fingerprint.clone(),
            criteria: self.criteria_binding.clone(),
            policy: self.policy_binding.clone(),
        }
    }
}

/// A credited clean pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The number of its wave in the loop.
    pub iteration: u64,
    /// The pass.
    pub pass_id: String,
    /// Its profile.
    pub profile: Profile,
    /// Of the scope it reviewed.
    pub scope_fingerprint: String,
    /// Of the criteria, or `standalone`.
    pub criteria_binding: String,
    /// Of the policy.
    pub policy_binding: String,
    /// Of the pass.
    pub pass_binding: String,
    /// Over manifest, context, result, profile and findings.
    pub attestation: String,
}

/// A gate's receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// Always 1.
    pub schema_version: u64,
    /// The loop.
    pub loop_id: String,
    /// `completed`, or `waived` where fewer passes were required than the policy asks for.
    pub outcome: Status,
    /// When, ISO 8601 UTC.
    pub completed_at: String,
    /// The selection.
    pub selection: Selection,
    /// Whether an operator chose a tier below the floor.
    pub exception: bool,
    /// What was required.
    pub required: u64,
    /// What was earned.
    pub clean: u64,
    /// The scope.
    pub bound: Bound,
    /// Of the criteria, or `standalone`.
    pub criteria_binding: String,
    /// Of the policy.
    pub policy_binding: String,
    /// Of the override; none where the policy's number or more was required.
    pub override_binding: Option<String>,
    /// SHA-256 of the canonical bytes of the ledger.
    pub ledger_sha256: String,
}

/// The state of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// Always 1.
    pub schema_version: u64,
    /// The loop.
    pub loop_id: String,
    /// How often a gate of this loop was opened afresh.
    pub opening: u64,
    /// When it was opened, ISO 8601 UTC.
    pub opened_at: String,
    /// What is compared with; none for the default branch.
    pub base: Option<String>,
    /// Our own folders inside the checkout.
    pub own: Vec<String>,
    /// The policy.
    pub policy: Policy,
    /// Of the criteria, or `standalone`.
    pub criteria_binding: String,
    /// The selection.
    pub selection: Selection,
    /// The floor that it was selected above.
    pub floor: (Tier, Vec<ReasonCode>),
    /// Whether an operator chose a tier below the floor.
    pub exception: bool,
    /// What the policy, the caller and earlier escalations require, without an override.
    pub asked: u64,
    /// What is required.
    pub required: u64,
    /// Of the override that lowers what is required below the policy.
    pub override_binding: Option<String>,
    /// The scope that credit holds for.
    pub bound: Bound,
    /// How it stands.
    pub status: Status,
    /// Why it stands still.
    pub paused: Option<Paused>,
    /// How many waves were started.
    pub iteration: u64,
    /// How many of them count against the budget.
    pub spent: u64,
    /// Consecutive clean passes.
    pub clean: u64,
    /// Findings that were fixed.
    pub findings_fixed: u64,
    /// The waves that fixed something, the newest four.
    pub history: Vec<Fixed>,
    /// The ledger: a row for each credited pass.
    pub ledger: Vec<Row>,
    /// The pass that is open.
    pub pass: Option<Pass>,
    /// Who runs it; none where nobody is bound to it.
    pub owner: Option<Owner>,
    /// The receipt.
    pub receipt: Option<Receipt>,
    /// Why the gate was skipped.
    pub waiver: Option<Waiver>,
    /// The mac of the last override that was recorded: a journal without it lost one.
    pub overrides_head: Option<String>,
    /// Where the approval of the criteria is recorded.
    pub approval: Option<String>,
}

/// A document with its mac.
#[derive(Serialize)]
struct Sealed<'a, T> {
    #[serde(flatten)]
    document: &'a T,
    mac: String,
}

/// The bytes that a mac is made over.
///
/// # Errors
/// None that a document of ours has.
fn covered<T: Serialize>(document: &T) -> Vec<u8> {
    canonical(&serde_json::to_value(document).unwrap_or_default())
}

/// The bytes of a document sealed by `mac`.
pub fn seal<T: Serialize>(document: &T, mac: impl Fn(&[u8]) -> String) -> Vec<u8> {
    let mac = mac(&covered(document));
    super::json::document(&Sealed { document, mac })
}

/// A row of a sealed journal: each names the mac of the row before it, so that none can be taken out, put in or moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link<T> {
    /// Always 1.
    pub schema_version: u64,
    /// The mac of the row before; empty for the first.
    pub previous: String,
    /// What the row says.
    pub row: T,
}

/// The line of a row, and its mac.
pub fn link<T: Serialize>(previous: &str, row: &T, mac: impl Fn(&[u8]) -> String) -> (Vec<u8>, String) {
    let link = Link { schema_version: 1, previous: previous.to_owned(), row };
    let mac = mac(&covered(&link));
    (super::json::compact(&Sealed { document: &link, mac: mac.clone() }), mac)
}

/// Reads a sealed journal: its rows, and the mac of each. A last line that was cut off is left out.
///
/// # Errors
/// As [`open`], and `FORGED_STATE` for a row that does not follow the one before it.
pub fn links<T: serde::de::DeserializeOwned>(bytes: &[u8], mac: impl Fn(&[u8]) -> String) -> Result<(Vec<T>, Vec<String>), Fail> {
    let whole = &bytes[..bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1)];
    let (mut rows, mut macs) = (Vec::new(), Vec::<String>::new());
    for line in whole.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
        let link: Link<T> = open(line, &mac)?;
        if link.previous != macs.last().cloned().unwrap_or_default() {
            return Err(Fail::new(Code::ForgedState, "a row of the journal does not follow the one before it"));
        }
        let mut value = parse(line)?;
        let own = value.as_object_mut().and_then(|map| map.shift_remove("mac"));
        macs.push(own.and_then(|m| m.as_str().map(str::to_owned)).unwrap_or_default());
        rows.push(link.row);
    }
    Ok((rows, macs))
}

/// Reads a sealed document.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`, `FORGED_STATE` when the mac is another.
pub fn open<T: serde::de::DeserializeOwned>(bytes: &[u8], mac: impl Fn(&[u8]) -> String) -> Result<T, Fail> {
    let mut value = parse(bytes)?;
    super::json::Fields::of(&value, "")?.version(1)?;
    let given = value.as_object_mut().and_then(|map| map.shift_remove("mac"));
    let wanted = mac(&canonical(&value));
    if given.as_ref().and_then(Value::as_str) != Some(wanted.as_str()) {
        return Err(Fail::new(Code::ForgedState, "the document's mac is not the one that this loop's key makes"));
    }
    shaped(value)
}

/// Reads a gate and checks what holds of every one.
///
/// # Errors
/// As [`open`], and `INVALID_STATE` naming what does not hold.
pub fn gate(bytes: &[u8], mac: impl Fn(&[u8]) -> String) -> Result<Gate, Fail> {
    let gate: Gate = open(bytes, mac)?;
    let below_policy = gate.required < gate.policy.passes.of(gate.selection.tier);
    let rows = [
        (gate.policy.passes.check().is_err(), "its policy is none"),
        (gate.policy.passes.binding() != gate.policy.policy_binding, "its policy is bound to other numbers"),
        (gate.criteria_binding != STANDALONE && !is_sha256(&gate.criteria_binding), "its criteria are bound to nothing"),
        (check(&gate.selection, gate.criteria_binding == STANDALONE).is_err(), "its selection is none"),
        (gate.required == 0, "it requires nothing"),
        (below_policy && gate.override_binding.is_none(), "it requires less than its policy without an override"),
        (gate.clean > gate.iteration, "its credit is more than it can be"),
        (gate.clean != gate.ledger.len() as u64, "its credit is not what its ledger holds"),
        (gate.status == Status::Open && gate.clean >= gate.required, "it is open and finished"),
        ((gate.status == Status::Paused) != gate.paused.is_some(), "its pause has no reason, or a reason has no pause"),
        ((gate.status == Status::Completed) != gate.receipt.is_some(), "it is completed without a receipt, or has one without being so"),
        ((gate.status == Status::Waived) != gate.waiver.is_some(), "it is waived without a waiver, or has one without being so"),
        (gate.pass.is_some() && gate.status != Status::Open, "it has an open pass without being open"),
        (!gate.ledger.windows(2).all(|w| w[0].iteration < w[1].iteration), "its ledger does not rise"),
        (gate.opening == 0, "it was never opened"),
    ];
    match rows.iter().find(|(wrong, _)| *wrong) {
        Some((_, why)) => Err(Fail::new(Code::InvalidState, format!("the gate's state contradicts itself: {why}"))),
        None => Ok(gate),
    }
}

/// Reads the record of a pass.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`.
pub fn pass(bytes: &[u8]) -> Result<Pass, Fail> {
    typed(bytes, 1)
}
