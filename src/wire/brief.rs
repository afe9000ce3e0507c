//! A fix brief: `{"fixes":[{"path","line","basis","direction","risk",…}]}`.
//!
//! What a rule of the brief asks for may be missing here: the rule says so about all fixes at once.

use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::Fail;
use crate::resolution::brief::{Accepted, Choice, Fix, Site};
use crate::resolution::disposition::Risk;

/// Reads a brief.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`.
pub fn read(bytes: &[u8]) -> Result<Vec<Fix>, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.only(&["fixes"])?;
    if f.list("fixes")?.is_empty() {
        return Err(f.wrong("fixes", "a list of at least one fix: a brief of nothing briefs nobody"));
    }
    f.list("fixes")?.iter().enumerate().map(|(n, value)| fix(value, &format!("/fixes/{n}"))).collect()
}

fn fix(value: &Value, at: &str) -> Result<Fix, Fail> {
    let f = Fields::of(value, at)?;
    f.only(&["findings", "path", "line", "new", "basis", "direction", "risk", "decided", "predicate", "sites", "note"])?;
    let findings = if f.get("findings").is_some() { f.texts("findings")? } else { Vec::new() };
    f.maybe_text("note")?;
    let text = |key: &str| f.maybe_text(key).map(|t| t.unwrap_or_default().to_owned());
    let sites = f.maybe_list("sites")?.iter().enumerate();
    let sites = sites.map(|(n, value)| {
        let at = format!("{at}/sites/{n}");
        let f = Fields::of(value, &at)?;
        f.only(&["path", "line", "new", "verified", "risk", "decided"])?;
        let verified = f.get("verified").map_or(Ok(false), |_| f.flag("verified"))?;
        Ok(Site { verified, ..site(&f, &at)? })
    });
    Ok(Fix {
        findings,
        place: site(&f, at)?,
        basis: text("basis")?,
        direction: text("direction")?,
        predicate: f.maybe_text("predicate")?.map(str::to_owned),
        sites: sites.collect::<Result<_, Fail>>()?,
    })
}

fn site(f: &Fields<'_>, at: &str) -> Result<Site, Fail> {
    let risk = f.maybe_text("risk")?;
    let risk = risk.map(|w| Risk::parse(w).ok_or_else(|| f.wrong("risk", "none, substrate or epistemic"))).transpose()?;
    let decided = f.get("decided").map(|value| {
        let at = format!("{at}/decided");
        let f = Fields::of(value, &at)?;
        f.only(&["choice", "words"])?;
        let choice = Choice::parse(f.text("choice")?).ok_or_else(|| f.wrong("choice", "accept, defer or drop"))?;
        Ok(Accepted { choice, words: f.text("words")?.to_owned() })
    });
    let path = f.maybe_text("path")?.map(str::to_owned);
    if path.as_deref().is_some_and(|p| p.starts_with('/') || p.split('/').any(|part| matches!(part, "" | "." | ".."))) {
        return Err(f.wrong("path", "a path from the top of the repository"));
    }
    Ok(Site {
        path,
        line: f.maybe_count("line")?,
        fresh: f.get("new").map_or(Ok(false), |_| f.flag("new"))?,
        verified: true,
        risk,
        decided: decided.transpose()?,
    })
}
