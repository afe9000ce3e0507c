//! match-findings: who is who between two rounds (map.md, Contracts that are fixed).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::checkout::Checkout;
use super::surface;
use crate::base::path::printable;
use crate::base::{Code, Fail, path};
use crate::finding::matching::{self, Anchor, Basis, Doubt, Item, Standing, Status, anchor_line};
use crate::host::git::Git;
use crate::host::{Host, files};
use crate::scope::line_map::{Fate, LineMap};
use crate::wire::finding_set;

/// How far a name in the text may move the line a finding cites.
const REACH: u64 = 4;

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

/// A finding that was not reported again.
#[derive(Debug, Serialize)]
pub struct Resolved {
    /// Its id.
    pub id: String,
    /// What became of it.
    pub status: Status,
}

/// A finding that was not reported before.
#[derive(Debug, Serialize)]
pub struct Added {
    /// Its id.
    pub id: String,
    /// Whether it lies in lines that changed since the previous round; null without a repository.
    pub fix_induced: Option<bool>,
}

/// Findings that only a reader can tell.
#[derive(Debug, Serialize)]
pub struct Ambiguous {
    /// Ids of the previous set.
    pub previous: Vec<String>,
    /// Ids of the current set.
    pub current: Vec<String>,
    /// Why.
    pub reason: Doubt,
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
    pub ambiguous: Vec<Ambiguous>,
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
            let view = Revisions::open(host, repo, from, to, &objects)?;
            let (old, new) = view.anchors(&previous, &current)?;
            (old, new, true)
        }
        (None, None, None) => (plain(&previous), plain(&current), false),
        _ => return Err(Fail::new(Code::InvalidArgument, "`--repo`, `--previous-rev` and `--current-rev` go together")),
    };
    let matched = matching::run((&previous, &old), (&current, &new), &links, mapped);
    let ids = |places: &[usize], items: &[Item]| places.iter().map(|p| items[*p].id.clone()).collect();
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
        resolved: matched
            .resolved
            .iter()
            .map(|p| Resolved { id: previous[*p].id.clone(), status: old[*p].standing.unwrap_or(Standing::Unknown).status() })
            .collect(),
        added: matched.added.iter().map(|c| Added { id: current[*c].id.clone(), fix_induced: new[*c].in_new_code }).collect(),
        ambiguous: matched
            .ambiguous
            .iter()
            .map(|a| Ambiguous { previous: ids(&a.previous, &previous), current: ids(&a.current, &current), reason: a.reason })
            .collect(),
    })
}

/// Anchors without a repository: as cited.
fn plain(items: &[Item]) -> Vec<Anchor> {
    let anchor = |i: &Item| Anchor { place: i.path.clone().zip(i.line), ..Anchor::default() };
    items.iter().map(anchor).collect()
}

/// Whether a folder is a repository without a working tree: two of its commits can be compared all the same.
fn is_bare(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// The lines of the files of one revision that findings are about.
type Lines<'t> = BTreeMap<&'t str, Vec<&'t str>>;

/// Two revisions of a repository and the way from one to the other.
struct Revisions {
    git: Git,
    top: String,
    trees: [String; 2],
    map: LineMap,
    /// Holds the objects of a working tree's tree.
    _scratch: tempfile::TempDir,
}

impl Revisions {
    fn open(host: &Host, repo: &str, from: &str, to: &str, objects: &[PathBuf]) -> Result<Revisions, Fail> {
        let folder = host.absolute(Some(repo), "repository")?;
        let worktree = to == "WORKTREE";
        let checkout = if worktree || !is_bare(&folder) { Some(Checkout::open(host, &folder)?) } else { None };
        let plain = match &checkout {
            Some(checkout) => checkout.git.clone(),
            None => Git::at(host, &folder).with("GIT_DIR", &folder),
        };
        let scratch = tempfile::Builder::new().prefix("review-loop-").tempdir_in(host.temp_dir());
        let scratch = scratch.map_err(|e| files::io_fail(&e, "make a folder in", &host.temp_dir()))?;
        let mut folders: Vec<PathBuf> = objects.to_vec();
        if worktree {
            folders.push(scratch.path().join("objects"));
        }
        let joined = folders.iter().map(|f| f.to_string_lossy().into_owned()).collect::<Vec<_>>().join(":");
        let git = if folders.is_empty() { plain } else { plain.with("GIT_ALTERNATE_OBJECT_DIRECTORIES", Path::new(&joined)) };
        let mut names = git.names()?;
        let mut tree = |rev: &str| -> Result<String, Fail> {
            let found = match names.resolve(&format!("{rev}^{{tree}}"))? {
                crate::host::git::Looked::Up(found) => found,
                crate::host::git::Looked::Ended => None,
            };
            found.ok_or_else(|| Fail::new(Code::BaseNotFound, format!("the revision `{}` is no commit or tree here", printable(rev))))
        };
        let old = tree(from)?;
        let new = match &checkout {
            Some(checkout) if worktree => surface::of_worktree(checkout, host, scratch.path())?,
            _ => tree(to)?,
        };
        let form =
            ["--patch-with-raw", "-z", "-U0", "--text", "--no-abbrev", "--find-renames=40%", "-l0", "--ignore-cr-at-eol", &old, &new];
        let diff = if old == new { Vec::new() } else { git.diff(&form, &[])? };
        let trees = [old, new];
        let top = checkout.map_or_else(|| folder.clone(), |c| c.top.clone()).to_string_lossy().into_owned();
        Ok(Revisions { git, top, trees, map: LineMap::read(&diff), _scratch: scratch })
    }

    /// Where the findings of both rounds stand in the current revision.
    fn anchors(&self, previous: &[Item], current: &[Item]) -> Result<(Vec<Anchor>, Vec<Anchor>), Fail> {
        let shown = |i: &Item| i.path.as_deref().map(|p| path::display(p, Some(&self.top)).unwrap_or_else(|| p.to_owned()));
        let wanted = |items: &[Item]| items.iter().filter_map(shown).collect::<BTreeSet<String>>();
        let texts = self.texts(&wanted(previous), &wanted(current))?;
        let texts =
            texts.each_ref().map(|side| side.iter().map(|(path, text)| (path.as_str(), text.lines().collect())).collect::<Lines<'_>>());
        let old = previous.iter().map(|item| self.of_previous(item, shown(item), &texts[0])).collect();
        let new = current.iter().map(|item| self.of_current(item, shown(item), &texts[1])).collect();
        Ok((old, new))
    }

    fn of_previous(&self, item: &Item, path: Option<String>, texts: &Lines<'_>) -> Anchor {
        let Some(path) = path else { return Anchor { standing: Some(Standing::Unknown), ..Anchor::default() } };
        let (Some(cited), Some(lines)) = (item.line, texts.get(path.as_str())) else {
            let standing = if self.map.path(&path).is_none() { Standing::FileRemoved } else { Standing::Unknown };
            return Anchor { place: None, standing: Some(standing), ..Anchor::default() };
        };
        let (line, fixed) = anchor_line(item, lines, REACH).unwrap_or((cited, false));
        let place = self.map.fate(&path, line).place().map(|(p, l)| (p.to_owned(), l));
        Anchor { place, standing: Some(self.standing(&path, cited, item.end_line, lines.len() as u64)), fixed, in_new_code: None }
    }

    /// What became of the cited range: changed when any line of it was, moved when all of it stands elsewhere.
    fn standing(&self, path: &str, line: u64, end_line: Option<u64>, length: u64) -> Standing {
        if line > length {
            return Standing::Unknown;
        }
        let last = end_line.unwrap_or(line).clamp(line, (line + 500).min(length));
        let mut moved = false;
        for n in line..=last {
            match self.map.fate(path, n) {
                Fate::Same(..) => {}
                Fate::Moved(..) => moved = true,
                Fate::Changed(_) => return Standing::Changed,
                Fate::FileRemoved => return Standing::FileRemoved,
            }
        }
        if moved { Standing::Moved } else { Standing::Unchanged }
    }

    fn of_current(&self, item: &Item, path: Option<String>, texts: &Lines<'_>) -> Anchor {
        let Some((path, cited)) = path.zip(item.line) else { return Anchor::default() };
        let Some(lines) = texts.get(path.as_str()) else {
            return Anchor { place: Some((path, cited)), in_new_code: None, ..Anchor::default() };
        };
        let (line, fixed) = anchor_line(item, lines, REACH).unwrap_or((cited, false));
        let last = item.end_line.unwrap_or(cited).clamp(cited, cited + 500);
        let new = self.map.is_new(&path, line) || (!fixed && (cited..=last).any(|n| self.map.is_new(&path, n)));
        Anchor { place: Some((path, line)), standing: None, fixed, in_new_code: Some(new) }
    }

    /// The files of both revisions that findings are about, from one `cat-file --batch`.
    fn texts(&self, old: &BTreeSet<String>, new: &BTreeSet<String>) -> Result<[BTreeMap<String, String>; 2], Fail> {
        // A path that leads out of the tree is in no tree.
        let plain = |p: &&String| !p.contains(['\n', '\0']) && !p.split('/').any(|part| matches!(part, "." | ".."));
        let asked: Vec<(usize, &String)> =
            old.iter().filter(plain).map(|p| (0, p)).chain(new.iter().filter(plain).map(|p| (1, p))).collect();
        let names: String = asked.iter().map(|(side, p)| format!("{}:{p}\n", self.trees[*side])).collect();
        let mut texts = [BTreeMap::new(), BTreeMap::new()];
        if asked.is_empty() {
            return Ok(texts);
        }
        let answer = self.git.run(&["cat-file", "--batch=%(objecttype) %(objectsize)"], names.as_bytes())?.stdout;
        let mut rest = answer.as_slice();
        for (side, path) in asked {
            let Some(end) = memchr::memchr(b'\n', rest) else { break };
            let head = String::from_utf8_lossy(&rest[..end]).into_owned();
            rest = &rest[end + 1..];
            let Some(size) = head.strip_prefix("blob ").and_then(|s| s.parse::<usize>().ok()) else {
                // A folder or a missing object: git says so in this line; a folder's content follows it.
                let other = head.split_once(' ').and_then(|(kind, size)| (kind == "tree").then(|| size.parse::<usize>().ok())?);
                rest = rest.get(other.map_or(0, |s| s + 1)..).unwrap_or_default();
                continue;
            };
            texts[side].insert(path.clone(), String::from_utf8_lossy(rest.get(..size).unwrap_or_default()).into_owned());
            rest = rest.get(size + 1..).unwrap_or_default();
        }
        Ok(texts)
    }
}
