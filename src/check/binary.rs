//! oversized-file, binary-file: additions that make a repository heavy for ever.

use super::{Issue, Subject};
use crate::base::severity::Grade;

/// Added files over this size are named.
pub const OVERSIZED: u64 = 1 << 20;

/// Files over this size are not read by the checks, and said to be unread.
pub const READ_LIMIT: u64 = 8 << 20;

/// Formats that are binary by nature: a change of one is no text that was hidden.
const BINARY: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "ico", "bmp", "woff", "woff2", "ttf", "otf", "eot", "pdf", "zip", "gz", "xz", "zst", "bz2", "7z",
    "tar", "jar", "war", "class", "so", "dll", "dylib", "exe", "a", "o", "lib", "wasm", "mp3", "mp4", "mov", "webm", "ogg", "wav", "flac",
    "avi", "sqlite", "db", "bin", "dat", "pyc", "parquet", "npy",
];

/// Finds heavy additions, and whatever the other checks could not read.
pub fn find(subject: &Subject<'_>) -> Vec<Issue> {
    if subject.link.is_some() {
        return Vec::new();
    }
    if subject.size > READ_LIMIT || (subject.added && subject.size > OVERSIZED) {
        let unread = if subject.size > READ_LIMIT { ", it was not read" } else { "" };
        let message = format!("a file of {} bytes{unread}", subject.size);
        return vec![Issue::at("oversized-file", Grade::Medium, subject, None, message)];
    }
    if !subject.binary {
        return Vec::new();
    }
    let extension = subject.extension();
    if !BINARY.contains(&extension.as_str()) {
        return vec![Issue::at("binary-file", Grade::Medium, subject, None, "binary content where text is expected, it was not read")];
    }
    let image = matches!(extension.as_str(), "png" | "jpg" | "jpeg" | "gif" | "webp" | "ico" | "woff" | "woff2");
    if subject.added && !image {
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
        let hidden = Subject { binary: true, added: false, ..subject("c.json", "x") };
        assert_eq!(find(&hidden)[0].grade, Grade::Medium);
        let huge = Subject { size: READ_LIMIT + 1, added: false, ..subject("a.txt", "") };
        assert_eq!(find(&huge)[0].rule, "oversized-file");
        assert!(find(&Subject { binary: true, ..subject("logo.png", "x") }).is_empty());
    }
}
