//! `primaryLocationLineHash`: the fingerprint by which GitHub code scanning knows a line again.
//!
//! A 64-bit rolling hash of base 37 over a window of a hundred UTF-16 units that starts at the line; blanks and tabs are left out,
//! CR and CRLF count as LF; lower-case hex, a colon and the number of the occurrence. Source: spec/field.md §1. Bound: linear.

use std::collections::HashMap;

const WINDOW: usize = 100;
const BASE: u64 = 37;

/// The fingerprint of every line of a text, the first one first.
pub fn of_lines(text: &str) -> Vec<String> {
    let mut hasher = Hasher {
        window: [0; WINDOW],
        starts: [None; WINDOW],
        at: 0,
        hash: 0,
        first: (0..WINDOW).fold(1u64, |power, _| power.wrapping_mul(BASE)),
        counts: HashMap::new(),
        lines: Vec::new(),
    };
    let (mut line, mut fresh, mut after_cr) = (0, true, false);
    // The end of the text counts as one more unit.
    for unit in text.encode_utf16().chain([u16::MAX]) {
        let blank = unit == u16::from(b' ') || unit == u16::from(b'\t') || (after_cr && unit == u16::from(b'\n'));
        if blank {
            after_cr = false;
            continue;
        }
        after_cr = unit == u16::from(b'\r');
        let unit = if after_cr { u16::from(b'\n') } else { unit };
        hasher.emit();
        if fresh {
            hasher.starts[hasher.at] = Some(line);
            line += 1;
        }
        fresh = unit == u16::from(b'\n');
        hasher.push(unit);
    }
    for _ in 0..WINDOW {
        hasher.emit();
        hasher.push(0);
    }
    hasher.lines
}

struct Hasher {
    window: [u16; WINDOW],
    /// The line that starts at each place of the window.
    starts: [Option<usize>; WINDOW],
    at: usize,
    hash: u64,
    first: u64,
    counts: HashMap<u64, u64>,
    lines: Vec<String>,
}

impl Hasher {
    /// The line that leaves the window has been hashed as far as it goes.
    fn emit(&mut self) {
        let Some(line) = self.starts[self.at].take() else { return };
        let count = self.counts.entry(self.hash).or_default();
        *count += 1;
        let text = format!("{:x}:{count}", self.hash);
        if self.lines.len() <= line {
            self.lines.resize(line + 1, String::new());
        }
        self.lines[line] = text;
    }

    fn push(&mut self, unit: u16) {
        let leaving = u64::from(std::mem::replace(&mut self.window[self.at], unit));
        self.hash = self.hash.wrapping_mul(BASE).wrapping_add(u64::from(unit)).wrapping_sub(self.first.wrapping_mul(leaving));
        self.at = (self.at + 1) % WINDOW;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash by its definition: the window from a line on, padded with zeros.
    fn by_definition(units: &[u16]) -> u64 {
        let mut window: Vec<u16> = units.iter().copied().take(WINDOW).collect();
        window.resize(WINDOW, 0);
        window.iter().fold(0u64, |hash, unit| hash.wrapping_mul(BASE).wrapping_add(u64::from(*unit)))
    }

    #[test]
    fn a_line_hash_is_the_hash_of_the_window_from_the_line_on() {
        let text = "fn a() {\n\tlet x = 1;\r\n}\n\nfn a() {\n";
        let squeezed: Vec<u16> = "fna(){\nletx=1;\n}\n\nfna(){\n".encode_utf16().chain([u16::MAX]).collect();
        let starts = [0, 7, 15, 17, 18];
        let hashes = of_lines(text);
        for (line, start) in starts.into_iter().enumerate() {
            assert_eq!(hashes[line], format!("{:x}:1", by_definition(&squeezed[start..])), "line {line}");
        }
    }

    #[test]
    fn equal_windows_are_counted_and_blanks_do_not_matter() {
        let line = format!("{}\n", "x".repeat(120));
        let hashes = of_lines(&line.repeat(3));
        assert_eq!(hashes[0].split(':').next(), hashes[1].split(':').next());
        assert_eq!((hashes[0].ends_with(":1"), hashes[1].ends_with(":2")), (true, true));
        assert_eq!(of_lines("a b\tc\n"), of_lines("abc\n"));
        assert_eq!(of_lines("a\r\nb\r\n"), of_lines("a\nb\n"));
    }
}
