//! A provider of fresh sessions, for waves, assessors and the lanes of a design loop: how one is started and supervised, and what its
//! streams come to.

use std::path::Path;
use std::time::Duration;

use crate::base::path::printable;
use crate::base::reason::words;
use crate::base::{Code, Fail};
use crate::host::child::{self, Ended, Launch};
use crate::host::{Host, files};
use crate::source::answer::{self, Client, Outcome};

words! {
    /// Who runs a wave.
    Name {
        Codex "codex",
        Claude "claude",
        Command "command",
    }
}

/// A provider with its settings.
#[derive(Debug, Clone)]
pub struct Provider {
    /// Which.
    pub name: Name,
    /// Program and arguments of `command`.
    pub argv: Vec<String>,
    /// The client's model.
    pub model: Option<String>,
    /// How hard it thinks.
    pub effort: Option<String>,
}

/// The most that is kept of a stream.
const KEEP: usize = 64 << 20;

/// A session to be run.
pub struct Session<'a> {
    /// The folder of its streams.
    pub dir: &'a Path,
    /// The top of the checkout.
    pub top: &'a Path,
    /// What it is told.
    pub prompt: &'a str,
    /// Its variables.
    pub env: &'a [(&'a str, String)],
    /// Whether it assesses and may write nothing.
    pub assesses: bool,
    /// A folder outside its own that it reads.
    pub reads: Option<&'a Path>,
    /// How long it may take, asked for again each second.
    pub limit: &'a dyn Fn() -> Duration,
}

/// How a session ended.
pub struct Came {
    /// How its process ended.
    pub ended: Ended,
    /// What it said at its end.
    pub text: String,
    /// Whether its client says that it went through.
    pub went_through: bool,
}

/// Runs a fresh session to its end; both its streams are kept.
///
/// # Errors
/// `CHILD_FAILED` when it cannot be started.
pub fn run(provider: &Provider, session: &Session<'_>, host: &Host) -> Result<Came, Fail> {
    let prompt_file = session.dir.join("prompt.md");
    let argv = argv(provider, session, &prompt_file, host)?;
    let launch = Launch {
        argv: &argv,
        cwd: session.top,
        env: session.env,
        stdin: session.prompt.as_bytes().to_vec(),
        limit: Duration::ZERO,
        keep: KEEP,
    };
    let ended = child::run_live(&alone(host), launch, session.limit)?;
    files::replace(host, &session.dir.join("events"), &ended.stdout)?;
    files::replace(host, &session.dir.join("warnings"), &ended.stderr)?;
    let client = match provider.name {
        Name::Codex => Some(Client::Codex),
        Name::Claude => Some(Client::Claude),
        Name::Command => None,
    };
    let code = if ended.timed_out || ended.cut { Some(124) } else { ended.code.map(i64::from).or(Some(137)) };
    let (text, went_through) = match client {
        Some(client) => {
            let read = answer::read(client, &ended.stdout, &ended.stderr, code);
            let through = matches!(read.outcome, Outcome::Answered | Outcome::Unconfirmed | Outcome::NoAnswer);
            (read.text.or(read.partial_text).unwrap_or_default(), through && code == Some(0))
        }
        None => (String::from_utf8_lossy(&ended.stdout).into_owned(), code == Some(0)),
    };
    Ok(Came { ended, text, went_through })
}

/// The surroundings of a session without anything of this loop, of an agent that called it, or of another loop's variables.
fn alone(host: &Host) -> Host {
    const THEIRS: [&str; 6] =
        ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CODEX_COMPANION_SESSION_ID", "CLAUDE_PID", "CMUX_CLAUDE_PID"];
    let foreign = |name: &str| {
        let loops = ["REVIEW_LOOP_", "DEX_", "DX_"].iter().any(|p| name.starts_with(p)) && !name.starts_with("REVIEW_LOOP_TEST_");
        loops || THEIRS.contains(&name)
    };
    let mut own = host.clone();
    own.env.retain(|name, _| !foreign(name));
    own
}

/// Program and arguments. Each client reads its prompt from standard input and prints a stream whose end says how it went.
fn argv(provider: &Provider, session: &Session<'_>, prompt: &Path, host: &Host) -> Result<Vec<String>, Fail> {
    let top = session.top.to_string_lossy().into_owned();
    let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<String>>();
    Ok(match provider.name {
        Name::Command => {
            let fill = |w: &String| w.replace("{prompt}", &prompt.to_string_lossy());
            provider.argv.iter().map(fill).collect()
        }
        Name::Codex => {
            let mut argv =
                words(&["codex", "exec", "--config", "mcp_servers={}", "--json", "--color", "never", "--skip-git-repo-check", "--cd"]);
            argv.push(top);
            argv.extend(match session.assesses {
                true => words(&["--sandbox", "read-only", "--ephemeral"]),
                false => words(&["--dangerously-bypass-approvals-and-sandbox"]),
            });
            argv.extend(provider.model.iter().flat_map(|m| ["--model".to_owned(), m.clone()]));
            argv.extend(provider.effort.iter().flat_map(|e| ["--config".to_owned(), format!("model_reasoning_effort=\"{e}\"")]));
            argv.push("-".to_owned());
            argv
        }
        Name::Claude => {
            let servers = session.dir.join("empty-mcp.json");
            files::replace(host, &servers, b"{\"mcpServers\":{}}\n")?;
            let mut argv = words(&["claude", "-p", "--output-format", "stream-json", "--verbose", "--strict-mcp-config", "--mcp-config"]);
            argv.push(servers.to_string_lossy().into_owned());
            argv.extend(match session.assesses {
                true => words(&["--disallowedTools", "Bash,Edit,Write,NotebookEdit"]),
                false => words(&["--dangerously-skip-permissions", "--permission-mode", "bypassPermissions"]),
            });
            argv.extend(session.reads.iter().flat_map(|dir| ["--add-dir".to_owned(), dir.to_string_lossy().into_owned()]));
            argv.extend(provider.model.iter().flat_map(|m| ["--model".to_owned(), m.clone()]));
            argv.extend(provider.effort.iter().flat_map(|e| ["--effort".to_owned(), e.clone()]));
            argv
        }
    })
}

/// A provider by its settings.
///
/// # Errors
/// `INVALID_ARGUMENT`.
pub fn of(name: Option<&str>, argv: &[String], model: Option<String>, effort: Option<String>) -> Result<Provider, Fail> {
    let word = name.filter(|n| !n.is_empty());
    let word = word.ok_or_else(|| Fail::new(Code::InvalidArgument, "`--provider` is missing: codex, claude or command"))?;
    let name = Name::parse(word).ok_or_else(|| {
        Fail::new(Code::InvalidArgument, format!("`--provider {}` is not one of codex, claude, command", printable(word)))
    })?;
    match (name, argv.first()) {
        (Name::Command, None) => Err(Fail::new(Code::InvalidArgument, "the provider `command` needs a program behind `--`")),
        (Name::Codex | Name::Claude, Some(_)) => {
            Err(Fail::new(Code::InvalidArgument, "a program behind `--` is only taken with the provider `command`"))
        }
        _ => Ok(Provider { name, argv: argv.to_vec(), model, effort }),
    }
}
