//! What speaks for it that two findings are one, added up.
//!
//! Takes two rounds as they were read, gives the sum for one pair and the strongest evidence: their places through the line map, a
//! stated id, what both quote, what they speak of, category, and severity as the least. docs/identity.md shows the weights, which are
//! in the unit of places. Bound: linear in the words of both.

use std::collections::HashSet;

use super::anchor::{holds_word, names};
use super::words::{self, Rarity, Said};
use super::{Anchor, Basis, Fixed, Item, Side, Standing};
use crate::base::severity::Grade;

/// What has to speak for a pair.
pub(super) const ENOUGH: f64 = 2.1;

/// Below this distance from [`ENOUGH`] the words of a pair decide nothing.
pub(super) const NARROW: f64 = 0.25;

/// How far apart two ranges are taken to be at most that share lines.
const OVERLAP: u64 = 3;

/// What two places weigh that are not near one another.
const FAR: f64 = -0.8;

/// What two places weigh that are surely not one: no wording outweighs it.
const ANOTHER: f64 = -4.8;

/// What two places of a file weigh at least where nobody knows how its lines moved.
const DRIFT: f64 = -0.4;

/// What two files weigh.
const ANOTHER_FILE: f64 = -5.4;

/// One side, read.
pub(super) struct Reading<'i> {
    pub(super) items: &'i [Item],
    pub(super) anchors: &'i [Anchor],
    pub(super) said: Vec<Said>,
    /// The names of the code that each mentions.
    names: Vec<Vec<String>>,
    /// The titles, folded.
    pub(super) titles: Vec<String>,
    /// Every anchored line with the title that stands on it.
    lines: HashSet<(&'i str, u64, String)>,
}

impl<'i> Reading<'i> {
    pub(super) fn of((items, anchors): Side<'i>) -> Reading<'i> {
        let titles: Vec<String> = items.iter().map(|i| super::super::read::label::fold(&i.title)).collect();
        let placed = anchors.iter().zip(&titles).filter_map(|(a, title)| Some((a.place.as_ref()?, title)));
        let lines = placed.map(|((path, line), title)| (path.as_str(), *line, title.clone())).collect();
        let place = |(item, anchor): (&Item, &Anchor)| format!("{} {}", item.path.as_deref().unwrap_or_default(), anchor.text);
        let said = items.iter().zip(anchors).map(|pair| words::read(&pair.0.title, &pair.0.body, &place(pair))).collect();
        Reading { items, anchors, said, names: items.iter().map(names).collect(), titles, lines }
    }

    /// Whether the other side holds what an item of this one says, in its words and on its line.
    fn stands_in(&self, at: usize, other: &Reading<'_>) -> bool {
        let place = self.anchors[at].place.as_ref();
        place.is_some_and(|(path, line)| other.lines.contains(&(path.as_str(), *line, self.titles[at].clone())))
    }

    /// The file of an item in the current revision, where it names one.
    pub(super) fn file(&self, at: usize) -> Option<&'i str> {
        let anchor = &self.anchors[at];
        let placed = anchor.place.as_ref().map(|(path, _)| path).or(anchor.file.as_ref());
        placed.or(self.items[at].path.as_ref()).map(String::as_str)
    }
}

/// What speaks for a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence {
    pub(super) total: f64,
    /// Of the words alone.
    pub(super) text: f64,
    pub(super) basis: Basis,
}

/// Two rounds whose findings are weighed against one another.
pub(super) struct Weighing<'a> {
    pub(super) old: &'a Reading<'a>,
    pub(super) new: &'a Reading<'a>,
    pub(super) rarity: &'a Rarity,
    /// The anchors went through a real diff.
    pub(super) mapped: bool,
}

impl Weighing<'_> {
    /// What speaks for it that an item of the first round is one of the second.
    pub(super) fn weigh(&self, p: usize, c: usize) -> Evidence {
        let (a, b) = (&self.old.items[p], &self.new.items[c]);
        let (here, there) = (&self.old.anchors[p], &self.new.anchors[c]);
        let distance = distance(here, there);
        let text = self.text(p, c, distance.is_some_and(|d| d <= 6));
        let quote = quoted(a, b);
        let place = self.place(p, c, distance, quote);
        let total = place + text + quote + severity(a.grade, b.grade) + category(a, b) + enclosed(here, there, text);
        let contradicted = (a.path.is_some() && b.path.is_some() && place <= ANOTHER) || text <= -1.2;
        if a.stated && b.stated && a.id == b.id && !contradicted && !self.is_renumbered(p, c) {
            // Reviewers number anew each round: where the diff and the words say no, the id alone decides nothing.
            let total = match text < 0.0 {
                true if self.mapped && place <= FAR => total.max(ENOUGH - NARROW / 2.0),
                true => total + 3.0,
                // What the words do not speak for may have been numbered anew: two pairs that they do speak for outweigh it.
                false => total.max(ENOUGH) + if text < 1.0 { 1.5 } else { 4.0 },
            };
            return Evidence { total, text, basis: Basis::Id };
        }
        let exact = distance == Some(0);
        let basis = match () {
            () if quote > 0.5 => Basis::Quote,
            () if exact && self.mapped && here.standing == Some(Standing::Moved) => Basis::MovedBlock,
            () if exact && self.mapped => Basis::LineMap,
            () if exact => Basis::PathLine,
            () => Basis::Words,
        };
        Evidence { total, text, basis }
    }

    /// Of what both speak, and how many words they share; all of them count for more than their number.
    fn text(&self, p: usize, c: usize, near: bool) -> f64 {
        let (concepts, shared) = words::alike(&self.old.said[p], &self.new.said[c], self.rarity, near);
        (0.9 * concepts).clamp(-3.2, 3.6) + 0.8 * shared + 1.2 * shared.powi(3)
    }

    /// Whether ids were given anew: what one of both says stands, word for word, on its line under another id.
    fn is_renumbered(&self, p: usize, c: usize) -> bool {
        self.old.titles[p] != self.new.titles[c] && (self.old.stands_in(p, self.new) || self.new.stands_in(c, self.old))
    }

    /// How near both places are, by their distance and by what is known of the lines.
    fn place(&self, p: usize, c: usize, distance: Option<u64>, quote: f64) -> f64 {
        let (a, b) = (&self.old.anchors[p], &self.new.anchors[c]);
        let Some(distance) = distance else {
            let placed = a.place.is_some() && b.place.is_some();
            return if !placed && self.old.file(p) == self.new.file(c) { 0.6 } else { ANOTHER_FILE };
        };
        let near = by_distance(distance, a, b);
        if !self.mapped {
            // What is said word for word is the same finding at a place that drifted, rather than another one.
            return near.max(if self.old.titles[p] == self.new.titles[c] { 0.0 } else { DRIFT });
        }
        let changed = a.standing == Some(Standing::Changed);
        let near = match () {
            () if self.is_another_line(p, c, distance, quote) => near.min(ANOTHER),
            // Where the line itself was rewritten nobody can say where exactly its defect stands now, nor that it is still there.
            () if changed && distance <= 12 => near.clamp(-0.6, 1.5),
            () => near,
        };
        // A rewritten line may stand anywhere: then its place in the symbol says more than the place in the file.
        if changed && distance > 12 && same_offset(a, b) { near.max(FAR) } else { near }
    }

    /// Whether the later finding stands on a line that was there before and is surely not the one that the earlier means.
    fn is_another_line(&self, p: usize, c: usize, distance: u64, quote: f64) -> bool {
        let (a, b) = (&self.old.anchors[p], &self.new.anchors[c]);
        if !a.place_is_sure() {
            return false;
        }
        let changed = a.standing == Some(Standing::Changed);
        let old_line = b.in_new_code == Some(false);
        let apart = a.place != b.place;
        // Too far for a slip of the line.
        let far = old_line && distance > 12;
        // The earlier line was rewritten: what stood there before is one more of its kind.
        let beside = old_line && changed && (distance > 3 || b.fixed == Fixed::Quoted || (distance > 1 && other_symbol(a, b)));
        // Both quote their line, and not the same.
        let quoted = old_line && apart && quote < 0.0 && a.fixed == Fixed::Quoted && b.fixed == Fixed::Quoted;
        far || beside || quoted || ((apart || (changed && old_line)) && self.name_others(p, c))
    }

    /// Whether two findings name different things: each only such as stand on its own line, and none that stands on the other's.
    fn name_others(&self, p: usize, c: usize) -> bool {
        let only = |names: &[String], own: &str, other: &str| {
            names.iter().any(|name| holds_word(own, name)) && !names.iter().any(|name| holds_word(other, name))
        };
        let (here, there) = (&self.old.anchors[p].text, &self.new.anchors[c].text);
        only(&self.old.names[p], here, there) && only(&self.new.names[c], there, here)
    }
}

/// How many lines two anchors of one file are apart; of two ranges that share lines nobody can say which of them is meant.
fn distance(a: &Anchor, b: &Anchor) -> Option<u64> {
    let ((here, line), (there, other)) = a.place.as_ref().zip(b.place.as_ref())?;
    let apart = line.abs_diff(*other);
    let overlap = *line <= b.last.unwrap_or(*other) && *other <= a.last.unwrap_or(*line);
    (here == there).then_some(if overlap { apart.min(OVERLAP) } else { apart })
}

/// What a distance weighs; the less a slip is likely, the more.
fn by_distance(distance: u64, a: &Anchor, b: &Anchor) -> f64 {
    let sure = [a, b].iter().filter(|anchor| anchor.fixed != Fixed::Cited).count() as f64;
    match distance {
        0 => 1.9,
        1 => 1.2 - 0.25 * sure,
        2 | 3 => 1.0 - 0.3 * sure,
        4..=6 => 0.2 - 0.2 * sure,
        7..=12 => FAR,
        13..=40 => -2.6,
        _ => ANOTHER,
    }
}

/// The same severity or a near one; never a key.
fn severity(a: Grade, b: Grade) -> f64 {
    let steps = rank(a).abs_diff(rank(b)).min(3);
    if a == Grade::Unknown || b == Grade::Unknown { 0.0 } else { 0.4 - 0.25 * f64::from(steps) }
}

/// The same kind of defect, in the reports' own words, or another.
fn category(a: &Item, b: &Item) -> f64 {
    match (&a.category, &b.category) {
        (Some(x), Some(y)) if x.eq_ignore_ascii_case(y) => 0.8,
        (Some(_), Some(_)) => -0.8,
        _ => 0.0,
    }
}

/// Whether both stand in one symbol, equally far from its start.
fn same_offset(a: &Anchor, b: &Anchor) -> bool {
    let (Some((x, far)), Some((y, other))) = (&a.symbol, &b.symbol) else { return false };
    x == y && far.abs_diff(*other) <= 6
}

/// Whether both stand in a symbol, and in another one.
fn other_symbol(a: &Anchor, b: &Anchor) -> bool {
    a.symbol.as_ref().zip(b.symbol.as_ref()).is_some_and(|((x, _), (y, _))| x != y)
}

/// What encloses both lines: another symbol speaks against a pair; the same one only says more of words that agree.
fn enclosed(a: &Anchor, b: &Anchor, text: f64) -> f64 {
    let (Some((x, _)), Some((y, _))) = (&a.symbol, &b.symbol) else { return 0.0 };
    match x == y {
        true if text > 0.0 => 0.2,
        true => 0.0,
        false => -0.3,
    }
}

/// Source text that both quote: the same, or another.
fn quoted(a: &Item, b: &Item) -> f64 {
    let squeezed = |q: &String| q.split_whitespace().collect::<String>().trim_end_matches(['.', '…']).to_owned();
    let (Some(x), Some(y)) = (a.quote.as_ref().map(squeezed), b.quote.as_ref().map(squeezed)) else { return 0.0 };
    if x.is_empty() || y.is_empty() {
        return 0.0;
    }
    if x.contains(&y) || y.contains(&x) { 0.9 } else { -0.9 }
}

fn rank(grade: Grade) -> u8 {
    match grade {
        Grade::Critical => 0,
        Grade::High => 1,
        Grade::Medium | Grade::Unknown => 2,
        Grade::Low => 3,
        Grade::Suggestion => 4,
    }
}
