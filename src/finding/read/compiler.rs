//! `path:line[:column]: message`, as compilers and linters print it, one finding a line.
//!
//! ESLint's own listing names a file and has the messages of it below. A text is of this kind when most of its lines are; other lines of it say nothing, unless they look like findings. Bound: linear.

use super::{entry, label, location};
use crate::base::severity::{self, Grade};
use crate::finding::{Finding, Format, Location, Review};

/// Whether most lines of a text are such messages. Looks at the first two hundred.
pub fn looks_like(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).take(200).collect();
    let messages = lines.iter().filter(|l| l.len() < 4096 && one(l, 1).is_some()).count();
    let listed = lines.iter().filter(|l| l.len() < 4096 && below_file(l).is_some()).count();
    messages > 0 && messages * 2 > lines.len() || listed > 0 && listed * 3 >= lines.len()
}

/// `  3:5  error  'x' is not defined  no-undef`: a message below its file: the line, the level, and what is said.
fn below_file(line: &str) -> Option<(u64, severity::Written, &str)> {
    let body = line.trim_start().strip_prefix(|c: char| c.is_ascii_digit()).filter(|_| line.starts_with([' ', '\t']))?;
    let body = &line[line.len() - body.len() - 1..];
    let (place, rest) = body.split_once([' ', '\t'])?;
    let (number, column) = place.split_once(':').unwrap_or((place, ""));
    let written = severity::at_start(rest).filter(|_| column.bytes().all(|b| b.is_ascii_digit()))?;
    // A number alone is a line only in columns: `  12  HIGH  text`.
    let columns = rest.starts_with([' ', '\t']) && ["  ", "\t"].iter().any(|gap| rest[written.end..].starts_with(gap));
    if !place.contains(':') && !columns {
        return None;
    }
    Some((crate::base::number::digits(number)?, written.clone(), rest[written.end..].trim()))
}

/// Reads such a text.
pub fn read(text: &str) -> Review {
    let mut review = Review { format: Some(Format::Lines), ..Review::default() };
    let mut file = None;
    for (line, number) in text.lines().zip(1..) {
        if let Some((at, written, said)) = below_file(line) {
            let place = file.clone().map(|path| Location { path, line: Some(at), end_line: None });
            let (title, rule) = said.rsplit_once("  ").map_or((said, None), |(title, rule)| (title.trim(), Some(rule.to_owned())));
            let title = entry::plain(title, 400);
            review.findings.push(Finding {
                grade: written.grade,
                severity_text: Some(written.text),
                place,
                headline: title.clone(),
                title,
                rule,
                report_line: number,
                ..Finding::default()
            });
            continue;
        }
        if let Some(place) = location::alone(line) {
            file = Some(place.path);
            continue;
        }
        match one(line, number) {
            Some(finding) => review.findings.push(finding),
            None if label::is_suspicious(line) => drop(review.suspicious.insert(number)),
            None => {}
        }
    }
    review
}

/// `::error file=src/a.rs,line=4,endLine=6,title=x::text`: what a workflow prints to annotate a line. A notice that names no file
/// only speaks.
pub fn annotation(line: &str, report_line: u64) -> Option<Finding> {
    let (head, message) = line.strip_prefix("::")?.split_once("::")?;
    let (kind, properties) = head.split_once(' ').unwrap_or((head, ""));
    let grade = match kind {
        "error" => Grade::High,
        "warning" => Grade::Medium,
        "notice" => Grade::Suggestion,
        _ => return None,
    };
    let property =
        |key: &str| properties.split(',').find_map(|p| p.trim().strip_prefix(key)?.strip_prefix('=')).map(location::percent_decoded);
    let number = |key: &str| property(key).and_then(|n| crate::base::number::digits(&n)).filter(|n| *n > 0);
    let line = number("line");
    let end_line = number("endLine").filter(|end| line.is_some_and(|first| *end > first));
    let place = property("file").map(|path| Location { path, line, end_line });
    if kind == "notice" && place.is_none() {
        return None;
    }
    let (first, rest) = entry::title_and_body(&location::percent_decoded(message));
    let (title, body) = match property("title").map(|t| entry::one_line(&t)).filter(|t| !t.is_empty()) {
        Some(title) if title == first => (title, rest),
        Some(title) => (title, [first, rest].join("\n").trim().to_owned()),
        None => (first, rest),
    };
    let headline = title.clone();
    Some(Finding { grade, severity_text: Some(kind.to_owned()), place, title, headline, body, report_line, ..Finding::default() })
}

/// `^--^ SC2086 (info): text`: what a linter says of the line that it shows above; the place was named before that.
pub fn pointed(body: &str, report_line: u64) -> Option<Finding> {
    let said = body.strip_prefix('^')?.trim_start_matches(['-', '^', '~']).strip_prefix(' ')?;
    let (code, behind) = said.split_once(' ')?;
    let (level, message) = behind.strip_prefix('(')?.split_once("): ")?;
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let shaped = letters > 0 && code.len() > letters && code[letters..].bytes().all(|b| b.is_ascii_digit());
    let written = severity::at_start(level).filter(|w| w.end == level.len());
    // `style` is the least of its four levels.
    let grade = written.map(|w| w.grade).or_else(|| (level == "style").then_some(Grade::Suggestion)).filter(|_| shaped)?;
    let title = entry::plain(message, 400);
    let (headline, rule) = (title.clone(), Some(code.to_owned()));
    Some(Finding { grade, severity_text: Some(level.to_owned()), title, headline, rule, report_line, ..Finding::default() })
}

/// `DL3008 warning: …`: the rule of a message, and what stands behind it, where that is a level.
fn rule(rest: &str) -> Option<(&str, &str)> {
    let (code, behind) = rest.split_once(' ')?;
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let shaped = (1..=8).contains(&letters) && code.len() > letters && code[letters..].bytes().all(|b| b.is_ascii_digit());
    (shaped && severity::at_start(behind).is_some_and(|w| behind[w.end..].starts_with(':'))).then_some((code, behind))
}

/// Reads one message; a line without a place at its start says nothing.
pub fn one(line: &str, report_line: u64) -> Option<Finding> {
    if let Some(annotated) = annotation(line, report_line) {
        return Some(annotated);
    }
    let starts = line.as_bytes().first().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'/' | b'_') || !b.is_ascii());
    if !starts {
        return None;
    }
    let cite = location::scan(line).into_iter().next().filter(|c| c.span.start == 0 && c.place.line.is_some())?;
    let behind = &line[cite.span.end..];
    let rest = behind.trim_start_matches([':', ' ', '-', '—', '–', '\t', '|']);
    if rest.len() == behind.len() || rest.is_empty() {
        return None;
    }
    let (code, rest) = rule(rest).map_or((None, rest), |(code, rest)| (Some(code.to_owned()), rest));
    // `Error return value is not checked` is a sentence; a level is followed by a mark.
    let sentence =
        |w: &severity::Written| rest[w.end..].starts_with(' ') && rest[w.end..].trim_start().starts_with(|c: char| c.is_lowercase());
    let written = severity::at_start(rest.trim_start_matches(['[', '(']))
        .filter(|w| rest.starts_with(['[', '(']) || !sentence(w) || rest.starts_with(|c: char| c.is_lowercase()));
    let bracket = rest.len() - rest.trim_start_matches(['[', '(']).len();
    let message = written.as_ref().map(|w| rest[bracket + w.end..].trim_start_matches([':', ' ', '-', '—', '–', ']', ')', '|']));
    let title = message.filter(|m| !m.is_empty()).unwrap_or(rest);
    Some(Finding {
        grade: written.as_ref().map_or(Grade::Unknown, |w| w.grade),
        severity_text: written.map(|w| w.text),
        place: Some(cite.place),
        title: entry::plain(title, 400),
        headline: entry::plain(rest, 400),
        rule: code,
        report_line,
        ..Finding::default()
    })
}
