//! assess-floor: the lowest risk tier that a change may have, and what made it so (waves spec §2; issue 5, Floor and tier).

use std::collections::BTreeMap;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Serialize;

use super::checkout::Checkout;
use super::detect_scope::{self, Kind};
use super::resolve_policy;
use crate::base::{Code, Fail};
use crate::host::{Host, files};
use crate::scope::change::{self, Letter};
use crate::wave::floor::{Changed, Floor, assess};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// What is under review.
    pub scope: detect_scope::Request,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The floor.
    #[serde(flatten)]
    pub floor: Floor,
    /// The policy whose globs were read.
    pub policy_binding: String,
}

/// Assesses the floor of a scope.
///
/// # Errors
/// As detect-scope and resolve-policy.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let folder = host.absolute(Some(request.scope.repo.as_deref().unwrap_or(".")), "repository")?;
    let checkout = Checkout::open(host, &folder)?;
    let policy = resolve_policy::of(&checkout)?;
    let floor = of(&checkout, &request.scope, &policy.sensitive, host)?;
    Ok(Answer { floor, policy_binding: policy.policy_binding })
}

/// The floor of an open checkout's scope. Renames are not detected: what moves out of a sensitive folder was in it.
///
/// # Errors
/// As detect-scope, and `INVALID_POLICY` for a glob.
pub fn of(checkout: &Checkout, request: &detect_scope::Request, sensitive: &[String], host: &Host) -> Result<Floor, Fail> {
    let look = checkout.look(&checkout.own(&request.own))?;
    let untracked = look.status.untracked.clone();
    let scope = detect_scope::detect(checkout, host, request.base.as_deref(), look)?.answer;
    if matches!(scope.kind, Kind::Codebase | Kind::Nothing) {
        return Ok(assess(&[]));
    }
    let declared = globs(sensitive)?;
    let base = scope.base.as_deref().unwrap_or(scope.empty_tree);
    // As text, whatever attributes call a file: what hides a change from a diff would hide it from the floor.
    let form = ["--patch-with-raw", "-z", "-U0", "--text", "--no-abbrev", "--no-renames", base];
    let (records, patches) = change::raw_records(&checkout.git.diff(&form, &[])?);
    let owners = records.into_iter().filter(|r| r.letter != Letter::U);
    let owners = owners.flat_map(|r| std::iter::repeat_n(r.path, if r.letter == Letter::T { 2 } else { 1 }));
    let mut changed: BTreeMap<Vec<u8>, Changed> = BTreeMap::new();
    for (path, patch) in owners.zip(patches) {
        let text = String::from_utf8_lossy(&patch).into_owned();
        let added: Vec<&str> = text.lines().filter(|l| l.starts_with('+') && !l.starts_with("+++ ")).map(|l| &l[1..]).collect();
        let removed = text.lines().filter(|l| l.starts_with('-') && !l.starts_with("--- ")).count();
        let entry = changed.entry(path).or_default();
        entry.lines += (added.len() + removed) as u64;
        entry.added.push_str(&added.join("\n"));
    }
    // Staged and unstaged edits that cancel, and modes, are in the scope without a patch.
    for file in &scope.files {
        changed.entry(file.path.clone()).or_default().unread |= file.submodule;
    }
    for path in untracked {
        let full = checkout.full(&path);
        let regular = full.symlink_metadata().is_ok_and(|m| m.is_file());
        let read = regular.then(|| files::read_text(&full, 4 << 20));
        let unread = matches!(read, Some(Err(_))) || full.is_dir();
        let text = read.and_then(Result::ok).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
        changed.insert(path, Changed { lines: text.lines().count() as u64, added: text, unread, ..Changed::default() });
    }
    let named = changed.into_iter().map(|(path, entry)| {
        let path = String::from_utf8_lossy(&path).into_owned();
        Changed { declared: declared.is_match(&path), path, ..entry }
    });
    Ok(assess(&named.collect::<Vec<_>>()))
}

fn globs(sensitive: &[String]) -> Result<GlobSet, Fail> {
    let mut set = GlobSetBuilder::new();
    let wrong = |_| Fail::new(Code::InvalidPolicy, "a glob of `sensitive` cannot be read");
    for glob in sensitive {
        set.add(GlobBuilder::new(glob).literal_separator(true).build().map_err(wrong)?);
    }
    set.build().map_err(wrong)
}
