//! append-event: one event of a wave loop written down, by a typed list of what may be (waves spec §15; wave-review seed, Telemetry).

use super::wave::{Folder, Place, events, refuse_a_wave};
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::{Host, files};
use crate::wave::journal::{Event, Type};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// What happened.
    pub kind: Option<String>,
    /// The payload.
    pub data: Option<String>,
}

/// Appends an event.
///
/// # Errors
/// `PASS_ACTIVE`, `INVALID_EVENT`, `STATE_MISSING`, those of the document and the journal.
pub fn run(request: &Request, host: &Host) -> Result<Event, Fail> {
    refuse_a_wave(host)?;
    let word = request.kind.clone().unwrap_or_default();
    let kind =
        Type::parse(&word).ok_or_else(|| Fail::new(Code::InvalidEvent, format!("there is no event of the type `{}`", printable(&word))))?;
    let data = match request.data.as_deref().filter(|d| !d.is_empty()) {
        Some(path) => crate::wire::json::parse(&files::read_text(&host.absolute(Some(path), "data")?, 65_536)?)?,
        None => serde_json::json!({}),
    };
    let data = data.as_object().ok_or_else(|| Fail::new(Code::InvalidEvent, "the payload of an event is an object"))?;
    let folder = Folder::find(host, &request.place)?;
    folder.opened()?;
    let held = folder.hold()?;
    events::append(&folder, &held, kind, data)
}
