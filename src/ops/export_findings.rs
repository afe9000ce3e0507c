//! export-findings: findings in the formats of other programs (spec/ecosystem.md §2.7 to §2.9).

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::base::path::printable;
use crate::base::reason::words;
use crate::base::verdict::Class;
use crate::base::{Code, Fail};
use crate::finding::write::{self, Baseline, Entry};
use crate::finding::{Review, identity, read};
use crate::host::{Host, files};
use crate::wire::export;

words! {
    /// The formats that are written.
    Format {
        Sarif "sarif",
        Rdjson "rdjson",
        Rdjsonl "rdjsonl",
        Github "github",
        Markdown "markdown",
    }
}

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Any review, an answer of parse-findings included; `-` or none for standard input.
    pub input: Option<String>,
    /// What stands on standard input, when it is read.
    pub stdin: Option<Vec<u8>>,
    /// Which format.
    pub format: Option<String>,
    /// The checkout: paths become relative to it, lines are fingerprinted.
    pub repo: Option<String>,
    /// An answer of match-findings whose current set this is.
    pub matched: Option<String>,
    /// What was ruled on: `[{"id","disposition","reason"?}]`.
    pub dispositions: Option<String>,
    /// The id of the run in SARIF.
    pub category: Option<String>,
    /// Where it is written; standard output without it.
    pub output: Option<String>,
}

/// What was written.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Which format.
    pub format: Format,
    /// Where; null on standard output.
    pub output_file: Option<String>,
    /// How many findings.
    pub findings: usize,
    /// The document, for standard output.
    #[serde(skip)]
    pub text: String,
}

/// Exports findings.
///
/// # Errors
/// `INVALID_ARGUMENT`, `INVALID_PATH`, `INVALID_REPORT` for a review that proves nothing in a format that could not say so,
/// `BAD_SHAPE`, or why a file cannot be read or written.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let word = request.format.as_deref().unwrap_or_default();
    let names: Vec<&str> = Format::ALL.iter().map(|f| f.word()).collect();
    let unknown = || Fail::new(Code::InvalidArgument, format!("`--format {}` is not one of {}", printable(word), names.join(", ")));
    let format = Format::parse(word).ok_or_else(unknown)?;
    let bytes = match (&request.stdin, request.input.as_deref()) {
        (Some(bytes), _) => bytes.clone(),
        (None, input) => files::read_text(&host.absolute(input, "review")?, files::TEXT_LIMIT)?,
    };
    let review = read::review(&bytes);
    let verdict = review.verdict().0;
    let proves_nothing = verdict == Class::Unproven || (verdict == Class::None && review.findings.is_empty());
    if proves_nothing && format != Format::Sarif {
        let codes: Vec<&str> = review.contradictions.iter().map(|c| c.word()).collect();
        let message = format!("the review proves nothing, and {} cannot say so: it would read as clean", format.word());
        return Err(Fail::new(Code::InvalidReport, message).with("contradictions", codes));
    }
    let entries = entries(request, host, review)?;
    let findings = entries.len();
    let text = match format {
        Format::Sarif => document(&write::sarif::write(&entries, proves_nothing, request.category.as_deref())),
        Format::Rdjson => document(&write::rdjson::write(&entries)),
        Format::Rdjsonl => write::rdjson::write_lines(&entries),
        Format::Github => write::github::write(&entries),
        Format::Markdown => write::markdown::write(&entries),
    };
    let Some(output) = request.output.as_deref() else { return Ok(Answer { format, output_file: None, findings, text }) };
    let path = host.absolute(Some(output), "output")?;
    files::replace(host, &path, text.as_bytes())?;
    Ok(Answer { format, output_file: Some(path.to_string_lossy().into_owned()), findings, text: String::new() })
}

fn document(value: &serde_json::Value) -> String {
    format!("{value}\n")
}

fn entries(request: &Request, host: &Host, mut review: Review) -> Result<Vec<Entry>, Fail> {
    let repo = request.repo.as_deref().map(|r| host.absolute(Some(r), "repository")).transpose()?;
    let read = |flag: &Option<String>, what: &str| -> Result<Option<Vec<u8>>, Fail> {
        flag.as_deref()
            .filter(|f| !f.is_empty())
            .map(|f| files::read_text(&host.absolute(Some(f), what)?, files::DOCUMENT_LIMIT))
            .transpose()
    };
    let baselines = read(&request.matched, "match")?.map(|b| export::baselines(&b)).transpose()?.unwrap_or_default();
    let rulings = read(&request.dispositions, "dispositions")?.map(|b| export::rulings(&b)).transpose()?.unwrap_or_default();
    super::parse_findings::relative(&mut review, repo.as_ref().map(|r| r.to_string_lossy().into_owned()).as_deref());
    let ids = identity::assign(&review.findings);
    let mut entries: Vec<Entry> = review
        .findings
        .into_iter()
        .zip(ids)
        .map(|(finding, (id, source))| {
            let baseline = if baselines.is_empty() { None } else { Some(baselines.get(&id).copied().unwrap_or(Baseline::New)) };
            let suppression = rulings.get(&id).cloned();
            Entry { id, source, finding, baseline, suppression, line_hash: None }
        })
        .collect();
    if let Some(root) = &repo {
        fingerprint(&mut entries, root);
    }
    write::sort(&mut entries);
    Ok(entries)
}

/// Fingerprints the lines of the findings; a file is read once. One that cannot be read has none.
fn fingerprint(entries: &mut [Entry], root: &Path) {
    let mut hashed: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in entries {
        let Some((path, line)) = entry.finding.place.as_ref().and_then(|p| Some((p.path.clone(), p.line?))) else { continue };
        let lines = hashed.entry(path.clone()).or_insert_with(|| {
            let plain = !path.starts_with('/') && path.split('/').all(|part| !part.is_empty() && part != "..");
            let full = root.join(&path);
            let inside = plain && files::refuse_links_below(root, &full).is_ok();
            let text = if inside { files::read_text(&full, 16 << 20).ok() } else { None };
            text.map(|bytes| write::line_hash::of_lines(&String::from_utf8_lossy(&bytes))).unwrap_or_default()
        });
        let at = usize::try_from(line - 1).unwrap_or(usize::MAX);
        entry.line_hash = lines.get(at).cloned().filter(|h| !h.is_empty());
    }
}
