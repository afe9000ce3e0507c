#!/usr/bin/env bash
# Runs every test. Needs git and the Rust toolchain, nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --all-targets "$@"
