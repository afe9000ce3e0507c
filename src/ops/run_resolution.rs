//! run-loop `--loop resolution`: the resolution loop end to end, by the very operations that the skill's commands run.
//!
//! Every turn asks check-convergence's own rule what is owed and pays it. What a person decides is asked for at exit 3 and handed in when
//! the loop is gone on with. Source: convergence seed; issue 4, The loop and the skill.

mod respond;

use std::path::PathBuf;

use serde::Serialize;

use super::check_convergence::{self, Residual};
use super::resolution::review::Reviewed;
use super::resolution::{Folder, Place, Stored, facts};
use super::{Ask, list_carryover, open_resolution, parse_findings, record_disposition, run_source, track_recurrence};
use crate::base::{Code, Fail, number, time};
use crate::drive::resolution::{Action, next};
use crate::host::{Host, child, files, lock, terminal};
use crate::resolution::carryover::Offer;
use crate::resolution::convergence::{By, Decision, Owed, Verdict};
use crate::resolution::disposition::{BasisKind, Class, Entry, Gate, Outcome as Came};
use crate::resolution::recurrence::Diagnosis;
use crate::wire::recurrence::Diagnosed;
use crate::wire::{dispositions, recurrence};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// How a new loop is opened; of one that is gone on with, where it is.
    pub open: open_resolution::Request,
    /// What the person chose.
    pub user_choice: Option<String>,
    /// The person's words.
    pub user_words: Option<String>,
    /// Dispositions of what the responder left open.
    pub dispositions: Option<String>,
}

/// The answer.
#[derive(Debug, Default, Serialize)]
pub struct Answer {
    /// Always `resolution`.
    #[serde(rename = "loop")]
    pub kind: &'static str,
    /// None when no loop was opened.
    pub loop_id: Option<String>,
    /// Of the last review: approve, needs_attention, unproven.
    pub verdict: Option<&'static str>,
    /// How many rounds were reviewed.
    pub rounds: u64,
    /// `converged`, `exit`, or why it stands still.
    pub stop_condition: Option<&'static str>,
    /// By which condition it converged, why, and what is owed.
    #[serde(flatten)]
    pub decision: Option<Decision>,
    /// Findings that have no disposition yet.
    pub undispositioned: Vec<String>,
    /// What stays open.
    pub residual: Vec<Residual>,
    /// What may be carried over: offers.
    pub offers: Vec<Offer>,
    /// What became of each finding.
    pub trace: String,
    /// The loop's folder.
    pub state_dir: Option<String>,
    /// What can be read of an answer that was cut off at its limit: for people.
    pub partial_findings: Vec<parse_findings::Item>,
    /// Sorted.
    pub warnings: Vec<String>,
}

/// How it ended.
#[derive(Debug)]
pub enum Outcome {
    /// The last verdict is clean and the loop has converged.
    Clean(Answer),
    /// It stopped otherwise.
    NotClean(Answer),
    /// No verdict may be trusted.
    Untrusted(Fail, Answer),
    /// A person must decide.
    Asks(Answer, Ask),
}

/// A cap for a loop that nobody watches.
const MAX_ROUNDS: &str = "20";

/// Runs a loop until it converges, stands still, or a person must decide.
///
/// # Errors
/// Those of its operations.
pub fn run(request: &Request, host: &Host) -> Result<Outcome, Fail> {
    child::note_signals();
    chosen(request)?;
    let place = match &request.open.place.loop_id {
        Some(_) => request.open.place.clone(),
        None => {
            let settings = open_resolution::Request {
                max_rounds: request.open.max_rounds.clone().or(Some(MAX_ROUNDS.to_owned())),
                respond: Some(request.open.respond.clone().unwrap_or_else(|| "none".to_owned())),
                ..request.open.clone()
            };
            let (opened, ask) = open_resolution::run(&settings, host)?;
            let Some(id) = opened.loop_id else {
                let ask = ask.ok_or_else(|| Fail::new(Code::Internal, "no loop was opened and nothing was asked"))?;
                return Ok(Outcome::Asks(Answer { kind: "resolution", ..Answer::default() }, ask));
            };
            Place { loop_id: Some(id), ..request.open.place.clone() }
        }
    };
    let folder = Folder::open(host, &place)?;
    let driving = folder.dir.join("driving");
    files::make_private_dir(&driving)?;
    let _held = lock::hold(host, &driving)?;
    let mut run = Run {
        host,
        place,
        request,
        folder,
        // A higher cap is the answer by itself.
        choice: given(&request.user_choice).filter(|c| c != "more" || given(&request.open.max_rounds).is_none()),
        dispositions: given(&request.dispositions),
        void: 0,
        partial_findings: Vec::new(),
        warnings: Vec::new(),
    };
    run.same_settings()?;
    run.drive()
}

/// A choice is one that some question offers, and a settlement is in the person's own words.
fn chosen(request: &Request) -> Result<(), Fail> {
    const CHOICES: [&str; 12] = [
        "dismiss",
        "defer",
        "exit",
        "incomplete_repair",
        "design_disagreement",
        "rereview",
        "more",
        "retry",
        "longer",
        "other_source",
        "stop",
        "split",
    ];
    let Some(choice) = given(&request.user_choice) else { return Ok(()) };
    const DONE: [&str; 12] =
        ["hand_in", "track", "new_loop", "restore", "again", "decide", "settle", "commit", "set_aside", "checkout", "resolve", "abort"];
    if DONE.contains(&choice.as_str()) {
        let message = format!("`--user-choice {choice}` is done and not said: do what the option says, then go on with --loop-id alone");
        return Err(Fail::new(Code::InvalidArgument, message));
    }
    if !CHOICES.contains(&choice.as_str()) {
        let message = format!("`--user-choice {}` is not one of {}", crate::base::path::printable(&choice), CHOICES.join(", "));
        return Err(Fail::new(Code::InvalidArgument, message));
    }
    let needs = |flag: &str| Err(Fail::new(Code::InvalidArgument, format!("`--user-choice {choice}` needs `{flag}`")));
    match choice.as_str() {
        "longer" if given(&request.open.limit_s).is_none() => return needs("--limit-s"),
        "other_source" if given(&request.open.source).is_none() => return needs("--source"),
        _ => {}
    }
    let words = given(&request.user_words).is_some_and(|w| !w.trim().is_empty());
    if matches!(choice.as_str(), "dismiss" | "defer") && !words {
        let message = format!("`--user-choice {choice}` needs `--user-words`: what the person said, verbatim");
        return Err(Fail::new(Code::InvalidArgument, message));
    }
    Ok(())
}

fn given(flag: &Option<String>) -> Option<String> {
    flag.clone().filter(|f| !f.is_empty())
}

struct Run<'a> {
    host: &'a Host,
    place: Place,
    request: &'a Request,
    folder: Folder<'a>,
    /// What the person chose; it answers one question.
    choice: Option<String>,
    /// Dispositions that were handed in, for the round that is under way now and no other.
    dispositions: Option<String>,
    /// Reviews in a row that proved nothing, in this run.
    void: u64,
    partial_findings: Vec<parse_findings::Item>,
    warnings: Vec<String>,
}

/// Whether a turn went on, or a person is asked.
enum Turn {
    On,
    Asks(Ask),
}

impl Run<'_> {
    fn drive(&mut self) -> Result<Outcome, Fail> {
        loop {
            self.folder.refresh()?;
            self.folder.look_again()?;
            if self.ends()? {
                self.choice = None;
                let request = check_convergence::Request { place: self.place.clone(), exit: true, max_rounds: None };
                check_convergence::run(&request, self.host)?;
                self.folder = Folder::open(self.host, &self.place)?;
            }
            let (answer, ask) = check_convergence::of(&self.folder, self.max_rounds()?)?;
            let action = next(&answer.decision, self.void);
            self.host.failpoint(action.word());
            terminal::progress(&format!("round {}: {}", answer.round.unwrap_or(1), action.word()));
            let asked = ask.as_ref().filter(|a| action != Action::Done && !(action == Action::Dispose && a.code == "design_gate"));
            if let Some(ask) = asked.cloned()
                && !self.goes_on(&ask)
                && self.is_in_the_way(&ask, action)
            {
                return Ok(Outcome::Asks(self.answer(answer, Some(ask.code))?, ask));
            }
            let turn = match action {
                Action::Done => return self.done(answer),
                Action::Stop => {
                    let fail = Fail::new(Code::NoTrustedVerdict, "the source was run twice for this round and proves nothing");
                    return Ok(Outcome::Untrusted(fail, self.answer(answer, Some("source_failed"))?));
                }
                Action::Review | Action::Ask => self.review()?,
                Action::Sameness => self.sameness()?,
                Action::Diagnose => self.diagnose(&answer.awaiting)?,
                Action::Dispose => self.dispose(ask.filter(|a| a.code == "design_gate"))?,
            };
            if child::signalled().is_some() {
                return Err(self.interrupted());
            }
            if let Turn::Asks(ask) = turn {
                self.folder.refresh()?;
                self.folder.look_again()?;
                let (answer, _) = check_convergence::of(&self.folder, self.max_rounds()?)?;
                return Ok(Outcome::Asks(self.answer(answer, Some(ask.code))?, ask));
            }
        }
    }

    /// Whether the person's choice ends the loop: `exit` at any time, `stop` where a source found no end, `split` where the cap is reached.
    fn ends(&self) -> Result<bool, Fail> {
        let choice = self.choice.as_deref().filter(|c| matches!(*c, "exit" | "stop" | "split"));
        let Some(choice) = choice.filter(|_| self.folder.record.exited_at.is_none()) else { return Ok(false) };
        let (answer, ask) = check_convergence::of(&self.folder, self.max_rounds()?)?;
        Ok(match choice {
            "stop" => answer.decision.owed.first() == Some(&Owed::SourceAnswer),
            "split" => ask.is_some_and(|a| a.code == "round_limit"),
            _ => true,
        })
    }

    /// Whether the person's choice answers a question by going on.
    fn goes_on(&mut self, ask: &Ask) -> bool {
        let choices: &[&str] = match ask.code {
            "empty_needs_attention" => &["rereview", "other_source"],
            "round_limit" => &["more"],
            _ => &[],
        };
        let taken = self.choice.as_deref().is_some_and(|c| choices.contains(&c));
        // Which source reviews instead is read where it is run.
        if taken && self.choice.as_deref() != Some("other_source") {
            self.choice = None;
        }
        taken
    }

    /// Whether a question stands in the way of what is owed: that a fix is not committed yet stands in the way of a review alone.
    fn is_in_the_way(&self, ask: &Ask, action: Action) -> bool {
        ask.code != "uncommitted_fix" || matches!(action, Action::Review | Action::Ask)
    }

    fn max_rounds(&self) -> Result<Option<u64>, Fail> {
        let flag = given(&self.request.open.max_rounds);
        flag.map(|m| number::plain("--max", &m, 1..=1000)).transpose()
    }

    /// A setting that is given again must be the one the loop was opened with.
    fn same_settings(&self) -> Result<(), Fail> {
        let (open, record) = (&self.request.open, &self.folder.record);
        if open.place.loop_id.is_none() {
            return Ok(());
        }
        let source = given(&open.source).and_then(|s| crate::source::adapter::Name::find(&s)).map(|n| n.word().to_owned());
        let rows = [
            ("--source", source.filter(|_| self.choice.as_deref() != Some("other_source")), Some(record.source.clone())),
            ("--respond", given(&open.respond), record.respond.clone()),
            ("--effort", given(&open.effort), Some(record.effort.clone())),
            ("--model", given(&open.model), record.model.clone()),
            ("--base", given(&open.base), Some(record.base.clone())),
        ];
        match rows.iter().find(|(_, given, kept)| given.is_some() && given != kept) {
            Some((name, ..)) => Err(Fail::new(Code::LoopMismatch, format!("`{name}` is not what the loop was opened with"))),
            None => Ok(()),
        }
    }

    fn review(&mut self) -> Result<Turn, Fail> {
        let limit_s = given(&self.request.open.limit_s);
        // What a person answers to a source that failed or found no end is that it is run again, or another one.
        let again = self.choice.take_if(|c| matches!(c.as_str(), "retry" | "longer" | "other_source"));
        let source = again.filter(|c| c == "other_source").and_then(|_| given(&self.request.open.source));
        let argv = source.as_ref().and_then(|_| given(&self.request.open.argv));
        let request = run_source::Request {
            place: Some(self.place.clone()),
            limit_s,
            source,
            argv,
            // The cap was asked about before.
            max_rounds: Some("1000".to_owned()),
            ..run_source::Request::default()
        };
        Ok(match run_source::run(&request, self.host)? {
            Reviewed::Asks(ask) => Turn::Asks(ask),
            Reviewed::Ran(ran) => match *ran {
                // A limit that was reached is the person's to answer, once for each time it was reached.
                (answer, Some(ask)) => {
                    self.partial_findings = answer.partial_findings;
                    Turn::Asks(ask)
                }
                (answer, None) => {
                    let void = self.folder.rounds()?.last().is_some_and(|s| s.review.is_void());
                    self.void = if void { self.void + 1 } else { 0 };
                    self.warnings.extend(answer.errors.iter().take(5).map(|e| crate::base::path::printable(e)));
                    Turn::On
                }
            },
        })
    }

    /// Which findings are known: the responder says so, and of the built-in checks a rule at a place it was reported at before is the
    /// same by what a check is.
    fn sameness(&mut self) -> Result<Turn, Fail> {
        let rounds = self.folder.rounds()?;
        let last = self.folder.last(&rounds)?;
        let links = match self.folder.record.respond.as_deref() {
            Some("command") => self.response(&rounds)?.links.filter(|l| last.review.findings.iter().all(|f| l.links.contains_key(&f.id))),
            _ if last.review.source == "checks" => Some(respond::same_checks(&rounds, &self.folder.ledger()?.0)?),
            _ => None,
        };
        let Some(links) = links else {
            let question = "which findings of this round are the same defect as an earlier one?";
            let options = [("track", "say it for every finding by track-recurrence --links, then go on")];
            return Ok(Turn::Asks(Ask::new("sameness_wanted", question, &options)));
        };
        self.keep(&rounds, Some(links), None)?;
        Ok(Turn::On)
    }

    fn keep(
        &mut self,
        rounds: &[Stored],
        links: Option<recurrence::Said>,
        diagnoses: Option<std::collections::BTreeMap<String, Diagnosed>>,
    ) -> Result<(), Fail> {
        let _held = self.folder.hold_open()?;
        let fresh = self.folder.rounds()?;
        // What somebody else said meanwhile counts.
        let rounds = if fresh.len() == rounds.len() { &fresh } else { rounds };
        let record: recurrence::Record = track_recurrence::said(&self.folder, rounds, links, diagnoses)?;
        self.folder.keep(&Folder::round_path(record.round, "recurrence.json"), &crate::wire::json::document(&record))
    }

    fn diagnose(&mut self, awaiting: &[String]) -> Result<Turn, Fail> {
        let rounds = self.folder.rounds()?;
        let word = self.choice.as_deref().and_then(Diagnosis::parse);
        let said = match (word, self.folder.record.respond.as_deref()) {
            (Some(diagnosis), _) => {
                self.choice = None;
                let basis = given(&self.request.user_words).unwrap_or_else(|| format!("the person chose {}", diagnosis.word()));
                Some(awaiting.iter().map(|i| (i.clone(), Diagnosed { diagnosis, basis: basis.clone() })).collect())
            }
            (None, Some("command")) => self.response(&rounds)?.diagnoses,
            _ => None,
        };
        let said: Option<std::collections::BTreeMap<String, Diagnosed>> = said;
        let complete = said.filter(|d| awaiting.iter().all(|i| d.contains_key(i)));
        let Some(diagnoses) = complete else {
            let question = format!("{} came back after its repair or decision was seen: what is the return?", awaiting.join(", "));
            let options = [
                ("incomplete_repair", "the first diagnosis holds and the repair was incomplete: complete it"),
                ("design_disagreement", "the source contests the direction itself: a person settles it"),
            ];
            return Ok(Turn::Asks(Ask::new("diagnosis_wanted", question, &options)));
        };
        self.keep(&rounds, None, Some(diagnoses))?;
        Ok(Turn::On)
    }

    /// Entries for every finding: the responder's, those that were handed in, and for the rest the person's choice.
    fn dispose(&mut self, gate: Option<Ask>) -> Result<Turn, Fail> {
        let rounds = self.folder.rounds()?;
        let last = self.folder.last(&rounds)?;
        let mut entries = self.responded(&rounds)?;
        if let Some(flag) = self.dispositions.take() {
            let path = self.host.absolute(Some(&flag), "dispositions")?;
            let handed = dispositions::asked(&files::read_text(&path, files::DOCUMENT_LIMIT)?)?;
            entries.retain(|e| !handed.iter().any(|h| h.finding == e.finding));
            entries.extend(handed);
        }
        let tracked = facts::track(&rounds, &self.folder.ledger()?.0)?;
        self.settle_as_before(&tracked, last, &mut entries);
        let open: Vec<&str> =
            last.review.findings.iter().map(|f| f.id.as_str()).filter(|id| !entries.iter().any(|e| e.finding == *id)).collect();
        let outcome = match self.choice.as_deref() {
            Some("dismiss") => Some(Came::Dropped),
            Some("defer") => Some(Came::Carried),
            _ => None,
        };
        if !open.is_empty() && outcome.is_none() {
            return Ok(Turn::Asks(gate.unwrap_or_else(|| wanted(&open, &[]))));
        }
        let words = given(&self.request.user_words).or_else(|| self.choice.clone()).unwrap_or_default();
        let told = |id: &str, outcome| Entry {
            class: Class::Judgment,
            outcome,
            basis: Some(words.clone()),
            basis_kind: BasisKind::User,
            gate: Some(Gate { id: format!("driven-r{}", last.round), words: words.clone() }),
            ..Entry::of(id)
        };
        entries.extend(open.iter().filter_map(|id| outcome.map(|o| told(id, o))));
        let _held = self.folder.hold_open()?;
        let mut kept = record_disposition::record(&mut self.folder, entries.clone(), false)?;
        if let (false, Some(outcome)) = (kept.recorded, outcome) {
            // The person's word takes the place of what does not hold.
            let broken: Vec<String> = kept.violations.iter().map(|v| v.at.clone()).collect();
            let known = |id: &String| last.review.findings.iter().any(|f| f.id == *id);
            entries.retain(|e| !broken.contains(&e.finding));
            entries.extend(broken.iter().filter(|id| known(id)).map(|id| told(id, outcome)));
            entries.dedup_by(|a, b| a.finding == b.finding);
            kept = record_disposition::record(&mut self.folder, entries, false)?;
        }
        if outcome.is_some() {
            self.choice = None;
        }
        if kept.recorded {
            return Ok(Turn::On);
        }
        let why: Vec<String> = kept.violations.iter().map(|v| format!("{} at {}: {}", v.rule.word(), v.at, v.message)).collect();
        let at: Vec<&str> = kept.violations.iter().map(|v| v.at.as_str()).collect();
        Ok(Turn::Asks(wanted(&at, &why)))
    }

    /// What a person settled in an earlier round and what was never conveyed is settled the same way.
    fn settle_as_before(&self, tracked: &[facts::Tracked], last: &Stored, entries: &mut Vec<Entry>) {
        for t in tracked.iter().filter(|t| t.standing.route == crate::resolution::recurrence::Route::Absorb) {
            let Some((_, before)) = &t.last else { continue };
            let again = entries.iter().any(|e| e.finding == t.id) || before.outcome == Came::Applied;
            if again || !last.review.findings.iter().any(|f| f.id == t.id) {
                continue;
            }
            entries.push(Entry {
                class: before.class,
                outcome: before.outcome,
                basis: before.basis.clone(),
                basis_kind: BasisKind::Prior,
                settled_by: Some(t.identity.clone()),
                ..Entry::of(&t.id)
            });
        }
    }

    fn done(&mut self, answer: check_convergence::Answer) -> Result<Outcome, Fail> {
        let verdict = answer.decision.decision;
        let clean = verdict == Verdict::Converged && answer.decision.converged_by == Some(By::Approve);
        let answer = self.answer(answer, Some(verdict.word()))?;
        Ok(if clean { Outcome::Clean(answer) } else { Outcome::NotClean(answer) })
    }

    fn answer(&mut self, found: check_convergence::Answer, stop: Option<&'static str>) -> Result<Answer, Fail> {
        let left = list_carryover::of(&self.folder)?;
        if let Some(choice) = &self.choice {
            self.warnings.push(format!("`--user-choice {choice}` answers no question that is open, and was not used"));
        }
        self.warnings.sort();
        self.warnings.dedup();
        Ok(Answer {
            kind: "resolution",
            loop_id: Some(self.folder.record.loop_id.clone()),
            verdict: found.verdict,
            rounds: found.round.unwrap_or(0),
            stop_condition: stop,
            undispositioned: found.undispositioned,
            residual: found.residual,
            offers: left.offers,
            trace: left.trace,
            state_dir: Some(self.folder.dir.to_string_lossy().into_owned()),
            partial_findings: std::mem::take(&mut self.partial_findings),
            warnings: self.warnings.clone(),
            decision: Some(found.decision),
        })
    }

    fn interrupted(&self) -> Fail {
        let signal = child::signalled().unwrap_or(2);
        let fail = Fail::new(Code::Interrupted, format!("ended by signal {signal}; the loop is kept"));
        Fail { exit: Some(128 + signal), ..fail }.with("loop_id", self.folder.record.loop_id.clone())
    }

    fn date(&self) -> String {
        time::date(self.host.now_ms())
    }

    fn round_file(&self, round: u64, name: &str) -> PathBuf {
        self.folder.round_dir(round).join(name)
    }
}

fn wanted(findings: &[&str], why: &[String]) -> Ask {
    let because = if why.is_empty() { String::new() } else { format!(" ({})", why.join("; ")) };
    let named: Vec<String> = findings.iter().take(10).map(|f| crate::base::path::printable(f)).collect();
    let more = findings.len().saturating_sub(named.len());
    let named = if more > 0 { format!("{} and {more} more", named.join(", ")) } else { named.join(", ") };
    let question = format!("these findings are owed a disposition: {named}{because}. What becomes of them?");
    let options = [
        ("hand_in", "hand their dispositions in: --dispositions FILE, as record-disposition takes them"),
        ("dismiss", "none of them is followed: --user-choice dismiss, with --user-words"),
        ("defer", "all of them wait: --user-choice defer, with --user-words"),
    ];
    Ask::new("dispositions_wanted", question, &options)
}
