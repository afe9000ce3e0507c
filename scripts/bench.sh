#!/usr/bin/env bash
# Times calls beside a no-op Rust binary, with the number of fsyncs and git processes of each, and the readers on 50 MB.
# Figures are medians of one run on this machine: read the ratios. Needs git and the Rust toolchain; strace, node,
# python3 and jq are used when they are there.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet --target-dir "${CARGO_TARGET_DIR:-target}"
tool=$(realpath "${CARGO_TARGET_DIR:-target}")/release/review-loop
work=$(mktemp -d "${TMPDIR:-/tmp}/review-loop-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
printf 'fn main() {}\n' > noop.rs
rustc -O -o noop noop.rs

cat > bench.rs <<'RS'
use std::process::{Command, Stdio};
use std::time::Instant;
fn main() {
    let argv: Vec<String> = std::env::args().skip(2).collect();
    let runs: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut times: Vec<u128> = (0..runs)
        .map(|_| {
            let began = Instant::now();
            Command::new(&argv[0]).args(&argv[1..]).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
            began.elapsed().as_micros()
        })
        .collect();
    times.sort_unstable();
    println!("{}", times[runs / 2]);
}
RS
rustc -O -o bench bench.rs
median() { ./bench "$@"; }
base=$(median 200 ./noop)
printf '%-34s %10s %10s %8s %6s\n' call 'median us' 'over noop' fsyncs gits
row() { # row NAME RUNS ARGV...
    local name=$1 runs=$2; shift 2
    local us fsyncs=- gits=-
    us=$(median "$runs" "$@")
    if command -v strace >/dev/null; then
        strace -f -qq -e trace=fsync,fdatasync,syncfs,execve -o trace "$@" >/dev/null 2>&1 || true
        fsyncs=$(grep -cE 'sync(fs)?\(' trace || true)
        gits=$(grep -cE 'execve\("[^"]*/git".* = 0' trace || true)
    fi
    printf '%-34s %10s %10s %8s %6s\n' "$name" "$us" "$((us - base))" "$fsyncs" "$gits"
}
row 'no-op Rust binary' 200 ./noop
report() { printf '# Deep Review Report — 2026-11-30\n\n## Summary\n- **Verdict**: CONCERN\n- **Issues**: 🔴 0, 🟡 2, ℹ️ 0\n\n## Code Review\n### 🔴 Critical\nNone.\n\n### 🟡 Warning\n- `a.rs:%s` — one\n- `b.rs:7` — two\n\n### ℹ️ Info\nNone.\n\n### 🟢 Passed\n- rest\n' "$1"; }
report 1 > r1.md; report 3 > r2.md
for n in 1 2; do "$tool" record-round --round-number $n --review-report r$n.md --base-commit abcdef1 --state-dir st --loop-id L >/dev/null; done
one=st/loop-L-round-1.state.json two=st/loop-L-round-2.state.json
row assert-same-path 200 "$tool" assert-same-path --expected a --actual a
row compare-rounds 200 "$tool" compare-rounds --previous $one --current $two
row collect-metrics 200 "$tool" collect-metrics --round-number 1 --review-report r1.md
row decide-round 200 "$tool" decide-round --current $two --previous $one --cap 5
row 'record-round (same again)' 100 "$tool" record-round --round-number 2 --review-report r2.md --base-commit abcdef1 --state-dir st --loop-id L
row 'record-round (a new loop)' 100 "$tool" record-round --round-number 1 --review-report r1.md --base-commit abcdef1 --state-dir new
row render-prior-context 100 "$tool" render-prior-context --state-file $two --output p.md
row render-session-doc 100 "$tool" render-session-doc --loop-id L --tmp-dir st --reports-dir . --output d.md
row cleanup-residue 100 "$tool" cleanup-residue --tmp-dir st
git init -q -b main repo
( cd repo; git config user.name x; git config user.email x@example.invalid; for i in $(seq 1 200); do echo "$i" > f$i.txt; done; git add -A; git commit -qm base; git checkout -qb work; for i in $(seq 1 40); do echo "$i $i" > f$i.txt; done )
row 'git status' 50 git -C repo -c core.fsmonitor=false status
row 'detect-scope' 50 "$tool" detect-scope --repo repo
row 'fingerprint-scope' 50 "$tool" fingerprint-scope --repo repo
row 'plan-round with surface' 30 "$tool" plan-round --round-number 1 --loop-id P --repo-root repo --base-commit "$(git -C repo rev-parse main)" --output plans/p.json
for other in "node -e 0" "python3 -c 0" "jq -n 1"; do
    command -v "${other%% *}" >/dev/null && row "$other" 20 $other
done

echo
echo "readers (seconds, MB/s, peak MB)"
awk 'BEGIN { srand(1); for (i = 0; i < 900000; i++) print "the review reads each file and compares what the code does with its purpose" ; }' > prose.txt
{ printf '# Deep Review Report — 2026-11-30\n\n## Summary\n- **Verdict**: REQUEST_CHANGES\n- **Issues**: 🔴 10000, 🟡 0, ℹ️ 0\n\n'; head -c 50000000 prose.txt; printf '\n\n## Code Review\n### 🔴 Critical\n'; awk 'BEGIN { for (i = 1; i <= 10000; i++) printf "- `src/f%d.rs:%d` — finding %d of a long list\n", i % 300, i, i }'; } > prose.md
awk 'BEGIN { print "# Deep Review Report — 2026-11-30\n\n## Summary\n- **Verdict**: REQUEST_CHANGES\n- **Issues**: 🔴 600000, 🟡 0, ℹ️ 0\n\n## Code Review\n### 🔴 Critical"; for (i = 1; i <= 600000; i++) printf "- `src/file_%d.rs:%d` — finding number %d of a long list of many findings\n", i % 300, i, i }' > findings.md
timed() {
    local name=$1; shift
    local size=$1; shift
    local began ended
    if [ -x /usr/bin/time ]; then
        /usr/bin/time -f '%e %M' -o time.txt "$@" >/dev/null || true
        awk -v n="$name" -v s="$size" '{ printf "%-34s %6.2f s %8.1f MB/s %8.1f MB\n", n, $1, s / 1000000 / ($1 + 0.001), $2 / 1024 }' time.txt
    else
        began=$(date +%s%N); "$@" >/dev/null || true; ended=$(date +%s%N)
        awk -v n="$name" -v s="$size" -v t="$((ended - began))" 'BEGIN { printf "%-34s %6.2f s %8.1f MB/s\n", n, t / 1e9, s / 1000 / (t / 1e6) }'
    fi
}
timed '50 MB prose, 10,000 findings' "$(wc -c < prose.md)" "$tool" collect-metrics --round-number 1 --review-report prose.md
timed 'nothing but findings' "$(wc -c < findings.md)" "$tool" collect-metrics --round-number 1 --review-report findings.md
big() { awk -v n=100000 -v shift="$1" 'BEGIN { print "{\"schema_version\":2,\"loop_id\":\"B\",\"round_number\":" 1 + shift ",\"base_commit\":\"abcdef1\",\"verdict\":\"CONCERN\",\"findings\":["; for (i = 1; i <= n; i++) printf "%s{\"severity\":\"warning\",\"path\":\"one.rs\",\"line\":%d,\"title_slug\":\"t-%d\",\"category\":\"untagged\"}", (i > 1 ? "," : ""), i + shift * 2, i % 5000; print "]}" }'; }
big 0 > b1.json; big 1 > b2.json; chmod 600 b1.json b2.json
timed 'matching 100,000 x 100,000, one file' "$(($(wc -c < b1.json) * 2))" "$tool" compare-rounds --previous b1.json --current b2.json
