//! Title slugs: the word evidence the reference keeps of a finding.
//!
//! NFKC, lower case, every run of other characters becomes `-`, the first 40 characters (rounds spec §1.5). Beyond the
//! reference, letters of every script but accented Latin are kept, so that Japanese or Cyrillic titles have a slug at
//! all (§4 item 23); accented Latin stays as the reference folds it.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// The slug of a headline from which citations were taken out.
pub fn slug(headline: &str) -> String {
    let text = without_numbers(headline);
    // Most titles are normal already, and normalising is what costs.
    if text.is_ascii() {
        cut(text.chars().map(|c| c.to_ascii_lowercase()))
    } else if is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        cut(text.chars().flat_map(char::to_lowercase))
    } else {
        cut(text.nfkc().flat_map(char::to_lowercase))
    }
}

/// The first 40 characters of the slug of folded text.
fn cut(text: impl Iterator<Item = char>) -> String {
    let mut out = String::with_capacity(40);
    let mut length = 0;
    let mut gap = false;
    for c in text {
        if !kept(c) {
            gap = length > 0;
            continue;
        }
        if gap {
            out.push('-');
            length += 1;
            gap = false;
            if length == 40 {
                break;
            }
        }
        out.push(c);
        length += 1;
        if length == 40 {
            break;
        }
    }
    out
}

fn kept(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    c > '\u{36f}' && !('\u{1e00}'..='\u{1eff}').contains(&c) && c.is_alphanumeric()
}

/// Takes `word:digits` and its leading blank or bracket out, as the reference does with every bare `name:number`.
fn without_numbers(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b':', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(colon) = rest.find(':') {
        let (head, tail) = rest.split_at(colon);
        let digits = tail[1..].bytes().take_while(u8::is_ascii_digit).count();
        let after = tail[1 + digits..].chars().next();
        let ends = after.is_none_or(|c| c.is_whitespace() || matches!(c, ',' | '.' | ')'));
        let word =
            head.len() - head.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | '\\')).len();
        let before = head[..head.len() - word].chars().next_back();
        if digits > 0 && ends && word > 0 && before.is_none_or(|c| c.is_whitespace() || c == '(') {
            let cut = head.len() - word - before.map_or(0, char::len_utf8);
            out.push_str(&head[..cut]);
        } else {
            out.push_str(&rest[..colon + 1 + digits]);
        }
        rest = &tail[1 + digits..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_fold_as_the_reference_does() {
        assert_eq!(slug(" — Half-cent fares are truncated, so a group of 200 pays too little"), "half-cent-fares-are-truncated-so-a-group");
        assert_eq!(slug("예외를 삼킨 뒤 200 을 반환함."), "예외를-삼킨-뒤-200-을-반환함");
        assert_eq!(slug("café"), "caf");
        assert_eq!(slug("fails at 3:30 daily"), "fails-at-daily");
        assert_eq!(slug("—"), "");
    }

    #[test]
    fn other_scripts_have_a_slug_too() {
        assert_eq!(slug("金額が負"), "金額が負");
        assert_eq!(slug("Утечка"), "утечка");
    }
}
