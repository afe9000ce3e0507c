//! Dispositions: every finding of a review gets exactly one, in the slot that says whether a person was asked.
//!
//! Takes the entries that an agent hands in, the findings they are about, how each finding came back, and what moved in the tree; gives
//! every offence. Source: convergence seed, Convergence (trace) and Phase 2 to 4; resolution spec §13 and §14. Bound: n log n in the
//! entries.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Violation;
use super::recurrence::Route;
use crate::base::reason::words;
use crate::base::severity::Grade;

words! {
    /// What kind of finding it is: one correct edit without design judgement, or one that a person decides.
    Class {
        Mechanical "mechanical",
        Judgment "judgment",
    }
}

words! {
    /// What became of it.
    Outcome {
        Applied "applied",
        Dropped "dropped",
        Carried "carried",
    }
}

words! {
    /// What an outcome rests on.
    BasisKind {
        Verify "verify",
        Prior "prior",
        User "user",
        Risk "risk",
        Duplicate "duplicate",
    }
}

words! {
    /// What applying an edit risks.
    Risk {
        None "none",
        Substrate "substrate",
        Epistemic "epistemic",
    }
}

words! {
    /// What allows mending a defect that the change did not bring in, without asking.
    License {
        Sweep "sweep",
        PrPurpose "pr_purpose",
        Precedent "precedent",
    }
}

words! {
    /// Whether the loop acted alone or a person was asked.
    Slot {
        Relay "relay",
        Gated "gated",
    }
}

words! {
    /// The rules of a disposition.
    Rule {
        Unaccounted "unaccounted",
        UnknownFinding "unknown_finding",
        RepeatedFinding "repeated_finding",
        RepeatedIdentity "repeated_identity",
        BasisMissing "basis_missing",
        BasisKindMisplaced "basis_kind_misplaced",
        GateMissing "gate_missing",
        AppliedWithoutEdit "applied_without_edit",
        SideEffectMisplaced "side_effect_misplaced",
        LicenseMissing "license_missing",
        SettledByUnknown "settled_by_unknown",
        SettledByDiffers "settled_by_differs",
        DuplicateGraver "duplicate_graver",
        Suppression "suppression",
        RouteBroken "route_broken",
    }
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gate {
    /// The gate it was given at: one for a cluster of findings.
    pub id: String,
    /// The person's words, verbatim.
    pub words: String,
}

/// What allows mending a defect that the change did not bring in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Licensed {
    /// Which of the three.
    pub kind: License,
    /// What is cited.
    pub citation: String,
}

/// What became of one finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The finding of this review.
    pub finding: String,
    /// Its class.
    pub class: Class,
    /// Its outcome.
    pub outcome: Outcome,
    /// Why: of a drop what refutes it, of a carried one the reason to wait.
    pub basis: Option<String>,
    /// What the basis is.
    pub basis_kind: BasisKind,
    /// A person's answer, where one was asked.
    pub gate: Option<Gate>,
    /// What the edit risks.
    pub risk: Risk,
    /// The files that the edit wrote; those of the finding when none are named.
    pub paths: Vec<String>,
    /// What the edit did besides.
    pub side_effects: Vec<String>,
    /// What settled it before: an identity, a gate or a decision; of a duplicate the other finding.
    pub settled_by: Option<String>,
    /// Whether the change under review did not bring the defect in.
    pub pre_existing: bool,
    /// What allows mending it all the same.
    pub license: Option<Licensed>,
    /// Anything else for the trace.
    pub note: Option<String>,
}

impl Entry {
    /// An entry of which only the finding is known: an edit that was verified, without a risk.
    pub fn of(finding: &str) -> Entry {
        Entry {
            finding: finding.to_owned(),
            class: Class::Mechanical,
            outcome: Outcome::Applied,
            basis: None,
            basis_kind: BasisKind::Verify,
            gate: None,
            risk: Risk::None,
            paths: Vec::new(),
            side_effects: Vec::new(),
            settled_by: None,
            pre_existing: false,
            license: None,
            note: None,
        }
    }

    /// The slot: keyed by whether a person was asked, and not by the class.
    pub fn slot(&self) -> Slot {
        if self.gate.is_some() { Slot::Gated } else { Slot::Relay }
    }
}

/// A finding that is owed a disposition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its id.
    pub id: String,
    /// Its identity over the rounds.
    pub identity: String,
    /// The files it cites.
    pub paths: Vec<String>,
    /// How grave it is.
    pub grade: Grade,
    /// How it came back.
    pub route: Route,
    /// What its identity came to last.
    pub last: Option<Outcome>,
}

/// What an entry may point back to.
#[derive(Debug, Clone, Default)]
pub struct Settled {
    /// Outcomes by identity and by gate of earlier rounds.
    pub outcomes: BTreeMap<String, BTreeSet<Outcome>>,
    /// Those of them that a person settled: only these settle another finding.
    pub by_person: BTreeSet<String>,
    /// Decisions of the ledger.
    pub decisions: BTreeSet<String>,
}

/// Every offence of the entries of one round, by finding in the review's order.
pub fn check(entries: &[Entry], subjects: &[Subject], settled: &Settled, moved: &BTreeSet<String>) -> Vec<Violation<Rule>> {
    let known: BTreeMap<&str, &Subject> = subjects.iter().map(|s| (s.id.as_str(), s)).collect();
    let mut by_finding: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        by_finding.entry(&entry.finding).or_default().push(entry);
    }
    let mut found = Vec::new();
    for subject in subjects {
        match by_finding.get(subject.id.as_str()).map(Vec::as_slice) {
            None => found.push(Violation::new(Rule::Unaccounted, &subject.id, "the finding has no entry")),
            Some([entry]) => {
                one(entry, subject, &by_finding, settled, moved, &mut found);
                let repeated =
                    entry.settled_by.as_deref().and_then(|by| known.get(by)).filter(|_| entry.basis_kind == BasisKind::Duplicate);
                if entry.outcome == Outcome::Dropped && repeated.is_some_and(|other| subject.grade < other.grade) {
                    let message = "it is graver than the finding it is said to repeat: that one is a duplicate of this one";
                    found.push(Violation::new(Rule::DuplicateGraver, &subject.id, message));
                }
            }
            Some(several) => {
                let message = format!("the finding has {} entries", several.len());
                found.push(Violation::new(Rule::RepeatedFinding, &subject.id, message));
            }
        }
    }
    let mut identities: BTreeMap<&str, &str> = BTreeMap::new();
    for subject in subjects {
        let Some([entry]) = by_finding.get(subject.id.as_str()).map(Vec::as_slice) else { continue };
        if entry.basis_kind == BasisKind::Duplicate {
            continue;
        }
        if let Some(first) = identities.insert(&subject.identity, &subject.id) {
            let message = format!("it is the same as {first}: one of them is a duplicate of the other");
            found.push(Violation::new(Rule::RepeatedIdentity, &subject.id, message));
        }
    }
    for stray in by_finding.keys().filter(|id| !known.contains_key(**id)) {
        found.push(Violation::new(Rule::UnknownFinding, *stray, "the review has no finding of this id"));
    }
    found
}

fn one(
    entry: &Entry,
    subject: &Subject,
    all: &BTreeMap<&str, Vec<&Entry>>,
    settled: &Settled,
    moved: &BTreeSet<String>,
    found: &mut Vec<Violation<Rule>>,
) {
    let mut refuse = |rule, message: &str| found.push(Violation::new(rule, &entry.finding, message));
    let said = entry.basis.as_deref().is_some_and(|b| !b.trim().is_empty());
    match entry.outcome {
        Outcome::Dropped if !said => refuse(Rule::BasisMissing, "a drop names what it rests on"),
        Outcome::Carried if !said => refuse(Rule::BasisMissing, "a deferral names its reason"),
        Outcome::Applied if !said && entry.class == Class::Mechanical && entry.basis_kind == BasisKind::Verify => {
            refuse(Rule::BasisMissing, "an edit that nobody was asked about names what was verified");
        }
        _ => {}
    }
    if entry.gate.as_ref().is_some_and(|g| g.words.trim().is_empty()) {
        refuse(Rule::GateMissing, "a gate holds the person's own words");
    }
    let gated = entry.gate.is_some();
    let misplaced = match entry.basis_kind {
        BasisKind::Verify => entry.outcome == Outcome::Carried,
        BasisKind::Prior => gated,
        BasisKind::User => !gated,
        BasisKind::Risk => entry.risk == Risk::None || !gated,
        BasisKind::Duplicate => entry.outcome == Outcome::Carried,
    };
    if misplaced {
        refuse(Rule::BasisKindMisplaced, "the kind of basis does not go with this outcome, gate or risk");
    }
    // What was verified not to hold, what is settled and what another finding says needs no person; every other judgement does.
    let verified_drop = entry.outcome == Outcome::Dropped && matches!(entry.basis_kind, BasisKind::Verify | BasisKind::Duplicate);
    let settled_before = entry.basis_kind == BasisKind::Prior || entry.basis_kind == BasisKind::Duplicate;
    // The purpose of the change or a precedent may have closed the axis; to wait is never closed by either.
    let closed = entry.license.is_some() && entry.outcome != Outcome::Carried;
    if entry.class == Class::Judgment && !gated && !verified_drop && !settled_before && !closed {
        refuse(Rule::GateMissing, "a judgment that is not settled yet is a person's to make");
    }
    if entry.outcome == Outcome::Carried && !gated && !settled_before {
        refuse(Rule::GateMissing, "only a person defers, or a policy that a person settled");
    }
    if entry.risk == Risk::Epistemic && !gated && !verified_drop {
        refuse(Rule::GateMissing, "an edit with an epistemic risk is accepted, deferred or dropped by a person");
    }
    if entry.outcome != Outcome::Applied && !entry.side_effects.is_empty() {
        refuse(Rule::SideEffectMisplaced, "only an edit that was applied has side effects");
    }
    if entry.outcome == Outcome::Applied && entry.basis_kind != BasisKind::Duplicate {
        let paths = if entry.paths.is_empty() { &subject.paths } else { &entry.paths };
        let still: Vec<&str> = paths.iter().filter(|p| !moved.contains(*p)).map(String::as_str).collect();
        if moved.is_empty() || (!paths.is_empty() && still.len() == paths.len()) || (!entry.paths.is_empty() && !still.is_empty()) {
            let message =
                format!("nothing moved since the review in {}", if still.is_empty() { "the tree".to_owned() } else { still.join(", ") });
            refuse(Rule::AppliedWithoutEdit, &message);
        }
    }
    if entry.pre_existing && entry.outcome == Outcome::Applied && !gated && entry.license.is_none() && !settled_before {
        refuse(Rule::LicenseMissing, "mending what the change did not bring in needs a sweep, the change's purpose or a precedent, cited");
    }
    back(entry, subject, all, settled, &mut refuse);
    route(entry, subject, gated, &mut refuse);
}

/// What an entry points back to is there, and came to the same.
fn back(entry: &Entry, subject: &Subject, all: &BTreeMap<&str, Vec<&Entry>>, settled: &Settled, refuse: &mut impl FnMut(Rule, &str)) {
    let by = entry.settled_by.as_deref();
    match entry.basis_kind {
        BasisKind::Duplicate => match by.filter(|by| *by != entry.finding).and_then(|by| all.get(by)).map(Vec::as_slice) {
            Some([other]) if other.basis_kind == BasisKind::Duplicate => {
                refuse(Rule::SettledByUnknown, "a duplicate names a finding that is none itself");
            }
            Some([other]) if other.outcome != entry.outcome => {
                refuse(Rule::SettledByDiffers, "a duplicate comes to what the finding came to that it repeats");
            }
            Some([_]) => {}
            _ => refuse(Rule::SettledByUnknown, "a duplicate names the other finding of this review in `settled_by`"),
        },
        BasisKind::Prior => {
            let by = by.unwrap_or(&subject.identity);
            // What the loop did alone settles its own finding and no other.
            let reaches = by == subject.identity || settled.by_person.contains(by);
            match settled.outcomes.get(by).filter(|_| reaches) {
                Some(outcomes) if outcomes.contains(&entry.outcome) => {}
                Some(_) => refuse(Rule::SettledByDiffers, "what settled it before came to another outcome"),
                None if settled.decisions.contains(by) => {}
                None => refuse(Rule::SettledByUnknown, "`settled_by` names no identity, gate or decision of an earlier round"),
            }
        }
        _ => {}
    }
}

/// A finding that came back goes the way its history says.
fn route(entry: &Entry, subject: &Subject, gated: bool, refuse: &mut impl FnMut(Rule, &str)) {
    match subject.route {
        Route::New | Route::FixNotLanded => {}
        Route::Absorb => {
            let same = subject.last.is_none_or(|last| last == entry.outcome);
            let refuted = entry.outcome == Outcome::Dropped && entry.basis_kind == BasisKind::Verify;
            // What was refuted once and holds now is mended like any other finding.
            let holds_now = subject.last == Some(Outcome::Dropped) && entry.outcome == Outcome::Applied;
            if !same && !gated && !refuted && !holds_now {
                refuse(Rule::RouteBroken, "a settled finding that comes back is settled the same way, or a person is asked");
            }
        }
        Route::Diagnose => {
            refuse(Rule::Suppression, "the finding came back informed and was not diagnosed; track-recurrence takes the diagnosis")
        }
        Route::Reapply => {
            let completes = entry.outcome == Outcome::Applied && entry.class == Class::Mechanical;
            if !gated && !completes {
                refuse(Rule::Suppression, "an incomplete repair is completed, or a person is asked; it is not dropped again");
            }
        }
        Route::Gate => {
            if !gated {
                refuse(Rule::Suppression, "a disagreement about the design is a person's to settle");
            }
        }
    }
}

/// Whether two or more rounds in a row had findings that the edits of the round before caused: then the session writes itself.
pub fn writes_itself(rounds: &[bool]) -> bool {
    rounds.len() >= 2 && rounds[rounds.len() - 2..].iter().all(|caused| *caused)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An entry that breaks nothing: a verified drop.
    pub(crate) fn entry(finding: &str, outcome: Outcome) -> Entry {
        Entry { outcome, basis: Some("seen".to_owned()), ..Entry::of(finding) }
    }

    fn gate() -> Option<Gate> {
        Some(Gate { id: "g1".into(), words: "leave it".into() })
    }

    fn subject(id: &str, route: Route, last: Option<Outcome>) -> Subject {
        Subject { id: id.into(), identity: format!("r1/{id}"), paths: vec!["a.rs".into()], grade: Grade::Medium, route, last }
    }

    fn broken(entry: Entry, route: Route, last: Option<Outcome>) -> Vec<Rule> {
        let moved = BTreeSet::from(["a.rs".to_owned()]);
        let settled = Settled {
            outcomes: BTreeMap::from([("r1/F".to_owned(), last.into_iter().collect()), ("r1/G".to_owned(), [Outcome::Dropped].into())]),
            by_person: BTreeSet::new(),
            decisions: BTreeSet::from(["D-1".to_owned()]),
        };
        check(&[entry], &[subject("F", route, last)], &settled, &moved).into_iter().map(|v| v.rule).collect()
    }

    #[test]
    fn the_placement_table() {
        let base = |outcome| entry("F", outcome);
        let user = |outcome| Entry { class: Class::Judgment, basis_kind: BasisKind::User, gate: gate(), ..base(outcome) };
        use Outcome::{Applied, Carried, Dropped};
        let fine = [
            (base(Dropped), Slot::Relay),
            (base(Applied), Slot::Relay),
            (user(Applied), Slot::Gated),
            (user(Dropped), Slot::Gated),
            (user(Carried), Slot::Gated),
            (Entry { class: Class::Mechanical, risk: Risk::Epistemic, basis_kind: BasisKind::Risk, ..user(Dropped) }, Slot::Gated),
            (Entry { class: Class::Mechanical, risk: Risk::Epistemic, basis_kind: BasisKind::Risk, ..user(Carried) }, Slot::Gated),
            (Entry { risk: Risk::Substrate, ..base(Applied) }, Slot::Relay),
            (Entry { basis_kind: BasisKind::Prior, settled_by: Some("D-1".into()), ..base(Carried) }, Slot::Relay),
            (
                Entry { pre_existing: true, license: Some(Licensed { kind: License::Sweep, citation: "rule 3".into() }), ..base(Applied) },
                Slot::Relay,
            ),
        ];
        for (entry, slot) in fine {
            assert_eq!(entry.slot(), slot);
            assert_eq!(broken(entry.clone(), Route::New, None), [], "{entry:?}");
        }
        let wrong = [
            (Entry { basis: None, ..base(Dropped) }, Rule::BasisMissing),
            (Entry { basis: Some(" ".into()), ..user(Carried) }, Rule::BasisMissing),
            (Entry { basis: None, ..base(Applied) }, Rule::BasisMissing),
            (Entry { gate: Some(Gate { id: "g".into(), words: " ".into() }), ..user(Dropped) }, Rule::GateMissing),
            (Entry { class: Class::Judgment, ..base(Applied) }, Rule::GateMissing),
            (Entry { basis_kind: BasisKind::User, ..base(Dropped) }, Rule::BasisKindMisplaced),
            (Entry { basis_kind: BasisKind::Risk, ..base(Dropped) }, Rule::BasisKindMisplaced),
            (Entry { risk: Risk::Epistemic, ..base(Applied) }, Rule::GateMissing),
            (Entry { side_effects: vec!["x".into()], ..base(Dropped) }, Rule::SideEffectMisplaced),
            (Entry { paths: vec!["b.rs".into()], ..base(Applied) }, Rule::AppliedWithoutEdit),
            (Entry { pre_existing: true, ..base(Applied) }, Rule::LicenseMissing),
            (Entry { basis_kind: BasisKind::Prior, settled_by: Some("r9/X".into()), ..base(Dropped) }, Rule::SettledByUnknown),
            (Entry { basis_kind: BasisKind::Duplicate, settled_by: Some("F".into()), ..base(Dropped) }, Rule::SettledByUnknown),
            (Entry { basis_kind: BasisKind::Prior, settled_by: Some("r1/G".into()), ..base(Dropped) }, Rule::SettledByUnknown),
            (Entry { risk: Risk::Epistemic, basis_kind: BasisKind::Risk, ..base(Dropped) }, Rule::BasisKindMisplaced),
            (Entry { risk: Risk::Epistemic, basis_kind: BasisKind::Risk, ..base(Carried) }, Rule::GateMissing),
        ];
        for (entry, rule) in wrong {
            let found = broken(entry.clone(), Route::New, None);
            assert!(found.contains(&rule), "{rule:?} {found:?} {entry:?}");
        }
        let deferred = broken(base(Carried), Route::New, None);
        assert!(deferred.contains(&Rule::GateMissing), "{deferred:?}");
    }

    #[test]
    fn every_finding_is_accounted_for_exactly_once() {
        let subjects = [subject("A", Route::New, None), subject("B", Route::New, None)];
        let entries = [entry("A", Outcome::Dropped), entry("A", Outcome::Dropped), entry("C", Outcome::Dropped)];
        let rules: Vec<(Rule, String)> =
            check(&entries, &subjects, &Settled::default(), &BTreeSet::new()).into_iter().map(|v| (v.rule, v.at)).collect();
        let wanted = [(Rule::RepeatedFinding, "A"), (Rule::Unaccounted, "B"), (Rule::UnknownFinding, "C")];
        assert_eq!(rules, wanted.map(|(r, at)| (r, at.to_owned())));
    }

    #[test]
    fn duplicates_end_at_a_finding_that_is_none_and_an_identity_is_settled_once() {
        let subjects = [subject("A", Route::New, None), subject("B", Route::New, None)];
        let duplicate = |of: &str, by: &str| Entry {
            class: Class::Judgment,
            basis_kind: BasisKind::Duplicate,
            settled_by: Some(by.to_owned()),
            ..entry(of, Outcome::Dropped)
        };
        let rules = |entries: &[Entry], subjects: &[Subject]| {
            check(entries, subjects, &Settled::default(), &BTreeSet::from(["a.rs".to_owned()]))
                .into_iter()
                .map(|v| v.rule)
                .collect::<Vec<_>>()
        };
        assert_eq!(rules(&[duplicate("A", "B"), duplicate("B", "A")], &subjects), [Rule::SettledByUnknown, Rule::SettledByUnknown]);
        assert_eq!(rules(&[duplicate("A", "B"), entry("B", Outcome::Applied)], &subjects), [Rule::SettledByDiffers]);
        assert_eq!(rules(&[duplicate("A", "B"), entry("B", Outcome::Dropped)], &subjects), []);
        let same = subjects.clone().map(|s| Subject { identity: "r1/X".into(), ..s });
        let both = [entry("A", Outcome::Dropped), entry("B", Outcome::Applied)];
        assert_eq!(rules(&both, &same), [Rule::RepeatedIdentity]);
    }

    #[test]
    fn a_return_goes_the_way_its_history_says() {
        use Outcome::{Applied, Carried, Dropped};
        let prior = |outcome| Entry { basis_kind: BasisKind::Prior, ..entry("F", outcome) };
        let asked = |outcome| Entry { basis_kind: BasisKind::User, gate: gate(), ..entry("F", outcome) };
        assert_eq!(broken(prior(Dropped), Route::Absorb, Some(Dropped)), []);
        assert_eq!(broken(prior(Dropped), Route::Absorb, Some(Carried)), [Rule::SettledByDiffers, Rule::RouteBroken]);
        assert_eq!(broken(asked(Applied), Route::Absorb, Some(Carried)), []);
        assert_eq!(broken(prior(Dropped), Route::Diagnose, Some(Dropped)), [Rule::Suppression]);
        assert_eq!(broken(asked(Dropped), Route::Diagnose, Some(Dropped)), [Rule::Suppression]);
        assert_eq!(broken(entry("F", Applied), Route::Reapply, Some(Applied)), []);
        assert_eq!(broken(entry("F", Dropped), Route::Reapply, Some(Applied)), [Rule::Suppression]);
        assert_eq!(broken(entry("F", Applied), Route::Gate, Some(Applied)), [Rule::Suppression]);
        assert_eq!(broken(asked(Dropped), Route::Gate, Some(Applied)), []);
    }

    #[test]
    fn the_session_writes_itself_after_two_rounds_of_findings_its_edits_caused() {
        assert!(writes_itself(&[false, true, true]));
        assert!(!writes_itself(&[true, true, false]) && !writes_itself(&[true]) && !writes_itself(&[true, false, true]));
    }
}
