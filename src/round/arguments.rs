//! The loop's argument grammar: what `deep-review-loop` accepts, expanded once, and never parsed by a model.
//!
//! Source: deep-review seed §0; rounds spec §2.1. Model and effort names are opaque and passed on unchanged.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::base::{Code, Fail, number, path};

/// The highest cap that may be asked for.
pub const MAX_CAP: u64 = 1000;
/// The cap of an implementation scope when none was asked for.
pub const DEFAULT_CAP: u64 = 5;

/// The reviewers there are, in id order, and whose they are.
pub const REVIEWER_PROVIDERS: [(&str, &str); 4] =
    [("claude-opus", "claude"), ("codex-review", "codex"), ("codex-adversarial", "codex"), ("agy", "agy")];

/// The provider of a reviewer.
pub fn provider_of(reviewer: &str) -> Option<&'static str> {
    REVIEWER_PROVIDERS.iter().find(|(id, _)| *id == reviewer).map(|(_, p)| *p)
}

/// Model and effort of one provider or reviewer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// Opaque.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Opaque.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
}

/// What the arguments override; printed only when anything is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overrides {
    /// Always `2.0`.
    pub protocol_version: &'static str,
    /// `--allow-classifier`
    pub allow_classifier: bool,
    /// `--model`, `--effort`
    pub providers: BTreeMap<String, Choice>,
    /// `--reviewer-model`, `--reviewer-effort`
    pub reviewers: BTreeMap<String, Choice>,
    /// `--codex-only`
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub codex_only: bool,
    /// `--allow-fallback`
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allow_fallback: bool,
    /// `--reviewer-strategy`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer_strategy: Option<String>,
    /// `--routing`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routing_policy: Option<String>,
    /// `--readiness-receipt`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readiness_receipt: Option<String>,
    /// Providers switched on by name.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub enabled_providers: BTreeSet<String>,
    /// Reviewers that were named.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub required_reviewers: BTreeSet<String>,
    /// `--codex`, `--agy`
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub required_providers: BTreeSet<String>,
    /// `--no-…`
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub disabled_providers: BTreeSet<String>,
}

/// Arguments as understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expanded {
    /// The tokens with `--codex-only` expanded in place.
    pub argv: Vec<String>,
    /// The cap.
    pub max: u64,
    /// Whether it was asked for.
    pub max_explicit: bool,
    /// `--session-doc`
    pub session_doc: bool,
    /// `--ultracode`
    pub ultracode: bool,
    /// Where a readiness receipt lies, as written.
    pub readiness_receipt: Option<String>,
    /// What is overridden.
    pub overrides: Overrides,
}

const SWITCHES: [&str; 9] =
    ["--entropy", "--ultracode", "--codex", "--no-codex", "--no-opus", "--no-agy", "--agy", "--allow-fallback", "--allow-classifier"];

struct Parser {
    argv: Vec<String>,
    seen: BTreeSet<String>,
    out: Expanded,
}

/// Reads the tokens of one call.
///
/// # Errors
/// `INVALID_LOOP_ARGUMENTS` naming the token.
pub fn expand(tokens: &[String]) -> Result<Expanded, Fail> {
    let overrides = Overrides {
        protocol_version: "2.0",
        allow_classifier: false,
        providers: BTreeMap::new(),
        reviewers: BTreeMap::new(),
        codex_only: false,
        allow_fallback: false,
        reviewer_strategy: None,
        routing_policy: None,
        readiness_receipt: None,
        enabled_providers: BTreeSet::new(),
        required_reviewers: BTreeSet::new(),
        required_providers: BTreeSet::new(),
        disabled_providers: BTreeSet::new(),
    };
    let out = Expanded {
        argv: Vec::new(),
        max: DEFAULT_CAP,
        max_explicit: false,
        session_doc: false,
        ultracode: false,
        readiness_receipt: None,
        overrides,
    };
    let mut parser = Parser { argv: Vec::new(), seen: BTreeSet::new(), out };
    let mut rest = tokens.iter().map(String::as_str).peekable();
    while let Some(token) = rest.next() {
        match token {
            "--contract" => {
                parser.once(token)?;
                parser.argv.push(token.to_owned());
                if let Some(slice) = rest.next_if(|t| is_slice(t)) {
                    parser.argv.push(slice.to_owned());
                }
            }
            "--readiness-receipt"
            | "--reviewer-strategy"
            | "--routing"
            | "--model"
            | "--effort"
            | "--reviewer-model"
            | "--reviewer-effort" => {
                let value = rest.next().filter(|v| !v.is_empty() && !v.starts_with("--"));
                let value = value.ok_or_else(|| wrong(token, "needs a value behind it"))?;
                parser.valued(token, value)?;
                parser.argv.extend([token.to_owned(), value.to_owned()]);
            }
            _ => parser.plain(token)?,
        }
    }
    parser.finish()
}

fn is_slice(token: &str) -> bool {
    token.strip_prefix("SLICE-").is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
}

fn wrong(token: &str, why: &str) -> Fail {
    Fail::new(Code::InvalidLoopArguments, format!("the argument `{}` {why}", path::printable(token)))
}

impl Parser {
    fn once(&mut self, token: &str) -> Result<(), Fail> {
        if self.seen.insert(token.to_owned()) { Ok(()) } else { Err(wrong(token, "stands twice")) }
    }

    fn plain(&mut self, token: &str) -> Result<(), Fail> {
        match token {
            "--codex-only" => {
                self.out.overrides.codex_only = true;
                for part in ["--codex", "--no-opus", "--no-agy"] {
                    self.seen.insert(part.to_owned());
                    self.argv.push(part.to_owned());
                }
                return Ok(());
            }
            "--session-doc" => self.out.session_doc = true,
            "init" | "--respond" | "--qa" => {
                return Err(wrong(token, "is a route of its own and never part of a loop"));
            }
            _ if SWITCHES.contains(&token) => {
                self.seen.insert(token.to_owned());
            }
            _ if token.starts_with("--max") => self.cap(token)?,
            _ => return Err(wrong(token, "is unknown to the loop")),
        }
        self.argv.push(token.to_owned());
        Ok(())
    }

    fn cap(&mut self, token: &str) -> Result<(), Fail> {
        let digits = token.strip_prefix("--max=").filter(|d| !d.starts_with('0')).and_then(number::digits);
        let cap = digits.filter(|n| (1..=MAX_CAP).contains(n));
        self.out.max = cap.ok_or_else(|| wrong(token, &format!("must be --max=N with N from 1 to {MAX_CAP}")))?;
        self.out.max_explicit = true;
        self.once("--max")
    }

    fn valued(&mut self, token: &str, value: &str) -> Result<(), Fail> {
        let overrides = &mut self.out.overrides;
        match token {
            "--readiness-receipt" => {
                overrides.readiness_receipt = Some(value.to_owned());
                self.out.readiness_receipt = Some(value.to_owned());
                return self.once(token);
            }
            "--reviewer-strategy" => {
                overrides.reviewer_strategy = Some(one_of(token, value, &["adaptive", "static"])?);
                return self.once(token);
            }
            "--routing" => {
                overrides.routing_policy = Some(one_of(token, value, &["auto", "fast", "balanced", "quality"])?);
                return self.once(token);
            }
            _ => {}
        }
        let (key, chosen) =
            value.split_once('=').filter(|(k, v)| !k.is_empty() && !v.is_empty()).ok_or_else(|| wrong(token, "needs KEY=VALUE"))?;
        let of_reviewer = token.starts_with("--reviewer-");
        let keys: Vec<&str> = if of_reviewer { REVIEWER_PROVIDERS.map(|(id, _)| id).to_vec() } else { vec!["claude", "codex", "agy"] };
        one_of(token, key, &keys)?;
        let table = if of_reviewer { &mut overrides.reviewers } else { &mut overrides.providers };
        let entry = table.entry(key.to_owned()).or_default();
        let slot = if token.ends_with("model") { &mut entry.model } else { &mut entry.effort };
        if slot.replace(chosen.to_owned()).is_some() {
            return Err(wrong(token, &format!("names `{}` twice", path::printable(key))));
        }
        if of_reviewer {
            overrides.required_reviewers.insert(key.to_owned());
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Expanded, Fail> {
        for (one, other) in [("--ultracode", "--no-opus"), ("--codex", "--no-codex"), ("--agy", "--no-agy")] {
            if self.seen.contains(one) && self.seen.contains(other) {
                return Err(wrong(one, &format!("contradicts `{other}`")));
            }
        }
        let has = |flag: &str| self.seen.contains(flag);
        let named = |pairs: &[(&str, &str)]| -> BTreeSet<String> {
            pairs.iter().filter(|(flag, _)| has(flag)).map(|(_, provider)| (*provider).to_owned()).collect()
        };
        let overrides = &mut self.out.overrides;
        overrides.allow_classifier = has("--allow-classifier");
        overrides.allow_fallback = has("--allow-fallback");
        overrides.required_providers = named(&[("--codex", "codex"), ("--agy", "agy")]);
        overrides.enabled_providers = overrides.required_providers.clone();
        overrides.disabled_providers = named(&[("--no-codex", "codex"), ("--no-opus", "claude"), ("--no-agy", "agy")]);
        self.out.ultracode = has("--ultracode");
        if self.out.ultracode {
            overrides.required_reviewers.insert("claude-opus".to_owned());
        }
        let of_reviewers = overrides.reviewers.keys().filter_map(|id| provider_of(id).map(|p| (id, p)));
        let chosen = overrides.providers.keys().map(|p| (p, p.as_str())).chain(of_reviewers);
        for (key, provider) in chosen {
            if overrides.disabled_providers.contains(provider) {
                return Err(Fail::new(
                    Code::InvalidLoopArguments,
                    format!("ERROR_CONFLICTING_REVIEWER_SELECTION: `{key}` is overridden and its provider `{provider}` is disabled"),
                ));
            }
        }
        self.out.argv = self.argv;
        Ok(self.out)
    }
}

fn one_of(token: &str, value: &str, allowed: &[&str]) -> Result<String, Fail> {
    if allowed.contains(&value) { Ok(value.to_owned()) } else { Err(wrong(token, &format!("takes one of {}", allowed.join(", ")))) }
}

impl Overrides {
    /// Whether anything is overridden at all.
    pub fn any(&self) -> bool {
        self.allow_classifier
            || self.codex_only
            || self.allow_fallback
            || self.reviewer_strategy.is_some()
            || self.routing_policy.is_some()
            || self.readiness_receipt.is_some()
            || !(self.providers.is_empty() && self.reviewers.is_empty() && self.required_reviewers.is_empty())
            || !(self.required_providers.is_empty() && self.disabled_providers.is_empty())
    }

    /// Model and effort of a reviewer: its own choice beats its provider's.
    pub fn choice(&self, reviewer: &str) -> Choice {
        let own = self.reviewers.get(reviewer).cloned().unwrap_or_default();
        let shared = provider_of(reviewer).and_then(|p| self.providers.get(p)).cloned().unwrap_or_default();
        Choice { model: own.model.or(shared.model), effort: own.effort.or(shared.effort) }
    }
}

/// The review's arguments of one round (deep-review seed §1; rounds spec §2.3).
///
/// Never holds `--max` or `--session-doc`. After an ultracode round, rounds 2+ drop `--ultracode`, keep Codex and inject
/// `--no-opus --no-agy` together with taking out everything those two would contradict (`--agy`, overrides of claude
/// and agy). The injected `--no-opus` is withheld when Codex is switched off or was unavailable last round, so that at
/// least one reviewer remains. The result always follows the grammar of [`expand`].
pub fn of_round(expanded: &Expanded, round: u64, codex_unavailable: bool) -> Vec<String> {
    let consumed = expanded.ultracode && round > 1;
    let no_codex = expanded.argv.iter().any(|t| t == "--no-codex");
    let drop_opus = consumed && !codex_unavailable && !no_codex;
    let banned = |key: &str| (drop_opus && provider_key(key) == "claude") || (consumed && provider_key(key) == "agy");
    let mut argv = Vec::new();
    let mut tokens = expanded.argv.iter();
    while let Some(token) = tokens.next() {
        match token.as_str() {
            "--session-doc" => {}
            "--ultracode" | "--agy" if consumed => {}
            t if t.starts_with("--max=") => {}
            "--model" | "--effort" | "--reviewer-model" | "--reviewer-effort" => {
                let Some(value) = tokens.next() else { continue };
                if !banned(value.split('=').next().unwrap_or_default()) {
                    argv.extend([token.clone(), value.clone()]);
                }
            }
            _ => argv.push(token.clone()),
        }
    }
    let mut inject = |flag: &str| {
        if !argv.iter().any(|t| t == flag) {
            argv.push(flag.to_owned());
        }
    };
    if consumed {
        if !no_codex {
            inject("--codex");
        }
        if drop_opus {
            inject("--no-opus");
        }
        inject("--no-agy");
    }
    argv
}

fn provider_key(key: &str) -> &str {
    provider_of(key).unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(line: &str) -> Result<Expanded, Fail> {
        expand(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn codex_only_expands_in_place_and_keeps_its_provenance() {
        let expanded = of("--entropy --codex-only --max=3").unwrap();
        assert_eq!(expanded.argv, ["--entropy", "--codex", "--no-opus", "--no-agy", "--max=3"]);
        assert!(expanded.overrides.codex_only && expanded.max_explicit);
    }

    #[test]
    fn what_no_loop_may_hold_is_refused() {
        for line in [
            "init",
            "--respond",
            "--qa",
            "--ultracode --no-opus",
            "--codex --no-codex",
            "--agy --no-agy",
            "--max=0",
            "--max=05",
            "--max=1001",
            "--max",
            "--max=99999999999999999999999",
            "--max=2 --max=3",
            "--dry-run",
            "--prior-rounds-file=x",
            "--routing best",
            "--model claude",
            "--model claude=",
            "--model gpt=x",
            "--model claude=a --model claude=b",
            "--no-opus --model claude=x",
            "--no-codex --reviewer-model codex-review=x",
            "--routing",
            "--readiness-receipt --entropy",
            "SLICE-001",
            "--contract SLICE-x",
            "--codex-only --agy",
        ] {
            assert_eq!(of(line).map(|_| ()).unwrap_err().code, Code::InvalidLoopArguments, "{line}");
        }
        for line in [
            "",
            "--contract",
            "--contract SLICE-001 --entropy",
            "--session-doc --session-doc",
            "--model claude=fable=x --effort claude=high",
            "--max=1000",
        ] {
            assert!(of(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn after_ultracode_nothing_contradicts_the_injected_flags() {
        let expanded = of("--ultracode --agy --model claude=fable --reviewer-effort agy=low --session-doc --max=4").unwrap();
        assert_eq!(of_round(&expanded, 1, false), ["--ultracode", "--agy", "--model", "claude=fable", "--reviewer-effort", "agy=low"]);
        assert_eq!(of_round(&expanded, 2, false), ["--codex", "--no-opus", "--no-agy"]);
        assert_eq!(of_round(&expanded, 2, true), ["--model", "claude=fable", "--codex", "--no-agy"]);
    }

    fn token() -> impl Strategy<Value = String> {
        let words = [
            "--entropy",
            "--ultracode",
            "--codex",
            "--no-codex",
            "--no-opus",
            "--no-agy",
            "--agy",
            "--allow-fallback",
            "--codex-only",
            "--max=3",
            "--session-doc",
            "--contract",
            "--contract SLICE-7",
            "--routing fast",
            "--reviewer-strategy static",
            "--model claude=a",
            "--model agy=b",
            "--effort codex=c",
            "--reviewer-model claude-opus=d",
            "--reviewer-effort codex-review=e",
            "--reviewer-model agy=f",
        ];
        proptest::sample::select(words.map(str::to_owned).to_vec())
    }

    proptest! {
        #[test]
        fn the_arguments_of_every_round_follow_the_grammar(words in proptest::collection::vec(token(), 0..7), round in 1..5u64, gone: bool) {
            if let Ok(expanded) = of(&words.join(" ")) {
                let argv = of_round(&expanded, round, gone);
                let again = expand(&argv);
                prop_assert!(again.is_ok(), "{:?} -> {:?}: {:?}", words, argv, again.err());
                prop_assert!(!argv.iter().any(|t| t.starts_with("--max") || t == "--session-doc"));
                let left = again.unwrap().overrides.disabled_providers;
                prop_assert!(left.len() < 3 || expanded.overrides.disabled_providers.len() == 3);
            }
        }
    }
}
