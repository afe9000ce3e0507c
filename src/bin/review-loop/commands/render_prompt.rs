//! render-prompt: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::render_prompt::{Request, run};

use crate::loop_flags::LoopFlags;
use crate::output::Reply;

/// Render what a reviewer is asked, from a bundle or for a loop's next round
#[derive(Args)]
pub(crate) struct RenderPrompt {
    #[command(flatten)]
    place: LoopFlags,
    /// A bundle of harvest-intent, in place of a loop
    #[arg(long, value_name = "FILE")]
    bundle: Option<String>,
    /// With a bundle: codex, claude, code-review or command [default: codex]
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// With a bundle: high, xhigh or max [default: high]
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// With a bundle: excused texts, a list of rule, sha256 and reason
    #[arg(long, value_name = "FILE")]
    exceptions: Option<String>,
    /// Where the prompt is kept
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
}

impl RenderPrompt {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let (place, repo) = self.place.place_or_repo();
        let request = Request {
            bundle: self.bundle,
            target: self.target,
            effort: self.effort,
            exceptions: self.exceptions,
            repo,
            output: self.output,
            place,
        };
        Ok(match run(&request, host)? {
            Ok(answer) => Reply::yes(&answer),
            Err(ask) => Reply::ask(&serde_json::json!({}), &ask),
        })
    }
}
