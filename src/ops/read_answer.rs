//! read-answer: what a client's stream comes to (spec/clients.md §2 to §4; map.md, Contracts that are fixed).

use crate::base::path::printable;
use crate::base::{Code, Fail, number};
use crate::host::{Host, files};
use crate::source::answer::{self, Answer, Client};

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
    Ok(answer::read(client, &events, &errors, exit_code.and_then(|c| i64::try_from(c).ok())))
}
