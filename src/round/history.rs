//! The recorded rounds of a loop as a history that churn is looked for in (cases/churn/README.md, from round states).

use super::lineage::identities;
use super::record::Round;
use super::sameness::all;
use crate::base::verdict::RoundVerdict;
use crate::finding::churn;

/// The history of the rounds, in their order. An id is `r<round>/<id>`.
pub fn history(rounds: &[Round]) -> Vec<churn::Round> {
    rounds.iter().zip(identities(rounds)).map(|(round, of_round)| entry(round, &of_round)).collect()
}

fn entry(round: &Round, identities: &[usize]) -> churn::Round {
    let findings = all(round).zip(identities).map(|(finding, identity)| churn::Finding {
        id: format!("r{}/{}", round.round_number, finding.id),
        identity: *identity,
        opposes: None,
        grade: finding.grade,
        path: finding.path.clone(),
        line: finding.line,
        in_changed_lines: finding.in_new_code == Some(true),
        disposition: finding.disposition,
    });
    // An approval beside something that was found and is not listed here is none.
    let hides = round.unparsed_suspicious > 0 || round.counts.critical + round.counts.warning > round.findings.len() as u64;
    churn::Round {
        number: round.round_number,
        verdict: match round.verdict {
            RoundVerdict::Approve if !hides => churn::Verdict::Approve,
            _ => churn::Verdict::NeedsAttention,
        },
        findings: findings.collect(),
        implemented: round.response_metrics.implemented_count,
        surface: round.surface.surface_fingerprint.clone().unwrap_or_default(),
    }
}
