//! The blocks of code in an answer, in which its result stands.

/// The fence that a line is: its sign, its length, and whether nothing stands behind it.
pub(super) fn mark(line: &str) -> Option<(char, usize, bool)> {
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == sign).count();
    (length >= 3).then(|| (sign, length, line.trim_start_matches(sign).trim().is_empty()))
}

/// What stands in the fences of a text, in order; one that is not closed ends with the text. A fence is closed by one as long. Bound: linear.
pub fn blocks(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open: Option<(char, usize, String)> = None;
    for line in text.lines() {
        match (&mut open, mark(line.trim())) {
            (None, Some((sign, length, _))) => open = Some((sign, length, String::new())),
            (Some((opened, long, _)), Some((sign, length, bare))) if *opened == sign && length >= *long && bare => {
                found.extend(open.take().map(|o| o.2));
            }
            (Some((_, _, body)), _) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, None) => {}
        }
    }
    found.extend(open.map(|o| o.2));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fence_gives_its_block() {
        assert_eq!(blocks("a\n```json\n{}\n```\nb\n~~~\n```\n~~~\n```\nopen"), ["{}\n", "```\n", "open\n"]);
        assert_eq!(blocks("````\n```\nx\n```\n````"), ["```\nx\n```\n"]);
    }
}
