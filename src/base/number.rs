//! Numbers on the command line: plain decimal within bounds, nothing else (no sign, blank, exponent or hex).

use super::fail::{Code, Fail};

/// The largest round number and the largest cap that make sense to anybody.
pub const MAX_ROUND: u64 = 1_000_000;

/// Reads a plain decimal within `bounds`.
///
/// # Errors
/// `INVALID_ARGUMENT` naming the flag and the bounds.
pub fn plain(flag: &str, text: &str, bounds: std::ops::RangeInclusive<u64>) -> Result<u64, Fail> {
    digits(text).filter(|n| bounds.contains(n)).ok_or_else(|| {
        let shown = super::path::printable(text);
        let message = format!("`{flag} {shown}` is not a plain decimal from {} to {}", bounds.start(), bounds.end());
        Fail::new(Code::InvalidArgument, message)
    })
}

/// Reads a round number.
///
/// # Errors
/// `INVALID_ROUND`.
pub fn round(text: Option<&str>) -> Result<u64, Fail> {
    let text = text.unwrap_or_default();
    digits(text).filter(|n| (1..=MAX_ROUND).contains(n)).ok_or_else(|| {
        let shown = super::path::printable(text);
        Fail::new(Code::InvalidRound, format!("the round number `{shown}` is not a plain decimal from 1 to {MAX_ROUND}"))
    })
}

/// The largest number that is read anywhere: every JSON reader keeps it exactly.
pub const MAX_EXACT: u64 = 1 << 53;

/// Decimal digits only; `None` for anything else and for what is over [`MAX_EXACT`].
pub fn digits(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|n| *n <= MAX_EXACT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_decimals_within_bounds_are_numbers() {
        for bad in ["", "0", " 1", "1 ", "1e0", "0x1", "1.0", "-1", "+1", "1000001", "99999999999999999999999"] {
            assert_eq!(round(Some(bad)).unwrap_err().code, Code::InvalidRound, "{bad:?}");
        }
        assert_eq!(round(Some("0007")).unwrap(), 7);
        assert_eq!(plain("--x", "5", 1..=4).unwrap_err().code, Code::InvalidArgument);
    }
}
