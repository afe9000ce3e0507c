//! The agents-mode file: which engines review, in what order, how often and how hard (spec/design-loop.md §4).
//!
//! A layer is checked before any of it is used: a typo is a problem with a suggestion and never a setting. Values come from the first layer
//! that states them, and say which one that was.

pub mod normal;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::base::path::printable;

/// What a key may hold.
#[derive(Debug, Clone, Copy)]
enum Holds {
    /// One of the words, the first of which is the default.
    Word(&'static [&'static str]),
    /// One of the words, or the name of a profile.
    Profile(&'static [&'static str]),
    /// One of the words, or `wrapper:` and a command.
    Resolver(&'static [&'static str]),
    /// Profiles of lanes of providers.
    Profiles,
    /// Lanes and how many opinions each takes.
    Counts,
}

/// The keys, in their order.
const KEYS: &[(&str, Holds)] = &[
    ("consultantMode", Holds::Word(&["disabled", "internal", "external"])),
    ("delegationMode", Holds::Word(&["auto", "manual", "force"])),
    ("parallelMode", Holds::Word(&["auto", "manual", "force"])),
    ("mcpMode", Holds::Word(&["auto", "force"])),
    ("preferExternalWorker", Holds::Word(&["false", "true"])),
    ("preferExternalReviewer", Holds::Word(&["false", "true"])),
    ("externalProvider", Holds::Word(&["auto", "codex", "claude", "gemini", "qwen", "kimi", "grok"])),
    ("externalPriorityProfile", Holds::Profile(&["balanced", "quality-first"])),
    ("reserveResolver", Holds::Resolver(&["claude-sonnet", "claude-wrapper", "disabled"])),
    ("externalPriorityProfiles", Holds::Profiles),
    ("externalOpinionCounts", Holds::Counts),
    ("externalCodexWorkdirMode", Holds::Word(&["neutral", "project"])),
    ("externalClaudeWorkdirMode", Holds::Word(&["neutral", "project"])),
    ("externalModelMode", Holds::Word(&["runtime-default", "pinned-top-pro"])),
    ("externalCodexProfile", Holds::Word(&["gpt-5.6-sol-xhigh", "default", "gpt-5.6-sol-max", "gpt-5.6-terra"])),
    ("externalClaudeProfile", Holds::Word(&["opus-xhigh", "sonnet-high", "opus-max", "fable-xhigh"])),
];

/// Keys of older versions, and what became of them.
pub(super) const RETIRED: &[&str] =
    &["externalClaudeApiMode", "externalClaudeSecretMode", "externalGeminiFallbackMode", "externalGeminiWorkdirMode"];

/// The lanes of a profile.
pub const LANES: &[&str] = &[
    "advisory.repo-understanding",
    "advisory.design-adr",
    "design.ui-ux-structure",
    "worker.reasoning-constraints",
    "worker.default-implementation",
    "worker.systems-performance-implementation",
    "worker.ui-implementation",
    "worker.visual-graphics-visualization",
    "review.pre-pr",
    "review.security",
    "review.performance-architecture",
    "review.ui-visual-correctness",
];

/// Providers a lane may name.
const PROVIDERS: &[&str] = &["codex", "claude", "gemini", "qwen", "kimi", "grok", "reserve"];

/// How many opinions a lane may ask for.
const OPINIONS: u64 = 9;

/// Something wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where: the key, and below it.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What may have been meant.
    pub suggestion: Option<String>,
    /// Whether normalize-agents-mode mends it.
    pub mended: bool,
}

/// Whether `reserve` may stand in a lane.
pub fn takes_reserve(lane: &str) -> bool {
    lane.starts_with("advisory.") || lane.starts_with("review.")
}

/// Everything wrong with a file, in the order of its keys. `others` are the further layers, whose profiles it may name.
pub fn problems_beside(file: &Value, others: &[&Value]) -> Vec<Problem> {
    let named = file["externalPriorityProfile"].as_str().unwrap_or_default();
    let known = others.iter().any(|o| o["externalPriorityProfiles"].get(named).is_some());
    problems(file).into_iter().filter(|p| !known || p.key != "externalPriorityProfile").collect()
}

/// Everything wrong with a file by itself, in the order of its keys.
pub fn problems(file: &Value) -> Vec<Problem> {
    let mut found = Vec::new();
    let Some(fields) = file.as_object() else {
        found.push(Problem { key: String::new(), message: "the file is no mapping".into(), suggestion: None, mended: false });
        return found;
    };
    for (key, value) in fields {
        let Some((_, holds)) = KEYS.iter().find(|(name, _)| name == key) else {
            let retired = RETIRED.contains(&key.as_str());
            let message = if retired { "this key is no longer read" } else { "there is no such key" };
            let suggestion = near(key, KEYS.iter().map(|k| k.0)).filter(|_| !retired);
            found.push(Problem { key: printable(key), message: message.into(), suggestion, mended: retired });
            continue;
        };
        check(key, value, *holds, fields, &mut found);
    }
    found
}

fn check(key: &str, value: &Value, holds: Holds, fields: &Map<String, Value>, found: &mut Vec<Problem>) {
    let mut refuse = |key: String, message: String, suggestion: Option<String>, mended: bool| {
        found.push(Problem { key, message, suggestion, mended });
    };
    match holds {
        Holds::Word(words) | Holds::Profile(words) | Holds::Resolver(words) => {
            let word = spelt(value);
            let own: Vec<&str> = match holds {
                Holds::Profile(_) => fields
                    .get("externalPriorityProfiles")
                    .and_then(Value::as_object)
                    .into_iter()
                    .flatten()
                    .map(|(k, _)| k.as_str())
                    .collect(),
                _ => Vec::new(),
            };
            let wrapper = matches!(holds, Holds::Resolver(_))
                && word.as_deref().is_some_and(|w| w.strip_prefix("wrapper:").is_some_and(|c| !c.trim().is_empty()));
            if !wrapper && !word.as_deref().is_some_and(|w| words.contains(&w) || own.contains(&w)) {
                let shown = printable(&word.clone().unwrap_or_else(|| value.to_string()));
                let all = words.iter().copied().chain(own.iter().copied());
                refuse(
                    key.to_owned(),
                    format!("`{shown}` is none of {}", words.join(", ")),
                    near(word.as_deref().unwrap_or_default(), all),
                    false,
                );
            }
        }
        Holds::Profiles => {
            let Some(profiles) = value.as_object() else {
                return refuse(key.to_owned(), "this is no mapping of profiles".into(), None, false);
            };
            for (profile, lanes) in profiles {
                let at = format!("{key}.{}", printable(profile));
                let Some(lanes) = lanes.as_object() else {
                    refuse(at, "this is no mapping of lanes".into(), None, false);
                    continue;
                };
                for (lane, list) in lanes {
                    of_lane(&at, lane, list, &mut refuse);
                }
            }
        }
        Holds::Counts => {
            let Some(counts) = value.as_object() else { return refuse(key.to_owned(), "this is no mapping of lanes".into(), None, false) };
            for (lane, count) in counts {
                let at = format!("{key}.{}", printable(lane));
                if !LANES.contains(&lane.as_str()) {
                    refuse(at.clone(), "there is no such lane".into(), near(lane, LANES.iter().copied()), false);
                }
                if !count.as_u64().is_some_and(|n| (1..=OPINIONS).contains(&n)) {
                    refuse(at, format!("`{}` is no number from 1 to {OPINIONS}", printable(&count.to_string())), None, false);
                }
            }
        }
    }
}

fn of_lane(at: &str, lane: &str, list: &Value, refuse: &mut dyn FnMut(String, String, Option<String>, bool)) {
    let at = format!("{at}.{}", printable(lane));
    if !LANES.contains(&lane) && !lane.contains('.') {
        refuse(at.clone(), "there is no such lane".into(), near(lane, LANES.iter().copied()), false);
    }
    let Some(list) = list.as_array().filter(|l| !l.is_empty()) else {
        return refuse(at, "this is no list of providers, or an empty one".into(), None, false);
    };
    for (n, provider) in list.iter().enumerate() {
        let name = provider.as_str().unwrap_or_default();
        if !PROVIDERS.contains(&name) {
            let shown = printable(&spelt(provider).unwrap_or_else(|| provider.to_string()));
            refuse(at.clone(), format!("`{shown}` is no provider"), near(name, PROVIDERS.iter().copied()), name == "claude-secret");
        }
        if list[..n].contains(provider) {
            refuse(at.clone(), format!("`{}` stands twice", printable(name)), None, true);
        }
    }
    let reserve = list.iter().position(|p| p == "reserve" || p == "claude-secret");
    if let Some(reserve) = reserve {
        if !takes_reserve(lane) {
            refuse(at, "`reserve` stands in advisory and review lanes only".into(), None, list.len() > 1);
        } else if reserve + 1 < list.len() {
            refuse(at, "`reserve` stands last".into(), None, true);
        }
    }
}

/// A scalar as it is written.
fn spelt(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(is) => Some(is.to_string()),
        _ => None,
    }
}

/// The nearest of some words, when it is near.
fn near<'w>(word: &str, words: impl Iterator<Item = &'w str>) -> Option<String> {
    let word = word.to_lowercase();
    let ranked = words.map(|w| (distance(&word, &w.to_lowercase()), w)).min_by_key(|(d, w)| (*d, *w))?;
    (ranked.0 <= 1 + ranked.1.len() / 4).then(|| ranked.1.to_owned())
}

/// How many letters differ. Both are short: keys are cut at 64.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut left = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (left + usize::from(x != y)).min(above + 1).min(row[j] + 1);
            left = above;
        }
    }
    row[b.len()]
}

/// One layer: where it lies and what it states.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Its file.
    pub path: String,
    /// Whether it belongs to the user and not to the project.
    pub is_users: bool,
    /// What it states.
    pub file: Value,
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct From {
    /// The layer's rank, from 1; 0 is the built-in default.
    pub rank: usize,
    /// Its file.
    pub path: Option<String>,
}

/// What holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Resolved {
    /// Every key.
    pub values: Map<String, Value>,
    /// Where each comes from.
    pub layers: BTreeMap<String, From>,
    /// `trusted`, or `project-UNCONFIRMED` for a wrapper that only the project names: that one must not be launched.
    #[serde(rename = "reserveResolverTrust")]
    pub trust: &'static str,
}

/// Resolves layers, the first of which is asked first.
pub fn resolve(layers: &[Layer]) -> Resolved {
    let mut resolved = Resolved { values: Map::new(), layers: BTreeMap::new(), trust: "trusted" };
    for (key, holds) in KEYS {
        let stated = layers.iter().enumerate().find_map(|(n, layer)| Some((n, layer, layer.file.get(*key)?)));
        let (value, from) = match stated {
            Some((n, layer, value)) => {
                let value = if matches!(holds, Holds::Word(_)) { spelt(value).map_or(Value::Null, Value::from) } else { value.clone() };
                (value, From { rank: n + 1, path: Some(layer.path.clone()) })
            }
            None => (default(*holds), From { rank: 0, path: None }),
        };
        resolved.values.insert((*key).to_owned(), value);
        resolved.layers.insert((*key).to_owned(), from);
    }
    let wrapper = resolved.values["reserveResolver"].as_str().is_some_and(|r| r.starts_with("wrapper:"));
    let confirmed = layers.iter().any(|l| l.is_users && l.file.get("reserveResolver") == Some(&resolved.values["reserveResolver"]));
    if wrapper && !confirmed {
        resolved.trust = "project-UNCONFIRMED";
    }
    resolved
}

fn default(holds: Holds) -> Value {
    match holds {
        Holds::Word(words) | Holds::Profile(words) | Holds::Resolver(words) => json!(words[0]),
        Holds::Counts => json!({}),
        Holds::Profiles => {
            let list = |lane: &&str| {
                let mut list = vec!["claude", "codex"];
                list.extend(takes_reserve(lane).then_some("reserve"));
                ((*lane).to_owned(), json!(list))
            };
            let lanes: Map<String, Value> = LANES.iter().map(list).collect();
            json!({"balanced": lanes, "quality-first": lanes})
        }
    }
}

/// A provider that was passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The provider.
    pub provider: String,
    /// Why: `own_line`, `example_only`, `explicit_only`, `unavailable_by_policy`, `reserve_disabled`, `reserve_unconfirmed`, `reserve_misplaced`.
    pub why: &'static str,
}

/// Who takes a lane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chosen {
    /// The lane.
    pub lane: String,
    /// `auto`, or the provider that was set.
    pub asked: String,
    /// The first provider that may; none when there is none.
    pub provider: Option<String>,
    /// Those passed over in front of it.
    pub skipped: Vec<Skipped>,
    /// How many opinions.
    pub opinions: u64,
    /// Whether the provider can be invoked here; null when nobody looked. The next one is never taken instead: the external role is
    /// disabled then, and whoever dispatches says so.
    pub available: Option<bool>,
}

/// Chooses the provider of a lane for the line the host belongs to (spec/design-loop.md §4, `auto`).
pub fn choose(resolved: &Resolved, lane: &str, host: &str) -> Chosen {
    let text = |key: &str| resolved.values[key].as_str().unwrap_or_default().to_owned();
    let asked = text("externalProvider");
    let opinions = resolved.values["externalOpinionCounts"].get(lane).and_then(Value::as_u64).unwrap_or(1);
    let mut chosen = Chosen { lane: lane.to_owned(), asked: asked.clone(), provider: None, skipped: Vec::new(), opinions, available: None };
    if asked != "auto" {
        let why = barred(&asked, "", true, resolved);
        match why {
            Some(why) => chosen.skipped.push(Skipped { provider: asked, why }),
            None => chosen.provider = Some(asked),
        }
        return chosen;
    }
    let profiles = &resolved.values["externalPriorityProfiles"];
    let built_in = default(Holds::Profiles);
    let profile = text("externalPriorityProfile");
    let list = profiles.get(&profile).and_then(|p| p.get(lane)).or_else(|| built_in.get(&profile).and_then(|p| p.get(lane)));
    let names: Vec<&str> = list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    // `reserve` comes after all others, wherever it stands.
    let names: Vec<&str> = names.into_iter().map(|n| if n == "claude-secret" { "reserve" } else { n }).collect();
    let ordered = names.iter().filter(|n| **n != "reserve").chain(names.iter().filter(|n| **n == "reserve"));
    for name in ordered {
        let misplaced = (*name == "reserve" && !takes_reserve(lane)).then_some("reserve_misplaced");
        match misplaced.or_else(|| barred(name, host, false, resolved)) {
            Some(why) => chosen.skipped.push(Skipped { provider: (*name).to_owned(), why }),
            None => {
                chosen.provider = Some((*name).to_owned());
                break;
            }
        }
    }
    chosen
}

/// Why a provider may not take a lane.
fn barred(name: &str, host: &str, explicit: bool, resolved: &Resolved) -> Option<&'static str> {
    match name {
        "gemini" | "qwen" => Some("example_only"),
        "kimi" if !explicit => Some("explicit_only"),
        "grok" => Some("unavailable_by_policy"),
        "reserve" if resolved.values["reserveResolver"] == "disabled" => Some("reserve_disabled"),
        "reserve" if resolved.trust != "trusted" => Some("reserve_unconfirmed"),
        own if own == host => Some("own_line"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(path: &str, is_users: bool, file: Value) -> Layer {
        Layer { path: path.into(), is_users, file }
    }

    #[test]
    fn a_typo_is_a_problem_with_a_suggestion() {
        let found = problems(
            &json!({"paralelMode": "auto", "externalProvider": "claud", "externalOpinionCounts": {"review.pre-pr": "two"}, "externalGeminiWorkdirMode": "x"}),
        );
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(found[0].suggestion.as_deref(), Some("parallelMode"));
        assert_eq!(found[1].suggestion.as_deref(), Some("claude"));
        assert!(found[3].mended && !found[2].mended);
        let lanes = json!({"externalPriorityProfiles": {"balanced": {"review.security": ["reserve", "codex", "codex", "clade"], "worker.ui-implementation": ["codex", "reserve"]}}});
        let said: Vec<String> = problems(&lanes).into_iter().map(|p| p.message).collect();
        assert_eq!(
            said,
            [
                "`codex` stands twice",
                "`clade` is no provider",
                "`reserve` stands last",
                "`reserve` stands in advisory and review lanes only"
            ]
        );
        assert!(problems(&json!({"preferExternalWorker": true, "externalPriorityProfile": "mine", "externalPriorityProfiles": {"mine": {"review.pre-pr": ["codex"]}}})).is_empty());
    }

    #[test]
    fn the_first_layer_that_states_a_key_decides_it() {
        let layers =
            [layer("p", false, json!({"parallelMode": "manual"})), layer("u", true, json!({"parallelMode": "force", "mcpMode": "force"}))];
        let resolved = resolve(&layers);
        assert_eq!((&resolved.values["parallelMode"], resolved.layers["parallelMode"].rank), (&json!("manual"), 1));
        assert_eq!((&resolved.values["mcpMode"], resolved.layers["mcpMode"].rank), (&json!("force"), 2));
        assert_eq!((&resolved.values["consultantMode"], resolved.layers["consultantMode"].rank), (&json!("disabled"), 0));
    }

    #[test]
    fn a_wrapper_counts_only_when_the_user_names_it_too() {
        let wrapper = json!({"reserveResolver": "wrapper:./mine"});
        assert_eq!(resolve(&[layer("p", false, wrapper.clone())]).trust, "project-UNCONFIRMED");
        assert_eq!(resolve(&[layer("p", false, wrapper.clone()), layer("u", true, wrapper)]).trust, "trusted");
    }

    #[test]
    fn auto_takes_the_first_that_is_not_its_own_line() {
        let plain = resolve(&[]);
        assert_eq!(choose(&plain, "review.pre-pr", "codex").provider.as_deref(), Some("claude"));
        assert_eq!(choose(&plain, "review.pre-pr", "claude").provider.as_deref(), Some("codex"));
        let mine = resolve(&[layer(
            "p",
            false,
            json!({"externalPriorityProfiles": {"balanced": {"review.pre-pr": ["reserve", "gemini", "kimi", "codex"]}}, "externalOpinionCounts": {"review.pre-pr": 2}}),
        )]);
        let chosen = choose(&mine, "review.pre-pr", "claude");
        assert_eq!((chosen.provider.as_deref(), chosen.opinions), (Some("codex"), 2));
        assert_eq!(chosen.skipped.iter().map(|s| s.why).collect::<Vec<_>>(), ["example_only", "explicit_only"]);
        assert_eq!(choose(&mine, "review.pre-pr", "codex").provider.as_deref(), Some("reserve"));
        assert_eq!(choose(&resolve(&[layer("p", false, json!({"externalProvider": "grok"}))]), "review.pre-pr", "codex").provider, None);
        assert_eq!(
            choose(&resolve(&[layer("p", false, json!({"externalProvider": "kimi"}))]), "review.pre-pr", "codex").provider.as_deref(),
            Some("kimi")
        );
    }
}
