//! `review-loop`: words in, one JSON line out.
//!
//! The only place that reads the environment, asks where it stands, installs the panic answer and sets the exit status.

mod cli;
mod commands;
mod design_flags;
mod input;
mod loop_flags;
mod output;
mod run_flags;
mod scope_flags;
mod wave_flags;

use std::process::ExitCode;

use review_loop::base::{Code, Fail};
use review_loop::host::{Clock, Host, Ids, guard};

fn main() -> ExitCode {
    let words: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if words.get(1).is_some_and(|w| w == guard::WORD) {
        return ExitCode::from(guard::run(&words[2..]));
    }
    std::panic::set_hook(Box::new(|_| {}));
    // A host reads any other status of its hook than 0 as a failed one, and 2 as an order to go on.
    let hook = words.get(1).is_some_and(|w| w == "answer-stop-hook").then(|| words.clone());
    let done = std::panic::catch_unwind(|| {
        let host = host();
        match cli::parse(words) {
            cli::Parsed::Text(text) => output::text(&text),
            cli::Parsed::Refused(fail) => match &hook {
                Some(words) => output::reply(&commands::hook_failure(words), false),
                None => output::fail(&fail, false, false),
            },
            cli::Parsed::Command(call) => {
                let mut host = host;
                host.lock_wait_ms = call.lock_wait_ms;
                let reference = call.command.is_reference();
                match call.command.run(&host) {
                    Ok(reply) => output::reply(&reply, call.pretty),
                    Err(fail) => output::fail(&fail, reference, call.pretty),
                }
            }
        }
    });
    let status = done.unwrap_or_else(|_| match &hook {
        Some(words) => output::reply(&commands::hook_failure(words), false),
        None => output::fail(&Fail::new(Code::Internal, "the program broke an assumption of its own"), false, false),
    });
    ExitCode::from(if hook.is_some() { 0 } else { status })
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn host() -> Host {
    let env = std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect();
    let cwd = std::env::current_dir().unwrap_or_else(|_| std::path::PathBuf::from("/"));
    let mut host = Host {
        cwd,
        env,
        clock: Clock::System,
        ids: Ids::Random,
        lock_wait_ms: 10_000,
        program: std::env::current_exe().ok(),
        failpoint: None,
    };
    if cfg!(debug_assertions) {
        if let Some(ms) = host.var("REVIEW_LOOP_TEST_NOW").and_then(|t| t.parse().ok()) {
            host.clock = Clock::Fixed(ms);
        }
        if let Some(id) = host.var("REVIEW_LOOP_TEST_ID") {
            host.ids = Ids::Fixed(id.to_owned());
        }
        host.failpoint = host.var("REVIEW_LOOP_TEST_FAILPOINT").map(str::to_owned);
    }
    host
}
