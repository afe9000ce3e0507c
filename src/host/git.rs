//! git: one way to call it, with nothing of the caller's environment or the repository's configuration that could run
//! a program, colour, page, prefix or hide. Always `-z`, never a shell, and never the repository's own index.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::Host;
use crate::base::path::printable;
use crate::base::{Code, Fail};

/// Configuration that is overruled on every call.
const OVERRULED: &[&str] = &[
    "core.fsmonitor=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.splitIndex=false",
    "core.looseCompression=1",
    "core.bigFileThreshold=512m",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.quotePath=true",
    "color.ui=false",
    "diff.external=",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.srcPrefix=a/",
    "diff.dstPrefix=b/",
    "safe.bareRepository=explicit",
    "diff.renames=false",
    "diff.renameLimit=0",
    "diff.orderFile=/dev/null",
    "diff.relative=false",
    "diff.algorithm=default",
    "diff.indentHeuristic=true",
    "diff.context=3",
    "diff.interHunkContext=0",
    "diff.suppressBlankEmpty=false",
    "diff.submodule=short",
    "diff.ignoreSubmodules=none",
    "diff.autoRefreshIndex=true",
    "submodule.recurse=false",
    "advice.detachedHead=false",
    "gc.auto=0",
];

/// Variables that say where git finds its configuration: the user's choice, kept.
const KEPT: &[&str] = &["GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CEILING_DIRECTORIES"];

/// Variables that would point git at another repository or another view of it; dropped with a warning.
const POINTING: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_SHALLOW_FILE",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_ATTR_SOURCE",
    "GIT_REPLACE_REF_BASE",
    "GIT_NO_REPLACE_OBJECTS",
];

/// A git to call in one folder.
#[derive(Debug, Clone)]
pub struct Git {
    program: Option<PathBuf>,
    folder: PathBuf,
    env: Vec<(String, String)>,
    extra: Vec<(String, PathBuf)>,
}

/// What one call gave.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The exit status; -1 when a signal ended it.
    pub code: i32,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

impl Answer {
    /// Standard output as text without its last newline.
    pub fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.stdout);
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    }
}

impl Git {
    /// A git for `folder`.
    pub fn at(host: &Host, folder: &Path) -> Git {
        let plain = host.env.iter().filter(|(k, _)| !k.starts_with("GIT_") || KEPT.contains(&k.as_str()));
        let env = plain.filter(|(k, _)| !matches!(k.as_str(), "LC_ALL" | "LANG" | "LANGUAGE" | "PAGER"));
        // Found once, by absolute entries of PATH only: a relative one would mean a program of the repository.
        let program = host.find_program("git");
        Git { program, folder: folder.to_path_buf(), env: env.map(|(k, v)| (k.clone(), v.clone())).collect(), extra: Vec::new() }
    }

    /// A variable that git is given.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.env.iter().find(|(k, _)| k == name).map(|(_, v)| v.as_str())
    }

    /// Adds a path variable (`GIT_INDEX_FILE`, `GIT_OBJECT_DIRECTORY`).
    #[must_use]
    pub fn with(mut self, name: &str, value: &Path) -> Git {
        self.extra.push((name.to_owned(), value.to_path_buf()));
        self
    }

    /// Runs git whatever its exit status.
    ///
    /// # Errors
    /// `GIT_MISSING`, `GIT_FAILED` when its streams broke.
    pub fn ask(&self, args: &[&str], stdin: &[u8]) -> Result<Answer, Fail> {
        let mut child = self.command(args).spawn().map_err(|e| missing(&e))?;
        let feeder = child.stdin.take().map(|mut pipe| {
            let bytes = stdin.to_vec();
            std::thread::spawn(move || {
                let _ = pipe.write_all(&bytes);
            })
        });
        let output = child.wait_with_output().map_err(|e| broken(args[0], &e))?;
        if let Some(feeder) = feeder {
            let _ = feeder.join();
        }
        Ok(Answer { code: output.status.code().unwrap_or(-1), stdout: output.stdout, stderr: output.stderr })
    }

    /// Runs git and refuses any exit status but 0.
    ///
    /// # Errors
    /// `GIT_FAILED` with git's last line.
    pub fn run(&self, args: &[&str], stdin: &[u8]) -> Result<Answer, Fail> {
        let answer = self.ask(args, stdin)?;
        if answer.code == 0 { Ok(answer) } else { Err(failed(args, &answer)) }
    }

    /// The same git in another repository: none of this one's index or objects.
    #[must_use]
    pub fn plain_at(&self, folder: &Path) -> Git {
        Git { folder: folder.to_path_buf(), extra: Vec::new(), ..self.clone() }
    }

    /// `git diff` with `words` (its form, then its revisions), for some paths or, without any, for all.
    ///
    /// A driver or a submodule has settings of its own, which only flags overrule.
    ///
    /// # Errors
    /// `GIT_MISSING`, `GIT_FAILED`.
    pub fn diff(&self, words: &[&str], paths: &[&[u8]]) -> Result<Vec<u8>, Fail> {
        let plain = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--diff-algorithm=default", "--ignore-submodules=none"];
        self.run_on_paths(&[&plain[..], words].concat(), paths)
    }

    /// Runs git on paths given as bytes, behind `--`; gives its output.
    ///
    /// # Errors
    /// `GIT_MISSING`, `GIT_FAILED`.
    pub fn run_on_paths(&self, args: &[&str], paths: &[&[u8]]) -> Result<Vec<u8>, Fail> {
        use std::os::unix::ffi::OsStrExt;
        let mut command = self.command(args);
        command.arg("--").args(paths.iter().map(|p| std::ffi::OsStr::from_bytes(p)));
        let output = command.stdin(Stdio::null()).output().map_err(|e| missing(&e))?;
        let answer = Answer { code: output.status.code().unwrap_or(-1), stdout: output.stdout, stderr: output.stderr };
        if answer.code == 0 { Ok(answer.stdout) } else { Err(failed(args, &answer)) }
    }

    /// Starts a process that looks names up, one after the other.
    ///
    /// # Errors
    /// `GIT_MISSING`.
    pub fn names(&self) -> Result<Names, Fail> {
        let mut command = self.command(&["cat-file", "--batch-check=%(objectname)"]);
        // Nobody reads what it mutters about ambiguous names, and a full pipe would stop it.
        let mut child = command.stderr(Stdio::null()).spawn().map_err(|e| missing(&e))?;
        let broken = || Fail::new(Code::GitFailed, "git `cat-file` has no streams");
        let (to, from) = (child.stdin.take().ok_or_else(broken)?, child.stdout.take().ok_or_else(broken)?);
        Ok(Names { child, to: Some(to), from: BufReader::new(from) })
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that starts git")]
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.program.as_deref().unwrap_or(Path::new("/nonexistent/git")));
        command.arg("--no-pager").arg("--literal-pathspecs");
        for setting in OVERRULED {
            command.arg("-c").arg(setting);
        }
        command.args(args).current_dir(&self.folder).env_clear();
        command.envs(self.env.iter().map(|(k, v)| (k, v)));
        command
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1");
        command.envs(self.extra.iter().map(|(k, v)| (k, v)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// What a running process says of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Looked {
    /// The object id; none for what does not resolve.
    Up(Option<String>),
    /// The process ended over it.
    Ended,
}

/// A running `git cat-file --batch-check`; ended when it is dropped.
#[derive(Debug)]
pub struct Names {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Names {
    /// The object id of a name. It goes in over a pipe, so that it cannot be an option.
    ///
    /// # Errors
    /// `GIT_FAILED` when the streams broke.
    pub fn resolve(&mut self, name: &str) -> Result<Looked, Fail> {
        let mut line = name.replace(['\n', '\0'], " ");
        line.push('\n');
        let mut said = String::new();
        let asked = self.to.as_mut().map_or(Ok(()), |to| to.write_all(line.as_bytes()));
        asked.and_then(|()| self.from.read_line(&mut said)).map_err(|e| broken("cat-file", &e))?;
        let Some(said) = said.strip_suffix('\n') else { return Ok(Looked::Ended) };
        Ok(Looked::Up((!said.contains(' ') && said.len() >= 40).then(|| said.to_owned())))
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        drop(self.to.take());
        let _ = self.child.wait();
    }
}

fn missing(e: &std::io::Error) -> Fail {
    Fail::new(Code::GitMissing, format!("cannot start git: {}", e.kind()))
}

fn broken(command: &str, e: &std::io::Error) -> Fail {
    Fail::new(Code::GitFailed, format!("git `{command}` broke off: {}", e.kind()))
}

/// A failed call as a failure.
pub fn failed(args: &[&str], answer: &Answer) -> Fail {
    let text = String::from_utf8_lossy(&answer.stderr);
    let last = text.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("no message");
    let fail = Fail::new(Code::GitFailed, format!("git {} ended with {}: `{}`", args[0], answer.code, printable(last)));
    if text.contains("promisor") {
        return fail
            .hint("this is a partial clone, and nothing is fetched here: let `git diff` of the same commits fetch what is missing first");
    }
    fail
}

/// Whether the caller's environment pointed git somewhere else.
pub fn environment_points_elsewhere(host: &Host) -> bool {
    POINTING.iter().any(|name| host.env.contains_key(*name))
}

/// Splits `-z` output.
pub fn records(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|b| *b == 0).filter(|r| !r.is_empty())
}
