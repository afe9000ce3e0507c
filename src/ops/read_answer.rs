//! read-answer: what a client's stream comes to (spec/clients.md §2 to §4; map.md, Contracts that are fixed).

use serde::Serialize;
use serde_json::Value;

use crate::base::path::printable;
use crate::base::{Code, Fail, number};
use crate::host::{Host, files};
use crate::source::answer::{self, Client, Outcome};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// codex or claude.
    pub client: Option<String>,
    /// What it printed.
    pub events: Option<String>,
    /// Its error stream.
    pub warnings: Option<String>,
    /// Its exit status; none when nobody knows it.
    pub exit_code: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// What the run comes to.
    pub outcome: Outcome,
    /// The reviewer's answer; null unless `answered` or `unconfirmed`.
    pub text: Option<String>,
    /// Text of a run that gave no answer: for people, and never read for a verdict.
    pub partial_text: Option<String>,
    /// What the client says went wrong, in order.
    pub errors: Vec<String>,
    /// Transient errors after which it tried again.
    pub reconnects: u64,
    /// The usage it reports, as it reports it.
    pub usage: Option<Value>,
    /// Lines of its error stream, without what every run prints.
    pub warnings: Vec<String>,
    /// Its name for the session.
    pub session: Option<String>,
    /// Lines that are no JSON.
    pub foreign_lines: u64,
    /// Events of a type that this program does not know.
    pub unknown_events: u64,
}

/// Reads a stream. The question behind the exit status: did the client answer?
///
/// # Errors
/// `INVALID_ARGUMENT` for an unknown client or a status out of range, `INVALID_PATH`, or why a file cannot be read.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let word = request.client.as_deref().unwrap_or_default();
    let unknown = || Fail::new(Code::InvalidArgument, format!("`--client {}` is not one of codex, claude", printable(word)));
    let client = Client::parse(word).ok_or_else(unknown)?;
    let exit_code = request.exit_code.as_deref().filter(|c| !c.is_empty());
    let exit_code = exit_code.map(|c| number::plain("--exit-code", c, 0..=255)).transpose()?;
    let events = files::read_text(&host.absolute(request.events.as_deref(), "events")?, files::TEXT_LIMIT)?;
    let errors = match request.warnings.as_deref().filter(|w| !w.is_empty()) {
        Some(flag) => files::read_text(&host.absolute(Some(flag), "warnings")?, files::TEXT_LIMIT)?,
        None => Vec::new(),
    };
    let read = answer::read(client, &events, &errors, exit_code.and_then(|c| i64::try_from(c).ok()));
    Ok(Answer {
        outcome: read.outcome,
        text: read.text,
        partial_text: read.partial_text,
        errors: read.errors,
        reconnects: read.reconnects,
        usage: read.usage,
        warnings: read.warnings,
        session: read.session,
        foreign_lines: read.foreign_lines,
        unknown_events: read.unknown_events,
    })
}
