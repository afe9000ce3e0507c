//! Writing findings in the formats of other programs: one file for each.
//!
//! Takes findings with their ids, gives text. Order is deterministic: gravest first, then by path, line and id. What a format
//! cannot hold is said in its file. Source: spec/ecosystem.md §2.7 to §2.9.

pub mod github;
pub mod line_hash;
pub mod markdown;
pub mod rdjson;
pub mod sarif;

use super::Finding;
use super::identity::Source;
use super::read::entry::NO_TITLE;
use crate::base::reason::words;

words! {
    /// How a result compares with the round before.
    Baseline {
        New "new",
        Unchanged "unchanged",
        Updated "updated",
    }
}

/// One finding to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Unique among all.
    pub id: String,
    /// Where the id comes from.
    pub source: Source,
    /// The finding.
    pub finding: Finding,
    /// Compared with the round before.
    pub baseline: Option<Baseline>,
    /// Why it is ruled out: status and justification.
    pub suppression: Option<(&'static str, String)>,
    /// GitHub's fingerprint of its line.
    pub line_hash: Option<String>,
}

impl Entry {
    /// The id as the report states it: one that was numbered because it stands twice is numbered again by the next reader.
    fn stated(&self) -> (&str, Source) {
        match &self.finding.id {
            Some(id) => (id, Source::Stated),
            None => (&self.id, Source::Assigned),
        }
    }
}

/// Sorts entries as every format writes them.
pub fn sort(entries: &mut [Entry]) {
    entries.sort_by(|a, b| key(a).cmp(&key(b)));
}

fn key(entry: &Entry) -> (crate::base::severity::Grade, Option<&super::Location>, &str) {
    (entry.finding.grade, entry.finding.place.as_ref(), &entry.id)
}

/// Title and body as one text.
fn message(finding: &Finding) -> String {
    let title = if finding.title.trim().is_empty() { NO_TITLE } else { finding.title.trim() };
    if finding.body.trim().is_empty() { title.to_owned() } else { format!("{title}\n\n{}", finding.body.trim()) }
}
