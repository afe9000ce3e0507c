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

/// One record of `diff --raw`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    /// The path, new for a rename.
    pub path: Vec<u8>,
    /// The old path of a rename.
    pub old_path: Option<Vec<u8>>,
    /// What happened.
    pub letter: Letter,
    /// Whether either side is a submodule.
    pub submodule: bool,
    /// Whether numstat calls it binary.
    pub binary: bool,
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
    let [old_mode, new_mode, _, _, status] = words[..] else {
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
    Some(Raw { path, old_path: old_path.filter(|_| letter == Letter::R), letter, submodule, binary: false })
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

/// Reads `diff --patch-with-raw -z -U0`: the new line ranges of each path.
///
/// The raw records come first and name the paths without quoting; the patches follow in the same order, so that no
/// path is ever read out of a patch. A type change has two patches. Bound: linear.
pub fn new_lines(bytes: &[u8]) -> NewLines {
    let mut rest = bytes;
    let mut order: Vec<(Vec<u8>, usize)> = Vec::new();
    while rest.first() == Some(&b':') {
        let mut fields = rest.split(|b| *b == 0);
        let Some(head) = fields.next() else { break };
        let pair = head.rsplit(|b| *b == b' ').next().is_some_and(|s| matches!(s.first(), Some(b'R' | b'C')));
        let record = raw_record(head, &mut fields);
        let taken: usize = rest.split(|b| *b == 0).take(if pair { 3 } else { 2 }).map(|f| f.len() + 1).sum();
        rest = rest.get(taken..).unwrap_or_default();
        if let Some(record) = record.filter(|r| r.letter != Letter::U) {
            order.push((record.path, if record.letter == Letter::T { 2 } else { 1 }));
        }
    }
    let mut found = NewLines::new();
    let mut headers = order.into_iter().flat_map(|(path, patches)| std::iter::repeat_n(path, patches));
    let mut current: Option<Vec<u8>> = None;
    for line in rest.split(|b| *b == b'\n') {
        let line = line.strip_prefix(b"\0").unwrap_or(line);
        if line.starts_with(b"diff --git ") {
            current = headers.next();
            if let Some(path) = &current {
                found.entry(path.clone()).or_default();
            }
        } else if let Some((path, range)) = current.as_ref().zip(hunk(line)) {
            found.entry(path.clone()).or_default().push(range);
        }
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
}

/// Reads `status --porcelain=v2 -z --no-renames`.
pub fn status(bytes: &[u8]) -> Status {
    let mut status = Status::default();
    for record in bytes.split(|b| *b == 0) {
        match record.first() {
            Some(b'1') => read_tracked(&mut status, record, 9),
            Some(b'u') => read_tracked(&mut status, record, 11),
            Some(b'?') if record.len() > 2 => status.untracked.push(record[2..].to_vec()),
            _ => {}
        }
    }
    status.untracked.sort_unstable();
    status
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
    status.tracked.insert(path.to_vec(), legs);
}

/// An index hint that hides changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hint {
    /// assume-unchanged
    pub assume_unchanged: bool,
    /// skip-worktree
    pub skip_worktree: bool,
}

/// Reads `ls-files -v -z`: the paths with a hint.
pub fn hints(bytes: &[u8]) -> BTreeMap<Vec<u8>, Hint> {
    let records = bytes.split(|b| *b == 0).filter(|r| r.len() > 2);
    let hinted = records.filter_map(|record| {
        let tag = record[0];
        let hint = Hint { assume_unchanged: tag.is_ascii_lowercase(), skip_worktree: tag.eq_ignore_ascii_case(&b'S') };
        (hint.assume_unchanged || hint.skip_worktree).then(|| (record[2..].to_vec(), hint))
    });
    hinted.collect()
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
}
