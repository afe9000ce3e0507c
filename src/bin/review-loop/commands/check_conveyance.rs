//! check-conveyance: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::check_conveyance::{Request, run};

use crate::output::Reply;

/// Say whether what goes to a reviewer carries design intent and nothing else
#[derive(Args)]
pub(crate) struct CheckConveyance {
    /// A folder of the checkout [default: the current folder]
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
    /// A bundle of harvest-intent
    #[arg(long, value_name = "FILE")]
    bundle: Option<String>,
    /// A prompt that was rendered from the bundle
    #[arg(long, value_name = "FILE")]
    prompt: Option<String>,
    /// Who the prompt is for: codex, claude, code-review or command [default: codex]
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// The effort the prompt was rendered with [default: high]
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// Any other text that is sent, read whole; repeatable
    #[arg(long, value_name = "FILE")]
    text: Vec<String>,
    /// Excused texts, a list of rule, sha256 and reason
    #[arg(long, value_name = "FILE")]
    exceptions: Option<String>,
    /// Print what each rule refuses
    #[arg(long)]
    explain: bool,
}

impl CheckConveyance {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let request = Request {
            bundle: self.bundle,
            prompt: self.prompt,
            target: self.target,
            effort: self.effort,
            texts: self.text,
            exceptions: self.exceptions,
            repo: self.repo,
            explain: self.explain,
        };
        let answer = run(&request, host)?;
        Ok(Reply::check(answer.clean, &answer))
    }
}
