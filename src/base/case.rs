//! Lower case, without asking the tables about scripts that have no case.

use std::borrow::Cow;

/// A text in lower case, character by character; one that is in lower case already is given back as it is. Bound: linear.
pub fn lower(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return if text.bytes().any(|b| b.is_ascii_uppercase()) { text.to_ascii_lowercase().into() } else { text.into() };
    }
    if text.chars().all(|c| if c.is_ascii() { !c.is_ascii_uppercase() } else { is_caseless(c) }) {
        return text.into();
    }
    let mut lower = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() || is_caseless(c) {
            lower.push(c.to_ascii_lowercase());
        } else {
            lower.extend(c.to_lowercase());
        }
    }
    lower.into()
}

/// Whether a character lies in a block that knows no case: punctuation and currency, the scripts of East Asia, emoji.
fn is_caseless(c: char) -> bool {
    matches!(c, '\u{2000}'..='\u{20ff}' | '\u{2e80}'..='\u{a63f}' | '\u{ac00}'..='\u{d7ff}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_lowered_as_the_tables_have_it() {
        for c in '\0'..=char::MAX {
            let told: String = c.to_lowercase().collect();
            assert_eq!(lower(&c.to_string()), told, "{:x}", u32::from(c));
        }
    }

    #[test]
    fn what_is_in_lower_case_already_is_given_back() {
        assert!(matches!(lower("abc-1"), Cow::Borrowed("abc-1")));
        assert_eq!(lower("ÄBC 높음 HIGH"), "äbc 높음 high");
    }
}
