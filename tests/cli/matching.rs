//! match-findings: the ladder of evidence in real repositories, and the laws it keeps.

use serde_json::{Value, json};

use crate::kit::Kit;

fn finding(id: &str, path: &str, line: u64, title: &str) -> Value {
    json!({"id": id, "severity": "high", "path": path, "line": line, "title": title, "body": ""})
}

fn set(kit: &Kit, name: &str, findings: &[Value]) {
    kit.write(name, json!({"findings": findings}).to_string());
}

const SOURCE: &str = "fn alpha() {\n    open_the_file(path);\n    read_everything(handle);\n}\n\nfn beta() {\n    retry_request(url);\n    parse_header(bytes);\n}\n\nfn gamma() {\n    compute_total(values);\n    print_report(total);\n}\n";

fn matched(kit: &Kit, more: &[&str]) -> Value {
    let mut args = vec!["match-findings", "--previous", "a.json", "--current", "b.json"];
    args.extend(more);
    kit.run(&args).ok()
}

/// A repository with a first commit, and the ids of its revisions.
fn repository(kit: &Kit) -> String {
    kit.repo("r", &[("src/a.rs", SOURCE), ("gone.rs", "fn gone() {}\n")]);
    kit.git("r", &["rev-parse", "HEAD"])
}

#[test]
fn drift_is_computed_and_silence_is_no_fix() {
    let kit = Kit::new();
    let first = repository(&kit);
    let longer = format!("{}{SOURCE}", "// a note\n".repeat(60)).replace("parse_header(bytes)", "parse_header(checked(bytes))");
    kit.write("r/src/a.rs", longer);
    std::fs::remove_file(kit.path("r/gone.rs")).unwrap();
    kit.git("r", &["add", "-A"]);
    kit.git("r", &["commit", "-qm", "second"]);
    let second = kit.git("r", &["rev-parse", "HEAD"]);
    set(
        &kit,
        "a.json",
        &[
            finding("A1", "src/a.rs", 2, "The handle is never closed"),
            finding("A2", "src/a.rs", 7, "Retries without backoff"),
            finding("A3", "src/a.rs", 8, "Integer overflow in the length"),
            finding("A4", "gone.rs", 1, "Dead code"),
            finding("A5", "src/a.rs", 12, "Rounding loses a cent"),
        ],
    );
    set(
        &kit,
        "b.json",
        &[
            finding("B1", "src/a.rs", 62, "File handle leaks, close is missing"),
            json!({"id": "B2", "severity": "low", "path": "src/a.rs", "line": 67, "title": "No pause between attempts, hammering the backend", "body": ""}),
            finding("B3", "src/a.rs", 3, "A stale comment"),
        ],
    );
    let revisions = ["--repo", "r", "--previous-rev", &first, "--current-rev", &second];
    let answer = matched(&kit, &revisions);
    let pairs: Vec<(&str, &str, bool)> = answer["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| (p["previous"].as_str().unwrap(), p["current"].as_str().unwrap(), p["severity_changed"].as_bool().unwrap()))
        .collect();
    assert_eq!(pairs, [("A1", "B1", false), ("A2", "B2", true)]);
    assert_eq!(
        answer["resolved"],
        json!([{"id": "A3", "status": "fixed"}, {"id": "A4", "status": "file_removed"}, {"id": "A5", "status": "unreported_unchanged"}])
    );
    assert_eq!(answer["added"], json!([{"id": "B3", "fix_induced": true}]));
    // The same between the working tree and a commit, and between trees.
    let tree = kit.git("r", &["rev-parse", &format!("{second}^{{tree}}")]);
    assert_eq!(matched(&kit, &["--repo", "r", "--previous-rev", &first, "--current-rev", "WORKTREE"]), answer);
    assert_eq!(matched(&kit, &["--repo", "r", "--previous-rev", &first, "--current-rev", &tree]), answer);
    let bare = kit.text("bare.git");
    kit.git("r", &["clone", "-q", "--bare", ".", &bare]);
    assert_eq!(matched(&kit, &["--repo", "bare.git", "--previous-rev", &first, "--current-rev", &second]), answer);
}

#[test]
fn renames_and_moved_blocks_are_followed() {
    let kit = Kit::new();
    let first = repository(&kit);
    let block = "fn beta() {\n    retry_request(url);\n    parse_header(bytes);\n}\n\n";
    kit.write("r/src/b.rs", format!("{}\n{block}", SOURCE.replace(block, "")));
    std::fs::remove_file(kit.path("r/src/a.rs")).unwrap();
    set(
        &kit,
        "a.json",
        &[finding("A1", "src/a.rs", 2, "The handle is never closed"), finding("A2", "src/a.rs", 7, "Retries without backoff")],
    );
    set(&kit, "b.json", &[finding("B1", "src/b.rs", 2, "The handle is never closed")]);
    let answer = matched(&kit, &["--repo", "r", "--previous-rev", &first, "--current-rev", "WORKTREE"]);
    assert_eq!(answer["pairs"][0]["current"], "B1", "{answer}");
    assert_eq!(answer["resolved"], json!([{"id": "A2", "status": "moved_unreported"}]));
}

#[test]
fn two_defects_on_one_line_stay_two_and_unclear_ones_are_said() {
    let kit = Kit::new();
    set(
        &kit,
        "a.json",
        &[finding("A1", "a.rs", 5, "SQL injection in the query"), finding("A2", "a.rs", 5, "Timeout is missing, the request may hang")],
    );
    set(
        &kit,
        "b.json",
        &[
            finding("B1", "a.rs", 5, "The call has no deadline and waits forever"),
            finding("B2", "a.rs", 5, "Query text is built from user input"),
        ],
    );
    let answer = matched(&kit, &[]);
    assert_eq!((&answer["pairs"][0]["current"], &answer["pairs"][1]["current"]), (&json!("B2"), &json!("B1")), "{answer}");
    // Two wordings that say the same of one line: nobody but a reader can tell which of them is the old one.
    set(&kit, "a.json", &[finding("A1", "a.rs", 5, "Wrong")]);
    set(&kit, "b.json", &[finding("B1", "a.rs", 5, "Wrong"), finding("B2", "a.rs", 5, "Wrong")]);
    let answer = matched(&kit, &[]);
    assert_eq!(answer["ambiguous"], json!([{"previous": ["A1"], "current": ["B1", "B2"], "reason": "several_partners"}]));
    kit.write("links.json", r#"[{"previous":"A1","current":"B2","same":true}]"#);
    let linked = matched(&kit, &["--links", "links.json"]);
    assert_eq!(
        (&linked["pairs"][0]["basis"], &linked["pairs"][0]["current"], &linked["added"][0]["id"]),
        (&json!("asserted"), &json!("B2"), &json!("B1"))
    );
    kit.write("links.json", r#"[{"previous":"A1","current":"B1","same":false},{"previous":"A1","current":"B2","same":false}]"#);
    assert_eq!(matched(&kit, &["--links", "links.json"])["resolved"], json!([{"id": "A1", "status": "unknown"}]));
}

#[test]
fn an_id_is_evidence_only_where_both_sides_state_it_and_nothing_contradicts_it() {
    let kit = Kit::new();
    let stated = |id: &str, path: &str, line: u64, title: &str| {
        let mut f = finding(id, path, line, title);
        f["id_source"] = json!("stated");
        f
    };
    set(&kit, "a.json", &[stated("F-1", "a.rs", 5, "Odd"), stated("F-2", "a.rs", 90, "SQL injection in the query")]);
    set(&kit, "b.json", &[stated("F-1", "a.rs", 300, "Strange"), stated("F-2", "b.rs", 1, "Typo in a comment")]);
    let answer = matched(&kit, &[]);
    let pairs: Vec<(&Value, &Value)> = answer["pairs"].as_array().unwrap().iter().map(|p| (&p["previous"], &p["basis"])).collect();
    assert_eq!(pairs, [(&json!("F-1"), &json!("id"))], "{answer}");
}

#[test]
fn the_answer_is_a_partition_whatever_the_order_of_the_findings() {
    let kit = Kit::new();
    let titles = ["Race on the counter", "Null dereference", "Missing timeout", "Magic number", "Race between threads", "Odd"];
    let make = |tag: &str, step: u64| -> Vec<Value> {
        (0..40)
            .map(|i| finding(&format!("{tag}{i}"), &format!("f{}.rs", i % 3), 3 + (i / 2) * step, titles[(i * 7 % 6) as usize]))
            .collect()
    };
    let (old, mut new) = (make("A", 4), make("B", 4));
    set(&kit, "a.json", &old);
    let mut answers = Vec::new();
    for turn in [0, 11, 23] {
        new.rotate_left(turn);
        set(&kit, "b.json", &new);
        let answer = matched(&kit, &[]);
        let mut seen: Vec<String> = Vec::new();
        let mut note = |v: &Value| seen.push(v.as_str().unwrap().to_owned());
        for pair in answer["pairs"].as_array().unwrap() {
            note(&pair["previous"]);
            note(&pair["current"]);
        }
        answer["resolved"].as_array().unwrap().iter().chain(answer["added"].as_array().unwrap()).for_each(|v| note(&v["id"]));
        for group in answer["ambiguous"].as_array().unwrap() {
            group["previous"].as_array().unwrap().iter().chain(group["current"].as_array().unwrap()).for_each(&mut note);
        }
        seen.sort();
        let count = seen.len();
        seen.dedup();
        assert_eq!((count, seen.len()), (80, 80));
        answers.push(answer["pairs"].clone());
    }
    assert!(answers.windows(2).all(|w| w[0] == w[1]));
}

/// The answer for one finding in a file of sixty lines, of which the tenth is rewritten in the second commit.
fn over_a_repair(previous: &Value, current: &Value) -> Value {
    let kit = Kit::new();
    let source: String = (1..=60).map(|n| format!("step_{n}(value_{n});\n")).collect();
    kit.repo("r", &[("a.rs", &source)]);
    kit.write("r/a.rs", source.replace("step_10(value_10);", "checked(ten)?;"));
    kit.git("r", &["commit", "-qam", "repair"]);
    set(&kit, "a.json", std::slice::from_ref(previous));
    set(&kit, "b.json", std::slice::from_ref(current));
    matched(&kit, &["--repo", "r", "--previous-rev", "HEAD~1", "--current-rev", "HEAD"])
}

#[test]
fn a_repair_is_not_hidden_by_a_number_or_a_title_used_again() {
    let stated = |line: u64, title: &str| {
        let mut f = finding("F-1", "a.rs", line, title);
        f["id_source"] = json!("stated");
        f
    };
    let renumbered = over_a_repair(&stated(10, "Discount wrong for gift cards"), &stated(50, "Footer shows buyer"));
    assert_eq!(renumbered["pairs"], json!([]), "{renumbered}");
    let retitled = over_a_repair(&finding("A1", "a.rs", 10, "Missing null check"), &finding("B1", "a.rs", 50, "Missing null check"));
    assert_eq!(retitled["resolved"], json!([{"id": "A1", "status": "fixed"}]), "{retitled}");
}

#[test]
fn one_of_a_kind_that_was_repaired_is_not_the_other_one_that_was_not() {
    let kit = Kit::new();
    let source = "import json\n\ndef load(path):\n    handle = open(path)\n    return json.load(handle)\n\ndef save(path, data):\n    handle = open(path, 'w')\n    json.dump(data, handle)\n";
    kit.repo("r", &[("a.py", source)]);
    let repaired = source.replace(
        "    handle = open(path)\n    return json.load(handle)\n",
        "    with open(path) as handle:\n        return json.load(handle)\n",
    );
    kit.write("r/a.py", repaired);
    kit.git("r", &["commit", "-qam", "repair"]);
    set(&kit, "a.json", &[finding("A1", "a.py", 4, "File handle is never closed")]);
    set(&kit, "b.json", &[finding("B1", "a.py", 8, "File handle is never closed")]);
    let answer = matched(&kit, &["--repo", "r", "--previous-rev", "HEAD~1", "--current-rev", "HEAD"]);
    assert_eq!(answer["resolved"], json!([{"id": "A1", "status": "fixed"}]), "{answer}");
    assert_eq!(answer["added"], json!([{"id": "B1", "fix_induced": false}]));
}

#[test]
fn in_code_written_anew_the_symbol_around_a_line_finds_it_again() {
    let kit = Kit::new();
    let body = |n: usize, call: &str| format!("fn part_{n}(value: u8) {{\n    let kept = value;\n    {call}(kept);\n    done();\n}}\n\n");
    let old: String = (0..8).map(|n| body(n, &format!("send_{n}"))).collect();
    // Every line is written anew, and a part of its own grows above the sixth.
    let anew = |n: usize| body(n, &format!("dispatch_{n}")).replace("value", "input").replace("done()", "finished()");
    let new: String = (0..8).map(|n| format!("{}{}", "// why\n".repeat(if n == 5 { 50 } else { 0 }), anew(n))).collect();
    kit.repo("r", &[("a.rs", &old)]);
    kit.write("r/a.rs", &new);
    kit.git("r", &["commit", "-qam", "anew"]);
    let line = |text: &str, call: &str| text.lines().position(|l| l.contains(call)).unwrap() as u64 + 1;
    set(&kit, "a.json", &[finding("A1", "a.rs", line(&old, "send_6"), "The lock is never released")]);
    set(&kit, "b.json", &[finding("B1", "a.rs", line(&new, "dispatch_6"), "Lock not released on this path")]);
    let answer = matched(&kit, &["--repo", "r", "--previous-rev", "HEAD~1", "--current-rev", "HEAD"]);
    assert_eq!(answer["pairs"][0]["current"], "B1", "{answer}");
    set(&kit, "b.json", &[finding("B1", "a.rs", line(&new, "dispatch_2"), "Lock not released on this path")]);
    let other = matched(&kit, &["--repo", "r", "--previous-rev", "HEAD~1", "--current-rev", "HEAD"]);
    assert_eq!(other["pairs"], json!([]), "{other}");
}

#[test]
fn a_file_that_became_a_link_is_changed_and_a_path_out_of_the_tree_is_unknown() {
    let kit = Kit::new();
    kit.repo("r", &[("a.rs", &"work(here);\n".repeat(20))]);
    std::fs::remove_file(kit.path("r/a.rs")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", kit.path("r/a.rs")).unwrap();
    kit.git("r", &["commit", "-qam", "link"]);
    set(&kit, "a.json", &[finding("A1", "a.rs", 10, "Leak"), finding("A2", "../a.rs", 10, "Other")]);
    set(&kit, "b.json", &[]);
    let answer = matched(&kit, &["--repo", "r", "--previous-rev", "HEAD~1", "--current-rev", "HEAD"]);
    assert_eq!(answer["resolved"], json!([{"id": "A1", "status": "fixed"}, {"id": "A2", "status": "unknown"}]));
}

#[test]
fn bad_sets_links_and_revisions_are_refused() {
    let kit = Kit::new();
    set(&kit, "a.json", &[finding("A1", "a.rs", 1, "x"), finding("A1", "a.rs", 2, "y")]);
    set(&kit, "b.json", &[]);
    let run = |more: &[&str]| {
        let mut args = vec!["match-findings", "--previous", "a.json", "--current", "b.json"];
        args.extend(more);
        kit.run(&args)
    };
    run(&[]).fails("REPEATED_ID");
    set(&kit, "a.json", &[finding("A1", "a.rs", 1, "x")]);
    kit.write("l.json", r#"[{"previous":"A1","current":"B9","same":true}]"#);
    run(&["--links", "l.json"]).fails("BAD_SHAPE");
    set(&kit, "b.json", &[finding("B1", "a.rs", 1, "x")]);
    let said = |same: bool| format!(r#"{{"previous":"A1","current":"B1","same":{same}}}"#);
    kit.write("l.json", format!("[{},{}]", said(true), said(false)));
    run(&["--links", "l.json"]).fails("BAD_SHAPE");
    run(&["--repo", "."]).fails("INVALID_ARGUMENT");
    kit.repo("r", &[("a.rs", "x\n")]);
    run(&["--repo", "r", "--previous-rev", "nope", "--current-rev", "HEAD"]).fails("BASE_NOT_FOUND");
    run(&["--repo", "r", "--previous-rev=--output=x", "--current-rev", "HEAD"]).fails("INVALID_ARGUMENT");
    kit.write("a.json", r#"{"findings":[{"id":"A1","severity":"grave"}]}"#);
    run(&[]).fails("BAD_SHAPE");
}

#[test]
fn the_table_of_concepts_is_shown_as_it_is() {
    let page = std::fs::read_to_string(crate::kit::package().join("docs/identity.md")).unwrap();
    for (name, stems) in review_loop::finding::matching::concepts::concepts() {
        assert!(page.contains(&format!("| {name} | {stems} |")), "docs/identity.md does not show `{name}` as it is: | {name} | {stems} |");
    }
}
