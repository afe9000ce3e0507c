//! The risk of a change, assessed in a fresh read-only session: two attempts, and a changed scope ends it (waves spec §3, §12).

use std::time::Duration;

use crate::base::digest::sha256_hex;
use crate::base::{Code, Fail};
use crate::host::files;
use crate::ops::provider::{self, Provider, Session};
use crate::ops::wave::{Folder, checks};
use crate::ops::{detect_scope, fingerprint_scope};
use crate::wave::criteria::STANDALONE;
use crate::wave::gate::Pause;
use crate::wave::prompt;
use crate::wave::tier::{Selection, Source, check};
use crate::wire::assessment::{self, Assessment};

/// Seconds an assessor may take.
const LIMIT_S: u64 = 900;

/// What is assessed.
pub struct Asked<'a> {
    /// What is compared with; none for the default branch.
    pub base: Option<&'a str>,
    /// Our own folders inside the checkout.
    pub own: &'a [String],
    /// Of the criteria, or `standalone`.
    pub criteria_binding: &'a str,
    /// The criteria.
    pub criteria: Option<&'a [u8]>,
}

/// Assesses. A pause says why there is no assessment.
///
/// # Errors
/// Those of scope and state.
pub fn assess(folder: &mut Folder<'_>, provider: &Provider, asked: &Asked<'_>) -> Result<Result<Assessment, Pause>, Fail> {
    let host = folder.host;
    let bound = |folder: &Folder<'_>| fingerprint_scope::bound(&folder.checkout, asked.base, &folder.own(asked.own));
    let before = bound(folder)?;
    let mut why = Pause::AssessmentInvalid;
    for attempt in 1..=2 {
        let nonce = sha256_hex(format!("{}\0assessment\0{attempt}\0{}", folder.id, uuid::Uuid::new_v4()).as_bytes());
        let session = format!("{}-assessment-{}", folder.id.chars().take(80).collect::<String>(), &nonce[..32]);
        let generation = sha256_hex(format!("{nonce}\0generation").as_bytes())[..32].to_owned();
        let dir = folder.session_dir(&session)?;
        files::make_private_below(&folder.root, &dir)?;
        let scope_file = dir.join("scope.txt");
        files::replace(host, &scope_file, &scope(folder, asked)?)?;
        let criteria_file = dir.join("criteria.json");
        if let Some(bytes) = asked.criteria {
            files::replace(host, &criteria_file, bytes)?;
        }
        let declared = checks::declared(folder, asked.base, asked.own, None)?;
        let compared = checks::compared(&folder.checkout, &declared.scope);
        let text = prompt::assessment(&prompt::Assessment {
            base: Some(compared.as_str()).filter(|_| before.mode != "codebase"),
            criteria_binding: asked.criteria_binding,
            criteria_file: Some(&criteria_file.to_string_lossy()),
            scope_file: &scope_file.to_string_lossy(),
            generation: &generation,
        });
        files::replace(host, &dir.join("prompt.md"), text.as_bytes())?;
        let env = [
            ("REVIEW_LOOP_ASSESSMENT_ACTIVE", "1".to_owned()),
            ("REVIEW_LOOP_PASS_ACTIVE", "0".to_owned()),
            ("REVIEW_LOOP_SESSION_ID", session),
            ("REVIEW_LOOP_PHASE_HANDOFF", String::new()),
        ];
        let limit = || Duration::from_secs(LIMIT_S);
        let top = folder.checkout.top.clone();
        let run = Session { dir: &dir, top: &top, prompt: &text, env: &env, assesses: true, reads: None, limit: &limit };
        let came = match provider::run(provider, &run, host) {
            Ok(came) => came,
            Err(fail) if fail.code == Code::ChildFailed => return Ok(Err(Pause::ReviewSessionUnavailable)),
            Err(fail) => return Err(fail),
        };
        if crate::host::child::signalled().is_some() {
            return Ok(Err(Pause::UserInterrupt));
        }
        folder.look_again()?;
        let after = bound(folder)?;
        if after != before {
            return Ok(Err(Pause::AssessmentMutatedScope));
        }
        if asked.criteria.is_some_and(|bytes| files::read_state(&criteria_file).ok().as_deref() != Some(bytes)) {
            return Ok(Err(Pause::ReviewCriteriaChanged));
        }
        why = match (came.ended.timed_out, came.went_through) {
            (true, _) => Pause::AssessmentTimeout,
            (false, false) => Pause::AssessmentProviderError,
            (false, true) => match assessment::read(&came.text, &generation) {
                Ok(found) if goes(&found, asked) => return Ok(Ok(found)),
                _ => Pause::AssessmentInvalid,
            },
        };
    }
    Ok(Err(why))
}

/// Who assesses: the source of the selection.
pub fn source(criteria_binding: &str) -> Source {
    if criteria_binding == STANDALONE { Source::StandaloneAssessor } else { Source::LifecycleAssessor }
}

fn goes(found: &Assessment, asked: &Asked<'_>) -> bool {
    let selection = Selection { tier: found.tier, source: source(asked.criteria_binding), reason_codes: found.reason_codes.clone() };
    check(&selection, asked.criteria_binding == STANDALONE).is_ok()
}

/// The scope as a text: names, statistics, the diff, and what is untracked.
fn scope(folder: &Folder<'_>, asked: &Asked<'_>) -> Result<Vec<u8>, Fail> {
    const MOST: usize = 4 << 20;
    let checkout = &folder.checkout;
    let look = checkout.look(&checkout.own(&folder.own(asked.own)))?;
    let untracked = look.status.untracked.clone();
    let found = detect_scope::detect(checkout, folder.host, asked.base, look)?.answer;
    let mut text = Vec::new();
    for file in &found.files {
        text.extend(format!("{:?} ", file.status).into_bytes());
        text.extend(&file.path);
        text.push(b'\n');
    }
    if let Some(base) = found.base.as_deref() {
        text.extend(b"\n");
        text.extend(checkout.git.diff(&["--stat", "--no-renames", base], &[])?);
        text.extend(checkout.git.diff(&["--no-renames", base], &[])?);
        for path in untracked {
            let full = checkout.full(&path);
            if full.symlink_metadata().is_ok_and(|m| m.is_file()) && text.len() < MOST {
                text.extend([b"\n+++ untracked: ", path.as_slice(), b"\n"].concat());
                text.extend(files::read_text(&full, 1 << 20).unwrap_or_default());
            }
        }
    }
    if text.len() > MOST {
        text.truncate(MOST);
        text.extend(b"\n[cut: the scope is longer than what is shown here]\n");
    }
    Ok(text)
}
