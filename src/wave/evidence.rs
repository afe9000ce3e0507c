//! Evidence: the manifest of a pass and its context pack, checked against what was issued. Every offence is named, not the first one.
//!
//! Source: waves spec §7 (context pack, references, manifest v3, conditions by result). Bound: linear in the bytes of both.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::attest::Bindings;
use super::churn::findings_hash;
use super::criteria::{Criteria, STANDALONE, Section};
use super::signal::Signal;
use super::tier::Profile;
use crate::base::reason::words;

words! {
    /// What the deterministic checks came to.
    Checks {
        Pass "pass",
        Partial "partial",
        Fail "fail",
        Unavailable "unavailable",
    }
}

words! {
    /// What the verification of candidates came to.
    Verifier {
        Pass "pass",
        Fail "fail",
        NotRun "not-run",
    }
}

words! {
    /// How an item of the criteria fares.
    Outcome {
        Met "met",
        NotMet "not_met",
        Blocked "blocked",
        NotApplicable "not_applicable",
    }
}

words! {
    /// What kind of thing a reference points to.
    Kind {
        Analysis "analysis",
        Command "command",
        File "file",
        Test "test",
    }
}

words! {
    /// A domain that was covered. The first five are the core of every profile.
    Domain {
        Correctness "correctness",
        Security "security",
        Contracts "contracts",
        Tests "tests",
        Architecture "architecture",
        Frontend "frontend",
        Devops "devops",
        Performance "performance",
        Observability "observability",
    }
}

words! {
    /// What is wrong with evidence.
    Rule {
        ContextTooShort "context_too_short",
        ContextSectionMissing "context_section_missing",
        CriteriaBindingLine "criteria_binding_line",
        EvidenceRefMalformed "evidence_ref_malformed",
        EvidenceRefsDisagree "evidence_refs_disagree",
        Version "version",
        Binding "binding",
        CriteriaItems "criteria_items",
        ItemHash "item_hash",
        ItemRefs "item_refs",
        Coverage "coverage",
        Counts "counts",
        ChecksWord "checks_word",
        VerifierWord "verifier_word",
        Outcomes "outcomes",
        FindingsHash "findings_hash",
        Generation "generation",
        CheckMissing "CHECK_MISSING",
        CheckFailed "CHECK_FAILED",
        CheckStale "CHECK_STALE",
        TreeChanged "tree_changed",
        Deadline "deadline",
        Completion "completion",
        ResultChanged "result_changed",
    }
}

/// One offence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Offence {
    /// Which rule.
    pub rule: Rule,
    /// Where, in words of the report.
    pub at: String,
    /// What is wrong.
    pub message: String,
}

/// An offence.
pub fn offence(rule: Rule, at: &str, message: &str) -> Offence {
    Offence { rule, at: at.to_owned(), message: message.to_owned() }
}

/// One item of the criteria, with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// The hash of the item.
    pub item_hash: String,
    /// How it fares.
    pub outcome: Outcome,
    /// Markers of lines in the context pack.
    pub evidence_refs: Vec<String>,
}

/// The items of each section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Items {
    /// Of the objectives.
    pub objectives: Vec<Item>,
    /// Of the acceptance criteria.
    pub acceptance_criteria: Vec<Item>,
    /// Of the verification requirements.
    pub verification_requirements: Vec<Item>,
}

impl Items {
    /// Those of a section.
    pub fn of(&self, section: Section) -> &[Item] {
        match section {
            Section::Objectives => &self.objectives,
            Section::AcceptanceCriteria => &self.acceptance_criteria,
            Section::VerificationRequirements => &self.verification_requirements,
        }
    }

    fn all(&self) -> impl Iterator<Item = &Item> {
        Section::ALL.iter().flat_map(|s| self.of(*s))
    }
}

/// The manifest (version 3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Always 3.
    pub version: u64,
    /// Of the scope.
    pub scope_fingerprint: String,
    /// Of the criteria, or `standalone`.
    pub criteria_binding: String,
    /// Of the policy.
    pub policy_binding: String,
    /// Of the pass.
    pub pass_binding: String,
    /// Every item of the criteria.
    pub criteria_evidence: Items,
    /// What the deterministic checks came to.
    pub deterministic_checks: Checks,
    /// The domains that were covered.
    pub coverage: Vec<Domain>,
    /// What the verification came to.
    pub verifier: Verifier,
    /// How many findings were verified.
    pub verified_findings: u64,
    /// How many fixes were applied.
    pub fixes_applied: u64,
}

/// The most bytes of a manifest or of a context pack.
pub const LARGEST: u64 = 262_144;

/// Evidence that was checked: nothing else can be attested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    result: String,
    findings_hash: String,
}

impl Checked {
    /// The line of the result.
    pub fn result(&self) -> &str {
        &self.result
    }

    /// The hash of the findings.
    pub fn findings_hash(&self) -> &str {
        &self.findings_hash
    }
}

/// What evidence is held against.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// What the pass is bound to.
    pub bindings: &'a Bindings,
    /// The criteria; none for a standalone loop.
    pub criteria: Option<&'a Criteria>,
    /// The profile.
    pub profile: Profile,
}

/// The name of a marker: section, place from 1, slug.
pub fn marker(section: Section, at: usize, slug: &str) -> String {
    format!("criteria:{}:{}:{slug}", section.word(), at + 1)
}

/// Checks a manifest and a context pack under a result.
///
/// # Errors
/// Every offence.
pub fn check(manifest: &Manifest, context: &str, signal: &Signal, hash: &str, expected: Expected<'_>) -> Result<Checked, Vec<Offence>> {
    let mut found = Vec::new();
    found.extend(pack(context, expected.bindings));
    let markers = markers(context, expected.criteria.is_some(), &mut found);
    bound(manifest, expected.bindings, &mut found);
    items(&manifest.criteria_evidence, expected.criteria, &markers, &mut found);
    by_result(manifest, signal, hash, expected, &mut found);
    if found.is_empty() { Ok(Checked { result: signal.line(), findings_hash: hash.to_owned() }) } else { Err(found) }
}

const SECTIONS: [&str; 4] = ["## Scope", "## Deterministic Checks", "## Review Coverage", "## Verification"];

/// The shape of a context pack.
fn pack(context: &str, bindings: &Bindings) -> Vec<Offence> {
    let mut found = Vec::new();
    if context.len() < 160 {
        found.push(offence(Rule::ContextTooShort, "context", "the context pack has less than 160 bytes: say what was looked at and how"));
    }
    let lines: BTreeSet<&str> = context.lines().collect();
    let missing = SECTIONS.iter().filter(|s| !context.lines().any(|l| l.starts_with(**s)));
    found.extend(missing.map(|s| offence(Rule::ContextSectionMissing, "context", &format!("the context pack has no `{s}`"))));
    let line = format!("Criteria binding: {}", bindings.criteria);
    if bindings.criteria != STANDALONE && !(lines.contains("## Acceptance Criteria") && lines.contains(line.as_str())) {
        let why = "under `## Acceptance Criteria` the exact line with the criteria's binding is missing";
        found.push(offence(Rule::CriteriaBindingLine, "context", why));
    }
    found
}

/// The markers of every `Evidence-Ref:` line, each with its section and place.
fn markers(context: &str, with_criteria: bool, found: &mut Vec<Offence>) -> BTreeSet<String> {
    let mut markers = BTreeSet::new();
    for line in context.lines().filter(|l| l.starts_with("Evidence-Ref:")) {
        match reference(line).filter(|_| with_criteria) {
            Some(marker) if markers.insert(marker.to_owned()) => {}
            _ => {
                found.push(offence(Rule::EvidenceRefMalformed, "context", "an `Evidence-Ref:` line is malformed, repeated or out of place"))
            }
        }
    }
    markers
}

/// Reads `Evidence-Ref: <marker> | <kind> | <detail>`.
fn reference(line: &str) -> Option<&str> {
    let mut parts = line.strip_prefix("Evidence-Ref: ")?.split(" | ");
    let (marker, kind, detail, none) = (parts.next()?, parts.next()?, parts.next()?, parts.next());
    let (section, at, slug) = place(marker)?;
    let fine = Section::parse(section).is_some() && (1..=999).contains(&at) && is_slug(slug) && Kind::parse(kind).is_some();
    (fine && none.is_none() && detail_offence(detail).is_none()).then_some(marker)
}

/// Section, place from 1 and slug of a marker.
fn place(marker: &str) -> Option<(&str, usize, &str)> {
    let (section, rest) = marker.strip_prefix("criteria:")?.split_once(':')?;
    let (at, slug) = rest.split_once(':')?;
    let plain = (1..=3).contains(&at.len()) && at.bytes().all(|b| b.is_ascii_digit()) && !at.starts_with('0');
    at.parse().ok().filter(|_| plain).map(|at| (section, at, slug))
}

fn is_slug(slug: &str) -> bool {
    let legal = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    slug.bytes().next().is_some_and(legal) && slug.len() <= 64 && slug.bytes().all(|b| legal(b) || matches!(b, b'.' | b'_' | b'-'))
}

/// Why a text is no detail of a reference.
pub fn detail_offence(detail: &str) -> Option<&'static str> {
    let length = detail.chars().count();
    match () {
        () if !(12..=500).contains(&length) => Some("has less than 12 or more than 500 characters"),
        () if detail.trim() != detail => Some("begins or ends with a blank"),
        () if detail.contains('|') || detail.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) => {
            Some("holds `|` or a control character")
        }
        () if ["n/a", "none", "placeholder", "tbd", "todo"].contains(&detail.to_lowercase().as_str()) => Some("says nothing"),
        () => None,
    }
}

fn bound(manifest: &Manifest, bindings: &Bindings, found: &mut Vec<Offence>) {
    if manifest.version != 3 {
        found.push(offence(Rule::Version, "evidence/version", "the manifest is not of version 3"));
    }
    let rows = [
        ("scope_fingerprint", &manifest.scope_fingerprint, bindings.scope_fingerprint.clone()),
        ("criteria_binding", &manifest.criteria_binding, bindings.criteria.clone()),
        ("policy_binding", &manifest.policy_binding, bindings.policy.clone()),
        ("pass_binding", &manifest.pass_binding, bindings.pass()),
    ];
    let other = rows.iter().filter(|(_, found, wanted)| *found != wanted);
    found.extend(other.map(|(at, ..)| offence(Rule::Binding, &format!("evidence/{at}"), "is not what this pass was issued with")));
    if manifest.coverage.is_empty() || manifest.coverage.iter().collect::<BTreeSet<_>>().len() != manifest.coverage.len() {
        found.push(offence(Rule::Coverage, "coverage", "must name at least one domain, and each once"));
    }
}

fn items(items: &Items, criteria: Option<&Criteria>, markers: &BTreeSet<String>, found: &mut Vec<Offence>) {
    let mut used = BTreeSet::new();
    for section in Section::ALL {
        let (given, wanted) = (items.of(*section), criteria.map(|c| c.hashes(*section)).unwrap_or_default());
        if given.len() != wanted.len() {
            let why = format!("has {} entries, the criteria have {}", given.len(), wanted.len());
            found.push(offence(Rule::CriteriaItems, &format!("criteria/{}", section.word()), &why));
        }
        for (at, item) in given.iter().enumerate() {
            let here = format!("criteria/{}/{at}", section.word());
            if wanted.get(at).is_some_and(|w| *w != item.item_hash) {
                found.push(offence(Rule::ItemHash, &here, "is not the item of that place"));
            }
            let refs: BTreeSet<&String> = item.evidence_refs.iter().collect();
            let own = |r: &&String| place(r).is_some_and(|(s, n, _)| s == section.word() && n == at + 1);
            if !(1..=8).contains(&refs.len()) || refs.len() != item.evidence_refs.len() || !refs.iter().all(own) {
                found.push(offence(Rule::ItemRefs, &here, "needs 1 to 8 references of its own, each once"));
            }
            used.extend(item.evidence_refs.iter().cloned());
        }
    }
    if used != *markers {
        found.push(offence(Rule::EvidenceRefsDisagree, "criteria", "the references of the manifest are not those of the context pack"));
    }
}

/// What each result asks of the evidence.
fn by_result(manifest: &Manifest, signal: &Signal, hash: &str, expected: Expected<'_>, found: &mut Vec<Offence>) {
    let (findings, fixes) = (manifest.verified_findings, manifest.fixes_applied);
    let nothing = hash == findings_hash(&[]);
    let has = |outcome| manifest.criteria_evidence.all().any(|i| i.outcome == outcome);
    let with_criteria = expected.criteria.is_some();
    let mut add = |wrong: bool, rule: Rule, at: &str, why: &str| {
        if wrong {
            found.push(offence(rule, at, why));
        }
    };
    let (counts_wrong, hash_wrong) = match signal {
        Signal::Clean => (findings != 0 || fixes != 0, !nothing),
        Signal::FindingsFixed(n) => (findings != *n || fixes != *n, nothing),
        Signal::Findings(n) => (findings != *n || fixes > *n, nothing),
        Signal::Escalate(..) => (fixes != 0, (findings == 0) != nothing),
        Signal::Blocked(_) | Signal::Churn(_) => (false, (findings == 0) != nothing),
    };
    add(counts_wrong, Rule::Counts, "findings", "the findings and the fixes do not bear out the result");
    add(hash_wrong, Rule::FindingsHash, "findings", "the hash of the findings does not bear out their number");
    if matches!(signal, Signal::Clean | Signal::FindingsFixed(_)) {
        let core: &[Domain] = if expected.profile == Profile::Thorough { Domain::ALL } else { &Domain::ALL[..5] };
        let missing: Vec<&str> = core.iter().filter(|d| !manifest.coverage.contains(d)).map(|d| d.word()).collect();
        add(!missing.is_empty(), Rule::Coverage, "coverage", &format!("the profile needs {} too", missing.join(", ")));
        add(manifest.deterministic_checks != Checks::Pass, Rule::ChecksWord, "deterministic_checks", "must be pass under this result");
        let unmet = manifest.criteria_evidence.all().any(|i| i.outcome != Outcome::Met);
        add(unmet, Rule::Outcomes, "criteria", "every item must be met under this result");
    }
    let verified = matches!(signal, Signal::Clean | Signal::FindingsFixed(_) | Signal::Escalate(..));
    add(verified && manifest.verifier != Verifier::Pass, Rule::VerifierWord, "verifier", "must be pass under this result");
    let open = has(Outcome::NotMet) || has(Outcome::Blocked);
    add(with_criteria && matches!(signal, Signal::Findings(_)) && !open, Rule::Outcomes, "criteria", "an item must be not_met or blocked");
    let blocked = has(Outcome::Blocked);
    add(with_criteria && matches!(signal, Signal::Blocked(_)) && !blocked, Rule::Outcomes, "criteria", "an item must be blocked");
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::wave::criteria::Source;

    pub(crate) fn criteria() -> Criteria {
        Criteria { source: Source::ApprovedPlan, items: [vec!["Ship.".into()], vec!["A".into(), "B".into()], vec!["V".into()]] }
    }

    pub(crate) fn bindings(criteria: &str) -> Bindings {
        let hex = "0123456789abcdef".repeat(4);
        Bindings { pass_id: "p1".into(), scope_fingerprint: hex.clone(), criteria: criteria.into(), policy: hex }
    }

    fn manifest(bindings: &Bindings) -> Manifest {
        Manifest {
            version: 3,
            scope_fingerprint: bindings.scope_fingerprint.clone(),
            criteria_binding: bindings.criteria.clone(),
            policy_binding: bindings.policy.clone(),
            pass_binding: bindings.pass(),
            criteria_evidence: Items::default(),
            deterministic_checks: Checks::Pass,
            coverage: Domain::ALL[..5].to_vec(),
            verifier: Verifier::Pass,
            verified_findings: 0,
            fixes_applied: 0,
        }
    }

    fn context() -> String {
        SECTIONS.map(|s| format!("{s}\n\nlooked at every changed file of the scope, twice\n")).join("\n")
    }

    fn rules(change: &dyn Fn(&mut Manifest, &mut String), signal: &str, hash: &str) -> Vec<Rule> {
        let b = bindings(STANDALONE);
        let (mut m, mut c) = (manifest(&b), context());
        change(&mut m, &mut c);
        let expected = Expected { bindings: &b, criteria: None, profile: Profile::Light };
        let signal = crate::wave::signal::parse(signal).unwrap();
        check(&m, &c, &signal, hash, expected).err().unwrap_or_default().into_iter().map(|o| o.rule).collect()
    }

    const EMPTY: &str = "a3395601ed5265fe";
    const SOME: &str = "0123456789abcdef";

    #[test]
    fn each_wrong_field_is_an_offence_of_its_own() {
        let clean = |change: &dyn Fn(&mut Manifest, &mut String)| rules(change, "CLEAN", EMPTY);
        assert_eq!(clean(&|_, _| ()), []);
        type Change<'a> = &'a dyn Fn(&mut Manifest, &mut String);
        let rows: [(Change<'_>, Rule); 14] = [
            (&|m, _| m.version = 2, Rule::Version),
            (&|m, _| m.scope_fingerprint = "x".into(), Rule::Binding),
            (&|m, _| m.criteria_binding = "x".into(), Rule::Binding),
            (&|m, _| m.policy_binding = "x".into(), Rule::Binding),
            (&|m, _| m.pass_binding = "x".into(), Rule::Binding),
            (&|m, _| m.deterministic_checks = Checks::Partial, Rule::ChecksWord),
            (&|m, _| m.verifier = Verifier::NotRun, Rule::VerifierWord),
            (&|m, _| m.verified_findings = 1, Rule::Counts),
            (&|m, _| m.fixes_applied = 1, Rule::Counts),
            (&|m, _| m.coverage.truncate(4), Rule::Coverage),
            (&|m, _| m.coverage.push(Domain::Tests), Rule::Coverage),
            (&|_, c| *c = c.replace("## Verification", "## Verified"), Rule::ContextSectionMissing),
            (&|_, c| c.push_str("Evidence-Ref: criteria:objectives:1:e1 | file | a detail of some length\n"), Rule::EvidenceRefMalformed),
            (
                &|m, _| m.criteria_evidence.objectives.push(Item { item_hash: "x".into(), outcome: Outcome::Met, evidence_refs: vec![] }),
                Rule::CriteriaItems,
            ),
        ];
        for (at, (change, rule)) in rows.iter().enumerate() {
            assert!(clean(change).contains(rule), "{at}: {:?}", clean(change));
        }
        assert!(rules(&|_, c| c.truncate(20), "CLEAN", EMPTY).contains(&Rule::ContextTooShort));
    }

    #[test]
    fn each_result_has_its_own_conditions() {
        let found = |n: u64, fixed: u64| move |m: &mut Manifest, _: &mut String| (m.verified_findings, m.fixes_applied) = (n, fixed);
        assert_eq!(rules(&|_, _| (), "CLEAN", SOME), [Rule::FindingsHash]);
        assert_eq!(rules(&found(2, 2), "FINDINGS_FIXED:2", SOME), []);
        assert_eq!(rules(&found(2, 1), "FINDINGS_FIXED:2", SOME), [Rule::Counts]);
        assert_eq!(rules(&found(2, 2), "FINDINGS_FIXED:2", EMPTY), [Rule::FindingsHash]);
        assert_eq!(rules(&found(2, 1), "FINDINGS:2", SOME), []);
        assert_eq!(rules(&found(2, 3), "FINDINGS:2", SOME), [Rule::Counts]);
        assert_eq!(rules(&found(0, 0), "BLOCKED:x", EMPTY), []);
        assert_eq!(rules(&found(1, 0), "BLOCKED:x", EMPTY), [Rule::FindingsHash]);
        assert_eq!(rules(&found(0, 1), "ESCALATE:complex:x", EMPTY), [Rule::Counts]);
        assert_eq!(rules(&|m, _| m.verifier = Verifier::Fail, "ESCALATE:complex:x", EMPTY), [Rule::VerifierWord]);
        assert_eq!(rules(&|m, _| m.verifier = Verifier::Fail, "CHURN:x", EMPTY), []);
    }

    #[test]
    fn the_thorough_profile_needs_every_domain() {
        let b = bindings(STANDALONE);
        let expected = Expected { bindings: &b, criteria: None, profile: Profile::Thorough };
        let all = Manifest { coverage: Domain::ALL.to_vec(), ..manifest(&b) };
        assert!(check(&all, &context(), &Signal::Clean, EMPTY, expected).is_ok());
        let core = check(&manifest(&b), &context(), &Signal::Clean, EMPTY, expected).unwrap_err();
        assert!(core[0].message.contains("frontend, devops"), "{core:?}");
    }

    #[test]
    fn references_are_read_strictly() {
        let read = |line: &str| reference(line).is_some();
        assert!(read("Evidence-Ref: criteria:objectives:1:e1 | file | src/a.rs lines 1 to 9"));
        for bad in [
            "Evidence-Ref:criteria:objectives:1:e1 | file | src/a.rs lines 1 to 9",
            "Evidence-Ref: criteria:objectives:0:e1 | file | src/a.rs lines 1 to 9",
            "Evidence-Ref: criteria:objectives:01:e1 | file | src/a.rs lines 1 to 9",
            "Evidence-Ref: criteria:other:1:e1 | file | src/a.rs lines 1 to 9",
            "Evidence-Ref: criteria:objectives:1:E1 | file | src/a.rs lines 1 to 9",
            "Evidence-Ref: criteria:objectives:1:e1 | prose | src/a.rs lines 1 to 9",
            "Evidence-Ref: criteria:objectives:1:e1 | file | short",
            "Evidence-Ref: criteria:objectives:1:e1 | file | a | b | and so much more",
        ] {
            assert!(!read(bad), "{bad}");
        }
    }
}
