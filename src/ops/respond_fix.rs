//! The mechanical responder: applies the fixes that need no understanding, and answers every item of the report.
//!
//! The plan of all writes is stored before the first one: a run that is killed in between finishes them, and a file
//! that somebody else changed meanwhile is left alone. Only inside the repository, never through a link.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::base::Fail;
use crate::base::digest::sha256_hex;
use crate::base::path::printable;
use crate::check::fix::{self, Wanted};
use crate::finding::{Finding, Review};
use crate::host::{Host, files};

/// One write: a file, what it must hold before, and what it holds after.
struct PlannedWrite {
    path: String,
    before: String,
    after: String,
}

/// Applies the fixes of a report; gives the response report. `journal` is where the plan is kept until the response is.
///
/// # Errors
/// Why the journal cannot be read or written. A file that cannot be fixed is an item of the response, not a failure.
pub fn run(host: &Host, root: &Path, report: &str, review: &Review, journal: &Path, date: &str) -> Result<String, Fail> {
    let (plan, refused) = if journal.exists() { read_journal(journal)? } else { make_plan(host, root, review, journal)? };
    let mut state: BTreeMap<String, Result<(), String>> = refused.into_iter().map(|(path, why)| (path, Err(why))).collect();
    for write in &plan {
        state.insert(write.path.clone(), carry_out(host, root, write, review));
        host.failpoint("fixed_one");
    }
    Ok(render(report, review, &state, date))
}

/// The fixable findings by file.
fn wanted(review: &Review) -> BTreeMap<String, Vec<Wanted>> {
    let mut by_file: BTreeMap<String, Vec<Wanted>> = BTreeMap::new();
    for finding in &review.findings {
        if let Some((path, wanted)) = wanted_of(finding) {
            by_file.entry(path).or_default().push(wanted);
        }
    }
    by_file
}

fn wanted_of(finding: &Finding) -> Option<(String, Wanted)> {
    let rule = finding.tags.first().filter(|t| fix::FIXABLE.contains(&t.as_str()))?;
    let place = finding.place.as_ref()?;
    let line = place.line?;
    Some((place.path.clone(), Wanted { rule: rule.clone(), line, last: place.end_line.unwrap_or(line) }))
}

type Plan = (Vec<PlannedWrite>, Vec<(String, String)>);

fn make_plan(host: &Host, root: &Path, review: &Review, journal: &Path) -> Result<Plan, Fail> {
    let (mut plan, mut refused) = (Vec::new(), Vec::new());
    for (path, wanted) in wanted(review) {
        match read_target(root, &path) {
            Ok(text) => {
                let fixed = fix::apply(&path, &text, &wanted);
                if fixed == text {
                    refused.push((path, "the place no longer holds what was reported".to_owned()));
                } else {
                    plan.push(PlannedWrite { path, before: sha256_hex(text.as_bytes()), after: sha256_hex(fixed.as_bytes()) });
                }
            }
            Err(why) => refused.push((path, why)),
        }
    }
    let writes: Vec<Value> = plan.iter().map(|w| json!({"path": w.path, "before": w.before, "after": w.after})).collect();
    let left: Vec<Value> = refused.iter().map(|(path, why)| json!({"path": path, "why": why})).collect();
    files::replace(host, journal, &crate::wire::json::document(&json!({"schema_version": 1, "writes": writes, "refused": left})))?;
    Ok((plan, refused))
}

fn read_journal(journal: &Path) -> Result<Plan, Fail> {
    let value = crate::wire::json::parse(&files::read_state(journal)?)?;
    let fields = crate::wire::json::Fields::of(&value, "")?;
    let list = |key: &str, names: &'static [&'static str]| -> Result<Vec<Vec<String>>, Fail> {
        let one = |entry: &Value| -> Option<Vec<String>> { names.iter().map(|n| entry.get(*n)?.as_str().map(str::to_owned)).collect() };
        fields.list(key)?.iter().map(|e| one(e).ok_or_else(|| fields.wrong(key, "a list of fix entries"))).collect()
    };
    let writes = list("writes", &["path", "before", "after"])?;
    let refused = list("refused", &["path", "why"])?;
    let pair = |mut v: Vec<String>| (v.remove(0), v.remove(0));
    Ok((
        writes.into_iter().map(|v| PlannedWrite { path: v[0].clone(), before: v[1].clone(), after: v[2].clone() }).collect(),
        refused.into_iter().map(pair).collect(),
    ))
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
        if part.is_empty() || part == "." || part == ".." || part.contains('\\') || part == ".git" {
            return Err("the path leaves the repository".to_owned());
        }
        full.push(part);
        if full.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink()) {
            return Err("a symbolic link stands on the way".to_owned());
        }
    }
    if path.starts_with('/') { Err("the path leaves the repository".to_owned()) } else { Ok(full) }
}

fn carry_out(host: &Host, root: &Path, write: &PlannedWrite, review: &Review) -> Result<(), String> {
    let text = read_target(root, &write.path)?;
    let now = sha256_hex(text.as_bytes());
    if now == write.after {
        return Ok(());
    }
    if now != write.before {
        return Err("the file was changed meanwhile and is left alone".to_owned());
    }
    let wanted = wanted(review).remove(&write.path).unwrap_or_default();
    let fixed = fix::apply(&write.path, &text, &wanted);
    if sha256_hex(fixed.as_bytes()) != write.after {
        return Err("the fix no longer gives what was planned".to_owned());
    }
    let full = inside(root, &write.path)?;
    files::replace_keeping_mode(host, &full, fixed.as_bytes()).map_err(|f| f.message)
}

/// The response report: an ITEM for every finding. What has no mechanical fix is accepted and not started, and left to
/// whoever reads the report; the loop is not halted by it, because the responder was through.
fn render(report: &str, review: &Review, state: &BTreeMap<String, Result<(), String>>, date: &str) -> String {
    let mut items = String::new();
    let (mut implemented, mut number) = (0, 0);
    for finding in &review.findings {
        number += 1;
        let place = finding.place.as_ref();
        let shown = place.map(|p| p.line.map_or_else(|| printable(&p.path), |line| format!("{}:{line}", printable(&p.path))));
        let action = match wanted_of(finding).map(|(path, wanted)| (state.get(&path), wanted)) {
            Some((Some(Ok(())), wanted)) => {
                implemented += 1;
                format!("fixed by the rule {}", wanted.rule)
            }
            Some((Some(Err(why)), _)) => format!("failed: {}", printable(why)),
            Some((None, _)) => "failed: the file was not reached".to_owned(),
            None => "not started: there is no mechanical fix, this needs somebody who understands the code".to_owned(),
        };
        let title = if finding.title.is_empty() { "(no title)".to_owned() } else { printable(&finding.title) };
        let _ = writeln!(items, "### ITEM-{number}: {title}");
        let _ = writeln!(items, "- **Severity**: {} {}", finding.grade.level().emoji(), finding.grade.word());
        let _ = writeln!(items, "- **Source**: built-in checks\n- **Decision**: ACCEPT\n- **Evidence**:");
        let _ = writeln!(items, "  - files_read: {}", shown.map_or_else(|| "none".to_owned(), |s| format!("`{s}`")));
        let _ = writeln!(items, "- **Action**: {action}\n");
    }
    if number == 0 {
        items.push_str("None.\n");
    }
    let (class, text) = review.verdict();
    let verdict = text.unwrap_or(class.word());
    format!(
        "# Response Report — {date}\n\n## Summary\n- **Source Review**: {}\n- **Original Verdict**: {}\n- **Items**: accepted {number}, rejected 0, deferred 0\n- **execution_path**: n/a\n- **implemented_count**: {implemented}\n- **halted**: false\n\n## Item Responses\n\n{items}",
        printable(report),
        printable(verdict),
    )
}
