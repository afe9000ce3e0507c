//! Docs against the program: a page per command, the error table, the README's table, links.
//!
//! `REVIEW_LOOP_BLESS=1 cargo test docs` writes the generated blocks anew.

use std::path::{Path, PathBuf};

use review_loop::base::fail::Code;

use crate::kit::{Kit, package};

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path:?}: {e}"))
}

/// Compares the block between two marks with what it must hold, or writes it.
fn block(path: &Path, mark: &str, want: &str) {
    let page = text(path);
    let (open, close) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->"));
    let (head, rest) = page.split_once(&open).unwrap_or_else(|| panic!("{path:?} has no block `{mark}`"));
    let (got, tail) = rest.split_once(&close).unwrap_or_else(|| panic!("{path:?} has no end of `{mark}`"));
    if got != want && std::env::var_os("REVIEW_LOOP_BLESS").is_some() {
        std::fs::write(path, format!("{head}{open}{want}{close}{tail}")).unwrap();
        return;
    }
    assert_eq!(got, want, "{path:?}: the block `{mark}` is out of date; REVIEW_LOOP_BLESS=1 cargo test docs");
}

fn help(kit: &Kit, words: &[&str]) -> String {
    String::from_utf8(kit.command(words).arg("--help").output().unwrap().stdout).unwrap()
}

/// Every command with its one-line description, as `--help` lists them.
pub fn commands(kit: &Kit) -> Vec<(String, String)> {
    let help = help(kit, &[]);
    let list = help.split_once("Commands:\n").unwrap().1.split("\n\n").next().unwrap();
    let rows = list.lines().filter_map(|l| l.trim().split_once("  "));
    rows.map(|(name, about)| (name.trim().to_owned(), about.trim().to_owned())).collect()
}

#[test]
fn every_command_has_a_page_with_its_own_help() {
    let kit = Kit::new();
    let commands = commands(&kit);
    assert!(commands.len() >= 20, "{commands:?}");
    for (name, _) in &commands {
        let page = package().join(format!("docs/commands/{name}.md"));
        block(&page, "help", &format!("```text\n{}```\n", help(&kit, &[name])));
        let text = text(&page);
        for section in ["## Answer", "## Errors and exit status", "## Source"] {
            assert!(text.contains(section), "{page:?} has no {section}");
        }
    }
    let pages = std::fs::read_dir(package().join("docs/commands")).unwrap().flatten().count();
    assert_eq!(pages, commands.len(), "a page without a command");
}

#[test]
fn the_rooms_of_the_help_hold_every_command_once() {
    let kit = Kit::new();
    let help = help(&kit, &[]);
    let rooms = help.split_once("Rooms:\n").unwrap().1;
    let mut listed: Vec<String> = rooms
        .lines()
        .flat_map(|l| l.trim().split_once(' ').map(|(_, r)| r.to_owned()))
        .flat_map(|r| r.split(", ").map(|w| w.trim().to_owned()).collect::<Vec<_>>())
        .collect();
    let mut all: Vec<String> = commands(&kit).into_iter().map(|(n, _)| n).collect();
    listed.sort();
    all.sort();
    assert_eq!(listed, all);
}

#[test]
fn the_readme_lists_every_command() {
    let kit = Kit::new();
    let rows: String = commands(&kit).iter().map(|(name, about)| format!("| [{name}](docs/commands/{name}.md) | {about} |\n")).collect();
    block(&package().join("README.md"), "commands", &format!("| command | purpose |\n|---|---|\n{rows}"));
}

#[test]
fn every_error_code_is_documented_with_its_meaning() {
    let rows: String =
        Code::ALL.iter().map(|c| format!("| `{}` | {} | {} | {} |\n", c.word(), c.kind().word(), c.meaning(), c.hint())).collect();
    block(&package().join("docs/errors.md"), "codes", &format!("| code | kind | when | what to do |\n|---|---|---|---|\n{rows}"));
}

#[test]
fn codes_named_on_command_pages_exist() {
    let words: Vec<&str> = Code::ALL.iter().map(|c| c.word()).collect();
    for entry in std::fs::read_dir(package().join("docs/commands")).unwrap().flatten() {
        let page = text(&entry.path());
        let errors = page.split_once("## Errors and exit status").unwrap().1.split("\n## ").next().unwrap().to_owned();
        for word in errors.split('`').filter(|w| w.contains('_') && w.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')) {
            assert!(words.contains(&word), "{:?} names {word}", entry.path());
        }
    }
}

fn markdown_files(folder: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(folder).into_iter().flatten();
    walk.map(walkdir::DirEntry::into_path).filter(|p| p.extension().is_some_and(|e| e == "md")).collect()
}

#[test]
fn relative_links_of_the_docs_resolve() {
    let mut pages = markdown_files(&package().join("docs"));
    pages.push(package().join("README.md"));
    pages.push(package().join("CHANGELOG.md"));
    for page in pages {
        for target in text(&page).split("](").skip(1).filter_map(|r| r.split(')').next()) {
            let file = target.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") || target.contains('\n') {
                continue;
            }
            assert!(page.parent().unwrap().join(file).exists(), "{page:?} links to {target}");
        }
    }
}

#[test]
fn the_set_up_commands_of_the_readme_are_the_scripts() {
    let readme = text(&package().join("README.md"));
    assert!(readme.contains("\nbash scripts/demo.sh\n") && readme.contains("\nbash scripts/test.sh\n"));
    assert!(text(&package().join(".ci/run")).contains("bash scripts/test.sh"));
}
