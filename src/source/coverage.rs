//! Which files of a scope a reviewer looked at, by the commands its client shows and by what came back.
//!
//! A file counts as opened when a command that reads names it and a line of the file came back, or when a command that compares showed
//! a hunk of it. What lists, counts or searches files opens none, and neither does a reader whose output shows nothing of the file. Of a
//! line of several commands each stands alone: the one that names the file has to be one that reads, whose output is neither sent
//! elsewhere nor counted; and where several commands or files stand in it, what came back has to be a line that no other file of the
//! scope has. What stands in the command itself came from there and is no evidence. Source: issue 4 (the positive control for clean).
//! Bound: the lines of the files and of what was shown; for a pattern of names the files of the scope.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Serialize;

use super::answer::Look;
use super::shell::{self, Command};

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
const READERS: &[&str] = &[
    "cat",
    "sed",
    "head",
    "tail",
    "less",
    "more",
    "nl",
    "bat",
    "batcat",
    "awk",
    "view",
    "type",
    "xxd",
    "od",
    "hexdump",
    "Get-Content",
    "gc",
];

/// What of git shows the contents of the files it names.
const GIT_READERS: &[&str] = &["diff", "show", "blame", "annotate", "log", "cat-file", "diff-tree", "diff-index", "diff-files"];

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
        let commands = shell::commands(&look.at);
        let plain = without_colours(&look.shown);
        if commands.iter().any(|c| compares(c) && !c.is_sent_away) {
            for path in diffed(&plain) {
                opened.extend(find(path));
            }
        }
        // A tool that reads one file names it and nothing else.
        let whole = find(&look.at);
        let mut mentioned: BTreeSet<&str> = whole.iter().copied().collect();
        for command in
            commands.iter().enumerate().filter(|(n, c)| reads(c) && !c.is_sent_away && is_shown(&commands[n + 1..])).map(|(_, c)| c)
        {
            for word in &command.words {
                let path = word.rsplit_once(':').map_or(word.as_str(), |(_, path)| path);
                for spelt in [word.as_str(), path] {
                    mentioned.extend(find(spelt));
                    let folder = command.folder.trim_end_matches('/');
                    if !folder.is_empty() {
                        mentioned.extend(find(&format!("{folder}/{}", spelt.trim_start_matches("./"))));
                    }
                }
                mentioned.extend(like(word, &command.folder, &files));
            }
        }
        if mentioned.is_empty() {
            continue;
        }
        let alone = mentioned.len() == 1 && (!whole.is_empty() || commands.len() < 2);
        let said: HashSet<&str> = look.at.lines().map(str::trim).collect();
        let shown = plain.lines().flat_map(|l| [l.trim(), bare(l)]).filter(|l| !l.is_empty() && !said.contains(l));
        let shown: HashSet<&str> = shown.filter(|l| !is_telling(l) || !look.at.contains(*l)).collect();
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

/// Whether a command shows what is in the files it names.
fn reads(command: &Command) -> bool {
    READERS.contains(&command.program.as_str()) || command.program == "diff" || git(command).is_some_and(|verb| GIT_READERS.contains(&verb))
}

/// Whether a command shows how files differ.
fn compares(command: &Command) -> bool {
    let forge = || command.program == "gh" && command.words.starts_with(&["pr".to_owned(), "diff".to_owned()]);
    let ours = |verb| matches!(verb, "diff" | "show" | "log" | "diff-tree" | "diff-index" | "diff-files");
    command.program == "diff" || git(command).is_some_and(ours) || forge()
}

/// Which command of git it is, behind the options of git itself.
fn git(command: &Command) -> Option<&str> {
    let mut words = command.words.iter().map(String::as_str).filter(|_| command.program == "git");
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" => drop(words.next()),
            option if option.starts_with('-') => {}
            verb => return Some(verb),
        }
    }
    None
}

/// Whether what a command writes is still shown at the end of its pipeline: what counts, searches or drops is what is shown then.
fn is_shown(behind: &[Command]) -> bool {
    behind.iter().take_while(|c| c.is_piped).all(|c| (READERS.contains(&c.program.as_str()) || c.program == "tr") && !c.is_sent_away)
}

/// The files that a pattern of names stands for.
fn like<'f>(word: &str, folder: &str, files: &'f [String]) -> Vec<&'f str> {
    if !word.contains(['*', '?', '[']) {
        return Vec::new();
    }
    let pattern = word.trim_start_matches("./");
    let Ok(glob) = globset::GlobBuilder::new(pattern).literal_separator(true).build() else { return Vec::new() };
    let glob = glob.compile_matcher();
    let below = format!("{}/", folder.trim_matches('/'));
    let inside = |f: &'f String| if folder.is_empty() { Some(f.as_str()) } else { f.strip_prefix(&below) };
    files.iter().filter(|f| inside(f).is_some_and(|rest| glob.is_match(rest))).map(String::as_str).collect()
}

/// What is shown without the sequences that colour it.
fn without_colours(shown: &str) -> String {
    let mut parts = shown.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !(c.is_ascii_digit() || c == ';')).unwrap_or(part.len());
        plain.push_str(part.get(end..).map_or("", |rest| rest.get(1..).unwrap_or(rest)));
    }
    plain
}

/// A line without the number that a reading program puts in front of it.
fn bare(line: &str) -> &str {
    let rest = line.trim_start();
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if behind.len() == rest.len() { rest.trim() } else { behind.trim_start_matches(['→', '\t', ':', '|', ' ']).trim() }
}

/// The files that a diff shows a hunk of. What stands inside a hunk is no header, whatever it looks like.
fn diffed(shown: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut heads: Vec<&str> = Vec::new();
    let mut left = (0_u64, 0_u64);
    for line in shown.lines() {
        if left != (0, 0) {
            match line.as_bytes().first() {
                Some(b'-') => left.0 = left.0.saturating_sub(1),
                Some(b'+') => left.1 = left.1.saturating_sub(1),
                Some(b'\\') => {}
                Some(b' ') | None => left = (left.0.saturating_sub(1), left.1.saturating_sub(1)),
                // Cut short.
                Some(_) => left = (0, 0),
            }
            if line.starts_with(['-', '+', ' ', '\\']) || line.is_empty() {
                continue;
            }
        }
        if line.starts_with("+++ ") || line.starts_with("--- ") {
            let path = line[4..].split('\t').next().unwrap_or_default().trim_matches('"');
            heads.push(path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path));
        } else if let Some(counts) = line.strip_prefix("@@ ").and_then(counts) {
            left = counts;
            found.append(&mut heads);
        } else {
            heads.clear();
        }
    }
    found
}

/// How many lines a hunk has on either side, by its header.
fn counts(header: &str) -> Option<(u64, u64)> {
    let mut sides = header.split(' ');
    let mut side = |sign: char| {
        let (_, count) = sides.next()?.strip_prefix(sign)?.split_once(',').unwrap_or(("", "1"));
        count.parse().ok()
    };
    Some((side('-')?, side('+')?))
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
        let diff = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -0,0 +1 @@\n+x\n--- a/README\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
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
            ("echo 'x; cat src/a.rs'; cat other.rs", "fn one() {"),
            ("printf 'fn one() {' # src/a.rs", "fn one() {"),
            ("true src/a.rs; cat other.rs # 'fn one() {'", "fn one() {"),
            ("cat src/a.rs; echo 'fn one() {'", "fn one() {"),
            ("cat src/a.rs &> x; cat other.rs", "fn one() {"),
            ("cat patch", "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n+x\n"),
            ("git diff -- x", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/src/a.rs\n+++ b/src/a.rs\n- y\n+ y\n@@ -9 +9 @@\n+x\n"),
            ("git status src/a.rs", "fn one() {"),
        ] {
            assert!(opened(&[look]).is_empty(), "{look:?}");
        }
        let red = "--- a/src/a.rs\n\u{1b}[1m+++ b/src/a.rs\u{1b}[m\n\u{1b}[36m@@ -1 +1 @@\u{1b}[m\n+x\n";
        assert_eq!(opened(&[("git -C . diff --color", red)]), ["src/a.rs"]);
        let two = [("src/a.rs", "fn alpha() {\n}\n"), ("src/m.rs", "fn beta() {\n}\n")];
        let two = two.map(|(path, text)| Scoped { path: path.to_owned(), text: Some(text.to_owned()) });
        let seen = |at: &str, shown: &str| of(&two, Some(&[Look { at: at.to_owned(), shown: shown.to_owned() }])).opened;
        assert_eq!(seen("sed -n 1,3p src/a.rs; sed -n 1,3p src/m.rs", "fn beta() {\n}\n"), ["src/m.rs"]);
        assert_eq!(seen("cd src && cat a.rs && cat src/m.rs 2>/dev/null", "fn alpha() {\n}\nfn beta() {"), ["src/a.rs", "src/m.rs"]);
        assert_eq!(seen("cat src/a.rs src/m.rs | head -50", "fn alpha() {\n}\nfn beta() {\n}"), ["src/a.rs", "src/m.rs"]);
        for line in ["cat src/*.rs", "cd src; cat *.rs", "for f in a m; do cat \"src/$f.rs\"; done", "bash -lc 'cd src && cat a.rs m.rs'"] {
            assert_eq!(seen(line, "fn alpha() {\n}\nfn beta() {\n}"), ["src/a.rs", "src/m.rs"], "{line}");
            assert!(seen(line, "}\n").is_empty(), "{line}");
        }
    }

    #[test]
    fn a_source_that_shows_nothing_is_unknown_and_one_that_looked_at_nothing_is_known() {
        let scoped = [Scoped { path: "a".to_owned(), text: None }];
        assert!(of(&scoped, None).unknown);
        assert_eq!(of(&scoped, Some(&[])), Coverage { unopened: vec!["a".to_owned()], ..Coverage::default() });
    }
}
