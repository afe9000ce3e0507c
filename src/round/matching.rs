//! The reference's matching of two rounds, exact and near-linear.
//!
//! A pair has the same severity and path and stands at most 6 lines apart; equal non-empty slugs go first, then the
//! smaller distance, the smaller previous and current line, the document order; each finding is taken once (rounds spec
//! §1.5, algorithm of §5 item 4). Findings without a line pair by equal slug and place alone.
//! Bound: O(n log n) in the number of findings, whatever their lines are.

use std::collections::HashMap;

use super::record::RoundFinding;

/// The largest line distance of a pair.
pub const WINDOW: u64 = 6;

/// Who is who between two rounds; indices into the two lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matching {
    /// Pairs in the order the reference takes them.
    pub pairs: Vec<(usize, usize)>,
    /// Previous findings without a partner, in document order.
    pub resolved: Vec<usize>,
    /// Current findings without a partner, in document order.
    pub added: Vec<usize>,
}

type Place<'a> = (&'a str, Option<&'a str>);

/// Indices of one bucket by line, each list in document order.
type ByLine = HashMap<u64, Queue>;

#[derive(Default)]
struct Queue {
    indices: Vec<usize>,
    next: usize,
}

impl Queue {
    fn first_unused(&mut self, used: &[bool]) -> Option<usize> {
        while self.indices.get(self.next).is_some_and(|i| used[*i]) {
            self.next += 1;
        }
        self.indices.get(self.next).copied()
    }
}

/// A pair with what it is ordered by.
struct Taken {
    order: (u8, u64, u64, u64, usize, usize),
    pair: (usize, usize),
}

/// Matches two lists of findings.
pub fn matching(previous: &[RoundFinding], current: &[RoundFinding]) -> Matching {
    let mut used_previous = vec![false; previous.len()];
    let mut used_current = vec![false; current.len()];
    let mut taken: Vec<Taken> = Vec::new();
    for by_slug in [true, false] {
        let left = buckets(previous, &used_previous, by_slug);
        let mut right = buckets(current, &used_current, by_slug);
        for (key, mut lines) in left {
            if let Some(other) = right.get_mut(&key) {
                let phase = u8::from(!by_slug);
                pair_bucket(phase, &mut lines, other, (&mut used_previous, &mut used_current), &mut taken);
            }
        }
    }
    pair_unlined(previous, current, &mut used_previous, &mut used_current, &mut taken);
    taken.sort_by_key(|t| t.order);
    let unused = |used: &[bool]| used.iter().enumerate().filter(|(_, u)| !**u).map(|(i, _)| i).collect();
    Matching { pairs: taken.iter().map(|t| t.pair).collect(), resolved: unused(&used_previous), added: unused(&used_current) }
}

/// Findings with a line, by severity, path and (in the first phase) non-empty slug.
fn buckets<'a>(findings: &'a [RoundFinding], used: &[bool], by_slug: bool) -> HashMap<(Place<'a>, &'a str), ByLine> {
    let mut buckets: HashMap<(Place<'a>, &'a str), ByLine> = HashMap::new();
    for (index, finding) in findings.iter().enumerate() {
        let Some(line) = finding.line.filter(|_| !used[index] && finding.path.is_some()) else {
            continue;
        };
        if by_slug && finding.title_slug.is_empty() {
            continue;
        }
        let slug = if by_slug { finding.title_slug.as_str() } else { "" };
        let key = ((finding.severity.word(), finding.path.as_deref()), slug);
        buckets.entry(key).or_default().entry(line).or_default().indices.push(index);
    }
    buckets
}

fn pair_bucket(phase: u8, left: &mut ByLine, right: &mut ByLine, used: (&mut [bool], &mut [bool]), taken: &mut Vec<Taken>) {
    let (used_left, used_right) = used;
    let mut lines: Vec<u64> = left.keys().copied().collect();
    lines.sort_unstable();
    for distance in 0..=WINDOW {
        for line in &lines {
            let below = line.checked_sub(distance);
            let above = (distance > 0).then_some(line + distance);
            for other in [below, above].into_iter().flatten() {
                let (Some(from), Some(to)) = (left.get_mut(line), right.get_mut(&other)) else {
                    continue;
                };
                while let (Some(p), Some(c)) = (from.first_unused(used_left), to.first_unused(used_right)) {
                    used_left[p] = true;
                    used_right[c] = true;
                    taken.push(Taken { order: (phase, distance, *line, other, p, c), pair: (p, c) });
                }
            }
        }
    }
}

/// Findings without a line have no distance: the same severity, place and non-empty slug is all there is to go by.
fn pair_unlined(
    previous: &[RoundFinding],
    current: &[RoundFinding],
    used_previous: &mut [bool],
    used_current: &mut [bool],
    taken: &mut Vec<Taken>,
) {
    let key = |f: &RoundFinding| (f.severity.word(), f.path.clone(), f.title_slug.clone());
    let unlined = |f: &RoundFinding| (f.line.is_none() || f.path.is_none()) && !f.title_slug.is_empty();
    let mut waiting: HashMap<_, Queue> = HashMap::new();
    for (index, finding) in current.iter().enumerate().filter(|(i, f)| !used_current[*i] && unlined(f)) {
        waiting.entry(key(finding)).or_default().indices.push(index);
    }
    for (index, finding) in previous.iter().enumerate() {
        if used_previous[index] || !unlined(finding) {
            continue;
        }
        if let Some(partner) = waiting.get_mut(&key(finding)).and_then(|q| q.first_unused(used_current)) {
            used_previous[index] = true;
            used_current[partner] = true;
            taken.push(Taken { order: (2, 0, 0, 0, index, partner), pair: (index, partner) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::severity::Level;
    use proptest::prelude::*;

    fn finding(severity: Level, path: &str, line: u64, slug: &str) -> RoundFinding {
        RoundFinding { severity, path: Some(path.to_owned()), line: Some(line), title_slug: slug.to_owned(), ..RoundFinding::default() }
    }

    /// The reference, word for word: all candidates, sorted, taken greedily. Quadratic.
    fn oracle(previous: &[RoundFinding], current: &[RoundFinding]) -> Vec<(usize, usize)> {
        let mut candidates = Vec::new();
        for (p, a) in previous.iter().enumerate() {
            for (c, b) in current.iter().enumerate() {
                let (la, lb) = (a.line.unwrap(), b.line.unwrap());
                if a.severity == b.severity && a.path == b.path && la.abs_diff(lb) <= WINDOW {
                    let slug = !a.title_slug.is_empty() && a.title_slug == b.title_slug;
                    candidates.push((u8::from(!slug), la.abs_diff(lb), la, lb, p, c));
                }
            }
        }
        candidates.sort_by_key(|k| (k.0, k.1, k.2, k.3));
        let (mut used_p, mut used_c, mut pairs) = (vec![false; previous.len()], vec![false; current.len()], Vec::new());
        for (_, _, _, _, p, c) in candidates {
            if !used_p[p] && !used_c[c] {
                used_p[p] = true;
                used_c[c] = true;
                pairs.push((p, c));
            }
        }
        pairs
    }

    fn some_findings() -> impl Strategy<Value = Vec<RoundFinding>> {
        let one = (0..2usize, 0..2usize, 1..25u64, 0..4usize);
        proptest::collection::vec(one, 0..14).prop_map(|all| {
            all.into_iter()
                .map(|(s, p, l, g)| finding([Level::Critical, Level::Warning][s], ["a", "b"][p], l, ["", "x", "y", "z"][g]))
                .collect()
        })
    }

    proptest! {
        #[test]
        fn the_fast_matching_is_the_reference_matching(previous in some_findings(), current in some_findings()) {
            prop_assert_eq!(matching(&previous, &current).pairs, oracle(&previous, &current));
        }

        #[test]
        fn matching_is_a_partition(previous in some_findings(), current in some_findings()) {
            let m = matching(&previous, &current);
            let mut left: Vec<usize> = m.pairs.iter().map(|p| p.0).chain(m.resolved).collect();
            let mut right: Vec<usize> = m.pairs.iter().map(|p| p.1).chain(m.added).collect();
            left.sort_unstable();
            right.sort_unstable();
            prop_assert_eq!(left, (0..previous.len()).collect::<Vec<_>>());
            prop_assert_eq!(right, (0..current.len()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn findings_without_a_place_pair_by_their_words() {
        let bare = RoundFinding { severity: Level::Critical, title_slug: "no-owner".to_owned(), ..RoundFinding::default() };
        assert_eq!(matching(std::slice::from_ref(&bare), std::slice::from_ref(&bare)).pairs, [(0, 0)]);
    }
}
