//! The symbol that encloses a line: the function, type or heading it stands in.
//!
//! Takes the lines of a file, gives the name of the nearest line above that opens a block around the line and looks like a
//! definition in any of the common languages, or of the nearest heading. Bound: at most 400 lines are looked at.

/// How far above a line its symbol is looked for.
const REACH: usize = 400;

/// Words that name what is defined behind them.
const KEYWORDS: &[&str] = &[
    "fn",
    "def",
    "function",
    "func",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "impl",
    "module",
    "mod",
    "namespace",
    "sub",
    "proc",
    "object",
    "record",
    "type",
    "protocol",
    "extension",
    "contract",
    "table",
    "view",
    "fun",
    "macro",
    "macro_rules!",
    "defmodule",
    "defp",
];

/// Words that may stand before the keyword of a definition.
const MODIFIERS: &[&str] = &[
    "pub",
    "async",
    "export",
    "default",
    "static",
    "public",
    "private",
    "protected",
    "internal",
    "final",
    "abstract",
    "const",
    "unsafe",
    "extern",
    "inline",
    "virtual",
    "override",
    "sealed",
    "partial",
    "open",
    "suspend",
    "local",
    "declare",
    "data",
    "case",
    "implicit",
];

/// Words that open a block and name nothing.
const CONTROL: &[&str] = &[
    "if",
    "for",
    "while",
    "switch",
    "return",
    "else",
    "match",
    "catch",
    "try",
    "do",
    "with",
    "loop",
    "unless",
    "elif",
    "case",
    "when",
    "foreach",
    "using",
    "lock",
    "synchronized",
    "unsafe",
    "finally",
    "except",
    "select",
    "until",
    "begin",
    "async",
    "await",
];

/// The name of what encloses a line (from 1), and how many lines below its own the line stands.
pub fn around<'t>(path: &str, lines: &[&'t str], line: u64) -> Option<(&'t str, u64)> {
    let prose = [".md", ".markdown", ".rst", ".adoc"].iter().any(|end| path.ends_with(end));
    let heading = |line: &'t str| if prose { heading(line) } else { None };
    let at = usize::try_from(line).ok()?.checked_sub(1).filter(|at| *at < lines.len())?;
    let mut depth = indent(lines[at]).unwrap_or(usize::MAX);
    // The line of a definition is in it.
    if let Some(name) = defined(lines[at]).or_else(|| heading(lines[at])) {
        return Some((name, 0));
    }
    for (above, offset) in lines[at.saturating_sub(REACH)..at].iter().rev().zip(1..) {
        if let Some(name) = heading(above) {
            return Some((name, offset));
        }
        let Some(of_line) = indent(above).filter(|i| *i < depth) else { continue };
        if let Some(name) = defined(above) {
            return Some((name, offset));
        }
        // A line that closes a block, or a brace alone, opens none around this one.
        if above.trim_start().starts_with(|c: char| c.is_alphabetic()) {
            depth = of_line;
        }
        if depth == 0 {
            return None;
        }
    }
    None
}

fn indent(line: &str) -> Option<usize> {
    let text = line.trim_start();
    (!text.is_empty()).then(|| line.len() - text.len())
}

/// The name that a line defines.
fn defined(line: &str) -> Option<&str> {
    let text = line.trim();
    if ["//", "#", "*", "/*", "--", ";", "%", "\"", "'"].iter().any(|mark| text.starts_with(mark)) {
        return None;
    }
    let mut words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | '{' | '<' | ':' | ';'));
    let first = words.next()?;
    if CONTROL.contains(&first) && first != "async" && first != "unsafe" {
        return None;
    }
    let mut words = std::iter::once(first).chain(words).filter(|w| !w.is_empty()).take(8);
    // What stands before the keyword of a definition modifies it; anything else is no definition.
    let keyword = words.find(|w| !MODIFIERS.contains(w) && !w.ends_with(')') && !w.starts_with('@'));
    if keyword.is_some_and(|word| KEYWORDS.contains(&word)) {
        let named = words.next()?;
        return Some(named.trim_end_matches([',', '=', '!'])).filter(|n| is_name(n));
    }
    // `int main(void) {`, `async save(order) {`, `handler = (event) => {`
    let opens = text.ends_with('{') || text.ends_with("=>") || text.ends_with("->");
    let head = text.split('(').next().filter(|_| opens && text.contains('('))?.trim_end();
    let head = head.trim_end_matches([' ', '=']);
    head.rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).next().filter(|n| is_name(n) && !CONTROL.contains(n))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '*' | '&' | '@' | '"' | '\''))
}

/// The text of a Markdown heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with(' ') && !text.trim().is_empty() && !text.trim_start().starts_with('!'))
        .then(|| text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, line: u64) -> Option<&str> {
        around(if text.starts_with('#') { "a.md" } else { "a.x" }, &text.lines().collect::<Vec<_>>(), line).map(|(name, _)| name)
    }

    #[test]
    fn comments_define_nothing_and_only_prose_has_headings() {
        assert_eq!(of("def load():\n    # fetch the type of lock\n# the rest\n    x\n", 4), Some("load"));
        assert_eq!(of("fn a() {\n    // the type of lock\n    x\n}\n", 3), Some("a"));
        assert_eq!(of("the type of lock\n    x\n", 2), None);
    }

    #[test]
    fn the_nearest_definition_around_a_line_names_it() {
        assert_eq!(of("pub fn save(a: u8) -> u8 {\n    if a > 1 {\n        drop(a);\n    }\n    a\n}\n", 3), Some("save"));
        assert_eq!(of("class Store:\n    def put(self, x):\n        for y in x:\n            use(y)\n", 4), Some("put"));
        assert_eq!(of("static int parse(char *s) {\n\tif (s)\n\t\treturn 1;\n}\n", 3), Some("parse"));
        assert_eq!(of("const run = (event) => {\n  send(event)\n}\n", 2), Some("run"));
        assert_eq!(of("export async function load() {\n  await x\n}\n", 2), Some("load"));
        assert_eq!(of("impl Store {\n    fn a() {}\n\n    fn b() {\n        x\n    }\n}\n", 5), Some("b"));
        assert_eq!(of("# Title\n\n## Setup\ntext\n", 4), Some("Setup"));
    }

    #[test]
    fn what_stands_beside_a_definition_is_not_in_it() {
        assert_eq!(of("fn a() {\n    x\n}\n\nlet y = 1;\n", 5), None);
        assert_eq!(of("fn a() {\n    x\n}\n", 9), None);
    }
}
