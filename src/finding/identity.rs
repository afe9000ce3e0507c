//! Ids: the one a report states, else one made of path, line and title, unique in one answer.
//!
//! Only a stated id is evidence of sameness between rounds; an assigned one names a finding inside one answer. Source: map.md,
//! parse-findings. Bound: linear.

use std::collections::{HashMap, HashSet};

use super::Finding;
use crate::base::digest::{Stream, hex};
use crate::base::reason::words;

words! {
    /// Where an id comes from.
    Source {
        Stated "stated",
        Assigned "assigned",
    }
}

/// The ids of the findings of one answer, in their order.
pub fn assign(findings: &[Finding]) -> Vec<(String, Source)> {
    let mut ids = Ids::default();
    let place = |f: &Finding| f.place.as_ref().map(|p| (p.path.clone(), p.line));
    findings
        .iter()
        .map(|f| {
            let place = place(f);
            let path = place.as_ref().map(|(path, _)| path.as_str());
            ids.assign(f.id.as_deref(), path, place.as_ref().and_then(|(_, line)| *line), &f.title)
        })
        .collect()
}

/// Gives ids one after the other. A repeated one gets `-2`, `-3` …, and is assigned from then on.
#[derive(Debug, Default)]
pub struct Ids {
    /// How often each digest was given; six bytes each, since a long report has many.
    digests: HashMap<[u8; 6], u32>,
    /// Stated ids and those made of them.
    stated: HashSet<String>,
    /// The last number behind each.
    next: HashMap<String, u64>,
}

impl Ids {
    /// The id of the next finding: `f-` and twelve hex digits of the digest of path, line and folded title, unless it states one.
    pub fn assign(&mut self, stated: Option<&str>, path: Option<&str>, line: Option<u64>, title: &str) -> (String, Source) {
        if let Some(id) = stated {
            if self.stated.insert(id.to_owned()) {
                return (id.to_owned(), Source::Stated);
            }
            return (self.numbered(id), Source::Assigned);
        }
        let mut stream = Stream::new();
        let line = line.map(|l| l.to_string()).unwrap_or_default();
        let folded = super::read::label::fold(title);
        stream.framed(path.unwrap_or_default().as_bytes()).framed(line.as_bytes()).framed(folded.as_bytes());
        let mut key = [0; 6];
        key.copy_from_slice(&stream.finish()[..6]);
        let seen = self.digests.entry(key).or_insert(0);
        *seen += 1;
        let (id, seen) = (format!("f-{}", hex(&key)), *seen);
        let id = if seen == 1 { id } else { format!("{id}-{seen}") };
        // A report may state what looks like one of ours.
        let id = if self.stated.contains(&id) { self.numbered(&id) } else { id };
        (id, Source::Assigned)
    }

    fn numbered(&mut self, id: &str) -> String {
        loop {
            let next = self.next.entry(id.to_owned()).or_insert(1);
            *next += 1;
            let free = format!("{id}-{next}");
            if self.stated.insert(free.clone()) {
                return free;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(id: Option<&str>, title: &str) -> Finding {
        Finding { id: id.map(str::to_owned), title: title.to_owned(), ..Finding::default() }
    }

    #[test]
    fn a_repeated_id_is_numbered_and_assigned() {
        let ids = assign(&[
            finding(Some("A-1"), "x"),
            finding(Some("A-1"), "y"),
            finding(Some("A-1-2"), "z"),
            finding(None, "x"),
            finding(None, "X "),
        ]);
        let shown: Vec<(&str, &str)> = ids.iter().map(|(id, s)| (id.as_str(), s.word())).collect();
        assert_eq!(shown[..3], [("A-1", "stated"), ("A-1-2", "assigned"), ("A-1-2-2", "assigned")]);
        assert_eq!(format!("{}-2", shown[3].0), shown[4].0);
    }
}
