//! Response reports: each item with its decision, the counts, and where the counts come from.
//!
//! Source: cases/reports/README.md §6; deep-review seed §3. Differences from the reference parser are deliberate:
//! fences and quotes are skipped, a template is no decision, and a block ends where its section ends.

use crate::base::number;
use crate::base::reason::{Contradiction, words};
use crate::base::severity::{self, Grade};
use crate::finding::Location;
use crate::finding::read::label::{fold, split_label};
use crate::finding::read::lines::{Lines, Zone};
use crate::finding::read::location;

words! {
    /// What was decided about one item.
    Decision {
        Accept "ACCEPT",
        Reject "REJECT",
        Defer "DEFER",
    }
}

words! {
    /// Where a count or flag comes from.
    Origin {
        Stated "stated",
        Derived "derived",
        Missing "missing",
        Skipped "skipped",
    }
}

/// One item block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The heading's text before `:` or the dash.
    pub id: String,
    /// The decision; none when missing or a template.
    pub decision: Option<Decision>,
    /// From the Severity line.
    pub grade: Grade,
    /// The first code span that is a location.
    pub place: Option<Location>,
    /// The heading's text behind the id.
    pub title: String,
    /// The text behind `**Action**:`, or its first following line.
    pub action: Option<String>,
    /// The block's first line of prose.
    pub prose: Option<String>,
}

impl Item {
    /// Why it was decided so: the action, else the first prose line.
    pub fn reason(&self) -> &str {
        self.action.as_deref().or(self.prose.as_deref()).unwrap_or_default()
    }

    /// Whether an accepted item was left undone: its action is empty or starts with a not-done word.
    pub fn is_undone(&self) -> bool {
        const NOT_DONE: &[&str] = &[
            "not started",
            "not done",
            "not implemented",
            "not applied",
            "skipped",
            "skip",
            "failed",
            "deferred",
            "todo",
            "to do",
            "pending",
            "blocked",
            "none",
            "n/a",
            "미착수",
            "보류",
            "실패",
            "미구현",
            "미적용",
            "건너뜀",
            "생략",
            "未着手",
            "未実施",
            "失敗",
            "保留",
            "未开始",
            "失败",
            "跳过",
        ];
        let action = fold(self.action.as_deref().unwrap_or_default());
        let action = action.trim_matches(|c: char| !c.is_alphanumeric());
        action.is_empty() || NOT_DONE.iter().any(|word| starts_with_word(action, word))
    }
}

fn starts_with_word(text: &str, word: &str) -> bool {
    let Some(rest) = text.strip_prefix(word) else {
        return false;
    };
    !word.is_ascii() || !rest.starts_with(|c: char| c.is_alphanumeric())
}

/// Declared counts of the Items line.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// ACCEPT
    pub accepted: u64,
    /// REJECT
    pub rejected: u64,
    /// DEFER
    pub deferred: u64,
}

/// A response report as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Every block in document order.
    pub items: Vec<Item>,
    /// The Items line.
    pub declared: Option<Counts>,
    /// subagent, main_fallback, mixed or n/a.
    pub execution_path: &'static str,
    /// The `implemented_count` line.
    pub implemented_stated: Option<u64>,
    /// The `halted` line.
    pub halted_stated: Option<bool>,
    /// Sorted and unique.
    pub contradictions: Vec<Contradiction>,
}

impl Response {
    /// Accepted, rejected, deferred: of the blocks, of the Items line when there are no blocks.
    pub fn counts(&self) -> Counts {
        if self.items.is_empty() {
            return self.declared.clone().unwrap_or(Counts { accepted: 0, rejected: 0, deferred: 0 });
        }
        let of = |d: Decision| self.items.iter().filter(|i| i.decision == Some(d)).count() as u64;
        Counts { accepted: of(Decision::Accept), rejected: of(Decision::Reject), deferred: of(Decision::Defer) }
    }

    /// How many accepted items were implemented, and where that is known from. `Missing` prints 0 and is not zero.
    pub fn implemented(&self) -> (u64, Origin) {
        if let Some(stated) = self.implemented_stated {
            return (stated, Origin::Stated);
        }
        // A block whose decision nobody understands may be one that was done.
        if self.items.iter().any(|i| i.decision.is_none()) {
            return (0, Origin::Missing);
        }
        if !self.items.is_empty() {
            let accepted = self.items.iter().filter(|i| i.decision == Some(Decision::Accept));
            return (accepted.filter(|i| !i.is_undone()).count() as u64, Origin::Derived);
        }
        let nothing_accepted = self.declared.as_ref().is_some_and(|d| d.accepted == 0);
        (0, if nothing_accepted { Origin::Derived } else { Origin::Missing })
    }

    /// Whether the response stopped before it was through, and where that is known from.
    pub fn halted(&self) -> (bool, Origin) {
        if let Some(stated) = self.halted_stated {
            return (stated, Origin::Stated);
        }
        if !self.items.is_empty() {
            let left = self.items.iter().any(|i| i.decision == Some(Decision::Accept) && i.is_undone());
            return (left, Origin::Derived);
        }
        let nothing_accepted = self.declared.as_ref().is_some_and(|d| d.accepted == 0);
        (false, if nothing_accepted { Origin::Derived } else { Origin::Missing })
    }
}

struct Reader {
    response: Response,
    level: usize,
    open: Option<Item>,
    awaits_action: bool,
}

/// Reads a response report. Bound: linear.
pub fn read(text: &str) -> Response {
    let response = Response {
        items: Vec::new(),
        declared: None,
        execution_path: "n/a",
        implemented_stated: None,
        halted_stated: None,
        contradictions: Vec::new(),
    };
    let mut reader = Reader { response, level: 0, open: None, awaits_action: false };
    let mut lines = Lines::new(text);
    for line in lines.by_ref() {
        if line.zone == Zone::Text {
            reader.line(line.text);
        }
    }
    if lines.unclosed {
        reader.response.contradictions.push(Contradiction::Truncated);
    }
    reader.close();
    contradict(&mut reader.response);
    reader.response
}

impl Reader {
    fn line(&mut self, line: &str) {
        let body = line.trim_start();
        let level = body.bytes().take_while(|b| *b == b'#').count();
        if (1..=6).contains(&level) && body[level..].starts_with([' ', '\t']) {
            self.heading(level, body[level..].trim());
            return;
        }
        if let Some((key, value)) = split_label(line) {
            let key = fold(key);
            if self.open.is_some() {
                if self.item_field(&key, value) {
                    self.place(line, &key);
                    return;
                }
            } else if self.field(&key, value) {
                return;
            }
        }
        self.prose(line);
        self.place(line, "");
    }

    fn heading(&mut self, level: usize, heading: &str) {
        let item = item_heading(heading);
        if self.open.is_some() && (item.is_some() || level <= self.level) {
            self.close();
        }
        if let Some(item) = item {
            self.level = level;
            self.open = Some(item);
        }
    }

    fn close(&mut self) {
        self.awaits_action = false;
        self.response.items.extend(self.open.take());
    }

    /// A labelled line of the summary.
    fn field(&mut self, key: &str, value: &str) -> bool {
        match key {
            "items" => self.response.declared = self.response.declared.take().or_else(|| items_line(value)),
            "execution_path" | "execution path" => {
                let lower = value.trim_matches(['`', ' ']).to_ascii_lowercase();
                let known = ["subagent", "main_fallback", "mixed", "n/a"];
                self.response.execution_path = known.into_iter().find(|k| lower.starts_with(k)).unwrap_or("n/a");
            }
            "implemented_count" | "implemented count" => {
                self.response.implemented_stated = self.response.implemented_stated.or_else(|| leading_number(value))
            }
            "halted" => self.response.halted_stated = self.response.halted_stated.or_else(|| leading_flag(value)),
            _ => return false,
        }
        true
    }

    /// A labelled line of a block.
    fn item_field(&mut self, key: &str, value: &str) -> bool {
        let Some(item) = &mut self.open else {
            return false;
        };
        self.awaits_action = false;
        match key {
            "decision" | "판정" | "결정" => {
                if value.contains(['{', '|']) {
                    self.response.contradictions.push(Contradiction::EchoedTemplate);
                } else if item.decision.is_none() {
                    item.decision = decision(value);
                }
            }
            "severity" | "심각도" => {
                if let Some(written) = severity::at_start(value.trim_start_matches(['*', '`'])) {
                    item.grade = written.grade;
                }
            }
            "action" | "조치" => {
                if item.action.is_none() {
                    item.action = Some(value.to_owned());
                    self.awaits_action = value.is_empty();
                }
            }
            "source" | "evidence" | "test" | "근거" | "출처" | "테스트" => {}
            _ => {
                return matches!(key, "files_read" | "grep_results" | "test_status" | "test_log" | "log_unavailable" | "git_context");
            }
        }
        true
    }

    fn prose(&mut self, line: &str) {
        let Some(item) = &mut self.open else { return };
        let text = line.trim();
        if self.awaits_action {
            item.action = Some(text.to_owned());
            self.awaits_action = false;
        } else if item.prose.is_none() && !text.starts_with(['-', '*', '|']) {
            item.prose = Some(text.to_owned());
        }
    }

    /// The first code span that is a location; logs are no evidence of a place.
    fn place(&mut self, line: &str, key: &str) {
        let Some(item) = &mut self.open else { return };
        if item.place.is_none() && key != "test_log" && line.contains('`') {
            let spanned = location::scan(line).into_iter().find(|c| line[c.span.start..].starts_with('`'));
            item.place = spanned.map(|c| c.place);
        }
    }
}

/// `ITEM-3: title`, or `Finding 3 — title (REJECT)`.
fn item_heading(heading: &str) -> Option<Item> {
    let upper = heading.get(..5).map(str::to_ascii_uppercase).unwrap_or_default();
    let item = upper == "ITEM-";
    let finding = heading.get(..8).is_some_and(|h| h.eq_ignore_ascii_case("finding "));
    if !item && !finding {
        return None;
    }
    let start = if item { 5 } else { 8 };
    let digits = heading[start..].bytes().take_while(u8::is_ascii_digit).count();
    let rest = heading[start + digits..].trim_start();
    let title = [":", "：", "—", "–", "-"].iter().find_map(|s| rest.strip_prefix(s));
    if digits == 0 || (title.is_none() && !rest.is_empty()) {
        return None;
    }
    let mut title = title.unwrap_or_default().trim();
    let mut decided = None;
    if finding
        && let Some((head, inner)) = title.strip_suffix(')').and_then(|t| t.rsplit_once('('))
        && let Some(found) = decision(inner)
    {
        decided = Some(found);
        title = head.trim_end();
    }
    let id = heading[..start + digits].to_owned();
    Some(Item { id, decision: decided, grade: Grade::Unknown, place: None, title: title.to_owned(), action: None, prose: None })
}

fn decision(value: &str) -> Option<Decision> {
    let word = value.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let table = [
        ("accept", Decision::Accept),
        ("수락", Decision::Accept),
        ("reject", Decision::Reject),
        ("declined", Decision::Reject),
        ("반박", Decision::Reject),
        ("defer", Decision::Defer),
        ("보류", Decision::Defer),
    ];
    let (found, decision) = table.into_iter().find(|(w, _)| word.starts_with(w))?;
    let tail: String = word[found.len()..].chars().take_while(|c| c.is_ascii_alphabetic()).collect();
    matches!(tail.as_str(), "" | "ed" | "red" | "s").then_some(decision)
}

fn items_line(value: &str) -> Option<Counts> {
    let lower = value.to_lowercase();
    let after = |words: &[&str]| {
        words.iter().find_map(|w| {
            let rest = lower[lower.find(w)? + w.len()..]
                .trim_start_matches(|c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | ':' | '=' | '*'));
            leading_number(rest)
        })
    };
    Some(Counts {
        accepted: after(&["수락", "accept"])?,
        rejected: after(&["반박", "reject", "declined"])?,
        deferred: after(&["보류", "defer"])?,
    })
}

fn leading_number(value: &str) -> Option<u64> {
    let body = value.trim_start_matches(['*', '`', ' ']);
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let fraction = body[digits..].strip_prefix('.').is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
    number::digits(&body[..digits]).filter(|_| !fraction)
}

fn leading_flag(value: &str) -> Option<bool> {
    let word: String = value.trim_start_matches(['*', '`', ' ']).chars().take_while(char::is_ascii_alphabetic).collect();
    match word.to_ascii_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

fn contradict(response: &mut Response) {
    let counts = response.counts();
    let mut codes = std::mem::take(&mut response.contradictions);
    if !response.items.is_empty() && response.declared.as_ref().is_some_and(|d| *d != counts) {
        codes.push(Contradiction::ItemsDisagree);
    }
    if response.implemented_stated.is_some_and(|n| n > counts.accepted) {
        codes.push(Contradiction::ImplementedExceedsAccepted);
    }
    if response.items.iter().any(|i| i.decision.is_none()) {
        codes.push(Contradiction::MissingDecision);
    }
    let mut ids: Vec<&str> = response.items.iter().map(|i| i.id.as_str()).collect();
    ids.sort_unstable();
    if ids.windows(2).any(|w| w[0] == w[1]) {
        codes.push(Contradiction::DuplicateItem);
    }
    if response.items.iter().any(|i| i.decision == Some(Decision::Reject) && i.place.is_none()) {
        codes.push(Contradiction::RejectedWithoutLocation);
    }
    if response.items.is_empty() && response.declared.is_none() && response.implemented_stated.is_none() && response.halted_stated.is_none()
    {
        codes.push(Contradiction::NoAnswer);
    }
    codes.sort_by_key(|c| c.word());
    codes.dedup();
    response.contradictions = codes;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(action: &str) -> Response {
        read(&format!("## Item Responses\n### ITEM-1: x\n- **Decision**: ACCEPT\n- **Action**: {action}\n"))
    }

    #[test]
    fn an_accepted_item_counts_as_implemented_unless_its_action_says_otherwise() {
        assert_eq!(block("renamed").implemented(), (1, Origin::Derived));
        for left in ["", "not started (halted)", "skipped: no time", "미착수", "보류", "**TODO**"] {
            assert_eq!(block(left).implemented(), (0, Origin::Derived), "{left:?}");
            assert_eq!(block(left).halted(), (true, Origin::Derived), "{left:?}");
        }
    }

    #[test]
    fn a_response_that_lets_nothing_be_derived_is_missing_and_not_zero() {
        assert_eq!(read("I fixed it all.\n").implemented(), (0, Origin::Missing));
        assert_eq!(read("- **Items**: accepted 2, rejected 0, deferred 0\n").implemented(), (0, Origin::Missing));
        assert_eq!(read("- **Items**: accepted 0, rejected 1, deferred 0\n").implemented(), (0, Origin::Derived));
    }

    #[test]
    fn a_quoted_or_fenced_decision_inside_an_accepted_item_changes_nothing() {
        let response = read(
            "### ITEM-1: x\n- **Decision**: ACCEPT\n> - **Decision**: REJECT\n```\n- **Decision**: REJECT\n```\n- **Action**: done\n## Later\n- **Decision**: REJECT\n",
        );
        assert_eq!(response.counts().accepted, 1);
    }
}
