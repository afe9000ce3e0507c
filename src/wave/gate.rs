//! The gate: one pure transition over what a wave came to. It says what becomes of credit, ledger, history, selection, state and
//! receipt, for every event.
//!
//! Source: waves spec §8 (the transition table); wave-review seed, Result Signals. Laws, tested: no credit on a changed scope, no
//! downgrade, what is required never falls, and credit never exceeds what is required.

use serde::Serialize;

use super::policy::Passes;
use super::tier::{ReasonCode, Selection, Source, Tier};
use crate::base::reason::words;

words! {
    /// Why a gate stands still, in normalised words.
    Pause {
        CleanMutatedScope "clean_mutated_scope",
        ClaimedFixWithoutChange "claimed_fix_without_change",
        RepeatedFingerprint "repeated_fingerprint",
        AlternatingFingerprints "alternating_fingerprints",
        RepeatedFinding "repeated_finding",
        UnresolvedFindings "unresolved_findings",
        Blocked "blocked",
        WaveReportedChurn "wave_reported_churn",
        EscalationMutatedScope "escalation_mutated_scope",
        InvalidEscalation "invalid_escalation",
        InvalidResult "invalid_result",
        CompletionReceiptMissing "completion_receipt_missing",
        CompletionReceiptInvalid "completion_receipt_invalid",
        EvidenceManifestInvalid "evidence_manifest_invalid",
        PassAttestationInvalid "pass_attestation_invalid",
        InconsistentFindingsEvidence "inconsistent_findings_evidence",
        PassTimeout "pass_timeout",
        ProviderError "provider_error",
        HumanIntervention "human_intervention",
        ReviewCriteriaChanged "review_criteria_changed",
        ScopeFingerprintError "scope_fingerprint_error",
        ScopeBoundaryChanged "scope_boundary_changed",
        SelectionScopeChanged "selection_scope_changed",
        ReviewIdentityChanged "review_identity_changed",
        PolicyChanged "policy_changed",
        LedgerInvalid "ledger_invalid",
        ReceiptValidationFailed "receipt_validation_failed",
        OverrideStateInvalid "override_state_invalid",
        AssessmentInvalid "assessment_invalid",
        AssessmentTimeout "assessment_timeout",
        AssessmentProviderError "assessment_provider_error",
        AssessmentMutatedScope "assessment_mutated_scope",
        WaveBudgetExhausted "wave_budget_exhausted",
        ReviewSessionUnavailable "review-session-unavailable",
        StaleReviewFenceRecovered "stale-review-fence-recovered",
        UserInterrupt "user_interrupt",
    }
}

impl Pause {
    /// Whether credit that is still borne out is kept: what went wrong says nothing about the reviewed state.
    pub fn keeps_credit(self) -> bool {
        matches!(
            self,
            Pause::PassTimeout
                | Pause::ProviderError
                | Pause::HumanIntervention
                | Pause::UserInterrupt
                | Pause::WaveBudgetExhausted
                | Pause::ReviewSessionUnavailable
                | Pause::CompletionReceiptMissing
                | Pause::CompletionReceiptInvalid
                | Pause::InvalidResult
                | Pause::EvidenceManifestInvalid
                | Pause::InconsistentFindingsEvidence
        )
    }
}

words! {
    /// How a findings history repeats.
    Repeats {
        Repeated "repeated",
        Alternating "alternating",
        SameFinding "same_finding",
    }
}

/// What a wave came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Clean, on proven evidence.
    Clean,
    /// So many findings fixed.
    FindingsFixed(u64),
    /// So many findings left.
    Findings(u64),
    /// Blocked, with the wave's codes.
    Blocked(String),
    /// Churn, with the wave's codes.
    Churn(String),
    /// To a higher tier.
    Escalate(Tier),
    /// Something failed around the wave.
    Failure(Pause),
}

/// Where the gate stands, and what is known about the wave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The selected tier.
    pub tier: Tier,
    /// Clean waves that are required.
    pub required: u64,
    /// Clean waves that are credited.
    pub clean: u64,
    /// What the wave came to.
    pub event: Event,
    /// Whether the reviewed content changed.
    pub scope_changed: bool,
    /// Whether the working tree against HEAD changed.
    pub working_changed: bool,
    /// How the history repeats with this wave.
    pub repeats: Option<Repeats>,
    /// The floor after a fix.
    pub floor: Option<(Tier, Vec<ReasonCode>)>,
    /// The policy.
    pub policy: Passes,
    /// Whether authorisation itself failed.
    pub invalidate: bool,
}

words! {
    /// What happens to a record.
    Keeping {
        Keep "keep",
        Append "append",
        Reset "reset",
        Write "write",
        Refresh "refresh",
        Invalidate "invalidate",
        Finalize "finalize",
    }
}

words! {
    /// What the gate does next.
    Action {
        Count "count",
        Complete "complete",
        ResetContinue "reset_continue",
        EscalateContinue "escalate_continue",
        Pause "pause",
    }
}

/// The transition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What is done next.
    pub action: Action,
    /// Credit afterwards.
    pub clean: u64,
    /// Required afterwards.
    pub required: u64,
    /// The selection, where it changes.
    pub selection: Option<Selection>,
    /// Why it pauses.
    pub pause: Option<Pause>,
    /// The clean ledger.
    pub ledger: Keeping,
    /// The findings history.
    pub history: Keeping,
    /// The selection record.
    pub selected: Keeping,
    /// The state.
    pub state: Keeping,
    /// The receipt.
    pub receipt: Keeping,
}

words! {
    /// Why an input is none.
    Refusal {
        ZeroRequired "zero_required",
        FinishedState "finished_state",
        NoCount "no_count",
        FloorMisplaced "floor_misplaced",
        RepeatsMisplaced "repeats_misplaced",
        InvalidateMisplaced "invalidate_misplaced",
    }
}

/// The one transition.
///
/// # Errors
/// Why the input contradicts itself.
pub fn step(input: &Input) -> Result<Step, Refusal> {
    check(input)?;
    let pause = |why: Pause| Step {
        action: Action::Pause,
        clean: 0,
        required: input.required,
        selection: None,
        pause: Some(why),
        ledger: Keeping::Reset,
        history: Keeping::Keep,
        selected: Keeping::Keep,
        state: Keeping::Write,
        receipt: Keeping::Invalidate,
    };
    // What is reviewed is no longer what was selected for: nothing of the selection holds.
    let changed = |step: Step| match input.scope_changed {
        true => Step { selected: Keeping::Invalidate, state: Keeping::Invalidate, ..step },
        false => step,
    };
    let gone = |step: Step| Step { selected: Keeping::Invalidate, state: Keeping::Invalidate, ..step };
    Ok(match &input.event {
        Event::Clean if input.scope_changed => gone(pause(Pause::CleanMutatedScope)),
        Event::Clean => {
            let complete = input.clean + 1 >= input.required;
            Step {
                action: if complete { Action::Complete } else { Action::Count },
                clean: input.clean + 1,
                pause: None,
                ledger: Keeping::Append,
                state: if complete { Keeping::Invalidate } else { Keeping::Write },
                receipt: if complete { Keeping::Finalize } else { Keeping::Keep },
                ..pause(Pause::Blocked)
            }
        }
        Event::FindingsFixed(_) if !input.scope_changed && !input.working_changed => pause(Pause::ClaimedFixWithoutChange),
        Event::FindingsFixed(_) => fixed(input, &pause),
        Event::Findings(_) => changed(pause(Pause::UnresolvedFindings)),
        Event::Blocked(_) => changed(pause(Pause::Blocked)),
        Event::Churn(_) => changed(pause(Pause::WaveReportedChurn)),
        Event::Escalate(_) if input.scope_changed => gone(pause(Pause::EscalationMutatedScope)),
        Event::Escalate(tier) if *tier <= input.tier => pause(Pause::InvalidEscalation),
        Event::Escalate(tier) => {
            let selection = Selection { tier: *tier, source: Source::WaveEscalation, reason_codes: vec![ReasonCode::WaveEscalation] };
            raised(input, selection, Keeping::Keep, &pause)
        }
        Event::Failure(why) => {
            let step = pause(*why);
            let lost = input.scope_changed || input.invalidate;
            let kept = why.keeps_credit() && !lost;
            let step = if kept { Step { clean: input.clean, ledger: Keeping::Keep, ..step } } else { step };
            if lost { gone(step) } else { step }
        }
    })
}

fn fixed(input: &Input, pause: &impl Fn(Pause) -> Step) -> Step {
    let churn = input.repeats.map(|r| match r {
        Repeats::Repeated => Pause::RepeatedFingerprint,
        Repeats::Alternating => Pause::AlternatingFingerprints,
        Repeats::SameFinding => Pause::RepeatedFinding,
    });
    if let Some(why) = churn {
        return Step { history: Keeping::Append, selected: Keeping::Invalidate, state: Keeping::Invalidate, ..pause(why) };
    }
    match &input.floor {
        Some((tier, codes)) if *tier > input.tier => {
            let selection = Selection { tier: *tier, source: Source::DeterministicFloor, reason_codes: codes.clone() };
            raised(input, selection, Keeping::Append, pause)
        }
        _ => Step {
            action: Action::ResetContinue,
            pause: None,
            history: Keeping::Append,
            selected: Keeping::Refresh,
            ..pause(Pause::Blocked)
        },
    }
}

fn raised(input: &Input, selection: Selection, history: Keeping, pause: &impl Fn(Pause) -> Step) -> Step {
    Step {
        action: Action::EscalateContinue,
        required: input.required.max(input.policy.of(selection.tier)),
        selection: Some(selection),
        pause: None,
        history,
        selected: Keeping::Refresh,
        ..pause(Pause::Blocked)
    }
}

fn check(input: &Input) -> Result<(), Refusal> {
    let fixed = matches!(input.event, Event::FindingsFixed(_));
    let rows = [
        (input.required == 0, Refusal::ZeroRequired),
        (input.clean >= input.required, Refusal::FinishedState),
        (matches!(input.event, Event::FindingsFixed(0) | Event::Findings(0)), Refusal::NoCount),
        (input.floor.is_some() && !fixed, Refusal::FloorMisplaced),
        (input.repeats.is_some() && !fixed, Refusal::RepeatsMisplaced),
        (input.invalidate && !matches!(input.event, Event::Failure(_)), Refusal::InvalidateMisplaced),
    ];
    rows.into_iter().find(|(wrong, _)| *wrong).map_or(Ok(()), |(_, why)| Err(why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wave::policy::BUILT_IN;

    fn input(event: Event) -> Input {
        Input {
            tier: Tier::Normal,
            required: 3,
            clean: 1,
            event,
            scope_changed: false,
            working_changed: false,
            repeats: None,
            floor: None,
            policy: BUILT_IN,
            invalidate: false,
        }
    }

    #[test]
    fn the_table() {
        let row = |input: Input| {
            let s = step(&input).unwrap();
            (
                s.action.word(),
                s.clean,
                s.pause.map_or("-", Pause::word),
                s.ledger.word(),
                s.history.word(),
                s.selected.word(),
                s.state.word(),
                s.receipt.word(),
            )
        };
        let fix = |change: &dyn Fn(&mut Input)| {
            let mut i = Input { scope_changed: true, ..input(Event::FindingsFixed(2)) };
            change(&mut i);
            row(i)
        };
        assert_eq!(row(input(Event::Clean)), ("count", 2, "-", "append", "keep", "keep", "write", "keep"));
        assert_eq!(
            row(Input { clean: 2, ..input(Event::Clean) }),
            ("complete", 3, "-", "append", "keep", "keep", "invalidate", "finalize")
        );
        assert_eq!(
            row(Input { scope_changed: true, ..input(Event::Clean) }),
            ("pause", 0, "clean_mutated_scope", "reset", "keep", "invalidate", "invalidate", "invalidate")
        );
        assert_eq!(
            row(input(Event::FindingsFixed(2))),
            ("pause", 0, "claimed_fix_without_change", "reset", "keep", "keep", "write", "invalidate")
        );
        assert_eq!(fix(&|_| ()), ("reset_continue", 0, "-", "reset", "append", "refresh", "write", "invalidate"));
        assert_eq!(fix(&|i| (i.scope_changed, i.working_changed) = (false, true)).0, "reset_continue");
        assert_eq!(
            fix(&|i| i.repeats = Some(Repeats::Repeated)),
            ("pause", 0, "repeated_fingerprint", "reset", "append", "invalidate", "invalidate", "invalidate")
        );
        assert_eq!(fix(&|i| i.repeats = Some(Repeats::Alternating)).2, "alternating_fingerprints");
        assert_eq!(
            fix(&|i| i.floor = Some((Tier::Complex, vec![ReasonCode::Concurrency]))),
            ("escalate_continue", 0, "-", "reset", "append", "refresh", "write", "invalidate")
        );
        assert_eq!(fix(&|i| i.floor = Some((Tier::Small, vec![]))).0, "reset_continue");
        assert_eq!(row(input(Event::Findings(1))), ("pause", 0, "unresolved_findings", "reset", "keep", "keep", "write", "invalidate"));
        assert_eq!(
            row(Input { scope_changed: true, ..input(Event::Blocked("x".into())) }),
            ("pause", 0, "blocked", "reset", "keep", "invalidate", "invalidate", "invalidate")
        );
        assert_eq!(row(input(Event::Churn("x".into()))).2, "wave_reported_churn");
        assert_eq!(
            row(input(Event::Escalate(Tier::Complex))),
            ("escalate_continue", 0, "-", "reset", "keep", "refresh", "write", "invalidate")
        );
        assert_eq!(
            row(input(Event::Escalate(Tier::Normal))),
            ("pause", 0, "invalid_escalation", "reset", "keep", "keep", "write", "invalidate")
        );
        assert_eq!(row(Input { scope_changed: true, ..input(Event::Escalate(Tier::Complex)) }).2, "escalation_mutated_scope");
        assert_eq!(
            row(input(Event::Failure(Pause::PassTimeout))),
            ("pause", 1, "pass_timeout", "keep", "keep", "keep", "write", "invalidate")
        );
        assert_eq!(
            row(input(Event::Failure(Pause::ReviewCriteriaChanged))),
            ("pause", 0, "review_criteria_changed", "reset", "keep", "keep", "write", "invalidate")
        );
        // A slip of form costs a retry, never earlier credit.
        assert_eq!(row(input(Event::Failure(Pause::InvalidResult))).1, 1);
        assert_eq!(
            row(Input { invalidate: true, ..input(Event::Failure(Pause::PassTimeout)) }),
            ("pause", 0, "pass_timeout", "reset", "keep", "invalidate", "invalidate", "invalidate")
        );
        let raised = step(&Input { required: 10, ..input(Event::Escalate(Tier::Complex)) }).unwrap();
        assert_eq!((raised.required, raised.selection.map(|s| s.tier)), (10, Some(Tier::Complex)));
        assert_eq!(step(&input(Event::Escalate(Tier::Complex))).unwrap().required, 6);
    }

    #[test]
    fn contradictory_inputs_are_refused() {
        let refused = |change: &dyn Fn(&mut Input)| {
            let mut i = input(Event::Clean);
            change(&mut i);
            step(&i).unwrap_err()
        };
        assert_eq!(refused(&|i| i.required = 0), Refusal::ZeroRequired);
        assert_eq!(refused(&|i| i.clean = 3), Refusal::FinishedState);
        assert_eq!(refused(&|i| i.event = Event::Findings(0)), Refusal::NoCount);
        assert_eq!(refused(&|i| i.repeats = Some(Repeats::Repeated)), Refusal::RepeatsMisplaced);
        assert_eq!(refused(&|i| i.floor = Some((Tier::Small, vec![]))), Refusal::FloorMisplaced);
        assert_eq!(refused(&|i| i.invalidate = true), Refusal::InvalidateMisplaced);
    }

    /// Reviewers that miss a defect half of the time, through thousands of gates: what gets past a gate of k clean waves is what k misses
    /// in a row make of it, and no more.
    #[test]
    fn what_gets_past_a_gate_is_what_its_policy_promises() {
        let mut seed = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for (tier, required) in [(Tier::Small, 1u64), (Tier::Normal, 3), (Tier::Complex, 6)] {
            let (mut missed, loops) = (0u64, 20_000u64);
            for _ in 0..loops {
                let (mut clean, mut defect, mut waves) = (0, true, 0);
                loop {
                    waves += 1;
                    let found = defect && random() % 2 == 0;
                    let event = if found { Event::FindingsFixed(1) } else { Event::Clean };
                    let step = step(&Input { tier, required, clean, scope_changed: found, ..input(event) }).unwrap();
                    defect &= !found;
                    clean = step.clean;
                    assert!(waves <= 2 * required + 2, "a gate over a finite number of defects is reached");
                    if step.action == Action::Complete {
                        break;
                    }
                }
                missed += u64::from(defect);
            }
            let promised = 0.5f64.powi(i32::try_from(required).unwrap());
            let measured = missed as f64 / loops as f64;
            let sigma = (promised * (1.0 - promised) / loops as f64).sqrt();
            assert!((measured - promised).abs() < 4.0 * sigma, "{tier:?}: {measured} of {promised}");
        }
    }

    /// Every input of the small space: the laws hold.
    #[test]
    fn the_laws_hold_for_every_input() {
        let events = [
            Event::Clean,
            Event::FindingsFixed(1),
            Event::Findings(1),
            Event::Blocked("x".into()),
            Event::Churn("x".into()),
            Event::Escalate(Tier::Normal),
            Event::Escalate(Tier::Complex),
        ];
        let events: Vec<Event> = events.into_iter().chain(Pause::ALL.iter().map(|p| Event::Failure(*p))).collect();
        let mut checked = 0;
        for tier in Tier::ALL {
            for (required, clean) in (1..=4u64).flat_map(|r| (0..r).map(move |c| (r, c))) {
                for event in &events {
                    for bits in 0..8 {
                        for repeats in [None, Some(Repeats::Repeated), Some(Repeats::SameFinding)] {
                            for floor in [None, Some((Tier::Complex, vec![ReasonCode::Concurrency])), Some((Tier::Small, vec![]))] {
                                let i = Input {
                                    tier: *tier,
                                    required,
                                    clean,
                                    event: event.clone(),
                                    scope_changed: bits & 1 != 0,
                                    working_changed: bits & 2 != 0,
                                    invalidate: bits & 4 != 0,
                                    repeats,
                                    floor: floor.clone(),
                                    policy: BUILT_IN,
                                };
                                let Ok(s) = step(&i) else { continue };
                                checked += 1;
                                assert!(s.clean <= s.required && s.required >= required, "{i:?} {s:?}");
                                assert!(s.clean <= clean + 1, "{i:?} {s:?}");
                                // Credit grows by a clean wave on an unchanged scope alone.
                                assert!(s.clean <= clean || (*event == Event::Clean && !i.scope_changed), "{i:?} {s:?}");
                                // Credit on a changed scope never survives.
                                assert!(!i.scope_changed || s.clean == 0, "{i:?} {s:?}");
                                assert!(s.selection.as_ref().is_none_or(|n| n.tier > *tier), "{i:?} {s:?}");
                                assert_eq!(s.action == Action::Complete, s.receipt == Keeping::Finalize, "{i:?}");
                                assert_eq!(s.ledger == Keeping::Append, *event == Event::Clean && !i.scope_changed, "{i:?}");
                                assert_eq!(s.action == Action::Pause, s.pause.is_some(), "{i:?}");
                                assert!(s.action != Action::Complete || s.clean == s.required, "{i:?}");
                            }
                        }
                    }
                }
            }
        }
        assert!(checked > 2_000, "{checked}");
    }
}
