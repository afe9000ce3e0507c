//! Closed shapes: what keys an object has and what each holds, as data.

use serde_json::{Map, Value};

use super::{Found, Rule, is_said, part};

/// A key of an object.
pub(super) struct Key {
    name: &'static str,
    needed: bool,
    kind: Kind,
}

/// What a key holds.
pub(super) enum Kind {
    /// Anything.
    Any,
    /// A text that says something.
    Text,
    /// An anchor: a text that says something.
    Anchor,
    /// One of a list of words.
    Word(&'static [&'static str]),
    /// An id.
    Id,
    /// An object whose keys are free.
    Fields,
    /// An object whose keys are free and hold such values.
    Each(&'static Kind),
    /// True or false.
    Flag,
    /// A whole number.
    Number,
    /// `sha256:` or bare, 64 lower-case hex digits.
    Hash,
    /// A time as we write it.
    Time,
    /// An object of that shape.
    Object(&'static [Key]),
    /// A list of such values.
    List(&'static Kind),
    /// Null, or that.
    Maybe(&'static Kind),
}

/// A key that has to be there.
pub(super) const fn needed(name: &'static str, kind: Kind) -> Key {
    Key { name, needed: true, kind }
}

/// A key that may be there.
pub(super) const fn optional(name: &'static str, kind: Kind) -> Key {
    Key { name, needed: false, kind }
}

/// Checks an object against groups of keys, which together are all that it may have. Gives it back when it is one.
pub(super) fn object<'v>(value: &'v Value, groups: &[&[Key]], at: &str, found: &mut Found) -> Option<&'v Map<String, Value>> {
    let Some(fields) = value.as_object() else {
        found.add(Rule::NotAnObject, at, "this is no object");
        return None;
    };
    for key in groups.iter().copied().flatten() {
        let place = format!("{at}/{}", part(key.name));
        match (fields.get(key.name), &key.kind) {
            (None, Kind::Anchor) => found.add(Rule::AnchorMissing, &place, format!("`{}` is missing", key.name)),
            (None, _) => found.demand(!key.needed, Rule::FieldMissing, &place, format!("`{}` is missing", key.name)),
            (Some(value), kind) => holds(value, kind, &place, found),
        }
    }
    for key in fields.keys().filter(|k| groups.iter().copied().flatten().all(|known| known.name != **k)) {
        let shown = crate::base::path::printable(key);
        found.add(Rule::UnknownField, &format!("{at}/{}", part(key)), format!("there is no field `{shown}` here"));
    }
    Some(fields)
}

/// Checks a value against what it has to hold.
fn holds(value: &Value, kind: &Kind, at: &str, found: &mut Found) {
    let text = |what: &str, is: &dyn Fn(&str) -> bool, found: &mut Found| {
        found.demand(value.as_str().is_some_and(is), Rule::WrongType, at, format!("this is no {what}"));
    };
    match kind {
        Kind::Any => {}
        Kind::Text => found.demand(is_said(value), Rule::WrongType, at, "this is no text, or a blank one"),
        Kind::Anchor => found.demand(is_said(value), Rule::AnchorMissing, at, "an anchor is a text that says something"),
        Kind::Word(words) => {
            let known = value.as_str().is_some_and(|w| words.contains(&w));
            found.demand(known, Rule::UnknownWord, at, format!("this is none of {}", words.join(", ")));
        }
        Kind::Id => text("id of 1 to 128 of A-Z a-z 0-9 . _ -", &|s| crate::base::id::check(s, "id").is_ok(), found),
        Kind::Fields => found.demand(value.is_object(), Rule::WrongType, at, "this is no object"),
        Kind::Each(kind) => match value.as_object() {
            None => found.add(Rule::WrongType, at, "this is no object"),
            Some(fields) => fields.iter().for_each(|(key, item)| holds(item, kind, &format!("{at}/{}", part(key)), found)),
        },
        Kind::Flag => found.demand(value.is_boolean(), Rule::WrongType, at, "this is neither true nor false"),
        Kind::Number => found.demand(value.is_u64(), Rule::WrongType, at, "this is no whole number"),
        Kind::Hash => {
            text("SHA-256 in 64 lower-case hex digits", &|s| crate::base::digest::is_sha256(s.strip_prefix("sha256:").unwrap_or(s)), found)
        }
        Kind::Time => text("time such as 2026-11-30T12:00:00.000Z", &|s| crate::base::time::parse_iso(s).is_some(), found),
        Kind::Object(keys) => {
            object(value, &[keys], at, found);
        }
        Kind::List(kind) => match value.as_array() {
            None => found.add(Rule::WrongType, at, "this is no list"),
            Some(items) => items.iter().enumerate().for_each(|(n, item)| holds(item, kind, &format!("{at}/{n}"), found)),
        },
        Kind::Maybe(kind) => {
            if !value.is_null() {
                holds(value, kind, at, found);
            }
        }
    }
}
