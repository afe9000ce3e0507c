//! A pull request as its host describes it: what is compared with what, and in which state it is.
//!
//! Source: resolution spec §1 and §2. A plain value; which commits are here is asked elsewhere.

use serde::Serialize;

use crate::base::reason::words;

words! {
    /// How the commit that is checked out stands to the head of a pull request.
    Relation {
        Same "same",
        Behind "behind",
        Ahead "ahead",
        Diverged "diverged",
        Unrelated "unrelated",
        Unknown "unknown",
    }
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// OPEN, CLOSED or MERGED, as the host writes it.
    pub state: String,
    /// The branch it goes into.
    pub base_ref: String,
    /// The commit of that branch.
    pub base_oid: String,
    /// The branch it comes from.
    pub head_ref: String,
    /// The commit of that branch.
    pub head_oid: String,
    /// How many files the host counts; none when it does not say.
    pub changed_files: Option<u64>,
    /// Whether it comes from another repository.
    pub cross_repository: bool,
    /// Issues that it closes, by the host's own list.
    pub closes: Vec<u64>,
    /// The same as they are written, those of other repositories with their name; where the host lists none, those that its text names.
    pub issues: Vec<String>,
}

/// How a local commit stands to a head, by the first of their merge bases; none when the head is not here.
pub fn relation(local: &str, head: &str, merge_base: Option<Option<&str>>) -> Relation {
    match merge_base {
        _ if local == head => Relation::Same,
        None => Relation::Unknown,
        Some(None) => Relation::Unrelated,
        Some(Some(base)) if base == local => Relation::Behind,
        Some(Some(base)) if base == head => Relation::Ahead,
        Some(Some(_)) => Relation::Diverged,
    }
}

/// Issues that a text says it closes, as they are written; those in code are none. Used where the host does not list them.
pub fn closes(body: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut fenced = false;
    for line in body.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
        if fenced {
            continue;
        }
        let words: Vec<&str> = plain.split_whitespace().collect();
        for pair in words.windows(2) {
            let verb = pair[0].trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            let verbs = ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"];
            let issue = pair[1].trim_end_matches(|c: char| !c.is_ascii_digit()).trim_start_matches(['(', '[']);
            let numbered = issue.rsplit_once('#').is_some_and(|(repo, n)| {
                let named = repo.is_empty() || (repo.split('/').count() == 2 && repo.split('/').all(|p| !p.is_empty()));
                named && !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())
            });
            if verbs.contains(&verb.as_str()) && numbered && !found.iter().any(|f| f == issue) {
                found.push(issue.to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_commits_has_its_relation() {
        assert_eq!(relation("a", "a", None), Relation::Same);
        assert_eq!(relation("a", "b", None), Relation::Unknown);
        assert_eq!(relation("a", "b", Some(None)), Relation::Unrelated);
        assert_eq!(relation("a", "b", Some(Some("a"))), Relation::Behind);
        assert_eq!(relation("a", "b", Some(Some("b"))), Relation::Ahead);
        assert_eq!(relation("a", "b", Some(Some("c"))), Relation::Diverged);
    }

    #[test]
    fn issues_are_read_out_of_a_body_but_not_out_of_its_code() {
        let body = "Fixes #12, closes o/r#3.\n`fixes #4`\n```\ncloses #5\n```\nRelated to #6. Resolved: #7\nfix # 8";
        assert_eq!(closes(body), ["#12", "o/r#3", "#7"]);
    }
}
