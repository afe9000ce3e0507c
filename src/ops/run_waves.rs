//! run-waves: the driver of a wave loop: assess, open, one fresh session after the other, until the gate is reached or stands still.
//!
//! It calls the very operations that the commands call. Nothing of its own is kept: a run that was killed goes on by opening the gate
//! again. Source: wave-review seed; waves spec §12, §16.

pub mod assess;

use std::cell::Cell;
use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use super::Ask;
use super::open_gate::{self, View};
use super::open_wave::{self, Opened, asked, intervention};
use super::provider::{self, Provider, Session};
use super::wave::accept::{self, Closed};
use super::wave::{Folder, events, fence, issue, refuse_a_wave};
use super::{check_receipt, fingerprint_scope, resolve_policy, select_tier};
use crate::base::{Code, Fail, number};
use crate::host::lock::{self, Held};
use crate::host::{Host, child, files, terminal};
use crate::wave::criteria::STANDALONE;
use crate::wave::evidence::Rule;
use crate::wave::gate::{Action, Pause};
use crate::wave::journal::Type;
use crate::wave::resume::{Difference, Moved, moved};
use crate::wave::tier::{Source, Tier};
use crate::wire::gate::{Gate, Status};
use assess::{Asked, assess};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// How the gate is opened.
    pub open: open_gate::Request,
    /// codex, claude or command.
    pub provider: Option<String>,
    /// Program and arguments of `command`.
    pub argv: Vec<String>,
    /// The client's model.
    pub model: Option<String>,
    /// How hard it thinks.
    pub effort: Option<String>,
    /// Seconds for the whole run; no limit without one.
    pub limit: Option<String>,
}

/// A wave of this run.
#[derive(Debug, Serialize)]
pub struct Wave {
    /// Its number in the loop.
    pub iteration: u64,
    /// Its session.
    pub session_id: String,
    /// What it said, in a word.
    pub result_kind: &'static str,
    /// What the gate did.
    pub action: Action,
    /// How many findings it verified.
    pub findings: u64,
}

/// The report.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Always `waves`.
    #[serde(rename = "loop")]
    pub kind: &'static str,
    /// SUCCESS or PAUSED.
    pub result: &'static str,
    /// `clean_gate_reached`, or the normalised reason of the pause.
    pub exit_reason: &'static str,
    /// What a pause needs.
    pub intervention: Option<&'static str>,
    /// Waves that were started in this loop.
    pub iterations: u64,
    /// Findings that were fixed in this run.
    pub findings_fixed_this_run: u64,
    /// The waves of this run.
    pub waves: Vec<Wave>,
    /// Whether credit of an earlier run was taken over.
    pub resumed: bool,
    /// What differed from the gate that was there before.
    pub differs: Vec<Difference>,
    /// The gate; none where none was opened.
    pub gate: Option<View>,
}

/// How it ended.
#[derive(Debug)]
pub enum Outcome {
    /// With a receipt.
    Reached(Answer),
    /// A person must decide.
    Paused(Answer, Ask),
    /// Our own limit ended it.
    TimedOut(Fail, Answer),
}

struct Run<'a> {
    host: &'a Host,
    folder: Folder<'a>,
    provider: Provider,
    deadline_ms: Option<i64>,
    waves: Vec<Wave>,
    resumed: bool,
    differs: Vec<Difference>,
    fixed_before: u64,
}

/// Runs a wave loop.
///
/// # Errors
/// `PASS_ACTIVE`, `REVIEW_BUSY`, `INVALID_ARGUMENT`, those of open-gate; `INTERRUPTED` when a signal ended it.
pub fn run(request: &Request, host: &Host) -> Result<Outcome, Fail> {
    refuse_a_wave(host)?;
    child::note_signals();
    let given = |flag: &Option<String>| flag.clone().filter(|f| !f.is_empty());
    let provider = provider::of(request.provider.as_deref(), &request.argv, given(&request.model), given(&request.effort))?;
    let limit = given(&request.limit).map(|n| number::plain("--limit", &n, 1..=31_536_000)).transpose()?;
    select_tier::operator(host)?;
    let mut folder = Folder::find(host, &request.open.place)?;
    let _running = alone(host, &folder)?;
    folder.make()?;
    let deadline_ms = limit.map(|s| host.now_ms() + i64::try_from(s * 1000).unwrap_or(i64::MAX));
    let mut run = Run { host, folder, provider, deadline_ms, waves: Vec::new(), resumed: false, differs: Vec::new(), fixed_before: 0 };
    let outcome = run.drive(&request.open)?;
    let (Outcome::Reached(answer) | Outcome::Paused(answer, _) | Outcome::TimedOut(_, answer)) = &outcome;
    terminal::report(&told(answer));
    Ok(outcome)
}

/// The lock of the checkout: a second loop is refused before it touches anything.
fn alone(host: &Host, folder: &Folder<'_>) -> Result<Held, Fail> {
    // On git's own folder, whatever state root a loop was given: a kernel lock writes nothing.
    lock::hold(&Host { lock_wait_ms: 0, ..host.clone() }, &folder.checkout.git_dir).map_err(|fail| match fail.code {
        Code::LockBusy => Fail::new(Code::ReviewBusy, "another wave loop runs on this checkout"),
        _ => fail,
    })
}

impl Run<'_> {
    fn drive(&mut self, open: &open_gate::Request) -> Result<Outcome, Fail> {
        let before = self.folder.gate()?;
        // A gate that was reached answers for what is checked out, and for nothing else.
        if let Some(gate) = before.as_ref().filter(|g| g.receipt.is_some()) {
            accept::settle(&self.folder, gate)?;
            if self.answers(gate, open)? && check_receipt::of(&self.folder, gate, None)?.is_empty() {
                self.resumed = true;
                self.fixed_before = gate.findings_fixed;
                return Ok(Outcome::Reached(self.answer(Some(gate), None)));
            }
        }
        select_tier::wanted(self.host, &resolve_policy::of(&self.folder.checkout)?)?;
        let mut open = open.clone();
        if let Some(why) = self.assessed(&mut open, before.as_ref())? {
            return Ok(Outcome::Paused(self.answer(None, Some(why)), asked(why)));
        }
        let held = self.folder.hold_patiently()?;
        let opened = open_gate::open(&open, &self.folder, &held)?;
        drop(held);
        self.resumed = opened.resumed && opened.view.clean > 0;
        self.differs = opened.differs;
        self.fixed_before = self.folder.opened()?.findings_fixed;
        self.waves()
    }

    /// Whether a gate that was reached is what is asked for now: tier, number, criteria and scope.
    fn answers(&self, gate: &Gate, open: &open_gate::Request) -> Result<bool, Fail> {
        let named = open.select.tier.as_deref().and_then(Tier::find);
        // An operator's exception holds for a run that the operator asks for.
        if gate.exception && select_tier::operator(self.host)?.is_none() {
            return Ok(false);
        }
        let tier = select_tier::operator(self.host)?.or(named).unwrap_or(Tier::Small);
        let wanted = select_tier::wanted(self.host, &resolve_policy::of(&self.folder.checkout)?)?.unwrap_or(0);
        let (base, own) = open.scope();
        let same = open_gate::sealed(open, self.host)?.binding == gate.criteria_binding && base == gate.base && own == gate.own;
        Ok(same && gate.selection.tier >= tier && gate.asked >= wanted)
    }

    /// Gives the selection its assessment, where nobody named a tier. A pause says why there is none.
    fn assessed(&mut self, open: &mut open_gate::Request, before: Option<&Gate>) -> Result<Option<Pause>, Fail> {
        if select_tier::operator(self.host)?.is_some() || open.select.tier.as_deref().is_some_and(|t| !t.is_empty()) {
            return Ok(None);
        }
        let open_gate::Sealed { binding, bytes, .. } = open_gate::sealed(open, self.host)?;
        let (base, own) = open.scope();
        // A lifecycle's selection that still holds needs no second assessment; a standalone loop is always assessed anew.
        let holds = |g: &&Gate| g.criteria_binding == binding && issue::still_bound(&self.folder, g).is_ok();
        if let Some(gate) = before.filter(|_| binding != STANDALONE).filter(holds)
            && !matches!(gate.selection.source, Source::WaveEscalation | Source::Environment)
        {
            let codes: Vec<&str> = gate.selection.reason_codes.iter().filter(|c| !c.is_reserved()).map(|c| c.word()).collect();
            open.select.tier = Some(gate.selection.tier.word().to_owned());
            open.select.reason_codes = Some(codes.join(","));
            open.select.source = Some("lifecycle-agent".to_owned());
            return Ok(None);
        }
        terminal::progress("assessing the risk of the change");
        let asked = Asked { base: base.as_deref(), own: &own, criteria_binding: &binding, criteria: bytes.as_deref() };
        match assess(&mut self.folder, &self.provider, &asked)? {
            Ok(found) => {
                let codes: Vec<&str> = found.reason_codes.iter().map(|c| c.word()).collect();
                open.select.tier = Some(found.tier.word().to_owned());
                open.select.reason_codes = Some(codes.join(","));
                open.select.source = Some(assess::source(&binding).word().to_owned());
                let held = self.folder.hold_patiently()?;
                let data = json!({"tier": found.tier, "source": assess::source(&binding), "reason_codes": codes});
                events::note(&self.folder, &held, Type::TierAssessed, data);
                Ok(None)
            }
            Err(Pause::UserInterrupt) => Err(self.interrupted()),
            Err(why) => Ok(Some(why)),
        }
    }

    fn waves(&mut self) -> Result<Outcome, Fail> {
        loop {
            if child::signalled().is_some() {
                return Err(self.interrupted());
            }
            let held = self.folder.hold_patiently()?;
            let gate = self.folder.opened()?;
            if gate.status == Status::Completed {
                let violations = check_receipt::of(&self.folder, &gate, None)?;
                if violations.is_empty() {
                    return Ok(Outcome::Reached(self.answer(Some(&gate), None)));
                }
                let rules: Vec<&str> = violations.iter().map(|v| v.rule).collect();
                return self.stop(&held, Pause::ReceiptValidationFailed, Some(rules.join(",")));
            }
            if let Some(fail) = self.over() {
                return Ok(Outcome::TimedOut(fail, self.answer(Some(&gate), Some(Pause::PassTimeout))));
            }
            let (gate, issued) = match open_wave::open(&self.folder, &held, gate, fence::me(self.host)) {
                Ok(Opened::Issued(both)) => *both,
                Ok(Opened::Ended(gate)) => match &gate.paused {
                    Some(paused) => {
                        let why = paused.reason;
                        return Ok(Outcome::Paused(self.answer(Some(&gate), Some(why)), asked(why)));
                    }
                    None => continue,
                },
                Err(fail) if fail.code == Code::OverrideStateInvalid => return self.stop(&held, Pause::OverrideStateInvalid, None),
                Err(fail) if fail.code == Code::BindingChanged => {
                    let (why, detail) = changed(&fail);
                    return self.stop(&held, why, detail);
                }
                Err(fail) => return Err(fail),
            };
            drop(held);
            let number = gate.iteration;
            terminal::progress(&format!("wave {number}: {} of {} clean", gate.clean, gate.required));
            self.host.failpoint("wave-issued");
            let session_id = issued.pass.session_id.clone();
            let Some(closed) = self.wave(&gate, issued)? else {
                let held = self.folder.hold_patiently()?;
                return self.stop(&held, Pause::LedgerInvalid, Some("gate".to_owned()));
            };
            let pause = closed.step.pause;
            let wave =
                Wave { iteration: number, session_id, result_kind: closed.kind, action: closed.step.action, findings: closed.findings };
            self.waves.push(wave);
            if let Some(why) = pause {
                if why == Pause::UserInterrupt {
                    return Err(self.interrupted());
                }
                if let Some(fail) = self.over() {
                    return Ok(Outcome::TimedOut(fail, self.answer(Some(&closed.gate), Some(why))));
                }
                return Ok(Outcome::Paused(self.answer(Some(&closed.gate), Some(why)), asked(why)));
            }
        }
    }

    /// One wave in a fresh session, and one more session for the same pass where the first handed in nothing that could be taken and left
    /// the checkout as it was. None when the gate is not as it was kept: somebody else stepped it.
    fn wave(&mut self, kept: &Gate, mut issued: issue::Issued) -> Result<Option<accept::Stepped>, Fail> {
        let began = self.host.now_ms();
        for attempt in 1.. {
            let failure = self.session(kept, &issued, began)?;
            self.folder.look_again()?;
            let held = self.folder.hold_patiently()?;
            let current = self.folder.opened()?;
            if !is_as_kept(kept, &current) {
                return Ok(None);
            }
            // What found something is asked no second time: whoever comes after might not find it.
            let said = issued.dir.join("said.json").symlink_metadata().is_ok();
            let again = failure.is_none() && attempt < 2 && !said;
            let mend = match accept::close(&self.folder, &held, &current, failure.map(|why| (why, None)))? {
                Closed::Stepped(stepped) => return Ok(Some(*stepped)),
                Closed::Rejected { mend, .. } => mend,
            };
            let current = self.folder.opened()?;
            let now = fingerprint_scope::bound(&self.folder.checkout, current.base.as_deref(), &self.folder.own(&current.own))?;
            if again && now == issued.pass.bound {
                let pass = current.pass.clone().ok_or_else(|| Fail::new(Code::Internal, "a rejected pass is no longer open"))?;
                issue::put_aside(&issued.dir, attempt)?;
                issued = match issue::issued(&self.folder, &current, pass, issued.dir.clone()) {
                    Err(fail) if fail.code == Code::OverrideStateInvalid => {
                        let failure = (Pause::OverrideStateInvalid, None);
                        return match accept::close(&self.folder, &held, &current, Some(failure))? {
                            Closed::Stepped(stepped) => Ok(Some(*stepped)),
                            Closed::Rejected { .. } => Err(Fail::new(Code::Internal, "a pass that was given up is still open")),
                        };
                    }
                    other => other?,
                };
                files::replace(self.host, &issued.dir.join("prompt.md"), issued.prompt.as_bytes())?;
                continue;
            }
            let detail = accept::detail_of(&issued.dir, &mend);
            let why = match moved(&issued.pass.bound, &now, false) {
                Some(Moved::Identity) if (&now.branch, &now.settings) != (&issued.pass.bound.branch, &issued.pass.bound.settings) => {
                    Pause::ReviewIdentityChanged
                }
                Some(Moved::Boundary) => Pause::ScopeBoundaryChanged,
                // It said CLEAN of what it had changed, and was not believed.
                _ if detail.split(',').any(|rule| rule == Rule::TreeChanged.word()) => Pause::CleanMutatedScope,
                _ => accept::pause_of(&mend),
            };
            let failure = (why, Some(detail));
            return match accept::close(&self.folder, &held, &current, Some(failure))? {
                Closed::Stepped(stepped) => Ok(Some(*stepped)),
                Closed::Rejected { .. } => Err(Fail::new(Code::Internal, "a pass that was given up is still open")),
            };
        }
        Err(Fail::new(Code::Internal, "a wave had no end"))
    }

    /// Runs a session; says what failed around it.
    fn session(&self, gate: &Gate, issued: &issue::Issued, began: i64) -> Result<Option<Pause>, Fail> {
        let poisoned = Cell::new(false);
        let now = self.host.now_ms();
        let elapsed = u64::try_from((now - began) / 1000).unwrap_or_default();
        let whole = self.deadline_ms.map(|d| Duration::from_millis(u64::try_from(d - now).unwrap_or_default()));
        let limit = || {
            // Who cannot read the decisions does not know how long it may take.
            let Ok(pass) = issue::limit(&self.folder, gate, &issued.pass) else {
                poisoned.set(true);
                return Duration::ZERO;
            };
            let pass = if pass == 0 { Duration::MAX } else { Duration::from_secs(pass.saturating_sub(elapsed)) };
            whole.map_or(pass, |whole| pass.min(whole))
        };
        let top = &self.folder.checkout.top;
        let run = Session { dir: &issued.dir, top, prompt: &issued.prompt, env: &issued.env, assesses: false, reads: None, limit: &limit };
        let came = match provider::run(&self.provider, &run, self.host) {
            Ok(came) => came,
            Err(fail) if fail.code == Code::ChildFailed => return Ok(Some(Pause::ReviewSessionUnavailable)),
            Err(fail) => return Err(fail),
        };
        if child::signalled().is_some() {
            return Ok(Some(Pause::UserInterrupt));
        }
        if poisoned.get() {
            return Ok(Some(Pause::OverrideStateInvalid));
        }
        Ok(match (came.ended.timed_out, came.went_through) {
            (true, _) => Some(Pause::PassTimeout),
            (false, false) => Some(Pause::ProviderError),
            (false, true) => None,
        })
    }

    /// Puts the gate to a standstill before a wave was issued.
    fn stop(&mut self, held: &Held, why: Pause, detail: Option<String>) -> Result<Outcome, Fail> {
        let mut gate = self.folder.opened()?;
        (gate.pass, gate.owner, gate.receipt) = (None, None, None);
        if !why.keeps_credit() {
            gate.clean = 0;
            gate.ledger.clear();
        }
        issue::pause(&mut gate, why, detail);
        self.folder.keep(held, &gate)?;
        accept::settle(&self.folder, &gate)?;
        accept::ended(&self.folder, held, &gate);
        Ok(Outcome::Paused(self.answer(Some(&gate), Some(why)), asked(why)))
    }

    /// Whether the limit of the whole run is reached.
    fn over(&self) -> Option<Fail> {
        let over = self.deadline_ms.is_some_and(|d| self.host.now_ms() >= d);
        over.then(|| Fail { exit: Some(124), ..Fail::new(Code::TimeLimit, "the run was ended at its --limit; credit that holds is kept") })
    }

    fn interrupted(&self) -> Fail {
        let signal = child::signalled().unwrap_or(2);
        let fail = Fail::new(Code::Interrupted, format!("ended by signal {signal}; credit that holds is kept"));
        Fail { exit: Some(128 + signal), ..fail }.with("loop_id", self.folder.id.clone())
    }

    fn answer(&mut self, gate: Option<&Gate>, pause: Option<Pause>) -> Answer {
        Answer {
            kind: "waves",
            result: if pause.is_none() { "SUCCESS" } else { "PAUSED" },
            exit_reason: pause.map_or("clean_gate_reached", Pause::word),
            intervention: pause.map(intervention),
            iterations: gate.map_or(0, |g| g.iteration),
            findings_fixed_this_run: gate.map_or(0, |g| g.findings_fixed.saturating_sub(self.fixed_before)),
            waves: std::mem::take(&mut self.waves),
            resumed: self.resumed,
            differs: std::mem::take(&mut self.differs),
            gate: gate.map(|g| View::of(&self.folder, g)),
        }
    }
}

/// Whether a gate is as the driver kept it when it issued the pass: a wave may ask for time, and its result may have been rejected;
/// nothing else happens to a gate while its wave runs.
fn is_as_kept(kept: &Gate, current: &Gate) -> bool {
    let mut same = current.clone();
    same.overrides_head = kept.overrides_head.clone();
    if let (Some(pass), Some(then)) = (&mut same.pass, &kept.pass) {
        pass.generation.clone_from(&then.generation);
    }
    same == *kept
}

/// Which binding changed before a wave was issued, as a pause.
fn changed(fail: &Fail) -> (Pause, Option<String>) {
    let differs = fail.details.get("differs").and_then(serde_json::Value::as_array);
    let words: Vec<&str> = differs.into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
    let why = match words.first().copied() {
        Some("policy_binding") => Pause::PolicyChanged,
        Some("scope_boundary") => Pause::ScopeBoundaryChanged,
        Some("scope_fingerprint") => Pause::SelectionScopeChanged,
        _ => Pause::ReviewCriteriaChanged,
    };
    (why, Some(words.join(",")).filter(|w| !w.is_empty()))
}

/// The seed's report, for people.
fn told(answer: &Answer) -> String {
    let mut text = String::from("## wave-review-loop result\n\n");
    let mut line = |name: &str, value: String| text.push_str(&format!("- {name}: {value}\n"));
    if let Some(gate) = &answer.gate {
        line("Scope", gate.scope.to_owned());
        line("Risk tier", gate.tier.word().to_owned());
        line("Review profile", gate.profile.word().to_owned());
        line("Iterations", answer.iterations.to_string());
        line("Consecutive clean", format!("{} / {}", gate.clean, gate.required));
        line("Findings fixed this run", answer.findings_fixed_this_run.to_string());
    }
    line("Result", answer.result.to_owned());
    line("Exit reason", answer.exit_reason.to_owned());
    if let Some(receipt) = answer.gate.as_ref().and_then(|g| g.receipt.as_ref()) {
        line("Receipt", crate::base::path::printable(receipt));
    }
    if let Some(intervention) = answer.intervention {
        line("Intervention", intervention.to_owned());
    }
    text
}
