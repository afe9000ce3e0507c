//! What a command is given on standard input: read once, within the limit of foreign text.

use std::io::Read;

use review_loop::base::{Code, Fail};
use review_loop::host::files::TEXT_LIMIT;

pub(crate) fn stdin() -> Result<Vec<u8>, Fail> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(TEXT_LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|e| Fail::new(Code::NotFound, format!("standard input cannot be read: {}", e.kind())))?;
    if bytes.len() as u64 > TEXT_LIMIT {
        return Err(Fail::new(Code::TooLarge, format!("standard input holds more than {TEXT_LIMIT} bytes")));
    }
    Ok(bytes)
}
