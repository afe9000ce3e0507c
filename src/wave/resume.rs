//! Resuming: credit is taken over only while every binding is what it was; what differs is said.
//!
//! Source: waves spec §9 (resume), §16 (credit on pause); wave-review seed, Persistence and Receipt.

use serde::{Deserialize, Serialize};

use super::tier::Tier;
use crate::base::reason::words;

words! {
    /// What is no longer what it was.
    Difference {
        Tier "tier",
        ScopeFingerprint "scope_fingerprint",
        ScopeBoundary "scope_boundary",
        CriteriaBinding "criteria_binding",
        PolicyBinding "policy_binding",
        State "state",
    }
}

/// What the scope of a gate is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// `changes` or `codebase`.
    pub mode: String,
    /// Of what is reviewed.
    pub scope_fingerprint: String,
    /// Of the working tree against HEAD.
    pub working_fingerprint: String,
    /// The tree that is compared with, or `codebase`. Not the commit: a fetch that moves the default branch alone changes nothing.
    pub boundary: String,
    /// HEAD.
    pub head: Option<String>,
    /// The branch; none when HEAD is detached.
    pub branch: Option<String>,
    /// Of git's own settings and exclusions: what they hide from git, git does not tell.
    pub settings: String,
}

/// What credit is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing<'a> {
    /// The tier.
    pub tier: Tier,
    /// The scope.
    pub bound: &'a Bound,
    /// Of the criteria, or `standalone`.
    pub criteria: &'a str,
    /// Of the policy.
    pub policy: &'a str,
}

/// What differs between what credit was earned on and what stands now. Nothing is what it takes to keep credit; another target keeps it
/// (spec §14).
pub fn differences(then: &Standing<'_>, now: &Standing<'_>) -> Vec<Difference> {
    let rows = [
        (then.tier != now.tier, Difference::Tier),
        (then.bound.scope_fingerprint != now.bound.scope_fingerprint, Difference::ScopeFingerprint),
        (then.bound.boundary != now.bound.boundary, Difference::ScopeBoundary),
        (then.criteria != now.criteria, Difference::CriteriaBinding),
        (then.policy != now.policy, Difference::PolicyBinding),
    ];
    rows.into_iter().filter(|(differs, _)| *differs).map(|(_, what)| what).collect()
}

/// Why a wave's result counts for nothing, before it is looked at: the checkout is another one than the wave was started in. A commit
/// is allowed where what is reviewed stays the same, or where a fix is claimed that changed it.
pub fn moved(before: &Bound, after: &Bound, fixed: bool) -> Option<Moved> {
    if before.branch != after.branch || before.settings != after.settings {
        return Some(Moved::Identity);
    }
    let scope_changed = before.scope_fingerprint != after.scope_fingerprint;
    if before.head != after.head && scope_changed && !fixed {
        return Some(Moved::Identity);
    }
    (before.boundary != after.boundary).then_some(Moved::Boundary)
}

/// What moved under a wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// Branch or HEAD.
    Identity,
    /// What is compared with.
    Boundary,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound() -> Bound {
        Bound {
            mode: "changes".into(),
            scope_fingerprint: "s".into(),
            working_fingerprint: "w".into(),
            boundary: "t".into(),
            head: Some("h".into()),
            branch: Some("b".into()),
            settings: "g".into(),
        }
    }

    #[test]
    fn every_binding_that_differs_is_named() {
        let here = bound();
        let now = Standing { tier: Tier::Small, bound: &here, criteria: "standalone", policy: "p" };
        assert_eq!(differences(&now, &now), []);
        let there = Bound { scope_fingerprint: "x".into(), boundary: "y".into(), ..bound() };
        let then = Standing { tier: Tier::Normal, bound: &there, criteria: "c", policy: "q" };
        use Difference as D;
        assert_eq!(differences(&then, &now), [D::Tier, D::ScopeFingerprint, D::ScopeBoundary, D::CriteriaBinding, D::PolicyBinding]);
    }

    #[test]
    fn a_commit_of_what_was_reviewed_moves_nothing() {
        let with = |change: &dyn Fn(&mut Bound)| {
            let mut b = bound();
            change(&mut b);
            b
        };
        assert_eq!(moved(&bound(), &bound(), false), None);
        assert_eq!(moved(&bound(), &with(&|b| b.head = None), false), None);
        let committed_fix = with(&|b| (b.head, b.scope_fingerprint) = (Some("i".into()), "x".into()));
        assert_eq!(moved(&bound(), &committed_fix, true), None);
        assert_eq!(moved(&bound(), &committed_fix, false), Some(Moved::Identity));
        assert_eq!(moved(&bound(), &with(&|b| b.branch = Some("c".into())), true), Some(Moved::Identity));
        assert_eq!(moved(&bound(), &with(&|b| b.settings = "x".into()), false), Some(Moved::Identity));
        assert_eq!(moved(&bound(), &with(&|b| b.boundary = "u".into()), true), Some(Moved::Boundary));
        // Publishing what was reviewed may leave nothing that differs; a fix of a whole code base makes something differ.
        assert_eq!(moved(&bound(), &with(&|b| b.mode = "codebase".into()), false), None);
    }
}
