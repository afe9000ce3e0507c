//! Fuzz targets: plain functions over bytes, run here with a fixed seed and a small budget, and for hours by
//! `scripts/fuzz.sh` (`REVIEW_LOOP_FUZZ_SECONDS`). They look for panics and for slow inputs.

use std::time::{Duration, Instant};

use review_loop::finding::read;
use review_loop::report::{gate, response, strict};
use review_loop::scope::change;
use review_loop::wire;

type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("review", |b| drop(read::review(b))),
    ("formats", |b| {
        // Some of these are read by libraries, whose speed is not ours to test.
        let part = &b[..b.len().min(1 << 14)];
        for format in review_loop::finding::Format::ALL {
            drop(read::review_as(part, Some(*format)));
        }
    }),
    ("response", |b| drop(response::read(&String::from_utf8_lossy(b)))),
    ("strict", |b| drop(strict::read(&String::from_utf8_lossy(b)))),
    ("gate", |b| drop(gate::fence(&String::from_utf8_lossy(b)))),
    ("location", |b| String::from_utf8_lossy(b).lines().for_each(|l| drop(read::location::scan(l)))),
    ("tool", |b| {
        let text = String::from_utf8_lossy(b);
        for word in ["cargo", "rdjsonl", "sarif", "lines"] {
            drop(read::tool::Format::parse(word).map(|f| read::tool::read(f, &text)));
        }
    }),
    ("raw", |b| drop((change::raw(b), change::status(b), change::hints(b), change::new_lines(b)))),
    ("json", |b| drop(wire::json::parse(b))),
    ("state", |b| drop(wire::round_state::read(b))),
    ("plan", |b| drop(wire::plan::read(b))),
    ("attempts", |b| drop(wire::attempts::read(b))),
    ("checks", |b| drop(wire::checks::read(&String::from_utf8_lossy(b), &["secret"]))),
    ("routing", |b| drop(wire::routing::read(b, std::path::Path::new("/")))),
    ("history", |b| drop(wire::history::read(b))),
    ("set", |b| drop(wire::finding_set::read(b))),
    ("links", |b| drop(wire::finding_set::links(b, &[], &[]))),
    ("line map", |b| drop(review_loop::scope::line_map::LineMap::read(b).fate("a", 3))),
    ("journal", |b| drop(wire::fix_journal::read(b))),
    ("pull request", |b| drop(wire::pull_request::read(b))),
    ("scope", |b| drop(wire::scope::read(b))),
    ("severities", |b| drop(wire::severities::read(b))),
    ("answer", |b| {
        for client in review_loop::source::answer::Client::ALL {
            drop(review_loop::source::answer::read(*client, b, b, None));
        }
    }),
    ("record", |b| drop(wire::loop_record::read(b))),
    ("bundle", |b| drop(wire::bundle::read(b))),
    ("exceptions", |b| drop(wire::exceptions::read(b))),
    ("brief", |b| drop(wire::brief::read(b))),
    ("decisions", |b| drop((wire::decisions::read(b), wire::decisions::asked(b)))),
    ("dispositions", |b| drop((wire::dispositions::read(b), wire::dispositions::asked(b)))),
    ("recurrence", |b| drop((wire::recurrence::read(b), wire::recurrence::links(b), wire::recurrence::diagnoses(b)))),
    ("resolution loop", |b| drop(wire::resolution_loop::read(b))),
    ("review record", |b| drop(wire::review::read(b))),
    ("surface", |b| drop(wire::surface::read(b))),
    ("policy", |b| drop(wire::policy::read(&String::from_utf8_lossy(b)))),
    ("policy table", |b| {
        let _ = review_loop::wave::policy::of_markdown(&String::from_utf8_lossy(b));
    }),
    ("criteria", |b| drop((wire::criteria::read(b), wire::criteria::approval(b)))),
    ("wave report", |b| drop(wire::wave_report::read(b))),
    ("manifest", |b| drop(wire::evidence::manifest(b))),
    ("assessment", |b| drop(wire::assessment::read(&String::from_utf8_lossy(b), "g"))),
    ("gate", |b| drop(wire::gate::gate(b, |_| String::new()))),
    ("pass", |b| drop(wire::gate::pass(b))),
    ("overrides", |b| drop(wire::json::lines::<review_loop::wave::control::Row>(b, 1))),
    ("design ledger", |b| {
        for extension in [Some("json"), Some("yaml"), None] {
            let record = wire::design_ledger::read(b, extension);
            drop(record.map(|r| review_loop::design::ledger::check(&r, &review_loop::design::ledger::Terms::default())));
        }
    }),
    ("design loop", |b| {
        drop((wire::design_loop::read(b), wire::design_loop::captured(b), wire::design_loop::drift(b), wire::design_loop::answers(b)));
    }),
    ("design artifact", |b| drop(review_loop::design::artifact::missing(&String::from_utf8_lossy(b)))),
    ("runs", |b| {
        let decoded = review_loop::design::runs::decode(b);
        drop(review_loop::design::runs::judge(&decoded, &(0..decoded.events.len()).collect()));
    }),
    ("gate line", |b| drop(review_loop::design::gate_line::read(0, &String::from_utf8_lossy(b), ""))),
    ("yaml", |b| drop(wire::yaml::parse(&b[..b.len().min(1 << 14)]))),
    ("agents mode", |b| {
        let part = &b[..b.len().min(1 << 14)];
        let text = String::from_utf8_lossy(part);
        if let Ok(file) = wire::agents_mode::read(text.as_bytes()) {
            let (out, _) = review_loop::design::agents_mode::normal::normal(&text, &file, &wire::agents_mode::layout(&text));
            drop((review_loop::design::agents_mode::problems(&file), out));
        }
    }),
    ("events", |b| drop(wire::json::lines::<review_loop::wave::journal::Event>(b, 1))),
    ("trace", |b| drop(review_loop::resolution::trace::parse(&String::from_utf8_lossy(b)))),
    ("conveyance", |b| {
        let text = String::from_utf8_lossy(&b[..b.len().min(1 << 14)]);
        drop(review_loop::source::conveyance::check(&[review_loop::source::conveyance::Slot { name: "t", text: &text }], &[]));
    }),
    ("intent", |b| {
        use review_loop::source::intent::{Changed, Document, Gathered, Limits, Touched, harvest, patch};
        let text = String::from_utf8_lossy(b).into_owned();
        let document = Document { path: "CLAUDE.md".to_owned(), aliases: Vec::new(), text: text.clone(), changed: Changed::No };
        let touched = Touched { path: "a/x.rs".to_owned(), text: Some(text), patch: Some(patch::read(b)) };
        let gathered = Gathered { touched: vec![touched], rules: vec![document.clone()], guides: vec![document], ..Gathered::default() };
        drop(harvest(&gathered, Limits::default()));
    }),
];

/// Pieces that steer the parsers into their corners.
const PIECES: &[&str] = &[
    "# Deep Review Report — 2026-11-30\n",
    "## Summary\n",
    "- **Verdict**: ",
    "APPROVE",
    "REQUEST_CHANGES",
    "\n",
    "\r\n",
    "- **Issues**: 🔴 1, 🟡 2, ℹ️ 3\n",
    "🔴1🟡1",
    "### 🔴 Critical\n",
    "### 🟡 Warning\n",
    "- `a/b.rs:12-20`",
    "`",
    "``",
    "```\n",
    "~~~",
    "> ",
    "<!-- ",
    " -->",
    "[high] ",
    "[",
    "](",
    ")",
    "a.rs:1",
    ":1:2",
    "#L1-L2",
    "C:\\x\\y.c:9",
    " — ",
    "- ",
    "  ",
    "\t",
    "### ITEM-1: x\n",
    "- **Decision**: ",
    "ACCEPT",
    "REJECT",
    "- **Action**: ",
    "{",
    "}",
    "\"",
    ":",
    ",",
    "null",
    "1e999",
    "9223372036854775808",
    "\\u0000",
    ":100644 100644 a b M\0",
    "R100\0",
    "1 .M N... 1 2 3 a b ",
    "\0",
    "@@ -1 +1,2 @@\n",
    "diff --git a/x b/x\n",
    "é",
    "심각",
    "\u{202e}",
    "\u{feff}",
    "반박 ",
    "None.\n",
    "count_red: 1 ",
    "{\"findings\":[{\"title\":\"x\",\"severity\":\"high\"}]}",
    "{\"verdict\":\"approve\"}\n",
    "x {\"verdict\":\"approve\"} ",
    "\"verdict\":",
    "[{\"",
    "NaN",
    "```json\n",
    "| a | b |\n",
    "|---|---|\n",
    "| Severity | File | Issue |\n",
    "findings:\n- title: x\n  severity: high\n",
    "---\n",
    "severity: low\n",
    "<<<FINDING-BOUNDARY>>>\n",
    "<finding severity=\"high\">",
    "</finding>",
    "<verdict>",
    "<summary>🧹 Nitpick comments (1)</summary>\n",
    "<summary>a.rs (1)</summary>\n",
    "`4-7`: **T**\n",
    "_⚠️ Potential issue_ | _🟡 Minor_\n",
    "【重大】",
    "**R1-F01** (x): ",
    "`severity`: `low`\n",
    "user\n",
    "codex\n",
    "- **Line:** 4–9\n",
    "a.c:1:2: warning: x\n",
    "{\"runs\":[{\"tool\":{},\"results\":[",
    "{\"reason\":\"compiler-message\",\"message\":{\"level\":\"error\",\"spans\":[]}}\n",
    "Found 2 blocking issues.\n",
    "do not flag ",
    "is fixed in ",
    "지적하지 마세요 ",
    "Round 1 — source: x — verdict: y\n",
    "    F → [dropped: b]\n",
    "{\"schema_version\":1,",
    "\"entries\":[{\"finding\":\"a\",",
    "// because ",
    "/* why: ",
    " */",
    "## Design\n",
    "globs: *.rs\n",
];

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).unwrap()
    }

    fn input(&mut self, pieces: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..self.next(pieces) {
            match self.next(8) {
                0 => bytes.push(u8::try_from(self.next(256)).unwrap()),
                1 => {
                    let piece = PIECES[self.next(PIECES.len())];
                    for _ in 0..self.next(20) {
                        bytes.extend_from_slice(piece.as_bytes());
                    }
                }
                _ => bytes.extend_from_slice(PIECES[self.next(PIECES.len())].as_bytes()),
            }
        }
        bytes
    }
}

#[test]
fn no_parser_of_foreign_text_panics_on_random_input() {
    let seconds = std::env::var("REVIEW_LOOP_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let seed = std::env::var("REVIEW_LOOP_FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0x9e37_79b9_7f4a_7c15);
    let mut random = Random(seed);
    let began = Instant::now();
    let mut rounds = 0;
    while seconds.map_or(rounds < 400, |s| began.elapsed() < Duration::from_secs(s)) {
        let input = random.input(60);
        for (name, target) in TARGETS {
            let ran = std::panic::catch_unwind(|| target(&input));
            assert!(ran.is_ok(), "{name} panicked on {:?}", String::from_utf8_lossy(&input));
        }
        rounds += 1;
    }
}

/// One megabyte of each piece, and of pairs of pieces: what is not linear stands out by orders of magnitude.
#[test]
fn no_parser_falls_over_repetition_or_is_slow_on_a_megabyte_of_it() {
    // A quadratic parser takes minutes here; a linear one on a busy machine does not take this long.
    let budget = Duration::from_secs(3);
    let pairs = PIECES.iter().flat_map(|a| [(*a).to_owned(), format!("{a}x\n"), format!("{a}`a.rs:1`"), format!("- {a} [high] ")]);
    let long = std::env::var("REVIEW_LOOP_FUZZ_SECONDS").is_ok();
    for piece in pairs {
        let size = if long { 1 << 20 } else { 1 << 15 };
        let input = piece.repeat(size / piece.len().max(1));
        for (name, target) in TARGETS {
            let began = Instant::now();
            target(input.as_bytes());
            assert!(!long || began.elapsed() < budget, "{name} took {:?} on {} bytes of {piece:?}", began.elapsed(), input.len());
        }
    }
}
