//! Which files of a scope a reviewer looked at, by what came back from the commands its client shows.
//!
//! What counts is what was shown of the change: of its telling lines half, or eight, over all that was looked at. A diff shows them with
//! their sign below the header of their file, whoever printed it. A command that reads files it names shows the lines that the change
//! adds to them; one whose files are not told from its words (a script, a loop, `xargs cat`) shows those that no other file of the scope
//! has. Of a change without lines (mode, rename, binary) the header is all there is; of one that only removes lines, and of a new file,
//! what stands in the file counts. A search shows what it was asked for: only nearly all of a change, found by one, was seen. What lists or
//! counts shows nothing, and what stands in the command itself came from there. Source: issue 4 (the positive control for clean). Bound:
//! the lines of the files and of what was shown, each looked up a few times; for a pattern of names the files of the scope.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Serialize;

use super::answer::Look;
use super::shell::{self, Command};

/// What was looked at of a scope.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Files of which the change was shown.
    pub opened: Vec<String>,
    /// The others.
    pub unopened: Vec<String>,
    /// Whether the source shows nothing of what it looks at.
    pub unknown: bool,
}

/// Programs that show what is in the files they name.
const READERS: &[&str] = &[
    "cat",
    "tac",
    "sed",
    "head",
    "tail",
    "less",
    "more",
    "nl",
    "bat",
    "batcat",
    "awk",
    "gawk",
    "view",
    "type",
    "xxd",
    "od",
    "hexdump",
    "expand",
    "fold",
    "cut",
    "Get-Content",
    "gc",
];

/// Programs that pick lines, whatever they are given.
const SEARCHERS: &[&str] = &["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"];

/// Words that make a search one for every line, every line of a change, or all lines but some.
const ALL: &[&str] = &["", ".", "^", ".*", "--passthru", "-v", "^[+-]", "^[-+]", "^[-+@]", "^[+@-]", "^[+-@]", "^[-+ ]"];

/// Programs that show nothing of what is in a file.
const SILENT: &[&str] = &[
    "wc",
    "ls",
    "tree",
    "stat",
    "file",
    "du",
    "cmp",
    "test",
    "[",
    "true",
    "false",
    ":",
    "cd",
    "pushd",
    "popd",
    "set",
    "export",
    "mkdir",
    "sleep",
    "date",
    "pwd",
    "which",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sort",
    "uniq",
    "read",
];

/// Programs that show their own words.
const SPEAKERS: &[&str] = &["echo", "printf"];

/// What of git shows contents; the rest of it lists.
const GIT_SHOWS: &[&str] = &[
    "show",
    "diff",
    "log",
    "blame",
    "annotate",
    "cat-file",
    "diff-tree",
    "diff-index",
    "diff-files",
    "difftool",
    "stash",
    "format-patch",
    "range-diff",
];

/// How many words of a command may be patterns of names.
const PATTERNS: usize = 64;

/// How many folders are remembered that earlier commands led to.
const FOLDERS: usize = 16;

/// Of a line longer than this so much tells it: clients and pipes cut what is longer.
const LONG: usize = 80;

/// How much of a change is enough: half of its telling lines, and no more than eight.
fn enough(total: usize) -> usize {
    total.div_ceil(2).clamp(1, 8)
}

/// A file of the scope.
#[derive(Debug, Clone, Default)]
pub struct Scoped {
    /// The path.
    pub path: String,
    /// What stands in it, or did before it was removed; none when it is no text that can be read.
    pub text: Option<String>,
    /// The lines that the change adds (`+`) and removes (`-`), with their sign; none when it has no lines.
    pub changed: HashSet<String>,
}

/// The coverage of files by what was looked at; `looks` is none when the source does not show it. `top` is the checkout's.
pub fn of(scoped: &[Scoped], looks: Option<&[Look]>, top: &str) -> Coverage {
    let Some(looks) = looks else { return Coverage { unknown: true, ..Coverage::default() } };
    let mut scope = Scope::of(scoped, top);
    for look in looks {
        scope.look(look);
    }
    let sorted = |is: bool| -> Vec<String> {
        let named = scope.files.iter().filter(|f| f.is_opened() == is).map(|f| f.path.to_owned());
        named.collect::<BTreeSet<String>>().into_iter().collect()
    };
    Coverage { opened: sorted(true), unopened: sorted(false), unknown: false }
}

/// A file, what of it tells that its change was seen, and what was seen.
struct File<'s> {
    path: &'s str,
    /// The lines that tell: those added, or those of the file where none are.
    new: HashSet<&'s str>,
    /// Those added and removed.
    both: HashSet<&'s str>,
    /// Whether the change has no lines, so that its header is all there is to see.
    lineless: bool,
    /// Whether what stands in it is no text that can be read.
    opaque: bool,
    /// Whether nothing stands in it.
    blank: bool,
    seen_new: HashSet<&'s str>,
    seen_both: HashSet<&'s str>,
    seen_picked: HashSet<&'s str>,
    /// A header that says that the file is new, gone, binary or a submodule: of a text there is more to see.
    seen_header: bool,
    /// A header that says all of a change without lines: another mode or name.
    seen_rename: bool,
    /// A command that reads named it, and something came back, or nothing could.
    seen_whole: bool,
}

impl<'s> File<'s> {
    fn of(file: &'s Scoped) -> File<'s> {
        let telling = |lines: HashSet<&'s str>| {
            let said: HashSet<&str> = lines.iter().copied().filter(|l| is_telling(l)).collect();
            if said.is_empty() { lines } else { said }
        };
        let of_sign = |signs: &[char]| -> HashSet<&'s str> {
            let text = file.changed.iter().filter_map(|l| l.strip_prefix(signs)).map(str::trim);
            text.filter(|l| !l.is_empty()).collect()
        };
        let text = file.text.as_deref().unwrap_or_default();
        let added = of_sign(&['+']);
        let new = if added.is_empty() { text.lines().map(str::trim).filter(|l| !l.is_empty()).collect() } else { added };
        File {
            path: &file.path,
            new: telling(new),
            both: telling(of_sign(&['+', '-'])),
            lineless: file.changed.is_empty(),
            opaque: file.text.is_none(),
            blank: file.text.as_deref().is_some_and(|t| t.trim().is_empty()),
            seen_new: HashSet::new(),
            seen_both: HashSet::new(),
            seen_picked: HashSet::new(),
            seen_header: false,
            seen_rename: false,
            seen_whole: false,
        }
    }

    fn is_opened(&self) -> bool {
        let shown = |seen: &HashSet<&str>, of: &HashSet<&str>| !of.is_empty() && seen.len() >= enough(of.len());
        // Three lines at least, and four of five.
        let picked = self.seen_picked.len() >= 3 && self.seen_picked.len() * 5 >= self.new.len() * 4;
        shown(&self.seen_new, &self.new)
            || shown(&self.seen_both, &self.both)
            || picked
            || (self.lineless && (self.seen_rename || (self.seen_header && (self.opaque || self.blank))))
            || ((self.opaque || self.blank) && self.seen_whole)
    }
}

struct Scope<'s> {
    files: Vec<File<'s>>,
    top: &'s str,
    named: HashMap<&'s str, usize>,
    /// The telling lines, whole and by their beginning, with the files they stand in.
    owners: HashMap<&'s str, Vec<(usize, &'s str)>>,
    /// Folders that earlier commands led to: a client may keep its shell.
    folders: Vec<String>,
}

/// What one look shows files by.
#[derive(Default)]
struct Shown {
    /// The files that a reading command names.
    named: BTreeSet<usize>,
    /// Whether something was printed whose files are not told by the words of the command.
    any: bool,
    /// Whether anything was printed but what a search picked.
    shows: bool,
    /// Whether a search printed what it picked.
    picks: bool,
    /// Whether the one thing that was read is one file.
    alone: bool,
}

impl<'s> Scope<'s> {
    fn of(scoped: &'s [Scoped], top: &'s str) -> Scope<'s> {
        let files: Vec<File<'s>> = scoped.iter().map(File::of).collect();
        let mut owners: HashMap<&str, Vec<(usize, &str)>> = HashMap::new();
        for (n, file) in files.iter().enumerate() {
            for line in file.new.iter().copied() {
                let starts = (line.len() > LONG).then(|| beginning(line));
                std::iter::once(line).chain(starts).for_each(|key| owners.entry(key).or_default().push((n, line)));
            }
        }
        let named = scoped.iter().enumerate().map(|(n, f)| (f.path.as_str(), n)).collect();
        Scope { files, top: top.trim_end_matches('/'), named, owners, folders: Vec::new() }
    }

    fn look(&mut self, look: &Look) {
        let commands = shell::commands(&look.at);
        let plain = without_colours(&look.shown);
        // `cat -A` marks where lines end.
        let marked = plain.lines().all(|l| l.ends_with('$'));
        let plain = if marked { plain.replace("$\n", "\n").trim_end_matches('$').to_owned() } else { plain };
        let shown = self.shown(look, &commands);
        let said: HashSet<&str> = look.at.lines().map(str::trim).collect();
        let from_command = |l: &str| said.contains(l) || (is_telling(l) && look.at.contains(l));
        if shown.shows || shown.picks {
            let folder = commands.iter().map(|c| c.folder.as_str()).find(|f| !f.is_empty()).unwrap_or_default();
            self.diffed(&plain, folder, &from_command);
        }
        let filled = !plain.trim().is_empty();
        for n in &shown.named {
            let file = &mut self.files[*n];
            file.seen_whole |= shown.alone && (filled || file.blank);
        }
        if shown.shows || shown.picks {
            for line in plain.lines() {
                self.line(line, &shown, &from_command);
            }
        }
        for command in commands.into_iter().filter(|c| !c.folder.is_empty()) {
            if self.folders.len() < FOLDERS && !self.folders.contains(&command.folder) {
                self.folders.push(command.folder);
            }
        }
    }

    /// What the commands of a look show, by the last one of each pipeline.
    fn shown(&self, look: &Look, commands: &[Command]) -> Shown {
        // A tool that reads one file names it and nothing else.
        if let Some(whole) = self.find(&look.at, "") {
            return Shown { named: [whole].into(), shows: true, alone: true, ..Shown::default() };
        }
        // Any other file that a tool read may hold a diff, and nothing else that counts.
        if let [Command { words, .. }] = commands
            && words.is_empty()
            && look.at.contains('/')
        {
            return Shown { shows: true, ..Shown::default() };
        }
        let foreign = self.names_elsewhere(&look.at);
        let substitutes = ["$(", "`", "<("].iter().any(|s| look.at.contains(s));
        let mut shown = Shown::default();
        let mut reading = 0;
        let mut at = 0;
        while at < commands.len() {
            let end = (at + 1..commands.len()).find(|n| !commands[*n].is_piped).unwrap_or(commands.len());
            let pipeline = &commands[at..end];
            at = end;
            if pipeline.iter().any(|c| c.is_sent_away || self.is_elsewhere(c)) || look.at.contains("GIT_DIR=") {
                continue;
            }
            match pipeline.last().map_or(Kind::Silent, |last| kind(last, substitutes)) {
                Kind::Silent => continue,
                Kind::Picks => shown.picks = true,
                Kind::Shows => {
                    shown.shows = true;
                    // What feeds the pipeline tells where its lines come from; a search in the middle picks.
                    if pipeline[..pipeline.len() - 1].iter().any(|c| kind(c, substitutes) == Kind::Picks) && !feeds(pipeline) {
                        (shown.picks, shown.shows) = (true, false);
                    }
                }
            }
            let first = &pipeline[0];
            let names = pipeline.iter().filter(|c| reads(c)).flat_map(|c| self.named_by(c));
            let before = shown.named.len();
            shown.named.extend(names);
            reading += usize::from(shown.named.len() > before || reads(first));
            let plain = reads(first) && !first.words.iter().any(|w| w.contains('$'));
            let of_git = git(first).is_some() || first.program == "gh" || first.program == "diff";
            let handed_on = pipeline.len() > 1 && (of_git || pipeline.iter().any(|c| c.program == "xargs"));
            shown.any |= !foreign && ((!plain && !of_git) || substitutes || handed_on);
        }
        shown.alone = shown.named.len() == 1 && reading == 1;
        shown
    }

    /// Whether a command works on another folder than the checkout: it was led there, or told so.
    fn is_elsewhere(&self, command: &Command) -> bool {
        let outside = |folder: &str| folder.starts_with('/') && !is_below(folder, self.top);
        let mut words = command.words.iter().map(String::as_str).filter(|_| command.program == "git");
        let mut told = false;
        while let Some(word) = words.next().filter(|w| w.starts_with('-')) {
            match word {
                "-C" => told |= words.next().is_none_or(|dir| outside(dir) || dir.starts_with("..")),
                "--git-dir" | "--work-tree" => told |= words.next().is_none_or(outside),
                "-c" => drop(words.next()),
                option => told |= ["--git-dir=", "--work-tree="].iter().any(|o| option.strip_prefix(o).is_some_and(outside)),
            }
        }
        told || outside(&command.folder)
    }

    /// Whether a line names a file or folder outside the checkout, system folders aside.
    fn names_elsewhere(&self, line: &str) -> bool {
        const SYSTEM: &[&str] = &["/dev/", "/usr/", "/bin/", "/proc/"];
        line.match_indices('/').filter(|(at, _)| line[..*at].ends_with(['\'', '"', ' ', '=', '(']) || *at == 0).any(|(at, _)| {
            let path = line[at..].split(['\'', '"', ' ', ';', ')', '\n']).next().unwrap_or_default();
            // A lone slash and a pattern of sed are no path.
            let is_path = path[1..].contains('/') && path.bytes().skip(1).all(|b| b.is_ascii_alphanumeric() || b"/._-+".contains(&b));
            is_path && !path.ends_with('/') && !is_below(path, self.top) && !SYSTEM.iter().any(|s| path.starts_with(s))
        })
    }

    /// The files that the words of a reading command name.
    fn named_by(&self, command: &Command) -> Vec<usize> {
        let mut named = Vec::new();
        for (n, word) in command.words.iter().enumerate() {
            let path = word.split_once(':').filter(|_| command.program == "git").map_or(word.as_str(), |(_, path)| path);
            named.extend([word.as_str(), path].into_iter().filter_map(|spelt| self.find(spelt, &command.folder)));
            named.extend(if n < PATTERNS { self.like(word, &command.folder) } else { Vec::new() });
        }
        named
    }

    /// Takes one line that was shown: every reading of it, without numbers and marks in front, is looked up.
    fn line(&mut self, line: &str, shown: &Shown, from_command: &dyn Fn(&str) -> bool) {
        let mut found: Vec<(usize, &'s str)> = Vec::new();
        for reading in readings(line) {
            let exact = self.owners.get(reading);
            let owners = exact.or_else(|| self.owners.get(beginning(reading)).filter(|_| reading.len() >= LONG));
            let Some(owners) = owners.filter(|_| !from_command(reading)) else { continue };
            let only = owners.len() == 1 && shown.any && is_telling(reading);
            found.extend(owners.iter().copied().filter(|(n, _)| shown.named.contains(n) || only));
            break;
        }
        for (n, line) in found {
            let file = &mut self.files[n];
            let seen = if shown.shows { &mut file.seen_new } else { &mut file.seen_picked };
            seen.insert(line);
        }
    }

    /// The file that a word names, seen from a folder below the top, from the top, or from a folder that an earlier command led to.
    fn find(&self, word: &str, folder: &str) -> Option<usize> {
        if folder.starts_with('/') && !is_below(folder, self.top) {
            return self.find_from(word, folder);
        }
        let folders = [folder, ""].into_iter().chain(self.folders.iter().map(String::as_str));
        folders.into_iter().find_map(|folder| self.find_from(word, folder))
    }

    fn find_from(&self, word: &str, folder: &str) -> Option<usize> {
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
        let fits =
            |path: &str| if below == "/" { glob.is_match(path) } else { path.strip_prefix(&below).is_some_and(|r| glob.is_match(r)) };
        self.files.iter().enumerate().filter(|(_, f)| fits(f.path)).map(|(n, _)| n).collect()
    }

    /// Takes what a diff shows of the files it names. What stands inside a hunk is no header, whatever it looks like.
    fn diffed(&mut self, shown: &str, folder: &str, from_command: &dyn Fn(&str) -> bool) {
        const LINELESS: &[&str] = &["old mode ", "rename from ", "rename to ", "copy from ", "similarity index 100%"];
        const PARTIAL: &[&str] = &["new file mode ", "deleted file mode ", "Binary files ", "Submodule "];
        // `git diff | cat -n` numbers the lines.
        let numbered = !shown.lines().any(is_header) && shown.lines().any(|l| is_header(behind_number(l)));
        let by_words = shown.lines().any(|l| l.starts_with("@@ ")) && (shown.contains("{+") || shown.contains("[-"));
        let mut heads: Vec<usize> = Vec::new();
        let mut left = (0_u64, 0_u64);
        for line in shown.lines().map(|l| if numbered { behind_number(l) } else { l }) {
            if left != (0, 0) {
                match line.as_bytes().first() {
                    Some(b'-') => left.0 = left.0.saturating_sub(1),
                    Some(b'+') => left.1 = left.1.saturating_sub(1),
                    Some(b'\\') => {}
                    Some(b' ') | None => left = (left.0.saturating_sub(1), left.1.saturating_sub(1)),
                    Some(b'd') if line.starts_with("diff --git ") => left = (0, 0),
                    Some(b'@') if line.starts_with("@@ ") => left = (0, 0),
                    Some(_) if by_words => left = (left.0.saturating_sub(1), left.1.saturating_sub(1)),
                    // Cut short.
                    Some(_) => left = (0, 0),
                }
                if by_words && left != (0, 0) {
                    self.signed(&format!(" {line}"), &heads, from_command);
                    continue;
                }
                if line.starts_with(['-', '+', ' ', '\\']) || line.is_empty() {
                    self.signed(line, &heads, from_command);
                    continue;
                }
            }
            if let Some(both) = line.strip_prefix("diff --git ") {
                heads = self.of_header(both, folder);
            } else if line.starts_with("+++ ") || line.starts_with("--- ") {
                if line.starts_with('-') {
                    heads.clear();
                }
                heads.extend(unquoted(line[4..].split('\t').next().unwrap_or_default()).and_then(|p| self.find(without_side(&p), folder)));
            } else if let Some(counts) = line.strip_prefix("@@ ").and_then(counts) {
                left = counts;
            } else if LINELESS.iter().any(|h| line.starts_with(h)) {
                heads.iter().for_each(|n| self.files[*n].seen_rename = true);
            } else if PARTIAL.iter().any(|h| line.starts_with(h)) {
                heads.iter().for_each(|n| self.files[*n].seen_header = true);
            }
        }
    }

    /// Takes a line of a hunk: with its sign, which a reversed diff turns round, or with the marks of a diff by words.
    fn signed(&mut self, line: &str, heads: &[usize], from_command: &dyn Fn(&str) -> bool) {
        let words = line.contains("{+") || line.contains("[-");
        let text = match line.as_bytes().first() {
            Some(b'+' | b'-') => line[1..].trim().to_owned(),
            Some(b' ') if words => by_words(line).trim().to_owned(),
            _ => return,
        };
        if from_command(line.trim()) {
            return;
        }
        for n in heads {
            let file = &mut self.files[*n];
            let own = |set: &HashSet<&'s str>| set.get(text.as_str()).copied().or_else(|| cut(&text, set));
            if let Some(own) = own(&file.both) {
                file.seen_both.insert(own);
            } else if let Some(own) = own(&file.new).filter(|_| file.lineless) {
                file.seen_new.insert(own);
            }
        }
    }

    /// The files that a `diff --git` header names: `a/x b/x`, quoted where a name is odd.
    fn of_header(&self, both: &str, folder: &str) -> Vec<usize> {
        let halves: Vec<(usize, char)> = both.char_indices().filter(|(_, c)| *c == ' ').collect();
        let named = |text: &str| unquoted(text).and_then(|p| self.find(without_side(&p), folder));
        // The blank between the two names may be one of many; a header is short.
        let split = halves.iter().take(64).find_map(|(at, _)| {
            let (old, new) = (named(&both[..*at]), named(&both[at + 1..]));
            (old.is_some() || new.is_some()).then(|| old.into_iter().chain(new).collect::<Vec<usize>>())
        });
        split.unwrap_or_default()
    }
}

/// What a command does with what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It lists, counts or says nothing of it.
    Silent,
    /// It picks lines.
    Picks,
    /// It shows it.
    Shows,
}

fn kind(command: &Command, substitutes: bool) -> Kind {
    let program = command.program.as_str();
    // `sed -n '/x/p'`, `awk '/x/'`: the first word that is no flag is a pattern.
    let pattern = || command.words.iter().any(|w| w.starts_with('/') && w[1..].contains('/') && !w.contains('.') && w.len() < 64);
    let within =
        || command.words.iter().any(|w| SEARCHERS.contains(&w.as_str()) || SEARCHERS.iter().any(|s| w.starts_with(&format!("{s} "))));
    match program {
        _ if SILENT.contains(&program) => Kind::Silent,
        _ if SPEAKERS.contains(&program) => {
            if substitutes || command.words.iter().any(|w| w.contains('$')) {
                Kind::Shows
            } else {
                Kind::Silent
            }
        }
        // A pattern that fits every line, or all lines but a few.
        _ if SEARCHERS.contains(&program) && command.words.iter().any(|w| ALL.contains(&w.as_str())) => Kind::Shows,
        _ if SEARCHERS.contains(&program) => Kind::Picks,
        "sed" if command.words.iter().any(|w| w == "-n") && pattern() => Kind::Picks,
        "awk" | "gawk" if pattern() => Kind::Picks,
        "xargs" | "find" if within() => Kind::Picks,
        "xargs" | "find" if !command.words.iter().any(|w| READERS.contains(&w.as_str()) || w == "sh" || w == "bash" || w == "-exec") => {
            Kind::Silent
        }
        "git" => match git(command) {
            Some("grep") => Kind::Picks,
            Some(verb) if GIT_SHOWS.contains(&verb) => Kind::Shows,
            _ => Kind::Silent,
        },
        _ => Kind::Shows,
    }
}

/// Whether a pipeline feeds names to a program that reads them, so that what picked the names picked no lines.
fn feeds(pipeline: &[Command]) -> bool {
    pipeline.iter().any(|c| c.program == "xargs") || pipeline.last().is_some_and(|c| c.words.iter().any(|w| w.contains('$')))
}

/// Whether a command shows what is in the files it names.
fn reads(command: &Command) -> bool {
    let of_git = git(command).is_some_and(|verb| matches!(verb, "show" | "blame" | "annotate" | "cat-file"));
    READERS.contains(&command.program.as_str()) || of_git
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

/// Whether a line says something of its own: a bracket alone does not.
fn is_telling(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= 3
}

/// The part of a long line that tells it.
fn beginning(line: &str) -> &str {
    &line[..line.floor_char_boundary(LONG)]
}

/// The line of a set that a text is the beginning of, where it is long enough to tell one.
fn cut<'s>(text: &str, set: &HashSet<&'s str>) -> Option<&'s str> {
    // Only sets of few lines are looked through: a longer one has others to be told by.
    let looked = text.len() >= LONG && set.len() <= 256;
    set.iter().copied().find(|l| looked && l.starts_with(beginning(text)))
}

/// A line as it may stand in a file: as it is, and without what programs put in front of it (numbers, marks, names, a sign) or behind it.
fn readings(line: &str) -> impl Iterator<Item = &str> {
    const MARKS: &[char] = &['\t', '→', '|', '│', '>', '+', '-', ':', ')'];
    const MOST: usize = 12;
    let line = line.trim().trim_end_matches('$').trim_end();
    let head = line.floor_char_boundary(120);
    let behind = line[..head].char_indices().filter(|(_, c)| MARKS.contains(c)).take(MOST).map(|(at, c)| line[at + c.len_utf8()..].trim());
    let whole = std::iter::once(line).chain(std::iter::once(behind_number(line).trim()));
    whole.chain(behind).filter(|l| !l.is_empty())
}

/// Whether a path is a folder or lies in it.
fn is_below(path: &str, top: &str) -> bool {
    path.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A line without the number that a program puts in front of it; what is not numbered is given as it is.
fn behind_number(line: &str) -> &str {
    let rest = line.trim_start();
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if behind.len() == rest.len() {
        return line;
    }
    behind
        .strip_prefix(['→', '\t', ':', '|', ' '])
        .map_or(behind, |inner| inner.strip_prefix(' ').filter(|_| behind.starts_with(':')).unwrap_or(inner))
}

/// Whether a line names a file of a diff.
fn is_header(line: &str) -> bool {
    line.starts_with("diff --git ") || line.starts_with("+++ ")
}

/// A line of a diff by words as it is behind the change.
fn by_words(line: &str) -> String {
    let mut parts = line.split("[-");
    let mut new = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        new.push_str(part.split_once("-]").map_or(part, |(_, rest)| rest));
    }
    new.replace("{+", "").replace("+}", "")
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
        let changed: HashSet<String> = ["+    two();", "-xyz"].map(str::to_owned).into();
        let scoped = scoped.map(|path| Scoped { path: path.to_owned(), text: Some(text.clone()), changed: changed.clone() });
        let looks: Vec<Look> = looks.iter().map(|(at, shown)| Look { at: (*at).to_owned(), shown: (*shown).to_owned() }).collect();
        of(&scoped, Some(&looks), "/top").opened
    }

    #[test]
    fn reading_a_file_or_its_diff_opens_it() {
        assert_eq!(opened(&[("bash -lc \"sed -n '1,20p' src/a.rs\"", "two();\n")]), ["src/a.rs"]);
        assert_eq!(opened(&[("/top/src/b c.rs", "     1→fn one() {\n     2→    two();\n")]), ["src/b c.rs"]);
        assert_eq!(opened(&[("cat -n lib/a.rs", "     2\t    two();\n")]), ["lib/a.rs"]);
        assert_eq!(opened(&[("git show HEAD:lib/a.rs", "two();")]), ["lib/a.rs"]);
        let diff = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -0,0 +1 @@\n+    two();\n--- a/README\n+++ /dev/null\n@@ -1 +0,0 @@\n-xyz\n";
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
            ("rg x src/a.rs", "1:two();"),
            ("cat src/a.rs", " \n"),
            ("cat xsrc/a.rs", "two();"),
            ("ls -la src/a.rs && cat other.rs", "-rw src/a.rs\n}\ntwo();"),
            ("true # cat src/a.rs", "two();"),
            ("cat src/a.rs > /tmp/x; cat other.rs", "two();"),
            ("false && cat src/a.rs; printf '}'", "}"),
            ("cat src/a.rs | grep -c x; echo '}'", "1\n}"),
            ("test -f src/a.rs && cat other.rs", "two();"),
            ("echo 'x; cat src/a.rs'; cat other.rs", "two();"),
            ("printf 'two();' # src/a.rs", "two();"),
            ("true src/a.rs; cat other.rs # 'two();'", "two();"),
            ("cat src/a.rs; echo 'two();'", "two();"),
            ("cat src/a.rs &> x; cat other.rs", "two();"),
            ("git diff -- x", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/src/a.rs\n+++ b/src/a.rs\n- y\n+ y\n@@ -9 +9 @@\n+x\n"),
            ("git status src/a.rs", "two();"),
        ] {
            assert!(opened(&[look]).is_empty(), "{look:?}");
        }
        let red = "--- a/src/a.rs\n\u{1b}[1m+++ b/src/a.rs\u{1b}[m\n\u{1b}[36m@@ -1 +1 @@\u{1b}[m\n+    two();\n";
        assert_eq!(opened(&[("git -C . diff --color", red)]), ["src/a.rs"]);
        // A diff that was kept in a file shows what it shows.
        assert_eq!(opened(&[("git diff > /tmp/d", ""), ("/tmp/d", red)]), ["src/a.rs"]);
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
        assert_eq!(seen("git diff HEAD | grep -E '^[-+@]'", &hunk), 1);
        assert_eq!(seen("git show HEAD~3:package.json", "{\n\"name\": \"nil\"\n}"), 0, "what the change brings was not shown");
        assert_eq!(seen("git ls-files | xargs cat", text), 1);
        assert_eq!(seen("rg -n name package.json", "2:\"name\": \"one\""), 0);
    }

    #[test]
    fn a_change_without_lines_is_opened_by_its_header_and_an_odd_name_by_its_quotes() {
        let plain = |path: &str| Scoped { path: path.into(), text: Some("line one\n".into()), changed: HashSet::new() };
        let files = [
            plain("run.sh"),
            Scoped { text: None, ..plain("b.bin") },
            plain("new.txt"),
            Scoped { changed: ["+x".to_owned()].into(), ..plain("한글.md") },
            Scoped { text: Some(String::new()), ..plain("empty") },
        ];
        let seen = |at: &str, shown: &str| of(&files, Some(&[Look { at: at.to_owned(), shown: shown.to_owned() }]), "/top").opened;
        assert_eq!(seen("git diff HEAD", "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"), ["run.sh"]);
        assert_eq!(seen("git diff HEAD", "diff --git a/b.bin b/b.bin\nBinary files a/b.bin and b/b.bin differ\n"), ["b.bin"]);
        for header in ["new file mode 100644\n", "new file mode 100644\nBinary files /dev/null and b/new.txt differ\n"] {
            let shown = format!("diff --git a/new.txt b/new.txt\n{header}");
            assert!(seen("git diff --no-index /dev/null new.txt", &shown).is_empty(), "of a new text its lines are the change: {header}");
        }
        let quoted = "\"a/\\355\\225\\234\\352\\270\\200.md\" \"b/\\355\\225\\234\\352\\270\\200.md\"";
        let hunk = format!("diff --git {quoted}\n--- /dev/null\n+++ \"b/\\355\\225\\234\\352\\270\\200.md\"\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(seen("git diff HEAD", &hunk), ["한글.md"]);
        assert_eq!(seen("cat empty", ""), ["empty"]);
        assert_eq!(changed(&hunk)["한글.md"], ["+x".to_owned()].into());
    }

    #[test]
    fn whatever_shows_the_change_opens_the_file_and_what_shows_another_thing_does_not() {
        let text = "use std::io;\n\nfn alpha(x: u32) -> u32 {\n    x + danger(x)\n}\n";
        let changed: HashSet<String> = ["+    x + danger(x)", "-    x + 1"].map(str::to_owned).into();
        let file = [Scoped { path: "src/a.rs".into(), text: Some(text.into()), changed }];
        let diff = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -4 +4 @@\n-    x + 1\n+    x + danger(x)\n";
        let seen = |looks: &[(&str, &str)]| {
            let looks: Vec<Look> = looks.iter().map(|(at, shown)| Look { at: (*at).into(), shown: (*shown).into() }).collect();
            !of(&file, Some(&looks), "/top").opened.is_empty()
        };
        let numbered: String = diff.lines().zip(1..).map(|(l, n)| format!("     {n}\t{l}\n")).collect();
        let by_words = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -4 +4 @@\n    x + [-1-]{+danger(x)+}\n";
        for (at, shown) in [
            ("git diff --name-only HEAD | xargs cat", text),
            ("for f in $(git diff --name-only HEAD); do cat \"$f\"; done", text),
            ("git diff --name-only | while read -r f; do sed -n '1,200p' \"$f\"; done", text),
            ("git diff HEAD | cat -n", &numbered),
            ("git diff HEAD --word-diff", by_words),
            ("git diff HEAD | tee log", diff),
            ("cat src/{a,z}.rs", text),
            ("echo \"$(cat src/a.rs)\"", text),
            ("git blame src/a.rs", "1a2b3c4d (Ann 2026-01-02 03:04:05 +0000 4)     x + danger(x)\n"),
            ("sed 's/^/> /' src/a.rs", ">     x + danger(x)\n"),
            ("rg -n '' src/a.rs", "4:    x + danger(x)\n"),
            ("python3 - <<'E'\nprint(open('src/a.rs').read())\nE", text),
            ("(cd lib && ls); cat src/a.rs", text),
            ("git diff -R HEAD", &diff.replace("-    x + 1", "+    x + 1").replace("+    x + danger", "-    x + danger")),
        ] {
            assert!(seen(&[(at, shown)]), "{at}");
        }
        assert!(seen(&[("cd src && ls", "a.rs"), ("cat a.rs", text)]), "a client may keep its shell");
        let old = text.replace("danger(x)", "1");
        for (at, shown) in [
            ("git show HEAD:src/a.rs", old.as_str()),
            ("head -1 src/a.rs", "use std::io;"),
            ("git diff HEAD~2 HEAD~1", &diff.replace("danger(x)", "2")),
            ("cd /other && git diff HEAD", diff),
            ("GIT_DIR=/other/.git git diff HEAD", diff),
            ("git --git-dir=/other/.git diff", diff),
            ("cat /other/src/a.rs", text),
            ("find /other/src -name a.rs -exec cat {} ;", text),
            ("rg -N danger src/a.rs", "    x + danger(x)"),
            ("find . -name '*.rs' -exec grep -h danger {} +", "    x + danger(x)"),
            ("git ls-files | xargs grep -h danger", "    x + danger(x)"),
            ("sed -n '/danger/p' src/a.rs", "    x + danger(x)"),
            ("cat src/a.rs > /dev/null; rg -N danger src/a.rs", "    x + danger(x)"),
            ("git diff --stat HEAD", " src/a.rs | 2 +-"),
            ("ls -R", "src/a.rs"),
        ] {
            assert!(!seen(&[(at, shown)]), "{at}");
        }
    }

    #[test]
    fn a_source_that_shows_nothing_is_unknown_and_one_that_looked_at_nothing_is_known() {
        let scoped = [Scoped { path: "a".to_owned(), ..Scoped::default() }];
        assert!(of(&scoped, None, "/top").unknown);
        assert_eq!(of(&scoped, Some(&[]), "/top"), Coverage { unopened: vec!["a".to_owned()], ..Coverage::default() });
    }
}
