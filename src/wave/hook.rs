//! The stop hook's answer: while a gate is open a turn does not end, with a count of its own and a hard cap.
//!
//! Source: spec/ecosystem.md §2.5; issue 5, answer-stop-hook. What is printed is what both hosts' closed schemas allow: `decision` and
//! `reason`, or `systemMessage`, or nothing.

use serde::Serialize;

/// What stands in the way of the end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Nothing: no loop, or one that is over.
    Nothing,
    /// The gate is open; this comes next.
    Open(String),
    /// A person must decide, for this reason.
    Paused(String),
    /// A record cannot be read or is not ours.
    Unreadable(String),
}

/// The answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// `block`, or nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<&'static str>,
    /// Why it is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the person sees.
    #[serde(rename = "systemMessage", skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// How often one turn end is blocked at most.
pub const CAP: u64 = 50;

/// Decides; `blocked` is how often it was blocked in a row before, `cap` how often at most.
pub fn decide(standing: &Standing, blocked: u64, cap: u64) -> Answer {
    let say = |message: String| Answer { message: Some(message), ..Answer::default() };
    let block = |reason: &str| match blocked < cap {
        true => Answer { decision: Some("block"), reason: Some(reason.to_owned()), ..Answer::default() },
        // The gate stays shut; only the turn ends.
        false => say(format!("the review gate is still shut; the end of the turn was blocked {blocked} times in a row and is let through")),
    };
    match standing {
        Standing::Nothing => Answer::default(),
        Standing::Open(next) => block(next),
        Standing::Unreadable(why) => block(why),
        Standing::Paused(why) => say(format!("the review gate is paused and needs a person: {why}")),
    }
}

/// The answer when the tool itself failed. Letting the turn end is the one place where a failure is let through: the gate stays shut.
pub fn failed(why: &str, blocks: bool) -> Answer {
    let said = format!("review-loop could not look at the review gate: {why}");
    match blocks {
        true => Answer { decision: Some("block"), reason: Some(said), ..Answer::default() },
        false => Answer { message: Some(said), ..Answer::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_gate_and_an_unreadable_record_block_up_to_the_cap() {
        let open = Standing::Open("run the next wave".into());
        assert_eq!(decide(&open, 0, 2).decision, Some("block"));
        assert_eq!(decide(&open, 2, 2).decision, None);
        assert!(decide(&open, 2, 2).message.is_some());
        assert_eq!(decide(&Standing::Unreadable("x".into()), 0, 2).decision, Some("block"));
        assert_eq!(decide(&Standing::Nothing, 0, 2), Answer::default());
        assert_eq!(decide(&Standing::Paused("blocked".into()), 0, 2).decision, None);
    }
}
