//! The journal of overrides: read whole or not at all.

use super::Folder;
use crate::base::{Code, Fail};
use crate::host::journal;
use crate::host::lock::Held;
use crate::wave::control::{Gate, Row, active, row_offence};
use crate::wire::json;

/// The name of the journal.
pub const JOURNAL: &str = "overrides.jsonl";

/// Every row.
///
/// # Errors
/// `OVERRIDE_STATE_INVALID` when one of them is malformed or the last one was cut off.
pub fn rows(folder: &Folder<'_>) -> Result<Vec<Row>, Fail> {
    let bytes = journal::read(&folder.dir.join(JOURNAL))?;
    if journal::torn_tail(&bytes).is_some() {
        return Err(poisoned("its last line was cut off"));
    }
    let rows: Vec<Row> = json::lines(&bytes, 1).map_err(|fail| poisoned(&fail.message))?;
    match rows.iter().find_map(row_offence) {
        Some(why) => Err(poisoned(&format!("a row {why}"))),
        None => Ok(rows),
    }
}

/// The value that holds now, with what it is bound by; none without an override.
///
/// # Errors
/// As [`rows`].
pub fn value(folder: &Folder<'_>, gate: Gate, opening: u64) -> Result<Option<(u64, String)>, Fail> {
    let rows = rows(folder)?;
    let held = active(&rows, gate, opening, folder.host.now_ms());
    Ok(held.and_then(|row| row.value.map(|v| (v, crate::wave::control::binding(row)))))
}

/// Appends a row.
///
/// # Errors
/// Those of the journal.
pub fn append(folder: &Folder<'_>, held: &Held, row: &Row) -> Result<(), Fail> {
    journal::append(folder.host, held, JOURNAL, &json::compact(row)).map(|_| ())
}

fn poisoned(why: &str) -> Fail {
    Fail::new(Code::OverrideStateInvalid, format!("the journal of overrides cannot be read: {why}"))
}
