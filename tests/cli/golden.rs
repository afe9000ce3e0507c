//! Golden documents: one of every version of every document ever written still reads, and reads back as it was.

use review_loop::drive::rounds::Action;
use review_loop::report::response::Origin;
use review_loop::round::readiness::seal;
use review_loop::wire::{loop_record, plan, readiness, round_state, snapshot, summary};

use crate::kit::package;

fn golden(name: &str) -> Vec<u8> {
    std::fs::read(package().join("tests/cases/golden").join(name)).unwrap()
}

#[test]
fn round_states_of_every_schema_read() {
    let old = round_state::read(&golden("round-state-1.json")).unwrap();
    assert_eq!((old.schema_version, old.findings[0].line, old.response_metrics.implemented_source), (1, Some(3), Origin::Skipped));
    let bytes = golden("round-state-2.json");
    let new = round_state::read(&bytes).unwrap();
    assert_eq!(round_state::bytes(&new), bytes);
    // One that was matched with the rounds before it: a finding that came back, one that is the same, and a disposition.
    let bytes = golden("round-state-2-matched.json");
    let matched = round_state::read(&bytes).unwrap();
    assert!(matched.damaged.is_empty() && round_state::bytes(&matched) == bytes);
    let rounds: Vec<Option<u64>> = matched.findings.iter().map(|f| f.same_as_round).collect();
    assert_eq!((rounds, matched.matched.as_ref().unwrap().earlier.len()), (vec![Some(1), Some(2)], 1));
    assert!(matched.findings[0].disposition.is_some());
}

#[test]
fn plans_loop_records_and_snapshots_read_back_as_they_were() {
    let bytes = golden("round-plan-1.json");
    assert_eq!(plan::bytes(&plan::read(&bytes).unwrap()), bytes);
    let bytes = golden("loop-record-1.json");
    let record = loop_record::read(&bytes).unwrap();
    assert_eq!(loop_record::bytes(&record), bytes);
    assert_eq!(record.state.next, Action::Done);
    let bytes = golden("snapshot-1.json");
    let read = snapshot::read(&bytes).unwrap();
    assert_eq!(review_loop::wire::json::compact(&snapshot::wire(&read)), bytes);
}

#[test]
fn the_receipt_still_carries_its_own_seal_and_the_summary_its_numbers() {
    let receipt = readiness::receipt(&golden("readiness-receipt-1.json")).unwrap();
    assert_eq!(seal(&receipt.body), receipt.receipt_sha256);
    assert_eq!(receipt.deferred, [("D-1".to_owned(), vec!["bench".to_owned()])]);
    let closing = summary::read(&golden("final-summary-1.json")).unwrap();
    assert_eq!((closing.implemented_total.as_deref(), closing.rounds_saved.as_deref()), (Some("1"), Some("3")));
}

#[test]
fn the_record_of_a_design_loop_reads_back_as_it_was_and_holds() {
    let bytes = golden("design-loop-3.json");
    let record = review_loop::wire::design_loop::read(&bytes).unwrap();
    assert_eq!(review_loop::wire::json::document(&serde_json::to_value(&record).unwrap()), bytes);
    assert_eq!((record.rounds.len(), record.rounds[1].coverage.is_some(), record.rounds[0].lane_failures.len()), (3, true, 1));
}
