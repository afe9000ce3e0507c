//! Where a loop comes from: a new one with its settings, or one that is gone on with, under its lock.

use std::path::{Path, PathBuf};

use super::{Answer, Request, empty_answer};
use crate::base::id::LoopId;
use crate::base::path::printable;
use crate::base::{Code, Fail, number};
use crate::drive::rounds::State;
use crate::host::{Host, files, lock};
use crate::ops::checkout::Checkout;
use crate::ops::{Ask, detect_scope, gather};
use crate::report::name;
use crate::round::arguments::MAX_CAP;
use crate::round::plan::{Phase, Risk, cap};
use crate::wire::loop_record::{self, LoopRecord, Settings};

/// How long a source or responder may take, in seconds, when nothing else was said.
const DEFAULT_LIMIT_S: u64 = 1800;

/// A loop that is held, or a question instead of one.
pub(super) enum Opened {
    Loop(PathBuf, Box<LoopRecord>, lock::Held),
    Asks(Box<Answer>, Ask),
}

pub(super) fn start(request: &Request, host: &Host, root: &Path, checkout: &Checkout) -> Result<Opened, Fail> {
    let top = checkout.top.to_string_lossy().into_owned();
    let under = |flag: &Option<String>, default: &str| match flag.as_deref().filter(|f| !f.is_empty()) {
        Some(flag) => host.absolute(Some(flag), "reports directory").map(|p| p.to_string_lossy().into_owned()),
        None => Ok(format!("{top}/{default}")),
    };
    let scope = detect_scope::detect(checkout, host, request.base.as_deref(), checkout.look(&checkout.own(&[root.to_path_buf()]))?)?.answer;
    if let Some(ask) = scope.ask() {
        return Ok(Opened::Asks(Box::new(empty_answer(None)), ask));
    }
    let settings = settings(request, top.clone(), scope.base.clone().unwrap_or_else(|| checkout.empty_tree.to_owned()))?;
    let settings = Settings {
        reports_dir: under(&request.reports_dir, ".deep-review/reports")?,
        responses_dir: under(&request.responses_dir, ".deep-review/responses")?,
        ..settings
    };
    refuse_linked_reports(&checkout.top, &settings)?;
    for folder in [&settings.reports_dir, &settings.responses_dir] {
        checkout.refuse_shared_folder(Path::new(folder), name::is_ours)?;
    }
    checkout.refuse_shared_folder(root, |_| false)?;
    let loop_id = LoopId::parse(&host.fresh_id())?;
    let dir = host.loop_dir(root, &checkout.top, "rounds", &loop_id);
    files::make_private_below(root, &dir)?;
    let held = hold(host, &dir)?;
    let record = LoopRecord {
        loop_id: loop_id.as_str().to_owned(),
        settings,
        state: State::start(),
        publishing: None,
        report_sha256: None,
        summary: None,
        warnings: Vec::new(),
        revision: 0,
    };
    if !files::create(host, &dir.join("loop.json"), &loop_record::bytes(&record))? {
        return Err(Fail::new(Code::LoopMismatch, format!("a loop `{loop_id}` stands there already")).hint("go on with it by --loop-id"));
    }
    Ok(Opened::Loop(dir, Box::new(record), held))
}

/// The run as a whole holds a folder below the loop's own, which each operation locks for itself. It is taken before the
/// record is read, so that nobody drives on with an old one.
fn hold(host: &Host, dir: &Path) -> Result<lock::Held, Fail> {
    lock::hold(host, &dir.join("run"))
}

fn settings(request: &Request, top: String, base_commit: String) -> Result<Settings, Fail> {
    let word = |flag: &Option<String>, name: &str, allowed: &[&str]| -> Result<String, Fail> {
        let text = flag.as_deref().filter(|f| !f.is_empty()).unwrap_or(allowed[0]);
        if allowed.contains(&text) {
            Ok(text.to_owned())
        } else {
            Err(Fail::new(Code::InvalidArgument, format!("`{name} {}` is not one of {}", printable(text), allowed.join(", "))))
        }
    };
    let source = word(&request.source, "--source", &["checks", "command"])?;
    let respond = word(&request.respond, "--respond", &["none", "fix", "command"])?;
    let source_argv = argv(request.source_argv.as_deref(), "--source-argv", source == "command")?;
    let respond_argv = argv(request.respond_argv.as_deref(), "--respond-argv", respond == "command")?;
    let artifact_phase = word(&request.artifact_phase, "--artifact-phase", &["implementation", "document"])?;
    let risk = word(&request.risk, "--risk", &["medium", "low", "high", "critical"])?;
    let explicit = request.max.as_deref().map(|m| number::plain("--max", m, 1..=MAX_CAP)).transpose()?;
    let limit_s = request.limit_s.as_deref().map(|l| number::plain("--limit-s", l, 1..=86_400)).transpose()?;
    let (phase, level) = (Phase::parse(&artifact_phase).unwrap_or(Phase::Implementation), Risk::parse(&risk).unwrap_or(Risk::Medium));
    Ok(Settings {
        source,
        source_argv,
        respond,
        respond_argv,
        limit_s: limit_s.unwrap_or(DEFAULT_LIMIT_S),
        trust_worktree_checks: request.trust_worktree_checks,
        session_doc: request.session_doc,
        cap: cap(phase, level, explicit)?,
        artifact_phase,
        risk,
        repo_root: top,
        base_commit,
        reports_dir: String::new(),
        responses_dir: String::new(),
    })
}

/// A JSON array of strings; needed exactly when a command was chosen.
fn argv(flag: Option<&str>, name: &str, needed: bool) -> Result<Vec<String>, Fail> {
    let wrong = |why: &str| Fail::new(Code::InvalidArgument, format!("`{name}` {why}"));
    let Some(flag) = flag.filter(|f| !f.is_empty()) else {
        return if needed { Err(wrong("is missing: a JSON array of program and arguments")) } else { Ok(Vec::new()) };
    };
    if !needed {
        return Err(wrong("is only taken together with `command`"));
    }
    gather::argv(flag).ok_or_else(|| wrong("is not a JSON array of strings with a program"))
}

pub(super) fn resume(request: &Request, host: &Host, root: &Path, checkout: &Checkout, id: &LoopId) -> Result<Opened, Fail> {
    let dir = host.loop_dir(root, &checkout.top, "rounds", id);
    let file = dir.join("loop.json");
    files::refuse_links_below(root, &dir)?;
    if file.symlink_metadata().is_err() {
        let question = format!("there is no state of the loop `{id}` for this checkout; nothing is assumed about it");
        let ask = Ask::new("state_missing", question, &[("start", "start a new loop without --loop-id"), ("stop", "stop")]);
        return Ok(Opened::Asks(Box::new(empty_answer(Some(id.as_str().to_owned()))), ask));
    }
    let held = hold(host, &dir)?;
    let damaged =
        |fail: Fail| Fail { message: format!("the loop record `{}`: {}", printable(&file.to_string_lossy()), fail.message), ..fail };
    let record = files::read_state(&file).and_then(|b| loop_record::read(&b)).map_err(damaged)?;
    if record.loop_id != id.as_str() {
        return Err(Fail::new(Code::LoopMismatch, format!("the loop record is of `{}`", printable(&record.loop_id))));
    }
    same_settings(request, host, &record.settings)?;
    same_base(request, checkout, &record.settings)?;
    refuse_linked_reports(&checkout.top, &record.settings)?;
    Ok(Opened::Loop(dir, Box::new(record), held))
}

/// Reports inside the checkout are not written through a link that leads out of it.
fn refuse_linked_reports(top: &Path, settings: &Settings) -> Result<(), Fail> {
    let folders = [&settings.reports_dir, &settings.responses_dir].map(Path::new);
    folders.iter().filter(|f| f.starts_with(top)).try_for_each(|f| files::refuse_links_below(top, f))
}

/// A base that is given again must come to the commit the loop was started with.
fn same_base(request: &Request, checkout: &Checkout, settings: &Settings) -> Result<(), Fail> {
    let Some(base) = request.base.as_deref().filter(|b| *b != settings.base_commit) else { return Ok(()) };
    let named = checkout.named_base(base)?;
    let bases = checkout.head()?.map(|head| checkout.merge_bases(&head, &named.oid)).transpose()?.unwrap_or_default();
    if bases.first() == Some(&settings.base_commit) || named.oid == settings.base_commit {
        return Ok(());
    }
    Err(Fail::new(Code::LoopMismatch, "`--base` is not what the loop was started with"))
}

/// A setting that is given again must be the one the loop was started with.
fn same_settings(request: &Request, host: &Host, settings: &Settings) -> Result<(), Fail> {
    argv(request.source_argv.as_deref(), "--source-argv", settings.source == "command" && request.source_argv.is_some())?;
    argv(request.respond_argv.as_deref(), "--respond-argv", settings.respond == "command" && request.respond_argv.is_some())?;
    let words = |flag: &Option<String>| flag.as_deref().and_then(|f| crate::wire::json::parse(f.as_bytes()).ok()).map(|v| v.to_string());
    let stored = |argv: &[String]| serde_json::to_string(argv).unwrap_or_default();
    let path = |flag: &Option<String>| {
        flag.as_deref().and_then(|f| host.absolute(Some(f), "folder").ok()).map(|p| p.to_string_lossy().into_owned())
    };
    let given: [(&str, Option<String>, String); 10] = [
        ("--source", request.source.clone(), settings.source.clone()),
        ("--source-argv", words(&request.source_argv), stored(&settings.source_argv)),
        ("--respond", request.respond.clone(), settings.respond.clone()),
        ("--respond-argv", words(&request.respond_argv), stored(&settings.respond_argv)),
        ("--limit-s", request.limit_s.clone(), settings.limit_s.to_string()),
        ("--max", request.max.clone(), settings.cap.to_string()),
        ("--artifact-phase", request.artifact_phase.clone(), settings.artifact_phase.clone()),
        ("--risk", request.risk.clone(), settings.risk.clone()),
        ("--reports-dir", path(&request.reports_dir), settings.reports_dir.clone()),
        ("--responses-dir", path(&request.responses_dir), settings.responses_dir.clone()),
    ];
    let other = given.iter().find(|(_, flag, stored)| flag.as_ref().is_some_and(|f| f != stored)).map(|(name, _, _)| *name);
    let switched = [
        ("--session-doc", request.session_doc && !settings.session_doc),
        ("--trust-worktree-checks", request.trust_worktree_checks && !settings.trust_worktree_checks),
    ];
    let other = other.or_else(|| switched.iter().find(|(_, differs)| *differs).map(|(name, _)| *name));
    match other {
        Some(name) => Err(Fail::new(Code::LoopMismatch, format!("`{name}` is not what the loop was started with"))),
        None => Ok(()),
    }
}
