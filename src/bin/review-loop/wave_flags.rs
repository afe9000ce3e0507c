//! The flags that say which wave loop is meant.

use clap::Args;
use review_loop::ops::wave::Place;

#[derive(Args)]
pub(crate) struct WaveFlags {
    /// A folder of the checkout [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) repo: Option<String>,
    /// The root of all state [default: $REVIEW_LOOP_STATE_DIR, else the XDG state folder]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<String>,
    /// The loop [default: that of the branch]
    #[arg(long, value_name = "ID")]
    loop_id: Option<String>,
}

impl WaveFlags {
    pub(crate) fn place(self) -> Place {
        Place { repo: self.repo, state_dir: self.state_dir, loop_id: self.loop_id }
    }
}

/// The flags of a wave's own commands: its session, and where state lies.
#[derive(Args)]
pub(crate) struct SessionFlags {
    /// A folder of the checkout [default: the current folder]
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
    /// The root of all state [default: $REVIEW_LOOP_STATE_DIR, else the XDG state folder]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<String>,
    /// The wave's session [default: $REVIEW_LOOP_SESSION_ID]
    #[arg(long, value_name = "ID")]
    session_id: Option<String>,
}

impl SessionFlags {
    pub(crate) fn place(self) -> (Place, Option<String>) {
        (Place { repo: self.repo, state_dir: self.state_dir, loop_id: None }, self.session_id)
    }
}
