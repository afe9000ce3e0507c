//! list-sources: which sources can be invoked here, and which one is chosen (resolution spec §18).

use std::time::Duration;

use serde::Serialize;

use super::Ask;
use crate::base::path::{is_unsafe, printable};
use crate::base::reason::words;
use crate::base::{Code, Fail};
use crate::host::Host;
use crate::host::child::{self, Launch};
use crate::source::adapter::Name;

/// How long a version call may take.
const LIMIT: Duration = Duration::from_secs(20);

words! {
    /// Who runs a source.
    By {
        Tool "tool",
        Host "host",
    }
}

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// Whether one is to be chosen, and which.
    pub choose: Option<Option<String>>,
    /// Whether the agent's own host has a built-in review, which it runs itself.
    pub host_review: bool,
}

/// A source.
#[derive(Debug, Clone, Serialize)]
pub struct Source {
    /// Its name.
    pub name: Name,
    /// Whether it can be invoked here.
    pub invokable: bool,
    /// Who runs it: this program, or the agent's own host.
    pub by: By,
    /// What it says of its version.
    pub version: Option<String>,
    /// Why it cannot be invoked.
    pub reason: Option<String>,
    /// What would make it available.
    pub remedy: Option<&'static str>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// By name.
    pub sources: Vec<Source>,
    /// The chosen one.
    pub chosen: Option<Name>,
    /// Why it was chosen: `named`, or `only_one`.
    pub chosen_because: Option<&'static str>,
}

/// Lists the sources, and chooses one when asked to.
///
/// # Errors
/// `INVALID_ARGUMENT` for a name that is no source.
pub fn run(request: &Request, host: &Host) -> Result<(Answer, Option<Ask>), Fail> {
    let named = match &request.choose {
        Some(Some(word)) => Some(Name::find(word).ok_or_else(|| unknown(word))?),
        _ => None,
    };
    let look = |name| if name == Name::Claude && request.host_review { built_in(name) } else { probe(host, name) };
    let sources: Vec<Source> = [Name::Checks, Name::Claude, Name::Codex].map(look).to_vec();
    let (chosen, ask) = if request.choose.is_some() { choose(&sources, named) } else { (None, None) };
    let (chosen, chosen_because) = chosen.map_or((None, None), |(name, why)| (Some(name), Some(why)));
    Ok((Answer { sources, chosen, chosen_because }, ask))
}

/// The refusal of a word that names no source.
pub fn unknown(word: &str) -> Fail {
    let names: Vec<&str> = Name::ALL.iter().map(|n| n.word()).collect();
    Fail::new(Code::InvalidArgument, format!("`{}` is not one of {}", printable(word), names.join(", ")))
}

type Choice = (Option<(Name, &'static str)>, Option<Ask>);

/// A named source that can be invoked is it; without a name the only one is; whatever else is left is the person's to say. Nothing
/// takes the place of a source that was named.
fn choose(sources: &[Source], named: Option<Name>) -> Choice {
    let stop = ("stop", "do not review");
    if let Some(name) = named {
        // A command is whatever program the caller names when it is run.
        let there = name == Name::Command || sources.iter().any(|s| s.name == name && s.invokable);
        if there {
            return (Some((name, "named")), None);
        }
        let question = format!("the source `{}` cannot be invoked here; {}. Shall it be made available?", name.word(), name.remedy());
        return (None, Some(Ask::new("source_unavailable", question, &[("retry", "it is available now; ask again"), stop])));
    }
    let there: Vec<Name> = sources.iter().filter(|s| s.invokable).map(|s| s.name).collect();
    match there.as_slice() {
        [only] => (Some((*only, "only_one")), None),
        [] => {
            let wanted: Vec<&str> = sources.iter().map(|s| s.name.remedy()).collect();
            let question = format!("no source can be invoked here: {}. Which one shall be made available?", wanted.join("; "));
            (None, Some(Ask::new("no_source", question, &[("retry", "one is available now; ask again"), stop])))
        }
        several => {
            let options: Vec<(&'static str, &str)> = several.iter().map(|n| (n.word(), "review with it")).chain([stop]).collect();
            (None, Some(Ask::new("which_source", "several sources can be invoked here; which one reviews?", &options)))
        }
    }
}

/// A source that the agent's own host runs.
fn built_in(name: Name) -> Source {
    Source { name, invokable: true, by: By::Host, version: None, reason: None, remedy: None }
}

/// Asks a source for its version: a program on `PATH` that does not answer is none.
pub fn probe(host: &Host, name: Name) -> Source {
    let found = |version: Result<String, String>| Source {
        name,
        by: By::Tool,
        invokable: version.is_ok(),
        reason: version.as_ref().err().cloned(),
        remedy: version.is_err().then(|| name.remedy()),
        version: version.ok(),
    };
    let Some(client) = name.client() else {
        return found(Ok(format!("review-loop {}", env!("CARGO_PKG_VERSION"))));
    };
    let argv = [client.word().to_owned(), "--version".to_owned()];
    let launch = Launch { argv: &argv, cwd: &host.cwd, env: &[], stdin: Vec::new(), limit: LIMIT, keep: 4096 };
    found(match child::run(host, launch) {
        Err(fail) => Err(fail.message),
        Ok(ended) if ended.timed_out => Err(format!("`{} --version` did not answer in {} s", client.word(), LIMIT.as_secs())),
        Ok(ended) if ended.code != Some(0) => {
            let code = ended.code.map_or_else(|| "a signal".to_owned(), |c| c.to_string());
            Err(format!("`{} --version` ended with {code}", client.word()))
        }
        Ok(ended) => {
            let said: String = String::from_utf8_lossy(&ended.stdout).lines().next().unwrap_or_default().chars().take(80).collect();
            let said: String = said.trim().chars().filter(|c| !is_unsafe(*c)).collect();
            if said.is_empty() { Err(format!("`{} --version` said nothing", client.word())) } else { Ok(said) }
        }
    })
}
