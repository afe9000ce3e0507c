//! What a response decided about each finding of its round.
//!
//! A response names its items in its own words. They are matched with the findings as two rounds are, without a repository;
//! where one item and one finding alone are left at one line, they are one. An accepted item that was left undone decides
//! nothing yet. Source: cases/churn/README.md, from round states. Bound: that of the matching.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::record::RoundFinding;
use super::sameness;
use crate::base::path;
use crate::finding::churn::Disposition;
use crate::finding::matching::{self, Item, as_cited};
use crate::report::response::{self, Decision};

/// Notes the dispositions.
pub fn note(mut findings: Vec<&mut RoundFinding>, items: &[response::Item], repo_root: Option<&str>) {
    // A heading that names a finding's id names the finding, whoever gave the id.
    let named: HashSet<&str> = items.iter().map(|i| i.id.as_str()).collect();
    let new: Vec<Item> = findings.iter().map(|f| Item { stated: named.contains(f.id.as_str()), ..sameness::item(f) }).collect();
    let known: HashSet<&str> = new.iter().filter(|f| f.stated).map(|f| f.id.as_str()).collect();
    let old: Vec<Item> = items.iter().map(|item| answer(item, repo_root, known.contains(item.id.as_str()))).collect();
    let matched = matching::run((&old, &as_cited(&old)), (&new, &as_cited(&new)), &[], false);
    // What the words alone leave open is left over like what has no partner.
    let (mut left, mut open) = (matched.resolved.clone(), matched.added.clone());
    left.extend(matched.ambiguous.iter().flat_map(|group| &group.previous));
    open.extend(matched.ambiguous.iter().flat_map(|group| &group.current));
    let (left, open) = (&left, &open);
    let at_line = alone(&old, left, &new, open, |item| item.path.clone().zip(item.line));
    // Where one of both names no place, the title is all there is.
    let titled = alone(&old, left, &new, open, |item| Some(item.title.trim().to_lowercase()).filter(|t| !t.is_empty()));
    let titled = titled.into_iter().filter(|(item, finding)| old[*item].path.is_none() || new[*finding].path.is_none());
    for (item, finding) in matched.pairs.iter().map(|p| (p.previous, p.current)).chain(at_line).chain(titled) {
        findings[finding].disposition = of(&items[item]);
    }
}

fn of(item: &response::Item) -> Option<Disposition> {
    match item.decision? {
        Decision::Accept => (!item.is_undone()).then_some(Disposition::Applied),
        Decision::Reject => Some(Disposition::Rejected),
        Decision::Defer => Some(Disposition::Deferred),
    }
}

/// An item as one side of a matching.
fn answer(item: &response::Item, repo_root: Option<&str>, stated: bool) -> Item {
    Item {
        id: item.id.clone(),
        stated,
        grade: item.grade,
        path: item.place.as_ref().and_then(|p| path::display(&p.path, repo_root)),
        line: item.place.as_ref().and_then(|p| p.line),
        end_line: item.place.as_ref().and_then(|p| p.end_line),
        title: item.title.clone(),
        ..Item::default()
    }
}

/// Items and findings that are the only ones left with one key.
fn alone<K: Eq + Hash>(
    old: &[Item],
    left: &[usize],
    new: &[Item],
    open: &[usize],
    key: impl Fn(&Item) -> Option<K>,
) -> Vec<(usize, usize)> {
    let mut by_key: HashMap<K, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for item in left {
        if let Some(key) = key(&old[*item]) {
            by_key.entry(key).or_default().0.push(*item);
        }
    }
    for finding in open {
        if let Some(key) = key(&new[*finding]) {
            by_key.entry(key).or_default().1.push(*finding);
        }
    }
    let single = |(items, findings): &(Vec<usize>, Vec<usize>)| match (items.as_slice(), findings.as_slice()) {
        ([item], [finding]) => Some((*item, *finding)),
        _ => None,
    };
    by_key.values().filter_map(single).collect()
}
