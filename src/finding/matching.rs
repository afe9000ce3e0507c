//! Who is who between two rounds, with a reason for every pair.
//!
//! Takes the findings of both rounds, each with the place its anchor has in the current revision, gives pairs, what is left on
//! either side, and what only a reader of meaning can decide. Evidence is added up: a stated id, the anchor mapped through the
//! real diff, quoted source text, the concepts and words of title and body, category, and severity as the least. Then one optimal
//! one-to-one assignment. Severity is never a key. docs/identity.md explains the ladder. Bound: candidates are looked for in the
//! same file, by nearness of lines or by rare words, and at most a few for a finding; memory is linear.

mod anchor;
mod assign;
pub mod concepts;
mod evidence;
pub mod symbol;
mod words;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

pub use self::anchor::anchor_line;
use self::evidence::{ENOUGH, Evidence, NARROW, Reading, Weighing};
use self::words::Rarity;
use crate::base::reason::words;
use crate::base::severity::Grade;

words! {
    /// The strongest evidence of a pair.
    Basis {
        Asserted "asserted",
        Id "id",
        Quote "quote",
        LineMap "line_map",
        MovedBlock "moved_block",
        Words "words",
        PathLine "path_line",
    }
}

words! {
    /// What became of the code at the anchor of a previous finding.
    Standing {
        Unchanged "unchanged",
        Moved "moved",
        Changed "changed",
        FileRemoved "file_removed",
        Unknown "unknown",
    }
}

words! {
    /// What a finding is that was not reported again.
    Status {
        Fixed "fixed",
        UnreportedUnchanged "unreported_unchanged",
        FileRemoved "file_removed",
        MovedUnreported "moved_unreported",
        Unknown "unknown",
    }
}

words! {
    /// Why nothing was decided.
    Doubt {
        SeveralPartners "several_partners",
        WordingUnclear "wording_unclear",
    }
}

impl Standing {
    /// Silence is a fix only where the code changed.
    pub fn status(self) -> Status {
        match self {
            Standing::Unchanged => Status::UnreportedUnchanged,
            Standing::Moved => Status::MovedUnreported,
            Standing::Changed => Status::Fixed,
            Standing::FileRemoved => Status::FileRemoved,
            Standing::Unknown => Status::Unknown,
        }
    }
}

impl Status {
    /// Whether the code that was found fault with is no more: silence alone is no repair.
    pub fn is_repair(self) -> bool {
        matches!(self, Status::Fixed | Status::FileRemoved)
    }
}

/// One finding of either round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    /// Unique in its round.
    pub id: String,
    /// Whether the report stated the id.
    pub stated: bool,
    /// The six-word grade.
    pub grade: Grade,
    /// Its file, in the revision of its round.
    pub path: Option<String>,
    /// Its line.
    pub line: Option<u64>,
    /// The last line of a range.
    pub end_line: Option<u64>,
    /// One line.
    pub title: String,
    /// What is said behind it.
    pub body: String,
    /// Source text it quotes.
    pub quote: Option<String>,
    /// The kind of defect.
    pub category: Option<String>,
}

/// What fixes the line that a finding means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fixed {
    /// Only that it is cited.
    #[default]
    Cited,
    /// A name it mentions stands there.
    Named,
    /// The text it quotes stands there.
    Quoted,
}

/// Where a finding stands in the current revision.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Anchor {
    /// File and line; of a changed line the one in its place.
    pub place: Option<(String, u64)>,
    /// What became of the cited code; for a current finding meaningless.
    pub standing: Option<Standing>,
    /// The file in the current revision, where a finding names one and no line of it.
    pub file: Option<String>,
    /// The last line of the range that stands there.
    pub last: Option<u64>,
    /// What in the text fixed the line.
    pub fixed: Fixed,
    /// The line as it stands in the finding's own revision.
    pub text: String,
    /// What encloses the line in the finding's own revision, and how far below its start the line stands.
    pub symbol: Option<(String, u64)>,
    /// Whether the line lies in code that was written since the previous round; for a previous finding meaningless.
    pub in_new_code: Option<bool>,
}

impl Anchor {
    /// Whether the cited line is known in the current revision, by the diff or by what stands there.
    fn place_is_sure(&self) -> bool {
        matches!(self.standing, Some(Standing::Unchanged | Standing::Moved | Standing::Changed))
    }
}

/// A link that an agent asserts or forbids, by the places of both items.
pub type Link = (usize, usize, bool);

/// A pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Place in the previous list.
    pub previous: usize,
    /// Place in the current list.
    pub current: usize,
    /// The strongest evidence.
    pub basis: Basis,
    /// 0 to 1.
    pub confidence: f64,
}

/// The findings of one round and where they stand in the current revision.
pub type Side<'i> = (&'i [Item], &'i [Anchor]);

/// A finding that was not reported again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Resolved {
    /// Its id.
    pub id: String,
    /// What became of it.
    pub status: Status,
}

/// Findings that only a reader can tell, by their ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unclear {
    /// Ids of the previous set.
    pub previous: Vec<String>,
    /// Ids of the current set.
    pub current: Vec<String>,
    /// Why.
    pub reason: Doubt,
}

/// Items that only a reader of meaning can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ambiguous {
    /// Places in the previous list.
    pub previous: Vec<usize>,
    /// Places in the current list.
    pub current: Vec<usize>,
    /// Why.
    pub reason: Doubt,
}

/// The whole answer: every item stands in exactly one of its lists.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matched {
    /// By place in the previous list.
    pub pairs: Vec<Pair>,
    /// Previous items without a partner.
    pub resolved: Vec<usize>,
    /// Current items without a partner.
    pub added: Vec<usize>,
    /// Undecided.
    pub ambiguous: Vec<Ambiguous>,
}

impl Matched {
    /// What became of the previous items that were not reported again.
    pub fn resolved_of(&self, (items, anchors): Side<'_>) -> Vec<Resolved> {
        let status = |p: usize| anchors[p].standing.unwrap_or(Standing::Unknown).status();
        self.resolved.iter().map(|p| Resolved { id: items[*p].id.clone(), status: status(*p) }).collect()
    }

    /// The undecided ones by their ids.
    pub fn unclear(&self, old: &[Item], new: &[Item]) -> Vec<Unclear> {
        let ids = |places: &[usize], items: &[Item]| places.iter().map(|p| items[*p].id.clone()).collect();
        let named = |a: &Ambiguous| Unclear { previous: ids(&a.previous, old), current: ids(&a.current, new), reason: a.reason };
        self.ambiguous.iter().map(named).collect()
    }
}

/// How many candidates are weighed for one finding.
const NEAREST: usize = 24;

/// Anchors without a repository: as cited.
pub fn as_cited(items: &[Item]) -> Vec<Anchor> {
    let anchor = |i: &Item| {
        let file = i.path.as_deref().and_then(|path| crate::base::path::display(path, None));
        Anchor { place: file.clone().zip(i.line), last: i.end_line, file, ..Anchor::default() }
    };
    items.iter().map(anchor).collect()
}

/// Matches two rounds, whatever order their findings come in. `mapped` says that the anchors went through a real diff.
pub fn run(previous: Side<'_>, current: Side<'_>, links: &[Link], mapped: bool) -> Matched {
    let (old, new) = (Ordered::of(previous), Ordered::of(current));
    let links: Vec<Link> = links.iter().map(|(p, c, same)| (old.to[*p], new.to[*c], *same)).collect();
    let mut matched = run_in_order((&old.items, &old.anchors), (&new.items, &new.anchors), &links, mapped);
    let back = |places: &mut Vec<usize>, from: &[usize]| {
        places.iter_mut().for_each(|place| *place = from[*place]);
        places.sort_unstable();
    };
    for pair in &mut matched.pairs {
        (pair.previous, pair.current) = (old.from[pair.previous], new.from[pair.current]);
    }
    for group in &mut matched.ambiguous {
        back(&mut group.previous, &old.from);
        back(&mut group.current, &new.from);
    }
    back(&mut matched.resolved, &old.from);
    back(&mut matched.added, &new.from);
    matched.pairs.sort_by_key(|p| (p.previous, p.current));
    matched.ambiguous.sort_by(|a, b| a.previous.cmp(&b.previous));
    matched
}

/// The findings of one round in an order of their own, so that ties fall the same way however they are listed.
struct Ordered {
    items: Vec<Item>,
    anchors: Vec<Anchor>,
    /// Of each place in the order the one in the list, and the other way round.
    from: Vec<usize>,
    to: Vec<usize>,
}

impl Ordered {
    fn of((items, anchors): Side<'_>) -> Ordered {
        let mut from: Vec<usize> = (0..items.len()).collect();
        let key = |at: &usize| {
            let item = &items[*at];
            (&item.path, item.line, item.end_line, &item.title, &item.body, &item.id, item.grade)
        };
        from.sort_by(|a, b| key(a).cmp(&key(b)).then(a.cmp(b)));
        let mut to = vec![0; items.len()];
        from.iter().enumerate().for_each(|(place, at)| to[*at] = place);
        let items = from.iter().map(|at| items[*at].clone()).collect();
        Ordered { items, anchors: from.iter().map(|at| anchors[*at].clone()).collect(), from, to }
    }
}

fn run_in_order(previous: Side<'_>, current: Side<'_>, links: &[Link], mapped: bool) -> Matched {
    let (old, new) = (Reading::of(previous), Reading::of(current));
    let rarity = Rarity::of_all(old.said.iter().chain(&new.said));
    let weighing = Weighing { old: &old, new: &new, rarity: &rarity, mapped };
    let mut weighed: Vec<(usize, usize, Evidence)> = Vec::new();
    let forbidden: HashSet<(usize, usize)> = links.iter().filter(|l| !l.2).map(|l| (l.0, l.1)).collect();
    let asserted: Vec<(usize, usize)> = links.iter().filter(|l| l.2).map(|l| (l.0, l.1)).collect();
    let (settled_old, settled_new): (HashSet<usize>, HashSet<usize>) = asserted.iter().copied().unzip();
    for (p, c) in candidates(&old, &new) {
        if !forbidden.contains(&(p, c)) && !settled_old.contains(&p) && !settled_new.contains(&c) {
            weighed.push((p, c, weighing.weigh(p, c)));
        }
    }
    let mut matched = decide(&weighed);
    matched.pairs.extend(asserted.iter().map(|(p, c)| Pair { previous: *p, current: *c, basis: Basis::Asserted, confidence: 1.0 }));
    matched.pairs.sort_by_key(|p| (p.previous, p.current));
    let (mut used_old, mut used_new) = (vec![false; old.items.len()], vec![false; new.items.len()]);
    for (p, c) in matched.pairs.iter().map(|p| (p.previous, p.current)) {
        (used_old[p], used_new[c]) = (true, true);
    }
    for group in &matched.ambiguous {
        group.previous.iter().for_each(|p| used_old[*p] = true);
        group.current.iter().for_each(|c| used_new[*c] = true);
    }
    matched.resolved = (0..old.items.len()).filter(|p| !used_old[*p]).collect();
    matched.added = (0..new.items.len()).filter(|c| !used_new[*c]).collect();
    matched
}

/// Pairs worth weighing: near one another in a file, under one title in it, or with one stated id.
fn candidates(old: &Reading<'_>, new: &Reading<'_>) -> Vec<(usize, usize)> {
    let mut by_file: HashMap<&str, Vec<(u64, usize)>> = HashMap::new();
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    let mut nowhere: Vec<usize> = Vec::new();
    for (c, item) in new.items.iter().enumerate() {
        match &new.anchors[c].place {
            Some((path, line)) => by_file.entry(path).or_default().push((*line, c)),
            None => match new.file(c) {
                Some(path) => by_file.entry(path).or_default().push((0, c)),
                None => nowhere.push(c),
            },
        }
        if item.stated {
            by_id.insert(&item.id, c);
        }
    }
    by_file.values_mut().for_each(|v| v.sort_unstable());
    // More may stand at one place than are weighed: those of one title are found by it.
    let mut by_title: HashMap<(Option<&str>, &str), Vec<usize>> = HashMap::new();
    for (c, title) in new.titles.iter().enumerate() {
        by_title.entry((new.file(c), title.as_str())).or_default().push(c);
    }
    let mut found = Vec::new();
    for (p, item) in old.items.iter().enumerate() {
        let place = old.anchors[p].place.as_ref().map(|(path, line)| (path.as_str(), *line));
        let place = place.or(old.file(p).map(|path| (path, item.line.unwrap_or(0))));
        let mut near: Vec<(u64, usize)> = match place {
            Some((path, line)) => {
                let there = by_file.get(path).map_or(&[][..], Vec::as_slice);
                let at = there.partition_point(|(l, _)| *l < line);
                let window = &there[at.saturating_sub(NEAREST)..(at + NEAREST).min(there.len())];
                window.iter().map(|(l, c)| (l.abs_diff(line), *c)).collect()
            }
            None => nowhere.iter().take(NEAREST * 8).map(|c| (0, *c)).collect(),
        };
        near.sort_unstable();
        near.truncate(NEAREST);
        let named = item.stated.then(|| by_id.get(item.id.as_str()).copied()).flatten();
        let titled = by_title.get(&(old.file(p), old.titles[p].as_str())).filter(|t| t.len() <= NEAREST).into_iter().flatten().copied();
        let mut mine: Vec<usize> = near.into_iter().map(|(_, c)| c).chain(named).chain(titled).collect();
        mine.sort_unstable();
        mine.dedup();
        found.extend(mine.into_iter().map(|c| (p, c)));
    }
    found
}

/// Assigns, and takes out what is decided by nothing.
fn decide(weighed: &[(usize, usize, Evidence)]) -> Matched {
    let gains: Vec<assign::Candidate> =
        weighed.iter().filter(|(.., e)| e.total > ENOUGH - NARROW).map(|(p, c, e)| (*p, *c, e.total)).collect();
    let chosen = assign::best(&gains);
    let evidence: HashMap<(usize, usize), Evidence> = weighed.iter().map(|(p, c, e)| ((*p, *c), *e)).collect();
    let mut rivals_old: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    let mut rivals_new: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for (p, c, gain) in &gains {
        rivals_old.entry(*p).or_default().push((*c, *gain));
        rivals_new.entry(*c).or_default().push((*p, *gain));
    }
    let (taken_old, taken_new): (HashMap<usize, usize>, HashMap<usize, usize>) =
        (chosen.iter().map(|(p, c, _)| (*p, *c)).collect(), chosen.iter().map(|(p, c, _)| (*c, *p)).collect());
    let mut matched = Matched::default();
    for (p, c, gain) in &chosen {
        let found = evidence[&(*p, *c)];
        // Another partner that is free and as likely: nobody but a reader can tell.
        let close = |other: f64| (gain - other).abs() < 0.12 && found.basis != Basis::Id;
        let twin_new = rivals_old[p].iter().find(|(o, g)| o != c && !taken_new.contains_key(o) && close(*g)).map(|(o, _)| *o);
        let twin_old = rivals_new[c].iter().find(|(o, g)| o != p && !taken_old.contains_key(o) && close(*g)).map(|(o, _)| *o);
        if twin_new.is_some() || twin_old.is_some() {
            let (mut previous, mut current) = (vec![*p], vec![*c]);
            previous.extend(twin_old);
            current.extend(twin_new);
            previous.sort_unstable();
            current.sort_unstable();
            matched.ambiguous.push(Ambiguous { previous, current, reason: Doubt::SeveralPartners });
        } else if *gain < ENOUGH {
            matched.ambiguous.push(Ambiguous { previous: vec![*p], current: vec![*c], reason: Doubt::WordingUnclear });
        } else {
            let confidence = 1.0 / (1.0 + (-(gain - ENOUGH) * 1.4 - 0.6 - found.text * 0.1).exp());
            matched.pairs.push(Pair { previous: *p, current: *c, basis: found.basis, confidence });
        }
    }
    keep_apart(&mut matched.ambiguous);
    matched
}

/// Groups that share an item are one, through however many others they share it; in the order of their first.
fn keep_apart(groups: &mut Vec<Ambiguous>) {
    let mut joined: Vec<usize> = (0..groups.len()).collect();
    let (mut of_old, mut of_new) = (HashMap::new(), HashMap::new());
    for (at, group) in groups.iter().enumerate() {
        let old = group.previous.iter().map(|p| *of_old.entry(*p).or_insert(at));
        let known: Vec<usize> = old.chain(group.current.iter().map(|c| *of_new.entry(*c).or_insert(at))).collect();
        for other in known {
            let (a, b) = (first_of(&mut joined, at), first_of(&mut joined, other));
            joined[a.max(b)] = a.min(b);
        }
    }
    let mut merged: BTreeMap<usize, Ambiguous> = BTreeMap::new();
    for (at, group) in std::mem::take(groups).into_iter().enumerate() {
        match merged.entry(first_of(&mut joined, at)) {
            Entry::Vacant(free) => drop(free.insert(group)),
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.previous.extend(group.previous);
                known.current.extend(group.current);
                known.reason = Doubt::SeveralPartners;
            }
        }
    }
    for mut group in merged.into_values() {
        for list in [&mut group.previous, &mut group.current] {
            list.sort_unstable();
            list.dedup();
        }
        groups.push(group);
    }
}

/// The first group that one is joined to; the way there is shortened.
fn first_of(joined: &mut [usize], mut at: usize) -> usize {
    while joined[at] != at {
        joined[at] = joined[joined[at]];
        at = joined[at];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str, stated: bool, line: Option<u64>, title: &str) -> Item {
        Item {
            id: id.to_owned(),
            stated,
            grade: Grade::Medium,
            path: Some("a.rs".to_owned()),
            line,
            end_line: None,
            title: title.to_owned(),
            body: String::new(),
            quote: None,
            category: None,
        }
    }

    fn pairs(old: &[Item], new: &[Item]) -> Vec<(usize, usize)> {
        let (before, now) = (as_cited(old), as_cited(new));
        run((old, &before), (new, &now), &[], false).pairs.iter().map(|p| (p.previous, p.current)).collect()
    }

    #[test]
    fn ids_that_were_given_anew_are_no_evidence_against_the_words_on_their_lines() {
        let said = ["the lock is never released", "the token is logged", "the buffer is not bounded"];
        let old: Vec<Item> = (0..3).map(|n| item(&(n + 1).to_string(), true, Some(10 + 20 * n as u64), said[n])).collect();
        let new: Vec<Item> = (1..3).map(|n| item(&n.to_string(), true, Some(10 + 20 * n as u64), said[n])).collect();
        assert_eq!(pairs(&old, &new), [(1, 0), (2, 1)]);
    }

    #[test]
    fn more_findings_at_one_place_than_are_weighed_are_told_by_their_titles() {
        let all = |line| -> Vec<Item> { (0..60).map(|n| item(&format!("f{n}"), false, line, &format!("case w{n}x is wrong"))).collect() };
        for line in [None, Some(1)] {
            let (old, mut new) = (all(line), all(line));
            new.reverse();
            let expected: Vec<(usize, usize)> = (0..60).map(|n| (n, 59 - n)).collect();
            assert_eq!(pairs(&old, &new), expected);
        }
    }

    #[test]
    fn ranges_that_share_lines_are_near_one_another() {
        let long = Item { end_line: Some(60), ..item("a", false, Some(10), "the handle is leaked when the branch returns early") };
        let (old, new) = ([long], [item("b", false, Some(40), "handle leaks: the branch returns without closing it")]);
        assert_eq!(pairs(&old, &new), [(0, 0)]);
        let sure = |items: &[Item], last| {
            let anchor = as_cited(items)[0].clone();
            [Anchor { last, standing: Some(Standing::Unchanged), in_new_code: Some(false), ..anchor }]
        };
        let run = |last| run((&old, &sure(&old, last)), (&new, &sure(&new, None)), &[], true).pairs.len();
        assert_eq!((run(Some(60)), run(None)), (1, 0));
    }

    #[test]
    fn two_lines_that_both_stood_there_and_are_both_quoted_are_two_defects() {
        let quoting = |id: &str, line, quote: &str| {
            let found = Item { quote: Some(quote.to_owned()), ..item(id, false, Some(line), "the returned status is not checked") };
            let anchor = Anchor {
                fixed: Fixed::Quoted,
                standing: Some(Standing::Unchanged),
                in_new_code: Some(false),
                ..as_cited(std::slice::from_ref(&found))[0].clone()
            };
            (found, anchor)
        };
        let run = |(a, x): (Item, Anchor), (b, y): (Item, Anchor)| run((&[a], &[x]), (&[b], &[y]), &[], true).pairs.len();
        assert_eq!(run(quoting("a", 10, "open(path);"), quoting("b", 12, "read(file);")), 0);
        assert_eq!(run(quoting("a", 10, "open(path);"), quoting("b", 12, "open(path);")), 1);
    }

    #[test]
    fn one_file_is_the_same_however_its_path_is_written() {
        let mut old = item("a", false, None, "no licence header");
        old.path = Some("./src/a.rs".to_owned());
        let mut new = item("b", false, None, "licence header is missing");
        new.path = Some("src/a.rs".to_owned());
        assert_eq!(pairs(&[old], &[new]), [(0, 0)]);
    }

    #[test]
    fn the_order_of_the_findings_decides_nothing() {
        let all = |tag: &str| -> Vec<Item> {
            (0..450).map(|n| item(&format!("{tag}{n:03}"), false, Some(10 + n / 3), &format!("case {} is wrong", n % 7))).collect()
        };
        let (old, mut new) = (all("p"), all("c"));
        let named = |old: &[Item], new: &[Item]| -> Vec<(String, String)> {
            let mut named: Vec<_> = pairs(old, new).iter().map(|(p, c)| (old[*p].id.clone(), new[*c].id.clone())).collect();
            named.sort();
            named
        };
        let straight = named(&old, &new);
        assert!(straight.len() > 200);
        new.reverse();
        let backwards: Vec<Item> = old.iter().rev().cloned().collect();
        assert_eq!(named(&old, &new), straight);
        assert_eq!(named(&backwards, &new), straight);
    }

    #[test]
    fn groups_that_share_an_item_through_a_third_are_one() {
        let group = |previous: &[usize], current: &[usize]| Ambiguous {
            previous: previous.to_vec(),
            current: current.to_vec(),
            reason: Doubt::WordingUnclear,
        };
        let mut groups = vec![group(&[1, 9], &[1]), group(&[5], &[5]), group(&[2], &[2, 8]), group(&[3, 9], &[3, 8])];
        keep_apart(&mut groups);
        let joined = Ambiguous { reason: Doubt::SeveralPartners, ..group(&[1, 2, 3, 9], &[1, 2, 3, 8]) };
        assert_eq!(groups, [joined, group(&[5], &[5])]);
    }
}
