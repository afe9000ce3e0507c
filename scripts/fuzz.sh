#!/usr/bin/env bash
# Runs the fuzz targets for SECONDS (default one hour) with a fresh seed, on the stable toolchain, in release mode.
set -euo pipefail
cd "$(dirname "$0")/.."
export REVIEW_LOOP_FUZZ_SECONDS=${1:-3600}
export REVIEW_LOOP_FUZZ_SEED=${2:-$(od -An -N6 -tu8 /dev/urandom | tr -d ' ')}
echo "seed $REVIEW_LOOP_FUZZ_SEED for $REVIEW_LOOP_FUZZ_SECONDS s"
cargo test --release --test cli fuzz:: -- --nocapture
