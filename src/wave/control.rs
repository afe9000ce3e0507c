//! Overrides: attributed decisions that change a number of the gate for a while, in an append-only journal.
//!
//! Source: waves spec §14; wave-review seed (outlier). One malformed row poisons the whole journal: who cannot read a decision cannot
//! know which one holds. Bound: linear in the rows.

use serde::{Deserialize, Serialize};

use crate::base::digest::sha256_hex;
use crate::base::number;
use crate::base::reason::words;

words! {
    /// What can be overridden.
    Gate {
        CleanPasses "review.clean-passes",
        PassTimeout "review.pass-timeout",
        MaxWaves "review.max-waves",
        NoticeInterval "review.notice-interval",
        RecheckSeconds "review.recheck-seconds",
    }
}

words! {
    /// How long an override holds: for this gate, or for every later one of the loop too.
    Scope {
        Phase "phase",
        Session "session",
    }
}

words! {
    /// Who decided.
    Source {
        Agent "agent",
        Human "human",
    }
}

words! {
    /// What a row does.
    Action {
        Set "set",
        Clear "clear",
    }
}

/// A row of the journal (schema 1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Always 1.
    pub schema_version: u64,
    /// When, in milliseconds since 1970.
    pub created_ms: u64,
    /// What it does.
    pub action: Action,
    /// What is overridden.
    pub gate: Gate,
    /// The value; none for a clearance.
    pub value: Option<u64>,
    /// How long it holds.
    pub scope: Scope,
    /// The gate of the loop that a `phase` row was set for, counted from 1.
    pub opening: u64,
    /// Who decided.
    pub source: Source,
    /// When it ends, in seconds since 1970; 0 for never.
    pub expires_at: u64,
    /// Why.
    pub reason: String,
}

/// The values a gate takes.
pub fn bounds(gate: Gate) -> std::ops::RangeInclusive<u64> {
    match gate {
        Gate::CleanPasses | Gate::MaxWaves => 1..=30,
        Gate::PassTimeout | Gate::NoticeInterval | Gate::RecheckSeconds => 0..=999_999_999_999_999,
    }
}

/// Why a text is no reason.
pub fn reason_offence(reason: &str) -> Option<&'static str> {
    match () {
        () if reason.trim().is_empty() => Some("is empty"),
        () if reason.chars().count() > 500 => Some("has more than 500 characters"),
        () if reason.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) => {
            Some("holds a control character or a line break")
        }
        () => None,
    }
}

/// Why a row is none.
pub fn row_offence(row: &Row) -> Option<&'static str> {
    match (row.action, row.value) {
        _ if row.schema_version != 1 => Some("is of another schema"),
        _ if row.opening == 0 => Some("belongs to no gate"),
        (Action::Set, Some(value)) if !bounds(row.gate).contains(&value) => Some("has a value out of bounds"),
        (Action::Set, None) | (Action::Clear, Some(_)) => Some("has a value where none belongs, or none"),
        _ => reason_offence(&row.reason).map(|_| "has no reason"),
    }
}

/// The override that holds: rows of other gates of the loop are dropped, clearances applied for each scope, what is over is dropped;
/// then the newest row holds, whatever its scope. A newer one that is over lets an older one come back.
pub fn active(rows: &[Row], gate: Gate, opening: u64, now_ms: i64) -> Option<&Row> {
    let now = u64::try_from(now_ms / 1000).unwrap_or(0);
    let here = |r: &&Row| r.gate == gate && (r.scope == Scope::Session || r.opening == opening);
    let of = |scope: Scope| -> Vec<(usize, &Row)> {
        let mut kept: Vec<(usize, &Row)> = Vec::new();
        for (at, row) in rows.iter().enumerate().filter(|(_, r)| here(r) && r.scope == scope) {
            match row.action {
                Action::Set => kept.push((at, row)),
                Action::Clear => kept.clear(),
            }
        }
        kept
    };
    let live = |r: &&(usize, &Row)| r.1.expires_at == 0 || r.1.expires_at > now;
    let all = [of(Scope::Phase), of(Scope::Session)].concat();
    all.iter().filter(live).max_by_key(|(at, _)| *at).map(|(_, row)| *row)
}

/// What an override is bound by.
pub fn binding(row: &Row) -> String {
    let phase = if row.scope == Scope::Phase { "3" } else { "-" };
    let value = row.value.unwrap_or_default().to_string();
    let expires = row.expires_at.to_string();
    let parts = [row.gate.word(), &value, row.scope.word(), phase, row.source.word(), &expires, &row.reason];
    sha256_hex(format!("dex-override-v1\t{}\n", parts.join("\t")).as_bytes())
}

/// A value as written.
pub fn value(gate: Gate, text: &str) -> Option<u64> {
    number::digits(text).filter(|n| bounds(gate).contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(scope: Scope, value: Option<u64>, expires_at: u64) -> Row {
        Row {
            schema_version: 1,
            created_ms: 1,
            action: if value.is_some() { Action::Set } else { Action::Clear },
            gate: Gate::CleanPasses,
            value,
            scope,
            opening: 1,
            source: Source::Human,
            expires_at,
            reason: "ok".into(),
        }
    }

    fn value_of(rows: &[Row], opening: u64, now_s: i64) -> Option<u64> {
        active(rows, Gate::CleanPasses, opening, now_s * 1000).and_then(|r| r.value)
    }

    #[test]
    fn the_newest_live_row_holds_and_clearances_are_by_scope() {
        use Scope::{Phase, Session};
        assert_eq!(value_of(&[], 1, 5), None);
        assert_eq!(value_of(&[row(Phase, Some(2), 0), row(Session, Some(4), 0)], 1, 5), Some(4));
        assert_eq!(value_of(&[row(Session, Some(4), 0), row(Phase, Some(2), 0)], 1, 5), Some(2));
        assert_eq!(value_of(&[row(Session, Some(4), 0), row(Phase, Some(2), 0), row(Phase, None, 0)], 1, 5), Some(4));
        // An expired newer row lets the older one come back.
        assert_eq!(value_of(&[row(Phase, Some(2), 0), row(Phase, Some(3), 5)], 1, 5), Some(2));
        assert_eq!(value_of(&[row(Phase, Some(2), 0), row(Phase, Some(3), 6)], 1, 5), Some(3));
        // A phase row ends with its gate, a session row does not.
        assert_eq!(value_of(&[row(Phase, Some(2), 0)], 2, 5), None);
        assert_eq!(value_of(&[row(Session, Some(2), 0)], 2, 5), Some(2));
        assert_eq!(active(&[row(Phase, Some(2), 0)], Gate::PassTimeout, 1, 0), None);
    }

    #[test]
    fn another_reason_is_another_binding() {
        let one = row(Scope::Phase, Some(2), 0);
        assert_eq!(binding(&one), "761d3403719e47b4684b70e57bb0dfce6ed43979c559b1862b8031f5d92df81f");
        assert_ne!(binding(&one), binding(&Row { reason: "other".into(), ..one.clone() }));
    }

    #[test]
    fn rows_out_of_bounds_are_none() {
        let bad = |change: &dyn Fn(&mut Row)| {
            let mut r = row(Scope::Phase, Some(2), 0);
            change(&mut r);
            row_offence(&r).is_some()
        };
        assert!(!bad(&|_| ()));
        assert!(bad(&|r| r.value = Some(31)) && bad(&|r| r.value = Some(0)) && bad(&|r| r.value = None) && bad(&|r| r.opening = 0));
        assert!(bad(&|r| r.reason = " ".into()) && bad(&|r| r.reason = "a\nb".into()) && bad(&|r| r.reason = "x".repeat(501)));
        assert_eq!(
            (value(Gate::CleanPasses, "30"), value(Gate::CleanPasses, "31"), value(Gate::PassTimeout, "0")),
            (Some(30), None, Some(0))
        );
    }
}
