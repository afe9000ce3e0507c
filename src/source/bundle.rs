//! The bundle: everything variable that a reviewer is sent, and nothing else.
//!
//! Pointers to the change and to the design intent, and the decisions of this loop, which are its one copied element. What is sent is
//! rendered from it alone, so what it does not hold cannot be conveyed. Source: convergence seed, Design-intent harvest and Conveyance
//! boundary; resolution spec §6.

use serde::{Serialize, Serializer};

use super::conveyance::{self, Exception, Hit, Rule, Verdict};
use super::intent::Intent;
use crate::scope::change::Letter;

/// The longest string outside decisions: a longer one is text, and no pointer.
const LONGEST: usize = 200;

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path, any bytes.
    pub path: Vec<u8>,
    /// What happened to it.
    pub status: Letter,
    /// Whether no diff shows it.
    pub untracked: bool,
}

impl Serialize for File {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("path", &String::from_utf8_lossy(&self.path))?;
        if std::str::from_utf8(&self.path).is_err() {
            map.serialize_entry("path_hex", &crate::base::digest::hex(&self.path))?;
        }
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("untracked", &self.untracked)?;
        map.end()
    }
}

/// What is reviewed, as a pointer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pointer {
    /// pr, branch, worktree or codebase.
    pub kind: String,
    /// What it is compared with: a commit, or the empty tree.
    pub base: String,
    /// The head of a pull request; none where the working tree is what is compared.
    pub head: Option<String>,
    /// Its fingerprint.
    pub scope_fingerprint: String,
    /// Sorted by path bytes.
    pub files: Vec<File>,
}

impl Pointer {
    /// The command that shows the change; none for a whole code base.
    pub fn diff_command(&self) -> Option<Vec<String>> {
        // Attributes and settings that the change itself brings hide nothing.
        let plain = ["git", "diff", "--no-ext-diff", "--no-textconv", "--text", "--ignore-submodules=none"].map(str::to_owned);
        let range = match &self.head {
            _ if self.kind == "codebase" => return None,
            Some(head) => format!("{}...{head}", self.base),
            None => self.base.clone(),
        };
        Some(plain.into_iter().chain([range]).collect())
    }
}

/// One decision of this loop: what it says and what it rests on, and never when or why it came up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The decision.
    pub text: String,
    /// What it rests on.
    pub basis: String,
}

/// The bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bundle {
    /// Always 1.
    pub schema_version: u8,
    /// What is reviewed.
    pub scope: Pointer,
    /// The intent.
    #[serde(flatten)]
    pub intent: Intent,
    /// Captures of earlier conversations that the caller named.
    pub captures: Vec<String>,
    /// The decisions in force.
    pub decisions: Vec<Decision>,
}

/// What a bundle conveys beside intent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Conveyed {
    /// Offences.
    pub hits: Vec<Hit>,
    /// Hits that an exception excuses.
    pub excused: Vec<Hit>,
    /// Paths whose names speak: the reviewer is not shown them.
    pub withheld: Vec<String>,
    /// Slots in a language that no table holds.
    pub language_unchecked: Vec<String>,
    /// What was read for.
    pub checked_rules: Vec<Rule>,
}

impl Bundle {
    /// Every path with the pointer to it.
    fn paths(&self) -> Vec<(String, String)> {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut all: Vec<(String, String)> =
            self.scope.files.iter().enumerate().map(|(n, f)| (format!("/scope/files/{n}/path"), lossy(&f.path))).collect();
        let intent = &self.intent;
        all.extend(intent.rules.iter().enumerate().map(|(n, r)| (format!("/rules/{n}/path"), r.path.clone())));
        all.extend(intent.guides.iter().enumerate().map(|(n, g)| (format!("/guides/{n}/path"), g.path.clone())));
        all.extend(intent.comments.iter().enumerate().map(|(n, c)| (format!("/comments/{n}/path"), c.path.clone())));
        all.extend(intent.mission.iter().map(|m| ("/mission/path".to_owned(), m.path.clone())));
        all.extend(self.captures.iter().enumerate().map(|(n, c)| (format!("/captures/{n}"), c.clone())));
        all
    }

    /// Reads everything that a reviewer would be sent.
    pub fn conveyed(&self, exceptions: &[Exception]) -> Conveyed {
        let mut verdict = Verdict::default();
        for (n, decision) in self.decisions.iter().enumerate() {
            let read = conveyance::check_decision(&format!("/decisions/{n}"), &decision.text, &decision.basis, exceptions);
            verdict.hits.extend(read.hits);
            verdict.excused.extend(read.excused);
            verdict.language_unchecked.extend(read.language_unchecked);
        }
        let paths = self.paths();
        for (name, text) in &paths {
            // A file may have a long name; what is copied has blanks and line ends.
            if text.chars().count() > LONGEST && text.split_whitespace().count() > 12 && !name.starts_with("/scope") {
                let shown = text.chars().take(LONGEST).collect();
                let sha256 = crate::base::digest::sha256_hex(text.as_bytes());
                verdict.hits.push(Hit { rule: Rule::CopiedContent, slot: name.clone(), start: 0, end: text.len(), text: shown, sha256 });
            }
        }
        let mut withheld: Vec<String> = paths.into_iter().map(|(_, p)| p).filter(|p| conveyance::speaks(p)).collect();
        withheld.sort_unstable();
        withheld.dedup();
        Conveyed {
            hits: verdict.hits,
            excused: verdict.excused,
            withheld,
            language_unchecked: verdict.language_unchecked.into_iter().collect(),
            checked_rules: Rule::ALL.to_vec(),
        }
    }
}
