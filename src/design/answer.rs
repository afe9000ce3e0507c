//! The blocks of code in an answer, in which its result stands.

/// What stands in the fences of a text, in order; one that is not closed ends with the text. Bound: linear.
pub fn blocks(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open: Option<(&str, String)> = None;
    for line in text.lines() {
        let inner = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|m| inner.starts_with(m));
        match (&mut open, mark) {
            (None, Some(mark)) => open = Some((mark, String::new())),
            (Some((fence, _)), Some(mark)) if *fence == mark => found.extend(open.take().map(|o| o.1)),
            (Some((_, body)), _) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, None) => {}
        }
    }
    found.extend(open.map(|o| o.1));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fence_gives_its_block() {
        assert_eq!(blocks("a\n```json\n{}\n```\nb\n~~~\n```\n~~~\n```\nopen"), ["{}\n", "```\n", "open\n"]);
    }
}
