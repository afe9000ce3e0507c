//! What a run ledger comes to: which REVISE is open, which is discharged by what, which launch is lost (spec/design-loop.md §3.1, with the
//! faults of §6 mended). An event that breaks a rule neither discharges nor settles.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::event::{Decoded, Effort, Event, Flaw, Problem};
use crate::base::path::printable;
use crate::base::reason::words;

/// The events whose artifact exists, by their place among the events.
pub type Present = BTreeSet<usize>;

words! {
    /// Why an obligation is open.
    Why {
        NotClosed "not_closed",
        Unverified "UNVERIFIED",
    }
}

/// A REVISE that is owed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Open {
    /// The event.
    pub run_id: String,
    /// Its line.
    pub line: usize,
    /// The lane that has to close it.
    pub lane: Option<String>,
    /// What was reviewed.
    pub artifact: Option<String>,
    /// Why it is open.
    pub reason: Why,
}

/// A REVISE that was closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Discharged {
    /// The event.
    pub run_id: String,
    /// Its line.
    pub line: usize,
    /// The event that closed it.
    pub by: String,
    /// How: PASS or a waiver.
    pub gate: String,
}

/// A launch of which nothing came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unsettled {
    /// The launch.
    pub run_id: String,
    /// Its line.
    pub line: usize,
}

/// What a ledger comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Obligations.
    pub open: Vec<Open>,
    /// Those that were closed.
    pub discharged: Vec<Discharged>,
    /// Launches without an end.
    pub unsettled: Vec<Unsettled>,
    /// Whatever is wrong.
    pub errors: Vec<Problem>,
}

impl Standing {
    /// Whether nothing is owed and nothing wrong.
    pub fn is_clear(&self) -> bool {
        self.open.is_empty() && self.unsettled.is_empty() && self.errors.is_empty()
    }
}

/// Judges a ledger. Bound: n log n in the events.
pub fn judge(decoded: &Decoded, present: &Present) -> Standing {
    let mut judge = Judge {
        events: &decoded.events,
        valid: vec![true; decoded.events.len()],
        first: HashMap::new(),
        verdicts: HashMap::new(),
        passes: HashMap::new(),
        lanes: decoded.events.iter().filter_map(|(_, e)| e.lane.as_deref()).map(folded).collect(),
        closed: BTreeMap::new(),
        errors: decoded.problems.clone(),
    };
    for line in &decoded.newer {
        let message = "the event is of a version behind this one: nothing is settled by it".to_owned();
        judge.errors.push(Problem { rule: Flaw::SchemaNewer, line: *line, run_id: None, message });
    }
    judge.events_alone(present);
    let launches = judge.launches();
    judge.index();
    for at in 0..decoded.events.len() {
        judge.close(at);
    }
    judge.standing(&launches)
}

/// What a verdict is about: lane, artifact and its revision.
type About<'e> = (Option<&'e str>, Option<&'e str>, Option<&'e str>);

fn about<'e>(event: &'e Event) -> About<'e> {
    (event.lane.as_deref(), event.artifact.as_deref(), event.artifact_revision.as_deref())
}

/// An artifact and its revision.
type Reviewed<'e> = (Option<&'e str>, Option<&'e str>);

struct Judge<'e> {
    events: &'e [(usize, Event)],
    valid: Vec<bool>,
    /// The first event of an id, case ignored.
    first: HashMap<String, usize>,
    /// The valid REVISEs by what they are about, in order.
    verdicts: HashMap<About<'e>, Vec<usize>>,
    /// The last PASS of the reviewing side by its lane and what it is about.
    passes: HashMap<(String, Reviewed<'e>), usize>,
    /// Every lane that is named.
    lanes: BTreeSet<String>,
    closed: BTreeMap<usize, usize>,
    errors: Vec<Problem>,
}

/// A name as it is compared.
fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Why a closer does not close.
type Refused = (Flaw, &'static str);

fn demand(holds: bool, flaw: Flaw, message: &'static str) -> Result<(), Refused> {
    if holds { Ok(()) } else { Err((flaw, message)) }
}

impl<'e> Judge<'e> {
    /// An event that breaks a rule.
    fn flaw(&mut self, at: usize, rule: Flaw, message: String) {
        self.valid[at] = false;
        self.error(at, rule, message);
    }

    /// An error about what an event does to others.
    fn error(&mut self, at: usize, rule: Flaw, message: String) {
        let (line, event) = &self.events[at];
        self.errors.push(Problem { rule, line: *line, run_id: Some(printable(&event.run_id)), message });
    }

    fn find(&self, id: &str) -> Option<usize> {
        self.first.get(&id.to_lowercase()).copied().filter(|at| self.events[*at].1.run_id == id)
    }

    fn events_alone(&mut self, present: &Present) {
        for (at, (_, event)) in self.events.iter().enumerate() {
            for (flaw, message) in event.flaws() {
                self.flaw(at, flaw, message);
            }
            if event.needs_artifact() && event.artifact.is_some() && !present.contains(&at) {
                self.flaw(at, Flaw::ArtifactMissing, "the artifact does not exist".to_owned());
            }
            match self.first.entry(event.run_id.to_lowercase()) {
                Entry::Occupied(_) => self.flaw(at, Flaw::RunIdRepeated, "the run id stands twice, case ignored".to_owned()),
                Entry::Vacant(slot) => drop(slot.insert(at)),
            }
        }
    }

    /// Pairs launches and terminals.
    fn launches(&mut self) -> BTreeMap<usize, usize> {
        let mut settled: BTreeMap<usize, usize> = BTreeMap::new();
        let events = self.events;
        for (at, (_, event)) in events.iter().enumerate() {
            let Some(launch) = event.launch_run_id.as_deref().filter(|_| event.event_kind.as_deref() == Some("terminal")) else { continue };
            let target = self.find(launch).filter(|t| *t < at && events[*t].1.event_kind.as_deref() == Some("launch"));
            match target {
                None => self.flaw(at, Flaw::LaunchUnknown, "the launch it ends is no earlier launch of this ledger".to_owned()),
                Some(_) if !self.valid[at] => {}
                Some(target) if settled.contains_key(&target) => {
                    self.flaw(at, Flaw::SettledTwice, "the launch was ended before".to_owned());
                }
                Some(target) => drop(settled.insert(target, at)),
            }
        }
        settled
    }

    fn index(&mut self) {
        let events = self.events;
        for (at, (_, event)) in events.iter().enumerate().filter(|(at, _)| self.valid[*at]) {
            if event.gate == "PASS" && event.is_reviewing() {
                let about = (event.artifact.as_deref(), event.artifact_revision.as_deref());
                self.passes.insert((folded(event.lane.as_deref().unwrap_or_default()), about), at);
            }
            if event.is_obligation() {
                self.verdicts.entry(about(event)).or_default().push(at);
            }
        }
    }

    /// Whether the lane said REVISE about that first after `from`, and before `to`: a newer revision, and not an older one again.
    fn is_newer(&self, what: About<'e>, from: usize, to: usize) -> bool {
        self.verdicts.get(&what).and_then(|places| places.first()).is_some_and(|first| (from + 1..to).contains(first))
    }

    /// Carries out what an event closes.
    fn close(&mut self, at: usize) {
        let event = &self.events[at].1;
        let Some(closes) = event.closes_run_ids.as_ref().filter(|_| self.valid[at]) else { return };
        let mut good: Vec<usize> = Vec::new();
        for id in closes {
            match self.target(at, id) {
                Ok(target) => good.push(target),
                Err((flaw, message)) => self.error(at, flaw, format!("`{}`: {message}", printable(id))),
            }
        }
        // The security reviewer's word holds for all that it names, or for nothing.
        if good.len() < closes.len() && event.gate == "WAIVED:security-reviewer" {
            return;
        }
        self.closed.extend(good.into_iter().map(|target| (target, at)));
    }

    fn target(&self, at: usize, id: &str) -> Result<usize, Refused> {
        let closer = &self.events[at].1;
        let target_at = self.find(id).filter(|t| *t < at).ok_or((Flaw::TargetUnknown, "this is no earlier event"))?;
        let target = &self.events[target_at].1;
        demand(target.gate == "REVISE", Flaw::TargetNotOpen, "this is no REVISE")?;
        demand(!self.closed.contains_key(&target_at), Flaw::TargetNotOpen, "this is closed already")?;
        let free = matches!(target.finding_class.as_deref(), Some("correctness" | "performance" | "other"));
        match closer.gate.as_str() {
            "WAIVED:user" => demand(free, Flaw::ClassProtected, "a user waives no protected and no unclassified finding")?,
            "WAIVED:security-reviewer" => {
                demand(self.valid[target_at], Flaw::TargetInvalid, "this breaks a rule itself")?;
                demand(!free, Flaw::ClassUnprotected, "the security reviewer waives protected and unclassified findings only")?;
            }
            _ => self.verified(at, target_at)?,
        }
        Ok(target_at)
    }

    /// Whether a PASS verifies what a REVISE raised: the same lane, on the same revision, thinking no less hard.
    fn verified(&self, at: usize, target_at: usize) -> Result<(), Refused> {
        let (closer, target) = (&self.events[at].1, &self.events[target_at].1);
        demand(closer.is_reviewing(), Flaw::CloserRole, "only the reviewing side closes")?;
        let same = target.artifact.is_some() && closer.artifact == target.artifact;
        demand(same, Flaw::ArtifactDiffers, "both sides name the same artifact")?;
        demand(target.lane.is_some() && closer.lane == target.lane, Flaw::LaneDiffers, "both sides name the same lane")?;
        let role = closer.role == target.role || closer.assigned_role.as_deref() == Some(target.role.as_str());
        demand(role, Flaw::RoleDiffers, "the closer's role or assigned role is the one that raised it")?;
        // A lane that said REVISE about the newer revision too has reviewed it: its PASS there is about both.
        let seen_again = closer.artifact_revision.is_some() && self.is_newer(about(closer), target_at, at);
        let revision = closer.artifact_revision == target.artifact_revision || seen_again;
        demand(revision, Flaw::RevisionDiffers, "the closer is about another revision, which the lane is not recorded to have reviewed")?;
        let rank = |e: Option<Effort>| e.unwrap_or(Effort::Unsupported);
        demand(rank(closer.effort) >= rank(target.effort), Flaw::EffortWeaker, "the closer thought less hard, or does not say how hard")
    }

    /// Whether a fix that was a design decision was verified by an angle that did not author it (author exclusion). Who authored it has
    /// to be known, as a run or a lane of this ledger: nobody can be told to be somebody else than an unknown author.
    fn is_independent(&self, target_at: usize, closer_at: usize) -> bool {
        let (target, closer) = (&self.events[target_at].1, &self.events[closer_at].1);
        let decision = [target, closer].iter().any(|e| e.fix_class.as_deref() == Some("design-decision"));
        if !decision || closer.is_waiver() {
            return true;
        }
        let authors: Option<BTreeSet<String>> =
            [target, closer].iter().filter_map(|e| e.how_author.as_deref()).map(|a| self.lane_of(a)).collect();
        let Some(authored) = authors.filter(|a| !a.is_empty()) else { return false };
        let distinct = |lane: &Option<String>| lane.as_deref().is_some_and(|l| !authored.contains(&folded(l)));
        if distinct(&closer.lane) {
            return true;
        }
        let Some(verifier) = closer.verifier.as_deref().or(target.verifier.as_deref()) else { return false };
        let what = (closer.artifact.as_deref(), closer.artifact_revision.as_deref());
        match self.find(verifier.trim()) {
            Some(n) => {
                let event = &self.events[n].1;
                let same = (event.artifact.as_deref(), event.artifact_revision.as_deref()) == what;
                n > target_at && self.valid[n] && event.gate == "PASS" && event.is_reviewing() && same && distinct(&event.lane)
            }
            // By its lane: the last verdict of it about this tells whether there is one behind the target.
            None => {
                let lane = folded(verifier);
                let last = self.passes.get(&(lane.clone(), what)).copied();
                !authored.contains(&lane) && last.is_some_and(|n| n > target_at)
            }
        }
    }

    /// The lane of whoever a name means: a run's lane, or a lane of this ledger; none when it is neither.
    fn lane_of(&self, name: &str) -> Option<String> {
        let name = name.trim();
        match self.find(name) {
            Some(at) => self.events[at].1.lane.as_deref().map(folded),
            None => Some(folded(name)).filter(|lane| self.lanes.contains(lane)),
        }
    }

    fn standing(mut self, launches: &BTreeMap<usize, usize>) -> Standing {
        self.errors.sort_by_key(|e| e.line);
        let mut standing = Standing { errors: std::mem::take(&mut self.errors), ..Standing::default() };
        for (at, (line, event)) in self.events.iter().enumerate() {
            let (line, run_id) = (*line, printable(&event.run_id));
            if event.event_kind.as_deref() == Some("launch") && !launches.contains_key(&at) {
                standing.unsettled.push(Unsettled { run_id: run_id.clone(), line });
            }
            if !event.is_obligation() {
                continue;
            }
            let by = self.closed.get(&at).copied();
            match by.filter(|by| self.is_independent(at, *by)) {
                Some(by) => {
                    let closer = &self.events[by].1;
                    let gate = closer.gate.clone();
                    standing.discharged.push(Discharged { run_id, line, by: printable(&closer.run_id), gate });
                }
                None => standing.open.push(Open {
                    run_id,
                    line,
                    lane: event.lane.as_deref().map(printable),
                    artifact: event.artifact.as_deref().map(printable),
                    reason: if by.is_some() { Why::Unverified } else { Why::NotClosed },
                }),
            }
        }
        standing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::runs::decode;
    use serde_json::{Value, json};

    fn event(id: &str, gate: &str, more: Value) -> Value {
        let status = match gate {
            "PASS" => "completed",
            "REVISE" => "revise",
            _ => "running",
        };
        let mut event = json!({"schemaVersion": 2, "runId": id, "workItem": "i", "role": "r", "executionRole": "internal", "status": status,
            "gate": gate, "scope": ["x"], "startedAt": "2026-07-17T00", "updatedAt": "2026-07-17T00", "artifact": "a.md", "lane": "deep",
            "evidence": [{"kind": "review", "ref": "o"}]});
        for (key, value) in more.as_object().unwrap() {
            event[key] = value.clone();
        }
        event
    }

    fn standing(events: &[Value]) -> Standing {
        let text: String = events.iter().map(|e| format!("{e}\n")).collect();
        let decoded = decode(text.as_bytes());
        judge(&decoded, &(0..decoded.events.len()).collect())
    }

    fn closes(id: &str, more: Value) -> Value {
        let mut event = event("passes-1", "PASS", more);
        event["closesRunIds"] = json!([id]);
        event
    }

    #[test]
    fn a_design_decision_needs_a_verdict_of_an_angle_that_did_not_author_it() {
        let raised = |more: Value| event("revise-1", "REVISE", more);
        let open = |events: &[Value]| standing(events).open.first().map(|o| o.reason);
        let decision = json!({"fixClass": "design-decision", "howAuthor": "deep"});
        assert_eq!(open(&[raised(decision.clone()), closes("revise-1", json!({}))]), Some(Why::Unverified));
        assert_eq!(open(&[raised(json!({"fixClass": "design-decision"})), closes("revise-1", json!({}))]), Some(Why::Unverified));
        assert_eq!(open(&[raised(json!({"fixClass": "inline-sufficient", "howAuthor": "deep"})), closes("revise-1", json!({}))]), None);
        let other = json!({"fixClass": "design-decision", "howAuthor": "surgical"});
        let seen = event("surgical", "none", json!({"lane": "surgical"}));
        assert_eq!(open(&[seen, raised(other), closes("revise-1", json!({}))]), None);
        // By another angle's verdict, named by its run or its lane.
        let second = event("second-1", "PASS", json!({"lane": "surgical"}));
        for verifier in ["second-1", "surgical"] {
            let events = [raised(decision.clone()), second.clone(), closes("revise-1", json!({"verifier": verifier}))];
            assert_eq!(open(&events), None, "{verifier}");
        }
        for author in ["Deep", " deep ", "nobody", "run-9999"] {
            let raised = raised(json!({"fixClass": "design-decision", "howAuthor": author}));
            assert_eq!(open(&[raised, closes("revise-1", json!({}))]), Some(Why::Unverified), "{author}");
        }
        for verifier in ["nobody", "deep", "passes-1"] {
            let events = [raised(decision.clone()), second.clone(), closes("revise-1", json!({"verifier": verifier}))];
            assert_eq!(open(&events), Some(Why::Unverified), "{verifier}");
        }
    }

    #[test]
    fn a_closer_is_about_the_revision_that_was_raised_or_one_that_the_lane_reviewed_since() {
        let at = |id: &str, gate: &str, revision: &str| event(id, gate, json!({"artifactRevision": revision}));
        let mut late = closes("revise-1", json!({"artifactRevision": "B"}));
        assert_eq!(standing(&[at("revise-1", "REVISE", "A"), late.clone()]).errors[0].rule, Flaw::RevisionDiffers);
        late["closesRunIds"] = json!(["revise-1", "revise-2"]);
        assert!(standing(&[at("revise-1", "REVISE", "A"), at("revise-2", "REVISE", "B"), late]).is_clear());
        let mut older = closes("revise-2", json!({"artifactRevision": "A"}));
        older["closesRunIds"] = json!(["revise-1", "revise-2", "revise-3"]);
        let back = [at("revise-1", "REVISE", "A"), at("revise-2", "REVISE", "B"), at("revise-3", "REVISE", "A"), older];
        assert_eq!(standing(&back).open.len(), 1, "a verdict on an older revision says nothing of a newer one");
    }

    #[test]
    fn closing_is_monotone_and_a_prefix_never_knows_of_what_follows() {
        let events = [
            event("launch-1", "none", json!({"eventKind": "launch"})),
            event("revise-1", "REVISE", json!({"eventKind": "terminal", "launchRunId": "launch-1"})),
            event("revise-2", "REVISE", json!({})),
            closes("revise-1", json!({})),
            event("passes-2", "PASS", json!({"closesRunIds": ["revise-2"]})),
        ];
        let mut before = Standing::default();
        for n in 1..=events.len() {
            let now = standing(&events[..n]);
            assert!(before.discharged.iter().all(|d| now.discharged.contains(d)));
            assert!(now.errors.is_empty());
            before = now;
        }
        assert!(before.is_clear());
    }
}
