//! What the findings of a round are to those of the rounds recorded before it, between the surfaces their reviews read.
//!
//! The round before first; then, for what it did not report, each earlier round back to the first gap, so that a finding which
//! comes back is known again. Source: map.md, match-findings; cases/churn/README.md. Bound: a handful of git processes for each
//! earlier round that has something to compare, and the bound of the matching.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use super::gather;
use super::revisions::Revisions;
use crate::base::path::is_absolute;
use crate::base::{Code, Fail};
use crate::finding::matching::{self, Anchor, Item, Matched, Side, as_cited};
use crate::host::Host;
use crate::round::record::Round;
use crate::round::sameness::{all, digest, items, note, note_return};

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

/// The state of the round before, or the warning that says why there is none to compare with.
pub type Before = Result<Round, &'static str>;

/// Notes in a round what its findings are to those of the round before and, for what that one does not report, of earlier ones.
/// Nothing that lies beside a round keeps it from being recorded.
pub fn settle(round: &mut Round, previous: &Round, at: &Surfaces<'_>) {
    let compared = at.compare(previous, items(previous), round, items(round));
    let old: Side<'_> = (&compared.old, &compared.anchors[0]);
    note(round, previous, &compared.matched, old, (&compared.new, &compared.anchors[1]), compared.mapped);
    let open = compared.matched.added.iter().map(|c| compared.new[*c].id.clone()).collect();
    came_back(round, previous, open, at);
}

/// Looks for findings that the round before did not report among those of earlier rounds that no later one reports.
fn came_back(round: &mut Round, previous: &Round, mut open: HashSet<String>, at: &Surfaces<'_>) {
    // Rounds as they stood when a later one was matched with them, and the findings that it took up.
    let mut continued: HashSet<(u64, String, String)> = HashSet::new();
    let mut later = Cow::Borrowed(previous);
    while !open.is_empty() && later.round_number > 1 {
        let bound = |number: u64| later.matched.as_ref().and_then(|m| m.digest_of(number)).unwrap_or_default().to_owned();
        let ties = all(&later).filter_map(|f| f.same_as_round.zip(f.same_as.clone()));
        continued.extend(ties.map(|(number, id)| (number, bound(number), id)).collect::<Vec<_>>());
        let Ok(earlier) = at.before(round, later.round_number) else { break };
        let stands = digest(&earlier);
        let last_seen = |i: &Item| !continued.contains(&(earlier.round_number, stands.clone(), i.id.clone()));
        let old: Vec<Item> = items(&earlier).into_iter().filter(last_seen).collect();
        if !old.is_empty() {
            let new = items(round).into_iter().filter(|i| open.contains(&i.id)).collect();
            let compared = at.compare(&earlier, old, round, new);
            note_return(round, &earlier, &compared.matched, &compared.old, &compared.new);
            for pair in &compared.matched.pairs {
                open.remove(&compared.new[pair.current].id);
            }
        }
        later = Cow::Owned(earlier);
    }
}

impl Surfaces<'_> {
    /// The round before `number`, as far as it can be compared with a round of the loop.
    pub fn before(&self, round: &Round, number: u64) -> Before {
        let before = number.checked_sub(1).filter(|n| *n > 0).ok_or("previous_round_missing")?;
        let stored = match gather::round(&self.folder.join(gather::state_name(&round.loop_id, before))) {
            Ok(stored) => stored,
            Err(fail) if fail.reason.unwrap_or(fail.code) == Code::NotFound => return Err("previous_round_missing"),
            Err(_) => return Err("previous_round_unusable"),
        };
        if stored.loop_id != round.loop_id || stored.round_number != before || !stored.damaged.is_empty() {
            return Err("previous_round_unusable");
        }
        if stored.base_commit == round.base_commit { Ok(stored) } else { Err("base_changed") }
    }

    /// What is to be said of a recorded round and the one before it.
    pub fn warning(&self, round: &Round, before: &Before) -> Option<&'static str> {
        match before {
            _ if round.round_number == 1 => None,
            Err(word) => Some(word),
            Ok(previous) => {
                let both = previous.surface.surface_tree.is_some() && round.surface.surface_tree.is_some();
                let mapped = round.matched.as_ref().is_some_and(|m| m.mapped);
                (both && self.root.is_some() && !mapped).then_some("surfaces_not_compared")
            }
        }
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
        // Cited paths are relative to the root that was named, or to the top as the trees hold them.
        let real = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let below = real.strip_prefix(revisions.top()).unwrap_or(Path::new("")).to_string_lossy().into_owned();
        let from_top = |path: &String| {
            let joined = format!("{below}/{path}");
            let there = |path: &str| revisions.top().join(path).symlink_metadata().is_ok();
            let as_is =
                below.is_empty() || is_absolute(path) || (!there(&joined) && (there(path) || path.starts_with(&format!("{below}/"))));
            if as_is { path.clone() } else { joined }
        };
        let [old, new] =
            sides.map(|items| items.iter().map(|i| Item { path: i.path.as_ref().map(from_top), ..i.clone() }).collect::<Vec<_>>());
        let (old, new) = revisions.anchors(&old, &new)?;
        Ok([old, new])
    }
}
