//! run-check: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::base::Code;
use review_loop::ops::run_check::{Request, run};

use crate::output::Reply;
use crate::wave_flags::SessionFlags;

/// Run one declared check of a pass, and record it
#[derive(Args)]
pub(crate) struct RunCheck {
    #[command(flatten)]
    session: SessionFlags,
    /// The check
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

impl RunCheck {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let (place, session_id) = self.session.place();
        let answer = run(&Request { place, session_id, name: self.name }, host)?;
        if answer.record.timed_out {
            let fail = Fail::new(Code::TimeLimit, format!("the check `{}` was ended at its time limit", answer.record.name));
            return Ok(Reply::failed(&Fail { exit: Some(124), ..fail }, &answer));
        }
        Ok(Reply::check(answer.record.passed, &answer))
    }
}
