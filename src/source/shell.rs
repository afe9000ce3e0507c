//! The simple commands of a shell line, as far as it takes to know which files a command names and whether its output is shown.
//!
//! Operators count outside quotes only, a `#` at the start of a word begins a comment, the script of a wrapping `sh -c` is read in its
//! place, `for f in a b` gives `$f` its values, `cd dir` is remembered, and what a here-document or a `$( )` holds is no command of the
//! line. Nothing is ever run. Source: issue 4 (the positive control for clean). Bound: linear in the line, per level of wrapping shells,
//! of which four are read; of a command's words and a loop's values as many as a line that somebody typed has.

use std::collections::HashMap;

/// One simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// The program: its last path part.
    pub program: String,
    /// The words behind it, without quotes; what is read by `<` is one of them.
    pub words: Vec<String>,
    /// The folder that `cd` led to before it, relative to where the line began.
    pub folder: String,
    /// Whether its output goes to a file.
    pub is_sent_away: bool,
    /// Whether it stands behind a `|`.
    pub is_piped: bool,
}

/// The commands of a line, in order.
pub fn commands(line: &str) -> Vec<Command> {
    let mut reader = Reader::default();
    reader.script(line, 0);
    reader.found.truncate(COMMANDS);
    reader.found
}

/// What a line is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    /// `;`, `&&`, `||`, `&`, a line's end, a bracket.
    End,
    Pipe,
    /// The output goes to the word behind it.
    Out,
    /// A redirection that hides nothing, whose word is no operand.
    Aside,
    /// What is read from the word behind it.
    In,
}

/// How many commands of a line are looked at, and how many variables of its loops.
const COMMANDS: usize = 512;
const VARIABLES: usize = 16;

/// How many words of a command are looked at.
const WORDS: usize = 4096;

/// How many values of a loop's variable are.
const VALUES: usize = 64;

#[derive(Default)]
struct Reader {
    found: Vec<Command>,
    folder: String,
    values: HashMap<String, Vec<String>>,
}

impl Reader {
    fn script(&mut self, text: &str, depth: usize) {
        let mut words: Vec<String> = Vec::new();
        let (mut away, mut piped) = (false, false);
        let mut tokens = tokens(text).into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(word) => words.push(word),
                Token::In => {
                    if let Some(Token::Word(word)) = tokens.next_if(|t| matches!(t, Token::Word(_))) {
                        words.push(word);
                    }
                }
                Token::Out | Token::Aside => {
                    away |= token == Token::Out;
                    tokens.next_if(|t| matches!(t, Token::Word(_)));
                }
                Token::End | Token::Pipe => {
                    self.command(std::mem::take(&mut words), away, piped, depth);
                    (away, piped) = (false, token == Token::Pipe);
                }
            }
        }
        self.command(words, away, piped, depth);
    }

    fn command(&mut self, words: Vec<String>, is_sent_away: bool, is_piped: bool, depth: usize) {
        let mut words = words.into_iter().peekable();
        let program = loop {
            let Some(word) = words.next() else { return };
            match word.as_str() {
                "if" | "then" | "else" | "elif" | "do" | "while" | "until" | "!" | "time" | "{" | "command" | "nice" | "nohup" | "sudo"
                | "env" | "exec" | "stdbuf" => while words.next_if(|w| w.starts_with('-')).is_some() {},
                "timeout" => {
                    while words.next_if(|w| w.starts_with('-')).is_some() {}
                    words.next();
                }
                "for" => {
                    let (Some(name), Some(_)) = (words.next(), words.next_if(|w| w == "in")) else { return };
                    let values = words.collect();
                    if self.values.len() < VARIABLES {
                        self.values.insert(name, values);
                    }
                    return;
                }
                "done" | "fi" | "esac" | "case" | "}" => return,
                assigned if is_assignment(assigned) => {}
                _ => break word.rsplit(['/', '\\']).next().unwrap_or_default().to_owned(),
            }
        };
        // A line that names more than anybody would type names nothing that is looked for.
        let words: Vec<String> = words.take(WORDS).flat_map(|w| self.expanded(w)).take(WORDS).collect();
        if matches!(program.as_str(), "sh" | "bash" | "zsh" | "dash" | "ksh")
            && let Some(at) = words.iter().position(|w| w.starts_with('-') && !w.starts_with("--") && w.ends_with('c'))
        {
            if let Some(script) = words.get(at + 1).filter(|_| depth < 4) {
                let (folder, first) = (self.folder.clone(), self.found.len());
                self.script(script, depth + 1);
                self.folder = folder;
                for inner in &mut self.found[first..] {
                    inner.is_sent_away |= is_sent_away;
                }
            }
            return;
        }
        if matches!(program.as_str(), "cd" | "pushd")
            && let Some(to) = words.iter().find(|w| !w.starts_with('-'))
        {
            self.folder = if to.starts_with('/') || self.folder.is_empty() { to.clone() } else { format!("{}/{to}", self.folder) };
        }
        self.found.push(Command { program, words, folder: self.folder.clone(), is_sent_away, is_piped });
    }

    /// A word with the values of the loop variable it names.
    fn expanded(&self, word: String) -> Vec<String> {
        if let Some(words) = braced(&word) {
            return words.into_iter().flat_map(|w| self.expanded(w)).take(VALUES).collect();
        }
        let named = self.values.iter().find_map(|(name, values)| {
            [format!("${{{name}}}"), format!("${name}")].into_iter().find(|spelt| word.contains(spelt)).map(|spelt| (spelt, values))
        });
        match named {
            Some((spelt, values)) => values.iter().take(VALUES).map(|v| word.replace(&spelt, v)).collect(),
            None => vec![word],
        }
    }
}

/// The words that `src/{a,b}.rs` stands for; none for a word without such a list.
fn braced(word: &str) -> Option<Vec<String>> {
    let open = word.find('{').filter(|at| !word[..*at].ends_with('$'))?;
    let close = open + word[open..].find('}')?;
    let inner = &word[open + 1..close];
    let list = inner.contains(',') && !inner.contains(['{', ' ']);
    list.then(|| inner.split(',').map(|part| format!("{}{part}{}", &word[..open], &word[close + 1..])).collect())
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
}

fn tokens(text: &str) -> Vec<Token> {
    let bytes: Vec<char> = text.chars().collect();
    let mut found: Vec<Token> = Vec::new();
    let mut word: Option<String> = None;
    let mut awaited: Vec<String> = Vec::new();
    let mut at = 0;
    let next = |at: usize| bytes.get(at + 1).copied();
    while at < bytes.len() {
        let c = bytes[at];
        match c {
            '\'' => {
                let end = (at + 1..bytes.len()).find(|i| bytes[*i] == '\'').unwrap_or(bytes.len());
                word.get_or_insert_default().extend(&bytes[at + 1..end]);
                at = end;
            }
            '"' => {
                let held = word.get_or_insert_default();
                at += 1;
                while at < bytes.len() && bytes[at] != '"' {
                    if bytes[at] == '\\' && next(at).is_some_and(|n| matches!(n, '"' | '\\' | '$' | '`' | '\n')) {
                        at += 1;
                    }
                    if bytes[at] == '$' && next(at) == Some('(') {
                        at = closed(&bytes, at + 1);
                    } else {
                        held.push(bytes[at]);
                    }
                    at += 1;
                }
            }
            '\\' => {
                if let Some(escaped) = next(at).filter(|n| *n != '\n') {
                    word.get_or_insert_default().push(escaped);
                }
                at += 1;
            }
            '$' if next(at) == Some('(') => {
                word.get_or_insert_default();
                at = closed(&bytes, at + 1);
            }
            '`' => {
                word.get_or_insert_default();
                at = (at + 1..bytes.len()).find(|i| bytes[*i] == '`').unwrap_or(bytes.len());
            }
            '#' if word.is_none() => {
                at = (at..bytes.len()).find(|i| bytes[*i] == '\n').unwrap_or(bytes.len());
                continue;
            }
            '<' if next(at) == Some('<') => {
                found.extend(word.take().map(Token::Word));
                at += 2;
                if bytes.get(at) == Some(&'<') {
                    // A here-string is no file.
                    found.push(Token::Aside);
                } else {
                    while bytes.get(at).is_some_and(|c| matches!(c, '-' | ' ' | '\t')) {
                        at += 1;
                    }
                    let end = (at..bytes.len()).find(|i| bytes[*i].is_whitespace() || ";|&<>()".contains(bytes[*i])).unwrap_or(bytes.len());
                    awaited.push(bytes[at..end].iter().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect());
                    at = end;
                    continue;
                }
            }
            '<' => {
                found.extend(word.take().map(Token::Word));
                found.push(Token::In);
            }
            '>' | '&' if c == '>' || next(at) == Some('>') => {
                // The number in front of it says which stream.
                let stream = word.take_if(|w| !w.is_empty() && w.chars().all(|c| c.is_ascii_digit()));
                found.extend(word.take().map(Token::Word));
                while next(at).is_some_and(|n| matches!(n, '>' | '|' | '&')) {
                    at += 1;
                }
                let to_stream = bytes[at] == '&' && next(at).is_some_and(|c| c.is_ascii_digit() || c == '-');
                let hides = stream.as_deref().is_none_or(|s| s == "1") && !to_stream;
                found.push(if hides { Token::Out } else { Token::Aside });
            }
            ';' | '\n' | '(' | ')' | '&' | '|' => {
                found.extend(word.take().map(Token::Word));
                let doubled = matches!(c, '&' | '|') && next(at) == Some(c);
                found.push(if c == '|' && !doubled { Token::Pipe } else { Token::End });
                at += usize::from(doubled || (c == '|' && next(at) == Some('&')));
                if c == '\n' && !awaited.is_empty() {
                    at = behind_documents(&bytes, at + 1, &mut awaited);
                    continue;
                }
            }
            ' ' | '\t' | '\r' => found.extend(word.take().map(Token::Word)),
            _ => word.get_or_insert_default().push(c),
        }
        at += 1;
    }
    found.extend(word.map(Token::Word));
    found
}

/// Where the bracket that opens at `at` is closed again.
fn closed(text: &[char], at: usize) -> usize {
    let mut depth = 0_usize;
    for (n, c) in text.iter().enumerate().skip(at) {
        match c {
            '(' => depth += 1,
            ')' if depth <= 1 => return n,
            ')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The first character behind the here-documents that are awaited.
fn behind_documents(text: &[char], mut at: usize, awaited: &mut Vec<String>) -> usize {
    for end in awaited.drain(..) {
        while at < text.len() {
            let stop = (at..text.len()).find(|i| text[*i] == '\n').unwrap_or(text.len());
            let line: String = text[at..stop].iter().collect();
            at = (stop + 1).min(text.len());
            if line.trim_start_matches('\t') == end {
                break;
            }
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each command as `[folder/]program word…`, `>` behind it when its output goes elsewhere, `|` in front of a piped one.
    fn spelt(line: &str) -> Vec<String> {
        let one = |c: &Command| {
            let words: Vec<&str> = std::iter::once(c.program.as_str()).chain(c.words.iter().map(String::as_str)).collect();
            let (pipe, away) = (if c.is_piped { "|" } else { "" }, if c.is_sent_away { ">" } else { "" });
            let folder = if c.folder.is_empty() || c.program == "cd" { String::new() } else { format!("[{}]", c.folder) };
            format!("{pipe}{folder}{}{away}", words.join(" "))
        };
        commands(line).iter().map(one).collect()
    }

    #[test]
    fn operators_count_outside_quotes_only() {
        assert_eq!(spelt("sed -n '1,5p;7p' a && cat \"b|c\" | head"), ["sed -n 1,5p;7p a", "cat b|c", "|head"]);
        assert_eq!(spelt("cat a#b # cat c\ncat d"), ["cat a#b", "cat d"]);
        assert_eq!(spelt("cat a\\ b \"c \\\" d\""), ["cat a b c \" d"]);
        assert_eq!(spelt("echo $(cat a; cat b) `cat c` \"$(cat d)\" x"), ["echo    x"]);
        assert_eq!(spelt("(cat a; cat b)"), ["cat a", "cat b"]);
    }

    #[test]
    fn wrapping_shells_prefixes_loops_and_folders_are_read_through() {
        assert_eq!(spelt("bash -lc \"cd src && cat 'a b'\"; cat c"), ["cd src", "[src]cat a b", "cat c"]);
        assert_eq!(spelt("LC_ALL=C timeout 5 /usr/bin/cat a"), ["cat a"]);
        assert_eq!(spelt("for f in a b; do cat \"$f\" ${f}.x; done"), ["cat a b a.x b.x"]);
        assert_eq!(spelt("cd a; cd b; cat c"), ["cd a", "cd b", "[a/b]cat c"]);
        assert_eq!(spelt("if test -f a; then cat a; fi"), ["test -f a", "cat a"]);
    }

    #[test]
    fn lists_in_braces_are_the_words_they_stand_for() {
        assert_eq!(spelt("cat src/{a,b}.rs ${f} {} x{1}"), ["cat src/a.rs src/b.rs ${f} {} x{1}"]);
        assert_eq!(spelt("pushd src; cat a"), ["[src]pushd src", "[src]cat a"]);
    }

    #[test]
    fn what_is_sent_to_a_file_is_told_from_what_is_shown() {
        for away in ["cat a > x", "cat a>x", "cat a >>x", "cat a &> x", "cat a 1>x", "cat a >| x", "cat a >& x", "bash -c 'cat a' > x"] {
            assert!(commands(away)[0].is_sent_away, "{away}");
        }
        for shown in ["cat a 2>/dev/null", "cat a 2>&1", "cat a >&2", "cat < a", "cat '>' a"] {
            assert!(!commands(shown)[0].is_sent_away, "{shown}");
        }
        assert_eq!(spelt("cat <<'EOF' > x\ncat b\nEOF\ncat c"), ["cat>", "cat c"]);
        assert_eq!(spelt("cat < a"), ["cat a"]);
    }
}
