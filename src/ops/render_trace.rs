//! render-trace: what became of each finding, round by round, as text; and such text read back (resolution spec §13).

use serde::Serialize;

use super::resolution::{Folder, Place, Stored};
use crate::base::path::printable;
use crate::base::{Code, Fail, number};
use crate::host::{Host, files};
use crate::resolution::convergence::Said;
use crate::resolution::decision::Ledger;
use crate::resolution::disposition::Slot;
use crate::resolution::trace::{self, Round};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// One round alone.
    pub round: Option<String>,
    /// A trace to read back, in place of a loop.
    pub input: Option<String>,
    /// Where the text is kept.
    pub output: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The rounds.
    pub rounds: Vec<Round>,
    /// The trace.
    pub text: String,
}

/// Renders the trace of a loop, or reads one back.
///
/// # Errors
/// Those of the loop, `INVALID_ROUND`, `BAD_SHAPE` for a text that is no trace.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let rounds = match request.input.as_deref().filter(|i| !i.is_empty()) {
        Some(flag) => {
            let path = host.absolute(Some(flag), "trace")?;
            let bytes = files::read_text(&path, files::DOCUMENT_LIMIT)?;
            let no_trace = || Fail::new(Code::BadShape, format!("`{}` is no trace", printable(&path.to_string_lossy())));
            trace::parse(&String::from_utf8_lossy(&bytes)).ok_or_else(no_trace)?
        }
        None => of(&Folder::open(host, &request.place)?)?,
    };
    let wanted = request.round.as_deref().filter(|r| !r.is_empty()).map(|r| number::plain("--round", r, 1..=1_000_000)).transpose()?;
    let rounds: Vec<Round> = match wanted {
        Some(round) => {
            let one: Vec<Round> = rounds.into_iter().filter(|r| r.round == round).collect();
            if one.is_empty() {
                return Err(Fail::new(Code::InvalidRound, format!("there is no round {round}")));
            }
            one
        }
        None => rounds,
    };
    let text: String = rounds.iter().map(trace::render).collect::<Vec<_>>().join("\n");
    if let Some(output) = request.output.as_deref().filter(|o| !o.is_empty()) {
        files::replace(host, &host.absolute(Some(output), "output")?, text.as_bytes())?;
    }
    Ok(Answer { rounds, text })
}

/// The trace of every round.
///
/// # Errors
/// Those of the loop's documents.
pub fn of(folder: &Folder<'_>) -> Result<Vec<Round>, Fail> {
    let rounds = folder.rounds()?;
    let (ledger, _) = folder.ledger()?;
    Ok(rounds.iter().map(|s| round(s, &ledger)).collect())
}

fn round(stored: &Stored, ledger: &Ledger) -> Round {
    let review = &stored.review;
    let verdict = match review.said() {
        Said::Approves => "approve".to_owned(),
        Said::Objects => "needs-attention".to_owned(),
        Said::Unreliable => "unproven (source failed: its answer cannot be read as a whole)".to_owned(),
        Said::Nothing => {
            let because = review.errors.first().or(review.unproven_because.as_ref()).unwrap_or(&review.outcome);
            format!("unproven (source failed: {because})")
        }
    };
    let (mut relay, mut gated) = (Vec::new(), Vec::new());
    for item in &review.findings {
        let entry = stored.dispositions.iter().flat_map(|d| &d.entries).find(|e| e.finding == item.id);
        let Some(entry) = entry else { continue };
        let place = match (&item.path, item.line) {
            (Some(path), Some(line)) => format!(" {path}:{line}"),
            (Some(path), None) => format!(" {path}"),
            _ => String::new(),
        };
        let (slot, line) = trace::line(entry, &format!("{}{place} {}", item.id, item.title));
        match slot {
            Slot::Relay => relay.push(line),
            Slot::Gated => gated.push(line),
        }
    }
    let retired = ledger.decisions.iter().filter(|d| d.retired_in == Some(stored.round));
    let mut notes: Vec<String> = retired
        .map(|d| match &d.superseded_by {
            Some(by) => format!("decision {} is superseded by {by}", d.id),
            None => format!("decision {} is retired", d.id),
        })
        .collect();
    let open = review.findings.iter().filter(|f| !stored.dispositions.iter().flat_map(|d| &d.entries).any(|e| e.finding == f.id)).count();
    notes.extend((open > 0).then(|| format!("{open} findings have no disposition yet")));
    Round { round: stored.round, source: review.source.clone(), verdict, relay, gated, notes }
}
