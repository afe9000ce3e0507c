//! The sweep: which residue may be deleted, as a plan.
//!
//! A loop's files go only when every recorded round has an owner that is provably departed and is older than the grace
//! window; one live round keeps all of that loop; priors go before states (deep-review seed §1; rounds spec §1.11).
//! Bound: n log n in the number of files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::liveness::Liveness;
use crate::base::time;

/// What one file of the folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The loop it belongs to.
    pub loop_id: String,
    /// What it holds.
    pub part: Part,
}

/// The kinds of loop files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A round state.
    State,
    /// A prior context.
    Prior,
    /// A round plan or snapshot of ours.
    Other,
}

/// Reads a file name `loop-<id>-round-<n>.<what>`; the id may hold `-round-` itself.
pub fn named(name: &str) -> Option<Named> {
    let inner = name.strip_prefix("loop-")?;
    let kinds = [(".state.json", Part::State), (".prior.md", Part::Prior), (".plan.json", Part::Other), (".snapshot.json", Part::Other)];
    let (stem, part) = kinds.into_iter().find_map(|(end, part)| Some((inner.strip_suffix(end)?, part)))?;
    let (loop_id, round) = stem.rsplit_once("-round-")?;
    let numbered = !round.is_empty() && round.bytes().all(|b| b.is_ascii_digit());
    (numbered && !loop_id.is_empty() && !loop_id.contains(['\n', '\r'])).then(|| Named { loop_id: loop_id.to_owned(), part })
}

/// What is known of the owner of one state file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// No owner, an unreadable state, or one of another loop.
    Nobody,
    /// A session without a process that could be probed.
    SessionOnly,
    /// Judged, with the time of the record.
    Judged(Liveness, Option<i64>),
}

/// One file of the folder with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Absolute path.
    pub path: PathBuf,
    /// The loop it belongs to.
    pub loop_id: String,
    /// What it holds.
    pub part: Part,
    /// The owner, of states.
    pub known: Known,
}

/// A file that stays, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// Absolute path.
    pub path: String,
    /// The reference's word.
    pub reason: String,
}

/// The files of one loop that may go, in the order of their removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departed {
    /// Priors, plans and snapshots: first.
    pub companions: Vec<PathBuf>,
    /// States: only when every companion is gone.
    pub states: Vec<PathBuf>,
}

/// What may be deleted and what stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Per loop.
    pub delete: Vec<Departed>,
    /// Everything else.
    pub keep: Vec<Kept>,
}

/// Plans the sweep of a folder.
pub fn plan(entries: &[Entry], now_ms: i64, stale_ms: i64) -> Plan {
    let mut loops: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        loops.entry(&entry.loop_id).or_default().push(entry);
    }
    let mut plan = Plan::default();
    for files in loops.values() {
        let states: Vec<&&Entry> = files.iter().filter(|e| e.part == Part::State).collect();
        let reason = if states.is_empty() { Some("no-owner") } else { states.iter().find_map(|e| keeps(&e.known, now_ms, stale_ms)) };
        match reason {
            Some(reason) => plan.keep.extend(files.iter().map(|e| kept(e, reason))),
            None => {
                let paths = |state: bool| files.iter().filter(|e| (e.part == Part::State) == state).map(|e| e.path.clone()).collect();
                plan.delete.push(Departed { companions: paths(false), states: paths(true) });
            }
        }
    }
    plan
}

/// A file that stays.
fn kept(entry: &Entry, reason: &str) -> Kept {
    Kept { path: entry.path.to_string_lossy().into_owned(), reason: reason.to_owned() }
}

/// Why this state keeps its loop; `None` when it does not.
fn keeps(known: &Known, now_ms: i64, stale_ms: i64) -> Option<&'static str> {
    match known {
        Known::Nobody => Some(Liveness::Manual.word()),
        Known::SessionOnly => Some("session-id-only"),
        Known::Judged(Liveness::Departed, recorded) => {
            let age = recorded.map(|r| now_ms - r);
            (age.is_none_or(|a| a < stale_ms)).then_some("departed-fresh")
        }
        Known::Judged(other, _) => Some(other.word()),
    }
}

/// The time an owner was recorded at.
pub fn recorded_at(started_at: &str) -> Option<i64> {
    time::parse_iso(started_at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(loop_id: &str, part: Part, known: Known) -> Entry {
        Entry { path: PathBuf::from(format!("/{loop_id}-{part:?}")), loop_id: loop_id.into(), part, known }
    }

    #[test]
    fn names_split_at_the_last_round_mark() {
        assert_eq!(named("loop-a-round-b-round-3.state.json").unwrap().loop_id, "a-round-b");
        for other in [
            "loop-a-round-.state.json",
            "loop--round-1.state.json",
            "a-round-1.state.json",
            "loop-a-round-x.prior.md",
            "loop-a-round-1.txt",
        ] {
            assert_eq!(named(other), None, "{other}");
        }
    }

    #[test]
    fn one_live_round_keeps_all_of_its_loop_and_no_other() {
        let gone = Known::Judged(Liveness::Departed, Some(0));
        let entries = [
            entry("a", Part::State, gone.clone()),
            entry("a", Part::State, Known::Judged(Liveness::Live, Some(0))),
            entry("a", Part::Prior, Known::Nobody),
            entry("b", Part::State, gone),
            entry("c", Part::Prior, Known::Nobody),
        ];
        let plan = plan(&entries, 10_000, 5_000);
        assert_eq!(plan.delete.len(), 1);
        assert_eq!(plan.delete[0].states, [PathBuf::from("/b-State")]);
        let reasons: Vec<&str> = plan.keep.iter().map(|k| k.reason.as_str()).collect();
        assert_eq!(reasons, ["live", "live", "live", "no-owner"]);
    }

    fn any_known() -> impl Strategy<Value = Known> {
        let liveness = proptest::sample::select(Liveness::ALL);
        prop_oneof![
            Just(Known::Nobody),
            Just(Known::SessionOnly),
            (liveness, proptest::option::of(0..20_000i64)).prop_map(|(l, t)| Known::Judged(l, t)),
        ]
    }

    proptest! {
        #[test]
        fn the_sweep_removes_only_what_is_provably_departed_and_old(
            all in proptest::collection::vec((0..4usize, any_known(), any::<bool>()), 0..20)
        ) {
            let entries: Vec<Entry> = all.iter().map(|(l, k, s)| {
                entry(["a", "b", "c", "d"][*l], if *s { Part::State } else { Part::Prior }, k.clone())
            }).collect();
            let plan = plan(&entries, 10_000, 5_000);
            let deleted: usize = plan.delete.iter().map(|d| d.companions.len() + d.states.len()).sum();
            prop_assert_eq!(deleted + plan.keep.len(), entries.len());
            for gone in plan.delete.iter().flat_map(|d| &d.states) {
                let id = &gone.to_string_lossy()[1..2];
                for state in entries.iter().filter(|e| e.loop_id == id && e.part == Part::State) {
                    prop_assert!(matches!(&state.known, Known::Judged(Liveness::Departed, Some(t)) if 10_000 - t >= 5_000));
                }
            }
        }
    }
}
