//! The report of a wave: `{"version":1,"result","context","criteria","deterministic_checks","coverage","verifier","findings","fixes_applied"}`.

use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::{Code, Fail};
use crate::wave::churn::Key;
use crate::wave::criteria::Section;
use crate::wave::evidence::{Checks, Domain, Kind, Outcome, Verifier};
use crate::wave::report::{Answered, Context, Found, Proof, Report};
use crate::wave::signal;

/// The largest report.
pub const LARGEST: u64 = 1 << 20;

/// Reads a report. What its words say is the rules' to judge.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`, `INVALID_WAVE_REPORT` for another version and for a result that is none.
pub fn read(bytes: &[u8]) -> Result<Report, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.only(&["version", "result", "context", "criteria", "deterministic_checks", "coverage", "verifier", "findings", "fixes_applied"])?;
    if f.get("version") != Some(&Value::from(1)) {
        return Err(Fail::new(Code::InvalidWaveReport, "`/version` must be the number 1"));
    }
    let result = signal::parse(f.text("result")?);
    let result = result.ok_or_else(|| Fail::new(Code::InvalidWaveReport, "`/result` is no line of the result grammar"))?;
    let context = f.get("context").ok_or_else(|| f.wrong("context", "an object"))?;
    let context = Fields::of(context, "/context")?;
    context.only(&["scope", "checks", "coverage", "verification"])?;
    let text = |key: &str| context.text(key).map(str::to_owned);
    let context =
        Context { scope: text("scope")?, checks: text("checks")?, coverage: text("coverage")?, verification: text("verification")? };
    let criteria = match f.get("criteria") {
        None => Default::default(),
        Some(given) => {
            let c = Fields::of(given, "/criteria")?;
            c.only(&Section::ALL.iter().map(|s| s.word()).collect::<Vec<_>>())?;
            let of = |s: Section| c.maybe_list(s.word())?.iter().map(answered).collect::<Result<Vec<Answered>, Fail>>();
            [of(Section::Objectives)?, of(Section::AcceptanceCriteria)?, of(Section::VerificationRequirements)?]
        }
    };
    let coverage = f.texts("coverage")?.iter().map(|w| Domain::parse(w)).collect::<Option<Vec<Domain>>>();
    let coverage = coverage.ok_or_else(|| f.wrong("coverage", "a list of the nine domains"))?;
    let word = |key: &str, wanted: &str| f.wrong(key, wanted);
    let checks = Checks::parse(f.text("deterministic_checks")?);
    let verifier = Verifier::parse(f.text("verifier")?);
    Ok(Report {
        result,
        context,
        criteria,
        deterministic_checks: checks.ok_or_else(|| word("deterministic_checks", "pass, partial, fail or unavailable"))?,
        coverage,
        verifier: verifier.ok_or_else(|| word("verifier", "pass, fail or not-run"))?,
        findings: f.list("findings")?.iter().map(found).collect::<Result<_, _>>()?,
        fixes_applied: f.count("fixes_applied")?,
    })
}

fn answered(value: &Value) -> Result<Answered, Fail> {
    let f = Fields::of(value, "/criteria")?;
    f.only(&["outcome", "evidence"])?;
    let outcome = Outcome::parse(f.text("outcome")?);
    let outcome = outcome.ok_or_else(|| f.wrong("outcome", "met, not_met, blocked or not_applicable"))?;
    let evidence = f.list("evidence")?.iter().map(|proof| {
        let p = Fields::of(proof, "/criteria/evidence")?;
        p.only(&["kind", "detail"])?;
        let kind = Kind::parse(p.text("kind")?).ok_or_else(|| p.wrong("kind", "analysis, command, file or test"))?;
        Ok(Proof { kind, detail: p.text("detail")?.to_owned() })
    });
    Ok(Answered { outcome, evidence: evidence.collect::<Result<_, Fail>>()? })
}

/// A finding in words alone, or with its place and kind.
fn found(value: &Value) -> Result<Found, Fail> {
    if let Some(text) = value.as_str() {
        return Ok(Found { description: text.to_owned(), key: None });
    }
    let f = Fields::of(value, "/findings")?;
    f.only(&["description", "file", "symbol", "category"])?;
    let text = |key: &str| f.maybe_text(key).map(|t| t.unwrap_or_default().to_owned());
    let key = Key { file: text("file")?, symbol: text("symbol")?, category: text("category")? };
    Ok(Found { description: f.text("description")?.to_owned(), key: Some(key).filter(|k| !k.file.is_empty()) })
}
/// Whether a report that cannot be read states a result other than CLEAN, as far as that can be told: by its words alone.
pub fn states_other_than_clean(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let stated = text.match_indices("\"result\"").filter_map(|(at, key)| {
        let value = text[at + key.len()..].trim_start().strip_prefix(':')?.trim_start();
        Some(value.strip_prefix('"')?.split(['"', ':']).next().unwrap_or_default().trim().to_owned())
    });
    // A word that is no result at all says nothing.
    stated.into_iter().any(|word| ["FINDINGS", "BLOCKED", "CHURN", "ESCALATE"].iter().any(|known| word.to_uppercase().starts_with(known)))
}
