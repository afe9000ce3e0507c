//! detect-scope and fingerprint-scope on the worked repositories, and the surface a plan captures.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::kit::{Kit, folders, shared};

fn lines(case: &Path, name: &str) -> Vec<String> {
    std::fs::read_to_string(case.join(name)).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn set_up(kit: &Kit, script: &Path, folder: &Path) {
    let output = Command::new("bash")
        .arg(script)
        .arg(folder)
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("HOME", kit.path("home"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{script:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Every file of a repository but its objects, by content.
fn snapshot(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    let files = walk.filter(|e| !e.file_type().is_dir() && !e.path().components().any(|c| c.as_os_str() == "objects"));
    files
        .map(|e| {
            (e.path().to_string_lossy().into_owned(), if e.file_type().is_file() { std::fs::read(e.path()).unwrap() } else { Vec::new() })
        })
        .collect()
}

fn fill(words: Vec<String>, repo: &Path) -> Vec<String> {
    words.into_iter().map(|w| w.replace("$REPO", &repo.to_string_lossy())).collect()
}

fn detect_case(case: &Path) {
    let kit = Kit::new();
    let name = case.file_name().unwrap().to_string_lossy().into_owned();
    let repo = kit.path(&name);
    set_up(&kit, &case.join("setup.sh"), &repo);
    let before = snapshot(&repo);
    let args = fill(lines(case, "args"), &repo);
    let args: Vec<&str> = std::iter::once("detect-scope").chain(args.iter().map(String::as_str)).collect();
    let mut kit = kit;
    for pair in fill(lines(case, "env"), &repo) {
        let (key, value) = pair.split_once('=').unwrap();
        kit.set(key, value);
    }
    let cwd = fill(lines(case, "cwd"), &repo).into_iter().next().map_or_else(|| kit.root(), std::path::PathBuf::from);
    let ran = kit.run_in(&cwd, &args);
    let want: Value = serde_json::from_str(&std::fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
    let status = lines(case, "exit").first().map_or(if want.get("error").is_some() { 2 } else { 0 }, |s| s.parse().unwrap());
    assert_eq!(ran.status, status, "{name}: {}", ran.stdout);
    for (key, value) in want.as_object().unwrap() {
        let got = if key == "error" { json!({"code": ran.json["error"]["code"]}) } else { ran.json[key].clone() };
        assert_eq!(&got, value, "{name}: {key}");
    }
    for trap in fill(lines(case, "forbid"), &repo) {
        assert!(!Path::new(&trap).exists(), "{name}: a program of the configuration ran");
    }
    assert!(snapshot(&repo) == before, "{name}: the repository was changed");
    if status == 3 {
        assert!(ran.json["ask"]["options"].as_array().is_some_and(|o| !o.is_empty()), "{name}");
    }
    plan_speaks_of_the_same_surface(&kit, &repo, &name);
    assert!(snapshot(&repo) == before, "{name}: the repository was changed");
}

/// What plan-round captures against the first commit has the fingerprint that fingerprint-scope gives it.
fn plan_speaks_of_the_same_surface(kit: &Kit, repo: &Path, name: &str) {
    let first = Command::new("git").args(["rev-list", "--max-parents=0", "HEAD"]).current_dir(repo).output().unwrap();
    let Some(base) = String::from_utf8(first.stdout).unwrap().lines().next().map(str::to_owned) else { return };
    let root = repo.to_string_lossy();
    let alone = kit.run(&["fingerprint-scope", "--repo", &root, "--base", &base]);
    let plan = ["plan-round", "--round-number", "1", "--repo-root", &root, "--base-commit", &base, "--output", "st/plan.json"];
    let planned = kit.run(&plan);
    assert_eq!(planned.status, alone.status, "{name}: {}", planned.stdout);
    assert_eq!(planned.json["surface_fingerprint"], alone.json["scope_fingerprint"], "{name}");
    assert_eq!(planned.status == 0, planned.json["surface_tree"].is_string(), "{name}");
}

fn fingerprint_case(case: &Path) {
    let kit = Kit::new();
    let print = |side: &str| {
        let repo = kit.path(&format!("{side} repo"));
        set_up(&kit, &case.join(format!("{side}.sh")), &repo);
        let args = lines(case, &format!("args-{side}"));
        let args = fill(if args.is_empty() { vec!["--repo".to_owned(), "$REPO".to_owned()] } else { args }, &repo);
        let before = snapshot(&repo);
        let args: Vec<&str> = std::iter::once("fingerprint-scope").chain(args.iter().map(String::as_str)).collect();
        let answer = kit.run(&args).ok();
        assert!(snapshot(&repo) == before, "{case:?}: the repository was changed");
        answer["scope_fingerprint"].as_str().unwrap().to_owned()
    };
    let equal = print("a") == print("b");
    assert_eq!(if equal { "equal" } else { "different" }, lines(case, "expect")[0], "{case:?}");
}

fn in_parallel(cases: Vec<std::path::PathBuf>, each: fn(&Path)) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    each(case);
                }
            });
        }
    });
}

fn cases(fingerprints: bool) -> Vec<std::path::PathBuf> {
    let all = folders(&shared("scope"));
    all.into_iter().filter(|c| c.file_name().unwrap().to_string_lossy().starts_with("fp-") == fingerprints).collect()
}

#[test]
fn every_worked_repository_has_its_scope() {
    let cases = cases(false);
    assert!(cases.len() >= 50);
    in_parallel(cases, detect_case);
}

#[test]
fn every_worked_pair_has_equal_or_different_fingerprints() {
    let cases = cases(true);
    assert!(cases.len() >= 20);
    in_parallel(cases, fingerprint_case);
}

#[test]
fn the_golden_vectors_of_both_fingerprints_hold() {
    let kit = Kit::new();
    kit.repo("r", &[("app.txt", "base\n")]);
    kit.git("r", &["checkout", "-q", "-b", "feature"]);
    kit.write("r/app.txt", "base\nfeature\n");
    kit.git("r", &["commit", "-qam", "feature"]);
    kit.write("r/new.txt", "u\n");
    let golden = "b4743af6fdc3e3c5db53535339fd5426b65279a9100f12b06981f3eff318e752";
    let answer = kit.run(&["fingerprint-scope", "--repo", "r"]).ok();
    assert_eq!((&answer["mode"], &answer["scope_fingerprint"]), (&json!("changes"), &json!(golden)));
    assert_eq!(answer["working_fingerprint"], "5b4258d29201e506a5b5f77bbfcf73fb2357d19f9bfdfca9552ebdd4c6be927b");
    kit.git("r", &["add", "new.txt"]);
    assert_eq!(kit.run(&["fingerprint-scope", "--repo", "r"]).ok()["scope_fingerprint"], golden);
    let base = kit.git("r", &["rev-parse", "main"]);
    assert_eq!(kit.run(&["fingerprint-scope", "--repo", "r", "--base", &base]).ok()["scope_fingerprint"], golden);
}

#[test]
fn our_own_untracked_files_are_left_out_and_said() {
    let kit = Kit::new();
    kit.repo("r", &[("a.txt", "a\n")]);
    let clean = kit.run(&["fingerprint-scope", "--repo", "r"]).ok();
    kit.write("r/.deep-review/reports/x-review.md", "x");
    kit.write("r/.scratch/reviews/y.md", "y");
    kit.write("r/mine/z.md", "z");
    let own = kit.text("r/mine");
    let scope = kit.run(&["detect-scope", "--repo", "r", "--own-dir", &own]).ok();
    assert_eq!((&scope["kind"], &scope["warnings"]), (&json!("codebase"), &json!(["own_files_excluded"])));
    let again = kit.run(&["fingerprint-scope", "--repo", "r", "--own-dir", &own]).ok();
    assert_eq!(again["scope_fingerprint"], clean["scope_fingerprint"]);
}

#[test]
fn an_empty_tree_as_base_is_the_whole_code_base() {
    let kit = Kit::new();
    kit.repo("r", &[("a.txt", "a\n")]);
    kit.write("r/b.txt", "b\n");
    let empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let scope = kit.run(&["detect-scope", "--repo", "r", "--base", empty]).ok();
    assert_eq!((&scope["kind"], scope["files"].as_array().unwrap().len()), (&json!("codebase"), 2));
    assert_eq!(kit.run(&["fingerprint-scope", "--repo", "r", "--base", empty]).ok()["mode"], "codebase");
}

#[test]
fn a_surface_tree_holds_the_base_plus_the_working_bytes_and_leaves_the_repository_alone() {
    let kit = Kit::new();
    kit.repo("r", &[("keep.txt", "keep\n"), ("change.txt", "old\n"), ("gone.txt", "gone\n"), ("was-file", "x\n"), ("crlf.txt", "a\n")]);
    kit.write("r/.gitattributes", "crlf.txt text eol=lf\n");
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    kit.write("r/change.txt", "new\n");
    kit.write("r/crlf.txt", "a\r\nb\r\n");
    std::fs::remove_file(kit.path("r/gone.txt")).unwrap();
    std::fs::remove_file(kit.path("r/was-file")).unwrap();
    kit.write("r/was-file/inner.txt", "inner\n");
    kit.write("r/new\nline.txt", "odd\n");
    kit.write("r/big.bin", vec![b'x'; (1 << 20) + 1]);
    std::os::unix::fs::symlink("keep.txt", kit.path("r/link")).unwrap();
    let before = snapshot(&kit.path("r"));
    let answer =
        kit.run(&["plan-round", "--round-number", "1", "--repo-root", "r", "--base-commit", &base, "--output", "st/plan.json"]).ok();
    assert!(snapshot(&kit.path("r")) == before);
    let tree = answer["surface_tree"].as_str().unwrap();
    let list = kit_tree(&kit, tree);
    assert_eq!(list, [".gitattributes", "change.txt", "crlf.txt", "keep.txt", "link", "new\nline.txt", "was-file/inner.txt"]);
    let show = |path: &str| {
        let objects = kit.text("st/objects");
        let output = Command::new("git")
            .args(["cat-file", "blob", &format!("{tree}:{path}")])
            .current_dir(kit.path("r"))
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!((show("change.txt"), show("crlf.txt"), show("link")), ("new\n".to_owned(), "a\r\nb\r\n".to_owned(), "keep.txt".to_owned()));
    let fingerprint = kit.run(&["fingerprint-scope", "--repo", "r", "--base", &base]).ok();
    assert_eq!(answer["surface_fingerprint"], fingerprint["scope_fingerprint"]);
    assert_eq!(answer["head_commit"], json!(base));
    let none = kit
        .run(&["plan-round", "--round-number", "1", "--repo-root", "r", "--base-commit", &base, "--output", "st/p2.json", "--no-surface"])
        .ok();
    assert_eq!(none["surface_tree"], Value::Null);
}

fn kit_tree(kit: &Kit, tree: &str) -> Vec<String> {
    let output = Command::new("git")
        .args(["ls-tree", "-r", "-z", "--name-only", tree])
        .current_dir(kit.path("r"))
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", kit.text("st/objects"))
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().split('\0').filter(|s| !s.is_empty()).map(str::to_owned).collect()
}

#[test]
fn a_split_index_is_read_and_no_shared_half_is_written() {
    let kit = Kit::new();
    kit.repo("r", &[("a.txt", "a\n"), ("b.txt", "b\n")]);
    kit.git("r", &["config", "core.splitIndex", "true"]);
    kit.git("r", &["update-index", "--split-index"]);
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    kit.write("r/a.txt", "new\n");
    kit.git("r", &["update-index", "--assume-unchanged", "a.txt"]);
    let before = snapshot(&kit.path("r"));
    let plan = kit.run(&["plan-round", "--round-number", "1", "--repo-root", "r", "--base-commit", &base, "--output", "st/p.json"]).ok();
    assert_eq!(kit.run(&["detect-scope", "--repo", "r"]).ok()["files"][0]["path"], "a.txt");
    assert_eq!(kit_tree(&kit, plan["surface_tree"].as_str().unwrap()), ["a.txt", "b.txt"]);
    assert!(snapshot(&kit.path("r")) == before);
}

#[test]
fn a_deletion_that_is_only_staged_is_an_addition_in_a_whole_code_base() {
    let kit = Kit::new();
    kit.repo("r", &[("a.txt", "a\n"), ("b.txt", "b\n")]);
    kit.git("r", &["rm", "-q", "a.txt"]);
    let scope = kit.run(&["detect-scope", "--repo", "r", "--base", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"]).ok();
    // Equal in base and index, so it is what base against HEAD says (cases/scope/README.md, Files).
    assert_eq!((&scope["files"][0]["path"], &scope["files"][0]["status"]), (&json!("a.txt"), &json!("A")));
}

#[test]
fn a_change_that_a_sparse_checkout_leaves_out_is_bound_kept_and_never_passed_over() {
    let kit = Kit::new();
    kit.repo("r", &[("in/a.txt", "a\n"), ("out/b.txt", "b\n")]);
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    kit.git("r", &["checkout", "-q", "-b", "topic"]);
    let print = |text: &str| {
        kit.git("r", &["sparse-checkout", "disable"]);
        kit.write("r/out/b.txt", text);
        kit.git("r", &["commit", "-qam", "work"]);
        kit.git("r", &["sparse-checkout", "set", "in"]);
        kit.run(&["fingerprint-scope", "--repo", "r", "--base", &base]).ok()["scope_fingerprint"].as_str().unwrap().to_owned()
    };
    assert_ne!(print("b2\n"), print("b3\n"));
    let plan = kit.run(&["plan-round", "--round-number", "1", "--repo-root", "r", "--base-commit", &base, "--output", "st/p.json"]).ok();
    assert_eq!(kit_tree(&kit, plan["surface_tree"].as_str().unwrap()), ["in/a.txt", "out/b.txt"]);
    let ran = kit.run(&["run-loop", "--repo-root", "r", "--state-dir", "state", "--base", &base]);
    assert_eq!((ran.status, &ran.json["verdict"]), (1, &json!("CONCERN")), "{}", ran.stdout);
}

#[test]
fn a_deletion_behind_assume_unchanged_is_seen() {
    let kit = Kit::new();
    kit.repo("r", &[("a.txt", "a\n"), ("b.txt", "b\n")]);
    kit.git("r", &["update-index", "--assume-unchanged", "a.txt"]);
    std::fs::remove_file(kit.path("r/a.txt")).unwrap();
    let scope = kit.run(&["detect-scope", "--repo", "r"]).ok();
    assert_eq!((&scope["files"][0]["status"], &scope["warnings"][0]), (&json!("D"), &json!("assume_unchanged_edit")));
}

#[test]
fn nothing_behind_a_linked_folder_is_read_as_content_of_the_repository() {
    let kit = Kit::new();
    kit.repo("r", &[("d/f", "mine\n"), ("e", "e\n")]);
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    kit.write("out/f", "secret\n");
    std::fs::remove_dir_all(kit.path("r/d")).unwrap();
    std::os::unix::fs::symlink(kit.path("out"), kit.path("r/d")).unwrap();
    let plan = || kit.run(&["plan-round", "--round-number", "1", "--repo-root", "r", "--base-commit", &base, "--output", "st/p.json"]).ok();
    let first = plan();
    let secret = kit.git("r", &["hash-object", &kit.text("out/f")]);
    assert!(!kit.path(&format!("st/objects/{}/{}", &secret[..2], &secret[2..])).exists());
    kit.write("out/f", "another secret\n");
    assert_eq!(plan()["surface_fingerprint"], first["surface_fingerprint"]);
}

#[test]
fn a_base_that_git_gives_up_at_is_not_found_and_an_expression_is_a_commit_name() {
    let kit = Kit::new();
    kit.repo("r", &[("a.txt", "a\n")]);
    kit.write("r/a.txt", "b\n");
    kit.git("r", &["commit", "-qam", "work"]);
    kit.run(&["detect-scope", "--repo", "r", "--base", "@{u}"]).fails("BASE_NOT_FOUND");
    kit.run(&["detect-scope", "--repo", "r", "--base", "main@{u}"]).fails("BASE_NOT_FOUND");
    assert_eq!(kit.run(&["detect-scope", "--repo", "r", "--base", "HEAD~1"]).ok()["files"][0]["path"], "a.txt");
}

#[test]
fn a_submodule_that_git_cannot_read_is_refused_and_one_without_a_commit_is_read() {
    let kit = Kit::new();
    kit.repo("r", &[("a.txt", "a\n")]);
    kit.repo("r/inner", &[("x", "x\n")]);
    let print = || kit.run(&["fingerprint-scope", "--repo", "r"]);
    let before = print().ok();
    std::fs::write(kit.path("r/inner/.git/index"), "garbage").unwrap();
    print().fails("GIT_FAILED");
    std::fs::remove_dir_all(kit.path("r/inner")).unwrap();
    std::fs::create_dir_all(kit.path("r/inner")).unwrap();
    kit.git("r/inner", &["init", "-q", "-b", "main"]);
    kit.write("r/inner/f", "1\n");
    kit.git("r/inner", &["add", "f"]);
    kit.write("r/inner/f", "2\n");
    let one = print().ok();
    kit.write("r/inner/f", "3\n");
    assert_ne!(print().ok()["scope_fingerprint"], one["scope_fingerprint"]);
    assert_ne!(before["scope_fingerprint"], one["scope_fingerprint"]);
}

#[test]
fn the_configuration_of_compression_and_diff_drivers_does_not_move_a_fingerprint() {
    let kit = Kit::new();
    kit.repo("r", &[("a.x", "a\nb\nc\nb\na\n"), (".gitattributes", "*.x diff=foo\n")]);
    kit.write("r/bin", [0u8, 1, 2, 3, 0, 0, 0, 0, 9].as_slice());
    kit.git("r", &["add", "-A"]);
    kit.git("r", &["commit", "-qm", "binary"]);
    kit.write("r/bin", [7u8; 3000].iter().chain(&[0u8; 400]).copied().collect::<Vec<u8>>());
    kit.write("r/a.x", "b\na\nb\nc\n");
    let print = || kit.run(&["fingerprint-scope", "--repo", "r"]).ok();
    let before = print();
    for (key, value) in [("core.compression", "0"), ("core.bigFileThreshold", "1"), ("diff.foo.algorithm", "patience")] {
        kit.git("r", &["config", key, value]);
        assert_eq!(print(), before, "{key}");
    }
}

/// docs/architecture.md says what each of these processes is for.
#[test]
fn no_call_starts_more_git_processes_than_its_promises_need() {
    let mut kit = Kit::new();
    kit.repo("r", &[("a.txt", "a\n"), ("b.txt", "b\n")]);
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    kit.git("r", &["checkout", "-q", "-b", "topic"]);
    kit.write("r/a.txt", "new\n");
    kit.git("r", &["commit", "-qam", "work"]);
    kit.write("r/b.txt", "dirty\n");
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap()).map(|d| d.join("git")).find(|g| g.is_file()).unwrap();
    let script = format!("#!/bin/sh\necho x >> '{}'\nexec '{}' \"$@\"\n", kit.text("count"), real.display());
    kit.write("bin/git", script);
    std::fs::set_permissions(kit.path("bin/git"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", kit.text("bin"), std::env::var("PATH").unwrap());
    kit.set("PATH", &path);
    let plan = ["plan-round", "--round-number", "1", "--repo-root", "r", "--base-commit", &base, "--output", "st/p.json"];
    let calls: [(&[&str], usize); 3] =
        [(&["detect-scope", "--repo", "r", "--base", "main"], 6), (&["fingerprint-scope", "--repo", "r", "--base", "main"], 7), (&plan, 9)];
    for (call, most) in calls {
        kit.write("count", "");
        kit.run(call).ok();
        assert_eq!(kit.read("count").lines().count(), most, "{}", call[0]);
    }
}

#[test]
fn record_round_copies_the_surface_of_the_plan_and_never_looks_at_the_tree() {
    let kit = Kit::new();
    kit.repo("r", &[("a.txt", "a\n")]);
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    kit.write("r/a.txt", "b\n");
    let plan = kit.run(&["plan-round", "--round-number", "1", "--repo-root", "r", "--base-commit", &base, "--output", "st/plan.json"]).ok();
    kit.write("r/a.txt", "changed by respond\n");
    kit.write("r.md", crate::kit::report("APPROVE", &[], &[], &[]));
    let id = plan["loop_id"].as_str().unwrap();
    let args = [
        "record-round",
        "--round-number",
        "1",
        "--review-report",
        "r.md",
        "--base-commit",
        &base,
        "--state-dir",
        "st",
        "--loop-id",
        id,
        "--plan-file",
        "st/plan.json",
    ];
    kit.run(&args).ok();
    let state = kit.json(&format!("st/loop-{id}-round-1.state.json"));
    for key in ["head_commit", "surface_fingerprint", "surface_tree"] {
        assert_eq!(state[key], plan[key]);
        assert!(state[key].is_string());
    }
    let mut other = args;
    other[2] = "2";
    kit.run(&other).fails("INVALID_PLAN");
}

#[test]
fn an_edit_within_the_second_of_the_commit_is_seen() {
    let kit = Kit::new();
    kit.repo("r", &[("a.txt", "old\n")]);
    // Same size, and the same time stamp as the index entry: only git's own rule for such entries finds it.
    let stamp = kit.path("r/a.txt").metadata().unwrap().modified().unwrap();
    kit.write("r/a.txt", "new\n");
    let file = std::fs::File::options().write(true).open(kit.path("r/a.txt")).unwrap();
    file.set_modified(stamp).unwrap();
    std::fs::File::options().write(true).open(kit.path("r/.git/index")).unwrap().set_modified(stamp).unwrap();
    let scope = kit.run(&["detect-scope", "--repo", "r"]).ok();
    assert_eq!((&scope["kind"], &scope["files"][0]["path"]), (&json!("worktree"), &json!("a.txt")));
}

/// A repository with a branch `topic` of one commit, and the description of its pull request.
fn pull_request(kit: &Kit) -> Value {
    kit.repo("r", &[("a.rs", "one\n"), ("b.rs", "b\n")]);
    let base = kit.git("r", &["rev-parse", "HEAD"]);
    kit.git("r", &["checkout", "-qb", "topic"]);
    kit.write("r/a.rs", "one\ntwo\n");
    kit.git("r", &["commit", "-qam", "topic"]);
    let head = kit.git("r", &["rev-parse", "HEAD"]);
    json!({
        "number": 7, "state": "OPEN", "headRefName": "topic", "headRefOid": head, "baseRefName": "main", "baseRefOid": base,
        "changedFiles": 1, "closingIssuesReferences": [{"number": 3}], "isCrossRepository": false
    })
}

#[test]
fn a_pull_request_is_compared_commit_against_commit() {
    let kit = Kit::new();
    let described = pull_request(&kit);
    kit.write("pr.json", described.to_string());
    kit.write("r/b.rs", "edited\n");
    let scope = kit.run(&["detect-scope", "--repo", "r", "--pr-json", "pr.json"]).ok();
    assert_eq!((&scope["kind"], &scope["base"], &scope["head"]), (&json!("pr"), &described["baseRefOid"], &described["headRefOid"]));
    let paths: Vec<&str> = scope["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert_eq!((paths, &scope["pr"]["number"], &scope["pr"]["closes"]), (vec!["a.rs"], &json!(7), &json!([3])), "edits are not of it");
    let with = |key: &str, value: Value| {
        let mut other = described.clone();
        other[key] = value;
        kit.write("other.json", other.to_string());
        kit.run(&["detect-scope", "--repo", "r", "--pr-json", "other.json"])
    };
    assert_eq!(with("changedFiles", json!(4)).ok()["warnings"], json!(["pr_file_count_mismatch"]));
    assert_eq!(with("state", json!("MERGED")).ok()["warnings"], json!(["pr_not_open"]));
    let absent = with("headRefOid", json!("1".repeat(40))).fails("BASE_MISSING");
    assert_eq!(absent["error"]["hint"], "git fetch origin pull/7/head");
    with("headRefOid", json!("HEAD")).fails("BAD_SHAPE");
    with("headRefOid", json!("--output=x")).fails("BAD_SHAPE");
    kit.run(&["detect-scope", "--repo", "r", "--pr-json", "pr.json", "--pr", "8"]).fails("INVALID_ARGUMENT");
    kit.run(&["detect-scope", "--repo", "r", "--pr-json", "pr.json", "--base", "main"]).fails("INVALID_ARGUMENT");
    kit.run(&["detect-scope", "--repo", "r", "--pr", "0"]).fails("INVALID_ARGUMENT");
}

#[test]
fn each_failure_of_gh_is_told_apart_and_none_means_that_there_is_no_pull_request() {
    use std::os::unix::fs::PermissionsExt;
    let mut kit = Kit::new();
    let described = pull_request(&kit);
    kit.write("pr.json", described.to_string());
    let json = kit.text("pr.json");
    let system = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{system}", kit.text("bin"));
    kit.set("PATH", &path);
    let gh = |script: &str| {
        let file = kit.write("bin/gh", format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
        kit.run(&["detect-scope", "--repo", "r", "--pr"])
    };
    assert_eq!(gh(&format!("cat '{json}'")).ok()["pr"]["number"], 7);
    gh("echo 'To get started with GitHub CLI, please run:  gh auth login' >&2; exit 4").fails("GH_UNAUTHENTICATED");
    gh("echo 'no pull requests found for branch \"topic\"' >&2; exit 1").fails("PR_NOT_FOUND");
    gh("echo 'error connecting to api.github.com' >&2; exit 1").fails("GH_UNREACHABLE");
    gh("echo 'something odd' >&2; exit 1").fails("GH_FAILED");
    gh("echo '{}'").fails("BAD_SHAPE");
    std::fs::remove_file(kit.path("bin/gh")).unwrap();
    let only_git = kit.text("only");
    std::fs::create_dir(&only_git).unwrap();
    let git = system.split(':').map(|d| Path::new(d).join("git")).find(|p| p.is_file()).unwrap();
    std::os::unix::fs::symlink(git, Path::new(&only_git).join("git")).unwrap();
    kit.set("PATH", &only_git);
    kit.run(&["detect-scope", "--repo", "r", "--pr"]).fails("GH_MISSING");
}

#[test]
fn a_scope_is_checked_against_what_is_checked_out_and_edits_are_never_thrown_away() {
    let kit = Kit::new();
    kit.write("pr.json", pull_request(&kit).to_string());
    let scope = kit.run(&["detect-scope", "--repo", "r", "--pr-json", "pr.json"]);
    kit.write("scope.json", &scope.stdout);
    let check = || kit.run(&["check-scope", "--repo", "r", "--scope", "scope.json"]);
    let sound = check().ok();
    assert_eq!((&sound["head_matches"], &sound["relation"], &sound["dirty"]), (&json!(true), &json!("same"), &json!([])));
    kit.write("r/b.rs", "edited\n");
    assert_eq!((check().ok()["warnings"].clone(), check().ok()["overlap"].clone()), (json!(["dirty_elsewhere"]), json!([])));
    kit.write("r/a.rs", "mended\n");
    let overlap = check();
    assert_eq!((overlap.status, &overlap.json["ask"]["code"], &overlap.json["overlap"]), (3, &json!("dirty_overlap"), &json!(["a.rs"])));
    let advice = overlap.json["ask"].to_string();
    assert!(!["discard", "clean", "reset", "stash"].iter().any(|w| advice.contains(w)), "{advice}");
    kit.git("r", &["checkout", "-q", "--", "."]);
    kit.git("r", &["checkout", "-q", "main"]);
    let behind = check();
    assert_eq!((behind.status, &behind.json["ask"]["code"], &behind.json["relation"]), (3, &json!("head_mismatch"), &json!("behind")));
    kit.git("r", &["commit", "-q", "--allow-empty", "-m", "more"]);
    assert_eq!(check().json["relation"], "diverged");
    // A working tree whose base was rewritten.
    kit.write("r/b.rs", "edited\n");
    let own = kit.run(&["detect-scope", "--repo", "r", "--base", "HEAD"]);
    kit.write("scope.json", &own.stdout);
    check().ok();
    kit.git("r", &["commit", "-q", "--amend", "--allow-empty", "-m", "rewritten"]);
    let lost = check();
    assert_eq!((lost.status, &lost.json["ask"]["code"]), (3, &json!("base_lost")), "{}", lost.stdout);
    kit.write("scope.json", "{\"kind\":\"all\",\"files\":[]}");
    check().fails("BAD_SHAPE");
}

#[test]
fn a_pipe_in_the_place_of_a_tracked_file_is_named() {
    let kit = Kit::new();
    kit.repo("r", &[("f.txt", "a\n")]);
    std::fs::remove_file(kit.path("r/f.txt")).unwrap();
    assert!(Command::new("mkfifo").arg(kit.path("r/f.txt")).status().unwrap().success());
    for command in ["detect-scope", "fingerprint-scope"] {
        let refused = kit.run(&[command, "--repo", "r"]).fails("NOT_REGULAR_FILE");
        assert_eq!(refused["error"]["path"], "f.txt");
    }
}
