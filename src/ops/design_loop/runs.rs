//! The run ledger beside a design loop: the launch of an attempt and its terminal, when a ledger is named (design seed, Verdict closure).

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::Folder;
use crate::base::{Code, Fail};
use crate::design::record::{Engine, Round};
use crate::design::runs::{Effort, decode};
use crate::host::journal;
use crate::ops::run_ledger::{self, Place};
use crate::ops::{append_run, settle_run};

/// The run ledger, as flags name it.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// The ledger; without one nothing is written down.
    pub ledger: Option<String>,
    /// The work item; the loop's id else.
    pub work_item: Option<String>,
    /// The role; `design-reviewer` else.
    pub role: Option<String>,
}

impl Flags {
    fn place(&self, folder: &Folder<'_>) -> Result<Option<Place>, Fail> {
        let Some(ledger) = self.ledger.as_deref().filter(|l| !l.is_empty()) else { return Ok(None) };
        let path: PathBuf = folder.host.absolute(Some(ledger), "runs")?;
        Ok(Some(Place::of(path, Some(folder.top.clone()))))
    }

    /// Writes the launch of an attempt down, once.
    ///
    /// # Errors
    /// Those of append-run.
    pub fn launch(&self, folder: &Folder<'_>, round: &Round, lane: &str, attempt: &str, engine: &Engine) -> Result<(), Fail> {
        let Some(place) = self.place(folder)? else { return Ok(()) };
        let held = run_ledger::hold(folder.host, &place)?;
        let bytes = journal::read(&place.path)?;
        if decode(&bytes).events.iter().any(|(_, e)| e.run_id == attempt) {
            return Ok(());
        }
        let given = |v: &Option<String>, otherwise: &str| v.clone().filter(|v| !v.is_empty()).unwrap_or_else(|| otherwise.to_owned());
        // What is reviewed keeps one name over the loop, wherever a later revision was read from.
        let kept = folder.record()?.and_then(|r| r.rounds.first().and_then(|first| first.artifact.source.clone()));
        let source = kept.or_else(|| round.artifact.source.clone()).unwrap_or_default();
        let snapshot = || folder.dir.strip_prefix(&folder.top).ok().zip(round.artifact.snapshot.as_ref()).map(|(dir, s)| dir.join(s));
        let outside = std::path::Path::new(&source).is_absolute().then(snapshot).flatten();
        let source = outside.map_or(source, |path| path.to_string_lossy().into_owned());
        let mut fields = Map::from_iter([
            ("runId".to_owned(), json!(attempt)),
            ("eventKind".to_owned(), json!("launch")),
            ("status".to_owned(), json!("running")),
            ("gate".to_owned(), json!("none")),
            ("workItem".to_owned(), json!(given(&self.work_item, &folder.id))),
            ("role".to_owned(), json!(given(&self.role, "design-reviewer"))),
            ("executionRole".to_owned(), json!("external-reviewer")),
            ("scope".to_owned(), json!([source])),
            ("artifact".to_owned(), json!(source)),
            ("lane".to_owned(), json!(lane)),
            ("provider".to_owned(), json!(engine.engine)),
        ]);
        fields.extend(engine.model.iter().map(|m| ("model".to_owned(), json!(m))));
        fields.extend(engine.effort.as_deref().and_then(Effort::parse).map(|e| ("effort".to_owned(), json!(e))));
        let event = append_run::filled(fields, folder.host)?;
        append_run::written(folder.host, &held, &place, &event)?;
        Ok(())
    }

    /// Settles the launch of an attempt. A PASS closes every REVISE of its lane that is open.
    ///
    /// # Errors
    /// Those of settle-run.
    pub fn settle(
        &self,
        folder: &Folder<'_>,
        attempt: &str,
        status: &str,
        gate: &str,
        evidence: Vec<Value>,
        notes: &str,
    ) -> Result<(), Fail> {
        let Some(place) = self.place(folder)? else { return Ok(()) };
        let held = run_ledger::hold(folder.host, &place)?;
        let bytes = journal::read(&place.path)?;
        let decoded = decode(&bytes);
        let Some((_, launch)) = decoded.events.iter().find(|(_, e)| e.run_id == attempt) else {
            let message = format!("the launch of `{attempt}` is not in `{}`", place.path.to_string_lossy());
            return Err(Fail::new(Code::NotFound, message).with("path", place.path.to_string_lossy().as_ref()));
        };
        // A kill between the ledger and the record leaves the terminal there already.
        let ended = decoded.events.iter().find(|(_, e)| e.launch_run_id.as_deref() == Some(attempt));
        if ended.is_some_and(|(_, e)| e.gate == gate && serde_json::to_value(&e.evidence).ok() == Some(json!(evidence))) {
            return Ok(());
        }
        let mut fields = Map::from_iter([
            ("status".to_owned(), json!(status)),
            ("gate".to_owned(), json!(gate)),
            ("evidence".to_owned(), json!(evidence)),
            ("notes".to_owned(), json!(notes)),
        ]);
        if gate == "PASS" {
            let (lane, artifact) = (launch.lane.clone(), launch.artifact.clone());
            let standing = place.standing(&bytes);
            let own = standing.open.into_iter().filter(|o| o.lane == lane && o.artifact == artifact).map(|o| o.run_id);
            let own: Vec<String> = own.collect();
            if !own.is_empty() {
                fields.insert("closesRunIds".to_owned(), json!(own));
            }
        }
        match settle_run::settle(folder.host, &held, &place, attempt, fields.clone()) {
            // A PASS that may not close what is open is a PASS all the same: the obligation stays.
            Err(fail) if fail.code == Code::InvalidRun && fields.remove("closesRunIds").is_some() => {
                settle_run::settle(folder.host, &held, &place, attempt, fields)?;
                Ok(())
            }
            other => other.map(drop),
        }
    }
}
