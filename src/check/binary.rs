//! oversized-file, binary-file: additions that make a repository heavy for ever.

use super::{Issue, Subject};
use crate::base::severity::Grade;

/// Added files over this size are named.
pub const OVERSIZED: u64 = 1 << 20;

/// Finds heavy additions.
pub fn find(subject: &Subject<'_>) -> Vec<Issue> {
    if !subject.added || subject.link.is_some() {
        return Vec::new();
    }
    if subject.size > OVERSIZED {
        let message = format!("an added file of {} bytes, the limit is {OVERSIZED}", subject.size);
        return vec![Issue::at("oversized-file", Grade::Medium, subject, None, message)];
    }
    let small_image = matches!(subject.extension().as_str(), "png" | "jpg" | "jpeg" | "gif" | "webp" | "ico" | "woff" | "woff2");
    if subject.binary && !small_image {
        return vec![Issue::at("binary-file", Grade::Low, subject, None, format!("an added binary file of {} bytes", subject.size))];
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::subject;

    #[test]
    fn size_and_kind_of_additions_are_named() {
        let big = Subject { size: OVERSIZED + 1, ..subject("a.txt", "") };
        assert_eq!(find(&big)[0].rule, "oversized-file");
        let blob = Subject { binary: true, ..subject("a.bin", "x") };
        assert_eq!(find(&blob)[0].rule, "binary-file");
        assert!(find(&Subject { added: false, ..blob }).is_empty());
        assert!(find(&Subject { binary: true, ..subject("logo.png", "x") }).is_empty());
    }
}
