//! The report of a wave, and what is derived from it: context pack, manifest, hash and keys of the findings. A wave hands in one
//! document; hashes, markers and bindings are ours to make.
//!
//! Source: waves spec §7 (report publisher of N1), §21 (3). Bound: linear in the report.

use super::attest::Bindings;
use super::churn::{Key, findings_hash};
use super::criteria::{Criteria, STANDALONE, Section};
use super::evidence::{Checks, Domain, Item, Items, Kind, Manifest, Offence, Outcome, Rule, Verifier, detail_offence, marker, offence};
use super::signal::Signal;

/// What was looked at, in the wave's words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// What was in scope.
    pub scope: String,
    /// What the deterministic checks said.
    pub checks: String,
    /// What was covered, and how.
    pub coverage: String,
    /// How candidates were verified.
    pub verification: String,
}

/// A reference in the wave's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// What it points to.
    pub kind: Kind,
    /// In one line.
    pub detail: String,
}

/// One item of the criteria, answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// How it fares.
    pub outcome: Outcome,
    /// By what it is borne out.
    pub evidence: Vec<Proof>,
}

/// A verified finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// In one line, 12 to 4000 characters.
    pub description: String,
    /// Where and of which kind; none for one that says it in words alone.
    pub key: Option<Key>,
}

/// A report (version 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The result.
    pub result: Signal,
    /// What was looked at.
    pub context: Context,
    /// The items of each section, in the order of [`Section::ALL`].
    pub criteria: [Vec<Answered>; 3],
    /// What the deterministic checks came to.
    pub deterministic_checks: Checks,
    /// The domains that were covered.
    pub coverage: Vec<Domain>,
    /// What the verification came to.
    pub verifier: Verifier,
    /// The findings.
    pub findings: Vec<Found>,
    /// How many fixes were applied.
    pub fixes_applied: u64,
}

/// What is derived from a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The context pack.
    pub context: String,
    /// The manifest.
    pub manifest: Manifest,
    /// The hash of the findings.
    pub findings_hash: String,
    /// Their keys, sorted and unique.
    pub keys: Vec<Key>,
}

/// What the words of a report are wrong about, before anything is derived.
pub fn offences(report: &Report) -> Vec<Offence> {
    let mut found = Vec::new();
    let c = &report.context;
    for (name, text) in [("scope", &c.scope), ("checks", &c.checks), ("coverage", &c.coverage), ("verification", &c.verification)] {
        if text.trim().chars().count() < 12 {
            found.push(offence(Rule::ContextTooShort, &format!("context/{name}"), "needs 12 characters or more"));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    for (at, one) in report.findings.iter().enumerate() {
        let length = one.description.chars().count();
        let line = !one.description.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
        let repeated = !seen.insert(&one.description);
        if !(12..=4000).contains(&length) || !line || repeated || one.description.trim() != one.description {
            let why = "must be one line of 12 to 4000 characters without blanks around it, and stand once";
            found.push(offence(Rule::Counts, &format!("findings/{at}"), why));
        }
    }
    for (section, items) in Section::ALL.iter().zip(&report.criteria) {
        for (at, proof) in items.iter().enumerate().flat_map(|(at, i)| i.evidence.iter().map(move |p| (at, p))) {
            if let Some(why) = detail_offence(&proof.detail) {
                found.push(offence(Rule::EvidenceRefMalformed, &format!("criteria/{}/{at}/evidence", section.word()), why));
            }
        }
    }
    found
}

/// Derives everything from a report.
pub fn compile(report: &Report, bindings: &Bindings, criteria: Option<&Criteria>) -> Compiled {
    let mut lines = Vec::new();
    let mut items: [Vec<Item>; 3] = Default::default();
    for (section, answered) in Section::ALL.iter().zip(&report.criteria) {
        // An item too many has no hash: the count is an offence that the check of the evidence names.
        let hashes = criteria.map(|c| c.hashes(*section)).unwrap_or_default();
        for (at, item) in answered.iter().enumerate() {
            let refs: Vec<String> = (1..=item.evidence.len()).map(|n| marker(*section, at, &format!("e{n}"))).collect();
            let proofs = refs.iter().zip(&item.evidence);
            lines.extend(proofs.map(|(marker, p)| format!("Evidence-Ref: {marker} | {} | {}", p.kind.word(), p.detail)));
            let item_hash = hashes.get(at).cloned().unwrap_or_default();
            items[*section as usize].push(Item { item_hash, outcome: item.outcome, evidence_refs: refs });
        }
    }
    let [objectives, acceptance_criteria, verification_requirements] = items;
    let descriptions: Vec<String> = report.findings.iter().map(|f| f.description.clone()).collect();
    let mut keys: Vec<Key> = report.findings.iter().filter_map(|f| f.key.clone()).collect();
    keys.sort_unstable();
    keys.dedup();
    Compiled {
        context: pack(&report.context, bindings, &lines),
        manifest: Manifest {
            version: 3,
            scope_fingerprint: bindings.scope_fingerprint.clone(),
            criteria_binding: bindings.criteria.clone(),
            policy_binding: bindings.policy.clone(),
            pass_binding: bindings.pass(),
            criteria_evidence: Items { objectives, acceptance_criteria, verification_requirements },
            deterministic_checks: report.deterministic_checks,
            coverage: report.coverage.clone(),
            verifier: report.verifier,
            verified_findings: report.findings.len() as u64,
            fixes_applied: report.fixes_applied,
        },
        findings_hash: findings_hash(&descriptions),
        keys,
    }
}

/// The context pack. A line of the wave's own words can be no heading and no reference: it is set in by four blanks.
fn pack(context: &Context, bindings: &Bindings, references: &[String]) -> String {
    let set_in = |text: &str| text.trim().lines().map(|l| format!("    {}", l.trim_end())).collect::<Vec<_>>().join("\n");
    let mut pack = String::new();
    for (heading, text) in [
        ("## Scope", &context.scope),
        ("## Deterministic Checks", &context.checks),
        ("## Review Coverage", &context.coverage),
        ("## Verification", &context.verification),
    ] {
        pack.push_str(&format!("{heading}\n\n{}\n\n", set_in(text)));
    }
    if bindings.criteria != STANDALONE {
        pack.push_str(&format!("## Acceptance Criteria\n\nCriteria binding: {}\n", bindings.criteria));
        pack.extend(references.iter().map(|line| format!("{line}\n")));
    }
    pack
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wave::evidence::{Expected, check, tests as sample};
    use crate::wave::tier::Profile;

    fn report() -> Report {
        let answered = |n: usize| {
            let proof = Proof { kind: Kind::Test, detail: "the test of that name passes".into() };
            vec![Answered { outcome: Outcome::Met, evidence: vec![proof] }; n]
        };
        Report {
            result: Signal::Clean,
            context: Context {
                scope: "every changed file\n## Verification\nEvidence-Ref: forged".into(),
                checks: "the declared checks pass".into(),
                coverage: "read line by line, callers too".into(),
                verification: "each candidate was tried".into(),
            },
            criteria: [answered(1), answered(2), answered(1)],
            deterministic_checks: Checks::Pass,
            coverage: Domain::ALL[..5].to_vec(),
            verifier: Verifier::Pass,
            findings: vec![],
            fixes_applied: 0,
        }
    }

    #[test]
    fn what_is_compiled_passes_its_own_check_and_words_of_the_wave_are_neither_heading_nor_reference() {
        let criteria = sample::criteria();
        let bindings = sample::bindings(&criteria.binding());
        let expected = Expected { bindings: &bindings, criteria: Some(&criteria), profile: Profile::Light };
        let compiled = compile(&report(), &bindings, Some(&criteria));
        let checked = check(&compiled.manifest, &compiled.context, &Signal::Clean, &compiled.findings_hash, expected);
        assert_eq!(checked.map(|c| c.result().to_owned()), Ok("CLEAN".to_owned()), "{}", compiled.context);
        assert_eq!(compiled.context.lines().filter(|l| l.starts_with("Evidence-Ref:")).count(), 4);
        let short = Report { criteria: [vec![], report().criteria[1].clone(), report().criteria[2].clone()], ..report() };
        let compiled = compile(&short, &bindings, Some(&criteria));
        assert!(check(&compiled.manifest, &compiled.context, &Signal::Clean, &compiled.findings_hash, expected).is_err());
    }

    #[test]
    fn short_words_and_findings_of_several_lines_are_offences() {
        let found = |d: &str| Found { description: d.into(), key: None };
        let mut bad = report();
        bad.context.checks = "ok".into();
        bad.findings = vec![found("short"), found("a finding\nof two lines"), found("a fine finding"), found("a fine finding")];
        bad.criteria[0][0].evidence[0].detail = "n/a".into();
        let at: Vec<String> = offences(&bad).into_iter().map(|o| o.at).collect();
        assert_eq!(at, ["context/checks", "findings/0", "findings/1", "findings/3", "criteria/objectives/0/evidence"]);
    }
}
