//! What a client's stream comes to: whether it answered, and with what.
//!
//! The terminal event decides, never the last text seen: text of a run that failed or was cut off is shown to people and is no
//! answer. Events that this program does not know are tolerated and counted. Source: spec/clients.md §2 to §4;
//! cases/streams/README.md. Bound: linear in both streams.

use serde::Serialize;
use serde_json::Value;

use super::{claude, codex, stderr};
use crate::base::reason::words;

words! {
    /// The programs whose streams are known.
    Client {
        Codex "codex",
        Claude "claude",
    }
}

words! {
    /// What a run comes to.
    Outcome {
        Answered "answered",
        Unconfirmed "unconfirmed",
        Failed "failed",
        Truncated "truncated",
        NoAnswer "no_answer",
        NotJsonl "not_jsonl",
    }
}

/// Exit statuses of a run that somebody ended: a time limit, and the signals INT, KILL and TERM.
const ENDED: [i64; 4] = [124, 130, 137, 143];

/// What a reviewer looked at: a command or a file, and what it was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// The command line, or the path that was opened.
    pub at: String,
    /// What came back.
    pub shown: String,
}

/// What a client's stream says, before the outcome is judged.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// The answer of the last turn.
    pub text: Option<String>,
    /// How the last turn ended.
    pub ended: Option<Ended>,
    /// Messages of errors, in order.
    pub errors: Vec<String>,
    /// Transient errors after which the client tried again.
    pub reconnects: u64,
    /// The usage the client reports.
    pub usage: Option<Value>,
    /// What was looked at.
    pub looks: Vec<Look>,
    /// Whether the client shows what it looks at.
    pub shows_looks: bool,
    /// The client's name for the session.
    pub session: Option<String>,
    /// Events that this client is known to print.
    pub events: u64,
    /// Events of an unknown type.
    pub unknown_events: u64,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// The client says that it is through.
    Completed,
    /// The client gives no sign either way.
    Unsaid,
    /// The client says that it failed.
    Failed,
}

/// What a run comes to, with what is kept of it.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The outcome.
    pub outcome: Outcome,
    /// The reviewer's answer; null unless `answered` or `unconfirmed`.
    pub text: Option<String>,
    /// Text of a run that gave no answer: for people, and never read for a verdict.
    pub partial_text: Option<String>,
    /// What the client says went wrong, in order.
    pub errors: Vec<String>,
    /// Transient errors after which it tried again.
    pub reconnects: u64,
    /// The usage it reports, as it reports it.
    pub usage: Option<Value>,
    /// Lines of its error stream, without what every run prints.
    pub warnings: Vec<String>,
    /// Its name for the session.
    pub session: Option<String>,
    /// Lines that are no JSON.
    pub foreign_lines: u64,
    /// Events of an unknown type.
    pub unknown_events: u64,
    /// What it looked at; none when the stream does not show it.
    #[serde(skip)]
    pub looks: Option<Vec<Look>>,
}

/// Reads both streams of a run. `exit_code` is none when nobody knows it.
pub fn read(client: Client, events: &[u8], errors: &[u8], exit_code: Option<i64>) -> Answer {
    let text = String::from_utf8_lossy(events);
    let (documents, foreign_lines) = documents(&text);
    let heard = match client {
        Client::Codex => codex::listen(&documents),
        Client::Claude => claude::listen(&documents),
    };
    let said = stderr::read(&String::from_utf8_lossy(errors));
    let outcome = judge(&heard, text.trim().is_empty(), exit_code);
    let counts = matches!(outcome, Outcome::Answered | Outcome::Unconfirmed);
    let (text, partial_text) = if counts { (heard.text, None) } else { (None, heard.text.filter(|t| !t.trim().is_empty())) };
    let mut errors = heard.errors;
    errors.extend(said.errors);
    Answer {
        outcome,
        text,
        partial_text,
        errors,
        reconnects: heard.reconnects,
        usage: heard.usage,
        warnings: said.warnings,
        session: heard.session,
        foreign_lines,
        unknown_events: heard.unknown_events,
        looks: heard.shows_looks.then_some(heard.looks),
    }
}

/// The documents of a stream: one, a list of them, or one a line; and how many lines are none.
fn documents(text: &str) -> (Vec<Value>, u64) {
    if let Ok(whole) = serde_json::from_str::<Value>(text) {
        return match whole {
            Value::Array(list) => (list, 0),
            one => (vec![one], 0),
        };
    }
    let (mut documents, mut foreign) = (Vec::new(), 0);
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(document) if document.is_object() => documents.push(document),
            _ => foreign += 1,
        }
    }
    (documents, foreign)
}

fn judge(heard: &Heard, silent: bool, exit_code: Option<i64>) -> Outcome {
    let killed = exit_code.is_some_and(|code| ENDED.contains(&code));
    let broke = exit_code.is_some_and(|code| code != 0);
    if silent {
        return if broke && !killed { Outcome::Failed } else { Outcome::Truncated };
    }
    if heard.events == 0 {
        return Outcome::NotJsonl;
    }
    let Some(ended) = heard.ended else { return Outcome::Truncated };
    if ended == Ended::Failed {
        return Outcome::Failed;
    }
    if broke {
        // A client that says it is through and does not end well is believed in neither.
        return if killed { Outcome::Truncated } else { Outcome::Failed };
    }
    match heard.text.as_deref().map(str::trim) {
        None | Some("" | "Command completed") => Outcome::NoAnswer,
        Some(_) if ended == Ended::Completed => Outcome::Answered,
        Some(_) => Outcome::Unconfirmed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(client: Client, events: &str, exit_code: Option<i64>) -> Outcome {
        read(client, events.as_bytes(), b"", exit_code).outcome
    }

    const TURN: &str = "{\"type\":\"turn.started\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"x\"}}\n";

    #[test]
    fn only_a_turn_that_was_ended_by_the_client_answers() {
        let ended = format!("{TURN}{{\"type\":\"turn.completed\"}}");
        assert_eq!(outcome(Client::Codex, &ended, None), Outcome::Answered);
        assert_eq!(outcome(Client::Codex, &ended, Some(0)), Outcome::Answered);
        assert_eq!(outcome(Client::Codex, &ended, Some(1)), Outcome::Failed);
        assert_eq!(outcome(Client::Codex, &ended, Some(137)), Outcome::Truncated);
        assert_eq!(outcome(Client::Codex, TURN, Some(0)), Outcome::Truncated);
        let goes_on = format!("{ended}\n{}", &TURN[TURN.find('\n').unwrap() + 1..]);
        assert_eq!(outcome(Client::Codex, &goes_on, Some(0)), Outcome::Truncated);
    }

    #[test]
    fn silence_is_a_failure_or_a_cut_and_never_an_answer() {
        assert_eq!(outcome(Client::Codex, "", Some(2)), Outcome::Failed);
        for code in [None, Some(0), Some(124), Some(143)] {
            assert_eq!(outcome(Client::Claude, " \n", code), Outcome::Truncated);
        }
    }

    #[test]
    fn a_stream_of_another_program_is_none() {
        let ended = format!("{TURN}{{\"type\":\"turn.completed\"}}");
        assert_eq!(outcome(Client::Claude, &ended, Some(0)), Outcome::NotJsonl);
        assert_eq!(outcome(Client::Codex, "[1,2]", Some(0)), Outcome::NotJsonl);
        assert_eq!(outcome(Client::Codex, "{\"findings\":[]}", Some(0)), Outcome::NotJsonl);
    }
}
