//! The terminal: progress for people on stderr, and only when a person is looking.

use std::io::{IsTerminal, Write};

/// Prints one line of progress when stderr is a terminal; a closed stderr is ignored.
pub fn progress(line: &str) {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        let _ = writeln!(stderr, "{}", crate::base::path::printable(line));
    }
}
