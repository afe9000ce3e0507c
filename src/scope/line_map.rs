//! Where the lines of one revision stand in another: hunks of a diff, renames, and blocks that moved.
//!
//! Takes `git diff --patch-with-raw -z -U0` between two trees, gives for any line of the old one what became of it. Lines are
//! compared without line ends and outer white space, so that a block that was only indented anew is the same. Source: map.md,
//! match-findings; issue of the identity ladder. Bound: linear in the diff; inside a hunk at most its two sides, or for large
//! ones their unique lines.

use std::collections::HashMap;

use super::change::{Letter, Raw, raw_records};

/// What became of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It stands there, at a place that only shifted.
    Same(String, u64),
    /// It stands elsewhere: in a block that moved, or in a file that was renamed.
    Moved(String, u64),
    /// It was changed or deleted; what stands in its place, as far as something does.
    Changed(Option<(String, u64)>),
    /// Its file is gone and was not renamed.
    FileRemoved,
}

impl Fate {
    /// Where to look for it.
    pub fn place(&self) -> Option<(&str, u64)> {
        match self {
            Fate::Same(path, line) | Fate::Moved(path, line) => Some((path, *line)),
            Fate::Changed(place) => place.as_ref().map(|(path, line)| (path.as_str(), *line)),
            Fate::FileRemoved => None,
        }
    }
}

/// One hunk: ranges of lines from 1, and what became of each old line inside.
#[derive(Debug, Clone, Default)]
struct Hunk {
    old: (u64, u64),
    new: (u64, u64),
    removed: Vec<String>,
    added: Vec<String>,
    /// Of each removed line: the added line it is, counted in this hunk.
    kept: Vec<Option<usize>>,
}

/// One file of a diff.
#[derive(Debug, Clone)]
struct FileDiff {
    old_path: String,
    new_path: Option<String>,
    hunks: Vec<Hunk>,
}

/// The map between two revisions.
#[derive(Debug, Clone, Default)]
pub struct LineMap {
    files: Vec<FileDiff>,
    by_old: HashMap<String, usize>,
    /// Files by their new path.
    by_new: HashMap<String, usize>,
    /// Removed lines that stand elsewhere, by file, hunk and place in it.
    moved: HashMap<(usize, usize, usize), (usize, usize, usize)>,
    /// Added lines that came from elsewhere.
    arrived: std::collections::HashSet<(usize, usize, usize)>,
}

/// The least that a moved line must say to be known again by itself, in letters and digits.
const TELLING: usize = 12;

impl LineMap {
    /// Reads a diff.
    pub fn read(bytes: &[u8]) -> LineMap {
        let (records, patches) = raw_records(bytes);
        let mut map = LineMap::default();
        let mut parts = patches.into_iter();
        for record in records.into_iter().filter(|r| r.letter != Letter::U) {
            // A type change has two patches, of which each says that all of one side is gone or new.
            let count = if record.letter == Letter::T { 2 } else { 1 };
            let hunks: Vec<Hunk> = parts.by_ref().take(count).flat_map(|p| hunks(&p)).collect();
            map.push(&record, if record.letter == Letter::T { replaced(hunks) } else { hunks });
        }
        map.find_moved();
        map
    }

    fn push(&mut self, record: &Raw, hunks: Vec<Hunk>) {
        let text = |p: &[u8]| String::from_utf8_lossy(p).into_owned();
        let path = text(&record.path);
        let old_path = record.old_path.as_deref().map_or_else(|| path.clone(), text);
        let new_path = (record.letter != Letter::D).then(|| path.clone());
        let at = self.files.len();
        if record.letter != Letter::A {
            self.by_old.insert(old_path.clone(), at);
        }
        if let Some(new) = &new_path {
            self.by_new.insert(new.clone(), at);
        }
        self.files.push(FileDiff { old_path, new_path, hunks });
    }

    /// Looks for removed lines among the added ones: a run of equal lines, or one line that says enough and is the only one.
    fn find_moved(&mut self) {
        let mut added: HashMap<&str, Vec<(usize, usize, usize)>> = HashMap::new();
        let mut removed: HashMap<&str, usize> = HashMap::new();
        for (f, file) in self.files.iter().enumerate() {
            for (h, hunk) in file.hunks.iter().enumerate() {
                let taken: std::collections::HashSet<usize> = hunk.kept.iter().flatten().copied().collect();
                for (i, line) in hunk.added.iter().enumerate().filter(|(i, l)| !taken.contains(i) && !l.is_empty()) {
                    added.entry(line).or_default().push((f, h, i));
                }
                for (_, line) in hunk.removed.iter().enumerate().filter(|(i, _)| hunk.kept[*i].is_none()) {
                    *removed.entry(line).or_default() += 1;
                }
            }
        }
        let mut moved = HashMap::new();
        let mut arrived = std::collections::HashSet::new();
        for (f, file) in self.files.iter().enumerate() {
            for (h, hunk) in file.hunks.iter().enumerate() {
                for (i, line) in hunk.removed.iter().enumerate().filter(|(i, _)| hunk.kept[*i].is_none()) {
                    // A line that stands in many places is told by its neighbours only, of which a few are enough to look at.
                    let places = added.get(line.as_str()).map_or(&[][..], Vec::as_slice);
                    let run = |(g, k, j): (usize, usize, usize)| {
                        let there = &self.files[g].hunks[k].added;
                        let back = (1..=i.min(j).min(8)).take_while(|d| hunk.removed[i - d] == there[j - d]).count();
                        let ahead =
                            (1..8).take_while(|d| i + d < hunk.removed.len() && hunk.removed.get(i + d) == there.get(j + d)).count();
                        let said: usize = (i - back..=i + ahead).map(|n| telling(&hunk.removed[n])).sum();
                        (back + ahead + 1, said)
                    };
                    let best = places.iter().take(64).copied().map(|p| (run(p), p)).max_by_key(|(r, _)| *r);
                    let Some(((length, said), place)) = best else { continue };
                    let only = places.len() == 1 && removed.get(line.as_str()) == Some(&1) && telling(line) >= TELLING;
                    if only || (length >= 3 && said >= 2 * TELLING) {
                        moved.insert((f, h, i), place);
                        arrived.insert(place);
                    }
                }
            }
        }
        self.moved = moved;
        self.arrived = arrived;
    }

    /// What became of a line of the old revision.
    pub fn fate(&self, path: &str, line: u64) -> Fate {
        let Some(f) = self.by_old.get(path).copied() else { return Fate::Same(path.to_owned(), line) };
        let file = &self.files[f];
        // The last hunk that starts at or before the line; an insertion stands behind its old line.
        let at = file.hunks.partition_point(|h| if h.old.1 == 0 { h.old.0 < line } else { h.old.0 <= line });
        if let Some(h) = at.checked_sub(1) {
            let hunk = &file.hunks[h];
            if hunk.old.1 > 0 && line < hunk.old.0 + hunk.old.1 {
                return self.inside(f, h, usize::try_from(line - hunk.old.0).unwrap_or(0));
            }
        }
        let Some(new_path) = &file.new_path else { return Fate::FileRemoved };
        let shifted = at.checked_sub(1).map_or(line, |h| {
            let hunk = &file.hunks[h];
            // Behind a hunk everything is moved by what it added and removed.
            let old_end = hunk.old.0 + hunk.old.1.max(1) - 1;
            let new_end = if hunk.new.1 == 0 { hunk.new.0 } else { hunk.new.0 + hunk.new.1 - 1 };
            line - old_end + new_end
        });
        if *new_path == file.old_path { Fate::Same(new_path.clone(), shifted) } else { Fate::Moved(new_path.clone(), shifted) }
    }

    fn inside(&self, f: usize, h: usize, i: usize) -> Fate {
        let file = &self.files[f];
        let hunk = &file.hunks[h];
        if let Some((path, j)) = file.new_path.clone().zip(hunk.kept.get(i).copied().flatten()) {
            let line = hunk.new.0 + j as u64;
            return if path == file.old_path { Fate::Same(path, line) } else { Fate::Moved(path, line) };
        }
        if let Some((g, k, j)) = self.moved.get(&(f, h, i)).copied() {
            let there = &self.files[g];
            if let Some(path) = &there.new_path {
                return Fate::Moved(path.clone(), there.hunks[k].new.0 + j as u64);
            }
        }
        let Some(path) = &file.new_path else { return Fate::FileRemoved };
        // In place of the line: the added line behind the nearest one that was kept, else the one at the same share of the hunk.
        let before = (0..i).rev().find_map(|n| hunk.kept[n].map(|j| j + (i - n)));
        let share = before.unwrap_or_else(|| i * hunk.added.len().max(1) / hunk.removed.len().max(1));
        let last = hunk.new.1.saturating_sub(1);
        Fate::Changed(Some((path.clone(), (hunk.new.0 + (share as u64).min(last)).max(1))))
    }

    /// Whether a line of the new revision was written since the old one.
    pub fn is_new(&self, path: &str, line: u64) -> bool {
        let Some(f) = self.by_new.get(path).copied() else { return false };
        let hunks = &self.files[f].hunks;
        let at = hunks.partition_point(|h| h.new.0 <= line);
        let Some(h) = at.checked_sub(1) else { return false };
        let hunk = &hunks[h];
        if hunk.new.1 == 0 || line >= hunk.new.0 + hunk.new.1 {
            return false;
        }
        let j = usize::try_from(line - hunk.new.0).unwrap_or(0);
        !hunk.kept.contains(&Some(j)) && !self.arrived.contains(&(f, h, j))
    }

    /// The path a file of the old revision has now; none when it is gone.
    pub fn path(&self, old: &str) -> Option<String> {
        self.by_old.get(old).map_or_else(|| Some(old.to_owned()), |f| self.files[*f].new_path.clone())
    }
}

/// How many letters and digits a line has.
fn telling(line: &str) -> usize {
    line.chars().filter(|c| c.is_alphanumeric()).count()
}

/// The hunks of one patch.
fn hunks(patch: &[u8]) -> Vec<Hunk> {
    let mut found: Vec<Hunk> = Vec::new();
    for line in patch.split(|b| *b == b'\n') {
        if let Some((old, new)) = ranges(line) {
            found.push(Hunk { old, new, ..Hunk::default() });
        } else if let Some(hunk) = found.last_mut() {
            let text = || String::from_utf8_lossy(&line[1..]).trim().to_owned();
            match line.first() {
                Some(b'-') => hunk.removed.push(text()),
                Some(b'+') => hunk.added.push(text()),
                _ => {}
            }
        }
    }
    for hunk in &mut found {
        hunk.kept = align(&hunk.removed, &hunk.added);
    }
    found
}

/// The hunks of a file that became a link, or a link that became a file: one, in which no line is kept.
fn replaced(hunks: Vec<Hunk>) -> Vec<Hunk> {
    let mut whole = Hunk::default();
    for hunk in hunks {
        let (side, range) = if hunk.new.1 == 0 { (&mut whole.old, hunk.old) } else { (&mut whole.new, hunk.new) };
        *side = range;
        whole.removed.extend(hunk.removed);
        whole.added.extend(hunk.added);
    }
    whole.kept = vec![None; whole.removed.len()];
    vec![whole]
}

/// `@@ -a,b +c,d @@`
fn ranges(line: &[u8]) -> Option<((u64, u64), (u64, u64))> {
    let text = std::str::from_utf8(line.strip_prefix(b"@@ -")?.split(|b| *b == b'@').next()?).ok()?;
    let (old, new) = text.trim().split_once(" +")?;
    let range = |t: &str| {
        let (first, count) = t.split_once(',').unwrap_or((t, "1"));
        Some((first.parse().ok()?, count.parse().ok()?))
    };
    Some((range(old)?, range(new)?))
}

/// The largest product of sides that is aligned exactly.
const EXACT: usize = 1 << 16;

/// Which removed line is which added one: the longest common subsequence, of large hunks that of their unique lines.
fn align(removed: &[String], added: &[String]) -> Vec<Option<usize>> {
    let mut kept = vec![None; removed.len()];
    if removed.is_empty() || added.is_empty() {
        return kept;
    }
    if removed.len() * added.len() > EXACT {
        let mut seen: HashMap<&str, (usize, usize)> = HashMap::new();
        for (j, line) in added.iter().enumerate() {
            let entry = seen.entry(line).or_insert((0, j));
            entry.0 += 1;
        }
        let mut next = 0;
        for (i, line) in removed.iter().enumerate() {
            if let Some((1, j)) = seen.get(line.as_str()).copied()
                && j >= next
                && !line.is_empty()
            {
                kept[i] = Some(j);
                next = j + 1;
            }
        }
        return kept;
    }
    let width = added.len() + 1;
    let mut table = vec![0u32; (removed.len() + 1) * width];
    for i in (0..removed.len()).rev() {
        for j in (0..added.len()).rev() {
            table[i * width + j] = if removed[i] == added[j] && !removed[i].is_empty() {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < removed.len() && j < added.len() {
        if removed[i] == added[j] && !removed[i].is_empty() {
            kept[i] = Some(j);
            i += 1;
            j += 1;
        } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(raw: &str, patches: &str) -> LineMap {
        LineMap::read(format!("{raw}\0{patches}").as_bytes())
    }

    const EDIT: &str = ":100644 100644 a b M\0f.rs\0";

    #[test]
    fn lines_shift_by_the_hunks_before_them() {
        let map = map(EDIT, "diff --git a/f.rs b/f.rs\n@@ -2,0 +3,2 @@\n+one\n+two\n@@ -9 +10,0 @@\n-gone line of text\n");
        assert_eq!(map.fate("f.rs", 2), Fate::Same("f.rs".into(), 2));
        assert_eq!(map.fate("f.rs", 3), Fate::Same("f.rs".into(), 5));
        assert_eq!(map.fate("f.rs", 9), Fate::Changed(Some(("f.rs".into(), 10))));
        assert_eq!(map.fate("f.rs", 10), Fate::Same("f.rs".into(), 11));
        assert_eq!(map.fate("other.rs", 7), Fate::Same("other.rs".into(), 7));
        assert!(map.is_new("f.rs", 3) && map.is_new("f.rs", 4) && !map.is_new("f.rs", 5));
    }

    #[test]
    fn a_line_that_was_only_indented_is_the_same() {
        let map = map(EDIT, "diff --git a/f.rs b/f.rs\n@@ -4,2 +4,3 @@\n-let a = first();\n-old\n+if x {\n+    let a = first();\n+new\n");
        assert_eq!(map.fate("f.rs", 4), Fate::Same("f.rs".into(), 5));
        assert_eq!(map.fate("f.rs", 5), Fate::Changed(Some(("f.rs".into(), 6))));
        assert!(!map.is_new("f.rs", 5) && map.is_new("f.rs", 4));
    }

    #[test]
    fn moved_blocks_renames_and_removed_files_are_told_apart() {
        let block = "fn alpha() {\n-    compute_the_total(values);\n-}";
        let there = block.replace("\n-", "\n+");
        let map = map(
            ":100644 100644 a b M\0f.rs\0:100644 100644 a b R090\0old.rs\0new.rs\0:100644 000000 a 0 D\0gone.rs\0",
            &format!(
                "diff --git a/f.rs b/f.rs\n@@ -3,3 +2,0 @@\n-{block}\n@@ -20,0 +18,3 @@\n+{there}\ndiff --git a/old.rs b/new.rs\n@@ -1 +1 @@\n-x\n+y\ndiff --git a/gone.rs b/gone.rs\n@@ -1 +0,0 @@\n-z\n"
            ),
        );
        assert_eq!(map.fate("f.rs", 4), Fate::Moved("f.rs".into(), 19));
        assert!(!map.is_new("f.rs", 19));
        assert_eq!(map.fate("old.rs", 5), Fate::Moved("new.rs".into(), 5));
        assert_eq!(map.fate("gone.rs", 1), Fate::FileRemoved);
    }
}
