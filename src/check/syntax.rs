//! broken-json, broken-toml, broken-yaml: files that no program can read.

use saphyr_parser::Parser;

use super::{Issue, Subject};
use crate::base::path::printable;
use crate::base::severity::Grade;

/// Finds syntax errors, in the whole file: a change anywhere can break it.
pub fn find(subject: &Subject<'_>) -> Vec<Issue> {
    let Some(text) = subject.text.filter(|_| subject.has_new_lines()) else {
        return Vec::new();
    };
    let broken = match subject.extension().as_str() {
        "json" if !allows_comments(subject.path) => json(text).map(|found| ("broken-json", found)),
        "toml" => toml(text).map(|found| ("broken-toml", found)),
        "yaml" | "yml" if !is_template(subject.path, text) => yaml(text).map(|found| ("broken-yaml", found)),
        _ => None,
    };
    let issue = |(rule, (line, why)): (&'static str, (Option<u64>, String))| {
        let what = &rule["broken-".len()..];
        Issue::at(rule, Grade::High, subject, line, format!("the file is not {what}: {}", printable(&why)))
    };
    broken.map(issue).into_iter().collect()
}

/// Files that are JSON with comments by convention.
fn allows_comments(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let known = ["tsconfig", "jsconfig", ".eslintrc", "devcontainer", "settings.json", "launch.json", "tasks.json", "extensions.json"];
    known.iter().any(|k| name.starts_with(k)) || path.contains(".vscode/")
}

/// Templates of YAML are not YAML yet.
fn is_template(path: &str, text: &str) -> bool {
    path.split('/').any(|f| f == "templates") || text.contains("{{") || text.contains("{%")
}

fn json(text: &str) -> Option<(Option<u64>, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    let said = error.to_string();
    let why = said.split(" at line ").next().unwrap_or_default().to_owned();
    Some((Some(error.line().max(1) as u64), why))
}

fn toml(text: &str) -> Option<(Option<u64>, String)> {
    let error = text.parse::<toml::Table>().err()?;
    let line = error.span().map(|s| text[..s.start.min(text.len())].matches('\n').count() as u64 + 1);
    Some((line, error.message().to_owned()))
}

fn yaml(text: &str) -> Option<(Option<u64>, String)> {
    let failed = Parser::new_from_str(text).find_map(Result::err)?;
    Some((Some(failed.marker().line() as u64), failed.info().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::subject;

    fn line(path: &str, text: &str) -> Option<(String, Option<u64>)> {
        find(&subject(path, text)).into_iter().next().map(|i| (i.rule, i.line))
    }

    #[test]
    fn broken_files_are_named_with_their_line() {
        assert_eq!(line("a.json", "{\n \"a\": 1,\n}\n"), Some(("broken-json".to_owned(), Some(3))));
        assert_eq!(line("a.toml", "a = 1\nb = [\n"), Some(("broken-toml".to_owned(), Some(2))));
        assert_eq!(line("a.yml", "a: [1, 2\nb: }\n").map(|l| l.0), Some("broken-yaml".to_owned()));
    }

    #[test]
    fn good_files_and_files_with_comments_are_left_alone() {
        assert_eq!(line("a.json", "{\"a\": [1, 2]}\n"), None);
        assert_eq!(line("tsconfig.json", "{ // x\n}\n"), None);
        assert_eq!(line("a.toml", "[a]\nb = 1\n"), None);
        assert_eq!(line("a.yaml", "a:\n  - b: c\n---\nd: e\n"), None);
        assert_eq!(line("charts/templates/a.yaml", "a: {{ .Values.x }}\n"), None);
    }
}
