//! Which line a finding means, near the one it cites.
//!
//! Takes a finding and the lines of its file. Bound: the lines within 30 of the cited one.

use super::{Fixed, Item};

/// The line that a finding means, near the one it cites: by the text it quotes, or by the names it mentions; and what fixed it.
pub fn anchor_line(item: &Item, lines: &[&str], most: u64) -> Option<(u64, Fixed)> {
    let cited = item.line?;
    let squeezed = |t: &str| t.split_whitespace().collect::<String>();
    if let Some(quote) = item.quote.as_deref() {
        let first = quote.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
        let wanted = squeezed(first.trim_end_matches(['.', '…']));
        if wanted.len() >= 6 {
            let holds = |n: &u64| lines.get(usize::try_from(n - 1).unwrap_or(usize::MAX)).is_some_and(|l| squeezed(l).contains(&wanted));
            let around = (cited.saturating_sub(30).max(1)..=cited + 30).filter(holds);
            if let Some(line) = around.min_by_key(|n| (n.abs_diff(cited), *n)) {
                return Some((line, Fixed::Quoted));
            }
        }
    }
    let names = names(item);
    if names.is_empty() {
        return Some((cited, Fixed::Cited));
    }
    let score = |n: u64| -> f64 {
        let line = lines.get(usize::try_from(n - 1).unwrap_or(usize::MAX)).copied().unwrap_or_default();
        let said = names.iter().filter(|name| holds_word(line, name)).count();
        said as f64 * 2.0 - 0.25 * n.abs_diff(cited) as f64
    };
    let here = score(cited);
    let best = (cited.saturating_sub(most).max(1)..=cited + most)
        .map(|n| (score(n), n))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.abs_diff(cited).cmp(&a.1.abs_diff(cited))))?;
    if here >= 2.0 {
        return Some((cited, Fixed::Named));
    }
    Some(if best.0 > here + 0.5 && best.0 > 0.9 { (best.1, Fixed::Named) } else { (cited, Fixed::Cited) })
}

/// Names of the code that a finding mentions in back-ticks; what it says is missing stands on another line than the defect.
pub(super) fn names(item: &Item) -> Vec<String> {
    const WANTED: &[&str] = &["missing", "no", "never", "without", "lacks", "lack", "add", "needs", "not"];
    let mut found: Vec<String> = Vec::new();
    for text in [&item.title, &item.body] {
        let parts: Vec<&str> = text.split('`').collect();
        for pair in parts.chunks(2).filter(|pair| pair.len() == 2) {
            let (before, part) = (pair[0], pair[1]);
            let word = before.split_whitespace().next_back().unwrap_or_default().to_ascii_lowercase();
            if WANTED.contains(&word.as_str()) {
                continue;
            }
            let plain = part.trim_end_matches("()");
            let name = plain.len() >= 3 && plain.len() <= 60 && plain.chars().all(|c| c.is_alphanumeric() || c == '_');
            if name && !found.iter().any(|f| f == plain) {
                found.push(plain.to_owned());
            }
        }
    }
    found
}

/// Whether a name stands in a line as a whole.
pub(super) fn holds_word(line: &str, name: &str) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
    line.match_indices(name).any(|(at, _)| ends(line[..at].chars().next_back()) && ends(line[at + name.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_no_name_of_the_line() {
        let text = |title: &str| names(&Item { title: title.to_owned(), ..Item::default() });
        assert_eq!(text("Missing `await` before `write`"), ["write"]);
        assert_eq!(text("`lock` is never released"), ["lock"]);
    }
}
