//! parse-findings: any review output as findings, a verdict and what speaks against it (map.md, Contracts that are fixed).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::base::reason::Contradiction;
use crate::base::severity::Grade;
use crate::base::verdict::Class;
use crate::base::{Code, Fail, path};
use crate::finding::{Counted, Format, Location, Review, identity, read};
use crate::host::{Host, files};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The review; `-` or none for standard input.
    pub input: Option<String>,
    /// The checkout: paths below it are printed relative to it.
    pub repo: Option<String>,
    /// The format, where it is known.
    pub format: Option<String>,
    /// What stands on standard input, when it is read.
    pub stdin: Option<Vec<u8>>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Unique in one answer.
    pub id: String,
    /// Whether the report states it.
    pub id_source: identity::Source,
    /// The six-word grade.
    pub severity: Grade,
    /// The level word as written.
    pub severity_text: Option<String>,
    /// The first place it cites.
    pub path: Option<String>,
    /// First line.
    pub line: Option<u64>,
    /// Last line of a range.
    pub end_line: Option<u64>,
    /// One line.
    pub title: String,
    /// What is said behind the title.
    pub body: String,
    /// Bracket tags behind the severity.
    pub tags: Vec<String>,
    /// Further places.
    pub also: Vec<Location>,
    /// Source text it quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The rule of the tool that found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The kind of defect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What is proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// The line of the report it starts on.
    pub report_line: u64,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Always 1.
    pub schema_version: u8,
    /// The shape it was read in.
    pub format: Format,
    /// approve, needs_attention, unproven or none.
    pub verdict: Class,
    /// The literal that decided it.
    pub verdict_text: Option<String>,
    /// In document order.
    pub findings: Vec<Item>,
    /// What the report says it has.
    pub counts_declared: Option<BTreeMap<&'static str, u64>>,
    /// Sorted.
    pub contradictions: Vec<Contradiction>,
    /// Lines that look like findings and were not read as any.
    pub unparsed_suspicious: u64,
    /// Those lines, the first thousand.
    pub suspicious_lines: Vec<u64>,
    /// Items the report marks as closed.
    pub resolved_items: u64,
    /// Sorted: `bad_utf8@N`, `unreadable@N` with the byte.
    pub warnings: BTreeSet<String>,
}

impl Answer {
    /// Whether the report can be relied on.
    pub fn is_reliable(&self) -> bool {
        let said = !(self.verdict == Class::None && self.findings.is_empty());
        let sound = self.contradictions.iter().all(|c| *c == Contradiction::EchoedTemplate);
        said && sound && self.verdict != Class::Unproven && self.unparsed_suspicious == 0
    }
}

/// Reads a review. The question behind the exit status: can it be relied on?
///
/// # Errors
/// `INVALID_ARGUMENT` for an unknown format, `INVALID_PATH`, or why the file cannot be read.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let format = request.format.as_deref().filter(|f| !f.is_empty()).map(parse_format).transpose()?;
    let bytes = match (&request.stdin, request.input.as_deref()) {
        (Some(bytes), _) => bytes.clone(),
        (None, input) => files::read_text(&host.absolute(input, "review")?, files::TEXT_LIMIT)?,
    };
    let repo = request.repo.as_deref().map(|r| host.absolute(Some(r), "repository")).transpose()?;
    let repo = repo.map(|r| r.to_string_lossy().into_owned());
    Ok(answer(read::review_as(&bytes, format), repo.as_deref()))
}

fn parse_format(word: &str) -> Result<Format, Fail> {
    let known = Format::parse(word).filter(|f| !matches!(f, Format::Empty));
    let names: Vec<&str> = Format::ALL.iter().filter(|f| **f != Format::Empty).map(|f| f.word()).collect();
    let message = || format!("`--format {}` is not one of {}", path::printable(word), names.join(", "));
    known.ok_or_else(|| Fail::new(Code::InvalidArgument, message()))
}

/// A review as an answer; paths below `repo` are printed relative to it.
pub fn answer(mut review: Review, repo: Option<&str>) -> Answer {
    relative(&mut review, repo);
    let (verdict, text) = review.verdict();
    let verdict_text = text.map(str::to_owned);
    let ids = identity::assign(&review.findings);
    let counts = counts(&review);
    let suspicious_lines = review.suspicious.iter().copied().take(1000).collect();
    let at = |word: &str, at: Option<u64>| at.map(|n| format!("{word}@{n}"));
    let warnings = [at("bad_utf8", review.bad_utf8_at), at("unreadable", review.unreadable_at)].into_iter().flatten().collect();
    let items = review.findings.into_iter().zip(ids).map(|(f, (id, id_source))| {
        let place = f.place;
        let (path, line, end_line) = place.map_or((None, None, None), |p| (Some(p.path), p.line, p.end_line));
        Item {
            id,
            id_source,
            severity: f.grade,
            severity_text: f.severity_text,
            path,
            line,
            end_line,
            title: f.title,
            body: f.body,
            tags: f.tags,
            also: f.also,
            quote: f.quote,
            rule: f.rule,
            category: f.category,
            fix: f.fix,
            report_line: f.report_line,
        }
    });
    Answer {
        schema_version: 1,
        format: review.format.unwrap_or(Format::Markdown),
        verdict,
        verdict_text,
        findings: items.collect(),
        counts_declared: counts,
        contradictions: review.contradictions,
        unparsed_suspicious: review.suspicious.len() as u64,
        suspicious_lines,
        resolved_items: review.resolved,
        warnings,
    }
}

/// Cuts paths below `repo` down to what is behind it.
pub fn relative(review: &mut Review, repo: Option<&str>) {
    let Some(repo) = repo else { return };
    for place in review.findings.iter_mut().flat_map(|f| f.place.iter_mut().chain(&mut f.also)) {
        if let Some(short) = path::display(&place.path, Some(repo)) {
            place.path = short;
        }
    }
}

/// The Issues line under the names of the grades its marks stand for, with every other count.
fn counts(review: &Review) -> Option<BTreeMap<&'static str, u64>> {
    let levels =
        review.declared.as_ref().map(|d| [(Counted::Critical, d.critical), (Counted::Medium, d.warning), (Counted::Suggestion, d.info)]);
    let all: BTreeMap<&'static str, u64> =
        levels.into_iter().flatten().chain(review.counts.iter().map(|(c, n)| (*c, *n))).map(|(c, n)| (c.word(), n)).collect();
    (!all.is_empty()).then_some(all)
}
