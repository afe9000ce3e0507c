//! run-waves: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::run_waves::{Outcome, Request, run};

use crate::output::Reply;
use crate::wave_flags::GateFlags;

/// Run independent review waves in fresh sessions until the tier's gate is reached or stands still
#[derive(Args)]
pub(crate) struct RunWaves {
    #[command(flatten)]
    gate: GateFlags,
    /// Who runs a wave: codex, claude or command
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// The client's model [default: the client's own]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// How hard the client thinks [default: the client's own]
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// Seconds for the whole run [default: no limit]
    #[arg(long, value_name = "N")]
    limit: Option<String>,
    /// Behind `--`: program and arguments of `command`; it reads the prompt from standard input, and {prompt} becomes its file
    #[arg(last = true, value_name = "ARGV")]
    argv: Vec<String>,
}

impl RunWaves {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            open: self.gate.request(host)?,
            provider: self.provider,
            argv: self.argv,
            model: self.model,
            effort: self.effort,
            limit: self.limit,
        };
        Ok(match run(&request, host)? {
            Outcome::Reached(answer) => Reply::yes(&answer),
            Outcome::Paused(answer, ask) => Reply::ask(&answer, &ask),
            Outcome::TimedOut(fail, answer) => Reply::failed(&fail, &answer),
        })
    }
}
