//! Markdown and plain text reports: level-aware sections, one finding per item, verdict and count lines.
//!
//! An item is a finding when it carries a severity, or stands in a section that is a severity or a findings list
//! (cases/reports/README.md §4). In a severity section every line is accounted for: it is an item, part of one, or a
//! statement of absence. A document of keys that stands in the text (a JSON object, a labelled fence) is read by its own
//! reader. Bound: linear in the text; a line is looked at once.

use std::collections::BTreeSet;

use super::entry::{self, Key, Tag};
use super::heading::{self, Kind};
use super::lines::{Line, Lines, Zone, list_mark};
use super::table::{self, Columns, Row};
use super::{compiler, counts, doubt, json, label, location, schema, whole};
use crate::base::case;
use crate::base::reason::Contradiction;
use crate::base::severity::{self, Grade, Written};
use crate::base::verdict::{self, Class, Stated};
use crate::finding::{Counted, Declared, Failure, Finding, Format, Location, Review, Statement};

#[derive(Debug)]
struct Section {
    level: usize,
    kind: Kind,
    items: bool,
    /// The phrase that says it is empty.
    absent: Option<String>,
    /// A sentence that says so in words of its own.
    denied: bool,
    /// What stands behind such a sentence is a list of what was looked at.
    checked: bool,
    children: bool,
    line: u64,
    /// How many findings its heading says that it holds, and how many findings and closed items were read before it.
    promised: u64,
    before: u64,
    /// It holds what was resolved, and no praise.
    settles: bool,
}

/// An item that is still being read.
struct Open {
    finding: Finding,
    origin: whole::Origin,
    /// The level of the heading that is the item: everything up to the next heading of its level belongs to it.
    heading: Option<usize>,
    indent: usize,
    /// It starts with a list mark.
    marked: bool,
    /// The severity is not its own.
    inherited: bool,
    /// It is an item only if a place or a severity follows.
    candidate: bool,
    after_blank: bool,
    /// The kind of key that its first line is: the next one of that kind opens another item.
    opened_by: Option<entry::Kind>,
}

/// A fence that is open: its label, the byte and line its content starts at.
struct Fence<'t> {
    label: &'t str,
    start: usize,
    line: u64,
}

struct Reader<'t> {
    text: &'t str,
    depth: usize,
    review: Review,
    sections: Vec<Section>,
    /// Counts sections, so that two of one name are told apart.
    ordinal: u32,
    open: Option<Open>,
    origins: Vec<whole::Origin>,
    keys: [Option<u64>; 3],
    awaits_verdict: bool,
    last: Option<(&'t str, u64)>,
    all_explicit: bool,
    empty_sections: usize,
    /// Sections of findings that hold neither an item nor a statement of absence.
    silent: BTreeSet<u64>,
    headings: usize,
    phrase_in_section: Option<String>,
    echo: Echo,
    /// The last line of text, which a line of dashes below it makes a heading.
    above: Option<(&'t str, u64)>,
    table: Option<Columns>,
    /// The rows of the table have no outer bars.
    bare: bool,
    /// The table is one of keys and values of the open item.
    pairs: bool,
    header: Option<(Vec<String>, u64)>,
    fence: Option<Fence<'t>>,
    /// The one fence without a label or with that of a text, and how many there are.
    plain_fence: Option<(std::ops::Range<usize>, u64)>,
    plain_fences: usize,
    /// No document is looked for before this byte: one that broke was read up to here.
    no_json_before: usize,
    /// Lines that the report itself marks as closed.
    settled: BTreeSet<u64>,
    /// Lines of documents that other readers have read, first and last.
    holes: Vec<(u64, u64)>,
    /// The file a bot's folded section is about.
    file: Option<String>,
    /// The file that the heading or the item above names, alone: lines that items below it name are its lines.
    about: Option<(Location, usize)>,
    /// The line that names a line of a file alone, until an item takes it: what is said of it may be a finding.
    unclaimed: Option<u64>,
    /// The level of the alert that the line stands in.
    alert: Option<Written>,
    /// Counts of sentences, by line.
    claimed: Vec<(u64, Counted, u64)>,
    /// The last text outside an item: it may announce levels and what they mean.
    before: &'t str,
    /// The heading right above, and its level: it is the title of an item that begins with a key.
    under: Option<(&'t str, usize)>,
}

/// The level of what no heading opens: a line, a bullet, a label.
const LINE: usize = 7;

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

/// Reads a text, behind `skipped` lines of front matter.
pub fn read(text: &str, skipped: u64, depth: usize) -> Review {
    let start = text.split_inclusive('\n').take(usize::try_from(skipped).unwrap_or(0)).map(str::len).sum();
    let mut reader = Reader {
        text,
        depth,
        review: Review { format: Some(Format::Markdown), ..Review::default() },
        sections: Vec::new(),
        ordinal: 0,
        open: None,
        origins: Vec::new(),
        keys: [None; 3],
        awaits_verdict: false,
        last: None,
        all_explicit: true,
        empty_sections: 0,
        silent: BTreeSet::new(),
        headings: 0,
        phrase_in_section: None,
        echo: if has_transcript(text) { Echo::Outside } else { Echo::Never },
        above: None,
        table: None,
        bare: false,
        pairs: false,
        header: None,
        fence: None,
        plain_fence: None,
        plain_fences: 0,
        no_json_before: 0,
        settled: BTreeSet::new(),
        holes: Vec::new(),
        file: None,
        about: None,
        unclaimed: None,
        alert: None,
        claimed: Vec::new(),
        before: "",
        under: None,
    };
    let mut lines = Lines::from(text, start, skipped);
    while let Some(line) = lines.next() {
        match reader.embedded(&line) {
            Some((inner, at, end)) => {
                let before = Line { text: &line.text[..at], ..line };
                if !before.text.trim().is_empty() {
                    reader.line(before);
                }
                reader.close_item();
                reader.take(inner);
                let rest = lines.skip_past(end);
                reader.holes.push((line.number, lines.number()));
                if !rest.trim().is_empty() {
                    reader.line(Line { at: end, offset: end, number: lines.number(), text: rest.trim_end_matches('\r'), zone: Zone::Text });
                }
            }
            None => reader.line(line),
        }
    }
    if lines.unclosed {
        reader.review.contradictions.push(Contradiction::Truncated);
    }
    reader.finish()
}

impl<'t> Reader<'t> {
    fn line(&mut self, line: Line<'t>) {
        match line.zone {
            Zone::Text => self.text(line),
            Zone::Blank => {
                self.alert = None;
                self.end_table();
                if let Some(open) = &mut self.open {
                    open.after_blank = true;
                }
            }
            Zone::Fence => self.fence(&line),
            Zone::Code | Zone::Quote | Zone::Hidden => {}
        }
    }

    /// A JSON document that is an answer and starts in this line: what it says, where in the line it starts, and where it ends.
    fn embedded(&mut self, line: &Line<'t>) -> Option<(Review, usize, usize)> {
        if line.zone != Zone::Text || self.echo == Echo::Inside {
            return None;
        }
        let offset = line.offset;
        let mut from = 0;
        // Counted once on the way, however many documents stand in one line.
        let mut ticked = false;
        while let Some(found) = memchr::memchr2(b'{', b'[', &line.text.as_bytes()[from..]) {
            let at = from + found;
            ticked ^= line.text.as_bytes()[from..at].iter().filter(|b| **b == b'`').count() % 2 == 1;
            from = at + 1;
            let start = offset + at;
            if start < self.no_json_before || !starts_json(&self.text.as_bytes()[start..]) {
                continue;
            }
            match json::read(self.text, start) {
                Ok(document) => {
                    self.no_json_before = document.end.max(start + 1);
                    let lines = super::LineIndex::Fixed(line.number);
                    let answer = schema::document(&document.node, &lines, self.depth + 1).filter(schema::is_answer);
                    if let Some(mut review) = answer {
                        super::mark(&mut review, &document);
                        let inside = line.text.get(document.end - offset..);
                        let behind = inside.unwrap_or_else(|| self.text[document.end..].lines().next().unwrap_or_default());
                        let spoken_of = ticked || (is_spoken(&line.text[..at]) && is_spoken(behind));
                        if !spoken_of || keeps_what_is_against(&mut review) {
                            return Some((review, at, document.end));
                        }
                    }
                }
                Err(unreadable) => {
                    self.no_json_before = unreadable.0 + 1;
                    self.review.unreadable_at = self.review.unreadable_at.or(Some(unreadable.0 as u64));
                }
            }
        }
        None
    }

    /// Takes in what another reader found in the text.
    fn take(&mut self, inner: Review) {
        let origin = whole::Origin { section: self.ordinal, document: true, ..whole::Origin::default() };
        self.origins.extend(std::iter::repeat_n(origin, inner.findings.len()));
        if let Some(section) = self.governing().filter(|_| !inner.findings.is_empty()) {
            section.items = true;
        }
        self.review.absorb(inner);
    }

    /// The opening and the closing line of a fence. A document is read by its own reader; of an item the first fence is
    /// source text that it quotes.
    fn fence(&mut self, line: &Line<'t>) {
        let Some(fence) = self.fence.take() else {
            let label = line.text.trim_start().trim_start_matches(['`', '~']);
            self.fence = Some(Fence { label, start: line.at + line.text.len() + 1, line: line.number + 1 });
            return;
        };
        let content = self.text.get(fence.start.min(line.at)..line.at).unwrap_or_default();
        if let Some(inner) = super::fenced(fence.label, content, fence.line, self.depth + 1) {
            self.close_item();
            self.take(inner);
            self.holes.push((fence.line - 1, line.number));
            return;
        }
        if matches!(fence.label.trim(), "" | "text" | "markdown" | "md") {
            self.plain_fences += 1;
            self.plain_fence = Some((fence.start.min(line.at)..line.at, fence.line));
        }
        if let Some(open) = self.open.as_mut().filter(|o| o.finding.quote.is_none()) {
            let mut quote = String::new();
            for part in content.lines().map(str::trim) {
                if quote.len() + part.len() < 2000 {
                    quote.push_str(if quote.is_empty() { "" } else { "\n" });
                    quote.push_str(part);
                }
            }
            open.finding.quote = Some(quote).filter(|q| !q.is_empty());
        }
    }

    fn text(&mut self, line: Line<'t>) {
        if self.echo != Echo::Never && self.echoed(line.text.trim()) {
            return;
        }
        let above = self.above.take();
        if let Some(level) = heading::setext(line.text)
            && let Some((heading, number)) = above.filter(|(_, n)| n + 1 == line.number)
        {
            // The line above was taken for text, or for an item of its own; it is a heading.
            self.open = self.open.take().filter(|o| o.finding.report_line != number);
            self.heading(level, heading.trim(), number);
            return;
        }
        if let Some((head, number)) = above.filter(|(head, n)| n + 1 == line.number && table::is_bare_separator(line.text, head)) {
            self.open_bare_table(head, number, line.text);
            return;
        }
        if line.text.len() <= 120 {
            self.above = Some((line.text, line.number));
        }
        let indent = line.text.len() - line.text.trim_start().len();
        let body = &line.text[indent..];
        if body.starts_with(table::is_box)
            && let Some(row) = table::unboxed(body)
        {
            if !row.is_empty() {
                self.row(&row, line.number);
            }
            self.last = None;
            return;
        }
        if let Some(level) = heading::alert(body) {
            self.alert = Some(level);
            return;
        }
        if label::is_break(body) {
            self.end_table();
            return;
        }
        if body.starts_with('|') && self.row(body, line.number) {
            self.last = None;
            return;
        }
        if self.bare && body.contains('|') {
            self.row(&table::barred(body), line.number);
            self.last = None;
            return;
        }
        self.end_table();
        if let Some(finding) = self.printed(body, line.number) {
            self.close_item();
            self.origins.push(whole::Origin { section: self.ordinal, ..whole::Origin::default() });
            self.review.findings.push(finding);
            return;
        }
        if let Some((level, heading)) = heading::atx(body) {
            self.heading(level, heading, line.number);
            return;
        }
        if self.labelled(line.text, line.number) {
            self.close_item();
            return;
        }
        self.last_line(body, line.number);
        if let Some(value) = body.strip_prefix("<verdict>").and_then(|b| b.split("</verdict>").next()) {
            self.state_verdict(value, line.number);
            return;
        }
        if body.starts_with('<') {
            if self.folded(body, line.number) {
                return;
            }
            // Markup that is read by nobody may hold what is found all the same.
            if !is_list_item(body)
                && (doubt::marked_up(body) || (["<li", "<td"].iter().any(|tag| body.contains(tag)) && !location::scan(body).is_empty()))
            {
                self.review.suspicious.insert(line.number);
            }
        }
        if let Some(written) =
            heading::level_item(body).filter(|_| self.open.as_ref().is_none_or(|o| o.heading.is_none() && indent <= o.indent))
        {
            self.push_section(LINE, Kind::Severity(written), line.number);
            return;
        }
        if let Some(level_word) = heading::bold(body) {
            self.push_section(LINE, Kind::Severity(level_word), line.number);
            return;
        }
        if heading::opens_list(body) {
            self.push_section(LINE, Kind::Findings, line.number);
            return;
        }
        if let Some(kind) = self.label_of_section(body, indent) {
            self.push_section(LINE, kind, line.number);
            return;
        }
        self.item_line(body, indent, line.number);
    }

    /// A finding in the words of a tool: an annotation of a workflow, or what a linter says below the line that it shows.
    fn printed(&mut self, body: &str, number: u64) -> Option<Finding> {
        let pointed = || {
            let place = self.about.as_ref().map(|(place, _)| place.clone()).filter(|p| p.line.is_some())?;
            compiler::pointed(body, number).map(|finding| Finding { place: Some(place), ..finding })
        };
        match body.as_bytes().first() {
            Some(b':') => compiler::annotation(body, number),
            Some(b'^') => pointed().inspect(|_| self.unclaimed = None),
            // `Dockerfile:3 DL3008 warning: …`
            _ => {
                let head = body.split(' ').next().unwrap_or_default();
                let placed = head.contains(':') && head.ends_with(|c: char| c.is_ascii_digit());
                if placed { compiler::one(body, number).filter(|f| f.rule.is_some()) } else { None }
            }
        }
    }

    /// The section that a line without heading marks opens: a label of its own, or an item that is nothing but a level word and has
    /// a list below it. Inside an item such a line is part of it.
    fn label_of_section(&self, body: &str, indent: usize) -> Option<Kind> {
        if self.open.as_ref().is_some_and(|o| o.heading.is_some() || indent > o.indent) {
            return None;
        }
        if indent == 0 && (self.open.as_ref().is_none_or(|o| o.after_blank) || heading::is_marked(body)) {
            return heading::label_of_section(body);
        }
        None
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

    fn heading(&mut self, level: usize, heading: &'t str, number: u64) {
        self.end_table();
        self.last = None;
        self.awaits_verdict = false;
        self.review.canonical |= level == 1 && heading.starts_with("Deep Review Report");
        let verdict = label::is_verdict_label(heading.trim_end_matches([':', '：']));
        let kind = heading::kind(heading);
        let inside = self.sections.iter().rev().find(|s| s.level < level && s.kind != Kind::Other).map(|s| s.kind.clone());
        let item = if kind == Kind::Other && !verdict { heading::item(heading, inside.as_ref()) } else { None };
        let within = self.open.as_ref().is_some_and(|o| o.heading.is_some_and(|h| h < level));
        if within && !verdict && item.as_ref().is_none_or(|t| t.inherited) && kind == Kind::Other {
            // A part of the item above it, which has headings of its own.
            self.continue_item(heading);
            return;
        }
        self.close_item();
        self.headings += 1;
        self.before = heading;
        if verdict {
            self.awaits_verdict = true;
            self.push_section(level, Kind::Other, number);
            return;
        }
        if let Some(value) = label::verdict_value(heading).or_else(|| label::review_heading(heading)) {
            self.state_verdict(value, number);
        } else if let Some(stated) = label::verdict_against(heading) {
            self.state(stated, number);
        }
        if kind == Kind::Other && item.is_none() && inside != Some(Kind::Closed) {
            self.suspect(heading, number);
        }
        self.name_file(heading, level);
        self.under = (kind == Kind::Other || item.is_some()).then_some((heading, level));
        let promised = if matches!(kind, Kind::Severity(_) | Kind::Findings) { heading::count(heading) } else { 0 };
        self.push_section(level, kind, number);
        if let Some(section) = self.sections.last_mut() {
            section.promised = promised;
            section.denied = heading::is_empty(heading);
            section.settles = heading::settles(heading);
        }
        if let Some(tag) = item {
            self.open_item(heading, 0, number, tag, location::scan(heading));
            if let Some(open) = &mut self.open {
                open.heading = Some(level);
            }
        }
    }

    /// Takes a heading or line that is nothing but a file as the one that what follows is about; another heading of its level or
    /// above ends that.
    fn name_file(&mut self, text: &str, level: usize) {
        if self.about.as_ref().is_some_and(|(_, of)| *of >= level) {
            self.about = None;
        }
        if let Some(place) = location::alone(text).filter(|p| p.line.is_none()) {
            self.about = Some((place, level));
        }
    }

    fn push_section(&mut self, level: usize, kind: Kind, line: u64) {
        self.close_item();
        self.pop_sections(level);
        if kind != Kind::Other {
            for outer in &mut self.sections {
                outer.children = true;
            }
        }
        self.ordinal += 1;
        let before = self.listed();
        self.sections.push(Section {
            level,
            kind,
            items: false,
            absent: None,
            denied: false,
            checked: false,
            children: false,
            line,
            promised: 0,
            settles: false,
            before,
        });
    }

    /// How many items were read so far, open and closed.
    fn listed(&self) -> u64 {
        self.review.findings.len() as u64 + self.review.resolved
    }

    fn pop_sections(&mut self, level: usize) {
        while self.sections.last().is_some_and(|s| s.level >= level) {
            if let Some(section) = self.sections.pop() {
                self.leave(section);
            }
        }
    }

    fn leave(&mut self, section: Section) {
        // What a heading counts and is not here was found all the same.
        if self.listed() - section.before < section.promised {
            self.review.suspicious.insert(section.line);
        }
        if matches!(section.kind, Kind::Severity(_) | Kind::Findings) && !section.children {
            if !section.items && section.absent.is_none() && !section.denied {
                self.silent.insert(section.line);
            }
            match section.absent.filter(|_| !section.items) {
                Some(phrase) => {
                    self.empty_sections += 1;
                    self.review.empty_phrase = Some(phrase);
                }
                None => self.all_explicit = false,
            }
        }
    }

    /// The section that says what an item here is: the innermost one that is not `Other`.
    fn governing(&mut self) -> Option<&mut Section> {
        self.sections.iter_mut().rev().find(|s| s.kind != Kind::Other)
    }

    fn governs(&self) -> Option<&Kind> {
        self.sections.iter().rev().map(|s| &s.kind).find(|k| **k != Kind::Other)
    }

    /// Verdict and count lines. True when the line was one.
    fn labelled(&mut self, line: &str, number: u64) -> bool {
        if self.awaits_verdict {
            self.awaits_verdict = false;
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
        for (slot, count) in label::count_keys(line) {
            self.keys[slot] = Some(self.keys[slot].unwrap_or(0).max(count));
        }
        if has_separator(line) {
            if let Some(declared) = label::issues_line(line) {
                self.declare(declared);
                return true;
            }
            if let Some(value) = label::verdict_value(line) {
                if value.is_empty() {
                    self.awaits_verdict = true;
                } else {
                    self.state_verdict(value, number);
                }
                return true;
            }
            if let Some(stated) = label::verdict_against(line) {
                self.state(stated, number);
                return true;
            }
        }
        if self.open.is_some() || line.len() > 240 || !line.bytes().any(|b| b.is_ascii_digit()) {
            return false;
        }
        let found = counts::of_line(line);
        for (counted, n) in &found {
            let known = self.review.counts.entry(*counted).or_default();
            *known = (*known).max(*n);
        }
        !found.is_empty()
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
        if let Some(stated) = verdict::read_value(&label::without_struck(value)) {
            self.state(stated, number);
        }
    }

    fn state(&mut self, stated: Stated, report_line: u64) {
        if !stated.known {
            self.review.contradictions.push(Contradiction::UnrecognizedVerdict);
        }
        let round_word = stated.round_word();
        self.review.statements.push(Statement { class: stated.class, text: stated.text, round_word, report_line });
    }

    /// Begins a table without outer bars: the line above, which was taken for text or for an item, is its header.
    fn open_bare_table(&mut self, head: &str, number: u64, separator: &str) {
        self.open = self.open.take().filter(|o| o.finding.report_line != number);
        self.review.suspicious.remove(&number);
        self.header = table::cells(&table::barred(head)).map(|cells| (cells, number));
        self.row(&table::barred(separator), number + 1);
        (self.bare, self.last) = (true, None);
    }

    /// A line of a table; false for one that only begins like it.
    fn row(&mut self, body: &str, number: u64) -> bool {
        let Some(cells) = table::cells(body).filter(|c| c.len() > 1) else { return false };
        if table::is_separator(&cells) {
            if let Some((header, _)) = self.header.take() {
                self.pairs = self.open.as_ref().is_some_and(|o| o.heading.is_some()) && table::is_pairs(&header);
                if !self.pairs {
                    self.close_item();
                }
                self.table = Some(Columns::of(&header));
            }
            return true;
        }
        if let [key, value] = cells.as_slice()
            && self.pairs
        {
            self.key_of_item(&format!("{key}: {value}"));
            return true;
        }
        if let Some(value) = label::verdict_row(body) {
            self.state_verdict(value, number);
            return true;
        }
        if let Some(columns) = self.table.clone() {
            // What one of several reviewers says against the change stands; only a verdict of the whole approves it.
            let against = columns.verdict(&cells).and_then(verdict::read_value).filter(|s| s.known && s.class == Class::NeedsAttention);
            if let Some(stated) = against {
                self.state(stated, number);
            }
            self.table_row(&columns, &cells, number);
            return true;
        }
        self.end_table();
        self.header = Some((cells, number));
        true
    }

    fn table_row(&mut self, columns: &Columns, cells: &[String], number: u64) {
        let governs = self.governs();
        let (in_section, closed) = (matches!(governs, Some(Kind::Findings | Kind::Severity(_))), governs == Some(&Kind::Closed));
        let inherited = self.inherited();
        match table::row(columns, cells, in_section, closed, number) {
            Row::Finding(mut finding) => {
                if let Some((about, _)) = self.about.as_ref().filter(|_| finding.place.is_none()) {
                    let (line, end_line) = columns.lines(cells).map_or((about.line, about.end_line), |(first, last)| (Some(first), last));
                    finding.place = Some(Location { path: about.path.clone(), line, end_line });
                }
                if let Some(written) = inherited.filter(|_| finding.severity_text.is_none()) {
                    (finding.grade, finding.severity_text) = (written.grade, Some(written.text));
                }
                if let Some(section) = self.governing() {
                    section.items = true;
                }
                self.origins.push(whole::Origin { section: self.ordinal, ..whole::Origin::default() });
                self.review.findings.push(*finding);
            }
            Row::Count(counted, n) => *self.review.counts.entry(counted).or_default() += n,
            Row::Closed => self.review.resolved += 1,
            Row::Absent(phrase) => self.absent(&phrase, governs_none(&self.sections)),
            Row::Other => self.suspect(&format!("|{}|", cells.join("|")), number),
        }
    }

    /// Ends a table; a first row without a header below it may be a finding of its own.
    fn end_table(&mut self) {
        (self.table, self.bare, self.pairs) = (None, false, false);
        let Some((cells, number)) = self.header.take() else { return };
        match table::headless(&cells, number).filter(|_| self.governs() != Some(&Kind::Closed)) {
            Some(finding) => {
                self.close_item();
                if let Some(section) = self.governing() {
                    section.items = true;
                }
                self.origins.push(whole::Origin { section: self.ordinal, ..whole::Origin::default() });
                self.review.findings.push(finding);
            }
            None => self.suspect(&format!("|{}|", cells.join("|")), number),
        }
    }

    fn suspect(&mut self, line: &str, number: u64) {
        // Of a row between tabs the line stands in a cell of its own.
        let cells = line.contains('\t') || (line.matches(',').count() >= 3 && !line.contains(", "));
        let graded = || entry::part(line).is_some() && location::scan(line).iter().any(|c| cells || c.place.line.is_some());
        if label::is_suspicious(line) || (graded() && !doubt::is_over(line)) {
            self.review.suspicious.insert(number);
        }
    }

    /// `<summary>🧹 Nitpick comments (1)</summary>` opens a section, `<summary>src/a.rs (2)</summary>` names the file of what
    /// follows. True when the line was one of these.
    fn folded(&mut self, body: &'t str, number: u64) -> bool {
        let Some((_, tail)) = body.split_once("<summary>") else {
            return body.starts_with("</") || body.starts_with("<details") || body.starts_with("<blockquote");
        };
        let inner = tail.split("</summary>").next().unwrap_or_default().trim();
        let inner =
            ["b", "strong"].iter().find_map(|t| inner.strip_prefix(&format!("<{t}>"))?.strip_suffix(&format!("</{t}>"))).unwrap_or(inner);
        let counted = |(name, count): (&'t str, &str)| Some((name.trim(), count.strip_suffix(')')?.trim().parse::<u64>().ok()?));
        let (name, count) = match inner.rsplit_once('(').and_then(counted) {
            Some((name, count)) => (name, Some(count)),
            None => (inner, None),
        };
        let plain = name.trim_start_matches(|c: char| !c.is_alphanumeric()).trim();
        let folded = label::fold(plain);
        if let Some(count) = count {
            if folded.starts_with("outside diff range") {
                *self.review.counts.entry(Counted::OutsideDiff).or_default() += count;
                self.push_section(LINE, Kind::Findings, number);
                return true;
            }
            if let Some(written) = heading::severity_of(plain).filter(|_| heading::kind(name) != Kind::Closed) {
                // The mark before the word is part of it as it is written.
                let mark = name[..name.len() - plain.len()].trim();
                let text = [mark, &written.text].join(" ").trim().to_owned();
                if let Some(counted) = Counted::of(written.grade) {
                    *self.review.counts.entry(counted).or_default() += count;
                }
                if count == 0 {
                    return true;
                }
                self.push_section(LINE, Kind::Severity(Written { text, ..written }), number);
                return true;
            }
            let path = location::scan(name).into_iter().next().filter(|c| c.span.end == name.len()).map(|c| c.place.path);
            if let Some(path) = path {
                self.close_item();
                self.file = Some(path);
                return true;
            }
        }
        self.file = None;
        if let Kind::Severity(written) = heading::kind(inner) {
            self.push_section(LINE, Kind::Severity(written), number);
            return true;
        }
        false
    }

    fn item_line(&mut self, body: &'t str, indent: usize, number: u64) {
        let listed = is_list_item(body);
        let mark = if listed { Some("<li>".len()) } else { list_mark(body) };
        let content = &body[mark.unwrap_or(0)..];
        // An empty box is an open item like one without a box.
        let content = label::tick_box(content).filter(|(ticked, _)| mark.is_some() && !ticked).map_or(content, |(_, behind)| behind);
        if mark.is_none() && self.open.is_none() && self.governs().is_none() && is_prose(body) && !self.is_of_file(body) {
            self.prose(body, number);
            return;
        }
        let (written, shown) = (content, if listed { without_markup(content).into() } else { label::without_comments(content) });
        let content: &str = &shown;
        if let Some(tag) = entry::cells_of_emphasis(content) {
            self.open_item(content, indent, number, tag, Vec::new());
            if let Some(open) = &mut self.open {
                // A bot's comment: the lines below it are its title and text.
                open.heading = Some(LINE);
            }
            return;
        }
        if mark.is_none() && indent == 0 && entry::is_diagnostic(content) && entry::tag(content, &location::scan(content)).is_none() {
            // What a tool prints stands beside an item, not in it.
            self.close_item();
            self.review.suspicious.insert(number);
            return;
        }
        let own_grade = mark.is_some() && content.starts_with(['[', '【']) && self.open.as_ref().is_some_and(|o| o.heading != Some(LINE));
        let own_grade = own_grade && entry::tag(content, &[]).is_some_and(|t| t.written.is_some() && !t.candidate);
        let goes_on = |o: &Open| !o.marked || o.opened_by.is_some_and(|kind| entry::key(content).is_none_or(|k| k.kind() != kind));
        let detail = mark.is_some() && self.open.as_ref().is_some_and(goes_on) && entry::is_detail(content);
        // Behind a blank line a severity of its own begins another item.
        let graded = |o: &Open| o.after_blank && o.heading.is_none() && !o.inherited && o.finding.place.is_some();
        let another = self.open.as_ref().is_some_and(graded) && matches!(entry::key(content), Some(Key::Severity(_)));
        if !own_grade && !another && (detail || self.continues(mark.is_some(), indent)) {
            self.continue_item(content);
            return;
        }
        if self.open.is_none() && content.starts_with("--> ") && location::scan(content).iter().any(|c| c.place.line.is_some()) {
            // A compiler shows the line that it spoke of above.
            self.review.suspicious.insert(number);
        }
        let between = self.open.as_ref().is_none_or(|o| o.after_blank && o.finding.place.is_some());
        if mark.is_none() && between && self.names_place(content) {
            self.close_item();
            self.claim(number);
            return;
        }
        if mark.is_none()
            && between
            && !matches!(self.governs(), Some(Kind::Findings | Kind::Severity(_)))
            && let Some(Key::Title(title)) = entry::key(body)
            && location::scan(title).is_empty()
        {
            // A title above the key that opens its item.
            self.close_item();
            self.prose(body, number);
            self.under = Some((title, LINE));
            return;
        }
        if let Some(place) = location::alone(content).filter(|_| entry::key(content).is_none() && self.is_named_here(mark.is_some())) {
            // A line that is a file names it for what stands below, deeper or behind it.
            self.close_item();
            self.about = Some((place, LINE));
            if mark.is_none() && self.governs() != Some(&Kind::Closed) {
                self.claim(number);
            }
            return;
        }
        let (in_severity, in_findings, elsewhere) = match self.governs() {
            Some(Kind::Closed) if label::is_open_still(content) => (false, true, false),
            Some(Kind::Closed) => {
                self.close_item();
                // Praise settles nothing: a grade that stands in it is doubted all the same.
                let settles = self.sections.iter().rev().find(|s| s.kind == Kind::Closed).is_some_and(|s| s.settles);
                self.resolve(mark.is_some() && looks_like_item(content), settles.then_some(number));
                return;
            }
            _ if self.sections.iter().rev().find(|s| s.kind != Kind::Other).is_some_and(|s| s.checked) => (false, false, true),
            Some(Kind::Severity(_)) => (true, false, false),
            Some(Kind::Findings) => (false, true, false),
            _ => (false, false, true),
        };
        if entry::is_template_item(content) {
            self.review.contradictions.push(Contradiction::EchoedTemplate);
            return;
        }
        let cites = location::scan(content);
        if cites.is_empty() && label::is_absence(content) {
            self.close_item();
            self.absent(content, elsewhere);
            return;
        }
        if entry::is_closed(content) && label::is_open_still(content) {
            // Ticked or struck, and said to be open all the same.
            let bare = content.trim_start_matches(['~', '✅', '☑', ' ']);
            let bare = label::tick_box(bare).map_or(bare, |(_, behind)| behind);
            let cites = location::scan(bare);
            let tag = entry::tag(bare, &cites).unwrap_or(Tag { inherited: true, ..Tag::of(self.inherited(), 0) });
            self.open_item(bare, indent, number, tag, cites);
            return;
        }
        if entry::is_closed(content) {
            self.close_item();
            self.resolve(mark.is_some() && looks_like_item(content), Some(number));
            return;
        }
        let own = self.own_tag(content, &cites, mark.is_some(), (in_severity, in_findings));
        match own {
            // "Blocking: none" says that there is nothing of the level.
            Some(tag) if cites.is_empty() && says_none(content.get(tag.rest..).unwrap_or_default()) => {
                self.close_item();
                if let Some(section) = self.governing() {
                    section.denied = true;
                }
            }
            Some(tag) => {
                if !tag.inside && entry::holds_another(content.get(tag.rest..).unwrap_or_default(), tag.written.as_ref()) {
                    // One line, two grades: what the second one says is no item of its own.
                    self.review.suspicious.insert(number);
                }
                self.open_item(content, indent, number, tag, cites);
                if let Some(open) = &mut self.open {
                    open.marked = mark.is_some();
                }
            }
            None if mark.is_none() && self.open.is_none() && lists_what_was_checked(content) => {
                if let Some(section) = self.governing() {
                    (section.denied, section.checked) = (true, true);
                }
            }
            None if mark.is_some() && self.is_sibling(indent) && !cites.is_empty() && entry::key(content).is_none() => {
                self.close_item();
                self.prose(written, number);
            }
            None if self.open.as_ref().is_some_and(|o| !o.after_blank || (!elsewhere && o.heading.is_none())) => {
                self.continue_item(content)
            }
            None => {
                self.close_item();
                self.prose(written, number);
                if let Some(section) = self.governing().filter(|s| !s.denied) {
                    section.denied = doubt::is_denied(&case::lower(content));
                }
            }
        }
    }

    /// Counts a line that the report itself marks as closed.
    fn resolve(&mut self, item: bool, settled: Option<u64>) {
        if item {
            self.review.resolved += 1;
            self.settled.extend(settled);
        }
    }

    /// What makes a line an item: a tag of its own, a key that opens one, a bot's line range, or the section it stands in.
    fn own_tag(&self, content: &str, cites: &[location::Cite], marked: bool, (in_severity, in_findings): (bool, bool)) -> Option<Tag> {
        if let Some(tag) = entry::tag(content, cites).or_else(|| entry::strange(content, cites)) {
            return Some(tag);
        }
        if let Some(tag) = entry::behind_mark(content, cites).filter(|_| marked || entry::opens_with_id(content)) {
            return Some(tag);
        }
        if let Some(tag) = entry::id_and_level(content).or_else(|| heading::numbered_line(content)) {
            return Some(tag);
        }
        if cites.iter().any(|c| c.place.line.is_some())
            && !doubt::is_over(content)
            && let Some(tag) = entry::named_defect(content)
        {
            return Some(tag);
        }
        if let Some(level) = self.alert.as_ref().filter(|_| cites.iter().any(|c| c.place.line.is_some())) {
            return Some(Tag::of(Some(level.clone()), 0));
        }
        let titled = marked || content.starts_with("**");
        if let Some(written) = entry::trailing(content).filter(|_| titled) {
            return Some(Tag { candidate: !(in_severity || in_findings), ..Tag::of(Some(written), 0) });
        }
        if marked && entry::key(content).is_some_and(|k| entry::opens(&k)) {
            return Some(Tag { inherited: true, candidate: !(in_severity || in_findings), ..Tag::of(self.inherited(), content.len()) });
        }
        if (marked || self.is_of_file(content) || content.starts_with(|c: char| !c.is_alphanumeric()) || entry::opens_graded(content))
            && let Some(tag) = self.part(content, cites, in_severity || in_findings)
        {
            return Some(tag);
        }
        let ranged = self.file.is_some() && content.starts_with('`') && entry::ranged(content).is_some();
        let opens = || cites.first().is_some_and(|c| c.span.start <= 2 && c.place.line.is_some());
        let numbered = || content.strip_prefix("**").is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit()) && t.contains(". "));
        if in_findings && !marked && self.open.as_ref().is_none_or(|o| o.after_blank) && (opens() || numbered()) {
            return Some(Tag { inherited: true, ..Tag::of(None, 0) });
        }
        let listed = in_severity && (marked || !cites.is_empty());
        if listed || ranged {
            return Some(Tag { inherited: true, ..Tag::of(self.inherited(), 0) });
        }
        let alone = || severity::at_start(content).filter(|_| severity::emoji_at_start(content));
        (in_findings && marked).then(|| match alone() {
            Some(written) => Tag::of(Some(written.clone()), written.end),
            None => Tag { inherited: true, ..Tag::of(None, 0) },
        })
    }

    /// The tag that a part of a line is: in a findings section as it stands, elsewhere beside a line of a file only, and there no
    /// suggestion.
    fn part(&self, content: &str, cites: &[location::Cite], listed: bool) -> Option<Tag> {
        let about = |(place, _): &(Location, usize)| place.line.is_some() || location::lines_of(content).is_some();
        let placed = cites.iter().any(|c| c.place.line.is_some()) || self.about.as_ref().is_some_and(about);
        if !listed && !placed {
            return None;
        }
        let (written, part) = entry::part(content)?;
        let bracketed = content[..part.start].ends_with(['[', '(']);
        if !listed && !bracketed && matches!(written.grade, Grade::Suggestion | Grade::Unknown) {
            return None;
        }
        let leads = content[..part.start].chars().all(|c| !c.is_alphanumeric());
        let inside = !leads;
        Some(Tag { inside, ..Tag::of(Some(written), if leads { part.end } else { 0 }) })
    }

    /// Whether a line names a file, or lines of the one that is named above.
    fn is_of_file(&self, content: &str) -> bool {
        let head = &content[..content.floor_char_boundary(24)];
        location::alone(content).is_some() || (self.about.is_some() && location::lines_of(head).is_some())
    }

    /// Notes that a line names a line of a file for an item that is to come; one that none took before is doubted.
    fn claim(&mut self, number: u64) {
        if self.about.as_ref().is_some_and(|(place, _)| place.line.is_some()) {
            self.review.suspicious.extend(self.unclaimed.replace(number));
        }
    }

    /// Takes `File: a.rs` and `Line: 4` before an item as its place; true for such a line.
    fn names_place(&mut self, content: &str) -> bool {
        match entry::key(content) {
            Some(Key::Place(value)) => {
                let cited = location::scan(value).into_iter().next().filter(|c| c.span == (0..value.len()));
                let Some(cite) = cited else { return false };
                self.about = Some((cite.place, LINE));
                true
            }
            Some(Key::Lines(first, last)) => match self.about.as_mut().filter(|(place, _)| place.line.is_none()) {
                Some((place, _)) => {
                    (place.line, place.end_line) = (Some(first), last);
                    true
                }
                None => false,
            },
            _ => false,
        }
    }

    /// Whether a line that is nothing but a place names it for others: below a findings section a bullet that cites a line is an item
    /// of its own.
    fn is_named_here(&self, marked: bool) -> bool {
        let listed = matches!(self.governs(), Some(Kind::Findings | Kind::Severity(_)));
        !(marked && listed) && self.open.as_ref().is_none_or(|o| o.after_blank || !o.finding.title.is_empty())
    }

    /// The place of an item that cites none, by the file that is named above it and the lines that it names. A line that is named
    /// above is that of one item.
    fn place_about(&mut self, content: &str, rest: usize) -> Option<Location> {
        let (about, level) = self.about.as_mut()?;
        let of = |text: &str| location::lines_of(text);
        let lines = of(content).or_else(|| of(content.get(rest..).unwrap_or_default()));
        let (line, end_line) = lines.map_or((about.line, about.end_line), |(first, last)| (Some(first), last));
        let place = Location { path: about.path.clone(), line, end_line };
        if about.line.is_some() && *level == LINE {
            self.about = None;
        }
        Some(place)
    }

    /// A line outside every item.
    fn prose(&mut self, line: &'t str, number: u64) {
        let digits = may_be_graded(line);
        let said = if digits { counts::of_sentence(line) } else { Vec::new() };
        if said.is_empty() && digits {
            self.suspect(line, number);
        }
        self.claimed.extend(said.into_iter().map(|(c, n)| (number, c, n)));
        self.before = line;
        self.under = None;
        self.review.qualified_phrase = self.review.qualified_phrase || (line.len() <= 400 && label::is_qualified_phrase(line));
    }

    /// The severity of the section an untagged item stands in.
    fn inherited(&self) -> Option<Written> {
        match self.governs() {
            Some(Kind::Severity(written)) => Some(written.clone()),
            _ => None,
        }
    }

    /// A line belongs to the open item when it is indented under it, or follows it directly without a list mark.
    fn continues(&self, marked: bool, indent: usize) -> bool {
        let Some(open) = &self.open else { return false };
        open.heading.is_some() || indent > open.indent + 1 || (!marked && !open.after_blank && indent > open.indent)
    }

    /// A bullet at the depth of the open item is beside it: it adds no places to it.
    fn is_sibling(&self, indent: usize) -> bool {
        self.open.as_ref().is_some_and(|o| o.marked && o.heading.is_none() && indent <= o.indent)
    }

    fn absent(&mut self, phrase: &str, report_level: bool) {
        // Of one kind only a section of that kind is emptied by it.
        if label::is_of_one_kind(phrase) && !matches!(self.governs(), Some(Kind::Severity(_))) {
            self.review.qualified_phrase = true;
            if let Some(section) = self.governing() {
                section.denied = true;
            }
            return;
        }
        let phrase = entry::plain(label::bare_line(phrase), 80);
        if let Some(section) = self.governing() {
            section.absent = Some(phrase);
        } else if report_level && self.sections.is_empty() {
            self.review.clean_phrase = Some(phrase);
        } else if report_level {
            self.phrase_in_section = Some(phrase);
        }
    }

    fn open_item(&mut self, content: &str, indent: usize, number: u64, tag: Tag, cites: Vec<location::Cite>) {
        self.close_item();
        self.unclaimed = None;
        let under = self.under.take();
        let stated = entry::stated_id(content.get(tag.rest..).unwrap_or_default());
        let (id, more, behind) = stated.map_or((None, Vec::new(), 0), |(id, tags, rest)| (Some(id), tags, rest));
        let rest = tag.rest + behind;
        let mut finding = Finding {
            id,
            grade: tag.written.as_ref().map_or(Grade::Unknown, |w| w.grade),
            severity_text: tag.written.map(|w| w.text),
            title: entry::title(content, rest, &cites),
            headline: headline(content, &cites),
            tags: tag.tags.into_iter().chain(more).collect(),
            report_line: number,
            ..Finding::default()
        };
        let in_list = self.governs().is_some();
        let announced = !in_list && self.before.len() <= 120 && announces(self.before);
        let origin = whole::Origin { section: self.ordinal, in_list, announced, ..whole::Origin::default() };
        if let Some(range) = self.file.as_ref().and_then(|file| entry::ranged(content).map(|(first, last, end)| (file, first, last, end))) {
            let (file, first, last, end) = range;
            finding.place = Some(Location { path: file.clone(), line: Some(first), end_line: last });
            finding.title = entry::title(content, end, &cites);
            if let Some(written) = entry::cells_of_emphasis(content[end..].trim()).and_then(|t| t.written) {
                (finding.grade, finding.severity_text) = (written.grade, Some(written.text));
                finding.title.clear();
            }
        }
        entry::add_places(&mut finding, cites);
        if finding.place.is_none() {
            finding.place = self.place_about(content, rest);
        }
        let (inherited, candidate) = (tag.inherited, tag.candidate);
        self.open =
            Some(Open { finding, origin, heading: None, indent, marked: false, inherited, candidate, after_blank: false, opened_by: None });
        if rest >= content.len() {
            // The first line is a key: what it says is part of the item like the lines below it, and a heading right above it
            // is its title.
            if let Some(open) = &mut self.open {
                open.opened_by = entry::key(content).map(|key| key.kind());
                open.finding.title.clear();
                if let Some((heading, level)) = under.filter(|_| !matches!(entry::key(content), Some(Key::Id(_) | Key::Title(_)))) {
                    open.finding.title = entry::title(heading, 0, &[]);
                    open.finding.headline.clone_from(&open.finding.title);
                    open.heading = Some(level).filter(|level| *level < LINE);
                }
            }
            self.key_of_item(content);
        }
    }

    /// Reads a line `key: value` of the open item; true when it was one.
    fn key_of_item(&mut self, content: &str) -> bool {
        // `**Severity**: High | **File**: a.rs | **Line**: 4`
        let row = content.contains('|') && content.split('|').all(|cell| entry::key(cell.trim()).is_some());
        if row { content.split('|').fold(true, |_, cell| self.cell_of_item(cell.trim())) } else { self.cell_of_item(content) }
    }

    fn cell_of_item(&mut self, content: &str) -> bool {
        let Some(open) = &mut self.open else { return false };
        let Some(key) = entry::key(content) else { return false };
        let finding = &mut open.finding;
        match key {
            Key::Id(id) => drop(finding.id.get_or_insert_with(|| entry::json_string(id).unwrap_or_else(|| id.to_owned()))),
            Key::Severity(written) if open.inherited || finding.severity_text.is_none() => {
                (finding.grade, finding.severity_text) = (written.grade, Some(written.text));
                open.inherited = false;
            }
            Key::Severity(_) => {}
            Key::Title(title) if finding.title.is_empty() => {
                let quoted = entry::json_string(title).map(|text| entry::one_line(&text));
                finding.title = quoted.unwrap_or_else(|| entry::plain(&title.replace("\\`", "`"), 400));
                entry::add_places(finding, location::scan(title));
            }
            Key::Lines(first, last) => match finding.place.as_mut().filter(|p| p.line.is_none()) {
                Some(place) => (place.line, place.end_line) = (Some(first), last),
                None => drop(open.origin.lines.get_or_insert((first, last))),
            },
            Key::Place(value) => {
                // A path in back-ticks is a path, whatever stands in it; a list in them is read like any text.
                let ticked = value.len() > 2 && value.starts_with('`') && value.ends_with('`') && value.matches('`').count() == 2;
                let listed = value.contains(['"', '[']);
                let value = if ticked && listed { value.trim_matches('`') } else { value };
                let cites = location::scan(value);
                let bare = value.trim_matches(['`', '"', '[', ']', ' ']);
                let whole = cites.first().is_some_and(|c| c.span == (0..value.len()));
                let plain = cites.is_empty() && bare.contains(['/', '.']) && !bare.contains(' ');
                if let Some(path) = entry::json_string(value).filter(|_| cites.is_empty()) {
                    entry::add_place(finding, Location { path, ..Location::default() });
                } else if (ticked && !listed && !whole) || plain {
                    entry::add_place(finding, Location { path: bare.to_owned(), ..Location::default() });
                } else {
                    entry::add_places(finding, cites);
                }
            }
            Key::Rule(rule) => drop(finding.rule.get_or_insert_with(|| rule.to_owned())),
            Key::Category(category) => drop(finding.category.get_or_insert_with(|| category.to_owned())),
            Key::Fix(fix) => drop(finding.fix.get_or_insert_with(|| fix.to_owned())),
            Key::Title(_) => return false,
        }
        true
    }

    fn continue_item(&mut self, content: &str) {
        if let Some(open) = &mut self.open {
            open.after_blank = false;
        }
        let keyed = self.key_of_item(content);
        let Some(open) = &mut self.open else { return };
        if keyed {
            return;
        }
        let cites = if may_be_graded(content) { location::scan(content) } else { Vec::new() };
        if open.finding.title.is_empty() {
            open.finding.title = entry::title(content, 0, &cites);
        } else if !content.starts_with("</") && !content.trim().bytes().all(|b| b == b'-') {
            open.finding.body.push_str(if open.finding.body.is_empty() { "" } else { "\n" });
            open.finding.body.push_str(content.trim_end());
        }
        entry::add_places(&mut open.finding, cites);
    }

    /// Ends the open item. One that only began like an item is none without a place or a severity of its own.
    fn close_item(&mut self) {
        let Some(open) = self.open.take() else { return };
        let finding = open.finding;
        if open.candidate
            && finding.place.is_none()
            && finding.id.is_none()
            && (open.inherited || finding.severity_text.is_none() || is_weak(&finding))
        {
            self.suspect(&finding.headline, finding.report_line);
            return;
        }
        if let Some(section) = self.governing() {
            section.items = true;
        }
        self.origins.push(open.origin);
        self.review.findings.push(finding);
    }

    fn finish(mut self) -> Review {
        self.end_table();
        self.close_item();
        self.review.suspicious.extend(self.unclaimed.take());
        self.pop_sections(0);
        if let Some((token, number)) = self.last.take()
            && let Some(stated) = verdict::read_token(token)
            && stated.known
            && !label::is_template(token)
            && !matches!(label::tick_box(label::bare_line(token)), Some((false, _)))
            && !(label::is_absence(token) && self.headings > 1)
        {
            self.state(stated, number);
        }
        if let [Some(critical), Some(warning), Some(info)] = self.keys {
            self.declare(Declared { critical, warning, info });
        }
        // A phrase inside one of several sections speaks for that section only.
        let phrase = self.phrase_in_section.take().filter(|_| self.headings <= 1);
        self.review.clean_phrase = self.review.clean_phrase.take().or(phrase);
        self.review.sections_empty |= self.all_explicit && self.empty_sections > 0;
        self.lone_fence();
        whole::settle(&mut self.review, &self.origins, self.text);
        for (line, counted, n) in std::mem::take(&mut self.claimed) {
            let known = self.review.counts.entry(counted).or_default();
            *known = (*known).max(n);
            let read = self.review.findings.iter().filter(|f| Counted::of(f.grade) == Some(counted)).count() as u64;
            // What a sentence says was found and is not here was found all the same.
            if n > read {
                self.review.suspicious.insert(line);
            }
        }
        if self.review.findings.is_empty() && self.review.failure.is_none() {
            let silent = self.review.statements.is_empty() && self.review.clean_phrase.is_none();
            if doubt::is_limited(self.text) {
                self.review.failure = Some(Failure::RateLimited);
            } else if silent && label::reports_error(self.text) {
                self.review.failure = Some(Failure::ErrorReported);
            }
        }
        doubt::approval(&mut self.review, self.text, &self.silent, &self.settled, &self.holes);
        if self.review.canonical {
            self.review.format = Some(Format::Canonical);
        }
        self.review
    }

    /// When nothing outside is a finding or a verdict, the one fence that holds a report is the report.
    fn lone_fence(&mut self) {
        let Some((range, line)) = self.plain_fence.take().filter(|_| self.plain_fences == 1 && self.depth < 4) else { return };
        if schema::is_answer(&self.review) || self.review.clean_phrase.is_some() {
            return;
        }
        let content = &self.text[range];
        let mut inner = super::text(content, self.depth + 1);
        // A verdict alone in a fence is a sample; what has headings or findings is a report.
        let report = !inner.findings.is_empty() || content.lines().any(|l| heading::atx(l).is_some());
        if report && schema::is_answer(&inner) {
            inner.shift(line - 1);
            self.take(inner);
        }
    }
}

/// `No issues found. I checked:`: a denial that a list of what was looked at follows.
fn lists_what_was_checked(content: &str) -> bool {
    const LOOKED: &[&str] = &["checked", "verified", "reviewed", "looked at", "covered", "inspected", "확인", "검토", "確認", "检查"];
    let Some(sentence) = content.trim_end().strip_suffix([':', '：']) else { return false };
    let lower = case::lower(sentence);
    let (denial, tail) = lower.rsplit_once(['.', '。', ';', '!']).unwrap_or((&lower, &lower));
    (doubt::is_denied(denial) || label::is_absence(denial)) && LOOKED.iter().any(|l| tail.contains(l))
}

/// Whether a line is one item of a list of HTML: `<li>…</li>`.
fn is_list_item(body: &str) -> bool {
    body.strip_prefix("<li>").is_some_and(|inner| !inner.contains("<li"))
}

/// The text of an item of HTML as Markdown has it.
fn without_markup(content: &str) -> String {
    const MARKS: &[(&str, &str)] =
        &[("b", "**"), ("strong", "**"), ("em", "_"), ("i", "_"), ("code", "`"), ("li", ""), ("p", ""), ("br", " ")];
    let mut text = content.to_owned();
    for (tag, mark) in MARKS {
        for form in [format!("<{tag}>"), format!("</{tag}>"), format!("<{tag}/>")] {
            text = text.replace(&form, mark);
        }
    }
    text.trim().to_owned()
}

/// Whether what stands behind a tag says that there is nothing.
fn says_none(rest: &str) -> bool {
    let said = rest.trim_matches([' ', '*', '_', ':', '-', '—', '.']);
    !said.is_empty() && (label::is_absence(said) || said == "0")
}

/// Whether a weak level word is all that grades a finding.
fn is_weak(finding: &Finding) -> bool {
    finding.severity_text.as_deref().is_some_and(entry::is_weak)
}

fn governs_none(sections: &[Section]) -> bool {
    sections.iter().all(|s| s.kind == Kind::Other)
}

/// Whether a line among closed items is one: it has a tag, an id or a place.
fn looks_like_item(content: &str) -> bool {
    let bare = content.trim_start_matches(['~', '✅', '☑', ' ', '*']);
    let bare = label::tick_box(bare).map_or(bare, |(_, behind)| behind);
    entry::tag(bare, &location::scan(bare)).is_some() || entry::stated_id(bare).is_some()
}

/// The first line of an item with every citation taken out.
fn headline(content: &str, cites: &[location::Cite]) -> String {
    let mut headline = String::new();
    let mut from = 0;
    for cite in cites {
        headline.push_str(content.get(from..cite.span.start).unwrap_or_default());
        from = cite.span.end.max(from);
    }
    headline.push_str(content.get(from..).unwrap_or_default());
    headline
}

/// Whether a text announces levels and what they mean.
fn announces(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "severity",
        "legend",
        "scale",
        "levels",
        "grading",
        "priority",
        "rating",
        "심각도",
        "등급",
        "凡例",
        "重要度",
        "级别",
        "等级",
        "严重",
    ];
    let lower = case::lower(text);
    WORDS.iter().any(|w| lower.contains(w))
}

/// Whether a text beside a document says anything: between two that do, and in back-ticks, a document is spoken of, not said.
fn is_spoken(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Takes from a quoted answer what would approve; whether anything that speaks against the change is left.
fn keeps_what_is_against(review: &mut Review) -> bool {
    review.statements.retain(|s| matches!(s.class, Class::NeedsAttention | Class::Unproven));
    (review.sections_empty, review.clean_phrase, review.empty_phrase) = (false, None, None);
    !review.findings.is_empty() || !review.statements.is_empty()
}

/// Whether bytes start a JSON object, or a list of them.
fn starts_json(bytes: &[u8]) -> bool {
    let mut next = bytes[1..].iter().take(64).filter(|b| !b.is_ascii_whitespace());
    match bytes[0] {
        b'{' => next.next() == Some(&b'"'),
        _ => next.next() == Some(&b'{') && next.next() == Some(&b'"'),
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
    plain && !has_separator(body) && memchr::memchr(b'|', body.as_bytes()).is_none()
}

/// Whether a text holds a transcript that echoes its prompt.
fn has_transcript(text: &str) -> bool {
    text.contains("user\n") && text.contains("\ncodex\n") && text.lines().any(|l| l.trim() == "user")
}

/// Whether a line of prose could hold a citation, a tag or a count at all; most lines are told from this alone.
fn may_be_graded(body: &str) -> bool {
    let bytes = body.as_bytes();
    let name = |at: usize| bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
    // Digits, the dot and the slash stand side by side in ASCII.
    bytes.iter().enumerate().any(|(at, b)| matches!(b, b'/'..=b'9' | b'`' | b'[') || (*b == b'.' && name(at)))
}
#[cfg(test)]
mod tests {
    use crate::base::reason::Contradiction;
    use crate::base::severity::Grade;
    use crate::base::verdict::Class;
    use crate::finding::Review;

    fn read(text: &str) -> Review {
        crate::finding::read::review(text.as_bytes())
    }

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
    fn a_heading_that_starts_with_a_place_is_an_item_when_a_level_or_its_section_says_so() {
        for heading in ["`a.rs:1`: [high] x", "a.rs:1: high: x", "1. a.rs:1 — [P1] — x", "`a.rs:1` x (high)"] {
            let review = read(&format!("## Summary\n### {heading}\nIt breaks.\n"));
            let found: Vec<_> = review.findings.iter().map(|f| (f.grade, f.place.clone().unwrap().line, f.title.contains('x'))).collect();
            assert_eq!(found, [(Grade::High, Some(1), true)], "{heading}");
        }
        assert_eq!(read("## Findings\n### `a.rs:1` — x\n**Severity:** low\n").findings[0].grade, Grade::Low);
        assert!(read("## Summary\n### `a.rs:1` — x\nfine\n").findings.is_empty());
        assert_eq!(read("## Summary\n### The [high] bug of a.rs:1\nfine\n").suspicious.len(), 1);
    }

    #[test]
    fn a_heading_that_counts_more_than_its_section_holds_is_suspicious() {
        let lost = |text: &str| read(text).suspicious.into_iter().collect::<Vec<_>>();
        assert_eq!(lost("## 🔴 Critical (2)\n- `a.rs:1` x\n\n## Notes\nfine\n"), [1]);
        assert_eq!(lost("x\n\n### High（3건）\n- `a.rs:1` x\n- [x] `b.rs:1` y\n"), [3]);
        for whole in [
            "## 🔴 Critical (1)\n- `a.rs:1` x\n",
            "## Critical (0)\nNone.\n",
            "## High (8.1)\n- `a.rs:1` x\n",
            "## Findings (1)\n### `a.rs:1`: [high] x\n",
        ] {
            assert!(lost(whole).is_empty(), "{whole}");
        }
    }

    #[test]
    fn an_item_without_a_place_is_still_a_finding() {
        let review = read("### 🔴 Critical\n- The design has no owner.\n");
        assert_eq!(review.findings.len(), 1);
        assert_eq!(review.findings[0].place, None);
    }
}
