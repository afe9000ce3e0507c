//! The eight patterns, each judged at the last reviewed round: one that healed earlier is not reported.

use std::collections::{BTreeMap, BTreeSet};

use super::{Disposition, Finding, Kind, Pattern, View, weight};

/// How many lines of a file are one region.
const REGION: u64 = 40;

/// The active patterns, in the order of [`Kind`].
pub(super) fn active(view: &View<'_>) -> Vec<Pattern> {
    let Some(t) = view.last() else { return Vec::new() };
    let opposing = opposed(view, t);
    let cycle = cycle(view, t);
    let undone = if opposing.is_empty() && cycle.is_none() { undone(view, t) } else { None };
    let covered: Vec<u64> = cycle.as_ref().map(|c| c.rounds.clone()).unwrap_or_default();
    let repeats = repeats(view, t).into_iter().filter(|p| !p.rounds.iter().all(|r| covered.contains(r)));
    let mut found: Vec<Pattern> = opposing.into_iter().chain(undone).chain(drift(view, t)).chain(cycle).collect();
    found.extend(repeats);
    found.extend(region(view, t));
    found.extend(fix_induced(view, t));
    // These two are the weakest evidence, and only count where nothing is plainer.
    if found.is_empty() {
        found.extend(diminishing(view, t));
        found.extend(non_falling(view, t));
    }
    found
}

fn ids<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Vec<String> {
    findings.into_iter().map(|f| f.id.clone()).collect()
}

/// A finding asks to undo a repair that was made and landed.
fn opposed(view: &View<'_>, t: usize) -> Vec<Pattern> {
    let ruled_out = |f: &Finding| matches!(f.disposition, Some(Disposition::Dismissed | Disposition::Rejected));
    let asks = view.rounds[t].findings.iter().filter(|f| !ruled_out(f));
    asks.filter_map(|finding| {
        let places = view.appearances.get(&finding.opposes?)?;
        let applied = |(r, at): &&(usize, usize)| *r < t && view.rounds[*r].findings[*at].disposition == Some(Disposition::Applied);
        places.iter().filter(applied).find(|(r, _)| view.landed[*r])?;
        let (r, at) = places.iter().rev().find(applied)?;
        let finding_ids = ids([&view.rounds[*r].findings[*at], finding]);
        Some(Pattern { kind: Kind::Reversal, rounds: view.numbers([*r, t]), finding_ids, period: None })
    })
    .collect()
}

/// The surface is again what it was before a repair.
fn undone(view: &View<'_>, t: usize) -> Option<Pattern> {
    let same = |a: usize, b: usize| view.rounds[a].shares_surface(view.rounds[b]);
    let applied = |r: usize| view.live(r).map(|(f, _)| f).filter(|f| f.disposition == Some(Disposition::Applied));
    let q = (0..t)
        .rev()
        .find(|q| same(*q, t) && (q + 1..t).any(|r| view.rounds[r].differs_in_surface(view.rounds[t])) && applied(*q).next().is_some())?;
    let finding_ids = ids((q..t).flat_map(applied));
    Some(Pattern { kind: Kind::Reversal, rounds: view.numbers(q..=t), finding_ids, period: None })
}

/// A defect grows graver on code that nobody touched.
fn drift(view: &View<'_>, t: usize) -> Option<Pattern> {
    struct Drift {
        from: (usize, usize),
        to: usize,
    }
    let mut drifts: Vec<Drift> = Vec::new();
    let mut seen = BTreeSet::new();
    for (to, finding) in view.rounds[t].findings.iter().enumerate() {
        if !seen.insert(finding.identity) {
            continue;
        }
        let places = &view.appearances[&finding.identity];
        let of = |p: &(usize, usize)| &view.rounds[p.0].findings[p.1];
        let earlier: Vec<&(usize, usize)> = places.iter().filter(|(r, _)| *r < t).collect();
        // Walking back keeps the earliest appearance before which nothing was applied and no code moved since.
        let mut earliest = None;
        let mut moved = finding.in_changed_lines;
        for place in earlier.iter().rev() {
            if moved || of(place).disposition == Some(Disposition::Applied) {
                break;
            }
            if weight(of(place).grade) < weight(finding.grade) {
                earliest = Some(**place);
            }
            moved |= of(place).in_changed_lines;
        }
        if let Some(from) = earliest {
            drifts.push(Drift { from, to });
        }
    }
    let still = drifts.iter().any(|d| view.rounds[d.from.0].shares_surface(view.rounds[t]));
    if drifts.is_empty() || !(still || drifts.len() >= 2) {
        return None;
    }
    let rounds: BTreeSet<usize> = drifts.iter().map(|d| d.from.0).chain([t]).collect();
    let mut froms: Vec<(usize, usize)> = drifts.iter().map(|d| d.from).collect();
    froms.sort_unstable();
    let earlier = froms.iter().map(|(r, at)| &view.rounds[*r].findings[*at]);
    let present = drifts.iter().map(|d| &view.rounds[t].findings[d.to]);
    Some(Pattern { kind: Kind::SeverityDrift, rounds: view.numbers(rounds), finding_ids: ids(earlier.chain(present)), period: None })
}

/// The last rounds repeat with a period of two to four: the same live defects, or else the same surfaces.
fn cycle(view: &View<'_>, t: usize) -> Option<Pattern> {
    let states: Vec<BTreeSet<usize>> = (0..=t).map(|r| view.state(r)).collect();
    let by_state = |a: usize, b: usize| !states[a].is_empty() && states[a] == states[b];
    let by_surface = |a: usize, b: usize| !states[a].is_empty() && !states[b].is_empty() && view.rounds[a].shares_surface(view.rounds[b]);
    let found = (2..=4).find_map(|p| stretch(view, t, p, &by_state)).or_else(|| (2..=4).find_map(|p| stretch(view, t, p, &by_surface)));
    let (first, period) = found?;
    let finding_ids = ids((first..=t).flat_map(|r| view.live(r).map(|(f, _)| f)));
    Some(Pattern { kind: Kind::Cycle, rounds: view.numbers(first..=t), finding_ids, period: Some(period) })
}

/// The first round of the longest stretch up to `t` that repeats with this period, at least twice, and is not one state.
fn stretch(view: &View<'_>, t: usize, period: usize, same: &dyn Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
    let mut first = t;
    while first > 0 && view.landed[first - 1] && (first - 1 + period > t || same(first - 1, first - 1 + period)) {
        first -= 1;
    }
    let whole = t - first + 1 >= 2 * period;
    let varied = whole && (t + 1 - period..t).any(|r| !same(r, r + 1));
    // A smaller period explains a multiple of it.
    let smallest = whole && !(2..period).any(|p| period.is_multiple_of(p) && (first + p..=t).all(|r| same(r - p, r)));
    (varied && smallest).then_some((first, period))
}

/// One defect comes back after each of at least two repairs.
fn repeats(view: &View<'_>, t: usize) -> Vec<Pattern> {
    let mut seen = BTreeSet::new();
    let present = view.rounds[t].findings.iter().filter(|f| seen.insert(f.identity));
    present
        .filter_map(|finding| {
            let mut by_round: BTreeMap<usize, Vec<&Finding>> = BTreeMap::new();
            for (r, at) in &view.appearances[&finding.identity] {
                by_round.entry(*r).or_default().push(&view.rounds[*r].findings[*at]);
            }
            let repaired = |r: usize| view.landed[r] && by_round[&r].iter().any(|f| f.disposition == Some(Disposition::Applied));
            let before = by_round.keys().rev().copied().filter(|r| *r < t);
            let mut tail: Vec<usize> = before.take_while(|r| repaired(*r)).collect();
            tail.reverse();
            tail.push(t);
            let finding_ids = ids(tail.iter().flat_map(|r| by_round[r].iter().copied()));
            (tail.len() >= 3).then(|| Pattern { kind: Kind::Repeat, rounds: view.numbers(tail), finding_ids, period: None })
        })
        .collect()
}

/// Round after round finds something new in one stretch of one file, and each repair there is followed by the next.
fn region(view: &View<'_>, t: usize) -> Option<Pattern> {
    // New live findings with a line, by file: line, round, place.
    let mut files: BTreeMap<&str, Vec<(u64, usize, &Finding)>> = BTreeMap::new();
    for r in 0..=t {
        for finding in view.fresh(r) {
            if let (Some(path), Some(line)) = (finding.path.as_deref(), finding.line) {
                files.entry(path).or_default().push((line, r, finding));
            }
        }
    }
    let mut best: Option<(usize, Vec<&Finding>)> = None;
    for found in files.values_mut() {
        found.sort_by_key(|(line, r, _)| (*line, *r));
        // Counted per round while the stretch slides over the file.
        let mut counts = vec![0usize; t + 1];
        let mut repaired = vec![0usize; t + 1];
        let mut end = 0;
        for start in 0..found.len() {
            let line = found[start].0;
            while end < found.len() && found[end].0 < line + REGION {
                counts[found[end].1] += 1;
                repaired[found[end].1] += usize::from(found[end].2.disposition == Some(Disposition::Applied));
                end += 1;
            }
            let starts = start == 0 || found[start - 1].0 != line;
            let open = |r: usize| counts[r] > 0 && (r == t || (view.landed[r] && repaired[r] > 0));
            if starts && t >= 3 && (t - 3..=t).all(open) && counts[t] >= counts[t - 3] {
                let first = (0..=t).rev().take_while(|r| open(*r)).last().unwrap_or(t);
                let inside: Vec<&Finding> = found[start..end].iter().filter(|(_, r, _)| *r >= first).map(|(.., f)| *f).collect();
                if best.as_ref().is_none_or(|(from, known)| (t - first, inside.len()) > (t - from, known.len())) {
                    best = Some((first, inside));
                }
            }
            counts[found[start].1] -= 1;
            repaired[found[start].1] -= usize::from(found[start].2.disposition == Some(Disposition::Applied));
        }
    }
    let (first, inside) = best?;
    let chosen: BTreeSet<&str> = inside.iter().map(|f| f.id.as_str()).collect();
    let finding_ids = ids((first..=t).flat_map(|r| view.fresh(r)).filter(|f| chosen.contains(f.id.as_str())));
    Some(Pattern { kind: Kind::RegionChase, rounds: view.numbers(first..=t), finding_ids, period: None })
}

/// The last three rounds find new defects in the lines that the fixes before them wrote, and no fewer of them.
fn fix_induced(view: &View<'_>, t: usize) -> Option<Pattern> {
    let fresh = |r: usize| view.fresh(r).count();
    let flagged = |r: usize| view.fresh(r).filter(|f| f.in_changed_lines).count();
    let from = t.checked_sub(2)?;
    let all: usize = (from..=t).map(fresh).sum();
    let made: usize = (from..=t).map(flagged).sum();
    let steady = flagged(t) >= flagged(from) && fresh(t) >= fresh(from);
    if !(from..=t).all(|r| flagged(r) > 0) || made * 2 < all || !steady {
        return None;
    }
    let first = (0..=t).rev().take_while(|r| flagged(*r) > 0).last().unwrap_or(from);
    let finding_ids = ids((first..=t).flat_map(|r| view.fresh(r)).filter(|f| f.in_changed_lines));
    Some(Pattern { kind: Kind::FixInduced, rounds: view.numbers(first..=t), finding_ids, period: None })
}

/// The last three rounds find only small things, after graver ones.
fn diminishing(view: &View<'_>, t: usize) -> Option<Pattern> {
    let from = t.checked_sub(2)?;
    let small = |r: usize| view.live(r).next().is_some() && view.live(r).all(|(f, _)| weight(f.grade) <= 1);
    let graver = (0..from).any(|r| view.live(r).any(|(f, _)| weight(f.grade) >= 2));
    ((from..=t).all(small) && graver).then(|| whole(Kind::DiminishingYield, view, from, t))
}

/// Counts do not fall: over three rounds where the loop itself makes the findings, else over five.
fn non_falling(view: &View<'_>, t: usize) -> Option<Pattern> {
    let stays = |from: usize| {
        let (c, w) = view.count_and_weight(from);
        let (ct, wt) = view.count_and_weight(t);
        (from..=t).all(|r| view.count_and_weight(r).0 >= 1) && ct >= c && wt >= w
    };
    let of_last_two = || (t.saturating_sub(1)..=t).flat_map(|r| view.live(r));
    let short =
        t.checked_sub(2).filter(|from| stays(*from) && of_last_two().filter(|(_, s)| s.loop_made).count() * 2 >= of_last_two().count());
    let from = short.or_else(|| t.checked_sub(4).filter(|from| stays(*from)))?;
    Some(whole(Kind::NonFalling, view, from, t))
}

/// All live findings of some last rounds.
fn whole(kind: Kind, view: &View<'_>, from: usize, t: usize) -> Pattern {
    let finding_ids = ids((from..=t).flat_map(|r| view.live(r).map(|(f, _)| f)));
    Pattern { kind, rounds: view.numbers(from..=t), finding_ids, period: None }
}
