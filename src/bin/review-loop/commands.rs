//! The commands, one file each, and the rooms they are grouped by in `--help`.

macro_rules! commands {
    ($($room:literal { $($module:ident $variant:ident $reference:literal,)* })*) => {
        $($(mod $module;)*)*

        /// Every command.
        #[derive(clap::Subcommand)]
        #[expect(clippy::large_enum_variant, reason = "there is one of them, once")]
        pub(crate) enum Command { $($($variant($module::$variant),)*)* }

        impl Command {
            /// Runs the command.
            pub(crate) fn run(self, host: &review_loop::host::Host) -> Result<crate::output::Reply, review_loop::base::Fail> {
                match self { $($(Command::$variant(args) => args.run(host),)*)* }
            }

            /// Whether it is one of the nine reference commands, whose errors repeat their details at top level.
            pub(crate) fn is_reference(&self) -> bool {
                match self { $($(Command::$variant(_) => $reference,)*)* }
            }
        }

        /// The groups printed under the list of commands.
        pub(crate) fn groups() -> String {
            let mut text = String::from("Rooms:");
            $(
                let names = [$(stringify!($module).replace('_', "-"),)*];
                text.push_str(&format!("\n  {:<10} {}", $room, names.join(", ")));
            )*
            text
        }
    };
}

/// The stop hook's answer when it could not look.
pub(crate) fn hook_failure(words: &[std::ffi::OsString]) -> crate::output::Reply {
    answer_stop_hook::of_failure(words)
}

commands! {
    "rounds" {
        expand_loop_args ExpandLoopArgs false,
        plan_round PlanRound false,
        cleanup_residue CleanupResidue true,
        snapshot_reports SnapshotReports true,
        resolve_round_report ResolveRoundReport true,
        assert_same_path AssertSamePath true,
        collect_metrics CollectMetrics true,
        record_round RecordRound true,
        render_prior_context RenderPriorContext true,
        compare_rounds CompareRounds true,
        render_session_doc RenderSessionDoc true,
        synthesize_verdict SynthesizeVerdict false,
        decide_round DecideRound false,
        summarize_loop SummarizeLoop false,
        seal_readiness SealReadiness false,
        check_readiness CheckReadiness false,
    }
    "findings" {
        parse_findings ParseFindings false,
        parse_response ParseResponse false,
        match_findings MatchFindings false,
        diagnose_churn DiagnoseChurn false,
        export_findings ExportFindings false,
    }
    "everything" {
        run_loop RunLoop false,
        show_status ShowStatus false,
    }
    "scope" {
        detect_scope DetectScope false,
        check_scope CheckScope false,
        fingerprint_scope FingerprintScope false,
    }
    "sources" {
        list_sources ListSources false,
        run_source RunSource false,
        read_answer ReadAnswer false,
        harvest_intent HarvestIntent false,
        check_conveyance CheckConveyance false,
        render_prompt RenderPrompt false,
    }
    "waves" {
        resolve_policy ResolvePolicy false,
        assess_floor AssessFloor false,
        select_tier SelectTier false,
        seal_criteria SealCriteria false,
        open_gate OpenGate false,
        open_wave OpenWave false,
        run_check RunCheck false,
        compile_wave CompileWave false,
        close_wave CloseWave false,
        show_gate ShowGate false,
        check_receipt CheckReceipt false,
        set_override SetOverride false,
        clear_override ClearOverride false,
        waive_gate WaiveGate false,
        recover_review RecoverReview false,
        append_event AppendEvent false,
        show_events ShowEvents false,
        answer_stop_hook AnswerStopHook false,
        run_waves RunWaves false,
    }
    "resolution" {
        open_resolution OpenResolution false,
        track_recurrence TrackRecurrence false,
        check_brief CheckBrief false,
        record_decision RecordDecision false,
        record_disposition RecordDisposition false,
        render_trace RenderTrace false,
        check_convergence CheckConvergence false,
        list_carryover ListCarryover false,
    }    "design" {
        open_design_loop OpenDesignLoop false,
        check_design_artifact CheckDesignArtifact false,
        check_drift CheckDrift false,
        start_lane StartLane false,
        record_lane RecordLane false,
        fail_lane FailLane false,
        retry_lane RetryLane false,
        complete_design_round CompleteDesignRound false,
        open_design_round OpenDesignRound false,
        close_design_loop CloseDesignLoop false,
        check_design_ledger CheckDesignLedger false,
        append_run AppendRun false,
        settle_run SettleRun false,
        read_gate_line ReadGateLine false,
        check_runs CheckRuns false,
        resolve_agents_mode ResolveAgentsMode false,
        normalize_agents_mode NormalizeAgentsMode false,
    }
}
