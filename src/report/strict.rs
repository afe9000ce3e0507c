//! The strict report: the one form a reviewer's answer must have to be counted (rounds spec §2.5).
//!
//! Exactly one title, Summary directly behind it, Code Review behind that with its four sections in order; counts equal
//! the Issues line; the verdict follows from the counts. Anything else is `malformed_or_empty_result`.

use crate::base::verdict::RoundVerdict;
use crate::finding::Declared;
use crate::finding::read::{self, label};

/// A strict report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strict {
    /// The verdict.
    pub verdict: RoundVerdict,
    /// The counts.
    pub counts: Declared,
    /// Whether a critical or warning item speaks of security.
    pub security: bool,
}

const SECTIONS: [&str; 4] = ["### 🔴 Critical", "### 🟡 Warning", "### ℹ️ Info", "### 🟢 Passed"];

/// Reads a strict report.
///
/// # Errors
/// Why it is none.
pub fn read(text: &str) -> Result<Strict, &'static str> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let filled: Vec<&str> = lines.iter().copied().filter(|l| !l.is_empty()).collect();
    let title = filled.first().ok_or("it is empty")?;
    let date = title.strip_prefix("# Deep Review Report — ").ok_or("it does not start with its title")?;
    if !is_date(date) {
        return Err("its title has no date");
    }
    let at = |wanted: &str| lines.iter().filter(|l| **l == wanted).count();
    if lines.iter().filter(|l| l.starts_with("# ")).count() != 1 || at("## Summary") != 1 || at("## Code Review") != 1 {
        return Err("a title or section is missing or doubled");
    }
    if filled.get(1) != Some(&"## Summary") {
        return Err("Summary does not follow the title");
    }
    let review_at = lines.iter().position(|l| *l == "## Code Review").ok_or("there is no Code Review")?;
    let summary = &lines[..review_at];
    let verdict =
        single(summary, "- **Verdict**: ").and_then(RoundVerdict::parse).ok_or("the Verdict line is missing, doubled or unknown")?;
    let issues = single(summary, "- **Issues**: ").ok_or("the Issues line is missing or doubled")?;
    let declared = label::issues_line(&format!("- **Issues**: {issues}")).ok_or("the Issues line cannot be read")?;
    let end = lines[review_at + 1..].iter().position(|l| l.starts_with("## ")).map_or(lines.len(), |i| review_at + 1 + i);
    let (counts, security) = sections(&lines[review_at + 1..end])?;
    if counts != declared {
        return Err("the counts differ from the Issues line");
    }
    let follows = match (counts.critical, counts.warning) {
        (0, 0) => verdict == RoundVerdict::Approve,
        (0, _) => verdict != RoundVerdict::Approve,
        _ => verdict == RoundVerdict::RequestChanges,
    };
    if !follows {
        return Err("the verdict does not follow from the counts");
    }
    // Whatever else stands in the text must not speak against it: the general reader sees the same, and nothing more.
    let review = read::review(text.as_bytes());
    let agrees = review.contradictions.is_empty() && review.suspicious.is_empty() && review.statements.len() == 1;
    let looked = text.lines().all(|l| label::could_not_review(l).is_none());
    if agrees && looked && crate::finding::judge::counted(&review.findings) == counts {
        Ok(Strict { verdict, counts, security })
    } else {
        Err("something else in the text speaks against it")
    }
}

fn is_date(text: &str) -> bool {
    let shaped = text.len() == 10 && text.bytes().enumerate().all(|(i, b)| if matches!(i, 4 | 7) { b == b'-' } else { b.is_ascii_digit() });
    shaped && ("01"..="12").contains(&&text[5..7]) && ("01"..="31").contains(&&text[8..10])
}

/// The value of the one line with this start, look-alikes in other spacing counted too.
fn single<'a>(lines: &[&'a str], start: &str) -> Option<&'a str> {
    let squeezed = |l: &str| l.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let wanted = squeezed(start);
    let alike = lines.iter().filter(|l| squeezed(l).starts_with(&wanted)).count();
    let found = lines.iter().find_map(|l| l.strip_prefix(start));
    found.filter(|_| alike == 1)
}

/// The four sections: `None.` or one-line bullets. Gives the counts and whether security is spoken of.
fn sections(lines: &[&str]) -> Result<(Declared, bool), &'static str> {
    let mut counts = [0u64; 4];
    let mut current: Option<usize> = None;
    let mut none = [false; 4];
    let mut security = false;
    for line in lines.iter().filter(|l| !l.is_empty()) {
        if line.starts_with("### ") {
            let next = current.map_or(0, |c| c + 1);
            if SECTIONS.get(next) != Some(line) {
                return Err("the four sections are not there in order");
            }
            current = Some(next);
            continue;
        }
        let section = current.ok_or("something stands before the first section")?;
        if *line == "None." {
            none[section] = true;
        } else if line.starts_with("- ") {
            counts[section] += 1;
            let lower = line.to_lowercase();
            security |= section < 2 && ["[security]", "(security)", "security:", "category: security"].iter().any(|w| lower.contains(w));
        } else {
            return Err("a section holds something other than one-line bullets");
        }
        if none[section] && counts[section] > 0 {
            return Err("a section says None. and lists something");
        }
    }
    if current != Some(3) || (0..4).any(|s| !none[s] && counts[s] == 0) {
        return Err("a section is missing or empty");
    }
    Ok((Declared { critical: counts[0], warning: counts[1], info: counts[2] }, security))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(verdict: &str, issues: &str, critical: &str, warning: &str) -> String {
        format!(
            "# Deep Review Report — 2026-06-11\n\n## Summary\n- **Verdict**: {verdict}\n- **Issues**: {issues}\n\n## Code Review\n### 🔴 Critical\n{critical}\n\n### 🟡 Warning\n{warning}\n\n### ℹ️ Info\nNone.\n\n### 🟢 Passed\n- all else\n"
        )
    }

    #[test]
    fn a_strict_report_is_read() {
        let good = report("REQUEST_CHANGES", "🔴 1건, 🟡 1건, ℹ️ 0건", "- `a.rs:1` x", "- [security] `b.rs:2` y");
        let strict = read(&good).unwrap();
        assert_eq!((strict.verdict, strict.security), (RoundVerdict::RequestChanges, true));
    }

    #[test]
    fn everything_else_is_refused() {
        let issues = "🔴 1, 🟡 0, ℹ️ 0";
        let good = report("REQUEST_CHANGES", issues, "- x", "None.");
        assert!(read(&good).is_ok());
        for bad in [
            String::new(),
            format!("Here it is:\n{good}"),
            report("APPROVE", issues, "- x", "None."),
            report("REQUEST_CHANGES", "🔴 2, 🟡 0, ℹ️ 0", "- x", "None."),
            report("REQUEST_CHANGES", issues, "- x\nNone.", "None."),
            report("REQUEST_CHANGES", issues, "- x\nmore", "None."),
            good.replace("## Summary", "## Summary\n## Summary"),
            good.replace("### ℹ️ Info\nNone.\n", ""),
            good.replace("- **Verdict**", "- **Verdict**: APPROVE\n-  **Verdict**"),
            report("CONCERN", "🔴 0, 🟡 0, ℹ️ 0", "None.", "None."),
        ] {
            assert!(read(&bad).is_err(), "{bad}");
        }
    }
}
