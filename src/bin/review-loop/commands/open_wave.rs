//! open-wave: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::open_wave::{Request, run};

use crate::output::Reply;
use crate::wave_flags::WaveFlags;

/// Issue one pass to a fresh reviewer: session, prompt, bindings, checks
#[derive(Args)]
pub(crate) struct OpenWave {
    #[command(flatten)]
    place: WaveFlags,
}

impl OpenWave {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let (answer, ask) = run(&Request { place: self.place.place() }, host)?;
        Ok(match ask {
            Some(ask) => Reply::ask(&answer, &ask),
            None => Reply::yes(&answer),
        })
    }
}
