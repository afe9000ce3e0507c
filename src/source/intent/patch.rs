//! A patch as harvesting needs it: which lines are new, where the change touches, and which identifiers it names.
//!
//! Takes one `-U0` patch of git. Bound: linear.

use std::collections::BTreeSet;

/// The patch of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// Ranges of the new side, first line and last; of a pure deletion the line before it, twice.
    pub ranges: Vec<(u64, u64)>,
    /// Ranges that hold new lines.
    pub added: Vec<(u64, u64)>,
    /// Identifiers of changed lines and of the functions around them.
    pub identifiers: BTreeSet<String>,
}

/// Reads a patch.
pub fn read(bytes: &[u8]) -> Patch {
    let mut patch = Patch::default();
    for line in bytes.split(|b| *b == b'\n') {
        let text = String::from_utf8_lossy(line);
        if let Some((range, context)) = hunk(&text) {
            patch.ranges.push((range.0, range.1.max(range.0)));
            patch.added.extend((range.1 >= range.0).then_some(range));
            patch.identifiers.extend(identifiers(context));
        } else if (text.starts_with('+') && !text.starts_with("+++ ")) || (text.starts_with('-') && !text.starts_with("--- ")) {
            patch.identifiers.extend(identifiers(&text[1..]));
        }
    }
    patch
}

/// The new side of `@@ -a,b +c,d @@ context`; an empty one ends before it starts.
fn hunk(line: &str) -> Option<((u64, u64), &str)> {
    let (ranges, context) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let new = ranges.split_once('+')?.1;
    let (first, count) = new.split_once(',').unwrap_or((new, "1"));
    let (first, count): (u64, u64) = (first.parse().ok()?, count.parse().ok()?);
    Some(((first, (first + count).saturating_sub(1)), context))
}

/// Identifiers of four letters and more that no language and no prose would share by chance.
pub fn identifiers(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| w.chars().count() >= 4);
    parts.filter(|w| w.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_') && is_component(w)).map(str::to_owned)
}

/// Whether a word is written like a name: with an underscore inside, or with a capital behind a small letter.
pub fn is_component(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let camel = letters.windows(2).any(|w| w[0].is_lowercase() && w[1].is_uppercase());
    word.trim_matches('_').contains('_') || camel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_lines_context_and_identifiers_come_out_of_a_patch() {
        let text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -3,0 +4,2 @@ fn loadPlugin() {\n+let cache_key = 1;\n+x\n@@ -9,2 +10,0 @@\n-old_name\n-y\n";
        let patch = read(text.as_bytes());
        assert_eq!((patch.ranges, patch.added), (vec![(4, 5), (10, 10)], vec![(4, 5)]));
        let names: Vec<&str> = patch.identifiers.iter().map(String::as_str).collect();
        assert_eq!(names, ["cache_key", "loadPlugin", "old_name"]);
    }
}
