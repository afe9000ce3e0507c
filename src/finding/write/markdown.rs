//! A list that people read and our own reader reads back: grade, place and title of every finding.
//!
//! What stands behind a title is quoted, so that nothing in it is taken for a finding or a place.

use super::Entry;
use crate::finding::Location;
use crate::finding::identity::Source;
use crate::finding::read::{entry::is_stated_id, location};

/// The whole list; one without a finding says so.
pub fn write(entries: &[Entry]) -> String {
    let mut out = String::from("## Findings\n\n");
    if entries.is_empty() {
        out.push_str("None.\n");
    }
    for entry in entries {
        let finding = &entry.finding;
        out.push_str(&format!("- [{}] ", finding.grade.word()));
        if let (id, Source::Stated) = entry.stated()
            && is_stated_id(id)
        {
            out.push_str(&format!("**{id}**: "));
        }
        // A path that no citation can spell stands on a line of its own.
        let citable = finding.place.as_ref().is_none_or(|p| location::scan(&cite(p)).iter().map(|c| &c.place).eq([p]));
        if let Some(place) = finding.place.as_ref().filter(|_| citable) {
            out.push_str(&format!("{} — ", cite(place)));
        }
        let title: String = finding.title.chars().filter(|c| !crate::base::path::is_unsafe(*c)).collect();
        out.push_str(if title.trim().is_empty() { "(no title)" } else { title.trim() });
        out.push('\n');
        if let Some(place) = finding.place.as_ref().filter(|_| !citable) {
            out.push_str(&format!("  File: `{}`\n", place.path.replace(['`', '\n', '\r'], " ")));
            if let Some(line) = place.line {
                out.push_str(&format!("  Lines: {line}{}\n", place.end_line.map(|e| format!("-{e}")).unwrap_or_default()));
            }
        }
        if !finding.also.is_empty() {
            let also: Vec<String> = finding.also.iter().map(cite).collect();
            out.push_str(&format!("  Also: {}\n", also.join(", ")));
        }
        for line in finding.body.lines().map(str::trim_end).filter(|l| !l.is_empty()) {
            let plain: String = line.chars().filter(|c| !crate::base::path::is_unsafe(*c)).collect();
            out.push_str(&format!("  > {plain}\n"));
        }
    }
    out
}

fn cite(place: &Location) -> String {
    let lines = match (place.line, place.end_line) {
        (Some(line), Some(end)) => format!(":{line}-{end}"),
        (Some(line), None) => format!(":{line}"),
        _ => String::new(),
    };
    let fence = if place.path.contains('`') { "``" } else { "`" };
    format!("{fence}{}{lines}{fence}", place.path)
}
