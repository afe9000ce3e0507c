//! The flags that say which loop is meant.

use clap::Args;
use review_loop::ops::resolution::Place;

#[derive(Args)]
pub(crate) struct LoopFlags {
    /// A folder of the checkout [default: the current folder]
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
    /// The root of all state [default: $REVIEW_LOOP_STATE_DIR, else the XDG state folder]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<String>,
    /// The loop, as open-resolution printed it
    #[arg(long, value_name = "ID")]
    loop_id: Option<String>,
}

impl LoopFlags {
    pub(crate) fn place(self) -> Place {
        Place { repo: self.repo, state_dir: self.state_dir, loop_id: self.loop_id }
    }

    /// The loop, where one is named, and the checkout.
    pub(crate) fn place_or_repo(self) -> (Option<Place>, Option<String>) {
        let repo = self.repo.clone();
        (self.loop_id.is_some().then(|| self.place()), repo)
    }
}
