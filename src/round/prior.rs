//! The prior context: what the next reviewer is told of earlier rounds, as advice to verify again and never to suppress.
//!
//! Rejected items of all rounds come first, then the open findings of the last one, gravest first; the header is always
//! kept; what does not fit is counted and said. Text in it came from reviewers and is hostile: comment ends, fences and
//! payload borders are defused. Sources: rounds spec §1.8, §2.7, §4 items 11, 27, 31; map.md.

use super::record::{Answered, Round, RoundFinding};
use crate::base::severity::{Grade, Level};
use crate::base::{Code, Fail};

/// The writer's limit in bytes.
pub const DEFAULT_MAX_BYTES: u64 = 16_384;
/// The reader's limit in bytes.
pub const READER_LIMIT: u64 = 32_768;

/// The rendered context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prior {
    /// The document.
    pub text: String,
    /// Whether anything was left out.
    pub truncated: bool,
    /// How many rejected items were left out.
    pub omitted_rejected: usize,
    /// How many findings were left out.
    pub omitted_findings: usize,
}

/// Room kept for the closing marker of a truncated document.
const MARKER_ROOM: usize = 120;

/// Renders the context from all known rounds of the loop (sorted, the last one is what the reviewer continues from).
///
/// # Errors
/// `INVALID_ARGUMENT` when `max_bytes` cannot hold the header.
pub fn render(rounds: &[&Round], max_bytes: u64) -> Result<Prior, Fail> {
    let Some(last) = rounds.last() else {
        return Err(Fail::new(Code::NoRounds, "there is no round to render"));
    };
    let (id, base, number) = (&last.loop_id, &last.base_commit, last.round_number);
    let header = format!(
        "<!-- PRIOR-CONTEXT v1 loop_id={} base_commit={} round={number} -->\n\n# Prior round {number} context (loop {})\n",
        header_word(id),
        header_word(base),
        header_word(id)
    );
    let rejects = rejected(rounds);
    let findings = open_findings(last);
    let limit = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let titles = [
        "\n## Previously rejected (advisory: re-verify, never suppress)\n\n".to_owned(),
        format!("\n## Open findings from round {number} ({})\n\n", findings.len()),
    ];
    let full = assemble(&header, &titles, &rejects, &findings);
    if full.len() <= limit {
        return Ok(Prior { text: full, truncated: false, omitted_rejected: 0, omitted_findings: 0 });
    }
    let fixed = header.len() + titles[0].len() + titles[1].len() + 2 * "- (none)\n".len() + MARKER_ROOM;
    if limit < header.len() + MARKER_ROOM {
        let message = format!("`--max-bytes {max_bytes}` cannot hold the header, which takes {} bytes", header.len() + MARKER_ROOM);
        return Err(Fail::new(Code::InvalidArgument, message));
    }
    // Rejected items may take three quarters of the room: forgetting one brings a settled dispute back.
    let room = limit.saturating_sub(fixed);
    let (kept_rejects, used) = fit(&rejects, room / 4 * 3);
    let (kept_findings, _) = fit(&findings, room - used);
    let (left_rejects, left_findings) = (rejects.len() - kept_rejects, findings.len() - kept_findings);
    let body = if fixed <= limit { assemble(&header, &titles, &rejects[..kept_rejects], &findings[..kept_findings]) } else { header };
    let marker =
        format!("\n<!-- TRUNCATED: prior-context exceeded maxBytes; left out: {left_rejects} rejected, {left_findings} findings -->\n");
    Ok(Prior { text: body + &marker, truncated: true, omitted_rejected: left_rejects, omitted_findings: left_findings })
}

fn assemble(header: &str, titles: &[String; 2], rejects: &[String], findings: &[String]) -> String {
    let mut text = header.to_owned();
    for (title, bullets) in titles.iter().zip([rejects, findings]) {
        text.push_str(title);
        if bullets.is_empty() {
            text.push_str("- (none)\n");
        }
        for bullet in bullets {
            text.push_str(bullet);
        }
    }
    text
}

fn fit(bullets: &[String], room: usize) -> (usize, usize) {
    let mut used = 0;
    let kept = bullets.iter().take_while(|b| {
        used += b.len();
        used <= room
    });
    let count = kept.count();
    (count, bullets[..count].iter().map(String::len).sum())
}

/// Rejected items of all rounds, the newest round first; the same item in the same words once.
fn rejected(rounds: &[&Round]) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let mut bullets = Vec::new();
    for round in rounds.iter().rev() {
        for item in round.rejected.iter().chain(&round.rejected_unlocated) {
            if seen.insert((item.path.as_deref(), item.line, item.reason.as_str())) {
                let of = (round.round_number != rounds.last().map_or(0, |r| r.round_number)).then_some(round.round_number);
                bullets.push(reject_bullet(item, of));
            }
        }
    }
    bullets
}

fn reject_bullet(item: &Answered, of_round: Option<u64>) -> String {
    let reason = if item.reason.trim().is_empty() { "(no reason recorded)".to_owned() } else { defuse(&item.reason) };
    let mut about: Vec<String> = Vec::new();
    if item.grade != Grade::Unknown {
        about.push(format!("[{}]", item.grade.level().word()));
    }
    if !item.title.is_empty() {
        about.push(defuse(&item.title));
    }
    if let Some(round) = of_round {
        about.push(format!("round {round}"));
    }
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(" ")) };
    format!("- `{}` — {reason}{about}\n", place(item.path.as_deref(), item.line))
}

fn open_findings(round: &Round) -> Vec<String> {
    let mut findings: Vec<&RoundFinding> = round.findings.iter().collect();
    findings.sort_by_key(|f| f.severity != Level::Critical);
    findings.iter().map(|f| finding_bullet(f)).collect()
}

/// ``- [severity] `path:line` (category) — slug``.
pub fn finding_bullet(finding: &RoundFinding) -> String {
    let place = place(finding.path.as_deref(), finding.line);
    format!("- [{}] `{place}` ({}) — {}\n", finding.severity.word(), defuse(&finding.category), defuse(&finding.title_slug))
}

fn place(path: Option<&str>, line: Option<u64>) -> String {
    let path = path.map_or_else(|| "(no location)".to_owned(), defuse);
    line.map_or(path.clone(), |line| format!("{path}:{line}"))
}

/// An id inside a comment header: whatever no id can hold becomes `_`.
pub fn header_word(text: &str) -> String {
    text.chars().take(128).map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '_' }).collect()
}

/// One line of untrusted text that can end no comment, open no fence, forge no border and hide nothing.
pub fn defuse(text: &str) -> String {
    let mut out = String::new();
    for c in text.trim().chars() {
        match c {
            '`' => out.push('\''),
            '\n' | '\r' | '\t' => out.push(' '),
            c if crate::base::path::is_unsafe(c) => {}
            c => out.push(c),
        }
    }
    let out = out.replace("-->", "--\\>").replace("--!>", "--!\\>").replace("<!--", "<\\!--").replace("~~~", "~ ~ ~");
    let out = if out.starts_with("=====") { format!("\\{out}") } else { out };
    if out.chars().count() > 600 { out.chars().take(600).chain(['…']).collect() } else { out }
}

/// Checks a prior context file as the reader's side must (rounds spec §2.7).
///
/// # Errors
/// `INVALID_PRIOR_CONTEXT` for a file that is too large, without its header, or of another base.
pub fn check(bytes: &[u8], shown: &str, base: Option<&str>) -> Result<(String, String), Fail> {
    let refuse = |why: String| Err(Fail::new(Code::InvalidPriorContext, format!("the prior context `{shown}` {why}")));
    if bytes.len() as u64 > READER_LIMIT {
        return refuse(format!("has {} bytes, the limit is {READER_LIMIT}", bytes.len()));
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return refuse("is not UTF-8".to_owned());
    };
    let first = text.lines().next().unwrap_or_default();
    let inner = first.strip_prefix("<!-- PRIOR-CONTEXT v1 ").and_then(|r| r.strip_suffix(" -->"));
    let Some(fields) = inner else {
        return refuse("does not start with its header".to_owned());
    };
    let words: Vec<&str> = fields.split(' ').collect();
    let value = |key: &str| words.iter().find_map(|w| w.strip_prefix(key)).filter(|v| !v.is_empty()).map(str::to_owned);
    let (Some(id), Some(of)) = (value("loop_id="), value("base_commit=")) else {
        return refuse("names no loop and base in its header".to_owned());
    };
    if base.is_some_and(|b| !b.eq_ignore_ascii_case(&of)) {
        return refuse("was made for another base commit".to_owned());
    }
    Ok((id, of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_ends_no_comment_and_opens_no_fence() {
        for text in ["b --> <script>", "```\nignore", "===== NEW SECTION =====", "a\u{202e}b", "---->", "~~~~"] {
            let safe = defuse(text);
            assert!(!safe.contains("-->") && !safe.contains("```") && !safe.contains('\n') && !safe.contains("~~~"), "{safe:?}");
            assert!(!safe.starts_with("====="), "{safe:?}");
        }
    }

    #[test]
    fn the_reader_refuses_what_has_no_header_or_another_base() {
        let good = b"<!-- PRIOR-CONTEXT v1 loop_id=a base_commit=abcdef1 round=1 -->\nx";
        assert!(check(good, "p", Some("abcdef1")).is_ok());
        assert!(check(good, "p", Some("1234567")).is_err());
        assert!(check(b"x", "p", None).is_err());
        assert!(check(&vec![b'x'; 40_000], "p", None).is_err());
    }
}
