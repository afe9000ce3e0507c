//! The six parts of a fix-design artifact (design seed, Steps 3): what is missing, all at once.

use serde::Serialize;

use crate::base::reason::words;

words! {
    /// A part.
    Part {
        Root "root",
        Options "options",
        Recommendation "recommendation",
        Sketch "sketch",
        Validation "validation",
        Angles "angles",
    }
}

/// A part that is missing or does not hold what it should.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// The part.
    pub part: Part,
    /// The line of its heading, when it has one.
    pub line: Option<usize>,
    /// What it lacks.
    pub lacks: String,
}

/// A heading and what stands under it, sub-headings included.
struct Section<'t> {
    line: usize,
    level: usize,
    title: String,
    body: Vec<&'t str>,
}

/// What is missing. Bound: linear in the text per part.
pub fn missing(text: &str) -> Vec<Missing> {
    let sections = sections(text);
    Part::ALL.iter().flat_map(|part| of_part(*part, &sections)).collect()
}

fn of_part(part: Part, sections: &[Section<'_>]) -> Vec<Missing> {
    let lack = |line: Option<usize>, lacks: &str| Missing { part, line, lacks: lacks.to_owned() };
    let Some(at) = sections.iter().position(|s| is_titled(part, &s.title)) else {
        return vec![lack(None, "there is no heading of that part")];
    };
    let (section, behind) = (&sections[at], &sections[at + 1..]);
    let below = behind.iter().take_while(|s| s.level > section.level);
    let mut body: Vec<&str> = section.body.clone();
    let mut titles: Vec<&str> = Vec::new();
    for inner in below {
        titles.push(&inner.title);
        body.extend(&inner.body);
    }
    let said: Vec<&str> = body.into_iter().filter(|l| !is_placeholder(l)).collect();
    let words: String = said.iter().copied().chain(titles).collect::<Vec<_>>().join("\n").to_lowercase();
    if said.iter().all(|l| l.trim().is_empty()) {
        return vec![lack(Some(section.line), "nothing stands under the heading")];
    }
    let has = |stems: &[&str]| stems.iter().any(|s| words.split(|c: char| !c.is_alphanumeric()).any(|w| w.starts_with(s)));
    let mut found = Vec::new();
    let mut demand = |holds: bool, lacks: &str| {
        if !holds {
            found.push(lack(Some(section.line), lacks));
        }
    };
    match part {
        Part::Root => demand(said.iter().any(|l| cites(l)), "no trace and no file:line is cited"),
        Part::Options => {
            demand(listed(&said) >= 2 || has(&["alternative", "option"]) && listed(&said) >= 1, "no candidates are listed");
            demand(has(&["cost", "effort", "price"]), "no cost is stated");
            demand(has(&["risk"]), "no risk is stated");
        }
        Part::Angles => {
            for angle in ["surgical", "deep", "scout"] {
                demand(has(&[angle]), &format!("it does not say what `{angle}` evaluates"));
            }
        }
        Part::Recommendation | Part::Sketch | Part::Validation => {}
    }
    found
}

/// Whether a heading is a part's.
fn is_titled(part: Part, title: &str) -> bool {
    let title = title.to_lowercase();
    let words: Vec<&str> = title.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let has = |stems: &[&str]| words.iter().any(|w| stems.iter().any(|s| w.starts_with(s)));
    match part {
        Part::Root => has(&["root"]),
        Part::Options => has(&["option", "candidate", "alternative"]) && !has(&["recommend"]),
        Part::Recommendation => has(&["recommend"]),
        Part::Sketch => has(&["sketch", "implementation"]) && !has(&["validation", "recommend"]),
        Part::Validation => has(&["validation", "verification"]),
        Part::Angles => has(&["angle", "evaluate", "reviewer", "lane"]),
    }
}

/// The sections of a markdown text; what stands in a fence has no headings.
fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut fence: Option<&str> = None;
    for (n, line) in text.lines().enumerate() {
        let inner = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|m| inner.starts_with(m));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let level = line.bytes().take_while(|b| *b == b'#').count();
        if fence.is_none() && mark.is_none() && (1..=6).contains(&level) && line[level..].starts_with(' ') {
            sections.push(Section { line: n + 1, level, title: line[level..].trim().to_owned(), body: Vec::new() });
        } else if let Some(section) = sections.last_mut() {
            section.body.push(line);
        }
    }
    sections
}

/// Whether a line is what a template leaves to be filled in.
fn is_placeholder(line: &str) -> bool {
    let bare = line.trim().trim_start_matches(['-', '*', '+', ' ']).trim_end_matches(['.', ':']);
    // `surgical: <…>` says no more than `<…>`.
    let bare = bare
        .split_once(": ")
        .filter(|(label, rest)| !label.contains(' ') && rest.trim().starts_with('<'))
        .map_or(bare, |(_, rest)| rest.trim());
    let opened = (bare.starts_with('<') && bare.ends_with('>')) || (bare.starts_with("[ ") && bare.ends_with(" ]"));
    opened || ["todo", "tbd", "fixme", "...", "…", "n/a", "none"].contains(&bare.to_lowercase().as_str()) || line.trim().starts_with("<!--")
}

fn listed(lines: &[&str]) -> usize {
    let item = |l: &&&str| {
        let l = l.trim_start();
        let numbered = l.trim_start_matches(|c: char| c.is_ascii_digit());
        l.starts_with("- ") || l.starts_with("* ") || l.starts_with('|') || (numbered.len() < l.len() && numbered.starts_with(['.', ')']))
    };
    lines.iter().filter(item).count()
}

/// Whether a line cites a trace or a `file:line`.
fn cites(line: &str) -> bool {
    let word = |w: &str| {
        let w = w.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '_'));
        let lined = w.rsplit_once(':').is_some_and(|(path, n)| path.len() > 1 && n.starts_with(|c: char| c.is_ascii_digit()));
        lined || w.contains("#L")
    };
    line.split_whitespace().any(word) || line.to_lowercase().contains("trace ") || line.contains("$ ")
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) const WHOLE: &str = "# Fix\n## Root\nThe index is read unbounded (src/a.rs:12, trace:42).\n## Options\n- bound it; cost: low, risk: low\n- rewrite it; cost: high, risk: high\n## Recommendation\nBound it.\n## Implementation sketch\n```\nif i < n {}\n```\n## Validation plan\ncargo test index\n## Angles\n- surgical: the bound\n- deep: the callers\n- scout: every use of `i`\n";

    fn parts(text: &str) -> Vec<Part> {
        missing(text).into_iter().map(|m| m.part).collect()
    }

    #[test]
    fn all_missing_parts_are_named_at_once() {
        assert_eq!(parts(WHOLE), []);
        assert_eq!(parts(""), Part::ALL);
        for (heading, part) in [
            ("## Root", Part::Root),
            ("## Options", Part::Options),
            ("## Recommendation", Part::Recommendation),
            ("## Implementation sketch", Part::Sketch),
            ("## Validation plan", Part::Validation),
            ("## Angles", Part::Angles),
        ] {
            assert_eq!(parts(&WHOLE.replace(heading, "## Other")), [part], "{heading}");
        }
    }

    #[test]
    fn a_part_that_lacks_its_substance_is_missing() {
        assert_eq!(parts(&WHOLE.replace("(src/a.rs:12, trace:42)", "")), [Part::Root]);
        assert_eq!(missing(&WHOLE.replace("cost", "x").replace("risk", "y")).len(), 2);
        assert_eq!(parts(&WHOLE.replace("cargo test index", "<the commands>")), [Part::Validation]);
        assert_eq!(parts(&WHOLE.replace("Bound it.", "TBD")), [Part::Recommendation]);
        assert_eq!(parts(&WHOLE.replace("- deep: the callers\n", "")), [Part::Angles]);
        assert_eq!(parts(&format!("```\n{WHOLE}")), Part::ALL);
    }
}
