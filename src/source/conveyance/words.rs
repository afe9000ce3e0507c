//! A text as words: compatibility forms folded, hidden characters and emphasis taken out, negations joined, with the place of each
//! word in the text as it was. Bound: linear.

use unicode_normalization::UnicodeNormalization;

/// One word.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// Folded, letters and digits only.
    pub(super) text: String,
    /// First byte of what it was.
    pub(super) start: usize,
    /// Behind its last byte.
    pub(super) end: usize,
    /// Whether a clause starts here.
    pub(super) opens: bool,
    /// Whether a sentence ends behind it.
    pub(super) ends: bool,
    /// Whether a colon stands behind it.
    pub(super) colon: bool,
    /// Whether letters of scripts that look alike are mixed in it.
    pub(super) mixed: bool,
    /// The mark in front of it, such as a check mark or a bracket.
    pub(super) mark: Option<char>,
}

/// Reads the words of a text.
pub(super) fn read(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut at = 0;
    let (mut opens, mut mark) = (true, None);
    for chunk in text.split_inclusive(char::is_whitespace) {
        let (start, end) = (at, at + chunk.trim_end().len());
        at += chunk.len();
        let folded: String = chunk.trim_end().nfkc().filter(|c| !is_hidden(*c)).flat_map(char::to_lowercase).collect();
        let mut current = String::new();
        let close = |current: &mut String, opens: &mut bool, mark: &mut Option<char>, words: &mut Vec<Word>| {
            if !current.is_empty() {
                let text = std::mem::take(current);
                let mixed = is_mixed(&text);
                words.push(Word { text, start, end, opens: *opens, ends: false, colon: false, mixed, mark: mark.take() });
                *opens = false;
            }
        };
        let letters: Vec<char> = folded.chars().collect();
        for (i, c) in letters.iter().copied().enumerate() {
            let after = letters.get(i + 1).copied();
            match c {
                // Emphasis inside a word and apostrophes join; a hyphen joins what it puts `re` before.
                '*' | '`' | '~' | '\'' | '’' | '‘' | 'ʼ' | '\u{ad}' => {}
                '-' | '‐' | '‑' if current == "re" => {}
                c if c.is_alphanumeric() => current.push(c),
                _ => {
                    close(&mut current, &mut opens, &mut mark, &mut words);
                    let stops = matches!(c, '.' | '!' | '?' | ';' | '。' | '！' | '？') && after.is_none_or(|a| !a.is_alphanumeric());
                    if let Some(last) = words.last_mut() {
                        last.ends |= stops;
                        last.colon |= c == ':';
                    }
                    opens |= stops || matches!(c, ':' | ',' | '(' | '—' | '–' | '•' | '"' | '“' | '>') || (c == '-' && start + 1 == end);
                    mark = Some(c);
                }
            }
        }
        close(&mut current, &mut opens, &mut mark, &mut words);
    }
    joined(spelled(words))
}

/// Letters written one by one become the word they spell.
fn spelled(words: Vec<Word>) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    let mut run: Vec<Word> = Vec::new();
    let flush = |run: &mut Vec<Word>, out: &mut Vec<Word>| {
        if run.len() >= 6
            && let (Some(first), Some(last)) = (run.first().cloned(), run.last().cloned())
        {
            let text: String = run.iter().map(|w| w.text.as_str()).collect();
            out.push(Word { text, end: last.end, ends: last.ends, colon: last.colon, ..first });
            run.clear();
        } else {
            out.append(run);
        }
    };
    for word in words {
        if word.text.chars().count() == 1 {
            run.push(word);
        } else {
            flush(&mut run, &mut out);
            out.push(word);
        }
    }
    flush(&mut run, &mut out);
    out
}

/// `do not` and `don't` become one word, and so does every other verb with its negation.
fn joined(words: Vec<Word>) -> Vec<Word> {
    const VERBS: &[&str] = &[
        "do", "does", "did", "should", "must", "need", "can", "could", "will", "would", "is", "are", "was", "were", "may", "shall", "has",
        "have",
    ];
    let mut out: Vec<Word> = Vec::new();
    for word in words {
        match out.last_mut() {
            Some(last) if word.text == "not" && !last.ends && VERBS.contains(&last.text.as_str()) => {
                last.text.push_str("nt");
                (last.end, last.ends, last.colon) = (word.end, word.ends, word.colon);
            }
            _ => out.push(word),
        }
    }
    for word in &mut out {
        match word.text.as_str() {
            "cannot" => word.text = "cant".to_owned(),
            "wont" => word.text = "willnt".to_owned(),
            _ => {}
        }
    }
    out
}

/// Characters that show nothing: they are taken out before reading.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Characters that reorder text, or that carry text nobody sees; and such as part a word.
pub(super) fn hidden(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut before = ' ';
    text.char_indices().filter_map(move |(at, c)| {
        let inside = before.is_alphanumeric() && matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{ad}' | '\u{3164}');
        before = c;
        let always = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}');
        (always || inside).then_some((at, at + c.len_utf8()))
    })
}

/// Whether Latin letters stand beside letters that look like them.
fn is_mixed(word: &str) -> bool {
    let latin = word.chars().any(|c| c.is_ascii_alphabetic());
    latin
        && word
            .chars()
            .any(|c| matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}' | '\u{530}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}'))
}
