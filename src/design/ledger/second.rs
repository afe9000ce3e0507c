//! Versions 2 and 3: the records that an engine writes; closed shapes, then what fields say about each other (spec/design-loop.md §1.6,
//! issue 6 for version 3).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::shape::{Key, Kind, needed, object, optional};
use super::{DEFAULT_CAP, Found, LANES, Rule, Terms, is_said};
use crate::base::digest::is_sha256;

/// How often a lane may be retried within a round.
pub const RETRIES: usize = 3;

const OPERATION: &[Key] = &[needed("id", Kind::Text), needed("fingerprint", Kind::Text), needed("receipt", Kind::Fields)];

/// What records of both versions have.
const RECORD: &[Key] = &[
    needed("schema_version", Kind::Number),
    needed("loop_id", Kind::Id),
    needed("objective", Kind::Anchor),
    needed("scope", Kind::Anchor),
    needed("runtime_root", Kind::Anchor),
    needed("operations", Kind::List(&Kind::Object(OPERATION))),
    needed("rounds", Kind::Any),
];

const RECORD_2: &[Key] = &[needed("status", Kind::Word(&["running", "converged", "drift", "deadlock"]))];

const RECORD_3: &[Key] = &[
    needed("status", Kind::Word(&["running", "converged", "drift", "deadlock", "aborted", "unverified_lane"])),
    needed("cap", Kind::Number),
    needed("opened_at", Kind::Time),
    needed("closed_at", Kind::Maybe(&Kind::Time)),
    needed("close_reason", Kind::Maybe(&Kind::Text)),
    needed("root_evidence", Kind::List(&Kind::Object(ROOT_EVIDENCE))),
    needed("continues", Kind::Maybe(&Kind::Object(CONTINUES))),
    needed("model_lanes", Kind::List(&Kind::Object(MODEL_LANE))),
];

const ROOT_EVIDENCE: &[Key] = &[
    needed("kind", Kind::Word(&["command", "trace"])),
    needed("ref", Kind::Text),
    needed("captured_at", Kind::Time),
    needed("sha256", Kind::Hash),
];

const CONTINUES: &[Key] = &[
    needed("loop_id", Kind::Id),
    needed("blockers", Kind::List(&Kind::Object(BLOCKER))),
    needed("raised_by", Kind::Each(&Kind::Word(&LANES))),
    needed("model", Kind::List(&Kind::Object(MODEL_LANE))),
];

const MODEL_LANE: &[Key] = &[
    needed("attempt_id", Kind::Id),
    needed("state", Kind::Word(&["running", "complete", "failed"])),
    needed("class", Kind::Text),
    needed("after_round", Kind::Number),
    needed("history", Kind::List(&Kind::Object(PLACES))),
    needed("started_at", Kind::Time),
    needed("requested", Kind::Object(ENGINE)),
    optional("actual", Kind::Object(ENGINE)),
    optional("deviation", Kind::Text),
    optional("finished_at", Kind::Time),
    optional("prompt_sha256", Kind::Hash),
    optional("output_sha256", Kind::Hash),
    optional("failure", Kind::Word(FAILURES)),
    optional("outcome", Kind::Word(&["confirmed", "replaced", "residual_documented"])),
    optional("rationale", Kind::Text),
    optional("evidence", Kind::List(&Kind::Text)),
];

const PLACES: &[Key] = &[needed("round", Kind::Number), needed("locations", Kind::List(&Kind::Text))];

const ENGINE: &[Key] =
    &[needed("engine", Kind::Text), needed("model", Kind::Maybe(&Kind::Text)), needed("effort", Kind::Maybe(&Kind::Text))];

const BLOCKER: &[Key] = &[
    needed("id", Kind::Id),
    needed("class", Kind::Text),
    needed("location", Kind::Text),
    needed("evidence", Kind::Text),
    needed("status", Kind::Word(&["open", "resolved"])),
];

const FAILURES: &[&str] = &["error", "died", "limit"];

/// What rounds of both versions have.
const ROUND: &[Key] = &[
    needed("round", Kind::Any),
    needed("phase", Kind::Word(&["admitted", "collecting", "complete"])),
    needed("diff", Kind::Any),
    needed("artifact", Kind::Any),
    needed("surgical", Kind::Any),
    needed("deep", Kind::Any),
    needed("scout", Kind::Any),
    needed("lane_failures", Kind::Any),
    optional("coverage", Kind::Any),
];

const ROUND_2: &[Key] = &[needed("evidence", Kind::List(&Kind::Any))];

const ROUND_3: &[Key] = &[
    needed("evidence", Kind::List(&Kind::Object(EVIDENCE))),
    needed("opened_at", Kind::Time),
    needed("completed_at", Kind::Maybe(&Kind::Time)),
    needed("drift_check", Kind::Maybe(&Kind::Object(DRIFT))),
    needed("answers", Kind::List(&Kind::Object(ANSWERED))),
];

const EVIDENCE: &[Key] = &[
    needed("kind", Kind::Word(&["command", "trace", "file", "log"])),
    needed("ref", Kind::Text),
    needed("captured_at", Kind::Time),
    needed("sha256", Kind::Maybe(&Kind::Hash)),
];

const DRIFT: &[Key] = &[
    needed("checked_at", Kind::Time),
    needed("goal", Kind::Object(HELD)),
    needed("scope", Kind::Object(HELD)),
    needed("runtime_root", Kind::Object(HELD)),
    needed("new_premises", Kind::List(&Kind::Text)),
    needed("drifted", Kind::Flag),
];

const HELD: &[Key] = &[needed("answer", Kind::Word(&["unchanged", "shifted"])), needed("text", Kind::Text)];

const ANSWERED: &[Key] = &[needed("of", Kind::Text), needed("by", Kind::Word(&["diff", "reason"])), needed("text", Kind::Text)];

/// What every lane of version 2 has; all that one has which is not complete.
const PENDING_2: &[Key] = &[needed("attempt_id", Kind::Text), needed("artifact_revision", Kind::Any), needed("state", Kind::Any)];

const PENDING_3: &[Key] = &[
    needed("attempt_id", Kind::Id),
    needed("artifact_revision", Kind::Any),
    needed("state", Kind::Any),
    optional("started_at", Kind::Time),
    optional("requested", Kind::Object(ENGINE)),
    optional("prompt_sha256", Kind::Hash),
];

const VERDICT_2: &[Key] = &[
    optional("verdict", Kind::Any),
    optional("blockers", Kind::List(&Kind::Any)),
    optional("rationale", Kind::Any),
    needed("root_proven", Kind::Text),
    needed("scope_unchanged", Kind::Text),
    needed("verification_adequate", Kind::Text),
];

const SCOUT_2: &[Key] = &[optional("findings", Kind::Any), needed("reconciliation", Kind::List(&Kind::Any))];

const ANSWER: &[Key] = &[needed("answer", Kind::Word(&["yes", "no", "partial"])), needed("text", Kind::Text)];

/// What every complete lane of version 3 has.
const DONE_3: &[Key] = &[
    needed("attempt_id", Kind::Id),
    needed("artifact_revision", Kind::Any),
    needed("state", Kind::Any),
    needed("root_proven", Kind::Object(ANSWER)),
    needed("scope_unchanged", Kind::Object(ANSWER)),
    needed("verification_adequate", Kind::Object(ANSWER)),
    needed("started_at", Kind::Time),
    needed("finished_at", Kind::Time),
    needed("requested", Kind::Object(ENGINE)),
    needed("actual", Kind::Object(ENGINE)),
    optional("deviation", Kind::Text),
    needed("prompt_sha256", Kind::Hash),
    needed("output_sha256", Kind::Hash),
    optional("evidence", Kind::List(&Kind::Text)),
];

const VERDICT_3: &[Key] =
    &[optional("verdict", Kind::Any), needed("blockers", Kind::List(&Kind::Object(BLOCKER))), optional("rationale", Kind::Text)];

const SCOUT_3: &[Key] = &[optional("findings", Kind::Any), needed("reconciliation", Kind::List(&Kind::Object(RECONCILED)))];

const FINDING: &[Key] = &[needed("id", Kind::Id), needed("text", Kind::Text), optional("location", Kind::Text)];

const RECONCILED: &[Key] =
    &[needed("finding", Kind::Id), needed("disposition", Kind::Word(&["folded", "refuted", "out_of_scope"])), needed("basis", Kind::Text)];

const RETAINED: &[Key] =
    &[needed("state", Kind::Any), needed("applies_to_revision", Kind::Any), needed("retained_from", Kind::Object(RETAINED_FROM))];

const RETAINED_FROM: &[Key] = &[needed("round", Kind::Number), needed("artifact_revision", Kind::Text)];

const COVERAGE: &[Key] = &[
    needed("mode", Kind::Word(&["delta"])),
    needed("affected_lanes", Kind::List(&Kind::Word(&LANES))),
    needed("source_round", Kind::Number),
    needed("source_revision", Kind::Text),
];

const FAILURE: &[Key] = &[
    needed("lane", Kind::Word(&LANES)),
    needed("attempt_id", Kind::Text),
    needed("artifact_revision", Kind::Any),
    needed("failure", Kind::Word(FAILURES)),
    optional("redispatched_as", Kind::Text),
];

const FAILURE_3: &[Key] = &[
    needed("lane", Kind::Word(&LANES)),
    needed("attempt_id", Kind::Id),
    needed("artifact_revision", Kind::Any),
    needed("failure", Kind::Word(FAILURES)),
    optional("redispatched_as", Kind::Id),
    needed("failed_at", Kind::Time),
    optional("reason", Kind::Text),
    optional("output_sha256", Kind::Hash),
];

/// Checks the structure of a version 2 or 3 record.
pub(super) fn check(record: &Value, terms: &Terms, version: u64, found: &mut Found) {
    object(record, &[RECORD, if version == 2 { RECORD_2 } else { RECORD_3 }], "", found);
    let mut known = BTreeSet::new();
    for (n, operation) in record["operations"].as_array().into_iter().flatten().enumerate() {
        if let Some(id) = operation["id"].as_str()
            && !known.insert(id)
        {
            found.add(Rule::OperationRepeated, &format!("/operations/{n}/id"), "the operation id stands twice");
        }
    }
    for (n, lane) in record["model_lanes"].as_array().into_iter().flatten().enumerate() {
        let wanted: &[&str] = match lane["state"].as_str() {
            Some("complete") => &["outcome", "rationale", "actual", "finished_at", "output_sha256"],
            Some("failed") => &["failure", "finished_at"],
            _ => &[],
        };
        for key in wanted.iter().filter(|k| lane.get(**k).is_none()) {
            found.add(Rule::FieldMissing, &format!("/model_lanes/{n}/{key}"), format!("`{key}` is missing"));
        }
    }
    if terms.terminal {
        found.demand(record["status"] != "running", Rule::NotTerminal, "/status", "the loop has not ended");
    }
    let Some(rounds) = record["rounds"].as_array().filter(|r| !r.is_empty()) else {
        found.add(Rule::RoundsMissing, "/rounds", "there is no list of rounds, or none in it");
        return;
    };
    let (count, cap) = (rounds.len() as u64, cap(record, terms));
    found.demand(count <= cap, Rule::TooManyRounds, "/rounds", format!("{count} rounds are over the cap of {cap}"));
    // What each lane came to last, when a later round retains it.
    let mut held: [&Value; 3] = [&Value::Null; 3];
    for (n, round) in rounds.iter().enumerate() {
        Round { version, rounds, n, at: format!("/rounds/{n}"), held }.check(found);
        for (held, lane) in held.iter_mut().zip(LANES) {
            if round[lane]["state"] != "retained" {
                *held = &round[lane];
            }
        }
    }
}

/// The cap that holds: the lower one of what is asked and what the record was opened with.
pub(super) fn cap(record: &Value, terms: &Terms) -> u64 {
    match (record["cap"].as_u64(), terms.cap) {
        (Some(own), Some(asked)) => own.min(asked),
        (own, asked) => asked.or(own).unwrap_or(DEFAULT_CAP),
    }
}

struct Round<'v> {
    version: u64,
    rounds: &'v [Value],
    n: usize,
    at: String,
    held: [&'v Value; 3],
}

impl Round<'_> {
    fn check(&self, found: &mut Found) {
        let round = &self.rounds[self.n];
        let (version, at) = (self.version, &self.at);
        if object(round, &[ROUND, if version == 2 { ROUND_2 } else { ROUND_3 }], at, found).is_none() {
            return;
        }
        let wanted = self.n as u64 + 1;
        let place = format!("{at}/round");
        found.demand(round["round"].as_u64() == Some(wanted), Rule::RoundNumber, &place, format!("this is round {wanted}"));
        found.demand(is_said(&round["diff"]), Rule::DiffMissing, &format!("{at}/diff"), "the round does not say what changed and why");
        self.artifact(found);
        let affected = self.coverage(found);
        for lane in LANES {
            let block = &round[lane];
            let retained = round.get("coverage").is_some() && !affected.contains(&lane);
            if retained { self.retained(lane, block, found) } else { self.lane(lane, block, found) }
        }
        self.shared(found);
        self.failures(&affected, found);
    }

    fn artifact(&self, found: &mut Found) {
        const SNAPSHOT: &[Key] =
            &[needed("kind", Kind::Any), needed("revision", Kind::Any), needed("snapshot", Kind::Text), optional("source", Kind::Text)];
        const COMMIT: &[Key] = &[needed("kind", Kind::Any), needed("revision", Kind::Any), optional("source", Kind::Text)];
        let (artifact, at) = (&self.rounds[self.n]["artifact"], format!("{}/artifact", self.at));
        let revision = artifact["revision"].as_str().unwrap_or_default();
        let sound = match artifact["kind"].as_str() {
            Some("snapshot") => {
                object(artifact, &[SNAPSHOT], &at, found);
                // Ours lies below the loop's folder, under its own digest; the reference's is a path of the repository.
                let ours = format!("artifacts/round-{}-{}.snapshot", self.n + 1, revision.strip_prefix("sha256:").unwrap_or_default());
                let placed = self.version == 2 || artifact["snapshot"] == ours.as_str();
                found.demand(placed, Rule::RevisionMalformed, &format!("{at}/snapshot"), format!("the copy lies at `{ours}`"));
                revision.strip_prefix("sha256:").is_some_and(is_sha256)
            }
            Some("git-commit") => {
                object(artifact, &[COMMIT], &at, found);
                let hex = |s: &str| (40..=64).contains(&s.len()) && s.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
                revision.strip_prefix("git:").is_some_and(hex)
            }
            _ if !artifact.is_object() => return found.add(Rule::NotAnObject, &at, "the artifact is no object"),
            _ => return found.add(Rule::UnknownWord, &format!("{at}/kind"), "the kind is neither snapshot nor git-commit"),
        };
        found.demand(sound, Rule::RevisionMalformed, &format!("{at}/revision"), "the revision is not one of its kind");
    }

    fn revision(&self) -> &Value {
        &self.rounds[self.n]["artifact"]["revision"]
    }

    /// The lanes that are reviewed in this round: those a delta round names, else all.
    fn coverage(&self, found: &mut Found) -> Vec<&'static str> {
        let Some(coverage) = self.rounds[self.n].get("coverage") else { return LANES.to_vec() };
        let at = format!("{}/coverage", self.at);
        if object(coverage, &[COVERAGE], &at, found).is_none() {
            return LANES.to_vec();
        }
        let named: Vec<&str> = coverage["affected_lanes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let affected: Vec<&'static str> = LANES.into_iter().filter(|l| named.contains(l)).collect();
        let proper = named == affected && !affected.is_empty() && affected.len() < LANES.len();
        let place = format!("{at}/affected_lanes");
        found.demand(
            proper,
            Rule::CoverageWrong,
            &place,
            "the affected lanes are some and not all, once each, in the order surgical, deep, scout",
        );
        let before = self.n.checked_sub(1).map(|p| &self.rounds[p]);
        let builds = before.is_some_and(|b| {
            coverage["source_round"].as_u64() == Some(self.n as u64)
                && coverage["source_revision"] == b["artifact"]["revision"]
                && b["phase"] == "complete"
        });
        found.demand(builds, Rule::CoverageWrong, &at, "a delta round builds on the complete round before it");
        affected
    }

    fn lane(&self, lane: &str, block: &Value, found: &mut Found) {
        let at = format!("{}/{lane}", self.at);
        let three = self.version == 3;
        let state = block["state"].as_str();
        let keys: &[&[Key]] = match (state, lane, three) {
            _ if !block.is_object() => return found.add(Rule::AngleMissing, &at, format!("the angle `{lane}` is missing or no object")),
            (Some("admitted" | "running"), _, _) => {
                const RESULTS: [&str; 9] = [
                    "verdict",
                    "blockers",
                    "rationale",
                    "findings",
                    "reconciliation",
                    "root_proven",
                    "scope_unchanged",
                    "verification_adequate",
                    "output_sha256",
                ];
                if RESULTS.iter().any(|r| block.get(*r).is_some()) {
                    return found.add(Rule::EarlyResult, &at, "an attempt that is not complete holds results");
                }
                if three { &[PENDING_3] } else { &[PENDING_2] }
            }
            (Some("complete"), "scout", true) => &[DONE_3, SCOUT_3],
            (Some("complete"), "scout", false) => &[PENDING_2, SCOUT_2],
            (Some("complete"), _, true) => &[DONE_3, VERDICT_3],
            (Some("complete"), _, false) => &[PENDING_2, VERDICT_2],
            _ => return found.add(Rule::UnknownWord, &format!("{at}/state"), "the state is none of admitted, running and complete"),
        };
        found.demand(
            self.revision() == &block["artifact_revision"],
            Rule::RevisionMismatch,
            &format!("{at}/artifact_revision"),
            "the lane reviewed something else than the round's artifact",
        );
        object(block, keys, &at, found);
        if state != Some("complete") {
            return;
        }
        if lane == "scout" {
            self.findings(block, &at, found);
        } else {
            self.verdict(block, &at, found);
        }
    }

    fn findings(&self, block: &Value, at: &str, found: &mut Found) {
        let Some(findings) = block["findings"].as_array() else {
            return found.add(Rule::FindingsMissing, &format!("{at}/findings"), "the scout's findings are no list");
        };
        if self.version == 2 {
            return;
        }
        let mut ids = BTreeSet::new();
        for (n, finding) in findings.iter().enumerate() {
            let place = format!("{at}/findings/{n}");
            object(finding, &[FINDING], &place, found);
            let fresh = finding["id"].as_str().is_none_or(|id| ids.insert(id));
            found.demand(fresh, Rule::WrongType, &format!("{place}/id"), "two findings have one id");
        }
        for (n, entry) in block["reconciliation"].as_array().into_iter().flatten().enumerate() {
            let known = entry["finding"].as_str().is_none_or(|id| ids.remove(id));
            let message = "this names no finding of the scout, or one that is reconciled already";
            found.demand(known, Rule::WrongType, &format!("{at}/reconciliation/{n}/finding"), message);
        }
    }

    fn verdict(&self, block: &Value, at: &str, found: &mut Found) {
        let stated = &block["verdict"];
        let place = format!("{at}/verdict");
        if stated.is_null() {
            found.add(Rule::VerdictMissing, &place, "there is no verdict");
        } else {
            found.demand(
                matches!(stated.as_str(), Some("PASS" | "REVISE")),
                Rule::VerdictUnknown,
                &place,
                "the verdict is neither PASS nor REVISE",
            );
        }
        let founded = block["blockers"].as_array().is_some_and(|b| !b.is_empty()) || is_said(&block["rationale"]);
        found.demand(founded, Rule::BareVerdict, at, "the verdict names neither a blocker nor a rationale");
    }

    /// A lane that is taken over: it has to lead back to what may be.
    fn retained(&self, lane: &str, block: &Value, found: &mut Found) {
        let at = format!("{}/{lane}", self.at);
        if block["state"] != "retained" {
            return found.add(Rule::CoverageWrong, &at, format!("`{lane}` is neither affected nor retained"));
        }
        object(block, &[RETAINED], &at, found);
        let applies = self.revision() == &block["applies_to_revision"];
        found.demand(applies, Rule::RevisionMismatch, &format!("{at}/applies_to_revision"), "the lane is retained for another artifact");
        let from = &block["retained_from"];
        let before = self.n.checked_sub(1).map(|p| &self.rounds[p]);
        let of_before =
            before.is_some_and(|b| from["round"].as_u64() == Some(self.n as u64) && from["artifact_revision"] == b["artifact"]["revision"]);
        let message = "the lane is not retained from the round before";
        found.demand(of_before, Rule::RetainedUnproven, &format!("{at}/retained_from"), message);
        let message = format!("`{lane}` does not lead back to a PASS or a reconciled scout");
        let held = LANES.iter().position(|l| *l == lane).map_or(&Value::Null, |i| self.held[i]);
        found.demand(may_retain(held, lane), Rule::RetainedUnproven, &at, message);
    }

    fn shared(&self, found: &mut Found) {
        let round = &self.rounds[self.n];
        let mut known = BTreeSet::new();
        for lane in LANES {
            if let Some(id) = round[lane]["attempt_id"].as_str()
                && !known.insert(id)
            {
                let place = format!("{}/{lane}/attempt_id", self.at);
                found.add(Rule::AttemptIdShared, &place, format!("`{lane}` shares its attempt with another lane"));
            }
        }
    }

    fn failures(&self, affected: &[&str], found: &mut Found) {
        let round = &self.rounds[self.n];
        let at = format!("{}/lane_failures", self.at);
        let Some(failures) = round["lane_failures"].as_array() else {
            return found.add(Rule::FailuresMissing, &at, "the failures are no list; [] says that there was none");
        };
        let mut owners: BTreeMap<&str, &str> = LANES.iter().filter_map(|l| Some((round[*l]["attempt_id"].as_str()?, *l))).collect();
        for (n, failure) in failures.iter().enumerate() {
            let place = format!("{at}/{n}");
            let shape = if self.version == 2 { FAILURE } else { FAILURE_3 };
            if object(failure, &[shape], &place, found).is_none() {
                continue;
            }
            let same = self.revision() == &failure["artifact_revision"];
            found.demand(same, Rule::RevisionMismatch, &format!("{place}/artifact_revision"), "the attempt reviewed another artifact");
            let Some(lane) = failure["lane"].as_str() else { continue };
            found.demand(affected.contains(&lane), Rule::CoverageWrong, &place, format!("`{lane}` is retained and cannot have failed"));
            for key in ["attempt_id", "redispatched_as"] {
                let Some(id) = failure[key].as_str() else { continue };
                let own = *owners.entry(id).or_insert(lane) == lane;
                found.demand(
                    own,
                    Rule::RetryChain,
                    &format!("{place}/{key}"),
                    format!("`{}` is an attempt of another lane", crate::base::path::printable(id)),
                );
            }
        }
        for lane in affected {
            let edges: Vec<(usize, &Value)> = failures.iter().enumerate().filter(|(_, f)| f["lane"] == **lane).collect();
            if let Some(message) = broken_chain(&edges, &round[*lane]["attempt_id"], round["phase"] == "complete") {
                found.add(Rule::RetryChain, &format!("{at}/{}", edges.first().map_or(0, |e| e.0)), format!("`{lane}`: {message}"));
            }
            let retries = edges.iter().filter(|(_, f)| f.get("redispatched_as").is_some()).count();
            found.demand(retries <= RETRIES, Rule::RetryBudget, &at, format!("`{lane}` was retried {retries} times"));
            if round["phase"] == "complete" {
                let done = round[*lane]["state"] == "complete";
                found.demand(done, Rule::LaneUnfinished, &format!("{}/{lane}", self.at), "the round is complete and the lane is not");
            }
        }
    }
}

/// What is wrong with the attempts of a lane, of which each failed one names the next.
fn broken_chain(edges: &[(usize, &Value)], current: &Value, complete: bool) -> Option<&'static str> {
    let mut next: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let mut targets = BTreeSet::new();
    for (_, edge) in edges {
        let (Some(failed), following) = (edge["attempt_id"].as_str(), edge["redispatched_as"].as_str()) else { continue };
        if next.insert(failed, following).is_some() {
            return Some("an attempt failed twice");
        }
        if let Some(following) = following
            && !targets.insert(following)
        {
            return Some("two attempts are followed by one");
        }
    }
    let mut at = match next.keys().filter(|id| !targets.contains(*id)).collect::<Vec<_>>()[..] {
        [] if next.is_empty() => return None,
        [root] => *root,
        [] => return Some("the attempts run in a circle"),
        _ => return Some("the attempts are more than one line"),
    };
    let mut seen = 0;
    while let Some(following) = next.get(at) {
        seen += 1;
        match following {
            Some(following) => at = following,
            None if complete => return Some("the last attempt failed and the round is complete"),
            None => break,
        }
    }
    if seen < next.len() {
        return Some("the attempts are more than one line");
    }
    (current.as_str() != Some(at)).then_some("the line does not end at the current attempt")
}

/// Whether what a lane came to may be retained: a PASS, or a scout that is reconciled.
pub fn may_retain(block: &Value, lane: &str) -> bool {
    block["state"] == "complete" && if lane == "scout" { reconciled(block) } else { block["verdict"] == "PASS" }
}

/// Whether every finding of a scout has a disposition of its own; in version 2, which binds none to a finding, an entry that says
/// something for each.
pub(in crate::design) fn reconciled(block: &Value) -> bool {
    let (Some(findings), Some(entries)) = (block["findings"].as_array(), block["reconciliation"].as_array()) else { return false };
    // What is folded in is in the next revision, which this round has not seen.
    let named: BTreeSet<&str> = entries.iter().filter(|e| e["disposition"] != "folded").filter_map(|e| e["finding"].as_str()).collect();
    let bound = findings.iter().all(|f| f["id"].as_str().is_some_and(|id| named.contains(id)));
    let said = entries.iter().filter(|e| is_said(e) || e.as_object().is_some_and(|o| !o.is_empty())).count();
    bound || (findings.iter().all(|f| f.get("id").is_none()) && said >= findings.len())
}
