//! Citations: `path:line` in every common spelling, found in one line of text.
//!
//! Reads back-ticked and bare paths, `path:12`, `path:12:5`, `path:12-20`, `path:L3`, `path#L1-L2`, `path(12,5)`,
//! `path (line 10)`, `path, line 10`, `lines 4-9 of path`, several ranges behind one path, Markdown links, GitHub blob
//! URLs, absolute and Windows paths, and paths glued to Korean particles or full-width punctuation. Clock times, ports,
//! URLs and module paths are none. Source: rounds spec §1.5 and §4 items 16 to 18; cases/reports/README.md §4.
//! Bound: linear in the line but for a look of at most 24 bytes behind and ahead of a path.

use super::super::Location;

/// Line ranges: the first line, and the last one of a range of more than one.
pub type Ranges = Vec<(u64, Option<u64>)>;

/// A citation and where it stands in the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cite {
    /// The place.
    pub place: Location,
    /// Further ranges of the same path.
    pub more: Ranges,
    /// Its bytes in the line, marks included.
    pub span: std::ops::Range<usize>,
}

impl Cite {
    /// The place and its further ranges.
    pub fn places(self) -> impl Iterator<Item = Location> {
        let path = self.place.path.clone();
        let more = self.more.into_iter().map(move |(line, end_line)| Location { path: path.clone(), line: Some(line), end_line });
        std::iter::once(self.place).chain(more)
    }
}

/// Every citation of a text of several lines; spans count from the start of their line.
pub fn scan_text(text: &str) -> Vec<Cite> {
    text.lines().flat_map(scan).collect()
}

/// A line or a range of lines on its own: `22`, `41–44`, `L3-L9`, `lines 4 to 9`.
pub fn line_range(text: &str) -> Option<(u64, Option<u64>)> {
    let bare = text.trim_matches(['`', '*', '_', ' ', '(', ')']);
    let bare = ["lines ", "line ", "Lines ", "Line ", "L", "l"].iter().find_map(|p| bare.strip_prefix(p)).unwrap_or(bare);
    let (first, last, used) = number_range(bare)?;
    let rest = bare[used..].trim_start();
    (first > 0 && (rest.is_empty() || rest.starts_with([',', ')', ';', '(']))).then_some((first, last))
}

/// The file that a text names and nothing else: `` `src/a.rs` ``, `**File: src/a.rs**`, `Findings in src/a.rs`.
pub fn alone(text: &str) -> Option<Location> {
    const NAMES: &[&str] = &["file:", "file", "in", "findings in", "issues in", "파일:", "文件：", "文件:", "ファイル:", "ファイル："];
    let bare = text.trim_matches(['*', '_', ' ', '#', ':', '：', '\t']);
    // A path is short, and holds a separator or an extension.
    if bare.len() > 300 || !bare.contains(['.', '/']) || bare.contains(['[', '(', '|']) || bare.split(' ').count() > 4 {
        return None;
    }
    let cite = scan(bare).into_iter().next().filter(|c| c.span.end == bare.len() && c.more.is_empty())?;
    let before = super::label::fold(bare[..cite.span.start].trim_matches(['*', '_', ' ']));
    (before.is_empty() || NAMES.contains(&before.as_str())).then_some(cite.place)
}

/// The lines that a text names without a file: `Line 4`, `L4-L6`, `lines 4 to 9`, `4: x`, `4行目`.
pub fn lines_of(text: &str) -> Option<(u64, Option<u64>)> {
    let text = text.trim_start_matches(['*', '_', '`', ' ']);
    let counted = counted_line(text).map(|(first, last, _)| (first, last));
    let opening = || number_range(text).filter(|(.., used)| text[*used..].starts_with(": ")).map(|(first, last, _)| (first, last));
    if let Some(lines) = counted.or_else(opening).filter(|(first, _)| *first > 0) {
        return Some(lines);
    }
    let folded = super::label::fold(text);
    let starts = |word: &str| {
        folded.match_indices(word).find_map(|(at, _)| {
            let apart = !folded[..at].ends_with(|c: char| c.is_alphanumeric());
            let (first, last, _) = number_range(folded[at + word.len()..].trim_start()).filter(|_| apart)?;
            Some((first, last))
        })
    };
    ["lines ", "line ", "l"].iter().find_map(|word| starts(word)).filter(|(first, _)| *first > 0)
}

/// The longest text that is read as one citation, in bytes.
const REACH: usize = 4096;

/// Extensions that make a bare word without a separator a file.
const SOURCES: &[&str] = &[
    "rs", "js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx", "py", "pyi", "go", "java", "kt", "kts", "rb", "php", "c", "h", "cc", "cpp",
    "cxx", "hpp", "hh", "m", "mm", "cs", "fs", "swift", "scala", "sh", "bash", "zsh", "fish", "ps1", "bat", "pl", "pm", "lua", "r", "jl",
    "ex", "exs", "erl", "hs", "ml", "mli", "clj", "cljs", "dart", "zig", "nim", "v", "vue", "svelte", "astro", "html", "htm", "css",
    "scss", "sass", "less", "json", "jsonc", "json5", "jsonl", "yaml", "yml", "toml", "ini", "cfg", "conf", "xml", "md", "mdx", "rst",
    "txt", "adoc", "sql", "graphql", "gql", "proto", "tf", "hcl", "gradle", "cmake", "mk", "lock", "env", "csv", "tsv", "snap", "ipynb",
    "sol", "wgsl", "glsl", "asm", "s", "nix", "el", "vim", "tex", "svg", "diff", "patch", "log", "tcl", "d",
];

/// Endings of host names: `localhost.dev:8080` is a port, not a line.
const HOSTS: &[&str] =
    &["com", "org", "net", "dev", "io", "local", "localhost", "app", "internal", "example", "invalid", "test", "lan", "corp"];

/// Files without an extension that a bare word with a line names.
const NAMED: &[&str] = &[
    "Makefile",
    "GNUmakefile",
    "Dockerfile",
    "Containerfile",
    "Justfile",
    "justfile",
    "Rakefile",
    "Gemfile",
    "Procfile",
    "Jenkinsfile",
    "Vagrantfile",
];

/// Products named like files.
const PRODUCTS: &[&str] =
    &["node.js", "next.js", "vue.js", "nuxt.js", "express.js", "three.js", "d3.js", "react.js", "asp.net", "socket.io"];

/// Every citation of `line`, in order.
pub fn scan(line: &str) -> Vec<Cite> {
    let mut found: Vec<Cite> = Vec::new();
    scan_into(line, 0, &mut found, 0);
    found
}

fn scan_into(line: &str, base: usize, found: &mut Vec<Cite>, depth: u8) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'`' => at = ticked(line, at, base, found, depth),
            b'[' => at = link(line, at, base, found),
            b if is_gap(b) => at += 1,
            _ => at = bare(line, at, base, found),
        }
    }
}

/// Whether a short needle stands in a short text; a searcher would cost more to set up than it saves.
fn holds(text: &str, needle: &str) -> bool {
    text.as_bytes().windows(needle.len()).any(|w| w == needle.as_bytes())
}

fn is_gap(b: u8) -> bool {
    b.is_ascii_whitespace() || matches!(b, b'(' | b')' | b']' | b'{' | b'}' | b'"' | b'\'' | b'<' | b'>' | b',' | b';' | b'|' | b'*' | b'=')
}

/// A code span: one citation as a whole, else its words like bare text.
fn ticked(line: &str, at: usize, base: usize, found: &mut Vec<Cite>, depth: u8) -> usize {
    let run = line[at..].bytes().take_while(|b| *b == b'`').count();
    let open = at + run;
    let Some(close) = find_run(&line[open..], run).map(|c| open + c) else {
        return open;
    };
    let content = &line[open..close];
    let end = close + run;
    if let Some((place, more)) = whole(content) {
        let (place, end) = with_line_words(line, place, end);
        push(found, Cite { place, more, span: base + at..base + end }, line, base, at);
        return end;
    }
    // A span that is prose (mis-paired ticks) is read like the text around it.
    if depth == 0 && content.contains(':') {
        scan_into(content, base + open, found, 1);
    }
    end
}

/// The next `mark` from `at` on, within the length a citation can have: what is never closed is not searched for again
/// and again to the end of the line.
fn near(line: &str, at: usize, mark: u8) -> Option<usize> {
    let window = line.as_bytes().get(at..(at + REACH).min(line.len()))?;
    memchr::memchr(mark, window).map(|p| at + p)
}

fn find_run(text: &str, run: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let bytes = &bytes[..bytes.len().min(REACH)];
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'`' {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|b| **b == b'`').count();
        if length == run {
            return Some(at);
        }
        at += length;
    }
    None
}

/// `[text](target)`: the text when it is a path of the repository, else the target.
fn link(line: &str, at: usize, base: usize, found: &mut Vec<Cite>) -> usize {
    let Some(close) = near(line, at, b']') else { return at + 1 };
    let text = line[at + 1..close].trim_matches('`');
    let opened = line[close + 1..].starts_with('(');
    let Some(end_of_target) = near(line, close + 1, b')').filter(|_| opened) else { return at + 1 };
    let target = &line[close + 2..end_of_target];
    let end = close + 1 + 1 + target.len() + 1;
    let decoded = percent_decoded(target.split_ascii_whitespace().next().unwrap_or_default());
    let of_text = whole(text);
    let of_target = whole(&decoded).or_else(|| blob_url(&decoded).map(|p| (p, Vec::new())));
    let chosen = match (of_text, of_target) {
        (Some((text, more)), Some((target, _))) => {
            let keep_text = text.path.contains('/') || holds(&decoded, "://");
            let line = text.line.or(target.line);
            let end_line = if text.line.is_some() { text.end_line } else { target.end_line };
            Some((Location { path: if keep_text { text.path } else { target.path }, line, end_line }, more))
        }
        (one, other) => one.or(other),
    };
    if let Some((place, more)) = chosen {
        let (place, end) = with_line_words(line, place, end);
        push(found, Cite { place, more, span: base + at..base + end }, line, base, at);
    }
    end
}

/// Decodes `%20` and its like.
pub fn percent_decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        let mut rest = bytes.clone();
        let pair = (b == b'%').then(|| (rest.next(), rest.next()));
        if let Some((Some(hi), Some(lo))) = pair
            && let (Some(hi), Some(lo)) = ((hi as char).to_digit(16), (lo as char).to_digit(16))
            && let Ok(byte) = u8::try_from(hi * 16 + lo)
        {
            out.push(byte);
            bytes = rest;
            continue;
        }
        out.push(b);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A GitHub blob URL names the path after the revision.
fn blob_url(url: &str) -> Option<Location> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let (_, after) = rest.split_once("/blob/")?;
    let (_, path) = after.split_once('/')?;
    let (path, anchor) = path.split_once('#').unwrap_or((path, ""));
    let (line, end_line) = anchor_lines(anchor).unwrap_or((None, None));
    Some(Location { path: percent_decoded(path.split('?').next()?), line, end_line })
}

/// A bare word: up to a blank or a mark that no path holds.
fn bare(line: &str, at: usize, base: usize, found: &mut Vec<Cite>) -> usize {
    let rest = &line[at..];
    let stop = word_end(rest);
    let word = &rest[..stop];
    let end = at + stop;
    if word.is_empty() {
        return at + rest.chars().next().map_or(1, char::len_utf8);
    }
    if holds(word, "://") {
        if let Some(place) = blob_url(word.trim_end_matches(['.', ',', ':'])) {
            found.push(Cite { place, more: Vec::new(), span: base + at..base + end });
        }
        return end;
    }
    let Some((place, used)) = bare_word(word) else {
        return end;
    };
    let mut cite_end = at + used;
    let mut place = place;
    if place.line.is_none() {
        (place, cite_end) = compiler_brackets(line, place, cite_end);
    }
    (place, cite_end) = with_line_words(line, place, cite_end);
    push(found, Cite { place, more: Vec::new(), span: base + at..base + cite_end }, line, base, at);
    end.max(cite_end)
}

/// Where a bare word ends; a segment in brackets (`src/[id]/page.tsx`, `app/(group)/page.tsx`) belongs to it.
fn word_end(text: &str) -> usize {
    let mut inside = 0;
    for (at, c) in text.char_indices() {
        if at < inside {
            continue;
        }
        let closing = [('[', b']'), ('(', b')'), ('{', b'}')].into_iter().find(|(open, _)| *open == c).map(|(_, close)| close);
        if let Some(closing) = closing.filter(|_| text[..at].ends_with('/')) {
            let close = text[at..].bytes().take(64).position(|b| b == closing).map(|p| at + p);
            if let Some(close) = close.filter(|p| text[p + 1..].starts_with(['/', '.'])) {
                inside = close + 1;
                continue;
            }
        }
        if ends_word(c) {
            return at;
        }
    }
    text.len()
}

fn ends_word(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || (c.is_ascii() && c != '*' && c != '=' && is_gap(c as u8))
        || matches!(
            c,
            '`' | '['
                | '“'
                | '”'
                | '‘'
                | '’'
                | '，'
                | '、'
                | '。'
                | '（'
                | '）'
                | '「'
                | '」'
                | '；'
                | '：'
                | '—'
                | '【'
                | '】'
                | '［'
                | '］'
                | '『'
                | '』'
        )
}

/// A bare word as a citation, and how many of its bytes belong to it.
fn bare_word(word: &str) -> Option<(Location, usize)> {
    let lead = word.len() - word.trim_start_matches(['*', '_', '~', '=']).len();
    let body = word[lead..].trim_end_matches(['*', '_', '~']);
    let (path, numbers) = split_path(body)?;
    let has_line = numbers.line.is_some();
    if holds(path, "::") || !plausible_bare(path, has_line) {
        return None;
    }
    let place = Location { path: path.to_owned(), line: numbers.line, end_line: numbers.end_line };
    Some((place, lead + numbers.used))
}

fn plausible_bare(path: &str, has_line: bool) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let separated = name.len() < path.len();
    let extension = name.rsplit_once('.').filter(|(stem, ext)| !ext.is_empty() && (!stem.is_empty() || separated));
    let extension = extension
        .map(|(_, e)| e)
        .filter(|e| e.starts_with(|c: char| c.is_ascii_alphabetic()) && e.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
    let named = path.bytes().any(|b| b.is_ascii_alphabetic()) || !path.is_ascii();
    if !named || (path.starts_with('@') && !has_line) || holds(path, "//") {
        return false;
    }
    let known = extension.is_some_and(|e| SOURCES.contains(&e.to_ascii_lowercase().as_str()));
    if separated {
        return has_line || extension.is_some();
    }
    if PRODUCTS.iter().any(|p| p.eq_ignore_ascii_case(path)) {
        return false;
    }
    known
        || (has_line && NAMED.contains(&path))
        || (has_line && extension.is_some_and(|e| !HOSTS.contains(&e.to_ascii_lowercase().as_str())))
}

struct Numbers {
    line: Option<u64>,
    end_line: Option<u64>,
    used: usize,
}

/// Splits `path:12`, `path:12:5`, `path:12-20`, `path:L3-L4`, `path#L3-L4`, `path:12에서`; the path alone otherwise.
fn split_path(body: &str) -> Option<(&str, Numbers)> {
    let drive = usize::from(crate::base::path::is_absolute(body) && body.as_bytes().get(1) == Some(&b':')) * 2;
    if let Some(hash) = body.find('#') {
        let (line, end_line) = anchor_lines(&body[hash + 1..]).unwrap_or((None, None));
        let path = &body[..hash];
        return (!path.is_empty()).then_some((path, Numbers { line, end_line, used: body.len() }));
    }
    let mut from = drive;
    while let Some(colon) = body[from..].find(':').map(|c| from + c) {
        let after = body[colon + 1..].strip_prefix(['L', 'l']).unwrap_or(&body[colon + 1..]);
        if let Some((line, end_line, length)) = number_range(after)
            && colon > 0
            && line > 0
        {
            let skipped = body.len() - colon - 1 - after.len();
            let used = colon + 1 + skipped + length;
            let used = used + column(&body[used..]);
            let (end_line, used) = match far_end(&body[used..]).filter(|(end, _)| end_line.is_none() && *end >= line) {
                Some((end, length)) => (Some(end), used + length),
                None => (end_line, used),
            };
            let path = &body[..colon];
            // `a.rs::4`: a colon too many behind a file.
            let single = path.strip_suffix(':').filter(|p| p.contains('.') && !p.ends_with(':')).unwrap_or(path);
            return Some((single, Numbers { line: Some(line), end_line, used }));
        }
        from = colon + 1;
    }
    let path = body.trim_end_matches(['.', ':', '!', '?', '*', '_', '~']);
    let path = if path.len() > drive { path.split_once(':').filter(|_| drive == 0).map_or(path, |(p, _)| p) } else { path };
    (!path.is_empty()).then_some((path, Numbers { line: None, end_line: None, used: path.len() }))
}

/// `:5` behind a line is a column.
fn column(rest: &str) -> usize {
    let Some(after) = rest.strip_prefix(':') else {
        return 0;
    };
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 { 0 } else { 1 + digits }
}

/// `-14:9` behind a line and a column: the line that the range ends on, and the bytes used.
fn far_end(rest: &str) -> Option<(u64, usize)> {
    let after = rest.strip_prefix('-')?;
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let end = crate::base::number::digits(after.get(..digits)?)?;
    let column = column(&after[digits..]);
    (column > 0).then_some((end, 1 + digits + column))
}

/// `C5` behind a line is a column: its bytes.
fn letter_column(rest: &str) -> usize {
    let digits = rest.strip_prefix('C').map_or(0, |r| r.bytes().take_while(u8::is_ascii_digit).count());
    if digits == 0 { 0 } else { 1 + digits }
}

/// `12`, `12-20`, `12–20`, `L12-L20`, `L12C5-L20C2`: the first number, the last of a longer range, and the bytes used.
fn number_range(text: &str) -> Option<(u64, Option<u64>, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let line = crate::base::number::digits(text.get(..digits)?)?;
    let digits = digits + letter_column(&text[digits..]);
    if text[digits..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return None;
    }
    for dash in ["-", "–", "—", "~", "..", " - ", " – ", " to "] {
        let Some(rest) = text[digits..].strip_prefix(dash) else {
            continue;
        };
        let rest_body = rest.strip_prefix(['L', 'l']).unwrap_or(rest);
        let more = rest_body.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(end) = crate::base::number::digits(&rest_body[..more]) {
            let more = more + letter_column(&rest_body[more..]);
            let used = text.len() - rest_body.len() + more;
            return Some((line, (end >= line).then_some(end), used));
        }
    }
    Some((line, None, digits))
}

fn anchor_lines(anchor: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (line, end, _) = number_range(anchor.strip_prefix(['L', 'l'])?)?;
    Some((Some(line), end))
}

/// A whole text as one citation: a code span, a link text or target.
fn whole(content: &str) -> Option<(Location, Ranges)> {
    let content = content.trim();
    if content.is_empty() || content.len() > REACH || holds(content, "://") {
        return None;
    }
    let (path, numbers) = split_path(content)?;
    if holds(path, "::") || has_inner_line(path) || path.contains(['\0', '<', '>', '|', '"']) || path.trim() != path {
        return None;
    }
    let mut more = Vec::new();
    let mut rest = &content[numbers.used.min(content.len())..];
    while let Some(after) = rest.trim_start().strip_prefix([',', '，']) {
        let (line, end, used) = number_range(after.trim_start())?;
        more.push((line, end));
        rest = &after.trim_start()[used..];
    }
    let place = Location { path: path.to_owned(), line: numbers.line, end_line: numbers.end_line };
    if numbers.line.is_some() {
        let word = path.bytes().any(|b| b.is_ascii_alphabetic()) || !path.is_ascii();
        return (rest.trim().is_empty() && word && !is_host(path)).then_some((place, more));
    }
    let plain = !path.contains([' ', '(', ')', '{', '}', '=', ',', ';', '*', '$']);
    (plain && (numbers.used == content.len() || content.contains('#')) && plausible_bare(path, false)).then_some((place, more))
}

fn is_host(path: &str) -> bool {
    let tail = path.rsplit('.').next().unwrap_or(path);
    !path.contains(['/', '\\']) && (HOSTS.contains(&tail) || PRODUCTS.iter().any(|p| p.eq_ignore_ascii_case(path)))
}

/// `x.rs:1 and y.rs` is no path: a line number inside means that several were written into one span.
fn has_inner_line(path: &str) -> bool {
    path.as_bytes().windows(2).any(|w| w[0] == b':' && w[1].is_ascii_digit())
}

/// `path(12,5)`, as compilers on Windows print it.
fn compiler_brackets(line: &str, place: Location, end: usize) -> (Location, usize) {
    let opened = line[end..].starts_with('(');
    let inner = near(line, end, b')').filter(|_| opened).map(|close| &line[end + 1..close]);
    let Some(inner) = inner.filter(|i| i.len() <= 24 && i.bytes().all(|b| b.is_ascii_digit() || b == b',')) else {
        return (place, end);
    };
    let number = crate::base::number::digits(inner.split(',').next().unwrap_or_default());
    let used = end + inner.len() + 2;
    (Location { line: number.filter(|n| *n > 0), ..place }, if number.is_some() { used } else { end })
}

/// `path (line 10)`, `path, line 10`, `path line 10`, `path:` followed by nothing: a line named in words behind a path.
fn with_line_words(line: &str, place: Location, end: usize) -> (Location, usize) {
    if place.line.is_some() {
        return (place, end);
    }
    let rest = &line[end..];
    let lead = rest.len() - rest.trim_start_matches([' ', ',', '(', ':', '`', '（', '、', 'の']).len();
    if lead > 4 {
        return (place, end);
    }
    let tail = &rest[lead..];
    if rest.starts_with(':')
        && let Some((number, end_line, used)) = number_range(&rest[1..])
        && number > 0
    {
        return (Location { line: Some(number), end_line, ..place }, end + 1 + used);
    }
    let tail = ["at ", "on ", "around ", "near ", "@ ", "@", "~"].iter().find_map(|w| tail.strip_prefix(w)).unwrap_or(tail);
    let lead = rest.len() - tail.len();
    for word in ["lines ", "line ", "Lines ", "Line ", "L"] {
        if let Some((number, end_line, used)) = tail.strip_prefix(word).and_then(number_range) {
            let closed = usize::from(rest[..lead].contains('(') && tail[word.len() + used..].starts_with(')'));
            let line = (number > 0).then_some(number);
            return (Location { line, end_line, ..place }, end + lead + word.len() + used + closed);
        }
    }
    // `a.rs:~4`, `a.rs @4`
    let about = rest[..lead].ends_with(['~', '@']);
    if let Some((number, end_line, used)) = number_range(tail).filter(|(n, ..)| about && *n > 0) {
        return (Location { line: Some(number), end_line, ..place }, end + lead + used);
    }
    if let Some((number, end_line, used)) = counted_line(tail) {
        return (Location { line: Some(number), end_line, ..place }, end + lead + used);
    }
    (place, end)
}

/// `12行目`, `第 30 行`, `12번째 줄`, `4〜6行目`: a line or a range in words of other languages, and the bytes used.
fn counted_line(tail: &str) -> Option<(u64, Option<u64>, usize)> {
    let bare = tail.strip_prefix('第').unwrap_or(tail).trim_start_matches(' ');
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let number = crate::base::number::digits(bare.get(..digits)?).filter(|n| *n > 0)?;
    let rest = bare[digits..].trim_start_matches(' ');
    let further = rest.strip_prefix(['〜', '～', '~', '-', '–']).and_then(|more| {
        let digits = more.bytes().take_while(u8::is_ascii_digit).count();
        Some((crate::base::number::digits(more.get(..digits)?).filter(|n| *n >= number)?, &more[digits..]))
    });
    let (end_line, rest) = further.map_or((None, rest), |(end, rest)| (Some(end), rest.trim_start_matches(' ')));
    let behind = ["行目", "行", "번째 줄", "번 줄", "줄", "행", "라인"].iter().find_map(|w| rest.strip_prefix(w))?;
    Some((number, end_line, tail.len() - behind.len()))
}

/// `lines 4-9 of path`: a line named in words before a path.
fn push(found: &mut Vec<Cite>, mut cite: Cite, line: &str, base: usize, at: usize) {
    if cite.place.line.is_none() {
        let before = line[..at].trim_end_matches(['`', '[', '*']);
        let before = ["of ", "in ", "from "].iter().find_map(|w| before.strip_suffix(w));
        if let Some(before) = before {
            let window = before.len().saturating_sub(24);
            let window = (window..=before.len()).find(|i| before.is_char_boundary(*i)).unwrap_or(before.len());
            let lower = before[window..].to_ascii_lowercase();
            if let Some(word) = lower.rfind("line") {
                let numbers = lower[word + 4..].trim_start_matches('s').trim_start();
                if let Some((number, end_line, used)) = number_range(numbers)
                    && numbers[used..].trim().is_empty()
                {
                    cite.place.line = (number > 0).then_some(number);
                    cite.place.end_line = end_line;
                    cite.span.start = base + window + word;
                }
            }
        }
    }
    found.push(cite);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<(String, Option<u64>, Option<u64>)> {
        scan(line).into_iter().map(|c| (c.place.path, c.place.line, c.place.end_line)).collect()
    }

    fn one(line: &str) -> (String, Option<u64>, Option<u64>) {
        let all = read(line);
        assert_eq!(all.len(), 1, "{line:?} gave {all:?}");
        all[0].clone()
    }

    #[test]
    fn common_spellings_of_a_citation_are_read() {
        for (line, path, number, end) in [
            ("`src/a.js:14:5`", "src/a.js", Some(14), None),
            ("app/(group)/n.tsx:3", "app/(group)/n.tsx", Some(3), None),
            ("src/{a}/c.c:3", "src/{a}/c.c", Some(3), None),
            ("Makefile:3", "Makefile", Some(3), None),
            ("`src/g.c:12:5-14:9`", "src/g.c", Some(12), Some(14)),
            ("src/g.c:L12C5", "src/g.c", Some(12), None),
            ("src/g.c#L12C5-L14C2", "src/g.c", Some(12), Some(14)),
            ("`src/a.py` 12行目: 漏洩", "src/a.py", Some(12), None),
            ("`src/b.js` 第 30 行", "src/b.js", Some(30), None),
            ("src/b.js 12번째 줄", "src/b.js", Some(12), None),
            ("/repo/src/a.js:14 leaks", "/repo/src/a.js", Some(14), None),
            ("C:\\repo\\a.js:14", "C:\\repo\\a.js", Some(14), None),
            ("src/a.js:14: message", "src/a.js", Some(14), None),
            ("see src/a.js:14; then", "src/a.js", Some(14), None),
            ("**src/a.js:14**", "src/a.js", Some(14), None),
            ("[src/a.js:14]", "src/a.js", Some(14), None),
            ("\"src/a.js:14\"", "src/a.js", Some(14), None),
            ("src/a.js:14-20", "src/a.js", Some(14), Some(20)),
            ("src/a.js:30에서 실패", "src/a.js", Some(30), None),
            ("在 src/a.js:3，然后", "src/a.js", Some(3), None),
            ("src/[id]/page.tsx:10 — x", "src/[id]/page.tsx", Some(10), None),
            ("@scope/pkg/a.ts:3 — x", "@scope/pkg/a.ts", Some(3), None),
            ("a.rs at line 12 fails", "a.rs", Some(12), None),
            ("_src/a.rs:3_", "src/a.rs", Some(3), None),
            ("`src/dial.rs`:130 — backoff", "src/dial.rs", Some(130), None),
            ("`a.js` (line 10)", "a.js", Some(10), None),
            ("src/fare.rs#L12-L20 is slow", "src/fare.rs", Some(12), Some(20)),
            ("`src/fare.rs:L30-L35`", "src/fare.rs", Some(30), Some(35)),
            ("[fare.rs:40](src/fare.rs#L40)", "src/fare.rs", Some(40), None),
            ("https://github.com/e/k/blob/9f1c2d3/src/web/panel.tsx#L7", "src/web/panel.tsx", Some(7), None),
            ("src/fare.rs, line 52 — Wording", "src/fare.rs", Some(52), None),
            ("lines 4–9 of docs/fare.md are stale", "docs/fare.md", Some(4), Some(9)),
            ("src/fare.rs#helper", "src/fare.rs", None, None),
            ("Program.cs(12,5): error", "Program.cs", Some(12), None),
            ("`src/tariff/zone list.ts:31, 44-50`", "src/tariff/zone list.ts", Some(31), None),
            ("Evidence: `plans/run.sh`.", "plans/run.sh", None, None),
        ] {
            assert_eq!(one(line), (path.to_owned(), number, end), "{line:?}");
        }
    }

    #[test]
    fn things_that_look_like_citations_are_not() {
        for line in [
            "at 3:30",
            "localhost:8080",
            "localhost.dev:8080",
            "node.js:20",
            "std::fs:2",
            "https://x.io:80/a.html",
            "ratio 1:2",
            "e.g. and/or",
            "`empty_cart`",
            "`foo.bar()`",
            "v1.2.3",
        ] {
            assert!(read(line).is_empty(), "{line:?} gave {:?}", read(line));
        }
    }

    #[test]
    fn spans_with_several_or_unpaired_ticks_lose_nothing() {
        assert_eq!(read("`x.rs:1 and y.rs:2`").len(), 2);
        assert_eq!(read("`d.rs:1 and `e.rs:2`").iter().map(|r| r.0.as_str()).collect::<Vec<_>>(), ["d.rs", "e.rs"]);
        assert_eq!(scan("`a.rs:1, 5-6`")[0].more, [(5, Some(6))]);
    }
}
