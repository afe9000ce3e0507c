#!/usr/bin/env bash
# Measures match-findings on repositories and rounds with known truth, beside three simple rules: CASES (default 150), SEED.
# Figures are of this run; the generator is scripts/identity.rs. Needs git and the Rust toolchain.
set -euo pipefail
cd "$(dirname "$0")/.."
cases=${1:-150} seed=${2:-1}
cargo build --release --quiet
tool="${CARGO_TARGET_DIR:-target}/release/review-loop"
case $tool in /*) ;; *) tool="$PWD/$tool" ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rustc --edition 2021 -O -o "$work/identity" scripts/identity.rs
echo "plain, $cases cases, seed $seed"
"$work/identity" "$tool" "$work" "$cases" "$seed"
echo
echo "hard, $cases cases, seed $seed"
"$work/identity" "$tool" "$work" "$cases" "$seed" hard
