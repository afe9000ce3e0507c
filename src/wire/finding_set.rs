//! A set of findings as match-findings takes it: `{"findings":[…]}`, an answer of parse-findings included; and links.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::json::{Fields, parse};
use crate::base::path::printable;
use crate::base::severity::Grade;
use crate::base::{Code, Fail};
use crate::finding::matching::{Item, Link};

/// Reads a set.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE`, `REPEATED_ID`.
pub fn read(bytes: &[u8]) -> Result<Vec<Item>, Fail> {
    let value = parse(bytes)?;
    let list = Fields::of(&value, "")?.list("findings")?;
    let mut seen = HashSet::new();
    let items: Vec<Item> = list.iter().enumerate().map(|(i, entry)| item(entry, &format!("/findings/{i}"))).collect::<Result<_, _>>()?;
    match items.iter().find(|i| !seen.insert(i.id.as_str())) {
        Some(twice) => Err(Fail::new(Code::RepeatedId, format!("the id `{}` stands twice in the set", printable(&twice.id)))),
        None => Ok(items),
    }
}

/// One finding of a set.
///
/// # Errors
/// `BAD_SHAPE`.
pub fn item(entry: &Value, at: &str) -> Result<Item, Fail> {
    let f = Fields::of(entry, at)?;
    let word = f.maybe_text("severity")?.unwrap_or("unknown");
    let grade = match word {
        "info" => Grade::Suggestion,
        "warning" => Grade::Medium,
        word => Grade::parse(word).ok_or_else(|| f.wrong("severity", "critical, high, medium, low, suggestion or unknown"))?,
    };
    let text = |key: &str| f.maybe_text(key).map(|t| t.map(str::to_owned));
    Ok(Item {
        id: f.text("id")?.to_owned(),
        stated: f.maybe_text("id_source")? == Some("stated"),
        grade,
        path: text("path")?.filter(|p| !p.is_empty()),
        line: f.maybe_count("line")?.filter(|l| *l > 0),
        end_line: f.maybe_count("end_line")?,
        title: text("title")?.unwrap_or_default(),
        body: text("body")?.unwrap_or_default(),
        quote: text("quote")?.filter(|q| !q.is_empty()),
        category: text("category")?.filter(|c| !c.is_empty()),
    })
}

/// Reads links between two sets: `[{"previous","current","same"}]`.
///
/// # Errors
/// The strict reader's codes, `BAD_SHAPE` for an id that is in neither set or asserted twice, or asserted and forbidden.
pub fn links(bytes: &[u8], previous: &[Item], current: &[Item]) -> Result<Vec<Link>, Fail> {
    let value = parse(bytes)?;
    let list = value.as_array().ok_or_else(|| Fail::new(Code::BadShape, "links are an array"))?;
    let places = |items: &[Item]| items.iter().enumerate().map(|(i, item)| (item.id.clone(), i)).collect::<HashMap<_, _>>();
    let (old, new) = (places(previous), places(current));
    let mut links: Vec<Link> = Vec::new();
    let (mut settled_old, mut settled_new, mut said) = (HashSet::new(), HashSet::new(), HashMap::new());
    for (i, entry) in list.iter().enumerate() {
        let at = format!("/{i}");
        let f = Fields::of(entry, &at)?;
        let find = |key: &str, known: &HashMap<String, usize>| {
            let id = f.text(key)?;
            known.get(id).copied().ok_or_else(|| f.wrong(key, &format!("a finding of its set; `{}` is none", printable(id))))
        };
        let link = (find("previous", &old)?, find("current", &new)?, f.flag("same")?);
        if link.2 && !(settled_old.insert(link.0) & settled_new.insert(link.1)) {
            return Err(f.wrong("same", "asserted once for each finding"));
        }
        if *said.entry((link.0, link.1)).or_insert(link.2) != link.2 {
            return Err(f.wrong("same", "either asserted or forbidden for one pair"));
        }
        links.push(link);
    }
    Ok(links)
}
