//! SHA-256 as hex, and framed hashing: every part goes in with its length, so that no two inputs share a stream.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// The lower-case hex SHA-256 of `bytes`.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The raw SHA-256 of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The lower-case hex HMAC-SHA-256 of `bytes` by `key`.
pub fn hmac_hex(key: &[u8], bytes: &[u8]) -> String {
    // Every length of key is one; the type says otherwise for other macs.
    Hmac::<Sha256>::new_from_slice(key).map(|mac| hex(&mac.chain_update(bytes).finalize().into_bytes())).unwrap_or_default()
}

/// A running SHA-256.
#[derive(Clone, Default)]
pub struct Stream(Sha256);

impl Stream {
    /// An empty stream.
    pub fn new() -> Stream {
        Stream::default()
    }

    /// Adds bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Stream {
        self.0.update(bytes);
        self
    }

    /// Adds the length as 64-bit big-endian, then the bytes.
    pub fn framed(&mut self, bytes: &[u8]) -> &mut Stream {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
        self
    }

    /// The raw digest.
    pub fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }

    /// The digest as lower-case hex.
    pub fn finish_hex(self) -> String {
        hex(&self.finish())
    }
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|b| [DIGITS[usize::from(b >> 4)], DIGITS[usize::from(b & 15)]]).map(char::from).collect()
}

/// Whether `text` is 64 lower-case hex digits.
pub fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mac_is_the_one_of_rfc_4231() {
        let mac = hmac_hex(&[0x0b; 20], b"Hi There");
        assert_eq!(mac, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    }

    #[test]
    fn framing_tells_borders_apart() {
        let mut a = Stream::new();
        a.framed(b"ab").framed(b"c");
        let mut b = Stream::new();
        b.framed(b"a").framed(b"bc");
        assert_ne!(a.finish(), b.finish());
        assert_eq!(sha256_hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
