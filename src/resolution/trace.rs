//! The round trace: what became of each finding of a round, in the slot that says whether a person was asked. Renders and reads back.
//!
//! Source: convergence seed, Convergence; resolution spec §13. Bound: linear.

use serde::Serialize;

use super::disposition::{Entry, Outcome, Risk, Slot};

/// One line of the trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The finding, with its place.
    pub finding: String,
    /// What it came to.
    pub outcome: Outcome,
    /// The basis of a drop or the reason of a deferral; of an edit what it rests on is not shown.
    pub basis: Option<String>,
    /// Annotations, in order.
    pub notes: Vec<String>,
}

/// A round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Round {
    /// Its number.
    pub round: u64,
    /// The source.
    pub source: String,
    /// What the source said, or `unproven (source failed: …)`.
    pub verdict: String,
    /// What the loop did alone.
    pub relay: Vec<Line>,
    /// What a person was asked about.
    pub gated: Vec<Line>,
    /// Decisions that left force, and other notes on the round.
    pub notes: Vec<String>,
}

/// The line of an entry; `finding` is how the finding is named.
pub fn line(entry: &Entry, finding: &str) -> (Slot, Line) {
    // What was changed, or what it rests on, where nobody said what was changed.
    let fix = entry.note.as_ref().or(entry.basis.as_ref()).filter(|_| entry.outcome == Outcome::Applied);
    let mut notes: Vec<String> = fix.map(|f| format!("fix: {f}")).into_iter().collect();
    notes.extend(entry.side_effects.iter().map(|s| format!("side-effect: {s}")));
    notes.extend(entry.license.as_ref().map(|l| format!("scope: {}: {}", l.kind.word(), l.citation)));
    notes.extend((entry.risk == Risk::Substrate).then(|| "substrate: routed to the harness".to_owned()));
    let gated = entry.gate.is_some();
    let mechanical = entry.class == super::disposition::Class::Mechanical;
    notes.extend((gated && mechanical).then(|| "mechanical".to_owned()));
    notes.extend(entry.settled_by.as_ref().map(|by| format!("settled by: {by}")));
    notes.extend(entry.note.clone().filter(|_| entry.outcome != Outcome::Applied));
    let basis = entry.basis.clone().filter(|_| entry.outcome != Outcome::Applied);
    let line = Line {
        finding: folded(finding),
        outcome: entry.outcome,
        basis: basis.map(|b| folded(&b)),
        notes: notes.iter().map(|n| folded(n)).collect(),
    };
    (entry.slot(), line)
}

/// One line without anything that steers a terminal.
fn folded(text: &str) -> String {
    let plain: String = text.chars().map(|c| if crate::base::path::is_unsafe(c) { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The trace of a round as text.
pub fn render(round: &Round) -> String {
    let mut text = format!("Round {} — source: {} — verdict: {}\n", round.round, folded(&round.source), folded(&round.verdict));
    for (title, lines) in [("Relay", &round.relay), ("Gated", &round.gated)] {
        if lines.is_empty() {
            text.push_str(&format!("  {title}: none\n"));
            continue;
        }
        text.push_str(&format!("  {title}:\n"));
        lines.iter().for_each(|l| text.push_str(&format!("    {}\n", rendered(l))));
    }
    round.notes.iter().for_each(|n| text.push_str(&format!("  Note: {}\n", folded(n))));
    text
}

/// Brackets and bars in foreign text are escaped, so that a line reads back as it was.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '[' | ']' | '→') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn rendered(line: &Line) -> String {
    let outcome = match &line.basis {
        Some(basis) => format!("[{}: {}]", line.outcome.word(), escaped(basis)),
        None => format!("[{}]", line.outcome.word()),
    };
    let notes: String = line.notes.iter().map(|n| format!(" [{}]", escaped(n))).collect();
    format!("{} → {outcome}{notes}", escaped(&line.finding))
}

/// Reads traces back; none when the text is no trace.
pub fn parse(text: &str) -> Option<Vec<Round>> {
    let mut rounds: Vec<Round> = Vec::new();
    let mut gated = false;
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        if let Some(head) = line.strip_prefix("Round ") {
            let (number, rest) = head.split_once(" — source: ")?;
            let (source, verdict) = rest.split_once(" — verdict: ")?;
            let (source, verdict) = (source.to_owned(), verdict.to_owned());
            rounds.push(Round { round: number.parse().ok()?, source, verdict, relay: Vec::new(), gated: Vec::new(), notes: Vec::new() });
            continue;
        }
        let round = rounds.last_mut()?;
        match line.strip_prefix("  ")? {
            "Relay:" | "Relay: none" => gated = false,
            "Gated:" | "Gated: none" => gated = true,
            rest if rest.starts_with("Note: ") => round.notes.push(rest["Note: ".len()..].to_owned()),
            rest => {
                let read = parse_line(rest.strip_prefix("  ")?)?;
                if gated { round.gated.push(read) } else { round.relay.push(read) }
            }
        }
    }
    (!rounds.is_empty()).then_some(rounds)
}

fn parse_line(text: &str) -> Option<Line> {
    let (mut parts, mut current, mut inside) = (Vec::new(), String::new(), false);
    let mut finding: Option<String> = None;
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '\\' => current.push(letters.next()?),
            '→' if finding.is_none() => finding = Some(std::mem::take(&mut current).trim().to_owned()),
            '[' if finding.is_some() && !inside => {
                inside = true;
                current.clear();
            }
            ']' if inside => {
                inside = false;
                parts.push(std::mem::take(&mut current));
            }
            c => current.push(c),
        }
    }
    let mut parts = parts.into_iter();
    let first = parts.next()?;
    let (word, basis) = first.split_once(": ").map_or((first.as_str(), None), |(w, b)| (w, Some(b.to_owned())));
    Some(Line { finding: finding?, outcome: Outcome::parse(word)?, basis, notes: parts.collect() })
}

#[cfg(test)]
mod tests {
    use super::super::disposition::tests::entry;
    use super::super::disposition::{Class, Gate};
    use super::*;
    use proptest::prelude::*;

    fn round(relay: Vec<Line>, gated: Vec<Line>) -> Round {
        Round { round: 1, source: "codex".into(), verdict: "needs-attention".into(), relay, gated, notes: Vec::new() }
    }

    #[test]
    fn the_trace_has_the_form_of_the_seed() {
        let applied = Entry { side_effects: vec!["a line outside the diff".into()], ..entry("F-1", Outcome::Applied) };
        let asked = Entry {
            class: Class::Judgment,
            basis: Some("ask [later]\nagain".into()),
            gate: Some(Gate { id: "g".into(), words: "w".into() }),
            ..entry("F-2", Outcome::Carried)
        };
        let (slot, first) = line(&applied, "F-1 a.rs:3");
        let (other, second) = line(&asked, "F-2 b.rs");
        assert_eq!((slot, other), (Slot::Relay, Slot::Gated));
        let text = render(&round(vec![first], vec![second]));
        let want = "Round 1 — source: codex — verdict: needs-attention\n  Relay:\n    F-1 a.rs:3 → [applied] [fix: seen] [side-effect: a \
                    line outside the diff]\n  Gated:\n    F-2 b.rs → [carried: ask \\[later\\] again]\n";
        assert_eq!(text, want);
        assert!(render(&round(vec![], vec![])).ends_with("  Relay: none\n  Gated: none\n"));
    }

    proptest! {
        #[test]
        fn a_trace_reads_back_as_it_was(finding in "[^\u{0}]{1,30}", basis in "[^\u{0}]{0,30}", note in "[^\u{0}]{0,20}") {
            let entry = Entry { basis: Some(format!("b{basis}")), note: Some(format!("n{note}")), ..entry("F", Outcome::Dropped) };
            let (_, line) = line(&entry, &format!("f{finding}"));
            let whole = round(vec![line.clone()], vec![Line { notes: vec![], ..line }]);
            prop_assert_eq!(parse(&render(&whole)), Some(vec![whole]));
        }
    }
}
