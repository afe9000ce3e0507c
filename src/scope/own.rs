//! Our own files inside a checkout: they are left out of scope and fingerprint while untracked (house.md, State).

/// Folders of ours that every repository may hold.
const FOLDERS: [&[u8]; 2] = [b".deep-review/", b".scratch/reviews/"];

/// Whether a repository path lies in a folder that is always ours.
pub fn is_usual(path: &[u8]) -> bool {
    FOLDERS.iter().any(|f| path.starts_with(f) || path == &f[..f.len() - 1])
}

/// Which folders are ours in this call, as repository paths with a trailing slash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Own(Vec<Vec<u8>>);

impl Own {
    /// The usual folders and those that were named to the command.
    pub fn with(named: impl IntoIterator<Item = Vec<u8>>) -> Own {
        let slashed = named.into_iter().filter(|n| !n.is_empty()).map(|mut n| {
            if n.last() != Some(&b'/') {
                n.push(b'/');
            }
            n
        });
        Own(slashed.collect())
    }

    /// Whether an untracked path is ours.
    pub fn holds(&self, path: &[u8]) -> bool {
        let named = self.0.iter().map(Vec::as_slice);
        FOLDERS.into_iter().chain(named).any(|folder| path.starts_with(folder))
    }
}
