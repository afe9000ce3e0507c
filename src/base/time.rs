//! Times as values: milliseconds since 1970 UTC, printed and read as ISO 8601.

use jiff::Timestamp;

/// Milliseconds as `2026-11-30T12:00:00.000Z`.
pub fn iso_ms(ms: i64) -> String {
    let stamp = Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{stamp:.3}")
}

/// Reads an ISO 8601 time with offset into milliseconds.
pub fn parse_iso(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

/// `2026-11-30-120000`: the stem of report names.
pub fn file_stem(ms: i64) -> String {
    let iso = iso_ms(ms);
    let (date, time) = iso.split_at(10);
    let time: String = time.chars().filter(char::is_ascii_digit).take(6).collect();
    format!("{date}-{time}")
}

/// `2026-11-30`.
pub fn date(ms: i64) -> String {
    iso_ms(ms)[..10].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_round_trip() {
        let text = "2026-11-30T12:34:56.789Z";
        let ms = parse_iso(text).unwrap();
        assert_eq!(iso_ms(ms), text);
        assert_eq!(file_stem(ms), "2026-11-30-123456");
        assert_eq!(date(ms), "2026-11-30");
        assert_eq!(iso_ms(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(parse_iso("yesterday"), None);
    }
}
