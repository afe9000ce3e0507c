//! The journal of overrides: a chain of rows sealed by the loop's key, read whole or not at all.

use super::Folder;
use crate::base::{Code, Fail};
use crate::host::lock::Held;
use crate::host::{files, journal};
use crate::wave::control::{Gate, Row, active, row_offence};
use crate::wire::gate;

/// The name of the journal.
pub const JOURNAL: &str = "overrides.jsonl";

/// Every row, and the mac of the last one. A line that a kill cut off was never acknowledged and is no row.
///
/// # Errors
/// `OVERRIDE_STATE_INVALID` when a row is malformed or not of this loop's making, or when one that was recorded is gone.
pub fn rows(folder: &Folder<'_>, gate: &gate::Gate) -> Result<(Vec<Row>, Option<String>), Fail> {
    let path = folder.dir.join(JOURNAL);
    let bytes = match files::read_private(&path) {
        Ok(bytes) => bytes,
        Err(fail) if fail.code == Code::NotFound => Vec::new(),
        Err(fail) => return Err(poisoned(&fail.message)),
    };
    let (rows, macs) = gate::links::<Row>(&bytes, |b| folder.mac(b)).map_err(|fail| poisoned(&fail.message))?;
    if let Some(why) = rows.iter().find_map(row_offence) {
        return Err(poisoned(&format!("a row {why}")));
    }
    if gate.overrides_head.as_ref().is_some_and(|head| !macs.contains(head)) {
        return Err(poisoned("a row that was recorded is gone"));
    }
    Ok((rows, macs.last().cloned()))
}

/// The value that holds now, with what it is bound by; none without an override.
///
/// # Errors
/// As [`rows`].
pub fn value(folder: &Folder<'_>, key: Gate, gate: &gate::Gate) -> Result<Option<(u64, String)>, Fail> {
    let (rows, _) = rows(folder, gate)?;
    let held = active(&rows, key, gate.opening, folder.host.now_ms());
    Ok(held.and_then(|row| row.value.map(|v| (v, crate::wave::control::binding(row)))))
}

/// Appends a row, and takes its mac into the gate.
///
/// # Errors
/// As [`rows`], and why it cannot be written.
pub fn append(folder: &Folder<'_>, held: &Held, gate: &mut gate::Gate, row: &Row) -> Result<(), Fail> {
    let (_, last) = rows(folder, gate)?;
    let (line, mac) = gate::link(&last.unwrap_or_default(), row, |b| folder.mac(b));
    journal::append(folder.host, held, JOURNAL, &line)?;
    gate.overrides_head = Some(mac);
    folder.keep(held, gate)
}

fn poisoned(why: &str) -> Fail {
    Fail::new(Code::OverrideStateInvalid, format!("the journal of overrides cannot be read: {why}"))
}
