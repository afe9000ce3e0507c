//! What a command that reviews has said: its report, or why none of what it left counts.
//!
//! Takes how it ended, what it printed, what it wrote, and what either comes to; gives the report. Source: issue 2 (a reviewer may
//! exit with 1 to say that it found something; one that dies never approves).

use crate::base::reason::words;

words! {
    /// What a text comes to.
    Said {
        Approves "approves",
        Rejects "rejects",
        Nothing "nothing",
    }
}

/// The report of a command: what it wrote, else what it printed.
///
/// # Errors
/// Why neither can be taken, as a sentence.
pub fn report<'b>(code: Option<i32>, printed: (&'b [u8], Said), written: Option<(&'b [u8], Said)>) -> Result<&'b [u8], String> {
    let (report, said) = match written {
        Some((_, Said::Approves)) if printed.1 == Said::Rejects => {
            return Err("the source wrote an approval and printed findings; neither is taken".to_owned());
        }
        Some(written) => written,
        None => printed,
    };
    match code {
        Some(0) => Ok(report),
        Some(1) if said == Said::Rejects => Ok(report),
        Some(code) => Err(format!("the source ended with {code}")),
        None => Err("the source ended with a signal".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_never_approves_and_two_voices_are_none() {
        let text = |t: &'static str, said: Said| (t.as_bytes(), said);
        let ok = |code, printed, written| report(code, printed, written).is_ok();
        assert!(ok(Some(0), text("a", Said::Approves), None));
        assert!(ok(Some(1), text("b", Said::Rejects), None));
        for code in [Some(1), Some(2), Some(137), None] {
            assert!(!ok(code, text("a", Said::Approves), None));
        }
        assert!(!ok(Some(2), text("b", Said::Rejects), None));
        assert!(!ok(Some(0), text("b", Said::Rejects), Some(text("a", Said::Approves))));
        let taken = report(Some(0), text("p", Said::Nothing), Some(text("w", Said::Approves)));
        assert_eq!(taken, Ok(&b"w"[..]));
    }
}
