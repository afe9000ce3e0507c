//! The record of a driven loop, schema 1: its settings, pinned at the start, and where it stands.

use serde::{Deserialize, Serialize};

use super::json::{Fields, document, parse};
use crate::base::{Code, Fail};
use crate::drive::rounds::{Action, State};
use crate::round::plan::{Phase, Risk};

/// What a loop was started with. Never changes while it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// `checks` or `command`.
    pub source: String,
    /// Of a command source.
    pub source_argv: Vec<String>,
    /// `fix`, `command` or `none`.
    pub respond: String,
    /// Of a command responder.
    pub respond_argv: Vec<String>,
    /// How long a source or responder may take, in seconds.
    pub limit_s: u64,
    /// Whether the working tree's checks run too.
    pub trust_worktree_checks: bool,
    /// Whether one document is kept.
    pub session_doc: bool,
    /// The cap.
    pub cap: u64,
    /// document or implementation.
    pub artifact_phase: String,
    /// low to critical.
    pub risk: String,
    /// The top of the checkout.
    pub repo_root: String,
    /// What every round compares with.
    pub base_commit: String,
    /// Where reports go.
    pub reports_dir: String,
    /// Where responses and summaries go.
    pub responses_dir: String,
}

/// The whole record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopRecord {
    /// The loop.
    pub loop_id: String,
    /// What it was started with.
    pub settings: Settings,
    /// Where it stands.
    pub state: State,
    /// The name that was chosen for the report, response or summary being published; stored before the file is made.
    pub publishing: Option<String>,
    /// SHA-256 of the report of this round, as it was judged.
    pub report_sha256: Option<String>,
    /// The published loop summary.
    pub summary: Option<String>,
    /// What happened that the answer has to say, sorted.
    pub warnings: Vec<String>,
    /// Counts writes.
    pub revision: u64,
}

#[derive(Serialize)]
struct Wire<'a> {
    schema_version: u64,
    kind: &'static str,
    loop_id: &'a str,
    revision: u64,
    settings: &'a Settings,
    round: u64,
    next: Action,
    failures: u64,
    responding: bool,
    recorded: bool,
    report: &'a Option<String>,
    response: &'a Option<String>,
    condition: Option<u8>,
    stop_reason: &'a Option<String>,
    publishing: &'a Option<String>,
    report_sha256: &'a Option<String>,
    summary: &'a Option<String>,
    warnings: &'a [String],
}

/// The bytes of a record.
pub fn bytes(record: &LoopRecord) -> Vec<u8> {
    let s = &record.state;
    document(&Wire {
        schema_version: 1,
        kind: "rounds",
        loop_id: &record.loop_id,
        revision: record.revision,
        settings: &record.settings,
        round: s.round,
        next: s.next,
        failures: s.failures,
        responding: s.responding,
        recorded: s.recorded,
        report: &s.report,
        response: &s.response,
        condition: s.condition,
        stop_reason: &s.stop_reason,
        publishing: &record.publishing,
        report_sha256: &record.report_sha256,
        summary: &record.summary,
        warnings: &record.warnings,
    })
}

/// A word that this program does not know is no setting it may act upon.
fn known_words(settings: &Settings) -> Result<(), Fail> {
    let facts = [
        ("source", matches!(settings.source.as_str(), "checks" | "command")),
        ("respond", matches!(settings.respond.as_str(), "fix" | "command" | "none")),
        ("artifact_phase", Phase::parse(&settings.artifact_phase).is_some()),
        ("risk", Risk::parse(&settings.risk).is_some()),
    ];
    match facts.iter().find(|(_, known)| !known) {
        Some((key, _)) => Err(Fail::new(Code::BadShape, format!("`/settings/{key}` holds an unknown word"))),
        None => Ok(()),
    }
}

/// Reads a record.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`.
pub fn read(bytes: &[u8]) -> Result<LoopRecord, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    let version = f.count("schema_version")?;
    if version > 1 {
        let message = format!("the loop record has schema {version}, this program knows 1");
        return Err(Fail::new(Code::SchemaNewer, message).with("found", version).with("known", 1));
    }
    if f.text("kind")? != "rounds" {
        return Err(f.wrong("kind", "rounds"));
    }
    let settings = f.get("settings").cloned().unwrap_or_default();
    let settings: Settings = serde_json::from_value(settings).map_err(|e| Fail::new(Code::BadShape, format!("`/settings`: {e}")))?;
    known_words(&settings)?;
    let owned = |key: &str| f.maybe_text(key).map(|t| t.map(str::to_owned));
    Ok(LoopRecord {
        loop_id: f.text("loop_id")?.to_owned(),
        settings,
        state: State {
            round: f.count("round")?,
            next: Action::parse(f.text("next")?).ok_or_else(|| f.wrong("next", "an action of the rounds loop"))?,
            failures: f.count("failures")?,
            responding: f.flag("responding")?,
            recorded: f.flag("recorded")?,
            report: owned("report")?,
            response: owned("response")?,
            condition: f.maybe_count("condition")?.and_then(|c| u8::try_from(c).ok()),
            stop_reason: owned("stop_reason")?,
        },
        publishing: owned("publishing")?,
        report_sha256: owned("report_sha256")?,
        summary: owned("summary")?,
        warnings: f.texts("warnings")?,
        revision: f.count("revision")?,
    })
}
