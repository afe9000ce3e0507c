//! debug-leftover: what was put in to look, and not taken out. Off for tests.

use super::{Issue, Subject};
use crate::base::severity::Grade;

/// Calls per language: extensions, the call, how grave it is. A call counts as a whole word at a statement's start or
/// inside an expression, outside strings and comments.
const CALLS: &[(&[&str], &str, Grade)] = &[
    (&["rs"], "dbg!(", Grade::Medium),
    (&["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"], "console.log(", Grade::Low),
    (&["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"], "console.debug(", Grade::Low),
    (&["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"], "debugger;", Grade::Medium),
    (&["py"], "breakpoint()", Grade::Medium),
    (&["py"], "pdb.set_trace(", Grade::Medium),
    (&["py"], "print(", Grade::Low),
    (&["rb"], "binding.pry", Grade::Medium),
    (&["rb"], "byebug", Grade::Medium),
    (&["go"], "fmt.Println(", Grade::Low),
    (&["go"], "spew.Dump(", Grade::Medium),
    (&["java", "kt"], "System.out.println(", Grade::Low),
    (&["java", "kt"], "printStackTrace(", Grade::Low),
    (&["php"], "var_dump(", Grade::Medium),
    (&["cs"], "Console.WriteLine(", Grade::Low),
    (&["swift"], "dump(", Grade::Low),
    (&["ex", "exs"], "IO.inspect(", Grade::Medium),
];

/// Finds debug leftovers on new lines: at most one issue a line.
pub fn find(subject: &Subject<'_>) -> Vec<Issue> {
    let extension = subject.extension();
    let calls: Vec<&(&[&str], &str, Grade)> = CALLS.iter().filter(|(of, _, _)| of.contains(&extension.as_str())).collect();
    if calls.is_empty() || subject.is_test() || is_entry(subject.path) {
        return Vec::new();
    }
    let mut issues = Vec::new();
    for (number, line) in subject.fresh() {
        if !calls.iter().any(|(_, call, _)| line.contains(call)) {
            continue;
        }
        let code = code_only(line);
        if let Some((_, call, grade)) = calls.iter().find(|(_, call, _)| has_word(&code, call)) {
            let shown = call.trim_end_matches(['(', ')', ';']);
            issues.push(Issue::at("debug-leftover", *grade, subject, Some(number), format!("`{shown}` was left in the code")));
        }
    }
    issues
}

/// Scripts and command-line entry points print on purpose.
fn is_entry(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|f| matches!(f, "bin" | "scripts" | "examples" | "cmd" | "cli" | "tools"))
}

/// A line without what stands in its strings and behind its comment mark.
fn code_only(line: &str) -> String {
    let mut out = String::new();
    let mut quote: Option<char> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match quote {
            Some(_) if c == '\\' => {
                chars.next();
            }
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            None if c == '#' || (c == '/' && chars.peek() == Some(&'/')) || (c == '*' && out.trim().is_empty()) => {
                break;
            }
            None => out.push(c),
        }
    }
    out
}

fn has_word(code: &str, call: &str) -> bool {
    code.match_indices(call).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::subject;

    #[test]
    fn leftovers_are_found_per_language() {
        assert_eq!(find(&subject("src/a.rs", "let x = dbg!(y);\n")).len(), 1);
        assert_eq!(find(&subject("src/a.ts", "  console.log(x)\n")).len(), 1);
        assert_eq!(find(&subject("src/a.py", "print(x)\n")).len(), 1);
        assert!(find(&subject("src/a.md", "dbg!(x)\n")).is_empty());
    }

    #[test]
    fn strings_comments_tests_and_other_words_are_left_alone() {
        assert!(find(&subject("src/a.rs", "let x = \"dbg!(y)\"; // dbg!(z)\n")).is_empty());
        assert!(find(&subject("tests/a.py", "print(x)\n")).is_empty());
        assert!(find(&subject("src/a.py", "pprint(x)\nlog.print(x)\n# print(y)\n")).is_empty());
        assert!(find(&subject("scripts/a.py", "print(x)\n")).is_empty());
    }
}
