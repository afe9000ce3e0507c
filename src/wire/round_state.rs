//! Round states: written with schema 2, read with schemas 1 and 2 (rounds spec §1.6, §1.7).
//!
//! Reading is as lenient as the reference where nothing is decided (two rounds compare by their findings alone) and notes
//! what is missing in `damaged`: a state without a verdict, counts or findings is never decided from.

use serde_json::Value;

use super::json::{Fields, compact, parse};
use crate::base::severity::{Grade, Level};
use crate::base::verdict::RoundVerdict;
use crate::base::{Code, Fail};
use crate::finding::Location;
use crate::finding::churn::Disposition;
use crate::finding::identity::Ids;
use crate::finding::matching::{Basis, Doubt, Resolved, Status, Unclear};
use crate::report::response::Origin;
use crate::residue::owner::Owner;
use crate::round::record::{Answered, Assignment, Counts, ResponseMetrics, Round, RoundFinding, Routing, Surface};
use crate::round::sameness::{Bound, Sameness};

/// The bytes of a state file.
pub fn bytes(round: &Round) -> Vec<u8> {
    compact(round)
}

/// Reads a state file.
///
/// # Errors
/// The strict reader's codes, `SCHEMA_NEWER`, `BAD_SHAPE`; the caller puts them behind `INVALID_STATE`.
pub fn read(bytes: &[u8]) -> Result<Round, Fail> {
    let value = parse(bytes)?;
    let f = Fields::of(&value, "")?;
    let schema_version = f.count("schema_version")?;
    if schema_version > 2 {
        let message = format!("the state has schema {schema_version}, this program knows 2");
        return Err(Fail::new(Code::SchemaNewer, message).with("found", schema_version).with("known", 2));
    }
    if schema_version == 0 {
        return Err(f.wrong("schema_version", "1 or 2"));
    }
    let mut damaged = Vec::new();
    let verdict = f.get("verdict").and_then(Value::as_str).and_then(RoundVerdict::parse).unwrap_or_else(|| {
        damaged.push("verdict");
        RoundVerdict::Concern
    });
    let counts = counts(&f).unwrap_or_else(|| {
        damaged.push("counts");
        Counts::default()
    });
    if f.get("findings").and_then(Value::as_array).is_none() {
        damaged.push("findings");
    }
    let of_two = schema_version == 2;
    let matched = match f.get("matched").filter(|m| of_two && !m.is_null()) {
        None => None,
        Some(entry) => matched(entry).or_else(|| {
            damaged.push("matched");
            None
        }),
    };
    let text = |key: &str| f.maybe_text(key).map(|t| t.filter(|_| of_two).map(str::to_owned));
    let texts = |key: &str| {
        if of_two && f.get(key).is_some() { f.texts(key) } else { Ok(Vec::new()) }
    };
    let mut ids = Ids::default();
    Ok(Round {
        schema_version,
        source: "report-parse",
        loop_id: f.text("loop_id")?.to_owned(),
        round_number: f.count("round_number")?,
        base_commit: f.text("base_commit")?.to_owned(),
        verdict,
        counts,
        round_review_report_path: f.maybe_text("round_review_report_path")?.unwrap_or_default().to_owned(),
        response_report_path: f.maybe_text("response_report_path")?.map(str::to_owned),
        findings: findings(&f, "findings", of_two, &mut ids)?,
        rejected: answered(&f, "rejected"),
        skipped_rejects: f.maybe_count("skipped_rejects")?.unwrap_or(0),
        routing: Routing {
            artifact_phase: text("artifact_phase")?,
            risk: text("risk")?,
            routing_plan_digest: text("routing_plan_digest")?,
            planned_reviewers: texts("planned_reviewers")?,
            actual_reviewers: texts("actual_reviewers")?,
            wave: f.maybe_count("wave")?.unwrap_or(1),
            expansion: f.get("expansion").and_then(Value::as_bool).unwrap_or(false),
            reviewer_calls_saved: f.maybe_count("reviewer_calls_saved")?.unwrap_or(0),
            readiness: text("readiness")?,
            receipt_path: text("receipt_path")?,
            assignments: if of_two { assignments(&f) } else { Vec::new() },
        },
        response_metrics: response_metrics(&f),
        owner: f.get("owner").and_then(owner),
        info_findings: findings(&f, "info_findings", of_two, &mut ids)?,
        rejected_unlocated: answered(&f, "rejected_unlocated"),
        deferred: answered(&f, "deferred"),
        surface: Surface {
            head_commit: text("head_commit")?,
            surface_fingerprint: text("surface_fingerprint")?,
            surface_tree: text("surface_tree")?,
        },
        review_sha256: f.maybe_text("review_sha256")?.unwrap_or_default().to_owned(),
        response_sha256: f.maybe_text("response_sha256")?.map(str::to_owned),
        warnings: f.maybe_list("warnings")?.iter().filter_map(|w| w.as_str().map(str::to_owned)).collect(),
        unparsed_suspicious: f.maybe_count("unparsed_suspicious")?.unwrap_or(0),
        matched,
        damaged,
    })
}

/// The three counts; none when one of them is missing or no whole number.
fn counts(f: &Fields<'_>) -> Option<Counts> {
    let of = |key: &str| f.get("counts")?.get(key)?.as_u64();
    Some(Counts { critical: of("critical")?, warning: of("warning")?, info: of("info")? })
}

/// A findings field that is no list counts as empty, as in the reference; an entry without a severity is damage.
fn findings(f: &Fields<'_>, key: &str, of_two: bool, ids: &mut Ids) -> Result<Vec<RoundFinding>, Fail> {
    let Some(list) = f.get(key).and_then(Value::as_array) else {
        return Ok(Vec::new());
    };
    let wrong = || f.wrong(key, "a list of findings with a severity, and with known words where they say what they are to earlier ones");
    let read = |entry: &Value| -> Option<RoundFinding> {
        let mut finding = finding(entry)?;
        if finding.id.is_empty() {
            // A state of the reference holds no ids.
            finding.id = ids.assign(None, finding.path.as_deref(), finding.line, &finding.title_slug).0;
        }
        if of_two { tied(finding, entry) } else { Some(finding) }
    };
    list.iter().map(read).map(|read| read.ok_or_else(wrong)).collect()
}

/// What a finding is to earlier ones; none when something stands there that is not known.
fn tied(finding: RoundFinding, entry: &Value) -> Option<RoundFinding> {
    fn read<'e, T>(entry: &'e Value, key: &str, known: impl Fn(&'e Value) -> Option<T>) -> Option<Option<T>> {
        entry.get(key).filter(|v| !v.is_null()).map_or(Some(None), |value| known(value).map(Some))
    }
    Some(RoundFinding {
        same_as: read(entry, "same_as", |v| v.as_str().map(str::to_owned))?,
        same_as_round: read(entry, "same_as_round", Value::as_u64)?,
        basis: read(entry, "basis", |v| Basis::parse(v.as_str()?))?,
        fix_induced: read(entry, "fix_induced", Value::as_bool)?,
        in_new_code: read(entry, "in_new_code", Value::as_bool)?,
        disposition: read(entry, "disposition", |v| Disposition::parse(v.as_str()?))?,
        ..finding
    })
}

fn finding(entry: &Value) -> Option<RoundFinding> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let severity = Level::parse(entry.get("severity")?.as_str()?)?;
    let also = entry.get("also").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    Some(RoundFinding {
        severity,
        path: text("path"),
        line: entry.get("line").and_then(Value::as_u64),
        title_slug: text("title_slug").unwrap_or_default(),
        category: text("category").map_or("untagged".into(), Into::into),
        id: text("id").unwrap_or_default(),
        id_source: if entry.get("id_source").and_then(Value::as_str) == Some("stated") { "stated" } else { "assigned" },
        grade: text("grade").and_then(|g| Grade::parse(&g)).unwrap_or(severity.grade()),
        end_line: entry.get("end_line").and_then(Value::as_u64),
        also: also.iter().filter_map(place).collect(),
        quote: text("quote"),
        title: text("title").unwrap_or_default(),
        ..RoundFinding::default()
    })
}

/// A match; none when it is not whole.
fn matched(entry: &Value) -> Option<Sameness> {
    let list = |key: &str| entry.get(key).and_then(Value::as_array);
    let word = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let words = |entry: &Value, key: &str| -> Option<Vec<String>> {
        entry.get(key)?.as_array()?.iter().map(|w| w.as_str().map(str::to_owned)).collect()
    };
    let gone = |e: &Value| Some(Resolved { id: word(e, "id")?, status: Status::parse(&word(e, "status")?)? });
    let unclear = |e: &Value| {
        let reason = Doubt::parse(&word(e, "reason")?)?;
        Some(Unclear { previous: words(e, "previous")?, current: words(e, "current")?, reason })
    };
    let bound = |e: &Value| Some(Bound { round: e.get("round")?.as_u64()?, digest: word(e, "digest")? });
    Some(Sameness {
        round: entry.get("round")?.as_u64()?,
        digest: word(entry, "digest")?,
        mapped: entry.get("mapped")?.as_bool()?,
        resolved: list("resolved")?.iter().map(gone).collect::<Option<_>>()?,
        ambiguous: list("ambiguous")?.iter().map(unclear).collect::<Option<_>>()?,
        earlier: list("earlier")?.iter().map(bound).collect::<Option<_>>()?,
    })
}

fn place(entry: &Value) -> Option<Location> {
    let path = entry.get("path")?.as_str()?.to_owned();
    Some(Location { path, line: entry.get("line").and_then(Value::as_u64), end_line: entry.get("end_line").and_then(Value::as_u64) })
}

fn answered(f: &Fields<'_>, key: &str) -> Vec<Answered> {
    let list = f.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let one = |entry: &Value| {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        Answered {
            path: text("path"),
            line: entry.get("line").and_then(Value::as_u64),
            reason: text("reason").unwrap_or_default(),
            id: text("id").unwrap_or_default(),
            grade: text("grade").and_then(|g| Grade::parse(&g)).unwrap_or(Grade::Unknown),
            title: text("title").unwrap_or_default(),
        }
    };
    list.iter().map(one).collect()
}

fn assignments(f: &Fields<'_>) -> Vec<Assignment> {
    let list = f.get("assignments").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let one = |entry: &Value| {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Assignment {
            reviewer_id: text("reviewer_id")?,
            assignment_role: text("assignment_role")?,
            model: text("model"),
            effort: text("effort"),
            wave: entry.get("wave").and_then(Value::as_u64).unwrap_or(1),
        })
    };
    list.iter().filter_map(one).collect()
}

/// A state of the reference states its numbers without saying where they come from: a round with a response had them
/// stated, one without was skipped.
fn response_metrics(f: &Fields<'_>) -> ResponseMetrics {
    let metrics = f.get("response_metrics");
    let count = |key: &str| metrics.and_then(|m| m.get(key)).and_then(Value::as_u64);
    let ran = f.get("response_report_path").is_some();
    let legacy = if !ran {
        Origin::Skipped
    } else if count("implemented_count").is_some() {
        Origin::Stated
    } else {
        Origin::Missing
    };
    let origin = |key: &str| metrics.and_then(|m| m.get(key)).and_then(Value::as_str).and_then(Origin::parse).unwrap_or(legacy);
    ResponseMetrics {
        accepted_count: count("accepted_count").unwrap_or(0),
        rejected_count: count("rejected_count").unwrap_or(0),
        deferred_count: count("deferred_count").unwrap_or(0),
        implemented_count: count("implemented_count").unwrap_or(0),
        halted: metrics.and_then(|m| m.get("halted")).and_then(Value::as_bool).unwrap_or(false),
        execution_path: metrics.and_then(|m| m.get("execution_path")).and_then(Value::as_str).unwrap_or("n/a").to_owned(),
        implemented_source: origin("implemented_source"),
        halted_source: origin("halted_source"),
    }
}

/// Reads an owner record; anything but an object is no owner.
pub fn owner(value: &Value) -> Option<Owner> {
    value.as_object()?;
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(Owner {
        host_hash: text("host_hash").unwrap_or_default(),
        pid: text("pid"),
        process_start_ms: text("process_start_ms"),
        session_id: text("session_id"),
        started_at: text("started_at").unwrap_or_default(),
        boot_id: text("boot_id"),
        process_start_ticks: value.get("process_start_ticks").and_then(Value::as_u64),
        pid_namespace: text("pid_namespace"),
        machine_hash: text("machine_hash"),
    })
}
