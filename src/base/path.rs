//! Paths as values: lexical absolute paths, repository paths, and text made safe to print.

use std::path::{Component, Path, PathBuf};

use super::fail::{Code, Fail};

/// Makes `text` absolute against `cwd` without asking the file system: `.`, `..`, double and trailing slashes go,
/// links stay (rounds spec §1.0).
///
/// # Errors
/// `INVALID_PATH` when missing, empty or holding NUL; the message names the `role`.
pub fn absolute(cwd: &Path, text: Option<&str>, role: &str) -> Result<PathBuf, Fail> {
    let text = text.unwrap_or_default();
    if text.is_empty() {
        return Err(Fail::new(Code::InvalidPath, format!("the {role} is missing or empty")));
    }
    if text.contains('\0') {
        return Err(Fail::new(Code::InvalidPath, format!("the {role} `{}` holds a NUL byte", printable(text))));
    }
    Ok(lexical(&cwd.join(text)))
}

/// Folds `.`, `..` and doubled separators of an absolute path.
pub fn lexical(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                folded.pop();
            }
            other => folded.push(other),
        }
    }
    folded
}

/// The display form of a cited path: forward slashes, empty and `.` segments dropped, `..` kept; a leading
/// `repo_root` is cut off (rounds spec §1.5). `None` when nothing is left.
pub fn display(cited: &str, repo_root: Option<&str>) -> Option<String> {
    let slashed = cited.replace('\\', "/");
    let rest = match repo_root {
        Some(root) if !root.is_empty() => cut_root(&slashed, root).unwrap_or(&slashed),
        _ => &slashed,
    };
    let kept: Vec<&str> = rest.split('/').filter(|s| !s.is_empty() && *s != ".").collect();
    if kept.is_empty() { None } else { Some(kept.join("/")) }
}

fn cut_root<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let slashed = root.replace('\\', "/");
    let root = slashed.trim_end_matches('/');
    let rest = path.strip_prefix(root)?;
    if root.is_empty() || (!rest.is_empty() && !rest.starts_with('/')) { None } else { Some(rest) }
}

/// Whether a cited path is absolute on Unix or Windows.
pub fn is_absolute(cited: &str) -> bool {
    let bytes = cited.as_bytes();
    cited.starts_with('/')
        || cited.starts_with("\\\\")
        || (bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\'))
}

/// The path of `target` relative to the folder `from`, both lexical absolute paths, with forward slashes.
pub fn relative(from: &Path, target: &Path) -> String {
    let from: Vec<_> = from.components().collect();
    let to: Vec<_> = target.components().collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - shared);
    let down = to[shared..].iter().map(|c| c.as_os_str().to_string_lossy().into_owned());
    let joined = up.chain(down).collect::<Vec<_>>().join("/");
    if joined.is_empty() { ".".to_owned() } else { joined }
}

/// Text from outside made fit for one line of a message or terminal: control, bidirectional and line-break characters
/// are escaped, back-ticks become quotes, and at most 200 characters are kept.
pub fn printable(text: &str) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == 200 {
            out.push('…');
            break;
        }
        match c {
            '`' => out.push('\''),
            c if is_unsafe(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Characters that steer a terminal, hide text or break a line.
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_fold_lexically() {
        let cwd = Path::new("/base/here");
        assert_eq!(absolute(cwd, Some("a/./b//../c/"), "x").unwrap(), Path::new("/base/here/a/c"));
        assert_eq!(absolute(cwd, Some("/../x"), "x").unwrap(), Path::new("/x"));
        assert_eq!(absolute(cwd, Some(""), "x").unwrap_err().code, Code::InvalidPath);
        assert_eq!(absolute(cwd, Some("a\0"), "x").unwrap_err().code, Code::InvalidPath);
    }

    #[test]
    fn display_paths_cut_the_root_on_a_segment_border_only() {
        assert_eq!(display("/r/src/a.rs", Some("/r/")).unwrap(), "src/a.rs");
        assert_eq!(display("/rest/a.rs", Some("/r")).unwrap(), "rest/a.rs");
        assert_eq!(display("src\\.\\a.rs", None).unwrap(), "src/a.rs");
        assert_eq!(display("C:\\r\\a.rs", Some("C:\\r")).unwrap(), "a.rs");
        assert_eq!(display("./", None), None);
    }

    #[test]
    fn relative_paths_climb_and_descend() {
        assert_eq!(relative(Path::new("/a/b"), Path::new("/a/c/d")), "../c/d");
        assert_eq!(relative(Path::new("/a"), Path::new("/a/x.md")), "x.md");
    }
}
