//! The answer on stdout: one compact JSON line with `ok`, or two-blank indented with `--pretty`.

use std::io::Write;

use review_loop::base::Fail;
use review_loop::ops::Ask;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A command's answer: its bytes and exit status.
pub(crate) struct Reply {
    status: u8,
    json: Vec<u8>,
    error: Option<Map<String, Value>>,
    /// A document in another program's format, printed as it is.
    raw: Option<String>,
}

impl Reply {
    /// Done, or yes.
    pub(crate) fn yes<T: Serialize>(body: &T) -> Reply {
        Reply { status: 0, json: serde_json::to_vec(body).unwrap_or_default(), error: None, raw: None }
    }

    /// A check: yes is 0, no is 1.
    pub(crate) fn check<T: Serialize>(yes: bool, body: &T) -> Reply {
        Reply { status: u8::from(!yes), ..Reply::yes(body) }
    }

    /// A person must decide.
    pub(crate) fn ask<T: Serialize>(body: &T, ask: &Ask) -> Reply {
        let mut json = Reply::yes(body).json;
        json.pop();
        if json.len() > 1 {
            json.push(b',');
        }
        json.extend_from_slice(b"\"ask\":");
        json.extend(serde_json::to_vec(ask).unwrap_or_default());
        json.push(b'}');
        Reply { status: 3, json, error: None, raw: None }
    }

    /// A person must decide, by the `ask` that the answer holds.
    pub(crate) fn asked<T: Serialize>(body: &T) -> Reply {
        Reply { status: 3, ..Reply::yes(body) }
    }

    /// A document of another program's format.
    pub(crate) fn raw(text: String) -> Reply {
        Reply { status: 0, json: Vec::new(), error: None, raw: Some(text) }
    }

    /// A failure that still has an answer: its fields stand beside `error`.
    pub(crate) fn failed<T: Serialize>(fail: &Fail, body: &T) -> Reply {
        Reply { status: fail.status(), error: Some(error_of(fail, false)), ..Reply::yes(body) }
    }
}

/// Prints an answer; gives the exit status.
pub(crate) fn reply(reply: &Reply, pretty: bool) -> u8 {
    if let Some(text) = &reply.raw {
        return write(&[text.as_bytes()]).unwrap_or(reply.status);
    }
    let mut head = match &reply.error {
        None => b"{\"ok\":true".to_vec(),
        Some(error) => [b"{\"ok\":false,\"error\":", serde_json::to_vec(error).unwrap_or_default().as_slice()].concat(),
    };
    if reply.json.len() > 2 {
        head.push(b',');
    }
    print(&head, reply.json.get(1..).unwrap_or(b"}"), pretty).unwrap_or(reply.status)
}

/// Prints a failure; gives the exit status. The nine reference commands keep the system's name of a file-system error
/// as the code and repeat the details at top level.
pub(crate) fn fail(fail: &Fail, reference: bool, pretty: bool) -> u8 {
    let error = error_of(fail, reference);
    let mut body = Map::new();
    body.insert("ok".into(), Value::Bool(false));
    body.insert("error".into(), Value::Object(error));
    if reference {
        body.extend(fail.details.clone());
    }
    print(&serde_json::to_vec(&body).unwrap_or_default(), b"", pretty).unwrap_or(fail.status())
}

/// The `error` object of a failure.
fn error_of(fail: &Fail, reference: bool) -> Map<String, Value> {
    let system = fail.system.filter(|_| reference);
    let mut error = Map::new();
    error.insert("code".into(), json!(system.unwrap_or(fail.code.word())));
    error.insert("kind".into(), json!(fail.kind().word()));
    error.insert("message".into(), json!(fail.message));
    error.insert("hint".into(), json!(fail.hint.as_deref().unwrap_or(fail.reason.unwrap_or(fail.code).hint())));
    let reason = fail.reason.or(system.map(|_| fail.code));
    if let Some(reason) = reason {
        error.insert("reason".into(), json!(reason.word()));
    }
    error.extend(fail.details.clone());
    error
}

/// Prints help or version text.
pub(crate) fn text(text: &str) -> u8 {
    write(&[text.as_bytes()]).unwrap_or(0)
}

/// Prints a line of two parts, which is not put together: an answer may be long.
fn print(head: &[u8], rest: &[u8], pretty: bool) -> Option<u8> {
    let indented = pretty.then(|| serde_json::from_slice::<Value>(&[head, rest].concat()).ok()).flatten();
    match indented.and_then(|v| serde_json::to_vec_pretty(&v).ok()) {
        Some(bytes) => write(&[&bytes, b"\n"]),
        None => write(&[head, rest, b"\n"]),
    }
}

/// A closed pipe is quiet: whoever closed it does not want the answer, and the effect of the command stands. Any other
/// failure is one of the machine, and the status says so since the answer cannot.
fn write(parts: &[&[u8]]) -> Option<u8> {
    let mut out = std::io::stdout().lock();
    let written = parts.iter().try_for_each(|part| out.write_all(part)).and_then(|()| out.flush());
    written.err().filter(|e| e.kind() != std::io::ErrorKind::BrokenPipe).map(|_| 2)
}
