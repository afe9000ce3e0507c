//! Sections of project guides that hold design rationale, and the one that states the mission.
//!
//! Takes a guide's text, gives line ranges of its headings. Source: resolution spec §4 (2) and mission anchor. Bound: linear.

use super::{Document, Section};
use crate::base::reason::words;

words! {
    /// Which headings are wanted.
    Wanted {
        Design "design",
        Mission "mission",
    }
}

const DESIGN: &[&str] = &[
    "design",
    "rationale",
    "why",
    "decision",
    "decisions",
    "architecture",
    "convention",
    "conventions",
    "settled",
    "principle",
    "principles",
    "northstar",
    "mission",
    "invariant",
    "invariants",
    "tradeoff",
    "tradeoffs",
    "trade",
    "north",
    "guideline",
    "guidelines",
    "gotcha",
    "gotchas",
    "goals",
    "style",
    "rules",
    "설계",
    "아키텍처",
    "규약",
    "규칙",
    "불변식",
    "결정",
    "원칙",
    "목표",
];
const MISSION: &[&str] = &["northstar", "mission", "purpose", "goal", "goals", "vision", "목표", "사명", "비전"];

/// The sections of a guide that hold design rationale; one inside another is not listed twice.
pub fn design_sections(guide: &Document) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    for heading in headings(&guide.text).into_iter().filter(|h| h.speaks_of(DESIGN)) {
        if found.last().is_none_or(|last| last.end < heading.start) {
            found.push(section(guide, heading.start, heading.end));
        }
    }
    found
}

/// Where the mission is stated: a heading of the root guide, else the first section of the README, else nowhere.
pub fn mission(guides: &[Document], readme: Option<&Document>) -> Option<Section> {
    let roots = guides.iter().filter(|g| !g.path.contains('/'));
    let stated = roots.clone().find_map(|guide| {
        let heading = headings(&guide.text).into_iter().find(Heading::states_a_mission)?;
        Some(section(guide, heading.start, heading.end))
    });
    stated.or_else(|| {
        let readme = readme?;
        let all = headings(&readme.text);
        let named = all.iter().find(|h| h.states_a_mission());
        let first = named.or(all.first())?;
        // Of a document with one title the text under it, up to the next heading.
        let next = all.iter().find(|h| h.start > first.start).map_or(first.end, |h| h.start - 1);
        Some(section(readme, first.start, if named.is_some() { first.end } else { next }))
    })
}

fn section(of: &Document, start: u64, end: u64) -> Section {
    Section { path: of.path.clone(), aliases: of.aliases.clone(), start, end, changed: of.changed }
}

struct Heading {
    level: usize,
    words: Vec<String>,
    start: u64,
    end: u64,
}

impl Heading {
    fn speaks_of(&self, set: &[&str]) -> bool {
        self.words.iter().any(|w| set.contains(&w.as_str()))
    }

    /// What a project does not want is no mission of it.
    fn states_a_mission(&self) -> bool {
        let denied = self.words.windows(2).any(|w| ["non", "no", "not"].contains(&w[0].as_str()))
            || self.words.iter().any(|w| w.starts_with("nongoal"));
        !denied && (self.speaks_of(MISSION) || self.words.windows(2).any(|w| w == ["north", "star"]))
    }
}

/// Every heading with the lines of its section; lines in fences are none.
fn headings(text: &str) -> Vec<Heading> {
    let mut found: Vec<Heading> = Vec::new();
    // The headings whose sections go on, each deeper than the one before.
    let mut open: Vec<usize> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut count = 0;
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().copied().enumerate() {
        count = at as u64 + 1;
        let bare = line.trim_start();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|m| bare.starts_with(m)) {
            fence = match fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                open => open,
            };
            continue;
        }
        let hashes = line.len() - line.trim_start_matches('#').len();
        let marked = (1..=6).contains(&hashes) && line[hashes..].starts_with([' ', '\t']);
        let under = lines.get(at + 1).map(|l| l.trim_end()).unwrap_or_default();
        let ruled = |mark: char| under.len() >= 3 && under.chars().all(|c| c == mark);
        // A line of text over a line of signs is a heading too.
        let level = match () {
            () if marked => hashes,
            () if bare.is_empty() || bare.starts_with(['|', '-', '>']) => 0,
            () if ruled('=') => 1,
            () if ruled('-') => 2,
            () => 0,
        };
        if fence.is_some() || level == 0 {
            continue;
        }
        let words = line[if marked { hashes } else { 0 }..].to_lowercase();
        let words = words.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect();
        while let Some(above) = open.pop_if(|at| found[*at].level >= level) {
            found[above].end = count - 1;
        }
        open.push(found.len());
        found.push(Heading { level, words, start: count, end: 0 });
    }
    open.into_iter().for_each(|at| found[at].end = count);
    found
}

#[cfg(test)]
mod tests {
    use super::super::Changed;
    use super::*;

    fn guide(path: &str, text: &str) -> Document {
        Document { path: path.to_owned(), aliases: Vec::new(), text: text.to_owned(), changed: Changed::No }
    }

    #[test]
    fn sections_of_rationale_are_found_with_their_lines() {
        let text = "# Guide\n\n## Setup\nx\n## Design decisions\na\n### Why\nb\n```\n# Design\n```\n## Commands\ny\n";
        let found = design_sections(&guide("CLAUDE.md", text));
        assert_eq!(found.iter().map(|s| (s.start, s.end)).collect::<Vec<_>>(), [(5, 11)]);
    }

    #[test]
    fn the_mission_is_a_heading_else_the_first_section_of_the_readme_else_none() {
        let root = guide("CLAUDE.md", "# x\n## North star\nbe fast\n");
        let readme = guide("README.md", "# Tool\nIt does things.\n\n## Install\nx\n");
        assert_eq!(mission(&[root], Some(&readme)).map(|s| (s.path, s.start, s.end)), Some(("CLAUDE.md".to_owned(), 2, 3)));
        let nested = guide("a/CLAUDE.md", "# Mission\n");
        assert_eq!(mission(&[nested], Some(&readme)).map(|s| (s.path, s.start, s.end)), Some(("README.md".to_owned(), 1, 3)));
        assert_eq!(mission(&[], Some(&guide("README.md", "no heading\n"))), None);
        let denied = guide("CLAUDE.md", "# x\n## Non-goals\nspeed\n");
        let goals = guide("README.md", "Tool\n====\n\nGoals\n-----\nbe right\n");
        assert_eq!(mission(&[denied], Some(&goals)).map(|s| (s.path, s.start, s.end)), Some(("README.md".to_owned(), 4, 6)));
        assert_eq!(mission(&[], None), None);
    }
}
