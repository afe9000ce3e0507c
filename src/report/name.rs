//! Report names: which files are canonical review reports, and what a new one is called.

/// Whether a file name is a canonical review report: it ends `-review.md` and is not a session document
/// `loop-<id>-review.md` (rounds spec §1.1).
pub fn is_canonical(name: &str) -> bool {
    let session =
        name.strip_prefix("loop-").and_then(|r| r.strip_suffix("-review.md")).is_some_and(|id| !id.is_empty() && !id.contains('\n'));
    name.ends_with("-review.md") && !session
}

/// Whether a file name is one that reports, responses, summaries and session documents have.
pub fn is_ours(name: &str) -> bool {
    ["-review.md", "-response.md", "-loop-summary.md"].iter().any(|end| name.ends_with(end))
}

/// `2026-11-30-120000-review.md`; the `nth` try in one second gets `-01`, `-02` … before `-review.md`.
pub fn review(stem: &str, nth: u32) -> String {
    numbered(stem, nth, "review")
}

/// `2026-11-30-120000-response.md`, numbered like a review.
pub fn response(stem: &str, nth: u32) -> String {
    numbered(stem, nth, "response")
}

/// `2026-11-30-120000-loop-summary.md`, numbered like a review.
pub fn summary(stem: &str, nth: u32) -> String {
    numbered(stem, nth, "loop-summary")
}

fn numbered(stem: &str, nth: u32, what: &str) -> String {
    if nth == 0 { format!("{stem}-{what}.md") } else { format!("{stem}-{nth:02}-{what}.md") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_documents_are_no_review_reports() {
        assert!(is_canonical("2026-11-30-120000-review.md"));
        assert!(is_canonical("2026-11-30-120000-01-review.md"));
        assert!(!is_canonical("loop-abc-review.md"));
        assert!(is_canonical("loop--review.md"));
        assert!(!is_canonical("x-response.md"));
        assert_eq!(review("2026-11-30-120000", 1), "2026-11-30-120000-01-review.md");
    }
}
