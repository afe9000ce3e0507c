//! Ids: the one a report states, else one made of path, line and title, unique in one answer.
//!
//! Only a stated id is evidence of sameness between rounds; an assigned one names a finding inside one answer. Source: map.md,
//! parse-findings. Bound: linear.

use std::collections::HashMap;

use super::Finding;
use crate::base::digest::sha256_hex;
use crate::base::reason::words;

words! {
    /// Where an id comes from.
    Source {
        Stated "stated",
        Assigned "assigned",
    }
}

/// The ids of the findings of one answer, in their order. A repeated one gets `-2`, `-3` …, and is assigned from then on.
pub fn assign(findings: &[Finding]) -> Vec<(String, Source)> {
    let mut next: HashMap<String, u64> = HashMap::new();
    let mut taken: std::collections::HashSet<String> = std::collections::HashSet::new();
    let mut ids = Vec::with_capacity(findings.len());
    for finding in findings {
        let (base, source) = match &finding.id {
            Some(id) => (id.clone(), Source::Stated),
            None => (derived(finding), Source::Assigned),
        };
        if taken.insert(base.clone()) {
            ids.push((base, source));
            continue;
        }
        let nth = next.entry(base.clone()).or_insert(2);
        let mut id = format!("{base}-{nth}");
        while !taken.insert(id.clone()) {
            *nth += 1;
            id = format!("{base}-{nth}");
        }
        *nth += 1;
        ids.push((id, Source::Assigned));
    }
    ids
}

/// `f-` and twelve hex digits of the digest of path, line and folded title.
fn derived(finding: &Finding) -> String {
    let place = finding.place.as_ref();
    let path = place.map_or("", |p| p.path.as_str());
    let line = place.and_then(|p| p.line).map(|l| l.to_string()).unwrap_or_default();
    let title = finding.title.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let digest = sha256_hex(format!("{path}\0{line}\0{title}").as_bytes());
    format!("f-{}", &digest[..12])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(id: Option<&str>, title: &str) -> Finding {
        Finding { id: id.map(str::to_owned), title: title.to_owned(), ..Finding::default() }
    }

    #[test]
    fn a_repeated_id_is_numbered_and_assigned() {
        let ids = assign(&[
            finding(Some("A-1"), "x"),
            finding(Some("A-1"), "y"),
            finding(Some("A-1-2"), "z"),
            finding(None, "x"),
            finding(None, "X "),
        ]);
        let shown: Vec<(&str, &str)> = ids.iter().map(|(id, s)| (id.as_str(), s.word())).collect();
        assert_eq!(shown[..3], [("A-1", "stated"), ("A-1-2", "assigned"), ("A-1-2-2", "assigned")]);
        assert_eq!(format!("{}-2", shown[3].0), shown[4].0);
    }
}
