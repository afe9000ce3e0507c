//! record-decision: a decision that a person constituted, into the append-only ledger (resolution spec §15).

use serde::Serialize;

use super::resolution::{Folder, LEDGER, Place, facts};
use crate::base::path::printable;
use crate::base::{Code, Fail, time};
use crate::host::{Host, files, journal};
use crate::resolution::decision::{Act, Event, Refusal, Standing};
use crate::source::conveyance::{self, Hit, Slot};
use crate::wire::decisions::{self, Asked};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// The decision.
    pub input: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether the ledger holds it.
    pub recorded: bool,
    /// Whether it held it before.
    pub already: bool,
    /// Its id; none when it was not taken.
    pub id: Option<String>,
    /// Why it was not taken: what it says beside intent.
    pub hits: Vec<Hit>,
    /// The decisions in force.
    pub in_force: Vec<Standing>,
    /// Where the rest of a line was moved that a kill had cut off.
    pub torn_tail: Option<String>,
}

/// Records a decision. The question behind the exit status: was it taken?
///
/// # Errors
/// Those of the loop and of the document, `DECISION_CONFLICT`, `LOOP_ENDED`, or why the ledger cannot be written.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let folder = Folder::open(host, &request.place)?;
    let path = host.absolute(request.input.as_deref(), "decision")?;
    let asked = decisions::asked(&files::read_text(&path, 1 << 20)?)?;
    let held = folder.hold()?;
    if folder.record.exited_at.is_some() {
        return Err(Fail::new(Code::LoopEnded, format!("the loop `{}` was ended by a person", folder.record.loop_id)));
    }
    let rounds = folder.rounds()?;
    let round = folder.last(&rounds)?.round;
    let (ledger, _) = folder.ledger()?;
    let in_force = || ledger.in_force().cloned().collect();
    if let Some(entry) = &asked.entry {
        let slots = [Slot { name: "/text", text: &entry.text }, Slot { name: "/basis", text: &entry.basis }];
        let hits = conveyance::check(&slots, &[]).hits;
        if !hits.is_empty() {
            return Ok(Answer { recorded: false, already: false, id: None, hits, in_force: in_force(), torn_tail: None });
        }
        if let Some(stray) = entry.settles.iter().find(|s| facts::canonical(&rounds, round + 1, s).as_ref() != Some(*s)) {
            let message = format!("`settles` names `{}`, which is no identity of this loop", printable(stray));
            return Err(Fail::new(Code::UnknownSameAs, message).hint("an identity is r<round>/<finding>, as track-recurrence prints it"));
        }
        // The same call again, after a kill or not, says what the first one said.
        let same = ledger.in_force().find(|d| d.entry == *entry);
        if let Some(same) = same {
            let id = Some(same.id.clone());
            return Ok(Answer { recorded: true, already: true, id, hits: Vec::new(), in_force: in_force(), torn_tail: None });
        }
    }
    let event = event(&asked, &ledger.next_id(), round, time::iso_ms(host.now_ms()));
    let mut after = ledger.clone();
    after.take(&event).map_err(|why| conflict(&asked, why))?;
    let moved = journal::append(host, &held, LEDGER, &decisions::line(&event))?;
    Ok(Answer {
        recorded: true,
        already: false,
        id: Some(event.id),
        hits: Vec::new(),
        in_force: after.in_force().cloned().collect(),
        torn_tail: moved.map(|p| p.to_string_lossy().into_owned()),
    })
}

fn event(asked: &Asked, fresh: &str, round: u64, at: String) -> Event {
    let id = match (asked.act, &asked.old) {
        (Act::Retire, Some(old)) => old.clone(),
        _ => fresh.to_owned(),
    };
    let supersedes = asked.old.clone().filter(|_| asked.act == Act::Supersede);
    Event { act: asked.act, id, supersedes, round, at, entry: asked.entry.clone(), reason: asked.reason.clone() }
}

fn conflict(asked: &Asked, why: Refusal) -> Fail {
    let old = printable(asked.old.as_deref().unwrap_or_default());
    Fail::new(Code::DecisionConflict, format!("the decision `{old}` cannot be replaced or retired: {}", why.word()))
}
