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

/// What became of a range of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeFate {
    /// It stands there as it was.
    Same,
    /// It stands elsewhere as it was.
    Moved,
    /// Some of it was changed or deleted, or something was put into it.
    Changed,
    /// Its file is gone and was not renamed.
    FileRemoved,
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

    /// What became of the lines `first` to `last` of a file of the old revision, which has these lines. Blank lines say nothing, and
    /// beside lines that moved neither does one without a letter. Bound: linear in the range.
    pub fn fate_of_range(&self, path: &str, (first, last): (u64, u64), lines: &[&str]) -> RangeFate {
        let text = |n: u64| usize::try_from(n - 1).ok().and_then(|at| lines.get(at)).map_or("", |l| l.trim());
        let (mut same, mut moved, mut mute) = (false, false, false);
        for n in (first..=last).filter(|n| first == last || !text(*n).is_empty()) {
            match self.fate(path, n) {
                Fate::Same(..) => same = true,
                Fate::Moved(..) => moved = true,
                Fate::Changed(_) if telling(text(n)) == 0 => mute = true,
                Fate::Changed(_) => return RangeFate::Changed,
                Fate::FileRemoved => return RangeFate::FileRemoved,
            }
        }
        match () {
            () if mute && (same || !moved) => RangeFate::Changed,
            () if self.holds_insertion(path, first, last) => RangeFate::Changed,
            () if moved => RangeFate::Moved,
            () => RangeFate::Same,
        }
    }

    /// Whether something that is not blank was put between two lines of a range.
    fn holds_insertion(&self, path: &str, first: u64, last: u64) -> bool {
        let Some(file) = self.by_old.get(path).map(|f| &self.files[*f]) else { return false };
        let from = file.hunks.partition_point(|h| h.old.0 < first);
        let within = file.hunks[from..].iter().take_while(|h| h.old.0 < last);
        within.filter(|h| h.old.1 == 0).any(|h| h.added.iter().any(|line| !line.is_empty()))
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

/// Which removed line is which added one: the longest common subsequence; of large hunks between the lines that stand once on
/// either side, in the longest row in which they keep their order.
fn align(removed: &[String], added: &[String]) -> Vec<Option<usize>> {
    let mut kept = vec![None; removed.len()];
    align_part(removed, added, &mut kept, 0, DEEPEST);
    kept
}

/// How often what stands between two lines that were found again is looked through once more.
const DEEPEST: usize = 6;

/// Aligns a part; `shift` is where its added lines start.
fn align_part(removed: &[String], added: &[String], kept: &mut [Option<usize>], shift: usize, depth: usize) {
    let equal = |(a, b): &(&String, &String)| a == b;
    let ahead = removed.iter().zip(added).take_while(equal).count();
    let most = removed.len().min(added.len()) - ahead;
    let behind = removed.iter().rev().zip(added.iter().rev()).take_while(equal).take(most).count();
    let keep = |kept: &mut [Option<usize>], i: usize, j: usize| kept[i] = Some(shift + j).filter(|_| !removed[i].is_empty());
    for i in 0..ahead {
        keep(kept, i, i);
    }
    for back in 1..=behind {
        keep(kept, removed.len() - back, added.len() - back);
    }
    let (rows, columns) = (ahead..removed.len() - behind, ahead..added.len() - behind);
    let (old, new, kept) = (&removed[rows.clone()], &added[columns], &mut kept[rows]);
    if old.is_empty() || new.is_empty() {
        return;
    }
    if old.len() * new.len() <= EXACT {
        return subsequence(old, new, kept, shift + ahead);
    }
    if let Some(pairs) = few_edits(old, new) {
        pairs.into_iter().filter(|(i, _)| !old[*i].is_empty()).for_each(|(i, j)| kept[i] = Some(shift + ahead + j));
        return;
    }
    if depth == 0 {
        return;
    }
    let (mut i, mut j) = (0, 0);
    for (x, y) in unique_row(old, new).into_iter().chain([(old.len(), new.len())]) {
        align_part(&old[i..x], &new[j..y], &mut kept[i..x], shift + ahead + j, depth - 1);
        if x < old.len() {
            kept[x] = Some(shift + ahead + y);
        }
        (i, j) = (x + 1, y + 1);
    }
}

/// The most lines taken out and put in that [`few_edits`] looks for.
const EDITS: usize = 128;

/// The equal lines of two lists that differ by few edits, by the greedy search for the fewest (Myers); none where there are more.
/// Bound: the sum of both lists times [`EDITS`].
fn few_edits(old: &[String], new: &[String]) -> Option<Vec<(usize, usize)>> {
    // Of each diagonal (shifted by one more than the most edits) how far along the old list the best way leads.
    let mut reach = vec![0usize; 2 * EDITS + 3];
    let mut steps: Vec<Vec<usize>> = Vec::new();
    let middle = EDITS + 1;
    for edits in 0..=EDITS {
        steps.push(reach.clone());
        for diagonal in (middle - edits..=middle + edits).step_by(2) {
            let down = diagonal == middle - edits || (diagonal != middle + edits && reach[diagonal - 1] < reach[diagonal + 1]);
            let mut i = if down { reach[diagonal + 1] } else { reach[diagonal - 1] + 1 };
            let Some(mut j) = (i + middle).checked_sub(diagonal) else { continue };
            while i < old.len() && j < new.len() && old[i] == new[j] {
                (i, j) = (i + 1, j + 1);
            }
            reach[diagonal] = i;
            if i >= old.len() && j >= new.len() {
                return Some(way_back(&steps, (old.len(), new.len()), middle));
            }
        }
    }
    None
}

/// The equal lines on the way that [`few_edits`] found, from its end.
fn way_back(steps: &[Vec<usize>], end: (usize, usize), middle: usize) -> Vec<(usize, usize)> {
    let (mut i, mut j) = end;
    let mut pairs = Vec::new();
    for (edits, reach) in steps.iter().enumerate().rev() {
        let diagonal = i + middle - j;
        let down = diagonal == middle - edits || (diagonal != middle + edits && reach[diagonal - 1] < reach[diagonal + 1]);
        let from = if down { reach[diagonal + 1] } else { reach[diagonal - 1] + 1 };
        let from = if edits == 0 { 0 } else { from };
        while i > from {
            (i, j) = (i - 1, j - 1);
            pairs.push((i, j));
        }
        match down {
            _ if edits == 0 => {}
            true => j -= 1,
            false => i -= 1,
        }
    }
    pairs.reverse();
    pairs
}

/// The lines that stand once on either side, in the longest row in which they keep their order.
fn unique_row(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    let mut seen: HashMap<&str, [(usize, usize); 2]> = HashMap::new();
    for (side, lines) in [old, new].into_iter().enumerate() {
        for (at, line) in lines.iter().enumerate().filter(|(_, l)| !l.is_empty()) {
            let known = &mut seen.entry(line).or_default()[side];
            *known = (known.0 + 1, at);
        }
    }
    let mut pairs: Vec<(usize, usize)> = seen.values().filter(|[a, b]| a.0 == 1 && b.0 == 1).map(|[a, b]| (a.1, b.1)).collect();
    pairs.sort_unstable();
    // The longest rising row: of each length the row that ends lowest, and what stands before each of its ends.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (at, (_, j)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *j);
        before[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut row = Vec::new();
    let mut at = ends.last().copied();
    while let Some(end) = at {
        row.push(pairs[end]);
        at = before[end];
    }
    row.reverse();
    row
}

/// The longest common subsequence of two short lists.
fn subsequence(removed: &[String], added: &[String], kept: &mut [Option<usize>], shift: usize) {
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
            kept[i] = Some(shift + j);
            i += 1;
            j += 1;
        } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
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

    #[test]
    fn what_is_put_into_a_range_changes_it_and_blank_lines_do_not() {
        let lines = ["fn a() {", "    one(alpha);", "", "    two(beta);", "}"];
        let text = "diff --git a/f.rs b/f.rs\n@@ -2,0 +3 @@\n+    between(gamma);\n@@ -3 +4,0 @@\n-\n";
        let map = map(EDIT, text);
        assert_eq!(map.fate_of_range("f.rs", (1, 2), &lines), RangeFate::Same);
        assert_eq!(map.fate_of_range("f.rs", (1, 4), &lines), RangeFate::Changed);
        assert_eq!(map.fate_of_range("f.rs", (3, 5), &lines), RangeFate::Same);
        assert_eq!(map.fate_of_range("f.rs", (3, 3), &lines), RangeFate::Changed);
    }

    #[test]
    fn a_large_hunk_that_was_only_indented_anew_is_the_same_line_by_line() {
        let side = |mark: &str| (0..700).map(|n| format!("{mark}  step({});\n", n % 7)).collect::<String>();
        let text = format!("diff --git a/f.rs b/f.rs\n@@ -1,700 +1,702 @@\n{}+if (x) {{\n{}+}}\n", side("-"), side("+  "));
        let map = map(EDIT, &text);
        for line in [1, 350, 700] {
            assert_eq!(map.fate("f.rs", line), Fate::Same("f.rs".into(), line + 1), "{line}");
        }
    }

    #[test]
    fn the_unique_lines_of_a_large_hunk_keep_their_order() {
        let lines = |prefix: &str| (0..400).map(|n| format!("{prefix} line number {n}")).collect::<Vec<_>>();
        let (old, mut new) = (lines("a"), lines("a"));
        // One line stands far from where it was: it alone is not kept.
        let last = new.remove(399);
        new.insert(0, last);
        let kept = align(&old, &new);
        assert_eq!(kept[0], Some(1));
        assert_eq!(kept[398], Some(399));
        assert_eq!(kept[399], None);
    }

    #[test]
    fn the_search_for_few_edits_keeps_as_many_lines_as_the_exact_one() {
        let mut seed = 7u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..300 {
            let side = |length: u64, next: &mut dyn FnMut(u64) -> u64| (0..length).map(|_| next(4).to_string()).collect::<Vec<_>>();
            let (rows, columns) = (next(40), next(40));
            let (old, new) = (side(rows, &mut next), side(columns, &mut next));
            let mut exact = vec![None; old.len()];
            subsequence(&old, &new, &mut exact, 0);
            let pairs = few_edits(&old, &new).unwrap();
            assert!(pairs.iter().all(|(i, j)| old[*i] == new[*j]));
            assert!(pairs.windows(2).all(|p| p[0].0 < p[1].0 && p[0].1 < p[1].1));
            assert_eq!(pairs.len(), exact.iter().flatten().count(), "{old:?} {new:?}");
        }
    }
}
