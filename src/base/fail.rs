//! Failures: the closed table of error codes, their kinds, and the value every command fails with.
//!
//! A new code is added only where a caller would act differently; codes are appended and never reused. The table is
//! checked against `docs/errors.md` by test.

use serde_json::{Map, Value};

/// Who has to act on a failure. Printed as `error.kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The command line was wrong.
    Usage,
    /// A document handed in was wrong.
    Input,
    /// Stored state is stale, foreign or contradicts the request.
    State,
    /// The machine: file system, git, another program.
    World,
    /// Our own fault.
    Bug,
}

impl Kind {
    /// The word printed in `error.kind`.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Usage => "usage",
            Kind::Input => "input",
            Kind::State => "state",
            Kind::World => "world",
            Kind::Bug => "bug",
        }
    }
}

macro_rules! codes {
    ($($variant:ident $word:literal $kind:ident $meaning:literal $hint:literal;)*) => {
        /// A stable error code. Words, kinds, meanings and hints stand in one table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $meaning] $variant,)* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The SCREAMING_SNAKE word (system errors keep the name the system gives them).
            pub fn word(self) -> &'static str { match self { $(Code::$variant => $word,)* } }

            /// Who has to act.
            pub fn kind(self) -> Kind { match self { $(Code::$variant => Kind::$kind,)* } }

            /// One sentence for `docs/errors.md`.
            pub fn meaning(self) -> &'static str { match self { $(Code::$variant => $meaning,)* } }

            /// What the caller can do about it.
            pub fn hint(self) -> &'static str { match self { $(Code::$variant => $hint,)* } }
        }
    };
}

codes! {
    InvalidArgument "INVALID_ARGUMENT" Usage "a flag is unknown, incomplete, repeated, or its value is out of bounds" "run the command with --help";
    InvalidCommand "INVALID_COMMAND" Usage "there is no command of that name" "run review-loop --help for the list";
    InvalidPath "INVALID_PATH" Usage "a path argument is missing, empty or holds a NUL byte" "give the path as one non-empty argument";
    InvalidRound "INVALID_ROUND" Usage "the round number is not a plain decimal from 1 to 1000000" "pass --round-number N with N >= 1";
    MissingBaseCommit "MISSING_BASE_COMMIT" Usage "--base-commit is missing or empty" "pass the commit the review compares with";
    BadCommit "BAD_COMMIT" Usage "a base commit is not 7 to 64 hex digits" "pass a commit id as git rev-parse prints it";
    BadId "BAD_ID" Usage "an id is not 1 to 128 of A-Z a-z 0-9 . _ -, or is `..`, `.`, null, undefined or none" "use the id that an earlier command printed";
    InvalidLoopPolicy "INVALID_LOOP_POLICY" Usage "the cap, phase or risk cannot give a round cap" "phase is document or implementation, risk low to critical, the cap 1 to 1000";
    InvalidLoopArguments "INVALID_LOOP_ARGUMENTS" Usage "the loop's arguments do not follow its grammar" "the message names the argument; the grammar is in docs/commands/expand-loop-args.md";
    InvalidSnapshot "INVALID_SNAPSHOT" Input "the snapshot file cannot be read as a report snapshot" "make it anew with snapshot-reports --output before the review starts";
    SnapshotDirectoryMismatch "SNAPSHOT_DIRECTORY_MISMATCH" State "the snapshot was taken of another reports folder" "pass the reports folder the snapshot was taken of";
    ReportDeltaCount "REPORT_DELTA_COUNT" State "not exactly one new canonical report since the snapshot" "one review writes one new report; `reports` lists what is new";
    PathMismatch "PATH_MISMATCH" State "two paths that must be the same differ" "stop before the response is carried out: it answers another report";
    InvalidReport "INVALID_REPORT" Input "the review report states no verdict or counts that can be trusted" "docs/formats.md shows the report format; do not count this round as a review";
    InvalidResponse "INVALID_RESPONSE" Input "the response report cannot be read" "docs/formats.md shows the response format";
    InvalidRoutingMetadata "INVALID_ROUTING_METADATA" Input "the routing metadata breaks a rule of its schema" "the message names the field";
    InvalidState "INVALID_STATE" Input "a round state cannot be read; `reason` says why" "the file is left as it is; run the round again or mend the file";
    StaleState "STALE_STATE" State "two round states belong to different loops or bases" "compare rounds of one loop on one base";
    InvalidFinalSummary "INVALID_FINAL_SUMMARY" Input "the final summary is not a JSON object" "summarize-loop --json-output writes a valid one";
    NoRounds "NO_ROUNDS" State "no recorded round of this loop was found" "check --loop-id and the state folder";
    RoundExists "ROUND_EXISTS" State "this round is recorded already, with other input" "pass --replace to overwrite it, or record the next round";
    InvalidPlan "INVALID_PLAN" Input "the round plan cannot be read as one" "plan-round --output writes a valid one";
    InvalidAttempts "INVALID_ATTEMPTS" Input "the reviewer attempts cannot be read" "docs/commands/synthesize-verdict.md shows the shape";
    InvalidReviewerIdentity "INVALID_REVIEWER_IDENTITY" Input "an attempt names a reviewer or role twice, or one the plan does not know" "every attempt carries a reviewer id and role of the plan";
    InvalidDecisionInput "INVALID_DECISION_INPUT" Input "the input of decide-round contradicts itself" "pass the states the rounds were recorded in";
    InvalidPriorContext "INVALID_PRIOR_CONTEXT" Input "a prior context file is no regular file, too large, without its header or of another base" "leave the prior context out of the prompt and warn";
    ReadinessReceiptStale "READINESS_RECEIPT_STALE" State "a readiness receipt does not match what it was sealed for" "review the document again; a receipt is never repaired";
    InvalidReadiness "INVALID_READINESS" Input "the readiness input breaks a rule of its schema" "the message names the field";
    ResidueRemoveFailed "RESIDUE_RM_FAILED" World "a residue file could not be removed; it is tried again next time" "check the permissions of the folder";
    LoopStateError "LOOP_STATE_ERROR" World "the file system gave an error without a name of its own" "the message names the path";
    NotARepository "NOT_A_REPOSITORY" Input "the folder is not inside a git working tree" "run it inside one, or pass --repo-root DIR";
    BareRepository "BARE_REPOSITORY" Input "the repository has no working tree" "review a checkout of it";
    BaseNotFound "BASE_NOT_FOUND" Input "the base names no commit here" "pass a branch or commit that git rev-parse --verify accepts";
    BaseMissing "BASE_MISSING" World "the history of a shallow clone stops before the base" "git fetch --unshallow, or fetch the base branch deeper";
    NoMergeBase "NO_MERGE_BASE" Input "HEAD and the base share no commit" "pass a base that HEAD descends from";
    GitFailed "GIT_FAILED" World "git ended with an error" "the message holds git's last line";
    GitMissing "GIT_MISSING" World "no git program could be started" "install git 2.40 or newer";
    ChildFailed "CHILD_FAILED" World "a program could not be started" "check the argv and PATH";
    InvalidChecks "INVALID_CHECKS" Input "checks.toml breaks a rule of its schema" "docs/checks.md shows the file; unknown keys are refused";
    NoTrustedVerdict "NO_TRUSTED_VERDICT" World "the loop ended without a verdict that may be trusted" "`stop_condition` and `warnings` say what failed; no finding count of this run means clean";
    StaleRevision "STALE_REVISION" State "the document was changed by another command since it was read" "read it again and repeat";
    LockBusy "LOCK_BUSY" World "another command holds the folder's lock" "wait, or raise --lock-wait-ms";
    LoopMismatch "LOOP_MISMATCH" State "the loop was started with other settings" "resume with the settings it was started with, or start a new loop";
    StateMissing "STATE_MISSING" State "the state of the named loop is gone" "start a new loop; nothing is assumed about the old one";
    NotRegularFile "NOT_REGULAR_FILE" Input "a link, folder, pipe or device stands where a regular file must be" "remove it or name another path; it was neither read nor changed";
    UntrustedFile "UNTRUSTED_FILE" World "a state file belongs to another user or is open to writing by others" "check who wrote it; its content was not used";
    FileChanged "FILE_CHANGED" World "a file was replaced while it was being opened" "repeat; if it happens again somebody is swapping the file";
    TooLarge "TOO_LARGE" Input "a document is over its size limit" "the message gives both sizes";
    Corrupt "CORRUPT" Input "a stored document is empty, cut off or holds NUL bytes; it is kept as it is" "restore it or start a new loop; absent is another thing than empty";
    BadJson "BAD_JSON" Input "a document is not JSON (NaN and Infinity are not)" "the message gives line and column";
    BadUtf8 "BAD_UTF8" Input "a document of ours holds bytes that are not UTF-8" "the message gives the offset";
    DuplicateKey "DUPLICATE_KEY" Input "a JSON object of ours repeats a key; neither value is taken" "the message names the key";
    TooDeep "TOO_DEEP" Input "a JSON document is nested deeper than 128" "no document of ours is that deep";
    NumberRange "NUMBER_RANGE" Input "a number is outside what can be kept exactly" "whole numbers go up to 2^63-1";
    SchemaNewer "SCHEMA_NEWER" Input "a document was written by a newer version; it is not rewritten" "use the newer version of review-loop";
    BadShape "BAD_SHAPE" Input "a JSON document lacks a field or holds one of the wrong type" "the message names the field";
    RoundsNotRising "ROUNDS_NOT_RISING" Input "the rounds of a history do not rise" "every round has a number of its own, in order; gaps are allowed";
    RepeatedId "REPEATED_ID" Input "an id stands twice in a history" "give every finding of every round an id of its own, such as r2/F-1";
    UnknownSameAs "UNKNOWN_SAME_AS" Input "same_as names no earlier finding of the history" "name the id of a finding that was listed before";
    UnknownOpposes "UNKNOWN_OPPOSES" Input "opposes names no earlier finding of the history" "name the id of a finding that was listed before";
    NoSpace "NO_SPACE" World "the disk or quota is full; the old bytes are kept" "free space and repeat";
    ReadOnly "READ_ONLY" World "the folder or file system does not allow writing" "no other place is used instead; make it writable";
    NotFound "NOT_FOUND" Input "a file that was named does not exist" "check the path";
    AccessDenied "ACCESS_DENIED" World "the system denied access to a file" "check owner and mode";
    IsDirectory "IS_DIRECTORY" Input "a folder stands where a file must be" "name a file";
    GhMissing "GH_MISSING" World "no gh program could be found" "install the GitHub command line, or hand in --pr-json FILE";
    GhUnauthenticated "GH_UNAUTHENTICATED" World "gh is not logged in" "run gh auth login, or hand in --pr-json FILE";
    PrNotFound "PR_NOT_FOUND" Input "the host knows no such pull request" "check the number, or review the branch without --pr";
    GhFailed "GH_FAILED" World "gh could not answer; the message holds its first line" "check the network and repeat, or hand in --pr-json FILE";
    ConveyanceBroken "CONVEYANCE_BROKEN" Input "what would be sent to a reviewer carries more than design intent" "`hits` names rule, slot and span; reword the decision, or excuse its exact text with --exceptions";
    InvalidLedger "INVALID_LEDGER" Input "a ledger breaks a rule of its schema, or a line of it cannot follow the lines before it" "the message names the place; a ledger is only written by its own command";
    DecisionConflict "DECISION_CONFLICT" State "the decision that is to be replaced or retired is not in force" "show-status lists the decisions in force";
    RoundOpen "ROUND_OPEN" State "the round before is not settled: its findings have no recorded dispositions" "record-disposition settles a round; one review belongs to one round";
    NotReviewed "NOT_REVIEWED" State "the loop has no review to work on, or it proves nothing" "run-source --loop-id makes one";
    SamenessMissing "SAMENESS_MISSING" State "nobody said yet which findings of this round are known from earlier ones" "track-recurrence --links takes that judgement, for every finding";
    LoopEnded "LOOP_ENDED" State "the loop was ended by a person" "start a new loop with open-resolution";
    GhUnreachable "GH_UNREACHABLE" World "gh could not reach its host" "check the network and repeat, or hand in --pr-json FILE";
    InvalidPolicy "INVALID_POLICY" Input "the policy of the trusted commit breaks a rule of its schema" "docs/commands/resolve-policy.md shows the file; the candidate tree's policy is never read";
    PolicyConflict "POLICY_CONFLICT" Input "the trusted commit holds two policies with different numbers" "keep one of .review-loop/policy.toml and .dex/dex.md, or the same numbers in both";
    NoTrustedCommit "NO_TRUSTED_COMMIT" World "the repository has commits and no default branch that could be trusted" "fetch the default branch, or set origin/HEAD";
    InvalidCriteria "INVALID_CRITERIA" Input "the criteria break a rule of their schema" "`violations` name section, place and rule";
    ApprovalConflict "APPROVAL_CONFLICT" State "the criteria were approved before, with another hash" "approve them again with --previous and the hash that was approved";
    InvalidSelection "INVALID_SELECTION" Input "a tier, its reason codes and who selected it do not go together" "docs/commands/select-tier.md shows which codes go with which tier";
    InvalidWaveReport "INVALID_WAVE_REPORT" Input "a wave's report breaks a rule of its schema" "docs/commands/compile-wave.md shows the report; nothing was published";
    ForgedState "FORGED_STATE" State "a file of a loop is not as this program wrote it" "it is kept as it is and nothing is built upon it; restore it, or start a new loop";
    PassActive "PASS_ACTIVE" Usage "a wave called a command that only its parent may call" "hand in one report with compile-wave and stop";
    PassOpen "PASS_OPEN" State "a pass of this loop is open" "close it with close-wave; recover-review retires one whose owner is dead";
    NoOpenPass "NO_OPEN_PASS" State "no pass of this loop is open" "issue one with open-wave";
    GateNotOpen "GATE_NOT_OPEN" State "the gate is paused, completed or waived" "open-gate resumes a paused gate, and opens a new one where the old one is over";
    BindingChanged "BINDING_CHANGED" State "scope, criteria or policy are no longer what the gate was opened with" "open-gate says which binding differs and opens the gate anew";
    StaleGeneration "STALE_GENERATION" State "the generation is not the one that completes this pass" "use the generation that the last answer printed";
    ReviewBusy "REVIEW_BUSY" World "another wave loop runs on this checkout" "wait for it, or stop it; nothing was touched";
    OwnerAlive "OWNER_ALIVE" State "the owner of the review is not provably dead" "recovery is for a dead owner, never for a slow wave";
    OverrideStateInvalid "OVERRIDE_STATE_INVALID" State "the journal of overrides cannot be read, so no decision of it is known" "it is kept as it is; a person must look at it";
    UnknownCheck "UNKNOWN_CHECK" Input "no declared check has that name" "the prompt of the pass names them";
    InvalidEvent "INVALID_EVENT" Input "an event has a type or field that may not be written down" "docs/commands/append-event.md lists them";
    TimeLimit "TIME_LIMIT" World "the command was ended at its time limit" "raise the limit, or see what hangs";
    Interrupted "INTERRUPTED" World "a signal asked the command to end; what was stored before is kept" "run it again with --loop-id to go on";
    BadYaml "BAD_YAML" Input "a document of ours is no YAML, or uses what JSON cannot say (aliases, tags, several documents)" "the message gives the line";
    PathEscape "PATH_ESCAPE" Input "a path leads out of the folder it has to lie in, or through a link" "name a regular file inside it; nothing was written";
    OperationConflict "OPERATION_CONFLICT" State "the operation id was used before, for something else" "give every operation an id of its own; repeat one only with the very same input";
    AttemptMismatch "ATTEMPT_MISMATCH" State "the attempt is not the lane's current one, or not in a state that allows this" "show-status names the current attempts";
    RevisionMismatch "REVISION_MISMATCH" State "the result is about another revision than the round's" "review the frozen artifact of the round";
    ArtifactMutated "ARTIFACT_MUTATED" State "a frozen artifact is not what was frozen" "close the loop as aborted; what was reviewed is gone";
    UnresolvedFailure "UNRESOLVED_FAILURE" State "a lane failed and no later attempt of it succeeded" "retry-lane starts another attempt; close-design-loop ends it as unverified_lane";
    RetryBudgetExhausted "RETRY_BUDGET_EXHAUSTED" State "the lane was retried three times already" "close-design-loop --outcome unverified_lane or aborted";
    RecoveryRequired "RECOVERY_REQUIRED" State "the loop's state cannot be read, so nothing beside it was touched" "restore it from a copy, or open a new loop";
    CommitUncertain "COMMIT_UNCERTAIN" World "what was written does not read back as it was written" "look at the disk, then repeat the operation with the same id";
    VersionReadOnly "VERSION_READ_ONLY" State "the ledger is of version 1 or 2, which is read and never written" "open a new loop";
    InvalidArtifact "INVALID_ARTIFACT" Input "the design artifact lacks a part; `missing` lists all of them" "skills/fix-design-review-loop has the template";
    IdenticalArtifact "IDENTICAL_ARTIFACT" State "this very artifact was reviewed before: a verdict cannot change on identical input" "revise it first";
    DriftUnchecked "DRIFT_UNCHECKED" State "the round has no drift check that held" "check-drift before dispatch";
    LoopClosed "LOOP_CLOSED" State "the design loop has ended" "open-design-loop --continues takes it further";
    OutcomeRefused "OUTCOME_REFUSED" State "the rounds do not come to that outcome" "`derived` says what they come to; aborted is always possible";
    Deadlocked "DEADLOCKED" State "the cap is reached or a blocker survived two rounds: no further round" "close-design-loop --outcome deadlock, and put it to the person";
    ModelOwed "MODEL_OWED" State "a class of defects keeps moving: the mechanism has to be judged first" "start-lane --lane model prints the history of its places";
    Unanswered "UNANSWERED" State "an open blocker or an unreconciled finding is answered by nothing in the new round" "`owed` lists their ids; --answers hands the answers in";
    InvalidResult "INVALID_RESULT" Input "a lane's result breaks a rule of its schema" "`violations` lists all; docs/commands/record-lane.md shows the shape";
    InvalidEvidence "INVALID_EVIDENCE" Input "the evidence of the root is missing, malformed or not of this session" "docs/commands/open-design-loop.md shows the shape";
    InvalidRun "INVALID_RUN" Input "an event breaks a rule of the run ledger; nothing was appended" "`errors` lists every rule";
    SettleConflict "SETTLE_CONFLICT" State "the launch is settled already, by another event" "check-runs shows it";
    InvalidAgentsMode "INVALID_AGENTS_MODE" Input "the agents-mode file holds keys or values that are none" "`problems` lists all with suggestions";
    Internal "INTERNAL" Bug "our own fault" "report it with the command line";
}

/// What a command fails with: printed as one JSON object, exit status by its kind.
#[derive(Debug, Clone)]
pub struct Fail {
    /// The stable code.
    pub code: Code,
    /// The finer code behind a reference code (`INVALID_STATE` because of `CORRUPT`).
    pub reason: Option<Code>,
    /// The system's own name of a file-system error (`ENOENT`), which the nine reference commands print as the code.
    pub system: Option<&'static str>,
    /// Lower case, the fact first, the subject in back-ticks, the path always.
    pub message: String,
    /// Overrides the hint of the code.
    pub hint: Option<String>,
    /// Overrides the exit status of the kind: 128 + n for a signal.
    pub exit: Option<u8>,
    /// Further fields of `error`, in order.
    pub details: Map<String, Value>,
}

impl Fail {
    /// A failure with the code's own hint.
    pub fn new(code: Code, message: impl Into<String>) -> Fail {
        Fail { code, reason: None, system: None, message: message.into(), hint: None, exit: None, details: Map::new() }
    }

    /// Adds one field to `error`.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Fail {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Replaces the hint of the code.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Fail {
        self.hint = Some(hint.into());
        self
    }

    /// Puts this failure behind a reference code: `CORRUPT` becomes `INVALID_STATE` with the reason `CORRUPT`.
    #[must_use]
    pub fn within(mut self, code: Code) -> Fail {
        if self.code != code {
            self.reason = Some(self.reason.unwrap_or(self.code));
            self.code = code;
            self.system = None;
        }
        self
    }

    /// The kind: of the reason where there is one, because that is what the caller has to act on.
    pub fn kind(&self) -> Kind {
        self.reason.unwrap_or(self.code).kind()
    }

    /// The exit status: 70 for our own faults, 128 + n for a signal, else 2.
    pub fn status(&self) -> u8 {
        self.exit.unwrap_or(if self.kind() == Kind::Bug { 70 } else { 2 })
    }
}

impl std::fmt::Display for Fail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.word(), self.message)
    }
}

impl std::error::Error for Fail {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_word_is_unique_and_screaming() {
        let mut words: Vec<&str> = Code::ALL.iter().map(|c| c.word()).collect();
        words.sort_unstable();
        let before = words.len();
        words.dedup();
        assert_eq!(before, words.len());
        assert!(words.iter().all(|w| { w.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') }));
    }

    #[test]
    fn within_keeps_the_first_reason_and_its_kind() {
        let fail = Fail::new(Code::NoSpace, "x").within(Code::InvalidState);
        assert_eq!((fail.code, fail.reason, fail.kind()), (Code::InvalidState, Some(Code::NoSpace), Kind::World));
    }
}
