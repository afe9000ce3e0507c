//! The resolution loop, command by command: what converges, what never does, and what survives.

use serde_json::{Value, json};

use crate::kit::{Kit, Ran};

/// A loop over a working tree whose source prints the file `said`.
struct Loop {
    kit: Kit,
    id: String,
}

const FIRST: &str = "[high] src/lib.rs:1 — the index is not bounded\nVERDICT: needs-attention\n";

impl Loop {
    fn open() -> Loop {
        Loop::with(&[])
    }

    fn with(flags: &[&str]) -> Loop {
        let mut kit = Kit::new();
        kit.set("XDG_STATE_HOME", &kit.text("state"));
        kit.repo("r", &[("src/lib.rs", "one\n"), ("src/other.rs", "a\n"), ("CLAUDE.md", "# Mission\nbe right\n")]);
        kit.write("r/src/lib.rs", "two\n");
        kit.write("said", FIRST);
        let argv = json!(["cat", kit.text("said")]).to_string();
        let words = ["open-resolution", "--repo", "r", "--source", "command", "--argv", &argv];
        let id = kit.run(&[&words[..], flags].concat()).ok()["loop_id"].as_str().unwrap().to_owned();
        Loop { kit, id }
    }

    fn run(&self, words: &[&str]) -> Ran {
        self.kit.run(&[words, &["--repo", "r", "--loop-id", &self.id]].concat())
    }

    fn review(&self, text: &str) -> Value {
        self.kit.write("said", text);
        self.run(&["run-source"]).json
    }

    fn edit(&self, text: &str) {
        self.kit.write("r/src/lib.rs", text);
    }

    fn ids(&self) -> Vec<String> {
        let tracked = self.run(&["track-recurrence"]).ok();
        tracked["findings"].as_array().unwrap().iter().map(|f| f["finding"].as_str().unwrap().to_owned()).collect()
    }

    fn link(&self, identity: Option<&str>) -> Value {
        let links: serde_json::Map<String, Value> = self.ids().into_iter().map(|id| (id, json!(identity))).collect();
        self.kit.write("links", json!({"links": links}).to_string());
        self.run(&["track-recurrence", "--links", "links"]).ok()
    }

    fn diagnose(&self, identity: &str, word: &str) -> Value {
        self.kit.write("diagnoses", json!({"diagnoses": {identity: {"diagnosis": word, "basis": "read it again"}}}).to_string());
        self.run(&["track-recurrence", "--diagnoses", "diagnoses"]).ok()
    }

    /// Records the same entry for every finding of the round.
    fn settle(&self, entry: Value) -> Ran {
        let entries: Vec<Value> = self
            .ids()
            .into_iter()
            .map(|id| {
                let mut entry = entry.clone();
                entry["finding"] = json!(id);
                entry
            })
            .collect();
        self.kit.write("entries", json!({"entries": entries}).to_string());
        self.run(&["record-disposition", "--input", "entries"])
    }

    fn decision(&self) -> (i32, String, Value) {
        let ran = self.run(&["check-convergence"]);
        (ran.status, ran.json["decision"].as_str().unwrap_or_default().to_owned(), ran.json)
    }

    fn owes(&self) -> Vec<String> {
        let owed = self.decision().2["owed"].clone();
        owed.as_array().unwrap().iter().map(|o| o.as_str().unwrap().to_owned()).collect()
    }

    /// The folder of the loop, relative to the kit.
    fn dir(&self) -> String {
        let key = self.kit.list("state/review-loop").remove(0);
        format!("state/review-loop/{key}/resolution/{}", self.id)
    }
}

fn applied() -> Value {
    json!({"class": "mechanical", "outcome": "applied", "basis": "it is out of bounds", "basis_kind": "verify", "risk": "none"})
}

fn refuted() -> Value {
    json!({"class": "mechanical", "outcome": "dropped", "basis": "the caller checks", "basis_kind": "verify"})
}

fn asked(outcome: &str) -> Value {
    json!({"class": "judgment", "outcome": outcome, "basis": "told so", "basis_kind": "user", "risk": "none",
           "gate": {"id": "g1", "words": "leave it"}})
}

#[test]
fn an_approval_without_findings_converges_at_once_and_no_longer_after_an_edit() {
    let l = Loop::open();
    assert_eq!(l.owes(), ["review"]);
    l.review("No findings.\nVERDICT: approve\n");
    let (status, decision, json) = l.decision();
    assert_eq!((status, decision.as_str(), &json["converged_by"]), (0, "converged", &json!("approve")), "{json}");
    l.edit("three\n");
    assert_eq!((l.decision().0, l.owes()), (1, vec!["full_rereview".to_owned()]));
    l.edit("two\n");
    assert_eq!(l.decision().0, 0);
    l.kit.write("r/new.txt", "x\n");
    assert_eq!(l.decision().0, 1);
}

#[test]
fn every_finding_is_dispositioned_and_an_applied_edit_owes_a_full_review() {
    let l = Loop::open();
    l.review(FIRST);
    assert_eq!(l.owes(), ["disposition"]);
    assert_eq!(l.run(&["run-source"]).code(), "ROUND_OPEN");
    let early = l.settle(applied());
    assert_eq!((early.status, &early.json["violations"][0]["rule"]), (1, &json!("applied_without_edit")));
    l.edit("bounded\n");
    let done = l.settle(applied()).ok();
    assert_eq!((&done["moved"], &done["moved_unaccounted"]), (&json!(["src/lib.rs"]), &json!([])));
    assert_eq!(l.settle(applied()).ok()["already"], true);
    l.settle(refuted()).fails("ROUND_EXISTS");
    assert_eq!(l.owes(), ["full_rereview"]);
    l.review("No findings.\nVERDICT: approve\n");
    assert_eq!(l.decision().1, "converged");
}

#[test]
fn findings_beside_an_approval_that_land_no_edit_leave_it_standing() {
    let l = Loop::open();
    l.review("[high] src/lib.rs:1 — the index is not bounded\nVERDICT: approve\n");
    assert_eq!(l.owes(), ["disposition"]);
    l.settle(asked("dropped")).ok();
    let (status, _, json) = l.decision();
    assert_eq!((status, &json["converged_by"]), (0, &json!("approve")), "{json}");
    assert_eq!((&json["residual"][0]["grave"], &json["residual"][0]["outcome"]), (&json!(true), &json!("dropped")));
}

#[test]
fn nothing_new_converges_on_a_re_review_alone_and_says_that_the_source_did_not_approve() {
    let l = Loop::open();
    l.review(FIRST);
    l.settle(refuted()).ok();
    assert_eq!(l.owes(), ["full_rereview"]);
    l.review(FIRST);
    assert_eq!(l.owes(), ["sameness", "disposition"]);
    assert_eq!(l.settle(refuted()).code(), "SAMENESS_MISSING");
    l.link(Some(&format!("r1/{}", l.ids()[0])));
    l.settle(refuted()).ok();
    let (status, _, json) = l.decision();
    assert_eq!((status, &json["converged_by"]), (0, &json!("zero_new")));
    assert_eq!(json["reasons"], json!(["nothing_new", "source_did_not_approve"]));
}

#[test]
fn a_repair_that_comes_back_is_diagnosed_completed_once_and_then_a_person_settles_it() {
    let l = Loop::open();
    l.review(FIRST);
    let identity = format!("r1/{}", l.ids()[0]);
    l.edit("half\n");
    l.settle(applied()).ok();
    l.review(FIRST);
    let tracked = l.link(Some(&identity));
    let first = &tracked["findings"][0];
    assert_eq!((&first["informed"], &first["route"], &tracked["awaiting"]), (&json!("by_fix"), &json!("diagnose"), &json!([identity])));
    assert_eq!(l.owes(), ["diagnosis", "disposition"]);
    let put_away = l.settle(refuted());
    assert_eq!((put_away.status, &put_away.json["violations"][0]["rule"]), (1, &json!("suppression")));
    assert_eq!(l.diagnose(&identity, "incomplete_repair")["findings"][0]["route"], "reapply");
    assert_eq!(l.settle(refuted()).json["violations"][0]["rule"], "suppression");
    l.edit("whole\n");
    l.settle(applied()).ok();
    l.review(FIRST);
    assert_eq!(l.link(Some(&identity))["findings"][0]["route"], "gate");
    l.diagnose(&identity, "incomplete_repair");
    let (status, _, json) = l.decision();
    assert_eq!((status, &json["owed"], &json["gates"]), (3, &json!(["gate", "disposition"]), &json!([identity])), "{json}");
    assert_eq!(json["ask"]["code"], "design_gate");
    assert!(json["ask"]["question"].as_str().unwrap().contains("reported 3 times, in round 2 applied"), "{json}");
    l.edit("other\n");
    assert_eq!(l.settle(applied()).json["violations"][0]["rule"], "suppression");
    l.settle(asked("applied")).ok();
    assert_eq!(l.owes(), ["full_rereview"]);
}

#[test]
fn a_fix_that_never_reached_the_surface_is_no_recurrence() {
    let l = Loop::open();
    l.review(FIRST);
    let identity = format!("r1/{}", l.ids()[0]);
    l.edit("fixed\n");
    l.settle(applied()).ok();
    l.edit("two\n");
    l.review(FIRST);
    assert_eq!(l.link(Some(&identity))["findings"][0]["route"], "fix_not_landed");
}

#[test]
fn a_dismissed_instance_is_absorbed_every_time_and_stays_as_residual() {
    let l = Loop::open();
    l.review(FIRST);
    let identity = format!("r1/{}", l.ids()[0]);
    l.settle(asked("carried")).ok();
    for _ in 0..3 {
        l.review(FIRST);
        let row = l.link(Some(&identity))["findings"][0].clone();
        assert_eq!((&row["route"], &row["informed"], &row["last"]["outcome"]), (&json!("absorb"), &json!("no"), &json!("carried")));
        let prior = json!({"class": "judgment", "outcome": "carried", "basis": "as before", "basis_kind": "prior"});
        l.settle(prior).ok();
        let (status, _, json) = l.decision();
        assert_eq!((status, &json["residual"][0]["identity"]), (0, &json!(identity)));
    }
}

fn decided(text: &str, identity: &str) -> Value {
    json!({"text": text, "user_words": "keep it blocking, I mean it", "basis": "plugins come first", "kind": "decision",
           "holds_independent_of_code": true, "gate": "g1", "settles": [identity]})
}

#[test]
fn a_decision_that_was_sent_along_is_contested_at_once() {
    let l = Loop::open();
    l.review(FIRST);
    let identity = format!("r1/{}", l.ids()[0]);
    l.kit.write("d", decided("The loader blocks.", &identity).to_string());
    let taken = l.run(&["record-decision", "--input", "d"]).ok();
    assert_eq!((&taken["id"], &taken["already"]), (&json!("D-1"), &json!(false)));
    assert_eq!(l.run(&["record-decision", "--input", "d"]).ok()["already"], true);
    l.settle(asked("dropped")).ok();
    l.review(FIRST);
    let prompt = l.kit.read(&format!("{}/rounds/002/prompt", l.dir()));
    assert!(prompt.contains("\"The loader blocks.\" — it rests on: \"plugins come first\""), "{prompt}");
    for leak in [identity.as_str(), "D-1", "keep it blocking", "the index is not bounded", "in round"] {
        assert!(!prompt.contains(leak), "{leak}");
    }
    let row = l.link(Some(&identity))["findings"][0].clone();
    assert_eq!((&row["informed"], &row["route"]), (&json!("by_decision"), &json!("diagnose")));
    assert_eq!(l.settle(asked("dropped")).json["violations"][0]["rule"], "suppression");
    assert_eq!(l.diagnose(&identity, "design_disagreement")["findings"][0]["route"], "gate");
    let mut newer = decided("The loader blocks up to one second.", &identity);
    (newer["event"], newer["supersedes"]) = (json!("supersede"), json!("D-1"));
    l.kit.write("d", newer.to_string());
    assert_eq!(l.run(&["record-decision", "--input", "d"]).ok()["in_force"].as_array().unwrap().len(), 1);
    l.run(&["record-decision", "--input", "d"]).ok();
    l.settle(asked("dropped")).ok();
    let (status, _, json) = l.decision();
    assert_eq!((status, &json["converged_by"]), (0, &json!("zero_new")), "{json}");
    let trace = l.run(&["render-trace"]).ok()["text"].as_str().unwrap().to_owned();
    assert!(trace.contains("Note: decision D-1 is superseded by D-2"), "{trace}");
    let offer = l.run(&["list-carryover"]).ok()["offers"][0].clone();
    assert_eq!(offer["home"], "ask");
    assert!(offer["body"].as_str().unwrap().contains("```text\nkeep it blocking, I mean it\n```"), "{offer}");
}

#[test]
fn what_is_no_decision_does_not_enter_the_ledger() {
    let l = Loop::open();
    l.review(FIRST);
    let identity = format!("r1/{}", l.ids()[0]);
    let record = |change: &dyn Fn(&mut Value)| {
        let mut decision = decided("The loader blocks.", &identity);
        change(&mut decision);
        l.kit.write("d", decision.to_string());
        l.run(&["record-decision", "--input", "d"])
    };
    let suppressing = record(&|d| d["text"] = json!("The loader blocks; do not flag it again."));
    assert_eq!((suppressing.status, &suppressing.json["hits"][0]["rule"]), (1, &json!("do_not_reflag")));
    assert_eq!(record(&|d| d["basis"] = json!("it was fixed in round 2")).status, 1);
    let parted = record(&|d| (d["text"], d["basis"]) = (json!("Nobody should ever"), json!("flag the blocking read")));
    assert_eq!((parted.status, &parted.json["hits"][0]["slot"]), (1, &json!("")));
    record(&|d| d["text"] = json!("a\u{0}b")).fails("BAD_SHAPE");
    record(&|d| d["user_words"] = json!(" ")).fails("BAD_SHAPE");
    record(&|d| d["gate"] = Value::Null).fails("BAD_SHAPE");
    record(&|d| d["kind"] = json!("dismissal")).fails("BAD_SHAPE");
    record(&|d| d["holds_independent_of_code"] = json!(false)).fails("BAD_SHAPE");
    record(&|d| d["settles"] = json!(["r9/x"])).fails("UNKNOWN_SAME_AS");
    record(&|d| (d["event"], d["supersedes"]) = (json!("supersede"), json!("D-7"))).fails("DECISION_CONFLICT");
    assert!(l.kit.list(&l.dir()).iter().all(|n| n != "decisions.jsonl"));
    // A person excuses one exact text, and it is sent.
    let domain = record(&|d| d["text"] = json!("Do not flag an account as inactive before 90 days."));
    let sha256 = domain.json["hits"][0]["sha256"].as_str().unwrap();
    l.kit.write("e", json!([{"rule": "do_not_reflag", "sha256": sha256, "reason": "accounts are flagged, not findings"}]).to_string());
    l.run(&["record-decision", "--input", "d", "--exceptions", "e"]).ok();
    l.settle(refuted()).ok();
    l.review("No findings.\nVERDICT: approve\n");
    assert_eq!(l.decision().1, "converged");
    assert!(l.kit.read(&format!("{}/rounds/002/prompt", l.dir())).contains("Do not flag an account as inactive"));
}

#[test]
fn what_a_reviewer_found_before_it_spoiled_its_own_review_is_owed() {
    let l = Loop::open();
    let script = format!("echo spoiled >> a_note; printf '{}'", FIRST.replace('\n', "\\n"));
    let argv = json!(["sh", "-c", script]).to_string();
    let id =
        l.kit.run(&["open-resolution", "--repo", "r", "--source", "command", "--argv", &argv]).ok()["loop_id"].as_str().unwrap().to_owned();
    let run = |words: &[&str]| l.kit.run(&[words, &["--repo", "r", "--loop-id", &id]].concat());
    let first = run(&["run-source"]);
    assert_eq!((first.status, &first.json["unproven_because"]), (1, &json!("surface_changed")));
    run(&["run-source"]).fails("ROUND_OPEN");
    assert_eq!(run(&["check-convergence"]).json["owed"], json!(["disposition", "full_rereview"]));
}

#[test]
fn an_answer_that_cannot_be_relied_on_and_found_nothing_is_made_again_in_the_same_round() {
    let l = Loop::open();
    l.review("[high src/lib.rs:1 broken bracket\nVERDICT: approve\n");
    assert_ne!(l.decision().1, "converged");
    l.review("No findings.\nVERDICT: approve\n");
    assert_eq!((l.decision().1.as_str(), &l.decision().2["round"]), ("converged", &json!(1)));
}

#[test]
fn a_round_or_a_file_that_is_gone_or_foreign_is_found_out() {
    let approved = || {
        let l = Loop::open();
        l.review(FIRST);
        l.settle(refuted()).ok();
        l.review("No findings.\nVERDICT: approve\n");
        assert_eq!(l.decision().1, "converged");
        l
    };
    let l = approved();
    std::fs::remove_dir_all(l.kit.path(&format!("{}/rounds/002", l.dir()))).unwrap();
    assert_eq!(l.run(&["check-convergence"]).json["ask"]["code"], "unbound_claims");
    let l = approved();
    std::fs::remove_dir_all(l.kit.path(&format!("{}/rounds/001", l.dir()))).unwrap();
    l.run(&["check-convergence"]).fails("INVALID_STATE");
    let l = approved();
    let path = format!("{}/rounds/002/review.json", l.dir());
    let mut review = l.kit.json(&path);
    review["bound"]["bundle_sha256"] = Value::Null;
    l.kit.write(&path, review.to_string());
    assert_eq!(l.run(&["check-convergence"]).json["decision"], "blocked");
    // A review of another loop.
    let (a, b) = (approved(), Loop::open());
    let from = a.kit.path(&format!("{}/rounds/002", a.dir()));
    let to = b.kit.path(&format!("{}/rounds/001", b.dir()));
    std::fs::create_dir_all(&to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten().filter(|e| e.path().is_file()) {
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    assert_ne!(b.run(&["check-convergence"]).json["decision"], "converged");
    let l = approved();
    std::fs::remove_file(l.kit.path(&format!("{}/loop.json", l.dir()))).unwrap();
    assert_eq!(l.kit.run(&["show-status", "--repo", "r"]).ok()["loops"][0]["status"], "damaged");
}

#[test]
fn what_is_checked_out_elsewhere_settles_nothing() {
    let l = Loop::open();
    l.review(FIRST);
    l.kit.git("r", &["checkout", "-q", "--orphan", "elsewhere"]);
    l.kit.git("r", &["commit", "-q", "-m", "new root"]);
    l.settle(applied()).fails("STALE_STATE");
}

#[test]
fn a_state_folder_that_holds_sources_is_refused() {
    let kit = Kit::new();
    kit.repo("r", &[("src/lib.rs", "one\n")]);
    kit.write("r/src/lib.rs", "two\n");
    kit.run(&["open-resolution", "--repo", "r", "--source", "checks", "--state-dir", "r/src"]).fails("INVALID_PATH");
    kit.run(&["open-resolution", "--repo", "r", "--source", "checks", "--state-dir", "s", "--own-dir", "r/src"]).fails("INVALID_PATH");
    kit.run(&["open-resolution", "--repo", "r", "--source", "checks", "--state-dir", "r/.state"]).ok();
}

#[test]
fn a_line_of_the_ledger_that_a_kill_cut_off_is_moved_aside() {
    let l = Loop::open();
    l.review(FIRST);
    let identity = format!("r1/{}", l.ids()[0]);
    let ledger = format!("{}/decisions.jsonl", l.dir());
    l.kit.write("d", decided("The loader blocks.", &identity).to_string());
    l.run(&["record-decision", "--input", "d"]).ok();
    let whole = l.kit.read(&ledger);
    l.kit.write(&ledger, format!("{whole}{{\"schema_version\":1,\"ev"));
    assert_eq!(l.run(&["show-status"]).ok()["resolution"]["torn_tail"], true);
    l.kit.write("d", decided("Money is counted in cents.", &identity).to_string());
    let taken = l.run(&["record-decision", "--input", "d"]).ok();
    assert!(taken["torn_tail"].as_str().unwrap().ends_with("decisions.jsonl.torn-1"), "{taken}");
    assert_eq!((taken["id"].as_str(), l.kit.read(&ledger).lines().count()), (Some("D-2"), 2));
    l.kit.write(&ledger, format!("{}not json\n", l.kit.read(&ledger)));
    assert_eq!(l.run(&["show-status"]).fails("BAD_JSON")["error"]["line"], 3);
}

#[test]
fn what_proves_nothing_never_converges_and_is_reviewed_again_in_the_same_round() {
    let l = Loop::open();
    for nothing in ["", "   \n", "I will read the diff first.\n", "{\"error\":\"rate limited\"}\n"] {
        l.review(nothing);
        let (status, decision, json) = l.decision();
        assert_eq!((status, decision.as_str(), &json["owed"]), (1, "continue", &json!(["source_answer"])), "{nothing:?} {json}");
        assert_eq!(l.settle_nothing().code(), "NOT_REVIEWED");
    }
    l.review("No findings.\nVERDICT: approve\n");
    assert_eq!((l.decision().1.as_str(), l.decision().2["round"].as_u64()), ("converged", Some(1)));
    assert_eq!(l.kit.list(&format!("{}/rounds/001", l.dir())).iter().filter(|n| n.starts_with("attempt-")).count(), 5);
}

impl Loop {
    fn settle_nothing(&self) -> Ran {
        self.kit.write("entries", "{\"entries\":[]}");
        self.run(&["record-disposition", "--input", "entries"])
    }
}

#[test]
fn an_answer_that_cannot_be_read_whole_or_contradicts_itself_proves_nothing() {
    let l = Loop::open();
    l.review("VERDICT: approve\nVERDICT: needs-attention\n");
    assert_ne!(l.decision().1, "converged");
    l.settle_nothing();
    let l = Loop::open();
    l.review("VERDICT: needs-attention\n");
    let ran = l.run(&["check-convergence"]);
    assert_eq!((ran.status, &ran.json["ask"]["code"]), (3, &json!("empty_needs_attention")), "{}", ran.stdout);
    l.review("No findings.\nVERDICT: approve\n");
    assert_eq!(l.decision().1, "converged");
}

#[test]
fn whoever_changes_one_file_of_a_loop_is_found_out() {
    let files = ["review.json", "bundle.json", "prompt", "surface.json", "attempt-1/answer", "dispositions.json"];
    for file in files {
        let l = Loop::open();
        l.review(FIRST);
        l.settle(refuted()).ok();
        l.review("No findings.\nVERDICT: approve\n");
        assert_eq!(l.decision().1, "converged");
        let path = format!("{}/rounds/001/{file}", l.dir());
        let text = l.kit.read(&path);
        let edited = match file {
            "review.json" => text.replace("\"needs_attention\"", "\"approve\""),
            "dispositions.json" => text.replace("the caller checks", "whatever"),
            "bundle.json" => text.replace("be right", "x").replace("\"captures\": []", "\"captures\":  []"),
            _ => format!("{text} "),
        };
        assert_ne!(edited, text, "{file}");
        l.kit.write(&path, edited);
        let (status, decision, json) = l.decision();
        assert_eq!((status, decision.as_str(), &json["ask"]["code"]), (3, "blocked", &json!("unbound_claims")), "{file}: {json}");
        assert!(!json["unbound"].as_array().unwrap().is_empty(), "{file}");
    }
    // The last review itself: its answer is read again.
    let l = Loop::open();
    l.review(FIRST);
    let path = format!("{}/rounds/001/review.json", l.dir());
    let mut review: Value = l.kit.json(&path);
    (review["answer"]["verdict"], review["answer"]["findings"]) = (json!("approve"), json!([]));
    l.kit.write(&path, review.to_string());
    assert_eq!(l.decision().2["unbound"][0]["claim"], "answer_differs");
}

#[test]
fn the_surface_that_is_reviewed_again_is_the_one_that_was_captured() {
    let l = Loop::open();
    l.review(FIRST);
    l.edit("bounded\n");
    l.settle(applied()).ok();
    // Committing the change moves HEAD, and the surface stays what differs from the captured base.
    l.kit.git("r", &["commit", "-q", "-am", "fix"]);
    let review = l.review("No findings.\nVERDICT: approve\n");
    assert_eq!(review["verdict"], "approve", "{review}");
    assert_eq!(l.decision().1, "converged");
    let prompt = l.kit.read(&format!("{}/rounds/002/prompt", l.dir()));
    assert!(prompt.contains("M \"src/lib.rs\""), "{prompt}");
    l.kit.git("r", &["checkout", "-q", "--orphan", "elsewhere"]);
    l.kit.git("r", &["commit", "-q", "-m", "new root"]);
    let ran = l.run(&["check-convergence"]);
    assert_eq!((ran.status, &ran.json["ask"]["code"]), (3, &json!("base_lost")));
    assert_eq!(l.run(&["run-source"]).json["ask"]["code"], "base_lost");
}

#[test]
fn a_change_that_vanished_asks_and_never_approves() {
    let l = Loop::open();
    l.review(FIRST);
    l.settle(refuted()).ok();
    l.edit("one\n");
    assert_eq!(l.run(&["run-source"]).json["ask"]["code"], "surface_emptied");
    let ran = l.run(&["check-convergence"]);
    assert_eq!((ran.status, &ran.json["ask"]["code"]), (3, &json!("surface_emptied")));
}

#[test]
fn a_person_ends_the_loop_at_once_and_that_is_no_convergence() {
    let l = Loop::open();
    l.review(FIRST);
    let ran = l.run(&["check-convergence", "--exit"]);
    assert_eq!((ran.status, &ran.json["decision"]), (1, &json!("exit")));
    l.run(&["run-source"]).fails("LOOP_ENDED");
    l.settle(refuted()).fails("LOOP_ENDED");
    let status = l.run(&["show-status"]).ok();
    assert_eq!((&status["loops"][0]["status"], &status["next"]["command"]), (&json!("exit"), &json!("list-carryover")));
    l.run(&["list-carryover"]).ok();
}

#[test]
fn a_cap_on_rounds_asks_and_never_converges() {
    let l = Loop::with(&["--max-rounds", "1"]);
    l.review(FIRST);
    // What needs no further review is paid first, cap or not.
    assert_eq!(l.decision().1, "continue");
    l.edit("bounded\n");
    l.settle(applied()).ok();
    for command in ["check-convergence", "run-source"] {
        let ran = l.run(&[command]);
        assert_eq!((ran.status, &ran.json["ask"]["code"]), (3, &json!("round_limit")), "{}", ran.stdout);
    }
    assert_eq!(l.decision().1, "blocked");
    assert_eq!(l.run(&["run-source", "--max-rounds", "2"]).ok()["verdict"], "needs_attention");
}

#[test]
fn a_file_that_somebody_put_into_a_loop_is_no_file_of_the_loop() {
    for (name, text) in [
        ("decisions.jsonl", "{}\n"),
        ("exceptions.json", "{}"),
        ("rounds/001/draft.json", "{}"),
        ("rounds/002/review.json", "{}"),
        ("rounds/002/prompt", "Approve."),
    ] {
        let l = Loop::open();
        l.review(FIRST);
        l.kit.write(&format!("{}/{name}", l.dir()), text);
        l.run(&["run-source"]).fails("FORGED_STATE");
        assert!(matches!(l.decision().1.as_str(), "" | "blocked"), "{name}");
    }
}

#[test]
fn no_command_builds_upon_a_file_that_is_not_as_it_was_written() {
    // A review that is gone is not made good by another one.
    let l = Loop::open();
    l.review("[critical] src/lib.rs:1 — the index is not bounded\nVERDICT: needs-attention\n");
    std::fs::remove_dir_all(l.kit.path(&format!("{}/rounds", l.dir()))).unwrap();
    assert_eq!((l.decision().0, l.decision().1.as_str(), l.owes()), (3, "blocked", vec!["new_loop".to_owned()]));
    l.kit.write("said", "No findings.\nVERDICT: approve\n");
    let refused = l.run(&["run-source"]).fails("FORGED_STATE");
    assert!(refused["error"]["path"].as_str().unwrap().contains("/rounds/001/"), "{refused}");
    assert_ne!(l.decision().0, 0);
    // Nor are dispositions, a decision or a draft.
    let l = Loop::open();
    l.review(FIRST);
    l.kit.write("d", decided("The loader blocks.", &format!("r1/{}", l.ids()[0])).to_string());
    l.run(&["record-decision", "--input", "d"]).ok();
    l.settle(asked("carried")).ok();
    let kept = l.kit.read(&format!("{}/rounds/001/dispositions.json", l.dir()));
    std::fs::remove_file(l.kit.path(&format!("{}/rounds/001/dispositions.json", l.dir()))).unwrap();
    l.settle(refuted()).fails("FORGED_STATE");
    l.kit.write(&format!("{}/rounds/001/dispositions.json", l.dir()), &kept);
    let ledger = l.kit.read(&format!("{}/decisions.jsonl", l.dir()));
    std::fs::remove_file(l.kit.path(&format!("{}/decisions.jsonl", l.dir()))).unwrap();
    l.run(&["record-decision", "--input", "d"]).fails("FORGED_STATE");
    l.kit.write(&format!("{}/decisions.jsonl", l.dir()), ledger);
    assert_eq!(l.run(&["record-decision", "--input", "d"]).ok()["already"], true);
    let l = Loop::open();
    l.review(FIRST);
    let mut entry = applied();
    entry["finding"] = json!(l.ids()[0]);
    l.kit.write("entries", json!({"entries": [entry]}).to_string());
    l.run(&["record-disposition", "--draft", "--input", "entries"]);
    let draft = format!("{}/rounds/001/draft.json", l.dir());
    l.kit.write(&draft, l.kit.read(&draft).replace("applied", "dropped"));
    l.run(&["record-disposition", "--draft", "--input", "entries"]).fails("FORGED_STATE");
    assert_eq!(l.decision().1, "blocked");
}

#[test]
fn a_kill_between_a_file_and_its_digest_leaves_a_loop_that_goes_on() {
    let mut l = Loop::open();
    l.review(FIRST);
    l.kit.write("d", decided("The loader blocks.", &format!("r1/{}", l.ids()[0])).to_string());
    l.kit.set("REVIEW_LOOP_TEST_FAILPOINT", "file-written");
    let entries = json!({"entries": [{"finding": l.ids()[0], "class": "mechanical", "outcome": "dropped", "basis": "the caller checks", "basis_kind": "verify"}]});
    l.kit.write("entries", entries.to_string());
    assert_eq!(l.run(&["record-disposition", "--input", "entries"]).status, -1);
    l.kit.unset("REVIEW_LOOP_TEST_FAILPOINT");
    // Another command writes another file: what was left half done is taken over first.
    l.run(&["record-decision", "--input", "d"]).ok();
    assert_eq!(l.run(&["record-disposition", "--input", "entries"]).ok()["already"], true);
    l.review("No findings.\nVERDICT: approve\n");
    assert_eq!((l.decision().0, l.decision().2["unbound"].clone()), (0, json!([])));
}

#[test]
fn an_approval_does_not_outlive_a_decision_that_it_was_given_under() {
    let l = Loop::open();
    l.review(FIRST);
    let first = l.ids().remove(0);
    l.kit.write("d", decided("The loader blocks.", &format!("r1/{}", l.ids()[0])).to_string());
    l.run(&["record-decision", "--input", "d"]).ok();
    l.settle(asked("dropped")).ok();
    l.review("No findings.\nVERDICT: approve\n");
    assert_eq!(l.decision().1, "converged");
    let mut other = decided("The loader is lazy.", &format!("r1/{}", first));
    (other["event"], other["supersedes"]) = (json!("supersede"), json!("D-1"));
    l.kit.write("d", other.to_string());
    l.run(&["record-decision", "--input", "d"]).ok();
    let (status, _, json) = l.decision();
    assert_eq!((status, &json["reasons"]), (1, &json!(["decision_retired"])), "{json}");
    l.review("No findings.\nVERDICT: approve\n");
    assert_eq!(l.decision().1, "converged");
}

#[test]
fn a_dismissal_does_not_outlive_the_decision_that_it_rests_on() {
    for successor in [false, true] {
        let l = Loop::open();
        l.review("[high] src/lib.rs:1 — the index is not bounded\nVERDICT: approve\n");
        let identity = format!("r1/{}", l.ids()[0]);
        l.kit.write("d", decided("The loader blocks.", &identity).to_string());
        l.run(&["record-decision", "--input", "d"]).ok();
        l.settle(asked("dropped")).ok();
        assert_eq!(l.decision().1, "converged");
        let event = if successor {
            let mut other = decided("The loader is lazy.", "r1/none");
            (other["event"], other["supersedes"], other["settles"], other["gate"]) =
                (json!("supersede"), json!("D-1"), json!([]), json!("g2"));
            other
        } else {
            json!({"event": "retire", "id": "D-1", "reason": "changed my mind"})
        };
        l.kit.write("d", event.to_string());
        l.run(&["record-decision", "--input", "d"]).ok();
        let (status, _, json) = l.decision();
        assert_eq!((status, &json["reasons"]), (1, &json!(["dismissal_reopened"])), "{json}");
        assert_eq!(json["owed"], json!(["full_rereview"]));
    }
}

#[test]
fn a_decision_of_this_round_puts_away_nothing_that_its_gate_was_not_asked_about() {
    let l = Loop::open();
    l.review("[low] src/lib.rs:1 — the name is short\n[critical] src/lib.rs:1 — it deletes the table\nVERDICT: approve\n");
    let ids = l.ids();
    l.kit.write("d", decided("Names are short.", &format!("r1/{}", ids[0])).to_string());
    l.run(&["record-decision", "--input", "d"]).ok();
    let mut first = asked("dropped");
    first["finding"] = json!(ids[0]);
    let with = |mut second: Value| {
        second["finding"] = json!(ids[1]);
        l.kit.write("entries", json!({"entries": [first, second]}).to_string());
        let ran = l.run(&["record-disposition", "--input", "entries"]);
        (ran.status, ran.json["violations"][0]["rule"].as_str().unwrap_or_default().to_owned())
    };
    let prior = json!({"class": "judgment", "outcome": "dropped", "basis": "decided", "basis_kind": "prior", "settled_by": "D-1"});
    assert_eq!(with(prior), (1, "settled_by_unknown".to_owned()));
    let repeated = json!({"class": "mechanical", "outcome": "dropped", "basis": "same", "basis_kind": "duplicate", "settled_by": ids[0]});
    assert_eq!(with(repeated), (1, "duplicate_graver".to_owned()));
    assert_eq!(with(asked("dropped")).0, 0);
}

#[test]
fn the_status_says_what_comes_next_from_the_files_alone() {
    let l = Loop::open();
    let next = || l.run(&["show-status"]).ok()["next"]["command"].as_str().map(str::to_owned);
    assert_eq!(next().as_deref(), Some("run-source"));
    l.review(FIRST);
    assert_eq!(next().as_deref(), Some("record-disposition"));
    l.settle(refuted()).ok();
    assert_eq!(next().as_deref(), Some("run-source"));
    l.review(FIRST);
    assert_eq!(next().as_deref(), Some("track-recurrence"));
    let all = l.kit.run(&["show-status", "--repo", "r"]).ok();
    assert_eq!((&all["loops"][0]["loop_id"], &all["loops"][0]["round"]), (&json!(l.id), &json!(2)));
    l.kit.run(&["show-status", "--repo", "r", "--loop-id", "gone"]).fails("STATE_MISSING");
    l.kit.run(&["check-convergence", "--repo", "r"]).fails("INVALID_ARGUMENT");
    l.kit.run(&["check-convergence", "--repo", "r", "--loop-id", "../x"]).fails("BAD_ID");
}

#[test]
fn links_say_something_about_every_finding_and_name_what_is_there() {
    let l = Loop::open();
    l.review("[high] src/lib.rs:1 — the index is not bounded\n[low] src/lib.rs:1 — a name is odd\nVERDICT: needs-attention\n");
    l.settle(refuted()).ok();
    l.review(FIRST);
    let ids = l.ids();
    let links = |value: Value| {
        l.kit.write("links", json!({"links": value}).to_string());
        l.run(&["track-recurrence", "--links", "links"])
    };
    links(json!({})).fails("BAD_SHAPE");
    links(json!({"nobody": null})).fails("BAD_SHAPE");
    links(json!({ids[0].clone(): "r2/x"})).fails("UNKNOWN_SAME_AS");
    links(json!({ids[0].clone(): 7})).fails("BAD_SHAPE");
    let tracked = l.run(&["track-recurrence"]).ok();
    assert_eq!(tracked["findings"][0]["resembles"], json!([format!("r1/{}", ids[0])]));
    links(json!({ids[0].clone(): null})).ok();
    l.kit.write("diagnoses", json!({"diagnoses": {"r1/x": {"diagnosis": "incomplete_repair", "basis": "b"}}}).to_string());
    l.run(&["track-recurrence", "--diagnoses", "diagnoses"]).fails("UNKNOWN_SAME_AS");
}

#[test]
fn the_session_writes_itself_after_two_rounds_of_findings_that_its_edits_caused() {
    let l = Loop::open();
    for (round, caused, tier) in [(1, false, "low"), (2, true, "low"), (3, true, "session"), (4, false, "low")] {
        l.review(&format!("[low] src/lib.rs:1 — oddity number {round}{round}{round}\nVERDICT: needs-attention\n"));
        if round > 1 {
            let ids = l.ids();
            let links: serde_json::Map<String, Value> = ids.iter().map(|id| (id.clone(), Value::Null)).collect();
            let caused: Vec<&String> = ids.iter().filter(|_| caused).collect();
            l.kit.write("links", json!({"links": links, "caused_by_fix": caused}).to_string());
            assert_eq!(l.run(&["track-recurrence", "--links", "links"]).ok()["write_tier"], tier, "round {round}");
        }
        l.settle(refuted()).ok();
    }
    l.kit.write("links", json!({"links": {}, "caused_by_fix": ["x"]}).to_string());
    assert_eq!(l.run(&["track-recurrence", "--links", "links"]).code(), "ROUND_EXISTS");
}

#[test]
fn a_decision_is_contested_by_what_was_settled_at_its_gate_too() {
    let l = Loop::open();
    l.review(FIRST);
    let identity = format!("r1/{}", l.ids()[0]);
    let mut decision = decided("The loader blocks.", &identity);
    decision["settles"] = json!([]);
    l.kit.write("d", decision.to_string());
    l.run(&["record-decision", "--input", "d"]).ok();
    l.settle(asked("dropped")).ok();
    l.review(FIRST);
    assert_eq!(l.link(Some(&identity))["findings"][0]["route"], "diagnose");
}

#[test]
fn what_was_verified_or_said_in_the_middle_of_a_round_is_kept() {
    let l = Loop::open();
    l.review("[high] src/lib.rs:1 — the index is not bounded\n[low] src/lib.rs:1 — a name is odd\nVERDICT: needs-attention\n");
    let ids = l.ids();
    let entry = |id: &str, mut entry: Value| {
        entry["finding"] = json!(id);
        l.kit.write("entries", json!({"entries": [entry]}).to_string());
    };
    entry(&ids[0], asked("dropped"));
    let kept = l.run(&["record-disposition", "--input", "entries", "--draft"]).ok();
    assert_eq!((&kept["recorded"], &kept["drafted"]), (&json!(false), &json!([ids[0]])));
    assert_eq!(l.run(&["show-status"]).ok()["resolution"]["drafted"], json!([ids[0]]));
    entry("nobody", asked("dropped"));
    assert_eq!(l.run(&["record-disposition", "--input", "entries", "--draft"]).status, 1);
    entry(&ids[1], refuted());
    assert_eq!(l.run(&["record-disposition", "--input", "entries"]).ok()["counts"]["dropped"], 2);
    let fix = json!({"path": "src/lib.rs", "line": 1, "basis": "seen", "direction": "bound it", "risk": "none"});
    l.kit.write("brief", json!({"fixes": [fix]}).to_string());
    l.review(FIRST);
    l.run(&["check-brief", "--brief", "brief"]).ok();
    assert!(l.run(&["show-status"]).ok()["resolution"]["brief"].as_str().unwrap().ends_with("002/brief.json"));
}

#[test]
fn a_judgment_that_the_purpose_of_the_change_closes_needs_nobody_and_one_asked_again_is_said() {
    let l = Loop::open();
    l.review(FIRST);
    let identity = format!("r1/{}", l.ids()[0]);
    let closed = json!({"class": "judgment", "outcome": "dropped", "basis": "the change removes it", "basis_kind": "verify",
                        "license": {"kind": "pr_purpose", "citation": "title: remove the index"}});
    l.settle(closed).ok();
    l.review(FIRST);
    l.link(Some(&identity));
    assert_eq!(l.settle(asked("dropped")).ok()["over_gated"], json!(l.ids()));
}

#[test]
fn a_source_that_fails_gives_way_to_the_one_that_a_person_names() {
    let l = Loop::open();
    l.review(FIRST);
    l.settle(refuted()).ok();
    l.run(&["run-source", "--source", "checks"]).fails("LOOP_MISMATCH");
    l.review("");
    l.run(&["run-source", "--source", "checks"]).ok();
    assert_eq!(l.run(&["show-status"]).ok()["resolution"]["source"], "checks");
    assert_eq!(l.decision().1, "converged");
}

#[test]
fn a_trace_reads_back_as_it_was_rendered() {
    let l = Loop::open();
    l.review("[high] src/lib.rs:1 — the [index] → is not bounded\nVERDICT: needs-attention\n");
    l.settle(asked("dropped")).ok();
    let rendered = l.run(&["render-trace", "--output", "trace"]).ok();
    let back = l.kit.run(&["render-trace", "--input", "trace"]).ok();
    assert_eq!(back["rounds"], rendered["rounds"]);
    assert!(rendered["text"].as_str().unwrap().contains("  Relay: none\n  Gated:\n"), "{rendered}");
    l.run(&["render-trace", "--round", "2"]).fails("INVALID_ROUND");
    l.kit.write("trace", "hello\n");
    l.kit.run(&["render-trace", "--input", "trace"]).fails("BAD_SHAPE");
}

#[test]
fn a_brief_is_checked_before_and_after_the_writing() {
    let l = Loop::open();
    l.review(FIRST);
    let site = json!({"path": "src/other.rs", "line": 1, "verified": true, "risk": "none"});
    let fix = json!({"path": "src/lib.rs", "line": 1, "basis": "seen", "direction": "bound it", "risk": "substrate",
                     "predicate": "an index without a bound", "sites": [site]});
    l.kit.write("brief", json!({"fixes": [fix]}).to_string());
    let sound = l.run(&["check-brief", "--brief", "brief"]).ok();
    assert_eq!(sound["substrate"], json!(["/fixes/0"]));
    l.edit("bounded\n");
    let half = l.run(&["check-brief", "--brief", "brief", "--written"]);
    assert_eq!((half.status, &half.json["violations"][0]["rule"]), (1, &json!("not_moved")));
    l.kit.write("r/src/other.rs", "b\n");
    l.run(&["check-brief", "--brief", "brief", "--written"]).ok();
    l.kit.write("r/src/third.rs", "c\n");
    let more = l.run(&["check-brief", "--brief", "brief", "--written"]);
    assert_eq!((more.status, &more.json["violations"][0]["rule"]), (1, &json!("unbriefed_write")));
    l.kit.write("brief", json!({"fixes": [{"path": "src/lib.rs", "line": 99}]}).to_string());
    let open = l.run(&["check-brief", "--brief", "brief"]);
    let rules: Vec<&str> = open.json["violations"].as_array().unwrap().iter().map(|v| v["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["basis_missing", "direction_missing", "place_unknown", "risk_missing"]);
    let made = json!({"path": "tests/new.rs", "new": true, "basis": "seen", "direction": "a test", "risk": "none"});
    l.kit.write("brief", json!({"fixes": [made]}).to_string());
    l.run(&["check-brief", "--brief", "brief"]).ok();
    let mut stray = made;
    stray["findings"] = json!(["F-99"]);
    l.kit.write("brief", json!({"fixes": [stray]}).to_string());
    let stray = l.run(&["check-brief", "--brief", "brief"]);
    assert_eq!((stray.status, &stray.json["violations"][0]["rule"]), (1, &json!("finding_unknown")));
    l.kit.write("brief", json!({"fixes": [{"path": "../x", "line": 1}]}).to_string());
    l.run(&["check-brief", "--brief", "brief"]).fails("BAD_SHAPE");
}

#[test]
fn an_answer_that_the_agent_got_is_bound_to_the_prompt_it_was_got_with() {
    let mut kit = Kit::new();
    kit.set("XDG_STATE_HOME", &kit.text("state"));
    crate::sources::program(&mut kit, "claude", "exit 127");
    kit.repo("r", &[("a.rs", "one\n")]);
    kit.write("r/a.rs", "two\n");
    assert_eq!(kit.run(&["open-resolution", "--repo", "r", "--source", "code-review"]).json["ask"]["code"], "source_unavailable");
    let id = kit.run(&["open-resolution", "--repo", "r", "--source", "code-review", "--host-review"]).ok()["loop_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let run = |words: &[&str]| kit.run(&[words, &["--repo", "r", "--loop-id", &id]].concat());
    kit.write("answer", "[]\n");
    run(&["run-source", "--answer", "answer"]).fails("INVALID_ARGUMENT");
    let prompt = run(&["render-prompt"]).ok();
    assert!(prompt["skill_args"].as_str().unwrap().starts_with("high "), "{prompt}");
    let answer = run(&["run-source", "--answer", "answer"]).ok();
    assert_eq!(
        (&answer["verdict"], &answer["obtained_by"], &answer["prompt_hash"]),
        (&json!("approve"), &json!("agent"), &prompt["prompt_hash"])
    );
    assert_eq!(run(&["check-convergence"]).ok()["decision"], "converged");
    // A second one, with an edit between prompt and answer.
    kit.write("r/a.rs", "three\n");
    run(&["render-prompt"]).ok();
    kit.write("r/a.rs", "four\n");
    let stale = run(&["run-source", "--answer", "answer"]);
    assert_eq!((stale.status, &stale.json["unproven_because"]), (1, &json!("surface_changed")));
    kit.write("findings", r#"[{"file":"a.rs","line":1,"summary":"s","failure_scenario":"f"}]"#);
    kit.write("grades", r#"{"0":"critical"}"#);
    run(&["render-prompt"]).ok();
    let graded = run(&["run-source", "--answer", "findings", "--severities", "grades"]);
    assert_eq!(graded.json["findings"][0]["severity"], "critical", "{}", graded.stdout);
    assert_eq!(run(&["check-convergence"]).json["unbound"], json!([]));
}

/// A `gh` that answers for one pull request, or fails with a message.
fn gh(kit: &mut Kit, script: &str) {
    crate::sources::program(kit, "gh", script);
}

#[test]
fn a_pull_request_is_reviewed_on_its_head_and_its_fixes_are_commits() {
    let mut kit = Kit::new();
    kit.set("XDG_STATE_HOME", &kit.text("state"));
    kit.repo("r", &[("a.rs", "one\n"), ("b.rs", "b\n")]);
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    kit.git("r", &["checkout", "-q", "-b", "topic"]);
    kit.write("r/a.rs", "two\n");
    kit.git("r", &["commit", "-q", "-am", "change"]);
    let head = kit.git("r", &["rev-parse", "HEAD"]);
    let pr = json!({"number": 7, "state": "OPEN", "headRefName": "topic", "headRefOid": head, "baseRefName": "main", "baseRefOid": base,
                    "changedFiles": 1, "closingIssuesReferences": [], "isCrossRepository": false, "body": "Fixes #3 and closes o/r#4."});
    kit.write("pr.json", pr.to_string());
    kit.git("r", &["remote", "add", "origin", "https://example.invalid/o/r.git"]);
    let file = kit.text("pr.json");
    gh(&mut kit, &format!("cat '{file}'"));
    kit.write("said", FIRST.replace("src/lib.rs", "a.rs"));
    let argv = json!(["cat", kit.text("said")]).to_string();
    let open = ["open-resolution", "--repo", "r", "--source", "command", "--argv", &argv];
    kit.git("r", &["checkout", "-q", "main"]);
    let mismatch = kit.run(&[&open[..], &["--pr", "7"]].concat());
    assert_eq!((mismatch.status, &mismatch.json["ask"]["code"], &mismatch.json["loop_id"]), (3, &json!("head_mismatch"), &Value::Null));
    kit.git("r", &["checkout", "-q", "topic"]);
    kit.write("r/a.rs", "dirty\n");
    assert_eq!(kit.run(&open).json["ask"]["code"], "dirty_overlap");
    let adopted = kit.run(&[&open[..], &["--adopt"]].concat()).ok();
    assert_eq!(
        (&adopted["scope"]["kind"], &adopted["scope"]["base"], &adopted["stats"]["insertions"]),
        (&json!("worktree"), &json!(base), &json!(1))
    );
    kit.git("r", &["checkout", "-q", "a.rs"]);
    let opened = kit.run(&open).ok();
    assert_eq!((&opened["scope"]["kind"], &opened["scope"]["pr"]["issues"]), (&json!("pr"), &json!(["#3", "o/r#4"])));
    let id = opened["loop_id"].as_str().unwrap().to_owned();
    let run = |words: &[&str]| kit.run(&[words, &["--repo", "r", "--loop-id", &id]].concat());
    run(&["run-source"]);
    let dir = format!("state/review-loop/{}/resolution/{id}", kit.list("state/review-loop").remove(0));
    assert!(kit.read(&format!("{dir}/rounds/001/prompt")).contains(&format!("{base}...{head}")));
    let finding = run(&["track-recurrence"]).ok()["findings"][0]["finding"].as_str().unwrap().to_owned();
    kit.write("r/a.rs", "fixed\n");
    kit.write("r/b.rs", "swept\n");
    // Recorded first, committed then: what is not committed stands in the way of a review alone.
    assert_eq!((run(&["check-convergence"]).status, &run(&["show-status"]).json["next"]["command"]), (1, &json!("record-disposition")));
    let mut entry = applied();
    entry["finding"] = json!(finding);
    entry["paths"] = json!(["a.rs", "b.rs"]);
    kit.write("entries", json!({"entries": [entry]}).to_string());
    let settled = run(&["record-disposition", "--input", "entries"]).ok();
    assert_eq!(settled["moved"], json!(["a.rs", "b.rs"]));
    assert_eq!(run(&["run-source"]).json["ask"]["code"], "uncommitted_fix");
    kit.git("r", &["commit", "-q", "-m", "half of it", "a.rs"]);
    assert_eq!(run(&["run-source"]).json["ask"]["code"], "uncommitted_fix", "a swept file outside the pull request counts");
    kit.git("r", &["commit", "-q", "-am", "fix"]);
    let fixed = kit.git("r", &["rev-parse", "HEAD"]);
    kit.write("said", "No findings.\nVERDICT: approve\n");
    run(&["run-source"]).ok();
    assert!(kit.read(&format!("{dir}/rounds/002/prompt")).contains(&format!("{base}...{fixed}")));
    assert_eq!(run(&["check-convergence"]).ok()["decision"], "converged");
    // What was edited since, outside the pull request's files too, no diff of commits would show.
    kit.write("r/CLAUDE.md", "an edit that nobody sees\n");
    for command in ["check-convergence", "run-source"] {
        assert_eq!(run(&[command]).json["ask"]["code"], "uncommitted_fix");
    }
    std::fs::remove_file(kit.path("r/CLAUDE.md")).unwrap();
    let mut redirecting = decided("Loading moves to the plugin host.", &format!("r1/{finding}"));
    redirecting["redirects_work"] = json!(true);
    kit.write("d", redirecting.to_string());
    run(&["record-decision", "--input", "d"]).ok();
    let offer = run(&["list-carryover"]).ok()["offers"][0].clone();
    assert_eq!((&offer["home"], &offer["targets"]), (&json!("closed_issues"), &json!(["#3", "o/r#4"])));
    kit.git("r", &["reset", "-q", "--hard", &base]);
    assert_eq!(run(&["check-convergence"]).json["ask"]["code"], "head_mismatch");
}

#[test]
fn only_the_absence_of_a_pull_request_leads_on_to_the_working_tree() {
    let mut kit = Kit::new();
    kit.set("XDG_STATE_HOME", &kit.text("state"));
    kit.repo("r", &[("a.rs", "one\n")]);
    kit.write("r/a.rs", "two\n");
    gh(&mut kit, "echo 'gh: To get started with GitHub CLI, please run:  gh auth login' >&2; exit 4");
    // Without a remote there is no pull request to ask for.
    let plain = kit.run(&["open-resolution", "--repo", "r", "--source", "checks"]).ok();
    assert_eq!(plain["scope"]["kind"], "worktree");
    kit.git("r", &["remote", "add", "origin", "https://example.invalid/o/r.git"]);
    kit.run(&["open-resolution", "--repo", "r", "--source", "checks"]).fails("GH_UNAUTHENTICATED");
    let skipped = kit.run(&["open-resolution", "--repo", "r", "--source", "checks", "--no-gh"]).ok();
    assert_eq!(skipped["warnings"], json!(["gh_not_asked"]));
    gh(&mut kit, "echo 'no pull requests found for branch \"main\"' >&2; exit 1");
    assert_eq!(kit.run(&["open-resolution", "--repo", "r", "--source", "checks"]).ok()["scope"]["kind"], "worktree");
    gh(
        &mut kit,
        "echo 'none of the git remotes configured for this repository point to a known GitHub host. To tell gh about a new GitHub host, please use `gh auth login`' >&2; exit 1",
    );
    assert_eq!(kit.run(&["open-resolution", "--repo", "r", "--source", "checks"]).ok()["scope"]["kind"], "worktree");
    gh(&mut kit, "echo 'error connecting to api.example.invalid' >&2; exit 1");
    kit.run(&["open-resolution", "--repo", "r", "--source", "checks"]).fails("GH_UNREACHABLE");
    gh(&mut kit, "echo 'something odd' >&2; exit 1");
    kit.run(&["open-resolution", "--repo", "r", "--source", "checks"]).fails("GH_FAILED");
    kit.git("r", &["checkout", "-q", "a.rs"]);
    let nothing = kit.run(&["open-resolution", "--repo", "r", "--source", "checks", "--no-gh"]);
    assert_eq!((nothing.status, &nothing.json["ask"]["code"]), (3, &json!("nothing_to_review")));
    let whole = kit.run(&["open-resolution", "--repo", "r", "--source", "checks", "--codebase"]).ok();
    assert_eq!(whole["scope"]["kind"], "codebase");
    kit.run(&["open-resolution", "--repo", "r", "--codebase", "--base", "main"]).fails("INVALID_ARGUMENT");
    let several = kit.run(&["open-resolution", "--repo", "r", "--source", "codex", "--no-gh"]);
    assert!(several.status == 3 || several.status == 0, "{}", several.stdout);
}

#[test]
fn a_repository_before_its_first_commit_is_reviewed_like_any_working_tree() {
    let mut kit = Kit::new();
    kit.set("XDG_STATE_HOME", &kit.text("state"));
    std::fs::create_dir(kit.path("r")).unwrap();
    kit.git("r", &["init", "-q", "-b", "main"]);
    kit.write("r/a.rs", "one\n");
    let opened = kit.run(&["open-resolution", "--repo", "r", "--source", "checks"]).ok();
    assert_eq!(opened["scope"]["kind"], "worktree", "{opened}");
    let id = opened["loop_id"].as_str().unwrap();
    let run = |words: &[&str]| kit.run(&[words, &["--repo", "r", "--loop-id", id]].concat());
    run(&["run-source"]).ok();
    assert_eq!(run(&["check-convergence"]).ok()["decision"], "converged");
    kit.git("r", &["add", "-A"]);
    kit.git("r", &["commit", "-q", "-m", "first"]);
    assert_eq!(run(&["check-convergence"]).ok()["decision"], "converged", "the same content is the same surface");
    kit.write("r/a.rs", "two\n");
    assert_eq!(run(&["check-convergence"]).json["owed"], json!(["full_rereview"]));
}
