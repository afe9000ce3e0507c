//! The owner record: which durable session process a loop belongs to.
//!
//! Bound to the process that lives across every round (the top-level agent), never to this short command. The
//! reference's five keys first; ours say when that very process started, in which boot and pid namespace, so that a
//! reused pid or another container is told apart (deep-review seed §1; rounds spec §1.6 and §4 item 29).

use serde::Serialize;

use crate::base::number;

/// Who a loop belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Owner {
    /// Hash of the host name.
    pub host_hash: String,
    /// The durable process, decimal.
    pub pid: Option<String>,
    /// When that process started, in milliseconds since 1970, decimal.
    pub process_start_ms: Option<String>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// When the round was recorded, ISO 8601 UTC.
    pub started_at: String,
    /// The kernel's id of the boot.
    pub boot_id: Option<String>,
    /// Clock ticks since boot at which the process started (Linux).
    pub process_start_ticks: Option<u64>,
    /// The pid namespace the pid is meant in.
    pub pid_namespace: Option<String>,
    /// Hash of the machine's id, so that a reboot is told from another machine of the same name.
    pub machine_hash: Option<String>,
}

/// The durable identity an environment names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The durable process.
    pub pid: Option<u32>,
    /// The agent's session.
    pub session_id: Option<String>,
}

/// Reads the identity: `CLAUDE_PID`, else `CMUX_CLAUDE_PID` (only when the former is absent, not merely empty); session
/// `CLAUDE_CODE_SESSION_ID`, else `CODEX_COMPANION_SESSION_ID`. `None` when neither is there.
pub fn identity<'a>(var: impl Fn(&str) -> Option<&'a str>) -> Option<Identity> {
    let pid = var("CLAUDE_PID").or_else(|| var("CMUX_CLAUDE_PID"));
    let pid = pid.map(str::trim).filter(|p| !p.starts_with('0')).and_then(number::digits);
    let pid = pid.and_then(|p| u32::try_from(p).ok()).filter(|p| *p > 1);
    let named = |name: &str| var(name).map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned);
    let session_id = named("CLAUDE_CODE_SESSION_ID").or_else(|| named("CODEX_COMPANION_SESSION_ID"));
    (pid.is_some() || session_id.is_some()).then_some(Identity { pid, session_id })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(vars: &[(&str, &'static str)]) -> Option<Identity> {
        let vars: Vec<(String, &'static str)> = vars.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect();
        identity(move |name| vars.iter().find(|(k, _)| k == name).map(|(_, v)| *v))
    }

    #[test]
    fn an_empty_claude_pid_hides_the_other_one() {
        assert_eq!(of(&[("CLAUDE_PID", ""), ("CMUX_CLAUDE_PID", "77")]), None);
        assert_eq!(of(&[("CMUX_CLAUDE_PID", "77")]).unwrap().pid, Some(77));
        for bad in ["1", "0", "007", "-5", "x", "99999999999"] {
            assert_eq!(of(&[("CLAUDE_PID", bad)]), None, "{bad}");
        }
    }

    #[test]
    fn a_session_alone_is_an_identity() {
        assert_eq!(of(&[("CODEX_COMPANION_SESSION_ID", " s ")]).unwrap(), Identity { pid: None, session_id: Some("s".to_owned()) });
    }
}
