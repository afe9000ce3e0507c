//! The completion oracle: what a run's exit status, result and error stream come to (spec/design-loop.md §2.5, §7 item 10, §10).
//!
//! The verdict stands on a line of its own, `GATE: PASS`, `GATE: REVISE` or `GATE: BLOCKED…`, near the end; markup and blanks around it
//! are no part of it. One in a quote or a fence is somebody else's; two that contradict each other are none.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::base::reason::words;

words! {
    /// How a run ended.
    Status {
        Completed "completed",
        Revise "revise",
        Blocked "blocked",
    }
}

/// What a run comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reading {
    /// The status of its terminal event.
    pub status: Status,
    /// The gate of its terminal event; `none` when there is no verdict.
    pub gate: String,
    /// `COMPLETE:…`, `UNVERIFIED:…` or `FAILED:…`.
    pub token: String,
    /// Why, in words.
    pub reason: &'static str,
}

impl Reading {
    /// Whether there is a verdict.
    pub fn is_verdict(&self) -> bool {
        self.token.starts_with("COMPLETE:")
    }
}

/// How many lines with words on them may stand behind the verdict: a closing remark.
const REMARK: usize = 3;

/// Reads a run's end. Bound: linear.
pub fn read(exit_code: i64, result: &str, errors: &str) -> Reading {
    let none =
        |token: &str, reason: &'static str| Reading { status: Status::Blocked, gate: "none".to_owned(), token: token.to_owned(), reason };
    if exit_code != 0 {
        return none("FAILED:nonzero-exit", "the run ended with an error");
    }
    if result.trim().is_empty() {
        return none("UNVERIFIED:empty", "the run gave no result");
    }
    if errors.lines().any(is_error) {
        return none("UNVERIFIED:err-markers", "the error stream holds an error");
    }
    let lines = own_lines(result);
    let gates: Vec<(usize, Gate)> = lines.iter().enumerate().filter_map(|(n, line)| Some((n, gate(line)?))).collect();
    let spoken: BTreeSet<&Gate> = gates.iter().map(|(_, gate)| gate).collect();
    if spoken.len() > 1 {
        return none("UNVERIFIED:conflicting-gates", "two verdict lines contradict each other");
    }
    match gates.last() {
        None => none("UNVERIFIED:no-gate-line", "no line of its own holds the verdict"),
        Some((n, _)) if lines.len() - n - 1 > REMARK => none("UNVERIFIED:gate-not-last", "the verdict is not near the end"),
        Some((_, Gate::Unreadable)) => none("UNVERIFIED:unknown-gate", "the verdict is none of PASS, REVISE and BLOCKED"),
        Some((_, Gate::Pass)) => said(Status::Completed, "PASS", "COMPLETE:PASS"),
        Some((_, Gate::Revise)) => said(Status::Revise, "REVISE", "COMPLETE:REVISE"),
        Some((_, Gate::Blocked(on))) => said(Status::Blocked, &format!("BLOCKED:{on}"), &format!("COMPLETE:BLOCKED:{on}")),
    }
}

fn said(status: Status, gate: &str, token: &str) -> Reading {
    Reading { status, gate: gate.to_owned(), token: token.to_owned(), reason: "the run stated its verdict" }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Gate {
    Pass,
    Revise,
    /// On what: dependency or prerequisite.
    Blocked(&'static str),
    Unreadable,
}

/// The lines with words on them that are neither in a fence nor quoted.
fn own_lines(text: &str) -> Vec<&str> {
    let mut fence: Option<(char, usize)> = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let inner = line.trim();
        let mark = super::answer::mark(inner);
        match (fence, mark) {
            (None, Some((sign, length, _))) => fence = Some((sign, length)),
            // Only a fence as long as the one that is open closes it.
            (Some(open), Some((sign, length, bare))) if open.0 == sign && length >= open.1 && bare => fence = None,
            (Some(_), _) => {}
            (None, None) if inner.is_empty() || inner.starts_with('>') || line.starts_with("    ") || line.starts_with('\t') => {}
            (None, None) => lines.push(inner),
        }
    }
    lines
}

/// The verdict of a line that is nothing else.
fn gate(line: &str) -> Option<Gate> {
    const MARKUP: [char; 6] = ['*', '_', '#', '`', ' ', '\t'];
    // A verdict in back-ticks is a quoted one.
    if line.contains('`') {
        return None;
    }
    let bare: String = line.chars().filter(|c| !matches!(c, '*' | '`' | '\u{200b}' | '\u{feff}')).collect();
    let bare = bare.trim_matches(MARKUP);
    let (label, rest) = bare.split_once(':')?;
    if !label.trim().trim_matches(MARKUP).eq_ignore_ascii_case("gate") {
        return None;
    }
    let word = rest.trim().trim_matches(MARKUP).trim_end_matches(['.', '!']).trim_end();
    Some(match word.to_ascii_uppercase().as_str() {
        "PASS" => Gate::Pass,
        "REVISE" => Gate::Revise,
        // A remark in brackets takes nothing back from a REVISE.
        other if other.starts_with("REVISE (") && other.ends_with(')') => Gate::Revise,
        "BLOCKED:PREREQUISITE" | "BLOCKED: PREREQUISITE" => Gate::Blocked("prerequisite"),
        "BLOCKED" | "BLOCKED:DEPENDENCY" | "BLOCKED: DEPENDENCY" => Gate::Blocked("dependency"),
        _ => Gate::Unreadable,
    })
}

/// Whether a line of the error stream reports an error: an optional time, then `ERROR`, `FATAL` or `API Error`, then a colon or the path of
/// a module.
fn is_error(line: &str) -> bool {
    // Colours are no part of what is said.
    let plain: String = line
        .split('\u{1b}')
        .enumerate()
        .map(|(n, part)| if n == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) })
        .collect();
    let mut rest = plain.trim_start();
    if let Some((first, behind)) = rest.split_once(' ')
        && first.len() >= 19
        && first.starts_with(|c: char| c.is_ascii_digit())
        && first.contains('T')
        && first.contains(':')
    {
        rest = behind.trim_start();
    }
    let Some(behind) = ["ERROR", "FATAL", "API Error"].into_iter().find_map(|word| rest.strip_prefix(word)) else { return false };
    if behind.starts_with(": ") || behind.trim_end() == ":" {
        return true;
    }
    let module = behind.trim_start();
    behind.starts_with(' ') && module.split_once(": ").is_some_and(|(path, _)| path.contains("::") && !path.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(result: &str) -> String {
        read(0, result, "").token
    }

    #[test]
    fn the_rows_of_the_oracle_come_out_as_they_should() {
        assert_eq!(read(0, "text\nGATE: PASS\n\n", "").token, "COMPLETE:PASS");
        let revise = read(0, "GATE: REVISE\r\n", "warning: slow\n");
        assert_eq!((revise.status, revise.gate.as_str(), revise.token.as_str()), (Status::Revise, "REVISE", "COMPLETE:REVISE"));
        assert_eq!(token("**GATE: PASS**"), "COMPLETE:PASS");
        assert_eq!(token("GATE: PASS "), "COMPLETE:PASS");
        assert_eq!(token("GATE: PASS\nThanks!"), "COMPLETE:PASS");
        let blocked = read(0, "GATE: BLOCKED:dependency", "");
        assert_eq!((blocked.status, blocked.gate.as_str()), (Status::Blocked, "BLOCKED:dependency"));
        assert_eq!(read(0, "GATE: PASS", "ERROR: quota").token, "UNVERIFIED:err-markers");
        assert_eq!(read(0, "GATE: PASS", "2026-07-17T00:00:00.1Z ERROR codex::exec: boom").token, "UNVERIFIED:err-markers");
        assert_eq!(read(0, " \n", "").token, "UNVERIFIED:empty");
        assert_eq!(read(1, "GATE: PASS", "").token, "FAILED:nonzero-exit");
        assert_eq!(token("GATE: REVISE\nmore\nGATE: PASS"), "UNVERIFIED:conflicting-gates");
    }

    #[test]
    fn a_verdict_that_is_quoted_fenced_early_or_unknown_is_none() {
        assert_eq!(token("> GATE: PASS"), "UNVERIFIED:no-gate-line");
        assert_eq!(token("```\nGATE: PASS\n```"), "UNVERIFIED:no-gate-line");
        assert_eq!(token("```\nGATE: PASS"), "UNVERIFIED:no-gate-line");
        assert_eq!(token("`GATE: PASS`"), "UNVERIFIED:no-gate-line");
        assert_eq!(token("    GATE: PASS"), "UNVERIFIED:no-gate-line");
        assert_eq!(token("````\n```\nGATE: PASS\n```\n````"), "UNVERIFIED:no-gate-line");
        assert_eq!(token("*`GATE: PASS`*"), "UNVERIFIED:no-gate-line");
        assert_eq!(token("GATE: REVISE (3 blockers)"), "COMPLETE:REVISE");
        assert_eq!(token("GATE: PASS (mostly)"), "UNVERIFIED:unknown-gate");
        assert_eq!(read(0, "GATE: PASS", "\u{1b}[31mERROR: quota\u{1b}[0m").token, "UNVERIFIED:err-markers");
        assert_eq!(token("end with GATE: PASS"), "UNVERIFIED:no-gate-line");
        assert_eq!(token("GATE: PASS\na\nb\nc\nd"), "UNVERIFIED:gate-not-last");
        assert_eq!(token("GATE: PASS or REVISE"), "UNVERIFIED:unknown-gate");
        assert_eq!(token("GATE: <PASS|REVISE>"), "UNVERIFIED:unknown-gate");
        assert_eq!(token("GATE: PASS\nGATE: PASS"), "COMPLETE:PASS");
        assert_eq!(token("GATE: PASS\n> GATE: REVISE"), "COMPLETE:PASS");
        assert_eq!(token("### Gate: revise"), "COMPLETE:REVISE");
    }
}
