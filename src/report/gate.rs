//! The Artifact Gate of a document review: one JSON fence of findings with stage and acceptance evidence.
//!
//! Source: rounds spec §2.8.

use serde::Serialize;
use serde_json::Value;

use crate::base::severity::Level;

/// When a finding has to be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Before anybody implements.
    PreImplementation,
    /// By a check of the implementation.
    ImplementationVerification,
    /// Never.
    Advisory,
}

/// One finding of the gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateFinding {
    /// `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`
    pub id: String,
    /// critical, warning or info.
    pub severity: Level,
    /// When it has to be settled.
    pub stage: Stage,
    /// What shows that it is.
    pub acceptance_evidence: Vec<String>,
}

/// The text of the one JSON fence below the one `## Artifact Gate` heading.
///
/// # Errors
/// Why there is none.
pub fn fence(report: &str) -> Result<String, &'static str> {
    let lines: Vec<&str> = report.lines().map(str::trim_end).collect();
    let headings: Vec<usize> = lines.iter().enumerate().filter(|(_, l)| **l == "## Artifact Gate").map(|(i, _)| i).collect();
    let [at] = headings[..] else {
        return Err("there is not exactly one Artifact Gate");
    };
    let body = lines[at + 1..].iter().skip_while(|l| l.is_empty());
    let mut body = body.copied();
    if body.next() != Some("```json") {
        return Err("the Artifact Gate does not start with a json fence");
    }
    let mut text = String::new();
    for line in body {
        if line == "```" {
            return Ok(text);
        }
        text.push_str(line);
        text.push('\n');
    }
    Err("the fence of the Artifact Gate is not closed")
}

/// Reads the gate's document.
///
/// # Errors
/// Which rule it breaks.
pub fn findings(value: &Value) -> Result<Vec<GateFinding>, String> {
    let exact = value.as_object().is_some_and(|o| o.len() == 2) && value.get("schema_version").and_then(Value::as_u64) == Some(1);
    let list = value.get("findings").and_then(Value::as_array).filter(|_| exact);
    let list = list.ok_or("the gate must be {schema_version:1, findings:[…]}")?;
    let mut findings: Vec<GateFinding> = Vec::new();
    for entry in list {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let id = text("id").filter(|id| is_gate_id(id)).ok_or("a finding has no legal id")?;
        let refuse = |why: &str| format!("the finding `{id}` {why}");
        if findings.iter().any(|f| f.id == id) {
            return Err(refuse("stands twice"));
        }
        let severity = text("severity").and_then(Level::parse).ok_or_else(|| refuse("has no severity of critical, warning, info"))?;
        let stage = match text("stage") {
            Some("pre_implementation") => Stage::PreImplementation,
            Some("implementation_verification") => Stage::ImplementationVerification,
            Some("advisory") => Stage::Advisory,
            _ => {
                return Err(refuse("has no stage of pre_implementation, implementation_verification, advisory"));
            }
        };
        let evidence = evidence(entry.get("acceptance_evidence")).ok_or_else(|| refuse("has acceptance evidence that is not text"))?;
        if severity == Level::Critical && stage != Stage::PreImplementation {
            return Err(refuse("is critical and must be pre_implementation"));
        }
        if stage == Stage::Advisory && severity != Level::Info {
            return Err(refuse("is advisory and must be info"));
        }
        if severity != Level::Info && evidence.is_empty() {
            return Err(refuse("needs acceptance evidence"));
        }
        findings.push(GateFinding { id: id.to_owned(), severity, stage, acceptance_evidence: evidence });
    }
    Ok(findings)
}

fn is_gate_id(id: &str) -> bool {
    let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'-');
    id.len() <= 128 && id.bytes().all(legal) && id.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
}

/// A text or a list of texts; null and nothing are an empty list.
fn evidence(value: Option<&Value>) -> Option<Vec<String>> {
    let one = |v: &Value| v.as_str().map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned);
    match value {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(list)) => list.iter().map(one).collect(),
        Some(text) => one(text).map(|t| vec![t]),
    }
}
