//! Round plans, schema 1, as plan-round and synthesize-verdict write them.

use super::json::{Fields, document, parse};
use crate::base::{Code, Fail};
use crate::round::plan::{Floor, Phase, Plan, ROLES, Risk, Seat};
use crate::round::record::Surface;

/// The bytes of a plan.
pub fn bytes(plan: &Plan) -> Vec<u8> {
    document(plan)
}

/// Reads a plan.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`; the caller puts them behind `INVALID_PLAN`.
pub fn read(bytes: &[u8]) -> Result<Plan, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    let schema_version = f.count("schema_version")?;
    if schema_version > 1 {
        return Err(Fail::new(Code::SchemaNewer, format!("the plan has schema {schema_version}, this program knows 1"))
            .with("found", schema_version)
            .with("known", 1));
    }
    let size = |key: &str| f.count(key).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let mut roles = Vec::new();
    for role in f.texts("roles")? {
        roles.push(*ROLES.iter().find(|r| **r == role).ok_or_else(|| f.wrong("roles", "known roles"))?);
    }
    Ok(Plan {
        schema_version,
        loop_id: f.text("loop_id")?.to_owned(),
        round_number: f.count("round_number")?,
        cap: f.count("cap")?,
        artifact_phase: Phase::parse(f.text("artifact_phase")?).ok_or_else(|| f.wrong("artifact_phase", "document or implementation"))?,
        risk: Risk::parse(f.text("risk")?).ok_or_else(|| f.wrong("risk", "low, medium, high or critical"))?,
        floor: Floor {
            minimum_reviewers: size("minimum_reviewers")?,
            planned_reviewers: size("planned_reviewers")?,
            minimum_families: size("minimum_families")?,
            tier: f.count("tier")?,
            roles,
        },
        seats: seats(&f, "seats")?,
        candidates: seats(&f, "candidates")?,
        expansion_waves_used: f.count("expansion_waves_used")?,
        base_commit: f.maybe_text("base_commit")?.map(str::to_owned),
        surface: Surface {
            head_commit: f.maybe_text("head_commit")?.map(str::to_owned),
            surface_fingerprint: f.maybe_text("surface_fingerprint")?.map(str::to_owned),
            surface_tree: f.maybe_text("surface_tree")?.map(str::to_owned),
        },
    })
}

fn seats(f: &Fields<'_>, key: &str) -> Result<Vec<Seat>, Fail> {
    let mut seats: Vec<Seat> = Vec::new();
    for (index, entry) in f.list(key)?.iter().enumerate() {
        let at = format!("/{key}/{index}");
        let e = Fields::of(entry, &at)?;
        let id = e.text("reviewer_id")?;
        if seats.iter().any(|s| s.reviewer_id == id) {
            return Err(e.wrong("reviewer_id", "named once"));
        }
        seats.push(Seat {
            reviewer_id: id.to_owned(),
            provider: e.text("provider")?.to_owned(),
            assignment_role: e.text("assignment_role")?.to_owned(),
            model: e.maybe_text("model")?.map(str::to_owned),
            effort: e.maybe_text("effort")?.map(str::to_owned),
            wave: e.count("wave")?,
            required: e.flag("required")?,
        });
    }
    Ok(seats)
}
