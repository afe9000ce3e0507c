//! The policy of a gate: how many consecutive clean waves each tier needs. Read from the trusted commit alone, bound by its numbers.
//!
//! Source: waves spec §3 and §20; issue 5, Policy.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::tier::Tier;
use crate::base::digest::sha256_hex;
use crate::base::reason::words;

/// The numbers of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passes {
    /// Of the tier small.
    pub small: u64,
    /// Of the tier normal.
    pub normal: u64,
    /// Of the tier complex.
    pub complex: u64,
}

/// What holds where nobody says otherwise (the seed's table).
pub const BUILT_IN: Passes = Passes { small: 1, normal: 3, complex: 6 };

/// The most a tier may ask for.
pub const MOST: u64 = 30;

words! {
    /// Why numbers are no policy.
    Refusal {
        OutOfRange "out_of_range",
        NotMonotonic "not_monotonic",
        Malformed "malformed",
    }
}

impl Passes {
    /// Checks the numbers: from 1 to 30, and rising with the tier.
    ///
    /// # Errors
    /// Why they are no policy.
    pub fn check(self) -> Result<Passes, Refusal> {
        if [self.small, self.normal, self.complex].iter().any(|n| !(1..=MOST).contains(n)) {
            return Err(Refusal::OutOfRange);
        }
        if self.small <= self.normal && self.normal <= self.complex { Ok(self) } else { Err(Refusal::NotMonotonic) }
    }

    /// How many a tier needs.
    pub fn of(self, tier: Tier) -> u64 {
        match tier {
            Tier::Small => self.small,
            Tier::Normal => self.normal,
            Tier::Complex => self.complex,
        }
    }

    /// What selections, passes and receipts are bound to: the numbers, and not where they were read.
    pub fn binding(self) -> String {
        sha256_hex(format!("review-policy-v1:small={},normal={},complex={}", self.small, self.normal, self.complex).as_bytes())
    }
}

/// The policy of a `.dex/dex.md`: none without its heading. Exactly one heading, and a table of exactly three settings under it.
///
/// # Errors
/// Why the table is no policy.
pub fn of_markdown(text: &str) -> Result<Option<Passes>, Refusal> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let heads: Vec<usize> = lines.iter().enumerate().filter(|(_, l)| **l == "## Review Policy").map(|(at, _)| at).collect();
    let [at] = heads.as_slice() else {
        return if heads.is_empty() { Ok(None) } else { Err(Refusal::Malformed) };
    };
    let section: Vec<&str> =
        lines[at + 1..].iter().take_while(|l| !l.starts_with("## ")).filter(|l| !l.trim().is_empty()).copied().collect();
    let cells = |line: &str| -> Option<(String, String)> {
        let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
        let (a, b) = inner.split_once('|')?;
        (!b.contains('|')).then(|| (a.trim().trim_matches('`').to_owned(), b.trim().to_owned()))
    };
    let [head, rule, rows @ ..] = section.as_slice() else { return Err(Refusal::Malformed) };
    let dashes = |text: &str| text.len() >= 3 && text.bytes().all(|b| matches!(b, b'-' | b':'));
    let titled = cells(head) == Some(("Setting".to_owned(), "Value".to_owned()));
    if !titled || !cells(rule).is_some_and(|(a, b)| dashes(&a) && dashes(&b)) || rows.len() != 3 {
        return Err(Refusal::Malformed);
    }
    let mut values: BTreeMap<String, u64> = BTreeMap::new();
    for row in rows {
        let (name, value) = cells(row).ok_or(Refusal::Malformed)?;
        let plain = (1..=2).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_digit()) && !value.starts_with('0');
        let value = value.parse().ok().filter(|_| plain).ok_or(Refusal::Malformed)?;
        if values.insert(name, value).is_some() {
            return Err(Refusal::Malformed);
        }
    }
    let value = |name: &str| values.get(name).copied().ok_or(Refusal::Malformed);
    let passes =
        Passes { small: value("small_clean_passes")?, normal: value("normal_clean_passes")?, complex: value("complex_clean_passes")? };
    passes.check().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(small: u64, normal: u64, complex: u64) -> Passes {
        Passes { small, normal, complex }
    }

    #[test]
    fn the_golden_bindings_hold() {
        assert_eq!(passes(3, 6, 9).binding(), "0a9d60d43dec15dbeeaa3d50bfc4f846404b9395009c63afe08b07872a3acb18");
        assert_eq!(BUILT_IN.binding(), "2bce689e96dcf9f9fd7b327d314c9210cea8d108abd74e27d3163311d1501ca6");
        assert_eq!(passes(1, 2, 3).binding(), "430649b970ba741c76ad24ae43a82158d6934fa2b5b86894657b8d6c33e11215");
    }

    #[test]
    fn numbers_lie_between_one_and_thirty_and_rise() {
        assert_eq!(passes(0, 3, 6).check(), Err(Refusal::OutOfRange));
        assert_eq!(passes(1, 3, 31).check(), Err(Refusal::OutOfRange));
        assert_eq!(passes(4, 3, 6).check(), Err(Refusal::NotMonotonic));
        assert_eq!(passes(30, 30, 30).check(), Ok(passes(30, 30, 30)));
    }

    #[test]
    fn a_table_is_read_whole_or_refused() {
        let table = |rows: &str| format!("# x\n\n## Review Policy\n\n| Setting | Value |\n|---|---|\n{rows}\n## Next\n| a | b |\n");
        let good = table("| normal_clean_passes | 4 |\n| small_clean_passes | 2 |\n| complex_clean_passes | 8 |\n");
        assert_eq!(of_markdown(&good), Ok(Some(passes(2, 4, 8))));
        assert_eq!(of_markdown("# nothing here\n"), Ok(None));
        for rows in [
            "| small_clean_passes | 2 |\n| normal_clean_passes | 4 |\n",
            "| small_clean_passes | 2 |\n| small_clean_passes | 2 |\n| complex_clean_passes | 8 |\n",
            "| small_clean_passes | 02 |\n| normal_clean_passes | 4 |\n| complex_clean_passes | 8 |\n",
            "| small_clean_passes | 2 |\n| normal_clean_passes | 4 |\n| complex_clean_passes | 8 |\n| extra | 1 |\n",
            "| small_clean_passes | two |\n| normal_clean_passes | 4 |\n| complex_clean_passes | 8 |\n",
        ] {
            assert_eq!(of_markdown(&table(rows)), Err(Refusal::Malformed), "{rows}");
        }
        assert_eq!(of_markdown(&format!("{good}{good}")), Err(Refusal::Malformed));
        let falling = table("| small_clean_passes | 5 |\n| normal_clean_passes | 4 |\n| complex_clean_passes | 8 |\n");
        assert_eq!(of_markdown(&falling), Err(Refusal::NotMonotonic));
    }
}
