//! Which files of a scope a reviewer looked at, by what came back from the commands its client shows.
//!
//! A diff opens a file when a line that the change under review adds or removes was shown with its sign, or, of a change without lines
//! (mode, rename, binary), its header. Anything else opens a file when a line was shown that says something, stands in the file and in no
//! other file of the scope that the command did not name; what a command that reads one named file shows need not tell it from others.
//! What lists, counts or searches opens none, and neither does a diff of something else. What stands in the command itself came from there
//! and is no evidence. Source: issue 4 (the positive control for clean). Bound: the lines of the files and of what was shown; for a
//! pattern of names the files of the scope.

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

/// Programs whose output picks, counts or lists, whatever they are given.
const SEARCHERS: &[&str] =
    &["grep", "egrep", "fgrep", "rg", "ag", "ack", "wc", "ls", "tree", "stat", "file", "du", "cmp", "sort", "uniq", "cut"];

/// How many words of a command may be patterns of names.
const PATTERNS: usize = 64;

/// What of git shows the contents of the files it names.
const GIT_READERS: &[&str] = &["show", "blame", "annotate", "cat-file"];

/// A file of the scope.
#[derive(Debug, Clone, Default)]
pub struct Scoped {
    /// The path.
    pub path: String,
    /// What stands in it, or did before it was removed; blank when nothing does, none when that is not known.
    pub text: Option<String>,
    /// The lines that the change adds (`+`) and removes (`-`), with their sign; none when it has no lines.
    pub changed: HashSet<String>,
}

/// The coverage of files by what was looked at; `looks` is none when the source does not show it. `top` is the checkout's.
pub fn of(scoped: &[Scoped], looks: Option<&[Look]>, top: &str) -> Coverage {
    let Some(looks) = looks else { return Coverage { unknown: true, ..Coverage::default() } };
    let scope = Scope::of(scoped, top);
    let mut opened: BTreeSet<usize> = BTreeSet::new();
    for look in looks {
        scope.look(look, &mut opened);
    }
    let sorted = |is: bool| -> Vec<String> {
        let named = scoped.iter().enumerate().filter(|(n, _)| opened.contains(n) == is).map(|(_, f)| f.path.clone());
        named.collect::<BTreeSet<String>>().into_iter().collect()
    };
    Coverage { opened: sorted(true), unopened: sorted(false), unknown: false }
}

struct Scope<'s> {
    files: &'s [Scoped],
    top: &'s str,
    named: HashMap<&'s str, usize>,
    /// The telling lines and the files they stand in.
    owners: HashMap<&'s str, Vec<usize>>,
}

impl<'s> Scope<'s> {
    fn of(files: &'s [Scoped], top: &'s str) -> Scope<'s> {
        let mut owners: HashMap<&str, Vec<usize>> = HashMap::new();
        for (n, text) in files.iter().enumerate().filter_map(|(n, f)| Some((n, f.text.as_deref()?))) {
            let lines: HashSet<&str> = text.lines().map(str::trim).filter(|l| is_telling(l)).collect();
            lines.into_iter().for_each(|l| owners.entry(l).or_default().push(n));
        }
        let named = files.iter().enumerate().map(|(n, f)| (f.path.as_str(), n)).collect();
        Scope { files, top: top.trim_end_matches('/'), named, owners }
    }

    fn look(&self, look: &Look, opened: &mut BTreeSet<usize>) {
        let commands = shell::commands(&look.at);
        let plain = without_colours(&look.shown);
        let said: HashSet<&str> = look.at.lines().map(str::trim).collect();
        let from_command = |l: &str| said.contains(l) || (is_telling(l) && look.at.contains(l));
        let shown_to_end = |n: usize| !commands[n].is_sent_away && is_shown(&commands[n + 1..]);
        let compares = (0..commands.len()).any(|n| compares(&commands[n], self.top) && shown_to_end(n));
        if compares {
            opened.extend(self.diffed(&plain, &from_command));
        }
        // A tool that reads one file names it and nothing else.
        let whole = self.find(&look.at, "");
        let mut mentioned: BTreeSet<usize> = whole.into_iter().collect();
        for command in (0..commands.len()).filter(|n| reads(&commands[*n]) && shown_to_end(*n)).map(|n| &commands[n]) {
            for (n, word) in command.words.iter().enumerate() {
                let path = word.split_once(':').filter(|_| command.program == "git").map_or(word.as_str(), |(_, path)| path);
                mentioned.extend([word.as_str(), path].into_iter().filter_map(|spelt| self.find(spelt, &command.folder)));
                mentioned.extend(if n < PATTERNS { self.like(word, &command.folder) } else { Vec::new() });
            }
        }
        let shown = plain.lines().flat_map(|l| [l.trim(), bare(l)]).filter(|l| !l.is_empty() && !from_command(l));
        let shown: HashSet<&str> = shown.collect();
        let alone = mentioned.len() == 1 && (whole.is_some() || commands.len() < 2);
        for n in &mentioned {
            if self.shows(*n, &shown, &mentioned, alone) || (alone && self.files[*n].text.as_deref().is_some_and(|t| t.trim().is_empty())) {
                opened.insert(*n);
            }
        }
        // Whatever printed it: a script, a loop, a program that is not known.
        let other = commands.iter().any(runs_readers) && commands.iter().all(|c| !searches(c) && !is_comparison(c));
        if other {
            for line in &shown {
                match self.owners.get(line).map(Vec::as_slice) {
                    Some([only]) => drop(opened.insert(*only)),
                    _ => continue,
                }
            }
        }
    }

    /// Whether what was shown holds a line of the file that no other file has but those that the command names too.
    fn shows(&self, file: usize, shown: &HashSet<&str>, mentioned: &BTreeSet<usize>, alone: bool) -> bool {
        let Some(text) = self.files[file].text.as_deref() else { return false };
        let own = |l: &str| alone || self.owners.get(l).is_some_and(|o| o.iter().all(|n| mentioned.contains(n)));
        let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
        let says_nothing = !lines.clone().any(is_telling);
        lines.any(|l| shown.contains(l) && ((is_telling(l) && own(l)) || (alone && says_nothing)))
    }

    /// The file that a word names, seen from a folder below the top.
    fn find(&self, word: &str, folder: &str) -> Option<usize> {
        if word.is_empty() {
            return None;
        }
        let joined = if word.starts_with('/') || folder.is_empty() { word.to_owned() } else { format!("{folder}/{word}") };
        let inside = match joined.strip_prefix('/') {
            Some(_) => joined.strip_prefix(self.top)?.strip_prefix('/')?.to_owned(),
            None => joined,
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in inside.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()?),
                part => parts.push(part),
            }
        }
        self.named.get(parts.join("/").as_str()).copied()
    }

    /// The files that a pattern of names stands for.
    fn like(&self, word: &str, folder: &str) -> Vec<usize> {
        if !word.contains(['*', '?', '[']) {
            return Vec::new();
        }
        let pattern = word.trim_start_matches("./");
        let Ok(glob) = globset::GlobBuilder::new(pattern).literal_separator(true).build() else { return Vec::new() };
        let glob = glob.compile_matcher();
        let folder = folder.strip_prefix(self.top).unwrap_or(folder);
        let below = format!("{}/", folder.trim_matches('/').trim_start_matches("./"));
        let inside =
            |f: &Scoped| if below == "/" { glob.is_match(&f.path) } else { f.path.strip_prefix(&below).is_some_and(|r| glob.is_match(r)) };
        let fits = |f: &&Scoped| inside(f);
        self.files.iter().enumerate().filter(|(_, f)| fits(f)).map(|(n, _)| n).collect()
    }

    /// The files whose change a diff shows. What stands inside a hunk is no header, whatever it looks like.
    fn diffed(&self, shown: &str, from_command: &dyn Fn(&str) -> bool) -> Vec<usize> {
        let mut found = Vec::new();
        let mut heads: Vec<usize> = Vec::new();
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
                    let is = |n: &usize| self.files[*n].changed.contains(line.trim_end()) && !from_command(line.trim());
                    found.extend(heads.iter().copied().filter(is));
                    continue;
                }
            }
            if let Some(both) = line.strip_prefix("diff --git ") {
                heads = self.of_header(both);
            } else if line.starts_with("+++ ") || line.starts_with("--- ") {
                if line.starts_with('-') {
                    heads.clear();
                }
                heads.extend(unquoted(line[4..].split('\t').next().unwrap_or_default()).and_then(|p| self.find(without_side(&p), "")));
            } else if let Some(counts) = line.strip_prefix("@@ ").and_then(counts) {
                left = counts;
            } else if ["old mode ", "rename from ", "rename to ", "copy from ", "Binary files ", "Submodule ", "similarity index 100%"]
                .iter()
                .any(|h| line.starts_with(h))
                || line.starts_with("new file mode ")
                || line.starts_with("deleted file mode ")
            {
                // A change without lines has no more to show than this.
                found.extend(heads.iter().copied().filter(|n| self.files[*n].changed.is_empty()));
            }
        }
        found
    }

    /// The files that a `diff --git` header names: `a/x b/x`, quoted where a name is odd.
    fn of_header(&self, both: &str) -> Vec<usize> {
        let halves: Vec<(usize, char)> = both.char_indices().filter(|(_, c)| *c == ' ').collect();
        let named = |text: &str| unquoted(text).and_then(|p| self.find(without_side(&p), ""));
        // The blank between the two names may be one of many; a header is short.
        let split = halves.iter().take(64).find_map(|(at, _)| {
            let (old, new) = (named(&both[..*at]), named(&both[at + 1..]));
            (old.is_some() || new.is_some()).then(|| old.into_iter().chain(new).collect::<Vec<usize>>())
        });
        split.unwrap_or_default()
    }
}

/// A path of a diff without the side it stands on.
fn without_side(path: &str) -> &str {
    path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path)
}

/// A path as git quotes it; none when the quotes are broken.
fn unquoted(path: &str) -> Option<String> {
    let Some(inner) = path.strip_prefix('"').and_then(|p| p.strip_suffix('"')) else { return Some(path.to_owned()) };
    let mut bytes: Vec<u8> = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            first @ b'0'..=b'3' => {
                let digit = |b: u8| b.checked_sub(b'0').filter(|d| *d < 8);
                (first - b'0') * 64 + digit(rest.next()?)? * 8 + digit(rest.next()?)?
            }
            other => other,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The lines that a diff adds and removes, by file, with their sign. Bound: linear.
pub fn changed(diff: &str) -> HashMap<String, HashSet<String>> {
    let mut found: HashMap<String, HashSet<String>> = HashMap::new();
    let mut heads: Vec<String> = Vec::new();
    let mut left = (0_u64, 0_u64);
    for line in diff.lines() {
        if left != (0, 0) {
            match line.as_bytes().first() {
                Some(b'-') => left.0 = left.0.saturating_sub(1),
                Some(b'+') => left.1 = left.1.saturating_sub(1),
                Some(b'\\') => {}
                _ => left = (left.0.saturating_sub(1), left.1.saturating_sub(1)),
            }
            if line.starts_with(['+', '-']) && line.len() > 1 {
                for head in &heads {
                    found.entry(head.clone()).or_default().insert(line.trim_end().to_owned());
                }
            }
        } else if line.starts_with("+++ ") || line.starts_with("--- ") {
            if line.starts_with('-') {
                heads.clear();
            }
            heads.extend(unquoted(line[4..].split('\t').next().unwrap_or_default()).map(|p| without_side(&p).to_owned()));
            heads.dedup();
        } else if let Some(counts) = line.strip_prefix("@@ ").and_then(counts) {
            left = counts;
        }
    }
    found
}

/// Whether a line says something of its own: a bracket alone does not.
fn is_telling(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= 3
}

/// Whether a command shows what is in the files it names.
fn reads(command: &Command) -> bool {
    READERS.contains(&command.program.as_str()) || git(command).is_some_and(|verb| GIT_READERS.contains(&verb))
}

/// Whether a command prints files that it does not name: a script, `xargs cat`, `find -exec cat`, a variable that is not known.
fn runs_readers(command: &Command) -> bool {
    let runner = matches!(command.program.as_str(), "xargs" | "find" | "python" | "python3" | "perl" | "ruby" | "node" | "php");
    let picks = command.words.iter().any(|w| SEARCHERS.contains(&w.as_str()));
    (runner && !picks) || (reads(command) && command.words.iter().any(|w| w.contains('$')))
}

/// Whether what a command prints is picked, counted or listed.
fn searches(command: &Command) -> bool {
    SEARCHERS.contains(&command.program.as_str()) || git(command).is_some_and(|verb| matches!(verb, "grep" | "log"))
}

/// Whether a command is one that compares, whatever.
fn is_comparison(command: &Command) -> bool {
    let forge = command.program == "gh" && command.words.starts_with(&["pr".to_owned(), "diff".to_owned()]);
    let ours = |verb| matches!(verb, "diff" | "show" | "log" | "diff-tree" | "diff-index" | "diff-files");
    // `git show REV:PATH` is a reader.
    let blob = git(command) == Some("show") && command.words.iter().any(|w| w.contains(':') && !w.starts_with('-'));
    command.program == "diff" || (git(command).is_some_and(ours) && !blob) || forge
}

/// Whether a command shows how files of this checkout differ.
fn compares(command: &Command, top: &str) -> bool {
    let mut words = command.words.iter();
    let elsewhere = words.by_ref().any(|w| w == "-C")
        && words.next().is_none_or(|dir| !matches!(dir.as_str(), "." | "./") && dir.trim_end_matches('/') != top);
    is_comparison(command) && !elsewhere
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

/// A line without the number that a reading program puts in front of it, nor what `cat -A` puts behind it.
fn bare(line: &str) -> &str {
    let rest = line.trim_start();
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let inner = if behind.len() == rest.len() { rest } else { behind.trim_start_matches(['→', '\t', ':', '|', ' ']) };
    inner.trim_end().trim_end_matches('$').trim()
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
        let changed: HashSet<String> = ["+x", "-x"].map(str::to_owned).into();
        let scoped = scoped.map(|path| Scoped { path: path.to_owned(), text: Some(text.clone()), changed: changed.clone() });
        let looks: Vec<Look> = looks.iter().map(|(at, shown)| Look { at: (*at).to_owned(), shown: (*shown).to_owned() }).collect();
        of(&scoped, Some(&looks), "/top").opened
    }

    #[test]
    fn reading_a_file_or_its_diff_opens_it() {
        assert_eq!(opened(&[("bash -lc \"sed -n '1,20p' src/a.rs\"", "fn one() {\n")]), ["src/a.rs"]);
        assert_eq!(opened(&[("/top/src/b c.rs", "     1→fn one() {\n     2→    two();\n")]), ["src/b c.rs"]);
        assert_eq!(opened(&[("cat -n lib/a.rs", "     2\t    two();\n")]), ["lib/a.rs"]);
        assert_eq!(opened(&[("git show HEAD:lib/a.rs", "fn one() {")]), ["lib/a.rs"]);
        let diff = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -0,0 +1 @@\n+x\n--- a/README\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        assert_eq!(opened(&[("git diff main...HEAD", diff)]), ["README", "src/a.rs"]);
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
        let two = two.map(|(path, text)| Scoped { path: path.to_owned(), text: Some(text.to_owned()), ..Scoped::default() });
        let seen = |at: &str, shown: &str| of(&two, Some(&[Look { at: at.to_owned(), shown: shown.to_owned() }]), "/top").opened;
        assert_eq!(seen("sed -n 1,3p src/a.rs; sed -n 1,3p src/m.rs", "fn beta() {\n}\n"), ["src/m.rs"]);
        assert_eq!(seen("cd src && cat a.rs && cat src/m.rs 2>/dev/null", "fn alpha() {\n}\n"), ["src/a.rs"]);
        assert_eq!(seen("cat src/a.rs src/m.rs | head -50", "fn alpha() {\n}\nfn beta() {\n}"), ["src/a.rs", "src/m.rs"]);
        for line in ["cat src/*.rs", "cd src; cat *.rs", "for f in a m; do cat \"src/$f.rs\"; done", "bash -lc 'cd src && cat a.rs m.rs'"] {
            assert_eq!(seen(line, "fn alpha() {\n}\nfn beta() {\n}"), ["src/a.rs", "src/m.rs"], "{line}");
            assert!(seen(line, "}\n").is_empty(), "{line}");
        }
    }

    #[test]
    fn another_file_of_the_same_name_another_revision_and_a_header_open_nothing() {
        let root = [Scoped {
            path: "package.json".into(),
            text: Some("{\n\"name\": \"one\"\n}\n".into()),
            changed: ["+\"name\": \"one\"".to_owned()].into(),
        }];
        let seen = |at: &str, shown: &str| of(&root, Some(&[Look { at: at.to_owned(), shown: shown.to_owned() }]), "/top").opened.len();
        let text = "{\n\"name\": \"one\"\n}\n";
        assert_eq!(
            (seen("cat package.json", text), seen("/top/package.json", text), seen("cd sub && cat ../package.json", text)),
            (1, 1, 1)
        );
        assert_eq!(
            (seen("cat frontend/package.json", text), seen("/top/frontend/package.json", text), seen("/other/package.json", text)),
            (0, 0, 0)
        );
        let head = "diff --git a/package.json b/package.json\n--- a/package.json\n+++ b/package.json\n@@ -1,3 +1,3 @@\n";
        let hunk = format!("{head} {{\n-\"name\": \"nil\"\n+\"name\": \"one\"\n }}\n");
        assert_eq!((seen("git diff HEAD", &hunk), seen("git diff HEAD | head -5", head), seen("git -C ../other diff", &hunk)), (1, 0, 0));
        assert_eq!(seen("git show HEAD", &hunk.replace("one", "two")), 0, "the change under review was not shown");
        assert_eq!(seen("git diff HEAD | grep -E '^[-+@]'", &hunk), 0);
        assert_eq!(seen("git ls-files | xargs cat", text), 1);
        assert_eq!(seen("rg -n name package.json", "2:\"name\": \"one\""), 0);
    }

    #[test]
    fn a_change_without_lines_is_opened_by_its_header_and_an_odd_name_by_its_quotes() {
        let plain = |path: &str| Scoped { path: path.into(), text: Some("line one\n".into()), changed: HashSet::new() };
        let files = [
            plain("run.sh"),
            plain("b.bin"),
            Scoped { changed: ["+x".to_owned()].into(), ..plain("한글.md") },
            Scoped { text: Some(String::new()), ..plain("empty") },
        ];
        let seen = |at: &str, shown: &str| of(&files, Some(&[Look { at: at.to_owned(), shown: shown.to_owned() }]), "/top").opened;
        assert_eq!(seen("git diff HEAD", "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"), ["run.sh"]);
        assert_eq!(seen("git diff HEAD", "diff --git a/b.bin b/b.bin\nBinary files a/b.bin and b/b.bin differ\n"), ["b.bin"]);
        let quoted = "\"a/\\355\\225\\234\\352\\270\\200.md\" \"b/\\355\\225\\234\\352\\270\\200.md\"";
        let hunk = format!("diff --git {quoted}\n--- /dev/null\n+++ \"b/\\355\\225\\234\\352\\270\\200.md\"\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(seen("git diff HEAD", &hunk), ["한글.md"]);
        assert_eq!(seen("cat empty", ""), ["empty"]);
        assert_eq!(changed(&hunk)["한글.md"], ["+x".to_owned()].into());
    }

    #[test]
    fn a_source_that_shows_nothing_is_unknown_and_one_that_looked_at_nothing_is_known() {
        let scoped = [Scoped { path: "a".to_owned(), ..Scoped::default() }];
        assert!(of(&scoped, None, "/top").unknown);
        assert_eq!(of(&scoped, Some(&[]), "/top"), Coverage { unopened: vec!["a".to_owned()], ..Coverage::default() });
    }
}
