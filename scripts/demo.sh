#!/usr/bin/env bash
# Builds review-loop and runs one whole rounds loop on a repository it makes itself: planted defects, the built-in
# reviewer, the mechanical responder, one session document. Needs git and the Rust toolchain, nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release --quiet --target-dir "${CARGO_TARGET_DIR:-target}"
tool=$(realpath "${CARGO_TARGET_DIR:-target}")/release/review-loop
work=$(mktemp -d "${TMPDIR:-/tmp}/review-loop-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
export REVIEW_LOOP_STATE_DIR=$work/state
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

repo=$work/shop
git init -q -b main "$repo"
cd "$repo"
git config user.name Demo
git config user.email demo@example.invalid
mkdir src
printf 'pub fn price(cents: u64) -> u64 {\n    cents\n}\n' > src/price.rs
printf '{"currency": "EUR"}\n' > config.json
git add -A
git commit -q -m 'A small shop'

git checkout -q -b discount
# Defects that have a mechanical fix …
printf 'pub fn price(cents: u64) -> u64 {   \n    cents - discount(cents)\t\n}\n\npub fn discount(cents: u64) -> u64 {\n    cents / 10\n}' > src/price.rs
printf 'Discounts are rounded down.\r\nThey never exceed the price.\n\n\n' > NOTES.txt
git add -A
git commit -q -m 'Discounts'
# … and one that needs somebody who understands the code, not committed yet.
printf '{"currency": "EUR",}\n' > config.json

echo "== one whole loop: review, respond, record, compare, decide"
set +e
"$tool" run-loop --loop rounds --source checks --respond fix --session-doc --pretty
status=$?
set -e
echo
echo "== exit status $status: it stopped with a finding that no rule may fix"
echo
echo "== the session document"
cat .deep-review/reports/loop-*-review.md
echo
echo "== what the responder changed"
git diff --stat HEAD

[ "$status" = 1 ] || { echo "the demo expected exit status 1" >&2; exit 1; }
rounds=$(grep -c '^- Round [0-9]' .deep-review/reports/loop-*-review.md)
[ "$rounds" -ge 2 ] || { echo "the demo expected at least two rounds" >&2; exit 1; }
echo
echo "demo passed: $rounds rounds"
