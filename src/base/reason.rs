//! Warning, contradiction and stop words: closed vocabularies that answers carry beside their fields.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $(#[doc = $word] $variant,)* }

        impl $name {
            /// Every word of the vocabulary.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The word as printed.
            pub fn word(self) -> &'static str { match self { $($name::$variant => $word,)* } }

            /// Reads the word as printed.
            pub fn parse(text: &str) -> Option<$name> { match text { $($word => Some($name::$variant),)* _ => None } }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> { to.serialize_str(self.word()) }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$name, D::Error> {
                let word = <String as serde::Deserialize>::deserialize(from)?;
                $name::parse(&word).ok_or_else(|| serde::de::Error::custom("a word that is none of the vocabulary"))
            }
        }
    };
}
pub(crate) use words;

words! {
    /// Contradictions and reasons of reports and responses (cases/reports/README.md §5 and §6).
    Contradiction {
        ApproveWithHigh "approve_with_high",
        CleanPhraseWithFindings "clean_phrase_with_findings",
        ConflictingVerdicts "conflicting_verdicts",
        CouldNotReview "could_not_review",
        CountsDisagree "counts_disagree",
        DuplicateItem "duplicate_item",
        DuplicateKeys "duplicate_keys",
        EchoedTemplate "echoed_template",
        ErrorReported "error_reported",
        ImplementedExceedsAccepted "implemented_exceeds_accepted",
        ItemsDisagree "items_disagree",
        MissingDecision "missing_decision",
        NoAnswer "no_answer",
        RateLimited "rate_limited",
        RejectedWithoutLocation "rejected_without_location",
        Truncated "truncated",
        UnrecognizedVerdict "unrecognized_verdict",
        VerdictWithoutFindings "verdict_without_findings",
    }
}

words! {
    /// Why the rounds loop stops: the conditions of deep-review seed §5 in its order, then the patterns of
    /// cases/churn/README.md that add a stop.
    StopReason {
        ReadyForImplementation "READY_FOR_IMPLEMENTATION",
        Approved "APPROVED",
        DocumentBlocked "DOCUMENT_BLOCKED",
        MaxRounds "MAX_ROUNDS",
        Stalled "stalled",
        Halted "halted",
        OperationalFailures "operational_failures",
        UserStop "user_stop",
        DeferAndStop "defer_and_stop",
        NoReviewers "no_reviewers",
        NoCodexRole "no_codex_role",
        NothingAccepted "nothing_accepted",
        NoEvidenceOfProgress "no_evidence_of_progress",
        SurfaceUnmoved "surface_unmoved",
        OnlyLowYield "only_low_yield",
        NoConvergence "no_convergence",
    }
}
