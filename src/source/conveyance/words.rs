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
    /// Whether it stands in a chunk that is written like a path.
    pub(super) path: bool,
    /// What its letters look like, where that is another word.
    pub(super) looks: Option<String>,
}

/// Reads the words of a text. `path` says that it is a file name, whose words a capital parts too.
pub(super) fn read(text: &str, path: bool) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut at = 0;
    let (mut opens, mut mark) = (true, None);
    for chunk in text.split_inclusive(char::is_whitespace) {
        let (start, end) = (at, at + chunk.trim_end().len());
        at += chunk.len();
        let parted = if path { camel(chunk) } else { chunk.to_owned() };
        let decoded = decoded(parted.trim_end()).replace('´', "'");
        let letters = decoded.nfkd().filter(|c| !is_hidden(*c) && !is_mark(*c)).map(plain_letter).nfkc();
        let folded: String = letters.flat_map(char::to_lowercase).collect();
        let in_path = chunk.contains('/') || chunk.contains("::");
        let mut current = String::new();
        let close = |current: &mut String, opens: &mut bool, mark: &mut Option<char>, words: &mut Vec<Word>| {
            if !current.is_empty() {
                let mut text = std::mem::take(current);
                // Two short words that orders begin with, with a digit for a letter.
                if let Some(plain) = looks(&text).filter(|l| ["do", "not", "no", "never", "dont"].contains(&l.as_str())) {
                    text = plain;
                }
                let (mixed, looks) = (is_mixed(&text), looks(&text));
                let mark = mark.take();
                words.push(Word { text, start, end, opens: *opens, ends: false, colon: false, mixed, mark, path: in_path, looks });
                *opens = false;
            }
        };
        let letters: Vec<char> = folded.chars().collect();
        for (i, c) in letters.iter().copied().enumerate() {
            let after = letters.get(i + 1).copied();
            match c {
                // Emphasis inside a word and apostrophes join; a hyphen joins what it puts `re` before.
                '*' | '`' | '~' | '\'' | '’' | '‘' | 'ʼ' | '´' | '\\' | '\u{ad}' => {}
                // Signs that stand for letters inside a word.
                '@' | '|' | '$' | '!' if !current.is_empty() && after.is_some_and(char::is_alphanumeric) => current.push(c),
                '-' | '‐' | '‑' if matches!(current.as_str(), "re" | "un") => {}
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
            out.push(Word { text, end: last.end, ends: last.ends, colon: last.colon, looks: None, ..first });
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
            Some(last) if matches!(word.text.as_str(), "not" | "nt") && !last.ends && VERBS.contains(&last.text.as_str()) => {
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

/// A chunk with what stands for letters in markup, addresses and programs written out, and without tags.
fn decoded(chunk: &str) -> String {
    if !chunk.contains(['&', '%', '\\', '<']) {
        return chunk.to_owned();
    }
    let mut out = String::new();
    let mut rest = chunk;
    while let Some(c) = rest.chars().next() {
        let found = match c {
            '&' => rest.split_once(';').and_then(|(head, tail)| Some((entity(&head[1..])?, tail))),
            '%' => hex_at(rest, 1, 2).map(|c| (c, &rest[3..])),
            '\\' if rest.starts_with("\\u") => hex_at(rest, 2, 4).map(|c| (c, &rest[6..])),
            '<' => rest
                .split_once('>')
                .filter(|(tag, _)| tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!'))
                .map(|(_, tail)| ('\u{ad}', tail)),
            _ => None,
        };
        match found {
            Some((letter, tail)) => {
                out.push(letter);
                rest = tail;
            }
            None => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

fn entity(name: &str) -> Option<char> {
    let number = name.strip_prefix('#');
    let code = match number {
        Some(hex) if hex.starts_with(['x', 'X']) => u32::from_str_radix(&hex[1..], 16).ok(),
        Some(decimal) => decimal.parse().ok(),
        None => {
            return [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\''), ("nbsp", ' '), ("shy", '\u{ad}')]
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, c)| *c);
        }
    };
    code.and_then(char::from_u32)
}

fn hex_at(text: &str, from: usize, count: usize) -> Option<char> {
    text.get(from..from + count).and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32)
}

/// A name with blanks where a small letter meets a capital.
fn camel(name: &str) -> String {
    let mut out = String::new();
    let mut small = false;
    for c in name.chars() {
        if small && c.is_uppercase() {
            out.push('_');
        }
        small = c.is_lowercase();
        out.push(c);
    }
    out
}

/// Accents and strokes that are put upon letters.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// The plain letter that a dressed-up one is read as.
fn plain_letter(c: char) -> char {
    const SMALL: &str = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ";
    match c {
        'ı' => 'i',
        'ƒ' => 'f',
        'ɗ' | 'ð' | 'đ' => 'd',
        'ł' | 'ː' => 'l',
        'ø' => 'o',
        '\u{1f150}'..='\u{1f169}' => char::from(b'a' + (c as u32 - 0x1f150) as u8),
        '\u{1f170}'..='\u{1f189}' => char::from(b'a' + (c as u32 - 0x1f170) as u8),
        '\u{1f130}'..='\u{1f149}' => char::from(b'a' + (c as u32 - 0x1f130) as u8),
        _ if (c as u32) > 0x1ff && SMALL.contains(c) => SMALL.chars().position(|s| s == c).map_or(c, |at| char::from(b'a' + at as u8)),
        _ => c,
    }
}

/// What a word looks like with digits and signs read as the letters they resemble; none where that changes nothing.
fn looks(word: &str) -> Option<String> {
    let letters = word.chars().any(char::is_alphabetic);
    let odd = word.chars().any(|c| c.is_ascii_digit() || matches!(c, '@' | '|' | '$' | '!'));
    if letters && odd {
        let read = |c: char| match c {
            '0' => 'o',
            '1' | '|' | '!' => 'l',
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            c => c,
        };
        return Some(word.chars().map(read).collect());
    }
    // A capital i and a small l, a g and a q look alike.
    ["fiag", "fiagging", "flaq", "fiaq", "fiagged"].contains(&word).then(|| word.replace("fi", "fl").replace('q', "g"))
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

/// Whether Latin letters stand beside letters that look like them; a unit or a variable in Greek does not.
fn is_mixed(word: &str) -> bool {
    let latin = word.chars().any(|c| c.is_ascii_alphabetic());
    let alike = |c: char| "αοινρυκχ".contains(c) || matches!(c, '\u{400}'..='\u{52f}' | '\u{530}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}');
    latin && word.chars().any(alike)
}
