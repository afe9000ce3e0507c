//! The built-in source: the checks run over the changed surface of a round, and the project's own checks beside them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use globset::{Glob, GlobSetBuilder};

use super::checkout::Checkout;
use super::{detect_scope, surface};
use crate::base::path::printable;
use crate::base::severity::{Grade, Level};
use crate::base::{Code, Fail};
use crate::check::binary::READ_LIMIT;
use crate::check::report::Review;
use crate::check::{self, Issue, Subject};
use crate::finding::read::tool;
use crate::host::child::{self, Ended, Launch};
use crate::host::{Host, files};
use crate::scope::change::{self, Letter};
use crate::scope::surface::File;
use crate::wire::checks::{self, Checks, ProjectCheck};

/// The most that is kept of a project check's output.
const OUTPUT_LIMIT: usize = 64 << 20;

/// What is asked.
#[derive(Debug)]
pub struct Request<'a> {
    /// The checkout.
    pub repo_root: &'a Path,
    /// What the review compares with.
    pub base: &'a str,
    /// Our own folders, left out while untracked.
    pub own: &'a [PathBuf],
    /// Whether the working tree's `checks.toml` counts beside the base commit's.
    pub trust_worktree: bool,
}

/// Reviews the surface.
///
/// # Errors
/// As detect-scope; `INVALID_CHECKS`; `CHILD_FAILED` when a project check could not be run, ran out of time, or printed
/// something other than it promised: a check that did not check proves nothing.
pub fn run(request: &Request<'_>, host: &Host) -> Result<Review, Fail> {
    let (checkout, scope) = surface::files_of(host, request.repo_root, request.base, request.own)?;
    let checks = project_checks(&checkout, request)?;
    let mut issues = builtin(&checkout, &scope, &checks.off)?;
    let mut passed: Vec<String> =
        check::rules().filter(|r| !checks.off.iter().any(|o| o == r) && !issues.iter().any(|i| i.rule == **r)).map(str::to_owned).collect();
    for project in &checks.project {
        if !concerns(project, &scope.files)? {
            continue;
        }
        let found = run_project_check(host, &checkout, project)?;
        if found.iter().all(|i| i.grade.level() == Level::Info || i.grade == Grade::Low) {
            passed.push(project.name.clone());
        }
        issues.extend(found);
    }
    issues.sort_by(|a, b| (&a.path, a.line, &a.rule).cmp(&(&b.path, b.line, &b.rule)));
    let warnings = scope.warnings.iter().map(|w| (*w).to_owned()).collect();
    Ok(Review { issues, files: scope.files.len(), passed, warnings })
}

/// What the built-in checks find in a scope.
///
/// # Errors
/// `GIT_FAILED`.
pub fn builtin(checkout: &Checkout, scope: &detect_scope::Answer, off: &[String]) -> Result<Vec<Issue>, Fail> {
    let new_lines = new_lines(checkout, scope)?;
    let mut issues = Vec::new();
    for file in scope.files.iter().filter(|f| f.status != Letter::D) {
        if file.submodule {
            issues.extend(unread("unread-repository", file, "a submodule or nested repository changed, its content was not read", off));
        } else if checkout.left_out(&file.path).is_some() {
            issues.extend(unread("unread-file", file, "the file changed but is not checked out here, its content was not read", off));
        } else {
            issues.extend(review_file(checkout, file, &new_lines, off));
        }
    }
    Ok(issues)
}

/// What is not looked into is said.
fn unread(rule: &str, file: &File, why: &str, off: &[String]) -> Option<Issue> {
    let path = String::from_utf8_lossy(&file.path).into_owned();
    let grade = if rule == "unread-file" { Grade::Medium } else { Grade::Low };
    let issue = Issue { rule: rule.to_owned(), grade, path: Some(path), line: None, end_line: None, message: why.to_owned() };
    (!off.iter().any(|o| o == rule)).then_some(issue)
}

const FILE: &str = ".review-loop/checks.toml";

fn parse_checks(bytes: &[u8]) -> Result<Checks, Fail> {
    let rules: Vec<&str> = check::rules().collect();
    match std::str::from_utf8(bytes) {
        Ok(text) => checks::read(text, &rules),
        Err(_) => Err(Fail::new(Code::InvalidChecks, format!("`{FILE}` is not UTF-8"))),
    }
}

/// The checks that the working tree declares.
///
/// # Errors
/// `INVALID_CHECKS`, or why the file cannot be read.
pub fn of_worktree(checkout: &Checkout) -> Result<Checks, Fail> {
    match files::read_text(&checkout.top.join(FILE), 1 << 20) {
        Ok(bytes) => parse_checks(&bytes),
        Err(fail) if fail.code == Code::NotFound => Ok(Checks::default()),
        Err(fail) => Err(fail),
    }
}

/// The checks that a commit declares.
///
/// # Errors
/// `INVALID_CHECKS`, `GIT_FAILED`.
pub fn of_commit(checkout: &Checkout, oid: &str) -> Result<Checks, Fail> {
    match checkout.blob_at(oid, FILE)? {
        Some(bytes) => parse_checks(&bytes),
        None => Ok(Checks::default()),
    }
}

/// The checks of the loop's base commit when there is one, else of the working tree; a trusted working tree adds its own.
fn project_checks(checkout: &Checkout, request: &Request<'_>) -> Result<Checks, Fail> {
    if crate::base::id::is_empty_tree(request.base) {
        return of_worktree(checkout);
    }
    let mut trusted = of_commit(checkout, &checkout.named_base(request.base)?.oid)?;
    if request.trust_worktree {
        let more = of_worktree(checkout)?;
        trusted.off.extend(more.off);
        for extra in more.project {
            trusted.project.retain(|c| c.name != extra.name);
            trusted.project.push(extra);
        }
    }
    Ok(trusted)
}

/// New line ranges of every modified file, read from one `git diff -U0`; as text, whatever attributes call a file.
fn new_lines(checkout: &Checkout, scope: &detect_scope::Answer) -> Result<change::NewLines, Fail> {
    let partly = |f: &File| matches!(f.status, Letter::M | Letter::R | Letter::T | Letter::U) && !f.submodule;
    let Some(base) = scope.base.as_deref().filter(|_| scope.files.iter().any(partly)) else {
        return Ok(change::NewLines::new());
    };
    let form = ["--patch-with-raw", "-z", "-U0", "--text", "--no-abbrev", "--find-renames=50%", "-l0", "--ignore-submodules=all", base];
    Ok(change::new_lines(&checkout.git.diff(&form, &[])?))
}

fn review_file(checkout: &Checkout, file: &File, new_lines: &change::NewLines, off: &[String]) -> Vec<Issue> {
    let full = checkout.full(&file.path);
    let Some(meta) = full.symlink_metadata().ok().filter(|_| !checkout.is_behind_link(&file.path)) else {
        return Vec::new();
    };
    let path = String::from_utf8_lossy(&file.path);
    let link = full.read_link().ok().map(|t| t.to_string_lossy().into_owned());
    // What git calls binary can be chosen by the change under review (`* -diff`); what a file holds can not.
    let bytes = if meta.is_file() && meta.len() <= READ_LIMIT { files::read_text(&full, READ_LIMIT).ok() } else { None };
    let binary = bytes.as_deref().is_some_and(|b| b.contains(&0));
    let text = bytes.as_deref().filter(|_| !binary).map(String::from_utf8_lossy);
    let whole = file.status == Letter::A;
    let none = Vec::new();
    let subject = Subject {
        path: &path,
        new_lines: (!whole).then(|| new_lines.get(&file.path).unwrap_or(&none).as_slice()),
        text: text.as_deref(),
        size: meta.len(),
        binary,
        added: whole,
        link: link.as_deref(),
    };
    check::review(&subject, off)
}

/// Whether a changed file calls for a check.
///
/// # Errors
/// `INVALID_CHECKS` for a glob.
pub fn concerns(check: &ProjectCheck, files: &[File]) -> Result<bool, Fail> {
    if check.globs.is_empty() {
        return Ok(true);
    }
    let mut set = GlobSetBuilder::new();
    for glob in &check.globs {
        let parsed = Glob::new(glob).map_err(|e| {
            Fail::new(
                Code::InvalidChecks,
                format!("the glob `{}` of the check `{}`: {}", printable(glob), printable(&check.name), e.kind()),
            )
        })?;
        set.add(parsed);
    }
    let set = set
        .build()
        .map_err(|e| Fail::new(Code::InvalidChecks, format!("the globs of the check `{}`: {}", printable(&check.name), e.kind())))?;
    // A file that was moved away is still one that the check is about.
    let is = |path: &[u8]| set.is_match(&*String::from_utf8_lossy(path));
    Ok(files.iter().any(|f| is(&f.path) || f.old_path.as_deref().is_some_and(is)))
}

fn run_project_check(host: &Host, checkout: &Checkout, project: &ProjectCheck) -> Result<Vec<Issue>, Fail> {
    let ended = launch(host, checkout, project)?;
    judge(checkout, project, &ended)
}

/// Runs a check of the project.
///
/// # Errors
/// `CHILD_FAILED` when it cannot be started.
pub fn launch(host: &Host, checkout: &Checkout, project: &ProjectCheck) -> Result<Ended, Fail> {
    let launch = Launch {
        argv: &project.argv,
        cwd: &checkout.top,
        env: &[],
        stdin: Vec::new(),
        limit: Duration::from_secs(project.limit_s),
        keep: OUTPUT_LIMIT,
    };
    child::run(host, launch)
}

/// What a check of the project found.
///
/// # Errors
/// `CHILD_FAILED` when it ran out of time, was ended, or printed something other than it promised: a check that did not check proves
/// nothing.
pub fn judge(checkout: &Checkout, project: &ProjectCheck, ended: &Ended) -> Result<Vec<Issue>, Fail> {
    let shown = printable(&project.name);
    let failed = |why: &str| Fail::new(Code::ChildFailed, format!("the check `{shown}` {why}")).with("check", project.name.as_str());
    if ended.timed_out {
        return Err(failed(&format!("was ended after its limit of {} s", project.limit_s)));
    }
    let Some(code) = ended.code.filter(|c| *c < 128) else {
        return Err(failed("was ended by a signal"));
    };
    if ended.cut {
        return Err(failed("printed more than is read"));
    }
    let output = String::from_utf8_lossy(&ended.stdout);
    let reported = match tool::read(project.parser, &output) {
        Some(reported) if project.parser == tool::Format::Lines => {
            // Compilers and linters print to either stream.
            let more = tool::read(project.parser, &String::from_utf8_lossy(&ended.stderr)).unwrap_or_default();
            reported.into_iter().chain(more).collect()
        }
        Some(reported) => reported,
        None => return Err(failed("printed something other than its parser reads")),
    };
    let top = checkout.top.to_string_lossy().into_owned();
    let mut issues: Vec<Issue> = reported
        .into_iter()
        .map(|r| Issue {
            rule: r.rule.map_or_else(|| project.name.clone(), |rule| format!("{}/{rule}", project.name)),
            grade: r.grade,
            path: r.place.as_ref().and_then(|p| crate::base::path::display(&p.path, Some(&top))),
            line: r.place.as_ref().and_then(|p| p.line),
            end_line: r.place.and_then(|p| p.end_line),
            message: r.message,
        })
        .collect();
    let serious = issues.iter().any(|i| !matches!(i.grade, Grade::Low | Grade::Suggestion));
    if code != 0 && !serious {
        let message = format!("the check exited with {code}");
        issues.push(Issue { rule: project.name.clone(), grade: Grade::High, path: None, line: None, end_line: None, message });
    }
    Ok(issues)
}
