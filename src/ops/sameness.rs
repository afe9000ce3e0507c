//! What the findings of a round are to those of the rounds recorded before it, between the surfaces their reviews read.
//!
//! The round before first; then, for what it did not report, each earlier round back to the first gap, so that a finding which
//! comes back is known again. Source: map.md, match-findings; cases/churn/README.md. Bound: a handful of git processes for each
//! earlier round that has something to compare, and the bound of the matching.

use std::collections::HashSet;
use std::path::Path;

use super::gather;
use super::revisions::Revisions;
use crate::base::Fail;
use crate::base::path::is_absolute;
use crate::finding::matching::{self, Anchor, Item, Matched, Side, as_cited};
use crate::host::Host;
use crate::round::record::Round;
use crate::round::sameness::{all, items, note, tie};

/// Where the surfaces of a loop are found.
pub struct Surfaces<'a> {
    /// The host.
    pub host: &'a Host,
    /// A folder of the checkout that cited paths are relative to; none when nobody said where.
    pub root: Option<&'a Path>,
    /// The folder of the loop's states and objects.
    pub folder: &'a Path,
}

/// Both sides of a comparison, and who is who.
struct Compared {
    old: Vec<Item>,
    new: Vec<Item>,
    anchors: [Vec<Anchor>; 2],
    matched: Matched,
    mapped: bool,
}

/// Notes in a round what its findings are to those of earlier rounds, and gives the warnings of it: `previous_round_missing`,
/// `base_changed`, `surfaces_not_compared`. Nothing that lies beside a round keeps it from being recorded.
pub fn settle(round: &mut Round, at: &Surfaces<'_>) -> Vec<String> {
    let Some(before) = round.round_number.checked_sub(1).filter(|n| *n > 0) else {
        return Vec::new();
    };
    let Some(previous) = at.state(round, before) else {
        return vec!["previous_round_missing".to_owned()];
    };
    if previous.base_commit != round.base_commit {
        return vec!["base_changed".to_owned()];
    }
    if !previous.damaged.is_empty() {
        return Vec::new();
    }
    let compared = at.compare(&previous, items(&previous), round, items(round));
    let mut blind = !compared.mapped && at.root.is_some() && has_tree(round);
    let old: Side<'_> = (&compared.old, &compared.anchors[0]);
    note(round, &previous, &compared.matched, old, (&compared.new, &compared.anchors[1]), compared.mapped);
    let open = compared.matched.added.iter().map(|c| compared.new[*c].id.clone()).collect();
    blind |= came_back(round, previous, open, at);
    if blind { vec!["surfaces_not_compared".to_owned()] } else { Vec::new() }
}

/// Looks for findings that the round before did not report among those of earlier rounds that no later one reports. Says
/// whether surfaces that should have been compared could not be.
fn came_back(round: &mut Round, previous: Round, mut open: HashSet<String>, at: &Surfaces<'_>) -> bool {
    let mut continued = HashSet::new();
    let mut later = previous;
    let mut blind = false;
    while !open.is_empty() && later.round_number > 1 {
        continued.extend(all(&later).filter_map(|f| f.same_as_round.zip(f.same_as.clone())));
        let Some(earlier) = at.state(round, later.round_number - 1) else { break };
        if earlier.base_commit != round.base_commit || !earlier.damaged.is_empty() {
            break;
        }
        let last_seen = |i: &Item| !continued.contains(&(earlier.round_number, i.id.clone()));
        let old: Vec<Item> = items(&earlier).into_iter().filter(last_seen).collect();
        if !old.is_empty() {
            let new = items(round).into_iter().filter(|i| open.contains(&i.id)).collect();
            let compared = at.compare(&earlier, old, round, new);
            blind |= !compared.mapped && at.root.is_some() && has_tree(round);
            tie(round, earlier.round_number, &compared.matched, &compared.old, &compared.new);
            for pair in &compared.matched.pairs {
                open.remove(&compared.new[pair.current].id);
            }
        }
        later = earlier;
    }
    blind
}

fn has_tree(round: &Round) -> bool {
    round.surface.surface_tree.is_some()
}

impl Surfaces<'_> {
    /// An earlier round of the loop; none when it cannot be read or is of another loop or round.
    fn state(&self, round: &Round, number: u64) -> Option<Round> {
        let stored = gather::round(&self.folder.join(gather::state_name(&round.loop_id, number))).ok()?;
        (stored.loop_id == round.loop_id && stored.round_number == number).then_some(stored)
    }

    /// Compares findings of an earlier round with findings of this one: between their surfaces, else as they are cited.
    fn compare(&self, earlier: &Round, old: Vec<Item>, round: &Round, new: Vec<Item>) -> Compared {
        let trees = earlier.surface.surface_tree.as_ref().zip(round.surface.surface_tree.as_ref());
        let anchors = self.root.zip(trees).and_then(|(root, (from, to))| self.anchors(root, [from, to], [&old, &new]).ok());
        let mapped = anchors.is_some();
        let anchors = anchors.unwrap_or_else(|| [as_cited(&old), as_cited(&new)]);
        let matched = matching::run((&old, &anchors[0]), (&new, &anchors[1]), &[], mapped);
        Compared { old, new, anchors, matched, mapped }
    }

    fn anchors(&self, root: &Path, [from, to]: [&str; 2], sides: [&[Item]; 2]) -> Result<[Vec<Anchor>; 2], Fail> {
        let revisions = Revisions::open(self.host, root, from, to, &[self.folder.join("objects")])?;
        // Cited paths are relative to the root that was named, trees hold them from the top.
        let real = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let below = real.strip_prefix(revisions.top()).unwrap_or(Path::new("")).to_string_lossy().into_owned();
        let from_top = |path: &String| if below.is_empty() || is_absolute(path) { path.clone() } else { format!("{below}/{path}") };
        let [old, new] =
            sides.map(|items| items.iter().map(|i| Item { path: i.path.as_ref().map(from_top), ..i.clone() }).collect::<Vec<_>>());
        let (old, new) = revisions.anchors(&old, &new)?;
        Ok([old, new])
    }
}
