//! One event of the run ledger, and every rule that it keeps by itself (spec/design-loop.md §2.1 to §2.3).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::base::path::printable;
use crate::base::reason::words;

/// The longest line, in bytes.
pub const LINE: usize = 131_072;

/// How many events a ledger may hold.
pub const EVENTS: usize = 1_000_000;

/// How deep a line may nest.
pub const DEPTH: usize = 8;

words! {
    /// What is wrong with a ledger, an event or a closure.
    Flaw {
        BadJson "bad_json",
        DuplicateKey "duplicate_key",
        TooLong "too_long",
        TooMany "too_many",
        TooDeep "too_deep",
        TornTail "torn_tail",
        UnknownField "unknown_field",
        MissingField "missing_field",
        BadValue "bad_value",
        SchemaNewer "SCHEMA_NEWER",
        VersionTwoField "version_two_field",
        RunIdRepeated "run_id_repeated",
        PassIncomplete "pass_incomplete",
        ArtifactMissing "artifact_missing",
        ArtifactEscapes "artifact_escapes",
        StatusContradictsGate "status_contradicts_gate",
        LaunchUnnamed "launch_unnamed",
        ClosesNothing "closes_nothing",
        MayNotClose "may_not_close",
        WaiverUnauthorized "waiver_unauthorized",
        LaunchUnknown "launch_unknown",
        SettledTwice "settled_twice",
        TargetUnknown "target_unknown",
        TargetNotOpen "target_not_open",
        TargetInvalid "target_invalid",
        CloserRole "closer_role",
        RoleDiffers "role_differs",
        LaneDiffers "lane_differs",
        ArtifactDiffers "artifact_differs",
        RevisionDiffers "revision_differs",
        EffortWeaker "effort_weaker",
        ClassProtected "class_protected",
        ClassUnprotected "class_unprotected",
    }
}

words! {
    /// How hard a run thought, weakest first; the same rank whoever provides it.
    Effort {
        Unsupported "unsupported",
        Low "low",
        Medium "medium",
        High "high",
        Xhigh "xhigh",
        Max "max",
    }
}

/// One event as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[allow(missing_docs, reason = "the names are the ledger's own, and spec/design-loop.md §2.2 says what each holds")]
pub struct Event {
    pub schema_version: u64,
    pub run_id: String,
    pub work_item: String,
    pub role: String,
    pub execution_role: String,
    pub status: String,
    pub gate: String,
    pub scope: Vec<String>,
    pub started_at: String,
    pub updated_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigned_role: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Vec<Evidence>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch_run_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closes_run_ids: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_revision: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding_class: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed_role: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch_flags: Option<Flags>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_class: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how_author: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier: Option<String>,
}

/// A piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// command, artifact, visual, review, manual-check or log.
    pub kind: String,
    /// What it is.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// The flags a run was launched with: one text or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Flags {
    /// One text.
    Text(String),
    /// Several.
    List(Vec<String>),
}

/// Something wrong with an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The rule.
    pub rule: Flaw,
    /// The line, from 1.
    pub line: usize,
    /// The event, where it has one.
    pub run_id: Option<String>,
    /// What is wrong.
    pub message: String,
}

/// A ledger's events, those that can be read, with their lines, and what is wrong with the others.
#[derive(Debug, Default)]
pub struct Decoded {
    /// Line and event, in order.
    pub events: Vec<(usize, Event)>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Lines of a version behind this one: listed, and nothing is settled by them.
    pub newer: Vec<usize>,
}

/// Reads a ledger's lines. Bound: linear in the bytes.
pub fn decode(bytes: &[u8]) -> Decoded {
    let mut decoded = Decoded::default();
    let mut lines = bytes.split(|b| *b == b'\n').enumerate().peekable();
    let mut count = 0_usize;
    while let Some((n, line)) = lines.next() {
        let last = lines.peek().is_none();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        count += 1;
        if count > EVENTS {
            let message = format!("the ledger holds more than {EVENTS} events");
            decoded.problems.push(Problem { rule: Flaw::TooMany, line: n + 1, run_id: None, message });
            break;
        }
        match one(line) {
            Ok(event) => decoded.events.push((n + 1, event)),
            Err(Unread::Newer) => decoded.newer.push(n + 1),
            Err(Unread::Flawed(rule, run_id, message)) => {
                // A line without its break that is no JSON was cut off by a kill.
                let rule = if last && rule == Flaw::BadJson { Flaw::TornTail } else { rule };
                decoded.problems.push(Problem { rule, line: n + 1, run_id, message });
            }
        }
    }
    decoded
}

enum Unread {
    Newer,
    Flawed(Flaw, Option<String>, String),
}

fn one(line: &[u8]) -> Result<Event, Unread> {
    if line.len() > LINE {
        return Err(Unread::Flawed(Flaw::TooLong, None, format!("the line is longer than {LINE} bytes")));
    }
    // The fast way reads what is well-formed; whatever it refuses is looked at closely.
    match serde_json::from_slice::<Event>(line) {
        Ok(event) if event.schema_version <= 2 => Ok(event),
        Ok(_) => Err(Unread::Newer),
        Err(error) => Err(closely(line, &error)),
    }
}

/// Why a line is no event of ours.
fn closely(line: &[u8], error: &serde_json::Error) -> Unread {
    let said = printable(&error.to_string());
    let value: Option<serde_json::Value> = serde_json::from_slice(line).ok();
    let Some(value) = value else {
        return Unread::Flawed(Flaw::BadJson, None, format!("the line is no JSON: {said}"));
    };
    let repeated = said.contains("duplicate field");
    if value["schemaVersion"].as_u64().is_some_and(|v| v > 2) && !repeated {
        return Unread::Newer;
    }
    let flaw = match () {
        () if repeated => Flaw::DuplicateKey,
        () if nesting(line) > DEPTH => Flaw::TooDeep,
        () if said.contains("unknown field") => Flaw::UnknownField,
        () if said.contains("missing field") => Flaw::MissingField,
        () => Flaw::BadValue,
    };
    Unread::Flawed(flaw, value["runId"].as_str().map(printable), format!("the event breaks the schema: {said}"))
}

/// How deep a line nests at most, brackets in texts left out.
fn nesting(line: &[u8]) -> usize {
    let (mut depth, mut most, mut quoted, mut escaped) = (0_usize, 0_usize, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                most = most.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

impl Event {
    /// Whether it is a REVISE that has to be closed: those of version 1 never block.
    pub fn is_obligation(&self) -> bool {
        self.schema_version == 2 && self.gate == "REVISE"
    }

    /// Whether it is a verdict that may close.
    pub fn is_closing_gate(&self) -> bool {
        self.gate == "PASS" || self.is_waiver()
    }

    /// Whether it is a waiver.
    pub fn is_waiver(&self) -> bool {
        self.gate.starts_with("WAIVED:")
    }

    /// Whether its artifact has to exist.
    pub fn needs_artifact(&self) -> bool {
        self.gate == "PASS" || self.gate == "WAIVED:security-reviewer"
    }

    /// Whether it comes from the reviewing side.
    pub fn is_reviewing(&self) -> bool {
        matches!(self.execution_role.as_str(), "external-reviewer" | "internal")
    }

    /// Every rule that it breaks by itself.
    pub fn flaws(&self) -> Vec<(Flaw, String)> {
        let mut found = Vec::new();
        self.words(&mut found);
        self.gates(&mut found);
        found
    }

    /// What each field holds.
    fn words(&self, found: &mut Vec<(Flaw, String)>) {
        let mut demand = |holds: bool, message: &str| {
            if !holds {
                found.push((Flaw::BadValue, message.to_owned()));
            }
        };
        let absent_or = |value: &Option<String>, words: &[&str]| value.as_deref().is_none_or(|v| words.contains(&v));
        const EXECUTED: [&str; 8] =
            ["main", "internal", "consultant", "external-worker", "external-reviewer", "external-brigade", "none", "lead"];
        const STATUSES: [&str; 6] = ["planned", "running", "completed", "revise", "blocked", "cancelled"];
        const KINDS: [&str; 6] = ["command", "artifact", "visual", "review", "manual-check", "log"];
        const CLASSES: [&str; 6] = ["publication-safety", "security", "correctness", "performance", "other", "legacy-unclassified"];
        demand((1..=2).contains(&self.schema_version), "`schemaVersion` is 1 or 2");
        demand(self.run_id.chars().count() >= 8, "`runId` has at least 8 characters");
        demand(!self.work_item.trim().is_empty(), "`workItem` is blank");
        demand(!self.role.trim().is_empty(), "`role` is blank");
        demand(EXECUTED.contains(&self.execution_role.as_str()), "`executionRole` is none of its words");
        demand(STATUSES.contains(&self.status.as_str()), "`status` is none of its words");
        demand(is_gate(&self.gate), "`gate` is none of its words");
        demand(
            !self.scope.is_empty() && self.scope.iter().all(|s| !s.trim().is_empty()),
            "`scope` is a list of texts, and not an empty one",
        );
        demand(self.started_at.chars().count() >= 10, "`startedAt` is no time");
        demand(self.updated_at.chars().count() >= 10, "`updatedAt` is no time");
        for evidence in self.evidence.iter().flatten() {
            let sound = KINDS.contains(&evidence.kind.as_str()) && !evidence.reference.trim().is_empty();
            demand(sound, "`evidence` holds a kind that is none of its words, or no `ref`");
        }
        demand(absent_or(&self.event_kind, &["launch", "terminal", "standalone"]), "`eventKind` is none of its words");
        demand(absent_or(&self.finding_class, &CLASSES), "`findingClass` is none of its words");
        demand(absent_or(&self.fix_class, &["inline-sufficient", "design-decision"]), "`fixClass` is none of its words");
        let texts = [&self.assigned_role, &self.provider, &self.model, &self.artifact, &self.lane, &self.artifact_revision];
        let texts = texts.into_iter().chain([&self.reviewed_role, &self.how_author, &self.verifier]).flatten();
        demand(texts.into_iter().all(|t| !t.trim().is_empty()), "a text is blank");
    }

    /// What fields say about each other.
    fn gates(&self, found: &mut Vec<(Flaw, String)>) {
        let mut demand = |holds: bool, flaw: Flaw, message: &str| {
            if !holds {
                found.push((flaw, message.to_owned()));
            }
        };
        let second = [&self.event_kind, &self.launch_run_id, &self.artifact_revision, &self.lane, &self.finding_class, &self.reviewed_role];
        let second = second.into_iter().chain([&self.fix_class, &self.how_author, &self.verifier]).any(Option::is_some);
        let second = second || self.closes_run_ids.is_some() || self.effort.is_some() || self.launch_flags.is_some();
        demand(self.schema_version != 1 || !second, Flaw::VersionTwoField, "a field of version 2 stands in an event of version 1");
        let evidenced = self.evidence.as_ref().is_some_and(|e| !e.is_empty());
        match self.gate.as_str() {
            "PASS" => {
                demand(self.status == "completed", Flaw::StatusContradictsGate, "a PASS is completed");
                demand(self.artifact.is_some() && evidenced, Flaw::PassIncomplete, "a PASS has an artifact and evidence");
            }
            "REVISE" => {
                let ended = matches!(self.status.as_str(), "revise" | "completed");
                demand(ended, Flaw::StatusContradictsGate, "a REVISE is revise or completed");
            }
            gate if gate.starts_with("BLOCKED:") => {
                demand(self.status == "blocked", Flaw::StatusContradictsGate, "a BLOCKED is blocked");
            }
            gate if gate.starts_with("WAIVED:") => {
                demand(self.status == "completed", Flaw::StatusContradictsGate, "a waiver is completed");
                demand(self.closes_run_ids.is_some(), Flaw::ClosesNothing, "a waiver names what it closes");
                let authorized = self.authorized();
                let named = self.closes_run_ids.iter().flatten().all(|id| authorized.contains(id.as_str()));
                demand(named, Flaw::WaiverUnauthorized, "no manual-check evidence names every run that is waived");
                if gate == "WAIVED:security-reviewer" {
                    let theirs = self.role == "security-reviewer" || self.assigned_role.as_deref() == Some("security-reviewer");
                    demand(theirs, Flaw::WaiverUnauthorized, "the waiver is not the security reviewer's");
                    demand(self.is_reviewing(), Flaw::WaiverUnauthorized, "the waiver does not come from the reviewing side");
                    demand(self.artifact.is_some(), Flaw::WaiverUnauthorized, "the waiver has no artifact");
                }
            }
            _ => {}
        }
        let terminal = self.event_kind.as_deref() == Some("terminal");
        demand(terminal == self.launch_run_id.is_some(), Flaw::LaunchUnnamed, "a terminal names its launch, and nothing else names one");
        if self.event_kind.as_deref() == Some("launch") {
            let begins = matches!(self.status.as_str(), "planned" | "running") && self.gate == "none" && self.closes_run_ids.is_none();
            demand(begins, Flaw::StatusContradictsGate, "a launch is planned or running, has no gate and closes nothing");
        }
        demand(!terminal || !matches!(self.status.as_str(), "planned" | "running"), Flaw::StatusContradictsGate, "a terminal has ended");
        if let Some(closes) = &self.closes_run_ids {
            let mut known = BTreeSet::new();
            let sound = !closes.is_empty() && closes.iter().all(|id| id.chars().count() >= 8 && known.insert(id));
            demand(sound, Flaw::ClosesNothing, "`closesRunIds` is a list of run ids, each once, and not an empty one");
            demand(self.is_closing_gate(), Flaw::MayNotClose, "only a PASS or a waiver closes");
        }
        if let Some(artifact) = &self.artifact {
            let steps_out = artifact.split(['/', '\\']).any(|p| p == "..") || artifact.starts_with(['/', '\\', '~']);
            let drive = artifact.as_bytes().get(1) == Some(&b':') || artifact.contains('\0');
            demand(!steps_out && !drive, Flaw::ArtifactEscapes, "`artifact` is no relative path, or leads out of the folder");
        }
    }

    /// The runs that the evidence of a person names, each by exactly its id. Bound: linear in the evidence.
    fn authorized(&self) -> BTreeSet<&str> {
        let checks = self.evidence.iter().flatten().filter(|e| e.kind == "manual-check");
        checks.flat_map(|e| [Some(e.reference.as_str()), e.result.as_deref()]).flatten().flat_map(named).collect()
    }
}

/// The ids that a text names: whole words of an id's letters. A full stop behind one ends the sentence and not the id.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let apart = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    text.split(apart).filter(|w| !w.is_empty()).flat_map(|word| {
        let bare = word.strip_suffix('.').filter(|b| !b.is_empty());
        std::iter::once(word).chain(bare)
    })
}

fn is_gate(gate: &str) -> bool {
    let named = |r: &str| {
        r.starts_with(|c: char| c.is_ascii_lowercase()) && r.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    matches!(
        gate,
        "PASS"
            | "REVISE"
            | "BLOCKED:dependency"
            | "BLOCKED:prerequisite"
            | "advisory"
            | "none"
            | "WAIVED:user"
            | "WAIVED:security-reviewer"
    ) || gate.strip_prefix("RETURN(").and_then(|r| r.strip_suffix(')')).is_some_and(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"schemaVersion":2,"runId":"revise-01","workItem":"item","role":"qa","executionRole":"external-reviewer","status":"revise","gate":"REVISE","scope":["x.rs"],"startedAt":"2026-07-17T00:00:00Z","updatedAt":"2026-07-17T00:00:00Z"}"#;

    fn flaw(line: &str) -> Flaw {
        let decoded = decode(line.as_bytes());
        decoded.problems.first().map(|p| p.rule).or_else(|| decoded.events[0].1.flaws().first().map(|f| f.0)).unwrap()
    }

    #[test]
    fn a_line_is_an_event_or_says_why_not() {
        assert_eq!(decode(format!("{LINE}\n\n{LINE}\n").as_bytes()).events.len(), 2);
        assert!(decode(LINE.as_bytes()).events[0].1.flaws().is_empty());
        let with = |from: &str, to: &str| LINE.replace(from, to);
        assert_eq!(flaw(&with("\"scope\"", "\"mood\"")), Flaw::UnknownField);
        assert_eq!(flaw(&with("\"role\":\"qa\",", "")), Flaw::MissingField);
        assert_eq!(flaw(&with("\"role\":\"qa\"", "\"role\":\"qa\",\"role\":\"qa\"")), Flaw::DuplicateKey);
        assert_eq!(flaw(&with("\"role\":\"qa\"", "\"role\":7")), Flaw::BadValue);
        assert_eq!(flaw(&with("[\"x.rs\"]", "[[[[[[[[[]]]]]]]]]")), Flaw::TooDeep);
        assert_eq!(flaw(&format!("{}\n", with("}", ""))), Flaw::BadJson);
        assert_eq!(flaw(&with("}", "")), Flaw::TornTail);
        assert_eq!(flaw(&with("revise-01", "short")), Flaw::BadValue);
        assert_eq!(flaw(&with("x.rs", &"y".repeat(140_000))), Flaw::TooLong);
        assert_eq!(flaw(&with("\"status\":\"revise\"", "\"status\":\"blocked\"")), Flaw::StatusContradictsGate);
        let newer = with("\"schemaVersion\":2", "\"schemaVersion\":3").replace("\"runId\"", "\"eventId\"");
        assert_eq!(decode(newer.as_bytes()).newer, [1]);
    }

    #[test]
    fn a_waiver_names_its_runs_exactly() {
        let names = |text: &str, id: &str| named(text).any(|n| n == id);
        assert!(names("user approves revise-01", "revise-01"));
        assert!(names("(revise-01), revise-02.", "revise-02"));
        for text in ["revise-01-extra", "xrevise-01", "revise-01.b", "revise-0", ""] {
            assert!(!names(text, "revise-01"), "{text}");
        }
    }
}
