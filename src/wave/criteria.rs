//! Approved criteria: requirements as data, bound by the hash of their canonical form, every item by its own.
//!
//! Source: waves spec §4 and §20.

use serde_json::{Value, json};

use crate::base::canon::canonical;
use crate::base::digest::sha256_hex;
use crate::base::reason::words;

words! {
    /// Where criteria come from.
    Source {
        ApprovedPlan "approved-plan",
        HeadlessRunSpec "headless-run-spec",
    }
}

words! {
    /// A list of criteria, with the most items it may hold.
    Section {
        Objectives "objectives",
        AcceptanceCriteria "acceptance_criteria",
        VerificationRequirements "verification_requirements",
    }
}

words! {
    /// Why a text is no criterion.
    Refusal {
        Empty "empty",
        TooMany "too_many",
        TooLong "too_long",
        Blanks "blanks",
        Control "control",
        Repeated "repeated",
        Placeholder "placeholder",
    }
}

impl Section {
    /// The most items.
    pub fn most(self) -> usize {
        if self == Section::Objectives { 32 } else { 64 }
    }
}

/// The word that stands in for the hash where there are no criteria.
pub const STANDALONE: &str = "standalone";

/// The largest document.
pub const LARGEST: u64 = 65_536;

/// Criteria.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Criteria {
    /// Where they come from.
    pub source: Source,
    /// The items of each section, in the order of [`Section::ALL`].
    pub items: [Vec<String>; 3],
}

impl Criteria {
    /// The items of a section.
    pub fn of(&self, section: Section) -> &[String] {
        &self.items[section as usize]
    }

    /// Every offence, by section and place.
    pub fn offences(&self) -> Vec<(Section, usize, Refusal)> {
        let mut found = Vec::new();
        for section in Section::ALL {
            let items = self.of(*section);
            if items.is_empty() {
                found.push((*section, 0, Refusal::Empty));
            }
            if items.len() > section.most() {
                found.push((*section, section.most(), Refusal::TooMany));
            }
            let mut seen = std::collections::BTreeSet::new();
            for (at, text) in items.iter().enumerate() {
                let repeated = !seen.insert(text);
                found.extend(offence(text, repeated).map(|why| (*section, at, why)));
            }
        }
        found
    }

    /// What everything of a gate is bound to.
    pub fn binding(&self) -> String {
        let [objectives, acceptance, verification] = &self.items;
        let value = json!({
            "version": 1,
            "source": self.source,
            "objectives": objectives,
            "acceptance_criteria": acceptance,
            "verification_requirements": verification,
        });
        sha256_hex(&canonical(&value))
    }

    /// The hash of each item of a section, by its place.
    pub fn hashes(&self, section: Section) -> Vec<String> {
        self.of(section).iter().enumerate().map(|(at, text)| item_hash(section, at, text)).collect()
    }
}

/// The hash of one item: its section, its place from 0, its text.
pub fn item_hash(section: Section, at: usize, text: &str) -> String {
    let value = Value::Array(vec![json!(section), json!(at), json!(text)]);
    sha256_hex(&canonical(&value))
}

fn offence(text: &str, repeated: bool) -> Option<Refusal> {
    let lower = text.to_lowercase();
    let stands_for_nothing = ["n/a", "na", "tbd", "todo", "placeholder"].contains(&lower.as_str());
    let bracketed = text.starts_with('<') && text.ends_with('>');
    match () {
        () if text.is_empty() => Some(Refusal::Empty),
        () if text.chars().count() > 2000 => Some(Refusal::TooLong),
        () if text.trim() != text => Some(Refusal::Blanks),
        () if text.chars().any(|c| (c as u32) < 0x20 || c as u32 == 0x7f) => Some(Refusal::Control),
        () if repeated => Some(Refusal::Repeated),
        () if stands_for_nothing || bracketed => Some(Refusal::Placeholder),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn criteria(objective: &str) -> Criteria {
        Criteria { source: Source::ApprovedPlan, items: [vec![objective.into()], vec!["A".into()], vec!["V".into()]] }
    }

    #[test]
    fn the_golden_hashes_hold() {
        let criteria = criteria("Ship é.");
        assert_eq!(criteria.binding(), "5cec2efe6dbf28a940a9ca035f6f87f5a4a35741044985a62b1680579ca19fec");
        let hash = |section| criteria.hashes(section).remove(0);
        assert_eq!(hash(Section::Objectives), "68cca17090217058b515b73023583ed8a4f3698d616a45c11ae44032d26f42c2");
        assert_eq!(hash(Section::AcceptanceCriteria), "92b2cfcfa2d0eeb89e2ad1b7db4616b361a028ea806cff3ab276088e3f620d14");
        assert_eq!(hash(Section::VerificationRequirements), "61500818cbd3ca1a4eb035d7f59b38a4e578b8e7b05811538568453ae689763f");
    }

    #[test]
    fn an_item_says_something_once() {
        let why = |text: &str| criteria(text).offences().first().map(|o| o.2);
        assert_eq!(why("Ship it."), None);
        for (text, refusal) in [
            ("", Refusal::Empty),
            (" x", Refusal::Blanks),
            ("a\u{7}b", Refusal::Control),
            ("TBD", Refusal::Placeholder),
            ("<goal>", Refusal::Placeholder),
            (&"x".repeat(2001), Refusal::TooLong),
        ] {
            assert_eq!(why(text), Some(refusal), "{text:?}");
        }
        let twice = Criteria { items: [vec!["a".into(), "a".into()], vec![], vec!["v".into()]], ..criteria("x") };
        let rules: Vec<Refusal> = twice.offences().into_iter().map(|o| o.2).collect();
        assert_eq!(rules, [Refusal::Repeated, Refusal::Empty]);
    }
}
