//! The harness: a fresh folder, a cleaned environment, a fixed clock and id, a builder of files and repositories.

use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt;
use serde_json::Value;

/// 2026-11-30T12:00:00Z.
pub const NOW: i64 = 1_796_040_000_000;

/// A fix design with its six parts.
pub const DESIGN: &str = "# Fix\n## Root\nThe index is read unbounded (src/a.rs:12, trace:42).\n## Options\n- bound it; cost: low, risk: low\n- rewrite it; cost: high, risk: high\n## Recommendation\nBound it.\n## Implementation sketch\nif i < n\n## Validation plan\ncargo test index\n## Angles\n- surgical: the bound\n- deep: the callers\n- scout: every use\n";

/// The flags that open a design loop on what [`Kit::pin`] wrote.
pub const ANCHORS: [&str; 12] = [
    "--objective-file",
    "objective",
    "--scope-file",
    "scope",
    "--runtime-root-file",
    "root",
    "--root-evidence",
    "evidence",
    "--artifact-file",
    "r/design.md",
    "--diff-file",
    "diff",
];

pub struct Kit {
    dir: tempfile::TempDir,
    env: Vec<(String, String)>,
}

/// What one call gave.
pub struct Ran {
    pub status: i32,
    pub json: Value,
    pub stdout: String,
}

impl Ran {
    /// The error code of a failure.
    pub fn code(&self) -> &str {
        self.json["error"]["code"].as_str().unwrap_or("")
    }

    /// The finer code behind it.
    pub fn reason(&self) -> &str {
        self.json["error"]["reason"].as_str().unwrap_or("")
    }

    /// Asserts success.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 0, "{}", self.stdout);
        assert_eq!(self.json["ok"], true, "{}", self.stdout);
        self.json
    }

    /// Asserts a failure with this code at exit 2.
    #[track_caller]
    pub fn fails(self, code: &str) -> Value {
        assert_eq!((self.status, self.code()), (2, code), "{}", self.stdout);
        assert_eq!(self.json["ok"], false);
        assert!(self.json["error"]["hint"].as_str().is_some_and(|h| !h.is_empty()), "{}", self.stdout);
        assert!(["usage", "input", "state", "world"].contains(&self.json["error"]["kind"].as_str().unwrap_or("")), "{}", self.stdout);
        self.json
    }
}

impl Kit {
    pub fn new() -> Kit {
        let dir = tempfile::Builder::new().prefix("kit with blank ").tempdir().unwrap();
        let home = dir.path().join("home");
        std::fs::create_dir(&home).unwrap();
        let mut env = vec![
            ("PATH".to_owned(), std::env::var("PATH").unwrap_or_default()),
            ("HOME".to_owned(), home.to_string_lossy().into_owned()),
            ("TMPDIR".to_owned(), std::env::temp_dir().to_string_lossy().into_owned()),
            ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned()),
            ("GIT_CONFIG_GLOBAL".to_owned(), "/dev/null".to_owned()),
        ];
        env.push(("REVIEW_LOOP_TEST_NOW".to_owned(), NOW.to_string()));
        Kit { dir, env }
    }

    pub fn with(mut self, name: &str, value: &str) -> Kit {
        self.set(name, value);
        self
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.env.retain(|(n, _)| n != name);
        self.env.push((name.to_owned(), value.to_owned()));
    }

    pub fn unset(&mut self, name: &str) {
        self.env.retain(|(n, _)| n != name);
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path.to_string_lossy().into_owned()
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Writes what a design loop is opened with: anchors, evidence captured at that time, and the design in the repository `r`.
    pub fn pin(&self, captured_at: &str) {
        let evidence =
            [("kind", "command"), ("ref", "cargo run"), ("captured_at", captured_at), ("file", &self.write("trace", "index 9 of 8\n"))];
        let evidence: serde_json::Map<String, Value> = evidence.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
        self.write("evidence", Value::Array(vec![evidence.into()]).to_string());
        for (name, text) in [
            ("objective", "The index never leaves the slice.\n"),
            ("scope", "src/a.rs\n"),
            ("root", "The index is not bounded: trace:42.\n"),
            ("diff", "first draft\n"),
            ("r/design.md", DESIGN),
        ] {
            self.write(name, text);
        }
    }

    /// As [`Kit::pin`], with evidence captured now by the real clock.
    pub fn pin_now(&self) {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        self.pin(&review_loop::base::time::iso_ms(i64::try_from(since.as_millis()).unwrap()));
    }

    /// The names in a folder, sorted.
    pub fn list(&self, name: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(name));
        let mut names: Vec<String> =
            entries.into_iter().flatten().flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::cargo_bin("review-loop").unwrap();
        command.args(args).current_dir(self.root()).env_clear().envs(self.env.iter().map(|(k, v)| (k, v)));
        command
    }

    pub fn run_in(&self, folder: &Path, args: &[&str]) -> Ran {
        let output = self.command(args).current_dir(folder).output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let json = serde_json::from_str(&stdout).unwrap_or(Value::Null);
        let one_line = stdout.ends_with('\n') && stdout.matches('\n').count() == 1;
        assert!(one_line || output.status.code().is_none(), "not one line: {stdout:?} {}", String::from_utf8_lossy(&output.stderr));
        Ran { status: output.status.code().unwrap_or(-1), json, stdout }
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_in(&self.root(), args)
    }

    #[track_caller]
    pub fn git(&self, folder: &str, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "-c", "commit.gpgsign=false"]);
        command.args(args).current_dir(self.path(folder)).env_clear().envs(self.env.iter().map(|(k, v)| (k, v)));
        command.env("GIT_AUTHOR_DATE", "1700000000 +0000").env("GIT_COMMITTER_DATE", "1700000000 +0000");
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// A repository with one commit on main.
    pub fn repo(&self, name: &str, files: &[(&str, &str)]) -> String {
        std::fs::create_dir_all(self.path(name)).unwrap();
        self.git(name, &["init", "-q", "-b", "main"]);
        for (file, content) in files {
            self.write(&format!("{name}/{file}"), content);
        }
        self.git(name, &["add", "-A"]);
        self.git(name, &["commit", "-q", "--allow-empty", "-m", "base"]);
        self.text(name)
    }
}

/// The folder of worked inputs copied from the project's shared cases.
pub fn shared(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/shared").join(name)
}

/// The top of the package.
pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every sub-folder, sorted.
pub fn folders(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(path).unwrap().flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect();
    found.sort();
    found
}

/// Records a report as a round of loop L below `st`.
pub fn record_args<'a>(round: &'a str, report: &'a str) -> [&'a str; 11] {
    ["record-round", "--round-number", round, "--review-report", report, "--base-commit", "abcdef1", "--state-dir", "st", "--loop-id", "L"]
}

/// A canonical report with these items.
pub fn report(verdict: &str, critical: &[&str], warning: &[&str], info: &[&str]) -> String {
    let section = |items: &[&str]| if items.is_empty() { "None.\n".to_owned() } else { items.iter().map(|i| format!("- {i}\n")).collect() };
    format!(
        "# Deep Review Report — 2026-11-30\n\n## Summary\n- **Verdict**: {verdict}\n- **Review Mode**: test\n- **Issues**: 🔴 {}, 🟡 {}, ℹ️ {}\n\n## Code Review\n### 🔴 Critical\n{}\n### 🟡 Warning\n{}\n### ℹ️ Info\n{}\n### 🟢 Passed\n- the rest\n",
        critical.len(),
        warning.len(),
        info.len(),
        section(critical),
        section(warning),
        section(info)
    )
}
