#!/usr/bin/env bash
# Writes www/src/shared/engine-records.ts: the page's TypeScript types of what crosses, made from the engine's Rust types.
. "$(dirname "$0")/lib.sh"
cd "$REPO"

# --release: the same build as the tests.
with_progress "the page's types of what crosses" \
  env LASTBIT_WRITE_TYPES=1 cargo test --locked --release --lib types_of_the_page_are_those_of_the_engine \
  || fail "the types could not be written; the log above says why."
