//! match-findings: who is who between two rounds (map.md, Contracts that are fixed).

use serde::Serialize;

use super::revisions::Revisions;
use crate::base::path::printable;
use crate::base::{Code, Fail};
use crate::finding::matching::{self, Basis, Item, Resolved, Unclear, as_cited};
use crate::host::{Host, files};
use crate::wire::finding_set;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// The findings of the round before.
    pub previous: Option<String>,
    /// The findings of this round.
    pub current: Option<String>,
    /// The checkout.
    pub repo: Option<String>,
    /// The commit or tree the previous round read.
    pub previous_rev: Option<String>,
    /// The commit or tree this round read, or `WORKTREE`.
    pub current_rev: Option<String>,
    /// Folders of objects beside the repository's.
    pub objects: Vec<String>,
    /// Links an agent asserts or forbids.
    pub links: Option<String>,
}

/// A pair.
#[derive(Debug, Serialize)]
pub struct Pair {
    /// Its id in the previous set.
    pub previous: String,
    /// Its id in the current set.
    pub current: String,
    /// The strongest evidence.
    pub basis: Basis,
    /// 0 to 1.
    pub confidence: f64,
    /// Whether the grade differs.
    pub severity_changed: bool,
}

/// A finding that was not reported before.
#[derive(Debug, Serialize)]
pub struct Added {
    /// Its id.
    pub id: String,
    /// Whether it lies in lines that changed since the previous round; null without a repository.
    pub fix_induced: Option<bool>,
}

/// The answer: every finding stands in exactly one of the lists.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// In the order of the previous set.
    pub pairs: Vec<Pair>,
    /// In the order of the previous set.
    pub resolved: Vec<Resolved>,
    /// In the order of the current set.
    pub added: Vec<Added>,
    /// In the order of the previous set.
    pub ambiguous: Vec<Unclear>,
}

/// Matches two sets.
///
/// # Errors
/// `INVALID_PATH`, `BAD_SHAPE`, `REPEATED_ID`, `INVALID_ARGUMENT` when a repository is named without both revisions,
/// `BASE_NOT_FOUND` for one that is no commit or tree here, `GIT_FAILED`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let set = |flag: &Option<String>, what: &str| -> Result<Vec<Item>, Fail> {
        let path = host.absolute(flag.as_deref(), what)?;
        let named = |fail: Fail| Fail { message: format!("the {what} `{}`: {}", printable(&path.to_string_lossy()), fail.message), ..fail };
        files::read_text(&path, files::DOCUMENT_LIMIT).and_then(|b| finding_set::read(&b).map_err(named))
    };
    let previous = set(&request.previous, "previous findings")?;
    let current = set(&request.current, "current findings")?;
    let links = match request.links.as_deref().filter(|l| !l.is_empty()) {
        Some(flag) => {
            finding_set::links(&files::read_text(&host.absolute(Some(flag), "links")?, files::DOCUMENT_LIMIT)?, &previous, &current)?
        }
        None => Vec::new(),
    };
    let (old, new, mapped) = match (&request.repo, &request.previous_rev, &request.current_rev) {
        (Some(repo), Some(from), Some(to)) => {
            let objects = request.objects.iter().map(|o| host.absolute(Some(o), "objects folder")).collect::<Result<Vec<_>, _>>()?;
            let view = Revisions::open(host, &host.absolute(Some(repo), "repository")?, from, to, &objects)?;
            let (old, new) = view.anchors(&previous, &current)?;
            (old, new, true)
        }
        (None, None, None) => (as_cited(&previous), as_cited(&current), false),
        _ => return Err(Fail::new(Code::InvalidArgument, "`--repo`, `--previous-rev` and `--current-rev` go together")),
    };
    let matched = matching::run((&previous, &old), (&current, &new), &links, mapped);
    Ok(Answer {
        pairs: matched
            .pairs
            .iter()
            .map(|p| Pair {
                previous: previous[p.previous].id.clone(),
                current: current[p.current].id.clone(),
                basis: p.basis,
                confidence: (p.confidence * 1000.0).round() / 1000.0,
                severity_changed: previous[p.previous].grade != current[p.current].grade,
            })
            .collect(),
        resolved: matched.resolved_of((&previous, &old)),
        added: matched.added.iter().map(|c| Added { id: current[*c].id.clone(), fix_induced: new[*c].in_new_code }).collect(),
        ambiguous: matched.unclear(&previous, &current),
    })
}
