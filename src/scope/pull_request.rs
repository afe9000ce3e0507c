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
}
