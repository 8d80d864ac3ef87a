#!/usr/bin/env bash
# Format, lints and types: Rust natively and for wasm32, then the page. Nothing is changed.
. "$(dirname "$0")/lib.sh"
cd "$REPO"

toolchain=$(wasm_toolchain) || fail "the wasm32 target is missing; run scripts/wasm_target.sh."

# --release: the same build scripts and macros as the tests, compiled once.
with_progress "cargo fmt --check" cargo fmt --all --check || fail "some files are not formatted; run 'cargo fmt --all'."
with_progress "clippy, natively" cargo clippy --locked --release --workspace --all-targets -- -D warnings \
  || fail "clippy has something to say; the log above shows where."
if [ -z "$toolchain" ]; then
  with_progress "clippy, for wasm32" cargo clippy --locked --release --lib --tests --target "$WASM_TARGET" -- -D warnings \
    || fail "clippy for wasm32 has something to say; the log above shows where."
else
  # Debian's newer Rust has a clippy of its own version in a package of its own; the compiler's warnings are enough here.
  with_progress "compiler warnings, for wasm32" env RUSTUP_TOOLCHAIN="$toolchain" RUSTFLAGS=-Dwarnings \
    cargo check --locked --release --lib --tests --target "$WASM_TARGET" \
    || fail "the compiler warns for wasm32; the log above shows where."
fi
with_progress "the page: tsc and biome" npm --prefix www run check \
  || fail "the page's types or format are wrong; the log above shows where, 'npm --prefix www run format' mends the format."
