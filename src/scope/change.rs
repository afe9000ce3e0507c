//! Reading git: `diff --raw --numstat -z` and `status --porcelain=v2 -z`. Bytes in, values out; no path is decoded.
//!
//! Bound: linear. A record that is not understood is skipped with everything behind it told apart by its own shape;
//! git's plumbing formats are promised.

use std::collections::BTreeMap;

/// A status letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub enum Letter {
    /// Added.
    A,
    /// Modified.
    M,
    /// Deleted.
    D,
    /// Renamed.
    R,
    /// Type changed.
    T,
    /// Unmerged.
    U,
}

impl Letter {
    /// The letter as it is printed.
    pub fn word(self) -> &'static str {
        match self {
            Letter::A => "A",
            Letter::M => "M",
            Letter::D => "D",
            Letter::R => "R",
            Letter::T => "T",
            Letter::U => "U",
        }
    }

    /// Reads the letter as it is printed.
    pub fn parse(text: &str) -> Option<Letter> {
        [Letter::A, Letter::M, Letter::D, Letter::R, Letter::T, Letter::U].into_iter().find(|l| l.word() == text)
    }
}

/// What a tree or the index holds at a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    /// Octal.
    pub mode: Vec<u8>,
    /// Object id, hex.
    pub oid: Vec<u8>,
}

impl Held {
    fn of(mode: &[u8], oid: &[u8]) -> Held {
        Held { mode: mode.to_vec(), oid: oid.to_vec() }
    }
}

/// One record of `diff --raw`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    /// The path, new for a rename.
    pub path: Vec<u8>,
    /// The old path of a rename.
    pub old_path: Option<Vec<u8>>,
    /// What happened.
    pub letter: Letter,
    /// Mode and object id on the old side.
    pub old: Held,
    /// Whether either side is a submodule.
    pub submodule: bool,
    /// Whether numstat calls it binary.
    pub binary: bool,
}

impl Raw {
    /// Its path, and the old one of a rename.
    pub fn ends(&self) -> impl Iterator<Item = &[u8]> {
        [Some(self.path.as_slice()), self.old_path.as_deref()].into_iter().flatten()
    }
}

/// Reads `diff --raw --numstat -z`, sorted by path.
pub fn raw(bytes: &[u8]) -> Vec<Raw> {
    let mut found: BTreeMap<Vec<u8>, Raw> = BTreeMap::new();
    let mut fields = bytes.split(|b| *b == 0);
    while let Some(field) = fields.next() {
        if field.first() == Some(&b':') {
            if let Some(record) = raw_record(field, &mut fields) {
                // An unmerged path has a second record of its working file; the first one says what matters.
                found.entry(record.path.clone()).or_insert(record);
            }
        } else if let Some((binary, path)) = numstat(field, &mut fields)
            && let Some(record) = found.get_mut(&path)
        {
            record.binary |= binary && !record.submodule;
        }
    }
    found.into_values().collect()
}

fn raw_record<'a>(head: &[u8], rest: &mut impl Iterator<Item = &'a [u8]>) -> Option<Raw> {
    let words: Vec<&[u8]> = head[1..].split(|b| *b == b' ').collect();
    let [old_mode, new_mode, old_oid, _, status] = words[..] else {
        return None;
    };
    let letter = match status.first()? {
        b'A' | b'C' => Letter::A,
        b'M' => Letter::M,
        b'D' => Letter::D,
        b'R' => Letter::R,
        b'T' => Letter::T,
        _ => Letter::U,
    };
    let first = rest.next()?.to_vec();
    let pair = matches!(status.first(), Some(b'R' | b'C'));
    let (old_path, path) = if pair { (Some(first), rest.next()?.to_vec()) } else { (None, first) };
    let submodule = old_mode == b"160000" || new_mode == b"160000";
    let old_path = old_path.filter(|_| letter == Letter::R);
    Some(Raw { path, old_path, letter, old: Held::of(old_mode, old_oid), submodule, binary: false })
}

/// `added TAB deleted TAB path`, or with an empty path followed by two fields for a rename.
fn numstat<'a>(head: &[u8], rest: &mut impl Iterator<Item = &'a [u8]>) -> Option<(bool, Vec<u8>)> {
    let mut words = head.splitn(3, |b| *b == b'\t');
    let (added, _, path) = (words.next()?, words.next()?, words.next()?);
    let binary = added == b"-";
    if path.is_empty() {
        rest.next()?;
        return Some((binary, rest.next()?.to_vec()));
    }
    Some((binary, path.to_vec()))
}

/// New line ranges, first and last included, by path.
pub type NewLines = BTreeMap<Vec<u8>, Vec<(u64, u64)>>;

/// Reads `diff --patch-with-raw -z -U0`: the records, and the patches that belong to them in the same order.
///
/// The raw records come first and name the paths without quoting, so that no path is ever read out of a patch. A type change
/// has two patches; an unmerged record has none. Bound: linear.
pub fn raw_records(bytes: &[u8]) -> (Vec<Raw>, Vec<Vec<u8>>) {
    let mut rest = bytes;
    let mut records = Vec::new();
    while rest.first() == Some(&b':') {
        let mut fields = rest.split(|b| *b == 0);
        let Some(head) = fields.next() else { break };
        let pair = head.rsplit(|b| *b == b' ').next().is_some_and(|s| matches!(s.first(), Some(b'R' | b'C')));
        records.extend(raw_record(head, &mut fields));
        let taken: usize = rest.split(|b| *b == 0).take(if pair { 3 } else { 2 }).map(|f| f.len() + 1).sum();
        rest = rest.get(taken..).unwrap_or_default();
    }
    let mut patches: Vec<Vec<u8>> = Vec::new();
    for line in rest.split(|b| *b == b'\n') {
        let line = line.strip_prefix(b"\0").unwrap_or(line);
        if line.starts_with(b"diff --git ") {
            patches.push(Vec::new());
        }
        if let Some(patch) = patches.last_mut() {
            patch.extend_from_slice(line);
            patch.push(b'\n');
        }
    }
    (records, patches)
}

/// Reads `diff --patch-with-raw -z -U0`: the new line ranges of each path.
pub fn new_lines(bytes: &[u8]) -> NewLines {
    let (records, patches) = raw_records(bytes);
    let owners = records.into_iter().filter(|r| r.letter != Letter::U);
    let owners = owners.flat_map(|r| std::iter::repeat_n(r.path, if r.letter == Letter::T { 2 } else { 1 }));
    let mut found = NewLines::new();
    for (path, patch) in owners.zip(patches) {
        let ranges = found.entry(path).or_default();
        ranges.extend(patch.split(|b| *b == b'\n').filter_map(hunk));
    }
    found
}

/// The new side of `@@ -a,b +c,d @@`; none when nothing is new.
fn hunk(line: &[u8]) -> Option<(u64, u64)> {
    let text = std::str::from_utf8(line.strip_prefix(b"@@ -")?.split(|b| *b == b'@').next()?).ok()?;
    let new = text.split_once('+')?.1.trim();
    let (first, count) = new.split_once(',').unwrap_or((new, "1"));
    let (first, count): (u64, u64) = (first.parse().ok()?, count.parse().ok()?);
    (count > 0).then(|| (first, first + count - 1))
}

/// What `status` says of one tracked path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Legs {
    /// HEAD and index differ.
    pub staged: bool,
    /// Index and working file differ.
    pub unstaged: bool,
    /// A submodule with edits of its own.
    pub submodule_dirty: bool,
    /// A submodule at all.
    pub submodule: bool,
    /// Unmerged.
    pub unmerged: bool,
}

/// What `status` says of the checkout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// Tracked paths with a change, by path.
    pub tracked: BTreeMap<Vec<u8>, Legs>,
    /// Untracked paths; a nested repository ends with a slash.
    pub untracked: Vec<Vec<u8>>,
    /// Paths whose working file `status` takes for changed by its looks alone, with what the index holds: under line-end
    /// conversion only `diff` knows what their content comes to.
    pub claimed: BTreeMap<Vec<u8>, Held>,
    /// Where HEAD stands.
    pub standing: Standing,
}

impl Status {
    /// Whether anything differs from HEAD.
    pub fn is_dirty(&self) -> bool {
        !self.tracked.is_empty() || !self.untracked.is_empty()
    }

    /// Settles claims by a comparison of some tree with the working tree; gives those that it does not settle.
    ///
    /// A listed file differs from the tree, and so from an index that holds the same. One that is not listed is what the
    /// tree holds, which is what the index holds when the tree is that of HEAD and nothing is staged.
    pub fn settle(&mut self, raw: &[Raw], of_head: bool) -> Vec<Vec<u8>> {
        let listed: BTreeMap<&[u8], &Raw> = raw.iter().flat_map(|r| r.ends().map(move |p| (p, r))).collect();
        let mut open = Vec::new();
        for (path, index) in std::mem::take(&mut self.claimed) {
            let staged = self.tracked.get(&path).is_some_and(|l| l.staged);
            match listed.get(path.as_slice()) {
                Some(raw) if raw.old_path.is_none() && raw.old == index => {}
                None if of_head && !staged => self.deny(&path),
                _ => open.push(path),
            }
        }
        open
    }

    /// Takes back that the working file of a path differs from the index.
    pub fn deny(&mut self, path: &[u8]) {
        if let Some(legs) = self.tracked.get_mut(path) {
            legs.unstaged = false;
            if !legs.staged {
                self.tracked.remove(path);
            }
        }
    }
}

/// Where HEAD stands, as `status --branch` says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// The commit; none before the first one.
    pub commit: Option<String>,
    /// The branch; none when HEAD is detached.
    pub branch: Option<String>,
    /// The short name of the branch's upstream, which need not exist.
    pub upstream: Option<String>,
}

/// Reads `status --porcelain=v2 --branch -z --no-renames`.
pub fn status(bytes: &[u8]) -> Status {
    let mut status = Status::default();
    for record in bytes.split(|b| *b == 0) {
        match record.first() {
            Some(b'#') => read_standing(&mut status.standing, &String::from_utf8_lossy(record)),
            Some(b'1') => read_tracked(&mut status, record, 9),
            Some(b'u') => read_tracked(&mut status, record, 11),
            Some(b'?') if record.len() > 2 => status.untracked.push(record[2..].to_vec()),
            _ => {}
        }
    }
    status.untracked.sort_unstable();
    status
}

/// A branch of the name `(detached)` is taken for no branch: git writes both alike.
fn read_standing(standing: &mut Standing, record: &str) {
    let value = |key: &str, none: &str| record.strip_prefix(key).filter(|v| *v != none).map(str::to_owned);
    standing.commit = value("# branch.oid ", "(initial)").or(standing.commit.take());
    standing.branch = value("# branch.head ", "(detached)").or(standing.branch.take());
    standing.upstream = value("# branch.upstream ", "").or(standing.upstream.take());
}

/// `1 XY sub mH mI mW hH hI path` and `u XY sub m1 m2 m3 mW h1 h2 h3 path`.
fn read_tracked(status: &mut Status, record: &[u8], fields: usize) {
    let words: Vec<&[u8]> = record.splitn(fields, |b| *b == b' ').collect();
    let (Some(xy), Some(sub), Some(path)) = (words.get(1), words.get(2), words.get(fields - 1)) else {
        return;
    };
    let unmerged = fields == 11;
    let flag = |at: usize| sub.get(at).is_some_and(|b| *b != b'.');
    let submodule = sub.first() == Some(&b'S');
    let legs = Legs {
        staged: unmerged || xy.first() != Some(&b'.'),
        unstaged: unmerged || xy.get(1) != Some(&b'.'),
        submodule,
        submodule_dirty: submodule && (flag(2) || flag(3)),
        unmerged,
    };
    if let [_, _, _, _, index_mode, work_mode, _, index, _] = words[..]
        && legs.unstaged
        && !submodule
        && index_mode == work_mode
    {
        status.claimed.insert(path.to_vec(), Held::of(index_mode, index));
    }
    status.tracked.insert(path.to_vec(), legs);
}

/// An index hint that hides changes, and what the index holds there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// assume-unchanged
    pub assume_unchanged: bool,
    /// skip-worktree
    pub skip_worktree: bool,
    /// The entry.
    pub held: Held,
}

/// One entry of `ls-files -v --stage -z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The path.
    pub path: &'a [u8],
    /// Whether it is a submodule.
    pub submodule: bool,
    tag: u8,
    mode: &'a [u8],
    oid: &'a [u8],
}

impl Entry<'_> {
    fn hint(&self) -> Option<Hint> {
        let (assume_unchanged, skip_worktree) = (self.tag.is_ascii_lowercase(), self.tag.eq_ignore_ascii_case(&b'S'));
        let hint = Hint { assume_unchanged, skip_worktree, held: Held::of(self.mode, self.oid) };
        (assume_unchanged || skip_worktree).then_some(hint)
    }
}

/// Reads `ls-files -v --stage -z`: `tag mode oid stage TAB path`. An unmerged path has an entry for each stage.
pub fn entries(bytes: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    bytes.split(|b| *b == 0).filter_map(|record| {
        let (tag, rest) = (*record.first()?, record.get(2..)?);
        let path = &rest[rest.iter().position(|b| *b == b'\t')? + 1..];
        let mut words = rest.split(|b| *b == b' ');
        let (mode, oid) = (words.next()?, words.next()?);
        Some(Entry { path, submodule: mode == b"160000", tag, mode, oid })
    })
}

/// The paths with a hint.
pub fn hints(listing: &[u8]) -> BTreeMap<Vec<u8>, Hint> {
    entries(listing).filter_map(|e| Some((e.path.to_vec(), e.hint()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_and_numstat_join_by_the_new_path() {
        let bytes = b":100644 100644 a b M\0m.txt\0:100644 100644 a b R100\0old\0new\0:000000 160000 0 b A\0sub\0\
            -\t-\tm.txt\x001\t0\t\0old\0new\x001\t0\tsub\0";
        let records = raw(bytes);
        assert_eq!(records.len(), 3);
        assert!(records[0].binary && records[0].path == b"m.txt");
        assert_eq!(records[1].old_path.as_deref(), Some(&b"old"[..]));
        assert!(records[2].submodule && !records[2].binary);
    }

    #[test]
    fn new_lines_follow_the_order_of_the_raw_records() {
        let bytes = b":100644 100644 a b M\0a\nb.txt\0:100644 120000 a b T\0t\0:100644 100644 a b M\0z\0\0diff --git a/x b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n\
            diff --git a/t b/t\n@@ -1 +0,0 @@\n-x\ndiff --git a/t b/t\n@@ -0,0 +1 @@\n+y\ndiff --git a/z b/z\n@@ -3,0 +4 @@ fn f()\n+q\n";
        let found = new_lines(bytes);
        assert_eq!(found[&b"a\nb.txt".to_vec()], [(1, 2)]);
        assert_eq!(found[&b"t".to_vec()], [(1, 1)]);
        assert_eq!(found[&b"z".to_vec()], [(4, 4)]);
    }

    #[test]
    fn status_keeps_blanks_and_newlines_in_paths() {
        let status = status(b"1 .M N... 100644 100644 100644 a b a b\nc\0? new file\0u UU N... 1 2 3 4 a b c conflict\0");
        assert!(status.tracked[&b"a b\nc".to_vec()].unstaged);
        assert!(!status.tracked[&b"a b\nc".to_vec()].staged);
        assert!(status.tracked[&b"conflict".to_vec()].unmerged);
        assert_eq!(status.untracked, [b"new file".to_vec()]);
    }

    #[test]
    fn status_says_where_head_stands() {
        let standing = status(b"# branch.oid abc\0# branch.head topic\0# branch.upstream origin/topic\0").standing;
        let named = |s: &str| Some(s.to_owned());
        assert_eq!(standing, Standing { commit: named("abc"), branch: named("topic"), upstream: named("origin/topic") });
        assert_eq!(status(b"# branch.oid (initial)\0# branch.head (detached)\0").standing, Standing::default());
    }

    #[test]
    fn a_claimed_change_is_settled_by_a_comparison_that_can_know() {
        let claim = |xy: &str, modes: &str| format!("1 {xy} N... 100644 {modes} h i p\0");
        let record = |from: &str| raw(format!(":100644 100644 {from} 0 M\0p\0").as_bytes());
        let settled = |status_bytes: &str, raw: &[Raw], of_head: bool| {
            let mut status = status(status_bytes.as_bytes());
            let open = status.settle(raw, of_head).len();
            (open, status.tracked.get(b"p".as_slice()).map(|l| l.unstaged))
        };
        let same = claim(".M", "100644 100644");
        assert_eq!(settled(&same, &record("i"), false), (0, Some(true)), "the tree holds what the index holds");
        assert_eq!(settled(&same, &record("other"), false), (1, Some(true)), "the tree holds something else");
        assert_eq!(settled(&claim("MM", "100755 100755"), &record("i"), false), (1, Some(true)), "the tree holds another mode");
        assert_eq!(settled(&same, &[], true), (0, None), "equal to HEAD, and so is the index");
        assert_eq!(settled(&same, &[], false), (1, Some(true)), "equal to some tree");
        assert_eq!(settled(&claim("MM", "100644 100644"), &[], true), (1, Some(true)), "equal to HEAD, the index is not");
        assert_eq!(settled(&claim(".M", "100644 100755"), &[], true), (0, Some(true)), "another mode is no claim");
        assert_eq!(settled(&claim(".D", "100644 000000"), &[], true), (0, Some(true)), "gone is no claim");
    }

    #[test]
    fn the_listing_of_the_index_tells_hints_and_submodules() {
        let listing = b"H 100644 a 0\ta\tb\0h 100644 a 0\tc\0S 160000 a 0\tsub\0";
        let read: Vec<_> = entries(listing).map(|e| (e.path, e.submodule)).collect();
        assert_eq!(read, [(&b"a\tb"[..], false), (&b"c"[..], false), (&b"sub"[..], true)]);
        assert!(hints(listing)[&b"c".to_vec()].assume_unchanged && hints(listing)[&b"sub".to_vec()].skip_worktree);
    }
}
