//! export-findings: words in, one operation, one document in another program's format.

use clap::Args;
use review_loop::base::Fail;
use review_loop::host::Host;
use review_loop::ops::export_findings::{Request, run};

use crate::output::Reply;

/// Write findings as SARIF, rdjson, rdjsonl, GitHub annotations or markdown
#[derive(Args)]
pub(crate) struct ExportFindings {
    /// Any review, an answer of parse-findings included, - for standard input [default: -]
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// sarif, rdjson, rdjsonl, github or markdown
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// The checkout: paths become relative to it, lines get GitHub's fingerprint
    #[arg(long, value_name = "DIR")]
    repo: Option<String>,
    /// An answer of match-findings whose current set this is: baselineState
    #[arg(long = "match", value_name = "FILE")]
    matched: Option<String>,
    /// What was ruled on: [{"id","disposition","reason"}]: suppressions
    #[arg(long, value_name = "FILE")]
    dispositions: Option<String>,
    /// The id of the run in SARIF, such as review-loop/LOOP/ROUND
    #[arg(long, value_name = "ID")]
    category: Option<String>,
    /// Where it is written; the document itself is printed without it
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
}

impl ExportFindings {
    pub(crate) fn run(self, host: &Host) -> Result<Reply, Fail> {
        let stdin = match self.input.as_deref() {
            None | Some("-") => Some(crate::input::stdin()?),
            Some(_) => None,
        };
        let request = Request {
            input: self.input,
            stdin,
            format: self.format,
            repo: self.repo,
            matched: self.matched,
            dispositions: self.dispositions,
            category: self.category,
            output: self.output,
        };
        let answer = run(&request, host)?;
        Ok(if answer.output_file.is_some() { Reply::yes(&answer) } else { Reply::raw(answer.text) })
    }
}
