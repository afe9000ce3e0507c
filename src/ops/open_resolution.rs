//! open-resolution: a new resolution loop: its scope in the seed's order, its base captured for good, its source designated
//! (convergence seed, Phase 0; issue 4, Scope).

use std::collections::BTreeSet;

use serde::Serialize;

use super::check_scope;
use super::checkout::Checkout;
use super::detect_scope::{self, Answer as Scope, Kind};
use super::resolution::{self, Place};
use super::{Ask, gather, list_sources, pull_request};
use crate::base::id::LoopId;
use crate::base::path::printable;
use crate::base::{Code, Fail, number, time};
use crate::host::Host;
use crate::scope::pull_request::PullRequest;
use crate::source::adapter::{Effort, Name};
use crate::wire::resolution_loop::Record;

/// What is asked.
#[derive(Debug, Default, Clone)]
pub struct Request {
    /// Where.
    pub place: Place,
    /// A pull request.
    pub pr: pull_request::Request,
    /// What to compare with, in place of the seed's order.
    pub base: Option<String>,
    /// Review everything that is tracked.
    pub codebase: bool,
    /// Do not ask `gh` for the branch's own pull request.
    pub no_gh: bool,
    /// The source.
    pub source: Option<String>,
    /// Whether the agent's own host has a built-in review.
    pub host_review: bool,
    /// Take uncommitted edits of the pull request's files into the scope.
    pub adopt: bool,
    /// Program and arguments of the source `command`.
    pub argv: Option<String>,
    /// The client's model.
    pub model: Option<String>,
    /// How hard it thinks.
    pub effort: Option<String>,
    /// Seconds of a review.
    pub limit_s: Option<String>,
    /// A cap on rounds.
    pub max_rounds: Option<String>,
    /// Captures of earlier conversations.
    pub captures: Vec<String>,
    /// Our own folders inside the checkout.
    pub own: Vec<String>,
    /// An approval of unknown coverage proves nothing.
    pub require_coverage: bool,
    /// Run the working tree's checks too.
    pub trust_worktree_checks: bool,
    /// `fix`, `command` or `none`, for a driven loop.
    pub respond: Option<String>,
    /// Program and arguments of the responder.
    pub respond_argv: Option<String>,
}

/// How much a scope is; lines of untracked and binary files are not counted.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Stats {
    /// Files.
    pub files: usize,
    /// Lines that were added.
    pub insertions: u64,
    /// Lines that were taken away.
    pub deletions: u64,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The loop; none when it was not opened.
    pub loop_id: Option<String>,
    /// Its folder.
    pub state_dir: Option<String>,
    /// The source.
    pub source: Option<Name>,
    /// Why it is this one: named, or the only one.
    pub chosen_because: Option<&'static str>,
    /// What is under review.
    pub scope: Option<Scope>,
    /// How much it is.
    pub stats: Option<Stats>,
    /// Sorted.
    pub warnings: BTreeSet<&'static str>,
}

/// Opens a loop.
///
/// # Errors
/// `INVALID_ARGUMENT`, `BAD_ID`, `LOOP_MISMATCH`, those of detect-scope and list-sources; of a pull request `GH_MISSING`,
/// `GH_UNAUTHENTICATED`, `PR_NOT_FOUND`, `GH_FAILED`.
pub fn run(request: &Request, host: &Host) -> Result<(Answer, Option<Ask>), Fail> {
    let settings = settings(request)?;
    let folder = host.absolute(Some(request.place.repo.as_deref().unwrap_or(".")), "repository")?;
    let checkout = Checkout::open(host, &folder)?;
    let root = host.state_root(request.place.state_dir.as_deref())?;
    let mut answer =
        Answer { loop_id: None, state_dir: None, source: None, chosen_because: None, scope: None, stats: None, warnings: BTreeSet::new() };
    let named = request.source.clone().filter(|s| !s.is_empty());
    let (sources, ask) = list_sources::run(&list_sources::Request { choose: Some(named), host_review: request.host_review }, host)?;
    let Some(source) = sources.chosen else { return Ok((answer, ask)) };
    (answer.source, answer.chosen_because) = (Some(source), sources.chosen_because);
    let argv = match (source, request.argv.as_deref().filter(|a| !a.is_empty())) {
        (Name::Command, Some(flag)) => {
            gather::argv(flag).ok_or_else(|| Fail::new(Code::InvalidArgument, "`--argv` is not a JSON array of strings with a program"))?
        }
        (Name::Command, None) => return Err(Fail::new(Code::InvalidArgument, "the source `command` needs `--argv`")),
        (_, Some(_)) => return Err(Fail::new(Code::InvalidArgument, "`--argv` is only taken with the source `command`")),
        (_, None) => Vec::new(),
    };
    let own: Vec<std::path::PathBuf> = request.own.iter().map(|d| host.absolute(Some(d), "own folder")).collect::<Result<_, _>>()?;
    // Ours is what lies below this checkout's own key; whatever else stands in the root is under review.
    let all_own: Vec<std::path::PathBuf> = own.iter().cloned().chain([host.checkout_dir(&root, &checkout.top)]).collect();
    checkout.refuse_shared_folder(&root, |_| false)?;
    for folder in &own {
        checkout.refuse_shared_folder(folder, crate::report::name::is_ours)?;
    }
    let (scope, ask) = scope(request, host, &checkout, &all_own, &mut answer.warnings)?;
    answer.warnings.extend(scope.warnings.iter().copied());
    let base = scope.base.clone().or_else(|| scope.head.clone()).unwrap_or_else(|| scope.empty_tree.to_owned());
    let base = if scope.kind == Kind::Codebase { scope.empty_tree.to_owned() } else { base };
    answer.stats = Some(stats(&checkout, &scope, &base)?);
    let (kind, pr) = (scope.kind, scope.pr.clone());
    answer.scope = Some(scope);
    if ask.is_some() {
        return Ok((answer, ask));
    }
    let id = match gather::loop_id(request.place.loop_id.as_deref())? {
        Some(id) => id,
        None => LoopId::parse(&host.fresh_id())?,
    };
    let captures = request.captures.iter().map(|c| super::harvest_intent::capture(&checkout, host, c)).collect::<Result<_, _>>()?;
    let record = Record {
        loop_id: id.as_str().to_owned(),
        opened_at: time::iso_ms(host.now_ms()),
        kind: kind.word().to_owned(),
        base,
        pr,
        source: source.word().to_owned(),
        source_argv: argv,
        own: own.iter().map(|p| p.to_string_lossy().into_owned()).collect(),
        captures,
        ..settings
    };
    let folder = resolution::create(host, root, checkout, record)?;
    answer.loop_id = Some(id.as_str().to_owned());
    answer.state_dir = Some(folder.dir.to_string_lossy().into_owned());
    Ok((answer, None))
}

/// Everything that is pinned and not found out.
fn settings(request: &Request) -> Result<Record, Fail> {
    let given = |flag: &Option<String>| flag.clone().filter(|f| !f.is_empty());
    let effort = given(&request.effort).unwrap_or_else(|| Effort::High.word().to_owned());
    if Effort::parse(&effort).is_none() {
        let message = format!("`--effort {}` is not one of high, xhigh, max", printable(&effort));
        return Err(Fail::new(Code::InvalidArgument, message));
    }
    let limit_s = given(&request.limit_s).map(|l| number::plain("--limit-s", &l, 1..=86_400)).transpose()?;
    let max_rounds = given(&request.max_rounds).map(|m| number::plain("--max-rounds", &m, 1..=1000)).transpose()?;
    let respond = given(&request.respond);
    if let Some(word) = respond.as_deref().filter(|w| !["none", "fix", "command"].contains(w)) {
        return Err(Fail::new(Code::InvalidArgument, format!("`--respond {}` is not one of none, fix, command", printable(word))));
    }
    let respond_argv = match (respond.as_deref(), given(&request.respond_argv)) {
        (Some("command"), Some(flag)) => gather::argv(&flag)
            .ok_or_else(|| Fail::new(Code::InvalidArgument, "`--respond-argv` is not a JSON array of strings with a program"))?,
        (Some("command"), None) => return Err(Fail::new(Code::InvalidArgument, "`--respond command` needs `--respond-argv`")),
        (_, Some(_)) => return Err(Fail::new(Code::InvalidArgument, "`--respond-argv` is only taken with `--respond command`")),
        (_, None) => Vec::new(),
    };
    if request.codebase && request.base.is_some() || request.pr.is_some() && (request.codebase || request.base.is_some()) {
        return Err(Fail::new(Code::InvalidArgument, "a pull request, `--base` and `--codebase` exclude one another"));
    }
    Ok(Record {
        schema_version: 1,
        loop_id: String::new(),
        opened_at: String::new(),
        kind: String::new(),
        base: String::new(),
        pr: None,
        source: String::new(),
        source_argv: Vec::new(),
        model: given(&request.model),
        effort,
        limit_s: limit_s.unwrap_or(300),
        require_coverage: request.require_coverage,
        trust_worktree_checks: request.trust_worktree_checks,
        own: Vec::new(),
        captures: Vec::new(),
        max_rounds,
        respond,
        respond_argv,
        exited_at: None,
        heads: std::collections::BTreeMap::new(),
        pending: None,
    })
}

/// What is under review, in the seed's order: the pull request that is named, the branch's own, the working tree with its untracked
/// files against HEAD; a base or the whole code base only when asked for.
fn scope(
    request: &Request,
    host: &Host,
    checkout: &Checkout,
    own: &[std::path::PathBuf],
    warnings: &mut BTreeSet<&'static str>,
) -> Result<(Scope, Option<Ask>), Fail> {
    let look = checkout.look(&checkout.own(own))?;
    let named = if request.codebase { Some(checkout.empty_tree.to_owned()) } else { request.base.clone().filter(|b| !b.is_empty()) };
    if let Some(base) = named {
        let scope = detect_scope::detect(checkout, host, Some(&base), look)?.answer;
        let ask = scope.ask();
        return Ok((scope, ask));
    }
    let pr = match request.pr.is_some() {
        true => Some(pull_request::read(&request.pr, host, checkout)?),
        false => own_pull_request(request, host, checkout, look.status.standing.branch.is_some(), warnings)?,
    };
    if let Some(pr) = pr {
        let scope = pull_request::scope(checkout, host, pr)?;
        if let Some(ask) = scope.ask() {
            return Ok((scope, Some(ask)));
        }
        let (checked, ask) = check_scope::of_scope(&scope, checkout, look.clone())?;
        warnings.extend(checked.warnings);
        // The edits belong to it: then what is under review is the working tree, against the same base.
        if request.adopt && ask.as_ref().is_some_and(|a| a.code == "dirty_overlap") {
            let adopted = detect_scope::detect(checkout, host, scope.base.as_deref(), look)?.answer;
            return Ok((Scope { kind: Kind::Worktree, base: scope.base, pr: scope.pr, ..adopted }, None));
        }
        return Ok((scope, ask));
    }
    let head = look.head.as_ref().map_or_else(|| checkout.empty_tree.to_owned(), |h| h.oid.clone());
    let born = look.head.is_some();
    let scope = detect_scope::detect(checkout, host, Some(&head), look)?.answer;
    // Before the first commit everything is compared with nothing, and is a working tree all the same.
    let kind = if !born && !scope.files.is_empty() { Kind::Worktree } else { scope.kind };
    let scope = Scope { kind, base: Some(head), ..scope };
    let ask = if scope.kind == Kind::Nothing { Some(nothing()) } else { scope.ask() };
    Ok((scope, ask))
}

fn stats(checkout: &Checkout, scope: &Scope, base: &str) -> Result<Stats, Fail> {
    let mut stats = Stats { files: scope.files.len(), ..Stats::default() };
    if matches!(scope.kind, Kind::Nothing | Kind::Codebase) {
        return Ok(stats);
    }
    let revisions: Vec<&str> = match (scope.kind, scope.head.as_deref()) {
        (Kind::Pr, Some(head)) => vec![base, head],
        _ => vec![base],
    };
    let listed = checkout.git.diff(&[&["--numstat", "--no-renames"], &revisions[..]].concat(), &[])?;
    for line in String::from_utf8_lossy(&listed).lines() {
        let mut words = line.split('\t').map(|w| w.parse::<u64>().unwrap_or(0));
        stats.insertions += words.next().unwrap_or(0);
        stats.deletions += words.next().unwrap_or(0);
    }
    Ok(stats)
}

fn nothing() -> Ask {
    let options = [
        ("pr", "review a pull request: name it with --pr"),
        ("base", "review the branch: name what to compare it with by --base"),
        ("codebase", "review everything that is tracked: --codebase"),
        ("stop", "there is nothing to review"),
    ];
    Ask::new("nothing_to_review", "the working tree holds no change and no untracked file; what should be reviewed?", &options)
}

/// The branch's own pull request. Only that there is none lets the working tree be reviewed; a repository without a remote has none, and
/// so has a checkout without a branch.
fn own_pull_request(
    request: &Request,
    host: &Host,
    checkout: &Checkout,
    on_branch: bool,
    warnings: &mut BTreeSet<&'static str>,
) -> Result<Option<PullRequest>, Fail> {
    let remotes = checkout.git.ask(&["remote"], b"")?;
    if remotes.text().is_empty() || !on_branch {
        return Ok(None);
    }
    if request.no_gh {
        warnings.insert("gh_not_asked");
        return Ok(None);
    }
    match pull_request::read(&pull_request::Request { number: Some(None), file: None }, host, checkout) {
        Ok(pr) if pr.state == "OPEN" => Ok(Some(pr)),
        Ok(_) => {
            warnings.insert("pr_not_open");
            Ok(None)
        }
        Err(fail) if fail.code == Code::PrNotFound => Ok(None),
        Err(fail) => Err(fail.hint("whether the branch has a pull request is not known; --no-gh reviews the working tree without asking")),
    }
}
