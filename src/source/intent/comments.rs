//! Design comments beside changed places: the "why this is intentional" ones, as line ranges without their text.
//!
//! Takes a changed file with its patch. A string that looks like a comment is an accepted false hit: a pointer costs one look. Source:
//! resolution spec §5. Bound: linear in the lines of the file, and in the ranges of the patch.

use super::{Comment, Touched};
use crate::base::case;

/// How far from a changed line a comment counts as beside it.
const NEAR: u64 = 5;

/// How comments are written: what starts one to the end of the line, and what opens and closes a block.
struct Syntax {
    line: &'static [&'static str],
    block: &'static [(&'static str, &'static str)],
}

const C: Syntax = Syntax { line: &["//"], block: &[("/*", "*/")] };
const HASH: Syntax = Syntax { line: &["#"], block: &[] };
const PYTHON: Syntax = Syntax { line: &["#"], block: &[("\"\"\"", "\"\"\""), ("'''", "'''")] };
const DASH: Syntax = Syntax { line: &["--"], block: &[("/*", "*/"), ("--[[", "]]"), ("{-", "-}")] };
const MARKUP: Syntax = Syntax { line: &[], block: &[("<!--", "-->")] };
const LISP: Syntax = Syntax { line: &[";"], block: &[] };
const PERCENT: Syntax = Syntax { line: &["%"], block: &[] };
const ML: Syntax = Syntax { line: &[], block: &[("(*", "*)")] };
const BATCH: Syntax = Syntax { line: &["REM ", "rem ", "::"], block: &[] };
const STYLE: Syntax = Syntax { line: &[], block: &[("/*", "*/")] };
const PHP: Syntax = Syntax { line: &["//", "#"], block: &[("/*", "*/")] };

fn syntax(path: &str) -> Option<&'static Syntax> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or(name, |(_, e)| e).to_lowercase();
    Some(match extension.as_str() {
        "rs" | "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "m" | "mm" | "java" | "kt" | "kts" | "scala" | "go" | "js" | "jsx"
        | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "swift" | "cs" | "dart" | "groovy" | "gradle" | "proto" | "zig" | "scss"
        | "less" | "json5" | "jsonc" | "sol" | "v" | "sv" | "fs" | "cu" | "glsl" | "wgsl" => &C,
        "py" | "pyi" | "pyx" => &PYTHON,
        "rb" | "sh" | "bash" | "zsh" | "fish" | "yml" | "yaml" | "toml" | "pl" | "pm" | "r" | "jl" | "ex" | "exs" | "tf" | "hcl"
        | "nix" | "cmake" | "mk" | "dockerfile" | "makefile" | "conf" | "cfg" | "ini" | "properties" | "gitignore" | "ps1" | "nim"
        | "cr" => &HASH,
        "sql" | "lua" | "hs" | "elm" | "ada" | "adb" | "vhd" | "vhdl" => &DASH,
        "html" | "htm" | "xml" | "svg" | "md" | "vue" | "svelte" | "xhtml" => &MARKUP,
        "lisp" | "el" | "clj" | "cljs" | "scm" | "rkt" | "asm" | "s" => &LISP,
        "tex" | "erl" | "hrl" | "m4" => &PERCENT,
        "ml" | "mli" | "pas" => &ML,
        "bat" | "cmd" => &BATCH,
        "css" => &STYLE,
        "php" => &PHP,
        _ => return None,
    })
}

/// The design comments beside the changed places of a file.
pub fn beside(file: &Touched) -> Vec<Comment> {
    let (Some(text), Some(syntax)) = (&file.text, syntax(&file.path)) else { return Vec::new() };
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.len() as u64;
    let whole = [(1, last.max(1))];
    let ranges = file.patch.as_ref().map_or(&whole[..], |p| &p.ranges);
    let added = file.patch.as_ref().map_or(&whole[..], |p| &p.added);
    let near = |first: u64, end: u64| overlaps(ranges, first.saturating_sub(NEAR), end + NEAR);
    let mut found = Vec::new();
    for (first, end) in blocks(&lines, syntax) {
        let words = lines[first - 1..end].join(" ");
        let (start, stop) = (first as u64, end as u64);
        let Some(word) = design_word(&words).filter(|_| near(start, stop) || heads_an_item(&lines, end, ranges)) else { continue };
        let added_by_change = overlaps(added, start, stop);
        found.push(Comment { path: file.path.clone(), start, end: stop, word: word.to_owned(), added_by_change });
    }
    found
}

/// Whether one of the ranges, which rise, meets these lines.
fn overlaps(ranges: &[(u64, u64)], first: u64, last: u64) -> bool {
    let at = ranges.partition_point(|r| r.1 < first);
    ranges.get(at).is_some_and(|r| r.0 <= last)
}

/// Whether the item right under a comment is what the change lies in: the change comes before the next line that is indented no
/// deeper and stands behind a blank or a closing mark.
fn heads_an_item(lines: &[&str], end: usize, ranges: &[(u64, u64)]) -> bool {
    let Some(head) = lines.get(end).filter(|l| !l.trim().is_empty()) else { return false };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let depth = indent(head);
    let body = lines[end + 1..].iter().take(400);
    let inside = body.take_while(|l| l.trim().is_empty() || indent(l) > depth || l.trim_start().starts_with(['}', ')', ']'])).count();
    overlaps(ranges, end as u64 + 1, (end + 1 + inside) as u64)
}

/// Comments as ranges of lines from 1: neighbouring line comments are one, a block is taken whole.
fn blocks(lines: &[&str], syntax: &Syntax) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    for (at, line) in lines.iter().enumerate() {
        let number = at + 1;
        if let Some((first, close)) = open {
            if line.contains(close) {
                found.push((first, number));
                open = None;
            }
            continue;
        }
        let bare = line.trim_start();
        if let Some((start, close)) = syntax.block.iter().find(|(start, _)| bare.starts_with(start) || line.contains(&format!(" {start}")))
        {
            let behind = line.find(start).map_or("", |at| &line[at + start.len()..]);
            if behind.contains(close) {
                push(&mut found, number, false);
            } else {
                open = Some((number, close));
            }
        } else if syntax.line.iter().any(|mark| bare.starts_with(mark)) {
            push(&mut found, number, true);
        } else if syntax.line.iter().any(|mark| line.find(&format!(" {mark} ")).is_some_and(|at| line[..at].matches('"').count() % 2 == 0))
        {
            push(&mut found, number, false);
        }
    }
    // A block that is never closed is one to the end of the file, and so says nothing about any place of it.
    found
}

fn push(found: &mut Vec<(usize, usize)>, line: usize, joins: bool) {
    match found.last_mut() {
        Some(last) if joins && last.1 + 1 == line => last.1 = line,
        _ => found.push((line, line)),
    }
}

/// The word by which a comment says that something is meant so.
fn design_word(text: &str) -> Option<&'static str> {
    const MEANT: &[&str] = &[
        "intentional",
        "deliberate",
        "by design",
        "on purpose",
        "because",
        "rationale",
        "invariant",
        "note:",
        "why:",
        "why ",
        "hack:",
        "xxx:",
        "warning:",
        "do not change",
        "don't change",
        "do not reorder",
        "don't reorder",
        "must not",
        "must stay",
        "must hold",
        "must be",
        "keep in sync",
        "trade-off",
        "tradeoff",
        "workaround",
        "see adr",
        "see #",
        "rejected:",
        "safety:",
        "so that",
        "we chose",
        "instead of",
        "never call",
        "의도",
        "때문",
        "왜냐",
        "일부러",
        "주의",
        "설계상",
    ];
    let lower = case::lower(text);
    MEANT.iter().find(|w| lower.contains(**w)).copied()
}

#[cfg(test)]
mod tests {
    use super::super::patch;
    use super::*;

    fn found(path: &str, text: &str, patch: &str) -> Vec<(u64, u64, bool)> {
        let file = Touched { path: path.to_owned(), text: Some(text.to_owned()), patch: Some(patch::read(patch.as_bytes())) };
        beside(&file).into_iter().map(|c| (c.start, c.end, c.added_by_change)).collect()
    }

    #[test]
    fn a_comment_of_design_beside_a_change_is_pointed_at() {
        let text = "// Blocking on purpose:\r\n// plugins come first.\r\nfn load() {\r\n    x();\r\n}\r\n";
        assert_eq!(found("a.rs", text, "@@ -4,1 +4,1 @@\n-y\n+    x();\n"), [(1, 2, false)]);
        assert_eq!(found("a.rs", text, "@@ -0,0 +1,2 @@\n+a\n+b\n"), [(1, 2, true)]);
        assert_eq!(found("a.bin", text, "@@ -4,1 +4,1 @@\n"), []);
    }

    #[test]
    fn the_comment_over_the_item_of_a_far_change_counts_and_another_far_one_does_not() {
        let body = "    step();\n".repeat(30);
        let text =
            format!("// unrelated, by design\nfn other() {{}}\n\n\n\n\n\n\n/* Deliberate:\n order matters */\nfn run() {{\n{body}}}\n");
        assert_eq!(found("a.rs", &text, "@@ -40,1 +40,1 @@\n-a\n+b\n"), [(9, 10, false)]);
    }

    #[test]
    fn a_comment_without_a_reason_is_none() {
        assert_eq!(found("a.py", "# loads\nx = 1\n", "@@ -2,1 +2,1 @@\n"), []);
        assert_eq!(found("a.py", "# kept because of #12\nx = 1\n", "@@ -2,1 +2,1 @@\n"), [(1, 1, false)]);
    }
}
