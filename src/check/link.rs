//! symlink-escape: a link that leaves the repository.

use super::{Issue, Subject};
use crate::base::severity::Grade;

/// Finds links with an absolute target, or one that climbs above the top.
pub fn find(subject: &Subject<'_>) -> Vec<Issue> {
    let Some(target) = subject.link.filter(|t| leaves(subject.path, t)) else {
        return Vec::new();
    };
    let why = if target.starts_with('/') { "an absolute path" } else { "a place outside the repository" };
    vec![Issue::at("symlink-escape", Grade::High, subject, None, format!("the symbolic link points to {why}"))]
}

fn leaves(path: &str, target: &str) -> bool {
    if target.starts_with('/') {
        return true;
    }
    let mut depth = path.split('/').count() as i64 - 1;
    for part in target.split('/') {
        depth += match part {
            ".." => -1,
            "" | "." => 0,
            _ => 1,
        };
        if depth < 0 {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::subject;

    #[test]
    fn links_that_climb_out_are_named() {
        for (path, target, out) in
            [("a", "/etc/passwd", true), ("d/a", "../b", false), ("d/a", "../../b", true), ("a", "d/../../b", true), ("a", "b/c", false)]
        {
            let link = Subject { link: Some(target), text: None, ..subject(path, "") };
            assert_eq!(!find(&link).is_empty(), out, "{path} -> {target}");
        }
    }
}
