//! The floor: the lowest tier a change may have, by data. What is matched is named; a project adds globs and takes none away.
//!
//! A table of path patterns and of content signs for any ecosystem. Whole words of a path are compared, so that `oauth.rs` and
//! `src/authentication/` count and `docs/security.md` does not: prose and tests of a sensitive thing are not the thing. Source: waves
//! spec §2 (floor), §19 (what it missed and over-matched), §21 (7); issue 5, Floor and tier. Bound: the bytes of the paths and of the
//! added lines.

use serde::Serialize;

use super::tier::{ReasonCode, Tier};

/// A changed path, and the lines that the change adds to it.
#[derive(Debug, Clone, Default)]
pub struct Changed {
    /// From the top of the repository; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Added lines.
    pub added: String,
    /// How many lines it adds and takes away.
    pub lines: u64,
    /// Whether a glob of the project calls it sensitive.
    pub declared: bool,
    /// Whether its content could not be looked at.
    pub unread: bool,
}

/// Why a path counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The path.
    pub path: String,
    /// The class.
    pub class: ReasonCode,
    /// What of it matched: a word of the path, or the sign in its content.
    pub by: String,
}

/// The floor of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Floor {
    /// The lowest tier.
    pub tier: Tier,
    /// Why.
    pub reason_codes: Vec<ReasonCode>,
    /// What made it so, by path; at most 50.
    pub matched: Vec<Match>,
    /// How many paths changed.
    pub paths: usize,
}

/// More paths than these, or more first folders, have a broad impact.
const BROAD_PATHS: usize = 10;
const BROAD_FOLDERS: usize = 4;
/// More code than this is no longer localized.
const LOCAL_FILES: usize = 3;
const LOCAL_LINES: u64 = 200;

use ReasonCode as C;

/// Words of a path that name a class, whatever the language. A word ends where letters change to another kind.
const WORDS: &[(ReasonCode, &[&str])] = &[
    (
        C::SecuritySensitive,
        &[
            "auth",
            "auth0",
            "authenticator",
            "authorizer",
            "authn",
            "authz",
            "authentication",
            "authorization",
            "authenticate",
            "authorize",
            "oauth",
            "oauth2",
            "oidc",
            "saml",
            "sso",
            "login",
            "logout",
            "signin",
            "signup",
            "session",
            "sessions",
            "security",
            "permission",
            "permissions",
            "rbac",
            "acl",
            "policy",
            "policies",
            "secret",
            "secrets",
            "credential",
            "credentials",
            "password",
            "passwords",
            "passwd",
            "token",
            "tokens",
            "jwt",
            "crypto",
            "cryptography",
            "cipher",
            "encrypt",
            "encryption",
            "decrypt",
            "tls",
            "ssl",
            "certificate",
            "certificates",
            "keystore",
            "vault",
            "payment",
            "payments",
            "billing",
            "invoice",
            "invoices",
            "checkout",
            "stripe",
            "paypal",
            "wallet",
            "sudo",
            "sanitize",
            "sanitizer",
            "csrf",
            "cors",
            "firewall",
        ],
    ),
    (C::DataMigration, &["migration", "migrations", "migrate", "schema", "schemas", "alembic", "flyway", "liquibase", "prisma", "ddl"]),
    (C::ShellHooksCi, &["workflows", "githooks", "husky", "circleci", "buildkite", "jenkins", "tekton", "gitlab"]),
    (
        C::DeploymentPackaging,
        &[
            "deploy",
            "deployment",
            "deployments",
            "packaging",
            "docker",
            "helm",
            "terraform",
            "ansible",
            "kubernetes",
            "k8s",
            "pulumi",
            "nixos",
        ],
    ),
    (C::Concurrency, &["concurrency", "concurrent", "mutex", "lock", "locks", "locking", "scheduler", "threadpool", "semaphore"]),
];

/// Whole names of files.
const NAMES: &[(ReasonCode, &[&str])] = &[
    (
        C::ShellHooksCi,
        &[
            ".gitlab-ci.yml",
            "jenkinsfile",
            "azure-pipelines.yml",
            "azure-pipelines.yaml",
            "bitbucket-pipelines.yml",
            ".travis.yml",
            "appveyor.yml",
            ".drone.yml",
            "cloudbuild.yaml",
            "cloudbuild.yml",
            ".pre-commit-config.yaml",
            "lefthook.yml",
            "codeowners",
            "makefile",
            "gnumakefile",
            "justfile",
            "taskfile.yml",
            "rakefile",
            ".mailmap",
            ".gitattributes",
            ".gitmodules",
        ],
    ),
    (
        C::DeploymentPackaging,
        &[
            "dockerfile",
            "containerfile",
            "docker-compose.yml",
            "docker-compose.yaml",
            "compose.yml",
            "compose.yaml",
            "procfile",
            "chart.yaml",
            "fly.toml",
            "vercel.json",
            "netlify.toml",
            "app.yaml",
            "serverless.yml",
            "install.sh",
            "release.sh",
            "setup.py",
            "requirements.txt",
            "cargo.lock",
            "package-lock.json",
            "npm-shrinkwrap.json",
            "yarn.lock",
            "pnpm-lock.yaml",
            "bun.lockb",
            "bun.lock",
            "poetry.lock",
            "pipfile.lock",
            "uv.lock",
            "pdm.lock",
            "gemfile.lock",
            "composer.lock",
            "go.sum",
            "mix.lock",
            "pubspec.lock",
            "flake.lock",
            "packages.lock.json",
            "gradle.lockfile",
            "conan.lock",
            "deno.lock",
            "podfile.lock",
            "cartfile.resolved",
            "package.resolved",
        ],
    ),
    (C::PublicContract, &["openapi.yaml", "openapi.yml", "openapi.json", "swagger.yaml", "swagger.json", "schema.graphql"]),
];

/// Beginnings of paths.
const FOLDERS: &[(ReasonCode, &[&str])] = &[
    (
        C::ShellHooksCi,
        &[
            ".github/workflows/",
            ".github/actions/",
            ".circleci/",
            ".buildkite/",
            ".husky/",
            ".githooks/",
            "ci/",
            ".ci/",
            ".gitlab/",
            ".git-hooks/",
            "hooks/",
        ],
    ),
    (C::DeploymentPackaging, &["debian/", "charts/", "infra/", "infrastructure/"]),
    (C::DataMigration, &["db/migrate/"]),
    (C::PublicContract, &["api/", "proto/"]),
];

/// Ends of paths.
const ENDS: &[(ReasonCode, &[&str])] = &[
    (C::DataMigration, &[".sql", ".prisma"]),
    (C::PublicContract, &[".proto", ".graphql", ".thrift", ".avsc"]),
    (C::DeploymentPackaging, &[".tf", ".tfvars", ".dockerfile", ".spec", ".nuspec"]),
    (C::SecuritySensitive, &[".pem", ".key", ".p12", ".pfx", ".keystore", ".env"]),
    (C::ShellHooksCi, &[".sh", ".bash", ".zsh", ".ps1", ".bat", ".cmd"]),
];

/// Signs in added lines of code.
const SIGNS: &[(ReasonCode, &[&str])] = &[
    (
        C::SecuritySensitive,
        &[
            "rm -rf",
            "rmtree(",
            "remove_dir_all(",
            "DROP TABLE",
            "DELETE FROM",
            "TRUNCATE TABLE",
            "setuid",
            "seteuid",
            "chmod 777",
            "eval(",
            "pickle.loads",
            "yaml.load(",
            "dangerouslySetInnerHTML",
            "innerHTML",
            "verify=False",
            "InsecureSkipVerify",
            "bcrypt",
            "argon2",
            "hmac",
            "jsonwebtoken",
            "Authorization:",
            "x509",
            "private_key",
            "unsafe {",
            "BEGIN PRIVATE KEY",
            "os.system(",
            "shell=True",
        ],
    ),
    (C::DataMigration, &["ALTER TABLE", "CREATE TABLE", "ADD COLUMN", "DROP COLUMN", "CREATE INDEX", "add_column ", "create_table"]),
    (
        C::Concurrency,
        &[
            "thread::spawn",
            "tokio::spawn",
            "Mutex<",
            "Mutex::new",
            "RwLock",
            "AtomicBool",
            "AtomicU",
            "AtomicI",
            "pthread_",
            "thread::Builder",
            "threading.Thread",
            "multiprocessing",
            "asyncio.Lock",
            "synchronized (",
            "ReentrantLock",
            "ExecutorService",
            "go func(",
            "sync.Mutex",
            "sync.WaitGroup",
            "Worker(",
            "SharedArrayBuffer",
            "fork()",
            "waitpid",
            "signal(",
            "SIGTERM",
            "SIGKILL",
            "flock(",
        ],
    ),
];

/// The floor of changed paths. No path at all is a review of everything.
pub fn assess(changed: &[Changed]) -> Floor {
    if changed.is_empty() {
        let matched = vec![Match { path: String::new(), class: C::BroadImpact, by: "whole code base".to_owned() }];
        return Floor { tier: Tier::Complex, reason_codes: vec![C::BroadImpact], matched, paths: 0 };
    }
    let mut matched: Vec<Match> = changed.iter().filter_map(of_path).collect();
    let folders: std::collections::BTreeSet<&str> = changed.iter().map(|c| c.path.split('/').next().unwrap_or(&c.path)).collect();
    if changed.len() >= BROAD_PATHS || folders.len() >= BROAD_FOLDERS {
        let by = format!("{} paths in {} folders", changed.len(), folders.len());
        matched.push(Match { path: String::new(), class: C::BroadImpact, by });
    }
    let mut classes: Vec<ReasonCode> = matched.iter().map(|m| m.class).collect();
    classes.sort_unstable();
    classes.dedup();
    matched.truncate(50);
    if !classes.is_empty() {
        return Floor { tier: Tier::Complex, reason_codes: classes, matched, paths: changed.len() };
    }
    let code: Vec<&Changed> = changed.iter().filter(|c| !is_prose(&c.path) && !is_test(&c.path)).collect();
    let lines: u64 = code.iter().map(|c| c.lines).sum();
    if code.len() > LOCAL_FILES || lines > LOCAL_LINES {
        let matched =
            vec![Match { path: String::new(), class: C::BoundedProductionChange, by: format!("{} files, {lines} lines", code.len()) }];
        return Floor { tier: Tier::Normal, reason_codes: vec![C::BoundedProductionChange], matched, paths: changed.len() };
    }
    Floor { tier: Tier::Small, reason_codes: vec![C::LocalizedChange, C::FocusedVerification], matched: Vec::new(), paths: changed.len() }
}

/// The first class of a path: what the project declares, then names, folders, ends, words, signs.
fn of_path(changed: &Changed) -> Option<Match> {
    let hit = |class: ReasonCode, by: &str| Some(Match { path: changed.path.clone(), class, by: by.to_owned() });
    if changed.declared {
        return hit(C::DeclaredSensitivePath, "a glob of the trusted policy");
    }
    // What was not looked at may hold anything.
    if changed.unread {
        return hit(C::UncertainCoverage, "content that was not read");
    }
    let path = changed.path.replace('\\', "/").to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let exact = NAMES.iter().find_map(|(class, names)| names.iter().find(|n| **n == name).map(|n| (*class, *n)));
    let begins = FOLDERS.iter().find_map(|(class, all)| all.iter().find(|f| path.starts_with(**f)).map(|f| (*class, *f)));
    if let Some((class, by)) = exact.or(begins.filter(|_| !is_prose(&path))) {
        return hit(class, by);
    }
    if is_prose(&path) {
        return None;
    }
    if let Some((class, by)) = ENDS.iter().find_map(|(class, all)| all.iter().find(|e| path.ends_with(**e)).map(|e| (*class, *e))) {
        return hit(class, by);
    }
    let parts = words(&changed.path);
    let named = WORDS.iter().find_map(|(class, all)| parts.iter().find(|w| all.contains(&w.as_str())).map(|w| (*class, w.clone())));
    if let Some((class, by)) = named.filter(|_| !is_test(&path)) {
        return hit(class, &by);
    }
    let signs = || SIGNS.iter().find_map(|(class, all)| all.iter().find(|s| changed.added.contains(**s)).map(|s| (*class, *s)));
    match signs().filter(|_| !is_test(&path)) {
        Some((class, by)) => hit(class, by),
        None => None,
    }
}

/// The words of a path: parts between marks, split where a small letter meets a capital, and before the last capital of an acronym.
fn words(path: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut small = false;
    let mut ahead = path.chars().skip(1);
    for c in path.chars() {
        let before_small = ahead.next().is_some_and(char::is_lowercase);
        let ends = !c.is_alphanumeric() || (c.is_uppercase() && (small || (before_small && word.len() > 1)));
        if ends && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        small = c.is_lowercase() || c.is_numeric();
    }
    found.extend((!word.is_empty()).then_some(word));
    found
}

/// Whether a path is prose about things.
fn is_prose(path: &str) -> bool {
    let lower = path.to_lowercase();
    let lists = lower.rsplit('/').next().is_some_and(|n| n.starts_with("requirements") || n == "cmakelists.txt");
    !lists && [".md", ".mdx", ".txt", ".rst", ".adoc", ".png", ".svg", ".jpg", ".gif", ".pdf"].iter().any(|e| lower.ends_with(e))
}

/// Whether a path is a test.
fn is_test(path: &str) -> bool {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let folder =
        lower.split('/').rev().skip(1).any(|p| ["test", "tests", "spec", "specs", "__tests__", "testdata", "fixtures"].contains(&p));
    let named = name.starts_with("test_") || ["_test.", ".test.", "_spec.", ".spec."].iter().any(|m| name.contains(m));
    folder || named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> Changed {
        Changed { path: path.into(), lines: 3, ..Changed::default() }
    }

    fn class(path: &str) -> Option<ReasonCode> {
        of_path(&at(path)).map(|m| m.class)
    }

    #[test]
    fn what_the_reference_missed_is_caught() {
        for path in [
            "src/authentication/mod.rs",
            "oauth.rs",
            "src/OAuthClient.ts",
            "authz/check.go",
            "lib/crypto/aes.py",
            "app/billing/plan.rb",
            ".gitlab-ci.yml",
            "Dockerfile",
            "Jenkinsfile",
            "Makefile",
            ".github/actions/x/action.yml",
            "db/migrate/001.rb",
            "Cargo.lock",
            "web/package-lock.json",
            "yarn.lock",
            "go.sum",
            "poetry.lock",
            "src/auth/login.rs",
            "app/models/schema.rb",
            "x.sql",
            ".github/workflows/ci.yml",
            "scripts/release.sh",
            "deploy/prod.yaml",
            "src/permissions.py",
            "secrets/prod.env",
            "config/.env",
        ] {
            assert!(class(path).is_some(), "{path}");
            assert_eq!(assess(&[at(path)]).tier, Tier::Complex, "{path}");
        }
    }

    #[test]
    fn what_the_reference_over_matched_is_left_alone() {
        for path in [
            "docs/security.md",
            "src/bin/x.rs",
            "src/config.rs",
            "src/hooks/useUser.ts",
            "src/author.rs",
            "src/blocked.rs",
            "README.md",
            "tests/auth_test.py",
            "src/tokenizer.rs",
            "src/clock.rs",
            "src/cli/help.rs",
        ] {
            assert_eq!(class(path), None, "{path}");
            assert_eq!(assess(&[at(path)]).tier, Tier::Small, "{path}");
        }
    }

    #[test]
    fn every_tier_can_be_the_floor() {
        assert_eq!(assess(&[]).tier, Tier::Complex);
        assert_eq!(assess(&[at("a.rs")]).tier, Tier::Small);
        assert_eq!(assess(&[Changed { lines: 500, ..at("a.rs") }]).tier, Tier::Normal);
        assert_eq!(assess(&[at("a/1.rs"), at("a/2.rs"), at("a/3.rs"), at("a/4.rs")]).tier, Tier::Normal);
        let many: Vec<Changed> = (0..10).map(|n| at(&format!("a/{n}.md"))).collect();
        assert_eq!(assess(&many).reason_codes, [C::BroadImpact]);
        assert_eq!(assess(&["a/x", "b/x", "c/x", "d/x"].map(at)).tier, Tier::Complex);
    }

    #[test]
    fn signs_in_code_count_and_in_prose_and_tests_do_not() {
        let with = |path: &str, added: &str| assess(&[Changed { added: added.into(), ..at(path) }]);
        assert_eq!(with("src/a.rs", "let m = Mutex::new(0);").reason_codes, [C::Concurrency]);
        assert_eq!(with("src/a.py", "shutil.rmtree(path)").matched[0].by, "rmtree(");
        assert_eq!(with("docs/a.md", "Mutex::new").tier, Tier::Small);
        assert_eq!(with("tests/a.rs", "Mutex::new").tier, Tier::Small);
        let declared = assess(&[Changed { declared: true, ..at("src/odd.rs") }]);
        assert_eq!(declared.reason_codes, [C::DeclaredSensitivePath]);
    }
}
