//! The fix brief: what a writer is handed, so complete that nothing has to be decided while writing.
//!
//! Takes the brief and, after the writing, what moved in the tree; gives every offence. Source: convergence seed, Phase 4 (risk screen,
//! apply executor, completeness sweep); resolution spec §18. Bound: n log n in the sites.

use std::collections::{BTreeMap, BTreeSet};

use super::Violation;
use super::disposition::Risk;
use crate::base::reason::words;

words! {
    /// What a person decides about an epistemic risk.
    Choice {
        Accept "accept",
        Defer "defer",
        Drop "drop",
    }
}

words! {
    /// The rules of a brief.
    Rule {
        PlaceMissing "place_missing",
        PlaceUnknown "place_unknown",
        BasisMissing "basis_missing",
        DirectionMissing "direction_missing",
        RiskMissing "risk_missing",
        RiskUndecided "risk_undecided",
        PredicateMissing "predicate_missing",
        SitesMissing "sites_missing",
        SiteUnverified "site_unverified",
        RepeatedSite "repeated_site",
        FindingUnknown "finding_unknown",
        NotMoved "not_moved",
        MovedUnwanted "moved_unwanted",
        UnbriefedWrite "unbriefed_write",
    }
}

/// A person's decision about a risk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// What was decided.
    pub choice: Choice,
    /// The person's words.
    pub words: String,
}

/// A place that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The file.
    pub path: Option<String>,
    /// The line.
    pub line: Option<u64>,
    /// Whether the file is to be made: then it has no line yet.
    pub fresh: bool,
    /// Whether it was seen to be an instance of the same predicate; of the flagged place itself always.
    pub verified: bool,
    /// What writing it risks; none when it was not screened.
    pub risk: Option<Risk>,
    /// What a person said about an epistemic risk.
    pub decided: Option<Accepted>,
}

impl Site {
    /// Whether it is to be written.
    fn is_wanted(&self) -> bool {
        self.decided.as_ref().is_none_or(|d| d.choice == Choice::Accept)
    }
}

/// One fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The findings it answers.
    pub findings: Vec<String>,
    /// The flagged place.
    pub place: Site,
    /// What was verified.
    pub basis: String,
    /// What the fix is.
    pub direction: String,
    /// What is swept, when the fix is one of several of its kind.
    pub predicate: Option<String>,
    /// The other sites of the predicate.
    pub sites: Vec<Site>,
}

/// How many lines each file has; none for what is no file of the checkout.
pub type Lines = BTreeMap<String, Option<u64>>;

/// Every offence of a brief; `lines` are the lengths of the files it names, none for what is not there.
pub fn check(fixes: &[Fix], lines: &Lines) -> Vec<Violation<Rule>> {
    let mut found = Vec::new();
    let mut seen: BTreeSet<(&str, u64)> = BTreeSet::new();
    for (n, fix) in fixes.iter().enumerate() {
        let at = format!("/fixes/{n}");
        if fix.basis.trim().is_empty() {
            found.push(Violation::new(Rule::BasisMissing, &at, "a fix names what was verified"));
        }
        if fix.direction.trim().is_empty() {
            found.push(Violation::new(Rule::DirectionMissing, &at, "a fix names its direction"));
        }
        let named = fix.predicate.as_deref().is_some_and(|p| !p.trim().is_empty());
        if !fix.sites.is_empty() && !named {
            found.push(Violation::new(Rule::PredicateMissing, &at, "swept sites need the predicate that they are instances of"));
        }
        if named && fix.sites.is_empty() {
            found.push(Violation::new(Rule::SitesMissing, &at, "a sweep enumerates its sites before anything is written"));
        }
        let swept = fix.sites.iter().enumerate().map(|(s, site)| (format!("{at}/sites/{s}"), site));
        for (at, site) in std::iter::once((at.clone(), &fix.place)).chain(swept) {
            place(site, &at, lines, &mut found);
            if let (Some(path), Some(line)) = (&site.path, site.line)
                && !seen.insert((path, line))
            {
                found.push(Violation::new(Rule::RepeatedSite, at, format!("{path}:{line} is written by another fix of the brief too")));
            }
        }
    }
    found
}

fn place(site: &Site, at: &str, lines: &Lines, found: &mut Vec<Violation<Rule>>) {
    match (&site.path, site.line) {
        (Some(path), None) if site.fresh => {
            if lines.get(path).is_some_and(Option::is_some) {
                found.push(Violation::new(Rule::PlaceUnknown, at, format!("{path} is there already, and is not made anew")));
            }
        }
        _ if site.fresh => found.push(Violation::new(Rule::PlaceMissing, at, "a file that is to be made is a path without a line")),
        (Some(path), Some(line)) if line > 0 => match lines.get(path) {
            Some(Some(count)) if line <= *count => {}
            Some(Some(count)) => {
                found.push(Violation::new(Rule::PlaceUnknown, at, format!("{path} has {count} lines and no line {line}")));
            }
            _ => found.push(Violation::new(Rule::PlaceUnknown, at, format!("there is no file {path} in the checkout"))),
        },
        _ => found.push(Violation::new(Rule::PlaceMissing, at, "a site is a file and a line")),
    }
    if !site.verified {
        found.push(Violation::new(Rule::SiteUnverified, at, "a swept site is verified to be an instance of the predicate"));
    }
    match (site.risk, &site.decided) {
        (None, _) => found.push(Violation::new(Rule::RiskMissing, at, "every site is screened on its own: none, substrate or epistemic")),
        (Some(Risk::Epistemic), None) => {
            found.push(Violation::new(Rule::RiskUndecided, at, "a person accepts, defers or drops an edit with an epistemic risk"));
        }
        (_, Some(decided)) if decided.words.trim().is_empty() => {
            found.push(Violation::new(Rule::RiskUndecided, at, "a decision about a risk holds the person's own words"));
        }
        _ => {}
    }
}

/// The findings that a brief claims to answer and the review does not have.
pub fn check_findings(fixes: &[Fix], known: &BTreeSet<&str>) -> Vec<Violation<Rule>> {
    let named = fixes.iter().enumerate().flat_map(|(n, fix)| fix.findings.iter().map(move |id| (n, id)));
    let stray = named.filter(|(_, id)| !known.contains(id.as_str()));
    let why = |id: &str| format!("`{}` is no finding of the review", crate::base::path::printable(id));
    stray.map(|(n, id)| Violation::new(Rule::FindingUnknown, format!("/fixes/{n}/findings"), why(id))).collect()
}

/// Every offence of what was written against its brief: by files, since an edit moves lines.
pub fn check_written(fixes: &[Fix], moved: &BTreeSet<String>) -> Vec<Violation<Rule>> {
    let mut found = Vec::new();
    let mut wanted: BTreeSet<&str> = BTreeSet::new();
    let mut unwanted: BTreeMap<&str, String> = BTreeMap::new();
    for (n, fix) in fixes.iter().enumerate() {
        let swept = fix.sites.iter().enumerate().map(|(s, site)| (format!("/fixes/{n}/sites/{s}"), site));
        for (at, site) in std::iter::once((format!("/fixes/{n}"), &fix.place)).chain(swept) {
            let Some(path) = &site.path else { continue };
            if !site.is_wanted() {
                unwanted.insert(path, at);
                continue;
            }
            wanted.insert(path);
            if !moved.contains(path) {
                found.push(Violation::new(Rule::NotMoved, at, format!("{path} was to be written and did not move")));
            }
        }
    }
    for (path, at) in unwanted.iter().filter(|(path, _)| !wanted.contains(**path) && moved.contains(**path)) {
        found.push(Violation::new(Rule::MovedUnwanted, at, format!("{path} was written, and a person deferred or dropped that edit")));
    }
    for path in moved.iter().filter(|p| !wanted.contains(p.as_str()) && !unwanted.contains_key(p.as_str())) {
        found.push(Violation::new(Rule::UnbriefedWrite, path, format!("{path} was written and stands in no fix of the brief")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(path: &str, line: u64) -> Site {
        Site { path: Some(path.into()), line: Some(line), fresh: false, verified: true, risk: Some(Risk::None), decided: None }
    }

    fn fix() -> Fix {
        Fix {
            findings: Vec::new(),
            place: site("a.rs", 3),
            basis: "seen".into(),
            direction: "bound it".into(),
            predicate: None,
            sites: Vec::new(),
        }
    }

    fn lines() -> Lines {
        Lines::from([("a.rs".into(), Some(9)), ("b.rs".into(), Some(2)), ("c.rs".into(), None)])
    }

    fn rules(fixes: &[Fix]) -> Vec<Rule> {
        check(fixes, &lines()).into_iter().map(|v| v.rule).collect()
    }

    #[test]
    fn a_brief_leaves_nothing_open() {
        assert_eq!(rules(&[fix()]), []);
        let sweep = Fix { predicate: Some("unbounded index".into()), sites: vec![site("b.rs", 1)], ..fix() };
        assert_eq!(rules(&[sweep]), []);
        let broken = Fix {
            findings: Vec::new(),
            place: Site { risk: Some(Risk::Epistemic), ..site("a.rs", 10) },
            basis: " ".into(),
            direction: String::new(),
            predicate: None,
            sites: vec![Site { verified: false, risk: None, ..site("c.rs", 1) }, Site { line: None, ..site("b.rs", 1) }],
        };
        let found: BTreeSet<Rule> = rules(&[broken]).into_iter().collect();
        let wanted = [
            Rule::PlaceUnknown,
            Rule::RiskUndecided,
            Rule::BasisMissing,
            Rule::DirectionMissing,
            Rule::PredicateMissing,
            Rule::SiteUnverified,
            Rule::RiskMissing,
            Rule::PlaceMissing,
        ];
        assert_eq!(found, BTreeSet::from(wanted));
        assert_eq!(rules(&[Fix { predicate: Some("x".into()), ..fix() }]), [Rule::SitesMissing]);
        assert_eq!(rules(&[fix(), fix()]), [Rule::RepeatedSite]);
        let made = |path: &str, line| Fix { place: Site { fresh: true, line, ..site(path, 1) }, ..fix() };
        assert_eq!(rules(&[made("new.rs", None), made("c.rs", None)]), []);
        assert_eq!(rules(&[made("a.rs", None)]), [Rule::PlaceUnknown]);
        assert_eq!(rules(&[made("new.rs", Some(1))]), [Rule::PlaceMissing]);
    }

    #[test]
    fn what_was_written_is_what_was_briefed() {
        let moved = |paths: &[&str]| paths.iter().map(|p| (*p).to_owned()).collect::<BTreeSet<_>>();
        let after = |fixes: &[Fix], paths: &[&str]| check_written(fixes, &moved(paths)).into_iter().map(|v| v.rule).collect::<Vec<_>>();
        assert_eq!(after(&[fix()], &["a.rs"]), []);
        assert_eq!(after(&[fix()], &["a.rs", "z.rs"]), [Rule::UnbriefedWrite]);
        assert_eq!(after(&[fix()], &[]), [Rule::NotMoved]);
        let decided = Some(Accepted { choice: Choice::Defer, words: "later".into() });
        let deferred = Fix { place: Site { risk: Some(Risk::Epistemic), decided, ..site("a.rs", 3) }, ..fix() };
        assert_eq!(after(std::slice::from_ref(&deferred), &[]), []);
        assert_eq!(after(&[deferred], &["a.rs"]), [Rule::MovedUnwanted]);
    }
}
