//! Gathering: documents read from disk and turned into domain values, for every operation that needs them.

use std::path::{Path, PathBuf};

use crate::base::digest::sha256_hex;
use crate::base::id::LoopId;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::finding::{Review, read};
use crate::host::files::{self, TEXT_LIMIT};
use crate::host::{Host, journal, walk};
use crate::report::response::{self, Response};
use crate::resolution::decision::Ledger;
use crate::round::record::Round;
use crate::source::bundle::Decision;
use crate::wire::{decisions, recurring, round_state};

/// A review report: its absolute path, digest and content.
pub struct ReadReview {
    /// Absolute path.
    pub path: String,
    /// SHA-256 of the bytes.
    pub sha256: String,
    /// As read.
    pub review: Review,
}

/// Reads a review report.
///
/// # Errors
/// `INVALID_PATH`, or why the file cannot be read.
pub fn review(host: &Host, flag: Option<&str>) -> Result<ReadReview, Fail> {
    let path = host.absolute(flag, "review report")?;
    let bytes = files::read_text(&path, TEXT_LIMIT)?;
    Ok(ReadReview { path: path.to_string_lossy().into_owned(), sha256: sha256_hex(&bytes), review: read::review(&bytes) })
}

/// Reads a response report; an absent or empty flag is a Respond that was skipped.
///
/// # Errors
/// `INVALID_PATH`, or why the file cannot be read.
pub fn response(host: &Host, flag: Option<&str>) -> Result<Option<(String, String, Response)>, Fail> {
    let Some(flag) = flag.filter(|f| !f.is_empty()) else {
        return Ok(None);
    };
    let path = host.absolute(Some(flag), "response report")?;
    let bytes = files::read_text(&path, TEXT_LIMIT)?;
    let sha256 = sha256_hex(&bytes);
    Ok(Some((path.to_string_lossy().into_owned(), sha256, response::read(&String::from_utf8_lossy(&bytes)))))
}

/// Reads the recurring-findings artifact: the named file, else the one beside the reports folder.
pub fn categories(host: &Host, flag: Option<&str>, review: &str) -> crate::report::metrics::Categories {
    let path = match flag.filter(|f| !f.is_empty()) {
        Some(flag) => host.absolute(Some(flag), "recurring findings").ok(),
        None => Path::new(review).parent().and_then(Path::parent).map(|p| p.join("recurring-findings.json")),
    };
    let bytes = path.and_then(|p| files::read_text(&p, files::DOCUMENT_LIMIT).ok());
    recurring::read(bytes.as_deref())
}

/// Reads one round state.
///
/// # Errors
/// `INVALID_STATE` with the reason, or why the file cannot be read.
pub fn round(path: &Path) -> Result<Round, Fail> {
    let shown = printable(&path.to_string_lossy());
    let damaged = |fail: Fail| {
        let message = format!("the round state `{shown}` cannot be used: {}", fail.message);
        Fail { message, ..fail.within(Code::InvalidState) }.with("path", path.to_string_lossy().as_ref())
    };
    let bytes = files::read_state(path).map_err(|fail| match fail.code {
        Code::NotRegularFile | Code::TooLarge => fail,
        _ => damaged(fail),
    })?;
    round_state::read(&bytes).map_err(damaged)
}

/// Reads a round state that something is decided from.
///
/// # Errors
/// As [`round`], and `INVALID_STATE` when its verdict, counts or findings are missing or malformed.
pub fn whole_round(path: &Path) -> Result<Round, Fail> {
    let round = round(path)?;
    if round.damaged.is_empty() {
        return Ok(round);
    }
    let shown = printable(&path.to_string_lossy());
    let message = format!("the round state `{shown}` cannot be decided from: {} missing or malformed", round.damaged.join(", "));
    Err(Fail::new(Code::BadShape, message).within(Code::InvalidState).with("path", path.to_string_lossy().as_ref()))
}

/// Reads a ledger of decisions; one that does not exist holds none. Says whether its last line was cut off.
///
/// # Errors
/// As the document, or why the file cannot be read.
pub fn ledger(path: &Path) -> Result<(Ledger, bool), Fail> {
    let bytes = journal::read(path)?;
    let shown = printable(&path.to_string_lossy());
    let named = |fail: Fail| Fail { message: format!("`{shown}`: {}", fail.message), ..fail };
    Ok((decisions::read(&bytes).map_err(named)?, journal::torn_tail(&bytes).is_some()))
}

/// The decisions in force as a bundle holds them: text and basis, and nothing that tells of their history.
pub fn sent(ledger: &Ledger) -> Vec<Decision> {
    ledger.in_force().map(|d| Decision { text: d.entry.text.clone(), basis: d.entry.basis.clone() }).collect()
}

/// The name of a round's state file.
pub fn state_name(loop_id: &str, round: u64) -> String {
    format!("loop-{loop_id}-round-{round}.state.json")
}

/// A state that could not be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Skipped {
    /// Absolute path.
    pub path: String,
    /// The code of the refusal.
    pub code: &'static str,
}

/// Every readable round of a loop in a folder, sorted by number; torn, foreign or linked siblings are listed apart.
///
/// # Errors
/// Why the folder cannot be listed.
pub fn rounds(folder: &Path, loop_id: &str) -> Result<(Vec<Round>, Vec<Skipped>), Fail> {
    let mut rounds = Vec::new();
    let mut skipped = Vec::new();
    for path in walk::files(folder)? {
        let Some(named) = crate::residue::sweep::named(&walk::name(&path)) else {
            continue;
        };
        if named.loop_id != loop_id || named.part != crate::residue::sweep::Part::State {
            continue;
        }
        match round(&path) {
            Ok(round) if round.loop_id == loop_id && !round.damaged.is_empty() => {
                skipped.push(Skipped { path: path.to_string_lossy().into_owned(), code: Code::BadShape.word() });
            }
            Ok(round) if round.loop_id == loop_id => rounds.push(round),
            Ok(_) => {}
            Err(fail) => skipped.push(Skipped { path: path.to_string_lossy().into_owned(), code: fail.reason.unwrap_or(fail.code).word() }),
        }
    }
    rounds.sort_by_key(|r| r.round_number);
    Ok((rounds, skipped))
}

/// The refusal of a loop of which no round can be read.
pub fn no_rounds(folder: &Path, loop_id: &LoopId) -> Fail {
    let message = format!("no readable round of the loop `{loop_id}` in `{}`", printable(&folder.to_string_lossy()));
    Fail::new(Code::NoRounds, message).with("loop_id", loop_id.as_str())
}

/// A loop id from a flag. An empty one is an unset variable, which must not start another loop.
///
/// # Errors
/// `BAD_ID`.
pub fn loop_id(flag: Option<&str>) -> Result<Option<LoopId>, Fail> {
    if flag == Some("") {
        return Err(Fail::new(Code::BadId, "`--loop-id` is empty").hint("leave it out to start a new loop"));
    }
    flag.map(LoopId::parse).transpose()
}

/// What is written must not take the place of what it was made from.
///
/// # Errors
/// `INVALID_PATH`.
pub fn refuse_overwriting(output: &Path, inputs: &[&Path]) -> Result<(), Fail> {
    let real = |p: &Path| p.canonicalize().unwrap_or_else(|_| p.to_path_buf());
    let taken = inputs.iter().any(|i| real(i) == real(output));
    let shown = printable(&output.to_string_lossy());
    if taken { Err(Fail::new(Code::InvalidPath, format!("the output `{shown}` is an input of the same call"))) } else { Ok(()) }
}

/// The flag `--repo-root` as text for cutting cited paths: as given, and absolute against the working folder.
pub fn repo_root(host: &Host, flag: Option<&str>) -> Option<String> {
    let flag = flag.filter(|f| !f.is_empty())?;
    let windows = crate::base::path::is_absolute(flag) && !flag.starts_with('/');
    if windows {
        return Some(flag.to_owned());
    }
    host.absolute(Some(flag), "repository root").ok().map(|p: PathBuf| p.to_string_lossy().into_owned())
}

/// Program and arguments out of a flag: a JSON array of strings whose first one is not empty.
pub fn argv(flag: &str) -> Option<Vec<String>> {
    let value = crate::wire::json::parse(flag.as_bytes()).ok()?;
    let words: Vec<String> = value.as_array()?.iter().map(|w| w.as_str().map(str::to_owned)).collect::<Option<_>>()?;
    words.first().is_some_and(|program| !program.is_empty()).then_some(words)
}
