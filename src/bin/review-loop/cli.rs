//! The command line: global flags, the commands grouped by room, and usage errors in the shape of every other error.

use std::any::TypeId;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser};
use review_loop::base::path::printable;
use review_loop::base::{Code, Fail, number};

use crate::commands::Command;

/// The deterministic half of AI code review: rounds, findings, scope, convergence and receipts.
///
/// Every command prints one JSON line with `ok` and exits 0 (done, yes), 1 (no), 2 (could not answer) or 3 (a person
/// must decide).
#[derive(Parser)]
#[command(name = "review-loop", version, disable_help_subcommand = true, arg_required_else_help = false)]
struct Cli {
    /// Indent the JSON answer
    #[arg(long, global = true)]
    pretty: bool,

    /// How long to wait for a busy lock, in milliseconds
    #[arg(long, global = true, value_name = "N", default_value = "10000")]
    lock_wait_ms: String,

    #[command(subcommand)]
    command: Command,
}

/// A call that can be made.
pub(crate) struct Call {
    pub(crate) command: Command,
    pub(crate) pretty: bool,
    pub(crate) lock_wait_ms: u64,
}

/// What the words meant.
pub(crate) enum Parsed {
    /// Help or version.
    Text(String),
    /// A usage error.
    Refused(Fail),
    /// A call.
    Command(Box<Call>),
}

/// Reads the words.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Parsed {
    let words: Vec<OsString> = words.into_iter().collect();
    match grammar_for(&words).try_get_matches_from(words).and_then(|m| Cli::from_arg_matches(&m)) {
        Ok(cli) => match number::plain("--lock-wait-ms", &cli.lock_wait_ms, 0..=3_600_000) {
            Ok(lock_wait_ms) => Parsed::Command(Box::new(Call { command: cli.command, pretty: cli.pretty, lock_wait_ms })),
            Err(fail) => Parsed::Refused(fail),
        },
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Parsed::Text(error.render().to_string()),
            _ => Parsed::Refused(usage(&error)),
        },
    }
}

/// The grammar with the one command adapted that is called: adapting all of them on every call would be most of the
/// start-up time.
fn grammar_for(words: &[OsString]) -> clap::Command {
    let mut grammar = Cli::command().after_help(crate::commands::groups());
    let called = words.iter().skip(1).filter_map(|w| w.to_str()).find(|w| grammar.find_subcommand(w).is_some()).map(str::to_owned);
    if let Some(name) = called {
        grammar = grammar.mut_subcommand(name, dashes_are_values);
    }
    grammar
}

/// The whole grammar, every command adapted: what the tests of docs and skills read.
pub(crate) fn dashes_are_values(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| {
        let text = arg.get_action().takes_values() && arg.get_value_parser().type_id() == TypeId::of::<String>();
        // A flag whose value may be left out ends where the next flag begins.
        let optional = arg.get_num_args().is_some_and(|n| n.min_values() == 0);
        if text && !optional { arg.allow_hyphen_values(true).value_parser(word) } else { arg }
    })
}

/// A value: anything but another flag. `-5` is a value, `--x` is a forgotten one.
fn word(text: &str) -> Result<String, String> {
    if text.starts_with("--") { Err("a value is missing before it".to_owned()) } else { Ok(text.to_owned()) }
}

/// A usage error of the parser as one of ours.
fn usage(error: &clap::Error) -> Fail {
    let said = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(all)) => Some(all.join(", ")),
        _ => None,
    };
    let subject =
        said(ContextKind::InvalidSubcommand).or_else(|| said(ContextKind::InvalidArg)).or_else(|| said(ContextKind::InvalidValue));
    let shown = printable(subject.as_deref().unwrap_or(""));
    let (code, message) = match error.kind() {
        ErrorKind::InvalidSubcommand => (Code::InvalidCommand, format!("there is no command `{shown}`")),
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            (Code::InvalidCommand, "no command was given".to_owned())
        }
        ErrorKind::ArgumentConflict => (Code::InvalidArgument, format!("duplicate argument: `{shown}`")),
        _ => (Code::InvalidArgument, format!("unknown or incomplete argument: `{shown}`")),
    };
    let fail = Fail::new(code, message);
    let near = said(ContextKind::SuggestedSubcommand).or_else(|| said(ContextKind::SuggestedArg));
    match near {
        Some(near) => fail.hint(format!("did you mean `{}`?", printable(&near))),
        None => fail,
    }
}
