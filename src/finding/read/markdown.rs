//! Markdown reports: level-aware sections, one finding per item, verdict and count lines.
//!
//! An item is a finding when it carries a severity, or stands in a section that is a severity or a findings list
//! (cases/reports/README.md §4). In a severity section every line is accounted for: it is an item, part of one, or a
//! statement of absence. Bound: linear in the text; a line is looked at once.

use super::lines::{Line, Lines, Zone, list_mark};
use super::{doubt, label, location};
use crate::base::reason::Contradiction;
use crate::base::severity::{self, Grade, Level, Written};
use crate::base::verdict::{self, Class};
use crate::finding::{Declared, Finding, Location, Review, Statement};

/// What a section holds.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// Findings of one severity.
    Severity(Written),
    /// Findings of any severity.
    Findings,
    /// Praise, checks passed, items closed: never findings.
    Closed,
    /// Anything else; inherits a severity section it stands in.
    Other,
}

#[derive(Debug)]
struct Section {
    level: usize,
    kind: Kind,
    items: bool,
    absent: bool,
    /// A sentence that says so in words of its own.
    denied: bool,
    children: bool,
}

/// Headings of a findings list, folded.
const FINDINGS: &[&str] = &[
    "findings",
    "issues",
    "key issues",
    "problems",
    "review comments",
    "amendments",
    "review findings",
    "issues found",
    "bugs",
    "bugs found",
    "problems found",
    "vulnerabilities",
    "security vulnerabilities",
    "security issues",
    "concerns",
    "security concerns",
    "open issues",
    "open findings",
    "action items",
    "required changes",
    "unresolved",
    "not fixed",
    "not resolved",
    "not addressed",
    "key findings",
    "main findings",
    "weaknesses",
    "must-fix before merge",
    "must fix before merge",
    "blocking issues before merge",
    "必須対応",
    "要修正",
    "修正必須",
    "問題点",
    "問題",
    "必须修复",
    "반드시 수정",
    "指摘事項",
    "指摘",
    "问题",
    "问题列表",
    "지적 사항",
    "지적사항",
    "발견 사항",
    "발견사항",
];

/// Starts of headings whose items are not findings.
const CLOSED: &[&str] = &[
    "🟢",
    "✅",
    "passed",
    "what is sound",
    "what's good",
    "what is good",
    "what went well",
    "strengths",
    "positives",
    "good points",
    "fixed",
    "resolved",
    "already fixed",
    "잘된 점",
    "통과",
    "해결",
    "良い点",
    "解決済み",
    "优秀实践",
    "优点",
    "已解决",
    "已修复",
];

/// Words that take a closed heading back: what stands under it is open, or partly so.
const REOPENED: &[&str] = &["reappear", "again", "regress", "weakness", "broken", "not ", "but "];

/// Nouns that may follow a level word in a heading.
const HEADING_NOUNS: &[&str] = &[
    "issues",
    "issue",
    "findings",
    "finding",
    "severity",
    "priority",
    "problems",
    "items",
    "comments",
    "level",
    "risk",
    "risks",
    "notes",
    "warnings",
    "bugs",
    "bug",
    "concerns",
    "concern",
    "defects",
    "errors",
    "vulnerabilities",
    "flaws",
    "blockers",
    "이슈",
    "문제",
    "사항",
    "결함",
    "问题",
    "問題",
    "級",
    "级",
    "度",
];

struct Open {
    finding: Finding,
    /// The item is a heading: everything up to the next heading belongs to it.
    by_heading: bool,
    indent: usize,
    quote: Option<String>,
    quoting: bool,
    after_blank: bool,
}

struct Reader<'t> {
    review: Review,
    sections: Vec<Section>,
    open: Option<Open>,
    counts: [Option<u64>; 3],
    awaits_verdict: bool,
    last: Option<(&'t str, u64)>,
    all_explicit: bool,
    empty_sections: usize,
    /// Sections of findings that hold neither an item nor a statement of absence.
    silent: u64,
    headings: usize,
    phrase_in_section: bool,
    echo: Echo,
    /// The last line of text, which a line of dashes below it makes a heading.
    above: Option<(&'t str, u64)>,
}

/// A transcript repeats the prompt between a line `user` and a line `codex`; nothing in it is the reviewer's.
#[derive(Clone, Copy, PartialEq)]
enum Echo {
    /// No transcript ends ahead.
    Never,
    /// Not inside a prompt.
    Outside,
    /// Inside one.
    Inside,
}

/// Reads a markdown review.
pub fn read(text: &str) -> Review {
    let mut reader = Reader {
        review: Review::default(),
        sections: Vec::new(),
        open: None,
        counts: [None; 3],
        awaits_verdict: false,
        last: None,
        all_explicit: true,
        empty_sections: 0,
        silent: 0,
        headings: 0,
        phrase_in_section: false,
        echo: if has_transcript(text) { Echo::Outside } else { Echo::Never },
        above: None,
    };
    let mut lines = Lines::new(text);
    for line in lines.by_ref() {
        reader.line(line);
    }
    if lines.unclosed {
        reader.review.contradictions.push(Contradiction::Truncated);
    }
    reader.finish(text)
}

impl<'t> Reader<'t> {
    fn line(&mut self, line: Line<'t>) {
        match line.zone {
            Zone::Text => self.text(line),
            Zone::Blank => {
                if let Some(open) = &mut self.open {
                    open.after_blank = true;
                }
            }
            Zone::Fence => self.fence(),
            Zone::Code => self.code(line.text),
            Zone::Quote | Zone::Hidden => {}
        }
    }

    /// The first fence that stands in an item is source text it quotes.
    fn fence(&mut self) {
        if let Some(open) = &mut self.open {
            open.quoting = !open.quoting && open.quote.is_none();
        }
    }

    fn code(&mut self, text: &str) {
        if let Some(open) = self.open.as_mut().filter(|o| o.quoting) {
            let quote = open.quote.get_or_insert_default();
            if quote.len() + text.len() < 2000 {
                if !quote.is_empty() {
                    quote.push('\n');
                }
                quote.push_str(text.trim());
            }
        }
    }

    fn text(&mut self, line: Line<'t>) {
        if self.echo != Echo::Never && self.echoed(line.text.trim()) {
            return;
        }
        let above = self.above.take();
        if let Some(level) = setext(line.text)
            && let Some((heading, number)) = above.filter(|(_, n)| n + 1 == line.number)
        {
            // The line above was taken for text, or for an item of its own; it is a heading.
            self.open = self.open.take().filter(|o| o.finding.report_line != number);
            self.heading(level, heading.trim(), number);
            return;
        }
        if line.text.len() <= 120 {
            self.above = Some((line.text, line.number));
        }
        let indent = line.text.len() - line.text.trim_start().len();
        let body = &line.text[indent..];
        if let Some((level, heading)) = heading(body) {
            self.heading(level, heading, line.number);
            return;
        }
        if self.labelled(line.text, line.number) {
            self.close_item();
            return;
        }
        self.last_line(body, line.number);
        if let Some(level_word) = bold_heading(body) {
            self.push_section(7, Kind::Severity(level_word));
            return;
        }
        self.item_line(body, indent, line.number);
    }

    /// Whether a line is part of an echoed prompt.
    fn echoed(&mut self, line: &str) -> bool {
        match line {
            "user" => self.echo = Echo::Inside,
            "codex" | "assistant" => self.echo = Echo::Outside,
            _ => return self.echo == Echo::Inside,
        }
        self.review.contradictions.push(Contradiction::EchoedTemplate);
        true
    }

    /// Only a short line can be a bare verdict token; it is kept until the end shows whether it was the last one.
    fn last_line(&mut self, body: &'t str, number: u64) {
        let short = body.len() <= 40;
        self.last = short.then_some((body, number));
    }

    fn heading(&mut self, level: usize, heading: &str, number: u64) {
        self.close_item();
        self.last = None;
        self.awaits_verdict = false;
        self.headings += 1;
        self.review.canonical |= level == 1 && heading.starts_with("Deep Review Report");
        if label::is_verdict_label(heading.trim_end_matches([':', '：'])) {
            self.awaits_verdict = true;
            self.push_section(level, Kind::Other);
            return;
        }
        if let Some(value) = label::verdict_value(heading).or_else(|| label::review_heading(heading)) {
            self.state_verdict(value, number);
        }
        let kind = kind_of_heading(heading);
        let inside = self.sections.iter().rev().find(|s| s.level < level && s.kind != Kind::Other).map(|s| s.kind.clone());
        let item = if kind == Kind::Other { item_heading(heading, inside) } else { None };
        self.push_section(level, kind);
        if let Some(tag) = item {
            self.open_item(heading, 0, number, tag);
            if let Some(open) = &mut self.open {
                open.by_heading = true;
            }
        }
    }

    fn push_section(&mut self, level: usize, kind: Kind) {
        self.close_item();
        self.pop_sections(level);
        if kind != Kind::Other {
            for outer in &mut self.sections {
                outer.children = true;
            }
        }
        self.sections.push(Section { level, kind, items: false, absent: false, denied: false, children: false });
    }

    fn pop_sections(&mut self, level: usize) {
        while self.sections.last().is_some_and(|s| s.level >= level) {
            if let Some(section) = self.sections.pop() {
                self.leave(&section);
            }
        }
    }

    fn leave(&mut self, section: &Section) {
        if matches!(section.kind, Kind::Severity(_) | Kind::Findings) && !section.children {
            if section.absent && !section.items {
                self.empty_sections += 1;
            } else {
                self.all_explicit = false;
            }
            self.silent += u64::from(!section.items && !section.absent && !section.denied);
        }
    }

    /// The section that says what an item here is: the innermost one that is not `Other`.
    fn governing(&mut self) -> Option<&mut Section> {
        self.sections.iter_mut().rev().find(|s| s.kind != Kind::Other)
    }

    /// Verdict and count lines. True when the line was one.
    fn labelled(&mut self, line: &str, number: u64) -> bool {
        if self.awaits_verdict {
            let value = label::bare_line(line);
            // Of boxes to tick only a ticked one says anything.
            if let Some((false, _)) = label::tick_box(value) {
                self.awaits_verdict = true;
                return true;
            }
            if !value.is_empty() {
                self.state_verdict(label::tick_box(value).map_or(value, |(_, behind)| behind), number);
                return true;
            }
        }
        if let Some(value) = label::verdict_row(line) {
            self.state_verdict(value, number);
            return true;
        }
        for (slot, count) in label::count_keys(line) {
            self.counts[slot] = Some(self.counts[slot].unwrap_or(0).max(count));
        }
        if !has_separator(line) {
            return false;
        }
        if let Some(declared) = label::issues_line(line) {
            self.declare(declared);
            return true;
        }
        let Some(value) = label::verdict_value(line) else {
            if let Some(stated) = label::verdict_against(line) {
                let round_word = stated.round_word();
                self.review.statements.push(Statement { class: stated.class, text: stated.text, round_word, report_line: number });
                return true;
            }
            return false;
        };
        if value.is_empty() {
            self.awaits_verdict = true;
        } else {
            self.state_verdict(value, number);
        }
        true
    }

    /// Where counts are declared several times the graver numbers stand; what was read then disagrees with one of them.
    fn declare(&mut self, declared: Declared) {
        let known = self.review.declared.get_or_insert_default();
        known.critical = known.critical.max(declared.critical);
        known.warning = known.warning.max(declared.warning);
        known.info = known.info.max(declared.info);
    }

    fn state_verdict(&mut self, value: &str, number: u64) {
        if label::is_template(value) {
            self.review.contradictions.push(Contradiction::EchoedTemplate);
            return;
        }
        let Some(stated) = verdict::read_value(value) else {
            return;
        };
        if !stated.known {
            self.review.contradictions.push(Contradiction::UnrecognizedVerdict);
        }
        let round_word = stated.round_word();
        self.review.statements.push(Statement { class: stated.class, text: stated.text, round_word, report_line: number });
    }

    fn item_line(&mut self, body: &str, indent: usize, number: u64) {
        let mark = list_mark(body);
        let content = &body[mark.unwrap_or(0)..];
        // An empty box is an open item like one without a box.
        let content = label::tick_box(content).filter(|(ticked, _)| mark.is_some() && !ticked).map_or(content, |(_, behind)| behind);
        if mark.is_none() && self.open.is_none() && self.governing().is_none() && is_prose(body) {
            self.review.suspicious += u64::from(may_be_graded(body) && label::is_suspicious(body));
            return;
        }
        if self.continues(mark.is_some(), indent) {
            self.continue_item(content);
            return;
        }
        let (in_severity, in_findings, elsewhere) = match self.governing().map(|s| &s.kind) {
            Some(Kind::Closed) => {
                self.close_item();
                return;
            }
            Some(Kind::Severity(_)) => (true, false, false),
            Some(Kind::Findings) => (false, true, false),
            _ => (false, false, true),
        };
        if is_template_item(content) {
            self.review.contradictions.push(Contradiction::EchoedTemplate);
            return;
        }
        if label::is_absence(content) && location::scan(content).is_empty() {
            self.close_item();
            self.absent(elsewhere);
            return;
        }
        if is_closed_item(content) {
            self.close_item();
            return;
        }
        let own = match tag_at_start(content) {
            Some(tag) => Some(tag),
            None if in_severity && (mark.is_some() || !location::scan(content).is_empty()) => {
                Some(Tag { written: self.inherited(), tags: Vec::new(), rest: 0 })
            }
            None if in_findings && mark.is_some() => Some(Tag { written: None, tags: Vec::new(), rest: 0 }),
            None => None,
        };
        match own {
            Some(tag) => self.open_item(content, indent, number, tag),
            None if self.open.as_ref().is_some_and(|o| !o.after_blank || !elsewhere) => self.continue_item(content),
            None => {
                self.close_item();
                self.review.suspicious += u64::from(label::is_suspicious(content));
                let denies = doubt::is_denied(&content.to_lowercase());
                if let Some(section) = self.governing().filter(|_| denies) {
                    section.denied = true;
                }
            }
        }
    }

    /// The severity of the section an untagged item stands in.
    fn inherited(&mut self) -> Option<Written> {
        match self.governing().map(|s| &s.kind) {
            Some(Kind::Severity(written)) => Some(written.clone()),
            _ => None,
        }
    }

    /// A line belongs to the open item when it is indented under it, or follows it directly without a list mark.
    fn continues(&self, marked: bool, indent: usize) -> bool {
        let Some(open) = &self.open else { return false };
        open.by_heading || indent > open.indent + 1 || (!marked && !open.after_blank && indent > open.indent)
    }

    fn absent(&mut self, report_level: bool) {
        if let Some(section) = self.governing() {
            section.absent = true;
        } else if report_level && self.sections.is_empty() {
            self.review.clean_phrase = true;
        } else if report_level {
            self.phrase_in_section = true;
        }
    }

    fn open_item(&mut self, content: &str, indent: usize, number: u64, tag: Tag) {
        self.close_item();
        if let Some(section) = self.governing() {
            section.items = true;
        }
        let cites = location::scan(content);
        let mut headline = String::new();
        let mut from = 0;
        for cite in &cites {
            headline.push_str(content.get(from..cite.span.start).unwrap_or_default());
            from = cite.span.end.max(from);
        }
        headline.push_str(content.get(from..).unwrap_or_default());
        let mut finding = Finding {
            grade: tag.written.as_ref().map_or(Grade::Unknown, |w| w.grade),
            severity_text: tag.written.map(|w| w.text),
            place: None,
            also: Vec::new(),
            title: title_of(content, tag.rest, &cites),
            headline,
            tags: tag.tags,
            quote: None,
            report_line: number,
        };
        add_places(&mut finding, cites);
        self.open = Some(Open { finding, by_heading: false, indent, quote: None, quoting: false, after_blank: false });
    }

    fn continue_item(&mut self, content: &str) {
        let Some(open) = &mut self.open else { return };
        open.after_blank = false;
        if let Some((key, value)) = label::split_label(content)
            && open.finding.severity_text.is_none()
            && matches!(label::fold(key).as_str(), "severity" | "level" | "priority" | "심각도" | "重要度" | "严重程度")
            && let Some(written) = severity::at_start(value)
        {
            open.finding.grade = written.grade;
            open.finding.severity_text = Some(written.text);
            return;
        }
        let cites = location::scan(content);
        if open.finding.title.is_empty() {
            open.finding.title = title_of(content, 0, &cites);
        }
        add_places(&mut open.finding, cites);
    }

    fn close_item(&mut self) {
        if let Some(mut open) = self.open.take() {
            open.finding.quote = open.quote.take().filter(|q| !q.is_empty());
            self.review.findings.push(open.finding);
        }
    }

    fn finish(mut self, text: &str) -> Review {
        self.close_item();
        self.pop_sections(0);
        if let Some((token, number)) = self.last.take()
            && let Some(stated) = verdict::read_value(token)
            && stated.known
            && !label::is_template(token)
            && !(label::is_absence(token) && self.headings > 1)
        {
            let round_word = stated.round_word();
            self.review.statements.push(Statement { class: stated.class, text: stated.text, round_word, report_line: number });
        }
        if let [Some(critical), Some(warning), Some(info)] = self.counts {
            self.declare(Declared { critical, warning, info });
        }
        // A phrase inside one of several sections speaks for that section only.
        self.review.clean_phrase |= self.phrase_in_section && self.headings <= 1;
        self.review.sections_empty = self.all_explicit && self.empty_sections > 0;
        doubt::approval(&mut self.review, text, self.silent);
        contradict(&mut self.review);
        self.review
    }
}

/// Whether a line holds a mark that may end a label.
fn has_separator(line: &str) -> bool {
    memchr::memchr(b':', line.as_bytes()).is_some() || (!line.is_ascii() && line.contains(['—', '–', '：']))
}

/// Whether an unmarked line outside every findings section can be neither an item nor a statement of absence: most of
/// a long report is this, so it is told from its first byte and its separators alone.
fn is_prose(body: &str) -> bool {
    let first = body.as_bytes().first().copied().unwrap_or(b' ');
    let plain = first.is_ascii_alphanumeric() && !matches!(first, b'n' | b'N');
    plain && !has_separator(body) && !body.as_bytes().contains(&b'|')
}

/// The level of a line of dashes or equal signs that makes the line above it a heading.
fn setext(line: &str) -> Option<usize> {
    let mark = line.trim_end();
    let level = match mark.as_bytes().first()? {
        b'=' => 1,
        b'-' => 2,
        _ => return None,
    };
    let first = mark.as_bytes()[0];
    (mark.len() >= 3 && mark.bytes().all(|b| b == first)).then_some(level)
}

/// Whether a text holds a transcript that echoes its prompt.
fn has_transcript(text: &str) -> bool {
    text.contains("user\n") && text.contains("\ncodex\n") && text.lines().any(|l| l.trim() == "user")
}

/// Whether a line of prose could hold a citation, a tag or a count at all; most lines are told from this alone.
fn may_be_graded(body: &str) -> bool {
    let bytes = body.as_bytes();
    let marked = bytes.iter().any(|b| b.is_ascii_digit() || matches!(b, b'`' | b'[' | b'/'));
    marked || bytes.windows(2).any(|w| w[0] == b'.' && w[1].is_ascii_alphabetic())
}

/// A heading that is a finding of its own: one with a tag, one of a severity section, or `Finding 3: …`.
fn item_heading(heading: &str, inside: Option<Kind>) -> Option<Tag> {
    let plain = heading.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' ' | '*'));
    let lead = heading.len() - plain.len();
    if plain.starts_with('[')
        && let Some(tag) = tag_at_start(plain)
    {
        return Some(Tag { rest: tag.rest + lead, ..tag });
    }
    if let Some(Kind::Severity(written)) = inside {
        return (!label::is_absence(heading)).then(|| Tag { written: Some(written), tags: Vec::new(), rest: lead });
    }
    let lower = heading.to_lowercase();
    let numbered = ["finding ", "issue ", "bug ", "problem ", "finding #", "issue #"].iter().find_map(|w| lower.strip_prefix(w));
    let numbered = numbered.is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
    (numbered && inside != Some(Kind::Closed)).then_some(Tag { written: None, tags: Vec::new(), rest: 0 })
}

/// The heading of an ATX line: its level and text without closing marks.
fn heading(body: &str) -> Option<(usize, &str)> {
    let level = body.bytes().take_while(|b| *b == b'#').count();
    let rest = &body[level..];
    let opens = rest.starts_with([' ', '\t', '\u{a0}']) || severity::emoji_at_start(rest);
    ((1..=6).contains(&level) && opens).then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// `**🔴 Critical**` alone on a line.
fn bold_heading(body: &str) -> Option<Written> {
    let inner = body.trim_end().strip_prefix("**")?.trim_end_matches([':', '：']).strip_suffix("**")?;
    severity_heading(inner.trim_end_matches([':', '：']))
}

fn kind_of_heading(heading: &str) -> Kind {
    let plain = heading.trim_matches(['*', '_', ' ']);
    let folded = label::fold(plain);
    let reopened = REOPENED.iter().any(|w| folded.contains(w));
    if !reopened && CLOSED.iter().any(|c| folded.starts_with(c)) {
        return Kind::Closed;
    }
    let named = folded.split(['(', ':', '（']).next().unwrap_or_default().trim();
    if FINDINGS.contains(&named) {
        return Kind::Findings;
    }
    severity_heading(plain).map_or(Kind::Other, Kind::Severity)
}

/// Words that may stand beside a level word in a heading that is a severity.
const BESIDE: &[&str] = &[
    "and",
    "security",
    "code",
    "correctness",
    "to",
    "fix",
    "must",
    "should",
    "design",
    "performance",
    "open",
    "new",
    "remaining",
    "part",
    "section",
];

/// A heading that is a severity: a level word and beside it only nouns of findings, further level words, numbers and marks.
pub(super) fn severity_heading(text: &str) -> Option<Written> {
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric() && !severity::emoji_at_start(&c.to_string()));
    let bare = bare.strip_prefix("red_circle:").map_or(bare, str::trim_start);
    if let Some(written) = severity::at_start(bare).filter(|_| severity::emoji_at_start(bare)) {
        return Some(written);
    }
    // What stands behind a dash or in a bracket explains the heading and is not part of it.
    let head = bare.split(['(', '（', '—', '–', '/', '|']).next().unwrap_or_default();
    // Level words of two words ("Must fix") stand alone.
    if let Some(written) = severity::at_start(head).filter(|w| w.end == head.trim_end().len()) {
        return Some(written);
    }
    let mut found: Option<Written> = None;
    for word in
        head.split(|c: char| c.is_whitespace() || matches!(c, ':' | '：' | '.' | ')' | '!' | ',' | '`' | '*' | '_' | ']' | '&' | '-'))
    {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = word.to_lowercase();
        let single = lower.strip_suffix('s').unwrap_or(&lower);
        let level = severity::at_start(word).or_else(|| severity::at_start(single).filter(|w| matches!(w.grade, Grade::Critical)));
        match level {
            Some(written) if written.end == word.len() || written.end == single.len() => {
                found = found.or(Some(Written { text: word.to_owned(), ..written }));
            }
            _ if word.is_empty() || word.len() == 1 || word.bytes().all(|b| b.is_ascii_digit()) => {}
            _ if HEADING_NOUNS.contains(&lower.as_str()) || BESIDE.contains(&lower.as_str()) => {}
            // CJK level words run into their nouns: "심각한 문제", "重大な問題".
            _ if !word.is_ascii() && found.is_none() => found = Some(cjk_level(word)?),
            _ if !word.is_ascii() => {}
            _ => return None,
        }
    }
    found
}

/// A level word that a CJK word starts with.
fn cjk_level(word: &str) -> Option<Written> {
    let chars: Vec<usize> = word.char_indices().map(|(i, c)| i + c.len_utf8()).collect();
    chars.iter().rev().find_map(|end| severity::at_start(&word[..*end]).filter(|w| w.end == *end && *end >= 6))
}

struct Tag {
    written: Option<Written>,
    tags: Vec<String>,
    /// Where the text behind the tags starts.
    rest: usize,
}

/// `[high]`, `**[P1]**`, `[P2 · perf]`, `[high][auth]`, `**High**:`, `🔴 Critical:` at the start of an item.
fn tag_at_start(content: &str) -> Option<Tag> {
    let lead = content.len() - content.trim_start_matches(['*', '_', ' ', '`']).len();
    let body = &content[lead..];
    if let Some(inner) = body.strip_prefix('[') {
        let close = inner.find(']')?;
        let written = severity::at_start(&inner[..close])?;
        let mut tags: Vec<String> = Vec::new();
        let behind = inner[written.end..close].trim_matches(|c: char| !c.is_alphanumeric());
        if !behind.is_empty() && !behind.bytes().all(|b| b.is_ascii_digit()) {
            tags.push(behind.to_owned());
        }
        let mut rest = lead + 1 + close + 1;
        while let Some(more) = content[rest..].trim_start_matches(['*', ' ']).strip_prefix('[') {
            let Some(end) = more.find(']').filter(|e| *e > 0 && !more[e + 1..].starts_with('(') && !more[..*e].contains(':')) else {
                break;
            };
            tags.push(more[..end].to_owned());
            rest = content.len() - more.len() + end + 1;
        }
        return Some(Tag { written: Some(written), tags, rest });
    }
    if let Some((key, value)) = label::split_label(content)
        && key.eq_ignore_ascii_case("severity")
    {
        let written = severity::at_start(value)?;
        return Some(Tag { written: Some(written), tags: Vec::new(), rest: content.len() });
    }
    let written = severity::at_start(body)?;
    let upper = body[..written.end].bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()) && !is_weak(&written.text);
    if upper && body[written.end..].starts_with(' ') && location::scan(body).first().is_some_and(|c| c.span.start <= written.end + 2) {
        return Some(Tag { rest: lead + written.end, written: Some(written), tags: Vec::new() });
    }
    let after = body[written.end..].trim_start_matches(['*', '_', '`', ' ']);
    let emoji = severity::emoji_at_start(body);
    if is_weak(&written.text) {
        return None;
    }
    let separator = [":", "：", "— ", "– ", "- ", "|"].iter().find(|s| after.starts_with(**s));
    let bold = lead > 0 && body[written.end..].starts_with(['*', '_']);
    let used = match separator {
        Some(s) if !emoji_only(body, &written) => content.len() - after.len() + s.len(),
        _ if emoji && bold => content.len() - after.len(),
        _ => return None,
    };
    Some(Tag { written: Some(written), tags: Vec::new(), rest: used })
}

/// Level words that start ordinary sentences (`Note: …`, `Warnings: …`): a bracket makes them a tag, a colon does not.
fn is_weak(text: &str) -> bool {
    const WEAK: &[&str] = &[
        "warnings",
        "suggestions",
        "nits",
        "note",
        "help",
        "info",
        "error",
        "important",
        "optional",
        "참고",
        "정보",
        "参考",
        "提示",
        "注意",
        "重要",
    ];
    WEAK.contains(&text.to_lowercase().as_str())
}

/// An emoji without a word in running text (`🔴 수정 0건 완료`) is no tag.
fn emoji_only(body: &str, written: &Written) -> bool {
    severity::emoji_at_start(body) && !written.text.chars().any(char::is_alphanumeric)
}

/// The template's own line, echoed.
pub(super) fn is_template_item(content: &str) -> bool {
    if !content.as_bytes().first().is_some_and(|b| matches!(b, b'[' | b's' | b'S' | b'*' | b'`')) {
        return false;
    }
    let lower = content.to_ascii_lowercase();
    let lower = lower.trim_start_matches(['*', '`', ' ']);
    (lower.starts_with("[severity]") || lower.starts_with("severity|")) && (lower.contains("file:line") || lower.contains("path:line"))
}

/// Struck-through or ticked items are closed.
fn is_closed_item(content: &str) -> bool {
    content.starts_with("~~") || content.starts_with('✅') || content.starts_with("[x]") || content.starts_with("[X]")
}

/// The item's text without tags, leading citation and separators.
fn title_of(content: &str, rest: usize, cites: &[location::Cite]) -> String {
    let mut from = rest.min(content.len());
    let skip = |from: usize| {
        let tail = &content[from..];
        from + tail.len()
            - tail
                .trim_start_matches(|c: char| {
                    c.is_whitespace() || matches!(c, '*' | '_' | '—' | '–' | '-' | ':' | '|' | '·' | '：' | ')' | ']')
                })
                .len()
    };
    from = skip(from);
    if let Some(cite) = cites.iter().find(|c| c.span.start <= from + 2 && c.span.end > from && c.span.start + 4 >= from) {
        from = skip(cite.span.end.min(content.len()));
    }
    let title = content[from..].trim().trim_end_matches(['*', '_']).replace("**", "");
    let title = title.as_str();
    if title.len() <= 400 && title.bytes().all(|b| (32..127).contains(&b)) {
        return title.to_owned();
    }
    title.chars().filter(|c| !crate::base::path::is_unsafe(*c)).take(400).collect()
}

fn add_places(finding: &mut Finding, cites: Vec<location::Cite>) {
    for cite in cites {
        let more: Vec<Location> =
            cite.more.iter().map(|(line, end)| Location { path: cite.place.path.clone(), line: Some(*line), end_line: *end }).collect();
        for place in std::iter::once(cite.place).chain(more) {
            add_place(finding, place);
        }
    }
}

/// The first location is primary; a bare path adds nothing when the item already cites that path.
fn add_place(finding: &mut Finding, place: Location) {
    let Some(primary) = &mut finding.place else {
        finding.place = Some(place);
        return;
    };
    if primary.path == place.path && primary.line.is_none() {
        *primary = place;
        return;
    }
    let known = |l: &Location| l.path == place.path && (place.line.is_none() || *l == place);
    if !known(primary) && !finding.also.iter().any(known) && finding.also.len() < 256 {
        finding.also.push(place);
    }
}

/// What the report says against itself.
fn contradict(review: &mut Review) {
    let (class, _) = review.verdict();
    let mut codes = std::mem::take(&mut review.contradictions);
    let mut said: Vec<Class> = review.statements.iter().map(|s| s.class).filter(|c| *c != Class::None).collect();
    said.dedup();
    if said.len() > 1 {
        codes.push(Contradiction::ConflictingVerdicts);
    }
    if class == Class::NeedsAttention && review.findings.is_empty() {
        codes.push(Contradiction::VerdictWithoutFindings);
    }
    let grave = review.findings.iter().any(|f| matches!(f.grade, Grade::Critical | Grade::High));
    if class == Class::Approve && grave {
        codes.push(Contradiction::ApproveWithHigh);
    }
    if review.clean_phrase && !review.findings.is_empty() {
        codes.push(Contradiction::CleanPhraseWithFindings);
    }
    if review.declared.as_ref().is_some_and(|d| *d != counted(&review.findings)) {
        codes.push(Contradiction::CountsDisagree);
    }
    let blocked = review.statements.iter().any(|s| s.class == Class::Unproven && verdict::read_value(&s.text).is_some_and(|v| v.known));
    if class == Class::Unproven && (blocked || review.could_not_review.is_some()) {
        codes.push(Contradiction::CouldNotReview);
    }
    if class == Class::None && review.statements.is_empty() && review.findings.is_empty() {
        codes.push(Contradiction::NoAnswer);
    }
    codes.sort_by_key(|c| c.word());
    codes.dedup();
    review.contradictions = codes;
}

/// How many findings were read, by the three levels of a canonical report.
pub fn counted(findings: &[Finding]) -> Declared {
    let mut counted = Declared::default();
    for finding in findings {
        match finding.grade.level() {
            Level::Critical => counted.critical += 1,
            Level::Warning => counted.warning += 1,
            Level::Info => counted.info += 1,
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_level_aware_and_praise_is_no_finding() {
        let review = read("## Code Review\n### 🔴 Critical\n- `a.rs:1` — x\n### 🟢 Passed\n- `b.rs:2` fine\n## Entropy Scan\n- `c.rs:3`\n");
        assert_eq!(review.findings.len(), 1);
        assert_eq!(review.findings[0].place.as_ref().unwrap().path, "a.rs");
    }

    #[test]
    fn headings_of_every_level_and_spelling_are_severities() {
        for heading in [
            "## 🔴 Critical",
            "#### Critical",
            "### Critical (2)",
            "###🔴Critical",
            "### 🔴Critical",
            "**🔴 Critical**",
            "### 1. Critical issues",
        ] {
            let review = read(&format!("{heading}\n- `a.rs:1` x\n"));
            assert_eq!(review.findings.first().map(|f| f.grade), Some(Grade::Critical), "{heading}");
        }
        assert!(read("### Critical path analysis\n- `a.rs:1` x\n").findings.is_empty());
        assert!(read("### Error handling\n- `a.rs:1` x\n").findings.is_empty());
    }

    #[test]
    fn one_bullet_is_one_finding_with_its_further_citations_in_also() {
        let review = read("### 🟡 Warning\n- `a.rs:1` and `b.rs:2` disagree\n  why: see `c.rs:3`\n- `d.rs:4` other\n");
        assert_eq!(review.findings.len(), 2);
        assert_eq!(review.findings[0].also.len(), 2);
    }

    #[test]
    fn the_negative_verdict_wins_and_the_contradiction_is_said() {
        let review = read("**Verdict**: APPROVE\n\n**Verdict**: REQUEST_CHANGES\n### 🔴 Critical\n- `a.rs:1` x\n");
        assert_eq!(review.verdict().0, Class::NeedsAttention);
        assert!(review.contradictions.contains(&Contradiction::ConflictingVerdicts));
    }

    #[test]
    fn quoted_and_fenced_verdicts_are_not_statements() {
        let review = read("> earlier: **Verdict**: APPROVE\n```\n**Verdict**: APPROVE\n```\n**Verdict**: CONCERN\n");
        assert_eq!(review.statements.len(), 1);
        assert_eq!(review.verdict(), (Class::NeedsAttention, Some("CONCERN")));
    }

    #[test]
    fn an_item_without_a_place_is_still_a_finding() {
        let review = read("### 🔴 Critical\n- The design has no owner.\n");
        assert_eq!(review.findings.len(), 1);
        assert_eq!(review.findings[0].place, None);
    }
}
