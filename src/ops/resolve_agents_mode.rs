//! resolve-agents-mode: which settings hold for a project and its user, which layer decided each, and who takes a lane
//! (design seed §1; spec/design-loop.md §4).

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::list_sources;
use crate::base::{Code, Fail};
use crate::design::agents_mode::{Chosen, From, LANES, Layer, choose, problems_beside, resolve};
use crate::host::{Host, files, walk};
use crate::source::adapter::Name;
use crate::wire::agents_mode;

/// The largest file that is read.
pub const LIMIT: u64 = 1 << 20;

/// What is asked.
#[derive(Debug, Default)]
pub struct Request {
    /// A folder of the project.
    pub repo: Option<String>,
    /// The lane somebody is to take.
    pub lane: Option<String>,
    /// The line the host belongs to.
    pub host_line: Option<String>,
    /// Whether the chosen provider is asked for its version.
    pub probe: bool,
    /// Whether each value says where it comes from.
    pub explain: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// Every key.
    pub values: Map<String, Value>,
    /// Where each comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<BTreeMap<String, From>>,
    /// Whether a wrapper may be launched.
    #[serde(rename = "reserveResolverTrust")]
    pub trust: &'static str,
    /// Who takes the lane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<Chosen>,
    /// What normalize-agents-mode would mend.
    pub warnings: Vec<String>,
}

/// Resolves the settings.
///
/// # Errors
/// `INVALID_AGENTS_MODE` with `problems`, `INVALID_ARGUMENT`, why a file cannot be read.
pub fn run(request: &Request, host: &Host) -> Result<Answer, Fail> {
    let mut layers = Vec::new();
    let mut warnings = Vec::new();
    for (path, is_users) in places(request, host)? {
        let bytes = match files::read_text(&path, LIMIT) {
            Err(fail) if fail.code == Code::NotFound => continue,
            other => other?,
        };
        let shown = crate::base::path::printable(&path.to_string_lossy());
        let file = agents_mode::read(&bytes).map_err(|fail| fail.with("path", shown.as_str()))?;
        layers.push(Layer { path: shown, is_users, file });
    }
    for (n, Layer { path: shown, file, .. }) in layers.iter().enumerate() {
        let others: Vec<&Value> = layers.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, l)| &l.file).collect();
        let found = problems_beside(file, &others);
        warnings.extend(found.iter().filter(|p| p.mended).map(|p| format!("{shown}: {}: {}", p.key, p.message)));
        let wrong: Vec<_> = found.iter().filter(|p| !p.mended).collect();
        if let Some(first) = wrong.first() {
            let fail = Fail::new(Code::InvalidAgentsMode, format!("`{shown}`: `{}`: {}", first.key, first.message));
            return Err(fail.with("path", shown.as_str()).with("problems", json!(wrong)));
        }
    }
    let resolved = resolve(&layers);
    let lane = request.lane.as_deref().filter(|l| !l.is_empty());
    let dispatch = match lane {
        None => None,
        Some(lane) => {
            let line = request.host_line.as_deref().filter(|l| matches!(*l, "codex" | "claude"));
            let line =
                line.ok_or_else(|| Fail::new(Code::InvalidArgument, "`--host-line` is codex or claude: a line never reviews itself"))?;
            if !LANES.contains(&lane) && !known(&resolved.values, lane) {
                let message = format!("`{}` is no lane of the profile", crate::base::path::printable(lane));
                return Err(Fail::new(Code::InvalidArgument, message).with("lanes", LANES));
            }
            let mut chosen = choose(&resolved, lane, line);
            let source = chosen.provider.as_deref().and_then(Name::find).filter(|_| request.probe);
            chosen.available = source.map(|name| list_sources::probe(host, name).invokable);
            Some(chosen)
        }
    };
    let layers = request.explain.then_some(resolved.layers);
    Ok(Answer { values: resolved.values, layers, trust: resolved.trust, dispatch, warnings })
}

fn known(values: &Map<String, Value>, lane: &str) -> bool {
    let profile = values["externalPriorityProfile"].as_str().unwrap_or_default();
    values["externalPriorityProfiles"].get(profile).is_some_and(|p| p.get(lane).is_some())
}

/// The files in the order they are asked, and whether they are the user's.
fn places(request: &Request, host: &Host) -> Result<Vec<(PathBuf, bool)>, Fail> {
    let folder = host.absolute(Some(request.repo.as_deref().filter(|r| !r.is_empty()).unwrap_or(".")), "repo")?;
    let top = walk::repository(&folder).unwrap_or(&folder).to_path_buf();
    let mut places = vec![(top.join(".agents/.agents-mode.yaml"), false), (top.join(".agents/.agents-mode"), false)];
    if let Some(home) = host.var("HOME").filter(|h| !h.is_empty()).map(PathBuf::from) {
        places.extend([".codex/.agents-mode.yaml", ".codex/.agents-mode", ".agents-mode.yaml"].map(|name| (home.join(name), true)));
    }
    Ok(places)
}
