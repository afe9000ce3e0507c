//! Markdown tables: rows of findings, counts, ledgers of closed items, and all others, which say nothing.
//!
//! A header names the columns; without one a row counts when a cell is a level and another cites a line. Source:
//! cases/reports/README.md §4. Bound: linear in the row.

use super::{entry, label, location};
use crate::base::severity::{self, Grade};
use crate::finding::{Counted, Finding, Location};

/// What the columns of a table hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Columns {
    severity: Option<usize>,
    file: Option<usize>,
    line: Option<usize>,
    title: Option<usize>,
    id: Option<usize>,
    status: Option<usize>,
    count: Option<usize>,
    category: Option<usize>,
    verdict: Option<usize>,
}

/// Whether a header is that of a table of keys and values.
pub(super) fn is_pairs(header: &[String]) -> bool {
    const KEYS: &[&str] = &["field", "key", "property", "attribute", "항목", "필드", "項目", "字段", "项目"];
    const VALUES: &[&str] = &["value", "details", "detail", "내용", "값", "内容", "値", "值"];
    let names: Vec<String> = header.iter().map(|c| label::fold(c.trim_matches(['*', '_', '`', ' ']))).collect();
    matches!(names.as_slice(), [key, value] if KEYS.contains(&key.as_str()) && VALUES.contains(&value.as_str()))
}

/// What a row says.
#[derive(Debug, PartialEq)]
pub(super) enum Row {
    Finding(Box<Finding>),
    Count(Counted, u64),
    Closed,
    /// That there is nothing, in the words of the cell.
    Absent(String),
    /// Nothing of findings.
    Other,
}

/// The cells of a row; none for a line that is none.
pub(super) fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').filter(|i| !i.ends_with('\\')).unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in inner.chars() {
        match c {
            '|' if !escaped => cells.push(String::new()),
            _ => {
                let cell = cells.last_mut()?;
                if escaped && c == '|' {
                    cell.pop();
                }
                cell.push(c);
            }
        }
        escaped = c == '\\' && !escaped;
    }
    Some(cells.into_iter().map(|c| c.trim().to_owned()).collect())
}

/// Whether a character draws the frame of a table.
pub(super) fn is_box(c: char) -> bool {
    matches!(c, '\u{2500}'..='\u{257f}')
}

/// A line of a table that is drawn with a frame, as one of Markdown; empty for its upper and lower edge, none for what is no line of
/// one.
pub(super) fn unboxed(line: &str) -> Option<String> {
    let line = line.trim_end();
    if !line.ends_with(is_box) || line.chars().count() < 3 {
        return None;
    }
    let first = line.chars().next()?;
    if line.chars().all(|c| is_box(c) || c == ' ') {
        let inner = matches!(first, '├' | '╞' | '╠' | '┣' | '╟');
        let row = |c: char| if matches!(c, '─' | '━' | '═' | ' ') { '-' } else { '|' };
        return Some(if inner { line.chars().map(row).collect() } else { String::new() });
    }
    let upright = |c: char| matches!(c, '│' | '┃' | '║');
    (upright(first) && line.ends_with(upright)).then(|| line.chars().map(|c| if upright(c) { '|' } else { c }).collect())
}

/// A row of a table whose rows have no outer bars, as one that has them.
pub(super) fn barred(line: &str) -> String {
    format!("|{}|", line.trim())
}

/// Whether a line separates the header above it from its rows, in a table without outer bars: `--- | --- | ---`.
pub(super) fn is_bare_separator(line: &str, header: &str) -> bool {
    let bare = |text: &str| text.contains('|') && !text.trim_start().starts_with('|');
    let marks = |b: u8| matches!(b, b'-' | b':' | b' ' | b'|');
    line.bytes().all(marks)
        && bare(line)
        && bare(header)
        && cells(&barred(line)).zip(cells(&barred(header))).is_some_and(|(a, b)| a.len() == b.len() && is_separator(&a))
}

/// Whether a row separates a header from its rows.
pub(super) fn is_separator(cells: &[String]) -> bool {
    cells.iter().all(|c| !c.is_empty() && c.bytes().all(|b| matches!(b, b'-' | b':' | b' '))) && cells.iter().any(|c| c.contains('-'))
}

impl Columns {
    /// Reads a header.
    pub(super) fn of(header: &[String]) -> Columns {
        let mut columns = Columns::default();
        for (at, cell) in header.iter().enumerate() {
            let name = label::fold(cell.trim_matches(['*', '_', '`', ' ']));
            let slot = match name.as_str() {
                "sev" | "등급" | "級別" | "级别" | "等级" | "レベル" => &mut columns.severity,
                name if entry::is_severity_key(name) => &mut columns.severity,
                "file" | "path" | "location" | "where" | "file:line" | "place" | "代码位置" | "코드 위치" | "파일" | "위치"
                | "ファイル" | "場所" | "位置" | "文件" => &mut columns.file,
                "line" | "lines" | "line(s)" | "줄" | "行" | "行号" => &mut columns.line,
                "issue" | "finding" | "title" | "description" | "problem" | "message" | "summary" | "detail" | "details" | "claim"
                | "what" | "comment" | "내용" | "문제" | "설명" | "内容" | "問題" | "指摘" | "指摘内容" | "问题" | "描述" | "说明" => {
                    &mut columns.title
                }
                "evidence" | "note" | "notes" if columns.title.is_none() => &mut columns.title,
                "id" | "finding id" | "finding_id" => &mut columns.id,
                "status" | "state" | "상태" | "状態" | "状态" => &mut columns.status,
                "count" | "number" | "total" | "qty" | "건수" | "개수" | "件数" | "数量" => &mut columns.count,
                name if label::is_verdict_label(name) => &mut columns.verdict,
                "category" | "type" | "분류" | "分類" | "类别" => &mut columns.category,
                _ => continue,
            };
            slot.get_or_insert(at);
        }
        columns
    }

    /// Whether the rows are findings: they are graded and say what or where, or stand in a findings section.
    fn holds_findings(&self, in_section: bool) -> bool {
        let says = self.title.is_some() || self.file.is_some();
        says && (self.severity.is_some() || (in_section && self.count.is_none()))
    }

    /// What a row states in a column of verdicts.
    pub(super) fn verdict<'c>(&self, cells: &'c [String]) -> Option<&'c str> {
        self.verdict.and_then(|at| cells.get(at)).map(String::as_str)
    }

    /// The lines that a row names.
    pub(super) fn lines(&self, cells: &[String]) -> Option<(u64, Option<u64>)> {
        self.line.and_then(|at| cells.get(at)).and_then(|cell| location::line_range(cell))
    }

    /// Whether the rows count findings.
    fn counts(&self) -> bool {
        self.severity.is_some() && self.count.is_some() && self.title.is_none() && self.file.is_none()
    }
}

/// Reads a row below a header. `closed` says that it stands among closed items.
pub(super) fn row(columns: &Columns, cells: &[String], in_section: bool, closed: bool, number: u64) -> Row {
    let cell = |at: Option<usize>| at.and_then(|i| cells.get(i)).map_or("", String::as_str);
    if columns.counts() {
        let grade = severity::at_start(cell(columns.severity).trim_matches(['*', '_', '`'])).map(|w| w.grade);
        let count = cell(columns.count).trim_matches(['*', '_', ' ', '건', '件', '个', '個']).parse().ok();
        return grade.and_then(Counted::of).zip(count).map_or(Row::Other, |(c, n)| Row::Count(c, n));
    }
    if !columns.holds_findings(in_section) {
        return Row::Other;
    }
    let empty = |c: &String| c.is_empty() || matches!(c.as_str(), "—" | "-" | "–" | "…" | "...") || label::is_absence(c);
    if cells.iter().all(empty) {
        return cells.iter().find(|c| label::is_absence(c)).map_or(Row::Other, |c| Row::Absent(c.clone()));
    }
    if closed || is_closed(cell(columns.status)) {
        return Row::Closed;
    }
    Row::Finding(Box::new(finding(columns, cells, number)))
}

fn finding(columns: &Columns, cells: &[String], number: u64) -> Finding {
    let cell = |at: Option<usize>| at.and_then(|i| cells.get(i)).map_or("", String::as_str);
    let level = cell(columns.severity).trim_matches(['*', '_', '`', ' ']);
    // A column of levels is often written in single letters.
    let letter = match level {
        "C" => "critical",
        "H" => "high",
        "M" => "medium",
        "L" => "low",
        _ => level,
    };
    let written = severity::at_start(letter).map(|w| if letter == level { w } else { severity::Written { text: level.to_owned(), ..w } });
    let title = if cell(columns.title).is_empty() { widest(columns, cells) } else { cell(columns.title) };
    let mut finding = Finding {
        id: Some(cell(columns.id).trim_matches(['*', '_', '`', ' '])).filter(|i| !i.is_empty()).map(str::to_owned),
        grade: written.as_ref().map_or(Grade::Unknown, |w| w.grade),
        severity_text: written
            .map(|w| w.text)
            .or_else(|| Some(level.to_owned()).filter(|l| !l.is_empty() && !matches!(l.as_str(), "—" | "-"))),
        title: entry::plain(title, 400),
        headline: entry::plain(title, 400),
        category: Some(cell(columns.category)).filter(|c| !c.is_empty()).map(str::to_owned),
        report_line: number,
        ..Finding::default()
    };
    let file = cell(columns.file);
    let mut cited = location::scan(file);
    if cited.is_empty() && file.contains(['/', '.', '\\']) && !file.contains(' ') {
        let path = file.trim_matches('`').to_owned();
        entry::add_place(&mut finding, Location { path, ..Location::default() });
    }
    if let Some((line, end_line)) = location::line_range(cell(columns.line))
        && let Some(first) = cited.first_mut().map(|c| &mut c.place).or(finding.place.as_mut()).filter(|p| p.line.is_none())
    {
        (first.line, first.end_line) = (Some(line), end_line);
    }
    entry::add_places(&mut finding, cited);
    for other in cells.iter().filter(|c| c.as_str() != file) {
        entry::add_places(&mut finding, location::scan(other));
    }
    finding
}

/// The longest cell that no other column has taken.
fn widest<'c>(columns: &Columns, cells: &'c [String]) -> &'c str {
    let taken = [columns.severity, columns.file, columns.line, columns.id, columns.status, columns.category];
    let free = cells.iter().enumerate().filter(|(at, _)| !taken.contains(&Some(*at))).map(|(_, c)| c);
    free.max_by_key(|c| c.chars().count()).map_or("", String::as_str)
}

/// A row without a header: a cell that is a level, another that cites a line, and the longest other one as title.
pub(super) fn headless(cells: &[String], number: u64) -> Option<Finding> {
    let level = |c: &String| severity::at_start(c.trim_matches(['*', '_', '`'])).filter(|w| w.end == c.trim_matches(['*', '_', '`']).len());
    let at = cells.iter().position(|c| level(c).is_some())?;
    let file = cells.iter().position(|c| location::scan(c).first().is_some_and(|f| f.place.line.is_some()))?;
    let columns = Columns { severity: Some(at), file: Some(file), ..Columns::default() };
    Some(finding(&columns, cells, number))
}

/// Whether a status closes an item. Open, In Progress and Reopened do not.
fn is_closed(status: &str) -> bool {
    let folded = label::fold(status.trim_matches(['*', '_', '`', ' ']));
    let closed = [
        "fixed",
        "resolved",
        "closed",
        "won't fix",
        "won’t fix",
        "wontfix",
        "done",
        "✅",
        "해결",
        "완료",
        "修正済",
        "解決済",
        "已修复",
        "已解决",
    ];
    closed.iter().any(|c| folded.starts_with(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(header: &str, line: &str) -> Row {
        row(&Columns::of(&cells(header).unwrap()), &cells(line).unwrap(), false, false, 1)
    }

    #[test]
    fn a_row_is_read_by_the_names_of_its_columns() {
        let Row::Finding(found) = read("| # | Severity | File | Line | Issue |", r"| 2 | Major | src/a.rs | 70-75 | `a \| b` is wrong |")
        else {
            panic!("no finding")
        };
        assert_eq!((found.grade, found.title.as_str()), (Grade::High, "`a | b` is wrong"));
        assert_eq!(found.place, Some(Location { path: "src/a.rs".to_owned(), line: Some(70), end_line: Some(75) }));
        assert_eq!(read("| Severity | Count |", "| Critical | 2 |"), Row::Count(Counted::Critical, 2));
        assert_eq!(read("| Gate | Clause |", "| High | x |"), Row::Other);
        assert_eq!(read("| ID | Priority | Status | Location |", "| C-1 | P0 | Won't fix | a.rs:1 |"), Row::Closed);
        assert_eq!(read("| ID | Priority | Location |", "| (none) | — | — |"), Row::Absent("(none)".to_owned()));
    }

    #[test]
    fn a_row_without_a_header_needs_a_level_and_a_line() {
        assert!(headless(&cells("| critical | src/a.rs:3 | boom |").unwrap(), 1).is_some());
        assert!(headless(&cells("| critical | the path | boom |").unwrap(), 1).is_none());
        assert!(headless(&cells("| some | src/a.rs:3 | boom |").unwrap(), 1).is_none());
    }
}
