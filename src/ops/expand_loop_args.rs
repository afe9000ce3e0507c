//! expand-loop-args: the loop's argument grammar (rounds spec §2.1).

use std::path::PathBuf;

use serde::Serialize;

use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::host::{Host, files};
use crate::round::arguments::{Expanded, Overrides, expand};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// A JSON array of the argument tokens.
    pub args_file: Option<String>,
    /// claude or codex.
    pub host: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Always `loop`.
    pub route: &'static str,
    /// claude or codex.
    pub host: String,
    /// The tokens with `--codex-only` expanded.
    pub argv: Vec<String>,
    /// The cap.
    pub max: u64,
    /// Whether it was asked for.
    #[serde(rename = "maxExplicit")]
    pub max_explicit: bool,
    /// Whether one document is kept.
    pub session_doc: bool,
    /// What is overridden; only when anything is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Overrides>,
    /// Absolute; only when named.
    #[serde(rename = "readinessReceipt", skip_serializing_if = "Option::is_none")]
    pub readiness_receipt: Option<PathBuf>,
}

/// Expands the arguments of a loop.
///
/// # Errors
/// `INVALID_LOOP_ARGUMENTS` with `host` and `argv`, or why the file cannot be read.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let client = match request.host.as_deref() {
        Some("claude") => "claude",
        Some("codex") => "codex",
        other => {
            let shown = printable(other.unwrap_or(""));
            return Err(Fail::new(Code::InvalidLoopArguments, format!("the host `{shown}` is not claude or codex")));
        }
    };
    let tokens = tokens(host, request.args_file.as_deref())?;
    let located = |fail: Fail| fail.with("host", client).with("argv", tokens.clone());
    let expanded = expand(&tokens).map_err(located)?;
    let readiness_receipt = receipt(host, &expanded).map_err(located)?;
    let overrides = Some(expanded.overrides).filter(Overrides::any);
    Ok(Answer {
        route: "loop",
        host: client.to_owned(),
        argv: expanded.argv,
        max: expanded.max,
        max_explicit: expanded.max_explicit,
        session_doc: expanded.session_doc,
        overrides,
        readiness_receipt,
    })
}

/// Reads the JSON array of tokens.
///
/// # Errors
/// `INVALID_LOOP_ARGUMENTS` when it is anything else, or why the file cannot be read.
pub fn tokens(host: &Host, flag: Option<&str>) -> Result<Vec<String>, Fail> {
    let path = host.absolute(flag, "arguments file")?;
    let shown = printable(&path.to_string_lossy());
    let bytes = files::read_text(&path, 1 << 20)?;
    let invalid = |why: &str| Fail::new(Code::InvalidLoopArguments, format!("the arguments file `{shown}` {why}"));
    let value = crate::wire::json::parse(&bytes)
        .map_err(|f| Fail { message: format!("the arguments file `{shown}`: {}", f.message), ..f.within(Code::InvalidLoopArguments) })?;
    let list = value.as_array().ok_or_else(|| invalid("is not a JSON array of strings"))?;
    let tokens: Option<Vec<String>> = list.iter().map(|v| v.as_str().map(str::to_owned)).collect();
    tokens.ok_or_else(|| invalid("is not a JSON array of strings"))
}

/// A named readiness receipt must be a regular file.
fn receipt(host: &Host, expanded: &Expanded) -> Result<Option<PathBuf>, Fail> {
    let Some(named) = &expanded.readiness_receipt else {
        return Ok(None);
    };
    let path = host.absolute(Some(named), "readiness receipt")?;
    if path.symlink_metadata().is_ok_and(|m| m.is_file()) {
        return Ok(Some(path));
    }
    Err(Fail::new(Code::InvalidLoopArguments, format!("the readiness receipt `{}` is no regular file", printable(&path.to_string_lossy()))))
}
