//! resolve-policy: how many clean waves each tier needs, by the trusted default branch's commit and never by the candidate tree (waves
//! spec §3; issue 5, Policy).

use serde::Serialize;

use super::checkout::Checkout;
use crate::base::path::printable;
use crate::base::reason::words;
use crate::base::{Code, Fail};
use crate::host::Host;
use crate::wave::policy::{BUILT_IN, Passes, of_markdown};
use crate::wire::policy::{self, Policy};

words! {
    /// Where the numbers were read.
    Provenance {
        PolicyToml "policy_toml",
        DexMd "dex_md",
        BuiltIn "built_in",
        Unborn "unborn",
    }
}

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// A folder of the checkout.
    pub repo: Option<String>,
}

/// The answer.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    /// The numbers.
    #[serde(flatten)]
    pub passes: Passes,
    /// What selections, passes and receipts are bound to: the numbers, and not where they were read.
    pub policy_binding: String,
    /// Where they were read.
    pub provenance: Provenance,
    /// The trusted ref; none before the first commit.
    #[serde(rename = "ref")]
    pub trusted_ref: Option<String>,
    /// Its commit.
    pub oid: Option<String>,
    /// How many waves a loop may spend; none without a budget.
    pub wave_budget: Option<u64>,
    /// Globs of paths that the project calls sensitive.
    pub sensitive: Vec<String>,
}

const FILE: &str = ".review-loop/policy.toml";
const OLDER: &str = ".dex/dex.md";
const DEFAULTS: [&str; 4] = ["main", "master", "trunk", "develop"];

/// Resolves the policy. Nothing is fetched.
///
/// # Errors
/// `NOT_A_REPOSITORY`, `NO_TRUSTED_COMMIT`, `INVALID_POLICY`, `POLICY_CONFLICT`, `GIT_FAILED`.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let folder = host.absolute(Some(request.repo.as_deref().unwrap_or(".")), "repository")?;
    of(&Checkout::open(host, &folder)?)
}

/// The policy of an open checkout.
///
/// # Errors
/// As [`run`].
pub fn of(checkout: &Checkout) -> Result<Answer, Fail> {
    let Some((trusted_ref, oid)) = trusted(checkout)? else {
        // Built-in numbers hold only where no commit exists at all: one that was there could have said otherwise.
        if checkout.git.run(&["rev-list", "--all", "--reflog", "-n", "1"], b"")?.text().is_empty() && checkout.head()?.is_none() {
            return Ok(answer(Policy { passes: BUILT_IN, wave_budget: None, sensitive: Vec::new() }, Provenance::Unborn, None));
        }
        return Err(Fail::new(Code::NoTrustedCommit, "no default branch was found, here or on a remote"));
    };
    let file = blob(checkout, &oid, FILE)?;
    let older = match blob(checkout, &oid, OLDER)? {
        Some(text) => of_markdown(&text).map_err(|why| {
            Fail::new(
                Code::InvalidPolicy,
                format!("the table `## Review Policy` of `{OLDER}` in `{trusted_ref}` is no policy: {}", why.word()),
            )
        })?,
        None => None,
    };
    let named = |fail: Fail| Fail { message: format!("`{FILE}` of `{}`: {}", printable(&trusted_ref), fail.message), ..fail };
    let file = file.map(|text| policy::read(&text).map_err(named)).transpose()?;
    let (policy, provenance) = match (file, older) {
        (Some(file), Some(passes)) if file.passes != passes => {
            let message = format!("`{FILE}` and `{OLDER}` of `{}` name different numbers", printable(&trusted_ref));
            return Err(Fail::new(Code::PolicyConflict, message));
        }
        (Some(file), _) => (file, Provenance::PolicyToml),
        (None, Some(passes)) => (Policy { passes, wave_budget: None, sensitive: Vec::new() }, Provenance::DexMd),
        (None, None) => (Policy { passes: BUILT_IN, wave_budget: None, sensitive: Vec::new() }, Provenance::BuiltIn),
    };
    Ok(answer(policy, provenance, Some((trusted_ref, oid))))
}

fn answer(policy: Policy, provenance: Provenance, from: Option<(String, String)>) -> Answer {
    let (trusted_ref, oid) = from.unzip();
    Answer {
        policy_binding: policy.passes.binding(),
        passes: policy.passes,
        provenance,
        trusted_ref,
        oid,
        wave_budget: policy.wave_budget,
        sensitive: policy.sensitive,
    }
}

/// A text of a commit; none where it has no such file.
fn blob(checkout: &Checkout, oid: &str, path: &str) -> Result<Option<String>, Fail> {
    let text = checkout.blob_at(oid, path)?.map(String::from_utf8).transpose();
    text.map_err(|_| Fail::new(Code::InvalidPolicy, format!("`{path}` of the trusted commit is not UTF-8")))
}

/// The trusted ref and its commit: the default branch's upstream, else the branch of that name on origin, on upstream, here.
fn trusted(checkout: &Checkout) -> Result<Option<(String, String)>, Fail> {
    let branch = default_branch(checkout)?;
    let config = |key: String| checkout.git.ask(&["config", "--get", &key], b"").map(|a| a.text());
    let (remote, merge) = (config(format!("branch.{branch}.remote"))?, config(format!("branch.{branch}.merge"))?);
    let upstream = merge.strip_prefix("refs/heads/").filter(|_| !remote.is_empty() && remote != ".");
    let upstream = upstream.map(|name| format!("refs/remotes/{remote}/{name}"));
    let usual = [format!("refs/remotes/origin/{branch}"), format!("refs/remotes/upstream/{branch}"), format!("refs/heads/{branch}")];
    for full in upstream.into_iter().chain(usual) {
        let found = checkout.git.ask(&["rev-parse", "--verify", "-q", &format!("{full}^{{commit}}")], b"")?;
        if found.code == 0 {
            return Ok(Some((full, found.text())));
        }
    }
    Ok(None)
}

fn default_branch(checkout: &Checkout) -> Result<String, Fail> {
    let there = |full: &str| -> Result<bool, Fail> { Ok(checkout.git.ask(&["show-ref", "--verify", "-q", full], b"")?.code == 0) };
    let head = checkout.git.ask(&["symbolic-ref", "-q", "refs/remotes/origin/HEAD"], b"")?.text();
    if let Some(name) = head.strip_prefix("refs/remotes/origin/") {
        return Ok(name.to_owned());
    }
    for name in DEFAULTS {
        if there(&format!("refs/remotes/origin/{name}"))? {
            return Ok(name.to_owned());
        }
    }
    let configured = checkout.git.ask(&["config", "--get", "init.defaultBranch"], b"")?.text();
    let local = Some(configured).filter(|c| !c.is_empty()).into_iter().chain(DEFAULTS.map(str::to_owned));
    for name in local {
        if there(&format!("refs/heads/{name}"))? {
            return Ok(name);
        }
    }
    let current = checkout.git.ask(&["symbolic-ref", "-q", "--short", "HEAD"], b"")?.text();
    Ok(if current.is_empty() { "main".to_owned() } else { current })
}
