//! close-wave: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::close_wave::{Request, run};

use crate::output::Reply;
use crate::wave_flags::WaveFlags;

/// Validate what a wave handed in, credit it, and step the gate
#[derive(Args)]
pub(crate) struct CloseWave {
    #[command(flatten)]
    place: WaveFlags,
    /// What ended the wave, where nothing it published counts: pass_timeout, provider_error, human_intervention, user_interrupt,
    /// review-session-unavailable or completion_receipt_missing
    #[arg(long, value_name = "REASON")]
    failure: Option<String>,
}

impl CloseWave {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let (answer, ask) = run(&Request { place: self.place.place(), failure: self.failure }, host)?;
        Ok(match ask {
            Some(ask) => Reply::ask(&answer, &ask),
            None => Reply::check(answer.accepted, &answer),
        })
    }
}
