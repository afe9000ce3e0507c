//! The review of a round as a resolution loop keeps it (schema 1): the answer of run-source, and what it is bound to.

use serde::Serialize;
use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::Fail;
use crate::base::reason::Contradiction;
use crate::base::verdict::Class;
use crate::finding::matching::Item;
use crate::resolution::convergence::{Said, said};

/// What a review is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bound {
    /// Of the surface it read.
    pub scope_fingerprint: String,
    /// The commit that was checked out.
    pub head: Option<String>,
    /// SHA-256 of `surface.json`.
    pub surface_sha256: String,
    /// SHA-256 of `bundle.json`; none where nothing was sent.
    pub bundle_sha256: Option<String>,
    /// SHA-256 of the prompt.
    pub prompt_sha256: Option<String>,
    /// SHA-256 of the answer; none where there is none.
    pub answer_sha256: Option<String>,
    /// SHA-256 of the dispositions of the round before; none of a first review.
    pub previous_sha256: Option<String>,
}

/// A review.
#[derive(Debug, Clone)]
pub struct Review {
    /// Its round.
    pub round: u64,
    /// The version of the program that read it.
    pub version: String,
    /// How many times the source was run for it.
    pub attempts: u64,
    /// The folder of its evidence, inside the round's.
    pub evidence: String,
    /// What it is bound to.
    pub bound: Bound,
    /// The source.
    pub source: String,
    /// Who got it.
    pub obtained_by: String,
    /// Whether the agent graded its findings.
    pub graded: bool,
    /// What the run came to.
    pub outcome: String,
    /// Why it proves nothing.
    pub unproven_because: Option<String>,
    /// The verdict.
    pub verdict: Class,
    /// What it says against itself.
    pub contradictions: Vec<Contradiction>,
    /// Lines that look like findings and were not read.
    pub unparsed_suspicious: u64,
    /// The findings.
    pub findings: Vec<Item>,
    /// Every file each finding cites, in the order of the findings.
    pub cited: Vec<Vec<String>>,
    /// What went wrong.
    pub errors: Vec<String>,
}

impl Review {
    /// What it came to. An objection without findings is a question of its own; other contradictions make an answer that nobody can
    /// rely on.
    pub fn said(&self) -> Said {
        let empty = self.verdict == Class::NeedsAttention && self.findings.is_empty();
        let bearable = |c: &Contradiction| match c {
            Contradiction::ApproveWithHigh | Contradiction::EchoedTemplate => true,
            Contradiction::VerdictWithoutFindings => empty,
            _ => false,
        };
        let reliable = self.unparsed_suspicious == 0 && self.contradictions.iter().all(bearable);
        said(self.verdict, self.findings.len(), reliable)
    }

    /// Whether its source is run again for the same round: it proves nothing and found nothing. What an answer found is found, whatever
    /// else it is worth: then its findings are settled first.
    pub fn is_void(&self) -> bool {
        matches!(self.said(), Said::Nothing | Said::Unreliable) && self.findings.is_empty()
    }

    /// Whether this version of the program read it: another one may render and read otherwise.
    pub fn is_of_this_version(&self) -> bool {
        self.version == env!("CARGO_PKG_VERSION")
    }
}

/// Reads a review.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`.
pub fn read(bytes: &[u8]) -> Result<Review, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    f.version(1)?;
    let bound = Fields::of(f.get("bound").unwrap_or(&Value::Null), "/bound")?;
    let a = Fields::of(f.get("answer").unwrap_or(&Value::Null), "/answer")?;
    let text = |key: &str| bound.maybe_text(key).map(|t| t.map(str::to_owned));
    let verdict = Class::parse(a.text("verdict")?).ok_or_else(|| a.wrong("verdict", "approve, needs_attention, unproven or none"))?;
    let words = a.texts("contradictions")?;
    let contradictions = words.iter().map(|w| Contradiction::parse(w)).collect::<Option<_>>();
    let list = a.list("findings")?;
    let findings =
        list.iter().enumerate().map(|(n, v)| super::finding_set::item(v, &format!("/answer/findings/{n}"))).collect::<Result<_, _>>()?;
    Ok(Review {
        round: f.count("round")?,
        version: f.text("version")?.to_owned(),
        attempts: f.count("attempts")?,
        evidence: f.text("evidence")?.to_owned(),
        bound: Bound {
            scope_fingerprint: bound.text("scope_fingerprint")?.to_owned(),
            head: text("head")?,
            surface_sha256: bound.text("surface_sha256")?.to_owned(),
            bundle_sha256: text("bundle_sha256")?,
            prompt_sha256: text("prompt_sha256")?,
            answer_sha256: text("answer_sha256")?,
            previous_sha256: text("previous_sha256")?,
        },
        source: a.text("source")?.to_owned(),
        obtained_by: a.text("obtained_by")?.to_owned(),
        graded: f.flag("graded")?,
        outcome: a.text("outcome")?.to_owned(),
        unproven_because: a.maybe_text("unproven_because")?.map(str::to_owned),
        verdict,
        contradictions: contradictions.ok_or_else(|| a.wrong("contradictions", "contradictions of parse-findings"))?,
        unparsed_suspicious: a.count("unparsed_suspicious")?,
        findings,
        cited: list.iter().enumerate().map(|(n, v)| cited(v, &format!("/answer/findings/{n}"))).collect::<Result<_, _>>()?,
        errors: a.texts("errors")?,
    })
}

fn cited(value: &Value, at: &str) -> Result<Vec<String>, Fail> {
    let f = Fields::of(value, at)?;
    let mut paths: Vec<String> = f.maybe_text("path")?.map(str::to_owned).into_iter().collect();
    for (n, also) in f.maybe_list("also")?.iter().enumerate() {
        let at = format!("{at}/also/{n}");
        paths.push(Fields::of(also, &at)?.text("path")?.to_owned());
    }
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}
