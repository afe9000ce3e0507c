//! Ids that become file names: checked once at the door, so that nothing behind it checks again.

use super::fail::{Code, Fail};

/// The id of one loop: 1 to 128 of `A-Z a-z 0-9 . _ -` (house.md, State).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(String);

impl LoopId {
    /// Checks `text`.
    ///
    /// # Errors
    /// `BAD_ID` for anything that could leave a folder, or that is the text of a missing value.
    pub fn parse(text: &str) -> Result<LoopId, Fail> {
        check(text, "loop id")?;
        Ok(LoopId(text.to_owned()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for LoopId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Refuses a text that is no id; `what` names the role in the message.
///
/// # Errors
/// `BAD_ID`.
pub fn check(text: &str, what: &str) -> Result<(), Fail> {
    let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    let nothing = ["null", "undefined", "none"].iter().any(|w| text.eq_ignore_ascii_case(w));
    if text.is_empty() || text.len() > 128 || !text.bytes().all(legal) || text.contains("..") || text == "." || nothing {
        return Err(Fail::new(Code::BadId, format!("the {what} `{}` is not a legal id", super::path::printable(text))));
    }
    Ok(())
}

/// A base commit: 7 to 64 hex digits, kept as written in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommitId(String);

impl CommitId {
    /// Checks `text`.
    ///
    /// # Errors
    /// `MISSING_BASE_COMMIT` when empty, `BAD_COMMIT` otherwise.
    pub fn parse(text: Option<&str>) -> Result<CommitId, Fail> {
        let text = text.unwrap_or_default();
        if text.is_empty() {
            return Err(Fail::new(Code::MissingBaseCommit, "the flag `--base-commit` is missing or empty"));
        }
        if !(7..=64).contains(&text.len()) || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            let shown = super::path::printable(text);
            return Err(Fail::new(Code::BadCommit, format!("the base commit `{shown}` is not 7 to 64 hex digits")));
        }
        Ok(CommitId(text.to_ascii_lowercase()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The empty tree of each hash algorithm git knows: the base of a whole-code-base scope.
pub const EMPTY_TREES: [&str; 2] =
    ["4b825dc642cb6eb9a060e54bf8d69288fbee4904", "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"];

/// Whether `id` is the empty tree of a hash algorithm (full length only).
pub fn is_empty_tree(id: &str) -> bool {
    EMPTY_TREES.iter().any(|tree| tree.eq_ignore_ascii_case(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_leave_a_folder_or_mean_nothing_are_refused() {
        for bad in ["", ".", "..", "a..b", "../x", "a/b", "a b", "NULL", "undefined", "None", "é", "a\n", &"x".repeat(129)] {
            assert_eq!(LoopId::parse(bad).unwrap_err().code, Code::BadId, "{bad:?}");
        }
        for good in ["a", "0f6c-4.x_y", "nullable", &"x".repeat(128)] {
            assert!(LoopId::parse(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn base_commits_are_seven_to_sixty_four_hex_digits() {
        assert_eq!(CommitId::parse(None).unwrap_err().code, Code::MissingBaseCommit);
        for bad in ["abc123", "xyzxyzx", "b --> <script>", &"a".repeat(65)] {
            assert_eq!(CommitId::parse(Some(bad)).unwrap_err().code, Code::BadCommit);
        }
        assert_eq!(CommitId::parse(Some("ABCDEF0")).unwrap().as_str(), "abcdef0");
    }
}
