//! Proofs: private read-only copies of what a credited pass rests on, by which it can be checked again.
//!
//! `proofs/<iteration>/{evidence.json,context.md}`, files 0400, folders 0500, root 0700. What no row of the ledger names is a leftover of
//! a kill and is removed before the next proof is stored. Source: waves spec §10.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::Folder;
use crate::base::Fail;
use crate::base::digest::sha256_hex;
use crate::base::{Code, reason::words};
use crate::host::files::{self, io_fail};
use crate::wave::attest::attest;
use crate::wave::criteria::Criteria;
use crate::wave::evidence::{Expected, LARGEST, check};
use crate::wave::signal::Signal;
use crate::wire::evidence;
use crate::wire::gate::{Gate, Row};

words! {
    /// What is wrong with a proof.
    Flaw {
        Missing "proof_missing",
        Orphan "proof_orphan",
        Mode "proof_mode",
        Evidence "proof_evidence",
        Attestation "proof_attestation",
        PassBinding "pass_binding",
    }
}

fn root(folder: &Folder<'_>) -> PathBuf {
    folder.dir.join("proofs")
}

fn mode(path: &Path, bits: u32) -> Result<(), Fail> {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(bits)).map_err(|e| io_fail(&e, "set the mode of", path))
}

/// Stores the proof of a pass that is about to be credited.
///
/// # Errors
/// Why it cannot be written.
pub fn store(folder: &Folder<'_>, gate: &Gate, iteration: u64, evidence: &[u8], context: &[u8]) -> Result<(), Fail> {
    let root = root(folder);
    files::make_private_dir(&root)?;
    sweep(folder, gate)?;
    let staged = root.join(format!(".staged-{iteration}"));
    discard(&staged)?;
    files::make_private_dir(&staged)?;
    for (name, bytes) in [("evidence.json", evidence), ("context.md", context)] {
        files::replace(folder.host, &staged.join(name), bytes)?;
        mode(&staged.join(name), 0o400)?;
    }
    let place = root.join(iteration.to_string());
    discard(&place)?;
    files::rename(&staged, &place)?;
    mode(&place, 0o500)
}

/// Removes what no row of the ledger names.
///
/// # Errors
/// Why it cannot be removed.
pub fn sweep(folder: &Folder<'_>, gate: &Gate) -> Result<(), Fail> {
    // A link in its place leads to somebody else's files: it is put aside and never swept through.
    if root(folder).symlink_metadata().is_ok_and(|m| !m.is_dir()) {
        let aside = (1..1000).map(|n| folder.dir.join(format!("proofs.damaged-{n}"))).find(|p| p.symlink_metadata().is_err());
        if let Some(aside) = aside {
            files::rename(&root(folder), &aside)?;
        }
        return Ok(());
    }
    let known: Vec<String> = gate.ledger.iter().map(|r| r.iteration.to_string()).collect();
    for name in names(&root(folder)).into_iter().filter(|n| !known.contains(n)) {
        discard(&root(folder).join(name))?;
    }
    Ok(())
}

fn discard(place: &Path) -> Result<(), Fail> {
    match place.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(meta) if meta.is_dir() => {
            mode(place, 0o700)?;
            files::remove_tree(place)
        }
        Ok(_) => files::remove(place),
    }
}

fn names(root: &Path) -> Vec<String> {
    let real = root.symlink_metadata().is_ok_and(|m| m.is_dir());
    root.read_dir().into_iter().flatten().flatten().filter(move |_| real).map(|e| e.file_name().to_string_lossy().into_owned()).collect()
}

/// Every flaw of the proofs of a ledger: each pass is opened again and its attestation made again. Bound: the bytes of the proofs.
pub fn flaws(folder: &Folder<'_>, gate: &Gate, criteria: Option<&Criteria>) -> Vec<(u64, Flaw)> {
    let root = root(folder);
    let mut found = Vec::new();
    let known: Vec<String> = gate.ledger.iter().map(|r| r.iteration.to_string()).collect();
    if names(&root).iter().any(|n| !known.contains(n)) || root.symlink_metadata().is_ok_and(|m| !m.is_dir()) {
        found.push((0, Flaw::Orphan));
    }
    if !gate.ledger.is_empty() && root.symlink_metadata().is_ok_and(|m| !m.is_dir() || m.mode() & 0o777 != 0o700) {
        found.push((0, Flaw::Mode));
    }
    for row in &gate.ledger {
        found.extend(flaw(&root.join(row.iteration.to_string()), row, criteria).map(|f| (row.iteration, f)));
    }
    found
}

fn flaw(place: &Path, row: &Row, criteria: Option<&Criteria>) -> Option<Flaw> {
    let modes = |path: &Path, bits: u32| path.symlink_metadata().map(|m| m.mode() & 0o777 == bits && !m.is_symlink());
    let mut inside = names(place);
    inside.sort();
    if inside != ["context.md", "evidence.json"] {
        return Some(if inside.is_empty() { Flaw::Missing } else { Flaw::Orphan });
    }
    let rows = [(place.to_path_buf(), 0o500), (place.join("evidence.json"), 0o400), (place.join("context.md"), 0o400)];
    if !rows.iter().all(|(path, bits)| modes(path, *bits).unwrap_or(false)) {
        return Some(Flaw::Mode);
    }
    let read = |name: &str| files::read_state(&place.join(name)).ok().filter(|b| b.len() as u64 <= LARGEST);
    let (Some(evidence), Some(context)) = (read("evidence.json"), read("context.md")) else { return Some(Flaw::Evidence) };
    let bindings = crate::wave::attest::Bindings {
        pass_id: row.pass_id.clone(),
        scope_fingerprint: row.scope_fingerprint.clone(),
        criteria: row.criteria_binding.clone(),
        policy: row.policy_binding.clone(),
    };
    if bindings.pass() != row.pass_binding {
        return Some(Flaw::PassBinding);
    }
    let Ok(manifest) = evidence::manifest(&evidence) else { return Some(Flaw::Evidence) };
    let expected = Expected { bindings: &bindings, criteria, profile: row.profile };
    let text = String::from_utf8_lossy(&context);
    let empty = crate::wave::churn::findings_hash(&[]);
    let Ok(checked) = check(&manifest, &text, &Signal::Clean, &empty, expected) else { return Some(Flaw::Evidence) };
    let attested = attest(&bindings, row.profile, &checked, &evidence, &context);
    (attested.attestation() != row.attestation).then_some(Flaw::Attestation)
}

/// What a wave published: manifest, context pack and completion, each as its completion names it.
///
/// # Errors
/// `NOT_FOUND` when the wave handed in nothing, `FORGED_STATE` when a file is not as compile-wave wrote it.
pub fn published(folder: &Folder<'_>, dir: &Path) -> Result<(evidence::Completion, Vec<u8>, Vec<u8>), Fail> {
    let path = dir.join("completion.json");
    let bytes = files::read_private(&path)?;
    let completion: evidence::Completion = crate::wire::gate::open(&bytes, |b| folder.mac(b)).map_err(|fail| super::named(fail, &path))?;
    let read = |name: &str, wanted: &str| -> Result<Vec<u8>, Fail> {
        let bytes = files::read_private(&dir.join(name))?;
        if bytes.len() as u64 > LARGEST || sha256_hex(&bytes) != wanted {
            return Err(Fail::new(Code::ForgedState, format!("`{name}` of the pass is not as compile-wave wrote it")));
        }
        Ok(bytes)
    };
    let evidence = read("evidence.json", &completion.evidence_sha256)?;
    let context = read("context.md", &completion.context_sha256)?;
    Ok((completion, evidence, context))
}
