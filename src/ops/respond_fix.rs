//! The mechanical responder: applies the fixes that need no understanding, and answers every item of the report.
//!
//! The plan of all writes is stored before the first one: a run that is killed in between finishes them, and a file
//! that somebody else changed meanwhile is left alone. Only files of the round's scope, only inside the repository,
//! never through a link.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::base::Fail;
use crate::base::digest::sha256_hex;
use crate::base::path::printable;
use crate::check::fix::{self, Wanted};
use crate::finding::{Finding, Review};
use crate::host::{Host, files};
use crate::wire::fix_journal::{self, Journal, PlannedWrite};

/// What is asked.
#[derive(Debug)]
pub struct Request<'a> {
    /// The top of the checkout.
    pub root: &'a Path,
    /// The published report, as a label.
    pub report: &'a str,
    /// The report as read.
    pub review: &'a Review,
    /// The files of the round's scope: who writes a report does not choose what is written.
    pub scope: BTreeSet<String>,
    /// Where the plan is kept until the response is.
    pub journal: &'a Path,
    /// The date of the response.
    pub date: &'a str,
}

/// Applies the fixes of a report; gives the response report.
///
/// # Errors
/// Why the journal cannot be read or written. A file that cannot be fixed is an item of the response, not a failure.
pub fn run(host: &Host, request: &Request<'_>) -> Result<String, Fail> {
    let applied = apply(host, request)?;
    Ok(render(request, &applied.fixed, &applied.refused))
}

/// What was fixed and what was not.
pub struct Applied {
    fixed: BTreeSet<(String, String, u64, u64)>,
    refused: BTreeMap<String, String>,
}

impl Applied {
    /// The file and rule that a finding was fixed by; none when it was not.
    pub fn fixed(&self, finding: &Finding) -> Option<(String, String)> {
        let (path, wanted) = wanted_of(finding)?;
        let key = (path.clone(), wanted.rule.clone(), wanted.line, wanted.last);
        self.fixed.contains(&key).then_some((path, wanted.rule))
    }
}

/// Applies the fixes of a report.
///
/// # Errors
/// As [`run`].
pub fn apply(host: &Host, request: &Request<'_>) -> Result<Applied, Fail> {
    let journal = if request.journal.exists() { read_journal(request.journal)? } else { plan(host, request)? };
    let mut refused = journal.refused;
    let mut fixed: BTreeSet<(String, String, u64, u64)> = BTreeSet::new();
    for write in &journal.writes {
        match carry_out(host, request.root, write) {
            Ok(()) => fixed.extend(write.fixes.iter().map(|(rule, line, last)| (write.path.clone(), rule.clone(), *line, *last))),
            Err(why) => drop(refused.insert(write.path.clone(), why)),
        }
        host.failpoint("fixed_one");
    }
    Ok(Applied { fixed, refused })
}

/// The fix a finding asks for: the file, and what is wanted there.
fn wanted_of(finding: &Finding) -> Option<(String, Wanted)> {
    let rule = finding.tags.first().filter(|t| fix::FIXABLE.contains(&t.as_str()))?;
    let place = finding.place.as_ref()?;
    let line = place.line?;
    Some((place.path.clone(), Wanted { rule: rule.clone(), line, last: place.end_line.unwrap_or(line) }))
}

fn plan(host: &Host, request: &Request<'_>) -> Result<Journal, Fail> {
    let mut by_file: BTreeMap<String, Vec<Wanted>> = BTreeMap::new();
    for (path, wanted) in request.review.findings.iter().filter_map(wanted_of) {
        by_file.entry(path).or_default().push(wanted);
    }
    let mut journal = Journal::new();
    for (path, wanted) in by_file {
        match plan_file(request, &path, wanted) {
            Ok(write) => journal.writes.push(write),
            Err(why) => drop(journal.refused.insert(path, why)),
        }
    }
    files::replace(host, request.journal, &fix_journal::bytes(&journal))?;
    Ok(journal)
}

fn plan_file(request: &Request<'_>, path: &str, wanted: Vec<Wanted>) -> Result<PlannedWrite, String> {
    if !request.scope.contains(path) {
        return Err("the file is not in the scope of this round".to_owned());
    }
    let text = read_target(request.root, path)?;
    let effective = fix::effective(path, &text, wanted);
    let fixed = fix::apply(path, &text, &effective);
    if fixed == text {
        return Err("the place does not hold what was reported".to_owned());
    }
    let fixes = effective.into_iter().map(|w| (w.rule, w.line, w.last)).collect();
    Ok(PlannedWrite { path: path.to_owned(), before: sha256_hex(text.as_bytes()), after: sha256_hex(fixed.as_bytes()), fixes })
}

fn read_journal(path: &Path) -> Result<Journal, Fail> {
    let shown = printable(&path.to_string_lossy());
    let damaged = |fail: Fail| Fail { message: format!("the journal `{shown}`: {}", fail.message), ..fail };
    files::read_state(path).and_then(|bytes| fix_journal::read(&bytes)).map_err(damaged)
}

/// Reads a file of the repository for a fix: a plain path inside it, no link on the way, regular, UTF-8.
fn read_target(root: &Path, path: &str) -> Result<String, String> {
    let full = inside(root, path)?;
    let bytes = files::read_text(&full, 64 << 20).map_err(|f| f.message)?;
    String::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_owned())
}

fn inside(root: &Path, path: &str) -> Result<PathBuf, String> {
    let mut full = root.to_path_buf();
    for part in path.split('/') {
        if part.is_empty() || part == "." || part == ".." || part.eq_ignore_ascii_case(".git") {
            return Err("the path leaves the repository".to_owned());
        }
        full.push(part);
        if full.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink()) {
            return Err("a symbolic link stands on the way".to_owned());
        }
    }
    Ok(full)
}

fn carry_out(host: &Host, root: &Path, write: &PlannedWrite) -> Result<(), String> {
    let full = inside(root, &write.path)?;
    // What an earlier, killed run of this very journal left beside the file.
    files::sweep_stray_temps(host, &full);
    let text = read_target(root, &write.path)?;
    let now = sha256_hex(text.as_bytes());
    if now == write.after {
        return Ok(());
    }
    if now != write.before {
        return Err("the file was changed meanwhile and is left alone".to_owned());
    }
    let wanted: Vec<Wanted> =
        write.fixes.iter().map(|(rule, line, last)| Wanted { rule: rule.clone(), line: *line, last: *last }).collect();
    let fixed = fix::apply(&write.path, &text, &wanted);
    if sha256_hex(fixed.as_bytes()) != write.after {
        return Err("the fix no longer gives what was planned".to_owned());
    }
    files::replace_keeping_mode(host, &full, fixed.as_bytes()).map_err(|f| f.message)
}

/// The response report: an ITEM for every finding. What has no mechanical fix is accepted and not started, and left to
/// whoever reads the report; the loop is not halted by it, because the responder was through.
fn render(request: &Request<'_>, fixed: &BTreeSet<(String, String, u64, u64)>, refused: &BTreeMap<String, String>) -> String {
    let mut items = String::new();
    let (mut implemented, mut number) = (0, 0);
    for finding in &request.review.findings {
        number += 1;
        let action = match wanted_of(finding) {
            Some((path, wanted)) if fixed.contains(&(path.clone(), wanted.rule.clone(), wanted.line, wanted.last)) => {
                implemented += 1;
                format!("fixed by the rule {}", wanted.rule)
            }
            Some((path, _)) => {
                let why = refused.get(&path).map_or("the place does not hold what was reported", String::as_str);
                format!("failed: {}", printable(why))
            }
            None => "not started: there is no mechanical fix, this needs somebody who understands the code".to_owned(),
        };
        item(&mut items, number, finding, &action);
    }
    if number == 0 {
        items.push_str("None.\n");
    }
    let (class, text) = request.review.verdict();
    let verdict = text.unwrap_or(class.word());
    format!(
        "# Response Report — {}\n\n## Summary\n- **Source Review**: {}\n- **Original Verdict**: {}\n- **Items**: accepted {number}, rejected 0, deferred 0\n- **execution_path**: n/a\n- **implemented_count**: {implemented}\n- **halted**: false\n\n## Item Responses\n\n{items}",
        request.date,
        printable(request.report),
        printable(verdict),
    )
}

fn item(out: &mut String, number: usize, finding: &Finding, action: &str) {
    let place = finding.place.as_ref().map(|p| match p.line {
        Some(line) => format!("`{}:{line}`", printable(&p.path)),
        None => format!("`{}`", printable(&p.path)),
    });
    let title = if finding.title.is_empty() { "(no title)".to_owned() } else { printable(&finding.title) };
    let _ = writeln!(out, "### ITEM-{number}: {title}");
    let _ = writeln!(out, "- **Severity**: {} {}", finding.grade.level().emoji(), finding.grade.word());
    let _ = writeln!(
        out,
        "- **Source**: {}\n- **Decision**: ACCEPT\n- **Evidence**:",
        printable(finding.tags.first().map_or("review", String::as_str))
    );
    let _ = writeln!(out, "  - files_read: {}", place.as_deref().unwrap_or("none"));
    let _ = writeln!(out, "- **Action**: {action}\n");
}
