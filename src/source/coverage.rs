//! Which files of a scope a reviewer looked at, by the commands its client shows and by what came back.
//!
//! A file counts as opened when a command that reads names it and a line of the file came back, or when a diff that was shown holds a
//! hunk of it. What lists, counts or searches files opens none, and neither does a reader whose output shows nothing of the file. Of a
//! line of several commands each stands alone: the one that names the file has to be one that reads, whose output is neither sent
//! elsewhere nor counted; and where it is not the only one, what came back has to be a line that no other file of the scope has. Source:
//! issue 4 (the positive control for clean). Bound: the lines of the files and of what was shown.

use std::collections::{BTreeSet, HashMap, HashSet};

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

/// A file of the scope: its path and, where it can be read as text, its lines.
#[derive(Debug, Clone, Default)]
pub struct Scoped {
    /// The path.
    pub path: String,
    /// What stands in it; none for what is gone, binary or too large, which any reading opens.
    pub text: Option<String>,
}

/// The coverage of files by what was looked at; `looks` is none when the source does not show it.
pub fn of(scoped: &[Scoped], looks: Option<&[Look]>) -> Coverage {
    let files: Vec<String> = scoped.iter().map(|f| f.path.clone()).collect();
    let texts: HashMap<&str, Option<&str>> = scoped.iter().map(|f| (f.path.as_str(), f.text.as_deref())).collect();
    let Some(looks) = looks else { return Coverage { unknown: true, ..Coverage::default() } };
    // By their last part, so that a command is not compared with every file.
    let mut named: HashMap<&str, Vec<&str>> = HashMap::new();
    for file in &files {
        named.entry(file.rsplit('/').next().unwrap_or(file)).or_default().push(file);
    }
    // In how many files of the scope a line stands.
    let mut owners: HashMap<&str, usize> = HashMap::new();
    for text in scoped.iter().filter_map(|f| f.text.as_deref()) {
        let lines: HashSet<&str> = text.lines().map(str::trim).filter(|l| is_telling(l)).collect();
        lines.into_iter().for_each(|l| *owners.entry(l).or_default() += 1);
    }
    let mut opened: BTreeSet<&str> = BTreeSet::new();
    for look in looks.iter().filter(|l| !l.shown.trim().is_empty()) {
        let find = |path: &str| -> Vec<&str> {
            let last = path.rsplit('/').next().unwrap_or(path);
            let same = |file: &&&str| path == **file || path.strip_suffix(**file).is_some_and(|rest| rest.ends_with('/'));
            named.get(last).into_iter().flatten().filter(same).copied().collect()
        };
        for path in diffed(&look.shown) {
            opened.extend(find(path));
        }
        let commands = commands(&look.at);
        let words = commands.iter().filter(|c| c.shows).flat_map(|c| &c.words);
        let parts = words.flat_map(|w| w.rsplit_once(':').map(|(_, path)| path).into_iter().chain([*w]));
        let mentioned: BTreeSet<&str> = std::iter::once(look.at.as_str()).chain(parts).flat_map(find).collect();
        if mentioned.is_empty() {
            continue;
        }
        let alone = commands.len() < 2;
        let shown: HashSet<&str> = look.shown.lines().flat_map(|l| [l.trim(), bare(l)]).filter(|l| !l.is_empty()).collect();
        opened.extend(mentioned.into_iter().filter(|path| match texts.get(path).copied().flatten() {
            Some(text) => {
                let own = |l: &str| alone || (is_telling(l) && owners.get(l).is_some_and(|n| *n == 1));
                text.lines().map(str::trim).any(|l| !l.is_empty() && shown.contains(l) && own(l))
            }
            None => true,
        }));
    }
    let unopened = files.iter().filter(|f| !opened.contains(f.as_str())).cloned().collect();
    Coverage { opened: opened.into_iter().map(str::to_owned).collect(), unopened, unknown: false }
}

/// Whether a line says something of its own: a bracket alone does not.
fn is_telling(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= 3
}

/// One simple command of a line.
struct Command<'a> {
    words: Vec<&'a str>,
    /// Whether what it reads is what is shown.
    shows: bool,
}

/// The simple commands of a line, without comments and without what a wrapping shell is. What an outer `&&` or `||` may have left out is
/// told by what came back, not here.
fn commands(at: &str) -> Vec<Command<'_>> {
    let split = |text: &'_ str| text.split([' ', '\t', '"', '\'', '(', ')', '<', '`']).filter(|w| !w.is_empty()).count();
    let mut found = Vec::new();
    for line in at.split('\n') {
        let line = line.find(" #").map_or(line, |at| &line[..at]);
        for list in line.split(';').flat_map(|l| l.split("&&")).flat_map(|l| l.split("||")).filter(|l| split(l) > 0) {
            let stages: Vec<&str> = list.split('|').collect();
            // What counts, searches or drops is what is shown in the end.
            let ends = stages.iter().skip(1).all(|s| READERS.contains(&program(s)));
            for stage in &stages {
                let words: Vec<&str> = stage.split([' ', '\t', '"', '\'', '(', ')', '<', '`', '&']).filter(|w| !w.is_empty()).collect();
                let reads = words.iter().any(|w| READERS.contains(w)) && !words.iter().any(|w| matches!(*w, "echo" | "printf"));
                found.push(Command { words, shows: reads && ends && !is_sent_away(list) });
            }
        }
    }
    found
}

/// The first word of a command that is a program.
fn program(stage: &str) -> &str {
    stage.split([' ', '\t', '"', '\'', '(', ')']).find(|w| !w.is_empty()).unwrap_or_default()
}

/// Whether the output goes to a file; the error stream may.
fn is_sent_away(list: &str) -> bool {
    let bytes = list.as_bytes();
    let arrow = |at: usize| bytes[at] == b'>' && !matches!(at.checked_sub(1).map(|b| bytes[b]), Some(b'2' | b'-' | b'='));
    (0..bytes.len()).any(|at| arrow(at) && bytes.get(at + 1) != Some(&b'&'))
}

/// A line without the number that a reading program puts in front of it.
fn bare(line: &str) -> &str {
    let rest = line.trim_start();
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if behind.len() == rest.len() { rest.trim() } else { behind.trim_start_matches(['→', '\t', ':', '|', ' ']).trim() }
}

/// The files that a diff shows a hunk of.
fn diffed(shown: &str) -> Vec<&str> {
    let name = |line: &'_ str| -> Option<usize> { (line.starts_with("+++ ") || line.starts_with("--- ")).then_some(4) };
    let mut found = Vec::new();
    let mut heads: Vec<&str> = Vec::new();
    for line in shown.lines() {
        if let Some(at) = name(line) {
            let path = line[at..].split('\t').next().unwrap_or_default().trim_matches('"');
            heads.push(path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path));
        } else if line.starts_with("@@ ") {
            found.append(&mut heads);
        } else {
            heads.clear();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(looks: &[(&str, &str)]) -> Vec<String> {
        let text = "fn one() {\n    two();\n}\n".to_owned();
        let scoped = ["src/a.rs", "src/b c.rs", "lib/a.rs", "README"];
        let scoped = scoped.map(|path| Scoped { path: path.to_owned(), text: Some(text.clone()) });
        let looks: Vec<Look> = looks.iter().map(|(at, shown)| Look { at: (*at).to_owned(), shown: (*shown).to_owned() }).collect();
        of(&scoped, Some(&looks)).opened
    }

    #[test]
    fn reading_a_file_or_its_diff_opens_it() {
        assert_eq!(opened(&[("bash -lc \"sed -n '1,20p' src/a.rs\"", "fn one() {\n")]), ["src/a.rs"]);
        assert_eq!(opened(&[("/top/src/b c.rs", "     1→fn one() {\n     2→    two();\n")]), ["src/b c.rs"]);
        assert_eq!(opened(&[("cat -n lib/a.rs", "     2\t    two();\n")]), ["lib/a.rs"]);
        assert_eq!(opened(&[("git show HEAD:lib/a.rs", "fn one() {")]), ["lib/a.rs"]);
        let diff = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n+x\n--- a/README\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        assert_eq!(opened(&[("git diff main...HEAD", diff)]), ["README", "src/a.rs"]);
        let gone = [Scoped { path: "a.bin".into(), text: None }];
        assert_eq!(of(&gone, Some(&[Look { at: "xxd a.bin".into(), shown: "00".into() }])).opened, ["a.bin"]);
    }

    #[test]
    fn what_lists_counts_searches_or_shows_nothing_of_a_file_opens_none() {
        for look in [
            ("ls src/a.rs", "src/a.rs"),
            ("bash -lc \"ls -l src/a.rs | head\"", "-rw-r--r-- 1 a a 5 src/a.rs"),
            ("git diff --name-only -- src/a.rs", "src/a.rs"),
            ("git diff --stat HEAD -- src/a.rs", " src/a.rs | 2 +-"),
            ("echo cat src/a.rs", "cat src/a.rs"),
            ("cat src/a.rs 2>&1 || true", "cat: src/a.rs: Permission denied"),
            ("cat src/a.rs | wc -l", "5"),
            ("head -n 0 src/a.rs; echo ok", "ok"),
            ("ls", "--- src/a.rs"),
            ("type x; test -f src/a.rs && echo y", "y"),
            ("git log --oneline -- src/a.rs | tail -1", "abc init"),
            ("rg x src/a.rs", "1:fn one() {"),
            ("cat src/a.rs", " \n"),
            ("cat xsrc/a.rs", "fn one() {"),
            ("ls -la src/a.rs && cat other.rs", "-rw src/a.rs\n}\nfn one() {"),
            ("true # cat src/a.rs", "fn one() {"),
            ("cat src/a.rs > /tmp/x; cat other.rs", "fn one() {"),
            ("false && cat src/a.rs; printf '}'", "}"),
            ("cat src/a.rs | grep -c x; echo '}'", "1\n}"),
            ("test -f src/a.rs && cat other.rs", "fn one() {"),
        ] {
            assert!(opened(&[look]).is_empty(), "{look:?}");
        }
        let two = [("src/a.rs", "fn alpha() {\n}\n"), ("src/m.rs", "fn beta() {\n}\n")];
        let two = two.map(|(path, text)| Scoped { path: path.to_owned(), text: Some(text.to_owned()) });
        let seen = |at: &str, shown: &str| of(&two, Some(&[Look { at: at.to_owned(), shown: shown.to_owned() }])).opened;
        assert_eq!(seen("sed -n 1,3p src/a.rs; sed -n 1,3p src/m.rs", "fn beta() {\n}\n"), ["src/m.rs"]);
        assert_eq!(seen("cd src && cat a.rs && cat src/m.rs 2>/dev/null", "fn alpha() {\n}\nfn beta() {"), ["src/m.rs"]);
        assert_eq!(seen("cat src/a.rs src/m.rs | head -50", "fn alpha() {\n}\nfn beta() {\n}"), ["src/a.rs", "src/m.rs"]);
    }

    #[test]
    fn a_source_that_shows_nothing_is_unknown_and_one_that_looked_at_nothing_is_known() {
        let scoped = [Scoped { path: "a".to_owned(), text: None }];
        assert!(of(&scoped, None).unknown);
        assert_eq!(of(&scoped, Some(&[])), Coverage { unopened: vec!["a".to_owned()], ..Coverage::default() });
    }
}
