//! Skills: the limits of the Agent Skills format, command lines against the real grammar, examples through our readers.

use std::path::{Path, PathBuf};

use review_loop::finding::read;
use review_loop::report::{gate, response, strict};
use review_loop::wire;

use crate::kit::{Kit, folders, package};

fn skills() -> Vec<PathBuf> {
    folders(&package().join("skills"))
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path:?}: {e}"))
}

fn pages(skill: &Path) -> Vec<PathBuf> {
    let mut pages = vec![skill.join("SKILL.md")];
    pages.extend(std::fs::read_dir(skill.join("references")).unwrap().flatten().map(|e| e.path()));
    pages
}

/// The contents of fences with this info string.
fn fences(text: &str, info: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(&str, bool, String)> = None;
    for line in text.lines() {
        match &mut open {
            Some((marker, wanted, body)) if line == *marker => {
                found.extend(wanted.then(|| std::mem::take(body)));
                open = None;
            }
            Some((_, _, body)) => body.extend([line, "\n"]),
            None => {
                let ticks = line.len() - line.trim_start_matches('`').len();
                open = (ticks >= 3).then(|| (&line[..ticks], &line[ticks..] == info, String::new()));
            }
        }
    }
    found
}

#[test]
fn front_matter_keeps_the_limits_of_the_format() {
    for skill in skills() {
        let page = text(&skill.join("SKILL.md"));
        assert!(page.lines().count() < 250, "{skill:?}");
        let front = page.strip_prefix("---\n").and_then(|r| r.split_once("\n---\n")).unwrap().0;
        let value = |key: &str| front.lines().find_map(|l| l.strip_prefix(&format!("{key}: "))).unwrap_or_default();
        let name = value("name");
        assert_eq!(name, skill.file_name().unwrap().to_string_lossy());
        assert!(
            (1..=64).contains(&name.len())
                && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
                && !name.contains("--")
        );
        assert!((1..=1024).contains(&value("description").chars().count()));
        assert!((1..=500).contains(&value("compatibility").chars().count()));
        let keys: Vec<&str> = front.lines().filter(|l| !l.starts_with(' ')).filter_map(|l| l.split(':').next()).collect();
        let allowed = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
        assert!(keys.iter().all(|k| allowed.contains(k)), "{keys:?}");
    }
}

/// What a placeholder stands for, as far as the grammar looks at it.
fn filled(word: &str) -> String {
    let value = match word {
        "N" | "ACTUAL" => "1",
        "CAP" => "5",
        "FAILURES" => "0",
        "HOST" => "claude",
        "PHASE" => "implementation",
        "RISK" => "low",
        "REVIEWERS" => "claude-opus,codex-review",
        "REVIEWER_ID" => "claude-opus",
        "READINESS" => "READY_FOR_IMPLEMENTATION",
        "BASE" => "abcdef1",
        "SOURCE" => "checks",
        "SECONDS" => "600",
        "PROVIDER" => "codex",
        "SOURCE_OF_DECISION" => "human",
        "TIER" => "small",
        "CODES" => "localized-change,focused-verification",
        "REASON" => "pass_timeout",
        "LANE" => "deep",
        "KIND" => "died",
        "OUTCOME" => "aborted",
        other => other,
    };
    value.to_owned()
}

#[test]
fn every_command_line_parses_against_the_real_grammar() {
    let mut seen = 0;
    for page in skills().iter().flat_map(|s| pages(s)) {
        for line in fences(&text(&page), "sh").iter().flat_map(|f| f.lines()) {
            let words: Vec<String> = line.split_whitespace().map(filled).collect();
            assert_eq!(words.first().map(String::as_str), Some("review-loop"), "{page:?}: {line}");
            // Run for real in an empty folder: it may fail for want of files, and never for its words.
            let kit = Kit::new();
            let ran = kit.run(&words[1..].iter().map(String::as_str).collect::<Vec<_>>());
            assert_ne!(ran.json["error"]["kind"], "usage", "{page:?}: {line}\n{}", ran.stdout);
            seen += 1;
        }
    }
    assert!(seen >= 30, "{seen}");
}

#[test]
fn every_command_of_the_wave_loop_is_sequenced_by_its_skill() {
    let skill = package().join("skills/wave-review-loop");
    let all: String = pages(&skill).iter().map(|p| text(p)).collect();
    for command in [
        "seal-criteria",
        "resolve-policy",
        "assess-floor",
        "run-waves",
        "show-gate",
        "open-gate",
        "open-wave",
        "run-check",
        "compile-wave",
        "close-wave",
        "set-override",
        "clear-override",
        "waive-gate",
        "recover-review",
        "check-receipt",
    ] {
        assert!(all.contains(&format!("review-loop {command} ")), "{command}");
    }
    let report = &fences(&text(&skill.join("references/wave.md")), "json")[0];
    assert!(wire::wave_report::read(report.as_bytes()).is_ok());
    // Tier numbers are printed by the tool and restated nowhere.
    assert!(!all.contains("| small |") && !all.contains("3 clean") && !all.contains("six clean"));
}

#[test]
fn every_command_of_the_design_loop_is_sequenced_by_its_skill() {
    let skill = package().join("skills/fix-design-review-loop");
    let all: String = pages(&skill).iter().map(|p| text(p)).collect();
    for command in [
        "open-design-loop",
        "check-design-artifact",
        "check-drift",
        "start-lane",
        "record-lane",
        "fail-lane",
        "retry-lane",
        "complete-design-round",
        "open-design-round",
        "close-design-loop",
        "check-design-ledger",
        "append-run",
        "settle-run",
        "check-runs",
        "resolve-agents-mode",
        "normalize-agents-mode",
    ] {
        assert!(all.contains(&format!("review-loop {command} ")), "{command}");
    }
    // A template is no artifact: everything in it is still to be said.
    let template = text(&skill.join("references/template.md"));
    let missing = review_loop::design::artifact::missing(&template);
    assert_eq!(missing.len(), review_loop::design::artifact::Part::ALL.len(), "{missing:?}");
    assert!(missing.iter().all(|m| m.line.is_some()), "and its headings are those of the parts: {missing:?}");
}

#[test]
fn every_command_of_the_resolution_loop_is_sequenced_by_its_skill() {
    let skill = package().join("skills/review-loop");
    let all: String = pages(&skill).iter().map(|p| text(p)).collect();
    for command in [
        "list-sources",
        "open-resolution",
        "run-source",
        "render-prompt",
        "track-recurrence",
        "check-brief",
        "record-decision",
        "record-disposition",
        "render-trace",
        "check-convergence",
        "list-carryover",
        "show-status",
    ] {
        assert!(all.contains(&format!("review-loop {command} ")), "{command}");
    }
    assert!(all.contains("You can end this loop at any time by saying so"), "the free exit is announced");
    assert_eq!(all.matches("You can end this loop at any time").count(), 1, "and announced once");
}

#[test]
fn the_json_examples_of_the_resolution_skill_are_documents_of_ours() {
    let skill = package().join("skills/review-loop");
    let decisions = fences(&text(&skill.join("SKILL.md")), "json");
    assert!(wire::decisions::asked(decisions[0].as_bytes()).unwrap().entry.is_some());
    let judging = fences(&text(&skill.join("references/judging.md")), "json");
    assert_eq!(wire::brief::read(judging[0].as_bytes()).unwrap().len(), 1);
    assert_eq!(wire::dispositions::asked(judging[1].as_bytes()).unwrap().len(), 3);
}

#[test]
fn every_command_of_the_loop_is_sequenced_by_its_skill() {
    let all: String = pages(&package().join("skills/deep-review-loop")).iter().map(|p| text(p)).collect();
    for command in [
        "expand-loop-args",
        "plan-round",
        "cleanup-residue",
        "snapshot-reports",
        "resolve-round-report",
        "assert-same-path",
        "collect-metrics",
        "record-round",
        "render-prior-context",
        "render-session-doc",
        "synthesize-verdict",
        "decide-round",
        "summarize-loop",
        "seal-readiness",
        "check-readiness",
        "parse-response",
        "detect-scope",
        "fingerprint-scope",
    ] {
        assert!(all.contains(&format!("review-loop {command} ")), "{command}");
    }
}

#[test]
fn references_that_are_named_are_there() {
    for skill in skills() {
        for page in pages(&skill) {
            for word in text(&page).split(['`', ' ', '(', ')']).filter(|w| w.starts_with("references/") && w.ends_with(".md")) {
                assert!(skill.join(word).is_file(), "{page:?} names {word}");
            }
        }
    }
}

#[test]
fn the_report_example_is_strict_and_reads_as_it_is_written() {
    let page = text(&package().join("skills/deep-review-loop/references/report-format.md"));
    let example = &fences(&page, "markdown")[0];
    let read_strictly = strict::read(example).unwrap();
    let review = read::review(example.as_bytes());
    assert_eq!((review.findings.len(), review.contradictions.len(), read_strictly.counts.critical), (3, 0, 1));
    assert_eq!(review.findings[1].also[0].path, "src/queue/mod.rs");
    let document = &fences(&page, "markdown")[1];
    let value = wire::json::parse(gate::fence(document).unwrap().as_bytes()).unwrap();
    assert_eq!(gate::findings(&value).unwrap().len(), 1);
}

#[test]
fn the_response_example_agrees_with_itself() {
    let page = text(&package().join("skills/deep-review-loop/references/response-format.md"));
    let example = &fences(&page, "markdown")[0];
    let read = response::read(example);
    assert!(read.contradictions.is_empty(), "{:?}", read.contradictions);
    assert_eq!((read.implemented(), read.halted()), ((1, response::Origin::Stated), (true, response::Origin::Stated)));
    assert!(read.items.iter().all(|i| i.place.is_some() && i.decision.is_some()));
    // What is stated is also what the blocks would say.
    let unstated = response::Response { implemented_stated: None, halted_stated: None, ..read };
    assert_eq!((unstated.implemented().0, unstated.halted().0), (1, true));
}

#[test]
fn the_json_examples_of_the_review_are_documents_of_ours() {
    let page = text(&package().join("skills/deep-review-loop/references/review.md"));
    let examples = fences(&page, "json");
    assert_eq!(examples.len(), 4);
    assert_eq!(wire::attempts::read(examples[0].as_bytes()).unwrap().attempts.len(), 1);
    let hex = "a".repeat(64);
    let metadata = examples[1].replace("64 HEX of synthesize-verdict's answer", &hex);
    assert_eq!(wire::routing::read(metadata.as_bytes(), Path::new("/")).unwrap().actual_reviewers.len(), 2);
    assert_eq!(wire::readiness::request(examples[2].as_bytes()).unwrap().minimum_reviewers, 2);
    assert_eq!(wire::readiness::results(examples[3].as_bytes()).unwrap().results.len(), 1);
}
