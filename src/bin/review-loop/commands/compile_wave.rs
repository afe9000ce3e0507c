//! compile-wave: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::compile_wave::{Request, run};

use crate::output::Reply;
use crate::wave_flags::SessionFlags;

/// Turn the one report of a wave into evidence and completion, or say what to mend
#[derive(Args)]
pub(crate) struct CompileWave {
    #[command(flatten)]
    session: SessionFlags,
    /// The report
    #[arg(long, value_name = "FILE")]
    report: Option<String>,
    /// What completes the pass, as its prompt or the last answer says
    #[arg(long, value_name = "HEX")]
    generation: Option<String>,
}

impl CompileWave {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let (place, session_id) = self.session.place();
        let answer = run(&Request { place, session_id, report: self.report, generation: self.generation }, host)?;
        Ok(Reply::check(answer.published, &answer))
    }
}
