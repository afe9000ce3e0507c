//! parse-findings: words in, one operation, one answer.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::parse_findings::{Request, run};

use crate::output::Reply;

/// Read any review output: findings, verdict, declared counts, contradictions
#[derive(Args)]
pub(crate) struct ParseFindings {
    /// The review, - for standard input [default: -]
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// The checkout: paths below it are printed relative to it
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
    /// The format, where it is known: canonical, markdown, json, jsonl, sarif, rdjson, rdjsonl, eslint, cargo, github, yaml, toml, xml, lines, records
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

impl ParseFindings {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let stdin = match self.input.as_deref() {
            None | Some("-") => Some(crate::input::stdin()?),
            Some(_) => None,
        };
        let answer = run(&Request { input: self.input, repo: self.repo, format: self.format, stdin }, host)?;
        Ok(Reply::check(answer.is_reliable(), &answer))
    }
}
