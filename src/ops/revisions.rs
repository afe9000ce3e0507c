//! Two revisions of a repository, and where the findings of two rounds stand in the later one.
//!
//! A revision is a commit, a tree or the working tree, which is first made into a tree. Bound: a handful of git processes,
//! whatever the number of findings; memory of the files that findings are about.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::checkout::Checkout;
use super::surface;
use crate::base::path::printable;
use crate::base::{Code, Fail, path};
use crate::finding::matching::{Anchor, Fixed, Item, Standing, anchor_line, symbol};
use crate::host::Host;
use crate::host::git::{Git, Looked};
use crate::scope::line_map::{LineMap, RangeFate};

/// The longest range of which every line is looked at.
const LONGEST: u64 = 5000;

/// How far a name in the text may move the line a finding cites.
const REACH: u64 = 4;

/// Whether a folder is a repository without a working tree: two of its commits can be compared all the same.
fn is_bare(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// A folder as git takes it in a list that colons part.
fn alternate(folder: &Path) -> String {
    let plain = folder.to_string_lossy();
    if plain.contains([':', '"', '\\']) { format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\"")) } else { plain.into_owned() }
}

/// A line, as far as it is looked at.
fn text_of(lines: &[&str], line: u64) -> String {
    let text = usize::try_from(line).ok().and_then(|n| lines.get(n.checked_sub(1)?)).copied().unwrap_or_default();
    text[..text.floor_char_boundary(400)].to_owned()
}

/// The lines of the files of one revision that findings are about.
type Lines<'t> = BTreeMap<&'t str, Vec<&'t str>>;

/// Two revisions of a repository and the way from one to the other.
pub struct Revisions {
    git: Git,
    top: String,
    /// Whether the later tree leaves files out that are too large for it.
    partial: bool,
    trees: [String; 2],
    map: LineMap,
    /// Holds the objects of a working tree's tree.
    _scratch: tempfile::TempDir,
}

impl Revisions {
    /// Opens two revisions; `objects` are folders of objects beside the repository's.
    ///
    /// # Errors
    /// `NOT_A_REPOSITORY`, `BASE_NOT_FOUND` for what is no commit or tree here, `GIT_FAILED`.
    pub fn open(host: &Host, folder: &Path, from: &str, to: &str, objects: &[PathBuf]) -> Result<Revisions, Fail> {
        let worktree = to == "WORKTREE";
        let checkout = if worktree || !is_bare(folder) { Some(Checkout::open(host, folder)?) } else { None };
        let plain = match &checkout {
            Some(checkout) => checkout.git.clone(),
            None => Git::at(host, folder).with("GIT_DIR", folder),
        };
        let scratch = host.scratch()?;
        let mut folders: Vec<PathBuf> = objects.to_vec();
        if worktree {
            folders.push(scratch.path().join("objects"));
        }
        let joined = folders.iter().map(|f| alternate(f)).collect::<Vec<_>>().join(":");
        let git = if folders.is_empty() { plain } else { plain.with("GIT_ALTERNATE_OBJECT_DIRECTORIES", Path::new(&joined)) };
        let mut names = git.names()?;
        let mut find = |rev: &str, kind: &str| -> Result<Option<String>, Fail> {
            Ok(match names.resolve(&format!("{rev}^{{{kind}}}"))? {
                Looked::Up(found) => found,
                Looked::Ended => None,
            })
        };
        let mut tree = |rev: &str| -> Result<String, Fail> {
            let none = || Fail::new(Code::BaseNotFound, format!("the revision `{}` is no commit or tree here", printable(rev)));
            find(rev, "tree")?.ok_or_else(none)
        };
        let old = tree(from)?;
        let new = match &checkout {
            Some(checkout) if worktree => surface::of_worktree(checkout, host, scratch.path())?,
            _ => tree(to)?,
        };
        let partial = checkout.is_some() && (worktree || find(to, "commit")?.is_none());
        let form =
            ["--patch-with-raw", "-z", "-U0", "--text", "--no-abbrev", "--find-renames=40%", "-l0", "--ignore-cr-at-eol", &old, &new];
        let diff = if old == new { Vec::new() } else { git.diff(&form, &[])? };
        let trees = [old, new];
        let top = checkout.map_or_else(|| folder.to_path_buf(), |c| c.top.clone()).to_string_lossy().into_owned();
        Ok(Revisions { git, top, partial, trees, map: LineMap::read(&diff), _scratch: scratch })
    }

    /// The top level of the checkout.
    pub fn top(&self) -> &Path {
        Path::new(&self.top)
    }

    /// Where the findings of both rounds stand in the current revision.
    ///
    /// # Errors
    /// `GIT_FAILED`.
    pub fn anchors(&self, previous: &[Item], current: &[Item]) -> Result<(Vec<Anchor>, Vec<Anchor>), Fail> {
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
            let standing = if self.map.path(&path).is_none() { self.removed(&path) } else { Standing::Unknown };
            return Anchor { file: self.map.path(&path), standing: Some(standing), ..Anchor::default() };
        };
        let (line, fixed) = anchor_line(item, lines, REACH).unwrap_or((cited, Fixed::Cited));
        let place_of = |line: u64| self.map.fate(&path, line).place().map(|(p, l)| (p.to_owned(), l));
        let place = place_of(line);
        let last = item.end_line.filter(|end| *end > line).and_then(place_of);
        Anchor {
            last: last.filter(|(p, l)| place.as_ref().is_some_and(|(path, line)| p == path && l > line)).map(|(_, l)| l),
            file: None,
            text: text_of(lines, line),
            place,
            standing: Some(self.standing(&path, cited, item.end_line, lines)),
            fixed,
            symbol: symbol::around(&path, lines, line).map(|(name, offset)| (name.to_owned(), offset)),
            in_new_code: None,
        }
    }

    /// What became of the cited range: changed when any line of it was or when lines were put into it, moved when all of it stands
    /// elsewhere. Blank lines say nothing, and beside lines that moved neither does a brace.
    fn standing(&self, path: &str, line: u64, end_line: Option<u64>, lines: &[&str]) -> Standing {
        let length = lines.len() as u64;
        if line > length {
            return Standing::Unknown;
        }
        let last = end_line.unwrap_or(line).clamp(line, (line + LONGEST).min(length));
        match self.map.fate_of_range(path, (line, last), lines) {
            RangeFate::Same => Standing::Unchanged,
            RangeFate::Moved => Standing::Moved,
            RangeFate::Changed => Standing::Changed,
            RangeFate::FileRemoved => self.removed(path),
        }
    }

    /// A file that a tree of a working tree does not hold may be there and be too large for it: that is no removal.
    fn removed(&self, path: &str) -> Standing {
        let large = || self.top().join(path).symlink_metadata().is_ok_and(|m| m.is_file() && m.len() > surface::FILE_LIMIT);
        if self.partial && large() { Standing::Unknown } else { Standing::FileRemoved }
    }

    fn of_current(&self, item: &Item, path: Option<String>, texts: &Lines<'_>) -> Anchor {
        let Some(cited) = item.line else { return Anchor { file: path, ..Anchor::default() } };
        let Some(path) = path else { return Anchor::default() };
        let Some(lines) = texts.get(path.as_str()) else {
            return Anchor { place: Some((path, cited)), in_new_code: None, ..Anchor::default() };
        };
        let (line, fixed) = anchor_line(item, lines, REACH).unwrap_or((cited, Fixed::Cited));
        let last = item.end_line.unwrap_or(cited).clamp(cited, cited + 500);
        let cited_only = fixed == Fixed::Cited;
        let new = self.map.is_new(&path, line) || (cited_only && (cited..=last).any(|n| self.map.is_new(&path, n)));
        let symbol = symbol::around(&path, lines, line).map(|(name, offset)| (name.to_owned(), offset));
        let last = item.end_line.filter(|end| *end > line);
        let text = text_of(lines, line);
        Anchor { place: Some((path, line)), file: None, last, standing: None, fixed, text, symbol, in_new_code: Some(new) }
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
