//! show-events: the journal of a wave loop, and a summary of every loop of the checkout (waves spec §15; issue 5, Telemetry).

use serde::Serialize;

use super::wave::{Folder, Place, events, refuse_a_wave};
use crate::base::Fail;
use crate::host::{Host, journal};
use crate::wave::journal::{Event, Summary, summarize};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// Whether every loop of the checkout is summed up instead.
    pub summary: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The events of the loop, in order.
    pub events: Vec<Event>,
    /// The last line was cut off.
    pub torn_tail: bool,
    /// Every loop summed up.
    pub summary: Option<Summary>,
    /// Loops whose journal cannot be read.
    pub damaged: Vec<String>,
}

/// Shows events.
///
/// # Errors
/// Why the journal cannot be read.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    refuse_a_wave(host)?;
    let folder = Folder::find(host, &request.place)?;
    if !request.summary {
        let bytes = journal::read(&folder.dir.join(events::JOURNAL))?;
        let torn_tail = journal::torn_tail(&bytes).is_some();
        return Ok(Answer { events: events::read(&bytes)?, torn_tail, summary: None, damaged: Vec::new() });
    }
    let (mut journals, mut damaged) = (Vec::new(), Vec::new());
    let all = folder.dir.parent().and_then(|p| p.read_dir().ok());
    let mut names: Vec<_> = all.into_iter().flatten().flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect();
    names.sort();
    for path in names {
        match journal::read(&path.join(events::JOURNAL)).and_then(|bytes| events::read(&bytes)) {
            Ok(events) if events.is_empty() => {}
            Ok(events) => journals.push(events),
            Err(_) => damaged.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned()),
        }
    }
    Ok(Answer { events: Vec::new(), torn_tail: false, summary: Some(summarize(&journals)), damaged })
}
