//! Grades that an agent gives to the findings of an answer: an object of places (from 0) and words.

use super::json::{Fields, parse};
use crate::base::Fail;
use crate::base::severity::Grade;

/// Reads the grades, by their place.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE` for a key that is no place or a word that is no grade.
pub fn read(bytes: &[u8]) -> Result<Vec<(usize, Grade)>, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    let entries = value.as_object().into_iter().flatten();
    entries
        .map(|(key, word)| {
            let place = key.parse::<usize>().ok().filter(|n| n.to_string() == *key);
            let grade = word.as_str().and_then(Grade::parse);
            place.zip(grade).ok_or_else(|| f.wrong(key, "a place from 0, and critical, high, medium, low, suggestion or unknown"))
        })
        .collect()
}
