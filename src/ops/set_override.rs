//! set-override and clear-override: attributed decisions about numbers of a gate (waves spec §14; wave-review seed, outlier).

use serde::Serialize;
use serde_json::json;

use super::wave::{Folder, Place, events, is_wave, overrides, refuse_below, variable_of};
use crate::base::path::printable;
use crate::base::{Code, Fail, number};
use crate::host::Host;
use crate::wave::control::{Action, Gate, Row, Scope, Source, binding, bounds, reason_offence, value};
use crate::wave::journal::Type;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Which loop.
    pub place: Place,
    /// The loop as its wave knows it; `REVIEW_LOOP_POLICY_SESSION_ID` inside a wave without one.
    pub session: Option<String>,
    /// What is overridden.
    pub gate: Option<String>,
    /// The value; none for a clearance.
    pub value: Option<String>,
    /// Whether it is a clearance.
    pub clear: bool,
    /// phase or session.
    pub scope: Option<String>,
    /// agent or human.
    pub source: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// How long it holds, in seconds.
    pub for_seconds: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The loop.
    pub loop_id: String,
    /// The row.
    #[serde(flatten)]
    pub row: Row,
    /// What it is bound by; none for a clearance.
    pub override_binding: Option<String>,
    /// The value that holds now.
    pub in_force: Option<u64>,
}

/// Records a decision.
///
/// # Errors
/// `INVALID_ARGUMENT`, `PASS_ACTIVE` for a wave that asks for anything but time, `OVERRIDE_STATE_INVALID`, `STATE_MISSING`, `LOCK_BUSY`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let wave = is_wave(host)?;
    let word = request.gate.clone().unwrap_or_default();
    let invalid = |what: &str, word: &str, known: &str| {
        Fail::new(Code::InvalidArgument, format!("`{what} {}` is not one of {known}", printable(word)))
    };
    let known: Vec<&str> = Gate::ALL.iter().map(|g| g.word()).collect();
    let gate = Gate::parse(&word).ok_or_else(|| invalid("the gate", &word, &known.join(", ")))?;
    // A wave may ask for time, never for a lower gate.
    if wave && gate != Gate::PassTimeout {
        return Err(Fail::new(Code::PassActive, format!("a wave may override review.pass-timeout alone, and not `{}`", gate.word())));
    }
    let given = |flag: &Option<String>| flag.clone().filter(|f| !f.is_empty());
    let scope = given(&request.scope).unwrap_or_else(|| Scope::Phase.word().to_owned());
    let scope = Scope::parse(&scope).ok_or_else(|| invalid("--scope", &scope, "phase, session"))?;
    let source = given(&request.source).unwrap_or_else(|| Source::Agent.word().to_owned());
    let source = Source::parse(&source).ok_or_else(|| invalid("--source", &source, "agent, human"))?;
    if wave && (source != Source::Agent || scope != Scope::Phase) {
        return Err(Fail::new(Code::PassActive, "a wave asks for time as an agent and for its own gate: --source agent, --scope phase"));
    }
    let reason = request.reason.clone().unwrap_or_default();
    if let Some(why) = reason_offence(&reason) {
        return Err(Fail::new(Code::InvalidArgument, format!("`--reason` {why}: a decision is attributed and says why")));
    }
    let set = given(&request.value).filter(|_| !request.clear).map(|text| {
        value(gate, &text).ok_or_else(|| {
            let range = bounds(gate);
            Fail::new(
                Code::InvalidArgument,
                format!("`{}` of `{}` is not from {} to {}", printable(&text), gate.word(), range.start(), range.end()),
            )
        })
    });
    let set = set.transpose()?;
    // A day is time enough for one wave; no limit at all is its parent's to give.
    if wave && set.is_some_and(|n| !(1..=86_400).contains(&n)) {
        return Err(Fail::new(Code::PassActive, "a wave may ask for 1 to 86400 seconds"));
    }
    if set.is_none() && !request.clear {
        return Err(Fail::new(Code::InvalidArgument, format!("the value of `{}` is missing", gate.word())));
    }
    let lasts = given(&request.for_seconds).map(|n| number::plain("--for-seconds", &n, 1..=31_536_000)).transpose()?;
    let session = match given(&request.session) {
        Some(session) => Some(session),
        None if wave => variable_of(host, "REVIEW_LOOP_POLICY_SESSION_ID", "DEX_POLICY_SESSION_ID")?,
        None => None,
    };
    let folder = Folder::find(host, &Place { loop_id: session.or(request.place.loop_id.clone()), ..request.place.clone() })?;
    let held = folder.hold()?;
    let mut opened = folder.opened()?;
    if gate != Gate::PassTimeout {
        refuse_below(&opened)?;
    }
    let now = u64::try_from(host.now_ms()).unwrap_or_default();
    let row = Row {
        schema_version: 1,
        created_ms: now,
        action: if request.clear { Action::Clear } else { Action::Set },
        gate,
        value: set,
        scope,
        opening: opened.opening,
        source,
        expires_at: lasts.map_or(0, |s| now / 1000 + s),
        reason,
    };
    overrides::append(&folder, &held, &mut opened, &row)?;
    let in_force = overrides::value(&folder, gate, &opened)?.map(|(value, _)| value);
    if gate == Gate::CleanPasses {
        let trusted = opened.policy.passes.of(opened.selection.tier);
        let data = json!({"required_clean": in_force.unwrap_or(opened.asked), "trusted_required_clean": trusted, "source": source});
        events::note(&folder, &held, Type::GateOverridden, data);
    }
    Ok(Answer { loop_id: folder.id.clone(), override_binding: set.map(|_| binding(&row)), row, in_force })
}
