//! Soundness: whether a record can have come about by the loop's rules, and whether its status follows from its rounds
//! (spec/design-loop.md §6, §7; issue 6).

use std::collections::BTreeSet;

use serde_json::Value;

use super::second::{cap, reconciled};
use super::{Found, LANES, Rule, Terms, is_said};
use crate::design::specific::{is_specific, is_stock};

/// A round by what it came to.
struct Seen<'v> {
    round: &'v Value,
    at: String,
    complete: bool,
    full: bool,
    /// What the lanes came to, those that are retained included.
    lanes: [&'v Value; 3],
}

impl Seen<'_> {
    fn is_clean(&self) -> bool {
        let passed = self.lanes[..2].iter().all(|l| verdict(l).as_deref() == Some("PASS"));
        self.complete && passed && reconciled_of(self.lanes[2]) && !self.lanes.iter().any(|l| says_no(l))
    }
}

/// Whether a lane answers one of the three questions with no, in version 3's own form: the scout's no counts as much as a verdict's.
fn says_no(block: &Value) -> bool {
    ["root_proven", "scope_unchanged", "verification_adequate"].iter().any(|q| block[*q]["answer"] == "no")
}

/// The verdict as all versions mean it.
fn verdict(block: &Value) -> Option<String> {
    block["verdict"].as_str().map(|v| v.trim().to_uppercase())
}

fn reconciled_of(scout: &Value) -> bool {
    let nothing = scout["findings"].as_array().is_some_and(Vec::is_empty);
    nothing || reconciled(scout)
}

/// Checks the soundness of a record; gives what its rounds come to.
pub(super) fn check(record: &Value, version: u64, terms: &Terms, found: &mut Found) -> Option<&'static str> {
    let rounds = record["rounds"].as_array().filter(|r| !r.is_empty())?;
    let mut held: [&Value; 3] = [&Value::Null; 3];
    let mut seen: Vec<Seen<'_>> = Vec::new();
    for (n, round) in rounds.iter().enumerate() {
        for (held, lane) in held.iter_mut().zip(LANES) {
            if round[lane]["state"] != "retained" {
                *held = &round[lane];
            }
        }
        let complete = version == 1 || round["phase"] == "complete";
        seen.push(Seen { round, at: format!("/rounds/{n}"), complete, full: round.get("coverage").is_none(), lanes: held });
    }
    for one in &seen {
        of_lanes(one, version, found);
    }
    order(&seen, version, found);
    attempts(record, &seen, found);
    let root = record["runtime_root"].as_str().unwrap_or_default();
    found.demand(!declares_confirmed(root), Rule::RootConfirmed, "/runtime_root", "a root is evidenced, never declared confirmed");
    if version == 3 {
        own(record, &seen, found);
    }
    let last = seen.last()?;
    let stuck = stuck(&seen, version);
    let at_cap = seen.len() as u64 >= cap(record, terms);
    if version == 1 {
        let open = last.lanes[..2].iter().all(|l| verdict(l).as_deref() == Some("PASS")) && !reconciled_of(last.lanes[2]);
        found.demand(!open, Rule::Unreconciled, &format!("{}/scout/reconciliation", last.at), "a finding of the scout has no disposition");
    }
    let derived = match () {
        () if last.is_clean() && last.full => "converged",
        () if last.complete && (at_cap || stuck) => "deadlock",
        () => "open",
    };
    status(record, version, derived, last, found);
    Some(derived)
}

/// Whether the words of a root declare it settled.
pub fn declares_confirmed(root: &str) -> bool {
    let words: Vec<String> = root.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect();
    let pairs = |a: &str, b: &str| words.windows(2).any(|w| w[0] == a && w[1].starts_with(b));
    root.contains("CONFIRMED") || pairs("not", "relitigate") || pairs("re", "litigate") || words.first().is_some_and(|w| w == "confirmed")
}

/// What verdicts and findings of a round say about themselves.
fn of_lanes(seen: &Seen<'_>, version: u64, found: &mut Found) {
    for lane in ["surgical", "deep"] {
        let (block, at) = (&seen.round[lane], format!("{}/{lane}", seen.at));
        if block["verdict"].is_null() {
            continue;
        }
        let blockers = block["blockers"].as_array().map_or(&[][..], Vec::as_slice);
        for (n, blocker) in blockers.iter().enumerate() {
            let said = is_said(blocker) || blocker.as_object().is_some_and(|o| o.values().any(is_said));
            found.demand(said, Rule::BlankBlocker, &format!("{at}/blockers/{n}"), "the blocker says nothing");
        }
        // A verdict that names blockers is founded on them.
        if let Some(rationale) = block["rationale"].as_str().filter(|r| !r.trim().is_empty() && blockers.is_empty()) {
            let place = format!("{at}/rationale");
            let specific = if version == 3 { is_specific(rationale) } else { !is_stock(rationale) };
            found.demand(specific, Rule::UnspecificRationale, &place, "the rationale names nothing that was looked at");
        }
        let passes = verdict(block).as_deref() == Some("PASS");
        let open = blockers.iter().any(|b| b["status"] != "resolved");
        // What version 1 lists beside a PASS may be answered already: it has no word for it.
        found.demand(version == 1 || !(passes && open), Rule::PassWithBlockers, &format!("{at}/blockers"), "a PASS holds open blockers");
        for question in ["root_proven", "scope_unchanged", "verification_adequate"] {
            let no = if version == 3 { block[question]["answer"] == "no" } else { block[question].as_str().is_some_and(is_no) };
            found.demand(!(passes && no), Rule::PassWithNo, &format!("{at}/{question}"), format!("a PASS answers `{question}` with no"));
        }
    }
}

/// Whether a free answer to a question of yes or no is a no.
fn is_no(answer: &str) -> bool {
    let first = answer.split(|c: char| !c.is_alphanumeric()).find(|w| !w.is_empty()).unwrap_or_default().to_lowercase();
    matches!(first.as_str(), "no" | "not" | "false" | "unproven" | "inadequate" | "nein" | "unknown")
}

fn order(seen: &[Seen<'_>], version: u64, found: &mut Found) {
    let mut revisions: BTreeSet<&str> = BTreeSet::new();
    for (n, one) in seen.iter().enumerate() {
        let place = format!("{}/round", one.at);
        if version == 1 {
            let wanted = n as u64 + 1;
            found.demand(one.round["round"].as_u64() == Some(wanted), Rule::RoundOrder, &place, format!("this is round {wanted}"));
        }
        let before = n.checked_sub(1).map(|p| &seen[p]);
        if let Some(before) = before {
            found.demand(before.complete, Rule::RoundUnfinished, &before.at, "a round follows before this one is complete");
            // The last round of all is a full one: after a clean delta round it comes, on the same artifact.
            let confirms = !before.full && one.full;
            found.demand(!before.is_clean() || confirms, Rule::RoundAfterClean, &one.at, "the round before was clean");
        }
        let revision = one.round["artifact"]["revision"].as_str();
        let confirms = before.is_some_and(|b| !b.full && one.full && b.is_clean());
        let fresh = revision.is_none_or(|r| revisions.insert(r));
        let place = format!("{}/artifact/revision", one.at);
        found.demand(fresh || confirms, Rule::IdenticalRevision, &place, "this very artifact was reviewed before");
    }
}

/// Attempt ids over the whole loop.
fn attempts(record: &Value, seen: &[Seen<'_>], found: &mut Found) {
    let mut known: BTreeSet<(String, bool)> = BTreeSet::new();
    let spelt = |id: &Value| match id {
        Value::String(text) => Some((text.trim().to_owned(), true)),
        Value::Number(number) => Some((number.to_string(), false)),
        _ => None,
    };
    for one in seen {
        let mut own: BTreeSet<(String, bool)> = BTreeSet::new();
        let failures = one.round["lane_failures"].as_array().map_or(&[][..], Vec::as_slice);
        let failed = failures.iter().enumerate().map(|(n, f)| (format!("{}/lane_failures/{n}/attempt_id", one.at), &f["attempt_id"]));
        let current = LANES.iter().map(|l| (format!("{}/{l}/attempt_id", one.at), &one.round[*l]["attempt_id"]));
        for (at, id) in current.chain(failed) {
            let Some(id) = spelt(id) else { continue };
            found.demand(!known.contains(&id), Rule::AttemptIdReused, &at, "the attempt id belongs to an earlier round");
            own.insert(id);
        }
        known.extend(own);
    }
    for (n, lane) in record["model_lanes"].as_array().into_iter().flatten().enumerate() {
        let Some(id) = spelt(&lane["attempt_id"]) else { continue };
        let place = format!("/model_lanes/{n}/attempt_id");
        found.demand(known.insert(id), Rule::AttemptIdReused, &place, "the attempt id belongs to an earlier attempt");
    }
}

/// Whether a blocker is open in the last two rounds: of version 3 as the engine sees it, before by its words.
fn stuck(seen: &[Seen<'_>], version: u64) -> bool {
    let [.., before, last] = seen else { return false };
    if version == 3 {
        return !crate::design::signals::stuck(&[places(&before.lanes), places(&last.lanes)]).is_empty();
    }
    let open = |one: &Seen<'_>| -> BTreeSet<String> {
        let blocks = ["surgical", "deep"].into_iter().flat_map(|l| one.round[l]["blockers"].as_array().into_iter().flatten());
        blocks.filter_map(|b| b["id"].as_str().or(b.as_str())).map(|s| s.trim().to_lowercase()).filter(|s| !s.is_empty()).collect()
    };
    !open(before).is_disjoint(&open(last))
}

/// What version 3 records besides.
fn own(record: &Value, seen: &[Seen<'_>], found: &mut Found) {
    let rooted = record["root_evidence"].as_array().is_some_and(|e| !e.is_empty());
    found.demand(rooted, Rule::RootUnproven, "/root_evidence", "the root has no evidence");
    for (n, one) in seen.iter().enumerate() {
        let begun = LANES.iter().any(|l| matches!(one.round[*l]["state"].as_str(), Some("running" | "complete")));
        let drift = &one.round["drift_check"];
        let place = format!("{}/drift_check", one.at);
        found.demand(!begun || drift.is_object(), Rule::DriftUnchecked, &place, "a lane was started without a drift check");
        let goes_on = n + 1 < seen.len() || record["status"] == "converged";
        let message = "the loop drifted, and went on";
        found.demand(drift["drifted"] != true || !goes_on, Rule::DriftUnchecked, &place, message);
        if drift.is_object() {
            let shifted = ["goal", "scope", "runtime_root"].iter().any(|k| drift[*k]["answer"] == "shifted");
            let new = drift["new_premises"].as_array().is_some_and(|p| !p.is_empty());
            let place = format!("{}/drift_check/drifted", one.at);
            found.demand(
                drift["drifted"] == (shifted || new),
                Rule::StatusContradicted,
                &place,
                "the check does not follow from its answers",
            );
        }
        let ended = one.round["phase"] == "complete";
        let timed = one.round["completed_at"].is_string() == ended;
        let place = format!("{}/completed_at", one.at);
        found.demand(timed, Rule::StatusContradicted, &place, "a round has the time at which it was completed when it is");
        for lane in ["surgical", "deep"] {
            let block = &one.round[lane];
            let listed = block["blockers"].as_array().map_or(&[][..], Vec::as_slice);
            let mut ids = BTreeSet::new();
            let once = listed.iter().filter_map(|b| b["id"].as_str()).all(|id| ids.insert(id));
            let place = format!("{}/{lane}/blockers", one.at);
            found.demand(once, Rule::BlockerRepeated, &place, "a blocker is listed twice");
            let open = listed.iter().any(|b| b["status"] == "open");
            found.demand(block["verdict"] != "REVISE" || open, Rule::ReviseWithoutBlocker, &place, "a REVISE names no open blocker");
        }
        for lane in LANES {
            let block = &one.round[lane];
            let differs = block["actual"].is_object() && block["actual"]["engine"] != block["requested"]["engine"];
            let place = format!("{}/{lane}/actual/engine", one.at);
            found.demand(
                !differs || is_said(&block["deviation"]),
                Rule::EngineDeviation,
                &place,
                "another engine answered, and no reason is stated",
            );
        }
    }
    for (n, lane) in record["model_lanes"].as_array().into_iter().flatten().enumerate() {
        let differs = lane["actual"].is_object() && lane["actual"]["engine"] != lane["requested"]["engine"];
        let place = format!("/model_lanes/{n}/actual/engine");
        found.demand(
            !differs || is_said(&lane["deviation"]),
            Rule::EngineDeviation,
            &place,
            "another engine answered, and no reason is stated",
        );
    }
    // A loop that goes on from another one answers what was open there.
    if let Some(first) = seen.first() {
        let answers = first.round["answers"].as_array().map_or(&[][..], Vec::as_slice);
        for blocker in record["continues"]["blockers"].as_array().into_iter().flatten() {
            // The lane that raised it there says here what became of it.
            for lane in ["surgical", "deep"]
                .into_iter()
                .filter(|l| record["continues"]["raised_by"][blocker["id"].as_str().unwrap_or_default()] == **l)
            {
                let block = &first.round[lane];
                let spoken = block["blockers"].as_array().into_iter().flatten().any(|b| b["id"] == blocker["id"]);
                let place = format!("{}/{lane}/blockers", first.at);
                found.demand(
                    block["state"] != "complete" || spoken,
                    Rule::BlockerDropped,
                    &place,
                    "an open blocker of the loop before is not spoken of",
                );
            }
            let answered = answers.iter().any(|a| a["of"] == blocker["id"]);
            let place = format!("{}/answers", first.at);
            found.demand(answered, Rule::BlockerUnanswered, &place, "an open blocker of the loop before is answered by nothing");
        }
    }
    for pair in seen.windows(2) {
        let [before, after] = pair else { continue };
        let answers = after.round["answers"].as_array().map_or(&[][..], Vec::as_slice);
        let answered: BTreeSet<&str> = answers.iter().filter_map(|a| a["of"].as_str()).collect();
        for (lane, name) in ["surgical", "deep"].into_iter().enumerate() {
            let block = &after.round[name];
            if block["state"] != "complete" {
                continue;
            }
            let spoken: BTreeSet<&str> = block["blockers"].as_array().into_iter().flatten().filter_map(|b| b["id"].as_str()).collect();
            let raised = before.lanes[lane]["blockers"].as_array().into_iter().flatten().filter(|b| b["status"] == "open");
            for id in raised.filter_map(|b| b["id"].as_str()).filter(|id| !spoken.contains(id)) {
                let message = format!("`{}` was raised by `{name}`, which says no more of it", crate::base::path::printable(id));
                found.add(Rule::BlockerDropped, &format!("{}/{name}/blockers", after.at), message);
            }
        }
        for owed in owed_answers(&before.lanes) {
            let message = format!("`{}` is answered by nothing", crate::base::path::printable(&owed));
            found.demand(answered.contains(owed.as_str()), Rule::BlockerUnanswered, &format!("{}/answers", after.at), message);
        }
    }
    model(record, seen, found);
}

/// What the round behind has to answer: open blockers and findings without a disposition, by id.
pub(in crate::design) fn owed_answers(lanes: &[&Value; 3]) -> Vec<String> {
    let blockers = lanes[..2].iter().flat_map(|l| l["blockers"].as_array().into_iter().flatten()).filter(|b| b["status"] == "open");
    let named = lanes[2]["reconciliation"].as_array().into_iter().flatten().filter(|r| r["disposition"] != "folded");
    let reconciled: BTreeSet<&str> = named.filter_map(|r| r["finding"].as_str()).collect();
    let findings = lanes[2]["findings"].as_array().into_iter().flatten();
    let findings = findings.filter(|f| f["id"].as_str().is_some_and(|id| !reconciled.contains(id)));
    let all: BTreeSet<String> = blockers.chain(findings).filter_map(|b| b["id"].as_str()).map(str::to_owned).collect();
    all.into_iter().collect()
}

/// A round after a class has moved needs the model lane's outcome.
fn model(record: &Value, seen: &[Seen<'_>], found: &mut Found) {
    use crate::design::signals::{Found as Places, moved};
    let done: Vec<(&str, u64)> = record["model_lanes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|m| m["state"] == "complete")
        .filter_map(|m| Some((m["class"].as_str()?, m["after_round"].as_u64()?)))
        .collect();
    // A longer loop is over every cap anyway.
    let places: Vec<Vec<Places>> = seen.iter().take(64).map(|one| places(&one.lanes)).collect();
    for n in 1..=places.len() {
        // The last round has no round behind it: there a model lane is owed before a deadlock only.
        let ends = n == seen.len() && record["status"] != "deadlock";
        for class in moved(&places[..n]).into_iter().filter(|_| !ends) {
            let answered = done.iter().any(|(c, after)| crate::design::signals::folded(c) == class && *after == n as u64);
            let message = format!("`{}` keeps moving and no model lane answers it", crate::base::path::printable(&class));
            found.demand(answered, Rule::ModelOwed, "/model_lanes", message);
        }
    }
}

/// The open blockers of a round as class and place.
pub(in crate::design) fn places(lanes: &[&Value; 3]) -> Vec<crate::design::signals::Found> {
    let blockers = lanes[..2].iter().flat_map(|l| l["blockers"].as_array().into_iter().flatten()).filter(|b| b["status"] == "open");
    let one = |b: &Value| {
        let text = |key: &str| b[key].as_str().unwrap_or_default().to_owned();
        crate::design::signals::Found { id: text("id"), class: text("class"), location: text("location") }
    };
    blockers.map(one).collect()
}

/// Whether the stated status follows.
fn status(record: &Value, version: u64, derived: &str, last: &Seen<'_>, found: &mut Found) {
    let mut refuse = |message: &str| found.add(Rule::StatusContradicted, "/status", message);
    match record["status"].as_str().filter(|_| version > 1) {
        Some("converged") => {
            if !last.complete {
                refuse("the loop is converged and its last round is not complete");
            } else if derived != "converged" {
                refuse(if last.full {
                    "the loop is converged and its last round is not clean"
                } else {
                    "the last round before convergence is a full one"
                });
            }
            if last.complete && !reconciled_of(last.lanes[2]) {
                found.add(Rule::Unreconciled, &format!("{}/scout/reconciliation", last.at), "a finding of the scout has no disposition");
            }
        }
        Some("deadlock") if derived != "deadlock" => refuse("the loop is deadlocked, and neither the cap nor a stuck blocker says so"),
        Some("drift") if version == 3 && last.round["drift_check"]["drifted"] != true => {
            refuse("the loop drifted, and no drift check failed")
        }
        Some("unverified_lane") if version == 3 && last.complete => {
            refuse("a lane is unverified, and every lane of the last round is complete")
        }
        Some(ended) if version == 3 && ended != "running" && !record["closed_at"].is_string() => {
            refuse("the loop ended, and nobody says when")
        }
        Some("running") if version == 3 && record["closed_at"].is_string() => refuse("the loop runs, and was closed"),
        Some("aborted" | "unverified_lane" | "drift" | "deadlock") if version == 3 && !is_said(&record["close_reason"]) => {
            refuse("the end is stated without a reason");
        }
        _ => {}
    }
}
