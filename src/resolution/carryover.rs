//! Carryover: where a decision of this loop belongs when the loop has ended. An offer each, and never a condition of ending.
//!
//! Takes the decisions in force and the kind of scope; gives a home and a body with the person's words verbatim. Nothing is posted.
//! Source: convergence seed, Ledger carryover at exit and rule 10; resolution spec §17. Bound: linear.

use serde::Serialize;

use super::decision::{Kind, Standing};
use crate::base::reason::words;

words! {
    /// Where a decision is read next.
    Home {
        ClosedIssues "closed_issues",
        PullRequest "pull_request",
        RuleFile "rule_file",
        Ask "ask",
    }
}

/// The pull request of a loop, as far as homes depend on it.
#[derive(Debug, Clone, Default)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// Issues that it closes, as they are written.
    pub closes: Vec<String>,
}

/// One offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// The decision.
    pub decision: String,
    /// Its home.
    pub home: Home,
    /// What is written to: issues, or the pull request.
    pub targets: Vec<String>,
    /// What would be written.
    pub body: String,
}

/// The offers of a loop.
pub fn offers<'a>(decisions: impl Iterator<Item = &'a Standing>, pr: Option<&PullRequest>, trace: &str) -> Vec<Offer> {
    decisions.map(|d| offer(d, pr, trace)).collect()
}

fn offer(decision: &Standing, pr: Option<&PullRequest>, trace: &str) -> Offer {
    let entry = &decision.entry;
    let (home, targets) = match pr {
        Some(pr) if entry.redirects_work && !pr.closes.is_empty() => (Home::ClosedIssues, pr.closes.clone()),
        // A direction that no issue takes up has no home that its reach implies.
        Some(_) if entry.redirects_work => (Home::Ask, Vec::new()),
        _ if entry.kind == Kind::Convention => (Home::RuleFile, Vec::new()),
        Some(pr) => (Home::PullRequest, vec![format!("#{}", pr.number)]),
        None => (Home::Ask, Vec::new()),
    };
    Offer { decision: decision.id.clone(), home, targets, body: body(decision, trace) }
}

fn body(decision: &Standing, trace: &str) -> String {
    let entry = &decision.entry;
    let refs = if entry.refs.is_empty() { String::new() } else { format!("\nSee also: {}\n", entry.refs.join(", ")) };
    format!(
        "Decided in review round {}: {}\n\nIn the words of the person who decided:\n\n{}\nIt rests on: {}\n{refs}\nHow the review went:\n\n{}",
        decision.round,
        entry.text.trim(),
        fenced(&entry.user_words),
        entry.basis.trim(),
        fenced(trace),
    )
}

/// A block of text in a fence that is longer than any inside.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}{}{fence}\n", if text.ends_with('\n') { "" } else { "\n" })
}

#[cfg(test)]
mod tests {
    use super::super::decision::Ledger;
    use super::super::decision::tests::add;
    use super::*;

    fn home(change: impl Fn(&mut super::super::decision::Entry), pr: Option<&PullRequest>) -> (Home, Vec<String>, String) {
        let mut event = add("D-1", 2);
        change(event.entry.as_mut().unwrap());
        let mut ledger = Ledger::default();
        ledger.take(&event).unwrap();
        let offer = offers(ledger.in_force(), pr, "Round 1\n").remove(0);
        (offer.home, offer.targets, offer.body)
    }

    #[test]
    fn the_home_follows_from_the_reach() {
        let pr = PullRequest { number: 7, closes: vec!["#3".into(), "o/r#4".into()] };
        let redirects = |e: &mut super::super::decision::Entry| e.redirects_work = true;
        assert_eq!(home(redirects, Some(&pr)).1, ["#3", "o/r#4"]);
        assert_eq!(home(redirects, Some(&PullRequest { number: 7, closes: vec![] })).0, Home::Ask);
        assert_eq!(home(|_| (), Some(&pr)).1, ["#7"]);
        assert_eq!(home(|e| e.kind = Kind::Convention, Some(&pr)).0, Home::RuleFile);
        assert_eq!(home(|_| (), None).0, Home::Ask);
    }

    #[test]
    fn the_words_stand_verbatim_in_a_fence_they_cannot_close() {
        let words = "keep it\n```\n# not a heading\n````";
        let body = home(|e| e.user_words = words.into(), None).2;
        assert!(body.contains(&format!("`````text\n{words}\n`````\n")), "{body}");
    }
}
