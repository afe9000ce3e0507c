//! A pull request, out of a file or from `gh`, and its scope: merge base against head, commit against commit.
//!
//! Every kind of failure of `gh` is a refusal of its own: none of them is taken for "there is no pull request". Source: resolution
//! spec §1.

use std::time::Duration;

use super::checkout::Checkout;
use super::detect_scope::{Answer, Kind, raw_diff};
use crate::base::path::printable;
use crate::base::{Code, Fail, number};
use crate::host::child::{self, Launch};
use crate::host::{Host, files};
use crate::scope::pull_request::PullRequest;
use crate::scope::surface::{Legs, join};
use crate::wire::pull_request::{self, FIELDS};

/// How long `gh` may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Which pull request is asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// `--pr`: a number, or the branch's own one when it is empty.
    pub number: Option<Option<String>>,
    /// `--pr-json`: what `gh pr view` printed.
    pub file: Option<String>,
}

impl Request {
    /// Whether one is asked for at all.
    pub fn is_some(&self) -> bool {
        self.number.is_some() || self.file.as_deref().is_some_and(|f| !f.is_empty())
    }
}

/// Reads the pull request that is asked for.
///
/// # Errors
/// `INVALID_ARGUMENT` for a number that is none or another one than the file's, `GH_MISSING`, `GH_UNAUTHENTICATED`, `PR_NOT_FOUND`,
/// `GH_UNREACHABLE`, `GH_FAILED`, and those of the document.
pub fn read(request: &Request, host: &Host, checkout: &Checkout) -> Result<PullRequest, Fail> {
    let wanted = match request.number.as_ref().and_then(Option::as_deref) {
        Some(text) => Some(number::plain("--pr", text, 1..=1_000_000_000)?),
        None => None,
    };
    let (bytes, from) = match request.file.as_deref().filter(|f| !f.is_empty()) {
        Some(flag) => {
            let path = host.absolute(Some(flag), "pull request")?;
            (files::read_text(&path, files::DOCUMENT_LIMIT)?, path.to_string_lossy().into_owned())
        }
        None => (ask(host, checkout, wanted)?, "gh".to_owned()),
    };
    let named = |fail: Fail| Fail { message: format!("the pull request of `{}`: {}", printable(&from), fail.message), ..fail };
    let found = pull_request::read(&bytes).map_err(named)?;
    match wanted.filter(|n| *n != found.number) {
        Some(other) => {
            let message = format!("`--pr {other}` is another one than number {} of `{}`", found.number, printable(&from));
            Err(Fail::new(Code::InvalidArgument, message))
        }
        None => Ok(found),
    }
}

fn ask(host: &Host, checkout: &Checkout, wanted: Option<u64>) -> Result<Vec<u8>, Fail> {
    if host.find_program("gh").is_none() {
        return Err(Fail::new(Code::GhMissing, "there is no program `gh` on PATH"));
    }
    let mut argv = ["gh", "pr", "view"].map(str::to_owned).to_vec();
    argv.extend(wanted.map(|n| n.to_string()));
    argv.extend(["--json".to_owned(), FIELDS.to_owned()]);
    let env = [("GH_PROMPT_DISABLED", "1".to_owned()), ("NO_COLOR", "1".to_owned())];
    let launch = Launch { argv: &argv, cwd: &checkout.top, env: &env, stdin: Vec::new(), limit: LIMIT, keep: 4 << 20 };
    let ended = child::run(host, launch)?;
    if ended.code == Some(0) && !ended.cut {
        return Ok(ended.stdout);
    }
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    let line: String = said.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("it said nothing").chars().take(200).collect();
    let lower = said.to_lowercase();
    let holds = |words: &[&str]| words.iter().any(|w| lower.contains(w));
    let code = match () {
        () if ended.timed_out => Code::GhUnreachable,
        // A remote of another host has no pull request here, whatever else gh advises.
        () if holds(&["none of the git remotes"]) => Code::PrNotFound,
        () if holds(&[
            "error connecting",
            "dial tcp",
            "no such host",
            "could not resolve host",
            "connection refused",
            "timeout",
            "network is unreachable",
        ]) =>
        {
            Code::GhUnreachable
        }
        () if holds(&["gh auth login", "not logged", "authentication", "http 401", "gh_token", "bad credentials"]) => {
            Code::GhUnauthenticated
        }
        () if holds(&[
            "no pull requests found",
            "could not resolve to a pullrequest",
            "no open pull requests",
            "none of the git remotes",
        ]) =>
        {
            Code::PrNotFound
        }
        () => Code::GhFailed,
    };
    let said = if ended.timed_out { format!("it did not answer in {} s", LIMIT.as_secs()) } else { printable(&line) };
    Err(Fail::new(code, format!("`gh pr view` failed: {said}")))
}

/// The scope of a pull request: its merge base against its head, both of which have to be here.
///
/// # Errors
/// `BASE_MISSING` for a commit that is not here, with what fetches it; `NO_MERGE_BASE`, `GIT_FAILED`.
pub fn scope(checkout: &Checkout, host: &Host, pr: PullRequest) -> Result<Answer, Fail> {
    for (what, oid, fetch) in [("head", &pr.head_oid, format!("pull/{}/head", pr.number)), ("base", &pr.base_oid, pr.base_ref.clone())] {
        if checkout.commit(oid)?.is_none() {
            let message = format!("the {what} `{oid}` of pull request {} is not in this repository", pr.number);
            return Err(Fail::new(Code::BaseMissing, message).hint(format!("git fetch origin {}", printable(&fetch))));
        }
    }
    let bases = checkout.merge_bases(&pr.head_oid, &pr.base_oid)?;
    let Some(base) = bases.first().cloned() else {
        let code = if checkout.shallow { Code::BaseMissing } else { Code::NoMergeBase };
        return Err(Fail::new(code, format!("base and head of pull request {} share no commit here", pr.number)));
    };
    let raw = raw_diff(checkout, &[&base, &pr.head_oid])?;
    let (files, more) = join(&Legs { raw, ..Legs::default() });
    let mut warnings: std::collections::BTreeSet<&'static str> = checkout.circumstances(host, false).into_iter().collect();
    warnings.extend(more);
    warnings.extend((bases.len() > 1).then_some("multiple_merge_bases"));
    warnings.extend((base != pr.base_oid).then_some("behind_base"));
    warnings.extend((pr.state != "OPEN").then_some("pr_not_open"));
    warnings.extend(pr.changed_files.is_some_and(|n| n != files.len() as u64).then_some("pr_file_count_mismatch"));
    let kind = if files.is_empty() { Kind::Nothing } else { Kind::Pr };
    let head = Some(pr.head_oid.clone());
    Ok(Answer { kind, base: Some(base), head, files, warnings, empty_tree: checkout.empty_tree, pr: Some(pr) })
}
