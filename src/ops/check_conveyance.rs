//! check-conveyance: whether what goes to a reviewer carries design intent and nothing else (resolution spec §6).

use serde::Serialize;

use super::checkout::Checkout;
use super::render_prompt;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::{Host, files};
use crate::source::adapter::Effort;
use crate::source::bundle::{Bundle, Conveyed};
use crate::source::conveyance::{self, Exception, Hit, Rule, Slot};
use crate::source::intent::Changed;
use crate::wire::{bundle, exceptions};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// A bundle.
    pub bundle: Option<String>,
    /// A prompt that was rendered from it.
    pub prompt: Option<String>,
    /// Who the prompt is for.
    pub target: Option<String>,
    /// The effort the prompt was rendered with.
    pub effort: Option<String>,
    /// Texts of any kind, each read whole.
    pub texts: Vec<String>,
    /// Excused texts.
    pub exceptions: Option<String>,
    /// A folder of the checkout.
    pub repo: Option<String>,
    /// Whether to print what each rule refuses.
    pub explain: bool,
}

/// A rule and what it refuses.
#[derive(Debug, Serialize)]
pub struct Explained {
    /// The rule.
    pub rule: Rule,
    /// What it refuses.
    pub refuses: &'static str,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Whether nothing but intent is conveyed, as far as the rules can tell.
    pub clean: bool,
    /// What was read.
    #[serde(flatten)]
    pub conveyed: Conveyed,
    /// The rules, when asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Explained>,
}

/// Reads what would be sent.
///
/// # Errors
/// `INVALID_ARGUMENT` without anything to read, those of the documents, `NOT_A_REPOSITORY`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let given = |flag: &Option<String>| flag.clone().filter(|f| !f.is_empty());
    let exceptions = match given(&request.exceptions) {
        Some(flag) => exceptions::read(&files::read_text(&host.absolute(Some(&flag), "exceptions")?, files::DOCUMENT_LIMIT)?)?,
        None => Vec::new(),
    };
    let mut conveyed = match given(&request.bundle) {
        Some(flag) => {
            let bundle = bundle::read(&files::read_text(&host.absolute(Some(&flag), "bundle")?, files::DOCUMENT_LIMIT)?)?;
            let folder = host.absolute(Some(request.repo.as_deref().unwrap_or(".")), "repository")?;
            let mut conveyed = of_bundle(&bundle, &exceptions, &Checkout::open(host, &folder)?)?;
            if let Some(prompt) = given(&request.prompt) {
                let (target, effort) = render_prompt::addressed(request.target.as_deref(), request.effort.as_deref())?;
                conveyed.hits.extend(differs(
                    &bundle,
                    target,
                    effort,
                    &files::read_text(&host.absolute(Some(&prompt), "prompt")?, files::TEXT_LIMIT)?,
                ));
            }
            conveyed
        }
        None if request.prompt.is_some() => {
            let message = "`--prompt` needs the bundle it was rendered from: only that tells its template from its slots";
            return Err(Fail::new(Code::InvalidArgument, message).hint("a text without a bundle is read whole with --text"));
        }
        None if request.texts.is_empty() && !request.explain => {
            return Err(Fail::new(Code::InvalidArgument, "there is nothing to read: give --bundle or --text"));
        }
        None => Conveyed { checked_rules: Rule::ALL.to_vec(), ..Conveyed::default() },
    };
    for flag in &request.texts {
        let path = host.absolute(Some(flag), "text")?;
        let text = String::from_utf8(files::read_text(&path, files::DOCUMENT_LIMIT)?)
            .map_err(|_| Fail::new(Code::BadUtf8, format!("the text `{}` is not UTF-8", printable(&path.to_string_lossy()))))?;
        let read = conveyance::check(&[Slot { name: flag, text: &text }], &exceptions);
        conveyed.hits.extend(read.hits);
        conveyed.excused.extend(read.excused);
        conveyed.language_unchecked.extend(read.language_unchecked);
    }
    let rules = if request.explain { Rule::ALL.iter().map(|r| Explained { rule: *r, refuses: r.meaning() }).collect() } else { Vec::new() };
    Ok(Answer { clean: conveyed.hits.is_empty(), conveyed, rules })
}

/// Reads a bundle, and looks whether its pointers lead anywhere.
pub(super) fn of_bundle(bundle: &Bundle, exceptions: &[Exception], checkout: &Checkout) -> Result<Conveyed, Fail> {
    let mut conveyed = bundle.conveyed(exceptions);
    let intent = &bundle.intent;
    let rules = intent.rules.iter().enumerate().map(|(n, r)| (format!("/rules/{n}"), &r.path, r.changed, 1));
    let guides = intent.guides.iter().enumerate().map(|(n, g)| (format!("/guides/{n}"), &g.path, g.changed, g.end));
    let comments = intent.comments.iter().enumerate().map(|(n, c)| (format!("/comments/{n}"), &c.path, Changed::No, c.end));
    let mission = intent.mission.iter().map(|m| ("/mission".to_owned(), &m.path, m.changed, m.end));
    let captures = bundle.captures.iter().enumerate().map(|(n, c)| (format!("/captures/{n}"), c, Changed::No, 1));
    for (slot, path, changed, last) in rules.chain(guides).chain(comments).chain(mission).chain(captures) {
        if !leads(checkout, &bundle.scope.base, path, changed, last)? {
            let sha256 = crate::base::digest::sha256_hex(path.as_bytes());
            let text = path.chars().take(200).collect();
            conveyed.hits.push(Hit { rule: Rule::DeadPointer, slot, start: 0, end: path.len(), text, sha256 });
        }
    }
    Ok(conveyed)
}

/// Whether a pointer leads to a file inside the checkout that has these lines.
fn leads(checkout: &Checkout, base: &str, path: &str, changed: Changed, last: u64) -> Result<bool, Fail> {
    let inside = !path.starts_with('/') && !path.split('/').any(|part| part == "..") && !path.is_empty();
    let bytes = match changed {
        _ if !inside => None,
        // The base version of a renamed one stands under another name; that it is there was seen when it was harvested.
        Changed::Edited => {
            let answer = checkout.git.ask(&["cat-file", "blob", &format!("{base}:{path}")], b"")?;
            if answer.code == 0 { Some(answer.stdout) } else { None }
        }
        _ => files::read_text(&checkout.top.join(path), files::DOCUMENT_LIMIT).ok(),
    };
    Ok(bytes.is_some_and(|b| b.split(|c| *c == b'\n').count() as u64 >= last))
}

fn differs(bundle: &Bundle, target: crate::source::prompt::Target, effort: Effort, prompt: &[u8]) -> Option<Hit> {
    let wanted = crate::source::prompt::render(bundle, target, effort);
    let at = wanted.bytes().zip(prompt).take_while(|(a, b)| a == *b).count();
    (wanted.as_bytes() != prompt).then(|| {
        let rest = String::from_utf8_lossy(&prompt[at.min(prompt.len())..]).chars().take(200).collect();
        Hit {
            rule: Rule::PromptDiffers,
            slot: "prompt".to_owned(),
            start: at,
            end: prompt.len(),
            text: rest,
            sha256: crate::base::digest::sha256_hex(prompt),
        }
    })
}
