//! The terminal: progress for people on stderr when a person is looking, and the report that a driver ends with.

use std::io::{IsTerminal, Write};

/// Prints one line of progress when stderr is a terminal; a closed stderr is ignored.
pub fn progress(line: &str) {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        let _ = writeln!(stderr, "{}", crate::base::path::printable(line));
    }
}

/// Prints a report for people on stderr, terminal or not; a closed stderr is ignored.
pub fn report(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
