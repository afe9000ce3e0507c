//! resolve-round-report: the one report that a review added (rounds spec §1.2).

use serde::Serialize;

use crate::base::path::{lexical, printable};
use crate::base::{Code, Fail};
use crate::host::{Host, files, walk};
use crate::report::set;
use crate::wire::snapshot;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The folder of reports.
    pub reports_dir: Option<String>,
    /// The snapshot from before the review.
    pub snapshot_file: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The new report.
    pub report_path: String,
    /// Always 1.
    pub count: u8,
}

/// Finds the one new report.
///
/// # Errors
/// `INVALID_SNAPSHOT`, `SNAPSHOT_DIRECTORY_MISMATCH`, `REPORT_DELTA_COUNT` with `count` and `reports`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let file = host.absolute(request.snapshot_file.as_deref(), "snapshot file")?;
    let shown = printable(&file.to_string_lossy());
    let invalid = |fail: Fail| {
        let message = format!("the snapshot `{shown}` cannot be used: {}", fail.message);
        Fail { message, ..fail.within(Code::InvalidSnapshot) }
    };
    let bytes = files::read_text(&file, files::DOCUMENT_LIMIT).map_err(invalid)?;
    let before = snapshot::read(&bytes).map_err(invalid)?;
    let dir = host.absolute(request.reports_dir.as_deref(), "reports directory")?;
    let stored = lexical(&host.cwd.join(&before.reports_dir));
    if stored != dir {
        let message = format!(
            "the snapshot `{shown}` was taken of `{}`, not of `{}`",
            printable(&stored.to_string_lossy()),
            printable(&dir.to_string_lossy())
        );
        return Err(Fail::new(Code::SnapshotDirectoryMismatch, message));
    }
    let mut new = set::delta(&before, &set::snapshot(&dir, &walk::files(&dir)?));
    if new.len() == 1 {
        return Ok(Answer { report_path: new.remove(0), count: 1 });
    }
    let message = format!("{} new canonical reports in `{}`, exactly one is needed", new.len(), printable(&dir.to_string_lossy()));
    Err(Fail::new(Code::ReportDeltaCount, message).with("count", new.len()).with("reports", new))
}
