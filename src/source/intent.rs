//! Design intent: which rules, guide sections, design comments and mission touch a changed surface, as pointers with the reason for each.
//!
//! Takes the surface and the documents that were found, gives a bundle of pointers; no text of the repository goes into it. What the
//! change itself wrote is told apart: an edited document is pointed at in its base version, an added one is a claim of the change's
//! author. Source: convergence seed, Design-intent harvest; resolution spec §4 and §5. Bound: linear in the documents and in the
//! lines of the change, beside one glob match for each glob and file.

pub mod comments;
pub mod guides;
pub mod patch;
pub mod rules;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::base::reason::words;

words! {
    /// What the change did to a document.
    Changed {
        No "no",
        Edited "edited",
        Added "added",
    }
}

words! {
    /// Why a rule touches the surface, the surest reason first.
    Why {
        Frontmatter "frontmatter",
        Path "path",
        Component "component",
        FileName "file_name",
        Always "always",
    }
}

words! {
    /// Why something is not in the bundle.
    Omission {
        OverLimit "over_limit",
        OutsideRepository "outside_repository",
        NotUtf8 "not_utf8",
        TooLarge "too_large",
        Unreadable "unreadable",
        DeletedByChange "deleted_by_change",
    }
}

/// One reason for a pointer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Basis {
    /// The kind of reason.
    pub why: Why,
    /// The word, path or glob that matched.
    pub token: String,
    /// The changed file it stands for.
    pub changed_file: String,
}

/// A rule file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Its path.
    pub path: String,
    /// Other paths of the same content.
    pub aliases: Vec<String>,
    /// Why it is in, the surest reason first, at most eight.
    pub basis: Vec<Basis>,
    /// What the change did to it.
    pub changed: Changed,
}

/// A section of a project guide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// The guide.
    pub path: String,
    /// Other paths of the same content.
    pub aliases: Vec<String>,
    /// First line.
    pub start: u64,
    /// Last line.
    pub end: u64,
    /// What the change did to the guide: the lines are those of its base version when it was edited.
    pub changed: Changed,
}

/// A comment beside a changed place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Comment {
    /// The file.
    pub path: String,
    /// First line.
    pub start: u64,
    /// Last line.
    pub end: u64,
    /// The words that make it one of design.
    pub word: String,
    /// Whether the change itself wrote it.
    pub added_by_change: bool,
}

/// Something that was left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Omitted {
    /// What.
    pub path: String,
    /// Why.
    pub reason: Omission,
}

/// The pointers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Intent {
    /// Rule files, by the surest reason, the number of reasons, the path.
    pub rules: Vec<Rule>,
    /// Guide sections, by path and line.
    pub guides: Vec<Section>,
    /// Design comments, by file and line.
    pub comments: Vec<Comment>,
    /// Where the project states its mission; none is never made up.
    pub mission: Option<Section>,
    /// What was left out.
    pub omitted: Vec<Omitted>,
}

/// A document of the repository as it counts: the base version of an edited one.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its path.
    pub path: String,
    /// Other paths of the same content.
    pub aliases: Vec<String>,
    /// Its text.
    pub text: String,
    /// What the change did to it.
    pub changed: Changed,
}

/// A changed file with what the change did in it.
#[derive(Debug, Clone, Default)]
pub struct Touched {
    /// Its path.
    pub path: String,
    /// Its text now; none for what is gone, binary or too large.
    pub text: Option<String>,
    /// What the patch says of it; none when the whole file is new.
    pub patch: Option<patch::Patch>,
}

/// Everything that harvesting reads.
#[derive(Debug, Default)]
pub struct Gathered {
    /// The changed files.
    pub touched: Vec<Touched>,
    /// Last parts of paths that stand once in the repository.
    pub unique_names: BTreeSet<String>,
    /// Rule files.
    pub rules: Vec<Document>,
    /// Guides of the root and of the folders of changed files, the root's first.
    pub guides: Vec<Document>,
    /// The root's README.
    pub readme: Option<Document>,
    /// What could not be read.
    pub omitted: Vec<Omitted>,
}

/// How many pointers there may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Rule files.
    pub rules: usize,
    /// Comments.
    pub comments: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { rules: 20, comments: 40 }
    }
}

/// Finds what touches the surface.
pub fn harvest(gathered: &Gathered, limits: Limits) -> Intent {
    let mut omitted = gathered.omitted.clone();
    let over = |path: &str| Omitted { path: path.to_owned(), reason: Omission::OverLimit };
    let mut rules = rules::touching(&gathered.rules, &gathered.touched, &gathered.unique_names);
    omitted.extend(rules.drain(limits.rules.min(rules.len())..).map(|r| over(&r.path)));
    let mut comments: Vec<Comment> = gathered.touched.iter().flat_map(comments::beside).collect();
    omitted.extend(comments.drain(limits.comments.min(comments.len())..).map(|c| over(&format!("{}:{}", c.path, c.start))));
    let mission = guides::mission(&gathered.guides, gathered.readme.as_ref());
    let guides = gathered.guides.iter().flat_map(guides::design_sections).collect();
    omitted.sort();
    omitted.dedup();
    Intent { rules, guides, comments, mission, omitted }
}
