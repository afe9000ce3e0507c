//! Which files of a scope a reviewer looked at, by the commands its client shows.
//!
//! A file counts as opened when a command that reads names it and gave something back, or when a diff that was shown holds it. What
//! only lists or searches files opens none. Source: issue 4 (the positive control for clean). Bound: the length of what was shown,
//! and for each command the number of files it could name.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use super::answer::Look;

/// What was looked at of a scope.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Files that were opened or whose diff was shown.
    pub opened: Vec<String>,
    /// The others.
    pub unopened: Vec<String>,
    /// Whether the source shows nothing of what it looks at.
    pub unknown: bool,
}

/// Programs that show what is in the files they name.
const READERS: &[&str] =
    &["cat", "sed", "head", "tail", "less", "more", "nl", "bat", "awk", "diff", "show", "blame", "view", "type", "xxd"];

/// The coverage of files by what was looked at; `looks` is none when the source does not show it.
pub fn of(files: &[String], looks: Option<&[Look]>) -> Coverage {
    let Some(looks) = looks else { return Coverage { unknown: true, ..Coverage::default() } };
    // By their last part, so that a command is not compared with every file.
    let mut named: HashMap<&str, Vec<&str>> = HashMap::new();
    for file in files {
        named.entry(file.rsplit('/').next().unwrap_or(file)).or_default().push(file);
    }
    let mut opened: BTreeSet<&str> = BTreeSet::new();
    for look in looks.iter().filter(|l| !l.shown.trim().is_empty()) {
        let mut see = |path: &str| {
            let last = path.rsplit('/').next().unwrap_or(path);
            let same = |file: &&&str| path == **file || path.strip_suffix(**file).is_some_and(|rest| rest.ends_with('/'));
            opened.extend(named.get(last).into_iter().flatten().filter(same));
        };
        for line in look.shown.lines() {
            diffed(line).into_iter().for_each(&mut see);
        }
        see(&look.at);
        let words: Vec<&str> = look.at.split([' ', '\t', '\n', '"', '\'', '(', ')', ';', '|', '&', '<', '`']).collect();
        if words.iter().any(|w| READERS.contains(w)) {
            words.iter().flat_map(|w| w.rsplit_once(':').map(|(_, path)| path).into_iter().chain([*w])).for_each(&mut see);
        }
    }
    let unopened = files.iter().filter(|f| !opened.contains(f.as_str())).cloned().collect();
    Coverage { opened: opened.into_iter().map(str::to_owned).collect(), unopened, unknown: false }
}

/// The file that a header of a diff names.
fn diffed(line: &str) -> Option<&str> {
    let path = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "))?.split('\t').next()?.trim_matches('"');
    Some(path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(looks: &[(&str, &str)]) -> Vec<String> {
        let files = ["src/a.rs", "src/b c.rs", "lib/a.rs", "README"].map(str::to_owned);
        let looks: Vec<Look> = looks.iter().map(|(at, shown)| Look { at: (*at).to_owned(), shown: (*shown).to_owned() }).collect();
        of(&files, Some(&looks)).opened
    }

    #[test]
    fn reading_a_file_or_its_diff_opens_it_and_listing_does_not() {
        assert_eq!(opened(&[("bash -lc \"sed -n '1,20p' src/a.rs\"", "x")]), ["src/a.rs"]);
        assert_eq!(opened(&[("/top/src/b c.rs", "x")]), ["src/b c.rs"]);
        assert_eq!(opened(&[("git show HEAD:lib/a.rs", "x")]), ["lib/a.rs"]);
        let diff = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n+x\n--- a/README\n+++ /dev/null\n";
        assert_eq!(opened(&[("git diff main...HEAD", diff)]), ["README", "src/a.rs"]);
        assert!(
            opened(&[("ls src/a.rs", "src/a.rs"), ("rg x src/a.rs", "1:x"), ("cat src/a.rs", " \n"), ("cat xsrc/a.rs", "y")]).is_empty()
        );
    }

    #[test]
    fn a_source_that_shows_nothing_is_unknown_and_one_that_looked_at_nothing_is_known() {
        let files = ["a".to_owned()];
        assert!(of(&files, None).unknown);
        assert_eq!(of(&files, Some(&[])), Coverage { unopened: files.to_vec(), ..Coverage::default() });
    }
}
