//! answer-stop-hook: what a host says in, its own format out, and always exit 0.

use std::sync::mpsc;
use std::time::Duration;

use clap::Args;
use review_loop::base::{Code, Fail, number};
use review_loop::host::Host;
use review_loop::ops::answer_stop_hook::{Request, run};
use review_loop::wave::hook::{Answer, failed};

use crate::output::Reply;
use crate::wave_flags::WaveFlags;

/// How long a host may have to wait for the answer.
const DEADLINE: Duration = Duration::from_secs(10);

/// Answer the stop hook of Claude Code or Codex: while a gate is open, a turn does not end
#[derive(Args)]
pub(crate) struct AnswerStopHook {
    #[command(flatten)]
    place: WaveFlags,
    /// How often the end of a turn is blocked in a row at most [default: 50]
    #[arg(long, value_name = "N")]
    cap: Option<String>,
    /// allow or block: what happens when this tool itself fails [default: allow]
    #[arg(long, value_name = "WORD")]
    on_error: Option<String>,
}

impl AnswerStopHook {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let blocks = self.on_error.as_deref() == Some("block");
        let host = Host { lock_wait_ms: 1_000, ..host.clone() };
        let (send, answer) = mpsc::channel();
        std::thread::spawn(move || send.send(self.look(&host)));
        let answer = match answer.recv_timeout(DEADLINE) {
            Ok(Ok(answer)) => answer,
            Ok(Err(fail)) => failed(fail.code.word(), blocks),
            Err(_) => failed("its deadline passed", blocks),
        };
        Ok(printed(&answer))
    }

    fn look(self, host: &Host) -> Result<Answer, Fail> {
        let cap = self.cap.as_deref().map(|n| number::plain("--cap", n, 0..=1000)).transpose()?;
        if self.on_error.as_deref().is_some_and(|w| !matches!(w, "allow" | "block")) {
            return Err(Fail::new(Code::InvalidArgument, "`--on-error` is not allow or block"));
        }
        run(&Request { place: self.place.place(), input: crate::input::stdin()?, cap }, host)
    }
}

/// The answer when the tool failed before it could look: a wrong flag, or a fault of our own.
pub(crate) fn of_failure(words: &[std::ffi::OsString]) -> Reply {
    let blocks = words.windows(2).any(|w| w[0] == "--on-error" && w[1] == "block") || words.iter().any(|w| w == "--on-error=block");
    printed(&failed("it could not be started", blocks))
}

fn printed(answer: &Answer) -> Reply {
    Reply::raw(serde_json::to_string(answer).unwrap_or_else(|_| "{}".to_owned()) + "\n")
}
