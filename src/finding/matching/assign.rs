//! One optimal one-to-one assignment for each connected group of candidate pairs, whatever order they come in.
//!
//! Bound: groups are small; one of n and m members costs n² m, and a group over [`LARGE`] is cut to its best pairs first.

use std::collections::BTreeMap;

/// Members of one side that are still assigned exactly.
const LARGE: usize = 200;

/// A candidate: previous and current item, and how much speaks for the pair (above zero).
pub(super) type Candidate = (usize, usize, f64);

/// The pairs of the assignment with the greatest sum.
pub(super) fn best(candidates: &[Candidate]) -> Vec<Candidate> {
    let mut out = Vec::new();
    for group in groups(candidates) {
        out.extend(assign(&group));
    }
    out.sort_by_key(|(p, c, _)| (*p, *c));
    out
}

/// Candidates by connected group, each in order.
fn groups(candidates: &[Candidate]) -> Vec<Vec<Candidate>> {
    // Union of previous items (even) and current items (odd).
    let mut parent: BTreeMap<usize, usize> = BTreeMap::new();
    fn root(parent: &mut BTreeMap<usize, usize>, mut at: usize) -> usize {
        while let Some(up) = parent.get(&at).copied().filter(|up| *up != at) {
            let over = parent.get(&up).copied().unwrap_or(up);
            parent.insert(at, over);
            at = over;
        }
        at
    }
    for (p, c, _) in candidates {
        let (a, b) = (root(&mut parent, p * 2), root(&mut parent, c * 2 + 1));
        parent.entry(a).or_insert(a);
        parent.entry(b).or_insert(b);
        parent.insert(a.max(b), a.min(b));
    }
    let mut by_root: BTreeMap<usize, Vec<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        by_root.entry(root(&mut parent, candidate.0 * 2)).or_default().push(*candidate);
    }
    by_root.into_values().collect()
}

/// The best assignment of one group: the Hungarian method on gains, where leaving a row open gains nothing.
fn assign(group: &[Candidate]) -> Vec<Candidate> {
    let mut rows: Vec<usize> = group.iter().map(|c| c.0).collect();
    let mut columns: Vec<usize> = group.iter().map(|c| c.1).collect();
    rows.sort_unstable();
    rows.dedup();
    columns.sort_unstable();
    columns.dedup();
    if rows.len() > LARGE || columns.len() > LARGE {
        return greedy(group);
    }
    let n = rows.len();
    // Every row has a column of its own that means: nobody.
    let m = columns.len() + n;
    let mut cost = vec![vec![0.0f64; m + 1]; n + 1];
    for (p, c, gain) in group {
        let (i, j) = (rows.partition_point(|r| r < p), columns.partition_point(|k| k < c));
        cost[i + 1][j + 1] = cost[i + 1][j + 1].min(-gain);
    }
    let (mut u, mut v) = (vec![0.0f64; n + 1], vec![0.0f64; m + 1]);
    let mut owner = vec![0usize; m + 1];
    let mut way = vec![0usize; m + 1];
    for i in 1..=n {
        owner[0] = i;
        let mut j0 = 0;
        let mut least = vec![f64::INFINITY; m + 1];
        let mut used = vec![false; m + 1];
        loop {
            used[j0] = true;
            let i0 = owner[j0];
            let (mut delta, mut j1) = (f64::INFINITY, 0);
            for j in 1..=m {
                if used[j] {
                    continue;
                }
                let reduced = cost[i0][j] - u[i0] - v[j];
                if reduced < least[j] {
                    least[j] = reduced;
                    way[j] = j0;
                }
                if least[j] < delta {
                    delta = least[j];
                    j1 = j;
                }
            }
            for j in 0..=m {
                if used[j] {
                    u[owner[j]] += delta;
                    v[j] -= delta;
                } else {
                    least[j] -= delta;
                }
            }
            j0 = j1;
            if owner[j0] == 0 {
                break;
            }
        }
        while j0 != 0 {
            let j1 = way[j0];
            owner[j0] = owner[j1];
            j0 = j1;
        }
    }
    let gains = |i: usize, j: usize| -cost[i][j];
    (1..=columns.len())
        .filter(|j| owner[*j] != 0 && gains(owner[*j], *j) > 0.0)
        .map(|j| (rows[owner[j] - 1], columns[j - 1], gains(owner[j], j)))
        .collect()
}

/// The best pairs first, each side once; ties by position.
fn greedy(group: &[Candidate]) -> Vec<Candidate> {
    let mut sorted = group.to_vec();
    sorted.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    let (mut rows, mut columns) = (std::collections::HashSet::new(), std::collections::HashSet::new());
    sorted.retain(|(p, c, _)| {
        let free = !rows.contains(p) && !columns.contains(c);
        if free {
            rows.insert(*p);
            columns.insert(*c);
        }
        free
    });
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_decides_and_not_the_best_single_pair() {
        let chosen = best(&[(0, 0, 5.0), (0, 1, 4.0), (1, 0, 4.5)]);
        assert_eq!(chosen.iter().map(|c| (c.0, c.1)).collect::<Vec<_>>(), [(0, 1), (1, 0)]);
    }

    #[test]
    fn the_order_of_candidates_does_not_matter() {
        let mut candidates = vec![(0, 0, 1.0), (0, 1, 1.1), (1, 1, 1.0), (2, 2, 0.4), (3, 2, 0.5), (4, 4, 2.0)];
        let want = best(&candidates);
        for _ in 0..candidates.len() {
            candidates.rotate_left(1);
            assert_eq!(best(&candidates), want);
        }
    }
}
