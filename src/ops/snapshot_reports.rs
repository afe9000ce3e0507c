//! snapshot-reports: the set of canonical reports before a review (rounds spec §1.1).

use serde::Serialize;

use crate::base::Fail;
use crate::host::{Host, files, walk};
use crate::report::set;
use crate::wire::{json, snapshot};

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The folder of reports.
    pub reports_dir: Option<String>,
    /// Where the snapshot is written.
    pub output: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Always 1.
    pub schema_version: u8,
    /// Absolute.
    pub reports_dir: String,
    /// Absolute paths, sorted by bytes.
    pub reports: Vec<String>,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot_file: Option<String>,
}

/// Takes a snapshot.
///
/// # Errors
/// `INVALID_PATH`, or why the folder cannot be listed or the file written.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let dir = host.absolute(request.reports_dir.as_deref(), "reports directory")?;
    let taken = set::snapshot(&dir, &walk::files(&dir)?);
    let output = request.output.as_deref().map(|o| host.absolute(Some(o), "output")).transpose()?;
    if let Some(path) = &output {
        files::replace(host, path, &json::compact(&snapshot::wire(&taken)))?;
    }
    Ok(Answer {
        schema_version: 1,
        reports_dir: dir.to_string_lossy().into_owned(),
        reports: taken.reports,
        snapshot_file: output.map(|p| p.to_string_lossy().into_owned()),
    })
}
