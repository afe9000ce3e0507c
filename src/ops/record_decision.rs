//! record-decision: a decision that a person constituted, into the append-only ledger (resolution spec §15).

use serde::Serialize;

use super::resolution::{EXCEPTIONS, Folder, LEDGER, Place, facts};
use crate::base::path::printable;
use crate::base::{Code, Fail, time};
use crate::host::{Host, files, journal};
use crate::resolution::decision::{Act, Event, Ledger, Refusal, Standing};
use crate::source::conveyance::{self, Hit};
use crate::wire::decisions::{self, Asked};
use crate::wire::exceptions;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// The decision.
    pub input: Option<String>,
    /// Exact texts that a person excuses, for this loop.
    pub exceptions: Option<String>,
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
    let mut folder = Folder::open(host, &request.place)?;
    if let Some(flag) = request.exceptions.as_deref().filter(|e| !e.is_empty()) {
        let more = exceptions::read(&files::read_text(&host.absolute(Some(flag), "exceptions")?, 1 << 20)?)?;
        let _held = folder.hold_open()?;
        let mut all = folder.exceptions()?;
        all.extend(more.into_iter().filter(|m| !all.contains(m)).collect::<Vec<_>>());
        folder.keep(EXCEPTIONS, &crate::wire::json::document(&all))?;
    }
    let path = host.absolute(request.input.as_deref(), "decision")?;
    record(&mut folder, &decisions::asked(&files::read_text(&path, 1 << 20)?)?)
}

/// Records a decision in an open loop.
///
/// # Errors
/// As [`run`].
pub fn record(folder: &mut Folder<'_>, asked: &Asked) -> Result<Answer, Fail> {
    let held = folder.hold_open()?;
    let rounds = folder.rounds()?;
    let round = folder.last(&rounds)?.round;
    let (ledger, _) = folder.ledger()?;
    let answer = |already, id: Option<String>, hits, torn_tail, ledger: &Ledger| Answer {
        recorded: id.is_some(),
        already,
        id,
        hits,
        in_force: ledger.in_force().cloned().collect(),
        torn_tail,
    };
    if let Some(entry) = &asked.entry {
        let hits = conveyance::check_decision("", &entry.text, &entry.basis, &folder.exceptions()?).hits;
        if !hits.is_empty() {
            return Ok(answer(false, None, hits, None, &ledger));
        }
        let all = facts::identities(&rounds);
        if let Some(stray) = entry.settles.iter().find(|s| facts::canonical(&all, round + 1, s).as_ref() != Some(*s)) {
            let message = format!("`settles` names `{}`, which is no identity of this loop", printable(stray));
            return Err(Fail::new(Code::UnknownSameAs, message).hint("an identity is r<round>/<finding>, as track-recurrence prints it"));
        }
        // The same call again, after a kill or not, says what the first one said.
        let same = |d: &&Standing| d.entry == *entry && (d.is_in_force() || d.round == round);
        if let Some(same) = ledger.decisions.iter().find(same) {
            return Ok(answer(true, Some(same.id.clone()), Vec::new(), None, &ledger));
        }
    }
    // A retirement of this very round that is asked for again was heard the first time.
    let retired = asked.old.as_deref().filter(|_| asked.act == Act::Retire).and_then(|old| ledger.find(old));
    if let Some(gone) = retired.filter(|d| d.retired_in == Some(round) && d.superseded_by.is_none()) {
        return Ok(answer(true, Some(gone.id.clone()), Vec::new(), None, &ledger));
    }
    let event = event(asked, &ledger.next_id(), round, time::iso_ms(folder.host.now_ms()));
    let mut after = ledger.clone();
    after.take(&event).map_err(|why| conflict(asked, why))?;
    let line = decisions::line(&event);
    let before = journal::read(&folder.dir.join(LEDGER))?;
    let whole = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let digest = folder.announce(LEDGER, &[&before[..whole], &line].concat())?;
    let moved = journal::append(folder.host, &held, LEDGER, &line)?;
    folder.kept(LEDGER, digest)?;
    Ok(answer(false, Some(event.id), Vec::new(), moved.map(|p| p.to_string_lossy().into_owned()), &after))
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
