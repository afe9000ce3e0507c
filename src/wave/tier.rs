//! Tiers of risk, the codes that give their reasons, and which codes go with which tier and source.
//!
//! Source: waves spec §2; wave-review seed, Risk Selection.

use serde::{Deserialize, Serialize};

use crate::base::reason::words;

words! {
    /// How deep a change is reviewed.
    Tier {
        Small "small",
        Normal "normal",
        Complex "complex",
    }
}

words! {
    /// The profile of a wave, one for each tier.
    Profile {
        Light "light",
        Standard "standard",
        Thorough "thorough",
    }
}

words! {
    /// Why a tier was chosen.
    ReasonCode {
        LocalizedChange "localized-change",
        FocusedVerification "focused-verification",
        BoundedProductionChange "bounded-production-change",
        CrossModule "cross-module",
        PublicContract "public-contract",
        SecuritySensitive "security-sensitive",
        DataMigration "data-migration",
        Concurrency "concurrency",
        ShellHooksCi "shell-hooks-ci",
        DeploymentPackaging "deployment-packaging",
        BroadImpact "broad-impact",
        UncertainCoverage "uncertain-coverage",
        DeclaredSensitivePath "declared-sensitive-path",
        OperatorOverride "operator-override",
        WaveEscalation "wave-escalation",
    }
}

words! {
    /// Who selected a tier.
    Source {
        Environment "environment",
        LifecycleAgent "lifecycle-agent",
        LifecycleAssessor "lifecycle-assessor",
        StandaloneAssessor "standalone-assessor",
        DeterministicFloor "deterministic-floor",
        WaveEscalation "wave-escalation",
    }
}

words! {
    /// Why a selection is none.
    Refusal {
        UnknownTier "unknown_tier",
        UnknownCode "unknown_code",
        NoCodes "no_codes",
        TooLong "too_long",
        Contradiction "contradiction",
        ReservedCode "reserved_code",
        CriteriaMissing "criteria_missing",
        CriteriaPresent "criteria_present",
    }
}

impl Tier {
    /// A tier by its word or by one of its other names.
    pub fn find(word: &str) -> Option<Tier> {
        match word.to_ascii_lowercase().as_str() {
            "small" | "light" => Some(Tier::Small),
            "normal" | "standard" => Some(Tier::Normal),
            "complex" | "thorough" | "high" | "high-risk" => Some(Tier::Complex),
            _ => None,
        }
    }

    /// The profile of its waves.
    pub fn profile(self) -> Profile {
        match self {
            Tier::Small => Profile::Light,
            Tier::Normal => Profile::Standard,
            Tier::Complex => Profile::Thorough,
        }
    }
}

impl ReasonCode {
    /// Whether the code alone makes a change complex.
    pub fn is_complex(self) -> bool {
        use ReasonCode as C;
        matches!(
            self,
            C::CrossModule
                | C::PublicContract
                | C::SecuritySensitive
                | C::DataMigration
                | C::Concurrency
                | C::ShellHooksCi
                | C::DeploymentPackaging
                | C::BroadImpact
                | C::UncertainCoverage
                | C::DeclaredSensitivePath
        )
    }

    /// Whether only this program writes it.
    pub fn is_reserved(self) -> bool {
        matches!(self, ReasonCode::OperatorOverride | ReasonCode::WaveEscalation)
    }
}

/// A selected tier with its reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// The tier.
    pub tier: Tier,
    /// Who selected it.
    pub source: Source,
    /// Why, sorted and unique.
    pub reason_codes: Vec<ReasonCode>,
}

/// Reads reason codes: comma-separated, at most 200 characters.
///
/// # Errors
/// `NoCodes`, `TooLong`, `UnknownCode`.
pub fn codes(text: &str) -> Result<Vec<ReasonCode>, Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::NoCodes);
    }
    if text.chars().count() > 200 {
        return Err(Refusal::TooLong);
    }
    let mut codes: Vec<ReasonCode> = text.split(',').map(|c| ReasonCode::parse(c).ok_or(Refusal::UnknownCode)).collect::<Result<_, _>>()?;
    codes.sort_unstable();
    codes.dedup();
    Ok(codes)
}

/// Checks a selection: the codes go with the tier, and with who selected it; `standalone` says that there are no criteria.
///
/// # Errors
/// Why it is none.
pub fn check(selection: &Selection, standalone: bool) -> Result<(), Refusal> {
    let codes = &selection.reason_codes;
    if codes.is_empty() {
        return Err(Refusal::NoCodes);
    }
    let only = |code: ReasonCode| if codes.as_slice() == [code] { Ok(()) } else { Err(Refusal::ReservedCode) };
    match selection.source {
        Source::Environment => return only(ReasonCode::OperatorOverride),
        Source::WaveEscalation => return only(ReasonCode::WaveEscalation),
        Source::LifecycleAgent | Source::LifecycleAssessor if standalone => return Err(Refusal::CriteriaMissing),
        Source::StandaloneAssessor if !standalone => return Err(Refusal::CriteriaPresent),
        _ => {}
    }
    if codes.iter().any(|c| c.is_reserved()) {
        return Err(Refusal::ReservedCode);
    }
    let has = |code| codes.contains(&code);
    let complex = codes.iter().any(|c| c.is_complex());
    let (local, focused) = (has(ReasonCode::LocalizedChange), has(ReasonCode::FocusedVerification));
    let bounded = has(ReasonCode::BoundedProductionChange);
    let goes = match selection.tier {
        Tier::Small => local && focused && !bounded && !complex,
        Tier::Normal => !complex && (bounded || !local || !focused),
        Tier::Complex => complex,
    };
    if goes { Ok(()) } else { Err(Refusal::Contradiction) }
}

/// The higher of two selections: a tier only ever rises. The first one stays where both are of one tier.
pub fn higher(current: Selection, other: Selection) -> Selection {
    if other.tier > current.tier { other } else { current }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn selection(tier: Tier, source: Source, text: &str) -> Selection {
        Selection { tier, source, reason_codes: codes(text).unwrap() }
    }

    fn on(tier: Tier, source: Source, text: &str) -> Result<(), Refusal> {
        check(&selection(tier, source, text), source == Source::StandaloneAssessor)
    }

    #[test]
    fn codes_go_with_tiers() {
        use Source::StandaloneAssessor as S;
        assert_eq!(on(Tier::Small, S, "localized-change,focused-verification"), Ok(()));
        assert_eq!(on(Tier::Small, S, "localized-change"), Err(Refusal::Contradiction));
        assert_eq!(on(Tier::Small, S, "localized-change,focused-verification,concurrency"), Err(Refusal::Contradiction));
        assert_eq!(on(Tier::Normal, S, "bounded-production-change"), Ok(()));
        assert_eq!(on(Tier::Normal, S, "localized-change,focused-verification"), Err(Refusal::Contradiction));
        assert_eq!(on(Tier::Normal, S, "security-sensitive"), Err(Refusal::Contradiction));
        assert_eq!(on(Tier::Complex, S, "security-sensitive,localized-change"), Ok(()));
        assert_eq!(on(Tier::Complex, S, "bounded-production-change"), Err(Refusal::Contradiction));
    }

    #[test]
    fn sources_go_with_codes_and_criteria() {
        assert_eq!(on(Tier::Small, Source::Environment, "operator-override"), Ok(()));
        assert_eq!(on(Tier::Small, Source::Environment, "localized-change"), Err(Refusal::ReservedCode));
        assert_eq!(on(Tier::Complex, Source::WaveEscalation, "wave-escalation"), Ok(()));
        assert_eq!(on(Tier::Complex, Source::LifecycleAgent, "operator-override"), Err(Refusal::ReservedCode));
        let assessed = selection(Tier::Complex, Source::LifecycleAssessor, "concurrency");
        assert_eq!((check(&assessed, true), check(&assessed, false)), (Err(Refusal::CriteriaMissing), Ok(())));
        let alone = selection(Tier::Complex, Source::StandaloneAssessor, "concurrency");
        assert_eq!(check(&alone, false), Err(Refusal::CriteriaPresent));
    }

    #[test]
    fn codes_are_a_closed_vocabulary() {
        assert_eq!(codes(""), Err(Refusal::NoCodes));
        assert_eq!(codes("free prose"), Err(Refusal::UnknownCode));
        assert_eq!(codes("concurrency,"), Err(Refusal::UnknownCode));
        assert_eq!(codes(&"concurrency,".repeat(30)), Err(Refusal::TooLong));
        assert_eq!(codes("concurrency,concurrency").unwrap().len(), 1);
        let names = ["light", "standard", "thorough", "high", "high-risk", "SMALL", "tiny"];
        assert_eq!(names.map(|n| Tier::find(n).is_some()), [true, true, true, true, true, true, false]);
    }

    proptest! {
        #[test]
        fn a_tier_never_falls(a in 0usize..3, b in 0usize..3) {
            let at = |n: usize| selection(Tier::ALL[n], Source::Environment, "operator-override");
            let kept = higher(at(a), at(b));
            prop_assert!(kept.tier >= at(a).tier && kept.tier >= at(b).tier);
        }
    }
}
