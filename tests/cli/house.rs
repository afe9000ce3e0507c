//! The house rules as tests: imports point down, nothing lies about unused, names and heads keep their form.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::kit::{Kit, package};

fn sources() -> Vec<(String, String)> {
    let walk = walkdir::WalkDir::new(package().join("src")).sort_by_file_name().into_iter().flatten();
    let files = walk.map(walkdir::DirEntry::into_path).filter(|p| p.extension().is_some_and(|e| e == "rs"));
    files
        .map(|p| (p.strip_prefix(package().join("src")).unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&p).unwrap()))
        .collect()
}

/// What is compiled into the program: everything before the tests of a file.
fn program(text: &str) -> &str {
    text.split("\n#[cfg(test)]\n").next().unwrap_or(text)
}

/// The room of a file: its first folder, or its own name at the top.
fn room(file: &str) -> String {
    file.split('/').next().unwrap().trim_end_matches(".rs").to_owned()
}

/// Which rooms a room may use, besides `base` and itself.
fn allowed(room: &str) -> &'static [&'static str] {
    match room {
        "base" => &[],
        "finding" | "scope" | "residue" => &[],
        "host" => &[],
        "report" | "design" => &["finding"],
        "round" => &["finding", "report", "residue"],
        "check" | "source" | "resolution" | "wave" => &["finding", "scope"],
        "drive" => &["finding", "scope", "report", "residue", "round", "check", "resolution", "design"],
        "wire" => &["finding", "scope", "report", "residue", "round", "check", "source", "resolution", "wave", "design", "drive"],
        "ops" => {
            &["finding", "scope", "report", "residue", "round", "check", "source", "resolution", "wave", "design", "drive", "wire", "host"]
        }
        "lib" => &[
            "base",
            "check",
            "design",
            "drive",
            "finding",
            "host",
            "ops",
            "report",
            "residue",
            "resolution",
            "round",
            "scope",
            "source",
            "wave",
            "wire",
        ],
        other => panic!("the room `{other}` is not in the picture of docs/architecture.md"),
    }
}

#[test]
fn imports_point_down_only() {
    for (file, text) in sources().iter().filter(|(f, _)| !f.starts_with("bin/")) {
        let from = room(file);
        for (at, _) in program(text).match_indices("crate::") {
            let to: String = program(text)[at + 7..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let grouped = to.is_empty();
            let edge_is_fine = grouped || to == from || to == "base" || allowed(&from).contains(&to.as_str());
            assert!(edge_is_fine, "{file} uses crate::{to}");
        }
        assert!(!program(text).contains("use crate::{"), "{file}: one line per room, so that edges can be read");
    }
}

#[test]
fn the_library_ends_at_the_terminal() {
    for (file, text) in sources() {
        let out = ["println!", "eprintln!", "print!(", "std::process::exit"].iter().find(|w| program(&text).contains(**w));
        assert_eq!(out, None, "{file}");
    }
}

#[test]
fn rules_read_no_clock_file_process_or_environment() {
    const RIM: [&str; 4] = ["host", "ops", "bin", "lib"];
    for (file, text) in sources().iter().filter(|(f, _)| !RIM.contains(&room(f).as_str())) {
        for word in ["std::fs", "std::process", "std::env", "SystemTime", "Instant::now", "std::thread", "tempfile::", "crate::host"] {
            assert!(!program(text).contains(word), "{file} uses {word}");
        }
    }
}

#[test]
fn every_file_says_what_it_owns() {
    for (file, text) in sources() {
        let head: Vec<&str> = text.lines().take_while(|l| l.starts_with("//!")).collect();
        assert!(head.first().is_some_and(|l| l.len() > 20), "{file} has no module head");
        assert!(!file.ends_with("mod.rs"), "{file}");
    }
}

#[test]
fn every_command_has_its_op_its_page_and_its_test() {
    let kit = Kit::new();
    let tests: String =
        std::fs::read_dir(package().join("tests/cli")).unwrap().flatten().map(|e| std::fs::read_to_string(e.path()).unwrap()).collect();
    let commands: BTreeSet<String> = crate::docs::commands(&kit).into_iter().map(|(n, _)| n).collect();
    for name in &commands {
        let file = name.replace('-', "_");
        for path in [format!("src/bin/review-loop/commands/{file}.rs"), format!("src/ops/{file}.rs"), format!("docs/commands/{name}.md")] {
            assert!(package().join(&path).is_file(), "{name} has no {path}");
        }
        assert!(tests.contains(&format!("\"{name}\"")), "no test calls {name}");
    }
    let files = std::fs::read_dir(package().join("src/bin/review-loop/commands")).unwrap().flatten();
    for file in files.map(|e| e.path()) {
        let name = file.file_stem().unwrap().to_string_lossy().replace('_', "-");
        assert!(commands.contains(&name), "{file:?} is no command");
    }
}

#[test]
fn ops_that_are_no_command_are_called_by_one_that_is() {
    let all = sources();
    for (file, _) in all.iter().filter(|(f, _)| f.starts_with("ops/")) {
        let name = Path::new(file).file_stem().unwrap().to_string_lossy().into_owned();
        let command = package().join(format!("src/bin/review-loop/commands/{name}.rs")).is_file();
        let callers = |f: &str| f.starts_with("ops/") || f.contains("/commands/");
        let used = all.iter().any(|(f, t)| f != file && callers(f) && program(t).contains(&name));
        assert!(command || used, "{file} is used by nobody");
    }
}

#[test]
fn types_are_plain_nouns() {
    for (file, text) in sources() {
        for line in text.lines().filter(|l| l.trim_start().starts_with("pub struct ") || l.trim_start().starts_with("pub enum ")) {
            let name: String = line.split_whitespace().nth(2).unwrap().chars().take_while(char::is_ascii_alphanumeric).collect();
            let empty = ["Data", "Info", "Manager", "Helper", "Util"].iter().find(|w| name.ends_with(**w));
            assert_eq!(empty, None, "{file}: {name}");
        }
    }
}

#[test]
fn every_reader_of_a_document_is_a_fuzz_target() {
    let fuzz = std::fs::read_to_string(package().join("tests/cli/fuzz.rs")).unwrap();
    for (file, text) in sources().iter().filter(|(f, _)| f.starts_with("wire/")) {
        let module = Path::new(file).file_stem().unwrap().to_string_lossy().into_owned();
        let reads = text.contains("pub fn read(") || module == "json";
        let small = ["recurring", "snapshot", "summary", "readiness"].contains(&module.as_str());
        assert!(!reads || small || fuzz.contains(&format!("wire::{module}::")), "{file} has no fuzz target");
    }
}

#[test]
fn floors_of_the_worked_inputs_hold() {
    let count = |name: &str| crate::kit::folders(&crate::kit::shared(name)).len();
    assert!(count("scope") >= 75 && count("reports") >= 50 && count("responses") >= 8);
}

fn tracked() -> Vec<PathBuf> {
    let output = std::process::Command::new("git").args(["ls-files", "-z"]).current_dir(package()).output().unwrap();
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    names.split('\0').filter(|n| !n.is_empty()).map(|n| package().join(n)).collect()
}

#[test]
fn no_tracked_file_holds_what_no_stop_should_leave_behind() {
    let words = [
        concat!("to", "do!("),
        concat!("unimplem", "ented!("),
        concat!("#[ig", "nore"),
        concat!("thread::", "sleep("),
        concat!("crates", ".io"),
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/"),
    ];
    for file in tracked().iter().filter(|p| !p.components().any(|c| c.as_os_str() == "cases") && !p.ends_with("Cargo.lock")) {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        for word in words {
            let named = file.ends_with("clippy.toml") || file.ends_with("house.rs");
            assert!(named || !text.contains(word), "{file:?} holds {word}");
        }
    }
}
